//! The time axis: dividing frames among columns of time.

use std::borrow::Borrow;

use isotherm_frame::{Frame, Gap, Histogram, Quality, TimeWaited, Timestamp};

use crate::unplaced::unplaced_s;
use crate::{Column, ColumnState, Grid};

/// Divides frames, in the order of their starts, among columns. Gives the columns and the events that
/// fall outside them.
pub(crate) fn place(
    frames: impl IntoIterator<Item: Borrow<Frame>>,
    grid: Grid,
) -> (Vec<Column>, u64) {
    let mut columns = empty_columns(grid);
    let mut outside = 0;
    let mut covered_to = Timestamp::new(i64::MIN);
    for frame in frames {
        let frame = frame.borrow();
        if frame.is_gap() {
            note_gap(&mut columns, frame);
        } else {
            let stretch = on_grid(frame, &columns);
            outside += share_out(&mut columns, frame, stretch, covered_to);
            // An amendment says nothing about the time it lies in but what was waited.
            if !frame.is_amendment() {
                covered_to = covered_to.max(stretch.1);
            }
        }
    }
    (columns, outside)
}

fn empty_columns(grid: Grid) -> Vec<Column> {
    let width = i64::try_from(grid.column.as_nanos().max(1)).unwrap_or(i64::MAX);
    let count = i64::try_from(grid.columns).unwrap_or(i64::MAX);
    let end = grid.end.as_nanos();
    (0..count)
        .map(|index| {
            let start = end.saturating_sub((count - index).saturating_mul(width));
            Column {
                start: Timestamp::new(start),
                end: Timestamp::new(start.saturating_add(width)),
                state: ColumnState::NoData,
                events: 0,
                waited: TimeWaited { seconds: 0.0, exact: true },
                covered_s: 0.0,
                counted_s: 0.0,
                unplaced_s: 0.0,
                latencies: None,
            }
        })
        .collect()
}

fn overlapping(columns: &mut [Column], (start, end): (Timestamp, Timestamp)) -> &mut [Column] {
    let from = columns.partition_point(|column| column.end <= start);
    let to = columns.partition_point(|column| column.start < end);
    &mut columns[from..to.max(from)]
}

fn note_gap(columns: &mut [Column], frame: &Frame) {
    let reset = frame.quality == Quality::Gap(Gap::Reset);
    for column in overlapping(columns, (frame.start, frame.end)) {
        if reset && column.state == ColumnState::NoData {
            column.state = ColumnState::Reset;
        }
    }
}

/// The share of a column, or of a frame that is shorter, that the frame's start or end may be off
/// the column's edge and is taken to be on it: clocks are read some time late, and a sliver of an
/// interval says nothing about a column.
const OFF_THE_EDGE: i64 = 50;

/// Where a frame lies, its start and end moved to a column's edge if they nearly are there.
fn on_grid(frame: &Frame, columns: &[Column]) -> (Timestamp, Timestamp) {
    let Some(first) = columns.first() else { return (frame.start, frame.end) };
    // Whoever knows when time was waited has exact times.
    if frame.counts.is_time_placed() {
        return (frame.start, frame.end);
    }
    let width = i64::try_from(first.end.since(first.start).as_nanos()).unwrap_or(i64::MAX);
    let shorter = width.min(i64::try_from(frame.length().as_nanos()).unwrap_or(i64::MAX));
    let nearest = |at: Timestamp| {
        let after = (at.as_nanos().saturating_sub(first.start.as_nanos())).rem_euclid(width.max(1));
        let off = if after > width / 2 { after - width } else { after };
        let near = off.abs() <= shorter / OFF_THE_EDGE;
        if near { Timestamp::new(at.as_nanos().saturating_sub(off)) } else { at }
    };
    let (start, end) = (nearest(frame.start), nearest(frame.end));
    if start < end { (start, end) } else { (frame.start, frame.end) }
}

/// Adds a frame, lying from `start` to `end`, to the columns it overlaps; gives the events outside
/// all of them. Frames before it cover the time up to `covered_to`.
fn share_out(
    columns: &mut [Column],
    frame: &Frame,
    (start, end): (Timestamp, Timestamp),
    covered_to: Timestamp,
) -> u64 {
    let length = end.since(start);
    // Rates are of the true length, wherever the frame was moved.
    let truth = frame.length().as_secs_f64() / length.as_secs_f64();
    let mut placed = 0;
    for column in overlapping(columns, (start, end)) {
        let from = column.start.max(start).since(start).as_nanos();
        let to = column.end.min(end).since(start).as_nanos();
        let part = frame.counts.part((from, to), length.as_nanos());
        if !frame.is_amendment() {
            column.state = ColumnState::Data;
            let fresh = column.start.max(start).max(covered_to);
            column.covered_s += column.end.min(end).since(fresh).as_secs_f64() * truth;
        }
        placed += part.events();
        add_part(column, part, frame.has_length());
    }
    frame.counts.events() - placed
}

fn add_part(column: &mut Column, part: Histogram, has_length: bool) {
    let waited = part.time_waited();
    column.events = column.events.saturating_add(part.events());
    column.waited.seconds += waited.seconds;
    column.waited.exact &= waited.exact;
    if has_length {
        column.unplaced_s += unplaced_s(&part, column.length());
    }
    match &mut column.latencies {
        Some(latencies) => latencies.add(&part),
        none => *none = Some(part),
    }
}
