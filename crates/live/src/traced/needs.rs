//! What has to be there before a program is run.

use std::path::Path;

use crate::feed::OpenError;

/// Where the kernel's tracepoints are.
const MOUNTS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// Whether the kernel has a tracepoint, such as `sched/sched_switch`.
pub(super) fn tracepoint(name: &str, needed_by: &str) -> Result<(), OpenError> {
    let mounted = MOUNTS.iter().map(|mount| Path::new(mount).join("events"));
    let Some(events) = mounted.into_iter().find(|events| events.exists()) else {
        return Err(OpenError::NotReady {
            needed_by: needed_by.to_owned(),
            what: "the kernel's tracepoints, which are not visible in /sys/kernel/tracing",
            remedy: "mount it with 'sudo mount -t tracefs tracefs /sys/kernel/tracing'",
        });
    };
    if events.join(name).exists() {
        return Ok(());
    }
    Err(OpenError::Device(format!(
        "{needed_by}: this kernel has no tracepoint {}: it was built without it, or is older \
         (tcp:tcp_probe is there from 4.16 on; sudo bpftrace -l 'tracepoint:*' lists what there is)",
        name.replace('/', ":")
    )))
}

/// Whether a process runs.
pub(super) fn process(number: u32) -> Result<(), OpenError> {
    if Path::new("/proc").join(number.to_string()).exists() {
        return Ok(());
    }
    let words = format!("no process {number} is running: ps -e lists the running ones");
    Err(OpenError::Device(words))
}
