//! What a database read and wrote by function and file, as tables and as JSON.

use std::fmt::Write as _;
use std::io::{self, Write};

use isotherm_analysis::{IoChange, io_bytes};
use isotherm_frame::numbers::{bytes_per_s, quantity};
use isotherm_frame::{
    IoAmount, IoCounters, IoPart, IoWaits, Nanos, shown_name, visible, whole_percent,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::LastInterval;
use crate::grid::cut;
use crate::json::{Micros, SchemaVersion, write_json};
use crate::narration::two_digits;

/// What is read and written, from one reading of the counters to the next.
#[derive(Clone, Debug)]
pub struct IoReport {
    /// The address, without a password.
    pub source: String,
    /// What changed.
    pub change: IoChange,
    /// What the database measured itself, where that was asked for and it does.
    pub last_interval: Option<LastInterval>,
}

/// Reads and writes of a database between two readings of its counters.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TopIo")]
pub struct IoJson {
    /// The version of this schema.
    pub schema_version: SchemaVersion<1>,
    /// The address of the database, without a password.
    pub source: String,
    /// The time between the readings, microseconds.
    pub length_us: Micros,
    /// Functions and files whose counters were reset in between: nothing is known of them.
    pub resets: usize,
    /// Functions and files that are there no longer: what they counted in between is not known.
    pub gone: usize,
    /// What I/O was for, the most bytes first. The same I/O is in `files`, as far as the server counts it there.
    pub functions: Vec<IoRowJson>,
    /// Files (`PostgreSQL`: relations of the database connected to), the most bytes first.
    pub files: Vec<IoRowJson>,
    /// Rates that the database measured itself, of an interval of its own that is over: a check of `functions`. Null
    /// where it measures none (`PostgreSQL`).
    pub last_interval: Option<LastInterval>,
}

/// A function or file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "IoRow")]
pub struct IoRowJson {
    /// The instance; null where a server has only one.
    pub instance: Option<String>,
    /// Its name.
    pub name: String,
    /// Small reads; all reads where sizes are not told apart; null where they are not counted.
    pub small_reads: Option<IoAmountJson>,
    /// Large reads; null where they are not told apart.
    pub large_reads: Option<IoAmountJson>,
    /// Small writes; all writes where sizes are not told apart; null where they are not counted.
    pub small_writes: Option<IoAmountJson>,
    /// Large writes; null where they are not told apart.
    pub large_writes: Option<IoAmountJson>,
    /// Waits of sessions for this I/O; null where they are not counted.
    pub waits: Option<IoWaitsJson>,
}

/// Waits between the readings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "IoWaits")]
pub struct IoWaitsJson {
    /// How many.
    pub count: u64,
    /// How long they took together, in whole milliseconds.
    pub time_ms: u64,
}

/// Operations between the readings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "IoAmount")]
pub struct IoAmountJson {
    /// How many.
    pub operations: u64,
    /// What they moved, bytes. Oracle counts whole mebibytes.
    pub bytes: u64,
}

fn bytes_of<'a>(rows: impl Iterator<Item = &'a &'a IoCounters>) -> u64 {
    rows.fold(0, |sum, row| sum.saturating_add(io_bytes(&row.amounts)))
}

impl IoReport {
    /// The object of `--format json`.
    pub fn json(&self) -> IoJson {
        let rows = |part| self.change.of(part).into_iter().map(row_json).collect();
        IoJson {
            schema_version: SchemaVersion,
            source: self.source.clone(),
            length_us: self.change.length.into(),
            resets: self.change.resets,
            gone: self.change.gone,
            functions: rows(IoPart::Function),
            files: rows(IoPart::File),
            last_interval: self.last_interval.clone(),
        }
    }

