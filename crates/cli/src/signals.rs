//! Signals as flags that loops look at.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

/// What signals have asked for.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// The first SIGINT, SIGTERM or SIGHUP.
    stop: Arc<AtomicBool>,
}

impl Signals {
    /// Registers the handlers. A second SIGINT ends the program at once.
    pub fn register() -> std::io::Result<Signals> {
        let signals = Signals::default();
        // Order matters: the conditional shutdown must see the flag as it was before this signal.
        signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&signals.stop))?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&signals.stop))?;
        }
        // A file that may grow no further (ulimit -f) is a failed write, which is told, not the end.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
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
