//! Where the server is and who we are there.

use isotherm_client::redis::{RedisAddressError, login, place};

pub use isotherm_client::redis::Place;

use crate::LoadError;

/// Bytes of a value where the address does not say: what `redis-benchmark` uses.
pub const VALUE_BYTES: u32 = 100;
/// The largest value that may be asked for, bytes.
const MOST_VALUE_BYTES: u32 = 64 << 20;
/// Keys are numbered with so many digits.
const MOST_KEYS: u64 = 1_000_000_000_000;

/// A Redis server and what of it is loaded.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// Where it listens.
    pub place: Place,
    /// The user of its access list; the default one if none.
    pub user: Option<String>,
    /// The password.
    pub password: Option<String>,
    /// Whether the password may be sent to another machine.
    pub clear_text: bool,
    /// The number of the database.
    pub database: u32,
    /// Keys to be loaded.
    pub keys: u64,
    /// Bytes of each value.
    pub value_bytes: u32,
}

impl Target {
    /// Reads `[user[:password]@]host[:port][/db][?value=BYTES]`, or
    /// `[user[:password]@]/path/to/socket[?db=N][&value=BYTES]`; a password that is not written
    /// there is `password`.
    pub fn parse(text: &str, password: Option<String>, keys: u64) -> Result<Target, LoadError> {
        let (text, query) = text.split_once('?').unwrap_or((text, ""));
        let (user, host) = match text.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, text),
        };
        let (place, database) = place(host)?;
        let (user, written) = user.map_or(Ok((None, None)), login)?;
        if keys == 0 || keys > MOST_KEYS {
            return Err(wrong(&format!("{keys} keys"), "1 to 10^12 are possible"));
        }
        let password = written.or(password);
        let mut target = Target {
            place,
            user,
            password,
            clear_text: false,
            database,
            keys,
            value_bytes: VALUE_BYTES,
        };
        for option in query.split('&').filter(|option| !option.is_empty()) {
            target.option(option)?;
        }
        Ok(target)
    }

    fn option(&mut self, option: &str) -> Result<(), LoadError> {
        match option.split_once('=') {
            Some(("db", value)) => self.database = number(value, "the number of a database")?,
            Some(("value", value)) => {
                self.value_bytes = number(value, "a number of bytes")?;
                if self.value_bytes == 0 || self.value_bytes > MOST_VALUE_BYTES {
                    return Err(wrong(option, "values have 1 to 67108864 bytes"));
                }
            }
            Some(("clear_text", "yes")) => self.clear_text = true,
            _ => {
                let why = "an address takes value=BYTES, db=NUMBER and clear_text=yes";
                return Err(wrong(option, why));
            }
        }
        Ok(())
    }
}

fn number<N: std::str::FromStr>(text: &str, what: &str) -> Result<N, LoadError> {
    text.parse().map_err(|_| wrong(text, &format!("{what} was expected")))
}

impl From<RedisAddressError> for LoadError {
    fn from(RedisAddressError { what, why }: RedisAddressError) -> LoadError {
        wrong(&what, &why)
    }
}

fn wrong(what: &str, why: &str) -> LoadError {
    LoadError::Job(format!(
        "'{what}' in a redis:// address: {why}. An address is \
         redis://[user[:password]@]host[:port][/db][?value=BYTES] or \
         redis:///path/to/socket[?db=N]"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Target {
        Target::parse(text, Some("env".to_owned()), 10).unwrap()
    }

    fn tcp(host: &str, port: u16) -> Place {
        Place::Tcp { host: host.to_owned(), port }
    }

    #[test]
    fn reads_hosts_ports_databases_and_sockets() {
        assert_eq!(parsed("").place, tcp("127.0.0.1", 6379));
        assert_eq!(parsed("db.example").place, tcp("db.example", 6379));
        let full = parsed("cache:6380/3?value=512");
        assert_eq!((full.place, full.database, full.value_bytes), (tcp("cache", 6380), 3, 512));
        assert_eq!(parsed("[::1]:7000/").place, tcp("::1", 7000));
        assert_eq!(parsed("[::1]").place, tcp("::1", 6379));
        let socket = parsed("/run/redis.sock?db=2&value=1");
        assert_eq!(socket.place, Place::Unix("/run/redis.sock".into()));
        assert_eq!((socket.database, socket.value_bytes), (2, 1));
    }

    #[test]
    fn a_password_in_the_address_goes_before_the_environment() {
        let who = |text: &str| (parsed(text).user, parsed(text).password.unwrap());
        assert_eq!(who("host"), (None, "env".to_owned()));
        assert_eq!(who("bench@host"), (Some("bench".to_owned()), "env".to_owned()));
        assert_eq!(who(":p%40ss@host"), (None, "p@ss".to_owned()));
        assert_eq!(who("me:a:b@host"), (Some("me".to_owned()), "a:b".to_owned()));
        assert_eq!(who("me:x@/run/r.sock"), (Some("me".to_owned()), "x".to_owned()));
    }

    #[test]
    fn refuses_what_it_does_not_understand_and_keeps_passwords_to_itself() {
        for text in
            ["h:port", "h/x", "h?size=3", "h?value=0", "[::1", "[::1]x", "h?value=99999999999"]
        {
            let error = Target::parse(text, None, 1).err().unwrap().to_string();
            assert!(error.contains("redis://[user"), "{text}: {error}");
        }
        let error = Target::parse("u:secret%zz@h", None, 1).err().unwrap().to_string();
        assert!(!error.contains("secret"), "{error}");
        assert!(Target::parse("h", None, 0).is_err());
    }
}
