//! A backup: every file is read once, piece by piece, and the kernel may forget what was read.

use std::fs::{self, File};
use std::io;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Advice, fadvise};

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// A backup of the files below a directory.
#[derive(Debug)]
pub struct Backup {
    /// What is left to do: files and their sizes, the next one last.
    files: Vec<(PathBuf, u64)>,
    /// The file that is read, and how far.
    open: Option<(File, u64)>,
    memory: Vec<u8>,
    /// Bytes of all files, as they were at the beginning.
    pub total: u64,
    /// Bytes that were read.
    pub done: u64,
}

impl Backup {
    /// Of all files below `directory`, in the order of their names.
    pub fn of(directory: &Path) -> io::Result<Backup> {
        let mut files = Vec::new();
        let mut open = vec![directory.to_owned()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory)? {
                let entry = entry?;
                // Files of temporary tables come and go where others work.
                let Some(about) = if_there(entry.metadata())? else { continue };
                match () {
                    () if about.is_dir() => open.push(entry.path()),
                    () if about.is_file() => files.push((entry.path(), about.len())),
                    () => {}
                }
            }
        }
        files.sort_by(|a, b| b.cmp(a));
        let total = files.iter().map(|(_, bytes)| bytes).sum();
        Ok(Backup { files, open: None, memory: vec![0; PIECE], total, done: 0 })
    }

    /// Reads on, until at least this many bytes more were read or nothing is left.
    pub fn read(&mut self, bytes: u64) -> io::Result<()> {
        let goal = self.done.saturating_add(bytes);
        while self.done < goal {
            let (file, place) = match self.open.take() {
                Some(open) => open,
                None => match self.files.pop() {
                    Some((path, _)) => match if_there(File::open(path))? {
                        Some(file) => (file, 0),
                        None => continue,
                    },
                    None => return Ok(()),
                },
            };
            let read = file.read_at(&mut self.memory, place)? as u64;
            if let Some(length) = NonZeroU64::new(read) {
                fadvise(&file, place, Some(length), Advice::DontNeed)?;
                self.done += read;
                self.open = Some((file, place + read));
            }
        }
        Ok(())
    }
}

fn if_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_read_once() {
        let parent = tempfile::tempdir().unwrap();
        fs::create_dir(parent.path().join("5")).unwrap();
        let sizes = [("1", 0), ("5/16384", (2 << 20) + 5), ("5/16385", 7), ("9", 1 << 20)];
        for (name, size) in sizes {
            fs::write(parent.path().join(name), vec![1; size]).unwrap();
        }
        fs::write(parent.path().join("gone"), "").unwrap();
        let mut backup = Backup::of(parent.path()).unwrap();
        fs::remove_file(parent.path().join("gone")).unwrap();
        let total = (3 << 20) + 12;
        assert_eq!(backup.total, total);
        backup.read(1).unwrap();
        assert_eq!(backup.done, 1 << 20, "whole pieces");
        backup.read(u64::MAX).unwrap();
        assert_eq!(backup.done, total);
        backup.read(1).unwrap();
        assert_eq!(backup.done, total, "nothing is left");
    }
}
