//! Saving a report of what the view keeps, while the view goes on.

use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use isotherm_analysis::{FrameTotals, History};
use isotherm_frame::{Account, Frame, TimeRange};
use isotherm_pipeline::{Collector, MemoryBudget};
use isotherm_report::{self as report, Report, ReportError, ReportInput, ReportOptions};
use isotherm_tui::{Bell, SavedView};
use isotherm_views::numbers::bytes;
use isotherm_views::{InputAccount, OutputForm, sanitized};

use crate::output::{Destination, Kind};
use crate::report::command_line;

/// Saves reports, one at a time.
pub struct Saver {
    bell: Bell,
    running: Option<JoinHandle<Result<String, String>>>,
}

/// What is to be saved.
pub struct Saving {
    /// What to call it: the address of the source, without secrets.
    pub title: String,
    /// The host, where it is this one.
    pub host: Option<String>,
    pub account: Account,
    pub kept: SavedView,
    /// The recording whose frames from before those kept are part of it.
    pub past: Option<PathBuf>,
}

impl Saver {
    /// One that rings when it is done.
    pub fn new(bell: Bell) -> Saver {
        Saver { bell, running: None }
    }

    /// Begins to save; gives what to tell.
    pub fn save(&mut self, saving: Saving) -> &'static str {
        if self.running.is_some() {
            return "still saving the last report";
        }
        let bell = self.bell.clone();
        let work = move || {
            let done = saving.write(Path::new("."));
            bell.ring();
            done
        };
        let thread = thread::Builder::new().name("report".to_owned()).spawn(work);
        match thread {
            Ok(running) => {
                self.running = Some(running);
                "saving the report…"
            }
            Err(_) => "the report is not saved: cannot start a thread",
        }
    }

    /// What became of it, once it is done: what to tell, and whether that is as it should be.
    pub fn done(&mut self) -> Option<Result<String, String>> {
        self.running.as_ref().filter(|running| running.is_finished())?;
        self.wait()
    }

    /// Waits for what is being saved.
    pub fn wait(&mut self) -> Option<Result<String, String>> {
        let said = self.running.take()?.join();
        Some(said.unwrap_or_else(|_| Err("the report is not saved: its writer failed".to_owned())))
    }
}

impl Saving {
    /// Writes the report into a directory; gives what to tell.
    fn write(mut self, directory: &Path) -> Result<String, String> {
        let path = free_name(directory);
        self.fetch_past();
        let content =
            self.content().map_err(|error| format!("the report is not saved: {error}"))?;
        let nothing: [&Path; 0] = [];
        Destination::to(&path, Kind::Page, false, &nothing)
            .and_then(|destination| destination.write(&content))
            .map_err(|failure| format!("the report is not saved: {failure}"))?;
        let shown = path.strip_prefix(".").unwrap_or(&path);
        Ok(format!("saved {} ({})", shown.display(), bytes(content.len() as u64)))
    }

    /// Puts what is in the recording from before what the view keeps in front of that.
    fn fetch_past(&mut self) {
        let Some(past) = self.past.as_deref() else { return };
        let kept = &self.kept.history;
        let until = kept.earliest();
        let is_earlier = |frame: &Frame| {
            let begins = kept.earliest_of(&frame.series).or(until);
            begins.is_none_or(|begins| frame.end <= begins)
        };
        let mut all = Collector::new(None, MemoryBudget::default().history());
        // What cannot be read is missing from the report, and no reason to have none.
        if all.take_earlier(past, until, is_earlier).is_err() {
            return;
        }
        for mark in all.marks {
            if !self.kept.marks.contains(&mark) {
                self.kept.marks.push(mark);
            }
        }
        self.kept.marks.sort_by_key(|mark| mark.at);
        all.kept.append(std::mem::replace(&mut self.kept.history, History::new(0)));
        self.kept.history = all.kept;
    }

    fn content(&self) -> Result<Vec<u8>, ReportError> {
        let given = [ReportInput {
            label: self.title.clone(),
            source: self.title.clone(),
            host: self.host.clone(),
            command: None,
            isotherm_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            file: None,
            input: self.input_account(),
            marks: self.kept.marks.clone(),
            device: None,
            history: &self.kept.history,
            span: self.kept.span,
            series: self.kept.series.clone(),
        }];
        let options = ReportOptions {
            title: None,
            command: command_line(),
            compare: None,
            sections: Vec::new(),
        };
        let mut content = Vec::new();
        report::html(&Report::of(&given, &options)?, report::MOST_BYTES, &mut content)?;
        Ok(sanitized(OutputForm::Text, &content))
    }

    /// The account of what is in the report. Records are those of this run: of what others
    /// recorded before, only the frames are known.
    fn input_account(&self) -> InputAccount {
        let history = &self.kept.history;
        let (from, to) = self.kept.span.unzip();
        let range = TimeRange { from, to };
        let wanted = &self.kept.series;
        let mut totals = FrameTotals::default();
        totals.begin_as(history.beginning());
        for (series, _) in history.by_time_waited() {
            if wanted.is_empty() || wanted.contains(&series) {
                history.within(&series, range).for_each(|frame| totals.add(&frame));
            }
        }
        InputAccount::new(&self.account, &totals)
    }
}

/// A name with the time in it that no file has.
fn free_name(directory: &Path) -> PathBuf {
    let now = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    let name = |suffix: String| directory.join(format!("isotherm-{now}{suffix}.html"));
    let more = (2..).map(|number| name(format!("-{number}")));
    let mut names = std::iter::once(name(String::new())).chain(more);
    names.find(|path| path.symlink_metadata().is_err()).unwrap_or_default()
}

#[cfg(test)]
#[path = "saving_tests.rs"]
mod tests;
