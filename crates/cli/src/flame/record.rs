//! `isotherm flame record`: samples taken by perf, or time off CPU by bpftrace.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use isotherm_flame::{ReadError, ReadOptions};
use isotherm_report::FlameGraph;
use rustix::process::{Pid, Signal, kill_process};

use super::args::FlameRecordArgs;
use super::input::Read;
use super::picture::Frames;
use super::read::{strict, warn};
use super::write;
use crate::failure::{Code, Failure};
use crate::report::command_line;
use crate::screen;
use crate::signals::Signals;

/// The program that measures time off CPU.
const OFF_CPU: &str = include_str!("off_cpu.bt");
/// How much of what a tool says is shown when it fails.
const SAID: usize = 160;
/// How often is looked whether the user wants an end.
const LOOK: Duration = Duration::from_millis(100);

pub fn run(args: &FlameRecordArgs) -> Result<(), Failure> {
    let destination = write::destination(&args.picture, &[], "flame")?;
    let frames = Frames::of(&args.picture)?;
    let room = Room::new()?;
    // A signal ends the tool, and what it has is drawn.
    let stop = Signals::register()?.flag();
    let read = if args.off_cpu { off_cpu(args, &room, stop)? } else { on_cpu(args, &room, stop)? };
    warn(&read.input);
    let shown = frames.apply(read)?;
    let what = if args.off_cpu { "Time off CPU of" } else { "CPU flame graph of" };
    let whom = args.pid.map_or_else(|| "all processes".to_owned(), |pid| format!("process {pid}"));
    let graph = FlameGraph {
        title: args.picture.title.clone().unwrap_or_else(|| format!("{what} {whom}")),
        remarks: frames.remarks(),
        inputs: vec![shown.input.clone()],
        stacks: &shown.stacks,
        before: None,
        heat: None,
        sections: Vec::new(),
        command: command_line(),
    };
    destination.write(&graph)?;
    strict(args.picture.strict, &graph.inputs)
}

/// Samples of what runs, by perf.
fn on_cpu(args: &FlameRecordArgs, room: &Room, stop: Arc<AtomicBool>) -> Result<Read, Failure> {
    let data = room.0.join("perf.data");
    let mut command = Command::new("perf");
    command.args(["record", "-F", &args.hz.to_string(), "--call-graph", &args.call_graph, "-o"]);
    command.arg(&data);
    match args.pid {
        Some(pid) => command.args(["-p", &pid.to_string()]),
        None => command.arg("-a"),
    };
    command.args(["--", "sleep", &seconds(args)]).stdout(Stdio::null());
    let recorded = output_of(&mut command, PERF, stop)?;
    if !data.exists() || recorded.refused {
        return Err(refused("perf record", &recorded.said, PERF));
    }
    let mut script = Command::new("perf");
    script.args(["script", "--header", "-i"]).arg(&data);
    let otherwise = "nothing of it ran on a processor; --off-cpu shows where it waits";
    let memory = Some(args.picture.stack_bytes());
    let event = args.picture.counter.clone();
    let options = ReadOptions { event, memory, ..ReadOptions::default() };
    read_of(spawn(&mut script, PERF)?, "perf script", &options, otherwise)?.0
}

/// Time by stack that threads spend off CPU, by bpftrace.
fn off_cpu(args: &FlameRecordArgs, room: &Room, stop: Arc<AtomicBool>) -> Result<Read, Failure> {
    let program = room.0.join("off_cpu.bt");
    fs::write(&program, OFF_CPU).map_err(|error| unwritten(&program, &error))?;
    let pid = args.pid.unwrap_or(0).to_string();
    let mut command = Command::new("bpftrace");
    command.arg(&program).args([&seconds(args), &pid]);
    let child = spawn(&mut command, BPFTRACE)?;
    let _ended = Interrupter::of(&child, stop);
    let otherwise = "no thread of it left a processor and came back";
    let (read, ended) = read_of(child, "bpftrace", &ReadOptions::default(), otherwise)?;
    if read.is_err() && ended.refused {
        return Err(refused("bpftrace", &ended.said, BPFTRACE));
    }
    read
}

/// How long, in whole seconds, which both tools take.
fn seconds(args: &FlameRecordArgs) -> String {
    args.duration.as_nanos().div_ceil(1_000_000_000).max(1).to_string()
}

/// What a tool needs, for who does not have it.
type Needs = &'static str;

const PERF: Needs = "perf is in the package linux-perf (Debian), linux-tools-generic (Ubuntu) or perf (Red Hat); \
    it needs root, or kernel.perf_event_paranoid of at most 1 for processes of your own and -1 for --all";
const BPFTRACE: Needs = "--off-cpu needs bpftrace (package bpftrace) and root";

/// What a program that ended has said.
struct Ended {
    said: String,
    refused: bool,
}

