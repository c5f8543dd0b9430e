//! strace of processes that run.

use std::fs::{self, File};
use std::io;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::server::{Process, Scratch};
use crate::{Bench, LabError};

/// The longest that strace may take to attach.
const PATIENCE: Duration = Duration::from_secs(20);
const GLANCE: Duration = Duration::from_millis(5);

/// Why a process is not traced, in one sentence.
#[derive(Debug)]
pub struct Untraced(pub String);

/// How the files with the calls begin: one, or with `-ff` one for each process.
const CALLS: &str = "calls";

/// strace, attached to processes.
pub struct Strace {
    // Before the directory: it has ended when its files are removed.
    process: Process,
    scratch: Scratch,
}

impl Strace {
    /// Attaches to processes with these options, so that from now on their calls are seen; `done` of the lab is done.
    pub fn attach(
        (pids, options): (&[u64], &[&str]),
        done: f64,
        bench: &mut Bench<'_>,
    ) -> Result<Result<Strace, Untraced>, LabError> {
        let scratch = Scratch::new()?;
        let messages = scratch.path().join("messages");
        let messages_file =
            File::create(&messages).map_err(|source| LabError::Start { what: "strace", source })?;
        let mut command = Command::new("strace");
        command.args(options).arg("-o").arg(scratch.path().join(CALLS));
        for pid in pids {
            command.args(["-p", &pid.to_string()]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(messages_file);
        let mut process = match Process::start("strace", command) {
            Ok(process) => process,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Err(Untraced("strace is not installed".to_owned())));
            }
            Err(source) => return Err(LabError::Start { what: "strace", source }),
        };
        let begun = Instant::now();
        loop {
            bench.step(done, "attaching strace")?;
            let text = fs::read_to_string(&messages).unwrap_or_default();
            // It says so when a process is about to stop: nothing that it does later is missed.
            if text.matches(" attached").count() == pids.len() {
                return Ok(Ok(Strace { process, scratch }));
            }
            if process.status()?.is_some() || begun.elapsed() > PATIENCE {
                let why = text.lines().next().unwrap_or("it does not attach").to_owned();
                return Ok(Err(Untraced(format!("strace cannot trace the session ({why})"))));
            }
            sleep(GLANCE);
        }
    }

    /// What it has printed so far: each call before the process goes on after it.
    pub fn text(&self) -> Result<String, LabError> {
        text_in(&self.scratch)
    }

    /// Detaches, and gives what it printed.
    pub fn finish(self) -> Result<String, LabError> {
        let Strace { process, scratch } = self;
        drop(process);
        text_in(&scratch)
    }
}

/// All files with calls.
fn text_in(scratch: &Scratch) -> Result<String, LabError> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for entry in fs::read_dir(scratch.path())? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(CALLS) {
                bytes.extend(fs::read(entry.path())?);
            }
        }
        Ok(bytes)
    };
    let bytes = read().map_err(|error| LabError::Unreadable {
        what: scratch.path().display().to_string(),
        why: error.to_string(),
        next: "run the lab again; the directory of temporary files must not be emptied meanwhile",
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
