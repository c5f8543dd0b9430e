//! Latency histograms of Amazon's `NVMe` devices, as `nvme amzn stats` prints them.

use std::io::BufRead;

use isotherm_frame::{Nanos, Place, Series};

use crate::number;
use crate::printed::{self, Layout, Row};
use crate::prints::Prints;
use crate::sink::reject;
use crate::stamp::StampReader;
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, Sink, Source, Verdict,
};

/// Reads what `nvme amzn stats` prints.
pub(crate) struct Nvme;

pub(crate) static SOURCE: Nvme = Nvme;

static META: Meta = Meta {
    name: "nvme",
    address: "FILE or -",
    about: "NVMe devices of Amazon EC2 (EBS and instance storage): nvme amzn stats, printed once \
        or repeatedly",
    needs: &[
        Need { what: "nvme-cli 2.11 or later", how: "apt install nvme-cli, dnf install nvme-cli" },
        Need { what: "root", how: "sudo nvme amzn stats /dev/nvme1n1" },
    ],
    command: "while sleep 1; do date +%s; sudo nvme amzn stats /dev/nvme1n1; done | isotherm live -",
    overhead: "Not measured. Each print sends one command to the device.",
    loses: "The exact latency within a bucket: bucket bounds are powers of two of microseconds. \
        The kernel's queue: the device measures only the time in the controller; see disk: for the \
        latency on the host. Totals count from when the device was attached. The exact time comes \
        from the line 'Total Time', if 'Total Ops' equals the number of requests in the buckets. \
        Histograms by request size are left out.",
    counting: Counting::Totals("attaching the device to the instance"),
    exact_time: true,
    example: "\
Read IO Latency Histogram
=================================
Lower       Upper        IO Count
=================================
[16       - 32      ] => 41
[32       - 64      ] => 26
",
    interpretation: "41 reads took at least 16 and less than 32 microseconds; 26 took 32 to 64.",
};

/// The two operations, as they are printed and as they are reported.
const OPERATIONS: [(&str, &str); 2] = [("Read", "read"), ("Write", "write")];

/// What is printed before the histograms, by operation.
#[derive(Copy, Clone, Default)]
struct Known {
    operations: Option<u64>,
    time_us: Option<u64>,
}

/// The numbers that follow a heading.
#[derive(Copy, Clone, Default, PartialEq)]
enum Section {
    #[default]
    Other,
    Operations,
    Time,
}

struct Reader<'c> {
    prints: Prints<'c>,
    stamps: StampReader,
    section: Section,
    known: [Known; 2],
    /// The histogram that is being read: where it begins, which operation it is of, and its rows.
    open: Option<(Place, usize, Vec<Row>)>,
}

impl Source for Nvme {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let has = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        let mine = has(b"IO Latency Histogram") && has(b"] => ");
        if mine { Verdict::Yes } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut reader = Reader {
            prints: Prints::totals(context),
            stamps: StampReader::new(context),
            section: Section::Other,
            known: Default::default(),
            open: None,
        };
        LineReader::new(input).each(|line| reader.line(line, sink))?;
        reader.give(sink);
        reader.prints.finish(sink);
        Ok(())
    }
}

impl Reader<'_> {
    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.text();
        let text = text.trim();
        if let Some((_, _, rows)) = &mut self.open
            && text.starts_with('[')
        {
            match row(text).filter(|_| line.ended) {
                Some(row) => rows.push(row),
                None => reject(sink, line.place, "no row of a histogram: [LOWER - UPPER] => COUNT", 0),
            }
            return;
        }
        if text.is_empty() || text.starts_with("===") || text.starts_with("Lower") {
            return;
        }
        self.give(sink);
        if let Some(operation) = heading(text) {
            self.open = Some((line.place, operation, Vec::new()));
        } else if let Some(stamp) = self.stamps.read(text, sink) {
            self.known = Default::default();
            self.prints.begin(stamp, sink);
        } else if !self.number(text) {
            self.section = match text {
                "Total Ops:" => Section::Operations,
                "Total Time (us):" => Section::Time,
                _ => Section::Other,
            };
            if self.section == Section::Other {
                sink.note(Note::Ignored);
            }
        }
    }

    /// Takes `Read: 67` of a section that we need.
    fn number(&mut self, text: &str) -> bool {
        let Some((name, value)) = text.split_once(": ") else { return false };
        let index = OPERATIONS.iter().position(|(printed, _)| *printed == name);
        let Some(known) = index.and_then(|index| self.known.get_mut(index)) else { return false };
        let value = number::whole(value.trim().as_bytes()).ok();
        match self.section {
            Section::Operations => known.operations = value,
            Section::Time => known.time_us = value,
            Section::Other => {}
        }
        true
    }

    /// Tells the histogram that is complete.
    fn give(&mut self, sink: &mut dyn Sink) {
        let Some((place, operation, rows)) = self.open.take() else { return };
        let (Some((_, name)), Some(known)) = (OPERATIONS.get(operation), self.known.get(operation))
        else {
            return;
        };
        let series = Series::with_attributes("NVMe", [("op", *name)]);
        let events = printed::events(&rows);
        let missing = known.operations.filter(|counted| *counted > events);
        let read = match missing {
            Some(counted) => Err(format!("{events} requests in buckets where there were {counted}")),
            None => printed::histogram(&rows, Nanos::from_micros(1), Layout::PowersOfTwo)
                .map_err(|error| error.to_string()),
        };
        match read {
            Ok(histogram) => {
                let same = known.operations == Some(events);
                let sum = known.time_us.filter(|_| same).map(Nanos::from_micros);
                self.prints.histogram(&series, histogram.with_sum(sum), sink);
            }
            Err(why) => {
                reject(sink, place, why, events);
                self.prints.damaged(&series, sink);
            }
        }
    }
}

/// The operation that a histogram is of: `Read IO Latency Histogram`.
fn heading(text: &str) -> Option<usize> {
    let name = text.strip_suffix(" IO Latency Histogram")?;
    OPERATIONS.iter().position(|(printed, _)| *printed == name)
}

/// `[16       - 32      ] => 41`.
fn row(text: &str) -> Option<Row> {
    let (range, count) = text.strip_prefix('[')?.split_once("] =>")?;
    let (lo, hi) = range.split_once('-')?;
    let whole = |text: &str| number::whole(text.trim().as_bytes()).ok();
    Some(Row { lo: whole(lo)?, hi: Some(whole(hi)?), count: whole(count)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_headings_are_read() {
        let read = row("[16       - 32      ] => 41");
        assert_eq!(read, Some(Row { lo: 16, hi: Some(32), count: 41 }));
        for other in ["[16 - 32]", "[a - 32 ] => 1", "16 - 32 ] => 1", "[16 - 32 ] => -1"] {
            assert_eq!(row(other), None, "{other}");
        }
        assert_eq!(heading("Write IO Latency Histogram"), Some(1));
        assert_eq!(heading("Read IO Latency Histogram by size"), None);
    }
}
