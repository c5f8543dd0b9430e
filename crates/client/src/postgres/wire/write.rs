//! Messages of a client.

/// Version 3.0 of the protocol.
const VERSION: i32 = 196_608;
/// Asks for TLS before anything else is said.
const TLS: i32 = 80_877_103;
/// Asks, on a connection of its own, to cancel what another does.
const CANCEL: i32 = 80_877_102;

/// One parameter or result is meant in binary form.
const BINARY: i16 = 1;

/// Adds a message: its type, its length, and what `body` writes.
fn message(out: &mut Vec<u8>, tag: u8, body: impl FnOnce(&mut Vec<u8>)) {
    out.push(tag);
    headless(out, body);
}

/// The same without a type: what is said before a connection has begun.
fn headless(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    body(out);
    let length = i32::try_from(out.len() - at).unwrap_or(i32::MAX).to_be_bytes();
    if let Some(place) = out.get_mut(at..at + 4) {
        place.copy_from_slice(&length);
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.bytes().filter(|byte| *byte != 0));
    out.push(0);
}

/// Begins a connection.
pub fn startup(out: &mut Vec<u8>, parameters: &[(&str, &str)]) {
    headless(out, |out| {
        out.extend_from_slice(&VERSION.to_be_bytes());
        for (name, value) in parameters {
            text(out, name);
            text(out, value);
        }
        out.push(0);
    });
}

/// Asks whether the server speaks TLS.
pub fn tls(out: &mut Vec<u8>) {
    headless(out, |out| out.extend_from_slice(&TLS.to_be_bytes()));
}

/// Asks for what a connection does to be cancelled.
pub fn cancel(out: &mut Vec<u8>, process: i32, secret: i32) {
    headless(out, |out| {
        for number in [CANCEL, process, secret] {
            out.extend_from_slice(&number.to_be_bytes());
        }
    });
}

/// A password, in clear or as md5 wants it.
pub fn password(out: &mut Vec<u8>, password: &str) {
    message(out, b'p', |out| text(out, password));
}

/// Begins SASL with a mechanism and its first message.
pub fn sasl_begin(out: &mut Vec<u8>, mechanism: &str, first: &[u8]) {
    message(out, b'p', |out| {
        text(out, mechanism);
        out.extend_from_slice(&i32::try_from(first.len()).unwrap_or(i32::MAX).to_be_bytes());
        out.extend_from_slice(first);
    });
}

/// A further message of SASL.
pub fn sasl_next(out: &mut Vec<u8>, next: &[u8]) {
    message(out, b'p', |out| out.extend_from_slice(next));
}

/// Statements in one text, done at once.
pub fn query(out: &mut Vec<u8>, sql: &str) {
    message(out, b'Q', |out| text(out, sql));
}

/// Prepares a statement; the server finds out the types of its parameters.
pub fn parse(out: &mut Vec<u8>, name: &str, sql: &str) {
    message(out, b'P', |out| {
        text(out, name);
        text(out, sql);
        out.extend_from_slice(&0_i16.to_be_bytes());
    });
}

/// Binds parameters of eight bytes each, all zero, executes, and asks for the answer. Gives where
/// the first parameter's bytes are; each further one is [`NEXT_PARAMETER`] bytes on.
pub fn execute(out: &mut Vec<u8>, name: &str, parameters: i16) -> usize {
    let mut first = 0;
    message(out, b'B', |out| {
        text(out, "");
        text(out, name);
        for number in [1, BINARY, parameters] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        first = out.len() + 4;
        for _ in 0..parameters {
            out.extend_from_slice(&8_i32.to_be_bytes());
            out.extend_from_slice(&0_i64.to_be_bytes());
        }
        for number in [1, BINARY] {
            out.extend_from_slice(&number.to_be_bytes());
        }
    });
    execute_portal(out, "", 0);
    sync(out);
    first
}

/// Opens a portal, a cursor of the protocol, on a prepared statement without parameters; its rows are
/// texts.
pub fn bind(out: &mut Vec<u8>, portal: &str, name: &str) {
    message(out, b'B', |out| {
        text(out, portal);
        text(out, name);
        // No parameters with formats of their own, no parameters, no results with formats of their own.
        out.extend_from_slice(&[0; 6]);
    });
}

/// Asks for the next rows of a portal, at most `rows`; 0 is all of them.
pub fn execute_portal(out: &mut Vec<u8>, portal: &str, rows: i32) {
    message(out, b'E', |out| {
        text(out, portal);
        out.extend_from_slice(&rows.to_be_bytes());
    });
}

/// Asks for the answers to all that was sent; without a transaction block it commits.
pub fn sync(out: &mut Vec<u8>) {
    message(out, b'S', |_| {});
}

/// From one parameter's bytes to the next one's.
pub const NEXT_PARAMETER: usize = 12;

/// Rows to be copied in.
pub fn copy_data(out: &mut Vec<u8>, data: &[u8]) {
    message(out, b'd', |out| out.extend_from_slice(data));
}

/// That was all that is to be copied in.
pub fn copy_done(out: &mut Vec<u8>) {
    message(out, b'c', |_| {});
}

/// The end of a connection.
pub fn terminate(out: &mut Vec<u8>) {
    message(out, b'X', |_| {});
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_executed_in_three_messages() {
        let mut out = Vec::new();
        let first = execute(&mut out, "s1", 2);
        out[first..first + 8].copy_from_slice(&7_i64.to_be_bytes());
        out[first + NEXT_PARAMETER..][..8].copy_from_slice(&9_i64.to_be_bytes());
        let bind = b"B\0\0\0\x2a\0s1\0\0\x01\0\x01\0\x02\
            \0\0\0\x08\0\0\0\0\0\0\0\x07\0\0\0\x08\0\0\0\0\0\0\0\x09\0\x01\0\x01";
        let rest = b"E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04";
        assert_eq!(out, [&bind[..], &rest[..]].concat());
    }

    #[test]
    fn rows_of_a_portal_are_asked_for_in_arrays() {
        let mut out = Vec::new();
        bind(&mut out, "c", "s1");
        execute_portal(&mut out, "c", 15);
        sync(&mut out);
        let bind = b"B\0\0\0\x0fc\0s1\0\0\0\0\0\0\0";
        assert_eq!(out, [&bind[..], b"E\0\0\0\x0ac\0\0\0\0\x0fS\0\0\0\x04"].concat());
    }

    #[test]
    fn a_zero_in_a_text_cannot_end_it_early() {
        let mut out = Vec::new();
        startup(&mut out, &[("user", "a\0b")]);
        assert_eq!(out, b"\0\0\0\x11\0\x03\0\0user\0ab\0\0");
    }
}