    /// Writes the object on one line. Fails only when `out` does.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write_json(&self.json(), out)
    }

    /// Writes tables of at most `top` rows, `width` characters wide. Fails only when `out` does.
    pub fn write_text(&self, width: usize, top: usize, out: &mut dyn Write) -> io::Result<()> {
        let length = two_digits(self.change.length);
        writeln!(out, "{}: reads and writes in {length}", visible(&self.source))?;
        if self.change.resets > 0 {
            let resets = self.change.resets;
            writeln!(
                out,
                "⚠ counters that were reset in between: {resets}; nothing is known of them"
            )?;
        }
        if self.change.gone > 0 {
            let gone = self.change.gone;
            writeln!(
                out,
                "⚠ counters that are gone: {gone}; what they counted in between is not known"
            )?;
        }
        if self.is_in_megabytes() {
            let seconds = (self.change.length.as_nanos() as f64 / 1e9).max(1e-9);
            let off = bytes_per_s(MEGABYTE / seconds);
            writeln!(
                out,
                "The server counts whole megabytes: each rate in MB/s may be off by {off}, and shares \
                 with it."
            )?;
        }
        for (part, title) in [(IoPart::Function, "function"), (IoPart::File, "file")] {
            writeln!(out)?;
            self.table(part, title, (width, top), out)?;
        }
        let Some(last) = &self.last_interval else { return Ok(()) };
        writeln!(out)?;
        last.write_text(width, top, out)
    }

    /// Whether bytes are counted in whole mebibytes, as by Oracle, which tells sizes apart.
    fn is_in_megabytes(&self) -> bool {
        let parts = [IoPart::Function, IoPart::File];
        parts.into_iter().flat_map(|part| self.change.of(part)).any(is_by_size)
    }

    fn table(
        &self,
        part: IoPart,
        title: &str,
        (width, top): (usize, usize),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let rows = self.change.of(part);
        let by_size = rows.iter().any(|row| is_by_size(row));
        let names: &[&str] = if by_size {
            &["small reads", "large reads", "small writes", "large writes"]
        } else {
            &["reads", "writes"]
        };
        let head: Vec<String> = names.iter().map(|name| format!("{name:>20}/s")).collect();
        let head = head.concat();
        let has_waits = rows.iter().any(|row| row.amounts.waits.is_some());
        let wait = if has_waits { format!("{:>11}", "mean wait") } else { String::new() };
        writeln!(out, "  share{head}{wait}  {title}")?;
        let all = bytes_of(rows.iter());
        for row in rows.iter().take(top) {
            let line = self.line(row, (by_size, has_waits), all);
            writeln!(out, "{}", cut(&line, width.max(40)))?;
        }
        if rows.is_empty() {
            let nothing = if self.change.is_whole() {
                "nothing was read or written"
            } else {
                "nothing is known to have been read or written"
            };
            writeln!(out, "      -  {nothing}")?;
        }
        let left = rows.len().saturating_sub(top);
        if left > 0 {
            let bytes = bytes_of(rows.iter().skip(top));
            writeln!(out, "{:>7}  {left} more", whole_percent(share(bytes, all)))?;
        }
        Ok(())
    }

    fn line(&self, row: &IoCounters, (by_size, has_waits): (bool, bool), all: u64) -> String {
        let amounts = &row.amounts;
        let cells = if by_size {
            vec![
                amounts.small_reads,
                amounts.large_reads,
                amounts.small_writes,
                amounts.large_writes,
            ]
        } else {
            vec![amounts.small_reads, amounts.small_writes]
        };
        let cells: Vec<String> = cells.into_iter().map(|amount| self.cell(amount)).collect();
        let mut cells = cells.concat();
        if has_waits {
            let _ = write!(cells, "{:>11}", mean_wait(amounts.waits));
        }
        let instance =
            if row.instance.is_empty() { String::new() } else { format!("{}: ", row.instance) };
        let name = shown_name(&row.name);
        let share = whole_percent(share(io_bytes(amounts), all));
        format!("{share:>7}{cells}  {}{name}", visible(&instance))
    }

    /// Operations and bytes a second.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of an interval, shown with three digits"
    )]
    fn cell(&self, amount: Option<IoAmount>) -> String {
        let Some(amount) = amount else { return format!("{:>22}", "-") };
        let seconds = (self.change.length.as_nanos() as f64 / 1e9).max(1e-9);
        let rate = quantity(amount.operations as f64 / seconds);
        format!("{rate:>9} {:>12}", bytes_per_s(amount.bytes as f64 / seconds))
    }
}

/// The mean of waits; below a bound where whole milliseconds say no more, as of few and short ones.
fn mean_wait(waits: Option<IoWaits>) -> String {
    const CLEAR_MS: u64 = 10;
    let Some(IoWaits { waits: waits @ 1.., time_ms }) = waits else { return "-".to_owned() };
    let of = |ms: u64| Nanos::new(Nanos::from_millis(ms).as_nanos() / waits);
    if time_ms < CLEAR_MS {
        return format!("<{}", two_digits(of(time_ms + 1)));
    }
    two_digits(of(time_ms))
}

/// What Oracle calls a megabyte.
const MEGABYTE: f64 = 1_048_576.0;

fn is_by_size(row: &IoCounters) -> bool {
    row.amounts.large_reads.or(row.amounts.large_writes).is_some()
}

/// The part of all bytes; of nothing it is nothing.
#[expect(clippy::cast_precision_loss, reason = "a share, shown in whole percent")]
fn share(bytes: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { bytes as f64 / all as f64 }
}

fn row_json(row: &IoCounters) -> IoRowJson {
    let amount = |amount: Option<IoAmount>| {
        amount.map(|IoAmount { operations, bytes }| IoAmountJson { operations, bytes })
    };
    IoRowJson {
        instance: (!row.instance.is_empty()).then(|| row.instance.to_string()),
        name: row.name.to_string(),
        small_reads: amount(row.amounts.small_reads),
        large_reads: amount(row.amounts.large_reads),
        small_writes: amount(row.amounts.small_writes),
        large_writes: amount(row.amounts.large_writes),
        waits: row
            .amounts
            .waits
            .map(|IoWaits { waits, time_ms }| IoWaitsJson { count: waits, time_ms }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_wait_says_no_more_than_whole_milliseconds_do() {
        let of = |waits, time_ms| mean_wait(Some(IoWaits { waits, time_ms }));
        assert_eq!(mean_wait(None), "-");
        assert_eq!(of(0, 0), "-");
        assert_eq!(of(64, 320), two_digits(Nanos::from_millis(5)));
        // A thousand waits of less than a millisecond together took 1 µs each at most.
        assert_eq!(of(1_000, 0), format!("<{}", two_digits(Nanos::from_micros(1))));
    }
}
