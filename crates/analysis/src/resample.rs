//! The one set of interval lengths that findings are made from, whatever a surface draws.

use std::borrow::Cow;

use isotherm_frame::{Frame, Histogram, Nanos, TimeWaited, Timestamp};

use crate::grid::{aligned, usual_length_of, usual_phase_of};
use crate::unplaced::unplaced_s;
use crate::{Column, ColumnState, Grid, Timeline};

/// The most columns of a timeline that findings are made from.
const MOST: u64 = 1_024;
/// The fewest, where the source measures finely enough: shorter columns than a second are only
/// looked at where there would be less than so many.
const FEWEST: u64 = 64;
const SECOND: u64 = 1_000_000_000;
/// A second is halved so many times at most: 1/512 s is a whole number of nanoseconds.
const HALVINGS: u32 = 9;
/// Events in fewer columns say nothing of the clock.
const LEAST_TICKS: usize = 8;

/// The length of an interval for a stretch of time, by its length only: a second times or divided
/// by a power of two, so that there are at most 1,024 of them.
pub(crate) fn interval(span: u64) -> u64 {
    let fraction = |halvings: u32| SECOND >> halvings;
    let Some(shortest) = (0..=HALVINGS).find(|&halvings| span / fraction(halvings) >= FEWEST)
    else {
        return fraction(HALVINGS);
    };
    let mut length = fraction(shortest);
    while span.div_ceil(length) > MOST {
        length = length.saturating_mul(2);
    }
    length
}

/// The axis that frames are placed on to find something in them: intervals of a length that
/// depends on the time they cover, or whole numbers of their own where these are longer. `None`
/// without frames.
pub(crate) fn grid(frames: &[Frame]) -> Option<Grid> {
    let start = frames.iter().map(|frame| frame.start).min()?;
    let end = frames.iter().map(|frame| frame.end).max()?;
    let (usual, wanted) = (usual_length_of(frames), interval(end.since(start).as_nanos()));
    let column = usual.saturating_mul((wanted.saturating_add(usual / 2) / usual).max(1));
    // The first interval of events may be cut to what was observed.
    let start = if usual_phase_of(frames, usual) == 0 { aligned(start, column, 0) } else { start };
    let span = end.since(start).as_nanos();
    let column = column.saturating_mul(span.div_ceil(column).div_ceil(2 * MOST).max(1));
    let columns = usize::try_from(span.div_ceil(column).max(1)).ok()?;
    let length = Nanos::new(column.saturating_mul(columns as u64));
    Some(Grid { end: start.plus(length), column: Nanos::new(column), columns })
}

impl Timeline {
    /// The same in the intervals that findings are made from, as far as whole columns make them.
    pub(crate) fn for_findings(&self) -> Cow<'_, Timeline> {
        let column = self.column.as_nanos().max(1);
        let span = column.saturating_mul(self.columns.len() as u64);
        let together = interval(span).saturating_add(column / 2) / column;
        let found =
            if together < 2 { Cow::Borrowed(self) } else { Cow::Owned(self.joined(together)) };
        match found.columns_of_a_second() {
            Some(together) => Cow::Owned(found.joined(together)),
            None => found,
        }
    }

    /// How many columns make a second, if all events lie in the first column of one: their clock shows
    /// whole seconds, and what lies between two of them is unknown, not empty.
    fn columns_of_a_second(&self) -> Option<u64> {
        let column = self.column.as_nanos().max(1);
        let together = SECOND / column;
        if together < 2 || column.saturating_mul(together) != SECOND {
            return None;
        }
        let filled: Vec<&Column> = self.columns.iter().filter(|column| column.events > 0).collect();
        // What ended at the very end is counted in the column before it.
        let (_, rest) = filled.split_last()?;
        let whole = |column: &&Column| aligned(column.start, SECOND, 0) == column.start;
        (rest.len() >= LEAST_TICKS && rest.iter().all(whole)).then_some(together)
    }

    /// The same with so many columns taken together.
    fn joined(&self, together: u64) -> Timeline {
        let column = self.column.as_nanos().max(1);
        let length = column.saturating_mul(together);
        let of = |at: Timestamp| aligned(at, length, 0);
        let first = self.columns.first().map(|column| column.start).unwrap_or_default();
        let on_grid = first == aligned(first, column, 0);
        let part = |index: usize, at: Timestamp| {
            if on_grid {
                of(at).as_nanos()
            } else {
                i64::try_from(index as u64 / together).unwrap_or(i64::MAX)
            }
        };
        let indexed: Vec<(usize, &Column)> = self.columns.iter().enumerate().collect();
        let groups =
            indexed.chunk_by(|one, two| part(one.0, one.1.start) == part(two.0, two.1.start));
        let columns = groups.filter_map(|group| {
            let start = group.first()?.1.start;
            let start = if on_grid { of(start) } else { start };
            let whole = Column::joined(group.iter().map(|(_, column)| *column))?;
            Some(Column { start, end: start.plus(Nanos::new(length)), ..whole })
        });
        Timeline {
            columns: columns.collect(),
            column: Nanos::new(length),
            total: self.total.clone(),
            outside: self.outside,
            has_length: self.has_length,
        }
    }
}

