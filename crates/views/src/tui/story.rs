//! What is on the screen, in sentences.

use isotherm_analysis::{Circumstances, Findings, Remark, Timeline};
use isotherm_frame::{Clock, Series};

use super::app::App;
use crate::{Moments, narration};

/// What is worth saying about the window, most important first.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    pub(super) sentences: Vec<String>,
    /// Whether the first is more than that nothing stands out.
    pub(super) alarming: bool,
}

impl App {
    /// The story of what is placed on the window's axis; told anew with each new scene, not with
    /// each drawing.
    pub(super) fn story(&self, timeline: &Timeline, members: &[Series]) -> Story {
        if timeline.total.is_empty() {
            return Story::default();
        }
        let remarks = Findings::of(timeline, &Circumstances::of(members, None)).remarks();
        let calm = [Some(&Remark::Nothing), None].contains(&remarks.first())
            || matches!(remarks.first(), Some(Remark::Plain { .. }));
        // A day is named only where it is not the window's first. Clocks without days are shown
        // from their own zero everywhere.
        let begin = timeline.columns.first().map(|column| column.start);
        let zero = begin.filter(|_| self.clock == Clock::Epoch).unwrap_or_default();
        let moments = Moments::new(self.clock, zero);
        let moments = if self.look.utc { moments } else { moments.in_zone(self.zone.clone()) };
        Story { sentences: narration::sentences(&remarks, &moments), alarming: !calm }
    }
}
