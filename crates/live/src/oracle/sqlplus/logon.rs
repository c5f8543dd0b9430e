//! Who connects to what, in the words of SQL*Plus.

use std::fmt;

use crate::oracle::SessionError;
use crate::oracle::quotes::find_outside_quotes;
use isotherm_oracle::client::Secret;

/// What stands after `connect`.
#[derive(Clone)]
pub(crate) struct Logon {
    /// `/ as sysdba`, `/@wallet_alias`, `scott@db`: everything but the password.
    who: String,
    /// The password. Never shown, never on a command line.
    password: Option<Secret>,
}

impl Logon {
    /// `who` is what stands after `connect`, without a password.
    pub(crate) fn new(who: &str, password: Option<Secret>) -> Logon {
        Logon { who: who.trim().to_owned(), password }
    }

    /// Whether a password is needed: neither the operating system nor a wallet vouches.
    pub(crate) fn needs_password(who: &str) -> bool {
        split_user(who.trim()).0 != "/"
    }

    /// The command that connects, with the password.
    pub(crate) fn command(&self) -> Result<String, SessionError> {
        let refused = |what: &str| Err(SessionError::Refused(format!("{self}: {what}")));
        let password = self.password.as_ref().map_or("", Secret::reveal);
        if self.who.contains(char::is_control) || password.contains(char::is_control) {
            return refused("there is a control character in the logon or the password");
        }
        let (user, rest) = split_user(&self.who);
        if user == "/" {
            return Ok(format!("connect {}\n", self.who));
        }
        match password {
            "" => refused("a password is needed ('/' alone asks the operating system)"),
            odd if odd.contains('"') => {
                refused("SQL*Plus takes no password with a double quote in it")
            }
            password => Ok(format!("connect {user}/\"{password}\"{rest}\n")),
        }
    }
}

/// The user, and what follows: `@db`, ` as sysdba`.
pub(crate) fn split_user(who: &str) -> (&str, &str) {
    who.split_at(find_outside_quotes(who, &['@', ' ']).unwrap_or(who.len()))
}

impl fmt::Display for Logon {
    /// `/ as sysdba`, `scott@db`: never the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.who)
    }
}

impl fmt::Debug for Logon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Logon({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logon(who: &str, password: Option<&str>) -> Logon {
        Logon::new(who, password.map(|text| Secret::new(text.to_owned())))
    }

    #[test]
    fn each_way_to_connect_is_written() {
        for (who, password, command) in [
            ("/ as sysdba", None, "connect / as sysdba"),
            ("/@prod", Some("unused"), "connect /@prod"),
            ("scott@//db1:1521/pdb", Some("t/i@g&r"), "connect scott/\"t/i@g&r\"@//db1:1521/pdb"),
            ("sys@db as sysdba", Some("x"), "connect sys/\"x\"@db as sysdba"),
            ("\"sc @ott\"@db", Some("x"), "connect \"sc @ott\"/\"x\"@db"),
            ("scott", Some("x"), "connect scott/\"x\""),
        ] {
            let logon = logon(who, password);
            assert_eq!(logon.command().unwrap(), format!("{command}\n"));
            assert_eq!(logon.to_string(), who);
            assert_eq!(Logon::needs_password(who), !who.starts_with('/'));
        }
    }

    #[test]
    fn a_password_is_never_shown_and_cannot_be_a_command() {
        for password in ["tiger\nhost rm", "ti\"ger"] {
            let logon = logon("scott@db", Some(password));
            let error = logon.command().unwrap_err().to_string();
            assert!(!error.contains("tiger") && !error.contains("ti\"ger"), "{error}");
            assert!(!format!("{logon:?}").contains("ti"), "{logon:?}");
        }
        assert!(logon("scott@db", None).command().is_err());
        assert!(logon("/ as sysdba\nhost rm", None).command().is_err());
    }
}
