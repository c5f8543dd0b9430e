//! Bytes that arrived and were not read as replies yet.

use std::io::{self, Read};

use super::replies::{self, Reply, ReplyError};

/// Bytes that arrived, up to a limit.
pub struct Inbox {
    bytes: Vec<u8>,
    /// Where what is not read begins, and where it ends.
    from: usize,
    to: usize,
    most: usize,
}

/// Room for so many bytes at least, before each reading.
const ROOM: usize = 4 << 10;

impl Inbox {
    /// Without bytes; takes replies of at most `most` bytes.
    pub fn new(most: usize) -> Inbox {
        Inbox { bytes: vec![0; 2 * ROOM], from: 0, to: 0, most }
    }

    /// Reads what is there to read: `Ok(0)` is the end.
    pub fn fill(&mut self, stream: &mut impl Read) -> io::Result<usize> {
        if self.from == self.to {
            (self.from, self.to) = (0, 0);
        }
        if self.bytes.len() - self.to < ROOM {
            self.make_room();
        }
        let room = self.bytes.get_mut(self.to..).unwrap_or_default();
        let read = stream.read(room)?;
        self.to += read.min(room.len());
        Ok(read)
    }

    /// The next reply and its length, if it is whole. [`Inbox::drop_first`] takes it away.
    pub fn first(&self) -> Result<Option<(Reply<'_>, usize)>, ReplyError> {
        let bytes = self.bytes.get(self.from..self.to).unwrap_or_default();
        match replies::read(bytes)? {
            replies::Read::Whole(reply, length) => Ok(Some((reply, length))),
            replies::Read::Part(needed) if needed > self.most => {
                Err(ReplyError::TooMuch { most: self.most, unit: "bytes" })
            }
            replies::Read::Part(_) => Ok(None),
        }
    }

    /// Takes away the first `length` bytes.
    pub fn drop_first(&mut self, length: usize) {
        self.from = (self.from + length).min(self.to);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        (self.from, self.to) = (0, 0);
    }

    /// Whether nothing is left to be read.
    pub fn is_empty(&self) -> bool {
        self.from == self.to
    }

    fn make_room(&mut self) {
        self.bytes.copy_within(self.from..self.to, 0);
        self.to -= self.from;
        self.from = 0;
        if self.bytes.len() - self.to < ROOM {
            let size = self.bytes.len() * 2;
            self.bytes.resize(size, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives few bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let size = self.1.min(self.0.len()).min(to.len());
            to[..size].copy_from_slice(&self.0[..size]);
            self.0 = &self.0[size..];
            Ok(size)
        }
    }

    #[test]
    fn replies_come_out_whole_however_they_arrive() {
        let long = format!("$20000\r\n{}\r\n", "x".repeat(20_000));
        let all = format!(":1\r\n{long}:2\r\n{long}:3\r\n").repeat(3);
        for step in [1, 7, 4_096, 100_000] {
            let (mut drip, mut inbox) = (Drip(all.as_bytes(), step), Inbox::new(30_000));
            let mut lengths = Vec::new();
            while inbox.fill(&mut drip).unwrap() > 0 {
                while let Some((_, length)) = inbox.first().unwrap() {
                    lengths.push(length);
                    inbox.drop_first(length);
                }
            }
            assert_eq!(lengths, [4, long.len(), 4, long.len(), 4].repeat(3), "step {step}");
            assert!(inbox.is_empty());
        }
    }

    #[test]
    fn a_reply_longer_than_expected_is_refused_before_it_is_there() {
        let (mut drip, mut inbox) = (Drip(b"$5000\r\nab", 100), Inbox::new(4_000));
        inbox.fill(&mut drip).unwrap();
        assert!(matches!(inbox.first(), Err(ReplyError::TooMuch { most: 4_000, .. })));
    }
}
