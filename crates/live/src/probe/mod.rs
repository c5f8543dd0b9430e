//! An active probe: timed reads (or writes) of a scratch file, one at a time.

mod direct;
mod error;
mod meta;
mod options;

pub use direct::direct_io_works;
pub use error::ProbeError;
pub use options::ProbeOptions;

use std::fmt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use isotherm_formats::{Message, Note};
use isotherm_frame::numbers::grouped;
use isotherm_frame::{Nanos, Reading, Series, Timestamp};
use isotherm_load::file::ScratchFile;

use crate::feed::{Ending, FeedError, LiveOptions, OpenError, Outbox, Running};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};
use crate::pace::{Pace, SteadyClock, below_rate};

/// Messages kept while the consumer is not taking any: 17 minutes at the default rate.
const KEPT: usize = 65_536;
/// How often what was measured is sent.
const SEND: Duration = Duration::from_millis(50);

/// `probe:PATH`.
pub(crate) static LIVE: Live = Live {
    metas: &[&meta::PROBE],
    schemes: &[LiveScheme { name: "probe", needs: "a path", example: "probe:." }],
    target: |_, rest| Ok(LiveAddress::new(Place { path: PathBuf::from(rest) })),
    load_instead: |rest| {
        let path = rest.trim_end_matches('/');
        (!path.is_empty()).then(|| format!("file:{path}/isotherm.dat"))
    },
};

/// Timed reads of a scratch file in this directory (or beside this file).
#[derive(Debug)]
struct Place {
    path: PathBuf,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "probe:{}", self.path.display())
    }
}

impl Target for Place {
    fn open(&self, options: &LiveOptions, start: Start) -> Result<Running, OpenError> {
        begin(&self.path, &options.probe, start.outbox)
    }
}

/// Sets up a scratch file under `path` and starts to probe it.
fn begin(path: &Path, options: &ProbeOptions, mut outbox: Outbox) -> Result<Running, OpenError> {
    options.check()?;
    let scratch = ScratchFile::create(path, &options.scratch()).map_err(ProbeError::from)?;
    if let Some(warning) = scratch.warning() {
        outbox.warn(warning.to_owned());
        outbox.flush();
    }
    let series = series(path, options, &scratch);
    let pace = Pace::new(options.rate_hz, Instant::now());
    let probe = Probe { path: path.to_owned(), scratch, series, pace, outbox, lost: 0 };
    let worker = thread::Builder::new()
        .name("isotherm-probe".into())
        .spawn(move || probe.run())
        .map_err(|source| OpenError::NotStarted { program: "a thread".into(), source })?;
    let probing = worker.thread().clone();
    Ok(Running { wake: Box::new(move || probing.unpark()), worker })
}

fn series(path: &Path, options: &ProbeOptions, scratch: &ScratchFile) -> Series {
    let op = if options.write { "write+fdatasync" } else { "read" };
    let direct = if scratch.is_direct() { "yes" } else { "no" };
    let path = path.display().to_string();
    Series::with_attributes("probe", [("op", op), ("path", path.as_str()), ("direct", direct)])
}

struct Probe {
    path: PathBuf,
    scratch: ScratchFile,
    series: Series,
    pace: Pace,
    outbox: Outbox,
    /// Measurements that could not be kept for a consumer that took none.
    lost: u64,
}

impl Probe {
    fn run(mut self) {
        let mut clock = SteadyClock::new();
        let mut sent = Instant::now();
        let failure = loop {
            let now = Instant::now();
            if sent.elapsed() >= SEND {
                sent = now;
                let at = clock.read(now);
                self.send(at);
            }
            if self.outbox.stopped().is_set() {
                break None;
            }
            let due = self.pace.due();
            if now < due {
                thread::park_timeout((due - now).min(SEND));
                continue;
            }
            if let Err(error) = self.measure(&mut clock) {
                break Some(error);
            }
        };
        self.end(failure);
    }

    /// Times one operation.
    fn measure(&mut self, clock: &mut SteadyClock) -> Result<(), ProbeError> {
        let began = Instant::now();
        self.scratch.operate().map_err(|source| ProbeError::operation(&self.path, source))?;
        let ended = Instant::now();
        let latency = Nanos::new(u64::try_from((ended - began).as_nanos()).unwrap_or(u64::MAX));
        let reading =
            Reading::Event { at: clock.read(ended), series: self.series.clone(), latency };
        self.keep(Message::Reading(reading));
        self.keep(Message::Record);
        if self.pace.advance(ended) {
            let said = below_rate("probing", "operations", self.pace.rate_hz(), "--rate ");
            self.keep(Message::Note(Note::Said(said.into())));
        }
        Ok(())
    }

    /// Keeps a message for the consumer: what is slow to take must not disturb what is measured.
    fn keep(&mut self, message: Message) {
        if self.outbox.unsent() < KEPT {
            self.outbox.keep(message);
        } else if matches!(message, Message::Reading(_)) {
            self.lost += 1;
        }
    }

    /// Sends what was measured up to `at`, if the consumer has room.
    fn send(&mut self, at: Timestamp) {
        if self.lost > 0 && self.outbox.try_flush() {
            self.outbox.keep(Message::Note(Note::Lost(std::mem::take(&mut self.lost))));
        }
        self.keep(Message::Alive(at));
        self.outbox.try_flush();
    }

    fn end(mut self, failure: Option<ProbeError>) {
        if self.lost > 0 {
            self.outbox.keep(Message::Note(Note::Lost(self.lost)));
        }
        if self.pace.skipped() > 0 {
            let text = format!("{} operations were skipped", grouped(self.pace.skipped()));
            self.outbox.keep(Message::Note(Note::Said(text.into())));
        }
        let status = if failure.is_some() { "an operation that failed" } else { "stopped" };
        let error = failure.map(FeedError::Probe);
        self.outbox.end(Ending { error, status: status.into(), stderr_tail: Vec::new() });
    }
}
