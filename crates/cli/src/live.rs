//! `isotherm live` and `record`: a source as it happens.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use isotherm_frame::{BinnerLimits, Nanos, Timestamp};
use isotherm_sources::{Address, Context, Ending, Feed, Item, LiveOptions, ProbeOptions, Tally};

use crate::args::{InputArgs, LiveArgs, ProbeArgs, RecordArgs};
use crate::events;
use crate::failure::{Code, Failure};
use crate::flight;
use crate::idle;
use crate::input::{self, context, source_named, strict};
use crate::intake::{Aside, Happening, Intake};
use crate::pulse::{Pulse, Recorded, Turn};
use crate::recorder::{self, Recorder};
use crate::screen;
use crate::signals::Signals;
use crate::view;

/// When so many things happened, or so much time passed, they are recorded and shown before more
/// is taken from the source: what waits for that is bounded, and so is how long a key or a signal
/// does.
const AT_ONCE: usize = 4_096;
const TURN: Duration = Duration::from_millis(50);
/// How long to wait for what a source that was ended may still say.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// A live source with its assembler and, perhaps, its recording.
pub struct Live {
    feed: Feed,
    intake: Intake,
    recorder: Option<Recorder>,
    interval: Nanos,
    deadline: Option<Instant>,
    signals: Signals,
    ending: Option<Ending>,
    /// Whether everything the source said was taken and recorded.
    finished: bool,
    last_item: Instant,
}

/// What of the command line is about the source.
struct Wanted<'a> {
    source: &'a str,
    input: &'a InputArgs,
    probe: &'a ProbeArgs,
    duration: Option<Nanos>,
    follow: bool,
    /// Whether everything is kept for later, idle waits too.
    keeps: bool,
}

impl Live {
    /// Opens the source, and the recording if one is wanted.
    fn open(
        wanted: &Wanted,
        recorder: impl FnOnce() -> Result<Option<Recorder>, Failure>,
    ) -> Result<Live, Failure> {
        let Wanted { source, input, probe, duration, follow, keeps } = *wanted;
        let address = input.oracle.address(source)?;
        if follow && !matches!(address, Address::File(_)) {
            return Err(Failure::usage(format!("--follow: '{address}' is not a file that grows")));
        }
        let interval = input.interval.unwrap_or(Nanos::SECOND);
        let options = LiveOptions {
            context: Context {
                leave_out_idle: context(input).leave_out_idle && !keeps,
                ..context(input)
            },
            probe: probe_options(probe)?,
            interval: input.interval,
            follow,
            as_source: source_named(input)?,
        };
        let signals = Signals::register().map_err(|error| {
            Failure::new(Code::Runtime, format!("cannot watch signals: {error}"))
        })?;
        let feed = Feed::open(&address, &options)?;
        let length = duration.map(|length| Duration::from_nanos(length.as_nanos()));
        Ok(Live {
            feed,
            intake: Intake::new(interval, BinnerLimits::default()),
            recorder: recorder()?,
            interval,
            deadline: length.and_then(|length| Instant::now().checked_add(length)),
            signals,
            ending: None,
            finished: false,
            last_item: Instant::now(),
        })
    }

    /// Takes a batch of what the source says.
    fn take(&mut self, batch: Vec<Item>, happened: &mut Vec<Happening>) {
        self.last_item = Instant::now();
        for item in batch {
            match self.intake.item(item) {
                Some(Aside::Warning(text)) => happened.push(Happening::Said(text)),
                Some(Aside::Ended(ending)) => self.ending = Some(ending),
                None => {}
            }
        }
        self.intake.finish_behind(self.interval);
        happened.extend(self.intake.take());
    }

    /// Records what happened; what goes wrong is something that happened, too.
    fn record(&mut self, happened: &mut Vec<Happening>) {
        let Some(recorder) = &mut self.recorder else { return };
        let said = recorder.set_clock(self.intake.tally.clock);
        recorder.keep(happened);
        happened.extend(said.map(Happening::Said));
    }

