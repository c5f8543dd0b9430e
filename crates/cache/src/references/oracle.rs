//! Blocks that sessions waited for, from SQL traces of Oracle.

use std::io::Read;

use isotherm_oracle::trace::{Damage, TraceUnit, Visitor, Wait, Wants, scan};

use super::reference::{Reference, ReferenceError, ReferenceOptions};
use super::totals::ReferenceTotals;

/// The most blocks that one read has.
const LONGEST_READ: u64 = 65_536;

struct Waits<'a> {
    unit: Option<TraceUnit>,
    line: u64,
    totals: ReferenceTotals,
    take: &'a mut dyn FnMut(Reference),
}

pub(super) fn read<R: Read>(
    input: &mut R,
    options: &ReferenceOptions,
    take: &mut dyn FnMut(Reference),
) -> Result<ReferenceTotals, ReferenceError> {
    let totals = ReferenceTotals::default();
    let mut waits = Waits { unit: options.unit, line: 0, totals, take };
    scan(input, &mut waits)?;
    Ok(waits.totals)
}

impl Visitor for Waits<'_> {
    const WANTS: Wants = Wants::WAITS.and(Wants::WAIT_TIMES).and(Wants::HEADER);

    fn at_line(&mut self, line: u64) {
        self.line = line;
    }

    fn header(&mut self, key: &[u8], value: &[u8]) {
        if key == b"banner" {
            self.unit = self.unit.or_else(|| TraceUnit::of_banner(value));
        }
    }

    fn damage(&mut self, damage: Damage) {
        if damage.wait {
            self.totals.reject(damage.line, damage.why);
        }
    }

    fn wait(&mut self, wait: &Wait<'_>) {
        match wait.event {
            b"db file sequential read" | b"db file scattered read" => self.blocks(wait),
            b"db file parallel read" => {
                self.totals.leave_out("db file parallel read: the trace does not name its blocks");
            }
            b"direct path read" | b"direct path read temp" => {
                self.totals.leave_out("direct path read: it bypasses the buffer cache");
            }
            _ => self.totals.leave_out("waits for other events"),
        }
    }
}

impl Waits<'_> {
    fn blocks(&mut self, wait: &Wait<'_>) {
        let number = |position| number(wait.position(position)?);
        let (Some(file), Some(block), Some(count)) = (number(1), number(2), number(3)) else {
            return self
                .totals
                .reject(self.line, "a read without file, block and number of blocks");
        };
        let last = block.checked_add(count).filter(|&end| end <= 1 << 32);
        if file >= 1 << 32 || last.is_none() || !(1..=LONGEST_READ).contains(&count) {
            return self.totals.reject(self.line, "a read of blocks that no file has");
        }
        let unit = self.unit.unwrap_or(TraceUnit::Micros);
        let at_ns = wait.tim.map(|tim| unit.times(tim).as_nanos());
        self.totals.read(count, at_ns);
        self.totals.timed(count, unit.times(wait.ela).as_nanos());
        for block in block..block + count {
            (self.take)(Reference { block: file << 32 | block, at_ns });
        }
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}
