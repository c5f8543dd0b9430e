//! The output of a shell command.

use std::fmt;

use isotherm_formats::{Counting, Meta, Need};

use crate::feed::{LiveOptions, OpenError, Running, command, read_child, spawn};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};

/// A command line as it is shown and recorded: the name of its program and the number of its arguments.
///
/// Any of the rest may be a password: programs take them as options of any name, in headers, in variables
/// and on standard input, so that no list of the ways is complete.
pub fn command_in_short(line: &str) -> String {
    let words = shell_words(line);
    let mut words = words.iter().skip_while(|word| is_assignment(word));
    let first = words.next().map_or("", String::as_str);
    let name = first.rsplit('/').next().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    if name.is_empty() || !name.chars().all(is_plain) {
        return "a shell command".to_owned();
    }
    match words.count() {
        0 => name.to_owned(),
        1 => format!("{name} (1 argument)"),
        arguments => format!("{name} ({arguments} arguments)"),
    }
}

/// `NAME=value` before a program.
fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && is_name(name))
}

/// The words of a line, as a shell divides them; without their quotes.
fn shell_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut begun) = (Vec::new(), String::new(), false);
    let (mut quote, mut escaped) = (None, false);
    for c in line.chars() {
        match quote {
            _ if escaped => {
                word.push(c);
                escaped = false;
            }
            Some('\'') | None if c == '\'' => {
                quote = if quote.is_some() { None } else { Some(c) };
                begun = true;
            }
            Some('"') | None if c == '"' => {
                quote = if quote.is_some() { None } else { Some(c) };
                begun = true;
            }
            Some('"') | None if c == '\\' => (escaped, begun) = (true, true),
            None if c.is_whitespace() => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            _ => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

/// `cmd:COMMAND`.
pub(crate) static LIVE: Live = Live {
    metas: &[&COMMAND],
    schemes: &[LiveScheme { name: "cmd", needs: "a command", example: "cmd:'iosnoop -t'" }],
    target: |_, rest| Ok(LiveAddress::new(CommandLine(rest.to_owned()))),
    load_instead: |_| None,
};

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
        let output = spawn(shell, &command_in_short(&self.0), outbox.warnings())?;
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
            twenty are kept. A recording, and everything made of it, has the name of the program and \
            the number of its arguments, since any of them may be a password; with --keep-command it \
            has the whole line.",
    counting: Counting::Varies(
        "As the page of the format that the command prints says: totals, increments or single \
        events, and what resets them.",
    ),
    exact_time: false,
    example: "\
$ isotherm live \"cmd:bpftrace nosuch.bt\"; echo \"exit code $?\"
isotherm: ERROR: failed to open file 'nosuch.bt': No such file or directory
isotherm: 'bpftrace (1 argument)' ended with exit code 255: ERROR: failed to open file 'nosuch.bt': \
No such file or directory
exit code 3
",
    interpretation: "isotherm shows the command's own error message and exit code. Because the \
                     command ended before it printed anything, isotherm treats the source as \
                     unreachable and ends with exit code 3.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_named_by_its_program_and_nothing_else_of_it_is_shown() {
        for (line, expected) in [
            ("iostat", "iostat"),
            ("/usr/bin/iostat 1", "iostat (1 argument)"),
            ("curl -u joe:s3cret https://h/", "curl (3 arguments)"),
            ("curl -H 'Authorization: Bearer s3cret' h", "curl (3 arguments)"),
            ("AWS_SECRET_ACCESS_KEY='s3 cret' B=\"s3\\\" cret\" aws s3 ls", "aws (2 arguments)"),
            ("sshpass -p s3cret ssh h iostat", "sshpass (5 arguments)"),
            ("echo s3cret | sudo -S iostat", "echo (5 arguments)"),
            ("'/opt/my tools/probe' x\\ y", "probe (1 argument)"),
            ("TOKEN=s3cret", "a shell command"),
            ("$(echo s3cret)", "a shell command"),
            ("s3cret=x;iostat", "a shell command"),
            ("", "a shell command"),
        ] {
            assert_eq!(command_in_short(line), expected, "{line}");
        }
    }
}
