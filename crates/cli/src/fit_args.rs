//! The command line of `isotherm fit`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use isotherm_analysis::Threshold;
use isotherm_frame::TypedError;
use isotherm_frame::typed::{self, Condition};
use isotherm_queueing::{Amount, Change, Model};

use crate::choices::StatsFormat;
use crate::fit_point::PointArg;
use crate::range_args::RangeArgs;

/// Below the help of `fit`.
pub const EXAMPLES: &str = "Examples:
  isotherm fit sweep/                           service time, servers, knee, of every model
  isotherm fit sweep/ --latency-limit 'p99<5ms' the largest load that keeps it
  isotherm fit sweep/ -o fit.html               the same with charts, for somebody else
  isotherm fit points.csv --model usl,bound     a table of points; only these models
  isotherm fit day.heat --series read             the intervals of a recording, by their load
  isotherm fit awr.*.html --series 'log file sync'    waits of AWR reports against their own average
  isotherm fit t.csv --columns n=USERS,x=TPS    these columns of a table with many
  isotherm fit points.csv --service-time x0.67 --arrival x1.5 --servers +2
  isotherm fit rates.csv --at 5000 --service-time 0.8ms   before and after, at 5,000 a second
  isotherm fit sweep/ --loads 1..64             only these loads
  isotherm fit --point rate=5000/s,service=0.8ms,response=1.9ms   servers by one observation
  isotherm fit --point rate=5000/s,service=0.8ms,queue=1.1ms --arrival x1.2 -o point.html
  isotherm fit --example commit-batch -o example.html    OraPub's published example, computed again

INPUT is the directory of a sweep, its runs.jsonl, a recording, AWR reports, or a table with named
columns: the number in flight (n, workers, in_flight, sessions) with throughput (x, iops, tps) or
response time (response_ms, latency_us); or arrivals (l, arrival_rate) with response time or with
service and queue time (s_ms, q_ms). The CSV of sweep and analyze is recognised. - reads a table
from standard input. The columns in use are printed; --columns chooses others.

Models of a fixed number in flight (closed): bound, servers, usl2, usl, mva, linear, and on request
mva-c. Models of arrivals at a rate (open): orapub-cpu, orapub-io, mmc, md1, ggc, delay-mm1. Those of
the sweep's own kind are fitted; one of the other kind only where --model names it.

A change is xFACTOR, +MORE, -LESS or the new value: x0.67, +2, 0.8ms, 5000.";

