//! One table: the histograms of a pool or of a device in it.

use isotherm_frame::{Histogram, Place, Scheme, Series};

use crate::number;

/// The buckets of each histogram.
pub(super) const ROWS: usize = 37;

/// What is waited for in columns of reads and writes, where no header says so. The first is the whole of
/// a request, of which the others, and those below, are parts.
pub(super) const WAITS: [&str; 4] = ["total_wait", "disk_wait", "syncq_wait", "asyncq_wait"];
/// The columns after these, which newer versions have more of.
pub(super) const OTHERS: [&str; 3] = ["scrub", "trim", "rebuild"];

/// What each column counts: what is waited for and, for reads and writes, which of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Columns(Vec<(String, Option<&'static str>)>);

/// A table that cannot be used.
pub(super) struct Damaged {
    pub(super) place: Place,
    pub(super) reason: String,
    pub(super) events: u64,
    pub(super) series: Vec<Series>,
}

/// The rows of a table up to now.
pub(super) struct Block {
    place: Place,
    name: String,
    /// The series of each column; `None` for one that is not read.
    series: Vec<Option<Series>>,
    /// The counts of each column that is read.
    counts: Vec<Vec<u64>>,
    rows: usize,
    damage: Option<String>,
}

/// The name and what is waited for, of the first line of a header: `tank  total_wait  disk_wait ...`.
pub(super) fn heads(line: &str) -> Option<(String, Vec<String>)> {
    let (name, rest) = line.split_at(line.find(WAITS[0])?);
    let heads: Vec<String> = rest.split_whitespace().map(str::to_owned).collect();
    (heads.len() == WAITS.len() && heads[1] == WAITS[1]).then(|| (name.trim().to_owned(), heads))
}

/// Whether a line is a row of a table: with a label for its bucket.
pub(super) fn is_row(line: &str) -> bool {
    let label = line.split_whitespace().next().unwrap_or_default();
    let unit = label.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_unit =
        ["ns", "us", "ms", "s"].contains(&unit) || unit.is_empty() && line.contains('\t');
    unit.len() < label.len() && has_unit
}

impl Columns {
    /// The columns of a header's second line: `latency  read  write ... scrub  trim`.
    pub(super) fn named(line: &str, heads: &[String]) -> Option<Columns> {
        let mut words = line.split_whitespace();
        if words.next() != Some("latency") {
            return None;
        }
        let (mut columns, mut pairs) = (Vec::new(), 0);
        for word in words {
            let operation = ["read", "write"].into_iter().find(|operation| *operation == word);
            let name = match operation {
                Some(_) => heads.get(pairs / 2)?.clone(),
                None => word.to_owned(),
            };
            pairs += usize::from(operation.is_some());
            columns.push((name, operation));
        }
        (pairs == 2 * heads.len()).then_some(Columns(columns))
    }

    /// The columns of a row of a table without a header.
    pub(super) fn unnamed(row: &str) -> Option<Columns> {
        let cells = row.split('\t').count().checked_sub(1)?;
        let others = cells.checked_sub(2 * WAITS.len()).filter(|others| *others <= OTHERS.len())?;
        let pairs = WAITS.iter().flat_map(|wait| [(*wait, Some("read")), (*wait, Some("write"))]);
        let rest = OTHERS.iter().take(others).map(|name| (*name, None));
        Some(Columns(pairs.chain(rest).map(|(name, op)| (name.to_owned(), op)).collect()))
    }
}

