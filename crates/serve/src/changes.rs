//! What happened, tick by tick, for clients that come back and ask what they missed.

use std::collections::VecDeque;

use isotherm_frame::{Mark, Timestamp};

/// So many changes are kept. Who was away for longer begins anew.
const MOST: usize = 8_192;

/// One thing that happened to a recording.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Intervals came, from the start of the first to the end of the last.
    Columns(Timestamp, Timestamp),
    /// A moment was marked.
    Mark(Mark),
    /// There is something to say.
    Message(String),
    /// It ended, and why.
    Over(String),
}

/// The latest changes, numbered.
#[derive(Debug, Default)]
pub struct Changes {
    /// The number of the latest.
    tick: u64,
    /// By number: the recording and what happened to it.
    kept: VecDeque<(u64, usize, Change)>,
}

impl Changes {
    /// The number of the latest change; 0 before the first.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Adds a change.
    pub fn push(&mut self, recording: usize, change: Change) {
        self.tick += 1;
        self.kept.push_back((self.tick, recording, change));
        if self.kept.len() > MOST {
            self.kept.pop_front();
        }
    }

    /// What happened after a change; `None` if that is not known any more, or was never made.
    pub fn since(&self, tick: u64) -> Option<impl Iterator<Item = (usize, &Change)>> {
        let forgotten = self.kept.front().map_or(self.tick, |(first, _, _)| first - 1);
        if tick > self.tick || tick < forgotten {
            return None;
        }
        let after = self.kept.partition_point(|(number, _, _)| *number <= tick);
        Some(self.kept.range(after..).map(|(_, recording, change)| (*recording, change)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_since_a_tick_is_given_as_long_as_it_is_kept() {
        let mut changes = Changes::default();
        assert_eq!(changes.since(0).map(Iterator::count), Some(0));
        let message = |number: usize| Change::Message(number.to_string());
        (1..=3).for_each(|number| changes.push(0, message(number)));
        let since = |changes: &Changes, tick| -> Option<Vec<Change>> {
            Some(changes.since(tick)?.map(|(_, change)| change.clone()).collect())
        };
        assert_eq!(since(&changes, 1), Some(vec![message(2), message(3)]));
        assert_eq!(since(&changes, 3), Some(Vec::new()));
        assert_eq!(since(&changes, 4), None);
        (4..=MOST + 1).for_each(|number| changes.push(0, message(number)));
        assert_eq!(changes.tick(), MOST as u64 + 1);
        assert_eq!(since(&changes, 0), None);
        assert_eq!(since(&changes, 1).map(|all| all.len()), Some(MOST));
    }
}
