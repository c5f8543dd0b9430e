//! What there is to say about a selection, found for the scene it lies on.

use isotherm_analysis::{Cube, Grid, Region, Timeline, distinguishing};
use isotherm_frame::Nanos;

use crate::app::App;
use crate::scene::Scene;
use crate::selection::{Explained, Range, SelectedTime};

/// How many differences are kept; a pane has room for fewer.
const MOST_DIFFERENCES: usize = 12;

impl App {
    /// The time of the selection, or of the window where nothing is selected.
    pub(super) fn stretch(&self) -> Option<SelectedTime> {
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
        let (series, differs) = (parts.len(), distinguishing(&parts, MOST_DIFFERENCES));
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