impl Block {
    /// `series` is given what is waited for, the pool or device and the operation of each column.
    pub(super) fn new(
        place: Place,
        name: &str,
        columns: Columns,
        series: &mut dyn FnMut([&str; 3]) -> Option<Series>,
    ) -> Block {
        let name = name.trim();
        let of = |(wait, operation): (String, Option<&str>)| {
            series([&wait, name, operation.unwrap_or_default()])
        };
        let series: Vec<Option<Series>> = columns.0.into_iter().map(of).collect();
        let counts = vec![Vec::with_capacity(ROWS); series.len()];
        Block { place, name: name.to_owned(), series, counts, rows: 0, damage: None }
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// The pool or device.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// All that is counted in columns that are read.
    pub(super) fn events(&self) -> u64 {
        self.counts.iter().flatten().fold(0, |all, count| all.saturating_add(*count))
    }

    pub(super) fn is_complete(&self) -> bool {
        self.rows == ROWS
    }

    /// Takes a row; one that is not `ended` may lack digits.
    pub(super) fn take(&mut self, row: &str, ended: bool) {
        let mut words = row.split_whitespace();
        let label = words.next().unwrap_or_default();
        if !is_label(label, self.rows) {
            self.damage.get_or_insert(format!(
                "the row '{}' does not follow the one before",
                number::shown(label.as_bytes())
            ));
        }
        let cells: Vec<&str> = words.collect();
        if cells.len() != self.series.len() || !ended {
            self.damage.get_or_insert(format!(
                "a row has {} counts instead of {}",
                cells.len(),
                self.series.len()
            ));
        }
        let read = self.series.iter().map(Option::is_some);
        let columns = cells.iter().zip(&mut self.counts).zip(read);
        for ((cell, counts), _) in columns.filter(|(_, read)| *read) {
            counts.push(count(cell).unwrap_or_else(|why| {
                self.damage.get_or_insert(why);
                0
            }));
        }
        self.rows += 1;
    }

    /// The histogram of each column that is read.
    pub(super) fn histograms(self) -> Result<Vec<(Series, Histogram)>, Damaged> {
        let events = self.events();
        let cut = (!self.is_complete()).then(|| format!("{} rows instead of {ROWS}", self.rows));
        let of_columns = self.series.into_iter().zip(self.counts);
        let columns = of_columns.filter_map(|(series, counts)| Some((series?, counts)));
        let (series, counts): (Vec<Series>, Vec<Vec<u64>>) = columns.unzip();
        let made = match self.damage.or(cut) {
            Some(why) => Err(why),
            None => counts.into_iter().map(histogram).collect::<Result<Vec<_>, _>>(),
        };
        match made {
            Ok(made) => Ok(series.into_iter().zip(made).collect()),
            Err(reason) => Err(Damaged { place: self.place, reason, events, series }),
        }
    }
}

/// The histogram of a column: powers of two of nanoseconds, the last without an upper bound.
fn histogram(counts: Vec<u64>) -> Result<Histogram, String> {
    let inner = (1..ROWS).map(|row| 1_u64 << row);
    let bounds = [0].into_iter().chain(inner).chain([Scheme::UNBOUNDED]).collect();
    let scheme = Scheme::new(bounds).map_err(|error| error.to_string())?;
    Histogram::new(scheme, counts, None).map_err(|error| error.to_string())
}

/// Whether this is how the bucket of a row is called: by the last nanosecond in it, as a plain number or
/// in the unit that makes it short, without a fraction.
fn is_label(label: &str, row: usize) -> bool {
    let last = u32::try_from(row).ok().and_then(|row| 1_u64.checked_shl(row + 1));
    let Some(last) = last.map(|next| next - 1) else { return false };
    let units = [(1, "ns"), (1_000, "us"), (1_000_000, "ms"), (1_000_000_000, "s")];
    let unit = units.iter().rev().find(|(ns, _)| last >= *ns);
    let short = unit.map(|(ns, name)| format!("{}{name}", last / ns));
    label == last.to_string() || short.is_some_and(|short| label == short)
}

fn count(cell: &str) -> Result<u64, String> {
    let shown = number::shown(cell.as_bytes());
    let is_rounded = cell.ends_with(['K', 'M', 'G', 'T', 'P', 'E']);
    match number::whole(cell.as_bytes()) {
        Ok(count) => Ok(count),
        Err(_) if is_rounded => {
            Err(format!("the count '{shown}' is rounded: print exact ones with zpool iostat -wp"))
        }
        Err(wrong) => Err(wrong.about("count", cell.as_bytes())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_called_by_their_last_nanosecond() {
        // As the documentation of zpool-iostat(8) has them.
        let shown = [
            (0, "1ns"),
            (1, "3ns"),
            (8, "511ns"),
            (9, "1us"),
            (10, "2us"),
            (15, "65us"),
            (16, "131us"),
            (18, "524us"),
            (19, "1ms"),
            (27, "268ms"),
            (29, "1s"),
            (33, "17s"),
            (36, "137s"),
        ];
        for (row, label) in shown {
            assert!(is_label(label, row), "{row} {label}");
            assert!(!is_label(label, row + 1), "{row} {label}");
        }
        assert!(is_label("137438953471", 36) && is_label("1", 0));
    }

    #[test]
    fn columns_are_named_by_both_lines_of_the_header() {
        let (name, waits) =
            heads("my pool   total_wait   disk_wait   sync_queue   async_queue ").unwrap();
        assert_eq!(name, "my pool");
        let line = "latency   read write read write read write read write scrub";
        let columns = Columns::named(line, &waits).unwrap();
        assert_eq!(columns.0.len(), 9);
        assert_eq!(columns.0[5], ("sync_queue".to_owned(), Some("write")));
        assert_eq!(columns.0[8], ("scrub".to_owned(), None));
        assert_eq!(heads("tank  sync_read  sync_write  async_read"), None);
        assert_eq!(Columns::named("req_size  ind  agg", &waits), None);
        assert_eq!(
            Columns::unnamed("1\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0").map(|all| all.0.len()),
            Some(11)
        );
        assert_eq!(Columns::unnamed("1\t0\t0"), None);
    }

    #[test]
    fn rounded_counts_are_none() {
        assert_eq!(count("6257"), Ok(6_257));
        assert!(count("6.11K").unwrap_err().contains("-wp"));
        assert!(count("-").is_err());
    }
}
