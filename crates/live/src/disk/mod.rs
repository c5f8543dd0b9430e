//! The block devices of this machine: our own bpftrace program, run and read.

mod decode;
mod device;
mod meta;

use std::fmt;
use std::path::Path;
use std::process::Command;

use isotherm_formats::Context;
use isotherm_frame::Nanos;

use crate::environment;
use crate::feed::{
    Choice, LiveOptions, OpenError, Running, command, find_program, read_child, spawn,
};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};

use decode::DISK;
use device::Device;
pub(crate) use device::Devices;

/// The program that counts.
const PROGRAM: &str = include_str!("../disk.bt");

/// `disk:[DEVICE]`.
pub(crate) static LIVE: Live = Live {
    metas: &[&meta::DISK],
    schemes: &[LiveScheme { name: "disk", needs: "", example: "disk:vda" }],
    target: |_, rest| {
        let device = (!rest.is_empty()).then(|| rest.to_owned());
        Ok(LiveAddress::new(Requests { device }))
    },
    load_instead: |rest| {
        let device = rest.trim_matches('/');
        (!device.is_empty()).then(|| format!("/dev/{device}"))
    },
};

/// The requests of the block devices of this machine, or of one of them.
#[derive(Debug)]
struct Requests {
    device: Option<String>,
}

impl fmt::Display for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "disk:{}", self.device.as_deref().unwrap_or_default())
    }
}

impl Target for Requests {
    fn starts_slowly(&self) -> bool {
        true
    }

    fn open(&self, options: &LiveOptions, start: Start) -> Result<Running, OpenError> {
        let Start { mut outbox, choice } = start;
        let devices = Devices::of_this_machine();
        let device = self.device.as_deref().map(|name| devices.find(name)).transpose()?;
        let name = device.as_ref().map_or("", |device| device.name.as_str());
        let address = format!("disk:{name}");
        let mut command = bpftrace(&address)?;
        check_tracepoints(&address)?;
        if let Some(warning) = device.as_ref().and_then(Device::warning) {
            outbox.warn(warning);
            outbox.flush();
        }
        let number = device.map_or(0, |device| device.number);
        let millis = interval_millis(options.interval.unwrap_or(Nanos::SECOND));
        command.args(["-f", "json", "-e", PROGRAM]).args([millis.to_string(), number.to_string()]);
        let output = spawn(command, &address, outbox.warnings())?;
        let choice = Choice { fixed: Some(&DISK), among: &[], ..choice };
        read_child(output, choice, &Context::default(), outbox)
    }
}

/// An interval as the program takes it: whole milliseconds, at least ten.
pub(crate) fn interval_millis(interval: Nanos) -> u64 {
    (interval.as_nanos() / 1_000_000).max(10)
}

/// A command line that begins with bpftrace, if it is there and may be run.
pub(crate) fn bpftrace(needed_by: &str) -> Result<Command, OpenError> {
    let program = find_program("bpftrace").ok_or_else(|| OpenError::ProgramMissing {
        needed_by: needed_by.to_owned(),
        program: "bpftrace".into(),
        install: "install the package bpftrace (Debian, Ubuntu: apt install bpftrace; \
                  Fedora, RHEL: dnf install bpftrace)",
    })?;
    if !may_trace() {
        return Err(OpenError::Privilege {
            needed_by: needed_by.to_owned(),
            privilege: "root (or CAP_BPF and CAP_PERFMON, with a bpftrace that accepts them)",
            command: format!("sudo isotherm live {needed_by}"),
        });
    }
    let mut command = command(program);
    environment::without_secrets(&mut command);
    Ok(command)
}

/// Whether this process is root or has the capabilities to trace the kernel.
fn may_trace() -> bool {
    let status = || std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    rustix::process::geteuid().is_root() || has_capabilities(&status())
}

/// Whether a process status says that `CAP_BPF` and `CAP_PERFMON` are effective.
fn has_capabilities(status: &str) -> bool {
    const PERFMON: u64 = 1 << 38;
    const BPF: u64 = 1 << 39;
    let mask = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & PERFMON != 0 && mask & BPF != 0
}

/// Whether the kernel's tracepoints can be seen.
fn check_tracepoints(needed_by: &str) -> Result<(), OpenError> {
    const BLOCK: &str = "events/block/block_rq_complete";
    const MOUNTS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
    if MOUNTS.iter().any(|mount| Path::new(mount).join(BLOCK).exists()) {
        return Ok(());
    }
    Err(OpenError::NotReady {
        needed_by: needed_by.to_owned(),
        what: "the kernel's block tracepoints, which are not visible in /sys/kernel/tracing",
        remedy: "mount it with 'sudo mount -t tracefs tracefs /sys/kernel/tracing'",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_capabilities_are_needed() {
        let status = |mask: u64| format!("Name:\tx\nCapEff:\t{mask:016x}\nCapBnd:\t0\n");
        assert!(has_capabilities(&status(0x0000_00c0_0000_0000)));
        assert!(has_capabilities(&status(0x0000_01ff_ffff_ffff)));
        assert!(!has_capabilities(&status(0x0000_0080_0000_0000)));
        assert!(!has_capabilities(&status(0)));
        assert!(!has_capabilities("nothing of the kind"));
    }

    #[test]
    fn intervals_are_whole_milliseconds() {
        assert_eq!(interval_millis(Nanos::SECOND), 1_000);
        assert_eq!(interval_millis(Nanos::from_millis(250)), 250);
        assert_eq!(interval_millis(Nanos::new(1)), 10);
    }
}
