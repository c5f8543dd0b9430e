//! What of the findings is worth saying, and in which order.

use isotherm_frame::QuantileInterval;

use crate::{
    Average, Band, Burst, Change, ChangeKind, Doubt, Findings, Gaps, LoadResponse, Mode, Outlier,
    Period, ResponseKind, TailShare,
};

/// Something worth saying about latencies.
#[derive(Clone, Debug, PartialEq)]
pub enum Remark {
    /// There are no events.
    Nothing,
    /// Latencies gather in several places.
    Bands {
        /// Where, shortest first.
        modes: Vec<Mode>,
        /// The mean latency in nanoseconds.
        mean_ns: f64,
        /// Whether the mean is exact.
        exact: bool,
        /// Whether the fast one may be a cache and the slow one what is behind it.
        cache: bool,
    },
    /// Much of the waiting falls into a short time.
    Burst(Burst),
    /// Something changed.
    Changed(Change),
    /// Something comes again and again.
    Every(Period),
    /// Few events hold much of the time.
    Tail(TailShare),
    /// How latency goes with load.
    Response(LoadResponse),
    /// Latencies may not be those of a device.
    Doubtful(Doubt),
    /// A percentile on the edge of two modes.
    Unstable(QuantileInterval),
    /// The mean stands for few events.
    Skewed(Average),
    /// Events far beyond all others.
    Outliers {
        /// How many.
        events: u64,
        /// The longest of them.
        longest: Outlier,
    },
    /// Of some time nothing is known.
    Missing(Gaps),
    /// Nothing stands out: where most latencies lie.
    Plain {
        /// Where half of the events lie below.
        median: QuantileInterval,
        /// Where all but the slowest hundredth lie below.
        high: QuantileInterval,
    },
}

/// The most remarks.
const MOST: usize = 5;
/// The most changes among them; the greatest are said.
const MOST_CHANGES: usize = 2;
/// The most bursts among them.
const MOST_BURSTS: usize = 2;
/// The slowest hundredth is worth a word if it owns this share of the time.
const MUCH_TIME: f64 = 0.25;
/// A tail of more events than this is none.
const FEW_EVENTS: f64 = 0.05;
/// A mean so many times the median, with at most this share of the events near it, misleads.
const MISLEADS: (f64, f64) = (2.0, 0.3);

/// Gaps shorter than a column are worth a word if they are this share of the time.
const MISSING: f64 = 0.01;

impl Findings {
    /// What is worth saying, most important first: one remark at least, five at most. Each has a
    /// weight: doubts about the whole measurement before what happened, before what is always so.
    pub fn remarks(&self) -> Vec<Remark> {
        let mut weighed = self.about_time();
        weighed.extend(self.about_shape());
        weighed.extend(self.doubts.iter().filter_map(weighed_doubt));
        weighed.sort_by(|one, two| two.0.total_cmp(&one.0));
        let mut remarks: Vec<Remark> = weighed.into_iter().map(|(_, remark)| remark).collect();
        remarks.truncate(MOST);
        if remarks.is_empty() {
            remarks.push(self.plain());
        }
        remarks
    }

    fn plain(&self) -> Remark {
        match self.quantiles.as_slice() {
            [(median, _), _, (high, _), ..] => Remark::Plain { median: *median, high: *high },
            _ => Remark::Nothing,
        }
    }

    fn about_time(&self) -> Vec<(f64, Remark)> {
        let mut changes: Vec<(f64, &Change)> =
            self.changes.iter().map(|change| (5.0 + 3.0 * greatness(change), change)).collect();
        changes.sort_by(|one, two| two.0.total_cmp(&one.0));
        changes.truncate(MOST_CHANGES);
        let mut remarks: Vec<(f64, Remark)> = changes
            .into_iter()
            .map(|(weight, change)| (weight, Remark::Changed(change.clone())))
            .collect();
        let mut bursts: Vec<&Burst> = self.bursts.iter().collect();
        bursts.sort_by(|one, two| two.time_share.total_cmp(&one.time_share));
        remarks.extend(
            bursts.iter().take(MOST_BURSTS).map(|&b| (6.0 + 3.0 * b.time_share, Remark::Burst(*b))),
        );
        remarks.extend(self.period.map(|period| (6.0, Remark::Every(period))));
        remarks.extend(self.response.map(|response| {
            let weight = match response.kind {
                ResponseKind::Follows(_) | ResponseKind::VariesWithoutLoad => 5.0,
                ResponseKind::Closed => 4.5,
                ResponseKind::Unrelated => 2.5,
            };
            (weight, Remark::Response(response))
        }));
        remarks.extend(self.gaps.and_then(|gaps| {
            let share = gaps.missing_s / (gaps.missing_s + self.covered_s).max(f64::MIN_POSITIVE);
            let matters = gaps.stretches > 0 || share >= MISSING;
            matters.then_some((2.0 + 5.0 * share, Remark::Missing(gaps)))
        }));
        remarks.extend(self.outlying().map(|remark| (3.0, remark)));
        remarks
    }

    fn outlying(&self) -> Option<Remark> {
        let longest = self.outliers.iter().max_by_key(|outlier| outlier.bucket.lo)?;
        let events = self.outliers.iter().fold(0_u64, |sum, one| sum.saturating_add(one.events));
        Some(Remark::Outliers { events, longest: *longest })
    }

