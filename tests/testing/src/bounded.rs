//! Waits that end: for a child process, a thread, a channel, a connection, a state.
//!
//! A test that waits without an end holds up everybody. Each function here waits for at most [`LIMIT`],
//! then panics and says what it waited for. `cargo xtask check` refuses the bare calls in tests.

use std::fmt::Debug;
use std::io::{self, ErrorKind, Read};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal};

/// The longest wait: long enough for a busy machine, and half of what the test runner gives a test.
pub const LIMIT: Duration = Duration::from_mins(1);

/// How often a state is looked at.
const POLL: Duration = Duration::from_millis(5);

/// A child process that is killed, with its descendants, when it has run for [`LIMIT`]: whatever waits for it or
/// reads its pipes then ends, too. It is also killed when it is dropped while it runs.
///
/// Otherwise it is used like the [`std::process::Child`] that it holds.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    was_killed: Arc<AtomicBool>,
    command: String,
    limit: Duration,
    /// Dropped to tell the watching thread that there is nothing to watch any more.
    watch: Option<Sender<()>>,
}

impl Deref for Child {
    type Target = std::process::Child;

    fn deref(&self) -> &std::process::Child {
        &self.process
    }
}

impl DerefMut for Child {
    fn deref_mut(&mut self) -> &mut std::process::Child {
        &mut self.process
    }
}

impl Child {
    /// Waits for its end and for all that it writes to its pipes.
    ///
    /// # Errors
    /// As [`std::process::Child::wait_with_output`].
    #[track_caller]
    pub fn wait_with_output(mut self) -> io::Result<Output> {
        drop(self.process.stdin.take());
        // Both pipes at the same time: a child that fills one blocks.
        let error = self.process.stderr.take().map(|pipe| thread::spawn(|| read_all(pipe)));
        let stdout = self.process.stdout.take().map(read_all).transpose()?.unwrap_or_default();
        let stderr = error.map(join).transpose()?.unwrap_or_default();
        let output = Output { status: self.process.wait()?, stdout, stderr };
        assert!(
            !self.was_killed.load(Ordering::SeqCst),
            "{} ran for more than {:?} and was killed; it had written:\n{}{}",
            self.command,
            self.limit,
            excerpt(&output.stdout),
            excerpt(&output.stderr)
        );
        Ok(output)
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// As [`std::process::Child::wait`].
    #[track_caller]
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.process.wait();
        let (command, limit) = (&self.command, self.limit);
        let was_killed = self.was_killed.load(Ordering::SeqCst);
        assert!(!was_killed, "{command} ran for more than {limit:?} and was killed");
        status
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.watch.take());
        if let Ok(None) = self.process.try_wait() {
            kill_tree(Pid::from_child(&self.process));
            let _ = self.process.wait();
        }
    }
}

/// More than any test needs: a child that writes without an end fills neither the memory nor the disk.
const MOST_BYTES: u64 = 256 << 20;

fn read_all(pipe: impl Read) -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    pipe.take(MOST_BYTES).read_to_end(&mut all)?;
    assert!(
        (all.len() as u64) < MOST_BYTES,
        "a child wrote {MOST_BYTES} bytes or more:\n{}",
        excerpt(&all)
    );
    Ok(all)
}

