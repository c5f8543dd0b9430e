//! Recordings that are replayed together, each read while it is shown.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use isotherm_frame::{Account, Clock, Series, Timestamp};
use isotherm_recording::Reader;

use crate::combined_account::CombinedAccount;
use crate::merge::{Merge, Unread};
use crate::read_ahead::ReadRequest;
use crate::{PipelineError, Replay, ReplayRange, Speed};

/// So many frames of a single recording are read before they are shown; of several together as many,
/// but of each at least [`LEAST_AHEAD`].
const AHEAD: usize = 8_192;
const LEAST_AHEAD: usize = 1_024;
/// So many recordings are open before their time comes: files that may be open are few.
const OPEN: usize = 16;

/// Recordings, opened and not yet replayed.
pub struct OpenRecordings {
    unread: Vec<Unread>,
    series: Vec<Series>,
    span: (Timestamp, Timestamp),
    clock: Clock,
    messages: Vec<String>,
}

impl OpenRecordings {
    /// Opens recordings, which are read while they are shown; `None` if there is nothing in them.
    pub fn open(paths: &[&Path]) -> Result<Option<OpenRecordings>, PipelineError> {
        let mut unread = Vec::new();
        let mut series = Vec::new();
        let mut whole: Option<(Timestamp, Timestamp)> = None;
        let mut combined = CombinedAccount::default();
        let mut clock = None;
        for (place, &path) in paths.iter().enumerate() {
            let reader = Reader::open(path)?;
            let Some((start, end)) = reader.span()? else { continue };
            let (earliest, latest) = whole.unwrap_or((start, end));
            whole = Some((earliest.min(start), latest.max(end)));
            series.extend(reader.series()?);
            clock.get_or_insert(reader.about().clock);
            combined.add(reader.account());
            let mark = reader.marks()?.first().map_or(start, |mark| mark.at);
            let (path, start) = (path.to_owned(), start.min(mark));
            let reader = (unread.len() < OPEN).then_some(reader);
            unread.push(Unread { place, path, start, reader });
        }
        let messages = combined.messages()?;
        let Some((span, clock)) = whole.zip(clock) else { return Ok(None) };
        Ok(Some(OpenRecordings { unread, series, span, clock, messages }))
    }

    /// The earliest and the latest moment of all frames.
    pub fn span(&self) -> (Timestamp, Timestamp) {
        self.span
    }

    /// What moments count from.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// The series there are; one of several recordings once for each.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// Begins to read; idle waits only if they are wanted.
    pub fn replay(
        self,
        range: ReplayRange,
        with_idle: bool,
        speed: Speed,
        stop: Arc<AtomicBool>,
    ) -> Replay {
        let ahead = (AHEAD / self.unread.len().max(1)).max(LEAST_AHEAD);
        let request = ReadRequest { range, with_idle, ahead };
        let account = Account { clock: self.clock, ..Account::default() };
        let merge = Merge::new(self.unread, (self.clock, self.messages), request);
        Replay::new((VecDeque::new(), Some(merge)), range.0, account, (speed, stop))
    }
}

#[cfg(test)]
mod tests;
