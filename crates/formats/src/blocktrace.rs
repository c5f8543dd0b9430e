//! Traces of block requests: the issue and the completion of a request are paired.

mod line;
mod step;

use std::collections::HashMap;
use std::io::{BufRead, Write as _};

use isotherm_frame::{Clock, Nanos, Timestamp};

use self::line::{Step, What, device_number, operation, step};
use crate::grouping::Grouping;
use crate::sink::reject;
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Verdict,
};

pub use step::{BlockStage, BlockStep, block_step, is_block_trace};

/// Reads what perf, ftrace and blkparse print about block requests.
pub(crate) struct BlockTrace;

pub(crate) static SOURCE: BlockTrace = BlockTrace;

static META: Meta = Meta {
    name: "blocktrace",
    address: "FILE or -",
    about: "Block requests as perf script, ftrace (trace, trace_pipe) and blkparse print them: the \
        time from issue to completion is the device's latency",
    needs: &[
        Need {
            what: "the tracepoints block_rq_issue and block_rq_complete",
            how: "perf record -a -e block:block_rq_issue,block:block_rq_complete, or echo 1 into \
                their enable files in /sys/kernel/tracing/events/block, or blktrace -d DEVICE",
        },
        Need { what: "root", how: "sudo" },
    ],
    command: "perf record -a -e block:block_rq_issue,block:block_rq_complete sleep 10; perf script --ns \
        | isotherm show -",
    overhead: "Each traced request costs 0.5-1 microsecond at its issue and again at its \
        completion, and 100-200 bytes of buffer. Writing the trace to the measured disk adds \
        requests to it.",
    loses: "Digits below a microsecond, in the output of ftrace and of perf script without --ns. \
        Requests that were issued before the trace or completed after it have no latency: warnings \
        report their number. A flush has no sector: its issue is paired with the device's next \
        completed flush. A request that is issued again (because the queue was full) counts from \
        its last issue. --where stage=total measures from the time a request was queued \
        (blkparse's Q, block_bio_queue), unless it was split or merged. Timestamps count from the \
        start of the machine or of the trace. Attributes for --by and --where: operation, device, \
        flags, size.",
    counting: Counting::Events,
    exact_time: true,
    example: "\
 fio 16796 [001]  2454.781131057:    block:block_rq_issue: 254,0 RS 4096 () 49611232 + 8 0x2,0,4 [fio]
 fio 16796 [001]  2454.781155294:    block:block_rq_issue: 254,0 RS 4096 () 49116128 + 8 0x2,0,4 [fio]
 fio 16795 [001]  2454.781188944: block:block_rq_complete: 254,0 RS () 49611232 + 8 0x2,0,4 [0]
",
    interpretation: "Two reads of 8 sectors were issued to the device 254,0. The first completed \
        57.9 microseconds later, the other is still in progress. The number before + is the \
        sector; it identifies the two lines of a request.",
};

/// What requests can be told apart by.
const ATTRIBUTES: &[&str] = &["operation", "device", "flags", "size", "stage"];

impl Source for BlockTrace {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if is_block_trace(head) { Verdict::Yes } else { Verdict::No }
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
        let mut decoder = Decoder::new(context)?;
        LineReader::new(input).each(|line| decoder.line(line, sink))?;
        decoder.finish(sink);
        Ok(())
    }
}

/// A request that is on its way: its device and first sector.
type Key = (u64, u64);

/// Remembers when a request began, or counts it among those `beyond` memory; whether another in its
/// place had begun.
fn remember(began: &mut HashMap<Key, Nanos>, key: Key, at: Nanos, beyond: &mut u64) -> bool {
    if began.len() < Decoder::MOST || began.contains_key(&key) {
        return began.insert(key, at).is_some();
    }
    *beyond += 1;
    false
}

struct Decoder {
    grouping: Grouping,
    /// Where latencies begin.
    stage: &'static str,
    queued: HashMap<Key, Nanos>,
    issued: HashMap<Key, Nanos>,
    size: Vec<u8>,
    reported: bool,
    without_issue: u64,
    without_queue: u64,
    again: u64,
    without_length: u64,
    /// Requests that were too many to remember.
    beyond: u64,
}

