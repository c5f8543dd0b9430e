//! Logs of single operations: `--write_lat_log`.

use std::io::Write as _;

use isotherm_frame::{Nanos, Unit};

use super::row::{DIRECTIONS, Numbers, moment};
use crate::grouping::Grouping;
use crate::sink::reject;
use crate::{Context, DecodeError, Line, LineReader, Note, Sink};

/// Reads a log of single operations.
pub(super) struct Values {
    grouping: Grouping,
    unit: Unit,
    time_unit: Unit,
    /// Whether the user names the unit.
    unit_known: bool,
    /// The size of the operation before, and its text.
    size: (u64, Vec<u8>),
}

/// What operations can be told apart by.
const ATTRIBUTES: &[&str] = &["direction", "size"];

impl Values {
    const NANOS: &'static str = "the input has no names and is read as a latency log of fio 3: \
        milliseconds, nanoseconds, direction, block size, offset (before fio 2.99: --unit us; another \
        table: --columns)";
    const ROW: &'static str = "not a row of 'msec, value, direction, block size, offset'";
    const AVERAGE: &'static str = "a row without a block size is an average, not one operation";

    pub(super) fn new(context: &Context) -> Values {
        Values {
            grouping: Grouping::new(context, "fio", ATTRIBUTES, &["direction"]),
            unit: context.unit.unwrap_or(Unit::Nanos),
            time_unit: context.time_unit.unwrap_or(Unit::Millis),
            unit_known: context.unit.is_some(),
            size: (0, Vec::new()),
        }
    }

    pub(super) fn read(
        mut self,
        lines: &mut LineReader<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut clock = None;
        while let Some(line) = lines.next_line()? {
            if line.bytes.trim_ascii().is_empty() {
                continue;
            }
            let Some((time, value, direction, size)) = row(&line) else {
                reject(sink, line.place, Values::ROW, 1);
                continue;
            };
            if size == 0 {
                reject(sink, line.place, Values::AVERAGE, 0);
                continue;
            }
            let (at, of) = moment(time, self.time_unit);
            if clock.is_none() {
                clock = Some(of);
                sink.note(Note::Clock(of));
                self.say_unit(sink);
            }
            sink.record();
            let latency = Nanos::new(value.saturating_mul(self.unit.as_nanos().as_nanos()));
            self.write_size(size);
            let values = [DIRECTIONS[direction].as_bytes(), &self.size.1];
            self.grouping.tell(&values, (at, latency), sink);
        }
        self.grouping.finish(sink);
        Ok(())
    }

    fn say_unit(&mut self, sink: &mut dyn Sink) {
        if !self.unit_known {
            sink.note(Note::Assumed(Values::NANOS.into()));
        }
    }

    /// Writes the size of an operation as text, unless it is that of the one before.
    fn write_size(&mut self, size: u64) {
        let (last, text) = &mut self.size;
        if *last == size && !text.is_empty() {
            return;
        }
        *last = size;
        text.clear();
        if write!(text, "{size}").is_err() {
            text.clear();
        }
    }
}

/// The time, value, direction and block size of a whole row.
#[inline]
fn row(line: &Line<'_>) -> Option<(u64, u64, usize, u64)> {
    let mut numbers = Numbers::of(line.bytes);
    let (time, value, direction) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let size = numbers.next()?;
    let direction = usize::try_from(direction).ok().filter(|at| *at < DIRECTIONS.len())?;
    // The last row of a log that is being written has no end: its size may be cut short.
    (line.ended || numbers.next().is_some()).then_some((time, value, direction, size))
}
