//! The options that say how to read an input.

use clap::Args;
use isotherm_frame::{Nanos, Unit};

use crate::choices::TemporalityChoice;
use crate::oracle_args::OracleArgs;

/// How to read the input.
#[derive(Args, Debug, Clone, Default)]
pub struct InputArgs {
    /// Read the input as this source instead of recognising it (see `isotherm sources`)
    #[arg(long = "as", value_name = "SOURCE")]
    pub as_source: Option<String>,
    /// The columns of a text: latency; start, end or time (the end) of the event; - to skip; any
    /// other name becomes an attribute
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub columns: Option<Vec<String>>,
    /// The unit of latencies where the input does not say: ns, us, ms or s
    #[arg(long)]
    pub unit: Option<Unit>,
    /// The unit of the time column where it cannot be guessed: ns, us, ms or s
    #[arg(long)]
    pub time_unit: Option<Unit>,
    /// Whether printed counts are totals since the start or of one interval
    #[arg(long, value_enum)]
    pub temporality: Option<TemporalityChoice>,
    /// Length of an interval
    #[arg(short, long, value_name = "TIME")]
    pub interval: Option<Nanos>,
    /// One series for each value of these attributes, where events have many (SQL traces: event,
    /// sql, file, object, depth, module, action, session, p1, ...)
    #[arg(long, value_name = "ATTRIBUTE,...", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Only events with this attribute; * stands for any text, as in 'event=db file*'
    #[arg(long = "where", value_name = "ATTRIBUTE=VALUE", value_parser = attribute)]
    pub only: Vec<(String, String)>,
    /// The zone of times that are written without one, such as Europe/Zurich or +02:00
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    pub zone: Option<jiff::tz::TimeZone>,
    /// Exit with 4 if anything in the input had to be rejected
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub oracle: OracleArgs,
}

/// Reads `name=value`.
fn attribute(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be ATTRIBUTE=VALUE, as in event=log*")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// Reads the name of a time zone or an offset from UTC.
fn zone(text: &str) -> Result<jiff::tz::TimeZone, String> {
    jiff::fmt::temporal::DateTimeParser::new()
        .parse_time_zone(text)
        .map_err(|error| error.to_string())
}
