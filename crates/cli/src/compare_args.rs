//! The options of `compare`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use isotherm_analysis::{RelativeThreshold, Threshold};
use isotherm_frame::TypedError;
use isotherm_frame::typed::{self, Limit};

use crate::choices::StatsFormat;
use crate::input_args::InputArgs;
use crate::range_args::RangeArgs;

/// Below the help of `compare`.
pub const EXAMPLES: &str = "Examples:
  isotherm compare before.heat after.heat
  isotherm compare before.heat after.heat --fail-if 'p99>1.2x' --fail-if 'p99>50ms'
  isotherm compare run.heat --a ..10m --b 10m..       two stretches of one recording
  isotherm compare run.heat --a 'backup start..backup end' --b 'backup end..'
  isotherm compare mon.heat tue.heat --from 09:00 --to 12:00
  isotherm compare mon.heat tue.heat --align clock    the same times of two days
  isotherm compare a.heat b.heat --align 'deploy v2'  from a mark of both
  isotherm compare a.heat b.heat --series read --format json
  isotherm compare a.heat b.heat -o difference.html   both and their comparison in one page
  isotherm compare a.heat b.heat -o comment.md        the same in Markdown, for a pull request
  isotherm compare a.heat b.heat --fail-if 'p99>1.2x' -o junit.xml   for continuous integration

A stretch is FROM..TO, either left out for the start or the end: a length of time from the start
(10m), a time of day (05:00) or a date and time, both in UTC, or the text of a mark.

--fail-if takes factors of B over A (p50, p90, p99, p99.9, mean, max, rate, waited: p99>1.2x,
rate<0.9x) and absolute limits of B as in `stats` (p99>20ms). A factor fails with exit code 99 when
its whole 95 % interval is beyond the limit, and also when the limit lies within the interval: then
the runs are too short or too noisy to decide (UNSURE). Record longer runs, or use
--pass-when-unsure. Absolute limits fail, as in `stats`, also when the buckets are too coarse to rule
them out. When only one side has a series, its rate and waited count as zero on the other side;
other factors are UNSURE and fail.";

/// The help of `--from`, which is about two inputs.
const FROM: &str = "Begin here (both A and B): a time of day or a date and time, both in UTC, a length of \
    time from the start of each (10m), or one before its end (-10m); --a and --b choose a part of one";

/// `compare`
#[derive(Args, Debug)]
#[command(mut_arg("from", |from| from.help(FROM).conflicts_with_all(["a", "b"])))]
#[command(mut_arg("to", |to| to.help("End here (both A and B)").conflicts_with_all(["a", "b"])))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct CompareArgs {
    /// A, before: a recording, a file that can be read, or a directory of them
    #[arg(value_name = "A")]
    pub before: String,
    /// B, after; another stretch of A if not given
    #[arg(value_name = "B")]
    pub after: Option<String>,
    /// The stretch of A to compare
    #[arg(long, value_name = "FROM..TO")]
    pub a: Option<String>,
    /// The stretch of B to compare
    #[arg(long, value_name = "FROM..TO")]
    pub b: Option<String>,
    #[command(flatten)]
    pub stretch: RangeArgs,
    /// How to line up A and B: by their starts, by the clock, or by a mark with this text in both
    #[arg(long, value_name = "start|clock|MARK", default_value = "start")]
    pub align: String,
    /// Only series with this text in their name or attributes
    #[arg(long, value_name = "TEXT")]
    pub series: Option<String>,
    /// Compare each series separately, not all of one name together
    #[arg(long)]
    pub each: bool,
    /// Exit with 99 if this holds (for any kind of event, or if there is no event to compare), such as
    /// p99>1.2x, rate<0.9x, p99>20ms
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Condition>,
    /// Exit with 0 when the runs are too short or too noisy to decide about a factor
    #[arg(long)]
    pub pass_when_unsure: bool,
    /// The form of the output: a picture for people, JSON for programs
    #[arg(long, value_enum, default_value = "table")]
    pub format: StatsFormat,
    /// Print a description in plain words (the findings, and nothing else)
    #[arg(long, conflicts_with = "format")]
    pub describe: bool,
    /// Write to this file: a page with both recordings (.html), Markdown for a pull request (.md), or
    /// test results of --fail-if for continuous integration (.xml); - for a page on standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print only errors on standard error, and the verdict alone on standard output
    #[arg(short, long, conflicts_with_all = ["format", "describe"])]
    pub quiet: bool,
    /// The largest file to write, such as 900k or 2M
    #[arg(long, value_name = "BYTES", default_value = "900k", value_parser = crate::amounts::bytes)]
    pub max_size: u64,
    /// Overwrite an existing file (one that is no report)
    #[arg(long)]
    pub force: bool,
    /// The map to draw
    #[arg(long, value_enum, default_value = "frequency")]
    pub map: MapArg,
    /// Width in characters; the terminal's if not given; at most 2000
    #[arg(long, value_name = "CHARS", value_parser = crate::screen::width_arg)]
    pub width: Option<usize>,
    /// Height in lines; the terminal's if not given; at most 1000
    #[arg(long, value_name = "LINES", value_parser = crate::screen::height_arg)]
    pub height: Option<usize>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub screen: crate::screen_args::ScreenArgs,
}

/// Which map.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapArg {
    /// Events per second
    Frequency,
    /// Seconds waited per second
    Intensity,
}

/// What makes a comparison fail.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// A factor of B over A.
    Factor(RelativeThreshold),
    /// A limit of B alone.
    Limit(Threshold),
}

impl FromStr for Condition {
    type Err = TypedError;

    fn from_str(text: &str) -> Result<Condition, TypedError> {
        let condition = text.parse::<typed::Condition>();
        let condition = condition.map_err(|error| error.with_units(["x", "ms"]))?;
        match (condition.limit, condition.measure) {
            (Limit::Factor(_), _) => condition.try_into().map(Condition::Factor),
            // Shares of a side say nothing of what differs.
            (Limit::Share(_), _) => {
                Err(condition.refuse("shares are not compared", ["p99>1.2x", "p99>20ms"]))
            }
            _ => condition.try_into().map(Condition::Limit),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Factor(factor) => factor.fmt(f),
            Condition::Limit(limit) => limit.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_a_factor_or_a_limit() {
        let read = |text: &str| text.parse::<Condition>();
        assert!(matches!(read("p99>1.2x"), Ok(Condition::Factor(_))));
        assert!(matches!(read("rate<0.9x"), Ok(Condition::Factor(_))));
        assert!(matches!(read("p99>20ms"), Ok(Condition::Limit(_))));
        assert!(matches!(read("rate<10/s"), Ok(Condition::Limit(_))));
        for (text, part) in [
            ("p98>1.2x", "there are p50, p90, p99"),
            ("p99>often", "'often' does not begin with a number"),
            ("p99", "no comparison"),
            ("p99>1.2", "add a unit, such as p99>1.2x or p99>1.2ms"),
            ("waited>5%", "shares are not compared"),
        ] {
            let said = read(text).unwrap_err().to_string();
            assert!(said.contains(part) && said.contains(text), "{said}");
        }
    }
}
