//! Operations handed to the kernel in chunks and taken back in batches, through `io_uring`.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use super::kinds::READ;
use super::method::Chunks;
use super::words;
use super::writes::Writes;
use crate::clock::now_ns;
use crate::sys::{Ring, Way};
use crate::{Broken, Done, Engine, Operation, Slot, Wait};

/// A lane of many slots on one thread.
pub(super) struct UringLane {
    ring: Ring,
    block: u32,
    writes: Writes,
    /// By slot.
    pending: Vec<Pending>,
    chunks: Chunks,
    /// Queued since the last chunk was handed over.
    queued: u32,
    /// At how many queued operations the next chunk is handed over.
    full: u32,
    /// What the ring gave back; kept so that nothing is allocated while running.
    ended: Vec<(u32, i32)>,
}

/// An operation in flight.
#[derive(Copy, Clone, Debug, Default)]
struct Pending {
    place: u64,
    epoch: u64,
    /// Bytes moved so far.
    moved: u32,
    /// How often the kernel could not begin it.
    tries: u32,
    writes: bool,
}

/// How often what the kernel has no means for at the moment is tried again.
const TRIES: u32 = 1_000;

impl UringLane {
    pub(super) fn new(
        ring: Ring,
        slots: u32,
        block: u32,
        chunks: Chunks,
        writes: Writes,
    ) -> UringLane {
        UringLane {
            ring,
            block,
            writes,
            pending: vec![Pending::default(); slots as usize],
            chunks,
            queued: 0,
            full: chunks.first,
            ended: Vec::with_capacity(slots as usize),
        }
    }

    /// Queues what is left of a slot's operation.
    #[inline]
    fn queue(&mut self, slot: Slot) -> bool {
        let Some(pending) = self.pending.get(slot as usize) else { return false };
        let way = if pending.writes { Way::Write } else { Way::Read };
        let begin = pending.place.wrapping_mul(u64::from(self.block));
        self.ring.queue(way, slot, pending.moved, begin.wrapping_add(u64::from(pending.moved)))
    }

    /// What became of a slot's operation; none if it goes on.
    fn outcome(&mut self, slot: Slot, result: i32) -> Option<Result<u32, Cow<'static, str>>> {
        let pending = self.pending.get_mut(slot as usize)?;
        let writes = pending.writes;
        match u32::try_from(result) {
            Ok(0) => return Some(Err(words::fault(writes, 0))),
            Ok(moved) => {
                pending.moved = pending.moved.saturating_add(moved);
                if pending.moved >= self.block {
                    return Some(Ok(self.block));
                }
            }
            Err(_) => {
                pending.tries += 1;
                let again = matches!(-result, libc::EINTR | libc::EAGAIN) && pending.tries < TRIES;
                if !again {
                    return Some(Err(words::fault(writes, -result)));
                }
            }
        }
        (!self.queue(slot)).then(|| Err(words::fault(writes, libc::EAGAIN)))
    }

    /// Takes what has ended.
    fn take(&mut self, at_ns: u64, done: &mut Vec<Done>) {
        let mut ended = std::mem::take(&mut self.ended);
        self.ring.take(&mut ended);
        for (slot, result) in ended.drain(..) {
            let Some(result) = self.outcome(slot, result) else { continue };
            if let Some(Pending { place, epoch, writes: true, .. }) =
                self.pending.get(slot as usize)
            {
                self.writes.end(*place, *epoch, result.is_ok(), at_ns);
            }
            done.push(Done { slot, at_ns, result });
        }
        self.ended = ended;
    }

    /// Hands over what is queued and waits. What the kernel has no means for at the moment stays
    /// queued, up to a point.
    fn enter(&mut self, wait: Wait, tries: &mut u32) -> Result<(), Broken> {
        let entered = match wait {
            Wait::No => self.ring.enter(0, None),
            Wait::One => self.ring.enter(1, None),
            Wait::Until(until) => {
                let left = until.saturating_sub(now_ns());
                self.ring.enter(u32::from(left > 0), Some(Duration::from_nanos(left)))
            }
        };
        self.queued = 0;
        self.full = self.chunks.first;
        forgive(entered, tries)
    }
}

/// Passes over what goes away by waiting, so many times.
fn forgive(entered: io::Result<()>, tries: &mut u32) -> Result<(), Broken> {
    let Err(error) = entered else { return Ok(()) };
    *tries += 1;
    match error.raw_os_error() {
        Some(libc::EAGAIN | libc::EBUSY) if *tries < TRIES => {
            std::thread::yield_now();
            Ok(())
        }
        _ => Err(Broken(format!("io_uring does not go on: {error}"))),
    }
}

impl Engine for UringLane {
    fn submit(&mut self, slot: Slot, operation: Operation) -> Result<(), Broken> {
        let Operation { kind, place } = operation;
        if !self.ring.is_free(slot) {
            return Err(Broken(format!("slot {slot} is not free")));
        }
        let writes = kind != READ;
        let epoch = if writes { self.writes.begin(place, self.ring.buffer(slot)) } else { 0 };
        if let Some(pending) = self.pending.get_mut(slot as usize) {
            *pending = Pending { place, epoch, moved: 0, tries: 0, writes };
        }
        if !self.queue(slot) {
            return Err(Broken("the queue of io_uring is full".to_owned()));
        }
        self.queued += 1;
        if self.queued < self.full {
            return Ok(());
        }
        self.queued = 0;
        self.full = self.chunks.then;
        let handed = self.ring.hand_over();
        forgive(handed, &mut 0)
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), Broken> {
        let before = done.len();
        let mut tries = 0;
        loop {
            if self.ring.flying() == 0 && !matches!(wait, Wait::Until(_)) {
                return Ok(());
            }
            self.enter(wait, &mut tries)?;
            let now = now_ns();
            self.take(now, done);
            let over = match wait {
                Wait::No => true,
                Wait::One => false,
                Wait::Until(until) => now >= until,
            };
            if over || done.len() > before {
                return Ok(());
            }
        }
    }
}
