//! Addresses of Redis servers.

use std::fmt;
use std::path::PathBuf;

use isotherm_client::redis::{Place, RedisAddressError, login, place};

use crate::AddressError;

/// A Redis server, read from what stands after `redis:`.
#[derive(Clone)]
pub(crate) struct RedisAddress {
    text: String,
    pub(super) place: Place,
    pub(super) user: Option<String>,
    /// The password that is written there.
    pub(super) password: Option<String>,
    pub(super) password_file: Option<PathBuf>,
    /// Whether the password may be sent to another machine.
    pub(super) clear_text: bool,
    /// Whether the log of slow commands is read, not the histograms.
    pub(super) slow_log: bool,
}

impl RedisAddress {
    /// Reads `//[user[:password]@]host[:port]` or `//[user[:password]@]/path/to/socket`, with
    /// `?password_file=FILE`, `?clear_text=yes` and `?slowlog=1`.
    pub(super) fn read(text: &str) -> Result<RedisAddress, AddressError> {
        let wrong = |error: RedisAddressError| AddressError::Redis(error.to_string());
        let Some(rest) = text.strip_prefix("//") else {
            let why = "an address begins with redis://, such as redis://localhost:6379";
            return Err(AddressError::Redis(why.to_owned()));
        };
        let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (logon, host) = before.rsplit_once('@').unwrap_or(("", before));
        // The histograms are those of the server, whatever database is named.
        let (place, _) = place(host).map_err(wrong)?;
        let (user, password) = login(logon).map_err(wrong)?;
        let (mut password_file, mut clear_text, mut slow_log) = (None, false, false);
        for option in query.split('&').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            match (key, value) {
                ("password_file", file) => password_file = Some(file.into()),
                ("clear_text", "yes") => clear_text = true,
                ("slowlog", "1") => slow_log = true,
                _ => {
                    let why =
                        "an address of live takes password_file=FILE, clear_text=yes and slowlog=1";
                    return Err(wrong(RedisAddressError::new(key, why)));
                }
            }
        }
        let text = text.to_owned();
        Ok(RedisAddress { text, place, user, password, password_file, clear_text, slow_log })
    }

    /// `user@host:port`, for messages.
    pub(super) fn target(&self) -> String {
        match &self.user {
            Some(user) => format!("{user}@{}", self.place),
            None => self.place.to_string(),
        }
    }
}

impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "redis:{}", self.text)
    }
}

/// Without the password.
impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisAddress({})", self.target())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_sockets_and_users_are_read() {
        let read = |text: &str| RedisAddress::read(text).expect(text);
        assert_eq!(read("//cache:6380").target(), "cache:6380");
        assert_eq!(read("//me@/run/r.sock").target(), "me@/run/r.sock");
        let whole = read("//me:p%40ss@[::1]?password_file=/a");
        assert_eq!(
            (whole.target().as_str(), whole.password.as_deref()),
            ("me@[::1]:6379", Some("p@ss"))
        );
        assert_eq!(whole.password_file, Some(PathBuf::from("/a")));
        assert!(!format!("{whole:?}").contains("p@ss"));
    }

    #[test]
    fn what_is_wrong_is_reported_without_the_password() {
        for text in ["h", "//h:port", "//u:secret%zz@h", "//h?scale=3", "//h?password=secret"] {
            let error = RedisAddress::read(text).expect_err(text).to_string();
            assert!(error.contains("redis"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
