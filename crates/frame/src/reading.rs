//! What sources say, and the frames it becomes.

use std::fmt;

use crate::{Histogram, Nanos, Series, Timestamp};

/// What a source says. It never subtracts: that is the [`Differ`](crate::Differ)'s work.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// Counts since the source began to count.
    Cumulative {
        /// When the totals were read.
        at: Timestamp,
        /// What was counted.
        series: Series,
        /// The totals.
        total: Histogram,
        /// When counting began (an instance's start), if the source says so: a change means the
        /// counters were reset even if no count went down.
        epoch: Option<Timestamp>,
    },
    /// The counts of one finished interval.
    Delta(Frame),
    /// One operation.
    Event {
        /// When it ended.
        at: Timestamp,
        /// What it belongs to.
        series: Series,
        /// How long it took.
        latency: Nanos,
    },
    /// One operation of which samples saw that it went on, and its end lies between two of them: its
    /// length is an estimate.
    Sampled {
        /// When it ended: the middle of the time in which it may have.
        at: Timestamp,
        /// What it belongs to.
        series: Series,
        /// How long it took: the middle of how long it may have taken.
        latency: Nanos,
        /// How far the true length may be from `latency`.
        within: Nanos,
    },
    /// One operation that is not asked for: only the time it took is known to be observed.
    Unselected {
        /// When it ended.
        at: Timestamp,
        /// How long it took.
        latency: Nanos,
    },
}

/// The latencies of one series over one interval of time: the currency of everything after the
/// sources.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// What was measured.
    pub series: Series,
    /// Where the interval begins.
    pub start: Timestamp,
    /// Where it ends; later than `start`.
    pub end: Timestamp,
    /// The latencies counted in the interval; none for a [`Quality::Gap`].
    pub counts: Histogram,
    /// Whether the counts are all there is.
    pub quality: Quality,
}

/// How much of an interval's truth its counts tell.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quality {
    /// Everything the source counted.
    #[default]
    Complete,
    /// Counted, but not as asked.
    Partial(Partial),
    /// So many events were lost by the source itself.
    Lost(u64),
    /// Nothing is known about this interval.
    Gap(Gap),
    /// Time that was waited in intervals given before: to be added to what is known of them.
    Amendment,
}

/// Why the counts of an interval are not as asked.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Partial {
    /// The totals were read late: the interval is longer than the others.
    LatePoll,
    /// The true end or length of the interval is not known.
    UnknownWindow,
    /// The source prints rounded percentages: counts are estimated from them, their sum is not.
    FromPercentages,
    /// The source prints rounded rates, means or totals: counts and times are estimated from them.
    FromRates,
}

/// Why nothing is known about an interval.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Gap {
    /// The source's counters were reset.
    Reset,
    /// The source's clock stepped back.
    ClockBack,
    /// The source was away.
    SourceAway,
}

/// The zero of the clock that a source's timestamps count from.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Clock {
    /// The Unix epoch.
    #[default]
    Epoch,
    /// Midnight of an unknown day.
    TimeOfDay,
    /// An unknown moment, such as the start of the machine or of the source.
    Arbitrary,
    /// The source gives no time: intervals have an assumed length.
    Assumed,
}

impl Reading {
    /// The same, of a series that says how much is known of its events.
    pub(crate) fn with_own_detail(self) -> Reading {
        match self {
            Reading::Cumulative { at, series, total, epoch } => {
                let series = series.with_detail(total.detail());
                Reading::Cumulative { at, series, total, epoch }
            }
            Reading::Delta(frame) => Reading::Delta(frame.with_own_detail()),
            event => event,
        }
    }
}

impl Frame {
    /// The same, of a series that says how much is known of its events.
    #[must_use]
    pub fn with_own_detail(self) -> Frame {
        Frame { series: self.series.with_detail(self.counts.detail()), ..self }
    }

    /// The length of the interval.
    pub fn length(&self) -> Nanos {
        self.end.since(self.start)
    }

    /// Whether it only adds time to intervals that were given before.
    pub fn is_amendment(&self) -> bool {
        self.quality == Quality::Amendment
    }

    /// Whether it is known how long the interval was: not of a gap, nor of totals that were read once.
    pub fn has_length(&self) -> bool {
        !self.is_gap() && self.quality != Quality::Partial(Partial::UnknownWindow)
    }

    /// Whether nothing is known about the interval.
    pub fn is_gap(&self) -> bool {
        matches!(self.quality, Quality::Gap(_))
    }
}

impl Quality {
    /// Every quality but `Lost`, with the word it is stored and shown as.
    const WORDS: [(Quality, &'static str); 9] = [
        (Quality::Complete, "complete"),
        (Quality::Amendment, "amendment"),
        (Quality::Partial(Partial::LatePoll), "late poll"),
        (Quality::Partial(Partial::UnknownWindow), "unknown window"),
        (Quality::Partial(Partial::FromPercentages), "from percentages"),
        (Quality::Partial(Partial::FromRates), "from rates"),
        (Quality::Gap(Gap::Reset), "reset"),
        (Quality::Gap(Gap::ClockBack), "clock stepped back"),
        (Quality::Gap(Gap::SourceAway), "source away"),
    ];

    /// Reads what `Display` writes.
    pub fn from_text(text: &str) -> Option<Quality> {
        if let Some(count) = text.strip_prefix("lost ") {
            return count.parse().ok().map(Quality::Lost);
        }
        Quality::WORDS.iter().find(|(_, word)| *word == text).map(|(quality, _)| *quality)
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Quality::Lost(count) = self {
            return f.pad(&format!("lost {count}"));
        }
        let word = Quality::WORDS.iter().find(|(quality, _)| quality == self);
        f.pad(word.map_or("", |(_, word)| word))
    }
}

impl Clock {
    /// Every clock with the word it is stored and shown as.
    const WORDS: [(Clock, &'static str); 4] = [
        (Clock::Epoch, "epoch"),
        (Clock::TimeOfDay, "time of day"),
        (Clock::Arbitrary, "arbitrary"),
        (Clock::Assumed, "assumed"),
    ];

    /// Reads what `Display` writes.
    pub fn from_text(text: &str) -> Option<Clock> {
        Clock::WORDS.iter().find(|(_, word)| *word == text).map(|(clock, _)| *clock)
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Clock::WORDS.iter().find(|(clock, _)| clock == self);
        f.pad(word.map_or("", |(_, word)| word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quality_and_clock_reads_back_what_it_writes() {
        let lost = Quality::Lost(17);
        for quality in Quality::WORDS.iter().map(|(quality, _)| *quality).chain([lost]) {
            assert_eq!(Quality::from_text(&quality.to_string()), Some(quality));
        }
        for (clock, _) in Clock::WORDS {
            assert_eq!(Clock::from_text(&clock.to_string()), Some(clock));
        }
        assert_eq!(Quality::from_text("nonsense"), None);
    }
}
