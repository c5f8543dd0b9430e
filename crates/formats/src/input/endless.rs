//! Inputs that may never end: devices and pipes, of which only so much is searched for something to read.

use std::io::{self, Read};

/// How much of an input that may have no end is read without anything that can be used.
pub(super) const SEARCHED: u64 = 256 << 20;

/// The error of an input that was searched in vain.
pub(super) fn nothing_found(what: &str) -> io::Error {
    let mib = SEARCHED >> 20;
    io::Error::other(format!("{what} in its first {mib} MiB, and it may never end"))
}

/// Fails where an input begins with more zeros than anybody writes: only a file can hold as many before a text.
pub(super) struct NotOnlyZeros<R> {
    reader: R,
    /// How many zeros there were; `None` once there was something else.
    zeros: Option<u64>,
}

impl<R: Read> NotOnlyZeros<R> {
    pub(super) fn new(reader: R) -> NotOnlyZeros<R> {
        NotOnlyZeros { reader, zeros: Some(0) }
    }
}

impl<R: Read> Read for NotOnlyZeros<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(into)?;
        if let Some(zeros) = self.zeros {
            let is_zero = into.iter().take(read).all(|byte| *byte == 0);
            self.zeros = is_zero.then_some(zeros + read as u64);
            if is_zero && zeros > SEARCHED {
                return Err(nothing_found("there is nothing but zero bytes"));
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_without_end_are_an_error_and_zeros_before_a_text_are_not() {
        let mut endless = NotOnlyZeros::new(io::repeat(0));
        let error = io::copy(&mut endless, &mut io::sink()).unwrap_err().to_string();
        assert_eq!(
            error,
            "there is nothing but zero bytes in its first 256 MiB, and it may never end"
        );
        let text = io::repeat(0).take(200 << 20).chain(io::repeat(b'x').take(300 << 20));
        let mut text = NotOnlyZeros::new(text);
        assert_eq!(io::copy(&mut text, &mut io::sink()).unwrap(), 500 << 20);
    }
}
