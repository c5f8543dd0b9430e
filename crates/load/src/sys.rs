//! Memory that the kernel reads and writes while the program runs on. The only module with
//! `unsafe` code: everything it offers is safe to use in any order.
//!
//! Two rules make it so. A [`Ring`] owns its buffers and its file: nothing else can free, move or
//! close them. And a buffer is lent out only while the kernel does not have it: from the moment an
//! operation is queued until its completion has been taken, its slot is *away*.
#![allow(unsafe_code)]

use std::io;
use std::ptr::NonNull;
use std::sync::Arc;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// Equal buffers in one piece of memory that begins at a page, as direct I/O needs it.
#[derive(Debug)]
pub(crate) struct Buffers {
    /// Where the first one begins.
    base: NonNull<u8>,
    each: usize,
    count: usize,
    /// Unmapped with the last part of it.
    memory: Arc<Memory>,
}

/// Memory of this size is mapped by the processor as one page.
pub(crate) const HUGE: usize = 2 << 20;

/// What memory is made of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pages {
    /// Of huge pages, where the system has them: a device sees each buffer as one piece.
    Huge,
    /// Of pages of 4 KiB, which lie anywhere.
    Small,
}

/// Memory mapped for buffers.
#[derive(Debug)]
struct Memory {
    base: NonNull<u8>,
    mapped: usize,
}

// SAFETY: memory is only an address and a length. It is read and written through `Buffers` alone.
unsafe impl Send for Memory {}
// SAFETY: nothing can be done with it through a shared reference.
unsafe impl Sync for Memory {}
// SAFETY: buffers are the only way to their bytes, and no two of them have any in common.
unsafe impl Send for Buffers {}

