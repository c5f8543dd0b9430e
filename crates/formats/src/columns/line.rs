//! Lines of data, one by one.

use isotherm_frame::numbers::counted;
use isotherm_frame::plausible::{LEAST_FULL_COUNTER, TEN_YEARS};
use isotherm_frame::{Nanos, Place, Reading, Rejection, Series, Timestamp};

use super::fields::Fields;
use super::layout::{Layout, RepeatedHead};
use super::names::{TimeRole, Role};
use super::plausible::Sample;
use super::quick::{Plain, Quick};
use super::series::SeriesByAttributes;
use super::time::Times;
use crate::lines::decimals;
use crate::number::{self, shown, with_point};
use crate::{Context, DecodeError, Line, LineReader, Note, Sink};

/// Tells the sink the event of each line.
pub(super) struct Events<'c> {
    layout: Layout,
    pub(super) context: &'c Context,
    /// Where the latency is.
    latency: usize,
    times: Option<Times>,
    /// Without a time column: the end of the last operation if each began when the last ended.
    elapsed: Timestamp,
    fields: Fields,
    series: SeriesByAttributes,
    pub(super) quick: Option<Quick>,
    /// The events of plain lines that are not reported yet.
    plain: Vec<Plain>,
    /// The first events, until they have been looked at.
    sample: Option<Sample>,
    /// A head that names other columns or units: what is below it is not read.
    other_head: Option<Place>,
    /// Whether it was said that a latency is in minutes.
    says_minutes: bool,
}

/// How far lines were read one after the other.
pub(super) enum Reached {
    End,
    /// The first events have been looked at, and most lines are plain.
    PlainLines,
}

impl<'c> Events<'c> {
    const NO_TIMES: &'static str = "no column has a time: each operation is assumed to begin when \
        the one before ended (--columns)";
    const NOT_ENDED: &'static str =
        "the last line has no line end: the line and its latency may be truncated";

    const MINUTES: &'static str = "an m behind a latency, as in 2m, is read as minutes";

    const SKIP: &'static str = "--columns: - skips a column";

    /// Plain lines read before their events are reported.
    const AT_ONCE: usize = 1_024;

