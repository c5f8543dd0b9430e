//! Operations done one at a time by `pread` and `pwrite`.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;

use rustix::io::{Errno, pread, pwrite};

use super::kinds::READ;
use super::pool::Lent;
use super::words;
use super::writes::Writes;
use crate::clock::{now_ns, sleep_until};
use crate::{Broken, Done, Engine, Operation, Slot, Wait};

/// A lane that waits for each operation. It is given one slot; with more, operations queue.
pub(super) struct SyncLane {
    file: File,
    block: u32,
    buffer: Lent,
    writes: Writes,
    pending: VecDeque<(Slot, Operation)>,
}

impl SyncLane {
    /// The buffer's length is that of a block.
    pub(super) fn new(file: File, mut buffer: Lent, slots: u32, writes: Writes) -> SyncLane {
        let block = u32::try_from(buffer.bytes().len()).unwrap_or(u32::MAX);
        let pending = VecDeque::with_capacity(slots as usize);
        SyncLane { file, block, buffer, writes, pending }
    }

    /// Does an operation from beginning to end.
    fn operate(&mut self, operation: Operation) -> (Result<u32, Cow<'static, str>>, u64) {
        let Operation { kind, place } = operation;
        let offset = place.wrapping_mul(u64::from(self.block));
        let bytes = self.buffer.bytes();
        if kind == READ {
            let read = move_all(bytes.len(), |from| {
                let rest = bytes.get_mut(from..).unwrap_or_default();
                pread(&self.file, rest, offset.wrapping_add(from as u64))
            });
            return (self.outcome(false, read), now_ns());
        }
        let epoch = self.writes.begin(place, bytes);
        let written = move_all(bytes.len(), |from| {
            let rest = bytes.get(from..).unwrap_or_default();
            pwrite(&self.file, rest, offset.wrapping_add(from as u64))
        });
        let now = now_ns();
        self.writes.end(place, epoch, written.is_ok(), now);
        (self.outcome(true, written), now)
    }

    fn outcome(&self, writes: bool, moved: Result<(), i32>) -> Result<u32, Cow<'static, str>> {
        moved.map(|()| self.block).map_err(|errno| words::fault(writes, errno))
    }
}

/// Moves bytes until all of them are, whatever part each call moves. The error is the system's
/// number of it, or 0 at the end of the file.
fn move_all(length: usize, mut part: impl FnMut(usize) -> Result<usize, Errno>) -> Result<(), i32> {
    let mut moved = 0;
    while moved < length {
        match part(moved) {
            Ok(0) => return Err(0),
            Ok(more) => moved += more,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.raw_os_error()),
        }
    }
    Ok(())
}

impl Engine for SyncLane {
    fn submit(&mut self, slot: Slot, operation: Operation) -> Result<(), Broken> {
        self.pending.push_back((slot, operation));
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), Broken> {
        if let Some((slot, operation)) = self.pending.pop_front() {
            let (result, at_ns) = self.operate(operation);
            done.push(Done { slot, at_ns, result });
        } else if let Wait::Until(until) = wait {
            sleep_until(until);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_interruptions_do_not_count() {
        let mut answers = VecDeque::from([Ok(3), Err(Errno::INTR), Ok(4), Ok(1)]);
        let mut froms = Vec::new();
        let moved = move_all(8, |from| {
            froms.push(from);
            answers.pop_front().expect("asked no more than needed")
        });
        assert_eq!((moved, froms), (Ok(()), vec![0, 3, 3, 7]));
        assert_eq!(move_all(8, |from| Ok(if from == 0 { 5 } else { 0 })), Err(0));
        let full = |_| Err(Errno::NOSPC);
        assert_eq!(move_all(8, full), Err(libc::ENOSPC));
    }
}
