//! Where a Redis server is and who we are there.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::percent;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// TCP.
    Tcp {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
    },
    /// A socket in the file system.
    Unix(PathBuf),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Place::Tcp { host, port } => write!(f, "{host}:{port}"),
            Place::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Why a part of an address cannot be understood. What is shown of it holds no password.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{what}' in a redis:// address: {why}")]
pub struct RedisAddressError {
    /// The part.
    pub what: String,
    /// What is wrong with it.
    pub why: String,
}

impl RedisAddressError {
    /// `what` is wrong because of `why`.
    pub fn new(what: &str, why: &str) -> RedisAddressError {
        RedisAddressError { what: what.to_owned(), why: why.to_owned() }
    }
}

/// A user and a password, as far as they are written.
pub type Login = (Option<String>, Option<String>);

/// Reads `host[:port][/db]` or `/path/to/socket`; gives the number of the database, too.
pub fn place(text: &str) -> Result<(Place, u32), RedisAddressError> {
    if text.starts_with('/') {
        return Ok((Place::Unix(decoded(text)?.into()), 0));
    }
    let (server, database) = text.split_once('/').unwrap_or((text, ""));
    let database = match database {
        "" => 0,
        database => number(database, "the number of a database")?,
    };
    let missing = || RedisAddressError::new(server, "']' is missing");
    let (host, port) = match server.strip_prefix('[') {
        Some(rest) => rest.split_once(']').ok_or_else(missing)?,
        None => server.find(':').map_or((server, ""), |colon| server.split_at(colon)),
    };
    let port = match port.strip_prefix(':') {
        Some(port) => number(port, "a port")?,
        None if port.is_empty() => 6_379,
        None => return Err(RedisAddressError::new(server, "a port begins with ':'")),
    };
    let host = if host.is_empty() { "127.0.0.1".to_owned() } else { decoded(host)? };
    Ok((Place::Tcp { host, port }, database))
}

/// Reads `user[:password]`.
pub fn login(text: &str) -> Result<Login, RedisAddressError> {
    let (user, password) = text.split_once(':').map_or((text, None), |(u, p)| (u, Some(p)));
    let user = if user.is_empty() { None } else { Some(decoded(user)?) };
    Ok((user, password.map(decoded).transpose()?))
}

fn number<N: std::str::FromStr>(text: &str, what: &str) -> Result<N, RedisAddressError> {
    text.parse().map_err(|_| RedisAddressError::new(text, &format!("{what} was expected")))
}

/// What is wrong is not repeated: it may be part of a password.
fn decoded(text: &str) -> Result<String, RedisAddressError> {
    let why = "two hexadecimal digits of a UTF-8 text follow it; % is %25";
    percent::decoded(text).ok_or_else(|| RedisAddressError::new("%", why))
}
