//! Metrics of Prometheus in its protobuf format: native histograms, and classic ones.

mod family;

use std::io::{BufRead, Read};

use isotherm_frame::{Histogram, Nanos, Place, Scheme, Series, Timestamp, Unit};

use self::family::{Family, Metric, Native};
use crate::exponential::Exponential;
use crate::prints::Prints;
use crate::prometheus::{NamedUnit, unit_of};
use crate::sink::reject;
use crate::stamp::Stamp;
use isotherm_frame::protobuf;
use crate::{Context, Counting, DecodeError, Meta, Need, Note, ReadingOption, Sink, Source, Verdict};

/// Reads scrapes in Prometheus' protobuf format.
pub(crate) struct PromPb;

pub(crate) static SOURCE: PromPb = PromPb;

static META: Meta = Meta {
    name: "prompb",
    address: "FILE or -",
    about: "Metrics in Prometheus' protobuf format, the only exposition format with native \
        histograms; classic ones, too; one scrape or several in sequence",
    needs: &[
        Need {
            what: "a program that offers the protobuf format",
            how: "curl -s -H 'Accept: application/vnd.google.protobuf; \
                proto=io.prometheus.client.MetricFamily; encoding=delimited' http://HOST:PORT/metrics",
        },
        Need {
            what: "histograms in seconds, milliseconds or microseconds",
            how: "the unit comes from the metric's name (_seconds, _ms, _us, ...); otherwise give \
                  --unit",
        },
    ],
    command: "curl -s -H 'Accept: application/vnd.google.protobuf; \
        proto=io.prometheus.client.MetricFamily; encoding=delimited' http://localhost:9090/metrics > \
        scrape.pb; isotherm stats scrape.pb",
    overhead: "Not measured. The server builds a page for each scrape, with all of its samples.",
    loses: "The exact latency within a bucket; a latency equal to a bound is counted below that \
        bound. Counts are totals since the program started, and the format has no timestamps: a \
        single scrape is shown as one interval of unknown length; several scrapes are assumed to \
        be one interval apart (--interval). If the buckets of a histogram get wider between two \
        scrapes, the new buckets are shown from then on. Negative values are rejected.",
    counting: Counting::Totals("a restart of the program that keeps them"),
    exact_time: true,
    example: "\
$ xxd scrape.pb | head -3
00000000: e606 0a1a 6973 6f5f 6e61 7469 7665 5f6c  ....iso_native_l
00000010: 6174 656e 6379 5f73 6563 6f6e 6473 1207  atency_seconds..
00000020: 6c61 7465 6e63 7918 0422 8303 0a0d 0a06  latency..\".....
",
    interpretation: "A metric family of 870 bytes: its name, its help, its type (4, a histogram), \
        and the first of its series. isotherm shows the series with their labels.",
};

/// The longest family that is read, in bytes.
const LONGEST: u64 = 64 << 20;

impl Source for PromPb {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let mut rest = head;
        let length = protobuf::number(&mut rest).and_then(|length| usize::try_from(length).ok());
        let Some(length) = length.filter(|length| *length > 4) else { return Verdict::No };
        let whole = rest.get(..length).map(Family::read);
        let mine = match whole {
            Some(family) => family.is_ok_and(|family| family.is_named()),
            // The first family is longer than what is seen.
            None => head.len() >= crate::HEAD && family::begins_like_one(rest),
        };
        if mine { Verdict::Yes } else { Verdict::No }
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::TimeUnit, ReadingOption::Zone]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut scrapes = Scrapes {
            prints: Prints::totals(context),
            given: context.unit,
            histograms: 0,
            without_unit: Vec::new(),
            last_ms: None,
        };
        let mut place = Place { line: 1, byte: 0 };
        while let Some((length, prefix)) = length_of(input).map_err(|source| DecodeError::Read { place, source })? {
            let mut bytes = Vec::new();
            let read = Read::take(&mut *input, length.min(LONGEST)).read_to_end(&mut bytes);
            let read = read.map_err(|source| DecodeError::Read { place, source })?;
            if (read as u64) < length || length > LONGEST {
                reject(sink, place, "the input ends in the middle of this family, or is damaged", 0);
                break;
            }
            match Family::read(&bytes) {
                Ok(family) => scrapes.family(&family, place, sink),
                Err(_) => reject(sink, place, "not a metric family in protobuf: it is damaged", 0),
            }
            place = Place { line: place.line + 1, byte: place.byte + prefix + length };
        }
        scrapes.finish(sink)
    }
}

/// The length that stands before a message and the bytes it takes; `None` at the end of the input.
fn length_of(input: &mut (dyn BufRead + Send)) -> std::io::Result<Option<(u64, u64)>> {
    let mut prefix = Vec::new();
    loop {
        let mut byte = [0];
        if input.read(&mut byte)? == 0 {
            return Ok((!prefix.is_empty()).then_some((u64::MAX, 0)));
        }
        prefix.extend(byte);
        if byte[0] & 0x80 == 0 || prefix.len() == 10 {
            let length = protobuf::number(&mut prefix.as_slice()).unwrap_or(u64::MAX);
            return Ok(Some((length, prefix.len() as u64)));
        }
    }
}

