//! Histograms printed by bpftrace, as text or as JSON lines.

mod block;
mod declared;
mod halves;
mod json;
mod maps;
mod text;

use isotherm_frame::{Place, Rejection};
use std::io::BufRead;

use self::declared::Declaration;
use self::json::Message;
use self::block::Block;
use self::maps::Maps;
use crate::printed::{Drawing, NO_BUCKET, NO_BUCKETS, is_whole};
use crate::stamp::StampReader;
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, Sink, Source, Verdict,
};

/// Reads what bpftrace prints.
pub(crate) struct Bpftrace;

pub(crate) static SOURCE: Bpftrace = Bpftrace;

static META: Meta = Meta {
    name: "bpftrace",
    address: "FILE or -",
    about: "Histograms of bpftrace's hist() and lhist(), plain or keyed, as text or as JSON (-f \
            json), cumulative or cleared after each print",
    needs: &[
        Need {
            what: "bpftrace on the measured machine; 0.20 or later for latencies above 2^31 units",
            how: "apt install bpftrace, dnf install bpftrace; reading its output needs no bpftrace",
        },
        Need {
            what: "root, or the capabilities CAP_BPF and CAP_PERFMON, to run it",
            how: "sudo bpftrace ...",
        },
        Need {
            what: "tracefs, for tracepoints",
            how: "mount -t tracefs tracefs /sys/kernel/tracing, if that folder is empty",
        },
        Need {
            what: "a unit, unless the map's name contains it (@usecs, @read_ms, @ns)",
            how: "--unit us",
        },
    ],
    command: "bpftrace -e 'tracepoint:block:block_rq_issue { @start[args->dev, args->sector] = \
              nsecs; } tracepoint:block:block_rq_complete /@start[args->dev, args->sector]/ { \
              @usecs = hist((nsecs - @start[args->dev, args->sector]) / 1000); \
              delete(@start[args->dev, args->sector]); } interval:s:1 { time(\"%s\\n\"); \
              print(@usecs); } END { clear(@start); clear(@usecs); }'",
    overhead: "Measured on Linux 6.18 in a virtual machine: 370 ns when a block request is issued \
               and 600 ns when it completes; 0.8 us when a system call is entered and 1.3 us when \
               it returns; about 12 us for each hit of a user-space probe. Such probes made a \
               database query 7 times slower (0.52 s to 3.86 s for 271,000 hits). Reading the \
               output costs the measured machine nothing.",
    loses: "The exact latency within a bucket: the upper bound of a bucket of hist() is twice its \
            lower bound. The total time is therefore an estimate. The order of events within an \
            interval. Negative values are rejected and counted; so are maps named after sizes. \
            Before 0.20, one bucket holds all values from 2^31 up. Clearing or zeroing a map after \
            each print is a race: at 45,000 events a second, clear() lost up to 10 events a second \
            or counted them twice, and zero() once repeated the counts of a whole second. Printing \
            totals without clearing them is exact. Maps printed when the program ends have no \
            timestamp. Output lines that bpftrace lost (Lost N events) are added up and shown; \
            counts in maps are not affected.",
    counting: Counting::Varies(
        "A print counts either everything so far or what happened since the print before: \
        isotherm reads totals if no count falls from print to print, and increments otherwise, \
        and says which (--temporality overrides this). Totals are reset by a restart of the \
        program; a program resets increments itself, with clear() or zero().",
    ),
    exact_time: false,
    example: "\
$ bpftrace blk.bt    # hist() of each request in @usecs, printed every second; other maps left out
08:38:56
@usecs: 
[16, 32)               2 |                                                    |
[32, 64)             198 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
[64, 128)            158 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           |
[128, 256)            24 |@@@@@@                                              |
[256, 512)             2 |                                                    |

08:38:57
@usecs: 
[16, 32)               4 |                                                    |
[32, 64)             393 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
[64, 128)            307 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@            |
[128, 256)            48 |@@@@@@                                              |
[256, 512)             6 |                                                    |

becomes one interval, the difference of the two prints:

08:38:56 to 08:38:57  @usecs
    16000..32000 ns    2
    32000..64000 ns    195
    64000..128000 ns   149
    128000..256000 ns  24
    256000..512000 ns  4
",
    interpretation: "The counts never fall from print to print, so they are read as totals: the \
                     first print is the baseline and the second interval holds 374 requests, most \
                     of them done in 32 to 128 microseconds. To separate two modes side by side, \
                     here reads and small writes, key the map with args->rwbs.",
};

