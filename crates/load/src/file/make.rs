//! Making the file that is loaded.
//!
//! It grows under another name, `PATH.part`, from beginning to end, and gets its own name when it
//! is complete and on the device. One that was broken off is gone on with.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use isotherm_frame::numbers;
use rustix::fs::{Advice, CWD, RenameFlags, fadvise, renameat_with, statvfs};

use super::stamp::{FIRST_EPOCH, Stamp, UNIT_BYTES};
use super::{medium, origin, words};
use crate::clock::now_ns;
use crate::sys::{Buffers, Pages};
use crate::{FileOptions, Hooks, LoadError, Progress};

/// Bytes written at once.
const PIECE: u64 = 4 << 20;

/// The size of a file when none is asked for.
const USUAL: u64 = 1 << 30;

/// Free space that is left alone.
pub(super) const SPARE: u64 = 64 << 20;

/// What no device has larger blocks than.
const GRAIN: u64 = 4_096;

/// Bytes written through the page cache before they are put on the device.
const UNSYNCED: u64 = 256 << 20;

/// Makes the file `path`; gives its size.
pub(super) fn make(
    path: &Path,
    options: &FileOptions,
    hooks: &mut Hooks,
) -> Result<u64, LoadError> {
    let part = part_of(path);
    let folder = folder_of(path);
    let size = size(path, &folder, options, present(&part))?;
    let mut making = PartialFile::begin(path, part, size, options.direct)?;
    let made = making.go_on(hooks).and_then(|()| making.finish(path, &folder));
    made.map(|()| size)
}

/// That there is no file and that none is made unasked: the name may be a slip of the keyboard.
pub(super) fn not_wanted(path: &Path) -> LoadError {
    LoadError::Job(format!(
        "there is no file '{}': check the name, or add --create to make it ({}), or --size BYTES \
         to make it of another size",
        path.display(),
        numbers::bytes(USUAL)
    ))
}

/// The name under which a file grows.
pub(super) fn part_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".part");
    PathBuf::from(name)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Bytes a file that was broken off has already.
fn present(part: &Path) -> u64 {
    fs::symlink_metadata(part).map_or(0, |found| found.len())
}

/// How large the file becomes.
fn size(path: &Path, folder: &Path, options: &FileOptions, present: u64) -> Result<u64, LoadError> {
    let space =
        statvfs(folder).map_err(|error| words::failed("make a file in", folder, &error.into()))?;
    let free = space.f_bavail.saturating_mul(space.f_frsize).saturating_add(present);
    let asked = options.size.unwrap_or(USUAL.min(free / 2));
    let grain = options.block.max(GRAIN);
    let size = asked - asked % grain;
    if size == 0 {
        return Err(LoadError::Job(format!(
            "a file of {} cannot be made: give at least {}",
            numbers::bytes(asked),
            numbers::bytes(grain)
        )));
    }
    if size.saturating_add(SPARE) > free {
        return Err(LoadError::Job(format!(
            "'{}' would take {} and only {} are free: give a smaller --size, or another place",
            path.display(),
            numbers::bytes(size),
            numbers::bytes(free)
        )));
    }
    Ok(size)
}

/// A file being made.
struct PartialFile {
    /// Under which name.
    part: PathBuf,
    /// Open for reading and for locking.
    plain: File,
    /// Open for writing, past the page cache if that can be.
    file: File,
    direct: bool,
    number: u64,
    size: u64,
    /// Bytes that are there for certain.
    done: u64,
}

