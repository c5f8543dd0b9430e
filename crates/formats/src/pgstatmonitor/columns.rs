//! Rows: a statement in one bucket of time.

use isotherm_frame::{Histogram, Nanos, Scheme, Series, Timestamp, Unit};

use crate::DecodeError;
use crate::dbstats::record::fields;
use crate::number;

/// A statement in one bucket of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub(super) start: Timestamp,
    /// The statement without its text, which may be another one in each bucket.
    pub(super) series: Series,
    pub(super) query: Option<String>,
    pub(super) counts: Histogram,
}

/// Where the columns stand that are needed.
#[derive(Debug)]
pub struct Columns {
    width: usize,
    start: usize,
    calls: usize,
    time: Option<usize>,
    counts: usize,
    ranges: usize,
    query: Option<usize>,
    attributes: Vec<(&'static str, usize)>,
}

/// Attributes: as they are told, and the columns that may hold them.
const ATTRIBUTES: [(&str, &[&str]); 4] = [
    ("query_id", &["pgsm_query_id", "queryid"]),
    ("database", &["datname"]),
    ("user", &["username"]),
    ("application", &["application_name"]),
];

pub(super) fn is_header(line: &str) -> bool {
    let names = names(line);
    let has = |name: &str| names.iter().any(|own| own == name);
    has("bucket_start_time") && has("resp_calls")
}

fn names(line: &str) -> Vec<String> {
    fields(line.trim_end(), ',').iter().map(|name| name.trim().to_ascii_lowercase()).collect()
}

impl Columns {
    /// The columns that a line of names has; an error says which one is missing.
    pub fn of_header(line: &str) -> Result<Columns, DecodeError> {
        let names = names(line);
        let column = |name: &str| names.iter().position(|own| own == name);
        let needed = |name: &str, what: &str| {
            column(name).ok_or_else(|| {
                DecodeError::Nothing(format!("the column {name} is missing: {what}"))
            })
        };
        let attribute = |(name, columns): &(&'static str, &[&str])| {
            Some((*name, columns.iter().find_map(|name| column(name))?))
        };
        Ok(Columns {
            width: names.len(),
            start: needed("bucket_start_time", "it says when")?,
            calls: needed("calls", "it says how many statements there were")?,
            time: column("total_exec_time"),
            counts: needed("resp_calls", "it is the histogram")?,
            ranges: column("ranges")
                .map_or_else(|| needed("range", "add range() as ranges, the bounds"), Ok)?,
            query: column("query").or_else(|| column("q")),
            attributes: ATTRIBUTES.iter().filter_map(attribute).collect(),
        })
    }

    /// A row, or why it cannot be used and how many statements it stood for.
    pub(super) fn row(&self, line: &str) -> Result<Row, (String, u64)> {
        self.values(&fields(line.trim_end_matches('\r'), ','))
    }

