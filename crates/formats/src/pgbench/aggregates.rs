//! Logs of `pgbench --aggregate-interval`: how many transactions ended in each interval, and how long
//! they took in all.

use std::io::BufRead;

use isotherm_frame::numbers::grouped;
use isotherm_frame::{Clock, Frame, Histogram, Nanos, Quality, Reading, Timestamp};

use crate::grouping::Grouping;
use crate::number::is_epoch_second;
use crate::sink::reject;
use crate::{Context, DecodeError, Line, LineReader, Note, Sink};

/// A number of nothing but digits.
pub(super) fn number(word: &[u8]) -> Option<u64> {
    let digit = |sum: u64, byte: &u8| {
        let digit = u64::from(byte.wrapping_sub(b'0'));
        (digit < 10).then(|| sum.checked_mul(10)?.checked_add(digit))?
    };
    if word.is_empty() { None } else { word.iter().try_fold(0, digit) }
}

/// The transactions of an interval.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Aggregate {
    /// When the interval began, in seconds since 1970.
    start_s: u64,
    transactions: u64,
    /// Together, from when they were due.
    total_us: u64,
    /// How much of that they waited before they began (`--rate`).
    lag_us: u64,
    skipped: u64,
    failed: u64,
}

impl Aggregate {
    /// Reads `start count sum sum-of-squares least greatest`, behind which the same of the lag may
    /// stand, and then how many were skipped, retried, retries, and failed in two ways.
    pub(super) fn read(line: &[u8]) -> Option<Aggregate> {
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        // Sums of squares say nothing that is told, and may be beyond 64 bits.
        let used = |(at, word): (usize, &[u8])| match at {
            3 | 7 => word.iter().all(u8::is_ascii_digit).then_some(0),
            _ => number(word),
        };
        let numbers: Option<Vec<u64>> = words.enumerate().map(used).collect();
        let numbers = numbers.filter(|numbers| (6..=15).contains(&numbers.len()))?;
        let (&[start_s, transactions, total_us, _, least, greatest], more) =
            numbers.split_first_chunk()?;
        let fits = transactions.saturating_mul(least) <= total_us
            && total_us <= transactions.saturating_mul(greatest);
        let of = |at: usize| more.get(at).copied().unwrap_or(0);
        let lag_us = of(0);
        let failed = of(7).checked_add(of(8))?;
        let is_one = is_epoch_second(start_s) && fits && lag_us <= total_us;
        is_one.then_some(Aggregate {
            start_s,
            transactions,
            total_us,
            lag_us,
            skipped: of(4),
            failed,
        })
    }
}

const ROW: &str = "not a row of 'start transactions sum sum-of-squares least greatest'";
const AVERAGES: &str = "the log holds sums of intervals (--aggregate-interval): averages only, no \
    percentiles";

/// Reads a log, or several one after the other.
pub(super) fn read(
    input: &mut (dyn BufRead + Send),
    (grouping, time): (Grouping, &'static str),
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let mut log = Log { grouping, time, length_s: None, held: None, without: [0; 2] };
    sink.note(Note::Clock(Clock::Epoch));
    sink.note(Note::Said(AVERAGES.into()));
    LineReader::new(input).each(|line| log.line(line, sink))?;
    log.finish(context, sink);
    Ok(())
}

struct Log {
    grouping: Grouping,
    /// Which part of the latency is asked for.
    time: &'static str,
    /// The length of an interval, which is that between the beginnings of two.
    length_s: Option<u64>,
    /// The row before: its interval is told once its length is known.
    held: Option<Aggregate>,
    /// Transactions that were skipped, and that failed.
    without: [u64; 2],
}

impl Log {
    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        // The last row of a log that is being written has no end: its last number may be cut.
        let Some(row) = Aggregate::read(line.bytes).filter(|_| line.ended) else {
            return reject(sink, line.place, ROW, 0);
        };
        sink.record();
        self.without[0] = self.without[0].saturating_add(row.skipped);
        self.without[1] = self.without[1].saturating_add(row.failed);
        let Some(before) = self.held.replace(row) else { return };
        // A log that follows another begins before its end.
        if let Some(length) = row.start_s.checked_sub(before.start_s).filter(|length| *length > 0) {
            self.length_s.get_or_insert(length);
        }
        self.give(before, sink);
    }

    /// Tells the interval of a row.
    fn give(&mut self, row: Aggregate, sink: &mut dyn Sink) {
        let Some(length_s) = self.length_s else {
            let said = "an interval of unknown length is left out: the next row does not follow it";
            return sink.note(Note::Said(said.into()));
        };
        let us = match self.time {
            "service" => row.total_us - row.lag_us,
            "lag" => row.lag_us,
            _ => row.total_us,
        };
        let Some(series) = self.grouping.series(&[b"", b"", self.time.as_bytes()]) else { return };
        let at =
            |second: u64| Timestamp::new(0).plus(Nanos::new(second.saturating_mul(1_000_000_000)));
        let (start, end) = (at(row.start_s), at(row.start_s.saturating_add(length_s)));
        let counts = Histogram::of_averages(row.transactions, Nanos::from_micros(us));
        let quality = Quality::default();
        sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
    }

    fn finish(mut self, context: &Context, sink: &mut dyn Sink) {
        if let Some(last) = self.held.take() {
            if self.length_s.is_none() {
                let length = context.interval.unwrap_or(Nanos::SECOND);
                self.length_s = Some((length.as_nanos() / 1_000_000_000).max(1));
                let said =
                    format!("the length of the only interval is taken to be {length} (--interval)");
                sink.note(Note::Said(said.into()));
            }
            self.give(last, sink);
        }
        let [skipped, failed] = self.without;
        if skipped + failed > 0 {
            let said = format!(
                "{} transactions were skipped and {} failed: they have no latency",
                grouped(skipped),
                grouped(failed)
            );
            sink.note(Note::Said(said.into()));
        }
        self.grouping.finish(sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_old_and_new_releases_are_read() {
        let of = |line: &str| {
            Aggregate::read(line.as_bytes())
                .map(|row| (row.transactions, row.total_us, row.lag_us, row.skipped, row.failed))
        };
        // PostgreSQL 15: everything; older ones: no lag without --rate.
        let new = "1795386746 4 400 50000 30 200 80 4000 10 40 7 1 2 3 4";
        assert_eq!(of(new), Some((4, 400, 80, 7, 7)));
        assert_eq!(of("1795386746 4 400 50000 30 200"), Some((4, 400, 0, 0, 0)));
        assert_eq!(of("1795386746 0 0 0 0 0"), Some((0, 0, 0, 0, 0)));
        // 200,000 transactions of 10 s under overload: their squares are beyond 64 bits.
        let squares = "1795386746 200000 2000000000000 20000000000000000000 9000000 11000000";
        assert_eq!(of(squares), Some((200_000, 2_000_000_000_000, 0, 0, 0)));
        for line in [
            "1795386746 4 400 50000 30",
            "1795386746 4 4000 50000 30 200",
            "1795386746 4 400 50000 130 200",
            "1795386746 4 400 50000 30 200 500",
            "17 4 400 50000 30 200",
            "1795386746 4 400 x 30 200",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