impl Column {
    /// Neighbouring columns as one; `None` of none.
    pub fn joined<'a>(columns: impl Iterator<Item = &'a Column>) -> Option<Column> {
        let parts: Vec<&Column> = columns.collect();
        let (first, last) = (parts.first()?, parts.last()?);
        let any = |state: ColumnState| parts.iter().any(|column| column.state == state);
        let state = [ColumnState::Data, ColumnState::Reset].into_iter().find(|&state| any(state));
        let latencies = Histogram::merged(parts.iter().filter_map(|c| c.latencies.as_ref()));
        let unplaced: f64 = parts.iter().map(|column| column.unplaced_s).sum();
        // What was longer than one of them may be shorter than all of them.
        let length = last.end.since(first.start);
        let longer_s = latencies.as_ref().map_or(0.0, |latencies| unplaced_s(latencies, length));
        Some(Column {
            start: first.start,
            end: last.end,
            state: state.unwrap_or(ColumnState::NoData),
            events: parts.iter().fold(0, |sum, column| column.events.saturating_add(sum)),
            waited: TimeWaited {
                seconds: parts.iter().map(|column| column.waited.seconds).sum(),
                exact: parts.iter().all(|column| column.waited.exact),
            },
            covered_s: parts.iter().map(|column| column.covered_s).sum(),
            counted_s: parts.iter().map(|column| column.counted_s).sum(),
            unplaced_s: unplaced.min(longer_s),
            latencies,
        })
    }
}

/// The time in which ends were counted, in seconds, of these columns. What rates of events are
/// divided by.
pub fn counted_s(columns: &[Column]) -> f64 {
    columns.iter().map(|column| column.counted_s).sum()
}

/// The column in which the first event ended, where ends were not counted before.
fn first_end(columns: &[Column]) -> Option<&Column> {
    /// Parts of a column are sums of fractions.
    const ROUNDED_S: f64 = 1e-9;
    let is_unseen = |column: &Column| (column.counted_s - column.covered_s).abs() > ROUNDED_S;
    let last = columns.iter().rposition(is_unseen)?;
    // Where the first event ended within a column, a part of that is counted.
    columns.get(last..)?.iter().find(|column| column.counted_s > ROUNDED_S)
}

impl Timeline {
    /// The same without columns that are covered for less than half of their length: the first and
    /// the last second of a recording are rarely whole.
    pub(crate) fn of_covered(&self) -> Timeline {
        self.without(|column| !column.is_whole())
    }

    /// The same without the time before the first event ended, if that is there only because of how
    /// long the event took. Whoever wrote the first line may have begun to write just then, so
    /// nothing is known of how many events ended before.
    pub(crate) fn since_first_end(&self) -> Timeline {
        match first_end(&self.columns) {
            // In the column of the first end it is not known when watching began.
            Some(ended) if self.known().any(|column| column.start > ended.start) => {
                self.without(|column| column.start <= ended.start)
            }
            _ => self.clone(),
        }
    }

