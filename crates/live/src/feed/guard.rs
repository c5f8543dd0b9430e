//! How programs are started: through a process that ends them when this one is gone, if there is
//! one.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// The first argument with which this executable is such a process.
static WORD: OnceLock<&'static str> = OnceLock::new();

/// This executable, whatever it is called by now.
const OURSELVES: &str = "/proc/self/exe";

/// From now on programs are started through this executable, with the arguments `word`, the number
/// of this process, the program and its arguments. It must run the program, end as it ends, and
/// end it when this process is gone.
pub fn guard_programs(word: &'static str) {
    // Said twice, the first one counts.
    let _ = WORD.set(word);
}

/// A command that runs `program`.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let Some(word) = WORD.get().filter(|_| Path::new(OURSELVES).exists()) else {
        return Command::new(program);
    };
    let mut command = Command::new(OURSELVES);
    command.arg0("isotherm").arg(word).arg(std::process::id().to_string()).arg(program);
    command
}
