//! A kind of event that only one side has: by what factor its rate differs at least.

use super::measure::JUDGED;
use super::{CONFIDENCE, ComparedSide};
use crate::{Coverage, Excerpt};

/// What is known of a kind of event that one side has and the other, which was observed, does not.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct OneSided {
    /// The side that has it.
    pub has: ComparedSide,
    /// The ratios of its rate, B over A, that chance leaves possible: from 0 where A has it, up to
    /// infinity where B has it. `None` where the other side was not observed.
    pub ratio: Option<(f64, f64)>,
}

/// The time about which anything is known, in seconds, of whatever kind of event.
pub(super) fn observed_s(side: &Excerpt<'_>) -> f64 {
    let mut covered = Coverage::default();
    let spans = side.spans().into_iter().filter(|span| !span.amends);
    spans.for_each(|span| covered.add_span(span.start, span.end));
    covered.seconds()
}

impl OneSided {
    /// Of `events` that one side has and the other does not, judged with `at_once` others.
    /// `observed_s` is the time of which the side that has them, and the other, know anything.
    pub(super) fn of(
        has: ComparedSide,
        events: &Excerpt<'_>,
        observed_s: [f64; 2],
        at_once: usize,
    ) -> OneSided {
        let miss = (1.0 - CONFIDENCE) / (JUDGED.len() * at_once.max(1)) as f64;
        let [own, other] = observed_s;
        let filled = events.spans().iter().filter(|span| span.filled && !span.amends).count();
        let most = (other > 0.0 && filled > 0).then(|| highest(filled, own / other, miss));
        let ratio = most.map(|most| match has {
            ComparedSide::A => (0.0, most),
            ComparedSide::B => (1.0 / most, f64::INFINITY),
        });
        OneSided { has, ratio }
    }
}

/// The highest rate, as a part of the other side's, of what was not seen at all while the other side
/// saw it in so many intervals, in `longer` times the time.
///
/// Given how often both sides saw it together, the side of each is a throw of a coin (Przyborowski
/// and Wilenski 1940). Events of one interval count as one: they may have one cause.
fn highest(intervals: usize, longer: f64, miss: f64) -> f64 {
    ((miss / 2.0).powf(-1.0 / intervals as f64) - 1.0) * longer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_seen_may_still_be_as_often_as_chance_leaves_possible() {
        // At the highest rate r nothing is seen, of 10 intervals, with (1 / (1 + r))^10 = 0.025.
        let most = highest(10, 1.0, 0.05);
        assert!(((1.0 + most).powi(-10) - 0.025).abs() < 1e-12);
        assert!(highest(1, 1.0, 0.05) > 38.0 && highest(600, 1.0, 0.05) < 0.0062);
        assert!((highest(10, 3.0, 0.05) - 3.0 * most).abs() < 1e-12);
    }
}
