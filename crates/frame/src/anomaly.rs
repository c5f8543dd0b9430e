//! What the reader of a heat map must know about a series.

use std::collections::BTreeSet;
use std::fmt;

use crate::numbers::counted;
use crate::{Nanos, Series, Timestamp};

/// Something about a series that the reader of its heat map must know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// When it was noticed.
    pub at: Timestamp,
    /// The series it is about.
    pub series: Series,
    /// What it is.
    pub kind: AnomalyKind,
}

/// The kinds of [`Anomaly`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AnomalyKind {
    /// Counters began anew: what was counted in between is not known.
    Reset,
    /// The clock stepped back by this much.
    ClockBack(Nanos),
    /// So many events were counted while the clock showed times that were drawn already: they are
    /// in no frame.
    Unplaced(u64),
    /// Two totals for one moment.
    DuplicateTime,
    /// The totals were read this long after the last ones.
    LatePoll(Nanos),
    /// The series was not there before; its first total is its baseline.
    Appeared,
    /// The series was not in the last poll.
    Vanished,
    /// So many events came so late that their intervals were already finished; they were counted
    /// in the earliest interval still open.
    LateEvents(u64),
    /// So much of the latencies was waited before the time that is observed: it is in no interval.
    WaitedBefore(Nanos),
    /// So much of the latencies was waited more than a day before the event ended, where nothing says
    /// since when was measured: it is in no interval.
    WaitedDaysBefore(Nanos),
    /// There are more series than so many: what is said of this one and of others after it is
    /// added up in [`Series::other`], or left out where it is a running total.
    TooManySeries(usize),
    /// So many running totals were left out because there were too many series.
    TotalsLeftOut(u64),
}

impl fmt::Display for AnomalyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnomalyKind::Reset => f.write_str("counters reset"),
            AnomalyKind::ClockBack(by) => {
                write!(f, "clock stepped back {by}: no stretch of time is drawn twice")
            }
            AnomalyKind::Unplaced(events) => {
                write!(f, "{} lost because the clock stepped back", counted(*events, "event"))
            }
            AnomalyKind::DuplicateTime => f.write_str("two readings for one moment"),
            AnomalyKind::LatePoll(after) => write!(f, "late poll: {after} after the last"),
            AnomalyKind::Appeared => f.write_str("series appeared"),
            AnomalyKind::Vanished => f.write_str("series vanished"),
            AnomalyKind::LateEvents(events) => {
                let events = counted(*events, "event");
                write!(f, "{events} came late, counted in the next interval; the last one")
            }
            AnomalyKind::TotalsLeftOut(totals) => {
                let totals = counted(*totals, "running total");
                write!(f, "{totals} left out: too many series; the last one")
            }
            AnomalyKind::TooManySeries(most) => {
                write!(
                    f,
                    "more than {most} series: events of the others are added up as '(other)', their \
                     running totals are left out; the first of them"
                )
            }
            AnomalyKind::WaitedBefore(time) => {
                write!(f, "{time} waited before measuring began is not shown")
            }
            AnomalyKind::WaitedDaysBefore(time) => {
                write!(
                    f,
                    "{time} was waited more than 24 h before the event ended and is in no interval: the \
                     time waited is too low by that (the mean is not)"
                )
            }
        }
    }
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.series)
    }
}

/// What anomalies of one moment say: those of one kind at once, with the first of their series and the
/// number of the others.
pub fn anomalies_in_words(anomalies: &[Anomaly]) -> Vec<String> {
    let mut groups: Vec<(&Anomaly, BTreeSet<&Series>)> = Vec::new();
    for anomaly in anomalies {
        if let Some((_, series)) = groups.iter_mut().find(|(first, _)| first.kind == anomaly.kind) {
            series.insert(&anomaly.series);
        } else {
            groups.push((anomaly, BTreeSet::from([&anomaly.series])));
        }
    }
    let in_words = |(first, series): (&Anomaly, BTreeSet<&Series>)| match series.len() {
        1 => first.to_string(),
        all => format!("{first} and {} other series", all - 1),
    };
    groups.into_iter().map(in_words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anomalies_of_one_kind_are_one_sentence() {
        let late = AnomalyKind::LatePoll(Nanos::SECOND);
        let of = |name: &str, kind| Anomaly {
            at: Timestamp::default(),
            series: Series::named(name),
            kind,
        };
        let reset = AnomalyKind::Reset;
        let all = [of("a", late), of("b", reset), of("c", late), of("d", late), of("b", reset)];
        assert_eq!(
            anomalies_in_words(&all),
            ["late poll: 1s after the last: a and 2 other series", "counters reset: b"]
        );
    }
}
