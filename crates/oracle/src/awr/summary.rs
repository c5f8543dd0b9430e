//! One line for a report: rates, and average latencies from totals.

use schemars::JsonSchema;
use serde::Serialize;

use super::events::{Time, TimeFrom, only};
use super::number::Printed;
use super::report::{EventLine, IoFunction, Report};

/// What a report comes to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// Seconds between the snapshots.
    pub elapsed: Option<Printed>,
    /// Read and write requests per second, never blocks.
    pub io_requests: Option<Rate>,
    /// Mebibytes read and written per second.
    pub io_mib: Option<Rate>,
    /// Bytes of redo per second.
    pub redo_bytes: Option<Rate>,
    /// User calls per second.
    pub user_calls: Option<Rate>,
    /// Commits and rollbacks per second.
    pub transactions: Option<Rate>,
    /// Blocks read from memory or disk per second.
    pub logical_reads: Option<Rate>,
    /// Average latencies of the events that storage is judged by.
    pub latencies: Vec<Latency>,
}

/// An amount per second, and what it was computed from.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Rate {
    /// The amount.
    pub per_second: Printed,
    /// The part of the report it comes from.
    pub from: &'static str,
}

/// Whose waits.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaitsOf {
    /// Sessions of users.
    Foreground,
    /// Processes of the instance.
    Background,
    /// Both together, in 10g.
    All,
}

/// The average latency of an event.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Latency {
    /// The event.
    pub event: &'static str,
    /// Whose waits.
    pub of: WaitsOf,
    /// How many.
    pub waits: Option<u64>,
    /// Their average in microseconds; `None` when the report's rounding leaves it too vague.
    pub average_us: Option<Printed>,
    /// What the average was computed from.
    pub from: Option<TimeFrom>,
    /// Why there is no average.
    pub missing: Option<String>,
}

/// The events, and whose waits for them are looked at.
const EVENTS: [(&str, WaitsOf); 4] = [
    ("db file sequential read", WaitsOf::Foreground),
    ("db file parallel write", WaitsOf::Background),
    ("log file parallel write", WaitsOf::Background),
    ("log file sync", WaitsOf::Foreground),
];

/// An average whose uncertainty is a larger part of it is not given.
const TOO_VAGUE: f64 = 0.5;

impl Report {
    /// What the report comes to.
    pub fn summary(&self) -> Summary {
        let load = |names: &[&[&str]]| self.by_load(names);
        let statistics = |names: &[&str]| self.by_statistics(names);
        let requests = |io: &IoFunction| Some((io.reads_per_second?, io.writes_per_second?));
        let data = |io: &IoFunction| Some((io.read_mib_per_second?, io.written_mib_per_second?));
        Summary {
            elapsed: self.interval(),
            io_requests: statistics(&[
                "physical read total IO requests",
                "physical write total IO requests",
            ])
            .or_else(|| self.by_functions(requests))
            .or_else(|| load(&[&["Read IO requests"], &["Write IO requests"]])),
            io_mib: statistics(&["physical read total bytes", "physical write total bytes"])
                .map(|rate| Rate { per_second: rate.per_second.times(1.0 / 1_048_576.0), ..rate })
                .or_else(|| self.by_functions(data))
                .or_else(|| load(&[&["Read IO (MB)"], &["Write IO (MB)"]])),
            redo_bytes: statistics(&["redo size"])
                .or_else(|| load(&[&["Redo size (bytes)", "Redo size"]])),
            user_calls: statistics(&["user calls"]).or_else(|| load(&[&["User calls"]])),
            transactions: statistics(&["user commits", "user rollbacks"])
                .or_else(|| load(&[&["Transactions"]])),
            logical_reads: statistics(&["session logical reads"])
                .or_else(|| load(&[&["Logical read (blocks)", "Logical reads"]])),
            latencies: EVENTS.iter().map(|(event, of)| self.latency(event, *of)).collect(),
        }
    }

