//! Passwords are shown to nobody, and neither are the commands of `cmd:`.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use isotherm_live::{command_in_short, without_used_passwords};
use isotherm_recording::{secrets_in, without_secrets};

/// What of the arguments of this process is not shown.
static HIDDEN: OnceLock<Hidden> = OnceLock::new();

/// A shorter one is also a piece of many words, and only hidden where its place says what it is.
const LEAST: usize = 4;

/// A shorter line of a command may be in any text by chance, and is shortened where it is an address alone.
const LEAST_LINE: usize = 8;

/// How the address of a command begins.
const COMMAND: &str = "cmd:";

/// Whether commands are shown and recorded whole.
static KEEPS_COMMANDS: AtomicBool = AtomicBool::new(false);

/// What of the arguments of this process is not shown.
#[derive(Default)]
struct Hidden {
    /// Passwords, the longest first.
    passwords: Vec<String>,
    /// Lines of commands, and what is shown in place of each, the longest first.
    commands: Vec<(String, String)>,
}

/// The arguments of this process without its own name. What is no text in them is replaced.
pub fn arguments() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned())
}

/// Remembers the passwords in the arguments, so that they are hidden in whatever form they come
/// back: in a part of an address, or in what another program says. Commands are remembered, too.
pub fn remember() {
    let mut hidden = Hidden::default();
    for argument in arguments().filter(|argument| !Path::new(argument).exists()) {
        let secrets = secrets_in(&argument).into_iter();
        let long = secrets.filter(|secret| secret.len() >= LEAST);
        hidden.passwords.extend(long.map(str::to_owned));
        if let Some(line) = command_of(&argument) {
            hidden.commands.push((line.to_owned(), command_in_short(line)));
        }
    }
    // The longest first: one may be part of another.
    hidden.passwords.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    hidden.commands.sort_by_key(|(line, _)| std::cmp::Reverse(line.len()));
    let _ = HIDDEN.set(hidden);
}

/// From now on commands are shown and recorded whole.
pub fn keep_commands() {
    KEEPS_COMMANDS.store(true, Ordering::Relaxed);
}

/// The command of an argument, which may be the value of an option in the same word. One without blanks
/// is the name of a program alone.
fn command_of(argument: &str) -> Option<&str> {
    let value = match argument.split_once('=') {
        Some((option, value)) if option.starts_with("--") => value,
        _ => argument,
    };
    value.strip_prefix(COMMAND).filter(|line| line.contains(char::is_whitespace))
}

/// A message without passwords and commands.
pub fn redacted(text: &str) -> String {
    let hidden = HIDDEN.get();
    let keeps = KEEPS_COMMANDS.load(Ordering::Relaxed);
    let commands = hidden.filter(|_| !keeps).map_or(&[][..], |hidden| hidden.commands.as_slice());
    let passwords = hidden.map_or(&[][..], |hidden| hidden.passwords.as_slice());
    let text = commands.iter().fold(text.to_owned(), |text, (line, short)| {
        let text = text.replace(&format!("{COMMAND}{line}"), &format!("{COMMAND}{short}"));
        if line.len() < LEAST_LINE { text } else { text.replace(line.as_str(), short) }
    });
    let text = without_secrets(&without_used_passwords(&text));
    passwords.iter().fold(text, |text, secret| text.replace(secret, "***"))
}

/// The address of a source without passwords, and without the command if it is one: also of one that is
/// written in a file and not on the command line.
pub fn redacted_source(source: &str) -> String {
    match source.strip_prefix(COMMAND) {
        Some(line) if !KEEPS_COMMANDS.load(Ordering::Relaxed) => {
            format!("{COMMAND}{}", command_in_short(line))
        }
        _ => redacted(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_arguments() {
        assert_eq!(command_of("cmd:curl -u a:b h"), Some("curl -u a:b h"));
        assert_eq!(command_of("--alongside=cmd:curl -u a:b"), Some("curl -u a:b"));
        assert_eq!(command_of("cmd:iostat"), None);
        assert_eq!(command_of("x=cmd:curl a"), None);
        assert_eq!(redacted_source("cmd:curl -u a:b h"), "cmd:curl (3 arguments)");
    }
}
