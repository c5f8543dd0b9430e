//! Pages of metrics as Prometheus reads them: classic histograms.

mod line;
mod metrics;
mod page;
mod rows;

use std::io::BufRead;

use isotherm_frame::{Place, SharedMemory};

use self::line::{Sample, sample};
pub use self::line::{NamedUnit, unit_of};
pub(crate) use self::line::count;
pub use self::metrics::{Metrics, read_line};
pub use self::page::Complete;
pub(crate) use self::page::Part;
pub(crate) use self::rows::{AddedRow, Edges, Rows};
use crate::prints::Prints;
use crate::sink::reject;
use crate::stamp::{Stamp, StampReader};
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, Sink, Source, Verdict,
};

/// Reads classic histograms of metrics pages.
pub struct Prometheus;

/// The decoder.
pub static SOURCE: Prometheus = Prometheus;

static META: Meta = Meta {
    name: "prometheus",
    address: "FILE or -",
    about: "Pages of metrics in Prometheus' text format or OpenMetrics: classic histograms \
        (name_bucket with le) and those of VictoriaMetrics (name_bucket with vmrange), one scrape \
        or several in sequence",
    needs: &[
        Need { what: "histograms in seconds, milliseconds or microseconds", how: "curl -s \
            http://HOST:PORT/metrics | grep _bucket" },
        Need { what: "the time of each scrape", how: "print it on a line before each page (date \
                                                      +%s)" },
    ],
    command: "while sleep 5; do date +%s; curl -s http://localhost:9090/metrics; done | isotherm live -",
    overhead: "Not measured. The server builds a page for each scrape, with all of its samples. The measured program counts in any case.",
    loses: "The exact latency within a bucket; a latency equal to a bound is counted below that \
        bound. Counts are totals since the program started: a single scrape is shown as one \
        interval of unknown length, without rates. Nothing says whether two metrics count different events \
        or the same ones, as requests and the queries in them: they are not added up, and of several the one \
        with the most time is shown (--series chooses another). The unit comes from the metric's name (_seconds, _ms, _us, \
        ...) or from # UNIT. Metrics without a unit are left out with a warning, unless --unit \
        names it. Counts with fractions (from rate() or increase()) are rejected. Native \
        histograms are left out because the text format does not carry them; summaries are left \
        out because they have no buckets. NetApp Harvest names no unit, and ONTAP reports some \
        objects in milliseconds and others in microseconds: give --unit, and read only pages that \
        share it.",
    counting: Counting::Totals("a restart of the program that keeps them"),
    exact_time: true,
    example: "\
# TYPE request_seconds histogram
request_seconds_bucket{op=\"read\",le=\"0.001\"} 3057
request_seconds_bucket{op=\"read\",le=\"0.01\"} 4041
request_seconds_bucket{op=\"read\",le=\"+Inf\"} 4044
request_seconds_sum{op=\"read\"} 4.91
request_seconds_count{op=\"read\"} 4044
",
    interpretation: "3,057 reads took at most 1 millisecond, 984 took 1 to 10, and 3 took longer; \
        4.91 seconds altogether. The difference to the next scrape gives the events in between.",
};

impl Source for Prometheus {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        let is_page = has(b"# TYPE ") && has(b"# HELP ");
        let has_bounds = has(b"le=\"") || has(b"vmrange=\"");
        if has(b"_bucket{") && has_bounds || is_page { Verdict::Yes } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut decoder = Decoder {
            prints: Prints::totals(context),
            stamps: StampReader::new(context),
            metrics: Metrics::within(context.unit, SharedMemory::of_bytes(Metrics::MEMORY)),
            time_of_page: None,
            dated: false,
            histograms: 0,
        };
        LineReader::new(input).each(|line| decoder.line(line, sink))?;
        decoder.finish(sink)
    }
}

struct Decoder<'c> {
    prints: Prints<'c>,
    stamps: StampReader,
    metrics: Metrics,
    /// What the samples of the page say about its time, and whether a line did.
    time_of_page: Option<Stamp>,
    dated: bool,
    histograms: u64,
}

/// Why histograms without bounds are left out.
pub const NATIVE: &str = "histograms without bounds are left out: those of native \
        histograms are not in the text";
/// A page without anything to read.
pub const NONE: &str = "the page has no classic histogram of latencies (name_bucket with \
        le); summaries have no counts, and native histograms are not in the text format";

impl Decoder<'_> {

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.bytes.trim_ascii();
        if text.is_empty() {
            return;
        }
        if line.cut {
            return reject(sink, line.place, "a line longer than 1 MiB", 0);
        }
        if !line.ended && text.contains(&b'{') {
            return reject(sink, line.place, "the last line has no end: it may be cut", 0);
        }
        if text.starts_with(b"# ") || text.starts_with(b"#t") {
            return self.comment(text, sink);
        }
        match sample(text) {
            Some(sample) => self.sample(line.place, sample, sink),
            None if self.time(text, sink) => {}
            None => sink.note(Note::Ignored),
        }
    }

    fn comment(&mut self, text: &[u8], sink: &mut dyn Sink) {
        let mut words = text.split(|byte| *byte == b' ').skip(1);
        match (words.next(), words.next(), words.next()) {
            (Some(b"UNIT"), Some(name), Some(unit)) => self.metrics.declare(name, unit),
            (Some(b"EOF"), ..) => self.give(sink),
            (Some(b"TYPE" | b"HELP"), ..) => {}
            _ if self.time(text.strip_prefix(b"#").unwrap_or(text), sink) => {}
            _ => sink.note(Note::Ignored),
        }
    }

    /// A line that says when what follows was scraped.
    fn time(&mut self, text: &[u8], sink: &mut dyn Sink) -> bool {
        let stamp = self.stamps.read(&String::from_utf8_lossy(text), sink);
        if let Some(stamp) = stamp {
            self.give(sink);
            self.prints.begin(stamp, sink);
            self.dated = true;
        }
        stamp.is_some()
    }

    fn sample(&mut self, place: Place, sample: Sample<'_>, sink: &mut dyn Sink) {
        if !self.metrics.sample(place, sample, sink) {
            self.give(sink);
            self.metrics.sample(place, sample, sink);
        }
        let is_bucket = matches!(Part::of(sample.name), Some((_, Part::Bucket)));
        if let (true, Some(at)) = (is_bucket, sample.timestamp) {
            self.timestamp(at, sink);
        }
    }

    /// What the sample itself says about its time.
    fn timestamp(&mut self, text: &[u8], sink: &mut dyn Sink) {
        if self.time_of_page.is_none() && !self.dated {
            self.time_of_page = self.stamps.read(&String::from_utf8_lossy(text), sink);
        }
    }

    /// Gives the scrape that is complete.
    fn give(&mut self, sink: &mut dyn Sink) {
        if self.metrics.is_empty() {
            return;
        }
        self.dated = false;
        if let Some(stamp) = self.time_of_page.take() {
            self.prints.begin(stamp, sink);
        }
        if let Some(events) = self.metrics.left_out() {
            let reason = "the page has more histograms than fit into memory: the others are left out";
            reject(sink, Place { line: 1, byte: 0 }, reason, events);
        }
        for complete in self.metrics.take() {
            if complete.is_native() {
                sink.note(Note::Said(NATIVE.into()));
                continue;
            }
            self.histograms += 1;
            match complete.counts {
                Ok(counts) => self.prints.histogram(&complete.series, counts, sink),
                Err((reason, events)) => {
                    reject(sink, complete.place, reason, events);
                    self.prints.damaged(&complete.series, sink);
                }
            }
        }
    }

    fn finish(mut self, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        self.give(sink);
        self.prints.finish(sink);
        let names = self.metrics.without_unit();
        if self.histograms == 0 && names.is_empty() {
            return Err(DecodeError::Nothing(NONE.to_owned()));
        }
        if self.histograms == 0 {
            let words = format!("no histogram here names a unit of time (--unit): {names}");
            return Err(DecodeError::Nothing(words));
        }
        if !names.is_empty() {
            let words = format!("left out, as they name no unit of time (--unit): {names}");
            sink.note(Note::Said(words.into()));
        }
        Ok(())
    }
}
