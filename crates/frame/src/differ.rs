//! The only place where running totals become intervals.

use std::collections::BTreeMap;

use crate::{
    Anomaly, AnomalyKind, Frame, Gap, Histogram, Nanos, Partial, Quality, Series, Timestamp,
};

/// Turns running totals into frames, series by series.
///
/// The first total of a series is its baseline. After that each later total gives one frame:
///
/// * a total that fell, or a changed epoch, is a *reset*: a gap frame and a mark, and the new
///   total is the next baseline;
/// * a bucket not seen before counts from zero;
/// * a total read more than 1.5 times as long after the last as each of the two before is a frame
///   marked *late poll*; its rate is right because it is divided by its true length. A single
///   short interval (a history's first one after a restart) does not make all others late;
/// * a second total for the same moment waits for the next one: nothing is counted twice;
/// * a clock that steps back is a mark. No stretch of time is drawn twice: what was counted
///   until the clock is past all that was drawn has no place on the time axis and is given as
///   [`AnomalyKind::Unplaced`]; the interval in which it catches up is a gap frame;
/// * a series that appears after others, or vanishes, is marked; its first total is a baseline.
///
/// Never a negative, never a spike, always a mark.
#[derive(Debug, Default)]
pub struct Differ {
    series: BTreeMap<Series, Last>,
    /// The moment of the poll being read.
    now: Option<Timestamp>,
    /// Whether `now` is later than the first poll: whatever appears is new.
    past_first_poll: bool,
}

#[derive(Debug)]
struct Last {
    at: Timestamp,
    total: Histogram,
    epoch: Option<Timestamp>,
    /// The lengths of the last two intervals, against which lateness is judged; zero if there
    /// are none.
    lengths: [Nanos; 2],
    vanished: bool,
    /// Where the stretch began since which the clock has not stepped back.
    since: Timestamp,
    /// What was drawn before the clock stepped back: nothing else is drawn there.
    drawn: Option<(Timestamp, Timestamp)>,
}

/// How much of an interval was drawn before.
enum Overlap {
    /// All of it.
    Whole,
    /// All but the stretch from here to there.
    Part(Timestamp, Timestamp),
}

/// What one total leads to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The interval it completes, if any.
    pub frame: Option<Frame>,
    /// What the reader of the map must know.
    pub anomalies: Vec<Anomaly>,
}

impl Differ {
    /// A differ that has seen nothing.
    pub fn new() -> Differ {
        Differ::default()
    }

    /// Takes one total and gives the frame it completes, if any, and what the reader of the map
    /// must know about it.
    pub fn push(
        &mut self,
        at: Timestamp,
        series: &Series,
        total: Histogram,
        epoch: Option<Timestamp>,
    ) -> Step {
        let mut anomalies = self.begin_poll(at);
        let Some(last) = self.series.get_mut(series) else {
            if self.past_first_poll {
                anomalies.push(Anomaly { at, series: series.clone(), kind: AnomalyKind::Appeared });
            }
            self.series.insert(series.clone(), Last::baseline(at, total, epoch));
            return Step { frame: None, anomalies };
        };
        let (frame, kinds) = last.advance(at, series, total, epoch);
        let mark = |kind| Anomaly { at, series: series.clone(), kind };
        if std::mem::take(&mut last.vanished) {
            anomalies.push(mark(AnomalyKind::Appeared));
        }
        anomalies.extend(kinds.into_iter().map(mark));
        Step { frame, anomalies }
    }

    /// Notices that a new poll begins, and which series the last one left out.
    fn begin_poll(&mut self, at: Timestamp) -> Vec<Anomaly> {
        let Some(previous) = self.now.replace(at).filter(|&previous| previous != at) else {
            return Vec::new();
        };
        let mut anomalies = Vec::new();
        self.past_first_poll = true;
        for (series, last) in &mut self.series {
            if last.at < previous && !last.vanished {
                last.vanished = true;
                let kind = AnomalyKind::Vanished;
                anomalies.push(Anomaly { at: previous, series: series.clone(), kind });
            }
        }
        anomalies
    }
}

