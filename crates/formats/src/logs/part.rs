//! A part of a log: which fields its lines have is read at its beginning.

use std::io::BufRead;

use isotherm_frame::{Place, Reading};

use super::line::LineParser;
use super::reader::{Events, FirstLine, learn};
use super::request::FieldChoice;
use crate::file_part::{FilePart, Foreword, InRange, Latest, Reach, refusal, unread};
use crate::{Context, DecodeError, LineReader, Note, Sink};

/// Reads the lines that begin in a part.
pub(super) fn read(
    part: &FilePart<'_>,
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<Reach, DecodeError> {
    let fixed = context.zone.as_ref().is_none_or(|zone| zone.to_fixed_offset().is_ok());
    if !fixed {
        return Err(refusal(
            "where clocks are set back, the moment of a local time follows from the lines before: give \
             --zone as an offset such as +01:00, or read the whole file",
        ));
    }
    let range = part.lines().map_err(unread(part.asked.start))?;
    let reach = part.reach(&range);
    let wanted = FieldChoice::of(context)?;
    let mut whole = part.reader(0..part.size());
    let mut lines = LineReader::new(&mut whole);
    let Some((choice, first)) = learn(&mut lines, &wanted, false)? else { return Ok(reach) };
    sink.note(Note::Said(choice.words.clone().into()));
    let mut parser = LineParser::of(&choice.name, &wanted);
    let mut events = Events::new(choice, &wanted, context);
    let latest = Latest::default();
    // The first event says whether times are dates.
    first.iter().find_map(|line| events.moment(line.line(), &mut parser, &mut Foreword(sink)));
    let held = |line: &&FirstLine| range.contains(&line.line().place.byte);
    let mut within = InRange::new(sink, part, (0, &latest));
    for line in first.iter().filter(held) {
        events.line(line.line(), &mut parser, &mut within);
    }
    events.tell(&mut within);
    let start = range.start.max(lines.place().byte).min(range.end);
    let mut inside = part.reader(start..range.end);
    let mut within = InRange::new(sink, part, (start, &latest));
    let ended = LineReader::at(&mut inside, Place { line: 1, byte: start })
        .each(|line| events.line(line, &mut parser, &mut within));
    events.tell(&mut within);
    ended?;
    events.finish(&mut Foreword(sink));
    if !events.is_dated() {
        return Err(refusal(
            "its times have no date or no year, so that the day follows from all lines before: read the \
             whole file",
        ));
    }
    if events.has_too_many_series() {
        return Err(refusal(
            "its attributes have too many values, and only the first ones of the file become series: leave \
             some out, or read the whole file",
        ));
    }
    let mut within = InRange::new(sink, part, (range.end, &latest));
    tell_next(part.reader(range.end..part.size()), (&mut events, &mut parser), &mut within)?;
    Ok(reach)
}

/// Tells of the first event behind the part that ended later than all of it.
fn tell_next(
    mut rest: impl BufRead + Send,
    (events, parser): (&mut Events<'_>, &mut LineParser),
    sink: &mut InRange<'_>,
) -> Result<(), DecodeError> {
    let mut lines = LineReader::new(&mut rest);
    let Some(last) = sink.latest() else { return Ok(()) };
    while let Some(line) = lines.next_line()? {
        if let Some((at, latency)) = events.moment(line, parser, &mut Foreword(sink)) {
            sink.reading(Reading::Unselected { at, latency });
            if at > last {
                break;
            }
        }
    }
    Ok(())
}
