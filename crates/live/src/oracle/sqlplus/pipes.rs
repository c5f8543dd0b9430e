//! A running SQL*Plus: lines in, lines out, and never waited for without an end.

use std::collections::VecDeque;
use std::io::{self, BufReader, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use isotherm_formats::LineReader;

use crate::feed::{GRACE, Group, Stopped, describe};

/// A program that is told lines and answers with lines.
pub(crate) struct Pipes {
    /// Dropped to close the program's standard input.
    input: Option<Sender<String>>,
    output: Receiver<String>,
    stderr: Tail,
    /// Disconnected once all of standard error has been read.
    stderr_open: Receiver<()>,
    group: Group,
}

/// Why there is no further line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    /// Nothing came for the time given.
    Slow,
    /// The program has ended, or closed its output.
    Ended,
    /// Nobody wants an answer any more.
    Stopped,
}

/// The last lines of standard error.
type Tail = Arc<Mutex<VecDeque<String>>>;

/// Lines of standard error kept.
const KEPT: usize = 5;
/// Lines read ahead: a reader that is slow makes the program wait.
const AHEAD: usize = 4_096;
/// How often a wait looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);

impl Pipes {
    /// Runs a program with pipes on all sides, in a process group of its own.
    pub(crate) fn open(command: &mut Command) -> io::Result<Pipes> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Group::start(command)?;
        let (stdin, stdout, stderr) = (group.stdin()?, group.stdout()?, group.stderr()?);
        let (input, to_write) = channel();
        let (lines, output) = sync_channel(AHEAD);
        let tail = Tail::default();
        let kept = tail.clone();
        named("isotherm-sqlplus-in", move || write(stdin, &to_write))?;
        named("isotherm-sqlplus-out", move || read(stdout, |line| lines.send(line).is_ok()))?;
        let (open, stderr_open) = channel();
        named("isotherm-sqlplus-err", move || {
            read(stderr, |line| keep(&kept, &line));
            drop(open);
        })?;
        Ok(Pipes { input: Some(input), output, stderr: tail, stderr_open, group })
    }

    /// Writes to the program; never waits for it to read.
    pub(crate) fn tell(&self, text: String) {
        // A program that has ended is noticed when its answer is waited for.
        let _ = self.input.as_ref().map(|input| input.send(text));
    }

    /// The next line the program prints, if it comes within `patience`.
    pub(crate) fn line(&self, patience: Duration, stopped: &Stopped) -> Result<String, Silence> {
        let began = Instant::now();
        loop {
            match self.output.recv_timeout(LOOK.min(patience)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Ended),
                Err(RecvTimeoutError::Timeout) if stopped.is_set() => return Err(Silence::Stopped),
                Err(RecvTimeoutError::Timeout) if began.elapsed() >= patience => {
                    return Err(Silence::Slow);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Ends the program and tells how it ended and its last words on standard error.
    pub(crate) fn end(&mut self) -> String {
        self.input = None;
        self.group.await_exit(|waited| waited < GRACE / 2);
        if !self.group.has_exited() {
            self.group.kill();
        }
        let status = self.group.wait().map_or_else(|error| error.to_string(), describe);
        // What the program wrote last may still be on its way; a child of its own may hold the pipe.
        let _ = self.stderr_open.recv_timeout(GRACE);
        let tail = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let words: Vec<&str> = tail.iter().map(String::as_str).collect();
        if words.is_empty() { status } else { format!("{status}: {}", words.join(" / ")) }
    }
}

impl Drop for Pipes {
    /// Closes standard input, upon which SQL*Plus ends by itself; if not, it is ended.
    fn drop(&mut self) {
        self.input = None;
        self.group.await_exit(|waited| waited < GRACE / 2);
    }
}

fn named(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.into()).spawn(run).map(|_| ())
}

fn write(mut stdin: ChildStdin, to_write: &Receiver<String>) {
    for text in to_write {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read(output: impl io::Read + Send, mut take: impl FnMut(String) -> bool) {
    let mut input = BufReader::with_capacity(64 << 10, output);
    let mut lines = LineReader::new(&mut input);
    while let Ok(Some(line)) = lines.next_line() {
        if !take(line.text().into_owned()) {
            return;
        }
    }
}

fn keep(tail: &Tail, line: &str) -> bool {
    let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
    if !line.trim().is_empty() {
        tail.push_back(line.trim().chars().take(300).collect());
    }
    if tail.len() > KEPT {
        tail.pop_front();
    }
    true
}
