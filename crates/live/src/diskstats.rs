//! `diskstats:[DEVICE]`: the counters of this machine, read again and again.

use std::fmt;
use std::thread;
use std::time::Instant;

use isotherm_formats::diskstats::{DeviceLine, LOSES, SOURCE, Ticks};
use isotherm_formats::unread_options::check;
use isotherm_formats::{Counting, Meta, Need, Note, Sink, is_partition_of};
use isotherm_frame::{Clock, Nanos, Reading, Timestamp};

use crate::feed::{Ending, LiveOptions, OpenError, Outbox, Running};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};
use crate::pace::{Pace, SteadyClock};

const FILE: &str = "/proc/diskstats";

/// `diskstats:[DEVICE]`.
pub(crate) static LIVE: Live = Live {
    metas: &[&META],
    schemes: &[LiveScheme { name: "diskstats", needs: "", example: "diskstats:vda" }],
    target: |_, rest| {
        let device = rest.strip_prefix("/dev/").unwrap_or(rest);
        let device = (!device.is_empty()).then(|| device.to_owned());
        Ok(LiveAddress::new(Devices { device }))
    },
    load_instead: |_| None,
};

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
        let is_part =
            |line: &DeviceLine<'_>| lines.iter().any(|d| is_partition_of(line.name, d.name));
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

static META: Meta = Meta {
    name: "diskstatslive",
    address: "diskstats:[DEVICE]",
    about: "The block devices of this machine, or one device or partition: the number of requests \
        and their mean time, by operation, from /proc/diskstats",
    needs: &[Need { what: "Linux; no privileges needed", how: "cat /proc/diskstats" }],
    command: "isotherm live diskstats:",
    overhead: "Almost none: the kernel counts in any case, and prints the counters in 20 to 100 \
        microseconds.",
    loses: LOSES,
    counting: Counting::Totals("a reboot, or the removal of the device"),
    exact_time: true,
    example: "\
$ for i in $(seq 300); do dd if=/dev/zero of=dd.bin bs=8k count=16 oflag=dsync; done 2> dd.txt &
$ isotherm live diskstats:vda --series op=write --for 5s | cat
# 2026-11-23 UTC · cells ev/s ·>0 ░2.40 ▒125 ▓500 █1.12k to 2.00k sqrt
#time      ev/s waiting        p50        p99  <65.6µs  262µs       >2.09ms  note
06:12:27  1.30k   0.204          -          -       █
06:12:28  1.93k   0.955          -          -              █
06:12:29  1.09k  0.0837          -          -   ▓
06:12:30    854  0.0753          -          -    ▓
",
    interpretation: "vda finished 854 to 1,930 writes a second. In the second ending at 06:12:28 \
        they took half a millisecond on average instead of a tenth: 0.955 were in flight. These \
        counters cannot show how long the slowest of them took.",
};
