//! Logging on to a server that may not answer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use isotherm_client::leave;

use crate::LoadError;

/// Logs on; once `stop` is set, a server that has not answered yet is left at once: nothing runs there that would have
/// to be cancelled.
pub(crate) fn unless_stopped<T: Send + 'static>(
    stop: &AtomicBool,
    log_on: impl FnOnce() -> Result<T, LoadError> + Send + 'static,
) -> Result<T, LoadError> {
    let mut asked = || stop.load(Ordering::Relaxed).then_some(());
    match leave::unless(log_on, &mut asked) {
        Ok(Ok(session)) => session,
        Ok(Err(())) => Err(not_answered()),
        Err(error) => Err(LoadError::Failed(format!("cannot start a thread: {error}"))),
    }
}

/// How long a server may take, once one may have logged on, to answer everything that is asked before the load
/// begins, and to let all connections in.
pub(crate) const GETTING_READY: Duration = Duration::from_mins(1);

/// How long logging on may take where the address does not say.
const LOGGING_ON: Duration = Duration::from_secs(30);

/// How long all of that may take where logging on may take `log_on`.
pub(crate) fn opening_limit(log_on: Option<Duration>) -> Duration {
    log_on.unwrap_or(LOGGING_ON).saturating_add(GETTING_READY)
}

/// A server answers, and never so that the load can begin.
pub(crate) fn not_ready(server: &str, most: Duration) -> LoadError {
    LoadError::Unreachable(format!(
        "{server} was not ready to be loaded within {} s: look what keeps it busy, such as a lock on its tables",
        most.as_secs()
    ))
}

/// We were asked to stop while a server was waited for.
pub(crate) fn not_answered() -> LoadError {
    LoadError::Failed("stopped: the server had not answered".to_owned())
}
