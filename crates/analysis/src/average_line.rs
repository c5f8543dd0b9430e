//! Where the averages of a picture lie: one cell to a column of time, at the row of its mean.

use std::borrow::Cow;

use isotherm_frame::{Detail, Histogram, Nanos, Scheme};

use crate::{Column, Row};

impl Column {
    /// The mean latency of its events; `None` without events.
    pub fn mean(&self) -> Option<Nanos> {
        self.latencies.as_ref()?.mean_ns().map(whole)
    }
}

/// What is drawn of counts: themselves, or, of averages, all events at their mean, with the same exact
/// time. That says where to draw, and nothing of how long any event took.
pub fn at_mean(counts: &Histogram) -> Cow<'_, Histogram> {
    match counts.detail() {
        Detail::Distribution => Cow::Borrowed(counts),
        Detail::Averages => Cow::Owned(placed(counts)),
    }
}

fn placed(averages: &Histogram) -> Histogram {
    let scheme = Scheme::log_linear();
    let mut counts = vec![0_u64; scheme.buckets()];
    let mean_ns = averages.mean_ns().unwrap_or_default();
    let index = scheme.index_of(whole(mean_ns).max(Nanos::new(1)));
    if let Some(count) = index.and_then(|index| counts.get_mut(index)) {
        *count = averages.events();
    }
    let placed = Histogram::new(scheme.clone(), counts, averages.sum());
    let placed = placed.unwrap_or_else(|_| Histogram::empty(scheme));
    match averages.partly_known_sum() {
        Some(sum) => placed.with_partly_known_sum(sum),
        None => placed,
    }
}

fn whole(ns: f64) -> Nanos {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    Nanos::new(ns.round() as u64)
}

/// The means of the columns, each as often as it has events: what the rows of averages are chosen
/// for. A mean of zero, shorter than what the source counts in, needs no row of its own: it is below
/// the lowest.
pub(crate) fn means(columns: &[Column]) -> Histogram {
    let averages = columns.iter().filter_map(|column| column.latencies.as_ref());
    let averages = averages.filter(|averages| averages.mean_ns().is_some_and(|mean| mean > 0.0));
    let placed: Vec<Histogram> = averages.map(placed).collect();
    let of_time = || {
        // Time without events has one row, of any length.
        let averages = columns.iter().filter_map(|column| column.latencies.as_ref());
        Histogram::merged(averages).filter(Histogram::is_time_only)
    };
    let means = Histogram::merged(&placed).or_else(of_time);
    means.unwrap_or_else(|| Histogram::empty(Scheme::log_linear()))
}

/// The row of a column's mean. Time without events is in the lowest row: it has to be somewhere.
pub(crate) fn row_of_mean(rows: &[Row], column: &Column) -> usize {
    let mean = column.mean().unwrap_or(Nanos::ZERO);
    rows.partition_point(|row| row.lo <= mean).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Quality, Series, Timestamp};

    use super::*;
    use crate::{ColourMax, Grid, Picture, Request, RowKind};

    /// Seconds with so many events that took this long together, in microseconds.
    fn frames(seconds: &[(u64, u64)]) -> Vec<Frame> {
        let frame = |(second, &(events, us)): (i64, &(u64, u64))| {
            let start = Timestamp::new(second * 1_000_000_000);
            let counts = Histogram::of_averages(events, Nanos::from_micros(us));
            let (end, quality) = (start.plus(Nanos::SECOND), Quality::Complete);
            Frame { series: Series::named("reads"), start, end, counts, quality }.with_own_detail()
        };
        (0..).zip(seconds).map(frame).collect()
    }

    fn picture(frames: &[Frame], columns: usize) -> Picture {
        let end = frames.iter().map(|frame| frame.end).max().unwrap();
        let request = Request::on(Grid { end, column: Nanos::SECOND, columns }, 40);
        Picture::draw(frames, &request, &mut ColourMax::default(), &mut ColourMax::default())
    }

    #[test]
    fn a_column_has_one_cell_at_its_mean_with_all_its_events_and_time() {
        let seconds = [(364, 88_000), (364, 22_000), (0, 0), (2, 9_000)];
        let picture = picture(&frames(&seconds), 4);
        for (column, &(events, us)) in seconds.iter().enumerate() {
            let filled: Vec<usize> = (0..picture.rows.len())
                .filter(|&row| picture.counts[picture.cell(row, column)] > 0)
                .collect();
            if events == 0 {
                assert_eq!(filled, [] as [usize; 0]);
                continue;
            }
            let [row] = filled[..] else { panic!("{filled:?}") };
            assert_eq!(picture.counts[picture.cell(row, column)], events);
            let mean = Nanos::new(us * 1_000 / events);
            assert_eq!(picture.row_of(mean), Some(row), "{mean}");
            let waited = picture.intensity.cells[picture.cell(row, column)];
            assert!((waited - us as f64 / 1e6).abs() < 1e-12);
        }
        assert!(picture.rows.iter().any(|row| row.kind == RowKind::Body));
        assert_eq!(picture.headline.quantiles, []);
        assert_eq!(picture.headline.mean_ns, Some(119_000_000.0 / 730.0));
        assert_eq!(picture.counts.iter().sum::<u64>() + picture.outside, 730);
    }

    #[test]
    fn a_region_has_the_columns_whose_mean_lies_in_it() {
        let picture = picture(&frames(&[(10, 1_000), (5, 40_000)]), 2);
        let slow = picture.row_of(Nanos::from_millis(8)).unwrap();
        let region = picture.region(slow..=slow, 0..=1).unwrap();
        assert_eq!((region.events, region.events_of_columns), (5, 15));
        assert!((region.waited_s - 0.04).abs() < 1e-12);
        assert!(region.latencies.unwrap().quantile(0.5).is_err());
    }

    #[test]
    fn nothing_is_found_that_needs_a_distribution() {
        let seconds: Vec<(u64, u64)> =
            (0..600).map(|s| (1_000, if s % 60 < 5 { 9_000_000 } else { 100_000 })).collect();
        let found = crate::Findings::of_frames(&frames(&seconds), &crate::Circumstances::default())
            .unwrap();
        assert_eq!((found.events, found.quantiles.len(), found.modes.len()), (600_000, 0, 0));
        assert!(found.average.is_none() && found.tail.is_none() && found.slow_band.is_none());
        assert!(found.bursts.is_empty() && found.changes.is_empty() && found.period.is_none());
        let expected = (50.0 * 9e9 + 550.0 * 1e8) / 600_000.0;
        assert!((found.mean_ns.unwrap() - expected).abs() < 1e-6);
        let remarks = found.remarks();
        assert!(matches!(remarks[0].remark, crate::Remark::Averages { .. }), "{remarks:?}");
    }
}
