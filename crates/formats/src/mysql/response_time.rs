//! `QUERY_RESPONSE_TIME`: how many statements took less than a bound, and how long they took in all.

use isotherm_frame::{Histogram, Nanos, Scheme, Series, Unit};

use super::found::{Cells, Found, STATEMENTS};
use crate::number;

/// What the last row is called: whatever took longer than all bounds.
const REST: &str = "TOO LONG";
/// More bounds than a server has: base 2 has 43.
const MOST: usize = 1_000;

/// One histogram of the table.
struct Part {
    /// `None` for statements of every kind.
    operation: Option<&'static str>,
    count_at: usize,
    total_at: usize,
    counts: Vec<u64>,
    /// The total time, while all of it is known.
    sum: Option<Nanos>,
}

/// The rows up to now.
pub struct ResponseTimes {
    time_at: usize,
    parts: Vec<Part>,
    /// Nanoseconds.
    bounds: Vec<u64>,
    /// Why the rows cannot be used.
    damage: Option<String>,
}

impl ResponseTimes {
    /// The table with these columns; `READ_COUNT` and its kin are of `QUERY_RESPONSE_TIME_READ_WRITE`.
    pub(super) fn of(columns: &[String]) -> Option<ResponseTimes> {
        let at = |name: &str| columns.iter().position(|column| column == name);
        let part = |operation, count: &str, total: &str| {
            let (count_at, total_at) = (at(count)?, at(total)?);
            Some(Part { operation, count_at, total_at, counts: Vec::new(), sum: Some(Nanos::ZERO) })
        };
        let parts: Vec<Part> = [
            part(None, "COUNT", "TOTAL"),
            part(Some("read"), "READ_COUNT", "READ_TOTAL"),
            part(Some("write"), "WRITE_COUNT", "WRITE_TOTAL"),
        ]
        .into_iter()
        .flatten()
        .collect();
        let time_at = at("TIME").filter(|_| !parts.is_empty())?;
        Some(ResponseTimes { time_at, parts, bounds: vec![0], damage: None })
    }

    /// Takes a row; `false` if the table begins anew.
    pub(super) fn row(&mut self, cells: &Cells<'_>) -> Result<bool, String> {
        let time = text(cells, self.time_at)?;
        let bound = match time {
            REST => Ok(Scheme::UNBOUNDED),
            _ => number::nanos(time.as_bytes(), Unit::Seconds),
        };
        let last = self.bounds.last().copied().unwrap_or(0);
        let bound = match bound {
            Ok(bound) if bound <= last || self.bounds.len() > MOST => return Ok(false),
            Ok(bound) => bound,
            Err(wrong) => {
                // What it counted is rejected with the rest of the table.
                self.damage.get_or_insert(wrong.about("time", time.as_bytes()));
                last.saturating_add(1)
            }
        };
        self.bounds.push(bound);
        for part in &mut self.parts {
            if let Err(why) = part.row(cells, bound == Scheme::UNBOUNDED) {
                self.damage.get_or_insert(why);
            }
        }
        Ok(true)
    }

    /// Whether the last row was read.
    pub(super) fn is_complete(&self) -> bool {
        self.bounds.last() == Some(&Scheme::UNBOUNDED)
    }

    /// The histograms.
    pub(super) fn found(self) -> Vec<Found> {
        let cut = (!self.is_complete()).then(|| format!("the table is cut short: no row '{REST}'"));
        let damage = self.damage.or(cut);
        let scheme = Scheme::new(self.bounds).map_err(|error| error.to_string());
        let one = |part: Part| part.found(&scheme, damage.as_ref());
        self.parts.into_iter().map(one).collect()
    }
}

