//! How much was observed of the intervals that an input begins and ends in.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::{Frame, Partial, Quality, Series, Timestamp};

use crate::limits;

/// The part of an interval in which a series was observed: a row of its own, since the other rows of the
/// interval add up and are those of all of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedPart {
    /// The interval.
    pub interval: (Timestamp, Timestamp),
    /// The series.
    pub series: Series,
    /// What was observed of it: not empty, and within the interval.
    pub part: (Timestamp, Timestamp),
}

/// What stands in front of the part in the column of the quality.
const WORD: &str = "observed ";

/// The memory that a part takes, about.
const BYTES: usize = 320;

impl ObservedPart {
    /// What stands in the column of the quality.
    pub(super) fn words(&self) -> String {
        format!("{WORD}{}..{}", self.part.0.as_nanos(), self.part.1.as_nanos())
    }

    /// The part that such a column names; `None` of any other quality.
    pub(super) fn parse(quality: &str) -> Option<Result<(Timestamp, Timestamp), String>> {
        let text = quality.strip_prefix(WORD)?;
        let moment = |text: &str| text.parse().map(Timestamp::new).ok();
        let part = text.split_once("..").and_then(|(from, to)| Some((moment(from)?, moment(to)?)));
        Some(part.ok_or_else(|| format!("'{text}' is no part of an interval in nanoseconds")))
    }

    /// Fails if the part is empty or not one of the interval.
    pub(super) fn check(&self) -> Result<(), String> {
        let (interval, part) = (self.interval, self.part);
        limits::check_interval(interval.0, interval.1)?;
        limits::check_interval(part.0, part.1)?;
        if interval.0 <= part.0 && part.1 <= interval.1 {
            return Ok(());
        }
        let [start, end, from, to] =
            [interval.0, interval.1, part.0, part.1].map(Timestamp::as_nanos);
        Err(format!("what was observed, {from} to {to} ns, is not within {start} to {end} ns"))
    }
}

/// The parts that were read, of each interval and series.
#[derive(Clone, Debug, Default)]
pub(super) struct ObservedParts {
    parts: BTreeMap<(Stretch, Series), BTreeSet<Stretch>>,
    bytes: usize,
}

/// Where a stretch of time begins and ends.
type Stretch = (Timestamp, Timestamp);

impl ObservedParts {
    pub(super) fn add(&mut self, observed: ObservedPart) {
        let key = (observed.interval, observed.series);
        if self.parts.entry(key).or_default().insert(observed.part) {
            self.bytes += BYTES;
        }
    }

    /// The memory that they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The same, where intervals that somebody observed whole are so.
    pub(super) fn with_whole(&self, is_whole: impl Fn(Stretch, &Series) -> bool) -> ObservedParts {
        let mut all = self.clone();
        for ((interval, series), parts) in &mut all.parts {
            if is_whole(*interval, series) {
                parts.insert(*interval);
            }
        }
        all
    }

    /// A frame with the part of its interval that was observed, if that is one stretch: what several
    /// inputs observed counts together.
    pub(super) fn applied(&self, mut frame: Frame) -> Frame {
        if self.parts.is_empty() || frame.quality != Quality::Partial(Partial::UnknownWindow) {
            return frame;
        }
        let parts = self.parts.get(&((frame.start, frame.end), frame.series.clone()));
        let mut parts = parts.into_iter().flatten().copied();
        let Some(first) = parts.next() else { return frame };
        let joined = parts
            .try_fold(first, |(from, to), part| (part.0 <= to).then_some((from, to.max(part.1))));
        if let Some(part) = joined {
            (frame.start, frame.end) = part;
            frame.quality = Quality::Complete;
        }
        frame
    }
}
