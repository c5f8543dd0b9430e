//! What feeds the history that is served: a live source with its recording, or a recording.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use isotherm_analysis::History;
use isotherm_frame::Event;
use isotherm_pipeline::{
    Batch, EventStream, FollowedRecording, Live, Recorder, Recording, is_recording,
};
use isotherm_serve::{LiveHistory, Metrics, SourceAbout};

use crate::about::{self, about};
use crate::failure::Failure;
use crate::live::{self, SourceOptions};
use crate::report;
use crate::screen;
use crate::serve_args::ServeArgs;
use crate::signals::Signals;

/// The longest wait for a source, so that marks are recorded soon.
const PATIENCE: Duration = Duration::from_millis(100);

/// A source that is open.
pub struct Feeding<'a> {
    stream: Stream,
    about: SourceAbout,
    args: &'a ServeArgs,
}

enum Stream {
    Live(Box<Live>),
    Recording(Box<FollowedRecording>),
}

impl<'a> Feeding<'a> {
    /// Opens what `source` names.
    pub fn open(
        source: &str,
        args: &'a ServeArgs,
        signals: &Signals,
    ) -> Result<Feeding<'a>, Failure> {
        let path = Path::new(source);
        // Options of Oracle are refused elsewhere.
        args.input.oracle.address(source)?;
        if source != "-" && is_recording(path) {
            return Feeding::recording(source, path, (args, signals));
        }
        let ServeArgs { input, probe, follow, .. } = args;
        let (follow, keeps) = (*follow, false);
        let options = SourceOptions { source, input, probe, duration: None, follow, keeps };
        let mut live = live::open(&options, signals)?;
        if let Some(recorder) = recorder(source, args)? {
            live.record_with(recorder);
        }
        let file = args.record.as_deref().and_then(Path::file_name);
        let file_of_source = path.exists().then(|| PathBuf::from(source));
        let about = SourceAbout {
            label: report::label(source, file_of_source.as_deref()),
            source: crate::redact::redacted_source(source),
            host: Some(about::host()),
            command: Some(report::command_line()),
            isotherm_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            is_live: true,
            recorded_in: file.map(|file| file.to_string_lossy().into_owned()),
        };
        Ok(Feeding { stream: Stream::Live(Box::new(live)), about, args })
    }

    fn recording(
        source: &str,
        path: &Path,
        (args, signals): (&'a ServeArgs, &Signals),
    ) -> Result<Feeding<'a>, Failure> {
        if args.metrics {
            return Err(Failure::usage(format!(
                "--metrics: {} is a recording, and what was counted in the past cannot be scraped: \
                 serve a source, or write the recording elsewhere with export",
                crate::redact::redacted_source(source)
            )));
        }
        if args.record.is_some() {
            return Err(Failure::usage(format!(
                "--record: {} is a recording already",
                crate::redact::redacted_source(source)
            )));
        }
        let stop: Arc<AtomicBool> = signals.flag();
        let followed = FollowedRecording::open(path, args.input.oracle.idle, stop)?;
        let recorded = followed.about();
        let known = |text: &String| (!text.is_empty()).then(|| text.clone());
        let about = SourceAbout {
            label: report::label(source, Some(path)),
            source: recorded.source.clone(),
            host: known(&recorded.host),
            command: known(&recorded.command_line),
            isotherm_version: known(&recorded.isotherm_version),
            is_live: false,
            recorded_in: path.file_name().map(|file| file.to_string_lossy().into_owned()),
        };
        Ok(Feeding { stream: Stream::Recording(Box::new(followed)), about, args })
    }

    /// What is known of it, and an empty history of so many bytes.
    pub fn kept_in(&self, bytes: usize) -> (SourceAbout, History) {
        (self.about.clone(), History::new(bytes))
    }

    /// Feeds the history until `stop`, or until the source fails before it has said anything, and ends
    /// the recording.
    pub fn run(
        mut self,
        index: usize,
        (history, metrics): (&LiveHistory, Option<&Metrics>),
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        let mut status = None;
        let source = self.about.source.clone();
        if let Some(metrics) = metrics {
            metrics.begin(&source);
        }
        loop {
            self.record_marks(index, history);
            if status.is_none() {
                let Batch { events, ended } = self.stream().next(PATIENCE);
                let account = self.stream().account();
                history.take(index, &events, account);
                if let Some(metrics) = metrics {
                    metrics.take(&source, &events);
                }
                events.iter().for_each(screen::warn_of);
                if let Some(ended) = ended {
                    history.end(index, &ended);
                    if let Some(metrics) = metrics {
                        metrics.end(&source);
                    }
                    status = Some(ended);
                }
            } else if stop.load(Ordering::Relaxed) || self.has_failed_silently() {
                // What was marked until then is recorded, and after it nothing is taken.
                history.close(index);
                self.record_marks(index, history);
                return self.close(status.as_deref());
            } else {
                std::thread::sleep(PATIENCE);
            }
        }
    }

    /// Whether this is a source that failed before it said anything: there is nothing to look at.
    fn has_failed_silently(&self) -> bool {
        match &self.stream {
            Stream::Live(live) => live.has_failed() && live.account().records == 0,
            Stream::Recording(_) => false,
        }
    }

    fn stream(&mut self) -> &mut dyn EventStream {
        match &mut self.stream {
            Stream::Live(live) => live.as_mut(),
            Stream::Recording(recording) => recording.as_mut(),
        }
    }

    /// Records the marks that clients made.
    fn record_marks(&mut self, index: usize, history: &LiveHistory) {
        for mark in history.take_marks(index) {
            if let Some(failed) = self.stream().mark(&mark) {
                screen::warn(&failed);
                let account = self.stream().account();
                history.take(index, &[Event::Message(failed)], account);
            }
        }
    }

    fn close(self, status: Option<&str>) -> Result<(), Failure> {
        match self.stream {
            Stream::Live(live) => live::close(*live, &self.args.input, status),
            Stream::Recording(_) => Ok(()),
        }
    }
}

fn recorder(source: &str, args: &ServeArgs) -> Result<Option<Recorder>, Failure> {
    let Some(path) = args.record.as_deref() else { return Ok(None) };
    let (about, keep) = (about(source), live::kept(args.keep)?);
    let recording = Recording { path, about: &about, append: false, durable: args.durable, keep };
    Ok(Some(Recorder::open(&recording)?))
}
