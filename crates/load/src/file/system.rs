//! A file or device, ready to be loaded.

use std::fs::File;
use std::sync::Arc;

use isotherm_frame::numbers;

use super::device::{Device, Kernel};
use super::method::Method;
use super::pool::Pool;
use super::sync::SyncLane;
use super::target::Target;
use super::writes::{Writes, Written};
use super::{facts, verify, words};
use crate::clock::Calendar;
use crate::sys::Pages;
use crate::{
    Arrival, Count, Engine, FileOptions, Hooks, Job, KindMeta, LoadError, Pattern, Role, System,
};

/// The kinds of operations, by [`super::kinds::READ`] and whatever else writes.
const KINDS: [KindMeta; 2] = [
    KindMeta { name: "read", role: Role::Read, places: 1 },
    KindMeta { name: "write", role: Role::Write, places: 1 },
];

/// A file or device, ready to be loaded.
#[derive(Debug)]
pub(super) struct FileSystem {
    target: Target,
    options: FileOptions,
    pattern: Pattern,
    writes: bool,
    method: Method,
    device: Option<Device>,
    facts: Vec<(String, String)>,
    /// What was done to make it ready, in words.
    notes: Vec<String>,
    written: Arc<Written>,
    pool: Pool,
}

impl FileSystem {
    pub(super) fn open(
        path: &std::path::Path,
        job: &Job,
        hooks: &mut Hooks,
    ) -> Result<FileSystem, LoadError> {
        let in_flight = match job.arrival {
            Arrival::Closed { in_flight, .. } => in_flight,
            Arrival::Open { slots, .. } => slots,
        };
        check_memory(in_flight, job.file.block)?;
        let target = Target::open(path, job, hooks)?;
        let options = job.file.clone();
        let pages = if options.huge_pages { Pages::Huge } else { Pages::Small };
        let pool = Pool::new(usize::try_from(options.block).unwrap_or_default(), pages);
        let method = Method::choose(&options, &target.file, in_flight, &pool)?;
        let facts = facts::all(&target, &options, &method);
        let made = format!("made {}, {}", target.path.display(), numbers::bytes(target.length));
        let notes = target.made.then_some(made).into_iter().collect();
        let now = u64::try_from(Calendar::read().at(crate::clock::now_ns()).as_nanos());
        let now = now.unwrap_or(1);
        let written = Arc::new(Written::new(target.origin.unwrap_or(now), options.block, now));
        let device = target.device();
        let (pattern, writes) = (job.work.pattern, job.work.update_pct > 0.0);
        Ok(FileSystem {
            target,
            options,
            pattern,
            writes,
            method,
            device,
            facts,
            notes,
            written,
            pool,
        })
    }
}

/// Operations in flight each need a buffer, all of them in memory.
fn check_memory(in_flight: u32, block: u64) -> Result<(), LoadError> {
    const MOST: u64 = 2 << 30;
    let needed = u64::from(in_flight).saturating_mul(block);
    if needed <= MOST {
        return Ok(());
    }
    Err(LoadError::Job(format!(
        "{in_flight} operations of {} in flight need {} of memory, more than {}: ask for fewer or \
         smaller ones",
        numbers::bytes(block),
        numbers::bytes(needed),
        numbers::bytes(MOST)
    )))
}

/// Says to the page cache what will be read, as any careful program does.
fn advise(file: &File, pattern: Pattern) {
    let advice = match pattern {
        Pattern::Random => rustix::fs::Advice::Random,
        Pattern::Sequential => rustix::fs::Advice::Sequential,
    };
    let _ = rustix::fs::fadvise(file, 0, None, advice);
}

impl System for FileSystem {
    fn kinds(&self) -> &[KindMeta] {
        &KINDS
    }

    fn places(&self) -> u64 {
        self.target.used / self.options.block
    }

    fn place_bytes(&self) -> u64 {
        self.options.block
    }

    fn lanes(&self, in_flight: u32, threads: Option<u32>) -> Vec<u32> {
        self.method.lanes(in_flight, threads)
    }

    fn open(&self, _lane: u32, slots: u32) -> Result<Box<dyn Engine>, LoadError> {
        let failed = |error: std::io::Error| words::failed("load", &self.target.path, &error);
        let file = self.target.again(&self.options, self.writes).map_err(failed)?;
        if !self.options.direct {
            advise(&file, self.pattern);
        }
        let writes = Writes::of(&self.written);
        match self.method {
            #[cfg(feature = "uring")]
            Method::Uring { chunks, .. } => {
                let block = u32::try_from(self.options.block).unwrap_or(u32::MAX);
                let buffers = self.pool.buffers(slots as usize).map_err(failed)?;
                let ring = crate::sys::Ring::new(file, buffers).map_err(failed)?;
                Ok(Box::new(super::uring::UringLane::new(ring, slots, block, chunks, writes)))
            }
            Method::Sync { .. } => {
                let buffer = self.pool.lend().map_err(failed)?;
                Ok(Box::new(SyncLane::new(file, buffer, slots, writes)))
            }
        }
    }

    fn counts(&self) -> Vec<Count> {
        let mut counts = self.device.as_ref().map(Device::totals).unwrap_or_default();
        counts.extend(Kernel::here().totals());
        counts
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.facts.clone()
    }

    fn verify(&self) -> Vec<String> {
        let sample = self.written.take();
        if sample.is_empty() {
            return Vec::new();
        }
        verify::verify(&self.target.file, self.options.block, self.written.file, sample)
    }
}