    /// The same without what is known of some columns.
    #[must_use]
    pub(crate) fn without(&self, hidden: impl Fn(&Column) -> bool) -> Timeline {
        let mut rest = self.clone();
        for column in rest.columns.iter_mut().filter(|column| hidden(column)) {
            rest.outside = rest.outside.saturating_add(column.events);
            (column.state, column.events, column.latencies) = (ColumnState::NoData, 0, None);
            (column.covered_s, column.counted_s) = (0.0, 0.0);
            (column.waited.seconds, column.unplaced_s) = (0.0, 0.0);
        }
        let known = rest.columns.iter().filter_map(|column| column.latencies.as_ref());
        rest.total = Histogram::merged(known).unwrap_or_else(|| self.total.cleared());
        rest
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Quality, Scheme, Series};

    use super::*;

    #[test]
    fn the_length_of_an_interval_depends_on_the_time_only() {
        let second = 1_000_000_000;
        for (span, expected) in [
            (600 * second, second),
            (64 * second, second),
            (63 * second, second / 2),
            (second, second / 64),
            (1_024 * second, second),
            (1_025 * second, 2 * second),
            (3_600 * second, 4 * second),
            (86_400 * second, 128 * second),
        ] {
            assert_eq!(interval(span), expected, "{span}");
        }
        assert_eq!((interval(0), interval(u64::MAX) > SECOND), (1_953_125, true));
    }

    /// Events each 50 ms from the moment `from_ms` on, in frames of `length` nanoseconds.
    fn frames(length: i64, from_ms: i64, count: i64) -> Vec<Frame> {
        let event = |n: i64| (from_ms + 50 * n) * 1_000_000;
        let first = event(0).div_euclid(length);
        let last = event(count - 1).div_euclid(length);
        let frame = |number: i64| {
            let mut counts = Histogram::empty(Scheme::log_linear());
            (0..count).filter(|&n| event(n).div_euclid(length) == number).for_each(|n| {
                counts.record(Nanos::from_micros(100 + n.unsigned_abs()));
            });
            let start = Timestamp::new(number * length);
            let end = Timestamp::new((number + 1) * length);
            Frame { series: Series::named("x"), start, end, counts, quality: Quality::Complete }
        };
        (first..=last).map(frame).collect()
    }

    #[test]
    fn surfaces_that_count_in_other_intervals_find_the_same_columns() {
        let [fine, coarse] = [125_000_000, 1_000_000_000].map(|length| {
            let frames = frames(length, 1_763_735_400_300, 2_000);
            Timeline::place(&frames, grid(&frames).unwrap())
        });
        let drawn = frames(125_000_000, 1_763_735_400_300, 2_000);
        let drawn = Timeline::place(&drawn, Grid::covering(&drawn, 6_000).unwrap());
        let drawn = drawn.for_findings();
        for other in [&coarse, drawn.as_ref()] {
            let of = |timeline: &Timeline| -> Vec<(Timestamp, u64)> {
                timeline.columns.iter().map(|column| (column.start, column.events)).collect()
            };
            assert_eq!(of(&fine), of(other));
        }
        assert_eq!(fine.column, Nanos::SECOND);
        assert!(matches!(coarse.for_findings(), Cow::Borrowed(_)));
    }

    #[test]
    fn a_sliver_of_a_column_says_nothing() {
        let mut frames = frames(1_000_000_000, 0, 2_000);
        frames[99].end = frames[99].start.plus(Nanos::from_millis(186));
        let timeline = Timeline::place(&frames, grid(&frames).unwrap());
        let covered = timeline.of_covered();
        assert_eq!((timeline.known().count(), covered.known().count()), (100, 99));
        assert_eq!(covered.outside + covered.total.events(), 2_000);
    }
}
