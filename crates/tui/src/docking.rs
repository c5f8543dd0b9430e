//! Where texts about the maps go: beside them or below, never over what they explain.

use ratatui::layout::Rect;

use crate::app::{App, Mode};
use crate::plan::{HAS_PANE, Panel, is_wide};

/// The width of two stretches of time beside each other. Other texts take the width of the pane, so
/// that they leave the window as it is.
const COMPARISON: u16 = 74;
const AS_PANE: u16 = 0;

/// The width from which the help and the list of series stand beside the maps; they cover narrower
/// ones.
const HAS_ROOM: u16 = 120;
/// The width of the list of series.
const LIST: u16 = 76;

/// The lines of an explanation below the maps.
const EXPLANATION: u16 = 18;

/// The most lines of sentences below the maps.
const MOST_SENTENCES: u16 = 16;

impl App {
    /// The text about the maps that is open, if one is.
    pub(super) fn panel_wanted(&self, area: Rect) -> Option<Panel> {
        let about = |(width, height)| Panel { width, height, beside_from: HAS_PANE };
        let beside = |width| Panel { width, height: 0, beside_from: HAS_ROOM };
        let has_room = is_wide(area, HAS_ROOM);
        let sized = match &self.mode {
            Mode::Help { .. } => return has_room.then(|| beside(AS_PANE)),
            Mode::List(_) => return has_room.then(|| beside(LIST)),
            Mode::Story { .. } => Some((AS_PANE, self.lines_of_story(area))),
            Mode::Compare { compared, .. } => {
                let rows = u16::try_from(compared.rows.len()).unwrap_or(u16::MAX);
                Some((COMPARISON, rows.saturating_add(18)))
            }
            Mode::Text(..) => Some((AS_PANE, 3)),
            Mode::Map
                if self.look.explains
                    && !(is_wide(area, HAS_PANE) && self.look.pane.is_shown()) =>
            {
                Some((AS_PANE, EXPLANATION))
            }
            Mode::Map => None,
        };
        sized.map(about)
    }

    /// About how many lines the sentences take, as far as they are known: those last said.
    fn lines_of_story(&self, area: Rect) -> u16 {
        let width = usize::from(area.width).saturating_sub(6).max(1);
        let said = self.scene.iter().flat_map(|scene| &scene.story.sentences);
        let lines: usize = said.map(|one| one.chars().count().div_ceil(width)).sum();
        let more = self.ledger.messages().len() + 1;
        let lines = u16::try_from(lines + more).unwrap_or(u16::MAX);
        lines.saturating_add(2).min(MOST_SENTENCES)
    }
}
