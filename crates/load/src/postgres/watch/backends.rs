//! The server's processes that work for us, and what the operating system counts of them: only
//! where the server runs on this machine and lets itself be looked at.

use std::fs;
use std::sync::{Mutex, PoisonError};

use super::super::run::Link;

/// What the operating system has counted of processes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Bytes read from storage, and bytes read at all; `None` where we may not look.
    pub read: Option<Read>,
    /// Nanoseconds of CPU.
    pub cpu_ns: u64,
}

/// Bytes read.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// From storage.
    pub storage: u64,
    /// By calls to read files, be it from the page cache.
    pub calls: u64,
}

#[derive(Debug)]
struct Backend {
    process: i32,
    alive: bool,
    used: Used,
}

/// The server's processes that worked for us, also those that have ended since.
#[derive(Debug, Default)]
pub struct Backends {
    backends: Mutex<Vec<Backend>>,
}

impl Backends {
    /// A connection came about.
    pub fn joined(&self, link: &Link) {
        if !ours(link) {
            return;
        }
        let mut backends = self.backends.lock().unwrap_or_else(PoisonError::into_inner);
        let used = used(link.process).unwrap_or_default();
        backends.push(Backend { process: link.process, alive: true, used });
    }

    /// A connection is about to end, or has ended: the last chance to see what it used.
    pub fn left(&self, process: i32) {
        let mut backends = self.backends.lock().unwrap_or_else(PoisonError::into_inner);
        let left = |backend: &&mut Backend| backend.alive && backend.process == process;
        for backend in backends.iter_mut().filter(left) {
            backend.used = used(process).unwrap_or(backend.used);
            backend.alive = false;
        }
    }

    /// Totals of all processes; `None` where none can be seen. Of those that have ended, what was
    /// seen last.
    pub fn used(&self) -> Option<Used> {
        let mut backends = self.backends.lock().unwrap_or_else(PoisonError::into_inner);
        for backend in backends.iter_mut().filter(|backend| backend.alive) {
            backend.used = used(backend.process).unwrap_or(backend.used);
        }
        let first = backends.first()?.used;
        Some(backends.iter().skip(1).fold(first, |all, backend| all.and(backend.used)))
    }
}

impl Used {
    fn and(self, other: Used) -> Used {
        let read = self.read.zip(other.read).map(|(one, two)| Read {
            storage: one.storage.saturating_add(two.storage),
            calls: one.calls.saturating_add(two.calls),
        });
        Used { read, cpu_ns: self.cpu_ns.saturating_add(other.cpu_ns) }
    }
}

/// Whether the process of that number on this machine is the one that serves this connection, and
/// not one of the same number elsewhere: its title tells where its client is.
fn ours(link: &Link) -> bool {
    let title = fs::read(format!("/proc/{}/cmdline", link.process)).unwrap_or_default();
    let title = String::from_utf8_lossy(&title);
    let client =
        link.stream.port().map_or_else(|| "[local]".to_owned(), |port| format!("({port})"));
    title.starts_with("postgres: ") && title.contains(&client)
}

fn used(process: i32) -> Option<Used> {
    let schedule = fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    let cpu_ns = schedule.split_whitespace().next()?.parse().ok()?;
    let io = fs::read_to_string(format!("/proc/{process}/io")).ok();
    Some(Used { read: io.as_deref().and_then(read), cpu_ns })
}

fn read(io: &str) -> Option<Read> {
    let number = |name: &str| {
        let mut lines = io.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")?.trim().parse().ok())
    };
    Some(Read { storage: number("read_bytes")?, calls: number("rchar")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_has_read_is_found_among_its_numbers() {
        let io = "rchar: 12\nwchar: 1\nsyscr: 2\nread_bytes: 4096\nwrite_bytes: 0\n";
        assert_eq!(read(io), Some(Read { storage: 4096, calls: 12 }));
        assert_eq!(read("rchar: 12\n"), None);
    }

    #[test]
    fn one_that_may_not_be_looked_at_hides_what_all_have_read() {
        let seen = Used { read: Some(Read { storage: 1, calls: 2 }), cpu_ns: 5 };
        assert_eq!(seen.and(seen).read, Some(Read { storage: 2, calls: 4 }));
        let hidden = Used { read: None, cpu_ns: 7 };
        assert_eq!(seen.and(hidden), Used { read: None, cpu_ns: 12 });
    }
}