impl Part {
    fn row(&mut self, cells: &Cells<'_>, is_rest: bool) -> Result<(), String> {
        let count = text(cells, self.count_at)?;
        let count = number::whole(count.as_bytes())
            .map_err(|wrong| wrong.about("count", count.as_bytes()))?;
        self.counts.push(count);
        let total = text(cells, self.total_at)?;
        if is_rest && total == REST {
            // Its time is not reported.
            self.sum = self.sum.filter(|_| count == 0);
            return Ok(());
        }
        let total = number::nanos(total.as_bytes(), Unit::Seconds)
            .map_err(|wrong| wrong.about("total", total.as_bytes()))?;
        self.sum = self.sum.and_then(|sum| sum.checked_add(Nanos::new(total)));
        Ok(())
    }

    fn found(self, scheme: &Result<Scheme, String>, damage: Option<&String>) -> Found {
        let attributes = self.operation.map(|operation| ("operation", operation));
        let series = Series::with_attributes(STATEMENTS, attributes);
        let events = self.counts.iter().fold(0_u64, |all, count| all.saturating_add(*count));
        let total = match (damage, scheme) {
            (Some(why), _) | (None, Err(why)) => Err(why.clone()),
            (None, Ok(scheme)) => Histogram::new(scheme.clone(), self.counts, self.sum)
                .map_err(|error| error.to_string()),
        };
        Found { series, total, events }
    }
}

fn text<'a>(cells: &Cells<'a>, at: usize) -> Result<&'a str, String> {
    let cell = cells.get(at).copied().flatten();
    cell.map(str::trim).ok_or_else(|| "the row has a column too few".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[&str], rows: &[&[&str]]) -> Vec<Found> {
        let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        let mut table = ResponseTimes::of(&columns).unwrap();
        for row in rows {
            let cells: Vec<_> = row.iter().copied().map(Some).collect();
            assert_eq!(table.row(&cells), Ok(true), "{row:?}");
        }
        table.found()
    }

    const COLUMNS: [&str; 3] = ["TIME", "COUNT", "TOTAL"];

    #[test]
    fn a_row_counts_what_took_less_than_its_time_and_the_last_one_the_rest() {
        let rows: [&[&str]; 3] = [
            &["      0.000010", "3", "      0.000012"],
            &["      0.000100", "2", "      0.000070"],
            &["TOO LONG", "0", "TOO LONG"],
        ];
        let found = table(&COLUMNS, &rows);
        let total = found[0].total.as_ref().unwrap();
        assert_eq!(total.scheme().bounds(), [0, 10_000, 100_000, Scheme::UNBOUNDED]);
        assert_eq!((total.counts(), total.sum()), (vec![3, 2, 0], Some(Nanos::from_micros(82))));
        assert_eq!(found[0].series.full(), "statements");
    }

    #[test]
    fn the_time_of_the_rest_is_not_known() {
        let rows: [&[&str]; 2] = [&["1.000000", "3", "1.5"], &["TOO LONG", "1", "TOO LONG"]];
        let found = table(&COLUMNS, &rows);
        let total = found[0].total.as_ref().unwrap();
        assert_eq!((total.events(), total.sum()), (4, None));
    }

    #[test]
    fn reads_and_writes_are_series_of_their_own() {
        let columns = ["TIME", "READ_COUNT", "READ_TOTAL", "WRITE_COUNT", "WRITE_TOTAL"];
        let rows: [&[&str]; 2] =
            [&["1.0", "3", "1.5", "1", "0.5"], &["TOO LONG", "0", "TOO LONG", "0", "TOO LONG"]];
        let found = table(&columns, &rows);
        let of = |index: usize| (found[index].series.full(), found[index].events);
        assert_eq!(of(0), ("statements{operation=read}".to_owned(), 3));
        assert_eq!(of(1), ("statements{operation=write}".to_owned(), 1));
    }

    #[test]
    fn tables_that_are_cut_short_are_refused() {
        let found = table(&COLUMNS, &[&["1.000000", "3", "1.5"]]);
        assert_eq!(found[0].events, 3);
        assert!(found[0].total.as_ref().unwrap_err().contains("TOO LONG"));
    }
}
