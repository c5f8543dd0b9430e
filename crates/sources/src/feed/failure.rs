//! Why a source could not be opened, and why it ended.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::columns::name_columns;
use crate::counter_log;
use crate::foreign::Foreign;
use crate::logs::refusal;
use crate::{DecodeError, PasswordError, ProbeError};

/// Why a source could not be opened or an input not be read.
#[derive(Debug, Error)]
pub enum OpenError {
    /// There is no such file.
    #[error("there is no file '{}'", .0.display())]
    Missing(PathBuf),
    /// A directory is not an input.
    #[error(
        "'{path}' is a directory: name a file in it, or probe:{path} to measure the disk under it",
        path = .0.display()
    )]
    Directory(PathBuf),
    /// The system does not let it be read.
    #[error("cannot read '{}': {source}", path.display())]
    Unreadable {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is nothing in it.
    #[error("'{0}' is empty: there is nothing to read")]
    Empty(String),
    /// It is one of our own recordings, which is opened and not decoded.
    #[error("'{}' is a recording", .0.display())]
    IsRecording(PathBuf),
    /// No decoder knows it.
    #[error(transparent)]
    NotRecognised(#[from] Unrecognised),
    /// The address is not that of bytes which could be read to their end.
    #[error("'{0}' never ends: use it with live or record")]
    Endless(String),
    /// A program that is needed is not there.
    #[error("{needed_by} needs {program}, which is not installed: {install}")]
    ProgramMissing {
        /// The address.
        needed_by: String,
        /// The program.
        program: String,
        /// How to install it.
        install: &'static str,
    },
    /// The user may not do this.
    #[error("{needed_by} needs {privilege}: run {command}")]
    Privilege {
        /// The address.
        needed_by: String,
        /// The privilege.
        privilege: &'static str,
        /// The command that has it.
        command: String,
    },
    /// The machine is not set up for it.
    #[error("{needed_by} needs {what}: {remedy}")]
    NotReady {
        /// The address.
        needed_by: String,
        /// What is missing.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// There is no such block device, or its requests cannot be seen.
    #[error("{0}")]
    Device(String),
    /// A program or thread could not be started.
    #[error("cannot start '{program}': {source}")]
    NotStarted {
        /// What was to be run.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The probe could not be set up.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// There is no password for a database.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// An option of the address cannot be.
    #[error("{0}")]
    Option(String),
    /// A database server could not be reached, or does not let the user in or read; with what to
    /// do about it.
    #[error("{0}")]
    Server(String),
    /// We were asked to stop before a server had answered.
    #[error("{0}: stopped before the server had answered")]
    Stopped(String),
    /// The input could not be decoded to its end.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A source that was to be read to its end did not come to it.
    #[error(transparent)]
    Ended(#[from] FeedError),
}

impl OpenError {
    /// Whether the source is not to be reached at all: a program, privilege or device is missing.
    pub fn is_unreachable(&self) -> bool {
        match self {
            OpenError::ProgramMissing { .. }
            | OpenError::Privilege { .. }
            | OpenError::NotReady { .. }
            | OpenError::Device(_)
            | OpenError::NotStarted { .. }
            | OpenError::Password(_)
            | OpenError::Server(_) => true,
            OpenError::Unreadable { source, .. } => {
                source.kind() == io::ErrorKind::PermissionDenied
            }
            OpenError::Probe(error) => error.is_unreachable(),
            OpenError::Ended(error) => error.is_unreachable(),
            _ => false,
        }
    }

    /// What the system said about opening `path`, in our words.
    pub(crate) fn unreadable(path: &Path, source: io::Error) -> OpenError {
        match source.kind() {
            io::ErrorKind::NotFound => OpenError::Missing(path.to_owned()),
            io::ErrorKind::IsADirectory => OpenError::Directory(path.to_owned()),
            _ => OpenError::Unreadable { path: path.to_owned(), source },
        }
    }
}

/// Why a running source ended before its time.
#[derive(Debug, Error)]
pub enum FeedError {
    /// The bytes could not be decoded any further.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// There was nothing in the input.
    #[error(
        "'{0}' is empty: no input came. Pipe something in, or name a source (isotherm sources)"
    )]
    Empty(String),
    /// No decoder knows the input.
    #[error(transparent)]
    NotRecognised(#[from] Unrecognised),
    /// A program failed.
    #[error("'{program}' ended with {status}{}", lines_of(stderr))]
    Failed {
        /// The program.
        program: String,
        /// `exit code 3` or `killed by signal 9`.
        status: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
        /// Whether it ended before it printed anything.
        silent: bool,
    },
    /// The probe could not go on.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A database server could not be reached, or does not let the user in or read; with what to
    /// do about it.
    #[error("{0}")]
    Server(String),
}

impl FeedError {
    /// Whether the source could not be reached at all: its program ended before it said anything.
    pub fn is_unreachable(&self) -> bool {
        match self {
            FeedError::Failed { silent, .. } => *silent,
            FeedError::Server(_) => true,
            FeedError::Probe(error) => error.is_unreachable(),
            _ => false,
        }
    }
}

fn lines_of(stderr: &[String]) -> String {
    if stderr.is_empty() { String::new() } else { format!(": {}", stderr.join(" / ")) }
}

/// What to do with an input of this format that begins with `head`.
fn advice(known: &Foreign, head: &[u8]) -> String {
    counter_log::advice(head).unwrap_or_else(|| known.advice())
}

/// What an input that no decoder knows looks like, and what to do about it.
#[derive(Debug, Error)]
#[error("'{input}' is {looks}, which no decoder knows: {advice}")]
pub struct Unrecognised {
    /// The address or file.
    pub input: String,
    /// What it looks like: the format of another tool, its first line, or a word about what is not
    /// text.
    pub looks: String,
    /// What to do next.
    pub advice: String,
}

impl Unrecognised {
    /// Looks at the beginning of the input named `input`.
    pub(crate) fn of(input: &str, head: &[u8]) -> Unrecognised {
        let (looks, advice) = match Foreign::of(input, head) {
            Some(known) => (known.name.to_owned(), advice(&known, head)),
            None => Unrecognised::describe(head),
        };
        Unrecognised { input: input.to_owned(), looks, advice }
    }

    /// An input whose name tells that it holds no latencies, although it looks like a log of them.
    pub(crate) fn without_latencies(input: &str, head: &[u8]) -> Option<Unrecognised> {
        let known = Foreign::without_latencies(input, head)?;
        let (input, looks) = (input.to_owned(), known.name.to_owned());
        Some(Unrecognised { input, looks, advice: known.advice() })
    }

    /// An input in which no number is that of a single event, although columns can be named.
    pub(crate) fn without_events(input: &str, head: &[u8]) -> Option<Unrecognised> {
        let known = Foreign::without_events(head)?;
        let (input, looks) = (input.to_owned(), known.name.to_owned());
        Some(Unrecognised { input, looks, advice: advice(&known, head) })
    }

    fn describe(head: &[u8]) -> (String, String) {
        // Of these, gzip and zstd come this far only through a pipe.
        const COMPRESSED: [(&[u8], &str, &str); 4] = [
            (b"\x1f\x8b", "gzip", "zcat FILE | isotherm stats -"),
            (b"\x28\xb5\x2f\xfd", "zstd", "zstdcat FILE | isotherm stats -"),
            (b"\xfd7zXZ\0", "xz", "xzcat FILE | isotherm stats -"),
            (b"BZh", "bzip2", "bzcat FILE | isotherm stats -"),
        ];
        const BINARY: &str =
            "no decoder knows this format (isotherm sources lists those that are read)";
        let compressed = COMPRESSED.iter().find(|(magic, ..)| head.starts_with(magic));
        if let Some((_, name, command)) = compressed {
            return (format!("compressed with {name}"), (*command).to_owned());
        }
        if head.iter().take(4_096).any(|byte| *byte == 0) {
            let bytes: Vec<String> =
                head.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            return (format!("binary (it begins with {})", bytes.join(" ")), BINARY.to_owned());
        }
        let line = head.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        let first = printable(line.unwrap_or_default(), 60);
        let advice = refusal(head).unwrap_or_else(|| name_columns(head));
        (format!("text beginning '{first}'"), advice)
    }
}

/// The first `longest` characters of a text, safe to show in a terminal.
pub(crate) fn printable(bytes: &[u8], longest: usize) -> String {
    let text = String::from_utf8_lossy(bytes.get(..longest * 4).unwrap_or(bytes));
    let text = text.trim_end();
    let shown: String =
        text.chars().take(longest).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > longest || bytes.len() > longest * 4 {
        format!("{shown}...")
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_knows_is_described() {
        let message = |head: &[u8]| Unrecognised::of("x", head).to_string();
        assert!(message(b"\n\nhello\x1b[31m world\r\nmore").contains("'hello [31m world'"));
        assert!(message(b"\x7fELF\0\0").starts_with("'x' is binary (it begins with 7f 45 4c 46)"));
        assert!(message(b"\x1f\x8b\x08\0").contains("compressed with gzip"));
        assert!(message("é".repeat(100).as_bytes()).contains(&format!("'{}...'", "é".repeat(60))));
    }

    #[test]
    fn only_what_cannot_be_reached_is_unreachable() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert!(OpenError::unreadable(Path::new("x"), denied).is_unreachable());
        let missing = io::Error::from(io::ErrorKind::NotFound);
        assert!(!OpenError::unreadable(Path::new("x"), missing).is_unreachable());
        assert!(OpenError::Device("none".into()).is_unreachable());
        assert!(!OpenError::Empty("x".into()).is_unreachable());
    }
}
