//! Latency histograms of Intel's (Solidigm's) `NVMe` devices, as `nvme intel lat-stats` prints them.

mod table;

use std::io::BufRead;

use self::table::{Revision, Table};
use crate::prints::Prints;
use crate::sink::reject;
use crate::stamp::StampReader;
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Temporality, Verdict,
};

/// Reads what `nvme intel lat-stats` prints.
pub(crate) struct IntelNvme;

pub(crate) static SOURCE: IntelNvme = IntelNvme;

static META: Meta = Meta {
    name: "intelnvme",
    address: "FILE or -",
    about: "NVMe devices of Intel and Solidigm: nvme intel lat-stats for reads and (-w) writes, \
        revisions 3 and 4 and Optane, printed once or repeatedly",
    needs: &[
        Need {
            what: "a version of nvme-cli that prints the columns Start and End",
            how: "apt install nvme-cli",
        },
        Need { what: "root", how: "sudo nvme intel lat-stats /dev/nvme0" },
    ],
    command: "while sleep 5; do date +%s; sudo nvme intel lat-stats /dev/nvme0; \
        sudo nvme intel lat-stats -w /dev/nvme0; done | isotherm live -",
    overhead: "Not measured. Printing a table sends one command to the device.",
    loses: "The exact latency within a bucket, and the exact total time. The kernel's queue: the \
        device measures only the time in the controller; see disk: for the latency on the host. \
        Revisions 3 and 4 keep 32-bit totals since counting was switched on. A counter that \
        wrapped looks like a reset: its interval is a gap. A single print of them is one interval \
        of unknown length. isotherm derives the bounds from the bucket's number, because the \
        bounds that nvme-cli prints are wrong: for revision 3 from bucket 32 on they are not \
        bounds at all, for revision 4 they are the middle of the bucket. Optane (revision 1000) \
        counts since the last print, because each read clears the counts: nobody else may read \
        them meanwhile. Its printed bounds are used as they are; they are rounded. The output does \
        not name the device: poll only one device per input. JSON (-j) does not name the revision \
        and is not read.",
    counting: Counting::Varies(
        "Revisions 3 and 4 print totals, reset when counting is switched on; a counter that \
        wrapped looks the same. Optane counts what happened since the last print: reading resets \
        it.",
    ),
    exact_time: false,
    example: "\
Intel IO Read Command Latency Statistics
Major Revision : 3
Minor Revision : 0
--------------------------------------------------
Bucket      Start       End         Value
--------------------------------------------------
0           0.00us      32.00us     0
1           32.00us     64.00us     41
",
    interpretation: "The first rows of a table. No read took less than 32 microseconds; 41 took 32 \
                     to 64.",
};

impl Source for IntelNvme {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        let mine = has(b"Intel IO ") && has(b" Command Latency Statistics");
        if mine { Verdict::Yes } else { Verdict::No }
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let stamps = StampReader::new(context);
        let mut reader = Reader { context, prints: None, stamps, held: Vec::new(), open: None };
        let mut lines = LineReader::new(input);
        while let Some(line) = lines.next_line()? {
            reader.line(line, sink);
        }
        reader.give(sink);
        if let Some(prints) = reader.prints {
            prints.finish(sink);
        }
        Ok(())
    }
}

struct Reader<'c> {
    context: &'c Context,
    /// Prints, once it is known whether they are totals.
    prints: Option<Prints<'c>>,
    stamps: StampReader,
    /// Times that were printed before that.
    held: Vec<crate::stamp::Stamp>,
    open: Option<Table>,
}

impl Reader<'_> {
    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.text();
        let text = text.trim();
        if text.is_empty()
            || text.starts_with("---")
            || text.starts_with("Bucket ") && text.ends_with("Value")
        {
            return;
        }
        if let Some(operation) = operation(text) {
            self.give(sink);
            self.open = Some(Table::new(line.place, operation));
        } else if self.open.as_mut().is_some_and(|open| open.take(text, line.ended)) {
        } else if let Some(stamp) = self.stamps.read(text, sink) {
            self.give(sink);
            match &mut self.prints {
                Some(prints) => prints.begin(stamp, sink),
                None => self.held.push(stamp),
            }
        } else {
            sink.note(Note::Ignored);
        }
    }

    /// Tells the table that is complete, or cut.
    fn give(&mut self, sink: &mut dyn Sink) {
        let Some(open) = self.open.take() else { return };
        let (place, events, series) = (open.place(), open.events(), open.series());
        let read = open.revision().and_then(|revision| Ok((revision, open.histogram(revision)?)));
        let (revision, histogram) = match read {
            Ok(read) => read,
            Err(why) => {
                reject(sink, place, why, events);
                if let Some(prints) = &mut self.prints {
                    prints.damaged(&series, sink);
                }
                return;
            }
        };
        let context = self.context;
        let prints = self.prints.get_or_insert_with(|| match revision {
            Revision::Optane => Prints::new(context, Temporality::Delta),
            Revision::Three | Revision::Four => Prints::totals(context),
        });
        for stamp in self.held.drain(..) {
            prints.begin(stamp, sink);
        }
        prints.histogram(&series, histogram, sink);
    }
}

/// The operation that a table is of: `Intel IO Read Command Latency Statistics`.
fn operation(text: &str) -> Option<&'static str> {
    match text.strip_prefix("Intel IO ")?.strip_suffix(" Command Latency Statistics")? {
        "Read" => Some("read"),
        "Write" => Some("write"),
        _ => None,
    }
}
