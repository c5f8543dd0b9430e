//! Ceph's histograms of latency and size, as `perf histogram dump` prints them.

mod table;

use std::collections::BTreeSet;
use std::io::BufRead;

use isotherm_frame::{Place, Series};
use serde_json::Value;

use self::table::Table;
use crate::documents::{self, Document};
use crate::grouping::Grouping;
use crate::prints::Prints;
use crate::sink::reject;
use crate::{Context, Counting, DecodeError, Meta, Need, Note, Sink, Source, Verdict};

/// Reads what `ceph daemon ... perf histogram dump` prints.
pub(crate) struct Ceph;

pub(crate) static SOURCE: Ceph = Ceph;

static META: Meta = Meta {
    name: "ceph",
    address: "FILE or -",
    about: "Ceph: latencies of a daemon's operations by request size, as perf histogram dump \
        prints them, once or repeatedly",
    needs: &[
        Need { what: "the daemon's admin socket", how: "on its host: ceph daemon osd.0 perf histogram dump" },
        Need { what: "the time of each dump", how: "print it on a line before the dump (date +%s)" },
    ],
    command: "while sleep 5; do date +%s; sudo ceph daemon osd.0 perf histogram dump; done | isotherm live -",
    overhead: "Not measured. Ceph keeps the counts in any case, and prints about 100 KB of JSON \
               for each dump.",
    loses: "The exact latency within a bucket: the first bucket ends at 100 microseconds, each \
        further one at twice the bound before. The exact total time. The axis is named 'Latency \
        (usec)', but daemons count nanoseconds in it; if a daemon uses another unit, give it with \
        --unit. Counts are totals since the daemon was started; perf reset all resets them. A \
        restart stays unnoticed if the new daemon has already counted beyond the old total. A \
        single dump is shown as one interval of unknown length. The dump does not name the daemon: \
        poll only one daemon per input. Each request size is a separate series. \
        Operations that read and write (op_rw) are in two histograms, by the bytes that came in and \
        by the bytes that went out: the second is left out where the first exists, unless --where \
        histogram=op_rw_latency_out_bytes_histogram asks for it. Attributes for --where: \
        histogram, part, size.",
    counting: Counting::Totals("a restart of the daemon, or perf reset all"),
    exact_time: false,
    example: "\
{\"osd\":{\"op_r_latency_out_bytes_histogram\":{\"axes\":[
{\"name\":\"Latency (usec)\",\"min\":0,\"quant_size\":100000,\"buckets\":4,\"scale_type\":\"log2\",
\"ranges\":[{\"max\":-1},{\"min\":0,\"max\":99999},{\"min\":100000,\"max\":199999},{\"min\":200000}]},
{\"name\":\"Request size (bytes)\",\"min\":0,\"quant_size\":512,\"buckets\":3,\"scale_type\":\"log2\",
\"ranges\":[{\"max\":-1},{\"min\":0,\"max\":511},{\"min\":512}]}],
\"values\":[[0,0,0],[0,7,20],[0,1,4],[0,0,2]]}}}
",
    interpretation: "A shortened histogram; real ones have more buckets. 7 reads of at most 511 \
        bytes took less than 100 microseconds and one took 100 to 200; 20 larger reads took less \
        than 100 microseconds.",
};

impl Source for Ceph {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        if has(b"\"axes\"") && has(b"\"quant_size\"") { Verdict::Yes } else { Verdict::No }
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn tells_apart(&self) -> bool {
        false
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut reader = Reader::new(context);
        documents::each(input, context, sink, &mut |document, sink| match document {
            Document::Time(stamp) => reader.prints.begin(stamp, sink),
            Document::Json(place, value) => reader.document(place, &value, sink),
        })?;
        reader.grouping.finish(sink);
        reader.prints.finish(sink);
        if reader.found {
            return Ok(());
        }
        Err(DecodeError::Nothing(
            "there is no histogram of latencies in these documents: perf dump has averages only, perf histogram \
             dump is needed"
                .to_owned(),
        ))
    }
}

/// What an operation is known by.
const ATTRIBUTES: [&str; 3] = ["histogram", "part", "size"];

/// Operations that read and write, by the bytes that came in, and the same by those that went out.
const READ_WRITE: [&str; 2] =
    ["op_rw_latency_in_bytes_histogram", "op_rw_latency_out_bytes_histogram"];

/// Why a histogram is left out.
const TWICE: &str = "op_rw_latency_out_bytes_histogram is left out: it holds the operations of \
    op_rw_latency_in_bytes_histogram once more (--where histogram=op_rw_latency_out_bytes_histogram)";

struct Reader<'c> {
    prints: Prints<'c>,
    context: &'c Context,
    grouping: Grouping,
    found: bool,
    /// What was counted before: it is reported also when it stands at zero again.
    known: BTreeSet<Series>,
    /// What the document holds so far.
    counts: Counts,
}

/// What was found in a document.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Counts {
    /// No histogram yet.
    None,
    /// Histograms in which nothing is counted.
    Zero,
    /// Counts, or what cannot be read.
    Some,
}

