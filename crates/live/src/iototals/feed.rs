//! Counters that are read again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use isotherm_frame::IoTotals;

use super::IoReader;
use crate::Address;
use crate::feed::OpenError;
use crate::pace::wait_unless;

/// The pause before connecting again.
const PAUSE: Duration = Duration::from_secs(2);
/// Readings that wait to be taken before the next one waits, too.
const UNDER_WAY: usize = 4;

/// What is said of counters.
#[derive(Debug)]
pub enum IoItem {
    /// The counters.
    Read(IoTotals),
    /// Why there are none. Those that follow, if any do, have nothing to do with those before.
    Missing(String),
}

/// Counters of a database that are read again and again.
#[derive(Debug)]
pub struct IoFeed {
    /// What is said.
    pub items: Receiver<IoItem>,
    stop: Arc<AtomicBool>,
    reader: Thread,
}

/// The thread that reads.
struct Readings {
    address: Address,
    every: Duration,
    tell: SyncSender<IoItem>,
    stop: Arc<AtomicBool>,
    bell: Box<dyn Fn() + Send>,
}

/// Nobody listens any more.
struct Over;

impl IoFeed {
    /// Connects to the database at `address` and reads its counters `every` so often; `bell` is rung after
    /// every item. Who cannot connect at first does not try again.
    pub fn open(
        address: &Address,
        every: Duration,
        bell: impl Fn() + Send + 'static,
    ) -> Result<IoFeed, OpenError> {
        let (tell, items) = sync_channel(UNDER_WAY);
        let (stop, address) = (Arc::new(AtomicBool::new(false)), address.clone());
        let bell = Box::new(bell);
        let readings = Readings { address, every, tell, stop: Arc::clone(&stop), bell };
        let worker = thread::Builder::new()
            .name("isotherm-io".into())
            .spawn(move || readings.run())
            .map_err(|source| OpenError::NotStarted { program: "a thread".into(), source })?;
        Ok(IoFeed { items, stop, reader: worker.thread().clone() })
    }
}

impl Drop for IoFeed {
    /// The thread is not waited for: a server that does not answer must not hold the terminal.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.reader.unpark();
    }
}

impl Readings {
    fn run(self) {
        let mut is_known = false;
        loop {
            let why = match IoReader::open(&self.address) {
                Ok(reader) => match self.read(reader, &mut is_known) {
                    Ok(why) => why,
                    Err(Over) => return,
                },
                Err(error) => error,
            };
            let said = self.say(IoItem::Missing(why.to_string()));
            if said.is_err() || !is_known || self.wait_until(Instant::now() + PAUSE).is_err() {
                return;
            }
        }
    }

    /// Reads until that fails, which is what it gives.
    fn read(&self, mut reader: IoReader, is_known: &mut bool) -> Result<OpenError, Over> {
        let mut due = Instant::now();
        loop {
            self.wait_until(due)?;
            match reader.read() {
                Ok(totals) => self.say(IoItem::Read(totals))?,
                Err(error) => return Ok(error),
            }
            *is_known = true;
            due = Instant::max(due + self.every, Instant::now());
        }
    }

    fn wait_until(&self, due: Instant) -> Result<(), Over> {
        if wait_unless(&self.stop, due) { Ok(()) } else { Err(Over) }
    }

    fn say(&self, item: IoItem) -> Result<(), Over> {
        self.tell.send(item).map_err(|_| Over)?;
        (self.bell)();
        Ok(())
    }
}