impl PartialFile {
    fn begin(
        path: &Path,
        part: PathBuf,
        size: u64,
        direct: bool,
    ) -> Result<PartialFile, LoadError> {
        let failed = |error| words::failed("make", &part, &error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).custom_flags(libc::O_NOFOLLOW);
        let plain = options.open(&part).map_err(failed)?;
        medium::lock(&plain, &part)?;
        let length = plain.metadata().map_err(failed)?.len();
        if direct && medium::is_memory(&plain) {
            if length == 0 {
                fs::remove_file(&part).map_err(failed)?;
            }
            return Err(medium::in_memory(path));
        }
        let number = match origin::unit(&plain, 0).map_err(failed)? {
            Some(stamp) => stamp.file,
            None if length == 0 => RandomState::new().hash_one(path),
            None => return Err(not_ours(&part)),
        };
        options.custom_flags(libc::O_NOFOLLOW | libc::O_DIRECT);
        let bypassing = options.open(&part).ok().filter(|_| !medium::is_memory(&plain));
        let direct = bypassing.is_some();
        let file = bypassing.map_or_else(|| plain.try_clone(), Ok).map_err(failed)?;
        let mut making = PartialFile { part, plain, file, direct, number, size, done: 0 };
        making.done = making.certain(length.min(size));
        Ok(making)
    }

    /// How much of what is there is certainly ours: pieces whose first and last unit are right.
    fn certain(&self, length: u64) -> u64 {
        let is_ours = |place: u64| {
            let found = origin::unit(&self.plain, place).ok().flatten();
            found.is_some_and(|stamp| stamp.file == self.number && stamp.unit == place)
        };
        let units = PIECE / UNIT_BYTES;
        let whole = (0..length / PIECE)
            .take_while(|piece| is_ours(piece * units) && is_ours((piece + 1) * units - 1));
        whole.count() as u64 * PIECE
    }

    /// Writes what is not there yet.
    fn go_on(&mut self, hooks: &mut Hooks) -> Result<(), LoadError> {
        let length = usize::try_from(PIECE.min(self.size)).unwrap_or_default();
        let failed = |error| words::failed("make", &self.part, &error);
        let mut piece = Buffers::new(1, length, Pages::Small).map_err(failed)?;
        let mut reported = None;
        while self.done < self.size {
            let left = usize::try_from(self.size - self.done).unwrap_or(length).min(length);
            let bytes = piece.get_mut(0).get_mut(..left).unwrap_or_default();
            let unit = self.done / UNIT_BYTES;
            Stamp { file: self.number, unit, epoch: FIRST_EPOCH }.fill(bytes);
            self.write(bytes)?;
            self.done += left as u64;
            if reported.is_none_or(|reported| now_ns() > reported + 250_000_000)
                || self.done == self.size
            {
                reported = Some(now_ns());
                (hooks.progress)(self.progress());
            }
            if self.done < self.size && hooks.stop.load(Ordering::Relaxed) {
                return Err(self.broken_off());
            }
        }
        Ok(())
    }

    fn write(&self, bytes: &[u8]) -> Result<(), LoadError> {
        let mut written = self.file.write_all_at(bytes, self.done);
        if written.is_ok() && !self.direct && self.done.is_multiple_of(UNSYNCED) {
            written = self.file.sync_data();
        }
        written.map_err(|error| {
            if error.raw_os_error() != Some(libc::ENOSPC) {
                return words::failed("write", &self.part, &error);
            }
            // A full disk harms others. What was made so far is our own.
            let _ = fs::remove_file(&self.part);
            LoadError::Failed(format!(
                "no space is left for '{}' after {}: it was removed; give a smaller --size",
                self.part.display(),
                numbers::bytes(self.done)
            ))
        })
    }

    fn progress(&self) -> Progress {
        let name = self.part.with_extension("");
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Progress {
            what: format!("writing {name}"),
            done: self.done,
            total: self.size,
            unit: "bytes",
        }
    }

    fn broken_off(&self) -> LoadError {
        LoadError::Failed(format!(
            "stopped: {} of {} are in '{}', and the next time goes on from there",
            numbers::bytes(self.done),
            numbers::bytes(self.size),
            self.part.display()
        ))
    }

