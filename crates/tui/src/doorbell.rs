//! How the threads that feed the view wake it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use crossterm::event::Event;

/// Wakes the view: ring it after new data was put where the [`Feeder`](super::Feeder) finds it.
/// Ringing never waits, and ringing twice before the view answers is ringing once.
#[derive(Clone, Debug)]
pub struct Bell(SyncSender<Wake>);

/// Where the view waits for bells and keys.
#[derive(Debug)]
pub struct Door {
    wakes: Receiver<Wake>,
    bell: Bell,
}

/// What woke the view.
#[derive(Debug)]
pub(super) enum Wake {
    Data,
    Terminal(Event),
    /// The terminal can no longer be read.
    TerminalLost(std::io::Error),
}

/// A bell and its door.
pub fn doorbell() -> (Bell, Door) {
    let (sender, wakes) = sync_channel(256);
    let bell = Bell(sender);
    (bell.clone(), Door { wakes, bell })
}

impl Bell {
    /// Rings.
    pub fn ring(&self) {
        // A full channel holds something that wakes the view, which is all a ring is for.
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) =
            self.0.try_send(Wake::Data)
        {}
    }

    /// Hands over what came from the terminal, waiting while the view is busy; `false` when
    /// nobody is at the door any more.
    pub(super) fn hand(&self, wake: Wake) -> bool {
        self.0.send(wake).is_ok()
    }
}

impl Door {
    pub(super) fn bell(&self) -> Bell {
        self.bell.clone()
    }

    /// Everything that came, waiting for the first at most `timeout`.
    pub(super) fn wait(&self, timeout: Duration) -> Vec<Wake> {
        match self.wakes.recv_timeout(timeout) {
            Ok(first) => std::iter::once(first).chain(self.wakes.try_iter()).collect(),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Vec::new(),
        }
    }
}
