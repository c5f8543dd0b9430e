//! What a server says when something went wrong.

use std::borrow::Cow;
use std::fmt;

use super::frame::{Fields, Message};
use crate::used;

/// An error of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFault {
    /// SQLSTATE: five characters.
    pub code: String,
    /// The server's own words.
    pub message: String,
    /// More of them.
    pub detail: String,
}

/// The most that is kept of each of a server's texts.
const KEPT: usize = 500;

impl ServerFault {
    /// Reads an `ErrorResponse` or a `NoticeResponse`. Of a mangled one, what can be read is kept.
    pub fn read(message: &Message) -> ServerFault {
        let mut fault = ServerFault::default();
        let mut fields = Fields::of(message);
        while let Ok(kind) = fields.byte() {
            let Ok(text) = fields.text() else { break };
            match kind {
                b'C' => fault.code = printable(text),
                b'M' => fault.message = used::hide(&printable(text)).into_owned(),
                b'D' => fault.detail = used::hide(&printable(text)).into_owned(),
                _ => {}
            }
        }
        fault
    }

    /// Words that are the same for the same fault whatever table, number or language it is about.
    pub fn words(&self) -> Cow<'static, str> {
        let known = KNOWN.iter().find(|(code, _)| self.code.starts_with(code));
        match known {
            Some((_, words)) => Cow::Owned(format!("SQLSTATE {}: {words}", self.code)),
            None if self.code.is_empty() => Cow::Borrowed("an error without a code"),
            None => Cow::Owned(format!("SQLSTATE {}", self.code)),
        }
    }

    /// Whether the code begins so.
    pub fn is(&self, code: &str) -> bool {
        self.code.starts_with(code)
    }
}

impl fmt::Display for ServerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        write!(f, " [SQLSTATE {}]", self.code)
    }
}

/// Text of a server, safe to be shown in a terminal.
fn printable(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(KEPT).collect()
}

/// Beginnings of codes, the more exact ones first, and what they mean to somebody who loads a
/// server.
const KNOWN: [(&str, &str); 27] = [
    ("08", "the connection failed"),
    ("23", "a constraint was violated"),
    ("25006", "the server takes no writes"),
    ("25P02", "the transaction had failed before"),
    ("25P03", "the server ended an idle transaction"),
    ("26", "the prepared statement is gone"),
    ("28", "the server did not accept the logon"),
    ("3D", "there is no such database"),
    ("40001", "transactions were in each other's way"),
    ("40P01", "deadlock"),
    ("42501", "no privilege"),
    ("42P01", "the table is gone"),
    ("42", "the statement was not accepted"),
    ("53100", "the server's disk is full"),
    ("53200", "the server is out of memory"),
    ("53300", "too many connections"),
    ("53", "the server is out of resources"),
    ("54", "a limit of the server was reached"),
    ("55P03", "a lock was not to be had in time"),
    ("57014", "cancelled, or longer than the time allowed"),
    ("57P01", "the connection was ended by an administrator"),
    ("57P02", "the connection was ended by a crash of the server"),
    ("57P03", "the server is starting up or shutting down"),
    ("57P05", "the connection was idle too long"),
    ("58", "an error of the server's operating system"),
    ("F0", "an error in the server's configuration"),
    ("XX", "an internal error of the server"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &[u8]) -> ServerFault {
        ServerFault::read(&Message { tag: b'E', body, length: body.len() + 5 })
    }

    #[test]
    fn the_words_leave_out_what_differs_each_time() {
        let body = b"SERROR\0C40P01\0Mdeadlock detected\0DProcess 7 waits\0\0";
        let fault = read(body);
        assert_eq!(fault.words(), "SQLSTATE 40P01: deadlock");
        assert_eq!(fault.to_string(), "deadlock detected (Process 7 waits) [SQLSTATE 40P01]");
        assert_eq!(read(b"C42P02\0\0").words(), "SQLSTATE 42P02: the statement was not accepted");
        assert_eq!(read(b"C0A000\0\0").words(), "SQLSTATE 0A000");
        assert_eq!(read(b"").words(), "an error without a code");
    }

    #[test]
    fn a_mangled_error_keeps_what_can_be_read_and_cannot_write_on_the_terminal() {
        assert_eq!(
            read(b"C57P01\0Mgone"),
            ServerFault { code: "57P01".into(), ..Default::default() }
        );
        assert_eq!(read(b"M\x1b[2Jred\0\0").message, " [2Jred");
        let long = [b"M", "ä".repeat(2_000).as_bytes(), b"\0\0"].concat();
        assert_eq!(read(&long).message.chars().count(), KEPT);
    }
}
