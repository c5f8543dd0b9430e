//! Captures of the path of each I/O that bpftrace writes, and what it says it lost of them.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;
use testing::bounded;

use super::uprobes::passed_over;
use super::{Room, signal};

/// A capture that is being written; ended when it is dropped.
pub(super) struct Capture {
    bpftrace: bounded::Child,
    file: String,
}

impl Capture {
    /// Runs a program until it says that it has begun.
    pub(super) fn of(program: &str, room: &Room) -> Capture {
        let file = room.name("path.json");
        let output = File::create(&file).unwrap();
        let error = File::create(room.path("path.err")).unwrap();
        let mut command = Command::new("bpftrace");
        command.args(["-f", "json", program]).stdout(output).stderr(error);
        let mut capture = Capture { bpftrace: bounded::spawn(&mut command), file };
        let probes = bounded::until("the program to begin", || capture.begun());
        capture.wait_for_probes(probes);
        capture
    }

    fn assert_runs(&mut self) {
        let end = self.bpftrace.try_wait().unwrap();
        assert!(end.is_none(), "bpftrace ended: {end:?}");
    }

    /// The number of its probes, once it has begun.
    fn begun(&mut self) -> Option<usize> {
        self.assert_runs();
        let text = fs::read_to_string(&self.file).ok()?;
        let said: Vec<Value> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let is_begun = |message: &Value| {
            message["data"].as_str().is_some_and(|text| text.starts_with("isotherm-path 1 "))
        };
        let probes = said.iter().find_map(|message| message["data"]["probes"].as_u64())?;
        said.iter().any(is_begun).then(|| usize::try_from(probes).unwrap())
    }

    /// Waits until the last probe is attached: that happens one by one after the beginning.
    fn wait_for_probes(&mut self, probes: usize) {
        /// For a bpftrace that keeps other descriptors: it opens no more for so many looks.
        const LOOKS: u32 = 100;
        let (mut last, mut unchanged) = (0, 0);
        while unchanged < LOOKS {
            self.assert_runs();
            let (open, events) = self.descriptors();
            if events >= probes - BEGIN_AND_END + processors() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100)); // wall clock: how often it is looked at
            unchanged = if open == last { unchanged + 1 } else { 0 };
            last = open;
        }
    }

    /// Its open descriptors, and how many of them are of the kernel's events: one for each probe, and one for
    /// each processor's output.
    fn descriptors(&self) -> (usize, usize) {
        let folder = fs::read_dir(format!("/proc/{}/fd", self.bpftrace.id())).unwrap();
        let targets: Vec<_> =
            folder.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).collect();
        let is_event = |target: &&PathBuf| target.ends_with("anon_inode:[perf_event]");
        (targets.len(), targets.iter().filter(is_event).count())
    }

    /// Ends it; the file.
    pub(super) fn finish(mut self) -> String {
        signal(&self.bpftrace, Signal::INT);
        assert!(self.bpftrace.wait().unwrap().success());
        self.file
    }
}

/// The probes of a program that are not attached while it runs.
const BEGIN_AND_END: usize = 2;

/// The processors that are online.
fn processors() -> usize {
    let stat = fs::read_to_string("/proc/stat").unwrap();
    stat.lines().filter(|line| line.starts_with("cpu") && !line.starts_with("cpu ")).count()
}

/// Runs a test of a capture, which gives the lines that bpftrace says it lost on a busy machine: none may be
/// missing but these. Where some were lost, there is a second capture.
pub(super) fn in_a_whole_capture(test: fn() -> Option<u64>) {
    let is_lossy = || test().is_some_and(|lost| lost > 0);
    if is_lossy() && is_lossy() {
        passed_over("bpftrace lost lines of both captures: what is left of them was compared");
    }
}

pub(super) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value}"))
}

/// How many lines of it bpftrace says it lost; nothing of what is left may be rejected.
pub(super) fn lost(timeline: &Value) -> u64 {
    let input = &timeline["inputs"][0];
    assert_eq!(number(&input["rejected"]), 0, "{input}");
    number(&input["lost"])
}

/// Compares the number of steps in a capture with the true one: those that are missing were lost.
pub(super) fn assert_counted(what: &str, captured: usize, truth: u64, lost: u64) {
    let captured = captured as u64;
    let is_right = captured <= truth && captured + lost >= truth;
    assert!(is_right, "{what}: {captured} of {truth} in the capture, {lost} lines were lost");
}
