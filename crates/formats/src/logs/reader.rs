//! Log lines, one by one.

use std::borrow::Cow;
use std::io::BufRead;

use isotherm_frame::plausible::{LEAST_FULL_COUNTER, TEN_YEARS};
use isotherm_frame::{Nanos, Place, Series, Timestamp, UnmetAttribute};
use isotherm_oracle::trace::Names;

use super::candidate::{Candidate, is_named, nanos};
use super::guess::{Choice, Judgement, Sample};
use super::line::LineParser;
use super::names::{Kind, Moment};
use super::parsed::Parsed;
use super::request::FieldChoice;
use super::times::Times;
use super::unread::at_name;
use crate::beyond_most::BeyondMost;
use crate::number::shown;
use crate::sink::reject;
use crate::{Context, DecodeError, Line, LineReader, Note, Sink};

const NOT_ENDED: &str =
    "the last line has no line end: the line and its latency may be truncated";

/// Reads the whole input.
pub(super) fn read(
    input: &mut (dyn BufRead + Send),
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let wanted = FieldChoice::of(context)?;
    let mut lines = LineReader::new(input);
    let Some((choice, first)) = learn(&mut lines, &wanted, context.is_live())? else {
        return Ok(());
    };
    sink.note(Note::Said(choice.words.clone().into()));
    let mut parser = LineParser::of(&choice.name, &wanted);
    let mut events = Events::new(choice, &wanted, context);
    for held in &first {
        events.line(held.line(), &mut parser, sink);
    }
    drop(first);
    let ended = lines.each(|line| events.line(line, &mut parser, sink));
    events.tell(sink);
    ended?;
    events.finish(sink);
    Ok(())
}

/// A line that is read again.
pub(super) struct FirstLine {
    place: Place,
    bytes: Vec<u8>,
    cut: bool,
    ended: bool,
}

impl FirstLine {
    pub(super) fn line(&self) -> Line<'_> {
        Line { place: self.place, bytes: &self.bytes, cut: self.cut, ended: self.ended }
    }
}

/// Reads the first lines until it is clear what their fields are; of a live input no more than is
/// needed. `None` if there is nothing to read.
pub(super) fn learn(
    lines: &mut LineReader<'_>,
    wanted: &FieldChoice,
    live: bool,
) -> Result<Option<(Choice, Vec<FirstLine>)>, DecodeError> {
    /// Events of a live input that show what its lines are.
    const SHOWN: usize = 2;
    let (mut sample, mut parser, mut held) = (Sample::default(), LineParser::default(), Vec::new());
    while let Some(Line { place, bytes, cut, ended }) = lines.next_line()? {
        // What may be cut in its middle says nothing of the others.
        let counts = ended || sample.lines == 0;
        if counts && !bytes.trim_ascii().is_empty() {
            let text = String::from_utf8_lossy(bytes);
            sample.add_names(&text);
            sample.add(&parser.parse(&text, wanted), wanted);
        }
        held.push(FirstLine { place, bytes: bytes.to_vec(), cut, ended });
        let enough = if live { sample.events() >= SHOWN } else { sample.lines >= Sample::ENOUGH };
        if enough {
            break;
        }
    }
    match sample.judge(wanted) {
        Judgement::Clear(choice) => Ok(Some((choice, held))),
        Judgement::Refused(why) | Judgement::Needs(why) => Err(DecodeError::Nothing(format!("this log is not read: {why}"))),
        Judgement::NotMine if sample.lines == 0 => Ok(None),
        Judgement::NotMine => Err(DecodeError::Nothing(
            "there is no duration in the first lines; name its field with --columns latency_ms=FIELD".into(),
        )),
    }
}

/// Tells the sink the event of each line.
pub(super) struct Events<'c> {
    choice: Choice,
    wanted: &'c FieldChoice,
    context: &'c Context,
    times: Times,
    series: SeriesOf,
    held: Held,
    /// Whether lines before ended with milliseconds: `m` at the end of the input is half of that.
    ends_in_ms: bool,
}

/// Events that the sink has not been told yet, all of one series.
#[derive(Default)]
struct Held {
    series: usize,
    events: Vec<(Timestamp, Nanos)>,
}

fn is_certain(latency: &Candidate<'_>) -> bool {
    matches!(latency.kind, Kind::Latency(_))
}

/// Whether a line ends with a number and `m`, which would be minutes.
fn is_half_of_ms(line: &[u8]) -> bool {
    matches!(line, [.., digit, b'm'] if digit.is_ascii_digit())
}

