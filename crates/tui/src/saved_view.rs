//! What the view gives away to be saved.

use isotherm_analysis::History;
use isotherm_frame::{Clock, Mark, Series, Timestamp};

use crate::app::App;
use crate::options::Extent;

/// What of a view is to be saved.
#[derive(Clone, Debug)]
pub struct SavedView {
    /// All frames kept; shared with the view, not copied.
    pub history: History,
    /// The series to save; all if none are given.
    pub series: Vec<Series>,
    /// The part of time to save; everything if not given.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The marks.
    pub marks: Vec<Mark>,
    /// What the timestamps count from.
    pub clock: Clock,
    /// Events that the view saw lost.
    pub lost: u64,
}

impl App {
    /// What is kept, for saving so much of it.
    pub fn kept(&self, extent: Extent) -> SavedView {
        let window = self.scene.as_ref().and_then(crate::scene::Scene::window);
        let (series, span) = match extent {
            Extent::Everything => (Vec::new(), None),
            Extent::Shown => (self.members(), window.map(|window| (window.start, window.end))),
        };
        SavedView {
            history: self.ledger.history.clone(),
            series,
            span,
            marks: self.ledger.marks.iter().cloned().collect(),
            clock: self.clock,
            lost: self.ledger.events_lost(),
        }
    }
}
