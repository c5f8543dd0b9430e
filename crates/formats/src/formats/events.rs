//! The events of rows.

use std::borrow::Cow;

use isotherm_frame::plausible::TEN_YEARS;
use isotherm_frame::{Clock, Nanos, Place, Timestamp, Unit, UnmetAttribute};

use super::choice::Chosen;
use super::definition::{LatencyField, OUTCOME, TimeMoment};
use super::format::{AttributePlan, Choice, Format};
use super::midnight::Midnight;
use super::nested::{Nested, Pause};
use super::parts::Parts;
use super::row::Splitter;
use super::runs::{RunTotals, Runs};
use super::values::{Test, are_seconds_of, short_path};
use crate::columns::{SeriesByAttributes, is_nothing};
use crate::logs::WrittenTimes;
use crate::number::{self, shown, with_point};
use crate::sink::reject;
use crate::unread_options::say_named_unit;
use crate::{Context, DecodeError, Note, Sink};

/// Tells the sink the event of each row.
pub(super) struct Events<'c> {
    format: &'c Format,
    context: &'c Context,
    /// The sort of events that is read, and where its latency is.
    choice: &'c Choice,
    chosen: &'c Chosen,
    latency: &'c LatencyField,
    unit: Option<Unit>,
    /// The attributes that tell series apart, and whether any event had each.
    attributes: Vec<(AttributePlan, bool)>,
    /// Whether some event had each of them.
    are_met: bool,
    times: WrittenTimes,
    /// From times since an unknown start to the clock of a live input; none until there is one.
    offset: Option<i64>,
    series: SeriesByAttributes,
    /// What stood around the line, as a container runtime writes it: when it was written.
    stamp: Option<String>,
    /// The first sort that comes before the one that is read, and turned up later.
    leading: Option<&'c str>,
    /// Where no line has a time: the end of the last event.
    elapsed: Timestamp,
    /// How many there were.
    count: u64,
    /// Rows, and lines that say that one was lost: what stands for the time where there is none.
    rows: u64,
    runs: Runs,
    parts: Parts,
    nested: Nested,
    midnight: Midnight,
    /// Rows without a latency, and those of them that failed.
    without: (u64, u64),
}

const LESS_THAN: &str = "latencies written as less than a time are counted as half of it";

impl<'c> Events<'c> {
    /// Gives the fields to look at, too.
    pub(super) fn new(
        format: &'c Format,
        chosen: &'c Chosen,
        context: &'c Context,
        is_stamped: bool,
        sink: &mut dyn Sink,
    ) -> Result<(Events<'c>, Vec<Vec<String>>), DecodeError> {
        let (definition, title) = (&format.definition, &format.definition.title);
        if let Some(refusal) = &definition.refuse {
            return Err(DecodeError::Nothing(format!("this is {title}: {refusal}")));
        }
        let Some(choice) = chosen.choice(format) else {
            return Err(DecodeError::Nothing(format!("this is {title}, which has no latency")));
        };
        let latency = &choice.latency;
        let given = latency.usual.as_ref().and(context.unit);
        let unit = given.or(latency.unit).or(context.unit);
        say_unit(latency, unit, context, sink);
        sink.note(Note::Assumed(definition.read_as().into()));
        say_what_is_assumed(format, chosen, is_stamped, sink);
        let time = definition.time.as_ref();
        let time_unit = time.and_then(|time| time.unit).or(context.time_unit);
        let times = WrittenTimes::new(context, time_unit, time.is_some_and(|time| time.utc));
        let mut fields = format.fields.clone();
        let attributes = attributes(format, context, &mut fields);
        let series = SeriesByAttributes::new(choice.name.clone(), context.most_series(), "--by chooses attributes");
        if time.is_none() && !context.is_live() && !is_stamped {
            sink.note(Note::Clock(Clock::Assumed));
        }
        let events = Events {
            format,
            context,
            choice,
            chosen,
            latency,
            unit,
            attributes,
            are_met: false,
            times,
            offset: None,
            series,
            stamp: None,
            leading: None,
            elapsed: Timestamp::new(0),
            count: 0,
            rows: 0,
            runs: Runs::default(),
            parts: Parts::default(),
            nested: Nested::default(),
            midnight: Midnight::default(),
            without: (0, 0),
        };
        Ok((events, fields))
    }

