//! Oracle: `GV$IOFUNCMETRIC`, the rates of about the last minute by function as each instance measured them.
//! It needs no licence.

use std::str::SplitN;
use std::sync::Arc;

use isotherm_formats::printable;
use isotherm_frame::{IoMetric, IoMetrics, IoRate, Nanos};
use jiff::civil::DateTime;

use crate::oracle::only_instances;

/// The name of the view.
pub(super) const VIEW: &str = "gv$iofuncmetric";
/// How times are written.
const TIME: &str = "'YYYY-MM-DD\"T\"HH24:MI:SS'";
/// Rates in the order in which a row has them. All but the last are rates per second.
const RATES: [&str; 9] = [
    "small_read_iops",
    "small_read_mbps",
    "large_read_iops",
    "large_read_mbps",
    "small_write_iops",
    "small_write_mbps",
    "large_write_iops",
    "large_write_mbps",
    "avg_wait_time",
];
const CENTISECOND_NS: u64 = 10_000_000;

/// The database's clock, and a row for each function of each instance. Names come last: they may hold any
/// character. Numbers have a decimal point wherever the session of the user comes from.
pub(super) fn statement(instances: &[u32]) -> String {
    let time = |column: &str| format!("TO_CHAR({column}, {TIME})");
    let rates: Vec<String> = RATES
        .iter()
        .map(|rate| format!("TO_CHAR(m.{rate}, 'TM9', 'NLS_NUMERIC_CHARACTERS=''.,''')||'|'||\n"))
        .collect();
    format!(
        "SELECT line FROM (\n\
        SELECT 1 AS part, 'T|'||{} AS line FROM dual\n\
        UNION ALL\n\
        SELECT 2 AS part, 'M|'||m.inst_id||'|'||{}||'|'||{}||'|'||m.intsize_csec||'|'||\n\
        {}m.function_name AS line\n\
        FROM {VIEW} m{}\n\
        UNION ALL\n\
        SELECT 9 AS part, '.' AS line FROM dual\n) q ORDER BY part",
        time("SYSDATE"),
        time("m.begin_time"),
        time("m.end_time"),
        rates.concat(),
        only_instances("m", instances)
    )
}

/// The rates of an answer; one without its clock or its end, or with something else, is none.
pub(super) fn metrics(text: &str) -> Result<IoMetrics, String> {
    let mut lines = text.lines();
    let unreadable = |line: &str| {
        let line = printable(line.as_bytes(), 100);
        format!("GV$IOFUNCMETRIC: not what was asked for: {line}")
    };
    let first = lines.next().unwrap_or_default();
    let now = first.strip_prefix("T|").and_then(time).ok_or_else(|| unreadable(first))?;
    let mut metrics = Vec::new();
    for line in lines {
        if line == "." {
            return Ok(IoMetrics { now, metrics });
        }
        let read = line.strip_prefix("M|").and_then(metric);
        metrics.push(read.ok_or_else(|| unreadable(line))?);
    }
    Err("GV$IOFUNCMETRIC: the answer has no end".to_owned())
}

/// `1|2026-03-01T12:00:00|2026-03-01T12:01:00|6003|12.5|.1|0|0|0|0|3|.02|5|LGWR`
fn metric(line: &str) -> Option<IoMetric> {
    let mut fields = line.splitn(14, '|');
    let instance: Arc<str> = fields.next()?.into();
    let interval = (time(fields.next()?)?, time(fields.next()?)?);
    let length = fields.next()?.parse::<u64>().ok()?.checked_mul(CENTISECOND_NS)?;
    Some(IoMetric {
        instance,
        interval,
        length: Nanos::new(length),
        small_reads: rate(&mut fields)?,
        large_reads: rate(&mut fields)?,
        small_writes: rate(&mut fields)?,
        large_writes: rate(&mut fields)?,
        mean_wait_ms: number(fields.next()?)?,
        name: printable(fields.next()?.as_bytes(), 500).into(),
    })
}

fn rate(fields: &mut SplitN<'_, char>) -> Option<IoRate> {
    Some(IoRate { operations: number(fields.next()?)?, megabytes: number(fields.next()?)? })
}

/// `.5`, or nothing where the view has no value.
#[expect(clippy::option_option, reason = "left out by the server, and unreadable, are two things")]
fn number(text: &str) -> Option<Option<f64>> {
    if text.is_empty() {
        return Some(None);
    }
    let number: f64 = text.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(Some(number))
}

fn time(text: &str) -> Option<Arc<str>> {
    text.parse::<DateTime>().is_ok().then(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: &str = "T|2026-03-01T12:01:23\n\
        M|1|2026-03-01T12:00:01|2026-03-01T12:01:01|6003|12.5|.1|0|0|||3|.02|5.25|LG|WR\n.\n";

    #[test]
    fn rates_are_read_as_the_server_states_them() {
        let read = metrics(MINUTE).unwrap();
        assert_eq!(&*read.now, "2026-03-01T12:01:23");
        let [log] = &read.metrics[..] else { panic!("{read:?}") };
        assert_eq!((&*log.instance, &*log.name), ("1", "LG|WR"));
        assert_eq!(
            (&*log.interval.0, &*log.interval.1, log.length),
            ("2026-03-01T12:00:01", "2026-03-01T12:01:01", Nanos::from_millis(60_030))
        );
        let both = |operations, megabytes| IoRate { operations, megabytes };
        assert_eq!(log.small_reads, both(Some(12.5), Some(0.1)));
        assert_eq!(log.large_reads, both(Some(0.0), Some(0.0)));
        assert_eq!(log.small_writes, both(None, None));
        assert_eq!(log.large_writes, both(Some(3.0), Some(0.02)));
        assert_eq!(log.mean_wait_ms, Some(5.25));
    }

    #[test]
    fn an_answer_that_is_cut_off_or_damaged_is_none() {
        assert!(metrics(MINUTE.strip_suffix(".\n").unwrap()).unwrap_err().contains("no end"));
        let damaged = [
            MINUTE.replace("12.5", "12,5"),
            MINUTE.replace("12.5", "-1"),
            MINUTE.replace("|6003", "|x"),
            MINUTE.replace("T|2026", "T|yesterday"),
            MINUTE.replace("M|1", "F|1"),
            ".\n".to_owned(),
        ];
        for text in damaged {
            assert!(metrics(&text).unwrap_err().contains("not what was asked for"), "{text}");
        }
    }

    #[test]
    fn chosen_instances_are_chosen_in_sql() {
        assert!(
            statement(&[1, 3]).contains("FROM gv$iofuncmetric m\n    WHERE m.inst_id IN (1, 3)")
        );
        assert!(!statement(&[]).contains("WHERE"));
    }
}
