//! The lines of an export, however long somebody has made them.

use std::io::{self, BufRead, Read};

use super::ImportError;

/// The longest line that is read: 65,536 buckets with the largest counts take a quarter of it.
const LONGEST: u64 = 8 << 20;

/// Lines with their numbers, beginning with 1.
pub(super) struct Lines<'i> {
    input: &'i mut (dyn BufRead + Send),
    /// The number of the last line.
    number: usize,
}

impl<'i> Lines<'i> {
    pub(super) fn new(input: &'i mut (dyn BufRead + Send)) -> Lines<'i> {
        Lines { input, number: 0 }
    }

    /// The number of the last line; 0 before the first.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Adds the next line, with its end, to `text`; `false` at the end of the input.
    pub(super) fn append_to(&mut self, text: &mut String) -> Result<bool, ImportError> {
        let line = self.number + 1;
        let io = |source| ImportError::Io { line, source };
        let mut bytes = Vec::new();
        let read = (&mut *self.input).take(LONGEST).read_until(b'\n', &mut bytes).map_err(io)?;
        if read == 0 {
            return Ok(false);
        }
        self.number = line;
        if !bytes.ends_with(b"\n") && u64::try_from(read).is_ok_and(|read| read == LONGEST) {
            let why = format!("it is longer than {LONGEST} bytes");
            return Err(ImportError::Malformed { line, why });
        }
        let line = String::from_utf8(bytes)
            .map_err(|error| io(io::Error::new(io::ErrorKind::InvalidData, error)))?;
        text.push_str(&line);
        Ok(true)
    }
}

/// A line without its end.
pub(super) fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}
