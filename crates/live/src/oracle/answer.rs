//! What a query came to, and when.

use std::time::Instant;

use super::{Session, SessionError};

/// The answer to a query.
#[derive(Debug)]
pub(crate) struct Answer {
    /// Its rows, each ended by a line feed.
    pub(crate) text: String,
    /// How many they are.
    pub(crate) rows: u32,
    /// When it was asked.
    pub(crate) asked: Instant,
    /// When the answer was complete.
    pub(crate) answered: Instant,
}

impl Answer {
    /// Asks a query of which `expected` rows are expected.
    pub(crate) fn to(
        sql: &str,
        expected: u32,
        session: &mut dyn Session,
    ) -> Result<Answer, SessionError> {
        let (mut text, mut rows) = (String::new(), 0_u32);
        let asked = Instant::now();
        session.lines(sql, expected, &mut |line| {
            text.push_str(line);
            text.push('\n');
            rows = rows.saturating_add(1);
        })?;
        Ok(Answer { text, rows, asked, answered: Instant::now() })
    }

    /// The middle of the call: what is read on the server is read between its ends, so this is
    /// wrong by half the call at most.
    pub(crate) fn middle(&self) -> Instant {
        self.asked + (self.answered - self.asked) / 2
    }
}
