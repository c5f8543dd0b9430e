//! Programs whose output is read: started in a process group of their own, watched to their end.

use std::collections::VecDeque;
use std::io::{self, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use isotherm_formats::{LineReader, printable};
use rustix::process::Signal;

use super::batch::Ending;
use super::failure::{FeedError, OpenError};
use super::group::{GRACE, Group};
use super::outbox::{Outbox, Stopped};

/// A program that runs.
#[derive(Debug)]
pub(crate) struct Child {
    group: Group,
    name: String,
    tail: Tail,
    /// Disconnected once the program's standard error is at its end.
    stderr_open: Receiver<()>,
}

/// A program and the bytes it prints.
pub(crate) struct Output {
    pub(crate) child: Child,
    pub(crate) stdout: ChildStdout,
}

/// The last lines of standard error.
type Tail = Arc<Mutex<VecDeque<String>>>;

/// What bpftrace says on every start where it may not raise a limit that kernels since 5.11 no
/// longer have: not worth a warning.
const HARMLESS: &str = "couldn't set RLIMIT_MEMLOCK";
/// Lines of standard error kept for the end.
const TAIL: usize = 20;
/// Lines of standard error shown in a second.
const SHOWN_PER_SECOND: u32 = 10;
/// Characters of such a line shown.
const WIDTH: usize = 300;
/// The signal of a program that writes where nobody reads.
const SIGPIPE: i32 = Signal::PIPE.as_raw();
/// Runs `command` without standard input, in a process group of its own. Its standard error
/// becomes warnings.
pub(crate) fn spawn(
    mut command: Command,
    name: &str,
    warnings: Outbox,
) -> Result<Output, OpenError> {
    let failed = |source| OpenError::NotStarted { program: name.to_owned(), source };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = Group::start(&mut command).map_err(failed)?;
    let (stdout, stderr) = (group.stdout().map_err(failed)?, group.stderr().map_err(failed)?);
    let (closes, stderr_open) = sync_channel::<()>(0);
    let tail = Tail::default();
    let child = Child { group, name: name.to_owned(), tail: tail.clone(), stderr_open };
    let listen = move || {
        listen(stderr, &tail, warnings);
        drop(closes);
    };
    match std::thread::Builder::new().name("isotherm-stderr".into()).spawn(listen) {
        Ok(_) => Ok(Output { child, stdout }),
        Err(error) => Err(failed(error)),
    }
}

/// Turns lines of standard error into warnings, not more than can be read.
fn listen(stderr: ChildStderr, tail: &Tail, mut warnings: Outbox) {
    let mut input = BufReader::new(stderr);
    let mut lines = LineReader::new(&mut input);
    let (mut second, mut shown, mut hidden) = (Instant::now(), 0, 0_u64);
    while let Ok(Some(line)) = lines.next_line() {
        let text = printable(line.bytes, WIDTH);
        if text.is_empty() {
            continue;
        }
        let mut kept = tail.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back(text.clone());
        if kept.len() > TAIL {
            kept.pop_front();
        }
        drop(kept);
        if second.elapsed() >= Duration::from_secs(1) {
            (second, shown) = (Instant::now(), 0);
            warn_hidden(&mut warnings, &mut hidden);
        }
        if text.contains(HARMLESS) {
            continue;
        }
        shown += 1;
        if shown > SHOWN_PER_SECOND {
            hidden += 1;
            continue;
        }
        warnings.warn(text);
        warnings.flush();
    }
    warn_hidden(&mut warnings, &mut hidden);
}

fn warn_hidden(warnings: &mut Outbox, hidden: &mut u64) {
    if *hidden > 0 {
        warnings.warn(format!("({hidden} more lines on standard error)"));
        warnings.flush();
        *hidden = 0;
    }
}

impl Child {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Waits until the program has ended by itself or, if the feed was stopped or has failed,
    /// ends it; then tells how. `silent` is whether it never printed anything.
    pub(crate) fn end(
        mut self,
        failure: Option<FeedError>,
        silent: bool,
        stopped: &Stopped,
    ) -> Ending {
        // A decoder that gave up must not wait for a program that goes on.
        let unwanted = matches!(failure, Some(FeedError::Decode(_) | FeedError::NotRecognised(_)));
        if unwanted {
            self.group.await_exit(|waited| waited < GRACE && !stopped.is_set());
        } else {
            self.group.await_exit(|_| !stopped.is_set());
        }
        let by_itself = self.group.has_exited();
        if !by_itself {
            self.group.kill();
        }
        let status = self.group.wait();
        // A grandchild may hold standard error open for ever; its lines still come as warnings.
        let _ = self.stderr_open.recv_timeout(GRACE / 2);
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let stderr_tail: Vec<String> = tail.iter().cloned().collect();
        drop(tail);
        let status = by_itself.then_some(status);
        let (status, success) = judge(status, failure.is_some());
        // Why a program failed explains what its output lacks; but what could not be decoded
        // explains why it failed, for then its output was closed.
        let error = match failure {
            failure if success => failure,
            Some(decode @ FeedError::Decode(_)) => Some(decode),
            _ => Some(FeedError::Failed {
                program: printable(self.name.as_bytes(), 60),
                status: status.clone(),
                stderr: stderr_tail.iter().rev().take(3).rev().cloned().collect(),
                silent,
            }),
        };
        Ending { error, status, stderr_tail }
    }
}

/// How a program ended, in words, and whether that is as it should be. `None` is a program that
/// we ended.
fn judge(status: Option<io::Result<ExitStatus>>, unwanted: bool) -> (String, bool) {
    match status {
        None => ("stopped".to_owned(), true),
        // Its output was closed because nothing in it was of use: that is not its failure.
        Some(Ok(status)) if unwanted && status.signal() == Some(SIGPIPE) => {
            (describe(status), true)
        }
        Some(Ok(status)) => (describe(status), status.success()),
        Some(Err(error)) => (format!("an unknown status ({error})"), false),
    }
}

pub(crate) fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => status.to_string(),
    }
}

/// Where in the search path the program `name` is.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let candidates = path.as_bytes().split(|byte| *byte == b':').filter(|dir| !dir.is_empty());
    candidates
        .map(|dir| PathBuf::from(std::ffi::OsStr::from_bytes(dir)).join(name))
        .find(|program| rustix::fs::access(program, rustix::fs::Access::EXEC_OK).is_ok())
}
