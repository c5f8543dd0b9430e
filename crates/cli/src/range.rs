//! `--from` and `--to`: the part of an input that is looked at.

use std::path::PathBuf;

use isotherm_frame::{BinnerLimits, Ends, Event, Frame, Nanos, TimeRange, Timestamp};
use isotherm_live::Address;
use isotherm_pipeline::{Binning, Input, is_recording};
use isotherm_recording::Reader;
use jiff::tz::TimeZone;

use crate::failure::Failure;
use crate::input;
use crate::input_args::InputArgs;
use crate::range_args::RangeArgs;
use crate::screen;
use crate::when::{self, Span};

/// The first look at an input only asks when it begins and ends.
const BINNING: Binning = Binning::new(Nanos::SECOND, BinnerLimits::cells(2_048));

/// Why there is no part of standard input.
pub const READ_TWICE: &str = "--from and --to read the input twice, and standard input can be read only \
    once: save it to a file first";

/// A part of an input.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// From when to when.
    pub range: TimeRange,
    /// Whether it cannot hold anything: it ends before it begins, or lies outside.
    pub is_outside: bool,
    /// What is said if it holds nothing; nothing where all is wanted.
    empty: Option<String>,
}

impl Part {
    /// What happened, if it happened in it.
    pub fn event(&self, event: Event) -> Option<Event> {
        self.range.event(event)
    }

    /// The same with its ends between the intervals that cannot be divided (see
    /// [`TimeRange::between`]).
    #[must_use]
    pub fn between(self, intervals: &dyn Fn(Timestamp) -> Option<(Timestamp, Timestamp)>) -> Part {
        Part { range: self.range.between(intervals), ..self }
    }

    /// That nothing lies there; `None` where all is wanted.
    pub fn nothing(&self) -> Option<Failure> {
        let failure = |text: &String| Failure { no_events: true, ..Failure::usage(text.clone()) };
        self.empty.as_ref().map(failure)
    }

    /// Fails where it cannot hold anything.
    pub fn some(self) -> Result<Part, Failure> {
        match self.nothing().filter(|_| self.is_outside) {
            Some(nothing) => Err(nothing),
            None => Ok(self),
        }
    }
}

impl RangeArgs {
    /// The part of these inputs that is wanted. What is no recording is read for it. Fails where
    /// nothing lies there.
    pub fn of(
        &self,
        names: &[String],
        args: &InputArgs,
        binning: Binning,
    ) -> Result<Part, Failure> {
        if !self.is_given() {
            return Ok(Part::default());
        }
        if names.iter().any(|name| name == "-") {
            return Err(Failure::usage(READ_TWICE));
        }
        let mut intervals = Intervals::default();
        intervals.read(input::expand(names, &args.oracle)?, args, Some(binning))?;
        intervals.part(self, &input::title(names))
    }

    /// The part of a source that lasts so long.
    pub fn within(&self, span: Option<Span>, source: &str) -> Result<Part, Failure> {
        self.within_in(&TimeZone::UTC, span, source)
    }

    /// The same with moments in this zone.
    pub fn within_in(
        &self,
        zone: &TimeZone,
        span: Option<Span>,
        source: &str,
    ) -> Result<Part, Failure> {
        if !self.is_given() {
            return Ok(Part::default());
        }
        let whole = span.unwrap_or_default();
        let moment = |text: &Option<String>, span: Span| {
            text.as_deref().map(|text| when::parse_in(zone, text, span)).transpose()
        };
        let from = moment(&self.from, whole)?;
        let to = moment(&self.to, whole.ending(from))?;
        let is_before = span.zip(from).is_some_and(|(span, from)| from < span.start);
        if let Some(text) = self.from.as_ref().filter(|_| is_before) {
            screen::warn(&format!("--from {text}: {source} begins later"));
        }
        let backwards = from.zip(to).is_some_and(|(from, to)| from >= to);
        let before = span.zip(to).is_some_and(|(span, to)| to <= span.start);
        let end = span.and_then(|span| span.end);
        let behind = end.zip(from).is_some_and(|(end, from)| from >= end);
        let words = self.words();
        Ok(Part {
            range: TimeRange { from, to },
            is_outside: backwards || before || behind,
            empty: Some(nothing_of(&words, source, end.unwrap_or(whole.start).since(whole.start))),
        })
    }

    /// As it was typed.
    fn words(&self) -> String {
        let word =
            |name: &str, text: &Option<String>| text.as_ref().map(|text| format!("{name} {text}"));
        let words: Vec<String> =
            [word("--from", &self.from), word("--to", &self.to)].into_iter().flatten().collect();
        words.join(" ")
    }
}

/// That nothing of a source, which is so long, lies in the part that was asked for in these words.
pub fn nothing_of(words: &str, source: &str, length: Nanos) -> String {
    format!("{words}: {source} has nothing there; it is {} long", isotherm_views::span(length))
}

/// The intervals of inputs, as far as a part of them depends on these.
#[derive(Default)]
pub struct Intervals {
    ends: Ends,
    /// The intervals with events of inputs that are no recordings.
    filled: Vec<(Timestamp, Timestamp)>,
    recordings: Vec<PathBuf>,
}

impl Intervals {
    /// So many are remembered: 16 MB.
    const MOST: usize = 1 << 20;

