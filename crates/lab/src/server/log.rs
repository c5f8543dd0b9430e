//! What the programs of a lab's server print.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::LabError;

/// Their output in one file. It is opened once, before the directory belongs to their account.
#[derive(Debug)]
pub struct Log(File);

impl Log {
    /// The last bytes that are looked at.
    const END: u64 = 16_384;

    pub fn new(directory: &Path) -> Result<Log, LabError> {
        let options = File::options().read(true).append(true).create_new(true).to_owned();
        let opened = options.open(directory.join("server.log"));
        opened.map(Log).map_err(|source| LabError::Start { what: "PostgreSQL", source })
    }

    /// The file, for a program that prints into it.
    pub fn writer(&self) -> io::Result<File> {
        self.0.try_clone()
    }

    /// Its length now, in bytes.
    pub fn length(&self) -> u64 {
        self.0.metadata().map_or(0, |about| about.len())
    }

    /// What was printed after the first `from` bytes.
    pub fn since(&self, from: u64) -> io::Result<String> {
        let mut bytes =
            vec![0; usize::try_from(self.length().saturating_sub(from)).unwrap_or(usize::MAX)];
        self.0.read_exact_at(&mut bytes, from)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The last of it.
    pub fn end(&self) -> String {
        self.since(self.length().saturating_sub(Log::END)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_was_printed_since_a_moment_is_all_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let log = Log::new(directory.path()).unwrap();
        assert_eq!(log.end(), "");
        log.writer().unwrap().write_all(b"one\n").unwrap();
        let before = log.length();
        log.writer().unwrap().write_all(b"two\n").unwrap();
        assert_eq!(log.since(before).unwrap(), "two\n");
        assert_eq!(log.end(), "one\ntwo\n");
        assert_eq!(log.since(100).unwrap(), "");
    }
}