impl<'c> Reader<'c> {
    fn new(context: &'c Context) -> Reader<'c> {
        let grouping = Grouping::new(context, "", &ATTRIBUTES, &[]);
        let (prints, known) = (Prints::totals(context), BTreeSet::new());
        let counts = Counts::None;
        Reader { prints, context, grouping, found: false, known, counts }
    }
}

impl Reader<'_> {
    fn document(&mut self, place: Place, value: &Value, sink: &mut dyn Sink) {
        self.counts = Counts::None;
        self.search(place, ("", ""), value, sink);
        if self.counts == Counts::Zero && self.known.is_empty() {
            self.prints.nothing_counted(sink);
        }
    }

    /// Whether a histogram of `object` holds what another one of it holds.
    fn is_twice(&self, name: &str, object: &serde_json::Map<String, Value>) -> bool {
        let [first, second] = READ_WRITE;
        name == second
            && object.contains_key(first)
            && !self.grouping.names(ATTRIBUTES[0], second.as_bytes())
    }

    /// Finds histograms wherever they are: by the part of the daemon, then by name.
    fn search(
        &mut self,
        place: Place,
        (part, name): (&str, &str),
        value: &Value,
        sink: &mut dyn Sink,
    ) {
        let Value::Object(object) = value else { return };
        match Table::of(value) {
            Some(table) if table.is_of_latencies() => self.take(place, (part, name), &table, sink),
            Some(_) => {}
            None => {
                for (key, value) in object {
                    if !self.is_twice(key, object) {
                        self.search(place, (name, key), value, sink);
                    } else if Table::of(value).is_some_and(|table| table.events() > 0) {
                        sink.note(Note::Assumed(TWICE.into()));
                    }
                }
            }
        }
    }

    fn take(
        &mut self,
        place: Place,
        (part, name): (&str, &str),
        table: &Table<'_>,
        sink: &mut dyn Sink,
    ) {
        self.found = true;
        let all = match table.histograms(self.context.unit) {
            Ok(all) => all,
            Err(reason) => {
                self.counts = Counts::Some;
                return reject(sink, place, format!("{name}: {reason}"), table.events());
            }
        };
        if self.counts == Counts::None {
            self.counts = Counts::Zero;
        }
        if all.below > 0 {
            reject(sink, place, format!("{name}: latencies below zero"), all.below);
        }
        for (size, counts) in all.by_size {
            let attribute = (!part.is_empty()).then_some(("part", part));
            let attributes = attribute.into_iter().chain([("size", size.as_str())]);
            let series = Series::with_attributes(name, attributes);
            if counts.is_empty() && !self.known.contains(&series) {
                continue;
            }
            if self.grouping.series(&[name, part, &size].map(str::as_bytes)).is_some() {
                self.counts = Counts::Some;
                self.prints.histogram(&series, counts, sink);
                self.known.insert(series);
            }
        }
    }
}