impl Source for Bpftrace {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let mut in_block = false;
        for line in head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end) {
            if is_attaching(line) || is_typed(line) {
                return Verdict::Yes;
            }
            if is_foreign(line) {
                return Verdict::No;
            }
            match text::line(line) {
                text::Line::Header { .. } => in_block = true,
                text::Line::Row(_) if in_block => return Verdict::Yes,
                _ => in_block = false,
            }
        }
        Verdict::No
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut decoder = Decoder {
            maps: Maps::new(context),
            stamps: StampReader::new(context),
            block: None,
            drawing: Drawing::default(),
            said_stacks: false,
        };
        LineReader::new(input).each(|line| decoder.line(line, sink))?;
        decoder.end_input(sink);
        decoder.maps.finish(sink);
        Ok(())
    }
}

/// `Attaching 6 probes...`
fn is_attaching(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"Attaching ").unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && rest[digits..].starts_with(b" probe")
}

/// Whether a line is drawn as a bucket is: `[...)  5 |@@@   |`.
fn is_row(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'[' | b'(')) && is_whole(line)
}

/// A JSON line of one of bpftrace's kinds.
fn is_typed(line: &[u8]) -> bool {
    const KINDS: [&str; 8] =
        ["attached_probes", "hist", "lhist", "lost_events", "map", "stats", "time", "printf"];
    let Some(rest) = line.strip_prefix(b"{\"type\": \"") else { return false };
    KINDS.iter().any(|kind| {
        let rest = rest.strip_prefix(kind.as_bytes()).unwrap_or_default();
        rest.starts_with(b"\", \"data\": ")
    })
}

/// A mark of another tracing tool's format.
fn is_foreign(line: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"<begin record>", b"- Distribution -", b"value |----"];
    marks.iter().any(|mark| memchr::memmem::find(line, mark).is_some())
}

struct Decoder<'c> {
    maps: Maps<'c>,
    stamps: StampReader,
    /// The histogram being printed.
    block: Option<Block>,
    drawing: Drawing,
    /// Whether it was said that stacks are left out.
    said_stacks: bool,
}