/// `fit`
#[derive(Args, Debug)]
#[command(mut_arg("from", |from| from.help(crate::range_args::FROM_EITHER)))]
pub struct FitArgs {
    /// The directory of a sweep, its run table, a table of points (- for standard input), a recording,
    /// or AWR reports
    #[arg(value_name = "INPUT", required_unless_present_any = ["example", "point"])]
    pub input: Vec<PathBuf>,
    /// Use these columns of a table, each by its heading: n=SESSIONS,x=IOPS or
    /// `arrivals=IOPS,response_us=LATENCY`
    #[arg(long, value_name = "NAME=HEADING,...", value_delimiter = ',')]
    pub columns: Vec<NamedColumn>,
    /// Fit only these models
    #[arg(long, value_name = "MODEL,...", value_delimiter = ',', value_parser = model)]
    pub model: Vec<Model>,
    /// The highest acceptable latency: finds the largest load that keeps it, such as p99<5ms or mean<2ms
    #[arg(long, alias = "limit", value_name = "CONDITION", value_parser = limit)]
    pub latency_limit: Option<Threshold>,
    /// Exit with 99 if this holds (for the latencies measured at any load that is fitted): p99>20ms,
    /// mean>1ms, max>1s, rate<10k; may be repeated
    #[arg(long, value_name = "CONDITION", conflicts_with = "example",
          value_parser = crate::threshold_args::of_load)]
    pub fail_if: Vec<Threshold>,
    /// What if: the service time changes: x0.67, 0.8ms
    #[arg(long, value_name = "CHANGE", allow_hyphen_values = true)]
    pub service_time: Option<TimeChange>,
    /// What if: more or fewer operations arrive, or are in flight: x1.5, +100, 5000
    #[arg(long, alias = "in-flight", value_name = "CHANGE", allow_hyphen_values = true)]
    pub arrival: Option<NumberChange>,
    /// What if: there are more or fewer servers: +2, x2, 8
    #[arg(long, value_name = "CHANGE", allow_hyphen_values = true)]
    pub servers: Option<NumberChange>,
    /// The load at which to answer what-if questions; the largest measured load if not given. One load that
    /// is solved (--point, a table of one load) answers there without a question, too
    #[arg(long, alias = "at", value_name = "LOAD", value_parser = positive)]
    pub at_load: Option<f64>,
    /// Use only points with these loads; either end may be left out
    #[arg(long, value_name = "FROM..TO")]
    pub loads: Option<LoadRange>,
    #[command(flatten)]
    pub stretch: RangeArgs,
    /// Only series with this text in their name or attributes: runs of a sweep that varies more than
    /// the load, one series of a recording, one wait event of AWR reports
    #[arg(long, alias = "only", value_name = "TEXT")]
    pub series: Option<String>,
    /// Solve one observation for its effective servers, instead of reading an input: its rate of
    /// arrivals, and two of service, queue and response; repeated for repeats of one load
    #[arg(long, value_name = "NAME=VALUE,...", conflicts_with_all = ["input", "example", "fail_if"])]
    pub point: Vec<PointArg>,
    /// Compute a published example again, instead of reading an input
    #[arg(long, value_enum, conflicts_with = "input")]
    pub example: Option<ExampleArg>,
    /// Seed of random numbers: the same seed gives the same intervals
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// The form of the output: tables and charts for people, JSON for programs
    #[arg(long, value_enum, default_value = "table")]
    pub format: StatsFormat,
    /// Write a file instead: .html, .svg, .md, .json or .csv; - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file (one that is no report)
    #[arg(long)]
    pub force: bool,
    /// Exit with 4 if anything could not be read, such as a row of points or a run
    #[arg(long)]
    pub strict: bool,
    /// Width in characters; the terminal's if not given; at most 2000
    #[arg(long, value_name = "CHARS", value_parser = crate::screen::width_arg)]
    pub width: Option<usize>,
    #[command(flatten)]
    pub screen: crate::screen_args::ScreenArgs,
}

impl FitArgs {
    /// The change that is asked about.
    pub fn change(&self) -> Change {
        Change {
            service: self.service_time.map(|change| change.0),
            load: self.arrival.map(|change| change.0),
            servers: self.servers.map(|change| change.0),
        }
    }
}

/// Published examples.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleArg {
    /// OraPub's commit batches
    CommitBatch,
}

/// A column of a table that the user names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedColumn {
    /// What it holds, as a heading would say it: `n`, `x`, `response_us`.
    pub role: String,
    /// Its heading.
    pub heading: String,
}

impl FromStr for NamedColumn {
    type Err = String;

    fn from_str(text: &str) -> Result<NamedColumn, String> {
        let (role, heading) = text
            .split_once('=')
            .ok_or_else(|| format!("'{text}' is no NAME=HEADING, such as n=SESSIONS"))?;
        Ok(NamedColumn { role: role.trim().to_owned(), heading: heading.trim().to_owned() })
    }
}

/// A change of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberChange(pub Amount);

/// A change of a time; in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeChange(pub Amount);

/// Loads from one to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadRange(pub f64, pub f64);

fn model(text: &str) -> Result<Model, String> {
    Model::named(text.trim()).ok_or_else(|| {
        let names = Model::ALL.map(Model::name).join(", ");
        format!("there is no such model; there are {names}")
    })
}

/// A condition on latency that is to be kept.
pub fn limit(text: &str) -> Result<Threshold, TypedError> {
    let condition: Condition = text.parse()?;
    let examples = ["p99<5ms", "mean<=2ms"];
    if condition.above {
        return Err(condition.refuse("a limit is something that is kept, with <", examples));
    }
    let refused = condition.refuse("only latencies have a limit here", examples);
    let threshold = Threshold::try_from(condition)?;
    if threshold.is_of_latency() { Ok(threshold) } else { Err(refused) }
}

