//! Signals as flags that loops look at.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};

use crate::failure::{Code, Failure};

/// What signals have asked for.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// The first SIGINT, SIGTERM or SIGHUP.
    stop: Arc<AtomicBool>,
}

impl Signals {
    /// Registers the handlers. A second SIGINT ends the program at once.
    pub fn register() -> Result<Signals, Failure> {
        let stop = Arc::default();
        // Order matters: the conditional shutdown must see the flag as it was before this signal.
        signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&stop))
            .map_err(|error| cannot_watch(&error))?;
        Signals::raising(stop)
    }

    /// The same for what must clean up in any case: a second signal changes nothing.
    pub fn register_patient() -> Result<Signals, Failure> {
        let signals = Signals::raising(Arc::default())?;
        raise_on(SIGQUIT, &signals.stop)?;
        Ok(signals)
    }

    fn raising(stop: Arc<AtomicBool>) -> Result<Signals, Failure> {
        let signals = Signals { stop };
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            raise_on(signal, &signals.stop)?;
        }
        // A file that may grow no further (ulimit -f) is a failed write, which is reported, not the end.
        raise_on(SIGXFSZ, &Arc::default())?;
        Ok(signals)
    }

    /// Whether the program has been asked to end.
    pub fn stop_asked(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The flag itself, for a loop elsewhere.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }
}

/// A flag that a signal raises.
pub fn flag(signal: i32) -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::default();
    raise_on(signal, &flag)?;
    Ok(flag)
}

fn raise_on(signal: i32, flag: &Arc<AtomicBool>) -> Result<(), Failure> {
    signal_hook::flag::register(signal, Arc::clone(flag))
        .map(|_| ())
        .map_err(|error| cannot_watch(&error))
}

fn cannot_watch(error: &std::io::Error) -> Failure {
    Failure::new(Code::Runtime, format!("cannot watch signals: {error}"))
}
