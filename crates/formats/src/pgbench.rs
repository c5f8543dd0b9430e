//! Logs of `pgbench -l`: every transaction is an event.

mod aggregates;

use std::io::BufRead;

use isotherm_frame::numbers::grouped;
use isotherm_frame::{Clock, Nanos, Timestamp};

use self::aggregates::{Aggregate, number};
use crate::grouping::Grouping;
use crate::lines::first_lines;
use crate::number::is_epoch_second;
use crate::sink::reject;
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Verdict,
};

/// Reads transactions of pgbench.
pub(crate) struct Pgbench;

pub(crate) static SOURCE: Pgbench = Pgbench;

static META: Meta = Meta {
    name: "pgbench",
    address: "FILE or -",
    about: "Transaction logs of pgbench (-l), with and without --rate; the sums of \
        --aggregate-interval as averages",
    needs: &[Need { what: "a log of single transactions", how: "pgbench -l --log-prefix=NAME" }],
    command: "pgbench -c 8 -T 60 -l --log-prefix=run postgres && cat run.* | isotherm show -",
    overhead: "pgbench writes about 35 bytes for each transaction, on the machine where it runs.",
    loses: "Transactions that failed or were skipped have no latency: a warning reports their \
        number. With --rate, the latency counts from the scheduled start of the transaction; \
        --where time=service leaves out the schedule lag, and time=lag shows the lag alone. Each \
        thread (-j) writes its own file: give all of them. Logs with --aggregate-interval hold \
        sums: averages only, one for each interval, no percentiles and no scripts. The last \
        interval may be shorter than it is drawn, because pgbench does not log its end.",
    counting: Counting::Varies(
        "Single events, each with its own latency; with --aggregate-interval delta: what happened \
        in each interval. Nothing is cumulative: there is nothing to reset.",
    ),
    exact_time: true,
    example: "\
0 1 916 0 1795386745 66047 97
0 2 344 0 1795386745 73751 99
1 1 3311 0 1795386745 74582 108
",
    interpretation: "Three transactions of two clients, which took 0.9, 0.3 and 3.3 milliseconds. \
        About 0.1 ms of each was schedule lag (--rate). The columns are the client, the \
        transaction number, the latency in microseconds, the script, the end time (seconds and \
        microseconds) and the lag in microseconds.",
};

/// What transactions can be told apart by.
const ATTRIBUTES: &[&str] = &["script", "client", "time"];

/// A row of a log.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Row<'r> {
    Transaction { client: &'r [u8], script: &'r [u8], us: u64, lag_us: Option<u64>, at: Timestamp },
    /// It has no latency, for this reason.
    Without(&'r [u8]),
    /// The sums of an interval.
    Aggregate,
}

/// A row of six or seven whole numbers with one blank between them, as nearly all are; `None` of any
/// other, which [`row`] judges.
fn plain_row(line: &[u8]) -> Option<Row<'_>> {
    /// So many digits always fit.
    const SAFE: usize = 18;
    let mut numbers = [(0_u64, &b""[..]); 7];
    let (mut rest, mut count) = (line, 0);
    for place in &mut numbers {
        let (mut value, mut length) = (0_u64, 0);
        while let Some(digit) = rest.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|it| *it < 10) {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            length += 1;
        }
        if length == 0 || length > SAFE {
            return None;
        }
        let (digits, behind) = rest.split_at(length);
        *place = (value, digits);
        count += 1;
        rest = match behind {
            [] => behind,
            [b' ', behind @ ..] if count < 7 => behind,
            _ => return None,
        };
        if behind.is_empty() {
            break;
        }
    }
    let [(first, client), _, (us, _), (_, script), (second, _), (micros, _), (lag, _)] = numbers;
    if count < 6 || is_epoch_second(first) || !is_epoch_second(second) || micros >= 1_000_000 {
        return None;
    }
    let at = moment(second, micros);
    Some(Row::Transaction { client, script, us, lag_us: (count == 7).then_some(lag), at })
}

/// The moment of a second since 1970 and microseconds.
fn moment(second: u64, micros: u64) -> Timestamp {
    let since = Nanos::new(second.saturating_mul(1_000_000_000).saturating_add(micros * 1_000));
    Timestamp::new(0).plus(since)
}

fn row(line: &[u8]) -> Option<Row<'_>> {
    const REASONS: [&[u8]; 4] = [b"skipped", b"failed", b"serialization", b"deadlock"];
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut fields = [&b""[..]; 8];
    let mut count = 0;
    for (field, word) in fields.iter_mut().zip(&mut words) {
        *field = word;
        count += 1;
    }
    let more = words.next().is_some();
    let [first, second, third, fourth, fifth, sixth, seventh, eighth] = fields;
    if number(first).is_some_and(is_epoch_second) && count >= 6 {
        return Aggregate::read(line).map(|_| Row::Aggregate);
    }
    let (_, _, second, micros) = (number(first)?, number(second)?, number(fifth)?, number(sixth)?);
    number(fourth)?;
    if more || !is_epoch_second(second) || micros >= 1_000_000 {
        return None;
    }
    if REASONS.contains(&third) {
        return Some(Row::Without(third));
    }
    let lag_us = if seventh.is_empty() { None } else { Some(number(seventh)?) };
    if !eighth.is_empty() {
        number(eighth)?;
    }
    let at = moment(second, micros);
    Some(Row::Transaction { client: first, script: fourth, us: number(third)?, lag_us, at })
}

