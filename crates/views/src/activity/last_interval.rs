//! The rates of reads and writes that a database measured itself, as a table and as JSON.

use std::cmp::Ordering;
use std::io::{self, Write};

use isotherm_frame::numbers::{megabytes, quantity, rate};
use isotherm_frame::{IoMetric, IoMetrics, IoRate, Nanos, shown_name, visible};
use jiff::civil::DateTime;
use schemars::JsonSchema;
use serde::Serialize;

use crate::grid::cut;
use crate::narration::two_digits;

/// Reads and writes by function in the last interval that the database measured itself, usually a minute.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LastInterval {
    /// The clock of the database when it was asked, such as `2026-03-01T12:01:23`: local time of its host,
    /// without a zone; null where the rates could not be read.
    pub database_time: Option<String>,
    /// The interval of each instance, and what it has of each function.
    pub intervals: Vec<MeasuredInterval>,
    /// Why there are no rates; null where there are.
    pub missing: Option<String>,
}

/// An interval that one instance measured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MeasuredInterval {
    /// The instance.
    pub instance: String,
    /// When it began, local time of the database host, without a zone.
    pub begin: String,
    /// When it ended, local time of the database host, without a zone.
    pub end: String,
    /// How long it was, microseconds, as the database says.
    pub length_us: u64,
    /// All functions, the most megabytes first.
    pub functions: Vec<FunctionRates>,
}

/// What I/O was for, with its rates as the database states them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FunctionRates {
    /// The function.
    pub name: String,
    /// Reads of single blocks.
    pub small_reads: OperationRate,
    /// Reads of many blocks at once.
    pub large_reads: OperationRate,
    /// Writes of single blocks.
    pub small_writes: OperationRate,
    /// Writes of many blocks at once.
    pub large_writes: OperationRate,
    /// The mean wait, milliseconds; null where the database states none.
    pub mean_wait_ms: Option<f64>,
}

/// Operations of one size and direction.
#[derive(Copy, Clone, Debug, Serialize, JsonSchema)]
pub struct OperationRate {
    /// Operations per second; null where the database states none.
    pub operations_per_second: Option<f64>,
    /// Megabytes per second; null where the database states none. Oracle does not document whether its megabytes
    /// are of 10^6 or of 2^20 bytes.
    pub megabytes_per_second: Option<f64>,
}

/// Intervals of this length, in whole seconds, are called a minute.
const MINUTE_S: std::ops::RangeInclusive<u64> = 55..=65;

impl LastInterval {
    /// What a database measured, or why that is not known.
    pub fn new(read: Result<IoMetrics, String>) -> LastInterval {
        match read {
            Ok(metrics) => LastInterval {
                database_time: Some(metrics.now.to_string()),
                intervals: intervals(metrics.metrics),
                missing: None,
            },
            Err(why) => {
                LastInterval { database_time: None, intervals: Vec::new(), missing: Some(why) }
            }
        }
    }

    /// Writes a table of at most `top` rows, `width` characters wide. Fails only when `out` does.
    pub fn write_text(&self, width: usize, top: usize, out: &mut dyn Write) -> io::Result<()> {
        if let Some(why) = &self.missing {
            return writeln!(out, "⚠ no rates of the last minute: {}", visible(why));
        }
        let is_minute = |one: &MeasuredInterval| MINUTE_S.contains(&(one.length_us / 1_000_000));
        let minute = if self.intervals.iter().all(is_minute) { "minute" } else { "interval" };
        writeln!(
            out,
            "The last {minute}, as the database measured it (GV$IOFUNCMETRIC, local time of its host):"
        )?;
        for interval in &self.intervals {
            writeln!(out, "  {}", self.interval_line(interval))?;
        }
        writeln!(out, "Oracle does not document whether its MB are 10^6 or 2^20 bytes.")?;
        writeln!(out)?;
        self.table(width.max(40), top, out)
    }

    /// `instance 1: 2026-03-01 12:00:01 to 12:01:01 (60s), ended 22s ago`
    fn interval_line(&self, interval: &MeasuredInterval) -> String {
        let (begin, end) = (interval.begin.replace('T', " "), interval.end.replace('T', " "));
        let same_day = begin.split(' ').next() == end.split(' ').next();
        let end = if same_day { end.rsplit(' ').next().unwrap_or_default() } else { &end };
        let length = two_digits(Nanos::from_micros(interval.length_us));
        let ago = self.seconds_since(&interval.end);
        let ago = ago.map(|seconds| format!(", ended {} ago", two_digits(seconds)));
        let instance = &interval.instance;
        let line =
            format!("instance {instance}: {begin} to {end} ({length}){}", ago.unwrap_or_default());
        visible(&line).into_owned()
    }

    /// How long ago this was; nothing where the clocks of a cluster differ so much that it is to come.
    fn seconds_since(&self, end: &str) -> Option<Nanos> {
        let now: DateTime = self.database_time.as_deref()?.parse().ok()?;
        let ago = now.duration_since(end.parse().ok()?);
        Some(Nanos::new(u64::try_from(ago.as_nanos()).ok()?))
    }

