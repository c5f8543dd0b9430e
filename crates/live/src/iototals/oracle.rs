//! Oracle: `GV$IOSTAT_FUNCTION`, `GV$IOSTAT_FILE` and `GV$IOFUNCMETRIC` of all instances. Nothing of it needs a
//! licence.

use std::sync::Arc;
use std::time::Instant;

use isotherm_formats::printable;
use isotherm_frame::{
    IoAmount, IoAmounts, IoCounters, IoMetrics, IoPart, IoTotals, IoWaits, Nanos,
};

use super::counters::Counters;
use super::iofuncmetric;
use crate::feed::{OpenError, Stopped};
use crate::oracle::{
    Answer, Connect, MAY_NOT_READ, OracleAddress, Session, SessionError, connection, grants,
    instances, only_instances, user_of,
};

/// Rows that one round trip brings.
const ROWS: u32 = 500;
/// Megabytes of these views.
const MEGABYTE: u64 = 1_048_576;

/// When each instance was started, and its counters. Names come last: they may hold any character.
fn counters_of(instances: &[u32]) -> String {
    let only = |view: &str| only_instances(view, instances);
    format!(
        "SELECT line FROM (\n\
        SELECT 1 AS part, 'I|'||i.inst_id||'|'||TO_CHAR(i.startup_time, 'YYYY-MM-DD HH24:MI:SS') AS line\n\
        FROM gv$instance i{}\n\
        UNION ALL\n\
        SELECT 2 AS part, 'F|'||f.inst_id||'|'||f.small_read_reqs||'|'||f.small_read_megabytes||'|'||\
        f.large_read_reqs||'|'||f.large_read_megabytes||'|'||f.small_write_reqs||'|'||\
        f.small_write_megabytes||'|'||f.large_write_reqs||'|'||f.large_write_megabytes||'|'||\
        f.number_of_waits||'|'||f.wait_time||'|'||f.function_name||'|'||f.function_name AS line\n\
        FROM gv$iostat_function f{}\n\
        UNION ALL\n\
        SELECT 3 AS part, 'D|'||d.inst_id||'|'||d.small_read_reqs||'|'||d.small_read_megabytes||'|'||\
        d.large_read_reqs||'|'||d.large_read_megabytes||'|'||d.small_write_reqs||'|'||\
        d.small_write_megabytes||'|'||d.large_write_reqs||'|'||d.large_write_megabytes||'|||'||\
        d.filetype_name||' '||d.file_no||'|'||\
        COALESCE(p.file_name, t.file_name, d.filetype_name||' '||d.file_no) AS line\n\
        FROM gv$iostat_file d\n\
        LEFT JOIN dba_data_files p ON p.file_id = d.file_no AND d.filetype_name = 'Data File'\n\
        LEFT JOIN dba_temp_files t ON t.file_id = d.file_no AND d.filetype_name = 'Temp File'{}\n\
        UNION ALL\n\
        SELECT 9 AS part, '.' AS line FROM dual\n) q ORDER BY part",
        only("i"),
        only("f"),
        only("d")
    )
}

/// What it reads.
const VIEWS: [&str; 5] =
    ["gv$instance", "gv$iostat_function", "gv$iostat_file", "dba_data_files", "dba_temp_files"];

struct Instances {
    session: Box<dyn Session>,
    name: String,
    /// The instances that are wanted, or none where all are.
    wanted: Vec<u32>,
    since: Instant,
}

/// The statements that are asked at an address.
pub(super) fn statements(address: &OracleAddress) -> Result<[String; 2], OpenError> {
    let wanted = instances(address)?;
    Ok([counters_of(wanted), iofuncmetric::statement(wanted)])
}

pub(super) fn open(address: &OracleAddress) -> Result<Box<dyn Counters>, OpenError> {
    let wanted = instances(address)?;
    let stopped = Stopped::default();
    let connect = connection(address, Nanos::SECOND, &stopped, &mut |_| {})?;
    Ok(Box::new(logged_on(connect, wanted)?))
}