    fn about_shape(&self) -> Vec<(f64, Remark)> {
        let mut remarks = Vec::new();
        if let Some(mean_ns) = self.mean_ns.filter(|_| self.modes.len() > 1) {
            let (modes, exact) = (self.modes.clone(), self.waited.exact);
            let cache = self.doubts.iter().any(|doubt| matches!(doubt, Doubt::TwoSpeeds { .. }));
            remarks.push((7.0, Remark::Bands { modes, mean_ns, exact, cache }));
        }
        let tail = self.tail.filter(|tail| tail.time >= MUCH_TIME && tail.events <= FEW_EVENTS);
        remarks.extend(tail.map(|tail| (4.0 + 3.0 * tail.time, Remark::Tail(tail))));
        let skewed = self.average.filter(|average| {
            self.modes.len() == 1
                && average.times_median().0 >= MISLEADS.0
                && average.near.1 <= MISLEADS.1
        });
        remarks.extend(skewed.map(|average| (3.5, Remark::Skewed(average))));
        let unstable = self.quantiles.iter().filter(|(_, unstable)| *unstable);
        let on_edge =
            unstable.map(|(quantile, _)| *quantile).find(|quantile| self.on_edge(quantile.q));
        remarks.extend(on_edge.map(|quantile| (4.0, Remark::Unstable(quantile))));
        remarks
    }

    /// Whether a quantile is unstable because one mode ends and the next begins near its rank.
    fn on_edge(&self, q: f64) -> bool {
        let near = 2.0 * (q * (1.0 - q) / (self.events as f64).max(1.0)).sqrt();
        let mut below = 0.0;
        self.modes.iter().take(self.modes.len().saturating_sub(1)).any(|mode| {
            below += mode.share;
            f64::abs(below - q) <= near
        })
    }
}

/// How great a change is, 0 to 1.
fn greatness(change: &Change) -> f64 {
    let factor = |from: f64, to: f64| {
        let octaves = (to / from).log2().abs();
        if octaves.is_finite() { (octaves / 3.0).min(1.0) } else { 1.0 }
    };
    let (before, after) = (&change.before, &change.after);
    // Less waiting is good news: half as urgent.
    let urgent = if after.waiting > before.waiting { 1.0 } else { 0.5 };
    let waiting = urgent * factor(before.waiting, after.waiting);
    match change.kind {
        ChangeKind::Appears(Band { share, time_share, .. })
        | ChangeKind::Vanishes(Band { share, time_share, .. }) => {
            share.max(urgent * time_share).max(waiting)
        }
        ChangeKind::Moves | ChangeKind::Scales(_) | ChangeKind::Drifts => {
            factor(before.mean_ns, after.mean_ns).max(waiting)
        }
        ChangeKind::Stalls(stall) => stall.time_share.max(0.5),
        ChangeKind::Stops => 1.0,
        ChangeKind::Silent => 0.5,
        ChangeKind::Grows(Band { share, other_share, .. }) => (share - other_share).max(waiting),
        ChangeKind::Rate | ChangeKind::RateDrifts => factor(before.rate, after.rate) / 2.0,
    }
}

fn weighed_doubt(doubt: &Doubt) -> Option<(f64, Remark)> {
    let weight = match doubt {
        Doubt::FasterThanDevice { .. } => 10.0,
        Doubt::CacheHits { .. } => 8.5,
        // Said with the modes.
        Doubt::TwoSpeeds { .. } => return None,
    };
    Some((weight, Remark::Doubtful(*doubt)))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Scheme, Unit};

    use super::*;
    use crate::simulated::{Hill, run};
    use crate::{Circumstances, DeviceClass, Operation};

    fn of(circumstances: Circumstances) -> Vec<Remark> {
        let incident = run(4, 900, &Scheme::log_linear(), |second, _| {
            let burst = if (400..520).contains(&second) { 20.0 } else { 0.0 };
            vec![Hill(70.0, 200.0, 0.3), Hill(30.0, 8_000.0, 0.3), Hill(burst, 90_000.0, 0.2)]
        });
        Findings::of(&incident, &circumstances).remarks()
    }

    #[test]
    fn what_happened_comes_before_what_is_always_so_and_doubts_before_all() {
        let remarks = of(Circumstances::default());
        assert!((2..=5).contains(&remarks.len()), "{remarks:?}");
        assert!(matches!(remarks[0], Remark::Changed(_)), "{remarks:?}");
        assert!(remarks.iter().any(|remark| matches!(remark, Remark::Bands { cache: false, .. })));
        let device = Some(DeviceClass::Hdd);
        let remarks = of(Circumstances { device, operation: Operation::Read });
        assert!(matches!(remarks[0], Remark::Doubtful(Doubt::FasterThanDevice { .. })));
        let remarks = of(Circumstances { device: None, operation: Operation::Read });
        let cached = |remark: &Remark| matches!(remark, Remark::Bands { cache: true, .. });
        // Three bands: which of them were a cache, nobody knows.
        assert!(!remarks.iter().any(cached), "{remarks:?}");
    }

    #[test]
    fn there_is_always_something_to_say() {
        let steady =
            run(4, 300, &Scheme::powers_of_two(Unit::Micros), |_, _| vec![Hill(100.0, 300.0, 0.2)]);
        let remarks = Findings::of(&steady, &Circumstances::default()).remarks();
        assert!(matches!(remarks[..], [Remark::Plain { .. }]), "{remarks:?}");
        let nothing = Histogram::empty(Scheme::log_linear());
        let remarks = Findings::of_total(&nothing, 0.0, &Circumstances::default()).remarks();
        assert_eq!(remarks, [Remark::Nothing]);
    }
}
