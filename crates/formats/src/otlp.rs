//! Metrics of OpenTelemetry (OTLP) in files: histograms with explicit and exponential buckets.

mod json;
mod origin;
mod point;
mod protobuf;
mod totals;

use std::io::{BufRead, Read};

use isotherm_frame::{Clock, Place, Timestamp, Unit};

use self::point::{Export, Metric};
use self::totals::Totals;
use crate::number::shown;
use crate::sink::reject;
use crate::{
    Context, Counting, DecodeError, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Verdict,
};

/// Reads exports of OpenTelemetry.
pub struct Otlp;

/// The decoder.
pub static SOURCE: Otlp = Otlp;

static META: Meta = Meta {
    name: "otlp",
    address: "FILE or -",
    about: "Metrics of OpenTelemetry (OTLP): histograms with explicit or exponential buckets, \
        delta or cumulative, as JSON lines or protobuf",
    needs: &[
        Need {
            what: "a file of exports",
            how: "from the collector's file exporter (format: json, or proto), or the body of a \
                request to /v1/metrics",
        },
        Need {
            what: "histograms of times",
            how: "the unit comes from the metric (s, ms, us, ns), otherwise from its name; \
                  otherwise give --unit",
        },
    ],
    command: "isotherm show metrics.json",
    overhead: "Only that of the export: the program keeps the counts in any case.",
    loses: "The exact latency within a bucket; a latency equal to a bound is counted below that \
        bound. Series are separated by the attributes of the resource (service.name, \
        service.instance.id, host.name and all others), of the scope (otel.scope.name) and of the \
        data point: a service that gets a new instance id at each start becomes a new series each \
        time. A cumulative histogram counts from its own start time; received live, from its first \
        export. If exponential buckets get wider between two exports, the difference uses the \
        wider ones. Negative values are rejected; summaries are left out because they have no \
        buckets.",
    counting: Counting::Varies(
        "Each metric says in its aggregation temporality whether its counts are increments or \
        totals. A new start time, which a restart of the program brings, resets totals.",
    ),
    exact_time: true,
    example: "\
{\"resourceMetrics\":[{\"resource\":{},\"scopeMetrics\":[{\"metrics\":[{\"name\":\"http.server.request.duration\",\"unit\":\"s\",
\"histogram\":{\"aggregationTemporality\":1,\"dataPoints\":[{\"attributes\":[{\"key\":\"http.route\",\"value\":{\"stringValue\":\"/a\"}}],
\"startTimeUnixNano\":\"1795238400000000000\",\"timeUnixNano\":\"1795238410000000000\",\"count\":\"45\",\"sum\":0.61,
\"bucketCounts\":[\"40\",\"4\",\"1\"],\"explicitBounds\":[0.01,0.1]}]}}]}]}]}
",
    interpretation: "Printed on one line. In ten seconds 45 requests ended, 40 within 10 ms, 4 within 100 ms and \
        one took longer; 0.61 seconds altogether.",
};

/// The longest message that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// How a file holds its exports.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Form {
    /// A line of JSON each.
    Json,
    /// One message of protobuf, the body of a request.
    Body,
    /// Messages of protobuf, each after its length in four bytes, as the collector writes them.
    Lengths,
}

fn form_of(head: &[u8]) -> Option<Form> {
    let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
    if head.trim_ascii_start().starts_with(b"{") {
        return has(b"\"resourceMetrics\"").then_some(Form::Json);
    }
    if protobuf::begins_like_one(head) {
        return Some(Form::Body);
    }
    let (length, rest) = head.split_first_chunk::<4>()?;
    let length = u64::from(u32::from_be_bytes(*length));
    (length > 0 && length < LONGEST && protobuf::begins_like_one(rest)).then_some(Form::Lengths)
}

impl Source for Otlp {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if form_of(head).is_some() { Verdict::Yes } else { Verdict::No }
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::TimeUnit, ReadingOption::Temporality, ReadingOption::Zone]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut exports = Exports::new(context.unit, None);
        match form_of(&crate::peek(input).unwrap_or_default()) {
            Some(Form::Body) => body(input, &mut exports, sink)?,
            Some(Form::Lengths) => messages(input, &mut exports, sink)?,
            Some(Form::Json) | None => lines(input, &mut exports, sink)?,
        }
        exports.finish(sink)
    }
}

fn lines(input: &mut (dyn BufRead + Send), exports: &mut Exports, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    let mut lines = LineReader::new(input);
    let mut whole = String::new();
    let mut begins = None;
    while let Some(line) = lines.next_line()? {
        // JSON for people goes over many lines.
        let text = line.text();
        if text.trim().is_empty() {
            continue;
        }
        // Only a line that is one, or that closes one, can be tried.
        let first = begins.is_none();
        let place = *begins.get_or_insert(line.place);
        whole.push_str(text.trim());
        if !first && !line.bytes.starts_with(b"}") {
            continue;
        }
        match json::export(&whole) {
            Ok(export) => exports.take(export, place, sink),
            Err(error) if error.is_eof() && !line.cut && (whole.len() as u64) < LONGEST => continue,
            Err(error) => reject(sink, place, format!("not an export of metrics in JSON: {error}"), 0),
        }
        whole.clear();
        begins = None;
    }
    if let Some(place) = begins {
        reject(sink, place, "the input ends in the middle of this export", 0);
    }
    Ok(())
}

