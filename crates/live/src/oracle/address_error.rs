//! Why a text is not the address of an Oracle database.

use thiserror::Error;

use crate::password::password_in_address;

/// The variable that holds the password.
pub(crate) const PASSWORD_VARIABLE: &str = "ISOTHERM_ORACLE_PASSWORD";

/// Why a text is not the address of an Oracle database.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OracleAddressError {
    /// There is a password in it.
    #[error("{}", password_in_address(PASSWORD_VARIABLE))]
    Password,
    /// Nobody is named.
    #[error(
        "who is to log on? {0}://USER@HOST:PORT/SERVICE (as the operating system's: sqlplus:/)"
    )]
    NoUser(&'static str),
    /// No database is named.
    #[error("which database? {scheme}://{user}@HOST:PORT/SERVICE, or an alias of tnsnames.ora")]
    NoDatabase {
        /// `oracle` or `oracle+tcps`.
        scheme: &'static str,
        /// The user.
        user: String,
    },
    /// A host without a service.
    #[error("'{0}' names no service: write {0}/SERVICE (lsnrctl status on the server lists them)")]
    NoService(String),
    /// A SID where a service belongs.
    #[error(
        "'{host}:{port}:{sid}' has the form of a SID: write {host}:{port}/SERVICE, or, quoted, \
         (DESCRIPTION=(ADDRESS=(PROTOCOL=tcp)(HOST={host})(PORT={port}))(CONNECT_DATA=(SID={sid})))"
    )]
    Sid {
        /// The host.
        host: String,
        /// The port.
        port: String,
        /// The SID.
        sid: String,
    },
    /// What stands after the user is neither of the forms.
    #[error(
        "'{0}' is not a database: write HOST:PORT/SERVICE, [IPV6]:PORT/SERVICE, an alias of \
         tnsnames.ora, or (DESCRIPTION=...) in quotes"
    )]
    NotADatabase(String),
    /// TLS is chosen where the text itself says whether it is used.
    #[error("'{0}' says itself whether TLS is used: write oracle://")]
    TlsTwice(String),
    /// `oracle:` is not followed by `//`.
    #[error("after '{0}:' come two slashes: {0}://USER@HOST:PORT/SERVICE")]
    NoSlashes(&'static str),
    /// Nothing, or something else, follows `awr:`.
    #[error(
        "after 'awr:' comes the database, such as awr:oracle://USER@HOST:PORT/SERVICE or \
         awr:sqlplus:/ as sysdba (a report in a file is read by naming the file)"
    )]
    NoHistory,
    /// A character that would end the CONNECT command.
    #[error("a logon of SQL*Plus is one line, without control characters")]
    ControlCharacter,
    /// An option that does not exist.
    #[error("there is no option '{key}'{near}; there are {known}")]
    UnknownOption {
        /// What was written.
        key: String,
        /// `; did you mean 'event'?` or nothing.
        near: String,
        /// Those that can be used with such an address, separated by commas.
        known: String,
    },
    /// An option that exists, with an address it means nothing to.
    #[error("the option '{key}' {only}")]
    WrongPlace {
        /// The option.
        key: &'static str,
        /// Where it belongs.
        only: &'static str,
    },
    /// An option given twice that can be given once.
    #[error("the option '{0}' is given twice")]
    Twice(&'static str),
    /// A value that the option cannot have.
    #[error("'{key}={value}': {expected}")]
    Value {
        /// The option.
        key: &'static str,
        /// What was written.
        value: String,
        /// What can be written.
        expected: &'static str,
    },
}
