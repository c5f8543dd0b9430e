//! Latency histograms of Intel's (Solidigm's) `NVMe` devices, as `nvme intel lat-stats` prints them.

mod table;

use std::io::BufRead;

use self::table::{Revision, Table};
use crate::prints::Prints;
use crate::sink::reject;
use crate::stamp::StampReader;
use crate::{
    Context, DecodeError, Line, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Temporality, Verdict,
};

/// Reads what `nvme intel lat-stats` prints.
pub(crate) struct IntelNvme;

pub(crate) static SOURCE: IntelNvme = IntelNvme;

static META: Meta = Meta {
    name: "intelnvme",
    address: "FILE or -",
    about: "NVMe devices of Intel and Solidigm: nvme intel lat-stats, of reads and (-w) of writes, revisions 3 \
        and 4 and Optane, printed once or again and again",
    needs: &[
        Need {
            what: "a version of nvme-cli that prints columns Start and End",
            how: "apt install nvme-cli",
        },
        Need { what: "root", how: "sudo nvme intel lat-stats /dev/nvme0" },
    ],
    command: "while sleep 5; do date +%s; sudo nvme intel lat-stats /dev/nvme0; \
        sudo nvme intel lat-stats -w /dev/nvme0; done | isotherm live -",
    overhead: "Not measured here: a command to the device for each table.",
    loses: "Where in its bucket a request was, and the exact time. It is the time in the controller, without \
        the queue of the kernel: see disk: for that of the host. Revisions 3 and 4 count totals, in 32 bits, \
        since the device was made to count; a counter that wrapped looks like a reset, and is a gap. One print of \
        them alone is one interval of unknown length. Bounds are those of the number of the bucket, as nvme-cli \
        prints others: of revision 3 from bucket 32 on what is no bound at all, of revision 4 the middle of \
        the bucket. Optane (revision 1000) counts since the last print, as reading clears it: nobody else may read \
        it meanwhile. Its bounds are those that are printed, which are rounded. The device is not printed: one device in a loop. JSON (-j) does not name \
        the revision and is not read.",
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
    interpretation: "The beginning of a table. No read took less than 32 microseconds; 41 took 32 to 64.",
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
