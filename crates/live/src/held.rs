//! Bytes that are read from others, within an account of all that is read at the same time.

use std::io::{self, Read};

use isotherm_frame::SharedMemory;

/// Bytes, and the room that they take until they are dropped.
#[derive(Debug)]
pub(crate) struct Held {
    bytes: Vec<u8>,
    taken: usize,
    room: SharedMemory,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.room.give_back(self.taken);
    }
}

impl std::ops::Deref for Held {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Held {
    pub(crate) fn none(room: &SharedMemory) -> Held {
        Held { bytes: Vec::new(), taken: 0, room: room.clone() }
    }

    /// Whom the room is shared with.
    pub(crate) fn room(&self) -> &SharedMemory {
        &self.room
    }

    /// So many bytes more are announced: addresses for all of them, so that they are not copied as they grow. Memory is
    /// what is written to.
    pub(crate) fn reserve(&mut self, announced: u64) {
        self.bytes.reserve_exact(usize::try_from(announced).unwrap_or_default());
    }

    /// Reads so many bytes more, or up to the end; `false` where there is no room for them.
    pub(crate) fn read(&mut self, input: &mut dyn Read, most: u64) -> io::Result<bool> {
        /// Room is asked for in steps: a length that is announced and never sent takes none.
        const STEP: u64 = 64 << 10;
        let mut left = most;
        while left > 0 {
            let step = left.min(STEP);
            let room = usize::try_from(step).unwrap_or(usize::MAX);
            if !self.room.take(room) {
                return Ok(false);
            }
            self.taken += room;
            let read = input.take(step).read_to_end(&mut self.bytes)?;
            if read < room {
                break;
            }
            left -= step;
        }
        Ok(true)
    }
}