    fn table(&self, width: usize, top: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut rows: Vec<(&str, &FunctionRates)> = Vec::new();
        for interval in &self.intervals {
            let busy = interval.functions.iter().filter(|one| one.is_busy());
            rows.extend(busy.map(|one| (interval.instance.as_str(), one)));
        }
        rows.sort_by(|(_, one), (_, other)| one.by_size(other));
        // As wide as the columns of the tables above, so that both can be read side by side.
        let names = ["small reads", "large reads", "small writes", "large writes"];
        let head = names.map(|name| format!("{name:>20}/s")).concat();
        writeln!(out, "       {head}{:>11}  function", "mean wait")?;
        for (instance, one) in rows.iter().take(top) {
            let name = shown_name(&one.name);
            let line = format!("       {}  {}: {name}", one.cells(), visible(instance));
            writeln!(out, "{}", cut(&line, width))?;
        }
        if rows.is_empty() {
            writeln!(out, "      -  no function has a rate above 0")?;
        }
        let left = rows.len().saturating_sub(top);
        if left > 0 { writeln!(out, "         {left} more") } else { Ok(()) }
    }
}

/// The functions of each interval of each instance.
fn intervals(mut metrics: Vec<IoMetric>) -> Vec<MeasuredInterval> {
    let number = |instance: &str| instance.parse::<u64>().unwrap_or(u64::MAX);
    metrics.sort_by(|one, other| {
        let key = |metric: &IoMetric| (number(&metric.instance), metric.interval.clone());
        key(one).cmp(&key(other))
    });
    let same = |one: &IoMetric, other: &IoMetric| {
        (&one.instance, &one.interval, one.length)
            == (&other.instance, &other.interval, other.length)
    };
    let of = |group: &[IoMetric]| {
        let first = group.first()?;
        let mut functions: Vec<FunctionRates> = group.iter().map(FunctionRates::from).collect();
        functions.sort_by(FunctionRates::by_size);
        Some(MeasuredInterval {
            instance: first.instance.to_string(),
            begin: first.interval.0.to_string(),
            end: first.interval.1.to_string(),
            length_us: first.length.as_nanos() / 1_000,
            functions,
        })
    };
    metrics.chunk_by(same).filter_map(of).collect()
}

impl From<&IoMetric> for FunctionRates {
    fn from(metric: &IoMetric) -> FunctionRates {
        let rate = |rate: IoRate| OperationRate {
            operations_per_second: rate.operations,
            megabytes_per_second: rate.megabytes,
        };
        FunctionRates {
            name: metric.name.to_string(),
            small_reads: rate(metric.small_reads),
            large_reads: rate(metric.large_reads),
            small_writes: rate(metric.small_writes),
            large_writes: rate(metric.large_writes),
            mean_wait_ms: metric.mean_wait_ms,
        }
    }
}

impl FunctionRates {
    fn sizes(&self) -> [OperationRate; 4] {
        [self.small_reads, self.large_reads, self.small_writes, self.large_writes]
    }

    /// Megabytes and operations per second of all sizes and directions.
    fn total(&self) -> (f64, f64) {
        let megabytes = self.sizes().into_iter().filter_map(|one| one.megabytes_per_second);
        let operations = self.sizes().into_iter().filter_map(|one| one.operations_per_second);
        (megabytes.sum(), operations.sum())
    }

    fn is_busy(&self) -> bool {
        let (megabytes, operations) = self.total();
        megabytes > 0.0 || operations > 0.0
    }

    /// The most megabytes first, then the most operations.
    fn by_size(&self, other: &FunctionRates) -> Ordering {
        let (one, two) = (self.total(), other.total());
        let by_operations = two.1.total_cmp(&one.1);
        two.0.total_cmp(&one.0).then(by_operations).then_with(|| self.name.cmp(&other.name))
    }

    fn cells(&self) -> String {
        let wait = self.mean_wait_ms.map_or_else(|| "-".to_owned(), milliseconds);
        let cells: Vec<String> = self.sizes().into_iter().map(OperationRate::cell).collect();
        format!("{}{wait:>11}", cells.concat())
    }
}

impl OperationRate {
    fn cell(self) -> String {
        if (self.operations_per_second, self.megabytes_per_second) == (None, None) {
            return format!("{:>22}", "-");
        }
        let operations = self.operations_per_second.map_or_else(|| "-".to_owned(), quantity);
        let moved = |mb: f64| format!("{} MB/s", if mb < 1.0 { rate(mb) } else { megabytes(mb) });
        let moved = self.megabytes_per_second.map_or_else(|| "-".to_owned(), moved);
        format!("{operations:>9} {moved:>12}")
    }
}

/// `5.3ms`; of nothing it is `0ms`: how the database rounds is not documented.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounded to nanoseconds, shown with two digits"
)]
fn milliseconds(ms: f64) -> String {
    if ms > 0.0 { two_digits(Nanos::new((ms * 1e6).round() as u64)) } else { "0ms".to_owned() }
}
