//! A program that a lab starts, ended with its owner.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::LabError;

/// The longest that a program may take to end by itself, for each signal.
const FAREWELL: Duration = Duration::from_secs(20);
const GLANCE: Duration = Duration::from_millis(20);

/// A process that is asked to end, and then made to.
#[derive(Debug)]
pub struct Process {
    what: &'static str,
    child: Child,
}

impl Process {
    /// Starts a program in a process group of its own: Ctrl-C of a terminal reaches the lab, which ends
    /// it.
    pub fn start(what: &'static str, mut command: Command) -> io::Result<Process> {
        let child = command.process_group(0).spawn()?;
        Ok(Process { what, child })
    }

    /// Whether it ended well; none while it runs.
    pub fn status(&mut self) -> Result<Option<bool>, LabError> {
        let status =
            self.child.try_wait().map_err(|source| LabError::Start { what: self.what, source })?;
        Ok(status.map(|status| status.success()))
    }

    /// Asks it to end, waits for it, and makes it end where that does not help: `PostgreSQL`'s fast
    /// shutdown, then an immediate one. strace detaches at the first of these signals.
    pub fn end(&mut self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        for signal in [Signal::INT, Signal::QUIT] {
            let begun = Instant::now();
            while begun.elapsed() < FAREWELL {
                // An error means that there is nothing left to wait for.
                if !matches!(self.child.try_wait(), Ok(None)) {
                    return;
                }
                if let Some(pid) = pid {
                    let _ = kill_process(pid, signal);
                }
                sleep(GLANCE);
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}