    /// Tells the event of a row.
    pub(super) fn row(&mut self, line: &[u8], row: &Splitter, place: Place, sink: &mut dyn Sink) {
        let value = |field: usize| row.get(line, field).unwrap_or_default();
        let holds = |(field, tests): &(usize, Vec<Test>)| {
            let value = value(*field);
            tests.iter().any(|test| test.holds(&value))
        };
        if !self.format.only.iter().all(holds) {
            return sink.note(Note::Ignored);
        }
        if !self.choice.holds(&value) {
            if self.leading.is_none() && !self.chosen.is_asked {
                let mut before = self.format.choices.iter().take(self.chosen.at);
                self.leading = before.find(|choice| choice.holds(&value)).map(|choice| &*choice.name);
            }
            return sink.note(Note::Ignored);
        }
        let has_failed = self.has_failed(line, row);
        self.rows += 1;
        if self.latency.list {
            return self.list(line, row, place, sink);
        }
        let latency = match self.latency(&value, sink) {
            Ok(Some(latency)) => latency,
            Ok(None) => {
                self.without.0 += 1;
                self.without.1 += u64::from(has_failed);
                return sink.note(Note::Ignored);
            }
            Err(reason) => return reject(sink, place, reason, 1),
        };
        let since = self.format.since.filter(|_| self.format.time.iter().any(|field| row.is_carried(*field)));
        let since = since.and_then(|field| row.get(line, field));
        let at = match self.time(&value, latency, since.as_deref(), sink) {
            Ok(at) => at,
            Err(reason) => return reject(sink, place, reason, 1),
        };
        if let Some([name, group]) = self.format.parts {
            let time = (at.minus(latency), at);
            match row.get(line, group) {
                Some(group) if self.parts.is_part(&value(name), &group, time) => return sink.note(Note::Ignored),
                Some(_) => {}
                None => self.parts.may_be_part(&value(name), time),
            }
        }
        self.event(at, latency, (line, row, has_failed), sink);
    }

    /// Whether a row shows that its event failed.
    fn has_failed(&self, line: &[u8], row: &Splitter) -> bool {
        let is_there = |(field, _): &(usize, Vec<Test>)| row.has(line, *field);
        let failed = match &self.choice.failed {
            Some(failed) => failed,
            None if self.format.failed_else.is_empty() || self.format.failed.iter().any(is_there) => &self.format.failed,
            None => &self.format.failed_else,
        };
        failed.iter().any(|(field, tests)| {
            row.get(line, *field).is_some_and(|value| tests.iter().any(|test| test.holds(&value)))
        })
    }

    /// Tells an event of a row, of which it is known whether it failed.
    fn event(&mut self, at: Timestamp, latency: Nanos, of: (&[u8], &Splitter, bool), sink: &mut dyn Sink) {
        let (line, row, has_failed) = of;
        let value = |field: usize| row.get(line, field).unwrap_or_default();
        if !self.are_met {
            for (attribute, is_met) in self.attributes.iter_mut().filter(|(_, is_met)| !is_met) {
                *is_met = attribute.field.is_none_or(|field| row.has(line, field));
            }
            self.are_met = self.attributes.iter().all(|(_, is_met)| *is_met);
        }
        let attributes = self.attributes.iter().map(|(attribute, _)| {
            let value = match attribute.field {
                None if has_failed => Some(b"failed".as_slice().into()),
                None => Some(b"ok".as_slice().into()),
                Some(field) => match value(field) {
                    empty if empty.is_empty() => None,
                    path if attribute.is_path => Some(Cow::Owned(short_path(&path).into_owned())),
                    plain => Some(plain),
                },
            };
            (attribute.name.as_str(), value)
        });
        let series = self.series.of(attributes, sink);
        self.count += 1;
        let number = self.format.within.and_then(|field| number::whole(&value(field)).ok());
        if let Some(number) = number {
            return self.nested.take(Pause { number, at, latency, series: series.clone() }, sink);
        }
        sink.record();
        sink.event(at, series, latency);
    }

    /// Tells the events of a row that has several, one an interval: `4.21 4.18 - 9.03`.
    fn list(&mut self, line: &[u8], row: &Splitter, place: Place, sink: &mut dyn Sink) {
        let interval = self.context.assumed_interval().as_nanos();
        let Some(text) = self.choice.fields.first().and_then(|field| row.get(line, *field)) else { return };
        let all = text.split(|byte| *byte == b' ').filter(|text| !text.is_empty());
        for (number, one) in (0..).zip(all) {
            if one == b"-" {
                self.runs.lost(None, sink);
                continue;
            }
            let latency = self.length(one, sink);
            let at = self.relative(interval.saturating_mul(number), Nanos::ZERO, sink);
            match latency.and_then(|latency| Ok((at?, latency))) {
                Ok((at, latency)) => self.event(at, latency, (line, row, false), sink),
                Err(reason) => reject(sink, place, reason, 1),
            }
        }
    }

