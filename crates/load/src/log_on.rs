//! Logging on to a server that may not answer.

use std::sync::atomic::{AtomicBool, Ordering};

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

/// We were asked to stop while a server was waited for.
pub(crate) fn not_answered() -> LoadError {
    LoadError::Failed("stopped: the server had not answered".to_owned())
}
