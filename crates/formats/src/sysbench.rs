//! The latency histogram that `sysbench --histogram` prints at its end.

use std::io::BufRead;

use isotherm_frame::{
    Clock, Frame, Histogram, Nanos, Place, Quality, Reading, Series, Timestamp, Unit,
};

use crate::disjoint::histogram;
use crate::number;
use crate::sink::reject;
use crate::{
    Context, Counting, DecodeError, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Verdict,
};

/// Reads histograms of `sysbench`.
pub(crate) struct SysBench;

pub(crate) static SOURCE: SysBench = SysBench;

static META: Meta = Meta {
    name: "sysbench",
    address: "FILE or -",
    about: "The latency histogram of a run of sysbench (1.0, --histogram)",
    needs: &[Need { what: "sysbench 1.0 or later", how: "apt install sysbench" }],
    command: "sysbench fileio --file-test-mode=rndrd --histogram run > run.txt; isotherm stats run.txt",
    overhead: "None: sysbench counts latencies anyway, and prints the histogram once.",
    loses: "Changes over time: there is one histogram for the whole run. Buckets are 1.8 % wide, \
        from 1 us to 100 s; the first and the last one also hold shorter and longer latencies. The \
        lines of --report-interval have only one percentile each and are not read.",
    counting: Counting::Intervals("during the whole run"),
    exact_time: true,
    example: "\
Latency histogram (values are in milliseconds)
       value  ------------- distribution ------------- count
       0.388 |**************************************** 1102
       0.395 |**************************************   1055
       0.402 |************                             328

General statistics:
    total time:                          2.0035s
    total number of events:              2485
",
    interpretation: "2,485 events, most of which took 0.385-0.398 ms: the printed value is the \
        middle of a bucket. The counts cover the whole run of 2 s.",
};

const MARK: &str = "Latency histogram (values are in milliseconds)";

impl Source for SysBench {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let has = memchr::memmem::find(head, MARK.as_bytes()).is_some();
        // The histogram comes last: a run with many interval lines is recognised by how it begins.
        let begins = head.starts_with(b"sysbench 1.") && memchr::memmem::find(head, b"Latency (ms):").is_none();
        match (has, begins && head.len() >= crate::HEAD) {
            (true, _) => Verdict::Yes,
            (false, true) => Verdict::Unsure,
            (false, false) => Verdict::No,
        }
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        ReadingOption::ALL
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        _: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut run = Run::default();
        LineReader::new(input).each(|line| run.line(&line.text(), line.place, sink))?;
        run.finish(sink)
    }
}

/// What is known of a run.
#[derive(Default)]
struct Run {
    /// Where the histogram begins.
    place: Option<Place>,
    /// Whether its rows are being read.
    inside: bool,
    buckets: Vec<(u64, u64, u64)>,
    rejected: bool,
    length: Option<Nanos>,
    events: Option<u64>,
    sum: Option<Nanos>,
}

impl Run {
    fn line(&mut self, text: &str, place: Place, sink: &mut dyn Sink) {
        let text = text.trim();
        if text == MARK {
            if self.place.is_some() {
                return reject(sink, place, "a second histogram: one run is read from a file", 0);
            }
            (self.place, self.inside) = (Some(place), true);
            return;
        }
        if self.inside && text.contains('|') {
            return self.row(text, place, sink);
        }
        self.inside &= text.starts_with("value");
        let value = |name: &str| text.strip_prefix(name).map(str::trim);
        if let Some(seconds) = value("total time:").and_then(|text| text.strip_suffix('s')) {
            self.length = number::nanos(seconds.as_bytes(), Unit::Seconds).ok().map(Nanos::new);
        } else if let Some(events) = value("total number of events:") {
            self.events = number::digits(events.as_bytes());
        } else if let Some(sum) = value("sum:") {
            self.sum = number::nanos(sum.as_bytes(), Unit::Millis).ok().map(Nanos::new);
        }
    }

    fn row(&mut self, text: &str, place: Place, sink: &mut dyn Sink) {
        let read = text.split_once('|').and_then(|(value, rest)| {
            let count = number::digits(rest.split_whitespace().next_back()?.as_bytes())?;
            let (lo, hi) = bounds(value.trim())?;
            Some((lo, hi, count))
        });
        if let Some(bucket) = read {
            self.buckets.push(bucket);
        } else {
            self.rejected = true;
            reject(sink, place, "not a row of 'value |bar count'", 0);
        }
    }

