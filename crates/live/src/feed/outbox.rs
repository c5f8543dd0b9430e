//! What a source has said and the consumer has not yet taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

use isotherm_formats::{Note, Sink};
use isotherm_frame::{OpenWaits, Reading, Rejection};

use super::item::{Ending, Item};

/// Whether the consumer wants no more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stopped(Arc<AtomicBool>);

impl Stopped {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Collects items into batches and sends them.
#[derive(Debug)]
pub(crate) struct Outbox {
    sender: SyncSender<Vec<Item>>,
    stopped: Stopped,
    batch: Vec<Item>,
}

impl Outbox {
    /// Items in a batch at most.
    const BATCH: usize = 1_024;
    /// How often a source that waits for its consumer looks whether it was stopped.
    const PATIENCE: Duration = Duration::from_millis(2);

    pub(crate) fn new(sender: SyncSender<Vec<Item>>, stopped: Stopped) -> Outbox {
        Outbox { sender, stopped, batch: Vec::new() }
    }

    /// A second outbox into the same channel, for a program's standard error.
    pub(crate) fn warnings(&self) -> Outbox {
        Outbox::new(self.sender.clone(), self.stopped.clone())
    }

    pub(crate) fn stopped(&self) -> &Stopped {
        &self.stopped
    }

    /// Adds what the user should know beforehand, and sends it.
    pub(crate) fn keep_warnings(&mut self, warnings: impl IntoIterator<Item = String>) {
        self.batch.extend(warnings.into_iter().map(Item::Warning));
        self.try_flush();
    }

    /// How many items wait to be sent.
    pub(crate) fn waiting(&self) -> usize {
        self.batch.len()
    }

    /// Adds an item; a full batch is sent.
    pub(crate) fn push(&mut self, item: Item) {
        self.batch.push(item);
        if self.batch.len() >= Outbox::BATCH {
            self.flush();
        }
    }

    /// Adds an item without ever waiting for the consumer.
    pub(crate) fn keep(&mut self, item: Item) {
        self.batch.push(item);
    }

    /// Sends what has been collected, waiting while the consumer is behind. Once the feed is
    /// stopped nobody is sure to take anything any more, so then it does not wait.
    pub(crate) fn flush(&mut self) {
        while !self.try_flush() && !self.stopped.is_set() {
            std::thread::sleep(Outbox::PATIENCE);
        }
    }

    /// Sends what has been collected if there is room; `false` if there is none.
    pub(crate) fn try_flush(&mut self) -> bool {
        if self.batch.is_empty() {
            return true;
        }
        match self.sender.try_send(std::mem::take(&mut self.batch)) {
            Err(TrySendError::Full(batch)) => {
                self.batch = batch;
                false
            }
            // A consumer that went away stops the feed as well.
            Ok(()) | Err(TrySendError::Disconnected(_)) => true,
        }
    }

    /// Says how the source ended and closes this end of the channel.
    pub(crate) fn end(mut self, ending: Ending) {
        self.keep(Item::Ended(ending));
        self.flush();
    }
}

impl Sink for Outbox {
    fn reading(&mut self, reading: Reading) {
        self.push(Item::Reading(reading));
    }

    fn record(&mut self) {
        self.push(Item::Record);
    }

    fn reject(&mut self, rejection: Rejection) {
        self.push(Item::Rejected(rejection));
    }

    fn note(&mut self, note: Note) {
        self.push(Item::Note(note));
    }

    fn waiting(&mut self, waits: OpenWaits) {
        self.push(Item::Waiting(waits));
    }
}
