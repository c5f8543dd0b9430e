//! From an address to a feed.

use isotherm_frame::Nanos;

use crate::feed::{Item, LiveOptions, OpenError, Outbox, Running};

use super::{Connect, OracleAddress, Wanted, start};

/// Starts to ask the database at `address` for what its options want.
pub(crate) fn open(
    address: &OracleAddress,
    options: &LiveOptions,
    mut outbox: Outbox,
) -> Result<Running, OpenError> {
    let interval = address.options.interval.or(options.interval).unwrap_or(Nanos::SECOND);
    let wanted = Wanted::of(&address.options).map_err(OpenError::Option)?;
    let (connect, warning) = connection(address, interval)?;
    if let Some(warning) = warning {
        outbox.push(Item::Warning(warning));
        outbox.flush();
    }
    start(connect, wanted, interval, &options.context, outbox)
}

/// A way to connect to the database at `address`, and what to tell the user about it.
pub(crate) fn connection(
    address: &OracleAddress,
    interval: Nanos,
) -> Result<(Box<dyn Connect>, Option<String>), OpenError> {
    #[cfg(feature = "oracle")]
    if let super::Route::Thin { .. } = &address.route {
        let file = address.options.password_file.as_deref();
        let found = super::password::find(&address.target(), file)?;
        if let Some(connect) = super::thin::ThinConnect::new(address, found.secret, interval) {
            return Ok((Box::new(connect), found.warning));
        }
    }
    Err(OpenError::NotReady {
        needed_by: address.to_string(),
        what: "a route to Oracle that this program was built with",
        remedy: "use oracle:// and a build with the feature oracle",
    })
}