impl<'c> Events<'c> {
    pub(super) fn new(choice: Choice, wanted: &'c FieldChoice, context: &'c Context) -> Events<'c> {
        let times = Times::new(context, choice.order);
        let series = SeriesOf::new(context.most_series(), wanted.attributes.len());
        Events { choice, wanted, context, times, series, held: Held::default(), ends_in_ms: false }
    }

    pub(super) fn line(&mut self, line: Line<'_>, parser: &mut LineParser, sink: &mut dyn Sink) {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        if line.cut {
            self.tell(sink);
            return reject(sink, line.place, "a line longer than 1 MiB", 0);
        }
        let text = line.text();
        let parsed = parser.parse(&text, self.wanted);
        let mut of_name = parsed.candidates.iter().filter(|found| self.is_latency(found));
        let latency = match (of_name.next(), of_name.next()) {
            (Some(latency), None) => latency,
            (None, _) => {
                self.tell(sink);
                return self.without_latency(&text, line.place, sink);
            }
            _ => {
                self.tell(sink);
                let reason = "two durations of this name: which one is not clear";
                return reject(sink, line.place, reason, 1);
            }
        };
        if line.ended {
            self.ends_in_ms |= line.bytes.ends_with(b"ms");
        } else {
            self.tell(sink);
            if self.ends_in_ms && is_half_of_ms(line.bytes) {
                return reject(sink, line.place, "the input ends within the unit of the latency", 1);
            }
            sink.note(Note::Said(NOT_ENDED.into()));
        }
        match self.event(latency, &parsed, sink) {
            Ok(event) => {
                let series = self.series.of(&parsed.attributes, self.wanted);
                if event.1 >= LEAST_FULL_COUNTER {
                    // It may be no latency, and then its line is reported.
                    self.tell(sink);
                    let is_start = matches!(parsed.time, Some((_, Moment::Start)));
                    let written = if is_start { event.0.minus(event.1) } else { event.0 };
                    sink.read_at(line.place, written);
                    return sink.events(self.series.at(series), &[event]);
                }
                self.hold(series, event, sink);
            }
            Err(reason) => {
                self.tell(sink);
                reject(sink, line.place, reason, 1);
            }
        }
    }

    /// When the event of a line ended and how long it took; `None` if it has none.
    pub(super) fn moment(
        &mut self,
        line: Line<'_>,
        parser: &mut LineParser,
        sink: &mut dyn Sink,
    ) -> Option<(Timestamp, Nanos)> {
        let text = line.text();
        let parsed = parser.parse(&text, self.wanted);
        let mut of_name = parsed.candidates.iter().filter(|found| self.is_latency(found));
        let (latency, None) = (of_name.next()?, of_name.next()) else { return None };
        self.event(latency, &parsed, sink).ok()
    }

    /// Whether times have been dates.
    pub(super) fn is_dated(&self) -> bool {
        self.times.are_dates()
    }

    /// Whether some series are counted together.
    pub(super) fn has_too_many_series(&self) -> bool {
        self.series.overflowed
    }

    /// Keeps an event until there are many; those of a live input are told at once.
    fn hold(&mut self, series: usize, event: (Timestamp, Nanos), sink: &mut dyn Sink) {
        const MOST: usize = 256;
        if self.held.series != series {
            self.tell(sink);
            self.held.series = series;
        }
        self.held.events.push(event);
        if self.held.events.len() >= MOST || self.context.is_live() {
            self.tell(sink);
        }
    }

    /// Tells the sink the events that are held.
    pub(super) fn tell(&mut self, sink: &mut dyn Sink) {
        if !self.held.events.is_empty() {
            sink.events(self.series.at(self.held.series), &self.held.events);
            self.held.events.clear();
        }
    }

    fn is_latency(&self, found: &Candidate<'_>) -> bool {
        if let Some(name) = &self.wanted.latency {
            return is_named(&found.name, name);
        }
        let usual = !matches!(found.kind, Kind::Setting | Kind::Summary);
        usual && found.name == self.choice.name
    }

    /// A line of which no latency can be read: one of others, or a rejected one if something stands
    /// where the latency should be.
    fn without_latency(&self, line: &str, place: Place, sink: &mut dyn Sink) {
        let name = self.wanted.latency.as_deref().unwrap_or(&self.choice.name);
        match at_name(line.trim(), name) {
            Some(text) => {
                let text = shown(text.as_bytes());
                reject(sink, place, format!("the latency '{text}' is not a duration"), 1);
            }
            None => sink.note(Note::Ignored),
        }
    }

    /// When the event of a line ended, and how long it took.
    fn event(
        &mut self,
        latency: &Candidate<'_>,
        parsed: &Parsed<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(Timestamp, Nanos), String> {
        let unit = self.wanted.unit.or(latency.named_unit());
        let latency_ns = nanos(latency, unit).map(Nanos::new)?;
        if latency_ns > TEN_YEARS {
            let text = shown(latency.number.as_bytes());
            return Err(format!("the latency '{text}' is longer than ten years"));
        }
        if self.choice.is_certain && self.wanted.latency.is_none() && !is_certain(latency) {
            return Err(format!("nothing says that the duration behind '{}' is a latency here", latency.name));
        }
        let Some((written, moment)) = parsed.time else {
            return Err("a latency without a time".to_owned());
        };
        let at = self.times.place(written, self.context, sink)?;
        let since = if moment == Moment::Start { latency_ns } else { Nanos::ZERO };
        Ok((at.plus(since), latency_ns))
    }

    pub(super) fn finish(&self, sink: &mut dyn Sink) {
        if self.series.overflowed {
            let most = self.context.most_series();
            let said = format!("more than {most} series: the events of the rest are in '(other)'");
            sink.note(Note::Said(said.into()));
        }
        for (name, met) in self.wanted.attributes.iter().zip(&self.series.met) {
            if !self.series.all.is_empty() && !met {
                let name = name.clone();
                sink.note(Note::UnmetAttribute(UnmetAttribute { name, event: "event" }));
            }
        }
    }
}

