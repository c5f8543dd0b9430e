//! `diskstats:[DEVICE]`: the counters of this machine, read again and again.

use std::fmt;
use std::thread;
use std::time::Instant;

use isotherm_frame::{Clock, Nanos, Reading, Timestamp};

use super::line::{DeviceLine, Ticks};
use super::meta;
use super::snapshots::SOURCE;
use crate::feed::{Ending, LiveOptions, OpenError, Outbox, Running};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};
use crate::partition::is_partition_of;
use crate::pace::{Pace, SteadyClock};
use crate::unread_options::check;
use crate::{AddressError, Meta, Note, Sink};

const FILE: &str = "/proc/diskstats";

static METAS: &[&Meta] = &[&meta::DISKSTATS_LIVE];

pub(crate) static LIVE: Counters = Counters;

/// `diskstats:[DEVICE]`.
pub(crate) struct Counters;

impl Live for Counters {
    fn metas(&self) -> &'static [&'static Meta] {
        METAS
    }

    fn schemes(&self) -> &'static [LiveScheme] {
        &[LiveScheme { name: "diskstats", needs: "", example: "diskstats:vda" }]
    }

    fn target(&self, _: &'static str, rest: &str) -> Result<LiveAddress, AddressError> {
        let device = rest.strip_prefix("/dev/").unwrap_or(rest);
        let device = (!device.is_empty()).then(|| device.to_owned());
        Ok(LiveAddress::new(Devices { device }))
    }
}

/// The devices of this machine, or one of them.
#[derive(Clone, Debug)]
struct Devices {
    device: Option<String>,
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "diskstats:{}", self.device.as_deref().unwrap_or_default())
    }
}

impl Target for Devices {
    fn open(&self, options: &LiveOptions, start: Start) -> Result<Running, OpenError> {
        let mut outbox = start.outbox;
        check(&SOURCE, &options.context, &mut outbox)?;
        let text = read().map_err(OpenError::Device)?;
        self.is_among(&text)?;
        let (devices, interval) = (self.clone(), options.interval.unwrap_or(Nanos::SECOND));
        let poller = Poller { devices, ticks: Ticks::default(), outbox };
        let worker = thread::Builder::new()
            .name("isotherm-diskstats".into())
            .spawn(move || poller.run(interval))
            .map_err(|source| OpenError::NotStarted { program: "a thread".into(), source })?;
        let polling = worker.thread().clone();
        Ok(Running { wake: Box::new(move || polling.unpark()), worker })
    }
}

impl Devices {
    fn is_among(&self, text: &str) -> Result<(), OpenError> {
        let Some(wanted) = &self.device else { return Ok(()) };
        let lines = text.lines().filter_map(|line| DeviceLine::read(line.as_bytes()).ok());
        let names: Vec<&str> = lines.map(|line| line.name).collect();
        if names.iter().any(|name| name == wanted) {
            return Ok(());
        }
        let there = names.join(", ");
        Err(OpenError::Device(format!("{FILE} has no device '{wanted}'; there is: {there}")))
    }
}

fn read() -> Result<String, String> {
    let remedy = "its counters are kept by Linux, in /proc";
    std::fs::read_to_string(FILE).map_err(|error| format!("cannot read {FILE}: {error}; {remedy}"))
}

/// Reads the counters again and again.
struct Poller {
    devices: Devices,
    ticks: Ticks,
    outbox: Outbox,
}

impl Poller {
    fn run(mut self, interval: Nanos) {
        let mut clock = SteadyClock::new();
        let mut pace = Pace::new(1e9 / interval.as_nanos().max(1) as f64, Instant::now());
        self.outbox.note(Note::Clock(Clock::Epoch));
        let mut status = "stopped".to_owned();
        while !self.outbox.stopped().is_set() {
            let now = Instant::now();
            if now < pace.due() {
                thread::park_timeout(pace.due() - now);
                continue;
            }
            match read() {
                Ok(text) => self.take(clock.read(now), &text),
                Err(why) => {
                    status = why;
                    break;
                }
            }
            pace.advance(Instant::now());
            self.outbox.flush();
        }
        self.outbox.end(Ending { error: None, status, stderr_tail: Vec::new() });
    }

    /// Says what the counters stand at. Partitions are in their disks, unless one is asked for.
    fn take(&mut self, at: Timestamp, text: &str) {
        let lines: Vec<DeviceLine<'_>> =
            text.lines().filter_map(|line| DeviceLine::read(line.as_bytes()).ok()).collect();
        let is_part = |line: &DeviceLine<'_>| lines.iter().any(|d| is_partition_of(line.name, d.name));
        for line in &lines {
            let wanted = match &self.devices.device {
                Some(device) => device == line.name,
                None => !is_part(line),
            };
            for (series, total) in self.ticks.totals(line).into_iter().filter(|_| wanted) {
                self.outbox.record();
                self.outbox.reading(Reading::Cumulative { at, series, total, epoch: None });
            }
        }
    }
}
