//! Histograms printed by bcc, the libbpf tools and their kin.

mod repr;
mod text;

use std::borrow::Cow;
use std::io::BufRead;

use isotherm_frame::{Histogram, Nanos, Place, Rejection, Series, Unit};

use self::text::Header;
use crate::printed::{self, Bars, Drawing, Row};
use crate::prints::Prints;
use crate::stamp::Stamp;
use crate::stamp::{StampReader, civil, time_of_day};
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, Sink, Source, Temporality,
    Verdict,
};

/// Reads what biolatency, runqlat and their kin print.
pub(crate) struct Bcc;

pub(crate) static SOURCE: Bcc = Bcc;

static META: Meta = Meta {
    name: "bcc",
    address: "FILE or -",
    about: "Histograms of biolatency, runqlat and similar tools, from bcc, libbpf-tools and \
            scripts with the same output; also biolatency -j and perf-tools' iolatency",
    needs: &[
        Need {
            what: "libbpf-tools or bcc on the measured machine",
            how: "apt install libbpf-tools (needs no kernel headers), or apt install bpfcc-tools \
                  linux-headers-$(uname -r)",
        },
        Need { what: "root to run them", how: "sudo biolatency -T 1" },
        Need {
            what: "the time of each print",
            how: "-T; without it isotherm assumes one print per interval (--interval)",
        },
    ],
    command: "biolatency -T 1",
    overhead: "Measured on Linux 6.18 in a virtual machine: libbpf-tools' biolatency costs 215 ns \
               when a request is issued and 241 ns when it completes. runqlat runs at every \
               wake-up and every task switch; its cost was not measured. Reading the output costs \
               the measured machine nothing.",
    loses: "The exact latency within a bucket: the upper bound of a bucket is twice its lower \
            bound. 0 and 1 share one bucket, so with -m one bucket holds everything below 2 ms. \
            The total time is an estimate unless bcc prints it (-e); it is used only if it covers \
            exactly the requests in the histogram. Timestamps are whole seconds. The tools clear \
            their tables after each print: requests that complete meanwhile may be missed. The \
            27th slot of the libbpf tools also holds everything longer. No line ends a histogram: one that is cut \
            behind its fullest row looks whole, without its longest latencies.",
    counting: Counting::Intervals(
        "since the print before: the tools clear their tables after each print",
    ),
    exact_time: false,
    example: "\
$ biolatency -T 1
Tracing block device I/O... Hit Ctrl-C to end.

08:39:09

     usecs               : count    distribution
         0 -> 1          : 0        |                                        |
         2 -> 3          : 0        |                                        |
         4 -> 7          : 0        |                                        |
         8 -> 15         : 0        |                                        |
        16 -> 31         : 10       |**                                      |
        32 -> 63         : 181      |****************************************|
        64 -> 127        : 121      |**************************              |
       128 -> 255        : 19       |****                                    |
       256 -> 511        : 21       |****                                    |

becomes

08:39:08 to 08:39:09  block device I/O
    16000..32000 ns    10
    32000..64000 ns    181
    64000..128000 ns   121
    128000..256000 ns  19
    256000..512000 ns  21
",
    interpretation: "The tool prints both bounds as part of the bucket, in whole microseconds, so \
                     `32 -> 63` holds everything from 32 up to but not including 64 microseconds. \
                     The requests from 256 microseconds up differ from the rest: on this machine \
                     -F showed that they were discards.",
};

impl Source for Bcc {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let mine = |line: &[u8]| {
            let header = |line| std::str::from_utf8(line).is_ok_and(|t| text::header(t).is_some());
            repr::is_record(line) || header(line)
        };
        if head.split(|&byte| byte == b'\n').any(mine) { Verdict::Yes } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut decoder = Decoder {
            prints: Prints::new(context, Temporality::Delta),
            unit: context.unit,
            banner: None,
            labels: Vec::new(),
            block: None,
            drawing: Drawing::default(),
            has_totals: false,
            last_time: None,
            stamps: StampReader::new(context),
        };
        LineReader::new(input).each(|line| decoder.line(line, sink))?;
        decoder.end_input(sink);
        decoder.prints.finish(sink);
        Ok(())
    }
}

/// One printed histogram.
struct Block {
    header: Header,
    labels: Vec<(String, String)>,
    place: Place,
    rows: Vec<Row>,
    /// The exact total time printed below it, and of how many events.
    total: Option<(Nanos, u64)>,
    /// Why and where it cannot be read as a whole: then none of it is.
    damage: Option<(Place, Cow<'static, str>)>,
    /// Another line behind its last row.
    interrupted: Option<Place>,
    /// What is drawn beside its buckets.
    bars: Bars,
    /// Where the input ends, if it ends before the total that the other histograms have.
    unended: Option<Place>,
}

struct Decoder<'c> {
    prints: Prints<'c>,
    /// The unit the user gave, for headings without one.
    unit: Option<Unit>,
    /// What the tool said it traces.
    banner: Option<String>,
    /// What the next histogram is about.
    labels: Vec<(String, String)>,
    /// The histogram being printed: kept until it is sure that no total follows.
    block: Option<Block>,
    drawing: Drawing,
    /// Whether a total was printed below a histogram.
    has_totals: bool,
    /// The time of the last dictionary: all of one print have the same.
    last_time: Option<String>,
    stamps: StampReader,
}