    pub(super) fn new(layout: Layout, context: &'c Context, sink: &mut dyn Sink) -> Events<'c> {
        let latency = layout.roles.iter().position(|role| matches!(role, Role::Latency(_)));
        let elapsed = Timestamp::new(0);
        let series = SeriesByAttributes::new("latency", context.most_series(), Events::SKIP);
        let fields = Fields::default();
        if layout.times.is_empty() {
            let live = context.is_live();
            let clock =
                if live { isotherm_frame::Clock::Epoch } else { isotherm_frame::Clock::Assumed };
            sink.note(Note::Clock(clock));
            if !live {
                sink.note(Note::Said(Events::NO_TIMES.into()));
            }
        }
        let latency = latency.unwrap_or(0);
        let sample = Sample::new(layout.latency_unit, !layout.times.is_empty(), layout.others);
        let (times, quick, plain, sample) = (None, None, Vec::new(), Some(sample));
        Events {
            layout,
            context,
            latency,
            times,
            elapsed,
            fields,
            series,
            quick,
            plain,
            sample,
            other_head: None,
            says_minutes: false,
        }
    }

    /// All lines have been read: tells what is known only then.
    pub(super) fn finish(&mut self, sink: &mut dyn Sink) {
        self.judge(sink);
        if let Some(said) = self.times.as_ref().and_then(Times::unplaced) {
            sink.note(Note::Said(said.into()));
        }
    }

    /// Tells what the first events say against how they are read, once.
    fn judge(&mut self, sink: &mut dyn Sink) {
        for warning in self.sample.take().iter().flat_map(Sample::warnings) {
            sink.note(Note::Said(warning.into()));
        }
    }

    /// Reads the lines that follow, to their end or until several threads may read them.
    pub(super) fn read_lines(
        &mut self,
        lines: &mut LineReader<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Reached, DecodeError> {
        loop {
            if let (Some(quick), Ok(ahead)) = (&self.quick, lines.ahead()) {
                if ahead.is_empty() {
                    return Ok(Reached::End);
                }
                let bytes = quick.read(ahead, Events::AT_ONCE, &mut self.plain);
                lines.pass(bytes, self.plain.len() as u64);
                self.tell_plain(sink);
                if bytes > 0 {
                    continue;
                }
            }
            if self.sample.as_ref().is_some_and(Sample::is_full) {
                self.judge(sink);
                if self.context.readers() > 1 && self.quick.is_some() {
                    return Ok(Reached::PlainLines);
                }
            }
            match lines.next_line()? {
                Some(line) => self.line(line, sink),
                None => return Ok(Reached::End),
            }
        }
    }

    /// Tells the events of plain lines.
    fn tell_plain(&mut self, sink: &mut dyn Sink) {
        if let Some(sample) = &mut self.sample {
            for &(at, latency) in &self.plain {
                sample.add(at, latency);
            }
        }
        sink.events(self.plain_series(), &self.plain);
        self.plain.clear();
    }

    /// The series of lines without attributes.
    pub(super) fn plain_series(&self) -> &Series {
        self.series.without_attributes()
    }

    /// Reads one line of any kind.
    pub(super) fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.bytes.trim_ascii();
        if text.is_empty() {
            return;
        }
        if let Some(words) = text.strip_prefix(b"#") {
            if self.layout.repeated_head(words) == Some(RepeatedHead::Other) {
                return self.end_at(line, sink);
            }
            return sink.note(Note::Ignored);
        }
        if !line.ended {
            sink.note(Note::Said(Events::NOT_ENDED.into()));
        }
        if let Some(reason) = self.below_other_head() {
            sink.reject(Rejection { place: line.place, reason: reason.into(), events: 1 });
            return;
        }
        match self.event(line, sink) {
            Ok((at, series, latency)) => {
                if let Some(sample) = &mut self.sample {
                    sample.add(at, latency);
                }
                sink.record();
                if latency >= LEAST_FULL_COUNTER {
                    let is_start = self.layout.moment == TimeRole::Start;
                    sink.read_at(line.place, if is_start { at.minus(latency) } else { at });
                }
                sink.reading(Reading::Event { at, series, latency });
            }
            Err((reason, events)) => match self.layout.repeated_head(line.bytes) {
                Some(RepeatedHead::Same) => sink.note(Note::Ignored),
                Some(RepeatedHead::Other) => self.end_at(line, sink),
                None => {
                    sink.reject(Rejection { place: line.place, reason: reason.into(), events });
                }
            },
        }
    }

    /// A head that names other columns or units ends what can be read.
    fn end_at(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        if self.other_head.is_some() {
            return sink.note(Note::Ignored);
        }
        (self.other_head, self.quick) = (Some(line.place), None);
        let text = format!(
            "line {} is another head, '{}': what is below it is not read (split the file there)",
            line.place.line,
            shown(line.bytes)
        );
        sink.note(Note::Said(text.into()));
        sink.note(Note::Ignored);
    }

    /// Why lines are not read any more.
    fn below_other_head(&self) -> Option<String> {
        let head = self.other_head?;
        Some(format!("it is below another head, that of line {}", head.line))
    }

    /// Tells the events of plain lines, the first of which is at a place.
    pub(super) fn plain_lines(&self, events: &[Plain], place: Place, sink: &mut dyn Sink) {
        let Some(reason) = self.below_other_head() else {
            return sink.events(self.plain_series(), events);
        };
        for line in (place.line..).take(events.len()) {
            let place = Place { line, ..place };
            sink.reject(Rejection { place, reason: reason.clone().into(), events: 1 });
        }
    }

    /// When the event of a line ended and how long it took; `None` if it has none.
    pub(super) fn moment(
        &mut self,
        line: Line<'_>,
        sink: &mut dyn Sink,
    ) -> Option<(Timestamp, Nanos)> {
        let text = line.bytes.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") {
            return None;
        }
        self.placed(line, sink).ok()
    }

    /// Whether some combinations of attributes are counted together.
    pub(super) fn has_too_many_series(&self) -> bool {
        self.series.has_too_many()
    }

