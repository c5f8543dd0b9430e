//! strace of one process.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::calls::Calls;
use crate::server::{Process, Scratch};
use crate::{Bench, LabError};

/// The longest that strace may take to attach.
const PATIENCE: Duration = Duration::from_secs(20);
const GLANCE: Duration = Duration::from_millis(5);

/// Why a process is not traced, in one sentence.
#[derive(Debug)]
pub struct Untraced(pub String);

/// strace, attached to a process.
pub struct Strace {
    // Before the directory: it has ended when its files are removed.
    process: Process,
    scratch: Scratch,
}

impl Strace {
    /// Attaches to a process, so that from now on its calls are seen; `done` of the lab is done.
    pub fn attach(
        pid: u64,
        done: f64,
        bench: &mut Bench<'_>,
    ) -> Result<Result<Strace, Untraced>, LabError> {
        let scratch = Scratch::new()?;
        let (calls, messages) = (scratch.path().join("calls"), scratch.path().join("messages"));
        let messages_file =
            File::create(&messages).map_err(|source| LabError::Start { what: "strace", source })?;
        let mut command = Command::new("strace");
        command.args(["-y", "-s", "0", "-e", &Calls::traced(), "-p", &pid.to_string(), "-o"]);
        command.arg(&calls).stdin(Stdio::null()).stdout(Stdio::null()).stderr(messages_file);
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
            // It says so when the process is about to stop: nothing that it does later is missed.
            if text.contains(" attached") {
                return Ok(Ok(Strace { process, scratch }));
            }
            if process.status()?.is_some() || begun.elapsed() > PATIENCE {
                let why = text.lines().next().unwrap_or("it does not attach").to_owned();
                return Ok(Err(Untraced(format!("strace cannot trace the session ({why})"))));
            }
            sleep(GLANCE);
        }
    }

    /// Detaches, and gives what it printed.
    pub fn finish(self) -> Result<String, LabError> {
        let Strace { process, scratch } = self;
        drop(process);
        let path: PathBuf = scratch.path().join("calls");
        let bytes = fs::read(&path).map_err(|error| LabError::Unreadable {
            what: path.display().to_string(),
            why: error.to_string(),
            next: "run the lab again; the directory of temporary files must not be emptied meanwhile",
        })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
