//! A way to a database, whichever its address asks for.

use isotherm_frame::Nanos;

use crate::feed::{OpenError, Stopped};

use super::{Connect, OracleAddress, Route, connect_thin, sqlplus};

/// A way to connect to the database at `address` for queries every `interval`; nothing is waited
/// for once `stopped`. What the user should know is given to `warn`.
pub(crate) fn connection(
    address: &OracleAddress,
    interval: Nanos,
    stopped: &Stopped,
    warn: &mut dyn FnMut(String),
) -> Result<Box<dyn Connect>, OpenError> {
    match &address.route {
        Route::Thin { .. } => connect_thin(address, interval, warn),
        Route::SqlPlus { logon } => sqlplus::connection(address, logon, (interval, stopped), warn),
    }
}