fn spawn(command: &mut Command, needs: Needs) -> Result<Child, Failure> {
    let spawned =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    spawned.map_err(|error| not_started(command, &error, needs))
}

fn not_started(command: &Command, error: &io::Error, needs: Needs) -> Failure {
    let name = command.get_program().display();
    let why = match error.kind() {
        io::ErrorKind::NotFound => "it is not installed".to_owned(),
        _ => error.to_string(),
    };
    Failure::new(Code::Unreachable, format!("cannot start {name}: {why}. {needs}"))
}

/// Reads what a tool prints until it ends; `otherwise` says why there may be nothing.
fn read_of(
    mut child: Child,
    name: &str,
    options: &ReadOptions,
    otherwise: &str,
) -> Result<(Result<Read, Failure>, Ended), Failure> {
    // What it says beside must not fill its pipe while nobody reads it.
    let errors = child.stderr.take();
    let said = thread::spawn(move || text_of(errors));
    let capture = match child.stdout.take() {
        Some(mut stdout) => isotherm_flame::read(&mut stdout, options),
        None => isotherm_flame::read(&mut io::empty(), options),
    };
    let said = said.join().unwrap_or_default();
    let ended = Ended { refused: is_refused(&mut child)?, said };
    let read = capture.map(|capture| Read::of(name, capture)).map_err(|error| {
        let why = match &error {
            ReadError::Io(error) => format!("cannot read what it prints: {error}"),
            ReadError::NoSuchEvent { .. } | ReadError::Ambiguous { .. } => error.to_string(),
            _ => format!("not one stack: the process has ended, or {otherwise}"),
        };
        let said = if ended.said.is_empty() {
            String::new()
        } else {
            format!(". It says: {}", ended.said)
        };
        Failure::nothing(format!("{name}: {why}{said}"))
    });
    Ok((read, ended))
}

fn text_of(errors: Option<impl io::Read>) -> String {
    let mut said = Vec::new();
    if let Some(errors) = errors {
        // What cannot be read is not said.
        let _ = errors.take(1 << 20).read_to_end(&mut said);
    }
    let text = String::from_utf8_lossy(&said);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(SAID).collect()
}

/// Lets a program run to its end.
fn output_of(command: &mut Command, needs: Needs, stop: Arc<AtomicBool>) -> Result<Ended, Failure> {
    let spawned = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| not_started(command, &error, needs))?;
    let _ended = Interrupter::of(&child, stop);
    let said = text_of(child.stderr.take());
    Ok(Ended { refused: is_refused(&mut child)?, said })
}

/// Waits for a program to end: whether it did not do its work. Ended by Ctrl-C it has written what it
/// had.
fn is_refused(child: &mut Child) -> Result<bool, Failure> {
    let status = child.wait().map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    Ok(status.code().is_some_and(|code| code != 0 && code != 130))
}

/// That a tool did not do its work; what it needs where that may be why.
fn refused(what: &str, said: &str, needs: Needs) -> Failure {
    const SIGNS: [&str; 5] = ["paranoid", "ermission", "root", "Access", "not permitted"];
    let is_privilege = SIGNS.iter().any(|sign| said.contains(sign));
    let advice = if is_privilege { format!(". {needs}") } else { String::new() };
    Failure::new(
        Code::Unreachable,
        format!("{what} failed: {}{advice}", said.trim_end_matches('.')),
    )
}

/// Ends a program as Ctrl-C does once a flag is raised.
struct Interrupter {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Interrupter {
    fn of(child: &Child, stop: Arc<AtomicBool>) -> Interrupter {
        let done = Arc::new(AtomicBool::new(false));
        let (pid, is_done) = (Pid::from_child(child), Arc::clone(&done));
        let thread = thread::spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                if stop.load(Ordering::Relaxed) {
                    // It may have ended already.
                    let _ = kill_process(pid, Signal::INT);
                    return;
                }
                thread::sleep(LOOK);
            }
        });
        Interrupter { done, thread: Some(thread) }
    }
}

impl Drop for Interrupter {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It does nothing that could fail.
            let _ = thread.join();
        }
    }
}

/// A directory of this run that nobody else can read; it goes away with it.
struct Room(PathBuf);

impl Room {
    fn new() -> Result<Room, Failure> {
        let parent = std::env::temp_dir();
        let made = (0..100).find_map(|number| {
            let path = parent.join(format!("isotherm-flame-{}-{number}", std::process::id()));
            let made = fs::DirBuilder::new().mode(0o700).create(&path);
            made.is_ok().then_some(path)
        });
        made.map(Room).ok_or_else(|| {
            Failure::new(
                Code::Runtime,
                format!("{}: cannot make a directory here", parent.display()),
            )
        })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            screen::warn(&format!("{}: cannot remove: {error}", self.0.display()));
        }
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Code::Runtime, format!("{}: cannot write: {error}", path.display()))
}
