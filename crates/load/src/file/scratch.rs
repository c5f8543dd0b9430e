//! A file without a name of which one block after the other is read, or written and synced, by whoever
//! asks: what a probe measures a disk with.

use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use isotherm_frame::Random;
use rustix::fs::{Advice, fadvise, fstatvfs};

use super::make::SPARE;
use super::medium::is_memory;
use super::scratch_error::ScratchError;
use crate::sys::{Buffers, Pages};

/// What a scratch file is, and what is done with it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ScratchOptions {
    /// Bytes of one operation: a multiple of 512.
    pub block: u64,
    /// Bytes of the file.
    pub size: u64,
    /// Whether blocks are written and synced instead of read.
    pub write: bool,
}

/// A scratch file without a name: whatever becomes of us, the system removes it.
#[derive(Debug)]
pub struct ScratchFile {
    file: File,
    blocks: u64,
    block: u64,
    buffer: Buffers,
    random: Random,
    write: bool,
    bypass: Bypass,
}

/// Whether the page cache is bypassed, so that it is the device that answers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Bypass {
    /// By direct I/O.
    Direct,
    /// The filesystem refuses direct I/O: pages are dropped before they are read.
    Dropped,
    /// The filesystem is memory.
    Memory,
}

impl ScratchFile {
    /// Creates a file in the directory `path`, or beside the file `path`, and fills it with
    /// content that cannot be compressed.
    pub fn create(path: &Path, options: &ScratchOptions) -> Result<ScratchFile, ScratchError> {
        let directory = directory_of(path);
        // Other blocks and other content in each process: what is probed must not be in a cache.
        let mut random = Random::new(RandomState::new().build_hasher().finish());
        let (mut filling, direct) = create_unnamed(&directory, options.write, &mut random)?;
        let set_up = |source| ScratchError::SetUp { directory: directory.clone(), source };
        check_space(&filling, &directory, options.size)?;
        let blocks = options.size / options.block;
        fill(&mut filling, blocks * options.block, &mut random).map_err(set_up)?;
        let length = usize::try_from(options.block).unwrap_or_default();
        let mut scratch = ScratchFile {
            bypass: if is_memory(&filling) { Bypass::Memory } else { Bypass::Dropped },
            file: filling,
            blocks,
            block: options.block,
            buffer: Buffers::new(1, length, Pages::Small).map_err(set_up)?,
            random,
            write: options.write,
        };
        let refused = scratch.try_direct(direct).map_err(set_up)?;
        // What every device accepts is refused by the filesystem, anything else by the device.
        if refused && !options.block.is_multiple_of(4_096) {
            return Err(ScratchError::Block { directory, block: options.block });
        }
        scratch.operate().map_err(set_up)?;
        Ok(scratch)
    }

    /// Goes over to direct I/O if it works; says whether an operation was refused.
    fn try_direct(&mut self, direct: Option<File>) -> io::Result<bool> {
        let Some(direct) = direct.filter(|_| self.bypass == Bypass::Dropped) else {
            return Ok(false);
        };
        let buffered = std::mem::replace(&mut self.file, direct);
        self.bypass = Bypass::Direct;
        match self.operate() {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                self.file = buffered;
                self.bypass = Bypass::Dropped;
                Ok(true)
            }
            operated => operated.map(|()| false),
        }
    }

    /// Whether the device itself answers.
    pub fn is_direct(&self) -> bool {
        self.bypass == Bypass::Direct
    }

    /// What the user must know about the measurements.
    pub fn warning(&self) -> Option<&'static str> {
        match self.bypass {
            Bypass::Direct => None,
            Bypass::Dropped => Some(
                "this filesystem refuses direct I/O: the page cache is dropped before each \
                 operation, but some may still be answered from memory",
            ),
            Bypass::Memory => Some(
                "this filesystem is memory (tmpfs): direct I/O means nothing here, and what is \
                 measured is memory, not a disk",
            ),
        }
    }

    /// Reads, or writes and syncs, one block chosen at random.
    pub fn operate(&mut self) -> io::Result<()> {
        let offset = self.random.below(self.blocks) * self.block;
        let bytes = self.buffer.get_mut(0);
        if self.write {
            // Other content each time, so that nothing is spared by comparing.
            let (fresh, _) = bytes.split_at_mut(bytes.len().min(64));
            self.random.fill(fresh);
            self.file.write_all_at(bytes, offset)?;
            return self.file.sync_data();
        }
        if self.bypass == Bypass::Dropped {
            let length = std::num::NonZeroU64::new(self.block);
            fadvise(&self.file, offset, length, Advice::DontNeed)?;
        }
        self.file.read_exact_at(bytes, offset)
    }
}

/// The directory to put the scratch file in.
fn directory_of(path: &Path) -> PathBuf {
    match path.parent() {
        _ if path.is_dir() || !path.exists() => path.to_owned(),
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Creates the file, opens it a second time for direct I/O (`None` if that is refused), and takes
/// its name away before a single byte is in it.
fn create_unnamed(
    directory: &Path,
    write: bool,
    random: &mut Random,
) -> Result<(File, Option<File>), ScratchError> {
    let name = format!(".isotherm-probe-{}-{:016x}", std::process::id(), random.next());
    let name = directory.join(name);
    let mut creating = OpenOptions::new();
    let filling = creating.read(true).write(true).create_new(true).mode(0o600).open(&name);
    let filling = filling.map_err(|source| ScratchError::creation(directory, source))?;
    let direct =
        OpenOptions::new().read(true).write(write).custom_flags(libc::O_DIRECT).open(&name);
    let set_up = |source| ScratchError::SetUp { directory: directory.to_owned(), source };
    std::fs::remove_file(&name).map_err(set_up)?;
    match direct {
        Ok(direct) => Ok((filling, Some(direct))),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok((filling, None)),
        Err(error) => Err(set_up(error)),
    }
}

/// Whether there is room, with some to spare: a probe must not fill a disk.
fn check_space(file: &File, directory: &Path, size: u64) -> Result<(), ScratchError> {
    const MIB: u64 = 1 << 20;
    let Ok(space) = fstatvfs(file) else { return Ok(()) };
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    if free >= size.saturating_add(SPARE) {
        return Ok(());
    }
    let (needed, free) = (size.div_ceil(MIB), free / MIB);
    Err(ScratchError::NoSpace { directory: directory.to_owned(), needed, free })
}

/// Writes `size` bytes, to the device, and lets go of the memory that took.
fn fill(file: &mut File, size: u64, random: &mut Random) -> io::Result<()> {
    let mut chunk = vec![0; 1 << 20];
    let mut left = size;
    while left > 0 {
        random.fill(&mut chunk);
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(chunk.len());
        file.write_all(chunk.get(..length).unwrap_or_default())?;
        left -= u64::try_from(length).unwrap_or(left);
    }
    file.sync_all()?;
    // Only a matter of tidiness: direct reads do not look there.
    let _ = fadvise(&*file, 0, None, Advice::DontNeed);
    Ok(())
}
