//! One line for a report: rates, and average latencies from totals.

use schemars::JsonSchema;
use serde::Serialize;

use super::events::{Time, TimeFrom, only};
use super::number::Printed;
use super::read_waits::ReadWaits;
use super::report::{EventLine, IoFunction, Report};

/// What a report comes to.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// Seconds between the snapshots.
    pub elapsed: Option<Printed>,
    /// The time that sessions of users spent in the database, in seconds: working or waiting for
    /// something that is not idle.
    pub db_time: Option<Printed>,
    /// Average active sessions: the same by the time elapsed.
    pub active_sessions: Option<Printed>,
    /// Where the time went, as the report ranks it: five at most.
    pub top_events: Vec<TopEvent>,
    /// Read and write requests per second, never blocks.
    pub io_requests: Option<Rate>,
    /// Read requests per second.
    pub read_requests: Option<Rate>,
    /// Write requests per second.
    pub write_requests: Option<Rate>,
    /// Mebibytes read and written per second.
    pub io_mib: Option<Rate>,
    /// Mebibytes read per second.
    pub read_mib: Option<Rate>,
    /// Mebibytes written per second.
    pub write_mib: Option<Rate>,
    /// Waits for reads by read requests.
    pub read_waits: Option<ReadWaits>,
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

/// An event of the top list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TopEvent {
    /// The event; `DB CPU` and `CPU time` are time on a processor.
    pub event: String,
    /// Its time in seconds.
    pub seconds: Printed,
    /// Its share in percent, as printed: of the database time, in 9i and 10g of all time called.
    pub percent: Option<f64>,
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

/// How many events of the top list are passed on.
const TOP: usize = 5;

/// Where a report prints reads, or writes.
#[derive(Copy, Clone)]
struct Direction {
    requests: &'static str,
    bytes: &'static str,
    requests_load: [&'static str; 1],
    mib_load: [&'static str; 1],
    requests_of: fn(&IoFunction) -> Option<Printed>,
    mib_of: fn(&IoFunction) -> Option<Printed>,
}

const READ: Direction = Direction {
    requests: "physical read total IO requests",
    bytes: "physical read total bytes",
    requests_load: ["Read IO requests"],
    mib_load: ["Read IO (MB)"],
    requests_of: |io| io.reads_per_second,
    mib_of: |io| io.read_mib_per_second,
};

const WRITE: Direction = Direction {
    requests: "physical write total IO requests",
    bytes: "physical write total bytes",
    requests_load: ["Write IO requests"],
    mib_load: ["Write IO (MB)"],
    requests_of: |io| io.writes_per_second,
    mib_of: |io| io.written_mib_per_second,
};

/// An average whose uncertainty is a larger part of it is not given.
const TOO_VAGUE: f64 = 0.5;

impl Report {
    /// What the report comes to.
    pub fn summary(&self) -> Summary {
        let load = |names: &[&[&str]]| self.by_load(names);
        let statistics = |names: &[&str]| self.by_statistics(names);
        let elapsed = self.interval();
        let active = self.db_time.zip(elapsed).map(|(time, elapsed)| time.by(elapsed));
        Summary {
            elapsed,
            db_time: self.db_time,
            active_sessions: active,
            top_events: self.top(),
            io_requests: self.requests(&[READ, WRITE]),
            read_requests: self.requests(&[READ]),
            write_requests: self.requests(&[WRITE]),
            io_mib: self.mib(&[READ, WRITE]),
            read_mib: self.mib(&[READ]),
            write_mib: self.mib(&[WRITE]),
            read_waits: self.read_waits(),
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

    /// The first lines of the top list that have a time.
    fn top(&self) -> Vec<TopEvent> {
        let line = |line: &EventLine| {
            let seconds = line.total?;
            Some(TopEvent { event: line.event.clone(), seconds, percent: line.time_percent })
        };
        self.top_events.iter().filter_map(line).take(TOP).collect()
    }

    /// Requests per second in these directions.
    fn requests(&self, directions: &[Direction]) -> Option<Rate> {
        let names: Vec<&str> = directions.iter().map(|direction| direction.requests).collect();
        let load: Vec<&[&str]> = directions.iter().map(|way| &way.requests_load[..]).collect();
        self.by_statistics(&names)
            .or_else(|| self.by_functions(directions, |direction| direction.requests_of))
            .or_else(|| self.by_load(&load))
    }

    /// Mebibytes per second in these directions.
    fn mib(&self, directions: &[Direction]) -> Option<Rate> {
        let names: Vec<&str> = directions.iter().map(|direction| direction.bytes).collect();
        let load: Vec<&[&str]> = directions.iter().map(|way| &way.mib_load[..]).collect();
        self.by_statistics(&names)
            .map(|rate| Rate { per_second: rate.per_second.times(1.0 / 1_048_576.0), ..rate })
            .or_else(|| self.by_functions(directions, |direction| direction.mib_of))
            .or_else(|| self.by_load(&load))
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
        directions: &[Direction],
        cell: impl Fn(&Direction) -> fn(&IoFunction) -> Option<Printed>,
    ) -> Option<Rate> {
        let functions = &self.activity.io_functions;
        let total = functions.iter().find(|io| io.function.starts_with("TOTAL"))?;
        sum(directions.iter().map(|direction| cell(direction)(total)), "IOStat by Function")
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
