//! Histograms that DTrace and SystemTap draw: from labels and bars to bounds and counts.

mod cut_title;
mod reader;
mod statistics;

pub(crate) use self::reader::{Dialect, Special};

use std::borrow::Cow;

use isotherm_frame::{Histogram, Place, Rejection, Unit};

use crate::Sink;
use crate::bars::Bar;
use crate::number::shown;
use crate::printed::{self, Layout, Row};

/// What stands before a bar.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Label {
    /// `16`: where the bucket begins.
    At(i64),
    /// `< 0`: everything shorter.
    Below(i64),
    /// `<= -16`: everything up to there.
    UpTo(i64),
    /// `>= 100`: everything from there on.
    From(i64),
    /// `>2000`: everything longer than the bucket that begins there.
    Beyond(i64),
    /// `abs() < 256`: everything nearer to zero.
    Around(i64),
}

impl Label {
    fn read(text: &str) -> Option<Label> {
        let number = |text: &str| text.trim().parse::<i64>().ok();
        let after = |mark: &str| text.strip_prefix(mark).and_then(number);
        number(text)
            .map(Label::At)
            .or_else(|| after("<=").map(Label::UpTo))
            .or_else(|| after("<").map(Label::Below))
            .or_else(|| after(">=").map(Label::From))
            .or_else(|| after(">").map(Label::Beyond))
            .or_else(|| after("abs() <").map(Label::Around))
    }

    /// Whether what is counted here is shorter than nothing.
    fn is_negative(self) -> bool {
        match self {
            Label::At(from) => from < 0,
            Label::Below(end) => end <= 0,
            Label::UpTo(end) => end < 0,
            Label::From(_) | Label::Beyond(_) | Label::Around(_) => false,
        }
    }
}

/// One row as it is drawn.
#[derive(Copy, Clone, Debug)]
struct DrawnRow {
    place: Place,
    label: Label,
    count: u64,
    /// Whether rows were left out between this one and the one above.
    elided: bool,
}

/// A histogram being read.
#[derive(Debug)]
pub(crate) struct Drawn {
    place: Place,
    rows: Vec<DrawnRow>,
    /// Rows were left out below the last one.
    elided: bool,
    /// Why and where it cannot be read as a whole: then none of it is.
    damage: Option<(Place, Cow<'static, str>)>,
}

impl Drawn {
    /// More rows than either tool draws.
    const MOST_ROWS: usize = 8_192;
    const TOO_MANY: &'static str = "more buckets than any histogram of this tool has";
    const NO_ORDER: &'static str = "the buckets do not follow one another";
    const ONE_ROW: &'static str = "a single row does not show how wide its bucket is";
    const TOO_LONG: &'static str = "a bucket is too long to be true";
    const NEGATIVE: &'static str = "a bucket of negative latencies";
    const NO_END: &'static str =
        "the input ends below this row: the empty row that ends the histogram is missing";
    const NO_COUNTS: &'static str =
        "the input ends below this row: the rows with counts are missing";

    /// `place` is its heading's.
    pub(crate) fn new(place: Place) -> Drawn {
        Drawn { place, rows: Vec::new(), elided: false, damage: None }
    }

    /// Takes a row.
    pub(crate) fn row(&mut self, place: Place, bar: Bar<'_>) {
        let elided = std::mem::take(&mut self.elided);
        let label = Label::read(bar.label);
        match (label, bar.count) {
            (_, Err(wrong)) => self.damage(place, wrong.about("count", bar.written.as_bytes())),
            (None, _) => {
                let label = shown(bar.label.as_bytes());
                self.damage(place, format!("the bucket '{label}' is not a number"));
            }
            (Some(_), Ok(_)) if self.rows.len() == Drawn::MOST_ROWS => {
                self.damage(place, Drawn::TOO_MANY);
            }
            (Some(label), Ok(count)) => self.rows.push(DrawnRow { place, label, count, elided }),
        }
    }

    /// Rows without events were left out.
    pub(crate) fn elide(&mut self) {
        self.elided = true;
    }

    /// Remembers the first thing that makes it unusable as a whole.
    pub(crate) fn damage(&mut self, place: Place, reason: impl Into<Cow<'static, str>>) {
        self.damage.get_or_insert_with(|| (place, reason.into()));
    }

    /// Nothing follows in the input: both tools draw an empty row behind the last one that counts
    /// something, unless that is the greatest there is. They draw one or two above the first; of a histogram that
    /// was cleared three.
    pub(crate) fn expect_end(&mut self) {
        const GREATEST: i64 = 1 << 62;
        const ABOVE: usize = 2;
        let Some(&DrawnRow { place, label, count, .. }) = self.rows.last() else {
            return self.damage(self.place, printed::NO_BUCKETS);
        };
        if count > 0 && matches!(label, Label::At(from) if from < GREATEST) {
            self.damage(place, Drawn::NO_END);
        } else if self.rows.len() <= ABOVE && self.rows.iter().all(|row| row.count == 0) {
            self.damage(place, Drawn::NO_COUNTS);
        }
    }

