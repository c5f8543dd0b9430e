//! Who connects to what, in the words of SQL*Plus.

use std::fmt;

use crate::oracle::SessionError;

/// What stands after `connect`.
#[derive(Clone, Default)]
pub(crate) struct Logon {
    /// The user; empty for the operating system's word (`/`) or that of a wallet (`/@alias`).
    pub(crate) user: String,
    /// The password. Never shown, never on a command line.
    pub(crate) password: Option<String>,
    /// A TNS alias, `host:port/service` or whole descriptor; empty for the local instance.
    pub(crate) service: String,
    /// `sysdba` or another privilege to connect as.
    pub(crate) role: Option<String>,
}

impl Logon {
    /// The command that connects, with the password.
    pub(crate) fn command(&self) -> Result<String, SessionError> {
        let refused = |what: &str| Err(SessionError::Refused(format!("{self}: {what}")));
        let texts = [Some(&self.user), Some(&self.service), self.password.as_ref()];
        if texts.iter().flatten().any(|text| text.contains(char::is_control)) {
            return refused("there is a control character in the user, password or service");
        }
        let who = match &self.password {
            _ if self.user.is_empty() => "/".to_owned(),
            Some(password) if password.contains('"') => {
                return refused("SQL*Plus takes no password with a double quote in it");
            }
            Some(password) => format!("{}/\"{password}\"", self.user),
            None => {
                return refused("a password is needed ('/' alone asks the operating system)");
            }
        };
        Ok(format!("connect {who}{}{}\n", self.at(), self.privilege()))
    }

    fn at(&self) -> String {
        if self.service.is_empty() { String::new() } else { format!("@{}", self.service) }
    }

    fn privilege(&self) -> String {
        self.role.as_ref().map(|role| format!(" as {role}")).unwrap_or_default()
    }
}

impl fmt::Display for Logon {
    /// `/ as sysdba`, `scott@db`: never the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = if self.user.is_empty() { "/" } else { &self.user };
        f.pad(&format!("{who}{}{}", self.at(), self.privilege()))
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

    fn logon(user: &str, password: Option<&str>, service: &str, role: Option<&str>) -> Logon {
        let owned = |text: &str| text.to_owned();
        Logon {
            user: user.into(),
            password: password.map(owned),
            service: service.into(),
            role: role.map(owned),
        }
    }

    #[test]
    fn each_way_to_connect_is_written() {
        let told = |logon: Logon| logon.command().unwrap();
        assert_eq!(told(logon("", None, "", Some("sysdba"))), "connect / as sysdba\n");
        assert_eq!(told(logon("", None, "prod", None)), "connect /@prod\n");
        let scott = logon("scott", Some("t/i@g&r"), "db1:1521/pdb", None);
        assert_eq!(scott.to_string(), "scott@db1:1521/pdb");
        assert_eq!(told(scott), "connect scott/\"t/i@g&r\"@db1:1521/pdb\n");
    }

    #[test]
    fn a_password_is_never_shown_and_cannot_be_a_command() {
        for password in ["tiger\nhost rm", "ti\"ger"] {
            let logon = logon("scott", Some(password), "db", None);
            let error = logon.command().unwrap_err().to_string();
            assert!(!error.contains("tiger") && !error.contains("ti\"ger"), "{error}");
            assert!(!format!("{logon:?}").contains("ti"), "{logon:?}");
        }
        assert!(logon("scott", None, "db", None).command().is_err());
    }
}
