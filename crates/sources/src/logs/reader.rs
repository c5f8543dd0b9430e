//! Log lines, one by one.

use std::collections::HashMap;
use std::io::BufRead;

use isotherm_frame::{Nanos, Place, Reading, Series, Timestamp};

use super::candidate::{Candidate, is_named, nanos};
use super::guess::{Choice, Judgement, Sample};
use super::line::Parsed;
use super::names::{Kind, Moment};
use super::request::Wanted;
use super::times::Times;
use super::unread::at_name;
use crate::number::shown;
use crate::sink::reject;
use crate::{Context, DecodeError, Line, LineReader, Note, Sink};

/// Longer than any operation: ten years.
const ABSURD: Nanos = Nanos::new(315_360_000_000_000_000);

const NOT_ENDED: &str =
    "the last line has no line end: the line and its latency may be truncated";

/// Reads the whole input.
pub(super) fn read(
    input: &mut (dyn BufRead + Send),
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let wanted = Wanted::of(context)?;
    let mut lines = LineReader::new(input);
    let Some((choice, first)) = learn(&mut lines, &wanted, context.arrival.is_some())? else {
        return Ok(());
    };
    sink.note(Note::Said(choice.words.clone().into()));
    let mut events = Events::new(choice, wanted, context);
    for held in &first {
        events.line(held.line(), sink);
    }
    drop(first);
    lines.each(|line| events.line(line, sink))?;
    events.finish(sink);
    Ok(())
}

/// A line that is read again.
struct Held {
    place: Place,
    bytes: Vec<u8>,
    cut: bool,
    ended: bool,
}

impl Held {
    fn line(&self) -> Line<'_> {
        Line { place: self.place, bytes: &self.bytes, cut: self.cut, ended: self.ended }
    }
}

/// Reads the first lines until it is clear what their fields are; of a live input no more than is
/// needed. `None` if there is nothing to read.
fn learn(
    lines: &mut LineReader<'_>,
    wanted: &Wanted,
    live: bool,
) -> Result<Option<(Choice, Vec<Held>)>, DecodeError> {
    /// Events of a live input that show what its lines are.
    const SHOWN: usize = 2;
    let (mut sample, mut held) = (Sample::default(), Vec::new());
    while let Some(Line { place, bytes, cut, ended }) = lines.next_line()? {
        // What may be cut in its middle says nothing of the others.
        let counts = ended || sample.lines == 0;
        if counts && !bytes.trim_ascii().is_empty() {
            sample.add(&Parsed::of(&String::from_utf8_lossy(bytes), wanted), wanted);
        }
        held.push(Held { place, bytes: bytes.to_vec(), cut, ended });
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
struct Events<'c> {
    choice: Choice,
    wanted: Wanted,
    context: &'c Context,
    times: Times,
    series: HashMap<Vec<String>, Series>,
    overflowed: bool,
}

fn is_certain(latency: &Candidate) -> bool {
    matches!(latency.kind, Kind::Latency(_))
}

impl<'c> Events<'c> {
    fn new(choice: Choice, wanted: Wanted, context: &'c Context) -> Events<'c> {
        let times = Times::new(context, choice.order);
        Events { choice, wanted, context, times, series: HashMap::new(), overflowed: false }
    }

    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        if line.cut {
            return reject(sink, line.place, "a line longer than 1 MiB", 0);
        }
        let text = line.text();
        let parsed = Parsed::of(&text, &self.wanted);
        let mut of_name = parsed.candidates.iter().filter(|found| self.is_latency(found));
        let latency = match (of_name.next(), of_name.next()) {
            (Some(latency), None) => latency,
            (None, _) => return self.without_latency(&text, line.place, sink),
            _ => {
                let reason = "two durations of this name: which one is not clear";
                return reject(sink, line.place, reason, 1);
            }
        };
        if !line.ended {
            sink.note(Note::Said(NOT_ENDED.into()));
        }
        match self.event(latency, &parsed, sink) {
            Ok((at, latency)) => {
                let series = self.series(parsed.attributes);
                sink.record();
                sink.reading(Reading::Event { at, series, latency });
            }
            Err(reason) => reject(sink, line.place, reason, 1),
        }
    }

    fn is_latency(&self, found: &Candidate) -> bool {
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
        latency: &Candidate,
        parsed: &Parsed,
        sink: &mut dyn Sink,
    ) -> Result<(Timestamp, Nanos), String> {
        let unit = self.wanted.unit.or(latency.named_unit());
        let latency_ns = nanos(latency, unit).map(Nanos::new)?;
        if latency_ns > ABSURD {
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

    fn series(&mut self, values: Vec<String>) -> Series {
        if let Some(series) = self.series.get(&values) {
            return series.clone();
        }
        if self.series.len() >= self.context.most_series() {
            self.overflowed = true;
            return Series::other();
        }
        let named = self.wanted.attributes.iter().cloned().zip(values.iter().cloned());
        let named = named.filter(|(_, value)| !value.is_empty());
        let series = Series::with_attributes("latency", named);
        self.series.insert(values, series.clone());
        series
    }

    fn finish(&self, sink: &mut dyn Sink) {
        if self.overflowed {
            let most = self.context.most_series();
            let said = format!("more than {most} series: the events of the rest are in '(other)'");
            sink.note(Note::Said(said.into()));
        }
        for (at, name) in self.wanted.attributes.iter().enumerate() {
            let absent = |values: &Vec<String>| values.get(at).is_none_or(String::is_empty);
            if !self.series.is_empty() && self.series.keys().all(absent) {
                sink.note(Note::Said(format!("no event has the attribute '{name}'").into()));
            }
        }
    }
}
