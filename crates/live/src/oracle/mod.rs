//! Oracle databases, asked live or about their history, through the thin driver or SQL*Plus.
//!
//! Every query gives lines of text in one format, that of the `oraclepoll` source, so that what
//! is asked live, what a script spools and what a test keeps as a fixture is decoded by the same
//! code.

mod address;
pub(crate) mod address_error;
mod answer;
mod connection;
mod events;
mod grants;
mod history;
mod instances;
mod kept_session;
mod logon;
mod meta;
mod open;
mod options;
mod pattern;
mod poll;
mod poll_request;
mod quotes;
mod remote;
mod sample;
#[cfg(test)]
pub(crate) mod scripted;
mod session;
pub(crate) mod sqlplus;
mod survey;
#[cfg(test)]
mod tests;
#[cfg(feature = "oracle")]
mod thin;

pub use address::{OracleAddress, Route};
pub use address_error::OracleAddressError;
pub(crate) use address_error::PASSWORD_VARIABLE;
pub(crate) use answer::Answer;
pub(crate) use connection::connection;
pub use events::{event_names, wait_events};
pub(crate) use grants::{MAY_NOT_READ, grants, user_of};
pub use history::{AwrCollectError, AwrCollection, AwrTables, NoMoment};
pub(crate) use instances::{instances, no_instances, only_instances};
pub(crate) use open::LIVE;
pub use options::OracleOptions;
pub(crate) use poll::Query;
pub(crate) use poll_request::PollRequest;
pub(crate) use session::{Connect, Session, SessionError};
pub use sqlplus::{ScriptAsks, ScriptError, ScriptRepeats, ScriptSleep, SqlPlusScript};

use isotherm_formats::Context;
use isotherm_formats::oraclepoll::PollReader;
use isotherm_frame::Nanos;

use crate::feed::{OpenError, Outbox, Running};

use kept_session::KeptSession;
use poll::Poller;
use remote::Remote;
use sample::Sampler;

/// Starts to ask a database for what is `wanted`, every `interval`; sessions are looked at without
/// a pause.
pub(crate) fn start(
    connect: Box<dyn Connect>,
    wanted: PollRequest,
    interval: Nanos,
    context: &Context,
    outbox: Outbox,
) -> Result<Running, OpenError> {
    let failed = |source| OpenError::NotStarted { program: "a thread".into(), source };
    let (name, reader) = (connect.name().to_owned(), PollReader::new(context));
    let (remote, wake) = Remote::start(connect).map_err(failed)?;
    let kept = KeptSession::new(remote, name, outbox);
    let run: Box<dyn FnOnce() + Send> = if wanted.sessions.is_some() {
        Box::new(move || Sampler::new(wanted, reader).run(kept))
    } else {
        Box::new(move || Poller::new(wanted, interval, reader).run(kept))
    };
    let worker = std::thread::Builder::new().name("isotherm-oracle".into()).spawn(run);
    Ok(Running { wake: Box::new(move || wake.stop()), worker: worker.map_err(failed)? })
}

/// Prepares connections over the network for queries every `interval`, which may ask for a
/// password on the terminal. What the user should know is given to `warn`.
#[cfg(feature = "oracle")]
pub(crate) fn connect_thin(
    address: &OracleAddress,
    interval: Nanos,
    warn: &mut dyn FnMut(String),
) -> Result<Box<dyn Connect>, OpenError> {
    let file = address.options.password_file.as_deref();
    let found = crate::password::find(&address.target(), file, PASSWORD_VARIABLE)?;
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
