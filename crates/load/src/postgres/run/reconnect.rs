//! Connects anew what was lost, on a thread of its own, so that the other connections of a lane
//! go on meanwhile.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::session::Link;
use crate::Slot;
use isotherm_client::postgres::address::Logon;

/// The first wait after a connection that did not come about; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// What came of connecting anew.
#[derive(Debug)]
pub enum Came {
    /// A connection for a slot.
    Linked(Slot, Link),
    /// None, and why; it is tried again after a while.
    Failed(Cow<'static, str>),
}

/// The thread that connects, asked and heard.
#[derive(Debug)]
pub struct Reconnector {
    wanted: Sender<Slot>,
    came: Receiver<Came>,
}

impl Reconnector {
    /// Starts the thread; it ends when this is dropped and its last try is over.
    pub fn start(logon: &Arc<Logon>) -> std::io::Result<Reconnector> {
        let (wanted, slots) = channel();
        let (outcomes, came) = channel();
        let logon = Arc::clone(logon);
        let thread = thread::Builder::new().name("reconnect".to_owned());
        thread.spawn(move || serve(&logon, &slots, &outcomes))?;
        Ok(Reconnector { wanted, came })
    }

    /// Wants a connection for a slot.
    pub fn want(&self, slot: Slot) {
        let _ = self.wanted.send(slot);
    }

    /// What has come of it so far.
    pub fn came(&self) -> Option<Came> {
        self.came.try_recv().ok()
    }
}

fn serve(logon: &Logon, slots: &Receiver<Slot>, outcomes: &Sender<Came>) {
    let (mut queue, mut wait) = (VecDeque::new(), FIRST_WAIT);
    loop {
        let slot = match queue.pop_front() {
            Some(slot) => slot,
            None => match slots.recv() {
                Ok(slot) => slot,
                Err(_) => return,
            },
        };
        let came = match Link::open(logon) {
            Ok(link) => {
                wait = FIRST_WAIT;
                Came::Linked(slot, link)
            }
            Err(error) => {
                queue.push_front(slot);
                Came::Failed(error.words())
            }
        };
        let failed = matches!(came, Came::Failed(_));
        if outcomes.send(came).is_err() {
            return;
        }
        if failed {
            if !pause(wait, slots, &mut queue) {
                return;
            }
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }
}

/// Waits, taking in further wishes; false when nobody wants anything any more.
fn pause(wait: Duration, slots: &Receiver<Slot>, queue: &mut VecDeque<Slot>) -> bool {
    let until = Instant::now() + wait;
    loop {
        match slots.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(slot) => queue.push_back(slot),
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}