    /// An event was lost, as a line says.
    pub(super) fn lost(&mut self, number: Option<u64>, sink: &mut dyn Sink) {
        self.rows += 1;
        self.runs.lost(number.filter(|_| self.format.sequence.is_some()), sink);
    }

    /// A line says that something was sent.
    pub(super) fn sent(&mut self, number: u64, sink: &mut dyn Sink) {
        self.runs.sent(number, sink);
    }

    /// A line begins a run, or ends it with its totals.
    pub(super) fn run(&mut self, totals: Option<RunTotals>, sink: &mut dyn Sink) {
        match totals {
            None => self.runs.begin(sink),
            Some(totals) => self.runs.summary(totals, sink),
        }
    }

    /// Tells what is known when all has been read.
    pub(super) fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        if self.count == 0 && !self.chosen.others.is_empty() {
            let (title, name) = (&self.format.definition.title, &self.choice.name);
            let others = self.chosen.others.join(", ");
            return Err(DecodeError::Nothing(format!("this is {title} without {name}; --series chooses {others}")));
        }
        let wanted = self.context.series.as_deref().filter(|_| self.count > 0);
        let could_be_named = wanted.and_then(|wanted| {
            self.chosen.could_be_named(wanted, &self.choice.name, self.series.all())
        });
        if let Some(said) = could_be_named {
            sink.note(Note::Said(said.into()));
        }
        if let Some(leading) = self.leading {
            let said = format!("{leading} is there, too, and not read: --series {leading} chooses it");
            sink.note(Note::Said(said.into()));
        }
        self.parts.finish(sink);
        self.nested.finish(sink);
        let lost = self.runs.finish(sink);
        if self.count == 0 && lost > 0 {
            let title = &self.format.definition.title;
            return Err(DecodeError::Nothing(format!("this is {title} without an answer: {}", all_lost(lost))));
        }
        let (without, failed) = self.without;
        if without > 0 {
            let of_them = if failed > 0 { format!(" ({failed} of them failed)") } else { String::new() };
            let said = format!("{without} requests have no latency{of_them}: they are not counted");
            sink.note(Note::Said(said.into()));
        }
        let is_asked = |name: &str| self.context.by.iter().any(|asked| asked.trim() == name);
        let unmet = self.attributes.iter().filter(|(_, is_met)| !is_met && self.count > 0);
        for (attribute, _) in unmet.filter(|(attribute, _)| is_asked(&attribute.name)) {
            let name = attribute.name.clone();
            sink.note(Note::UnmetAttribute(UnmetAttribute { name, event: "event" }));
        }
        Ok(())
    }

    /// When the line that follows was written, as what is around it says.
    pub(super) fn stamped(&mut self, stamp: Option<&str>) {
        match (stamp, &mut self.stamp) {
            (Some(stamp), Some(kept)) => {
                kept.clear();
                kept.push_str(stamp);
            }
            (stamp, kept) => *kept = stamp.map(str::to_owned),
        }
    }

    /// That moment.
    fn stamp(&mut self, sink: &mut dyn Sink) -> Option<Timestamp> {
        self.times.read(self.stamp.as_deref()?, sink)?.ok()
    }

    /// The latency of a row, if it has one.
    fn latency<'r>(
        &self,
        value: &dyn Fn(usize) -> Cow<'r, [u8]>,
        sink: &mut dyn Sink,
    ) -> Result<Option<Nanos>, String> {
        if !self.latency.between.is_empty() {
            return self.between(value);
        }
        let mut total = Nanos::ZERO;
        for field in &self.choice.fields {
            let text = value(*field);
            if self.latency.several && text.iter().any(|byte| matches!(byte, b',' | b':')) {
                let sum = self.several(&text, sink)?.map(|length| total.checked_add(length));
                let Some(sum) = sum else { return Ok(None) };
                total = sum.ok_or("the latency is too large to be true")?;
                continue;
            }
            if is_nothing(&text) || &*text == b"-1" {
                return Ok(None);
            }
            let sum = total.checked_add(self.length(&text, sink)?);
            total = sum.ok_or("the latency is too large to be true")?;
        }
        let seconds = self.choice.whole_seconds.map(value);
        if let Some(seconds) = seconds.filter(|seconds| !are_seconds_of(seconds, total.as_nanos())) {
            return Err(format!("its whole seconds, '{}', are not those of {total}", shown(&seconds)));
        }
        Ok(Some(total))
    }

    /// The sum of several lengths of time, as nginx writes those of each server it tried.
    fn several(&self, text: &[u8], sink: &mut dyn Sink) -> Result<Option<Nanos>, String> {
        let mut total = None;
        for part in text.split(|byte| matches!(byte, b',' | b':')).map(<[u8]>::trim_ascii) {
            if is_nothing(part) {
                continue;
            }
            let sum = total.unwrap_or(Nanos::ZERO).checked_add(self.length(part, sink)?);
            total = Some(sum.ok_or("the latency is too large to be true")?);
        }
        Ok(total)
    }

    fn between<'r>(&self, value: &dyn Fn(usize) -> Cow<'r, [u8]>) -> Result<Option<Nanos>, String> {
        let [begin, end] = self.choice.fields[..] else { return Ok(None) };
        let (begin, end) = (value(begin), value(end));
        let unit = self.unit.unwrap_or(Unit::Millis);
        let moment = |text: &[u8]| number::nanos(text, unit).map_err(|wrong| wrong.about("time", text));
        let length = moment(&end)?.checked_sub(moment(&begin)?);
        let length = length.ok_or_else(|| format!("its end, '{}', is before its beginning", shown(&end)))?;
        Ok(Some(Nanos::new(length)))
    }

    /// A length of time as it is written.
    fn length(&self, text: &[u8], sink: &mut dyn Sink) -> Result<Nanos, String> {
        if text.starts_with(b"+") {
            // HAProxy with `option logasap`, before the answer was over.
            return Err(format!("the latency '{}' is a lower bound", shown(text)));
        }
        let (digits, is_less) = match text.trim_ascii() {
            [b'<', digits @ ..] => (digits.trim_ascii(), true),
            digits => (digits, false),
        };
        let digits = with_point(digits, self.latency.comma);
        let length = match self.unit {
            Some(unit) => number::length(&digits, unit).map_err(|wrong| wrong.about("latency", text)),
            None => match number::written_length(&digits) {
                Some(length) => length.map_err(|wrong| wrong.about("latency", text)),
                None => Err(format!("the latency '{}' has no unit", shown(text))),
            },
        };
        let mut length = Nanos::new(length?);
        if length > TEN_YEARS {
            return Err(format!("the latency '{}' is longer than ten years", shown(text)));
        }
        if is_less {
            sink.note(Note::Said(LESS_THAN.into()));
            length = Nanos::new(length.as_nanos() / 2);
        }
        Ok(length)
    }

    /// When an event ended.
    fn time<'r>(
        &mut self,
        value: &dyn Fn(usize) -> Cow<'r, [u8]>,
        latency: Nanos,
        day: Option<&[u8]>,
        sink: &mut dyn Sink,
    ) -> Result<Timestamp, String> {
        let Some(time) = &self.format.definition.time else {
            if let Some(number) = self.format.sequence.and_then(|field| number::whole(&value(field)).ok()) {
                self.runs.replied(number);
            }
            if let Some(at) = self.stamp(sink) {
                return Ok(at);
            }
            self.elapsed = self.elapsed.plus(latency);
            return Ok(self.context.arrived().unwrap_or(self.elapsed));
        };
        let sequence = self.format.sequence.and_then(|field| number::whole(&value(field)).ok());
        let sequence_number = sequence.map(|number| self.runs.answered(number));
        let text = match self.format.time[..] {
            [] => b"".as_slice().into(),
            [field] => value(field),
            ref fields => {
                let parts: Vec<Cow<'r, [u8]>> = fields.iter().map(|field| value(*field)).collect();
                parts.join(&b' ').into()
            }
        };
        let since = if time.moment == TimeMoment::Start { latency } else { Nanos::ZERO };
        if let Some(at) = self.times.read_like_those_before(&text).filter(|_| day.is_none()) {
            return Ok(at.plus(since));
        }
        let written = std::str::from_utf8(&text).ok();
        if let Some(at) = written.and_then(|written| self.times.read(written, sink)) {
            let at = at.map(|at| self.midnight.passed(at, day, &mut |day| self.times.read(day, sink)?.ok()));
            return at.map(|at| at.plus(since));
        }
        if time.intervals {
            if let Some(at) = self.stamp(sink) {
                return Ok(at);
            }
            // A packet whose line has no date came when the line did.
            if let Some(now) = self.context.arrived() {
                return Ok(now);
            }
            // Where several hosts count for themselves there is no sequence.
            let own = || number::whole(&text).ok();
            self.runs.are_placed();
            let number = sequence_number.or_else(own).unwrap_or(self.rows);
            let interval = self.context.assumed_interval().as_nanos();
            let at = number.checked_mul(interval).ok_or("its number is too large to be true")?;
            return self.relative(at, since, sink);
        }
        let unit = time.unit.or(self.context.time_unit).unwrap_or(Unit::Seconds);
        match number::length(&with_point(&text, self.latency.comma), unit) {
            Ok(at) if time.relative => self.relative(at, since, sink),
            _ => Err(format!("the time '{}' is none that is known here", shown(&text))),
        }
    }

    /// A moment since an unknown start.
    fn relative(&mut self, at: u64, since: Nanos, sink: &mut dyn Sink) -> Result<Timestamp, String> {
        const TOO_LARGE: &str = "the time is too large to be true";
        let at = i64::try_from(at).map_err(|_| TOO_LARGE.to_owned())?;
        let at = Timestamp::new(at).plus(since);
        let context = self.context;
        let offset = *self.offset.get_or_insert_with(|| {
            let arrived = context.arrived();
            sink.note(Note::Clock(if arrived.is_some() { Clock::Epoch } else { Clock::Arbitrary }));
            arrived.map_or(0, |now| now.as_nanos().saturating_sub(at.as_nanos()))
        });
        at.as_nanos().checked_add(offset).map(Timestamp::new).ok_or_else(|| TOO_LARGE.to_owned())
    }
}

