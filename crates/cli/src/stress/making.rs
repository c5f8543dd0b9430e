//! Load being made: a thread that makes it, and everything that is watched meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use isotherm_analysis::DeviceClass;
use isotherm_experiment::{Run, Setting, execute};
use isotherm_frame::{Nanos, Timestamp};
use isotherm_load::{Address, Job, LoadError, Progress, Told};
use isotherm_sources::{CONTAINED_THREADS, Tally};

use super::beside::Beside;
use crate::failure::{Code, Failure};
use crate::intake::Happening;
use crate::progress::ProgressLine;
use crate::pulse::{Pulse, Recorded, Turn};
use crate::recorder::Recorder;
use crate::signals::Signals;

/// What the thread says.
enum News {
    Progress(Progress),
    Told(Told),
    Done(Box<Result<Run, LoadError>>),
}

/// What is to be made.
pub struct Order {
    pub address: Address,
    pub job: Job,
    pub device: Option<DeviceClass>,
}

/// Load being made.
pub struct Making {
    news: Receiver<News>,
    signals: Signals,
    recorder: Option<Recorder>,
    besides: Vec<Beside>,
    tally: Tally,
    result: Option<Box<Result<Run, LoadError>>>,
    /// What was told before anybody looked.
    ahead: Vec<Happening>,
    /// Whether the last turn was taken.
    over: bool,
    frames: u64,
}

/// What came of it.
pub struct Made {
    pub run: Result<Run, LoadError>,
    /// Whether a signal ended it.
    pub interrupted: bool,
    /// What could not be recorded, if anything.
    pub lost: Option<String>,
    /// Whether the recording holds anything.
    pub recorded: bool,
}

/// So much may be told before it is listened to: many seconds of it.
const MOST_NEWS: usize = 256;
/// How often what is watched besides is looked at.
const LOOK: Duration = Duration::from_millis(100);

impl Making {
    /// Begins: making things ready first.
    pub fn begin(order: Order, recorder: Option<Recorder>) -> Result<Making, Failure> {
        let failed = |words: String| Failure::new(Code::Runtime, words);
        let signals = Signals::register()
            .map_err(|error| failed(format!("cannot watch signals: {error}")))?;
        let (tell, news) = sync_channel(MOST_NEWS);
        let stop = signals.flag();
        // What panics in there is told as what came of it, not by a message across the view.
        thread::Builder::new()
            .name(format!("{CONTAINED_THREADS}-load"))
            .spawn(move || make(&order, &stop, &tell))
            .map_err(|error| failed(format!("cannot start a thread: {error}")))?;
        Ok(Making {
            news,
            signals,
            recorder,
            besides: Vec::new(),
            tally: Tally::default(),
            result: None,
            ahead: Vec::new(),
            over: false,
            frames: 0,
        })
    }

    /// Waits until things are ready and the load has begun.
    pub fn prepare(&mut self, line: &mut ProgressLine) {
        while self.result.is_none() && self.ahead.is_empty() {
            match self.news.recv_timeout(LOOK) {
                Ok(News::Progress(progress)) => line.progress(&progress),
                Ok(news) => self.take(news),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.give_up(),
            }
        }
        line.clear();
    }

    /// Watches these sources, too; words for each one that cannot be.
    pub fn watch(&mut self, sources: &[String], interval: Nanos) {
        for source in sources {
            match Beside::open(source, interval) {
                Ok(beside) => self.besides.push(beside),
                Err(words) => self.ahead.push(Happening::Said(words)),
            }
        }
    }

    /// Whether there is anything to be seen: things were made ready, and load was made.
    pub fn is_running(&self) -> bool {
        self.result.is_none()
    }

    fn take(&mut self, news: News) {
        match news {
            News::Progress(_) => {}
            News::Told(Told::Frames(frames)) => {
                self.ahead.extend(frames.into_iter().map(Happening::Frame));
            }
            News::Told(Told::Mark { at, text }) => self.ahead.push(Happening::Mark { at, text }),
            News::Told(Told::Said(text)) => self.ahead.push(Happening::Said(text)),
            News::Done(result) => self.result = Some(result),
        }
    }

    /// The thread has gone without a word.
    fn give_up(&mut self) {
        let words = "the load ended by a fault of this program".to_owned();
        self.result.get_or_insert_with(|| Box::new(Err(LoadError::Failed(words))));
    }

    /// Ends the load if it is not over, and everything watched; gives what came of it. What is
    /// still to be told is given to `tell`.
    pub fn end(mut self, tell: &mut dyn FnMut(Vec<Happening>)) -> Result<Made, Failure> {
        let interrupted = self.signals.stop_asked();
        self.signals.flag().store(true, Ordering::Release);
        while !self.over {
            match self.next(LOOK) {
                Turn::On(happened) | Turn::Over(happened, _) => tell(happened),
            }
        }
        let lost = self.recorder.as_ref().and_then(Recorder::lost);
        if let Some(recorder) = self.recorder.take() {
            recorder.finish(&self.tally)?;
        }
        let missing = || Box::new(Err(LoadError::Failed("nothing came of it".to_owned())));
        let run = *self.result.take().unwrap_or_else(missing);
        Ok(Made { run, interrupted, lost, recorded: self.frames > 0 })
    }
}

impl Pulse for Making {
    fn next(&mut self, timeout: Duration) -> Turn {
        if self.result.is_none() && self.ahead.is_empty() {
            match self.news.recv_timeout(timeout.min(LOOK)) {
                Ok(news) => self.take(news),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.give_up(),
            }
        }
        while let Ok(news) = self.news.try_recv() {
            self.take(news);
        }
        let mut happened = std::mem::take(&mut self.ahead);
        let over = self.result.is_some();
        for beside in &mut self.besides {
            if over { beside.end(&mut happened) } else { beside.take(&mut happened) }
        }
        let frame = |happening: &&Happening| matches!(happening, Happening::Frame(_));
        self.frames += happened.iter().filter(frame).count() as u64;
        if let Some(recorder) = &mut self.recorder {
            recorder.keep(&mut happened);
        }
        if !over {
            return Turn::On(happened);
        }
        self.besides.clear();
        self.over = true;
        Turn::Over(happened, "the load is over".to_owned())
    }

    fn mark(&mut self, at: Timestamp, text: &str) -> Option<String> {
        self.recorder.as_mut().and_then(|recorder| recorder.mark(at, text))
    }

    fn tally(&self) -> &Tally {
        &self.tally
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

/// Makes the load, and tells everything. Who does not listen any more does not want to know.
fn make(order: &Order, stop: &AtomicBool, tell: &SyncSender<News>) {
    let Order { address, job, device } = order;
    let setting = Setting { address, job, device: *device, stop };
    let mut progress = |progress| {
        let _ = tell.try_send(News::Progress(progress));
    };
    let mut told = |told| {
        let _ = tell.send(News::Told(told));
    };
    let result = execute(&setting, &mut progress, &mut told);
    let _ = tell.send(News::Done(Box::new(result)));
}