impl Decoder {
    /// Requests that are remembered while they are on their way.
    const MOST: usize = 1 << 18;

    fn new(context: &Context) -> Result<Decoder, DecodeError> {
        let grouping = Grouping::new(context, "requests", ATTRIBUTES, &["operation", "device"]);
        Ok(Decoder {
            stage: grouping.choice("stage", &["device", "total"])?.unwrap_or("device"),
            grouping,
            queued: HashMap::new(),
            issued: HashMap::new(),
            size: Vec::new(),
            reported: false,
            without_issue: 0,
            without_queue: 0,
            again: 0,
            without_length: 0,
            beyond: 0,
        })
    }

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let Some(step) = step(line.bytes) else {
            if !line.bytes.trim_ascii().is_empty() {
                sink.note(Note::Ignored);
            }
            return;
        };
        let Some((sector, count)) = place_of(&step).filter(|_| line.ended) else {
            self.without_length += u64::from(step.what == What::Completed && line.ended);
            sink.note(Note::Ignored);
            return;
        };
        let key = (device_number(step.device), sector);
        match step.what {
            What::Other => sink.note(Note::Ignored),
            What::Queued => {
                if self.stage == "total" && count > 0 {
                    remember(&mut self.queued, key, step.at, &mut self.beyond);
                }
            }
            What::Issued => {
                let again = remember(&mut self.issued, key, step.at, &mut self.beyond);
                self.again += u64::from(again);
            }
            What::Completed => {
                let Some(began) = self.issued.remove(&key) else {
                    self.without_issue += 1;
                    return;
                };
                if !std::mem::replace(&mut self.reported, true) {
                    sink.note(Note::Clock(Clock::Arbitrary));
                }
                sink.record();
                let began = if self.stage == "total" { self.queued.remove(&key) } else { Some(began) };
                // Of a request that was split or merged it is not known when it was queued.
                let Some(began) = began else { return self.without_queue += 1 };
                match step.at.checked_sub(began) {
                    Some(latency) => self.completed(step, count, latency, sink),
                    None => reject(sink, line.place, "it completed before it was issued", 1),
                }
            }
        }
    }

    fn completed(&mut self, step: Step<'_>, count: u64, latency: Nanos, sink: &mut dyn Sink) {
        self.size.clear();
        if write!(self.size, "{}", count.saturating_mul(512)).is_err() {
            self.size.clear();
        }
        let Step { device, flags, .. } = step;
        let values = [operation(flags), device, flags, &self.size, self.stage.as_bytes()];
        self.grouping.tell(&values, (Timestamp::new(0).plus(step.at), latency), sink);
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        let mut say = |count: usize, words: &str| {
            if count > 0 {
                sink.note(Note::Said(format!("{count} {words}").into()));
            }
        };
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        say(number(self.without_issue), "completions without an issue in the trace have no latency");
        say(number(self.without_queue), "requests have no latency from the queue on: they were split or merged, or queued before the trace");
        say(number(self.beyond), "requests exceeded the number in flight that isotherm tracks: \
                                  they have no latency");
        say(self.issued.len(), "requests were issued and not completed in the trace");
        say(number(self.again), "requests were issued again: they count from their last issue");
        say(number(self.without_length), "completions have no length: they belong to writes with a \
                                          flush, and are left out");
        self.grouping.finish(sink);
    }
}

/// Where a request is and how many sectors it has: a flush has none and is nowhere, and a device does
/// one of them at a time. Completions without a length that are no flush repeat what is known.
fn place_of(step: &Step<'_>) -> Option<(u64, u64)> {
    const NOWHERE: (u64, u64) = (u64::MAX, 0);
    let request = step.sectors.filter(|(_, count)| *count > 0);
    request.or(step.flags.starts_with(b"F").then_some(NOWHERE))
}
