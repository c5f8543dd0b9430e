//! The output of a shell command.

use std::fmt;

use crate::feed::{LiveOptions, OpenError, Running, command, read_child, spawn};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};
use crate::{AddressError, Counting, Meta, Need};

static METAS: &[&Meta] = &[&COMMAND];

pub(crate) static LIVE: Shell = Shell;

/// `cmd:COMMAND`.
pub(crate) struct Shell;

impl Live for Shell {
    fn metas(&self) -> &'static [&'static Meta] {
        METAS
    }

    fn schemes(&self) -> &'static [LiveScheme] {
        &[LiveScheme { name: "cmd", needs: "a command", example: "cmd:'iosnoop -t'" }]
    }

    fn target(&self, _: &'static str, rest: &str) -> Result<LiveAddress, AddressError> {
        Ok(LiveAddress::new(CommandLine(rest.to_owned())))
    }
}

#[derive(Debug)]
struct CommandLine(String);

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cmd:{}", self.0)
    }
}

impl Target for CommandLine {
    fn open(&self, options: &LiveOptions, start: Start) -> Result<Running, OpenError> {
        let Start { outbox, choice } = start;
        let mut shell = command("sh");
        shell.args(["-c", &self.0]);
        let output = spawn(shell, &self.0, outbox.warnings())?;
        read_child(output, choice, &options.context, outbox)
    }
}

static COMMAND: Meta = Meta {
    name: "command",
    address: "cmd:'...'",
    about: "The output of a shell command while it runs, in any of the formats that isotherm reads",
    needs: &[Need {
        what: "a command that does not buffer its output when it prints into a pipe",
        how: "stdbuf -oL COMMAND, grep --line-buffered, python3 -u",
    }],
    command: "isotherm live \"cmd:ssh db1 'sudo biolatency-bpfcc -m 1'\"",
    overhead: "That of the command. sh runs it, without standard input, in its own process group. \
               At the end isotherm sends SIGTERM to the whole group, and SIGKILL after a second, \
               but does not wait for it.",
    loses: "Whatever the format cannot show. Prints without a timestamp get the time at which they \
            arrive. Lines on standard error are shown as warnings, at most ten a second; the last \
            twenty are kept.",
    counting: Counting::Varies(
        "As the page of the format that the command prints says: totals, increments or single \
        events, and what resets them.",
    ),
    exact_time: false,
    example: "\
$ isotherm live \"cmd:bpftrace nosuch.bt\"; echo \"exit code $?\"
isotherm: ERROR: failed to open file 'nosuch.bt': No such file or directory
isotherm: 'bpftrace nosuch.bt' ended with exit code 255: ERROR: failed to open file 'nosuch.bt': \
No such file or directory
exit code 3
",
    interpretation: "isotherm shows the command's own error message and exit code. Because the \
                     command ended before it printed anything, isotherm treats the source as \
                     unreachable and ends with exit code 3.",
};
