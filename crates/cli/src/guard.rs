//! The parent of the programs that isotherm runs. It ends a program and all that this has started
//! when isotherm is gone, however it went: nothing runs on in the background after a `kill -9`.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpid, getppid, kill_process_group};
use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;

use crate::screen;

/// The first argument of isotherm when it is such a parent; the next ones are the process number
/// of the isotherm that wants the program, the program, and its arguments.
pub const WORD: &str = "__guard";

/// How long programs may take to end when asked: as long as while isotherm is there.
const GRACE: Duration = Duration::from_secs(1);

/// The arguments after [`WORD`], if this process is to be such a parent.
pub fn asked() -> Option<Vec<OsString>> {
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next()? == WORD).then(|| arguments.collect())
}

/// Runs a program to its end and ends as it did.
pub fn run(arguments: &[OsString]) -> ExitCode {
    let owner = arguments.first().and_then(|text| text.to_str()?.parse().ok());
    let (Some(owner), Some(program)) = (owner.and_then(Pid::from_raw), arguments.get(1)) else {
        return ExitCode::from(2);
    };
    match guarded(owner, Command::new(program).args(&arguments[2..])) {
        Ok(status) => as_it_ended(status),
        Err(error) => {
            screen::warn(&format!("cannot start '{}': {error}", program.display()));
            ExitCode::from(127)
        }
    }
}

fn guarded(owner: Pid, command: &mut Command) -> std::io::Result<ExitStatus> {
    // The handler must be there before the signal can come.
    let signals = Signals::new([SIGTERM])?;
    rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
    if is_gone(owner) {
        // It ended before the kernel was asked to tell.
        return Ok(ExitStatus::from_raw(SIGTERM));
    }
    let mut program = command.spawn()?;
    let end = end_with(owner, signals)?;
    let_go_of_pipes();
    let status = program.wait()?;
    if is_gone(owner) {
        // What the program has started may still be there.
        let _ = end.join();
    }
    Ok(status)
}

fn is_gone(owner: Pid) -> bool {
    getppid() != Some(owner)
}

/// Ends the whole process group once the owner is gone. A SIGTERM while it is there was sent to all
/// of the group, or came because a thread of the owner ended.
fn end_with(owner: Pid, mut signals: Signals) -> std::io::Result<JoinHandle<()>> {
    let wait = move || {
        if signals.forever().any(|_| is_gone(owner)) {
            let _ = kill_process_group(getpid(), Signal::TERM);
            std::thread::sleep(GRACE);
            let _ = kill_process_group(getpid(), Signal::KILL);
        }
    };
    std::thread::Builder::new().name("isotherm-guard".into()).spawn(wait)
}

/// Closes this process's ends of the pipes of the program: who reads them must see when it closes
/// them.
fn let_go_of_pipes() {
    let Ok(null) = std::fs::File::options().read(true).write(true).open("/dev/null") else {
        return;
    };
    let _ = rustix::stdio::dup2_stdin(&null);
    let _ = rustix::stdio::dup2_stdout(&null);
    let _ = rustix::stdio::dup2_stderr(&null);
}

fn as_it_ended(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
