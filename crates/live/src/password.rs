//! Where a password comes from: a file, the environment or the terminal, never an argument.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use isotherm_oracle::client::Secret;
use rustix::termios::{self, LocalModes, OptionalActions, Termios};
use thiserror::Error;

/// No password is longer, in bytes.
const LONGEST: usize = 1024;

/// A password, and what to tell the user about where it came from.
pub(crate) struct Found {
    pub(crate) secret: Secret,
    pub(crate) warning: Option<String>,
}

/// Why there is no password.
#[derive(Debug, Error)]
pub enum PasswordError {
    /// The file cannot be read.
    #[error("cannot read the password file '{path}': {source}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file's first line is empty.
    #[error("the password file '{path}' is empty: its first line is the password", path = .0.display())]
    EmptyFile(PathBuf),
    /// It is not text, or too long.
    #[error("the password from {0} is not a line of text of at most {LONGEST} bytes")]
    NotText(String),
    /// Nobody can be asked.
    #[error(
        "{target} needs a password and there is no terminal to ask on ({source}): set {variable}, \
         or name a file that only you can read with ?password_file=FILE"
    )]
    NoTerminal {
        /// Who is to log on where.
        target: String,
        /// The variable of the environment that would hold it.
        variable: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The user pressed Ctrl-C or gave an empty password.
    #[error("no password was given for {0}")]
    NotGiven(String),
}

/// Why a password does not belong into an address, and where it does.
pub fn password_in_address(variable: &str) -> String {
    format!(
        "a password in an address can be read by everyone in the list of processes and stays in \
         the shell's history: leave it out; it is taken from the environment ({variable}), from a \
         file (?password_file=FILE) or asked for on the terminal"
    )
}

/// Finds the password of `target` (`user@database`) in the file if one is named, else in a variable
/// of the environment, else by asking on the terminal. What the user should know about where it
/// came from is given to `warn`.
pub fn find_password(
    target: &str,
    file: Option<&Path>,
    variable: &'static str,
    warn: &mut dyn FnMut(String),
) -> Result<String, PasswordError> {
    let found = find(target, file, variable)?;
    found.warning.into_iter().for_each(warn);
    Ok(found.secret.reveal().to_owned())
}

/// The same, with the password in a form that is not printed.
pub(crate) fn find(
    target: &str,
    file: Option<&Path>,
    variable: &'static str,
) -> Result<Found, PasswordError> {
    let found = found(target, file, variable)?;
    remember(found.secret.reveal(), target);
    Ok(found)
}

/// It is hidden from now on, unless it is the name of the user or of the database as well.
fn remember(password: &str, target: &str) {
    let names: Vec<&str> = target.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    isotherm_client::used::remember(password, &names);
}

fn found(
    target: &str,
    file: Option<&Path>,
    variable: &'static str,
) -> Result<Found, PasswordError> {
    if let Some(path) = file {
        return from_file(path);
    }
    let secret = match std::env::var_os(variable) {
        Some(value) if !value.is_empty() => {
            let text = value.into_string();
            Secret::new(text.map_err(|_| PasswordError::NotText(variable.to_owned()))?)
        }
        _ => ask(target, variable)?,
    };
    Ok(Found { secret, warning: None })
}

/// A password as far as it is known before a server is asked, and what to tell the user about where
/// it came from.
pub(crate) struct Known {
    pub(crate) password: Option<String>,
    pub(crate) warning: Option<String>,
}

/// The password of `target` from the file if one is named, else what is `written` in the address,
/// else from a variable of the environment. Nobody is asked: the server may want none.
pub(crate) fn known(
    target: &str,
    file: Option<&Path>,
    written: Option<&str>,
    variable: &'static str,
) -> Result<Known, PasswordError> {
    if let (None, Some(written)) = (file, written) {
        let warning = Some(password_in_address(variable));
        return Ok(Known { password: Some(written.to_owned()), warning });
    }
    let is_set = std::env::var_os(variable).is_some_and(|value| !value.is_empty());
    if file.is_none() && !is_set {
        return Ok(Known { password: None, warning: None });
    }
    let found = find(target, file, variable)?;
    Ok(Known { password: Some(found.secret.reveal().to_owned()), warning: found.warning })
}