/// The scrapes of an input, family by family.
struct Scrapes<'c> {
    prints: Prints<'c>,
    given: Option<Unit>,
    histograms: u64,
    without_unit: Vec<String>,
    /// What the samples before said of their time.
    last_ms: Option<i64>,
}

impl Scrapes<'_> {
    /// Names that are remembered at most.
    const MOST_NAMES: usize = 20;

    fn family(&mut self, family: &Family, place: Place, sink: &mut dyn Sink) {
        if !family.is_histogram() {
            return;
        }
        let named = unit_of(family.name.as_bytes());
        let declared = family.unit.parse().ok();
        let unit = match named {
            NamedUnit::Time(unit) => Some(unit),
            NamedUnit::Other => None,
            NamedUnit::None => declared.or(self.given),
        };
        let Some(unit) = unit else {
            if self.without_unit.len() < Scrapes::MOST_NAMES && !self.without_unit.contains(&family.name) {
                self.without_unit.push(family.name.clone());
            }
            return;
        };
        for metric in &family.metrics {
            self.metric(&family.name, metric, (unit, place), sink);
        }
    }

    fn metric(
        &mut self,
        name: &str,
        metric: &Metric,
        (unit, place): (Unit, Place),
        sink: &mut dyn Sink,
    ) {
        let labels = metric.labels.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let series = Series::with_attributes(name.to_owned(), labels);
        self.histograms += 1;
        match counts(metric, unit) {
            Ok(counts) => {
                if let Some(ms) = metric.timestamp_ms.filter(|ms| self.last_ms != Some(*ms)) {
                    self.last_ms = Some(ms);
                    let at = Timestamp::new(ms.saturating_mul(1_000_000));
                    self.prints.begin(Stamp::Running(at, isotherm_frame::Clock::Epoch), sink);
                }
                self.prints.histogram(&series, counts, sink);
            }
            Err(reason) => {
                reject(sink, place, reason, metric.count);
                self.prints.damaged(&series, sink);
            }
        }
    }

    fn finish(self, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        self.prints.finish(sink);
        let names = self.without_unit.join(", ");
        if !names.is_empty() && self.histograms > 0 {
            let words = format!("left out, as they name no unit of time (--unit): {names}");
            sink.note(Note::Said(words.into()));
        }
        match (self.histograms, names.is_empty()) {
            (0, true) => Err(DecodeError::Nothing(
                "there is no histogram of latencies in these metrics; summaries have no counts".into(),
            )),
            (0, false) => Err(DecodeError::Nothing(format!(
                "no histogram here names a unit of time (--unit): {names}"
            ))),
            _ => Ok(()),
        }
    }
}

/// The histogram of a metric: the native one where there is one.
fn counts(metric: &Metric, unit: Unit) -> Result<Histogram, &'static str> {
    let unit_ns = unit.as_nanos().as_nanos() as f64;
    match &metric.native {
        Some(native) => native_counts(native, metric, unit_ns),
        None => classic_counts(metric, unit_ns),
    }
}

fn native_counts(
    native: &Native,
    metric: &Metric,
    unit_ns: f64,
) -> Result<Histogram, &'static str> {
    if native.negative {
        return Err("it counts negative values: these are not latencies");
    }
    if !(-4..=8).contains(&native.schema) {
        return Err("its buckets have an unknown schema (-4 to 8 are known)");
    }
    let counts = Exponential {
        scale: native.schema,
        // Prometheus numbers buckets by their upper bound.
        buckets: native.buckets.iter().map(|(index, count)| (index - 1, *count)).collect(),
        zero_threshold: native.zero_threshold,
        zero_count: native.zero_count,
    };
    let made = counts.histogram(unit_ns, Some(metric.sum)).ok_or("its buckets cannot be those of latencies")?;
    if made.events() == metric.count { Ok(made) } else { Err("its buckets do not add up to its count") }
}

fn classic_counts(metric: &Metric, unit_ns: f64) -> Result<Histogram, &'static str> {
    let (mut bounds, mut counts, mut reached) = (vec![0_u64], Vec::new(), 0);
    let rest = (f64::INFINITY, metric.count);
    let has_top = metric.classic.last().is_some_and(|(bound, _)| bound.is_infinite());
    for (bound, count) in metric.classic.iter().copied().chain((!has_top).then_some(rest)) {
        let ns = Nanos::from_secs_f64(bound * unit_ns / 1e9).map_or(Scheme::UNBOUNDED, Nanos::as_nanos);
        if ns == 0 && count == 0 {
            continue;
        }
        counts.push(count.checked_sub(reached).ok_or("counts fall from one bound to the next")?);
        bounds.push(ns);
        reached = count;
    }
    if metric.classic.is_empty() && metric.count > 0 {
        return Err("it has a count and no buckets");
    }
    if reached != metric.count {
        return Err("the count and the bucket without an upper bound differ");
    }
    let scheme = Scheme::new(bounds).map_err(|_| "the bounds do not follow one another")?;
    let sum = Nanos::from_secs_f64(metric.sum * unit_ns / 1e9);
    Histogram::new(scheme, counts, sum).map_err(|_| "the counts are too large")
}