fn logged_on(mut connect: Box<dyn Connect>, wanted: &[u32]) -> Result<Instances, OpenError> {
    let name = connect.name().to_owned();
    let session = connect.connect().map_err(|error| failed(error, &name, &VIEWS))?;
    Ok(Instances { session, name, wanted: wanted.to_vec(), since: Instant::now() })
}

/// What a failure to read these views means.
fn failed(error: SessionError, name: &str, views: &[&str]) -> OpenError {
    OpenError::Server(match error {
        SessionError::Sql { code, .. } if MAY_NOT_READ.contains(&code) => {
            let what = match views {
                [view] => view.to_uppercase(),
                _ => "the counters of I/O".to_owned(),
            };
            let views: Vec<String> = views.iter().map(|view| (*view).to_owned()).collect();
            let grants = grants(&views, user_of(name));
            format!("{name} may not read {what}; a DBA can allow it with\n{grants}")
        }
        SessionError::Lost(why)
        | SessionError::Refused(why)
        | SessionError::Sql { message: why, .. } => why,
    })
}

impl Counters for Instances {
    fn read(&mut self) -> Result<IoTotals, OpenError> {
        let answer = Answer::to(&counters_of(&self.wanted), ROWS, self.session.as_mut())
            .map_err(|error| failed(error, &self.name, &VIEWS))?;
        let mut totals = totals(&answer.text).map_err(OpenError::Server)?;
        let at = answer.middle().duration_since(self.since);
        totals.at = Nanos::new(u64::try_from(at.as_nanos()).unwrap_or(u64::MAX));
        Ok(totals)
    }

    fn metrics(&mut self) -> Option<Result<IoMetrics, OpenError>> {
        let sql = iofuncmetric::statement(&self.wanted);
        let answer = Answer::to(&sql, ROWS, self.session.as_mut());
        let text = answer
            .map_err(|error| failed(error, &self.name, &[iofuncmetric::VIEW]))
            .map(|answer| answer.text);
        Some(text.and_then(|text| {
            let metrics = iofuncmetric::metrics(&text).map_err(OpenError::Server)?;
            if metrics.metrics.is_empty() {
                let of =
                    if self.wanted.is_empty() { "" } else { " of the instances that inst= names" };
                return Err(OpenError::Server(format!("GV$IOFUNCMETRIC has no rows{of}")));
            }
            Ok(metrics)
        }))
    }
}

/// The counters of an answer; one without its end, or with something else, is none.
fn totals(text: &str) -> Result<IoTotals, String> {
    let mut totals = IoTotals::default();
    for line in text.lines() {
        if line == "." {
            return Ok(totals);
        }
        let read = match line.split_once('|') {
            Some(("I", rest)) => rest.split_once('|').map(|(instance, epoch)| {
                totals.epochs.push((instance.into(), epoch.into()));
            }),
            Some(("F", rest)) => {
                counters(IoPart::Function, rest).map(|one| totals.counters.push(one))
            }
            Some(("D", rest)) => counters(IoPart::File, rest).map(|one| totals.counters.push(one)),
            _ => None,
        };
        if read.is_none() {
            let line = printable(line.as_bytes(), 100);
            return Err(format!("GV$IOSTAT_*: not what was asked for: {line}"));
        }
    }
    Err("GV$IOSTAT_*: the answer has no end".to_owned())
}