/// The first line of a file, with a warning if others can read it.
fn from_file(path: &Path) -> Result<Found, PasswordError> {
    let unreadable = |source| PasswordError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.permissions().mode();
    let mut text = String::new();
    let limit = u64::try_from(LONGEST + 2).unwrap_or(u64::MAX);
    match file.take(limit).read_to_string(&mut text) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return Err(PasswordError::NotText(format!("'{}'", path.display())));
        }
        read => read.map_err(unreadable)?,
    };
    let whole = Secret::new(text);
    let line = whole.reveal().lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(PasswordError::EmptyFile(path.to_owned()));
    }
    if line.len() > LONGEST {
        return Err(PasswordError::NotText(format!("'{}'", path.display())));
    }
    let warning = (mode & 0o077 != 0).then(|| {
        let path = path.display();
        format!(
            "others can read the password file '{path}' (mode {:o}): chmod 600 '{path}'",
            mode & 0o777
        )
    });
    Ok(Found { secret: Secret::new(line.to_owned()), warning })
}

/// Asks on the terminal, whatever standard input is.
fn ask(target: &str, variable: &'static str) -> Result<Secret, PasswordError> {
    let target_name = target.to_owned();
    let no_terminal =
        |source| PasswordError::NoTerminal { target: target_name.clone(), variable, source };
    let tty = fs::OpenOptions::new().read(true).write(true).open("/dev/tty");
    let mut tty = tty.map_err(no_terminal)?;
    let answer = ask_on(&mut tty, target).map_err(no_terminal)?;
    answer.ok_or_else(|| PasswordError::NotGiven(target.to_owned()))
}

/// Asks on a terminal without showing what is typed. `None` if nothing was.
fn ask_on(tty: &mut File, target: &str) -> io::Result<Option<Secret>> {
    let quiet = Quiet::begin(tty.try_clone()?)?;
    write!(tty, "password for {target}: ")?;
    tty.flush()?;
    let answer = read_line(tty);
    drop(quiet);
    writeln!(tty)?;
    answer
}

/// A terminal that does not show what is typed, until this is dropped.
struct Quiet {
    tty: File,
    before: Termios,
}

/// The terminal that a question was asked on and not answered yet.
static ASKED_ON: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// Gives the terminal back while a question is not answered: nobody waits for the answer any more.
pub(crate) fn leave_terminal() {
    let asked = ASKED_ON.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((mut tty, before)) = asked {
        let _ = termios::tcsetattr(&tty, OptionalActions::Now, &before);
        let _ = writeln!(tty);
    }
}

impl Quiet {
    fn begin(tty: File) -> io::Result<Quiet> {
        let before = termios::tcgetattr(&tty)?;
        let mut quiet = before.clone();
        // Without ISIG Ctrl-C is a character: it ends the question here, where the terminal can
        // be restored, and not the process.
        quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        let asked_on = Some((tty.try_clone()?, before.clone()));
        *ASKED_ON.lock().unwrap_or_else(PoisonError::into_inner) = asked_on;
        termios::tcsetattr(&tty, OptionalActions::Flush, &quiet)?;
        Ok(Quiet { tty, before })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        ASKED_ON.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A terminal that has gone away needs no restoring.
        let _ = termios::tcsetattr(&self.tty, OptionalActions::Now, &self.before);
    }
}

/// What is typed up to Enter, with Backspace (and Ctrl-U for all of it) taking back.
fn read_line(tty: &mut File) -> io::Result<Option<Secret>> {
    let mut typed = Vec::with_capacity(LONGEST);
    loop {
        let mut byte = [0];
        match tty.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        match byte[0] {
            b'\r' | b'\n' => break,
            3 | 4 | 28 => {
                typed.fill(0);
                return Ok(None);
            }
            8 | 127 => take_back(&mut typed),
            21 => typed.clear(),
            _ if typed.len() < LONGEST => typed.push(byte[0]),
            _ => {}
        }
    }
    let text = String::from_utf8(typed).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok((!text.is_empty()).then(|| Secret::new(text)))
}

