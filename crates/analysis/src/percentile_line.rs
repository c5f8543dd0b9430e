//! Percentiles over time as lines: how many columns of time one step of a line sums up. One rule
//! for every picture; the report's page has it a second time in `percentiles.js`, tested against
//! the same numbers.

use isotherm_frame::{Histogram, QuantileInterval, Timestamp};

use crate::{Column, ColumnState};

/// The steps that make a line over time, at least.
const FEWEST_STEPS: f64 = 12.0;

/// One step of a line: the percentile of all events of some neighbouring columns.
#[derive(Clone, Debug, PartialEq)]
pub struct LineStep {
    /// The first column.
    pub from: usize,
    /// The column after the last.
    pub to: usize,
    /// The percentile.
    pub quantile: QuantileInterval,
}

/// The columns that one step of the line of the `q` quantile sums up: at least `least`, and so
/// many that twice the events are expected of which one lies beyond the percentile, because events
/// come unevenly. `None` if fewer than twelve such steps fit: that is no line over time.
pub fn columns_of_step(columns: &[Column], q: f64, least: f64) -> Option<usize> {
    let known = columns.iter().filter(|column| column.state == ColumnState::Data).count();
    let events: u64 = columns.iter().map(|column| column.events).sum();
    let each = events as f64 / known.max(1) as f64;
    let enough = 2.0 / ((1.0 - q) * each.max(f64::MIN_POSITIVE));
    let step = least.max(enough).ceil();
    let fits = step <= least.ceil().max(columns.len() as f64 / FEWEST_STEPS);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to columns")]
    fits.then_some(step.max(1.0) as usize)
}

/// The line of the `q` quantile in steps of `together` columns. Steps begin at round multiples of
/// their length, so that a window that moves on does not change them; they end where something else
/// is known of a column. Steps of so few events that the percentile would merely be the longest
/// are left out.
pub fn percentile_line(columns: &[Column], q: f64, together: usize) -> Vec<LineStep> {
    let mut from = 0;
    let mut line = Vec::new();
    for step in columns.chunk_by(|one, two| belong_together(one, two, together)) {
        let to = from + step.len();
        line.extend(quantile_of(step, q).map(|quantile| LineStep { from, to, quantile }));
        from = to;
    }
    line
}

/// Whether two neighbouring columns belong to one step.
fn belong_together(one: &Column, two: &Column, together: usize) -> bool {
    let width = two.start.since(one.start).as_nanos().saturating_mul(together as u64);
    let width = i64::try_from(width).unwrap_or(i64::MAX).max(1);
    let place = |at: Timestamp| at.as_nanos().div_euclid(width);
    one.state == two.state && place(one.start) == place(two.start)
}

/// The percentile of all events of some columns.
fn quantile_of(columns: &[Column], q: f64) -> Option<QuantileInterval> {
    let events: u64 = columns.iter().map(|column| column.events).sum();
    let enough = events as f64 * (1.0 - q) >= 1.0;
    let latencies = columns.iter().filter_map(|column| column.latencies.as_ref());
    Histogram::merged(latencies.filter(|_| enough))?.quantile(q).ok()
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Nanos, Quality, Scheme, Series, Unit};

    use super::*;
    use crate::{Grid, Timeline};

    /// Columns of one second that begin at this second, each with this many events of 100 µs and
    /// the rest of 3 ms; `None` where nothing is known.
    fn columns(begin_s: i64, counts: &[Option<(u64, u64)>]) -> Vec<Column> {
        let at = |second: i64| Timestamp::new((begin_s + second) * 1_000_000_000);
        let frames = (0..).zip(counts).filter_map(|(second, counts)| {
            let (fast, slow) = (*counts)?;
            let mut latencies = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
            (0..fast).for_each(|_| latencies.record(Nanos::from_micros(100)));
            (0..slow).for_each(|_| latencies.record(Nanos::from_micros(3_000)));
            let (start, end) = (at(second), at(second + 1));
            let (series, quality) = (Series::named("read"), Quality::Complete);
            Some(Frame { series, start, end, counts: latencies, quality })
        });
        let end = at(i64::try_from(counts.len()).unwrap());
        let grid = Grid { end, column: Nanos::SECOND, columns: counts.len() };
        Timeline::place(&frames.collect::<Vec<Frame>>(), grid).columns
    }

    /// The table that `web-tests/unit/model.test.mjs` holds the page to.
    #[test]
    fn a_step_has_the_events_its_percentile_needs() {
        let step = |events, count, q, least| {
            columns_of_step(&columns(0, &vec![Some((events, 0)); count]), q, least)
        };
        assert_eq!(step(100, 600, 0.5, 6.0), Some(6));
        assert_eq!(step(100, 600, 0.99, 6.0), Some(6));
        assert_eq!(step(100, 600, 0.999, 6.0), Some(20));
        assert_eq!(step(100, 60, 0.5, 0.6), Some(1));
        assert_eq!(step(100, 60, 0.99, 0.6), Some(2));
        assert_eq!(step(100, 60, 0.999, 0.6), None, "it would have three steps");
        assert_eq!(step(1, 600, 0.5, 6.0), Some(6));
        assert_eq!(step(1, 600, 0.99, 6.0), None);
        assert_eq!(step(0, 600, 0.5, 1.0), None);
        assert_eq!(columns_of_step(&[], 0.5, 1.0), None);
    }

    #[test]
    fn steps_sum_up_their_columns_and_end_where_nothing_is_known() {
        let (many, none) = (Some((9, 1)), None);
        let counts = [many, many, many, none, many, many, many, many, Some((1, 0))];
        let lines = |q| {
            let line = percentile_line(&columns(1_001, &counts), q, 4);
            let bound = |step: &LineStep| step.quantile.bucket.lo.as_nanos() / 1_000;
            line.iter().map(|step| (step.from, step.to, bound(step))).collect::<Vec<_>>()
        };
        // Steps begin at seconds that are multiples of four: 1004 and 1008 after 1001.
        assert_eq!(lines(0.5), [(0, 3, 64), (4, 7, 64), (7, 9, 64)]);
        // The nearest rank of 30 events is 28, of 11 is 10: beyond both lies one event.
        assert_eq!(lines(0.91), [(0, 3, 2_048), (4, 7, 2_048)], "of 11 events 0.99 lie beyond");
    }

    #[test]
    fn a_window_that_moves_on_keeps_its_steps() {
        let counts = vec![Some((5, 5)); 40];
        let starts = |begin: i64| -> Vec<i64> {
            let line = percentile_line(&columns(begin, &counts), 0.5, 4);
            let inner = &line[1..line.len() - 1];
            inner.iter().map(|step| begin + i64::try_from(step.from).unwrap()).collect()
        };
        assert!(starts(1_000).iter().chain(&starts(1_003)).all(|second| second % 4 == 0));
    }
}