    fn is_over(&self) -> bool {
        self.ending.is_some()
            || self.signals.stop_asked()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Ends the source and takes what it had said before, with the last interval once that is all.
    fn end(&mut self, happened: &mut Vec<Happening>) {
        self.feed.stop();
        while happened.len() < AT_ONCE {
            let Ok(batch) = self.feed.receiver().recv_timeout(LAST_WORDS) else {
                self.intake.finish();
                happened.extend(self.intake.take());
                self.finished = true;
                return;
            };
            self.take(batch, happened);
        }
    }

    /// Ends a source that was left before its end, when the view was: what it had said is recorded.
    fn finish(&mut self) {
        while !self.finished {
            let mut happened = Vec::new();
            self.end(&mut happened);
            self.record(&mut happened);
        }
    }

    /// How long to wait for the source: not past the deadline.
    fn patience(&self, timeout: Duration) -> Duration {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        timeout.min(left.unwrap_or(timeout)).min(Duration::from_millis(200))
    }

    /// Ends a recording whose source has said nothing at all, which is no success.
    fn no_data(mut self, source: &str) -> Failure {
        self.feed.stop();
        if let Some(recorder) = self.recorder.take() {
            recorder.give_up();
        }
        let source = isotherm_recording::without_secrets(source);
        let text = format!("no data: {source} said nothing, and nothing was recorded");
        Failure::new(Code::Unreachable, text)
    }

    /// Ends the source and the recording; tells how the source ended and what was recorded.
    fn close(mut self, args: &InputArgs, status: Option<&str>) -> Result<(), Failure> {
        self.finish();
        if let Some(text) = idle::told(&self.intake.tally) {
            screen::warn(&text);
        }
        if let Some(mut recorder) = self.recorder.take() {
            recorder.settle();
            let lost = recorder.lost();
            let account = recorder.account();
            let ended = recorder.finish(&self.intake.tally);
            if let Some(status) = status.filter(|_| ended.is_ok()) {
                screen::warn(&format!("{status}; {account}"));
            }
            let failed = ended.err().map(|failure| failure.message);
            let lost: Vec<String> = lost.into_iter().chain(failed).collect();
            if !lost.is_empty() {
                return Err(Failure::new(Code::Runtime, lost.join("; ")));
            }
        }
        if let Some(error) = self.ending.and_then(|ending| ending.error) {
            return Err(unended(&error));
        }
        strict(args, &self.intake.tally)
    }
}

fn unended(error: &isotherm_sources::FeedError) -> Failure {
    let code = if error.is_unreachable() { Code::Unreachable } else { Code::Runtime };
    Failure::new(code, error.to_string())
}

impl Pulse for Live {
    fn next(&mut self, timeout: Duration) -> Turn {
        let mut happened = Vec::new();
        if !self.is_over() {
            match self.feed.receiver().recv_timeout(self.patience(timeout)) {
                Ok(batch) => {
                    let began = Instant::now();
                    self.take(batch, &mut happened);
                    while happened.len() < AT_ONCE
                        && began.elapsed() < TURN
                        && let Ok(more) = self.feed.receiver().try_recv()
                    {
                        self.take(more, &mut happened);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.last_item.elapsed() > Duration::from_nanos(self.interval.as_nanos()) * 2
                    {
                        self.intake.finish_behind(Nanos::ZERO);
                        happened.extend(self.intake.take());
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let (error, stderr_tail) = (None, Vec::new());
                    let status = "stopped".to_owned();
                    self.ending.get_or_insert(Ending { error, status, stderr_tail });
                }
            }
        }
        if self.is_over() {
            self.end(&mut happened);
        }
        self.record(&mut happened);
        if self.finished { Turn::Over(happened, self.status()) } else { Turn::On(happened) }
    }

    fn mark(&mut self, at: Timestamp, text: &str) -> Option<String> {
        self.recorder.as_mut().and_then(|recorder| recorder.mark(at, text))
    }

    fn tally(&self) -> &Tally {
        &self.intake.tally
    }

    fn stop_flag(&self) -> Arc<AtomicBool> {
        self.signals.flag()
    }

    fn recorded(&self) -> Option<Recorded> {
        self.recorder.as_ref().map(Recorder::recorded)
    }

    fn is_live(&self) -> bool {
        true
    }
}

impl Live {
    fn status(&self) -> String {
        self.ending.as_ref().map_or_else(|| "stopped".to_owned(), |ending| ending.status.clone())
    }
}

fn probe_options(args: &ProbeArgs) -> Result<ProbeOptions, Failure> {
    if !(args.rate > 0.0 && args.rate <= 1e6) {
        return Err(Failure::usage(format!(
            "--rate {}: must lie above 0, at most 1000000",
            args.rate
        )));
    }
    if args.block == 0 || !args.block.is_multiple_of(4096) || args.block > 64 << 20 {
        return Err(Failure::usage(format!(
            "--block {}: must be a multiple of 4096, at most 64 MiB",
            args.block
        )));
    }
    let size = args.size.saturating_mul(1 << 20);
    if size < args.block {
        return Err(Failure::usage("--size: the scratch file must hold at least one block"));
    }
    Ok(ProbeOptions { rate_hz: args.rate, block: args.block, size, write: args.write })
}

impl LiveArgs {
    fn recorder(&self) -> Result<Option<Recorder>, Failure> {
        let LiveArgs { source, durable, .. } = self;
        let path = self.record.as_deref();
        if let Some(keep) = kept(self.keep)? {
            return flight::open(path, source, *durable, keep).map(Some);
        }
        let (durable, append, keep) = (*durable, false, None);
        let open = |path| Recorder::open(&recorder::Wanted { path, source, append, durable, keep });
        path.map(open).transpose()
    }

    fn wanted(&self) -> Wanted<'_> {
        let LiveArgs { source, input, probe, duration, follow, .. } = self;
        Wanted { source, input, probe, duration: *duration, follow: *follow, keeps: false }
    }
}

/// How much a flight recorder is to keep.
fn kept(keep: Option<Nanos>) -> Result<Option<Nanos>, Failure> {
    if keep == Some(Nanos::ZERO) {
        return Err(Failure::usage("--keep 0s: there would be nothing to look back at"));
    }
    Ok(keep)
}

impl RecordArgs {
    fn recorder(&self) -> Result<Recorder, Failure> {
        let RecordArgs { source, output: path, append, durable, .. } = self;
        let (append, durable, keep) = (*append, *durable, kept(self.keep)?);
        Recorder::open(&recorder::Wanted { path, source, append, durable, keep })
    }