    /// Whether no row was read, usable or not.
    pub(crate) fn is_bare(&self) -> bool {
        self.rows.is_empty() && self.damage.is_none()
    }

    /// The counts in buckets, if it could be read. What could not is rejected.
    pub(crate) fn histogram(mut self, unit: Unit, sink: &mut dyn Sink) -> Option<Histogram> {
        let drawn = match self.damage.take() {
            Some(damage) => Err(damage),
            None => self.counts(unit).map_err(|reason| (self.place, reason)),
        };
        match drawn {
            Ok(counts) => {
                for row in self.rows.iter().filter(|row| row.label.is_negative() && row.count > 0) {
                    let (place, events) = (row.place, row.count);
                    sink.reject(Rejection { place, reason: Drawn::NEGATIVE.into(), events });
                }
                Some(counts)
            }
            Err((place, reason)) => {
                let events = self.rows.iter().fold(0_u64, |all, row| all.saturating_add(row.count));
                sink.reject(Rejection { place, reason, events });
                None
            }
        }
    }

    fn counts(&self, unit: Unit) -> Result<Histogram, Cow<'static, str>> {
        let (rows, layout) = if self.doubles() {
            (self.doubling_rows(), Layout::PowersOfTwo)
        } else {
            (self.stepping_rows()?, Layout::AsPrinted)
        };
        if rows.is_empty() {
            return Ok(Histogram::empty(isotherm_frame::Scheme::powers_of_two(unit)).with_sum(None));
        }
        let counts = printed::histogram(&rows, unit.as_nanos(), layout);
        counts.map_err(|error| error.to_string().into())
    }

    /// Whether the buckets double: `quantize()` and `@hist_log`.
    fn doubles(&self) -> bool {
        let is_power = |value: i64| value == 0 || value.unsigned_abs().is_power_of_two();
        let mut above: Option<i64> = None;
        self.rows.iter().all(|row| {
            let Label::At(value) = row.label else { return false };
            let follows = match above.replace(value) {
                Some(above) if !row.elided => value == next_double(above),
                _ => true,
            };
            is_power(value) && follows
        })
    }

    fn doubling_rows(&self) -> Vec<Row> {
        let rows = self.rows.iter().filter_map(|row| {
            let Label::At(value) = row.label else { return None };
            let lo = u64::try_from(value).ok()?;
            let hi = if lo == 0 { Some(1) } else { lo.checked_mul(2) };
            Some(Row { lo, hi, count: row.count })
        });
        rows.collect()
    }

    /// The rows of buckets that end where the next one begins, or have all one width.
    fn stepping_rows(&self) -> Result<Vec<Row>, Cow<'static, str>> {
        let mut rows = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            if row.label.is_negative() {
                continue;
            }
            let next = self.rows.get(index + 1);
            // The empty row that DTrace draws below the last one only ends that one.
            let is_padding = row.count == 0 && next.is_none() && matches!(row.label, Label::At(_));
            if !is_padding {
                rows.push(self.stepping_row(row, next)?);
            }
        }
        Ok(rows)
    }

    fn stepping_row(
        &self,
        row: &DrawnRow,
        next: Option<&DrawnRow>,
    ) -> Result<Row, Cow<'static, str>> {
        let one_wide = |from: i64| {
            let unknown = if self.rows.len() > 1 { Drawn::NO_ORDER } else { Drawn::ONE_ROW };
            from.checked_add(self.step().ok_or(unknown)?).ok_or(Drawn::TOO_LONG)
        };
        let (lo, hi) = match row.label {
            Label::At(from) => match next {
                Some(DrawnRow {
                    label: Label::At(end) | Label::From(end), elided: false, ..
                }) => (from, Some(*end)),
                _ => (from, Some(one_wide(from)?)),
            },
            Label::Below(end) | Label::Around(end) => (0, Some(end)),
            Label::UpTo(end) => (0, Some(end.checked_add(1).ok_or(Drawn::TOO_LONG)?)),
            Label::From(from) => (from, None),
            Label::Beyond(last) => (one_wide(last)?, None),
        };
        let bound = |value: i64| u64::try_from(value).map_err(|_| Drawn::NEGATIVE);
        Ok(Row { lo: bound(lo)?, hi: hi.map(bound).transpose()?, count: row.count })
    }

    /// The width of the last bucket whose neighbour is drawn.
    fn step(&self) -> Option<i64> {
        let mut widths =
            self.rows.windows(2).filter_map(|pair| match (pair[0].label, pair[1].label) {
                (Label::At(from), Label::At(end)) if !pair[1].elided => end.checked_sub(from),
                _ => None,
            });
        widths.next_back().filter(|&width| width > 0)
    }
}

/// The number that follows where buckets double.
fn next_double(value: i64) -> i64 {
    match value {
        -1 => 0,
        0 => 1,
        ..0 => value / 2,
        _ => value.saturating_mul(2),
    }
}

#[cfg(test)]
mod tests;