    fn finish(self, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        let Some(place) = self.place else {
            return Err(DecodeError::Nothing(
                "sysbench printed no histogram: run it with --histogram (the lines of \
                 --report-interval hold a percentile each, which cannot give a distribution)"
                    .into(),
            ));
        };
        let Some(length) = self.length.filter(|length| *length > Nanos::ZERO) else {
            reject(sink, place, "the 'total time' of the run is missing: the output is cut", 0);
            return Ok(());
        };
        let Some(counts) = histogram(self.buckets.iter().copied()) else {
            reject(sink, place, "its values are not buckets of sysbench", 0);
            return Ok(());
        };
        if let Some(events) = self.events.filter(|events| *events != counts.events()) {
            let (found, place) = (counts.events(), place);
            let reason = format!("its counts add up to {found}, and sysbench says {events} events");
            reject(sink, place, reason, events.saturating_sub(found));
        }
        sink.record();
        sink.note(Note::Clock(Clock::Arbitrary));
        let counts = self.with_sum(counts);
        let (start, end) = (Timestamp::new(0), Timestamp::new(0).plus(length));
        let (series, quality) = (Series::named("sysbench"), Quality::Complete);
        sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
        Ok(())
    }

    /// The same counts with the total time that is printed, if it can be theirs.
    fn with_sum(&self, counts: Histogram) -> Histogram {
        let all = self.events == Some(counts.events()) && !self.rejected;
        let buckets = || self.buckets.iter();
        let total = |of: fn(&(u64, u64, u64)) -> u64| {
            buckets().fold(0_u64, |sum, one| sum.saturating_add(of(one).saturating_mul(one.2)))
        };
        let (least, most) = (total(|bucket| bucket.0), total(|bucket| bucket.1));
        let fits = |sum: &Nanos| (least..=most).contains(&sum.as_nanos());
        match self.sum.filter(|sum| all && fits(sum)) {
            Some(sum) => counts.with_sum(Some(sum)),
            None => counts,
        }
    }
}

/// The bounds of the buckets whose middle may be printed as this number of milliseconds, which has three
/// decimals: 1,024 buckets, in equal steps of the logarithm, have their middles from 1 us to 100 s. Above
/// 28 us it is a single one.
fn bounds(value: &str) -> Option<(u64, u64)> {
    const LAST: f64 = 1_023.0;
    const ROUNDED: f64 = 0.000_5;
    let ms: f64 = value.parse().ok().filter(|ms| *ms > ROUNDED)?;
    let (bottom, top) = (1e-3_f64.ln(), 1e5_f64.ln());
    let step = (top - bottom) / LAST;
    let from = |ms: f64| ((ms.ln() - bottom) / step).ceil();
    let (first, last) = (from(ms - ROUNDED).max(0.0), from(ms + ROUNDED) - 1.0);
    if first > last || last > LAST {
        return None;
    }
    let ns = |place: f64| {
        Nanos::from_secs_f64((bottom + place * step).exp() / 1e3).map_or(0, Nanos::as_nanos)
    };
    let lo = if first < 0.5 { 0 } else { ns(first - 0.5) };
    let hi = if last > LAST - 0.5 { u64::MAX } else { ns(last + 0.5) };
    Some((lo, hi))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_half_a_step_around_the_printed_value() {
        // ln(1e5 / 1e-3) / 1023 = 0.018006...: bucket 331 has its middle at 0.38766 ms.
        let (lo, hi) = bounds("0.388").unwrap();
        assert_eq!((lo, hi), (384_198, 391_179));
        let (next, _) = bounds("0.395").unwrap();
        assert_eq!(next, hi);
        // Several buckets are printed alike where they are narrower than a thousandth.
        let (first, second) = (bounds("0.001").unwrap(), bounds("0.002").unwrap());
        assert_eq!((first.0, first.1), (0, second.0));
        assert_eq!(bounds("100000.000").unwrap().1, u64::MAX);
        assert_eq!(bounds("0.000"), None);
        assert_eq!(bounds("x"), None);
    }
}