/// The series of the events, by the values of their attributes.
struct SeriesOf {
    keys: Names,
    all: Vec<Series>,
    other: Series,
    beyond_most: BeyondMost,
    /// What it has made, numbered down from the greatest number.
    others: Vec<Series>,
    overflowed: bool,
    /// For each attribute: whether any series has it.
    met: Vec<bool>,
    key: Vec<u8>,
}

impl SeriesOf {
    fn new(most: usize, attributes: usize) -> SeriesOf {
        let (keys, other) = (Names::new(most), Series::other());
        let met = vec![false; attributes];
        let (beyond_most, others, all, key) = (BeyondMost::default(), Vec::new(), Vec::new(), Vec::new());
        SeriesOf { keys, all, other, beyond_most, others, overflowed: false, met, key }
    }

    fn at(&self, number: usize) -> &Series {
        let beyond = || self.others.get(usize::MAX - number);
        self.all.get(number).or_else(beyond).unwrap_or(&self.other)
    }

    /// The number of a series beyond the most that are told apart.
    #[cold]
    fn beyond(&mut self, values: &[Cow<'_, str>], wanted: &FieldChoice) -> usize {
        self.overflowed = true;
        let named = wanted.attributes.iter().zip(values).filter(|(_, value)| !value.is_empty());
        let named: Vec<(&str, String)> =
            named.map(|(name, value)| (name.as_str(), value.to_string())).collect();
        let mut series = self.beyond_most.series(self.all.iter(), "latency", &named);
        if series.attributes().all(|(_, value)| value == Series::OTHER) {
            series = self.other.clone();
        }
        let known = self.others.iter().position(|other| *other == series);
        let at = known.unwrap_or_else(|| {
            self.others.push(series);
            self.others.len() - 1
        });
        usize::MAX - at
    }

    /// The number of the series of an event with these values.
    fn of(&mut self, values: &[Cow<'_, str>], wanted: &FieldChoice) -> usize {
        if values.is_empty() && !self.all.is_empty() {
            return 0;
        }
        self.key.clear();
        for value in values {
            self.key.extend_from_slice(value.as_bytes());
            // No text has such a byte.
            self.key.push(0xff);
        }
        let Some(number) = self.keys.number(&self.key) else {
            return self.beyond(values, wanted);
        };
        if number >= self.all.len() {
            let named = wanted.attributes.iter().zip(values).filter(|(_, value)| !value.is_empty());
            let named = named.map(|(name, value)| (name.clone(), value.to_string()));
            self.all.push(Series::with_attributes("latency", named));
            for (met, value) in self.met.iter_mut().zip(values) {
                *met |= !value.is_empty();
            }
        }
        number
    }
}
