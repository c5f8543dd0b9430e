//! The frames of an entry on a regular axis of time, as coarse as is asked for.

use isotherm_analysis::{Column, Grid, Timeline, at_mean};
use isotherm_frame::{Detail, Frame, Histogram, Nanos, Scheme, Series, TimeWaited};

use crate::axis::Axis;
use crate::buckets::trimmed;
use crate::facet::Facet;
use crate::input::ReportInput;
use crate::report::Entry;

/// The most columns an entry is drawn in: more than any screen shows, and than a report can hold.
pub(super) const MOST_COLUMNS: u64 = 6_000;
/// About so many frames are placed at a time.
const AT_A_TIME: u64 = 4_096;

/// What an entry holds in columns of a whole number of the finest ones.
pub(super) struct Raster {
    /// The columns, in the buckets of the entry.
    pub timeline: Timeline,
    /// How many of the finest columns make one.
    pub factor: u64,
    /// For each column the largest count of one finest column, by bucket; empty if the columns
    /// are the finest.
    pub peaks: Vec<Vec<u64>>,
    /// How much is known of the events.
    pub detail: Detail,
}

impl Raster {
    /// Places the frames of an entry in columns of `factor` finest ones, and counts `facets`.
    pub fn of(given: &ReportInput, entry: &Entry, factor: u64, facets: &mut [Facet]) -> Raster {
        let axis = entry.axis;
        let scheme = entry.latencies.scheme();
        let mut raster = Raster::empty(axis, scheme, factor);
        let at_once = AT_A_TIME / entry.members.len().max(1) as u64 / factor;
        let stride = at_once.max(1) * factor;
        let mut first = 0;
        while first < axis.columns {
            // The last column may reach beyond the last finest one.
            let columns = stride.min(axis.columns_at(factor) * factor - first);
            let grid = axis.grid(first, columns);
            let groups = frames(given, entry, grid);
            if !facets.is_empty() {
                let some = groups.iter().enumerate().filter(|(_, frames)| !frames.is_empty());
                for (member, frames) in some {
                    let alone = Timeline::place(frames, grid);
                    let parts = in_buckets(&alone.columns, scheme);
                    for facet in &mut *facets {
                        facet.count(member, first / factor, factor, &parts);
                    }
                }
            }
            let all: Vec<Frame> = groups.into_iter().flatten().collect();
            let timeline = Timeline::place(&all, grid);
            let timeline = timeline.with_unseen_start(given.history.unseen_start());
            raster.append(&timeline.columns, factor);
            first += columns;
        }
        raster
    }

    /// The same with averages in the rows of their means, for the page: it knows that these are no
    /// latencies.
    pub fn at_means(mut self) -> Raster {
        if self.detail == Detail::Distribution {
            return self;
        }
        let columns = &mut self.timeline.columns;
        for column in columns.iter_mut() {
            column.latencies = column.latencies.take().map(|own| at_mean(&own).into_owned());
        }
        let scheme = rows_of_means(columns);
        let mut total = Histogram::empty(scheme.clone());
        for column in columns.iter_mut() {
            let own = column.latencies.take();
            column.latencies = own.and_then(|own| own.rebin(&scheme).ok());
            column.latencies.iter().for_each(|own| total.add(own));
        }
        for (column, peaks) in columns.iter().zip(&mut self.peaks) {
            let most = peaks.first().copied().unwrap_or_default();
            peaks.resize(total.scheme().buckets(), 0);
            peaks.fill(0);
            let counted = column.latencies.iter().flat_map(Histogram::counted);
            counted.for_each(|(bucket, _)| peaks[bucket] = most);
        }
        self.timeline.total = total;
        self
    }

    /// The grid its columns lie on.
    pub fn grid(&self) -> Grid {
        let end = self.timeline.columns.last().map(|column| column.end).unwrap_or_default();
        let columns = self.timeline.columns.len();
        Grid { end, column: self.timeline.column, columns }
    }

    fn empty(axis: Axis, scheme: &Scheme, factor: u64) -> Raster {
        let column = Nanos::new(axis.native.as_nanos().saturating_mul(factor));
        let total = Histogram::empty(scheme.clone());
        let timeline =
            Timeline { columns: Vec::new(), column, total, outside: 0, has_length: true };
        Raster { timeline, factor, peaks: Vec::new(), detail: scheme.detail() }
    }

    /// Adds finest columns, a whole number of times `factor`.
    fn append(&mut self, finest: &[Column], factor: u64) {
        let scheme = self.timeline.total.scheme().clone();
        for group in finest.chunks(usize::try_from(factor).unwrap_or(usize::MAX)) {
            let parts = in_buckets(group, &scheme);
            let latencies = Histogram::merged(parts.iter().flatten());
            if let Some(latencies) = &latencies {
                self.timeline.total.add(latencies);
            }
            if factor > 1 {
                self.peaks.push(peaks(&parts, &scheme));
            }
            self.timeline.columns.extend(joined(group, latencies));
        }
    }
}

/// The rows in which means lie: from the shortest to the longest, and one below for means of zero.
fn rows_of_means(columns: &[Column]) -> Scheme {
    let placed = columns.iter().filter_map(|column| column.latencies.as_ref());
    let above = placed.filter(|placed| placed.latency_total().seconds > 0.0);
    let total = Histogram::merged(above).filter(|total| !total.is_empty());
    let Some(total) = total.map(|total| trimmed(&total)) else { return Scheme::log_linear() };
    let bounds = total.scheme().bounds();
    let zero = bounds.first().filter(|&&first| first > 0).map(|_| 0);
    let all = zero.into_iter().chain(bounds.iter().copied()).collect();
    Scheme::new(all).unwrap_or_else(|_| total.scheme().clone())
}

/// The frames of each member of an entry that overlap a grid.
fn frames(given: &ReportInput, entry: &Entry, grid: Grid) -> Vec<Vec<Frame>> {
    let (range, ends) = (given.shown(), (grid.start(), grid.end));
    let of = |series: &Series| given.history.placed(series, range, ends).collect();
    entry.members.iter().map(|(series, _)| of(series)).collect()
}

/// The latencies of each column in the buckets of an entry.
fn in_buckets(columns: &[Column], scheme: &Scheme) -> Vec<Option<Histogram>> {
    let rebinned = |column: &Column| {
        let latencies = column.latencies.as_ref()?;
        // The entry's buckets split none of its frames'; an empty column splits nothing either.
        Some(latencies.rebin(scheme).unwrap_or_else(|_| Histogram::empty(scheme.clone())))
    };
    columns.iter().map(rebinned).collect()
}

/// The largest count of each bucket in any of the columns.
fn peaks(parts: &[Option<Histogram>], scheme: &Scheme) -> Vec<u64> {
    let mut most = vec![0; scheme.buckets()];
    for part in parts.iter().flatten() {
        for (bucket, count) in part.counted() {
            most[bucket] = count.max(most[bucket]);
        }
    }
    most
}

/// Several columns as one that holds these latencies; `None` of none.
fn joined(group: &[Column], latencies: Option<Histogram>) -> Option<Column> {
    let waited = latencies.as_ref().map(Histogram::time_waited);
    Some(Column {
        events: latencies.as_ref().map_or(0, Histogram::events),
        waited: waited.unwrap_or(TimeWaited { seconds: 0.0, exact: true }),
        latencies,
        ..Column::joined(group.iter())?
    })
}
