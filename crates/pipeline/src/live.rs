//! A source as it happens, with its recording.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use isotherm_formats::{Message, Sink};
use isotherm_frame::{Account, BinnerLimits, Event, Mark, Nanos, OpenWaits};
use isotherm_live::{Address, END_OF_INPUT, Ending, Feed, LiveOptions, MessageBatch, OpenError};
use isotherm_recording::RecordingError;

use crate::intake::Intake;
use crate::recorder::Recorder;
use crate::{Batch, EventStream, PipelineError, RecordedIn};

/// When so many things happened, or so much time passed, they are recorded and shown before more
/// is taken from the source: what waits for that is bounded, and so is how long a key or a signal
/// does.
const AT_ONCE: usize = 4_096;
const TURN: Duration = Duration::from_millis(50);
/// How long to wait for what an ended source has still to say: it was waited for already when it was
/// stopped, and a program that ignores that says nothing any more.
const LAST_MESSAGES: Duration = Duration::from_millis(10);
/// How much longer a server may take to be logged on to than it is to be watched: a log-on takes some of
/// the time that a short look is to last.
const LATE_LOGON: Duration = Duration::from_millis(750);
/// How long a program is waited for that is compiled and attached before it measures: only then its time counts.
const SLOW_START: Duration = Duration::from_secs(10);
/// The longest wait for a source, so that signals are seen soon.
const PATIENCE: Duration = Duration::from_millis(25);

/// A live source with its assembler and, perhaps, its recording.
pub struct Live {
    feed: Feed,
    intake: Intake,
    recorder: Option<Recorder>,
    interval: Nanos,
    deadline: Option<Instant>,
    /// The time to watch a source that starts slowly, as long as it has measured nothing.
    from_first_data: Option<Duration>,
    stop: Arc<AtomicBool>,
    ending: Option<Ending>,
    /// Whether this is a file that is read to its present end.
    ends_with_file: bool,
    /// Whether everything the source said was taken and recorded.
    finished: bool,
    last_batch: Instant,
}

/// Why a source that is still being opened is left: the time in which it was to be watched is over, or we
/// are asked to stop.
pub fn leaving<'a>(
    address: &'a Address,
    length: Option<Duration>,
    stop: &'a AtomicBool,
) -> impl FnMut() -> Option<OpenError> + 'a {
    let began = Instant::now();
    move || {
        if stop.load(Ordering::Relaxed) {
            return Some(OpenError::Stopped(address.to_string()));
        }
        let length = length.filter(|length| began.elapsed() >= *length + LATE_LOGON)?;
        let length = Nanos::new(u64::try_from(length.as_nanos()).unwrap_or(u64::MAX));
        Some(OpenError::Server(format!(
            "{address}: the server had not answered when the time (--for {length}) was over"
        )))
    }
}

/// Whether a message shows that the source measures.
fn is_data(message: &Message) -> bool {
    matches!(message, Message::Reading(_) | Message::Record | Message::Alive(_))
}

/// What was left when a live source was closed.
pub struct Closed {
    /// The account of the input.
    pub account: Account,
    /// What is in the recording, in words, if there is one.
    pub recorded: Option<String>,
    /// What could not be recorded.
    pub lost: Option<String>,
    /// Why the recording could not be ended.
    pub recording_error: Option<RecordingError>,
    /// Why the source ended, if that was an error.
    pub error: Option<PipelineError>,
}

impl Live {
    /// Opens a source. It ends by itself, after `duration`, or when `stop` is set.
    pub fn open(
        address: &Address,
        options: &LiveOptions,
        duration: Option<Nanos>,
        stop: Arc<AtomicBool>,
    ) -> Result<Live, PipelineError> {
        let interval = options.interval.unwrap_or(Nanos::SECOND);
        let length = duration.map(|length| Duration::from_nanos(length.as_nanos()));
        let feed = Feed::open_unless(address, options, &mut leaving(address, length, &stop))?;
        let slowly = length.filter(|_| address.starts_slowly());
        let start = if slowly.is_some() { SLOW_START } else { Duration::ZERO };
        let length = length.map(|length| length.saturating_add(start));
        Ok(Live {
            feed,
            intake: Intake::new(interval, BinnerLimits::default()),
            recorder: None,
            interval,
            deadline: length.and_then(|length| Instant::now().checked_add(length)),
            from_first_data: slowly,
            stop,
            ending: None,
            ends_with_file: matches!(address, Address::File(_)) && !options.follow,
            finished: false,
            last_batch: Instant::now(),
        })
    }

    /// Records everything from now on.
    pub fn record_with(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
    }

    /// The usual length of an interval.
    pub fn interval(&self) -> Nanos {
        self.interval
    }

