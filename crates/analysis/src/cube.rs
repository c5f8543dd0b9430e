//! How the events of several series lie in the cells of one picture.

use std::ops::RangeInclusive;

use isotherm_frame::{Detail, Frame, Histogram, Nanos, Series};

use crate::average_line::row_of_mean;
use crate::columns::place;
use crate::{Amount, Column, Grid, Part, Picture};

/// A cell that is not empty.
#[derive(Copy, Clone, Debug)]
struct FilledCell {
    row: usize,
    column: usize,
    amount: Amount,
}

/// The counts of each of several series by row and column of a picture.
#[derive(Clone, Debug)]
pub struct Cube {
    /// The cells of each series that are not empty.
    series: Vec<(Series, Vec<FilledCell>)>,
}

impl Cube {
    /// Places the frames of each series on the axes of the picture. Frames that lie outside its
    /// columns are not counted.
    pub fn of(picture: &Picture, members: impl IntoIterator<Item = (Series, Vec<Frame>)>) -> Cube {
        let Some(grid) = grid_of(&picture.columns) else {
            return Cube { series: Vec::new() };
        };
        let count = |(series, frames): (Series, Vec<Frame>)| {
            let (placed, _) = place(&frames, grid);
            (series, counts(picture, &placed))
        };
        Cube { series: members.into_iter().map(count).collect() }
    }

    /// How many series there are.
    pub fn series(&self) -> usize {
        self.series.len()
    }

    /// The events of each series in these rows of these columns, and in all other cells.
    pub fn parts(
        &self,
        rows: &RangeInclusive<usize>,
        columns: &RangeInclusive<usize>,
    ) -> Vec<Part> {
        let part = |(series, cells): &(Series, Vec<FilledCell>)| {
            let (mut inside, mut outside) = (Amount::default(), Amount::default());
            for FilledCell { row, column, amount } in cells {
                let chosen = rows.contains(row) && columns.contains(column);
                let side = if chosen { &mut inside } else { &mut outside };
                side.add(*amount);
            }
            Part { series: series.clone(), inside, outside }
        };
        self.series.iter().map(part).collect()
    }
}

/// The axis of these columns.
fn grid_of(columns: &[Column]) -> Option<Grid> {
    let (first, last) = (columns.first()?, columns.last()?);
    let column: Nanos = first.end.since(first.start);
    Some(Grid { end: last.end, column, columns: columns.len() })
}

/// The cells of placed columns that are not empty. The time waited is that of the middles of buckets.
fn counts(picture: &Picture, placed: &[Column]) -> Vec<FilledCell> {
    if picture.detail() == Detail::Averages {
        return averages(picture, placed);
    }
    let mut cells: Vec<FilledCell> = Vec::new();
    for (index, column) in placed.iter().enumerate() {
        for (bucket, count) in column.latencies.iter().flat_map(Histogram::non_zero) {
            let above = picture.rows.partition_point(|row| row.lo <= bucket.lo);
            let row = above.saturating_sub(1);
            let amount = Amount::of(count, bucket.mid_point());
            match cells.last_mut() {
                Some(last) if (last.row, last.column) == (row, index) => last.amount.add(amount),
                _ => cells.push(FilledCell { row, column: index, amount }),
            }
        }
    }
    cells
}

/// The same of averages: each column in the row of the picture's mean.
fn averages(picture: &Picture, placed: &[Column]) -> Vec<FilledCell> {
    let filled = placed.iter().zip(&picture.columns).enumerate();
    let filled = filled.filter(|(_, (own, _))| own.events > 0);
    let cell = |(column, (own, all)): (usize, (&Column, &Column))| {
        let mean = own.latencies.as_ref().and_then(Histogram::mean_ns).unwrap_or_default();
        let mean = Nanos::from_secs_f64(mean / 1e9).unwrap_or_default();
        let amount = Amount::of_average(own.events, mean);
        FilledCell { row: row_of_mean(&picture.rows, all), column, amount }
    };
    filled.map(cell).collect()
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Quality, Scheme, Timestamp};
    use proptest::prelude::*;

    use super::*;
    use crate::{ColourMax, Request};

    fn frame(series: &Series, second: i64, waits: &[(u64, u64)]) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for &(us, times) in waits {
            (0..times).for_each(|_| counts.record(Nanos::from_micros(us)));
        }
        let start = Timestamp::new(second * 1_000_000_000);
        let end = start.plus(Nanos::SECOND);
        Frame { series: series.clone(), start, end, counts, quality: Quality::Complete }
    }

    fn picture(frames: &[Frame], columns: usize) -> Picture {
        let end = frames.iter().map(|frame| frame.end).max().unwrap();
        let request = Request::on(Grid { end, column: Nanos::SECOND, columns }, 40);
        Picture::draw(frames, &request, &mut ColourMax::default(), &mut ColourMax::default())
    }

    proptest! {
        /// Whatever is selected: the series' parts add up to the picture's cells there, and to
        /// everything drawn.
        #[test]
        fn parts_add_up_to_the_picture(
            waits in prop::collection::vec((0_u8..3, 0_i64..8, 50_u64..60_000, 1_u64..9), 1..40),
            corner in (0_usize..60, 0_usize..8, 0_usize..60, 0_usize..8),
        ) {
            let all: Vec<Series> = ["a", "b", "c"].map(Series::named).to_vec();
            let mut members: Vec<(Series, Vec<Frame>)> =
                all.iter().map(|series| (series.clone(), Vec::new())).collect();
            for (which, second, us, times) in waits {
                let (series, frames) = &mut members[usize::from(which)];
                frames.push(frame(series, second, &[(us, times)]));
            }
            let frames: Vec<Frame> = members.iter().flat_map(|(_, frames)| frames.clone()).collect();
            // The oldest frames may lie before the first column.
            let picture = picture(&frames, 5);
            let cube = Cube::of(&picture, members);
            let rows = corner.0.min(corner.2)..=corner.0.max(corner.2);
            let columns = (corner.1.min(corner.3).min(4))..=(corner.1.max(corner.3).min(4));
            let parts = cube.parts(&rows, &columns);
            let expected: u64 = (0..picture.rows.len())
                .filter(|row| rows.contains(row))
                .flat_map(|row| columns.clone().map(move |column| (row, column)))
                .map(|(row, column)| picture.counts[picture.cell(row, column)])
                .sum();
            prop_assert_eq!(parts.iter().map(|part| part.inside.events).sum::<u64>(), expected);
            let drawn: u64 = picture.counts.iter().sum();
            let counted: u64 = parts.iter().map(|part| part.inside.events + part.outside.events).sum();
            prop_assert_eq!(counted, drawn);
            prop_assert_eq!(cube.series(), 3);
        }
    }

    #[test]
    fn nothing_has_no_parts() {
        let series = Series::named("read");
        let mut empty = picture(&[frame(&series, 0, &[(100, 1)])], 1);
        empty.columns.clear();
        let cube = Cube::of(&empty, [(series, Vec::new())]);
        assert_eq!(cube.parts(&(0..=3), &(0..=3)), []);
    }
}