    /// Seconds between the snapshots: as printed, else from their times, which are to the second.
    pub fn interval(&self) -> Option<Printed> {
        let printed = self.elapsed.filter(|elapsed| elapsed.value > 0.0);
        printed.or_else(|| {
            let (begin, end) = (self.begin.time.local?, self.end.time.local?);
            let seconds = end.duration_since(begin).as_secs();
            (seconds > 0).then_some(Printed { value: seconds as f64, half: 1.0 })
        })
    }

    /// The sum of statistics per second: their totals by the time elapsed, or as printed where
    /// that is closer. `None` unless all of them are there.
    pub fn by_statistics(&self, names: &[&str]) -> Option<Rate> {
        let elapsed = self.interval();
        let rate = |name: &&str| {
            let statistic = self.statistic(name)?;
            let computed = elapsed.map(|elapsed| {
                let value = statistic.total as f64 / elapsed.value;
                let half = value * elapsed.relative() + statistic.total_half / elapsed.value;
                Printed { value, half }
            });
            let candidates = computed.into_iter().chain(statistic.per_second);
            candidates.min_by(|one, two| one.half.total_cmp(&two.half))
        };
        sum(names.iter().map(rate), "instance activity")
    }

    fn by_functions(
        &self,
        pair: impl Fn(&IoFunction) -> Option<(Printed, Printed)>,
    ) -> Option<Rate> {
        let functions = &self.activity.io_functions;
        let total = functions.iter().find(|io| io.function.starts_with("TOTAL"))?;
        let (read, written) = pair(total)?;
        Some(Rate { per_second: read.plus(written), from: "IOStat by Function" })
    }

    /// The sum of lines of the load profile, each under one of its names.
    fn by_load(&self, names: &[&[&str]]) -> Option<Rate> {
        sum(names.iter().map(|names| self.load(names)?.per_second), "load profile")
    }

    /// The average latency of an event from its total, or from its average where that is printed
    /// more closely.
    pub fn latency(&self, event: &'static str, of: WaitsOf) -> Latency {
        let (lines, of, table) = match of {
            _ if self.events.foreground.is_empty() && !self.events.all.is_empty() => {
                (&self.events.all, WaitsOf::All, "Wait Events")
            }
            WaitsOf::Background => (&self.events.background, of, "Background Wait Events"),
            WaitsOf::Foreground | WaitsOf::All => {
                (&self.events.foreground, of, "Foreground Wait Events")
            }
        };
        let top = (of != WaitsOf::Background).then(|| only(&self.top_events, event)).flatten();
        let found = only(lines, event).into_iter().chain(top);
        let time = found
            .filter_map(EventLine::time)
            .min_by(|one, two| one.total.half.total_cmp(&two.total.half));
        if let Some(time) = time {
            return average(event, of, time);
        }
        let missing = Some(if lines.is_empty() {
            format!("the report has no table '{table}'")
        } else {
            format!("'{table}' does not list it")
        });
        Latency { event, of, waits: None, average_us: None, from: None, missing }
    }
}

fn average(event: &'static str, of: WaitsOf, time: Time) -> Latency {
    let waits = Some(time.waits);
    let average = time.total.times(1e6 / time.waits as f64);
    if average.relative() <= TOO_VAGUE {
        let from = Some(time.from);
        return Latency { event, of, waits, average_us: Some(average), from, missing: None };
    }
    let (_, most) = average.range();
    let missing = format!(
        "the report prints {} s for {} waits, rounded: the average is below {most:.0} us",
        time.total.value, time.waits
    );
    Latency { event, of, waits, average_us: None, from: None, missing: Some(missing) }
}

/// The sum of all, if all are known.
fn sum(parts: impl Iterator<Item = Option<Printed>>, from: &'static str) -> Option<Rate> {
    let sum = parts.reduce(|one, two| Some(one?.plus(two?)))??;
    Some(Rate { per_second: sum, from })
}