/// Says which unit is assumed, or is that of the user.
fn say_unit(latency: &LatencyField, unit: Option<Unit>, context: &Context, sink: &mut dyn Sink) {
    match (&latency.usual, &latency.ask, unit) {
        (Some(usual), ..) if context.unit.is_none() => sink.note(Note::Assumed(usual.clone().into())),
        (None, None, _) => say_named_unit(context.unit, latency.unit, sink),
        (_, Some(_), Some(unit)) => {
            sink.note(Note::Assumed(format!("all of its latencies are in {unit}, as --unit says").into()));
        }
        _ => {}
    }
}

/// Says what is assumed of every such input, and which of several sorts of events is read.
fn say_what_is_assumed(format: &Format, chosen: &Chosen, is_stamped: bool, sink: &mut dyn Sink) {
    if let Some(note) = format.definition.note.as_ref().filter(|_| !is_stamped) {
        sink.note(Note::Assumed(note.clone().into()));
    }
    if let Some(choice) = chosen.choice(format).filter(|_| !chosen.others.is_empty()) {
        let others = chosen.others.join(", ");
        let said = format!("{} is read; --series NAME chooses another: {others}", choice.name);
        sink.note(Note::Assumed(said.into()));
    }
}

/// Says that nothing came back.
fn all_lost(lost: u64) -> String {
    match lost {
        1 => "its one packet was lost".to_owned(),
        _ => format!("all {lost} packets were lost"),
    }
}

/// The attributes that tell series apart: those the user names, else those of the format. What is no
/// attribute of the format is the name of a field.
fn attributes(
    format: &Format,
    context: &Context,
    fields: &mut Vec<Vec<String>>,
) -> Vec<(AttributePlan, bool)> {
    let definition = &format.definition;
    let mut names: Vec<String> = context.by.iter().map(|name| name.trim().to_owned()).collect();
    if context.keeps_attributes {
        names.extend(format.attributes.iter().map(|attribute| attribute.name.clone()));
    } else if names.is_empty() {
        names.clone_from(&definition.by);
        if format.attributes.iter().any(|attribute| attribute.name == OUTCOME) {
            names.push(OUTCOME.to_owned());
        }
    }
    let mut chosen: Vec<(AttributePlan, bool)> = Vec::new();
    for name in names {
        if chosen.iter().any(|(attribute, _)| attribute.name == name) {
            continue;
        }
        let known = format.attributes.iter().find(|attribute| attribute.name == name);
        let plan = known.cloned().unwrap_or_else(|| {
            fields.push(vec![name.clone()]);
            AttributePlan { name, field: Some(fields.len() - 1), is_path: false }
        });
        chosen.push((plan, false));
    }
    chosen
}