    fn wanted(&self) -> Wanted<'_> {
        let RecordArgs { source, input, probe, duration, follow, .. } = self;
        Wanted { source, input, probe, duration: *duration, follow: *follow, keeps: true }
    }
}

/// `isotherm live`
pub fn run(args: &LiveArgs) -> Result<(), Failure> {
    if args.events {
        return events::run(&args.source);
    }
    if args.source != "-" && input::is_recording(std::path::Path::new(&args.source)) {
        return Err(Failure::usage(format!(
            "{} is a recording: use `isotherm replay {0}`",
            args.source
        )));
    }
    let mut live = Live::open(&args.wanted(), || args.recorder())?;
    let shown = view::Shown {
        title: crate::redact::redacted(&args.source),
        column: live.interval,
        series: args.series.clone(),
        ui: args.ui.or_table(args.table),
        leave: false,
        memory: args.input.memory,
        screen: &args.screen,
    };
    view::run(&mut live, &shown)?;
    live.close(&args.input, None)
}

/// `isotherm record`
pub fn record(args: &RecordArgs) -> Result<(), Failure> {
    let mut live = Live::open(&args.wanted(), || args.recorder().map(Some))?;
    let mut silent = true;
    loop {
        let (happened, over) = match live.next(Duration::from_millis(200)) {
            Turn::On(happened) => (happened, None),
            Turn::Over(happened, status) => (happened, Some(status)),
        };
        for happening in happened {
            match happening {
                Happening::Frame(_) => silent = false,
                Happening::Said(text) => screen::warn(&text),
                Happening::Anomaly(anomaly) => screen::warn(&anomaly.to_string()),
                Happening::Mark { .. } => {}
            }
        }
        if let Some(status) = over {
            let tally = &live.intake.tally;
            silent &= tally.records == 0 && tally.rejected == 0;
            if silent && live.ending.as_ref().is_none_or(|ending| ending.error.is_none()) {
                return Err(live.no_data(&args.source));
            }
            return live.close(&args.input, Some(&status));
        }
    }
}
