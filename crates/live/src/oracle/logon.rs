//! Logging on to a database for something other than watching it: making load on it.

use isotherm_oracle::client::{Logon, Secret};

use crate::feed::OpenError;
use crate::password;

use super::instances::instances;
use super::{OracleAddress, PASSWORD_VARIABLE, Route};

/// The variable that holds the password of the wallet.
const WALLET_VARIABLE: &str = "ISOTHERM_ORACLE_WALLET_PASSWORD";

impl OracleAddress {
    /// The user and the place of an address that can be put under load; what is in the way is the error.
    pub fn for_load(&self) -> Result<(&str, &str), OpenError> {
        let refuse = |why: &str| Err(OpenError::Option(format!("{self}: {why}")));
        let Route::Thin { user, connect } = &self.route else {
            return refuse("load needs the driver: name it oracle://USER@HOST/SERVICE");
        };
        if self.history {
            return refuse("the history of a database cannot be put under load");
        }
        if self.options.role.is_some() {
            return refuse("load takes no role: log on as a plain user");
        }
        if !instances(self)?.is_empty() {
            return refuse("load goes to one instance: leave inst= out, and give its own address");
        }
        Ok((user, connect))
    }

    /// Who logs on where, without asking the database: the password comes from the file that the
    /// address names, from the environment, or from the terminal. What the user should know is
    /// given to `warn`.
    pub fn credentials(&self, warn: &mut dyn FnMut(String)) -> Result<Logon, OpenError> {
        let (user, connect) = self.for_load()?;
        let file = self.options.password_file.as_deref();
        let found = password::find(&self.target(), file, PASSWORD_VARIABLE)?;
        found.warning.into_iter().for_each(warn);
        Ok(self.logon(user, connect, found.secret))
    }

    /// The logon of a user with a password, with what the options say of directories and roles.
    pub(super) fn logon(&self, user: &str, connect: &str, password: Secret) -> Logon {
        let options = &self.options;
        Logon {
            role: options.role,
            tns_admin: options.tns_admin.clone(),
            wallet: options.wallet.clone(),
            wallet_password: std::env::var(WALLET_VARIABLE).ok().map(Secret::new),
            ..Logon::new(user, connect, password)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::Address;

    fn credentials(text: &str) -> Result<Logon, OpenError> {
        let address: Address = text.parse().unwrap();
        address.oracle().expect(text).credentials(&mut |_| {})
    }

    #[test]
    fn a_plain_user_logs_on_with_the_password_of_the_file() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"Tiger\n").unwrap();
        let text = format!("oracle://scott@db1:1522/SALES?password_file={}", file.path().display());
        let found = credentials(&text).unwrap();
        assert_eq!((found.user.as_str(), found.password.reveal()), ("scott", "Tiger"));
        assert!(found.connect.contains("db1:1522/SALES"), "{}", found.connect);
        assert!(!format!("{found:?}").contains("Tiger"));
    }

    #[test]
    fn what_is_no_plain_user_is_refused_before_a_password_is_asked_for() {
        for (text, part) in [
            ("sqlplus:/", "needs the driver"),
            ("awr:oracle://u@h/s", "history"),
            ("oracle://sys@h/s?as=sysdba", "no role"),
            ("oracle://u@h/s?event=log*", "for isotherm live"),
            ("oracle://u@h/s?inst=2", "leave inst= out"),
        ] {
            let message = credentials(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
