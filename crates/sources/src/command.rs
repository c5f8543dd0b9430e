//! The output of a shell command.

use std::fmt;

use crate::feed::{LiveOptions, OpenError, Running, command, read_child, spawn};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};
use crate::{AddressError, Meta, Need};

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
    about: "What a shell command prints, in any of the formats above, while it runs",
    needs: &[Need {
        what: "a command that does not hold its lines back when it prints into a pipe",
        how: "stdbuf -oL COMMAND, grep --line-buffered, python3 -u",
    }],
    command: "isotherm live \"cmd:ssh db1 'sudo biolatency-bpfcc -m 1'\"",
    overhead: "That of the command. It is run by sh, without standard input, in a process group \
               of its own; the whole group is ended with SIGTERM, and after a second with SIGKILL; \
               isotherm itself does not wait for that.",
    loses: "What the format loses. Prints without a time of their own are placed when they \
            arrive. Lines of standard error are shown as warnings, ten in a second at most; the \
            last twenty are kept.",
    exact_time: false,
    example: "\
$ isotherm live \"cmd:bpftrace nosuch.bt\"; echo \"exit code $?\"
isotherm: ERROR: failed to open file 'nosuch.bt': No such file or directory
isotherm: 'bpftrace nosuch.bt' ended with exit code 255: ERROR: failed to open file 'nosuch.bt': \
No such file or directory
exit code 3
",
    interpretation: "The command's own words and its exit code are shown. Because it ended before \
                     it printed anything, the source counts as one that cannot be reached, which \
                     is exit code 3.",
};
