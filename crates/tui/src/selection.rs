//! What the user points at and has selected, and what there is to say about it.

use std::ops::RangeInclusive;

use isotherm_analysis::{Contrast, Cube, Grid, Region, Timeline, what_differs};
use isotherm_frame::{Nanos, Timestamp};

use super::app::App;
use super::scene::Scene;

pub(super) type Range = RangeInclusive<usize>;

/// What the user points at; moments and latencies, so that it stays with the data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cursor {
    pub(super) at: Option<Timestamp>,
    pub(super) latency: Option<Nanos>,
    /// The other corner of the selection.
    pub(super) anchor: Option<(Timestamp, Nanos)>,
    /// Whether the selection is of all latencies.
    pub(super) columns: bool,
}

/// A stretch of time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
}

/// What there is to say about a selection.
#[derive(Clone, Debug)]
pub(super) struct Explained {
    rows: Range,
    columns: Range,
    pub(super) region: Region,
    /// The same latencies over the time before, as long as the selection; `None` where nothing
    /// is known of it.
    pub(super) before: Option<Region>,
    /// What tells its events from all others in the window.
    pub(super) differs: Vec<Contrast>,
    /// How many series were told apart.
    pub(super) series: usize,
}

/// How many differences are kept; a pane has room for fewer.
const MOST_DIFFERENCES: usize = 12;

impl Stretch {
    pub(super) fn length(self) -> Nanos {
        self.end.since(self.start)
    }

    /// The stretch of the same length just before.
    pub(super) fn before(self) -> Stretch {
        Stretch { start: self.start.minus(self.length()), end: self.start }
    }
}

impl Scene {
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
        let (row, other) = (picture.row_of(cursor.latency?)?, picture.row_of(anchor_latency)?);
        Some((row.min(other)..=row.max(other), columns))
    }

    /// The time of some columns.
    pub(super) fn stretch(&self, columns: &Range) -> Option<Stretch> {
        let of = |index: usize| self.picture.columns.get(index);
        Some(Stretch { start: of(*columns.start())?.start, end: of(*columns.end())?.end })
    }

    /// The time of the whole window.
    pub(super) fn window(&self) -> Option<Stretch> {
        self.stretch(&(0..=self.picture.columns.len().checked_sub(1)?))
    }
}

impl App {
    /// The time of the selection, or of the window where nothing is selected.
    pub(super) fn stretch(&self) -> Option<Stretch> {
        let scene = self.scene.as_ref()?;
        let selected = scene.selection(&self.cursor);
        selected.map_or_else(|| scene.window(), |(_, columns)| scene.stretch(&columns))
    }

    /// Makes the scene hold what there is to say about the selection, if there is one. What was
    /// said before holds as long as scene and selection are the same.
    pub(super) fn explain(&mut self) {
        let Some(mut scene) = self.scene.take() else { return };
        match scene.selection(&self.cursor) {
            None => scene.explained = None,
            Some((rows, columns)) => {
                let same = |known: &Explained| known.rows == rows && known.columns == columns;
                if !scene.explained.as_ref().is_some_and(same) {
                    scene.explained = self.explained(&mut scene, rows, columns);
                }
            }
        }
        self.scene = Some(scene);
    }

    fn explained(&self, scene: &mut Scene, rows: Range, columns: Range) -> Option<Explained> {
        let region = scene.picture.region(rows.clone(), columns.clone())?;
        let before = self.before(scene, &columns, region.edges);
        let parts = match &scene.cube {
            Some(cube) => cube.parts(&rows, &columns),
            None => scene.cube.insert(self.cube(scene)).parts(&rows, &columns),
        };
        let (series, differs) = (parts.len(), what_differs(&parts, MOST_DIFFERENCES));
        Some(Explained { rows, columns, region, before, differs, series })
    }

    /// The series shown, told apart.
    fn cube(&self, scene: &Scene) -> Cube {
        let members = self.members();
        let Some(window) = scene.window().filter(|_| members.len() > 1) else {
            return Cube::of(&scene.picture, []);
        };
        let history = &self.ledger.history;
        let frames = members.into_iter().map(|series| {
            let frames = history.frames(&series, window.start, window.end);
            (series, frames)
        });
        Cube::of(&scene.picture, frames)
    }

    /// The time just before some columns, as long as they are.
    fn before(
        &self,
        scene: &Scene,
        columns: &Range,
        edges: (Nanos, Option<Nanos>),
    ) -> Option<Region> {
        let stretch = scene.stretch(columns)?.before();
        let count = columns.end() - columns.start() + 1;
        let grid = Grid { end: stretch.end, column: self.window.column(), columns: count };
        let frames = self.ledger.frames(&self.members(), stretch.start, stretch.end);
        let before = Region::of(&Timeline::place(&frames, grid).columns, edges);
        (before.covered_s > 0.0).then_some(before)
    }
}