    /// The event of a line, or why there is none and how many events it stands for.
    fn event(&mut self, line: Line<'_>, sink: &mut dyn Sink) -> Result<Event, (String, u64)> {
        let (at, latency) = self.placed(line, sink)?;
        let (fields, roles) = (&self.fields, self.layout.roles.iter().enumerate());
        let attributes = roles.filter_map(|(index, role)| match role {
            Role::Attribute(name) => Some((name.as_str(), Some(fields.text(line.bytes, index)))),
            _ => None,
        });
        let series = self.series.of(attributes, sink).clone();
        Ok((at, series, latency))
    }

    /// When the event of a line ended and how long it took, or why there is none and how many events it
    /// stands for.
    fn placed(
        &mut self,
        line: Line<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(Timestamp, Nanos), (String, u64)> {
        self.fields.split(line.bytes, self.layout.separator);
        let (found, expected) = (self.fields.len(), self.layout.roles.len());
        if line.cut {
            return Err(("a line longer than 1 MiB".into(), 0));
        }
        if found < expected || found > self.layout.most {
            let text = shown(line.bytes);
            let found = counted(found as u64, "column");
            return Err((format!("{found} where {expected} are expected: '{text}'"), 0));
        }
        let last = self.fields.get(line.bytes, found.saturating_sub(1));
        if !line.ended && self.layout.last_decimals.is_some_and(|all| decimals(last) < all) {
            let text = shown(last);
            return Err((format!("the input ends within '{text}': others have more decimals"), 1));
        }
        let latency = self.latency(line.bytes).map_err(|reason| (reason, 1))?;
        if !self.says_minutes && number::is_in_minutes(self.fields.get(line.bytes, self.latency)) {
            self.says_minutes = true;
            sink.note(Note::Said(Events::MINUTES.into()));
        }
        let at = self.time(line.bytes, latency, sink).map_err(|reason| (reason, 1))?;
        Ok((at, latency))
    }

    fn latency(&self, line: &[u8]) -> Result<Nanos, String> {
        let text = self.fields.get(line, self.latency);
        if text.is_empty() {
            return Err("the row has no latency".to_owned());
        }
        if self.layout.decimal_comma && text.contains(&b'.') && !text.contains(&b':') {
            return Err(format!(
                "the latency '{}' has a point where others have a comma: the point may separate thousands or decimals",
                shown(text)
            ));
        }
        let number = with_point(text, self.layout.decimal_comma);
        let latency = number::length(&number, self.layout.latency_unit).map(Nanos::new);
        let latency = latency.map_err(|wrong| wrong.about("latency", text))?;
        if latency > TEN_YEARS {
            return Err(format!("the latency '{}' is longer than ten years", shown(text)));
        }
        Ok(latency)
    }

    fn time(
        &mut self,
        line: &[u8],
        latency: Nanos,
        sink: &mut dyn Sink,
    ) -> Result<Timestamp, String> {
        let Some((&(first, form), more)) = self.layout.times.split_first() else {
            self.elapsed = self.elapsed.plus(latency);
            return Ok(self.context.arrived().unwrap_or(self.elapsed));
        };
        let text = |index| with_point(self.fields.get(line, index), self.layout.decimal_comma);
        let mut written = Times::read(&text(first), form)?;
        for &(index, form) in more {
            let part = Times::read(&text(index), form)?;
            written.ns = written.ns.saturating_add(part.ns);
        }
        let since = if self.layout.moment == TimeRole::Start { latency } else { Nanos::ZERO };
        let times = self.times.get_or_insert_with(|| {
            let times = Times::new((form, written, since), self.context, sink);
            let offset = times.offset();
            let plain = offset.and_then(|by| Quick::new(&self.layout, by));
            self.quick = plain;
            times
        });
        // What begins at a time ends its latency later.
        let at = times.place(written, sink).ok_or("the time is too large to be true")?;
        if let Some(quick) = &mut self.quick {
            quick.before = times.before();
        }
        Ok(at.plus(since))
    }
}

/// When an event ended, its series, and how long it took.
type Event = (Timestamp, Series, Nanos);
