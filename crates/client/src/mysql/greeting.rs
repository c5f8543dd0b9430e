//! What a server says first, and what is answered.

use super::auth::Method;
use super::error::{MySqlError, ServerFault};
use super::fields::Fields;
use crate::used;

/// The length of the server's random bytes.
const NONCE: usize = 20;

/// What we can do: passwords of 4.1 and later, and methods with names.
const OURS: u32 = 0x0000_0001 | 0x0000_0200 | 0x0000_8000 | 0x0008_0000;
/// UTF-8.
const CHARSET: u8 = 45;
/// The longest packet we take, bytes.
const LONGEST: u32 = 1 << 24;

/// What a server says first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Greeting {
    /// Random bytes, which a password is shown with.
    pub(super) nonce: Vec<u8>,
    /// The name of the usual method.
    pub(super) method: Vec<u8>,
}

impl Greeting {
    pub(super) fn read(message: &[u8]) -> Result<Greeting, MySqlError> {
        let mut fields = Fields(message);
        match fields.byte()? {
            10 => {}
            0xff => return Err(MySqlError::Server(fault(fields)?)),
            _ => return Err(MySqlError::Wire("the greeting is not of version 10")),
        }
        fields.text();
        fields.bytes(4)?;
        let mut nonce = fields.bytes(8)?.to_vec();
        // A zero, what the server can do, its character set and state.
        fields.bytes(1 + 2 + 1 + 2 + 2)?;
        let length = usize::from(fields.byte()?);
        fields.bytes(10)?;
        nonce.extend_from_slice(fields.bytes(length.saturating_sub(8).max(13))?);
        nonce.truncate(NONCE);
        Ok(Greeting { nonce, method: fields.text().to_vec() })
    }
}

/// A request to be shown the password in another way.
pub(super) fn other_method(mut fields: Fields<'_>) -> Greeting {
    let method = fields.text().to_vec();
    let nonce = fields.0.get(..NONCE.min(fields.0.len())).unwrap_or_default().to_vec();
    Greeting { nonce, method }
}

/// Who we are.
pub(super) fn response(user: &str, method: Method, proof: &[u8]) -> Vec<u8> {
    let mut body = OURS.to_le_bytes().to_vec();
    body.extend(LONGEST.to_le_bytes());
    body.push(CHARSET);
    body.extend([0; 23]);
    body.extend(user.bytes().filter(|byte| *byte != 0));
    body.push(0);
    body.push(u8::try_from(proof.len()).unwrap_or(0));
    body.extend(proof);
    body.extend(method.name().bytes());
    body.push(0);
    body
}

/// A refusal, after its first byte.
pub(super) fn fault(mut fields: Fields<'_>) -> Result<ServerFault, MySqlError> {
    let code = fields.short()?;
    if fields.0.first() == Some(&b'#') {
        fields.bytes(6)?;
    }
    let message = used::hide(&String::from_utf8_lossy(fields.0)).into_owned();
    Ok(ServerFault { code, message })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The greeting of `MariaDB` 10.11.
    fn greeting() -> Vec<u8> {
        let mut bytes = b"\x0a5.5.5-10.11.19-MariaDB\0\x07\0\0\0".to_vec();
        bytes.extend(b"abcdefgh\0\xfe\xf7\x2d\x02\0\xff\x81\x15");
        bytes.extend([0; 10]);
        bytes.extend(b"ijklmnopqrst\0mysql_native_password\0");
        bytes
    }

    #[test]
    fn the_random_bytes_and_the_method_are_found() {
        let read = Greeting::read(&greeting()).unwrap();
        assert_eq!(read.nonce, b"abcdefghijklmnopqrst");
        assert_eq!(read.method, b"mysql_native_password");
    }

    #[test]
    fn a_server_that_refuses_at_once_is_heard() {
        let error = Greeting::read(b"\xff\x10\x04Too many connections").unwrap_err();
        assert!(error.is(&[1040]), "{error}");
        let error = Greeting::read(b"HTTP/1.1 400").unwrap_err().to_string();
        assert!(error.contains("does not speak MySQL's protocol"), "{error}");
    }

    #[test]
    fn greetings_cut_anywhere_are_errors() {
        let whole = greeting();
        for end in 0..whole.len() - 23 {
            assert!(Greeting::read(&whole[..end]).is_err(), "{end}");
        }
    }
}