impl Decoder<'_> {
    /// More rows than any histogram of these tools has.
    const MOST_ROWS: usize = 65_536;
    const CUT: &'static str = "the input ends in the middle of this line";
    const TOO_MANY: &'static str = "more buckets than any histogram of these tools has";
    const NO_HEADER: &'static str = "a bucket without a heading above it";
    const TOO_LONG: &'static str = "a line longer than 1 MiB";
    const TOTAL_DIFFERS: &'static str =
        "the total time printed by -e covers other events than the histogram: it is not used";
    const NO_TOTAL: &'static str = "the input ends without the total that is printed below the other \
        histograms: it may be cut, and then the longest latencies of the last one may be missing";
    const NO_UNIT: &'static str =
        "the heading names no unit: microseconds are assumed (--unit)";
    const CATCH_ALL: &'static str =
        "the 27th slot of the libbpf tools also counts everything longer than its upper bound";

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        if line.cut {
            reject(line.place, Decoder::TOO_LONG, 0, sink);
        } else if repr::is_record(line.bytes) {
            self.end_block(sink);
            self.record(line, sink);
        } else {
            self.text(line, sink);
        }
    }

    fn text(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let found = text::line(line.bytes);
        let begins_row =
            line.bytes.starts_with(b" ") || memchr::memmem::find(line.bytes, b"->").is_some();
        if !line.ended && begins_row && !printed::is_whole(line.bytes) {
            self.damage(line.place, Decoder::CUT, sink);
            return;
        }
        match found {
            text::Line::Blank => {}
            text::Line::Header(header) => self.begin_block(header, line.place, sink),
            text::Line::Row { lo, hi, count } => {
                if let Some(block) = &mut self.block {
                    block.bars.add(line.bytes, count, line.place);
                }
                self.row(line.place, (lo, hi, count), sink);
            }
            text::Line::BadRow(reason) => self.damage(line.place, reason, sink),
            text::Line::CutRow if self.block.is_some() => {
                self.damage(line.place, printed::CUT_BUCKET, sink);
            }
            text::Line::Total { total, count } => self.total(total, count, sink),
            text::Line::Labels(labels) => {
                self.end_block(sink);
                self.labels = labels;
            }
            text::Line::Banner(what) => {
                self.banner = Some(what);
                sink.note(Note::Ignored);
            }
            text::Line::Other if printed::is_whole(line.bytes) => {
                self.damage(line.place, printed::NO_BUCKET, sink);
            }
            text::Line::CutRow | text::Line::Other => self.other(line, sink),
        }
    }

    fn begin_block(&mut self, header: Header, place: Place, sink: &mut dyn Sink) {
        self.end_block(sink);
        let labels = std::mem::take(&mut self.labels);
        self.block = Some(Block {
            header,
            labels,
            place,
            rows: Vec::new(),
            total: None,
            damage: None,
            interrupted: None,
            bars: Bars::default(),
            unended: None,
        });
    }

    /// The histogram being printed cannot be read as a whole.
    fn damage(&mut self, place: Place, reason: &'static str, sink: &mut dyn Sink) {
        match &mut self.block {
            Some(block) => {
                block.damage.get_or_insert((place, reason.into()));
            }
            None => reject(place, reason, 0, sink),
        }
    }

    fn row(&mut self, place: Place, row: (u64, Option<u64>, u64), sink: &mut dyn Sink) {
        let (lo, hi, count) = row;
        match &mut self.block {
            Some(block) if block.rows.len() < Decoder::MOST_ROWS => {
                let row = block.header.row(lo, hi, count);
                let interrupted = block.interrupted.take();
                if let Some(at) = interrupted.filter(|_| printed::leaves_a_hole(&block.rows, &row)) {
                    block.damage.get_or_insert((at, printed::BUCKET_MISSING.into()));
                }
                block.rows.push(row);
            }
            Some(_) => self.damage(place, Decoder::TOO_MANY, sink),
            None => reject(place, Decoder::NO_HEADER, count, sink),
        }
    }

    fn total(&mut self, total: Nanos, count: u64, sink: &mut dyn Sink) {
        match &mut self.block {
            Some(block) => {
                block.total = Some((total, count));
                self.has_totals = true;
            }
            None => sink.note(Note::Ignored),
        }
    }

    /// A time, or anything else.
    fn other(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        if let Some(since_midnight) = time_of_day(line.text().trim()) {
            self.end_block(sink);
            self.labels.clear();
            self.prints.begin(Stamp::TimeOfDay(since_midnight), sink);
        } else {
            self.labels.clear();
            if let Some(block) = self.block.as_mut().filter(|block| !block.rows.is_empty()) {
                block.interrupted.get_or_insert(line.place);
            }
            sink.note(Note::Ignored);
        }
    }

    fn record(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let record = match repr::record(&line.text()) {
            Ok(record) => record,
            Err(_) if !line.ended => return reject(line.place, Decoder::CUT, 0, sink),
            Err(error) => {
                let reason = error.into();
                return sink.reject(Rejection { place: line.place, reason, events: 0 });
            }
        };
        if record.time.is_some() && record.time != self.last_time {
            let local = record.time.as_deref().and_then(civil);
            if let Some(stamp) = local.and_then(|local| self.stamps.local(local, sink)) {
                self.prints.begin(stamp, sink);
            }
            self.last_time = record.time;
        }
        let heading = format!("{} : count     distribution", record.heading);
        let Some(header) = text::header(&heading) else {
            return reject(line.place, "a dictionary without a unit", 0, sink);
        };
        self.labels = record.labels;
        self.begin_block(header, line.place, sink);
        record.rows.into_iter().for_each(|row| self.row(line.place, row, sink));
        self.end_block(sink);
    }

    /// Nothing follows: what the last histogram lacks of the others is cut off.
    fn end_input(&mut self, sink: &mut dyn Sink) {
        let Some(block) = &mut self.block else { return };
        if block.bars.last().is_none() {
            block.damage.get_or_insert((block.place, printed::NO_BUCKETS.into()));
        } else if self.has_totals && block.total.is_none() {
            block.unended = block.bars.last();
        }
        self.look_at_bars(true);
        self.end_block(sink);
    }

    /// A histogram whose bars show that buckets are missing cannot be read as a whole.
    fn look_at_bars(&mut self, at_end: bool) {
        let Some(block) = self.block.as_mut().filter(|block| block.damage.is_none()) else { return };
        if let Some((place, reason)) = self.drawing.missing(&block.bars, at_end) {
            block.damage = Some((place, reason.into()));
        }
    }

    /// The histogram being printed is complete.
    fn end_block(&mut self, sink: &mut dyn Sink) {
        self.look_at_bars(false);
        let Some(mut block) = self.block.take() else { return };
        let (place, events) = (block.place, printed::events(&block.rows));
        if block.header.sizes && block.header.step.is_none() {
            reject(place, "the heading names sizes, not latencies", events, sink);
            return;
        }
        if let Some((given, _)) =
            self.unit.zip(block.header.step).filter(|(unit, step)| unit.as_nanos() != *step)
        {
            let said = format!("--unit {given} has no effect where the heading names the unit");
            sink.note(Note::Said(said.into()));
        }
        let step = block.header.step.or(self.unit.map(Unit::as_nanos)).unwrap_or_else(|| {
            sink.note(Note::Said(Decoder::NO_UNIT.into()));
            Unit::Micros.as_nanos()
        });
        let catch_all = |row: &Row| row.lo == 1 << 26 && row.count > 0;
        if block.header.libbpf && block.rows.iter().any(catch_all) {
            sink.note(Note::Said(Decoder::CATCH_ALL.into()));
        }
        let counts = match block.damage.take() {
            Some(damage) => Err(damage),
            None => printed::histogram(&block.rows, step, block.header.layout())
                .map_err(|error| (place, error.to_string().into())),
        };
        let (total, unended, series) = (block.total, block.unended, self.series(block));
        match (counts, unended) {
            (Ok(counts), None) => {
                self.prints.histogram(&series, with_total(counts, total, sink), sink);
            }
            (Ok(counts), Some(place)) => {
                sink.note(Note::Said(Decoder::NO_TOTAL.into()));
                self.prints.unended(&series, counts, place, sink);
            }
            (Err((place, reason)), _) => {
                sink.reject(Rejection { place, reason, events });
                self.prints.damaged(&series, sink);
            }
        }
    }

    fn series(&self, block: Block) -> Series {
        let banner = self.banner.as_deref().unwrap_or("latency");
        let name = if block.header.name.is_empty() { banner } else { &block.header.name };
        Series::with_attributes(name, block.labels)
    }
}

/// The exact total time, if it is of just these events.
fn with_total(counts: Histogram, total: Option<(Nanos, u64)>, sink: &mut dyn Sink) -> Histogram {
    match total {
        Some((total, count)) if count == counts.events() => counts.with_sum(Some(total)),
        Some(_) => {
            sink.note(Note::Said(Decoder::TOTAL_DIFFERS.into()));
            counts
        }
        None => counts,
    }
}

fn reject(place: Place, reason: &'static str, events: u64, sink: &mut dyn Sink) {
    sink.reject(Rejection { place, reason: reason.into(), events });
}
