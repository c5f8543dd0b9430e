//! A source that is running.

use std::cell::RefCell;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use isotherm_formats::{SOURCES, Source};

use crate::Address;
use crate::feed::{
    Choice, LiveOptions, MessageBatch, OpenError, Outbox, Running, Stopped, follow_file,
    leave_unless, read_file, read_stdin,
};
use crate::live::Start;

/// A source that is running.
pub struct Feed {
    receiver: Receiver<MessageBatch>,
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
    /// wrong later comes with the last batch, in [`MessageBatch::ending`].
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
            Address::Stdin => read_stdin(choice, context, outbox)?,
            Address::File(path) if options.follow => follow_file(path, choice, context, outbox)?,
            Address::File(path) => read_file(path, choice, context, outbox)?,
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
    /// closed and no batch had an ending, the source was stopped.
    pub fn receiver(&self) -> &Receiver<MessageBatch> {
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
    /// and once this process is gone its guard ends the program (see [`guard_programs`](crate::guard_programs)). A read
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

impl Drop for Feed {
    fn drop(&mut self) {
        self.stop();
    }
}