/// The beginning and the end of what a child wrote.
fn excerpt(bytes: &[u8]) -> String {
    const SIDE: usize = 16 << 10;
    if bytes.len() <= 2 * SIDE {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let (begin, end) = (&bytes[..SIDE], &bytes[bytes.len() - SIDE..]);
    let left_out = bytes.len() - 2 * SIDE;
    format!(
        "{}\n... {left_out} bytes ...\n{}",
        String::from_utf8_lossy(begin),
        String::from_utf8_lossy(end)
    )
}

/// Starts a command that may run for [`LIMIT`].
///
/// # Panics
/// If it cannot be started.
#[track_caller]
pub fn spawn(command: &mut Command) -> Child {
    spawn_for(command, LIMIT)
}

/// Starts a command that may run for `limit`.
///
/// # Panics
/// If it cannot be started.
#[track_caller]
pub fn spawn_for(command: &mut Command, limit: Duration) -> Child {
    match try_spawn_for(command, limit) {
        Ok(child) => child,
        Err(error) => panic!("{command:?} cannot be started: {error}"),
    }
}

fn try_spawn_for(command: &mut Command, limit: Duration) -> io::Result<Child> {
    let child = command.spawn()?;
    let pid = Pid::from_child(&child);
    // Unlike its number, it never means another process.
    let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    let was_killed = Arc::new(AtomicBool::new(false));
    let (watch, stop) = mpsc::channel::<()>();
    let killed = Arc::clone(&was_killed);
    thread::spawn(move || {
        let is_over = stop.recv_timeout(limit) != Err(RecvTimeoutError::Timeout);
        if !is_over && rustix::process::pidfd_send_signal(&pidfd, Signal::STOP).is_ok() {
            killed.store(true, Ordering::SeqCst);
            kill_tree(pid);
        }
    });
    Ok(Child {
        process: child,
        was_killed,
        command: format!("{command:?}"),
        limit,
        watch: Some(watch),
    })
}

/// Kills a process that was not waited for, and all of its descendants.
fn kill_tree(pid: Pid) {
    let mut all = vec![pid];
    let mut at = 0;
    while let Some(pid) = all.get(at).copied() {
        all.extend(children(pid));
        at += 1;
    }
    for pid in all {
        let _ = rustix::process::kill_process(pid, Signal::KILL);
    }
}

fn children(pid: Pid) -> Vec<Pid> {
    let tasks =
        std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())).into_iter().flatten();
    let lists =
        tasks.flatten().flat_map(|task| std::fs::read_to_string(task.path().join("children")));
    let numbers: Vec<i32> = lists
        .flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<_>>())
        .collect();
    numbers.into_iter().filter_map(Pid::from_raw).collect()
}

/// Runs a command to its end; gives all that it writes. Its standard input is what the command says, or
/// that of the test.
///
/// # Panics
/// If it cannot be started or runs for more than [`LIMIT`].
#[track_caller]
pub fn output(command: &mut Command) -> Output {
    try_output(command).unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"))
}

/// As [`output`]; a command that cannot be started, because it is not installed, is an error.
///
/// # Errors
/// As [`Command::output`].
#[track_caller]
pub fn try_output(command: &mut Command) -> io::Result<Output> {
    try_output_for(command, LIMIT)
}

/// As [`output`], for a command that may run for `limit`.
///
/// # Panics
/// If it cannot be started or runs for more than `limit`.
#[track_caller]
pub fn output_for(command: &mut Command, limit: Duration) -> Output {
    try_output_for(command, limit)
        .unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"))
}

#[track_caller]
fn try_output_for(command: &mut Command, limit: Duration) -> io::Result<Output> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    try_spawn_for(command, limit)?.wait_with_output()
}

/// Runs a command to its end; what it writes goes where the test's output goes.
///
/// # Panics
/// If it cannot be started or runs for more than [`LIMIT`].
#[track_caller]
pub fn status(command: &mut Command) -> ExitStatus {
    spawn(command).wait().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Waits for a thread to end; gives its result.
///
/// # Panics
/// If the thread panicked or runs for more than [`LIMIT`].
#[track_caller]
pub fn join<T>(thread: JoinHandle<T>) -> T {
    until("a thread to end", || thread.is_finished().then_some(()));
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Waits for the next message of a channel.
///
/// # Panics
/// If none comes within [`LIMIT`], or the other end is gone.
#[track_caller]
pub fn recv<T>(messages: &Receiver<T>) -> T {
    match messages.recv_timeout(LIMIT) {
        Ok(message) => message,
        Err(error) => panic!("no message within {LIMIT:?}: {error}"),
    }
}

/// Waits for a client; its connection then reads and writes for at most [`LIMIT`] at a time.
///
/// # Errors
/// As [`TcpListener::accept`]; `TimedOut` after [`LIMIT`].
pub fn accept(listener: &TcpListener) -> io::Result<TcpStream> {
    listener.set_nonblocking(true)?;
    let begin = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return limited(stream);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock && begin.elapsed() < LIMIT => {
                thread::sleep(POLL);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                return Err(io::Error::new(
                    ErrorKind::TimedOut,
                    format!("no client within {LIMIT:?}"),
                ));
            }
            Err(error) => return Err(error),
        }
    }
}

/// Connects; the connection reads and writes for at most [`LIMIT`] at a time.
///
/// # Errors
/// As [`TcpStream::connect_timeout`].
pub fn connect(address: impl ToSocketAddrs + Debug) -> io::Result<TcpStream> {
    let none = || io::Error::new(ErrorKind::InvalidInput, format!("{address:?} is no address"));
    let address = address.to_socket_addrs()?.next().ok_or_else(none)?;
    limited(TcpStream::connect_timeout(&address, LIMIT)?)
}