impl Decoder<'_> {
    const CUT: &'static str = "the input ends in the middle of this line";
    const NO_NAME: &'static str = "a bucket without the name of its map";
    const TOO_LONG: &'static str = "a line longer than 1 MiB";

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        if line.cut {
            reject(line.place, Decoder::TOO_LONG, 0, sink);
        } else if json::is_message(line.bytes) {
            self.end_block(sink);
            self.message(line, sink);
        } else {
            self.text(line, sink);
        }
    }

    fn text(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        match text::line(line.bytes) {
            text::Line::Blank => self.end_block(sink),
            text::Line::Header { name, key } => {
                self.end_block(sink);
                self.block = Some(Block::headed(name, key, line.place));
            }
            text::Line::Row(_) | text::Line::BadRow(_) | text::Line::Other
                if !line.ended && self.is_cut(line.bytes) =>
            {
                match &mut self.block {
                    Some(block) => block.damage(line.place, Decoder::CUT),
                    None => reject(line.place, Decoder::CUT, 0, sink),
                }
            }
            text::Line::Row(printed) => match &mut self.block {
                Some(block) => {
                    block.bars.add(line.bytes, printed.count, line.place);
                    block.push(printed, line.place);
                }
                None => reject(line.place, Decoder::NO_NAME, printed.count, sink),
            },
            text::Line::BadRow(reason) => match &mut self.block {
                Some(block) => block.damage(line.place, reason),
                None => reject(line.place, reason, 0, sink),
            },
            text::Line::Lost(events) => sink.note(Note::Lost(events)),
            text::Line::Other if is_row(line.bytes) => match &mut self.block {
                Some(block) => block.damage(line.place, NO_BUCKET),
                None => reject(line.place, NO_BUCKET, 0, sink),
            },
            text::Line::Other => {
                if let Some(block) = self.block.as_mut().filter(|block| !block.rows.is_empty()) {
                    block.interrupted.get_or_insert(line.place);
                }
                self.other(&line.text(), line.place, sink);
            }
        }
    }

    /// Whether an unended last line is the beginning of a row or of a header.
    fn is_cut(&self, line: &[u8]) -> bool {
        match line.first() {
            Some(b'@') => memchr::memmem::find(line, b": ").is_none(),
            Some(b'[' | b'(') => self.block.is_some() && !is_whole(line),
            _ => false,
        }
    }

    /// Something the program says of its maps, a time, or anything else.
    fn other(&mut self, line: &str, place: Place, sink: &mut dyn Sink) {
        match Declaration::read(line) {
            Some(Ok(declaration)) => return self.maps.declare(&declaration),
            Some(Err(reason)) => return reject(place, reason, 0, sink),
            None => {}
        }
        let Some(stamp) = self.stamps.read(line, sink) else {
            let begins_stack = line.starts_with('@') && line.trim_end().ends_with('[');
            if begins_stack && !std::mem::replace(&mut self.said_stacks, true) {
                sink.note(Note::Said("maps of stacks are left out: isotherm flame draws them".into()));
            }
            sink.note(Note::Ignored);
            return;
        };
        self.end_block(sink);
        self.maps.stamp(stamp, sink);
    }

    fn message(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        match json::message(line.bytes, line.place) {
            Ok(Message::Histograms(blocks)) => {
                for block in blocks {
                    self.maps.block(block, sink);
                }
            }
            Ok(Message::Text(text)) => {
                text.lines().for_each(|text| self.other(text, line.place, sink));
            }
            Ok(Message::Lost(events)) => sink.note(Note::Lost(events)),
            Ok(Message::Other) => sink.note(Note::Ignored),
            Err(_) if !line.ended => reject(line.place, Decoder::CUT, 0, sink),
            Err(error) => {
                let reason = error.into();
                sink.reject(Rejection { place: line.place, reason, events: 0 });
            }
        }
    }

    /// Nothing follows: the last histogram is complete if an empty line ended it.
    fn end_input(&mut self, sink: &mut dyn Sink) {
        let Some(block) = &mut self.block else { return };
        if block.interrupted.is_none() {
            block.unended = block.bars.last();
        }
        let is_bare = block.bars.last().is_none();
        if block.damage.is_none()
            && let Some((place, reason)) = self.drawing.missing(&block.bars, true)
        {
            block.damage(place, reason);
        } else if is_bare {
            block.damage(block.place, NO_BUCKETS);
        }
        self.end_block(sink);
    }

    /// The histogram being printed is complete. A header with no row is a key that `zero()` left
    /// behind: nothing was counted.
    fn end_block(&mut self, sink: &mut dyn Sink) {
        let Some(mut block) = self.block.take() else { return };
        if block.damage.is_none()
            && let Some((place, reason)) = self.drawing.missing(&block.bars, false)
        {
            block.damage(place, reason);
        }
        if block.rows.is_empty() && block.negatives == 0 && block.damage.is_none() {
            sink.note(Note::Ignored);
        } else {
            self.maps.block(block, sink);
        }
    }
}

fn reject(place: Place, reason: &'static str, events: u64, sink: &mut dyn Sink) {
    sink.reject(Rejection { place, reason: reason.into(), events });
}
