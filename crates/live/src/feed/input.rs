//! Bytes that arrive while they are read.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Outbox, Stopped};

/// What the thread that reads hands over.
pub(crate) enum Chunk {
    /// Some bytes, at least one.
    Bytes(Vec<u8>),
    /// Reading failed.
    Failed(io::Error),
    /// The input is at its end.
    End,
    /// Nothing came: look whether the feed was stopped.
    Stop,
}

/// What waiting for bytes gave.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    /// More bytes are held.
    More,
    /// Nothing came for the time given.
    Paused,
    /// There will be no more.
    End,
}

/// A live input as a decoder reads it. A thread of its own reads the bytes, so that waiting for
/// them can be ended, and given up after a pause. Before it waits, everything decoded so far is
/// sent.
pub(crate) struct LiveInput {
    chunks: Receiver<Chunk>,
    held: Vec<u8>,
    used: usize,
    ended: bool,
    begun: bool,
    stopped: Stopped,
    outbox: Arc<Mutex<Outbox>>,
}

/// Starts to read `bytes`. The sender wakes the reader with [`Chunk::Stop`].
pub(crate) fn pump(
    mut bytes: impl Read + Send + 'static,
) -> io::Result<(SyncSender<Chunk>, Receiver<Chunk>)> {
    /// Bytes in a chunk at most, and chunks under way at most: 512 KiB.
    const CHUNK: usize = 64 << 10;
    const CHUNKS: usize = 8;
    let (sender, chunks) = sync_channel(CHUNKS);
    let wake = sender.clone();
    let read = move || {
        let mut buffer = vec![0; CHUNK];
        loop {
            let chunk = match bytes.read(&mut buffer) {
                Ok(0) => Chunk::End,
                Ok(length) => Chunk::Bytes(buffer.iter().take(length).copied().collect()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Chunk::Failed(error),
            };
            let last = !matches!(chunk, Chunk::Bytes(_));
            if sender.send(chunk).is_err() || last {
                return;
            }
        }
    };
    std::thread::Builder::new().name("isotherm-read".into()).spawn(read)?;
    Ok((wake, chunks))
}

/// The outbox, which the input sends and the decoder fills: in turn, on one thread.
pub(super) fn locked(outbox: &Mutex<Outbox>) -> MutexGuard<'_, Outbox> {
    outbox.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveInput {
    pub(crate) fn new(chunks: Receiver<Chunk>, outbox: Arc<Mutex<Outbox>>) -> LiveInput {
        let stopped = locked(&outbox).stopped().clone();
        LiveInput { chunks, held: Vec::new(), used: 0, ended: false, begun: false, stopped, outbox }
    }

    /// The bytes that have arrived and were not yet read.
    pub(crate) fn held(&self) -> &[u8] {
        self.held.get(self.used..).unwrap_or_default()
    }

    /// Whether any bytes have arrived at all.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Waits for more bytes and holds them after those already held; with a `pause`, not longer
    /// than that.
    pub(crate) fn wait(&mut self, pause: Option<Duration>) -> io::Result<Arrived> {
        if self.ended {
            return Ok(Arrived::End);
        }
        locked(&self.outbox).flush();
        let chunk = match pause {
            _ if self.stopped.is_set() => Chunk::Stop,
            None => self.chunks.recv().unwrap_or(Chunk::End),
            Some(pause) => match self.chunks.recv_timeout(pause) {
                Ok(chunk) => chunk,
                Err(RecvTimeoutError::Timeout) => return Ok(Arrived::Paused),
                Err(RecvTimeoutError::Disconnected) => Chunk::End,
            },
        };
        match chunk {
            Chunk::Bytes(bytes) if !self.stopped.is_set() => {
                self.held.extend_from_slice(&bytes);
                self.begun = true;
                return Ok(Arrived::More);
            }
            Chunk::Failed(error) => {
                self.ended = true;
                return Err(error);
            }
            Chunk::Bytes(_) | Chunk::End | Chunk::Stop => self.ended = true,
        }
        Ok(Arrived::End)
    }
}

impl Read for LiveInput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for LiveInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.held().is_empty() {
            self.held.clear();
            self.used = 0;
            self.wait(None)?;
        }
        Ok(self.held())
    }

    fn consume(&mut self, amount: usize) {
        self.used += amount;
    }
}
