//! The statistics of a part of a picture.

use std::ops::RangeInclusive;

use isotherm_frame::{Detail, Histogram, Nanos};

use crate::{Column, Picture, counted_s};

/// What a rectangle of a picture holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Its events, in the source's own buckets; none if nothing is known about its columns.
    pub latencies: Option<Histogram>,
    /// How many.
    pub events: u64,
    /// Events of its columns at any latency.
    pub events_of_columns: u64,
    /// Seconds waited in it.
    pub waited_s: f64,
    /// Seconds waited in its columns at any latency.
    pub waited_of_columns_s: f64,
    /// The time of its columns about which the source said something, in seconds.
    pub covered_s: f64,
    /// The part of it in which ends were counted, in seconds: what rates of events are divided by.
    pub counted_s: f64,
    /// The edges of its latencies.
    pub edges: (Nanos, Option<Nanos>),
}

impl Region {
    /// Average sessions waiting in it; zero when no time is covered.
    pub fn sessions_waiting(&self) -> f64 {
        if self.covered_s > 0.0 { self.waited_s / self.covered_s } else { 0.0 }
    }

    /// Its events per second; zero when no ends were counted.
    pub fn rate(&self) -> f64 {
        if self.counted_s > 0.0 { self.events as f64 / self.counted_s } else { 0.0 }
    }

    /// What lies between these edges in some columns. Edges are bucket bounds: a bucket belongs to
    /// where it begins. Time estimated from bucket mid-points is scaled to the exact total of each
    /// column where that is known.
    pub fn of(columns: &[Column], edges: (Nanos, Option<Nanos>)) -> Region {
        let mut parts: Vec<Histogram> = Vec::new();
        let mut waited_s = 0.0;
        for column in columns {
            let Some(latencies) = &column.latencies else { continue };
            let part = match latencies.detail() {
                Detail::Distribution => between(latencies, edges),
                Detail::Averages => averages_between(column, latencies, edges),
            };
            waited_s += part.time_waited().seconds;
            parts.push(part);
        }
        let latencies = Histogram::merged(&parts);
        Region {
            events: latencies.as_ref().map_or(0, Histogram::events),
            latencies,
            events_of_columns: columns.iter().map(|column| column.events).sum(),
            waited_s,
            waited_of_columns_s: columns.iter().map(|column| column.waited.seconds).sum(),
            covered_s: columns.iter().map(|column| column.covered_s).sum(),
            counted_s: counted_s(columns),
            edges,
        }
    }
}

impl Picture {
    /// What these rows of these columns hold. `None` where the picture has no such cells.
    pub fn region(
        &self,
        rows: RangeInclusive<usize>,
        columns: RangeInclusive<usize>,
    ) -> Option<Region> {
        let (first, last) = (self.rows.get(*rows.start())?, self.rows.get(*rows.end())?);
        Some(Region::of(self.columns.get(columns)?, (first.lo, last.hi)))
    }
}

/// Averages lie where their mean is: all of a column's, or none.
fn averages_between(
    column: &Column,
    latencies: &Histogram,
    (lo, hi): (Nanos, Option<Nanos>),
) -> Histogram {
    let mean = column.mean().unwrap_or(Nanos::ZERO);
    let inside = mean >= lo && hi.is_none_or(|hi| mean < hi);
    if inside { latencies.clone() } else { latencies.cleared() }
}

/// The counts of the buckets that begin between the edges. Rows never split buckets. Where that is
/// all of them their exact sum is known too.
fn between(latencies: &Histogram, (lo, hi): (Nanos, Option<Nanos>)) -> Histogram {
    let scheme = latencies.scheme();
    let inside = |index: usize| {
        let from = scheme.bucket(index).lo;
        from >= lo && hi.is_none_or(|hi| from < hi)
    };
    let times = || latencies.bucket_times_ns();
    if latencies.counted().chain(times()).all(|(index, _)| inside(index)) {
        return latencies.clone();
    }
    let part = |numbers: &mut dyn Iterator<Item = (usize, u64)>| {
        let mut inner = vec![0; scheme.buckets()];
        numbers.filter(|(index, _)| inside(*index)).for_each(|(index, n)| inner[index] = n);
        inner
    };
    let (counts, times) = (part(&mut latencies.counted()), part(&mut times()));
    let exact = latencies.is_time_placed() && latencies.is_time_exact();
    Histogram::new(scheme.clone(), counts, None)
        .and_then(|counts| counts.with_waited(times, exact))
        .map_or_else(
            |_| latencies.cleared(),
            |counts| counts.with_length_error(latencies.length_error()),
        )
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Quality, Scheme, Series, Timestamp};

    use super::*;
    use crate::{ColourMax, Grid, Request};

    fn picture() -> Picture {
        let frame = |second: i64, latencies: &[(u64, u32)]| {
            let mut counts = Histogram::empty(Scheme::log_linear());
            for &(us, times) in latencies {
                (0..times).for_each(|_| counts.record(Nanos::from_micros(us)));
            }
            let start = Timestamp::new(second * 1_000_000_000);
            let end = start.plus(Nanos::SECOND);
            let quality = Quality::Complete;
            Frame { series: Series::named("read"), start, end, counts, quality }
        };
        let frames = [frame(0, &[(100, 30), (9_000, 10)]), frame(1, &[(100, 20)])];
        let request = Request::on(
            Grid { end: Timestamp::new(2_000_000_000), column: Nanos::SECOND, columns: 2 },
            40,
        );
        Picture::draw(&frames, &request, &mut ColourMax::default(), &mut ColourMax::default())
    }

    #[test]
    fn a_region_counts_its_cells_and_their_share() {
        let picture = picture();
        let slow = picture.row_of(Nanos::from_millis(9)).unwrap();
        let last = picture.rows.len() - 1;
        let region = picture.region(slow..=last, 0..=1).unwrap();
        assert_eq!((region.events, region.events_of_columns), (10, 60));
        assert!((region.waited_of_columns_s - (50.0 * 100e-6 + 10.0 * 9e-3)).abs() < 1e-9);
        // Ten waits of nine milliseconds over two seconds; mid-points of buckets are 6 % wide.
        assert!((region.sessions_waiting() / 0.045 - 1.0).abs() < 0.07);
        assert!((region.rate() - 5.0).abs() < 1e-9);
        let all = picture.region(0..=last, 0..=1).unwrap();
        assert_eq!(all.events, all.events_of_columns);
        let exact = |region: &Region| region.latencies.as_ref().and_then(Histogram::sum);
        assert_eq!(exact(&all), Some(Nanos::from_micros(50 * 100 + 10 * 9_000)));
        // The second column has no slow ones: of what is left out there the time is estimated.
        assert_eq!(exact(&region), None);
        assert!((all.waited_s - all.waited_of_columns_s).abs() < 1e-9);
    }

    #[test]
    fn there_is_no_region_outside() {
        let picture = picture();
        assert_eq!(picture.region(0..=999, 0..=1), None);
        assert_eq!(picture.region(0..=1, 1..=2), None);
    }
}
