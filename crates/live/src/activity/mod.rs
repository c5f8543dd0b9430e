//! Which sessions of a database are active, looked at some times a second.
//!
//! A look is a sample: what begins and ends between two is not seen, and every average made of samples
//! is an estimate.

mod look;
mod oracle;
mod postgres;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use isotherm_frame::SessionSample;

use self::look::{Look, LookError};
use crate::Address;
use crate::feed::{OpenError, leave_unless};
use crate::live::LiveAddress;
use crate::oracle::OracleAddress;
use crate::pace::{Pace, wait_unless};
use crate::postgres::PgAddress;

/// The pause before connecting again.
const PAUSE: Duration = Duration::from_secs(2);
/// Samples that wait to be taken before the next look waits, too.
const UNDER_WAY: usize = 256;

/// What is said of sessions.
#[derive(Debug)]
pub enum ActivityItem {
    /// What was seen.
    Sample(SessionSample),
    /// Something the user should know.
    Warning(String),
    /// The connection is lost and is tried again.
    Lost(String),
    /// There is a connection again.
    Back,
    /// Looks that were due and did not take place, all in all: those before them took too long.
    Skipped(u64),
    /// There will be no more, and why.
    Failed(String),
}

/// A database that is looked at.
#[derive(Debug)]
pub struct ActivityFeed {
    /// What is said.
    pub items: Receiver<ActivityItem>,
    /// Samples a second.
    pub hz: u32,
    stop: Arc<AtomicBool>,
    looker: Thread,
}

impl ActivityFeed {
    /// Whether an address leads to a database whose sessions can be looked at.
    pub fn can_watch(address: &Address) -> bool {
        let Address::Live(live) = address else { return false };
        let is_asked_live = |oracle: &OracleAddress| !oracle.history;
        live.downcast::<OracleAddress>().is_some_and(is_asked_live)
            || live.downcast::<PgAddress>().is_some()
    }

    /// Connects to the database at `address` and looks at it `hz` times a second, or as often as is usual
    /// for its kind; `bell` is rung after every item. What is wrong with the address or the logon is the
    /// error, or what `left` gives while the server has not answered.
    pub fn open(
        address: &Address,
        hz: Option<u32>,
        bell: impl Fn() + Send + 'static,
        left: &mut dyn FnMut() -> Option<OpenError>,
    ) -> Result<ActivityFeed, OpenError> {
        let whom = address.clone();
        let connect = move || {
            let (mut look, hz) = looker(&whom, hz)?;
            look.connect().map_err(|error| match error {
                LookError::Lost(why) | LookError::Refused(why) => OpenError::Server(why),
            })?;
            Ok((look, hz))
        };
        let (look, hz) = leave_unless(connect, left)?;
        let (tell, items) = sync_channel(UNDER_WAY);
        let stop = Arc::new(AtomicBool::new(false));
        let looks = Looks { look, hz, tell, stop: Arc::clone(&stop), bell: Box::new(bell) };
        let worker = thread::Builder::new()
            .name("isotherm-activity".into())
            .spawn(move || looks.run())
            .map_err(|source| OpenError::NotStarted { program: "a thread".into(), source })?;
        Ok(ActivityFeed { items, hz, stop, looker: worker.thread().clone() })
    }
}

impl Drop for ActivityFeed {
    /// The thread is not waited for: a server that does not answer must not hold the terminal.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.looker.unpark();
    }
}

fn looker(address: &Address, hz: Option<u32>) -> Result<(Box<dyn Look>, u32), OpenError> {
    let live = match address {
        Address::Live(live) => live,
        Address::Stdin | Address::File(_) => return Err(unknown(address)),
    };
    if let Some(oracle) = live.downcast::<OracleAddress>() {
        let hz = oracle::RATE.choose(hz, "Oracle")?;
        return Ok((oracle::looker(oracle, hz)?, hz));
    }
    postgres_looker(live, hz)?.ok_or_else(|| unknown(address))
}

/// What looks, and how often each second.
type Looker = (Box<dyn Look>, u32);

fn postgres_looker(live: &LiveAddress, hz: Option<u32>) -> Result<Option<Looker>, OpenError> {
    let Some(server) = live.downcast::<PgAddress>() else { return Ok(None) };
    let hz = postgres::RATE.choose(hz.or(Some(server.hz)), "PostgreSQL")?;
    Ok(Some((postgres::looker(server)?, hz)))
}

fn unknown(address: &Address) -> OpenError {
    OpenError::Option(format!(
        "{address} has no sessions: name a database, such as postgres://monitor@db1/postgres or \
         oracle://monitor@db1/SALES"
    ))
}

/// The thread that looks.
struct Looks {
    look: Box<dyn Look>,
    hz: u32,
    tell: SyncSender<ActivityItem>,
    stop: Arc<AtomicBool>,
    bell: Box<dyn Fn() + Send>,
}

/// Nobody listens any more.
struct Over;

impl Looks {
    fn run(mut self) {
        loop {
            let why = match self.sample() {
                Ok(error) => error,
                Err(Over) => return,
            };
            let connected = match why {
                LookError::Lost(why) => self.reconnect(why),
                LookError::Refused(why) => self.say(ActivityItem::Failed(why)).and(Err(Over)),
            };
            if connected.is_err() {
                return;
            }
        }
    }

    /// Looks until the connection fails, which is what it gives.
    fn sample(&mut self) -> Result<LookError, Over> {
        let mut pace = Pace::new(f64::from(self.hz), Instant::now());
        let mut skipped = 0;
        loop {
            self.wait_until(pace.due())?;
            match self.look.look() {
                Ok(sample) => self.say(ActivityItem::Sample(sample))?,
                Err(error) => return Ok(error),
            }
            if let Some(warning) = self.look.warning() {
                self.say(ActivityItem::Warning(warning))?;
            }
            pace.advance(Instant::now());
            let more = pace.skipped() - skipped;
            if more > 0 {
                skipped += more;
                self.say(ActivityItem::Skipped(more))?;
            }
        }
    }

    /// Tries until there is a connection again.
    fn reconnect(&mut self, why: String) -> Result<(), Over> {
        self.say(ActivityItem::Lost(why))?;
        loop {
            self.wait_until(Instant::now() + PAUSE)?;
            match self.look.connect() {
                Ok(()) => return self.say(ActivityItem::Back),
                Err(LookError::Lost(_)) => {}
                Err(LookError::Refused(why)) => {
                    return self.say(ActivityItem::Failed(why)).and(Err(Over));
                }
            }
        }
    }

    fn wait_until(&self, due: Instant) -> Result<(), Over> {
        if wait_unless(&self.stop, due) { Ok(()) } else { Err(Over) }
    }

    fn say(&self, item: ActivityItem) -> Result<(), Over> {
        self.tell.send(item).map_err(|_| Over)?;
        (self.bell)();
        Ok(())
    }
}
