//! Tables of numbers, recognised by what their columns hold.

use isotherm_oracle::awr::history::is_history;

use super::{Foreign, Way};
use crate::number::is_epoch_second;

/// What a log of single values of fio is called.
pub(super) const FIO_LOG: &str = "a log of single operations of fio";

/// Lines looked at.
const ENOUGH: usize = 20;

/// The format of a table, if every one of its first lines fits one.
pub(super) fn recognise(text: &str) -> Option<Foreign> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    if let Some(known) = of_header(first) {
        return Some(known);
    }
    let lines: Vec<&str> = std::iter::once(first).chain(lines).take(ENOUGH).collect();
    let known = [ioping_statistics, fio_log, pgbench_log, vegeta];
    known.into_iter().find_map(|of| of(&lines))
}

/// Tables that a header names.
fn of_header(line: &str) -> Option<Foreign> {
    let names: Vec<&str> = line.split(',').map(|name| name.trim().trim_matches('"')).collect();
    if names.starts_with(&["timeStamp", "elapsed"]) {
        let role = |name: &&str| match *name {
            "timeStamp" => "start_ms",
            "elapsed" => "latency_ms",
            "label" => "label",
            _ => "-",
        };
        let names = names.iter().map(role).collect::<Vec<_>>().join(",");
        return Some(Foreign {
            name: "a result log of JMeter",
            way: Way::Columns { names, remark: "" },
        });
    }
    // `end,seconds,dbid,instance,snap_id,...`, and `SNAP_TIME,INSTANCE_NUMBER,...` as PerfSheet4 spools it.
    let is_own = names.starts_with(&["end", "seconds", "dbid", "instance", "snap_id"]);
    if is_own || is_history(line.as_bytes()) {
        return Some(Foreign {
            name: "a table of AWR's history",
            way: Way::Elsewhere(
                "it holds sums of intervals and no single latencies: isotherm awr report FILE draws it",
            ),
        });
    }
    None
}

/// The whole numbers of a line, decimal or with `0x`; `None` if anything else is in it.
fn numbers<'l>(fields: impl Iterator<Item = &'l str>) -> Option<Vec<u64>> {
    let number = |field: &str| match field.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => field.parse().ok(),
    };
    fields.map(|field| number(field.trim())).collect()
}

/// The numbers of every line, if all are tables of at least `least` columns.
fn table(lines: &[&str], least: usize) -> Option<Vec<Vec<u64>>> {
    let split = |line: &&str| numbers(line.split(','));
    let rows: Vec<Vec<u64>> = lines.iter().map(split).collect::<Option<_>>()?;
    let width = rows.first()?.len();
    (width >= least && rows.iter().all(|row| row.len() == width)).then_some(rows)
}

/// `requests time iops bytes/s min avg max mdev requests time`, what `ioping -B` prints.
fn ioping_statistics(lines: &[&str]) -> Option<Foreign> {
    let is_row = |line: &&str| {
        let row = numbers(line.split(' '));
        row.is_some_and(|row| match row[..] {
            [count, time, _, _, min, avg, max, _, all, span] => {
                min <= avg && avg <= max && count <= all && time <= span && min > 0
            }
            _ => false,
        })
    };
    let why = "it holds averages, which cannot give a distribution: run ioping without -B";
    lines
        .iter()
        .all(is_row)
        .then_some(Foreign { name: "statistics of ioping (-B)", way: Way::NotYet(why) })
}

/// `msec, value, direction, block size, offset[, priority[, issue time]]`.
fn fio_log(lines: &[&str]) -> Option<Foreign> {
    let rows = table(lines, 4)?;
    let fits = |row: &Vec<u64>| row.len() <= 7 && row[2] <= 3 && row[3].is_multiple_of(512);
    let spaced = lines.iter().all(|line| line.contains(", "));
    if !spaced || !rows.iter().all(fits) {
        return None;
    }
    let way = if rows.iter().all(|row| row[3] == 0) {
        Way::NotYet(
            "its values are averages, not those of single operations: run fio without \
             --log_avg_msec",
        )
    } else {
        let rest = ",-".repeat(rows[0].len() - 3);
        Way::Columns {
            names: format!("end_ms,latency_ns,direction{rest}"),
            remark: "direction: 0 read, 1 write, 2 trim; fio before 2.99 wrote microseconds; only \
                     the logs named lat, clat and slat hold latencies, those named bw and iops do \
                     not",
        }
    };
    Some(Foreign { name: FIO_LOG, way })
}

/// `client transaction latency script second microsecond[ lag][ retries]`; latencies of
/// transactions that failed are words.
fn pgbench_log(lines: &[&str]) -> Option<Foreign> {
    const FAILED: [&str; 4] = ["skipped", "failed", "serialization", "deadlock"];
    let mut width = None;
    for line in lines {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let failed = fields.get(2).is_some_and(|field| FAILED.contains(field));
        let numbers = numbers(
            fields.iter().enumerate().filter(|(index, _)| *index != 2 || !failed).map(|(_, f)| *f),
        )?;
        let at = if failed { 3 } else { 4 };
        let (second, micros) = (*numbers.get(at)?, *numbers.get(at + 1)?);
        let same = *width.get_or_insert(fields.len()) == fields.len();
        if !same || fields.len() > 8 || !is_epoch_second(second) || micros >= 1_000_000 {
            return None;
        }
    }
    let rest = ",-".repeat(width?.saturating_sub(6));
    let way = Way::Columns {
        names: format!("-,-,latency_us,script,end_s,end_us{rest}"),
        remark: "with --rate the latency holds the schedule lag, which is the 7th column",
    };
    Some(Foreign { name: "a transaction log of pgbench (-l)", way })
}

/// `nanosecond,status,latency,...`: what `vegeta encode --to csv` prints.
fn vegeta(lines: &[&str]) -> Option<Foreign> {
    let fits = |line: &&str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
        let status = number(1).is_some_and(|status| status < 600);
        fields.len() >= 10
            && number(0).is_some_and(|at| at >= 1_000_000_000_000_000_000)
            && status
            && number(2).is_some()
    };
    let width = lines.first()?.split(',').count();
    let names = format!("start_ns,status,latency_ns{}", ",-".repeat(width.saturating_sub(3)));
    let way = Way::Columns { names, remark: "" };
    lines.iter().all(fits).then_some(Foreign { name: "results of vegeta as CSV", way })
}
