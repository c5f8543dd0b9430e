//! The file or device that is loaded, open and checked.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use isotherm_frame::numbers;
use rustix::fs::{SeekFrom, seek};

use super::device::{Device, Identity, Kernel};
use super::medium::{in_memory, is_memory, is_missing, lock};
use super::{make, origin, safety, words};
use crate::sys::{Buffers, Pages};
use crate::{FileOptions, Hooks, Job, LoadError};

/// A file or a block device.
#[derive(Debug)]
pub(super) struct Target {
    /// The path, without links.
    pub(super) path: PathBuf,
    /// As the load uses it: with or without the page cache, for reading only or also for writing.
    pub(super) file: File,
    /// Whether it is a block device.
    pub(super) is_device: bool,
    /// The filesystem's number, or the device's own.
    pub(super) number: u64,
    /// Bytes it has.
    pub(super) length: u64,
    /// Bytes that are used: a multiple of the block.
    pub(super) used: u64,
    /// The number of the file, if isotherm made it.
    pub(super) origin: Option<u64>,
    /// Whether it was made just now.
    pub(super) made: bool,
}

impl Target {
    /// Opens a path for a job. Makes the file where there is none, if that is wanted.
    pub(super) fn open(path: &Path, job: &Job, hooks: &mut Hooks) -> Result<Target, LoadError> {
        let options = &job.file;
        check_block(options)?;
        let made = is_missing(path);
        if made {
            if !options.create && options.size.is_none() {
                return Err(make::not_wanted(path));
            }
            make::make(path, options, hooks)?;
        }
        let path = fs::canonicalize(path).map_err(|error| words::failed("open", path, &error))?;
        let path = path.as_path();
        let failed = |error| words::failed("open", path, &error);
        refuse_other_kinds(path, &fs::metadata(path).map_err(failed)?)?;
        let plain = File::open(path).map_err(failed)?;
        let found = plain.metadata().map_err(failed)?;
        let is_device = found.file_type().is_block_device();
        let length = seek(&plain, SeekFrom::End(0)).map_err(|error| failed(error.into()))?;
        let used = working_set(path, options, length)?;
        let origin = origin::of(&plain, length).map_err(failed)?;
        let writes = job.work.update_pct > 0.0;
        let number = if is_device { found.rdev() } else { found.dev() };
        if writes {
            let device = Kernel::here().device(number).filter(|_| is_device);
            let file = Identity { dev: found.dev(), ino: found.ino(), length };
            let device = device.as_ref();
            let subject = safety::Subject { path, is_device, device, file, origin };
            safety::check(&Kernel::here(), &subject, options.i_mean_it)?;
        }
        let origin = origin.number();
        // The name of a device is in memory; the device is not.
        if options.direct && !is_device && is_memory(&plain) {
            return Err(in_memory(path));
        }
        let file = reopen(path, options, writes, &found)?;
        let target =
            Target { path: path.to_owned(), file, is_device, number, length, used, origin, made };
        target.try_reading(options)?;
        Ok(target)
    }

    /// Opens the file once more: lanes that share one keep each other's processors from counting
    /// who uses it.
    pub(super) fn again(&self, options: &FileOptions, writes: bool) -> io::Result<File> {
        let open = PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()));
        let flags = flags(options, writes);
        let opened = OpenOptions::new().read(true).write(writes).custom_flags(flags).open(open);
        // Without /proc they do share.
        opened.or_else(|_| self.file.try_clone())
    }

    /// The device underneath, if it is known.
    pub(super) fn device(&self) -> Option<Device> {
        Kernel::here().beneath(self.number)
    }

    /// Reads the first block: what cannot be done at all is said before the run.
    fn try_reading(&self, options: &FileOptions) -> Result<(), LoadError> {
        let failed = |error: &io::Error| words::failed("read", &self.path, error);
        let block = usize::try_from(options.block).unwrap_or_default();
        let mut buffer = Buffers::new(1, block, Pages::Small).map_err(|error| failed(&error))?;
        match self.file.read_exact_at(buffer.get_mut(0), 0) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) && options.direct => {
                Err(LoadError::Job(format!(
                    "direct I/O on '{}' refuses blocks of {}: give --block {}, or --buffered",
                    self.path.display(),
                    numbers::bytes(options.block),
                    self.least_block(),
                )))
            }
            read => read.map_err(|error| failed(&error)),
        }
    }

    fn least_block(&self) -> String {
        let size = self.device().and_then(|device| device.attribute("queue/logical_block_size"));
        size.unwrap_or_else(|| "4096".to_owned())
    }
}

