//! Oracle databases, asked live or about their history, through the thin driver or SQL*Plus.
//!
//! Every query gives lines of text in one format, that of the `oraclepoll` source, so that what
//! is asked live, what a script spools and what a test keeps as a fixture is decoded by the same
//! code.

mod address;
mod options;
mod password;
mod session;
#[cfg(feature = "oracle")]
mod thin;

pub(crate) use address::SCHEMES as ORACLE_SCHEMES;
pub use address::{OracleAddress, OracleAddressError, Route};
pub use options::{OracleOptions, Role};
pub use password::PasswordError;
pub(crate) use session::{Connect, Session, SessionError};

use isotherm_frame::Nanos;

use crate::feed::OpenError;

/// Prepares connections over the network for queries every `interval`, which may ask for a
/// password on the terminal. What the user should know is given to `warn`.
#[cfg(feature = "oracle")]
pub(crate) fn connect_thin(
    address: &OracleAddress,
    interval: Nanos,
    warn: &mut dyn FnMut(String),
) -> Result<Box<dyn Connect>, OpenError> {
    let found = password::find(&address.target(), address.options.password_file.as_deref())?;
    found.warning.into_iter().for_each(warn);
    Ok(Box::new(thin::ThinConnect::new(address, found.secret, interval)))
}

/// Says that this program was built without the driver.
#[cfg(not(feature = "oracle"))]
pub(crate) fn connect_thin(
    address: &OracleAddress,
    _: Nanos,
    _: &mut dyn FnMut(String),
) -> Result<Box<dyn Connect>, OpenError> {
    Err(OpenError::NotReady {
        needed_by: address.to_string(),
        what: "the driver, which this program was built without",
        remedy: "build it with the feature 'oracle', or use SQL*Plus, sqlplus:USER@ALIAS",
    })
}
