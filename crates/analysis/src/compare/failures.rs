//! How many of the operations failed on each side: what fails early is fast, and what fails late is slow.

use isotherm_frame::Series;

use crate::Excerpt;

/// Operations that failed, and all, of A and B.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Failures {
    /// Failed and all operations of A.
    pub a: Failed,
    /// Failed and all operations of B.
    pub b: Failed,
}

/// Operations of one side.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Failed {
    /// Those that failed.
    pub failed: u64,
    /// All of which it is known whether they failed.
    pub all: u64,
}

impl Failed {
    fn of(side: &Excerpt<'_>) -> Failed {
        let known = side.only(|series| outcome(series).is_some());
        let mut counted = Failed::default();
        for frame in known.frames() {
            let events = frame.counts.events();
            counted.all = counted.all.saturating_add(events);
            if outcome(&frame.series) == Some(FAILED) {
                counted.failed = counted.failed.saturating_add(events);
            }
        }
        counted
    }

    /// The share that failed, 0 to 1; 0 without operations.
    pub fn share(self) -> f64 {
        self.failed as f64 / (self.all as f64).max(1.0)
    }
}

/// The attribute that formats of operations have, and its value where one failed.
const OUTCOME: &str = "outcome";
const FAILED: &str = "failed";

fn outcome(series: &Series) -> Option<&str> {
    series.attributes().find(|(key, _)| *key == OUTCOME).map(|(_, value)| value)
}

impl Failures {
    /// The shares differ by so many standard errors, at least (about 1 in 1,000 by chance) ...
    const LEAST_Z: f64 = 3.3;
    /// ... and by so much.
    const LEAST_POINTS: f64 = 0.001;

    /// Counted in both sides; `None` where nothing tells whether operations failed, or none did.
    pub fn of([a, b]: [&Excerpt<'_>; 2]) -> Option<Failures> {
        let found = Failures { a: Failed::of(a), b: Failed::of(b) };
        let is_known = found.a.all > 0 && found.b.all > 0;
        (is_known && found.a.failed + found.b.failed > 0).then_some(found)
    }

    /// Whether more of B failed, by more than chance accounts for.
    pub fn more_in_b(&self) -> bool {
        self.b.share() > self.a.share() && self.differs()
    }

    /// Whether the shares differ by more than chance accounts for (two proportions, pooled).
    pub fn differs(&self) -> bool {
        let (a, b) = (self.a, self.b);
        let points = (b.share() - a.share()).abs();
        let pooled = (a.failed + b.failed) as f64 / (a.all + b.all) as f64;
        let each = 1.0 / a.all as f64 + 1.0 / b.all as f64;
        let error = (pooled * (1.0 - pooled) * each).sqrt();
        points >= Failures::LEAST_POINTS && points >= Failures::LEAST_Z * error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_differ_where_chance_does_not_account_for_it() {
        let of = |a: (u64, u64), b: (u64, u64)| Failures {
            a: Failed { failed: a.0, all: a.1 },
            b: Failed { failed: b.0, all: b.1 },
        };
        let (fails, passes) = (of((6, 100), (33, 100)), of((33, 100), (6, 100)));
        assert!(fails.more_in_b() && !passes.more_in_b() && passes.differs());
        // 6 and 9 of 100: z is 0.8. 60 and 90 of 1,000: 2.5. 600 and 900 of 10,000: 8.1.
        assert!(!of((6, 100), (9, 100)).differs() && !of((60, 1_000), (90, 1_000)).differs());
        assert!(of((600, 10_000), (900, 10_000)).more_in_b());
        // 1 and 2 of a million are too few points.
        assert!(!of((100, 1_000_000), (500, 1_000_000)).differs());
        assert!(of((0, 5_000), (50, 5_000)).more_in_b());
    }
}
