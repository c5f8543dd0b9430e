//! From an address to a feed.

use isotherm_frame::Nanos;

use crate::feed::{Item, LiveOptions, OpenError, Outbox, Running, Stopped};

use super::{Connect, OracleAddress, Route, Wanted, connect_thin, history, sqlplus, start};

/// Starts to ask the database at `address` for what its options want, or to read its history.
pub(crate) fn open(
    address: &OracleAddress,
    options: &LiveOptions,
    mut outbox: Outbox,
) -> Result<Running, OpenError> {
    let interval = address.options.interval.or(options.interval).unwrap_or(Nanos::SECOND);
    let wanted = Wanted::of(&address.options).map_err(OpenError::Option)?;
    let pace = if address.history { history::PACE } else { interval };
    let stopped = outbox.stopped().clone();
    let connect =
        connection(address, pace, &stopped, &mut |text| outbox.push(Item::Warning(text)))?;
    outbox.flush();
    if address.history {
        return history::start(connect, (wanted, &address.options), &options.context, outbox);
    }
    start(connect, wanted, interval, &options.context, outbox)
}

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
