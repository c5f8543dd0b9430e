//! Text with a time and a latency on each line: what is read when no other source knows the input.

mod by_blocks;
mod cells;
mod fields;
mod hint;
mod layout;
mod finder;
mod line;
mod names;
mod part;
mod plausible;
mod quick;
mod series;
mod time;

use std::io::BufRead;

pub(crate) use self::cells::is_nothing;
pub(crate) use self::fields::{Fields, Separator};
pub(crate) use self::hint::name_columns;
pub(crate) use self::series::SeriesByAttributes;
use self::finder::Finder;
use self::line::Events;
use crate::foreign::{Foreign, Way};
use crate::{
    Context, Counting, DecodeError, FilePart, LineReader, Meta, Reach, ReadingOption, Sink, Source,
    Verdict,
};

/// Reads lines of a time and a latency.
pub(crate) struct Columns;

pub(crate) static SOURCE: Columns = Columns;

static META: Meta = Meta {
    name: "columns",
    address: "FILE or -, with --columns NAMES unless it is two plain columns",
    about: "Any text with a timestamp and a latency on each line: logs, CSV, your own traces",
    needs: &[],
    command: "strace -ttt -T -e trace=write dd if=/dev/zero of=scratch bs=8k oflag=dsync 2>&1 | \
        sed -nuE 's/^([0-9.]+) .*<([0-9.]+)>$/\\1 \\2/p' | isotherm live - --columns start,latency --unit s",
    overhead: "None: reading text costs nothing on the measured system. isotherm reads ten million \
        lines of 'time latency' in 0.28 s on one core.",
    loses: "The exact latency within a bucket, which is at most 12.5 % wide. If the text does not \
        name a unit, isotherm assumes one and reports it. Columns that are not read are listed. A \
        warning appears if the values do not fit the assumed columns and units.",
    counting: Counting::Events,
    exact_time: true,
    example: "\
1795253272.365783 0.000182
1795253272.366057 0.000146
1795253272.366245 0.000145
1795253272.366435 0.000151
1795253272.366631 0.000150
1795253272.366825 0.000151
",
    interpretation: "Six synchronous writes of 8 KiB one after the other, each about 150 \
        microseconds; the first took 182. Columns may be separated by blanks, tabs, commas or \
        semicolons, and a header may name them. A latency may have its unit behind it (5ms, 2m, \
        1m2.5s, PT0.5S, 00:00:01.234, 01:02.345). Between semicolons a comma is a decimal one \
        where some number shows it (1,25). The time may be seconds, ms, us or ns since 1970, \
        a date, or a time of day. It is taken as the end of the event, like a column named end; a \
        column named start is the beginning, as strace -ttt prints it.",
};

impl Source for Columns {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        // Sums of intervals have a time and may have an elapsed time, which is no latency.
        let is_elsewhere =
            || Foreign::recognise(head).is_some_and(|known| matches!(known.way, Way::Elsewhere(_)));
        let mine = cells::looks_like_columns(head) && !is_elsewhere();
        if mine { Verdict::Unsure } else { Verdict::No }
    }

    fn tells_apart(&self) -> bool {
        true
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Temporality]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let head = crate::peek(input).unwrap_or_default();
        let known = Foreign::recognise(&head);
        let mut lines = LineReader::new(input);
        let mut finder = Finder::new(context, known, &head)?;
        while let Some(line) = lines.next_line()? {
            if let Some(layout) = finder.line(line, sink)? {
                if let Some(refusal) = hint::refused_by(&layout.roles, context) {
                    return Err(DecodeError::Nothing(refusal));
                }
                let mut events = Events::new(layout, context, sink);
                events.line(line, sink);
                return by_blocks::read(&mut events, &mut lines, sink);
            }
        }
        finder.finish()
    }

    fn decode_part(
        &self,
        part: &FilePart<'_>,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<Reach, DecodeError> {
        part::read(part, context, sink)
    }
}

#[cfg(test)]
mod tests;
