//! The picture of a heat map: cells over time and latency, with everything a view prints beside
//! them. Views only paint it.

use std::borrow::Cow;

use isotherm_frame::{
    Detail, Frame, Histogram, Mark, Nanos, QuantileInterval, Timestamp, shown_name,
};

use crate::average_line::{means, row_of_mean};
use crate::per_second::{PerSecond, whole_cells};
use crate::{
    ColourMax, Column, ColumnState, Grid, Legend, Row, Scale, Shade, Timeline, choose_rows,
    main_range, rows_within,
};

/// What picture is wanted.
#[derive(Clone, Debug)]
pub struct Request {
    /// The time axis.
    pub grid: Grid,
    /// The largest number of rows.
    pub most_rows: usize,
    /// A range of latency to keep on the axis even if nothing is there.
    pub keep: Option<(Nanos, Nanos)>,
    /// The range of latency that has rows of its own, whatever the data: all else is collected below
    /// and above.
    pub only: Option<(Nanos, Nanos)>,
    /// The number of steps of the colour ramps.
    pub steps: u8,
    /// The scale of the frequency map.
    pub frequency_scale: Scale,
    /// The scale of the intensity map.
    pub intensity_scale: Scale,
    /// Moments to mark on the time axis.
    pub marks: Vec<Mark>,
}

impl Request {
    /// The number of steps of the colour ramps, if nothing else is wanted.
    pub const STEPS: u8 = 8;

    /// The usual picture on this time axis in at most so many rows, without marks.
    pub fn on(grid: Grid, most_rows: usize) -> Request {
        Request {
            grid,
            most_rows,
            keep: None,
            only: None,
            steps: Request::STEPS,
            frequency_scale: Scale::Sqrt,
            intensity_scale: Scale::Power,
            marks: Vec::new(),
        }
    }
}

/// A heat map of frequency and of intensity over the same axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The latency axis, shortest first.
    pub rows: Vec<Row>,
    /// The time axis, oldest first.
    pub columns: Vec<Column>,
    /// Events in each cell; row-major, `rows x columns`.
    pub counts: Vec<u64>,
    /// Whether a cell holds time of events longer than its column, from a source that says only when
    /// they ended: an unknown part of it was waited before the column. Row-major, `rows x columns`.
    pub unplaced: Vec<bool>,
    /// Events per second.
    pub frequency: Map,
    /// Seconds waited per second: average waiting.
    pub intensity: Map,
    /// The numbers above the maps.
    pub headline: Headline,
    /// All events in the picture.
    pub total: Histogram,
    /// Events of the given frames that fall before the first or after the last column.
    pub outside: u64,
    /// Marks within the picture.
    pub marks: Vec<PlacedMark>,
    /// Whether it is known how long any interval was: if not, no rate means anything.
    pub has_length: bool,
}

/// One of the two maps.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Values; row-major, `rows x columns`.
    pub cells: Vec<f64>,
    /// The same as shades.
    pub shades: Vec<Shade>,
    /// What the shades stand for.
    pub legend: Legend,
    /// The sum of each column.
    pub sums: Vec<f64>,
    /// The largest column sum.
    pub max_sum: f64,
}

/// A mark at its column.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedMark {
    /// The column.
    pub column: usize,
    /// When: its own time, not that of the column.
    pub at: Timestamp,
    /// What to call it.
    pub text: String,
}

/// The numbers above the maps.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    /// Events per second in the last column with data.
    pub now_events: f64,
    /// Seconds waited per second in the last column with data.
    pub now_waited: f64,
    /// Whether all time waited is measured, not estimated from buckets.
    pub exact: bool,
    /// The mean latency over the picture, in nanoseconds.
    pub mean_ns: Option<f64>,
    /// p50, p90, p99, p99.9 and the maximum over the picture.
    pub quantiles: Vec<QuantileInterval>,
}

/// The share of the colour maximum below which a frequency is only a trace.
const FREQUENCY_TRACE: f64 = 0.0012;
/// The share of the colour maximum below which an intensity is only a trace.
const INTENSITY_TRACE: f64 = 0.004;

impl Picture {
    /// Whether it is of a single interval: it has no course over time, and is drawn as histograms.
    pub fn is_single_interval(&self) -> bool {
        self.columns.len() == 1 && !self.rows.is_empty()
    }