fn body(input: &mut (dyn BufRead + Send), exports: &mut Exports, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    let place = Place { line: 1, byte: 0 };
    let mut bytes = Vec::new();
    let read = Read::take(&mut *input, LONGEST).read_to_end(&mut bytes);
    read.map_err(|source| DecodeError::Read { place, source })?;
    exports.message(&bytes, place, sink);
    Ok(())
}

fn messages(input: &mut (dyn BufRead + Send), exports: &mut Exports, sink: &mut dyn Sink) -> Result<(), DecodeError> {
    const CUT: &str = "the input ends in the middle of this export, or is damaged";
    let mut place = Place { line: 1, byte: 0 };
    loop {
        let (mut length, mut bytes) = (Vec::new(), Vec::new());
        let failed = |source| DecodeError::Read { place, source };
        Read::take(&mut *input, 4).read_to_end(&mut length).map_err(failed)?;
        if length.is_empty() {
            return Ok(());
        }
        let length = length.try_into().map_or(u64::MAX, |length| u64::from(u32::from_be_bytes(length)));
        Read::take(&mut *input, length.min(LONGEST)).read_to_end(&mut bytes).map_err(failed)?;
        if (bytes.len() as u64) < length {
            reject(sink, place, CUT, 0);
            return Ok(());
        }
        exports.message(&bytes, place, sink);
        place = Place { line: place.line + 1, byte: place.byte + 4 + length };
    }
}

/// The exports of an input, one after the other.
pub struct Exports {
    given: Option<Unit>,
    totals: Totals,
    reported: bool,
    histograms: u64,
    without_unit: Vec<String>,
    /// Whether one of them names no unit at all.
    names_none: bool,
}

impl Exports {
    /// Names that are remembered at most.
    const MOST_NAMES: usize = 20;

    /// Nothing read yet; `given` is the unit of what names none. Totals that began before `not_before`
    /// count from their first export on.
    pub fn new(given: Option<Unit>, not_before: Option<Timestamp>) -> Exports {
        Exports {
            given,
            totals: Totals::new(not_before),
            reported: false,
            histograms: 0,
            without_unit: Vec::new(),
            names_none: false,
        }
    }

    /// Takes an export as protobuf.
    pub fn message(&mut self, bytes: &[u8], place: Place, sink: &mut dyn Sink) {
        match protobuf::export(bytes) {
            Ok(export) => self.take(export, place, sink),
            Err(_) => reject(sink, place, "not a whole export of metrics in protobuf: it is \
                                           damaged or truncated", 0),
        }
    }

    /// Takes an export as JSON.
    pub fn json(&mut self, bytes: &[u8], place: Place, sink: &mut dyn Sink) {
        match json::export(&String::from_utf8_lossy(bytes)) {
            Ok(export) => self.take(export, place, sink),
            Err(error) => reject(sink, place, format!("not an export of metrics in JSON: {error}"), 0),
        }
    }

    fn take(&mut self, export: Export, place: Place, sink: &mut dyn Sink) {
        let mut frames = Vec::new();
        for metric in export.metrics {
            let Some(unit) = self.unit(&metric) else { continue };
            for point in metric.points {
                self.histograms += 1;
                let events = point.count;
                match self.totals.take(&metric.name, unit, point) {
                    Ok(ended) => {
                        sink.record();
                        frames.extend(ended);
                    }
                    Err(reason) => reject(sink, place, reason, events),
                }
            }
        }
        if !frames.is_empty() && !std::mem::replace(&mut self.reported, true) {
            sink.note(Note::Clock(Clock::Epoch));
        }
        frames.sort_by(|one, other| (one.end, &one.series).cmp(&(other.end, &other.series)));
        for frame in frames {
            totals::tell(frame, sink);
        }
    }

    /// The unit of a metric's values; a metric of something else is left out.
    fn unit(&mut self, metric: &Metric) -> Option<Unit> {
        let unit = point::unit_of(metric).or(metric.unit.is_empty().then_some(self.given).flatten());
        let names = &mut self.without_unit;
        let name = match metric.unit.as_str() {
            "" => metric.name.clone(),
            unit => format!("{} (its unit is '{}')", metric.name, shown(unit.as_bytes())),
        };
        if unit.is_none() && names.len() < Exports::MOST_NAMES && !names.contains(&name) {
            self.names_none |= metric.unit.is_empty();
            names.push(name);
        }
        unit
    }

    /// There are no more exports.
    pub fn finish(self, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        self.totals.counted().for_each(|totals| sink.note(Note::RunningTotals(totals)));
        let names = self.without_unit.join(", ");
        match (self.histograms, names.is_empty()) {
            (0, true) => Err(DecodeError::Nothing(
                "there is no histogram in these metrics of OpenTelemetry; sums, gauges and summaries have \
                 no counts of latencies"
                    .into(),
            )),
            (0, false) => {
                let advice = if self.names_none {
                    "--unit gives one to those without any"
                } else {
                    "--unit does not override a unit that the input names"
                };
                let words = format!("no histogram here has a unit of time; {advice}: {names}");
                Err(DecodeError::Nothing(words))
            }
            (_, false) => {
                let words = format!("left out, as they have no unit of time: {names}");
                sink.note(Note::Said(words.into()));
                Ok(())
            }
            (_, true) => Ok(()),
        }
    }
}
