//! Writing what happens to a recording, without ever disturbing the view.

use std::path::{Path, PathBuf};

use isotherm_frame::{Frame, Timestamp};
use isotherm_recording::{About, Durability, Mark, Writer, without_secrets};
use isotherm_sources::Tally;

use crate::failure::Failure;
use crate::input::unreadable;
use crate::when;

/// A recording being written.
pub struct Recorder {
    path: PathBuf,
    writer: Writer,
    /// Frames that could not be written.
    lost_frames: u64,
    /// The last error that was told.
    told: Option<String>,
}

impl Recorder {
    /// Begins a recording, or goes on at the end of an existing one.
    pub fn open(
        path: &Path,
        source: &str,
        append: bool,
        durable: bool,
    ) -> Result<Recorder, Failure> {
        let durability = if durable { Durability::Full } else { Durability::Normal };
        let writer = if append && path.exists() {
            Writer::append_to(path, durability)
        } else {
            Writer::create(path, &about(source), durability)
        };
        let writer = writer.map_err(unreadable)?;
        Ok(Recorder { path: path.to_owned(), writer, lost_frames: 0, told: None })
    }

    /// Writes frames. What goes wrong is returned once, to be shown; writing is tried again with
    /// the next frames, so that a recording goes on when a full disk has room again.
    pub fn write(&mut self, frames: &[Frame]) -> Option<String> {
        if frames.is_empty() {
            return None;
        }
        match self.writer.write(frames) {
            Ok(()) => self.told.take().map(|_| {
                let lost = self.lost_frames;
                format!("recording again; {lost} frame(s) could not be recorded")
            }),
            Err(error) => {
                self.lost_frames += frames.len() as u64;
                let text = format!("NOT RECORDING: {error}");
                let new = self.told.as_ref() != Some(&text);
                self.told = Some(text.clone());
                new.then_some(text)
            }
        }
    }

    /// Writes a mark.
    pub fn mark(&mut self, at: Timestamp, text: &str) -> Option<String> {
        let mark = Mark { at, text: text.to_owned(), origin: "live".to_owned() };
        self.writer.mark(&mark).err().map(|error| format!("the mark is not recorded: {error}"))
    }

    /// The account of what could not be recorded, if anything.
    pub fn lost(&self) -> Option<String> {
        (self.lost_frames > 0).then(|| {
            format!(
                "{} frame(s) could not be recorded in {}",
                self.lost_frames,
                self.path.display()
            )
        })
    }

    /// Ends the recording, leaving exactly one file.
    pub fn finish(mut self, tally: &Tally) -> Result<(), Failure> {
        self.writer.add_tally(&recorded(tally)).map_err(unreadable)?;
        self.writer.finish().map_err(unreadable)
    }
}

/// The account of an input as it is recorded.
pub fn recorded(tally: &Tally) -> isotherm_recording::Tally {
    isotherm_recording::Tally {
        records: tally.records,
        rejected: tally.rejected,
        rejected_events: tally.rejected_events,
        lost: tally.lost,
        ignored_lines: tally.ignored_lines,
    }
}

/// What a recording says about itself.
pub fn about(source: &str) -> About {
    let command_line: Vec<String> =
        std::env::args().map(|argument| without_secrets(&argument)).collect();
    About {
        source: without_secrets(source),
        command_line: command_line.join(" "),
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        isotherm_version: env!("CARGO_PKG_VERSION").to_owned(),
        started: when::now(),
        ..About::default()
    }
}
