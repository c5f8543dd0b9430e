//! Logging on to a database for something other than watching it: making load on it.

use crate::feed::OpenError;

use crate::password;

use super::{OracleAddress, PASSWORD_VARIABLE, Route};

/// Who logs on where. Its password is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct OracleCredentials {
    /// What the driver is told: `host:port/service`, or a whole descriptor.
    pub connect: String,
    /// The user.
    pub user: String,
    /// The password.
    pub password: String,
}

impl std::fmt::Debug for OracleCredentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OracleCredentials({}@{}, ***)", self.user, self.connect)
    }
}

impl OracleAddress {
    /// Who logs on where, without asking the database: the password comes from the file that the
    /// address names, from the environment, or from the terminal. What the user should know is
    /// given to `warn`.
    pub fn credentials(
        &self,
        warn: &mut dyn FnMut(String),
    ) -> Result<OracleCredentials, OpenError> {
        let refuse = |why: &str| Err(OpenError::Option(format!("{self}: {why}")));
        let Route::Thin { user, connect } = &self.route else {
            return refuse("load needs the driver: name it oracle://USER@HOST/SERVICE");
        };
        let options = &self.options;
        if self.history {
            return refuse("the history of a database cannot be put under load");
        }
        if options.role.is_some() || options.wallet.is_some() || options.tns_admin.is_some() {
            return refuse("load takes no role, wallet or tns_admin: log on as a plain user");
        }
        let found =
            password::find(&self.target(), options.password_file.as_deref(), PASSWORD_VARIABLE)?;
        found.warning.into_iter().for_each(warn);
        let (connect, user) = (connect.clone(), user.clone());
        Ok(OracleCredentials { connect, user, password: found.secret.reveal().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::Address;

    fn credentials(text: &str) -> Result<OracleCredentials, OpenError> {
        let address: Address = text.parse().unwrap();
        address.oracle().expect(text).credentials(&mut |_| {})
    }

    #[test]
    fn a_plain_user_logs_on_with_the_password_of_the_file() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"Tiger\n").unwrap();
        let text = format!("oracle://scott@db1:1522/SALES?password_file={}", file.path().display());
        let found = credentials(&text).unwrap();
        assert_eq!((found.user.as_str(), found.password.as_str()), ("scott", "Tiger"));
        assert!(found.connect.contains("db1:1522/SALES"), "{}", found.connect);
        assert!(!format!("{found:?}").contains("Tiger"));
    }

    #[test]
    fn what_is_no_plain_user_is_refused_before_a_password_is_asked_for() {
        for (text, part) in [
            ("sqlplus:/", "needs the driver"),
            ("awr:oracle://u@h/s", "history"),
            ("oracle://sys@h/s?as=sysdba", "no role"),
        ] {
            let told = credentials(text).unwrap_err().to_string();
            assert!(told.contains(part), "{told}");
        }
    }
}
