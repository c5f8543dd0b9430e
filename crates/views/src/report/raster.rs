//! The frames of an entry on a regular axis of time, as coarse as is asked for.

use isotherm_analysis::{Column, Grid, Span, Timeline};
use isotherm_frame::{Frame, Histogram, Nanos, Scheme, Series, TimeWaited, Timestamp};

use super::facet::Facet;
use super::{Entry, Given};

/// The most columns an entry is drawn in: more than any screen shows, and than a report can hold.
pub(super) const MOST_COLUMNS: u64 = 6_000;
/// The most finest columns: sparse intervals far apart must not cost memory for what lies between.
const MOST_FINEST: u64 = 1 << 17;
/// About so many frames are placed at a time.
const AT_A_TIME: u64 = 4_096;

/// The finest columns of an entry.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// The start of the first column.
    pub start: Timestamp,
    /// The length of one.
    pub native: Nanos,
    /// Their number, at least one.
    pub columns: u64,
}

/// What an entry holds in columns of a whole number of the finest ones.
pub(super) struct Raster {
    /// The columns, in the buckets of the entry.
    pub timeline: Timeline,
    /// How many of the finest columns make one.
    pub factor: u64,
    /// For each column the largest count of one finest column, by bucket; empty if the columns
    /// are the finest.
    pub peaks: Vec<Vec<u64>>,
}

impl Axis {
    /// The axis of these series in the time shown; `None` without intervals.
    pub fn of(given: &Given, members: &[(Series, u64)]) -> Option<Axis> {
        let (from, to) = given.shown();
        let spans = members.iter().flat_map(|(series, _)| given.history.spans(series, from, to));
        let spans: Vec<Span> = spans.collect();
        let grid =
            Grid::covering_spans(&spans, usize::try_from(MOST_FINEST).unwrap_or(usize::MAX))?;
        let columns = u64::try_from(grid.columns).unwrap_or(u64::MAX);
        Some(Axis { start: grid.start(), native: grid.column, columns })
    }

    /// The fewest finest columns to make one of at most `most`.
    pub fn factor_for(self, most: u64) -> u64 {
        self.columns.div_ceil(most.max(1)).max(1)
    }

    /// The number of columns when `factor` of the finest make one.
    pub fn columns_at(self, factor: u64) -> u64 {
        self.columns.div_ceil(factor.max(1))
    }

    /// The start of a finest column.
    fn at(self, column: u64) -> Timestamp {
        self.start.plus(Nanos::new(self.native.as_nanos().saturating_mul(column)))
    }

    /// The grid of the finest columns from `first` on.
    fn grid(self, first: u64, columns: u64) -> Grid {
        let count = usize::try_from(columns).unwrap_or(usize::MAX);
        Grid { end: self.at(first + columns), column: self.native, columns: count }
    }
}

impl Raster {
    /// Places the frames of an entry in columns of `factor` finest ones, and counts `facets`.
    pub fn of(given: &Given, entry: &Entry, factor: u64, facets: &mut [Facet]) -> Raster {
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
            raster.append(&Timeline::place(&all, grid).columns, factor);
            first += columns;
        }
        raster
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
        let timeline = Timeline { columns: Vec::new(), column, total, outside: 0 };
        Raster { timeline, factor, peaks: Vec::new() }
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

/// The frames of each member of an entry that overlap a grid.
fn frames(given: &Given, entry: &Entry, grid: Grid) -> Vec<Vec<Frame>> {
    let (from, to) = given.shown();
    let shown = |frame: &Frame| frame.end > from && frame.start < to;
    let of = |series: &Series| {
        given.history.each(series, grid.start(), grid.end).filter(shown).collect()
    };
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