impl Source for Pgbench {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if first_rows(head).is_some() { Verdict::Unsure } else { Verdict::No }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        ReadingOption::ALL
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let grouping = Grouping::new(context, "transactions", ATTRIBUTES, &["script"]);
        let time = grouping.choice("time", &["total", "service", "lag"])?;
        let head = crate::peek(input).unwrap_or_default();
        if first_rows(&head) == Some(Row::Aggregate) {
            return aggregates::read(input, (grouping, time.unwrap_or("total")), context, sink);
        }
        let mut decoder = Decoder {
            time,
            grouping,
            script: Vec::new(),
            without: [0; 2],
            lags: false,
            reported: false,
        };
        LineReader::new(input).each(|line| decoder.line(line, sink))?;
        decoder.finish(sink);
        Ok(())
    }
}

/// The first row, if all of the first rows are of one kind.
fn first_rows(head: &[u8]) -> Option<Row<'_>> {
    const ENOUGH: usize = 20;
    let mut rows = first_lines(head).take(ENOUGH).map(row);
    let first = rows.next()??;
    let aggregate = first == Row::Aggregate;
    rows.all(|row| row.is_some_and(|row| (row == Row::Aggregate) == aggregate)).then_some(first)
}

struct Decoder {
    grouping: Grouping,
    /// Which part of the latency is asked for, if any.
    time: Option<&'static str>,
    script: Vec<u8>,
    /// Transactions that were skipped, and that failed.
    without: [u64; 2],
    lags: bool,
    reported: bool,
}

impl Decoder {
    const LAG: &'static str = "latencies count from when the transaction was due (--rate): --where \
        time=service leaves out the schedule lag";
    const ROW: &'static str = "not a row of 'client transaction latency script second microsecond'";

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        // The last row of a log that is being written has no end: its last number may be cut.
        match plain_row(line.bytes).or_else(|| row(line.bytes)).filter(|_| line.ended) {
            Some(Row::Transaction { client, script, us, lag_us, at }) => {
                sink.record();
                if !std::mem::replace(&mut self.reported, true) {
                    sink.note(Note::Clock(Clock::Epoch));
                }
                self.script.clear();
                self.script.extend_from_slice(b"script ");
                self.script.extend_from_slice(script);
                self.transaction(client, (us, lag_us), at, sink);
            }
            Some(Row::Without(reason)) => {
                self.without[usize::from(reason != b"skipped")] += 1;
                sink.note(Note::Ignored);
            }
            Some(Row::Aggregate) | None => reject(sink, line.place, Decoder::ROW, 1),
        }
    }

    fn transaction(
        &mut self,
        client: &[u8],
        (us, lag_us): (u64, Option<u64>),
        at: Timestamp,
        sink: &mut dyn Sink,
    ) {
        self.lags |= lag_us.is_some_and(|lag| lag > 0);
        let lag = lag_us.unwrap_or(0).min(us);
        let time = self.time.unwrap_or("total");
        let us = match time {
            "service" => us - lag,
            "lag" => lag,
            _ => us,
        };
        let values = [&self.script, client, time.as_bytes()];
        self.grouping.tell(&values, (at, Nanos::from_micros(us)), sink);
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        if self.lags && self.time.is_none() {
            sink.note(Note::Said(Decoder::LAG.into()));
        }
        let [skipped, failed] = self.without;
        if skipped + failed > 0 {
            let words = format!(
                "{} transactions were skipped and {} failed: they have no latency",
                grouped(skipped),
                grouped(failed)
            );
            sink.note(Note::Said(words.into()));
        }
        self.grouping.finish(sink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_row_says_what_any_row_says() {
        let beginnings = ["1 1 14226 0 1795238114 387937", "0 0 0 0 1000000000 0", "12 3 skipped 0 1795238114 5"];
        let ends = ["", " ", " 83", " 83 2", " 83 2 1", "\t83", "x", " 0123", " 9999999999999999999"];
        let others = ["1795386746 11138 1744869 3511887517 30 8478", "1 1 5 0 1795238114 1000000", "1 2 3 4 5 6"];
        let rows = beginnings.iter().flat_map(|beginning| ends.iter().map(move |end| format!("{beginning}{end}")));
        let mut plain = 0;
        for line in rows.chain(others.map(str::to_owned)) {
            if let Some(found) = plain_row(line.as_bytes()) {
                assert_eq!(Some(found), row(line.as_bytes()), "{line}");
                plain += 1;
            }
        }
        assert_eq!(plain, 6);
    }

    #[test]
    fn rows_are_distinguished() {
        let us = |line: &str| match row(line.as_bytes()) {
            Some(Row::Transaction { us, lag_us, .. }) => Some((us, lag_us)),
            _ => None,
        };
        assert_eq!(us("1 1 14226 0 1795238114 387937"), Some((14_226, None)));
        assert_eq!(us("1 1 14226 0 1795238114 387937 83"), Some((14_226, Some(83))));
        assert_eq!(us("1 1 14226 0 1795238114 387937 83 2"), Some((14_226, Some(83))));
        assert_eq!(row(b"0 1 skipped 0 1795238114 388980"), Some(Row::Without(b"skipped")));
        let sums = b"1795386746 11138 1744869 3511887517 30 8478 0 0 0 0 0 0 0 0 0";
        assert_eq!(row(sums), Some(Row::Aggregate));
        for line in ["", "1 2 3 4 5 6", "1 1 a 0 1795238114 5", "1 1 5 0 1795238114 1000000", "a b"] {
            assert_eq!(row(line.as_bytes()), None, "{line}");
        }
    }
}