impl Memory {
    /// Maps so many bytes at least, zeroed, beginning at a page.
    fn new(needed: usize, pages: Pages) -> io::Result<Memory> {
        let page = if pages == Pages::Huge { HUGE } else { 4_096 };
        // Older kernels map huge pages only where we make them begin at one: room for that.
        let spare = if pages == Pages::Huge { HUGE } else { 0 };
        let mapped = needed.checked_next_multiple_of(page).and_then(|size| size.checked_add(spare));
        let mapped = mapped.ok_or(io::ErrorKind::InvalidInput)?;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice overlaps no other memory.
        let memory =
            unsafe { mmap_anonymous(std::ptr::null_mut(), mapped, protection, MapFlags::PRIVATE)? };
        let base = NonNull::new(memory.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let memory = Memory { base, mapped };
        // A child must not share what a device writes to: copies on write would part from it.
        memory.advise(Advice::LinuxDontFork);
        memory.advise(match pages {
            Pages::Huge => Advice::LinuxHugepage,
            Pages::Small => Advice::LinuxNoHugepage,
        });
        Ok(memory)
    }

    /// Tells the kernel how the memory is used. Only a hint: what it refuses changes nothing.
    fn advise(&self, advice: Advice) {
        // SAFETY: exactly the mapping made in `new`; no advice given changes its content.
        let _ = unsafe { madvise(self.base.as_ptr().cast(), self.mapped, advice) };
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`, which nothing refers to any more: each part of it
        // holds an `Arc` of this, slices are borrowed from such a part, and a `Ring` forgets its
        // buffers while the kernel has any.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.mapped) };
    }
}

impl Buffers {
    /// Maps `count` buffers of `each` bytes, zeroed.
    pub(crate) fn new(count: usize, each: usize, pages: Pages) -> io::Result<Buffers> {
        let needed =
            each.checked_mul(count).filter(|needed| *needed > 0 && each.is_multiple_of(512));
        let memory = Memory::new(needed.ok_or(io::ErrorKind::InvalidInput)?, pages)?;
        let skip = match pages {
            Pages::Huge => memory.base.as_ptr().align_offset(HUGE),
            Pages::Small => 0,
        };
        // Never more than the spare bytes of the mapping, should an address be without a place.
        let skip = if skip > HUGE { 0 } else { skip };
        // SAFETY: at most HUGE, which is mapped beyond what is needed.
        let base = unsafe { memory.base.add(skip) };
        Ok(Buffers { base, each, count, memory: Arc::new(memory) })
    }

    /// The buffers one by one.
    pub(crate) fn split(self) -> Vec<Buffers> {
        let starts = (0..self.count).filter_map(|index| self.start(index));
        let one =
            |base| Buffers { base, each: self.each, count: 1, memory: Arc::clone(&self.memory) };
        starts.map(one).collect()
    }

    /// Where a buffer begins; none if there is no such buffer.
    fn start(&self, index: usize) -> Option<NonNull<u8>> {
        // SAFETY: `index < count`: `each * count` bytes from `base` are mapped.
        (index < self.count).then(|| unsafe { self.base.add(index * self.each) })
    }

    /// A buffer; empty if there is no such buffer.
    pub(crate) fn get_mut(&mut self, index: usize) -> &mut [u8] {
        let Some(start) = self.start(index) else { return &mut [] };
        // SAFETY: `each` bytes from `start` are mapped, readable, writable and initialised (zero
        // at first). They are borrowed from `self` mutably, and buffers do not overlap. A `Ring`
        // hands out a buffer only while the kernel does not have it.
        unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), self.each) }
    }
}

#[cfg(feature = "uring")]
pub(crate) use ring::Ring;

#[cfg(feature = "uring")]
mod ring {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::time::{Duration, Instant};

    use io_uring::types::{Fixed, SubmitArgs, Timespec};
    use io_uring::{Builder, EnterFlags, IoUring, cqueue, opcode, squeue};

    use super::Buffers;

    /// Reads and writes in flight between one file and buffers, both registered with the kernel.
    ///
    /// Used by the thread that made it: the kernel then does no work for other threads' sake.
    pub(crate) struct Ring {
        /// Closed before the buffers are unmapped.
        queues: IoUring,
        buffers: Option<Buffers>,
        _file: File,
        /// Slots whose buffer the kernel has, or will have with the next [`Ring::enter`].
        away: Vec<bool>,
        /// How many those are.
        flying: u32,
        /// Whether the buffers are registered: not where the limit of locked memory forbids it.
        registered: bool,
    }

    /// Which way bytes go.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub(crate) enum Way {
        /// From the file into the buffer.
        Read,
        /// From the buffer to the file.
        Write,
    }

    /// How long a ring that is dropped waits for what is in flight, before it leaves the memory
    /// to the kernel for good.
    const PATIENCE: Duration = Duration::from_secs(5);

    impl Ring {
        /// Makes a ring of as many slots as there are buffers.
        pub(crate) fn new(file: File, buffers: Buffers) -> io::Result<Ring> {
            let slots = u32::try_from(buffers.count).map_err(|_| io::ErrorKind::InvalidInput)?;
            let queues = build(slots)?;
            if !queues.params().is_feature_ext_arg() || !queues.params().is_feature_nodrop() {
                return Err(io::ErrorKind::Unsupported.into());
            }
            queues.submitter().register_files(&[file.as_raw_fd()])?;
            let away = vec![false; buffers.count];
            let mut made = Ring {
                queues,
                buffers: Some(buffers),
                _file: file,
                away,
                flying: 0,
                registered: false,
            };
            made.registered = made.register()?;
            Ok(made)
        }

        /// Registers the buffers; false where the limit of locked memory forbids it.
        fn register(&self) -> io::Result<bool> {
            let Some(buffers) = &self.buffers else { return Ok(false) };
            let starts = (0..buffers.count).filter_map(|index| buffers.start(index));
            let vectors: Vec<libc::iovec> = starts
                .map(|start| libc::iovec { iov_base: start.as_ptr().cast(), iov_len: buffers.each })
                .collect();
            // SAFETY: the vectors name mapped memory that lives until the ring has been closed:
            // `self` owns both, and drops the ring first.
            match unsafe { self.queues.submitter().register_buffers(&vectors) } {
                Ok(()) => Ok(true),
                Err(error) if error.raw_os_error() == Some(libc::ENOMEM) => Ok(false),
                Err(error) => Err(error),
            }
        }

        /// Whether the kernel holds the buffers for good, instead of for each operation.
        pub(crate) fn registered(&self) -> bool {
            self.registered
        }

        /// Operations queued or in flight.
        pub(crate) fn flying(&self) -> u32 {
            self.flying
        }

        /// Whether nothing is queued or in flight in a slot.
        pub(crate) fn is_free(&self, slot: u32) -> bool {
            self.away.get(slot as usize) == Some(&false)
        }

        /// The buffer of a slot; empty while it is away, or if there is none.
        pub(crate) fn buffer(&mut self, slot: u32) -> &mut [u8] {
            let index = slot as usize;
            match &mut self.buffers {
                Some(buffers) if self.away.get(index) == Some(&false) => buffers.get_mut(index),
                _ => &mut [],
            }
        }

        /// Queues an operation that moves the bytes of the slot's buffer from `skip` to its end,
        /// at `offset` of the file. False if the slot is away or there is no such part of it.
        #[must_use]
        #[inline]
        pub(crate) fn queue(&mut self, way: Way, slot: u32, skip: u32, offset: u64) -> bool {
            let Some(entry) = self.entry(way, slot, skip, offset) else { return false };
            let Some(away @ false) = self.away.get_mut(slot as usize) else { return false };
            // SAFETY: the entry names a part of the slot's own buffer. It stays mapped until the
            // completion has been taken (`Drop` waits, or never unmaps), and is not lent out while
            // it is away. The file is registered with this ring.
            if unsafe { self.queues.submission().push(&entry) }.is_err() {
                return false;
            }
            *away = true;
            self.flying += 1;
            true
        }

        #[inline]
        fn entry(&self, way: Way, slot: u32, skip: u32, offset: u64) -> Option<squeue::Entry> {
            let buffers = self.buffers.as_ref()?;
            let start = buffers.start(slot as usize)?;
            let length =
                u32::try_from(buffers.each).ok()?.checked_sub(skip).filter(|left| *left > 0)?;
            // SAFETY: `skip` is less than the length of the buffer.
            let start = unsafe { start.add(skip as usize) }.as_ptr();
            let index = u16::try_from(slot).ok()?;
            let entry = match (way, self.registered) {
                (Way::Read, true) => {
                    opcode::ReadFixed::new(Fixed(0), start, length, index).offset(offset).build()
                }
                (Way::Write, true) => {
                    opcode::WriteFixed::new(Fixed(0), start, length, index).offset(offset).build()
                }
                (Way::Read, false) => {
                    opcode::Read::new(Fixed(0), start, length).offset(offset).build()
                }
                (Way::Write, false) => {
                    opcode::Write::new(Fixed(0), start, length).offset(offset).build()
                }
            };
            Some(entry.user_data(u64::from(slot)))
        }

        /// Hands over what is queued, without a look at what has ended.
        pub(crate) fn hand_over(&mut self) -> io::Result<()> {
            let queued = self.queued();
            self.call(queued, 0, EnterFlags::empty(), None)
        }

        /// Hands over what is queued and waits for `least` completions, at most so long.
        pub(crate) fn enter(&mut self, least: u32, limit: Option<Duration>) -> io::Result<()> {
            let queued = self.queued();
            self.call(queued, least, EnterFlags::GETEVENTS, limit)
        }

        fn queued(&mut self) -> u32 {
            u32::try_from(self.queues.submission().len()).unwrap_or(u32::MAX)
        }

        fn call(
            &self,
            queued: u32,
            least: u32,
            flags: EnterFlags,
            limit: Option<Duration>,
        ) -> io::Result<()> {
            let submitter = self.queues.submitter();
            let entered = if let Some(limit) = limit {
                let limit = Timespec::from(limit);
                let arguments = SubmitArgs::new().timespec(&limit);
                let flags = flags | EnterFlags::EXT_ARG;
                // SAFETY: with EXT_ARG the kernel reads a `SubmitArgs`, which outlives the call as
                // does the time it names. What the queue holds was made sound in `queue`.
                unsafe { submitter.enter(queued, least, flags.bits(), Some(&arguments)) }
            } else {
                // SAFETY: no argument, and what the queue holds was made sound in `queue`.
                unsafe { submitter.enter::<libc::sigset_t>(queued, least, flags.bits(), None) }
            };
            match entered.map_err(|error| error.raw_os_error().unwrap_or(0)) {
                // Woken by a signal or by the time: nothing is lost, the caller looks again.
                Ok(_) | Err(libc::EINTR | libc::ETIME) => Ok(()),
                Err(error) => Err(io::Error::from_raw_os_error(error)),
            }
        }

        /// Takes what has ended: slot and result of the kernel, bytes or a negative error.
        #[inline]
        pub(crate) fn take(&mut self, ended: &mut Vec<(u32, i32)>) {
            let completions = self.queues.completion();
            for completion in completions {
                // Every entry carries its slot, so it fits and is away.
                let slot = slot(&completion);
                if let Some(away) = self.away.get_mut(slot as usize)
                    && std::mem::take(away)
                {
                    self.flying -= 1;
                    ended.push((slot, completion.result()));
                }
            }
        }

        /// Waits until the kernel has given back every buffer it was handed; false if it did not.
        fn settle(&mut self) -> bool {
            let begun = Instant::now();
            let mut ended = Vec::new();
            // What is queued but was never handed over, never will be.
            while self.flying > self.queued() {
                let Some(left) = PATIENCE.checked_sub(begun.elapsed()) else { return false };
                if self.call(0, 1, EnterFlags::GETEVENTS, Some(left)).is_err() {
                    return false;
                }
                self.take(&mut ended);
                ended.clear();
            }
            true
        }
    }

    fn slot(completion: &cqueue::Entry) -> u32 {
        u32::try_from(completion.user_data()).unwrap_or(u32::MAX)
    }

    impl Drop for Ring {
        fn drop(&mut self) {
            if !self.settle() {
                // The kernel may still write there: the memory is its own from now on.
                std::mem::forget(self.buffers.take());
            }
        }
    }

    /// The best ring that this kernel makes.
    fn build(slots: u32) -> io::Result<IoUring> {
        type Setting = fn(&mut Builder<squeue::Entry, cqueue::Entry>);
        let settings: [Setting; 4] = [
            // Linux 6.6: without the table of indices nobody needs.
            |ring| _ = ring.setup_single_issuer().setup_defer_taskrun().setup_no_sqarray(),
            // Linux 6.1: completions are worked on when we wait for them, not in between.
            |ring| _ = ring.setup_single_issuer().setup_defer_taskrun(),
            // Linux 5.19.
            |ring| _ = ring.setup_coop_taskrun(),
            |_| (),
        ];
        let mut refused = io::Error::from(io::ErrorKind::Unsupported);
        for setting in settings {
            let mut builder = IoUring::builder();
            builder.dontfork();
            setting(&mut builder);
            match builder.build(slots.max(1)) {
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) => refused = error,
                built => return built,
            }
        }
        Err(refused)
    }
}

#[cfg(feature = "uring")]
pub(crate) use ring::Way;
