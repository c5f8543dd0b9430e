//! The latencies of all loads, kept as one course of time: in memory for the report, and in a
//! recording if one is wanted.

use std::path::Path;

use isotherm_analysis::{FrameTotals, History};
use isotherm_experiment::Progress;
use isotherm_experiment::calibrate::Phase;
use isotherm_frame::{Account, Event, Frame, Mark};
use isotherm_pipeline::{Collector, Recorder, Recording};
use isotherm_views::InputAccount;

use crate::about::about;
use crate::failure::Failure;

/// What is kept while loads are made.
pub struct LoadRecording {
    collector: Collector<'static, (History, FrameTotals)>,
    recorder: Option<Recorder>,
    /// The load that has begun and is not yet marked.
    begun: Option<String>,
}

/// What was kept.
pub struct Recorded {
    pub history: History,
    pub input: InputAccount,
    pub marks: Vec<Mark>,
    /// What could not be recorded, if anything.
    pub lost: Option<String>,
}

impl LoadRecording {
    /// Begins, with a recording if there is a path for it.
    pub fn begin(record: Option<&Path>, source: &str) -> Result<LoadRecording, Failure> {
        let about = about(source);
        let open = |path| {
            let (append, durable, keep) = (false, false, None);
            Recorder::open(&Recording { path, about: &about, append, durable, keep })
        };
        Ok(LoadRecording {
            collector: Collector::default(),
            recorder: record.map(open).transpose()?,
            begun: None,
        })
    }

    /// Keeps what happens; gives the messages for the user.
    pub fn take(&mut self, progress: Progress, phase: Phase) -> Vec<String> {
        match progress {
            Progress::Started { label, .. } => {
                self.begun = Some(format!("{}: {label}", phase.name()));
                Vec::new()
            }
            Progress::Events(events) => self.events(events, phase),
            Progress::Preparing(_)
            | Progress::Resting
            | Progress::Status(_)
            | Progress::Finished(_) => Vec::new(),
        }
    }

    fn events(&mut self, events: Vec<Event>, phase: Phase) -> Vec<String> {
        let (mut frames, mut messages) = (Vec::new(), Vec::new());
        for event in events {
            match event {
                Event::Frame(frame) => frames.push(Frame {
                    series: frame.series.with_attribute("phase", phase.name()),
                    ..frame
                }),
                Event::Message(text) => messages.push(text),
                Event::Mark(_) | Event::Anomaly(_) => {}
            }
        }
        if !frames.is_empty() {
            messages.extend(self.frames(frames));
        }
        messages
    }

    fn frames(&mut self, frames: Vec<Frame>) -> Vec<String> {
        let begin = frames.iter().map(|frame| frame.start).min();
        let mut messages = Vec::new();
        if let Some(at) = begin
            && let Some(text) = self.begun.take()
        {
            let mark = Mark { at, text };
            messages.extend(self.recorder.as_mut().and_then(|recorder| recorder.mark(&mark)));
            self.collector.marks.push(mark);
        }
        messages.extend(self.recorder.as_mut().and_then(|recorder| recorder.write(&frames)));
        for frame in frames {
            messages.extend(self.collector.take(Event::Frame(frame)));
        }
        messages
    }

    /// Ends the recording.
    pub fn finish(mut self) -> Recorded {
        let Collector { kept: (history, totals), marks, .. } = self.collector;
        let account = Account { records: totals.events, ..Account::default() };
        let lost = self.recorder.as_ref().and_then(Recorder::lost);
        let failed = self.recorder.take().and_then(|recorder| recorder.finish(&account).err());
        let input = InputAccount::new(&account, &totals);
        let lost = lost.or_else(|| failed.map(|error| error.to_string()));
        Recorded { history, input, marks, lost }
    }
}
