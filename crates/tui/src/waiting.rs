//! Who waited in the time on the screen, most first.

use std::collections::HashSet;

use isotherm_analysis::{SeriesWaits, Waits};
use isotherm_frame::{Series, Timestamp};

use crate::app::App;
use crate::ranked::Ranked;
use crate::story::HOLD;

/// The most series in the side pane.
pub(super) const MOST_SHOWN: usize = 10;
/// The parts of time of a sparkline.
pub(super) const PARTS: usize = 12;
/// With more series than these it takes a while to look at all of them.
const MANY: usize = 64;

impl App {
    /// Looks for who waited between two moments; of many series not again with each interval.
    pub(super) fn rank(&mut self, span: (Timestamp, Timestamp)) {
        let (series, frames_pushed) = (self.ledger.order.len(), self.ledger.frames_pushed);
        let stands = |ranked: &Ranked| {
            if (ranked.span, ranked.frames_pushed) == (span, frames_pushed) {
                return true;
            }
            let moved = span.1.since(ranked.span.1).max(ranked.span.1.since(span.1));
            let same = span.1.since(span.0) == ranked.span.1.since(ranked.span.0);
            series > MANY && ranked.series == series && same && moved < HOLD
        };
        if !self.ranked.as_ref().is_some_and(stands) {
            let waits = Waits::of(&self.ledger.history, span);
            self.ranked = Some(Ranked { span, series, frames_pushed, waits });
        }
    }

    /// Those who waited most between two moments.
    pub(super) fn foremost_waits(
        &self,
        span: (Timestamp, Timestamp),
    ) -> Vec<(Series, SeriesWaits)> {
        let ranking = self.ranked.iter().flat_map(|ranked| &ranked.waits.ranking);
        let first: Vec<Series> =
            ranking.take(MOST_SHOWN).map(|(series, _)| series.clone()).collect();
        let history = &self.ledger.history;
        let of = |series: Series| {
            let waits = SeriesWaits::of(history, &series, span, PARTS);
            (series, waits)
        };
        first.into_iter().map(of).collect()
    }

    /// All series, those who waited in the time on the screen first: looked at anew.
    pub(super) fn by_waits(&mut self) -> Vec<Series> {
        let window = self.scene.as_ref().and_then(crate::scene::Scene::window);
        if let Some(window) = window {
            self.rank((window.start, window.end));
        }
        let ranking = self.ranked.iter().flat_map(|ranked| &ranked.waits.ranking);
        let mut all: Vec<Series> = ranking.map(|(series, _)| series.clone()).collect();
        let known: HashSet<Series> = all.iter().cloned().collect();
        let others = self.ledger.history.by_time_waited().into_iter().map(|(series, _)| series);
        all.extend(others.filter(|series| !known.contains(series)));
        all
    }
}
