//! Passwords of addresses: whether one is written there, and how one found elsewhere gets in.

use std::path::PathBuf;

use crate::{Address, LoadError};

/// The parameter that names a file whose first line is the password.
const FILE: &str = "password_file";

impl Address {
    /// The variable of the environment in which the password of such a server is looked for; none
    /// where none is needed or somebody else looks.
    pub fn password_variable(&self) -> Option<&'static str> {
        self.engine.password_variable()
    }

    /// Whether a password is written in it.
    pub fn has_password(&self) -> bool {
        let Some(text) = self.server() else { return false };
        let (before, parameters) = text.split_once('?').unwrap_or((text, ""));
        let logon = before.rsplit_once('@').map_or("", |(logon, _)| logon);
        let is_password = |parameter: &str| parameter.starts_with("password=");
        logon.contains(':') || parameters.split('&').any(is_password)
    }

    /// Where it leads to, without the password and the parameters.
    pub fn target(&self) -> String {
        let before = self.rest.split('?').next().unwrap_or_default();
        match before.rsplit_once('@') {
            Some((logon, place)) => {
                format!("{}@{place}", logon.split(':').next().unwrap_or_default())
            }
            None => before.to_owned(),
        }
    }

    /// Takes the name of the file with the password out of it.
    pub fn take_password_file(&mut self) -> Option<PathBuf> {
        self.password_variable()?;
        let (before, parameters) = self.rest.split_once('?')?;
        let is_file = |parameter: &&str| {
            parameter.strip_prefix(FILE).is_some_and(|value| value.starts_with('='))
        };
        let file = parameters.split('&').find(is_file)?.split_once('=')?.1;
        let file = PathBuf::from(file);
        let rest: Vec<&str> = parameters.split('&').filter(|one| !is_file(one)).collect();
        let rest = rest.join("&");
        let rest = if rest.is_empty() { before.to_owned() } else { format!("{before}?{rest}") };
        *self = Address::of(self.engine, &rest)?;
        Some(file)
    }

    /// The same with a password.
    #[must_use]
    pub fn with_password(self, password: &str) -> Address {
        let rest = self.engine.with_password(&self.rest, &encoded(password));
        Address::of(self.engine, &rest).unwrap_or(self)
    }

    /// The text of the address of a server that may want a password.
    fn server(&self) -> Option<&str> {
        self.password_variable().map(|_| self.rest.as_str())
    }
}

/// Whether the server asks for a password and none is known. Whatever else is wrong is found when
/// it is opened for the load.
pub fn wants_password(address: &Address) -> bool {
    matches!(address.leads_to().log_on(), Err(LoadError::Password(_)))
}

/// Every byte but letters and digits as `%40`.
fn encoded(text: &str) -> String {
    let one = |byte: u8| {
        let plain = byte.is_ascii_alphanumeric();
        if plain { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{postgres, redis};

    fn parsed(text: &str) -> Address {
        Address::parse(text).expect(text)
    }

    #[test]
    fn a_password_in_an_address_is_noticed() {
        for (text, expected) in [
            ("postgres://u:pw@h/d", true),
            ("postgres://u@h/d?sslmode=require&password=pw", true),
            ("redis://:pw@h", true),
            ("redis://u:pw@/run/r.sock?db=1", true),
            ("postgres://u@h:5432/d", false),
            ("postgres:///d?password_file=/f", false),
            ("redis://[::1]:6379", false),
            ("x.dat", false),
        ] {
            assert_eq!(parsed(text).has_password(), expected, "{text}");
        }
    }

    #[test]
    fn the_file_of_a_password_is_taken_out() {
        for (text, rest, file) in [
            ("postgres://u@h/d?password_file=/a", "postgres://u@h/d", Some("/a")),
            ("redis://h?db=1&password_file=/a&value=2", "redis://h?db=1&value=2", Some("/a")),
            ("redis://h?db=1", "redis://h?db=1", None),
        ] {
            let mut address = parsed(text);
            assert_eq!(address.take_password_file(), file.map(PathBuf::from));
            assert_eq!(address, parsed(rest));
        }
    }

    #[test]
    fn a_password_found_elsewhere_is_the_one_that_is_used() {
        let password = "p@ss:w/o?r&d é";
        let address = parsed("postgres://joe@h/d").with_password(password);
        let logon = postgres::password_of(&address.rest);
        assert_eq!(logon.as_deref(), Some(password));
        assert_eq!(address.target(), "joe@h/d");
        for text in ["redis://h/2?value=9", "redis://joe@h/2?value=9"] {
            let address = parsed(text).with_password(password);
            assert_eq!(redis::password_of(&address.rest).as_deref(), Some(password));
            assert!(address.rest.ends_with("@h/2?value=9"), "{address:?}");
        }
    }
}
