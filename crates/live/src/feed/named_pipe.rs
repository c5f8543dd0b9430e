//! Named pipes: opening one waits for a writer, and nobody could end that wait.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use isotherm_formats::input::opening::check_file;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::OpenError;

/// Opens an input that is read as it comes: a named pipe may have no writer yet.
pub(super) fn open_live(path: &Path) -> Result<File, OpenError> {
    check_file(path)?;
    open(path).map_err(|error| OpenError::unreadable(path, error))
}

/// Opens a file without waiting for the writer of a named pipe.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    if std::fs::metadata(path)?.file_type().is_fifo() {
        #[expect(clippy::cast_possible_wrap, reason = "a flag that the system takes as it is")]
        options.custom_flags(OFlags::NONBLOCK.bits() as i32);
    }
    options.open(path)
}

/// What is written to a pipe from its first writer on. It is read on a thread that is left alone where nobody waits
/// for it any more.
pub(super) struct FromFirstWriter {
    file: File,
    has_waited: bool,
}

impl FromFirstWriter {
    pub(super) fn new(file: File) -> FromFirstWriter {
        FromFirstWriter { file, has_waited: false }
    }

    /// Waits for the first byte, or for the end of a writer that wrote none: without a writer so far, a read
    /// would be the end of the input.
    fn wait(&mut self) -> io::Result<()> {
        let flags = fcntl_getfl(&self.file)?;
        if flags.contains(OFlags::NONBLOCK) {
            poll(&mut [PollFd::new(&self.file, PollFlags::IN)], None)?;
            fcntl_setfl(&self.file, flags - OFlags::NONBLOCK)?;
        }
        self.has_waited = true;
        Ok(())
    }
}

impl Read for FromFirstWriter {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.has_waited {
            self.wait()?;
        }
        self.file.read(into)
    }
}
