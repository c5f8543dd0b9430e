//! How a password is shown to a server without being told to it.

use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::error::MySqlError;

/// How the server wants to know who we are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// `mysql_native_password`.
    Native,
    /// `caching_sha2_password`.
    CachingSha2,
    /// The owner of the socket is who we say: nothing is shown.
    Socket,
}

impl Method {
    /// The method of this name, or what to do where we do not have it.
    pub(super) fn named(name: &[u8], user: &str) -> Result<Method, MySqlError> {
        match name {
            b"mysql_native_password" => Ok(Method::Native),
            b"caching_sha2_password" => Ok(Method::CachingSha2),
            b"auth_socket" | b"unix_socket" => Ok(Method::Socket),
            _ => {
                let name = String::from_utf8_lossy(name);
                Err(MySqlError::Logon(format!(
                    "user {user} logs on by {name}, which isotherm does not have: use another user, \
                     such as CREATE USER monitor@'%' IDENTIFIED WITH caching_sha2_password BY '...' \
                     (MariaDB: IDENTIFIED VIA mysql_native_password USING PASSWORD('...'))"
                )))
            }
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Method::Native => "mysql_native_password",
            Method::CachingSha2 => "caching_sha2_password",
            Method::Socket => "auth_socket",
        }
    }

    /// What shows that we know the password, for the server's random bytes.
    pub(super) fn proof(self, password: &str, nonce: &[u8]) -> Vec<u8> {
        match self {
            _ if password.is_empty() => Vec::new(),
            Method::Socket => Vec::new(),
            Method::Native => native(password, nonce),
            Method::CachingSha2 => caching_sha2(password, nonce),
        }
    }
}

/// `SHA1(password) xor SHA1(nonce + SHA1(SHA1(password)))`.
fn native(password: &str, nonce: &[u8]) -> Vec<u8> {
    let once = Sha1::digest(password);
    let twice = Sha1::digest(once);
    let mask = Sha1::new().chain_update(nonce).chain_update(twice).finalize();
    once.iter().zip(mask).map(|(one, other)| one ^ other).collect()
}

/// `SHA256(password) xor SHA256(SHA256(SHA256(password)) + nonce)`.
fn caching_sha2(password: &str, nonce: &[u8]) -> Vec<u8> {
    let once = Sha256::digest(password);
    let twice = Sha256::digest(once);
    let mask = Sha256::new().chain_update(twice).chain_update(nonce).finalize();
    once.iter().zip(mask).map(|(one, other)| one ^ other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        use std::fmt::Write;
        bytes.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
    }

    /// Computed with hashlib of Python from the formulas of the protocol's manual.
    #[test]
    fn proofs_are_those_of_the_manual() {
        let nonce: Vec<u8> = (1..=20).collect();
        assert_eq!(
            hex(&Method::Native.proof("s3cret", &nonce)),
            "f66fdd3ff855d9349a0ddb50c4a1a535fb412465"
        );
        assert_eq!(
            hex(&Method::CachingSha2.proof("s3cret", &nonce)),
            "3f3a9a7786fd9be9a006eed686b4e6b76484fdc06dc15685df5f8793574b84fc"
        );
        assert!(Method::Native.proof("", &nonce).is_empty());
    }

    #[test]
    fn methods_that_are_not_there_say_what_to_do() {
        let error = Method::named(b"client_ed25519", "me").unwrap_err().to_string();
        assert!(error.contains("client_ed25519") && error.contains("CREATE USER"), "{error}");
    }
}
