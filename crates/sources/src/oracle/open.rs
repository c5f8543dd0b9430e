//! From an address to a feed.

use isotherm_frame::Nanos;

use crate::feed::{Item, LiveOptions, OpenError, Outbox, Running, Stopped};

use super::{Connect, OracleAddress, Route, Wanted, history, sqlplus, start};

/// Starts to ask the database at `address` for what its options want, or to read its history.
pub(crate) fn open(
    address: &OracleAddress,
    options: &LiveOptions,
    mut outbox: Outbox,
) -> Result<Running, OpenError> {
    let interval = address.options.interval.or(options.interval).unwrap_or(Nanos::SECOND);
    let wanted = Wanted::of(&address.options).map_err(OpenError::Option)?;
    let pace = if address.history { history::PACE } else { interval };
    let (connect, warning) = connection(address, pace, outbox.stopped())?;
    if let Some(warning) = warning {
        outbox.push(Item::Warning(warning));
        outbox.flush();
    }
    if address.history {
        return history::start(connect, &address.options, &options.context, outbox);
    }
    start(connect, wanted, interval, &options.context, outbox)
}

/// A way to connect to the database at `address`, and what to tell the user about it. Answers are
/// waited for in proportion to `interval`, and no longer once `stopped`.
pub(crate) fn connection(
    address: &OracleAddress,
    interval: Nanos,
    stopped: &Stopped,
) -> Result<(Box<dyn Connect>, Option<String>), OpenError> {
    match &address.route {
        Route::SqlPlus { .. } => return sqlplus::connection(address, interval, stopped),
        #[cfg(feature = "oracle")]
        Route::Thin { .. } => {
            let file = address.options.password_file.as_deref();
            let found = super::password::find(&address.target(), file)?;
            if let Some(connect) = super::thin::ThinConnect::new(address, found.secret, interval) {
                return Ok((Box::new(connect), found.warning));
            }
        }
        #[cfg(not(feature = "oracle"))]
        Route::Thin { .. } => {}
    }
    Err(OpenError::NotReady {
        needed_by: address.to_string(),
        what: "the driver, which this program was built without",
        remedy: "build it with the feature 'oracle', or use SQL*Plus, sqlplus:USER@ALIAS",
    })
}