fn limited(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_read_timeout(Some(LIMIT))?;
    stream.set_write_timeout(Some(LIMIT))?;
    Ok(stream)
}

/// Waits until `ready` gives something.
///
/// # Panics
/// After [`LIMIT`].
#[track_caller]
pub fn until<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(result) = ready() {
            return result;
        }
        assert!(begin.elapsed() < LIMIT, "waited {LIMIT:?} in vain for {what}");
        thread::sleep(POLL);
    }
}

/// Waits until a file has something in it; gives its text.
///
/// # Panics
/// After [`LIMIT`].
#[track_caller]
pub fn text_of(path: &Path) -> String {
    let text = || std::fs::read_to_string(path).ok().filter(|text| !text.is_empty());
    until(&path.display().to_string(), text)
}

/// The time that is left of [`LIMIT`] for a loop over several waits: each takes what the others left.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Default for Deadline {
    fn default() -> Deadline {
        Deadline::after(LIMIT)
    }
}

impl Deadline {
    /// A deadline in `limit` from now.
    #[must_use]
    pub fn after(limit: Duration) -> Deadline {
        Deadline(Instant::now() + limit)
    }

    /// What is left until then.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// The next message, before the deadline.
    ///
    /// # Panics
    /// At the deadline, or when the other end is gone.
    #[track_caller]
    pub fn recv<T>(&self, messages: &Receiver<T>) -> T {
        match messages.recv_timeout(self.left()) {
            Ok(message) => message,
            Err(error) => panic!("no message in time: {error}"),
        }
    }
}

/// Ends the whole test program when it is not dropped within [`LIMIT`]: for what runs in the test's own
/// thread and cannot be interrupted, such as a job of the load engine.
#[derive(Debug)]
#[must_use = "it watches until it is dropped"]
pub struct Watchdog(#[allow(dead_code, reason = "dropping it ends the watch")] Sender<()>);

/// Watches what comes until the result is dropped.
pub fn watchdog(what: &str) -> Watchdog {
    watchdog_for(what, LIMIT)
}

/// Like [`watchdog`], with another limit.
pub fn watchdog_for(what: &str, limit: Duration) -> Watchdog {
    let (watch, stop) = mpsc::channel::<()>();
    let what = what.to_owned();
    thread::spawn(move || {
        if stop.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{what} did not end within {limit:?}");
            std::process::exit(101);
        }
    });
    Watchdog(watch)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(300);

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_ends_in_time_is_given_as_it_is() {
        let output = output(&mut sh("echo out; echo error >&2; exit 3"));
        assert_eq!(output.status.code(), Some(3));
        assert_eq!((output.stdout, output.stderr), (b"out\n".to_vec(), b"error\n".to_vec()));
        assert_eq!(join(thread::spawn(|| 7)), 7);
    }

    #[test]
    fn a_child_that_does_not_end_is_killed_with_those_it_started_and_what_it_wrote_is_told() {
        let script = "echo begun; sleep 1000 & sleep 1000";
        let end = thread::spawn(move || output_for(&mut sh(script), SHORT));
        until("its end", || end.is_finished().then_some(()));
        let panic = end.join().unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.contains("was killed") && message.contains("begun"), "{message}");
    }

    #[test]
    fn a_child_that_writes_without_an_end_is_killed_and_its_begin_and_end_are_shown() {
        let end = thread::spawn(|| output(&mut sh("echo begun; exec yes")));
        until("its end", || end.is_finished().then_some(()));
        let panic = end.join().unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(
            message.contains("begun\ny\n") && message.len() < 100_000,
            "{} bytes",
            message.len()
        );
    }

    #[test]
    fn readers_of_a_killed_childs_pipes_come_to_an_end() {
        let mut child = spawn_for(sh("echo one; exec sleep 1000").stdout(Stdio::piped()), SHORT);
        let text = read_all(child.stdout.take().unwrap()).unwrap();
        assert_eq!(text, b"one\n");
    }

    #[test]
    fn a_dropped_child_is_gone() {
        let child = spawn(&mut sh("sleep 1000"));
        let path = format!("/proc/{}", child.id());
        assert!(Path::new(&path).exists());
        drop(child);
        assert!(!Path::new(&path).exists());
    }
}
