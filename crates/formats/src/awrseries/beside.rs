//! The tables of histograms and of events as one text, in which the rows of both stand beside each other.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use crate::Bytes;

/// The histograms of a collection with the events that have their exact times, read as one input called `name`. Both
/// tables are in the order of databases, snapshots and instances. What only the table of events has is left out.
pub fn with_exact_times(histograms: Bytes, events: Bytes, name: &Path) -> Bytes {
    let beside = Beside {
        histograms: Table::new(histograms),
        events: Table::new(events),
        next: Cursor::default(),
    };
    Bytes::made_of(Box::new(beside), name)
}

/// Whose row it is: database, snapshot and instance.
type Key = [u64; 3];

struct Beside {
    histograms: Table,
    events: Table,
    /// The rows that are read next, with their heads.
    next: Cursor<Vec<u8>>,
}

impl Beside {
    /// The rows of the next snapshot of an instance; none at the end.
    fn snapshot(&mut self) -> io::Result<Vec<u8>> {
        let mut rows = Vec::new();
        self.histograms.begin()?;
        self.events.begin()?;
        if self.histograms.line.is_empty() {
            return Ok(rows);
        }
        let key = self.histograms.key();
        while !self.events.line.is_empty() && self.events.key() < key {
            self.events.skip()?;
        }
        self.events.take(key, &mut rows)?;
        self.histograms.take(key, &mut rows)?;
        Ok(rows)
    }
}

impl Read for Beside {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.next.read(buffer)?;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        self.next = Cursor::new(self.snapshot()?);
        self.next.read(buffer)
    }
}

/// A table that is read row by row.
struct Table {
    reader: BufReader<Bytes>,
    heads: Vec<u8>,
    /// The next row; empty at the end.
    line: Vec<u8>,
}

impl Table {
    fn new(bytes: Bytes) -> Table {
        Table { reader: BufReader::new(bytes), heads: Vec::new(), line: Vec::new() }
    }

    /// Reads the heads and the first row, once.
    fn begin(&mut self) -> io::Result<()> {
        if self.heads.is_empty() {
            self.reader.read_until(b'\n', &mut self.heads)?;
            self.skip()?;
        }
        Ok(())
    }

    fn skip(&mut self) -> io::Result<()> {
        self.line.clear();
        self.reader.read_until(b'\n', &mut self.line)?;
        Ok(())
    }

    /// Whose the next row is; `None` if it does not say so.
    fn key(&self) -> Option<Key> {
        // 2026-03-01T08:00:00Z,3600.000,271828182,1,1202,"log file sync",...
        let mut fields = self.line.split(|byte| *byte == b',').skip(2);
        let mut number = || str::from_utf8(fields.next()?).ok()?.trim().parse::<u64>().ok();
        let (database, instance, snapshot) = (number()?, number()?, number()?);
        Some([database, snapshot, instance])
    }

    /// Moves the next rows with this key behind others.
    fn take(&mut self, key: Option<Key>, rows: &mut Vec<u8>) -> io::Result<()> {
        if self.line.is_empty() || self.key() != key {
            return Ok(());
        }
        rows.extend_from_slice(&self.heads);
        while !self.line.is_empty() && self.key() == key {
            rows.append(&mut self.line);
            self.skip()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_events_stand_before_those_of_the_same_histograms() {
        let table = |rows: &[&str]| {
            let text = rows.join("\n") + "\n";
            Bytes::made_of(Box::new(Cursor::new(text.into_bytes())), Path::new("table"))
        };
        // Snapshot 8 has events only, 9 both, of the second instance histograms only; 10 comes behind 9.
        let events = table(&["E", "t,1,5,1,8,a", "t,1,5,1,9,b", "t,1,5,1,9,c", "u,1,5,1,10,d"]);
        let histograms = table(&["H", "t,1,5,1,9,b", "t,1,5,2,9,b", "u,1,5,1,10,d", "u,1,5,1,10,d"]);
        let mut text = String::new();
        with_exact_times(histograms, events, Path::new("both")).read_to_string(&mut text).unwrap();
        let rows = [
            "E", "t,1,5,1,9,b", "t,1,5,1,9,c", "H", "t,1,5,1,9,b", "H", "t,1,5,2,9,b",
            "E", "u,1,5,1,10,d", "H", "u,1,5,1,10,d", "u,1,5,1,10,d",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), rows);
    }
}
