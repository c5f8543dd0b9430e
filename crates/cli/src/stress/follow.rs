//! Waiting for the end of a load without a view.

use std::time::Duration;

use isotherm_experiment::Run;
use isotherm_frame::Event;
use isotherm_pipeline::{Batch, EventStream, LoadRun};
use isotherm_views::LoadProgress;

use crate::progress::ProgressLine;
use crate::screen;

/// How it is followed.
pub struct Following<'a> {
    /// What is loaded, without secrets.
    pub target: &'a str,
    pub is_quiet: bool,
    pub is_ascii: bool,
}

impl Following<'_> {
    /// Waits for the end, with a line that tells how it goes.
    pub fn follow(&self, load: &mut LoadRun<Run>, line: &mut ProgressLine) {
        loop {
            let Batch { events, ended } = load.next(Duration::from_millis(200));
            if ended.is_some() || events.iter().any(|event| matches!(event, Event::Message(_))) {
                line.clear();
            }
            print_messages(events, self.is_quiet);
            if ended.is_some() {
                return;
            }
            if let Some(status) = load.load_status() {
                let progress = LoadProgress::of_run(self.target, status);
                line.show_fitting(|width| progress.line(width, self.is_ascii));
            }
        }
    }
}

/// Prints the messages among what happened.
pub fn print_messages(events: Vec<Event>, is_quiet: bool) {
    for event in events {
        match event {
            Event::Message(text) if !is_quiet => screen::warn(&text),
            Event::Anomaly(anomaly) if !is_quiet => screen::warn(&anomaly.to_string()),
            _ => {}
        }
    }
}
