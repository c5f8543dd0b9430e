//! Programs in process groups of their own: a Ctrl-C in the terminal reaches us first, and what
//! we end is the whole group and nothing else.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::{Duration, Instant};

use crate::environment;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// A program that leads a process group; ended when dropped.
#[derive(Debug)]
pub(crate) struct Group {
    process: Child,
}

/// How long a program may take to end when asked, before it is made to.
pub(crate) const GRACE: Duration = Duration::from_secs(1);
/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(10);

impl Drop for Group {
    /// A program that was not waited for is ended.
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            self.kill();
            let _ = self.process.wait();
        }
    }
}

impl Group {
    /// Runs a program.
    pub(crate) fn start(command: &mut Command) -> io::Result<Group> {
        environment::without_own_secrets(command);
        command.process_group(0).spawn().map(|process| Group { process })
    }

    /// The other end of the program's standard input, once, if it is a pipe.
    pub(crate) fn stdin(&mut self) -> io::Result<ChildStdin> {
        self.process.stdin.take().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    /// The other end of the program's standard output, once, if it is a pipe.
    pub(crate) fn stdout(&mut self) -> io::Result<ChildStdout> {
        self.process.stdout.take().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    /// The other end of the program's standard error, once, if it is a pipe.
    pub(crate) fn stderr(&mut self) -> io::Result<ChildStderr> {
        self.process.stderr.take().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    /// Waits for the end of the program while `patient` of the time waited.
    pub(crate) fn await_exit(&self, patient: impl Fn(Duration) -> bool) {
        let began = Instant::now();
        while !self.has_exited() && patient(began.elapsed()) {
            std::thread::sleep(LOOK);
        }
    }

    /// Whether the program has ended; it stays to be waited for, so that its process group's
    /// number cannot be given to another one meanwhile.
    pub(crate) fn has_exited(&self) -> bool {
        let Some(pid) = self.pid() else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
    }

    /// Ends the program's process group: asks, waits, and then does not ask.
    pub(crate) fn kill(&self) {
        let Some(group) = self.pid() else { return };
        // The group is gone already if this fails, which is what is wanted.
        let _ = kill_process_group(group, Signal::TERM);
        self.await_exit(|waited| waited < GRACE);
        let _ = kill_process_group(group, Signal::KILL);
    }

    /// How the program ended; waits for it.
    pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
        self.process.wait()
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.process.id()).ok().and_then(Pid::from_raw)
    }
}