fn check_block(options: &FileOptions) -> Result<(), LoadError> {
    const LARGEST: u64 = 16 << 20;
    let block = options.block;
    if block == 0 || !block.is_multiple_of(512) || block > LARGEST {
        return Err(LoadError::Job(format!(
            "a block of {block} bytes cannot be used: give a multiple of 512, at most 16 MiB"
        )));
    }
    Ok(())
}

fn refuse_other_kinds(path: &Path, found: &Metadata) -> Result<(), LoadError> {
    let kind = found.file_type();
    if kind.is_file() || kind.is_block_device() {
        return Ok(());
    }
    let path = path.display();
    Err(LoadError::Job(if kind.is_dir() {
        format!("'{path}' is a directory: name a file in it, such as {path}/isotherm.dat")
    } else {
        format!("'{path}' is neither a file nor a block device")
    }))
}

/// How much of the file is used.
fn working_set(path: &Path, options: &FileOptions, length: u64) -> Result<u64, LoadError> {
    let asked = options.size.unwrap_or(length);
    let (shown, has) = (path.display(), numbers::bytes(length));
    if asked > length {
        return Err(LoadError::Job(format!(
            "'{shown}' has {has}, {} are asked for: ask for less, or name a file that does not \
             exist, which isotherm then makes",
            numbers::bytes(asked)
        )));
    }
    let used = asked - asked % options.block;
    if used == 0 {
        let block = numbers::bytes(options.block);
        return Err(LoadError::Job(format!(
            "no block of {block} fits in {} of '{shown}', which has {has}",
            numbers::bytes(asked)
        )));
    }
    Ok(used)
}

/// How the load opens a file, besides reading and writing.
fn flags(options: &FileOptions, writes: bool) -> i32 {
    let direct = if options.direct { libc::O_DIRECT } else { 0 };
    direct | if writes && options.dsync { libc::O_DSYNC } else { 0 }
}

/// Opens what was looked at once more, the way the load uses it.
fn reopen(
    path: &Path,
    options: &FileOptions,
    writes: bool,
    seen: &Metadata,
) -> Result<File, LoadError> {
    let is_device = seen.file_type().is_block_device();
    let mut flags = libc::O_NOFOLLOW | flags(options, writes);
    // Nobody may mount a device while it is written to.
    flags |= if writes && is_device { libc::O_EXCL } else { 0 };
    let opened = OpenOptions::new().read(true).write(writes).custom_flags(flags).open(path);
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(libc::EINVAL) if options.direct => LoadError::Job(format!(
            "the filesystem of '{}' refuses direct I/O (O_DIRECT): name a file on another one, or \
             give --buffered",
            path.display()
        )),
        Some(libc::EBUSY) => LoadError::Unsafe(format!(
            "'{}' is in use by the system (mounted, or part of a volume): isotherm does not write \
             to it",
            path.display()
        )),
        _ => words::failed("open", path, &error),
    })?;
    let found = file.metadata().map_err(|error| words::failed("open", path, &error))?;
    if (found.dev(), found.ino()) != (seen.dev(), seen.ino()) {
        let path = path.display();
        return Err(LoadError::Unsafe(format!("'{path}' was replaced while it was looked at")));
    }
    if writes {
        lock(&file, path)?;
    }
    Ok(file)
}