    /// The same of the values of a row.
    pub fn values(&self, values: &[String]) -> Result<Row, (String, u64)> {
        if values.len() != self.width {
            return Err((format!("{} columns instead of {}", values.len(), self.width), 0));
        }
        let value = |column: usize| values.get(column).map_or("", |value| value.trim());
        let calls = number::whole(value(self.calls).as_bytes());
        let calls =
            calls.map_err(|wrong| (wrong.about("calls", value(self.calls).as_bytes()), 0))?;
        let failed = |why: String| (why, calls);
        let start: jiff::Timestamp = value(self.start).parse().map_err(|_| {
            failed(format!("'{}' is no time", number::shown(value(self.start).as_bytes())))
        })?;
        let start = i64::try_from(start.as_nanosecond())
            .map_err(|_| failed("the time is too far away".into()))?;
        let counts = histogram(value(self.ranges), value(self.counts)).map_err(failed)?;
        if counts.events() != calls {
            return Err(failed(format!(
                "{} calls in buckets where there were {calls}",
                counts.events()
            )));
        }
        let time =
            self.time.and_then(|column| number::nanos(value(column).as_bytes(), Unit::Millis).ok());
        let attributes = self.attributes.iter().map(|(name, column)| (*name, value(*column)));
        let series = Series::with_attributes("statement", attributes);
        let query = self.query.map(|column| value(column).to_owned());
        let counts = counts.with_sum(time.map(Nanos::new));
        Ok(Row { start: Timestamp::new(start), series, query, counts })
    }
}

/// The histogram of `{53,0,...}` by `{"{{0.000 - 0.010}"," (0.010 - 1.423}",...," (1000.000 - ...}}"}`.
fn histogram(ranges: &str, counts: &str) -> Result<Histogram, String> {
    let (mut bounds, mut follows) = (vec![0_u64], true);
    for range in ranges.split(',') {
        let bare: String =
            range.chars().filter(|c| c.is_ascii_digit() || "-.".contains(*c)).collect();
        let (lo, hi) = bare
            .split_once('-')
            .ok_or("the column ranges holds no ranges such as (0.010 - 1.423}")?;
        let ns = |text: &str| {
            number::nanos(text.as_bytes(), Unit::Millis)
                .map_err(|w| w.about("bound", text.as_bytes()))
        };
        follows &= bounds.last() == Some(&ns(lo)?);
        bounds.push(if hi == "..." { Scheme::UNBOUNDED } else { ns(hi)? });
    }
    if !follows {
        return Err("the ranges do not follow one another from 0 on".to_owned());
    }
    let count = |text: &str| {
        let text = text.trim_matches(|c: char| !c.is_ascii_digit() && c != '-').as_bytes();
        number::whole(text).map_err(|wrong| wrong.about("count", text))
    };
    let counts: Vec<u64> = counts.split(',').map(count).collect::<Result<_, _>>()?;
    let scheme = Scheme::new(bounds).map_err(|error| error.to_string())?;
    let made = Histogram::new(scheme, counts, None);
    made.map_err(|_| "resp_calls does not have one count for each range".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGES: &str = r#"{"{{0.000 - 0.010}"," (0.010 - 1.423}"," (1.423 - ...}}"}"#;

    #[test]
    fn ranges_are_read_however_their_brackets_are() {
        let made = histogram(RANGES, "{5,3,1}").unwrap();
        assert_eq!(made.scheme().bounds(), [0, 10_000, 1_423_000, Scheme::UNBOUNDED]);
        assert_eq!(made.counts(), [5, 3, 1]);
        assert!(histogram(RANGES, "{5,3}").is_err() && histogram(RANGES, "{5,-3,1}").is_err());
        assert!(
            histogram("{(0.1 - 1),(1 - 2)}", "{1,2}").is_err() && histogram("x", "{1}").is_err()
        );
    }

    #[test]
    fn a_row_is_a_statement_in_a_bucket_of_time() {
        let columns = Columns::of_header(
            "bucket_start_time,pgsm_query_id,calls,total_exec_time,resp_calls,range",
        )
        .unwrap();
        let line = |calls: &str| {
            let ranges = RANGES.replace('"', "\"\"");
            format!("2026-11-21 05:29:00+00,7,{calls},4.5,\"{{5,3,1}}\",\"{ranges}\"")
        };
        let row = columns.row(&line("9")).unwrap();
        assert_eq!(row.start.as_nanos(), 1_795_238_940_000_000_000);
        assert_eq!(
            (row.series.to_string(), row.counts.sum()),
            ("statement{query_id=7}".to_owned(), Some(Nanos::new(4_500_000)))
        );
        assert_eq!(columns.row(&line("8")).unwrap_err().1, 8);
        assert!(columns.row("1,2").is_err());
        let without =
            Columns::of_header("bucket_start_time,calls,resp_calls").unwrap_err().to_string();
        assert!(without.contains("range()"), "{without}");
    }
}