    /// Draws the frames. `frequency_max` and `intensity_max` follow the cells and are to be kept
    /// from picture to picture.
    ///
    /// A frame longer than a column, or lying across two, is divided between them in proportion
    /// to time in whole events, so that the counts drawn and [`Picture::outside`] add up to the
    /// counts given.
    pub fn draw(
        frames: &[Frame],
        request: &Request,
        frequency_max: &mut ColourMax,
        intensity_max: &mut ColourMax,
    ) -> Picture {
        let timeline = Timeline::place(frames, request.grid);
        Picture::of(timeline, request, frequency_max, intensity_max)
    }

    /// Draws what is already placed on a time axis; that of the request is not used.
    pub fn of(
        timeline: Timeline,
        request: &Request,
        frequency_max: &mut ColourMax,
        intensity_max: &mut ColourMax,
    ) -> Picture {
        let Timeline { columns, total, outside, has_length, .. } = timeline;
        let rows = chosen_rows(&total, &columns, request);
        let cells = match total.detail() {
            Detail::Distribution => Cells::count(&rows, &columns),
            Detail::Averages => Cells::averages(&rows, &columns),
        };
        let frequency = Map::new(cells.frequency, &columns, PerSecond::EVENTS).shaded(
            &PerSecond::EVENTS.whole(&columns),
            (request.frequency_scale, request.steps),
            frequency_max,
            FREQUENCY_TRACE,
        );
        let intensity = Map::new(cells.intensity, &columns, PerSecond::WAITED).shaded(
            &PerSecond::WAITED.whole(&columns),
            (request.intensity_scale, request.steps),
            intensity_max,
            INTENSITY_TRACE,
        );
        Picture {
            headline: headline(&columns, &total, &frequency, &intensity),
            marks: place_marks(&request.marks, &columns),
            rows,
            columns,
            counts: cells.counts,
            unplaced: cells.unplaced,
            frequency,
            intensity,
            total,
            outside,
            has_length,
        }
    }

    /// Whether the cells are latencies in rows, or one mean to a column.
    pub fn detail(&self) -> Detail {
        self.total.detail()
    }

    /// The range of latency that its rows are chosen for; `None` of nothing.
    pub fn main_range(&self) -> Option<(Nanos, Nanos)> {
        match self.detail() {
            Detail::Distribution => main_range(&self.total),
            // Time without events has no latency.
            Detail::Averages if self.total.is_time_only() => None,
            Detail::Averages => main_range(&means(&self.columns)),
        }
    }

    /// The index of a cell in the row-major vectors.
    pub fn cell(&self, row: usize, column: usize) -> usize {
        row * self.columns.len() + column
    }

    /// The row that holds a latency.
    pub fn row_of(&self, latency: Nanos) -> Option<usize> {
        self.rows.iter().position(|row| latency >= row.lo && row.hi.is_none_or(|hi| latency < hi))
    }

    /// Whether a part of a cell's time was waited before its column, as far as the source can say.
    pub fn is_unplaced(&self, row: usize, column: usize) -> bool {
        self.unplaced.get(self.cell(row, column)).copied().unwrap_or_default()
    }

    /// Whether a row holds such time anywhere.
    pub fn is_row_unplaced(&self, row: usize) -> bool {
        let width = self.columns.len();
        self.unplaced.get(row * width..(row + 1) * width).is_some_and(|cells| cells.contains(&true))
    }

    /// Whether the most that waited in a column counts time where it ended: it is no number of
    /// those who waited at once.
    pub fn most_is_of_ends(&self) -> bool {
        let pairs = self.columns.iter().zip(&self.intensity.sums);
        let most = pairs.filter(|(_, sum)| **sum >= self.intensity.max_sum);
        most.map(|(column, _)| column).any(Column::counts_at_ends)
    }

    /// The last column with data.
    pub fn last_data(&self) -> Option<usize> {
        self.columns.iter().rposition(|column| column.state == ColumnState::Data)
    }
}

/// The rows that are asked for: of latencies by their buckets, of averages by the means.
fn chosen_rows(total: &Histogram, columns: &[Column], request: &Request) -> Vec<Row> {
    let counts = match total.detail() {
        Detail::Distribution => Cow::Borrowed(total),
        Detail::Averages => Cow::Owned(means(columns)),
    };
    request.only.filter(|_| !counts.is_blank()).map_or_else(
        || choose_rows(&counts, request.most_rows, request.keep),
        |range| rows_within(&counts, request.most_rows, range),
    )
}

struct Cells {
    counts: Vec<u64>,
    unplaced: Vec<bool>,
    frequency: Vec<f64>,
    intensity: Vec<f64>,
}