    /// Takes note of an interval.
    pub fn take(&mut self, frame: &Frame) {
        if frame.is_gap() {
            return;
        }
        let place = (frame.start, frame.end);
        self.ends.reach(place.0, place.1);
        let is_new = !frame.is_divisible() && self.filled.last() != Some(&place);
        if is_new && self.filled.len() < Intervals::MOST {
            self.filled.push(place);
        }
    }

    /// Takes note of when recordings, and the intervals of all other inputs, begin and end. Those of
    /// single events are the ones that a part is made of if that is binned in the same way.
    pub fn read(
        &mut self,
        inputs: Vec<Input>,
        args: &InputArgs,
        binning: Option<Binning>,
    ) -> Result<(), Failure> {
        let (mut others, mut wanted) = (Vec::new(), args.clone());
        for one in inputs {
            match &one.address {
                Address::File(path) if is_recording(path) => {
                    if let Some((start, end)) = Reader::open(path)?.span()? {
                        self.ends.reach(start, end);
                    }
                    self.recordings.push(path.clone());
                }
                _ => others.push(one),
            }
        }
        // What there is to reject is said when it is read for its numbers.
        wanted.strict = false;
        if !others.is_empty() {
            input::read_inputs(&others, &wanted, binning.unwrap_or(BINNING), &mut |event| {
                if let Event::Frame(frame) = event {
                    self.take(&frame);
                }
            })?;
            if binning.is_none() && args.interval.is_none() {
                self.filled.clear();
            }
        }
        Ok(())
    }

    /// The part of them that is wanted; fails where nothing lies there.
    pub fn part(&self, wanted: &RangeArgs, source: &str) -> Result<Part, Failure> {
        let part = wanted.within(self.ends.get().map(Span::from), source)?.some()?;
        Ok(part.between(&|moment| {
            let filled = self.filled.iter().copied();
            let cut = filled.filter(|(start, end)| *start < moment && moment < *end);
            let recordings = self.recordings.iter().filter_map(|path| Reader::open(path).ok());
            let recorded = recordings.filter_map(|reader| interval_at(&reader, moment));
            cut.chain(recorded).min_by_key(|(start, end)| end.since(*start))
        }))
    }
}

/// The shortest interval of a recording that a moment lies within and that cannot be divided there.
pub fn interval_at(reader: &Reader, moment: Timestamp) -> Option<(Timestamp, Timestamp)> {
    // What cannot be read is said when it is read for its numbers.
    let frames = reader.frames(Some(moment), Some(moment.plus(Nanos::new(1)))).ok()?.flatten();
    let cut = frames.filter(|frame| frame.start < moment && !frame.is_gap());
    let whole = cut.filter(|frame| !frame.is_divisible());
    whole.map(|frame| (frame.start, frame.end)).min_by_key(|(start, end)| end.since(*start))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Quality, Scheme, Series};

    use super::*;

    const S: i64 = 1_000_000_000;

    fn frame(start_s: i64, end_s: i64, events: u64) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::from_millis(1)));
        let (start, end) = (Timestamp::new(start_s * S), Timestamp::new(end_s * S));
        Frame { series: Series::named("x"), start, end, counts, quality: Quality::Complete }
    }

    fn stretch(from: Option<&str>, to: Option<&str>) -> Result<TimeRange, Failure> {
        let args = RangeArgs { from: from.map(Into::into), to: to.map(Into::into) };
        let span = (Timestamp::new(0), Timestamp::new(60 * S));
        Ok(args.within(Some(span.into()), "run.heat")?.some()?.range)
    }

    #[test]
    fn neighbouring_stretches_share_no_event_and_lose_none() {
        let frames: Vec<Frame> = (0..30).map(|n| frame(2 * n, 2 * n + 2, 3)).collect();
        for cut in ["7s", "8s", "00:00:13", "-1s", "1s500ms"] {
            let (before, after) =
                (stretch(None, Some(cut)).unwrap(), stretch(Some(cut), None).unwrap());
            let events = |stretch: &TimeRange| -> u64 {
                let kept = frames.iter().filter_map(|frame| stretch.keep(frame.clone()));
                kept.map(|frame| frame.counts.events()).sum()
            };
            assert_eq!(events(&before) + events(&after), 90, "{cut}");
            assert!(events(&before) > 0 && events(&after) > 0, "{cut}");
        }
    }

    #[test]
    fn of_silence_the_part_inside_is_kept() {
        let stretch = stretch(Some("10s"), Some("-40s")).unwrap();
        let kept = stretch.keep(frame(0, 60, 0)).unwrap();
        assert_eq!((kept.start, kept.end), (Timestamp::new(10 * S), Timestamp::new(20 * S)));
        assert_eq!(stretch.keep(frame(0, 10, 0)), None);
    }

    #[test]
    fn of_a_stretch_without_anything_in_it_is_said_how_long_all_is() {
        for (from, to, words) in [
            (Some("20s"), Some("20s"), "--from 20s --to 20s"),
            (Some("-20s"), Some("20s"), "--from -20s --to 20s"),
            (Some("60s"), None, "--from 60s"),
            (None, Some("0"), "--to 0"),
            (Some("2m"), Some("3m"), "--from 2m --to 3m"),
        ] {
            let failure = stretch(from, to).unwrap_err();
            let said = format!("{words}: run.heat has nothing there; it is 1m long");
            assert_eq!((failure.message, failure.code as u8), (said, 2));
            assert!(failure.no_events);
        }
        assert_eq!(stretch(None, None).unwrap(), TimeRange::default());
    }
}
