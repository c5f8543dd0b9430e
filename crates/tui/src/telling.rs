//! Telling the story of the window: what was found is looked for again only when it may differ.

use isotherm_analysis::{Grid, RankedRemark, ShortNames};
use isotherm_frame::{Clock, Nanos, Series, Timestamp, shown_name};
use isotherm_views::TimeFormat;
use isotherm_views::narration::{NO_EVENTS, still_waiting};

use crate::app::App;
use crate::story::{Found, Looking, Story, held_story};
use crate::window::End;

/// What is found in more series than this is looked for again after some seconds only.
const MANY: usize = 50;
const SECONDS: Nanos = Nanos::new(3_000_000_000);

impl App {
    /// What is worth saying of these series, of the same intervals as all else on the screen; what was
    /// found in very many is kept for a while.
    fn remarks(
        &mut self,
        grid: Grid,
        members: &[Series],
        (looking, now): (&Looking, Timestamp),
    ) -> Option<Vec<RankedRemark>> {
        let stands = |found: &Found| {
            let same = found.looking == *looking && found.columns == grid.columns;
            let stands = if members.len() > MANY { SECONDS } else { self.window.native() };
            same && found.at <= now && now.since(found.at) < stands
        };
        if let Some(found) = self.found.as_ref().filter(|found| members.len() > 1 && stands(found))
        {
            return Some(found.remarks.clone());
        }
        let remarks = self.ledger.remarks(members, (grid.start(), grid.end));
        self.found = remarks.clone().map(|remarks| Found {
            at: now,
            looking: looking.clone(),
            columns: grid.columns,
            remarks,
        });
        remarks
    }

    /// The story of these series in the time on the screen, the same as that of a file of it; told
    /// anew with each new scene, not with each drawing.
    pub(super) fn story(&mut self, grid: Grid, members: &[Series]) -> Story {
        let mut story = self.story_of_ended(grid, members);
        if self.window.position() == End::Follows {
            let waiting = still_waiting(&self.ledger.open);
            if !waiting.is_empty() {
                story.alarming = true;
                // None has ended yet: those that go on are there.
                story.sentences.retain(|sentence| sentence != NO_EVENTS);
            }
            story.sentences.splice(0..0, waiting);
        }
        story
    }

    fn story_of_ended(&mut self, grid: Grid, members: &[Series]) -> Story {
        let looking = Looking {
            shown: self.shown.clone(),
            position: self.window.position(),
            column: self.window.column(),
            utc: self.look.utc,
        };
        let now = self.ledger.latest();
        let found = now.and_then(|now| Some((now, self.remarks(grid, members, (&looking, now))?)));
        let Some((now, remarks)) = found else {
            (self.held, self.found) = (None, None);
            return Story::default();
        };
        // A day is named only where it is not the window's first. Clocks without days are shown
        // from their own zero everywhere.
        let zero = if self.clock == Clock::Epoch { grid.start() } else { Timestamp::default() };
        let moments = TimeFormat::new(self.clock, zero);
        let moments = if self.look.utc { moments } else { moments.in_zone(self.zone.clone()) };
        let (story, held) = held_story(self.held.take(), (remarks, &moments), (looking, now));
        self.held = held;
        match self.part(members) {
            Some(part) => story.of_part(&part),
            None => story,
        }
    }

    /// What these series are called, where they are not all there are.
    fn part(&self, members: &[Series]) -> Option<String> {
        let order = &self.ledger.order;
        match members {
            _ if members.len() >= order.len() => None,
            [series] => Some(ShortNames::of(order).full_name(series)),
            members => members.first().map(|series| shown_name(series.name())),
        }
    }
}
