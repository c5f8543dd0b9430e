//! From an address to a feed.

use isotherm_frame::Nanos;

use crate::feed::{Item, LiveOptions, OpenError, Outbox, Running};

use super::{Connect, OracleAddress, Route, Wanted, connect_thin, start};

/// Starts to ask the database at `address` for what its options want.
pub(crate) fn open(
    address: &OracleAddress,
    options: &LiveOptions,
    mut outbox: Outbox,
) -> Result<Running, OpenError> {
    let interval = address.options.interval.or(options.interval).unwrap_or(Nanos::SECOND);
    let wanted = Wanted::of(&address.options).map_err(OpenError::Option)?;
    let connect =
        connection(address, interval, &mut |warning| outbox.push(Item::Warning(warning)))?;
    outbox.flush();
    start(connect, wanted, interval, &options.context, outbox)
}

/// A way to connect to the database at `address` for queries every `interval`. What the user
/// should know is given to `warn`.
pub(crate) fn connection(
    address: &OracleAddress,
    interval: Nanos,
    warn: &mut dyn FnMut(String),
) -> Result<Box<dyn Connect>, OpenError> {
    match &address.route {
        Route::Thin { .. } => connect_thin(address, interval, warn),
        Route::SqlPlus { .. } => Err(OpenError::NotReady {
            needed_by: address.to_string(),
            what: "SQL*Plus as a connection",
            remedy: "use oracle://",
        }),
    }
}
