//! A file that another program is still writing, read as `tail -F` would from its beginning.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Outbox;

/// How often it is looked whether the file has grown.
const LOOK: Duration = Duration::from_millis(100);

/// Reads a file as it grows. A file that was cut is read from its new beginning; one that was
/// replaced by another of the same name is left, after its end, for the new one. Both are said.
/// It ends only when the feed is stopped.
pub(crate) struct Growing {
    path: PathBuf,
    file: File,
    /// Bytes of the file read so far.
    read: u64,
    outbox: Outbox,
}

impl Growing {
    pub(crate) fn new(path: &Path, file: File, outbox: Outbox) -> Growing {
        Growing { path: path.to_owned(), file, read: 0, outbox }
    }

    fn say(&mut self, what: &str) {
        self.outbox.warn(format!("{} {what}", self.path.display()));
        self.outbox.flush();
    }

    /// At the end of what is there: looks for a file that was cut or replaced.
    fn look_again(&mut self) -> io::Result<()> {
        let held = self.file.metadata()?;
        if held.len() < self.read {
            self.file.rewind()?;
            self.read = 0;
            self.say("was truncated: it is read again from its beginning");
            return Ok(());
        }
        // Between two files of a rotation there is none for a moment.
        let Ok(named) = std::fs::metadata(&self.path) else { return Ok(()) };
        let same = (named.dev(), named.ino()) == (held.dev(), held.ino());
        if !same && named.is_file() && held.len() == self.read {
            self.file = File::open(&self.path)?;
            self.read = 0;
            self.say("was replaced: the new file is read");
        }
        Ok(())
    }
}

impl Read for Growing {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.outbox.stopped().is_set() {
            let read = self.file.read(into)?;
            if read > 0 {
                self.read += u64::try_from(read).unwrap_or(u64::MAX);
                return Ok(read);
            }
            std::thread::sleep(LOOK);
            self.look_again()?;
        }
        Ok(0)
    }
}