fn positive(text: &str) -> Result<f64, String> {
    let number = typed::rate(text).map_err(|error| error.to_string())?;
    if number > 0.0 { Ok(number) } else { Err(format!("'{text}' is not above zero")) }
}

/// A change whose plain values are read by `value`.
fn change(text: &str, value: &dyn Fn(&str) -> Result<f64, String>) -> Result<Amount, String> {
    let text = text.trim();
    let times = text.strip_prefix('*').map(|factor| format!("x{factor}"));
    let times = times.unwrap_or_else(|| text.to_owned());
    if times.starts_with(['x', '×']) || times.ends_with(['x', '×']) {
        return typed::factor(&times).map(Amount::Times).map_err(|error| error.to_string());
    }
    if let Some(more) = text.strip_prefix('+') {
        return value(more).map(Amount::Plus);
    }
    if let Some(less) = text.strip_prefix(['-', '−']) {
        return value(less).map(|less| Amount::Plus(-less));
    }
    value(text.strip_prefix('=').unwrap_or(text)).map(Amount::To)
}

impl FromStr for NumberChange {
    type Err = String;

    fn from_str(text: &str) -> Result<NumberChange, String> {
        change(text, &positive).map(NumberChange).map_err(|error| format!("{error}; {CHANGES}"))
    }
}

const CHANGES: &str = "a change is xFACTOR, +MORE, -LESS or the new value";

impl FromStr for TimeChange {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeChange, String> {
        let time = |text: &str| {
            let time = typed::duration(text).map_err(|error| error.to_string())?;
            Ok(time.as_secs_f64())
        };
        change(text, &time).map(TimeChange).map_err(|error| format!("{error}; {CHANGES}"))
    }
}

impl FromStr for LoadRange {
    type Err = String;

    fn from_str(text: &str) -> Result<LoadRange, String> {
        let (from, to) = text
            .split_once("..")
            .ok_or_else(|| format!("'{text}' is no FROM..TO, such as 1..64"))?;
        let end = |text: &str, open: f64| if text.is_empty() { Ok(open) } else { positive(text) };
        let (from, to) = (end(from, 0.0)?, end(to, f64::INFINITY)?);
        if from < to { Ok(LoadRange(from, to)) } else { Err(format!("'{text}' is empty")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_as_people_write_them() {
        let number = |text: &str| text.parse::<NumberChange>().map(|change| change.0);
        assert_eq!(number("x1.5"), Ok(Amount::Times(1.5)));
        assert_eq!(number("1.5x"), Ok(Amount::Times(1.5)));
        assert_eq!(number("+2"), Ok(Amount::Plus(2.0)));
        assert_eq!(number("-2"), Ok(Amount::Plus(-2.0)));
        assert_eq!(number("5k"), Ok(Amount::To(5_000.0)));
        for text in ["", "x", "x0", "+", "many", "x-1", "inf"] {
            assert!(number(text).unwrap_err().contains("xFACTOR"), "{text}");
        }
        let time = |text: &str| text.parse::<TimeChange>().map(|change| change.0);
        assert_eq!(time("x0.67"), Ok(Amount::Times(0.67)));
        assert_eq!(time("800us"), Ok(Amount::To(0.0008)));
        assert!(time("5").is_err(), "a time needs a unit");
    }

    #[test]
    fn ranges_may_be_open() {
        let read = |text: &str| text.parse::<LoadRange>();
        assert_eq!(read("1..64"), Ok(LoadRange(1.0, 64.0)));
        assert_eq!(read("..64"), Ok(LoadRange(0.0, 64.0)));
        assert_eq!(read("8.."), Ok(LoadRange(8.0, f64::INFINITY)));
        assert!(read("64..1").is_err() && read("8").is_err() && read("a..b").is_err());
    }

    #[test]
    fn a_limit_is_something_that_is_kept() {
        assert!(limit("p99<5ms").is_ok());
        assert!(limit("p99>5ms").unwrap_err().to_string().contains("p99<5ms"));
        assert!(limit("p99").is_err() && limit("rate<5").is_err());
    }
}
