//! The options that say how to read an input.

use std::num::NonZeroUsize;

use clap::Args;
use isotherm_formats::Only;
use isotherm_frame::{Nanos, Unit};
use isotherm_pipeline::MemoryBudget;

use crate::choices::TemporalityChoice;
use crate::memory;
use crate::oracle_args::OracleArgs;

/// How to read the input.
#[derive(Args, Debug, Clone, Default)]
pub struct InputArgs {
    /// Read the input as this source instead of recognising it (see `isotherm sources`)
    #[arg(long = "as", value_name = "SOURCE")]
    pub as_source: Option<String>,
    /// The columns of a text: latency; start, end or time (the end) of the event; - to skip; any
    /// other name becomes an attribute. Of log lines their fields: `latency_ms=dur,time=ts,path`
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', allow_hyphen_values = true)]
    pub columns: Option<Vec<String>>,
    /// The unit of latencies where the input does not say: ns, us, ms, cs (hundredths of a second,
    /// as Oracle counted up to 8i) or s
    #[arg(long)]
    pub unit: Option<Unit>,
    /// The unit of the time column where it cannot be guessed: ns, us, ms or s
    #[arg(long)]
    pub time_unit: Option<Unit>,
    /// Whether printed counts are totals since the start, or counts of one interval
    #[arg(long, value_enum)]
    pub temporality: Option<TemporalityChoice>,
    /// Length of an interval
    #[arg(short, long, value_name = "TIME", value_parser = crate::amounts::time)]
    pub interval: Option<Nanos>,
    /// Group by these attributes: one series for each value (of SQL traces: event, sql, file, object,
    /// depth, module, action, session, p1, ...)
    #[arg(long, value_name = "ATTRIBUTE,...", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Only events with this value of an attribute, or with != all others; * and % stand for any text,
    /// as in 'event=db file*' or 'event!=log file sync'
    #[arg(long = "where", value_name = "ATTRIBUTE=VALUE", value_parser = condition)]
    pub only: Vec<Only>,
    /// The zone of times that are written without one, such as Europe/Zurich or +02:00
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    pub zone: Option<jiff::tz::TimeZone>,
    /// Memory for what is read; when it is full, intervals are joined to longer ones, and a live view
    /// drops the oldest
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = memory::parse)]
    pub memory: MemoryBudget,
    /// Read the input with this many threads; as many as there are processors if not given
    #[arg(long = "read-threads", alias = "threads", value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// Exit with 4 if anything could not be read
    #[arg(long)]
    pub strict: bool,
    /// Read a file as often as it is named, and a compressed copy beside its original; do not warn of other copies
    #[arg(long)]
    pub again: bool,
    #[command(flatten)]
    pub oracle: OracleArgs,
    /// What `--series` of the command says: some formats hold several durations, of which it chooses one.
    #[arg(skip)]
    pub series: Option<String>,
}

/// Reads `name=value` or `name!=value`.
pub fn condition(text: &str) -> Result<Only, String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("must be ATTRIBUTE=VALUE or ATTRIBUTE!=VALUE, as in event=log*")?;
    let (name, other) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
    Ok(Only { attribute: name.trim().to_owned(), pattern: value.to_owned(), other })
}

/// Reads a number of threads.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    const MOST: usize = 256;
    let wanted = text.parse().ok().filter(|threads: &NonZeroUsize| threads.get() <= MOST);
    wanted.ok_or_else(|| format!("must be a whole number from 1 to {MOST}, such as 4"))
}

/// Reads the name of a time zone or an offset from UTC.
pub fn zone(text: &str) -> Result<jiff::tz::TimeZone, String> {
    jiff::fmt::temporal::DateTimeParser::new()
        .parse_time_zone(text)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_ask_for_a_value_or_for_others() {
        let only = |attribute: &str, pattern: &str, other| Only {
            attribute: attribute.to_owned(),
            pattern: pattern.to_owned(),
            other,
        };
        assert_eq!(condition("event=db file*"), Ok(only("event", "db file*", false)));
        assert_eq!(condition("event!=log file sync"), Ok(only("event", "log file sync", true)));
        assert_eq!(condition(" file# != 7").unwrap().attribute, "file#");
        // A value may have any signs in it.
        assert_eq!(condition("p1==!=x").unwrap().pattern, "=!=x");
        assert!(condition("event").is_err());
    }

    #[test]
    fn threads_are_at_least_one() {
        assert_eq!(threads("4").map(NonZeroUsize::get), Ok(4));
        for wrong in ["0", "-1", "many", "257"] {
            assert!(threads(wrong).unwrap_err().contains("from 1 to 256"), "{wrong}");
        }
    }
}
