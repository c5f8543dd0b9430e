//! bpftrace: the reads of all processes of a server, counted in the kernel while a session is watched.

use std::fs::{self, File};
use std::io;
use std::ops::Add;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};

use super::calls::Reads;
use crate::server::{Process, Scratch};
use crate::strace::Untraced;
use crate::{Bench, LabError};

/// The longest that bpftrace may take to attach.
const PATIENCE: Duration = Duration::from_secs(30);
const GLANCE: Duration = Duration::from_millis(20);
/// What it prints once it sees what the lab does.
const READY: &str = "isotherm lab: ready";

/// Reads of the server while one session was watched.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelReads {
    /// Of the session's process.
    pub session: Reads,
    /// Of all processes of a server, that one included.
    pub all: Reads,
}

impl Add for KernelReads {
    type Output = KernelReads;

    fn add(self, other: KernelReads) -> KernelReads {
        KernelReads { session: self.session + other.session, all: self.all + other.all }
    }
}

/// bpftrace, attached.
pub struct KernelCounter {
    // Before the directory: it has ended when its files are removed.
    process: Process,
    scratch: Scratch,
}

impl KernelCounter {
    /// Attaches, and counts processes that the server of this backend starts from now on; `done` of the lab is
    /// done.
    pub fn attach(
        backend: u64,
        done: f64,
        bench: &mut Bench<'_>,
    ) -> Result<Result<KernelCounter, Untraced>, LabError> {
        let Some(server) = parent(backend) else {
            let why = "the server's processes are not in /proc of this machine";
            return Ok(Err(Untraced(why.to_owned())));
        };
        let scratch = Scratch::new()?;
        let failed = |source| LabError::Start { what: "bpftrace", source };
        let (counts, messages) = (scratch.path().join("counts"), scratch.path().join("messages"));
        let mut command = Command::new("bpftrace");
        command
            .args(["-B", "none", "-e", &program(std::process::id(), server)])
            .stdin(Stdio::null());
        command.stdout(File::create(&counts).map_err(failed)?);
        command.stderr(File::create(&messages).map_err(failed)?);
        let mut process = match Process::start("bpftrace", command) {
            Ok(process) => process,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Err(Untraced("bpftrace is not installed".to_owned())));
            }
            Err(source) => return Err(failed(source)),
        };
        let begun = Instant::now();
        loop {
            bench.step(done, "attaching bpftrace")?;
            watch(std::process::id().into());
            let text = fs::read_to_string(&counts).unwrap_or_default();
            if text.contains(READY) {
                return Ok(Ok(KernelCounter { process, scratch }));
            }
            let has_ended = process.status()?.is_some();
            if has_ended || begun.elapsed() > PATIENCE {
                let text = fs::read_to_string(&messages).unwrap_or_default();
                let why = text.lines().find(|line| line.contains("ERROR") || has_ended);
                let why = why.unwrap_or("it does not see the lab's own system calls");
                return Ok(Err(Untraced(format!("bpftrace cannot trace here ({})", why.trim()))));
            }
            sleep(GLANCE);
        }
    }

    /// From now on reads are those of a sample of this session's process.
    pub fn begin(session: u64) {
        watch(session);
    }

    /// From now on reads are not counted.
    pub fn end() {
        watch(std::process::id().into());
    }

    /// Detaches, and gives the reads while each of these sessions was watched.
    pub fn finish(self, sessions: &[u64]) -> Result<Vec<KernelReads>, LabError> {
        let KernelCounter { process, scratch } = self;
        drop(process);
        let path = scratch.path().join("counts");
        let text = fs::read_to_string(&path).map_err(|error| LabError::Unreadable {
            what: path.display().to_string(),
            why: error.to_string(),
            next: "run the lab again; the directory of temporary files must not be emptied meanwhile",
        })?;
        Ok(sessions.iter().map(|&session| reads(&text, session)).collect())
    }
}

/// Makes a system call that changes nothing, and that bpftrace sees at once: which process is watched.
fn watch(pid: u64) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // Whether the process may be signalled does not matter.
        let _ = test_kill_process(pid);
    }
}

/// The parent of a process: of a backend the server.
fn parent(pid: u64) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may have blanks and brackets.
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Counts reads of processes that the server has started since, while another process than the lab is
/// watched. The probe that says ready is the last one that is attached.
fn program(lab: u32, server: u64) -> String {
    let reads =
        ["pread64", "preadv", "preadv2"].map(|call| format!("tracepoint:syscalls:sys_exit_{call}"));
    format!(
        "tracepoint:sched:sched_process_fork /args->parent_pid == {server}/ {{ @ours[args->child_pid] = 1; }} \
         {} /@watched != 0 && @watched != {lab} && @ours[pid] == 1 && args->ret >= 0/ \
         {{ @calls[@watched, pid] = count(); @bytes[@watched, pid] = sum(args->ret); }} \
         tracepoint:syscalls:sys_enter_kill /pid == {lab} && args->sig == 0/ \
         {{ @watched = args->pid; if (args->pid == {lab}) {{ printf(\"{READY}\\n\"); }} }}",
        reads.join(", ")
    )
}

/// What the maps say of a session: `@calls[4711, 4712]: 12`.
fn reads(text: &str, session: u64) -> KernelReads {
    let mut found = KernelReads::default();
    for line in text.lines() {
        let Some((name, watched, pid, count)) = entry(line).filter(|one| one.1 == session) else {
            continue;
        };
        let both = [Some(&mut found.all), Some(&mut found.session).filter(|_| pid == watched)];
        for reads in both.into_iter().flatten() {
            match name {
                "@calls" => reads.calls += count,
                "@bytes" => reads.bytes += count,
                _ => {}
            }
        }
    }
    found
}

/// The map, its two keys and the value of a line.
fn entry(line: &str) -> Option<(&str, u64, u64, u64)> {
    let (name, rest) = line.split_once('[')?;
    let (keys, value) = rest.split_once("]: ")?;
    let (watched, pid) = keys.split_once(", ")?;
    Some((name, watched.parse().ok()?, pid.parse().ok()?, value.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_those_of_the_session_and_of_all() {
        let text = "Attaching 4 probes...\nisotherm lab: ready\n\n\n@bytes[20, 20]: 16384\n\
                    @bytes[20, 21]: 8192\n@bytes[30, 30]: 99\n@calls[20, 21]: 1\n@calls[20, 20]: 2\n\
                    @calls[30, 30]: 5\n@watched: 7\n@calls[20, x]: 1\n@calls[20\n";
        let one = |calls, bytes| Reads { calls, bytes };
        let found = KernelReads { session: one(2, 16_384), all: one(3, 24_576) };
        assert_eq!(reads(text, 20), found);
        assert_eq!(reads(text, 40), KernelReads::default());
    }

    #[test]
    fn the_program_counts_for_the_lab_that_asks() {
        let text = program(17, 5);
        assert!(text.contains("args->parent_pid == 5/"), "{text}");
        assert_eq!(
            parent(std::process::id().into()),
            Some(std::os::unix::process::parent_id().into())
        );
        assert!(
            text.contains("pid == 17 && args->sig == 0") && text.contains("@watched != 17"),
            "{text}"
        );
    }
}
