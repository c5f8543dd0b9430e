//! An entry's columns as bytes: unsigned LEB128 numbers, runs and differences, so that what is
//! empty costs nothing.

use isotherm_analysis::{Column, ColumnState, Timeline};
use isotherm_frame::Histogram;
use isotherm_frame::leb128::push;

use crate::facet::FacetCounts;
use crate::raster::Raster;
use crate::spread_time::{self, latencies};

/// The blocks of one entry.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub state: Vec<u8>,
    pub covered: Vec<u8>,
    /// The part of it in which ends were counted; `None` where that is all of it, or none.
    pub counted: Option<Vec<u8>>,
    pub cells: Vec<u8>,
    /// The total latency of the events of each column; `None` where it is estimated for all of them
    /// from the buckets.
    pub sums: Option<Vec<u8>>,
    /// The time of cells that say when time was waited, see [`spread_time`]; `None` where none does.
    pub times: Option<Vec<u8>>,
    /// The share of each column's time that belongs to events longer than it, in thousandths, rounded
    /// up; `None` where there are none.
    pub unplaced: Option<Vec<u8>>,
    /// The largest count of one finest column for each cell; `None` where the columns are those.
    pub peaks: Option<Vec<u8>>,
    /// One for each facet.
    pub facets: Vec<Vec<u8>>,
}

impl Blocks {
    pub fn of(raster: &Raster, facets: &[FacetCounts]) -> Blocks {
        let columns = &raster.timeline.columns;
        Blocks {
            state: runs(columns.iter().map(state)),
            covered: runs(columns.iter().map(|column| whole_us(column.covered_s))),
            counted: counted(columns),
            cells: cells(&raster.timeline),
            sums: sums(raster),
            times: spread_time::block(&raster.timeline),
            unplaced: unplaced(columns),
            peaks: (raster.factor > 1).then(|| peaks(raster)),
            facets: facets.iter().map(facet).collect(),
        }
    }
}

impl Blocks {
    /// All blocks.
    pub fn each(&self) -> impl Iterator<Item = &[u8]> {
        let optional = [&self.counted, &self.sums, &self.times, &self.unplaced, &self.peaks]
            .into_iter()
            .flatten();
        let all = [&self.state, &self.covered, &self.cells].into_iter();
        all.chain(optional).chain(&self.facets).map(Vec::as_slice)
    }
}

/// Each value with the number of times it follows upon itself.
fn runs(values: impl Iterator<Item = u64>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut run: Option<(u64, u64)> = None;
    for value in values {
        run = match run {
            Some((same, count)) if same == value => Some((same, count + 1)),
            before => {
                push_run(&mut out, before);
                Some((value, 1))
            }
        };
    }
    push_run(&mut out, run);
    out
}

fn push_run(out: &mut Vec<u8>, run: Option<(u64, u64)>) {
    if let Some((value, count)) = run {
        push(out, value);
        push(out, count);
    }
}

fn state(column: &Column) -> u64 {
    match column.state {
        ColumnState::Data => 0,
        ColumnState::NoData => 1,
        ColumnState::Reset => 2,
    }
}

fn whole_us(seconds: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let us = (seconds * 1e6).round() as u64;
    us
}

fn counted(columns: &[Column]) -> Option<Vec<u8>> {
    let lengths = || columns.iter().map(|column| whole_us(column.counted_s));
    let is_part =
        columns.iter().zip(lengths()).any(|(column, us)| us != whole_us(column.covered_s));
    (is_part && lengths().any(|us| us > 0)).then(|| runs(lengths()))
}

fn cells(timeline: &Timeline) -> Vec<u8> {
    let mut out = Vec::new();
    for latencies in latencies(timeline) {
        push_column(&mut out, &latencies.map(Histogram::counts).unwrap_or_default());
    }
    out
}

/// The runs of non-zero counts of a column.
fn push_column(out: &mut Vec<u8>, counts: &[u64]) {
    let filled: Vec<&[u64]> = counts.split(|&count| count == 0).collect();
    let runs = filled.iter().filter(|run| !run.is_empty()).count();
    push(out, runs as u64);
    let mut skipped = 0;
    for run in filled {
        if run.is_empty() {
            skipped += 1;
            continue;
        }
        push(out, skipped);
        push(out, run.len() as u64);
        for &count in run {
            push(out, count);
        }
        // The zero that ended the run.
        skipped = 1;
    }
}

fn sums(raster: &Raster) -> Option<Vec<u8>> {
    // What is exact for some series and estimated for others is nearer than bucket mid-points for all:
    // it is the number of the head. Of averages the mean is all there is.
    let known = |counts: &Histogram| counts.sum().or(counts.partly_known_sum());
    let mut out = Vec::new();
    for latencies in latencies(&raster.timeline) {
        push(&mut out, latencies.map_or(Some(0), |counts| Some(known(counts)?.as_nanos()))?);
    }
    Some(out)
}

fn unplaced(columns: &[Column]) -> Option<Vec<u8>> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
    let thousandths = |column: &Column| (column.unplaced_share() * 1e3).ceil() as u64;
    let any = columns.iter().any(Column::has_unplaced_time);
    any.then(|| runs(columns.iter().map(thousandths)))
}

fn peaks(raster: &Raster) -> Vec<u8> {
    let mut out = Vec::new();
    for (column, peaks) in raster.timeline.columns.iter().zip(&raster.peaks) {
        let counted = column.latencies.iter().flat_map(Histogram::counted);
        counted.for_each(|(bucket, _)| push(&mut out, peaks[bucket]));
    }
    out
}

fn facet(facet: &FacetCounts) -> Vec<u8> {
    let mut out = Vec::new();
    for row in facet.rows() {
        push(&mut out, row.iter().filter(|&&count| count > 0).count() as u64);
        let mut next = 0;
        for (octave, &count) in row.iter().enumerate().filter(|(_, count)| **count > 0) {
            push(&mut out, (octave - next) as u64);
            push(&mut out, count);
            next = octave + 1;
        }
    }
    out
}
