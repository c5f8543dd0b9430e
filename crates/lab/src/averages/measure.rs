//! Latencies that are measured here: of one statement, and of reads of a file.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use isotherm_frame::{Nanos, Random};
use rustix::fs::{Advice, OFlags, fadvise};

use crate::server::{Scratch, Server, failed};
use crate::{Bench, Events, LabError};

/// Statements and reads: short, full.
const STATEMENTS: (usize, usize) = (2_000, 20_000);
const READS: (usize, usize) = (2_000, 20_000);
/// Rows of the table, about half a kilobyte each: more than the 32 MiB of cache that the lab gives a
/// server of its own.
const ROWS: (usize, usize) = (60_000, 240_000);
/// Blocks of the file: fewer than half of the reads through the cache are the first of their block.
const BLOCKS: (usize, usize) = (1_024, 16_384);
const BLOCK: usize = 8_192;
/// The share of the reads through the cache that are of the first fifth of the file.
const HOT: f64 = 0.8;
/// What memory and places in a file must be multiples of for reads that pass over the cache.
const ALIGNED: usize = 4_096;
/// Measurements between two looks at whether the user wants to stop.
const GLANCE: usize = 500;

/// Times of one statement with another key each time, as its caller waits for it.
pub fn statements(server: &Server<'_>, bench: &mut Bench<'_>) -> Result<Events, LabError> {
    let (count, rows) = (bench.either(STATEMENTS.0, STATEMENTS.1), bench.either(ROWS.0, ROWS.1));
    bench.step(0.1, "filling a table")?;
    let mut session = server.control()?;
    let fill = format!(
        "create table rows_read as select n as id, repeat(md5(n::text), 15) as filler from \
         generate_series(1, {rows}) n"
    );
    for statement in [&fill, "create unique index on rows_read (id)", "vacuum analyze rows_read"] {
        session.rows(statement).map_err(failed)?;
    }
    let mut random = bench.random(11);
    let mut latencies = Vec::with_capacity(count);
    for number in 0..count {
        if number % GLANCE == 0 {
            bench.step(0.2 + 0.4 * number as f64 / count as f64, "timing one statement")?;
        }
        let statement =
            format!("select filler from rows_read where id = {}", random.index(rows) + 1);
        let begun = Instant::now();
        session.rows(&statement).map_err(failed)?;
        latencies.push(since(begun));
    }
    Ok(Events { name: "one statement".to_owned(), latencies })
}

/// A file of random bytes on a disk, and where it is read.
pub struct ReadFile {
    path: PathBuf,
    blocks: usize,
    random: Random,
    // It removes the file.
    scratch: Scratch,
}

impl ReadFile {
    /// Writes the file; `done` of the lab is done before.
    pub fn write(bench: &mut Bench<'_>, done: f64) -> Result<ReadFile, LabError> {
        let blocks = bench.either(BLOCKS.0, BLOCKS.1);
        bench.step(done, "writing a file")?;
        let scratch = Scratch::new()?;
        let path = scratch.path().join("blocks");
        let random = bench.random(12);
        let file = ReadFile { path, blocks, random, scratch };
        written(&file.path, blocks, bench).map_err(|error| file.unreadable(&error))?;
        Ok(file)
    }

    /// Times of reads at random places, of the device alone; none where the filesystem has no direct I/O.
    pub fn of_the_device(
        &mut self,
        (bench, done): (&mut Bench<'_>, f64),
    ) -> Result<Option<Events>, LabError> {
        let direct = i32::try_from(OFlags::DIRECT.bits()).unwrap_or(0);
        self.advise(&self.open(0).map_err(|error| self.unreadable(&error))?, Advice::DontNeed)?;
        let device = if self.scratch.is_in_memory() { None } else { self.open(direct).ok() };
        let Some(device) = device else { return Ok(None) };
        let (random, blocks) = (&mut self.random, self.blocks);
        let read = timed(&device, &mut || random.index(blocks), (bench, done));
        let latencies = read.map_err(|error| self.failed(error))?;
        Ok(Some(Events { name: "reads of the device".to_owned(), latencies }))
    }

    /// Times of reads through the system's cache, which holds nothing of the file at first. Four of five
    /// reads are of one fifth of the file.
    pub fn through_the_cache(
        &mut self,
        (bench, done): (&mut Bench<'_>, f64),
    ) -> Result<Events, LabError> {
        let file = self.open(0).map_err(|error| self.unreadable(&error))?;
        self.advise(&file, Advice::DontNeed)?;
        self.advise(&file, Advice::Random)?;
        let (random, blocks) = (&mut self.random, self.blocks);
        let hot = blocks / 5;
        let mut place = || {
            if random.unit() < HOT { random.index(hot) } else { hot + random.index(blocks - hot) }
        };
        let read = timed(&file, &mut place, (bench, done));
        let latencies = read.map_err(|error| self.failed(error))?;
        Ok(Events { name: "reads through the cache".to_owned(), latencies })
    }

    fn open(&self, flags: i32) -> io::Result<File> {
        OpenOptions::new().read(true).custom_flags(flags).open(&self.path)
    }

    fn advise(&self, file: &File, advice: Advice) -> Result<(), LabError> {
        fadvise(file, 0, None, advice).map_err(|error| self.unreadable(&error.into()))
    }

    fn failed(&self, failed: Failed) -> LabError {
        match failed {
            Failed::Stopped(error) => error,
            Failed::Read(error) => self.unreadable(&error),
        }
    }

    fn unreadable(&self, error: &io::Error) -> LabError {
        LabError::Unreadable {
            what: self.path.display().to_string(),
            why: error.to_string(),
            next: "set TMPDIR to a directory with room on a disk",
        }
    }
}

/// Why reads were not timed to the end.
enum Failed {
    Stopped(LabError),
    Read(io::Error),
}

/// Times of reads, each of a block whose number `place` gives.
fn timed(
    file: &File,
    place: &mut dyn FnMut() -> usize,
    (bench, done): (&mut Bench<'_>, f64),
) -> Result<Vec<Nanos>, Failed> {
    let count = bench.either(READS.0, READS.1);
    let mut memory = vec![0_u8; BLOCK + ALIGNED];
    let aligned = memory.as_ptr().align_offset(ALIGNED);
    let block = &mut memory[aligned..aligned + BLOCK];
    let mut latencies = Vec::with_capacity(count);
    for number in 0..count {
        if number % GLANCE == 0 {
            let done = done + 0.12 * number as f64 / count as f64;
            bench.step(done, "timing reads").map_err(Failed::Stopped)?;
        }
        let at = (place() * BLOCK) as u64;
        let begun = Instant::now();
        file.read_exact_at(block, at).map_err(Failed::Read)?;
        latencies.push(since(begun));
    }
    Ok(latencies)
}

fn written(path: &Path, blocks: usize, bench: &Bench<'_>) -> io::Result<()> {
    let mut file = File::create(path)?;
    // Not zeros, which some devices do not store.
    let (mut random, mut block) = (bench.random(13), Vec::with_capacity(BLOCK));
    for _ in 0..blocks {
        block.clear();
        while block.len() < BLOCK {
            block.extend_from_slice(&random.next().to_le_bytes());
        }
        file.write_all(&block)?;
    }
    file.sync_all()
}

fn since(begun: Instant) -> Nanos {
    Nanos::new(u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX))
}

/// Said where no read of the device could be timed.
pub const IN_MEMORY: &str = "Temporary files are kept in memory, or their filesystem has no direct I/O: no read \
    of a device was timed, and reads through the cache may be of memory alone. Set TMPDIR to a directory on a \
    disk.";
