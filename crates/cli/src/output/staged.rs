//! A file that gets its name when it is whole.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Gid, Mode, OFlags, RenameFlags, Uid};
use rustix::fs::{fchown, linkat, openat, renameat_with};

/// A file being written in the directory where it will be.
#[derive(Debug)]
pub struct Staged {
    /// Where it will be.
    path: PathBuf,
    out: BufWriter<File>,
    /// Its name until then, if the filesystem does not know files without one.
    name: Option<PathBuf>,
    written: u64,
}

impl Staged {
    /// Begins a file that will be at `path`. Where the system can, it has no name until it is
    /// whole, and so leaves nothing behind however the program ends.
    pub fn beside(path: &Path) -> io::Result<Staged> {
        let directory = directory(path);
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let everybody = Mode::from_raw_mode(0o666);
        let unnamed = openat(CWD, directory, flags, everybody).ok().map(File::from);
        match unnamed.filter(|file| own_link(file).exists()) {
            Some(file) => Ok(Staged::of(path, file, None)),
            None => Staged::named(path),
        }
    }

    /// The same under a name of its own until it is whole.
    pub fn named(path: &Path) -> io::Result<Staged> {
        let name = temporary(path);
        let file = OpenOptions::new().write(true).create_new(true).open(&name)?;
        Ok(Staged::of(path, file, Some(name)))
    }

    fn of(path: &Path, file: File, name: Option<PathBuf>) -> Staged {
        let out = BufWriter::with_capacity(1 << 16, file);
        Staged { path: path.to_owned(), out, name, written: 0 }
    }

    /// Puts it on the disk and in its place: in that of `there`, whose permissions it takes, or
    /// where nothing is. Gives its size in bytes.
    pub fn put(mut self, there: Option<&Metadata>) -> io::Result<u64> {
        self.out.flush()?;
        let file = self.out.get_ref();
        if let Some(there) = there {
            // Who could not have written to the file itself does not replace it either.
            OpenOptions::new().write(true).open(&self.path)?;
            let owner = (Uid::from_raw(there.uid()), Gid::from_raw(there.gid()));
            // Only root may give files away; for all others the new one is theirs.
            let _ = fchown(file, Some(owner.0), Some(owner.1));
            file.set_permissions(fs::Permissions::from_mode(there.mode() & 0o7777))?;
        }
        file.sync_all()?;
        match (there, self.name.clone()) {
            (None, None) => name_it(file, &self.path)?,
            (Some(_), None) => {
                let name = temporary(&self.path);
                name_it(file, &name)?;
                self.name = Some(name.clone());
                fs::rename(&name, &self.path)?;
            }
            (Some(_), Some(name)) => fs::rename(&name, &self.path)?,
            (None, Some(name)) => rename_to_free(&name, &self.path)?,
        }
        self.name = None;
        // So that the name survives a crash, too. Not every filesystem can.
        let _ = File::open(directory(&self.path)).and_then(|directory| directory.sync_all());
        Ok(self.written)
    }
}

impl Write for Staged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = fs::remove_file(name);
        }
    }
}

/// The directory that a path is in.
fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The name under which the system knows an open file.
fn own_link(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// A hidden name beside `path`.
fn temporary(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Gives a file without a name one that is free.
fn name_it(file: &File, path: &Path) -> io::Result<()> {
    Ok(linkat(CWD, own_link(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

fn rename_to_free(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not every filesystem can promise not to replace.
        Err(rustix::io::Errno::INVAL) if fs::symlink_metadata(to).is_err() => fs::rename(from, to),
        renamed => Ok(renamed?),
    }
}
