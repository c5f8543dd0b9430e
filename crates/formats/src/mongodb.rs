//! Latency histograms of `MongoDB`: `opLatencies` of serverStatus and `latencyStats` of $collStats.

mod operations;

use std::collections::BTreeSet;
use std::io::BufRead;

use isotherm_frame::{Clock, Place, Series, Timestamp};
use serde_json::{Map, Value};

use self::operations::{Operations, moment};
use crate::documents::{self, Document};
use crate::grouping::Grouping;
use crate::prints::Prints;
use crate::sink::reject;
use crate::stamp::Stamp;
use crate::{Context, Counting, DecodeError, Meta, Need, Note, ReadingOption, Sink, Source, Verdict};

/// Reads latencies of `MongoDB`.
pub(crate) struct MongoDb;

pub(crate) static SOURCE: MongoDb = MongoDb;

static META: Meta = Meta {
    name: "mongodb",
    address: "FILE or -",
    about: "MongoDB: latencies of reads, writes, commands and transactions, of a server \
        (serverStatus, opLatencies) or of collections ($collStats, latencyStats), as JSON, once or \
        repeatedly",
    needs: &[
        Need {
            what: "histograms, which the server returns only on request",
            how: "db.serverStatus({opLatencies:{histograms:true}}), or \
                db.c.aggregate([{$collStats:{latencyStats:{histograms:true}}}]); without \
                histograms there are only averages",
        },
        Need { what: "JSON, not the shell's own notation", how: "EJSON.stringify(...)" },
        Need { what: "the right to monitor", how: "the role clusterMonitor" },
    ],
    command: "mongosh --quiet --eval 'while (true) { let s = db.serverStatus({opLatencies:{histograms:true}}); \
        print(EJSON.stringify({localTime: s.localTime, opLatencies: s.opLatencies})); sleep(5000) }' \
        | isotherm live -",
    overhead: "Not measured. MongoDB keeps the counts in any case, and each poll is one command.",
    loses: "The exact latency within a bucket: bucket bounds are powers of two of microseconds, \
        with one more bound between each two from 2 ms to 2 s. The label of a bucket is its lower \
        bound, according to MongoDB's source code; the manual calls it an upper bound. The total \
        time is exact. Counts are totals since the server was started, and only a restart resets \
        them; those of a collection are lost when it is dropped. A single poll is shown as one \
        interval of unknown length. Latencies include the waits in MongoDB's own queues, but not \
        the network to the client. Transactions are left out unless --where op=transactions \
        asks for them: each includes the time in which the client did nothing, and its reads, \
        writes and commands are also counted separately. Attributes for --where: op, ns, shard, \
        host.",
    counting: Counting::Totals(
        "a restart of the server; those of a collection end when it is dropped",
    ),
    exact_time: true,
    example: "\
{\"localTime\":{\"$date\":\"2026-11-23T05:49:28.000Z\"},\"opLatencies\":{\"reads\":{\"histogram\":[
{\"micros\":16,\"count\":12},{\"micros\":64,\"count\":3},{\"micros\":3072,\"count\":1}],\"latency\":5120,\"ops\":16}}}
",
    interpretation: "Printed on one line. 12 reads took 16 to 32 microseconds, 3 took 64 to 128, one took 3,072 \
        to 4,096; 5,120 microseconds altogether.",
};

impl Source for MongoDb {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        let begins = head.trim_ascii_start().first();
        let is_json = begins.is_some_and(|byte| matches!(byte, b'{' | b'[' | b'0'..=b'9'));
        let named = has(b"\"opLatencies\"") || has(b"\"latencyStats\"");
        if is_json && named && has(b"\"latency\"") { Verdict::Yes } else { Verdict::No }
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit]
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
        let mut reader = Reader {
            prints: Prints::totals(context),
            grouping: Grouping::new(context, "", &ATTRIBUTES, &[]),
            seen: BTreeSet::new(),
            found: false,
        };
        documents::each(input, context, sink, &mut |document, sink| match document {
            Document::Time(stamp) => reader.begin(stamp, sink),
            Document::Json(place, value) => reader.search(place, &value, sink),
        })?;
        reader.grouping.finish(sink);
        reader.prints.finish(sink);
        if reader.found {
            return Ok(());
        }
        Err(DecodeError::Nothing(
            "there are no latencies in these documents: print opLatencies of serverStatus, or latencyStats of \
             $collStats"
                .to_owned(),
        ))
    }
}

