//! The recording of one run.

use std::path::PathBuf;

use isotherm_frame::{Event, Frame, Mark};
use isotherm_recording::{About, Durability, RecordedMark, Writer};

/// Who makes our marks.
const ORIGIN: &str = "sweep";

/// A recording that begins with the first frame. What goes wrong costs the recording, never the
/// run.
pub(super) struct Keep<'a> {
    path: PathBuf,
    about: &'a About,
    writer: Option<Writer>,
    failure: Option<String>,
}

impl<'a> Keep<'a> {
    pub fn new(path: PathBuf, about: &'a About) -> Keep<'a> {
        Keep { path, about, writer: None, failure: None }
    }

    /// Writes the frames and the marks among what happened; before the first frame there is nothing
    /// to be marked.
    pub fn take(&mut self, events: &[Event]) {
        let frames: Vec<Frame> = events.iter().filter_map(Event::frame).cloned().collect();
        self.write(&frames);
        for event in events {
            if let Event::Mark(mark) = event {
                self.mark(mark);
            }
        }
    }

    fn write(&mut self, frames: &[Frame]) {
        if frames.is_empty() || self.failure.is_some() {
            return;
        }
        if self.writer.is_none() {
            let begun = Writer::create(&self.path, self.about, Durability::Normal);
            self.writer = self.noted(begun);
        }
        if let Some(writer) = &mut self.writer {
            let written = writer.write(frames);
            self.noted(written);
        }
    }

    fn mark(&mut self, mark: &Mark) {
        if let Some(writer) = &mut self.writer {
            let written = writer.mark(&RecordedMark::new(mark, ORIGIN));
            self.noted(written);
        }
    }

    /// Ends it. Gives whether there is a recording, and what went wrong.
    pub fn finish(mut self) -> (bool, Option<String>) {
        let begun = self.writer.is_some();
        if let Some(writer) = self.writer.take() {
            let finished = writer.finish();
            self.noted(finished);
        }
        (begun, self.failure)
    }

    fn noted<T>(&mut self, result: Result<T, isotherm_recording::RecordingError>) -> Option<T> {
        let why = |error| format!("the recording is not complete: {error}");
        result.map_err(|error| self.failure = Some(why(error))).ok()
    }
}
