//! What is on the screen: the picture, and where its parts are.

use isotherm_analysis::{Cube, Picture, SeriesWaits};
use isotherm_frame::{Nanos, Series, Timestamp};
use ratatui::layout::{Position, Rect};

use isotherm_views::MapKind;

use crate::across::Across;
use crate::plan::{LayoutRequest, Plan};
use crate::selection::{Cursor, Explained, Range, SelectedTime};
use crate::stack::Line;
use crate::story::Story;

/// A picture laid out on a screen.
pub(super) struct Scene {
    pub(super) area: Rect,
    /// What of it depends on more than the size.
    pub(super) wanted: LayoutRequest,
    pub(super) plan: Plan,
    pub(super) picture: Picture,
    /// The lines of the maps, longest latencies first.
    pub(super) lines: Vec<Line>,
    pub(super) story: Story,
    /// Who waited most in the time on the screen, where there is room for it.
    pub(super) waits: Vec<(Series, SeriesWaits)>,
    /// Where the frames kept of the series shown begin.
    pub(super) begins: Option<Timestamp>,
    /// The series shown, told apart; once a selection needs it.
    pub(super) cube: Option<Cube>,
    pub(super) explained: Option<Explained>,
}

/// A place on a map.
pub(super) struct Spot {
    pub(super) map: MapKind,
    pub(super) at: Option<Timestamp>,
    pub(super) latency: Option<Nanos>,
}

impl Scene {
    /// How the columns of time lie across the characters of a map.
    pub(super) fn across(&self) -> Across {
        let width = u16::try_from(self.plan.columns()).unwrap_or(u16::MAX);
        Across { columns: self.picture.columns.len(), width }
    }

    /// The rows on the line of text that holds a row: what a reader sees as one.
    pub(super) fn rows_of_line(&self, row: usize) -> Range {
        let line = self.lines.iter().find(|line| line.holds(row));
        let (upper, lower) = line.map_or((None, None), |line| (line.upper, line.lower));
        lower.or(upper).unwrap_or(row)..=upper.or(lower).unwrap_or(row)
    }

    /// Whether the picture is of a single interval: then it has no course, and is a histogram.
    pub(super) fn is_single(&self) -> bool {
        self.picture.columns.len() == 1
    }

    /// The lower bound of a line's latencies, and the upper one if there is one.
    pub(super) fn edges_of_line(&self, line: &Line) -> Option<(Nanos, Option<Nanos>)> {
        let of = |row: Option<usize>| row.and_then(|row| self.picture.rows.get(row));
        let (lower, upper) = (of(line.lower.or(line.upper))?, of(line.upper.or(line.lower))?);
        Some((lower.lo, upper.hi))
    }

    /// The lowest row of the line so many lines above that of a row; of the first or last line where
    /// there are no more.
    pub(super) fn row_of_line_above(&self, row: usize, by: isize) -> Option<usize> {
        let mut firsts: Vec<usize> =
            self.lines.iter().filter_map(|line| line.lower.or(line.upper)).rev().collect();
        firsts.dedup();
        let here = firsts.partition_point(|&first| first <= row).saturating_sub(1);
        let last = firsts.len().checked_sub(1)?;
        firsts.get(here.saturating_add_signed(by).min(last)).copied()
    }

    /// The column of a moment, if it is on the screen.
    pub(super) fn column_of(&self, at: Option<Timestamp>) -> Option<usize> {
        let at = at?;
        self.picture.columns.iter().position(|column| column.start <= at && at < column.end)
    }

    /// A moment inside a column.
    pub(super) fn moment(&self, column: usize) -> Option<Timestamp> {
        let column = self.picture.columns.get(column)?;
        Some(column.start.plus(Nanos::new(column.end.since(column.start).as_nanos() / 2)))
    }

    /// The row with the largest value in a column.
    pub(super) fn fullest_row(&self, column: usize, kind: MapKind) -> usize {
        let cells = &self.map(kind).cells;
        let value = |row: &usize| cells.get(self.picture.cell(*row, column)).copied();
        let rows = 0..self.picture.rows.len();
        rows.max_by(|one, two| value(one).unwrap_or(0.0).total_cmp(&value(two).unwrap_or(0.0)))
            .unwrap_or(0)
    }

    pub(super) fn map(&self, kind: MapKind) -> &isotherm_analysis::Map {
        match kind {
            MapKind::Frequency => &self.picture.frequency,
            MapKind::Intensity => &self.picture.intensity,
        }
    }

    /// What lies under a place of the screen.
    pub(super) fn at(&self, x: u16, y: u16) -> Option<Spot> {
        let map = self.plan.maps.iter().find(|map| map.cells.contains(Position { x, y }))?;
        let at = self.moment(self.across().column(x - map.cells.x));
        let line = self.lines.get(usize::from(y - map.cells.y));
        let row = line.and_then(|line| line.lower.or(line.upper));
        let latency = row.and_then(|row| self.picture.rows.get(row)).map(|row| row.lo);
        Some(Spot { map: map.kind, at, latency })
    }

    /// The rows and columns of the selection, as far as they are on the screen.
    pub(super) fn selection(&self, cursor: &Cursor) -> Option<(Range, Range)> {
        let (anchor_at, anchor_latency) = cursor.anchor?;
        let picture = &self.picture;
        let last = picture.columns.len().checked_sub(1)?;
        let begins = picture.columns.first()?.start;
        let clamped = if anchor_at < begins { 0 } else { last };
        let from = self.column_of(Some(anchor_at)).unwrap_or(clamped);
        let column = self.column_of(cursor.at)?;
        let columns = column.min(from)..=column.max(from);
        if cursor.columns {
            return Some((0..=picture.rows.len().checked_sub(1)?, columns));
        }
        let here = self.rows_of_line(picture.row_of(cursor.latency?)?);
        let other = self.rows_of_line(picture.row_of(anchor_latency)?);
        let rows = *here.start().min(other.start())..=*here.end().max(other.end());
        Some((rows, columns))
    }

    /// The time of some columns.
    pub(super) fn stretch(&self, columns: &Range) -> Option<SelectedTime> {
        let of = |index: usize| self.picture.columns.get(index);
        Some(SelectedTime { start: of(*columns.start())?.start, end: of(*columns.end())?.end })
    }

    /// The time of the whole window.
    pub(super) fn window(&self) -> Option<SelectedTime> {
        self.stretch(&(0..=self.picture.columns.len().checked_sub(1)?))
    }
}