/// What operations are known by.
const ATTRIBUTES: [&str; 4] = ["op", "ns", "shard", "host"];

/// Whole transactions, beside the kinds of operations that they are made of.
const TRANSACTIONS: &str = "transactions";

/// Why they are left out.
const LEFT_OUT: &str = "transactions are left out: their reads, writes and commands are counted by \
    themselves, and their time includes that of the client (--where op=transactions)";

struct Reader<'c> {
    prints: Prints<'c>,
    grouping: Grouping,
    /// The series of the print that is open.
    seen: BTreeSet<Series>,
    found: bool,
}

impl Reader<'_> {
    fn begin(&mut self, stamp: Stamp, sink: &mut dyn Sink) {
        self.seen.clear();
        self.prints.begin(stamp, sink);
    }

    /// Finds latencies wherever they are in a document.
    fn search(&mut self, place: Place, value: &Value, sink: &mut dyn Sink) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.search(place, value, sink)),
            Value::Object(object) => {
                let mut mine = false;
                for key in ["opLatencies", "latencyStats"] {
                    if let Some(Value::Object(stats)) = object.get(key) {
                        mine = true;
                        self.take(place, object, stats, sink);
                    }
                }
                if !mine {
                    object.values().for_each(|value| self.search(place, value, sink));
                }
            }
            _ => {}
        }
    }

    /// Takes the operations of a server or a collection; `object` says whose and when.
    fn take(
        &mut self,
        place: Place,
        object: &Map<String, Value>,
        stats_by_op: &Map<String, Value>,
        sink: &mut dyn Sink,
    ) {
        let named = ATTRIBUTES[1..]
            .iter()
            .filter_map(|key| Some((*key, object.get(*key)?.as_str()?)));
        let named: Vec<(&str, &str)> = named.collect();
        let has_histograms = stats_by_op.values().any(|stats| stats.get("histogram").is_some());
        let at = object.get("localTime").and_then(moment);
        for (operation, stats) in stats_by_op.iter().filter(|(_, stats)| stats.get("ops").is_some()) {
            self.found = true;
            if self.is_twice(operation, stats_by_op) {
                Self::leave_out(stats, sink);
                continue;
            }
            if !self.is_wanted(operation, &named) {
                continue;
            }
            let attributes = named.iter().copied().chain([("op", operation.as_str())]);
            let series = Series::with_attributes("MongoDB", attributes);
            self.turn(&series, at, sink);
            let operations = Operations::read(stats, has_histograms);
            let events = operations.as_ref().map_or(0, |operations| operations.ops);
            match operations.and_then(Operations::histogram) {
                Ok(counts) => {
                    self.prints.histogram(&series, counts, sink);
                }
                Err(reason) => {
                    reject(sink, place, reason, events);
                    self.prints.damaged(&series, sink);
                }
            }
        }
    }

    /// Whether these operations are counted under other kinds too, and nobody asks for them.
    fn is_twice(&self, operation: &str, stats_by_op: &Map<String, Value>) -> bool {
        let has_others = ["reads", "writes", "commands"].iter().any(|op| stats_by_op.contains_key(*op));
        operation == TRANSACTIONS
            && has_others
            && !self.grouping.names(ATTRIBUTES[0], TRANSACTIONS.as_bytes())
    }

    fn leave_out(stats: &Value, sink: &mut dyn Sink) {
        let any = stats.get("ops").and_then(documents::count).is_some_and(|ops| ops > 0);
        if any {
            sink.note(Note::Assumed(LEFT_OUT.into()));
        }
    }

    fn is_wanted(&mut self, operation: &str, named: &[(&str, &str)]) -> bool {
        let value = |name: &str| named.iter().find(|(key, _)| *key == name).map_or("", |(_, v)| *v);
        let values = ATTRIBUTES.map(|name| if name == "op" { operation } else { value(name) });
        self.grouping.series(&values.map(str::as_bytes)).is_some()
    }

    /// Begins another poll with a series that was in this one. Of several collections that are asked one
    /// after the other the first one says when.
    fn turn(&mut self, series: &Series, at: Option<Timestamp>, sink: &mut dyn Sink) {
        let again = self.seen.contains(series);
        if let Some(at) = at.filter(|_| again || self.seen.is_empty()) {
            self.begin(Stamp::Running(at, Clock::Epoch), sink);
        } else if again {
            self.seen.clear();
        }
        self.seen.insert(series.clone());
    }
}
