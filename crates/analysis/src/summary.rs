//! The numbers of a whole input, series by series.

use std::collections::BTreeMap;

use isotherm_frame::{
    Ends, Frame, Histogram, Quality, QuantileInterval, Series, TimeWaited, Timestamp,
};

use crate::{Beginning, Window, Windows};

/// What was measured of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The series.
    pub series: Series,
    /// All latencies, in the source's own buckets.
    pub latencies: Histogram,
    /// The time about which the source said something of this series, in seconds.
    pub covered_s: f64,
    /// Intervals of which nothing is known.
    pub gaps: u64,
}

/// The account of all frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameTotals {
    /// Frames that are gaps.
    pub gaps: u64,
    /// Gaps because counters were reset.
    pub resets: u64,
    /// Events counted.
    pub events: u64,
    /// Events the source says it lost.
    pub lost: u64,
    /// The earliest start and the latest end.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The time about which anything was said: what every rate is divided by.
    windows: Windows,
    /// Whether the true length of any interval is known.
    has_length: bool,
    series: BTreeMap<Series, Summary>,
}

/// The quantiles a summary shows; 1 is the maximum.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 1.0];

impl FrameTotals {
    /// Adds a frame.
    pub fn add(&mut self, frame: &Frame) {
        self.events = self.events.saturating_add(frame.counts.events());
        self.gaps += u64::from(frame.is_gap());
        match frame.quality {
            Quality::Gap(isotherm_frame::Gap::Reset) => self.resets += 1,
            Quality::Lost(events) => self.lost = self.lost.saturating_add(events),
            _ => {}
        }
        self.has_length |= frame.has_length();
        self.windows.add(frame);
        self.span = self.span.into_iter().chain([(frame.start, frame.end)]).collect::<Ends>().get();
        if let Some(summary) = self.series.get_mut(&frame.series) {
            summary.add(frame);
        } else {
            self.series.insert(frame.series.clone(), Summary::of(frame));
        }
    }

    /// A frame from before the time looked at: it only says whether ends were counted then.
    pub fn pass_over(&mut self, frame: &Frame) {
        self.windows.pass_over(frame);
    }

    /// It is known already how all begins, of which this is a part.
    pub fn begin_as(&mut self, beginning: &Beginning) {
        self.windows.begin_as(beginning);
    }

    /// The series, most time waited first.
    pub fn by_time_waited(&self) -> Vec<&Summary> {
        let mut all: Vec<&Summary> = self.series.values().collect();
        all.sort_by(|one, two| two.waited().seconds.total_cmp(&one.waited().seconds));
        all
    }

    /// The time about which anything was said, in seconds: the same for every series, so that
    /// their rates add up.
    pub fn covered_s(&self) -> f64 {
        self.windows.coverage().seconds()
    }

    /// Events per second of the time in which ends were counted: not before the first event ended, if
    /// that is known only by how long it took. `None` as with [`FrameTotals::per_second`].
    pub fn rate(&self, events: u64) -> Option<f64> {
        let counted_s = self.windows.coverage().counted_s();
        (counted_s > 0.0 && self.has_length).then(|| events as f64 / counted_s)
    }

    /// The stretches of time that lie far apart, such as files of different years, oldest first; one
    /// where none is far from the others.
    pub fn windows(&self) -> Vec<Window> {
        self.windows.all()
    }

    /// An amount per second of covered time; `None` when no time is covered, or when nobody knows how long
    /// it was, as with totals that were read once.
    pub fn per_second(&self, amount: f64) -> Option<f64> {
        let covered_s = self.covered_s();
        (covered_s > 0.0 && self.has_length).then(|| amount / covered_s)
    }

    /// All latencies of all series together; `None` without any.
    pub fn together(&self) -> Option<Histogram> {
        Histogram::merged(self.series.values().map(|summary| &summary.latencies))
    }
}

/// The account of these frames.
pub fn summarise<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> FrameTotals {
    let mut account = FrameTotals::default();
    frames.into_iter().for_each(|frame| account.add(frame));
    account
}

impl Summary {
    fn of(frame: &Frame) -> Summary {
        let mut summary = Summary {
            series: frame.series.clone(),
            latencies: frame.counts.cleared(),
            covered_s: 0.0,
            gaps: 0,
        };
        summary.add(frame);
        summary
    }

    fn add(&mut self, frame: &Frame) {
        if frame.is_gap() {
            self.gaps += 1;
            return;
        }
        self.latencies.add(&frame.counts);
        if !frame.is_amendment() {
            self.covered_s += frame.length().as_secs_f64();
        }
    }

    /// Events counted.
    pub fn events(&self) -> u64 {
        self.latencies.events()
    }

    /// Time waited.
    pub fn waited(&self) -> TimeWaited {
        self.latencies.time_waited()
    }

    /// p50, p90, p99, p99.9 and the maximum, as ranges; none without events.
    pub fn quantiles(&self) -> Vec<QuantileInterval> {
        QUANTILES.iter().filter_map(|&q| self.latencies.quantile(q).ok()).collect()
    }
}