/// Removes the last character, which has more than one byte unless it is ASCII.
fn take_back(typed: &mut Vec<u8>) {
    while typed.pop().is_some_and(|byte| byte & 0xC0 == 0x80) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use testing::bounded;

    /// A terminal's keyboard and screen, and the terminal itself.
    fn terminal() -> (File, File) {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap().into_string().unwrap();
        let tty = fs::OpenOptions::new().read(true).write(true).open(name).unwrap();
        (File::from(keyboard), tty)
    }

    fn answer(keys: &[u8]) -> (Option<Secret>, String) {
        let _watch = bounded::watchdog("a dialogue at a terminal");
        let (mut keyboard, mut tty) = terminal();
        let before = termios::tcgetattr(&tty).unwrap();
        let asked = std::thread::spawn(move || {
            let answer = ask_on(&mut tty, "scott@db1/SALES").unwrap();
            (answer, tty)
        });
        let mut shown = Vec::new();
        while !shown.ends_with(b": ") {
            let mut byte = [0];
            keyboard.read_exact(&mut byte).unwrap();
            shown.extend(byte);
        }
        keyboard.write_all(keys).unwrap();
        let (answer, tty) = bounded::join(asked);
        let after = termios::tcgetattr(&tty).unwrap();
        assert_eq!(after.local_modes, before.local_modes);
        let mut rest = [0; 64];
        let count = keyboard.read(&mut rest).unwrap();
        shown.extend(&rest[..count]);
        (answer, String::from_utf8(shown).unwrap())
    }

    #[test]
    fn what_is_typed_is_not_shown_and_the_terminal_is_restored() {
        let (secret, shown) = answer("Tigre\u{7f}\u{7f}éé\u{7f}r\n".as_bytes());
        assert_eq!(secret, Some(Secret::new("Tigér".into())));
        assert_eq!(shown, "password for scott@db1/SALES: \r\n");
        assert_eq!(answer(b"wrong\x15right\r").0, Some(Secret::new("right".into())));
    }

    #[test]
    fn an_interrupt_or_an_empty_line_is_no_password() {
        for keys in [b"Tig\x03".as_slice(), b"\x04", b"\n"] {
            assert_eq!(answer(keys).0, None, "{keys:?}");
        }
    }

    fn file(bytes: &[u8], mode: u32) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn a_file_gives_its_first_line_and_a_warning_if_others_can_read_it() {
        let private = file(b"Tiger 1\r\nsecond\n", 0o600);
        let found = find("u@d", Some(private.path()), "X").unwrap();
        assert_eq!(found.secret.reveal(), "Tiger 1");
        assert_eq!(found.warning, None);
        let open = file(b"x", 0o640);
        let warning = find("u@d", Some(open.path()), "X").unwrap().warning.unwrap();
        assert!(warning.contains("(mode 640): chmod 600 '"), "{warning}");
    }

    #[test]
    fn files_that_hold_no_password_are_errors_that_name_them() {
        let told = |path: &Path| find("u@d", Some(path), "X").map(drop).unwrap_err().to_string();
        assert!(told(Path::new("/nonexistent/pw")).contains("'/nonexistent/pw': No such file"));
        for (bytes, part) in [
            (b"".as_slice(), "is empty"),
            (b"\nTiger", "is empty"),
            (b"\xff\xfe", "not a line of text"),
            (&[b'a'; LONGEST + 1], "not a line of text"),
        ] {
            let file = file(bytes, 0o600);
            let error = told(file.path());
            assert!(error.contains(part), "{error}");
            assert!(!error.contains("Tiger"), "{error}");
        }
    }

    #[test]
    fn a_secret_is_not_printed() {
        assert_eq!(format!("{:?}", Secret::new("Tiger".into())), "***");
    }
}