impl Cells {
    fn empty(rows: &[Row], columns: &[Column]) -> Cells {
        let cells = rows.len() * columns.len();
        Cells {
            counts: vec![0; cells],
            unplaced: vec![false; cells],
            frequency: vec![0.0; cells],
            intensity: vec![0.0; cells],
        }
    }

    /// All events and time of a column at the row of their mean.
    fn averages(rows: &[Row], columns: &[Column]) -> Cells {
        let mut cells = Cells::empty(rows, columns);
        if rows.is_empty() {
            return cells;
        }
        for (index, column) in columns.iter().enumerate() {
            let cell = row_of_mean(rows, column) * columns.len() + index;
            cells.counts[cell] = column.events;
            cells.frequency[cell] = column.events as f64;
            cells.intensity[cell] = column.waited.seconds;
            cells.unplaced[cell] = column.has_unplaced_time();
        }
        cells
    }

    /// Counts events and time by row and column. Time estimated from bucket mid-points is scaled
    /// to the exact total where that is known.
    fn count(rows: &[Row], columns: &[Column]) -> Cells {
        let width = columns.len();
        let mut cells = Cells::empty(rows, columns);
        if rows.is_empty() {
            return cells;
        }
        for (index, column) in columns.iter().enumerate() {
            let Some(latencies) = &column.latencies else { continue };
            let lo = |bucket: usize| latencies.scheme().bucket(bucket).lo;
            let cell = |bucket: usize| {
                let above = rows.partition_point(|row| row.lo <= lo(bucket));
                above.saturating_sub(1) * width + index
            };
            for (bucket, count) in latencies.counted() {
                let cell = cell(bucket);
                cells.counts[cell] = cells.counts[cell].saturating_add(count);
                cells.frequency[cell] += count as f64;
            }
            for (bucket, ns) in latencies.bucket_times_ns() {
                cells.intensity[cell(bucket)] += Nanos::new(ns).as_secs_f64();
            }
            for (bucket, _) in latencies.unplaced_times_ns() {
                cells.unplaced[cell(bucket)] |= column.is_unplaced(lo(bucket));
            }
        }
        cells
    }
}

impl Map {
    /// A map of amounts per second, without shades yet.
    fn new(mut cells: Vec<f64>, columns: &[Column], of: PerSecond) -> Map {
        let per_second = |value: f64, column: &Column| {
            let length_s = (of.length_s)(column);
            if length_s > 0.0 { value / length_s } else { 0.0 }
        };
        for row in cells.chunks_mut(columns.len().max(1)) {
            for (cell, column) in row.iter_mut().zip(columns) {
                *cell = per_second(*cell, column);
            }
        }
        let sums: Vec<f64> =
            columns.iter().map(|column| per_second((of.amount)(column), column)).collect();
        let max_sum = of.most(&sums, columns);
        let legend = Legend::new(Scale::Linear, 1, &ColourMax::default(), 0.0, &[]);
        Map { cells, shades: Vec::new(), legend, sums, max_sum }
    }

    fn shaded(
        mut self,
        whole: &[bool],
        (scale, steps): (Scale, u8),
        max: &mut ColourMax,
        trace: f64,
    ) -> Map {
        let whole = whole_cells(&self.cells, whole);
        max.follow(&whole);
        self.legend = Legend::new(scale, steps, max, trace, &whole);
        self.shades = self.cells.iter().map(|&cell| self.legend.shade(cell)).collect();
        self
    }
}

fn headline(columns: &[Column], total: &Histogram, frequency: &Map, intensity: &Map) -> Headline {
    let quantile = |q: &f64| total.quantile(*q).ok();
    Headline {
        now_events: PerSecond::EVENTS.at_last(&frequency.sums, columns),
        now_waited: PerSecond::WAITED.at_last(&intensity.sums, columns),
        exact: columns.iter().all(|column| column.waited.exact),
        mean_ns: total.mean_ns(),
        quantiles: [0.5, 0.9, 0.99, 0.999, 1.0].iter().filter_map(quantile).collect(),
    }
}

fn place_marks(marks: &[Mark], columns: &[Column]) -> Vec<PlacedMark> {
    let column_of = |at: Timestamp| columns.iter().position(|c| c.start <= at && at < c.end);
    let place = |mark: &Mark| {
        let placed = |column| PlacedMark { column, at: mark.at, text: shown_name(&mark.text) };
        column_of(mark.at).map(placed)
    };
    marks.iter().filter_map(place).collect()
}

#[cfg(test)]
#[path = "picture_tests.rs"]
mod tests;
