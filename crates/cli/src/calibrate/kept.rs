//! The latencies of all loads, kept as one course of time: in memory for the report, and in a
//! recording if one is wanted.

use std::path::Path;

use isotherm_analysis::{Account, History, WantedMark};
use isotherm_experiment::calibrate::{Heard, Phase};
use isotherm_frame::{Clock, Frame, Series};
use isotherm_load::Told;
use isotherm_sources::Tally;
use isotherm_views::InputAccount;

use crate::failure::Failure;
use crate::memory::Memory;
use crate::recorder::{Recorder, Wanted};

/// What is kept while loads are made.
pub struct Kept {
    history: History,
    account: Account,
    marks: Vec<WantedMark>,
    recorder: Option<Recorder>,
    /// The load that has begun and is not yet marked.
    begun: Option<String>,
}

/// What was kept.
pub struct Recorded {
    pub history: History,
    pub input: InputAccount,
    pub marks: Vec<WantedMark>,
    /// What could not be recorded, if anything.
    pub lost: Option<String>,
}

impl Kept {
    /// Begins, with a recording if there is a path for it.
    pub fn begin(record: Option<&Path>, source: &str) -> Result<Kept, Failure> {
        let open = |path| {
            let (append, durable, keep) = (false, false, None);
            Recorder::open(&Wanted { path, source, append, durable, keep })
        };
        Ok(Kept {
            history: History::of_everything(Memory::default().packed()),
            account: Account::default(),
            marks: Vec::new(),
            recorder: record.map(open).transpose()?,
            begun: None,
        })
    }

    /// Hears what happens; gives what there is to tell the user.
    pub fn hear(&mut self, heard: Heard, phase: Phase) -> Vec<String> {
        match heard {
            Heard::Begins { order, .. } => {
                self.begun = Some(format!("{}: {}", order.phase.name(), order.label));
                Vec::new()
            }
            Heard::Told(Told::Frames(frames)) => self.frames(&frames, phase),
            Heard::Told(Told::Said(text)) => vec![text],
            Heard::Told(Told::Mark { .. }) | Heard::Ready(_) | Heard::Ended(_) => Vec::new(),
        }
    }

    fn frames(&mut self, frames: &[Frame], phase: Phase) -> Vec<String> {
        let frames: Vec<Frame> = frames.iter().map(|frame| of_phase(frame, phase)).collect();
        let begin = frames.iter().map(|frame| frame.start).min();
        let mut said = Vec::new();
        if let Some(at) = begin
            && let Some(text) = self.begun.take()
        {
            said.extend(self.recorder.as_mut().and_then(|recorder| recorder.mark(at, &text)));
            self.marks.push(WantedMark { at, text });
        }
        said.extend(self.recorder.as_mut().and_then(|recorder| recorder.write(&frames)));
        // Of arrivals that may have waited both times are recorded: the same operations twice.
        for frame in frames.iter().filter(|frame| !is_service(frame)) {
            self.account.add(frame);
            self.history.push(frame);
        }
        said
    }

    /// Ends the recording.
    pub fn finish(mut self) -> Recorded {
        let tally = Tally { records: self.account.events, ..Tally::default() };
        let lost = self.recorder.as_ref().and_then(Recorder::lost);
        let failed = self.recorder.take().and_then(|recorder| recorder.finish(&tally).err());
        let Account { events, span, .. } = self.account;
        let input = InputAccount {
            records: events,
            events,
            span,
            clock: Clock::Epoch,
            ..InputAccount::default()
        };
        let lost = lost.or_else(|| failed.map(|failure| failure.message));
        Recorded { history: self.history, input, marks: self.marks, lost }
    }
}

/// Whether it counts from when operations were handed over, not from when they were meant to begin.
fn is_service(frame: &Frame) -> bool {
    frame.series.attributes().any(|attribute| attribute == ("time", "service"))
}

/// The frame with the part of the calibration as an attribute.
fn of_phase(frame: &Frame, phase: Phase) -> Frame {
    let known = frame.series.attributes().map(|(key, value)| (key.to_owned(), value.to_owned()));
    let phase = ("phase".to_owned(), phase.name().to_owned());
    let series = Series::with_attributes(frame.series.name(), known.chain([phase]));
    Frame { series, ..frame.clone() }
}