impl Last {
    fn baseline(at: Timestamp, total: Histogram, epoch: Option<Timestamp>) -> Last {
        let lengths = [Nanos::ZERO; 2];
        Last { at, total, epoch, lengths, vanished: false, since: at, drawn: None }
    }

    /// Moves on to `total`, giving the frame in between and what is odd about it.
    fn advance(
        &mut self,
        at: Timestamp,
        series: &Series,
        total: Histogram,
        epoch: Option<Timestamp>,
    ) -> (Option<Frame>, Vec<AnomalyKind>) {
        let start = self.at;
        if at == start {
            return (None, vec![AnomalyKind::DuplicateTime]);
        }
        let restarted = epoch.is_some() && self.epoch.is_some() && epoch != self.epoch;
        let difference = total.since(&self.total).ok().filter(|_| !restarted);
        let empty = total.cleared();
        self.at = at;
        self.total = total;
        self.epoch = epoch.or(self.epoch);
        let frame = |(start, end): (Timestamp, Timestamp), counts, quality| Frame {
            series: series.clone(),
            start,
            end,
            counts,
            quality,
        };
        if at < start {
            let (from, to) = self.drawn.unwrap_or((self.since, start));
            self.drawn = Some((from.min(self.since), to.max(start)));
            self.since = at;
            let back = AnomalyKind::ClockBack(start.since(at));
            return (None, [vec![back], unplaced(difference.as_ref())].concat());
        }
        if let Some(rest) = self.overlap(start, at) {
            // Nothing of it can be distinguished from what was counted where it was drawn.
            let gap = match rest {
                Overlap::Whole => None,
                Overlap::Part(start, end) => {
                    Some(frame((start, end), empty, Quality::Gap(Gap::ClockBack)))
                }
            };
            return (gap, unplaced(difference.as_ref()));
        }
        let Some(counts) = difference else {
            self.lengths = [Nanos::ZERO; 2];
            let gap = frame((start, at), empty, Quality::Gap(Gap::Reset));
            return (Some(gap), vec![AnomalyKind::Reset]);
        };
        let late = self.note_interval(at.since(start));
        let quality = match late {
            Some(_) => Quality::Partial(Partial::LatePoll),
            None => Quality::Complete,
        };
        let marks = late.map(AnomalyKind::LatePoll).into_iter().collect();
        (Some(frame((start, at), counts, quality)), marks)
    }

    /// How much of an interval was drawn before the clock stepped back; `None` if nothing was.
    fn overlap(&self, start: Timestamp, end: Timestamp) -> Option<Overlap> {
        let (from, to) = self.drawn.filter(|&(from, to)| start < to && end > from)?;
        Some(match (end > to, start < from) {
            (true, _) => Overlap::Part(to, end),
            (false, true) => Overlap::Part(start, from),
            (false, false) => Overlap::Whole,
        })
    }

    /// Learns how long intervals are; gives this one's length when it is late by comparison.
    fn note_interval(&mut self, length: Nanos) -> Option<Nanos> {
        let [before, last] = self.lengths;
        self.lengths = [last, length];
        let usual = before.max(last);
        let limit = u128::from(usual.as_nanos()) * 3 / 2;
        (usual > Nanos::ZERO && u128::from(length.as_nanos()) > limit).then_some(length)
    }
}

/// What is said of events that have no place on the time axis; of counters that were reset it is
/// not known how many they were.
fn unplaced(difference: Option<&Histogram>) -> Vec<AnomalyKind> {
    match difference.map(Histogram::events) {
        None => vec![AnomalyKind::Reset],
        Some(0) => Vec::new(),
        Some(events) => vec![AnomalyKind::Unplaced(events)],
    }
}
