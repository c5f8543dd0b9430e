//! A part of a text: what its columns are is read at its beginning.

use isotherm_frame::{Place, Reading};

use super::by_blocks;
use super::finder::Finder;
use super::hint;
use super::layout::Layout;
use super::line::Events;
use super::time::Form;
use crate::file_part::{FilePart, Foreword, InRange, Latest, Reach, refusal, unread};
use crate::foreign::Foreign;
use crate::{Context, DecodeError, LineReader, Sink};

/// Reads the lines that begin in a part.
pub(super) fn read(
    part: &FilePart<'_>,
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<Reach, DecodeError> {
    let range = part.lines().map_err(unread(part.asked.start))?;
    let reach = part.reach(&range);
    let mut whole = part.reader(0..part.size());
    let head = crate::peek(&mut whole).unwrap_or_default();
    let known = Foreign::recognise(&head);
    let mut finder = Finder::new(context, known, &head)?;
    let mut lines = LineReader::new(&mut whole);
    while let Some(line) = lines.next_line()? {
        let at = line.place.byte;
        let found = if range.contains(&at) {
            finder.line(line, sink)?
        } else {
            finder.line(line, &mut Foreword(sink))?
        };
        let Some(layout) = found else { continue };
        check(&layout, context)?;
        let latest = Latest::default();
        // The first line of data says what clock the times are of.
        let mut events = if range.contains(&at) {
            Events::new(layout, context, sink)
        } else {
            Events::new(layout, context, &mut Foreword(sink))
        };
        if range.contains(&at) {
            events.line(line, &mut InRange::new(sink, part, (0, &latest)));
        } else {
            events.line(line, &mut Foreword(sink));
        }
        let start = range.start.max(lines.place().byte).min(range.end);
        let mut inside = part.reader(start..range.end);
        let mut inside = LineReader::at(&mut inside, Place { line: 1, byte: start });
        let mut within = InRange::new(sink, part, (start, &latest));
        by_blocks::read(&mut events, &mut inside, &mut within)?;
        if events.has_too_many_series() {
            return Err(refusal(
                "its attributes have too many values, and only the first ones of the file become series: \
                 leave some out (--columns: - skips a column), or read the whole file",
            ));
        }
        let next = range.end.max(lines.place().byte);
        tell_next(
            part.reader(next..part.size()),
            &mut events,
            &mut InRange::new(sink, part, (next, &latest)),
        )?;
        return Ok(reach);
    }
    finder.finish()?;
    Ok(reach)
}

/// Fails where what a line says depends on the lines before it.
fn check(layout: &Layout, context: &Context) -> Result<(), DecodeError> {
    if let Some(refusal) = hint::refused_by(&layout.roles, context) {
        return Err(DecodeError::Nothing(refusal));
    }
    if layout.times.is_empty() {
        return Err(refusal(
            "no column has a time, so that each operation begins where the one before it ends. Name the column \
             with --columns, or read the whole file",
        ));
    }
    if layout.times.iter().any(|(_, form)| *form == Form::OfDay) {
        return Err(refusal(
            "its times have no date, so that the day follows from all lines before: read the whole file",
        ));
    }
    let fixed = context.zone.as_ref().is_none_or(|zone| zone.to_fixed_offset().is_ok());
    if !fixed && layout.times.iter().any(|(_, form)| matches!(form, Form::Date | Form::Slashed(_))) {
        return Err(refusal(
            "where clocks are set back, the moment of a local time follows from the lines before: give \
             --zone as an offset such as +01:00, or read the whole file",
        ));
    }
    Ok(())
}

/// Tells of the first event behind the part that ended later than all of it.
fn tell_next(
    mut rest: impl std::io::BufRead + Send,
    events: &mut Events<'_>,
    sink: &mut InRange<'_>,
) -> Result<(), DecodeError> {
    let mut lines = LineReader::new(&mut rest);
    let Some(last) = sink.latest() else { return Ok(()) };
    while let Some(line) = lines.next_line()? {
        if let Some((at, latency)) = events.moment(line, &mut Foreword(sink)) {
            sink.reading(Reading::Unselected { at, latency });
            if at > last {
                break;
            }
        }
    }
    Ok(())
}