    /// Whether the source ended with an error.
    pub fn has_failed(&self) -> bool {
        self.ending.as_ref().is_some_and(|ending| ending.error.is_some())
    }

    /// Takes a batch of what the source says.
    fn take(&mut self, batch: MessageBatch, events: &mut Vec<Event>) {
        self.last_batch = Instant::now();
        for message in batch.messages {
            if is_data(&message)
                && let Some(length) = self.from_first_data.take()
            {
                self.deadline = Instant::now().checked_add(length);
            }
            self.intake.take(message);
        }
        self.ending = batch.ending.or(self.ending.take());
        self.intake.finish_behind(self.interval);
        events.extend(self.intake.take_events());
    }

    /// Records what happened; what goes wrong is something that happened, too.
    fn record(&mut self, events: &mut Vec<Event>) {
        let Some(recorder) = &mut self.recorder else { return };
        let message = recorder.set_clock(self.intake.account.clock);
        recorder.keep(events);
        events.extend(message.map(Event::Message));
    }

    fn is_over(&self) -> bool {
        self.ending.is_some()
            || self.stop.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Ends the source and takes what it had said before, with the last interval once that is all.
    fn end(&mut self, events: &mut Vec<Event>) {
        self.feed.stop();
        while events.len() < AT_ONCE {
            let Ok(batch) = self.feed.receiver().recv_timeout(LAST_MESSAGES) else {
                self.intake.finish();
                events.extend(self.intake.take_events());
                self.finished = true;
                return;
            };
            self.take(batch, events);
        }
    }

    /// Ends a source that was left before its end, when the view was: what it had said is recorded.
    fn finish(&mut self) {
        while !self.finished {
            let mut events = Vec::new();
            self.end(&mut events);
            self.record(&mut events);
        }
    }

    /// How long to wait for the source: not past the deadline.
    fn patience(&self, timeout: Duration) -> Duration {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        timeout.min(left.unwrap_or(timeout)).min(PATIENCE)
    }

    /// Ends a source that has said nothing at all; a file begun for its recording is removed.
    pub fn abandon(mut self) {
        self.feed.stop();
        if let Some(recorder) = self.recorder.take() {
            recorder.give_up();
        }
    }

    /// Ends the source and the recording; a file begun for a source that failed before it said
    /// anything is removed.
    pub fn close(mut self) -> Closed {
        self.finish();
        let (mut recorded, mut lost, mut recording_error) = (None, None, None);
        let account = &self.intake.account;
        let silent = self.has_failed() && account.records == 0 && account.rejected == 0;
        if let Some(recorder) = self.recorder.take_if(|_| silent) {
            recorder.give_up();
        }
        if let Some(mut recorder) = self.recorder.take() {
            recorder.settle();
            lost = recorder.lost();
            // What was written is in the file also where it could not be closed as it should be.
            recorded = Some(recorder.account());
            recording_error = recorder.finish(&self.intake.account).err();
        }
        let error = self.ending.and_then(|ending| ending.error).map(PipelineError::from);
        Closed { account: self.intake.account, recorded, lost, recording_error, error }
    }

    fn status(&self) -> String {
        let Some(ending) = &self.ending else { return "stopped".to_owned() };
        if self.ends_with_file && ending.status == END_OF_INPUT {
            return format!("{END_OF_INPUT}; --follow continues with what is written next");
        }
        ending.status.clone()
    }
}

impl EventStream for Live {
    fn next(&mut self, timeout: Duration) -> Batch {
        let mut events = Vec::new();
        if !self.is_over() {
            match self.feed.receiver().recv_timeout(self.patience(timeout)) {
                Ok(batch) => {
                    let began = Instant::now();
                    self.take(batch, &mut events);
                    while events.len() < AT_ONCE
                        && began.elapsed() < TURN
                        && let Ok(more) = self.feed.receiver().try_recv()
                    {
                        self.take(more, &mut events);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.last_batch.elapsed()
                        > Duration::from_nanos(self.interval.as_nanos()) * 2
                    {
                        self.intake.finish_behind(Nanos::ZERO);
                        events.extend(self.intake.take_events());
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
            self.end(&mut events);
        }
        self.record(&mut events);
        Batch { events, ended: self.finished.then(|| self.status()) }
    }

    fn mark(&mut self, mark: &Mark) -> Option<String> {
        self.recorder.as_mut().and_then(|recorder| recorder.mark(mark))
    }

    fn account(&self) -> &Account {
        &self.intake.account
    }

    fn open_waits(&self) -> Option<&OpenWaits> {
        Some(&self.intake.open).filter(|_| !self.finished)
    }

    fn recorded_in(&self) -> Option<RecordedIn> {
        self.recorder.as_ref().map(Recorder::recorded_in)
    }

    fn is_live(&self) -> bool {
        true
    }
}
