//! Text with a time and a latency on each line: what is read when no other source knows the input.

mod fields;
mod layout;
mod line;
mod names;
mod quick;
mod time;

use std::io::BufRead;

use self::layout::Finder;
use self::line::Events;
use crate::{Context, DecodeError, LineReader, Meta, Sink, Source, Verdict};

/// Reads lines of a time and a latency.
pub(crate) struct Columns;

pub(crate) static SOURCE: Columns = Columns;

static META: Meta = Meta {
    name: "columns",
    address: "FILE or -, with --columns NAMES unless it is two plain columns",
    about: "Any text with a time and a latency on each line: logs, CSV, traces of your own",
    needs: &[],
    command: "isotherm show requests.txt --columns time,latency,endpoint --unit ms",
    overhead: "None here: whoever wrote the lines has paid. Ten million lines of 'time latency' \
        are read in about half a second on one core.",
    loses: "Nothing of the latencies: they are kept in buckets of at most 12.5 % width and their \
        total time is exact. A unit that the text does not name is assumed and said.",
    exact_time: true,
    example: "\
# time latency
1795239020.104512 131
1795239020.119874 128
1795239020.136021 4402
",
    interpretation: "Three operations ended within 32 ms of each other; with --unit us the third \
        took 4.4 ms, 34 times as long as the others. Columns may be separated by blanks, tabs, \
        commas or semicolons; the time may be in seconds, ms, us or ns since 1970, a date, or a \
        time of day.",
};

impl Source for Columns {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if layout::looks_like_columns(head) { Verdict::Unsure } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut dyn BufRead,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut lines = LineReader::new(input);
        let mut finder = Finder::new(context)?;
        while let Some(line) = lines.next_line()? {
            if let Some(layout) = finder.line(line, sink)? {
                let mut events = Events::new(layout, context, sink);
                events.line(line, sink);
                return events.read(&mut lines, sink);
            }
        }
        finder.finish()
    }
}

#[cfg(test)]
mod tests;