    /// Puts all on the device, out of the page cache, and gives it its name.
    fn finish(&self, path: &Path, folder: &Path) -> Result<(), LoadError> {
        let failed = |error| words::failed("make", path, &error);
        if self.plain.metadata().map_err(failed)?.len() != self.size {
            self.plain.set_len(self.size).map_err(failed)?;
        }
        self.plain.sync_all().map_err(failed)?;
        let _ = fadvise(&self.plain, 0, None, Advice::DontNeed);
        match renameat_with(CWD, &self.part, CWD, path, RenameFlags::NOREPLACE) {
            // Not every filesystem can promise not to replace.
            Err(rustix::io::Errno::INVAL) if medium::is_missing(path) => {
                fs::rename(&self.part, path).map_err(failed)?;
            }
            renamed => renamed.map_err(|error| failed(error.into()))?,
        }
        // So that the name, too, survives a crash. Not every filesystem can.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

fn not_ours(part: &Path) -> LoadError {
    LoadError::Unsafe(format!(
        "'{}' is in the way, and was not made by isotherm: move it, or name another file",
        part.display()
    ))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::file::stamp::UNIT;

    fn run(path: &Path, size: u64, stop: bool) -> (Result<u64, LoadError>, Vec<Progress>) {
        let options = FileOptions { size: Some(size), direct: false, ..FileOptions::default() };
        let mut reported = Vec::new();
        let stop = AtomicBool::new(stop);
        let mut progress = |progress| reported.push(progress);
        let made = make(path, &options, &mut Hooks { progress: &mut progress, stop: &stop });
        (made, reported)
    }

    fn assert_whole(path: &Path, size: u64) {
        let content = fs::read(path).expect("read");
        assert_eq!(content.len() as u64, size);
        let first = Stamp::read(&content[..UNIT]).expect("a stamp");
        for (place, unit) in (0..).zip(content.chunks(UNIT)) {
            let expected = Stamp { unit: place, ..first };
            assert_eq!(Stamp::read(unit), Some(expected));
            assert!(expected.is_whole(unit), "unit {place}");
        }
    }

    #[test]
    fn a_file_is_made_whole_and_known_as_ours() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("made.dat");
        let size = PIECE + 3 * GRAIN;
        // Asked for are some bytes more than there are blocks.
        let (made, reported) = run(&path, size + 5, false);
        // A block is 8 KiB: half of one is left off.
        let size = size - size % 8_192;
        assert_eq!(made, Ok(size));
        assert_whole(&path, size);
        let last = reported.last().expect("reported");
        assert_eq!((last.done, last.total, last.what.as_str()), (size, size, "writing made.dat"));
        let file = File::open(&path).expect("opened");
        assert!(origin::of(&file, size).expect("read").number().is_some());
        assert!(!part_of(&path).exists());
    }

    #[test]
    fn what_was_broken_off_is_gone_on_with() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("made.dat");
        let part = part_of(&path);
        let size = 3 * PIECE;
        let (made, _) = run(&path, size, true);
        let reported = made.expect_err("stopped").to_string();
        assert!(reported.starts_with("stopped: 4 MiB of 12 MiB"), "{reported}");
        assert!(!path.exists());
        let number =
            |path: &Path| Stamp::read(&fs::read(path).expect("read")[..UNIT]).map(|s| s.file);
        let before = number(&part);
        // As after a crash: the second piece is there, but in part only zeros.
        File::options().write(true).open(&part).expect("opened").set_len(2 * PIECE).expect("set");
        let (made, reported) = run(&path, size, false);
        assert_eq!(made, Ok(size));
        assert_eq!(reported.first().expect("reported").done, 2 * PIECE, "the first piece was kept");
        assert_whole(&path, size);
        assert_eq!(number(&path), before);
    }

    #[test]
    fn nothing_of_others_is_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("made.dat");
        fs::write(part_of(&path), "precious").expect("written");
        assert!(matches!(run(&path, PIECE, false).0, Err(LoadError::Unsafe(_))));
        assert_eq!(fs::read(part_of(&path)).expect("read"), b"precious");
        assert!(!path.exists());
    }

    #[test]
    fn a_file_larger_than_the_space_there_is_is_not_begun() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("made.dat");
        assert!(matches!(run(&path, 1 << 60, false).0, Err(LoadError::Job(_))));
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 0);
    }
}
