//! Addresses of `MySQL` and `MariaDB` servers.

use std::fmt;
use std::path::PathBuf;

use isotherm_client::mysql::Login;
use isotherm_client::redis::{Place, login};

use crate::AddressError;

/// The port of a server where none is written.
const PORT: u16 = 3_306;

/// A server, read from what stands after `mysql:` or `mariadb:`.
#[derive(Clone)]
pub(crate) struct MySqlAddress {
    scheme: &'static str,
    text: String,
    pub(super) place: Place,
    user: Option<String>,
    /// The password that is written there.
    pub(super) password: Option<String>,
    pub(super) password_file: Option<PathBuf>,
}

impl MySqlAddress {
    /// Reads `//[user[:password]@]host[:port]/` or `//[user[:password]@]/path/to/socket`, with
    /// `?password_file=FILE`.
    pub(super) fn read(scheme: &'static str, text: &str) -> Result<MySqlAddress, AddressError> {
        let wrong = |why: String| AddressError::MySql(why);
        let Some(rest) = text.strip_prefix("//") else {
            return Err(wrong(format!(
                "an address begins with {scheme}://, such as {scheme}://monitor@db1"
            )));
        };
        let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (who, server) = before.rsplit_once('@').unwrap_or(("", before));
        let place = place(server).map_err(wrong)?;
        let (user, password) = login(who).map_err(|error| {
            wrong(format!("the user in an address of {scheme}://: {}", error.why))
        })?;
        let mut password_file = None;
        for option in query.split('&').filter(|option| !option.is_empty()) {
            let (key, file) = option.split_once('=').unwrap_or((option, ""));
            if key != "password_file" || file.is_empty() {
                return Err(wrong(format!("'{key}': {scheme}:// takes ?password_file=FILE")));
            }
            password_file = Some(file.into());
        }
        let text = text.to_owned();
        Ok(MySqlAddress { scheme, text, place, user, password, password_file })
    }

    /// Who logs on, with this password. Without a user, the one who runs this program.
    pub(super) fn login(&self, password: Option<&str>) -> Login {
        let place = self.place.clone();
        Login { place, user: self.user(), password: password.unwrap_or_default().to_owned() }
    }

    fn user(&self) -> String {
        let own = || std::env::var("USER").ok().filter(|user| !user.is_empty());
        self.user.clone().or_else(own).unwrap_or_else(|| "root".to_owned())
    }

    /// `user@host:port`, for messages.
    pub(super) fn target(&self) -> String {
        format!("{}@{}", self.user(), self.place)
    }
}

/// Reads `host[:port][/]` or `/path/to/socket`.
fn place(text: &str) -> Result<Place, String> {
    if text.len() > 1 && text.starts_with('/') {
        return Ok(Place::Unix(text.into()));
    }
    let (server, database) = text.split_once('/').unwrap_or((text, ""));
    if !database.is_empty() {
        return Err(format!(
            "'/{database}': the histograms are those of the whole server: leave the database out"
        ));
    }
    let (host, port) = match server.strip_prefix('[') {
        Some(rest) => rest.split_once(']').ok_or("']' is missing after an IPv6 address")?,
        None => server.find(':').map_or((server, ""), |colon| server.split_at(colon)),
    };
    let port = match port.strip_prefix(':') {
        Some(port) => port.parse().map_err(|_| "the text after the last ':' is not a port")?,
        None if port.is_empty() => PORT,
        None => return Err("a port begins with ':'".to_owned()),
    };
    let host = if host.is_empty() { "127.0.0.1" } else { host }.to_owned();
    Ok(Place::Tcp { host, port })
}

impl fmt::Display for MySqlAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scheme, self.text)
    }
}

/// Without the password.
impl fmt::Debug for MySqlAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MySqlAddress({})", self.target())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_sockets_and_users_are_read() {
        let read = |text: &str| MySqlAddress::read("mysql", text).expect(text);
        assert_eq!(read("//me@db1").target(), "me@db1:3306");
        assert_eq!(read("//me@db1:3307/").target(), "me@db1:3307");
        assert_eq!(read("//me@/run/m.sock").target(), "me@/run/m.sock");
        let whole = read("//me:p%40ss@[::1]:9?password_file=/a");
        let (target, password) = (whole.target(), whole.password.as_deref());
        assert_eq!((target.as_str(), password), ("me@[::1]:9", Some("p@ss")));
        assert_eq!(whole.password_file, Some(PathBuf::from("/a")));
        assert_eq!(whole.to_string(), "mysql://me:p%40ss@[::1]:9?password_file=/a");
        assert!(!format!("{whole:?}").contains("p@ss"));
    }

    #[test]
    fn what_is_wrong_is_reported_without_the_password() {
        for text in
            ["h", "//h:port", "//u:secret%zz@h", "//h?scale=3", "//h?password=secret", "//h/shop"]
        {
            let error = MySqlAddress::read("mysql", text).expect_err(text).to_string();
            assert!(!error.is_empty() && !error.contains("secret"), "{error}");
        }
    }
}
