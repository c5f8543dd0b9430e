//! What a line of the stream says about an interval, before it is written.

use std::borrow::Cow;

use isotherm_analysis::{at_mean, unplaced_s};
use isotherm_frame::{Ends, Frame, Gap, Histogram, Partial, Quality, Timestamp, percent};

use crate::numbers::{counted, quantity, seconds};
use crate::ranges::{Digits, range};
use crate::times::span;

/// One line, before it is written.
pub(crate) struct Interval {
    pub name: String,
    pub start: Timestamp,
    pub end: Timestamp,
    /// What was counted, with the length of its interval in seconds; none of a gap.
    pub counted: Vec<(Histogram, f64)>,
    pub reset: bool,
    pub notes: Vec<String>,
}

impl Interval {
    /// The frames of one interval together; `None` of none.
    pub fn of(frames: &[&Frame], notes: &[String]) -> Option<Interval> {
        let gaps = frames.iter().filter(|frame| frame.is_gap()).count();
        let mut all_notes: Vec<String> = Vec::new();
        for frame in frames {
            let note = note_of(frame);
            let note = match note {
                Some(note) if gaps > 0 && gaps < frames.len() => {
                    Some(format!("{}: {note}", frame.series))
                }
                other => other,
            };
            all_notes.extend(note.filter(|note| !all_notes.contains(note)));
        }
        all_notes.extend(unplaced(frames));
        all_notes.extend(notes.iter().cloned());
        let counted = frames.iter().filter(|frame| !frame.is_gap());
        let own = frames.iter().filter(|frame| !frame.is_amendment());
        let ends: Ends = own.map(|frame| (frame.start, frame.end)).collect();
        let (start, end) = ends.get()?;
        // Time that is added to an interval was waited in a part of it.
        let length = |frame: &Frame| {
            if frame.is_amendment() { end.since(start) } else { frame.length() }
        };
        let secs = |frame: &Frame| length(frame).as_secs_f64().max(1e-9);
        Some(Interval {
            name: frames.first()?.series.to_string(),
            start,
            end,
            counted: counted.map(|frame| (frame.counts.clone(), secs(frame))).collect(),
            reset: frames.iter().any(|frame| frame.quality == Quality::Gap(Gap::Reset)),
            notes: all_notes,
        })
    }

    /// What is drawn, with the length of its interval in seconds: what was counted, and all averages
    /// together at their mean.
    pub fn drawn(&self) -> Vec<(Cow<'_, Histogram>, f64)> {
        let is_averages = |(counts, _): &&(Histogram, f64)| counts.is_averages();
        let averages = self.counted.iter().filter(is_averages);
        let longest = averages.clone().map(|(_, secs)| *secs).fold(0.0, f64::max);
        let together = Histogram::merged(averages.map(|(counts, _)| counts));
        let together = together.map(|counts| (Cow::Owned(at_mean(&counts).into_owned()), longest));
        let counted = self.counted.iter().filter(|one| !is_averages(one));
        let counted = counted.map(|(counts, secs)| (Cow::Borrowed(counts), *secs));
        counted.chain(together).collect()
    }

    /// The numbers of the line, in columns of fixed width.
    pub fn numbers(&self) -> String {
        if self.counted.is_empty() {
            return format!(" {:>6} {:>7} {:>10} {:>10}  ", "-", "-", "-", "-");
        }
        // Samples of who waits are time and no events: they have no part in percentiles.
        let counted = self.counted.iter().map(|(counts, _)| counts);
        let together = Histogram::merged(counted.filter(|counts| !counts.is_empty()));
        let per_second = |amount: fn(&Histogram) -> f64| -> f64 {
            self.counted.iter().map(|(counts, secs)| amount(counts) / secs).sum()
        };
        let events = per_second(|counts| counts.events() as f64);
        let waited = per_second(|counts| counts.time_waited().seconds);
        let exact = self.counted.iter().all(|(counts, _)| counts.time_waited().exact);
        let about = if exact || waited <= 0.0 { "" } else { "≈" };
        let quantile = |q: f64| {
            let found = together.as_ref().and_then(|together| together.quantile(q).ok());
            found.map_or("-".to_owned(), |found| range(found.bucket, Digits::Two))
        };
        format!(
            " {:>6} {:>7} {:>10} {:>10}  ",
            quantity(events),
            format!("{about}{}", seconds(waited)),
            quantile(0.5),
            quantile(0.99)
        )
    }
}

/// The least share of the time waited that is worth a note.
const MUCH: f64 = 0.1;

/// What part of the time is of events longer than the interval: it was partly waited before.
fn unplaced(frames: &[&Frame]) -> Option<String> {
    let longest = frames.iter().map(|frame| frame.length()).max()?;
    let of = |of: fn(&Frame) -> f64| frames.iter().map(|frame| of(frame)).sum::<f64>();
    let seconds = of(|frame| unplaced_s(&frame.counts, frame.length()));
    let share = seconds / of(|frame| frame.counts.time_waited().seconds);
    let warning = format!("{} waited by events longer than {}", percent(share), span(longest));
    (share >= MUCH).then_some(warning)
}

/// What there is to note about a frame.
pub(crate) fn note_of(frame: &Frame) -> Option<String> {
    let length = span(frame.length());
    match frame.quality {
        Quality::Complete | Quality::Amendment => None,
        Quality::Partial(Partial::LatePoll) => Some(format!("late poll: {length}")),
        Quality::Partial(Partial::UnknownWindow) => Some("unknown window".to_owned()),
        Quality::Partial(Partial::FromPercentages) => {
            Some("counts estimated from percentages".to_owned())
        }
        // Samples of who waits: that their time is estimated stands before each number.
        Quality::Partial(Partial::FromRates)
            if frame.counts.is_averages() && frame.counts.has_waited_ns() =>
        {
            None
        }
        Quality::Partial(Partial::FromRates) => {
            Some("counts and times estimated from rounded numbers".to_owned())
        }
        Quality::Lost(events) => Some(format!("lost {}", counted(events, "event"))),
        Quality::Gap(gap) => Some(format!("{}: no data for {length}", Quality::Gap(gap))),
    }
}
