//! Load that is run: a thread that makes it, and everything that is watched meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use isotherm_frame::{Account, Event, Mark};
use isotherm_load::{LoadError, Observer, Progress, RunStatus};
use isotherm_recording::RecordingError;

use crate::recorder::Recorder;
use crate::side_source::SideSource;
use crate::{Batch, EventStream, PipelineError, RecordedIn};

/// Makes the load: is given the flag that asks it to stop, a function that it calls with how far making
/// things ready has come, and whoever is to know what happens.
pub type Work<R> = dyn FnOnce(&AtomicBool, &mut dyn FnMut(Progress), &mut dyn Observer) -> Result<R, LoadError>
    + Send;

/// What the thread sends.
enum Message<R> {
    Progress(Progress),
    Events(Vec<Event>),
    Status(Box<RunStatus>),
    Done(Box<Result<R, LoadError>>),
}

/// Load that is being run. `R` is what comes of it.
pub struct LoadRun<R> {
    messages: Receiver<Message<R>>,
    stop: Arc<AtomicBool>,
    recorder: Option<Recorder>,
    side_sources: Vec<SideSource>,
    account: Account,
    result: Option<Box<Result<R, LoadError>>>,
    status: Option<Box<RunStatus>>,
    /// Events that are not yet handed on.
    ahead: Vec<Event>,
    /// Whether the last batch was taken.
    over: bool,
    frames: u64,
}

/// A load that has ended.
pub struct LoadEnded<R> {
    /// What came of it.
    pub result: Result<R, LoadError>,
    /// Whether it was asked to stop.
    pub interrupted: bool,
    /// What could not be recorded, if anything.
    pub lost: Option<String>,
    /// Whether the recording holds anything.
    pub recorded: bool,
}

/// So much may be sent before it is taken: many seconds of it.
const MOST_MESSAGES: usize = 256;
/// How often side sources are looked at.
const LOOK: Duration = Duration::from_millis(100);

impl<R: Send + 'static> LoadRun<R> {
    /// Begins: making things ready first. It ends early when `stop` is set.
    pub fn begin(
        work: Box<Work<R>>,
        recorder: Option<Recorder>,
        stop: Arc<AtomicBool>,
    ) -> Result<LoadRun<R>, PipelineError> {
        let (sender, messages) = sync_channel(MOST_MESSAGES);
        let flag = Arc::clone(&stop);
        thread::Builder::new()
            .name("load".to_owned())
            .spawn(move || run(work, &flag, &sender))
            .map_err(|error| PipelineError::System(format!("cannot start a thread: {error}")))?;
        Ok(LoadRun {
            messages,
            stop,
            recorder,
            side_sources: Vec::new(),
            account: Account::default(),
            result: None,
            status: None,
            ahead: Vec::new(),
            over: false,
            frames: 0,
        })
    }

    /// Waits until things are ready and the load has begun.
    pub fn prepare(&mut self, progress: &mut dyn FnMut(&Progress)) {
        while self.result.is_none() && self.ahead.is_empty() {
            match self.messages.recv_timeout(LOOK) {
                Ok(Message::Progress(done)) => progress(&done),
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.give_up(),
            }
        }
    }

    /// Watches a side source from now on, or says why it cannot be watched.
    pub fn watch(&mut self, source: Result<SideSource, String>) {
        match source {
            Ok(source) => self.side_sources.push(source),
            Err(message) => self.ahead.push(Event::Message(message)),
        }
    }

    /// Whether there is anything to be seen: things were made ready, and load is made.
    pub fn is_running(&self) -> bool {
        self.result.is_none()
    }

    fn take(&mut self, message: Message<R>) {
        match message {
            Message::Progress(_) => {}
            Message::Events(events) => self.ahead.extend(events),
            Message::Status(status) => self.status = Some(status),
            Message::Done(result) => self.result = Some(result),
        }
    }

    /// The thread has ended without a result.
    fn give_up(&mut self) {
        let words = "the load ended because of a bug in isotherm".to_owned();
        self.result.get_or_insert_with(|| Box::new(Err(LoadError::Failed(words))));
    }

    /// Ends the load if it is not over, and everything watched. What still happens is given to
    /// `take`.
    pub fn end(mut self, take: &mut dyn FnMut(Vec<Event>)) -> Result<LoadEnded<R>, RecordingError> {
        let interrupted = self.stop.swap(true, Ordering::AcqRel);
        while !self.over {
            take(self.next(LOOK).events);
        }
        let lost = self.recorder.as_ref().and_then(Recorder::lost);
        if let Some(recorder) = self.recorder.take() {
            recorder.finish(&self.account)?;
        }
        let missing = || Box::new(Err(LoadError::Failed("nothing came of it".to_owned())));
        let result = *self.result.take().unwrap_or_else(missing);
        Ok(LoadEnded { result, interrupted, lost, recorded: self.frames > 0 })
    }
}

impl<R: Send + 'static> EventStream for LoadRun<R> {
    fn next(&mut self, timeout: Duration) -> Batch {
        if self.result.is_none() && self.ahead.is_empty() {
            match self.messages.recv_timeout(timeout.min(LOOK)) {
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.give_up(),
            }
        }
        while let Ok(message) = self.messages.try_recv() {
            self.take(message);
        }
        let mut events = std::mem::take(&mut self.ahead);
        let over = self.result.is_some();
        for source in &mut self.side_sources {
            if over { source.end(&mut events) } else { source.take(&mut events) }
        }
        self.frames += events.iter().filter_map(Event::frame).count() as u64;
        if let Some(recorder) = &mut self.recorder {
            recorder.keep(&mut events);
        }
        if !over {
            return Batch::of(events);
        }
        self.side_sources.clear();
        self.over = true;
        Batch::last(events, "the load is over")
    }

    fn mark(&mut self, mark: &Mark) -> Option<String> {
        self.recorder.as_mut().and_then(|recorder| recorder.mark(mark))
    }

    fn account(&self) -> &Account {
        &self.account
    }

    fn recorded_in(&self) -> Option<RecordedIn> {
        self.recorder.as_ref().map(Recorder::recorded_in)
    }

    fn is_live(&self) -> bool {
        true
    }

    fn load_status(&self) -> Option<&RunStatus> {
        self.status.as_deref()
    }
}

/// Makes the load and sends everything. What cannot be sent has no receiver any more.
fn run<R>(work: Box<Work<R>>, stop: &AtomicBool, sender: &SyncSender<Message<R>>) {
    let mut progress = |progress| {
        let _ = sender.try_send(Message::Progress(progress));
    };
    let result = work(stop, &mut progress, &mut Sending(sender));
    let _ = sender.send(Message::Done(Box::new(result)));
}

/// Sends what happens in the run, and how it goes if there is room for it.
struct Sending<'a, R>(&'a SyncSender<Message<R>>);

impl<R> Observer for Sending<'_, R> {
    fn events(&mut self, events: Vec<Event>) {
        let _ = self.0.send(Message::Events(events));
    }

    fn status(&mut self, status: RunStatus) {
        let _ = self.0.try_send(Message::Status(Box::new(status)));
    }
}
