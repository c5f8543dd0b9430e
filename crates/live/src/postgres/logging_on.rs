//! Logging on to a server before anything is asked of it.

use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

use super::address::VARIABLE;
use super::sampler::connecting;
use crate::feed::OpenError;
use crate::password;

/// The first release that says since when a session waits for a lock.
const OLDEST: u64 = 140_000;

/// Logs on once, so that what is wrong is reported at once; asks for a password on the terminal if the
/// server wants one and none is known.
pub(crate) fn checked(mut logon: Logon) -> Result<(Logon, u64), OpenError> {
    let connected = match Control::open(&logon, None) {
        Err(PgError::Password) => {
            let found = password::find(&logon.to_string(), None, VARIABLE)?;
            logon.password = Some(found.secret.reveal().to_owned());
            Control::open(&logon, None)
        }
        other => other,
    };
    let version = connected.and_then(|mut control| control.number("show server_version_num"));
    match version {
        Err(error) => Err(OpenError::Server(connecting(&error, &logon))),
        Ok(version) if version < OLDEST => Err(OpenError::Server(format!(
            "{logon}: PostgreSQL {} does not report when a wait began: 14 or later is needed",
            version / 10_000
        ))),
        Ok(version) => Ok((logon, version)),
    }
}
