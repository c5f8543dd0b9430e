//! Who logs on where, and with what.

use std::fmt;
use std::path::PathBuf;

use super::Secret;

/// Who logs on where. Its passwords are not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Logon {
    /// The user.
    pub user: String,
    /// What the driver is given: `host:port/service`, a whole descriptor, or an alias.
    pub connect: String,
    /// The user's password.
    pub password: Secret,
    /// The privilege to log on with.
    pub role: Option<Role>,
    /// The directory of tnsnames.ora.
    pub tns_admin: Option<PathBuf>,
    /// The directory of ewallet.pem.
    pub wallet: Option<PathBuf>,
    /// The password of the wallet.
    pub wallet_password: Option<Secret>,
}

/// An administrative privilege: what follows `as` in a CONNECT command.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// SYSDBA.
    Sysdba,
    /// SYSOPER.
    Sysoper,
    /// SYSBACKUP.
    Sysbackup,
    /// SYSDG.
    Sysdg,
    /// SYSKM.
    Syskm,
    /// SYSRAC.
    Sysrac,
    /// SYSASM.
    Sysasm,
}

impl Logon {
    /// A plain user with a password.
    pub fn new(user: &str, connect: &str, password: Secret) -> Logon {
        Logon {
            user: user.to_owned(),
            connect: connect.to_owned(),
            password,
            role: None,
            tns_admin: None,
            wallet: None,
            wallet_password: None,
        }
    }

    /// `user@database`, for messages.
    pub fn target(&self) -> String {
        format!("{}@{}", self.user, self.connect)
    }
}

impl fmt::Debug for Logon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Logon({}, ***)", self.target())
    }
}
