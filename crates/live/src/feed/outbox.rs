//! What a source has said and the consumer has not yet taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

use isotherm_formats::{Message, Sink};

use super::batch::{Ending, MessageBatch};

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

/// Collects messages into batches and sends them.
#[derive(Debug)]
pub(crate) struct Outbox {
    sender: SyncSender<MessageBatch>,
    stopped: Stopped,
    batch: MessageBatch,
}

impl Outbox {
    /// Messages in a batch at most.
    const BATCH: usize = 1_024;
    /// How often a source that waits for its consumer looks whether it was stopped.
    const PATIENCE: Duration = Duration::from_millis(2);

    pub(crate) fn new(sender: SyncSender<MessageBatch>, stopped: Stopped) -> Outbox {
        Outbox { sender, stopped, batch: MessageBatch::default() }
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
        self.batch.messages.extend(warnings.into_iter().map(Message::Warning));
        self.try_flush();
    }

    /// How many messages wait to be sent.
    pub(crate) fn unsent(&self) -> usize {
        self.batch.messages.len()
    }

    /// Adds a message without ever waiting for the consumer.
    pub(crate) fn keep(&mut self, message: Message) {
        self.batch.messages.push(message);
    }

    /// Tells the user something at once.
    pub(crate) fn warn(&mut self, text: String) {
        self.take(Message::Warning(text));
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
        if self.batch.messages.is_empty() && self.batch.ending.is_none() {
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
        self.batch.ending = Some(ending);
        self.flush();
    }
}

impl Sink for Outbox {
    /// Adds a message; a full batch is sent.
    fn take(&mut self, message: Message) {
        self.keep(message);
        if self.unsent() >= Outbox::BATCH {
            self.flush();
        }
    }
}
