//! Which sessions of a database are active, looked at several times a second, or from the samples that the database
//! keeps itself.
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

use isotherm_frame::{Nanos, SessionSample, Timestamp};

use self::look::{KeptSamples, Look, LookError, Looked};
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
    /// Samples that are missing: looks that did not take place because those before them took too long, or
    /// samples of the database that it did not keep long enough.
    Skipped(u64),
    /// There will be no more, and why.
    Failed(String),
}

/// Who takes the samples.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// We do, this often each second, or as often as is usual for the kind of database.
    Looks(Option<u32>),
    /// The database does, and they are read from this long ago on: Oracle's active session history, which needs
    /// the licence of the Diagnostics Pack. It has one sample a second.
    Kept(Nanos),
}

/// The samples that a database kept of a time that is over.
#[derive(Debug)]
pub struct KeptActivity {
    /// What is said.
    pub items: Vec<ActivityItem>,
    /// The end of that time, by our clock.
    pub until: Timestamp,
}

/// A database that is looked at.
#[derive(Debug)]
pub struct ActivityFeed {
    /// What is said.
    pub items: Receiver<ActivityItem>,
    /// Samples a second.
    pub hz: u32,
    /// How far the newest sample may be behind where none is missing.
    pub behind: Nanos,
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

    /// Connects to the database at `address` and hands on samples of it; `bell` is rung after every item. What is
    /// wrong with the address or the logon is the error, or what `left` gives while the server has not
    /// answered.
    pub fn open(
        address: &Address,
        sampling: Sampling,
        bell: impl Fn() + Send + 'static,
        left: &mut dyn FnMut() -> Option<OpenError>,
    ) -> Result<ActivityFeed, OpenError> {
        let whom = address.clone();
        let connect = move || {
            let (mut look, hz) = looker(&whom, sampling)?;
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
        let behind = match sampling {
            Sampling::Looks(_) => Nanos::ZERO,
            Sampling::Kept(_) => oracle::BEHIND,
        };
        Ok(ActivityFeed { items, hz, behind, stop, looker: worker.thread().clone() })
    }

    /// Reads the samples that the database at `address` kept of the last `length`, without waiting for any.
    pub fn kept(
        address: &Address,
        length: Nanos,
        left: &mut dyn FnMut() -> Option<OpenError>,
    ) -> Result<KeptActivity, OpenError> {
        let address = with_history(address)?.clone();
        let read = move || oracle::read_history(&address, length);
        let KeptSamples { looked, until, warnings } = leave_unless(read, left)?;
        let skipped = (looked.skipped > 0).then_some(ActivityItem::Skipped(looked.skipped));
        let items = looked
            .samples
            .into_iter()
            .map(ActivityItem::Sample)
            .chain(skipped)
            .chain(warnings.into_iter().map(ActivityItem::Warning))
            .collect();
        Ok(KeptActivity { items, until })
    }

    /// The statements that read the samples which the database at `address` keeps, without asking them.
    pub fn kept_statements(address: &Address, length: Nanos) -> Result<Vec<String>, OpenError> {
        oracle::history_statements(with_history(address)?, length)
    }
}

impl Drop for ActivityFeed {
    /// The thread is not waited for: a server that does not answer must not hold the terminal.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.looker.unpark();
    }
}

/// What looks, and how often each second.
type Looker = (Box<dyn Look>, u32);

fn looker(address: &Address, sampling: Sampling) -> Result<Looker, OpenError> {
    let hz = match sampling {
        Sampling::Looks(hz) => hz,
        Sampling::Kept(length) => {
            return Ok((oracle::history_looker(with_history(address)?, length)?, 1));
        }
    };
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

fn postgres_looker(live: &LiveAddress, hz: Option<u32>) -> Result<Option<Looker>, OpenError> {
    let Some(server) = live.downcast::<PgAddress>() else { return Ok(None) };
    let hz = postgres::RATE.choose(hz.or(Some(server.hz)), "PostgreSQL")?;
    Ok(Some((postgres::looker(server)?, hz)))
}

/// The database at an address, which must be of the kind that keeps samples.
fn with_history(address: &Address) -> Result<&OracleAddress, OpenError> {
    let live = match address {
        Address::Live(live) => live.downcast::<OracleAddress>(),
        Address::Stdin | Address::File(_) => None,
    };
    live.ok_or_else(|| {
        OpenError::Option(format!(
            "--licensed: only Oracle has an active session history, and {address} is not an \
             Oracle database: leave --licensed out"
        ))
    })
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
                Ok(looked) => self.say_all(looked)?,
                Err(error) => return Ok(error),
            }
            while let Some(warning) = self.look.warning() {
                self.say(ActivityItem::Warning(warning))?;
            }
            pace.advance(Instant::now());
            let more = pace.skipped() - skipped;
            if more > 0 && self.look.misses_samples() {
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

    fn say_all(&self, looked: Looked) -> Result<(), Over> {
        for sample in looked.samples {
            self.say(ActivityItem::Sample(sample))?;
        }
        if looked.skipped > 0 {
            self.say(ActivityItem::Skipped(looked.skipped))?;
        }
        Ok(())
    }

    fn say(&self, item: ActivityItem) -> Result<(), Over> {
        self.tell.send(item).map_err(|_| Over)?;
        (self.bell)();
        Ok(())
    }
}
