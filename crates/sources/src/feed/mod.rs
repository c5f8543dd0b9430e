//! Sources that run: each is a thread that measures or decodes and sends what it reads in small
//! batches through one bounded channel.

mod child;
mod choice;
mod clock;
mod compressed;
mod endless;
mod failure;
mod gate;
mod group;
mod growing;
mod guard;
mod input;
mod item;
mod named_pipe;
mod opening;
mod options;
mod outbox;
mod part;
mod plain_text;
mod plausible_sink;
mod recognition;
mod whole;
mod worker;

pub use failure::{FeedError, OpenError, Unrecognised};
pub use guard::guard_programs;
pub use item::{END_OF_INPUT, Ending, Item};
pub use options::LiveOptions;
pub use part::decode_part;
pub use whole::{Bytes, decode_all, decode_bytes, read_whole};

pub(crate) use child::{describe, find_program, spawn};
pub(crate) use choice::Choice;
pub(crate) use clock::now;
pub(crate) use failure::printable;
pub(crate) use group::{GRACE, Group};
pub(crate) use guard::command;
pub(crate) use item::Running;
pub(crate) use opening::check_file;
pub(crate) use outbox::{Outbox, Stopped};
pub(crate) use worker::read_child;

use std::cell::RefCell;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::live::Start;
use crate::{Address, SOURCES, Source, password};

/// A source that is running.
pub struct Feed {
    receiver: Receiver<Vec<Item>>,
    stopped: Stopped,
    wake: Box<dyn Fn() + Send>,
    worker: RefCell<Option<JoinHandle<()>>>,
    source: Arc<OnceLock<&'static dyn Source>>,
}

impl Feed {
    /// Batches under way at most: a slow consumer makes the source wait, not memory grow.
    const BATCHES: usize = 8;
    /// How long a source that was stopped is waited for.
    const PATIENCE: Duration = Duration::from_millis(40);

    /// Starts a source. What can be known beforehand to be wrong is an error here; what goes
    /// wrong later comes as [`Item::Ended`].
    pub fn open(address: &Address, options: &LiveOptions) -> Result<Feed, OpenError> {
        Feed::open_unless(address, options, &mut || None)
    }

    /// The same, unless `left` gives a reason not to go on: it is asked 50 times a second while a server
    /// is connected to, however long that server, or the resolution of its name, takes.
    pub fn open_unless(
        address: &Address,
        options: &LiveOptions,
        left: &mut dyn FnMut() -> Option<OpenError>,
    ) -> Result<Feed, OpenError> {
        let (sender, receiver) = sync_channel(Feed::BATCHES);
        let stopped = Stopped::default();
        let outbox = Outbox::new(sender, stopped.clone());
        let source = Arc::new(OnceLock::new());
        let chosen = source.clone();
        let choice = Choice { fixed: options.as_source, among: SOURCES, chosen };
        let context = &options.context;
        let running = match address {
            Address::Stdin => worker::read_stdin(choice, context, outbox)?,
            Address::File(path) if options.follow => {
                worker::follow_file(path, choice, context, outbox)?
            }
            Address::File(path) => worker::read_file(path, choice, context, outbox)?,
            Address::Live(live) if live.target().connects() => {
                let (live, options, start) =
                    (live.clone(), options.clone(), Start { outbox, choice });
                leave_unless(move || live.target().open(&options, start), left)?
            }
            Address::Live(live) => live.target().open(options, Start { outbox, choice })?,
        };
        let Running { wake, worker } = running;
        Ok(Feed { receiver, stopped, wake, worker: RefCell::new(Some(worker)), source })
    }

    /// What the source says, in batches that are at most some 50 ms old. When the channel is
    /// closed without an [`Item::Ended`], the source was stopped.
    pub fn receiver(&self) -> &Receiver<Vec<Item>> {
        &self.receiver
    }

    /// The decoder of the source's bytes, once it is known; none for a probe.
    pub fn source(&self) -> Option<&'static dyn Source> {
        self.source.get().copied()
    }

    /// Ends the source: a program it runs gets SIGTERM and, should it not end within a second,
    /// SIGKILL. What was sent before can still be received.
    ///
    /// Nobody has to wait for that: what takes longer than 40 ms goes on in a thread,
    /// and once this process is gone its guard ends the program (see [`guard_programs`]). A read
    /// from standard input cannot be broken off: its thread stays until the process ends.
    pub fn stop(&self) {
        self.stopped.set();
        (self.wake)();
        let Some(worker) = self.worker.borrow_mut().take() else { return };
        let began = Instant::now();
        while !worker.is_finished() && began.elapsed() < Feed::PATIENCE {
            std::thread::sleep(Duration::from_millis(2));
        }
        if worker.is_finished() {
            // A panic of the worker has been reported by the panic hook; there is no more to say.
            let _ = worker.join();
        }
    }
}

/// Opens something in a thread that is left behind once there is a reason to.
pub(crate) fn leave_unless<T: Send + 'static>(
    open: impl FnOnce() -> Result<T, OpenError> + Send + 'static,
    left: &mut dyn FnMut() -> Option<OpenError>,
) -> Result<T, OpenError> {
    match isotherm_client::leave::unless(open, left) {
        Ok(Ok(opened)) => opened,
        Ok(Err(reason)) => {
            password::leave_terminal();
            Err(reason)
        }
        Err(source) => Err(OpenError::NotStarted { program: "a thread".into(), source }),
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.stop();
    }
}