fn counters(part: IoPart, line: &str) -> Option<IoCounters> {
    let mut fields = line.splitn(13, '|');
    let instance: Arc<str> = fields.next()?.into();
    let mut amount = || -> Option<Option<IoAmount>> {
        let (operations, megabytes) = (fields.next()?, fields.next()?);
        if operations.is_empty() && megabytes.is_empty() {
            return Some(None);
        }
        let bytes = megabytes.parse::<u64>().ok()?.checked_mul(MEGABYTE)?;
        Some(Some(IoAmount { operations: operations.parse().ok()?, bytes }))
    };
    let amounts = IoAmounts {
        small_reads: amount()?,
        large_reads: amount()?,
        small_writes: amount()?,
        large_writes: amount()?,
        waits: None,
    };
    let waits = match (fields.next()?, fields.next()?) {
        ("", "") => None,
        (waits, time) => Some(IoWaits { waits: waits.parse().ok()?, time_ms: time.parse().ok()? }),
    };
    let amounts = IoAmounts { waits, ..amounts };
    let id: Arc<str> = fields.next()?.into();
    let name: Arc<str> = printable(fields.next()?.as_bytes(), 500).into();
    Some(IoCounters { part, instance, id, name, amounts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::scripted::{Reply, Scripted, no_view};

    #[test]
    fn an_answer_is_read_whole_or_not_at_all() {
        let text = "I|1|2026-01-01 00:00:00\nF|1|10|2|3|4|5|6|7|8|90|450|LGWR|LGWR\nD|1|1|2|||5|6|7|8|||Data File 4|/u01/a|b.dbf\n.\n";
        let server = Scripted::new(move |_| Reply::Lines(text.to_owned()));
        let Ok(mut open) = logged_on(Box::new(server), &[]) else { panic!("refused") };
        let Ok(totals) = open.read() else { panic!("refused") };
        assert_eq!(totals.epochs, [("1".into(), "2026-01-01 00:00:00".into())]);
        let [log, file] = &totals.counters[..] else { panic!("{totals:?}") };
        let large = Some(IoAmount { operations: 7, bytes: 8 * 1_048_576 });
        assert_eq!(
            (&*log.name, log.part, log.amounts.large_writes),
            ("LGWR", IoPart::Function, large)
        );
        assert_eq!((&*file.name, file.amounts.large_reads), ("/u01/a|b.dbf", None));
        let waits = IoWaits { waits: 90, time_ms: 450 };
        assert_eq!((log.amounts.waits, file.amounts.waits), (Some(waits), None));
        assert_eq!(&*file.id, "Data File 4", "which stays when the file is given another name");
        assert!(super::totals("I|1|x\n").is_err() && super::totals("F|1|a|2\n.\n").is_err());
    }

    #[test]
    fn a_missing_privilege_is_told_with_its_grants() {
        let Ok(mut open) = logged_on(Box::new(Scripted::new(|_| no_view())), &[]) else {
            panic!("refused")
        };
        let Err(error) = open.read() else { panic!("not refused") };
        assert!(error.to_string().contains("GRANT SELECT ON SYS.GV_$IOSTAT_FILE TO"), "{error}");
    }

    #[test]
    fn rates_that_may_not_be_read_leave_the_counters() {
        for code in MAY_NOT_READ {
            let server = Scripted::new(move |sql| {
                if !sql.contains("gv$iofuncmetric") {
                    return Reply::Lines("I|1|x\n.\n".to_owned());
                }
                Reply::Fail(SessionError::Sql { code, message: format!("ORA-{code:05}: no") })
            });
            let Ok(mut open) = logged_on(Box::new(server), &[]) else { panic!("refused") };
            assert!(open.read().is_ok());
            let Some(Err(error)) = open.metrics() else { panic!("not refused") };
            let error = error.to_string();
            assert!(error.contains("GRANT SELECT ON SYS.GV_$IOFUNCMETRIC TO mon"), "{error}");
            assert!(!error.contains("IOSTAT"), "{error}");
            assert!(open.read().is_ok(), "the counters can still be read");
        }
    }

    #[test]
    fn a_view_without_rows_is_said_to_be_empty() {
        let server = Scripted::new(|_| Reply::Lines("T|2026-03-01T12:00:00\n.\n".to_owned()));
        let Ok(mut open) = logged_on(Box::new(server), &[7]) else { panic!("refused") };
        let Some(Err(error)) = open.metrics() else { panic!("rates") };
        let expected = "GV$IOFUNCMETRIC has no rows of the instances that inst= names";
        assert_eq!(error.to_string(), expected);
    }
}
