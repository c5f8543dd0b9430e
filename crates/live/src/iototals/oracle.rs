//! Oracle: `GV$IOSTAT_FUNCTION` and `GV$IOSTAT_FILE` of all instances. Nothing of it needs a licence.

use std::sync::Arc;
use std::time::Instant;

use isotherm_formats::printable;
use isotherm_frame::{IoAmount, IoAmounts, IoCounters, IoPart, IoTotals, IoWaits, Nanos};

use super::counters::Counters;
use crate::feed::{OpenError, Stopped};
use crate::oracle::{
    Answer, Connect, OracleAddress, Session, SessionError, connection, grants, instances, user_of,
};

/// Rows that one round trip brings.
const ROWS: u32 = 500;
/// Megabytes of these views.
const MEGABYTE: u64 = 1_048_576;
/// ORA-00942: what exists may not be read, or does not exist.
const NO_SUCH_VIEW: u32 = 942;

/// When each instance was started, and its counters. Names come last: they may hold any character.
fn counters_of(instances: &[u32]) -> String {
    let numbers: Vec<String> = instances.iter().map(u32::to_string).collect();
    let only = |view: &str| match numbers.as_slice() {
        [] => String::new(),
        numbers => format!("\n    WHERE {view}.inst_id IN ({})", numbers.join(", ")),
    };
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
    /// The statement.
    counters: String,
    since: Instant,
}

/// The statement that is asked at an address.
pub(super) fn statement(address: &OracleAddress) -> Result<String, OpenError> {
    Ok(counters_of(instances(address)?))
}

pub(super) fn open(address: &OracleAddress) -> Result<Box<dyn Counters>, OpenError> {
    let counters = statement(address)?;
    let stopped = Stopped::default();
    let connect = connection(address, Nanos::SECOND, &stopped, &mut |_| {})?;
    Ok(Box::new(logged_on(connect, counters)?))
}

fn logged_on(mut connect: Box<dyn Connect>, counters: String) -> Result<Instances, OpenError> {
    let name = connect.name().to_owned();
    let session = connect.connect().map_err(|error| failed(error, &name))?;
    Ok(Instances { session, name, counters, since: Instant::now() })
}

fn failed(error: SessionError, name: &str) -> OpenError {
    OpenError::Server(match error {
        SessionError::Sql { code: NO_SUCH_VIEW, .. } => {
            let grants = grants(&VIEWS.map(str::to_owned), user_of(name));
            format!("{name} may not read the counters of I/O; a DBA can allow it with\n{grants}")
        }
        SessionError::Lost(why)
        | SessionError::Refused(why)
        | SessionError::Sql { message: why, .. } => why,
    })
}

impl Counters for Instances {
    fn read(&mut self) -> Result<IoTotals, OpenError> {
        let answer = Answer::to(&self.counters, ROWS, self.session.as_mut())
            .map_err(|error| failed(error, &self.name))?;
        let mut totals = totals(&answer.text).map_err(OpenError::Server)?;
        let at = answer.middle().duration_since(self.since);
        totals.at = Nanos::new(u64::try_from(at.as_nanos()).unwrap_or(u64::MAX));
        Ok(totals)
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
        let Ok(mut open) = logged_on(Box::new(server), counters_of(&[])) else { panic!("refused") };
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
        let Ok(mut open) = logged_on(Box::new(Scripted::new(|_| no_view())), counters_of(&[]))
        else {
            panic!("refused")
        };
        let Err(error) = open.read() else { panic!("not refused") };
        assert!(error.to_string().contains("GRANT SELECT ON SYS.GV_$IOSTAT_FILE TO"), "{error}");
    }
}
