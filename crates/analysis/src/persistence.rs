//! Which peaks of a curve are more than its ripples: topological persistence.

use std::ops::Range;

/// A peak at the moment its hill is overgrown by a higher one.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Peak {
    /// The index of its highest point.
    pub(crate) index: usize,
    /// The height of that point.
    pub(crate) height: f64,
    /// The height of the pass to the higher hill.
    pub(crate) saddle: f64,
    /// What lies under the hill, from pass to pass.
    pub(crate) mass: f64,
}

/// The peaks of `curve` whose hills `keep` accepts, and always the highest; in order of position.
///
/// Zero-dimensional persistence of superlevel sets: the level falls from the highest point to the
/// lowest, points join the hill beside them, and where two hills meet, the lower one ends
/// (Edelsbrunner, Letscher & Zomorodian 2002, *Topological Persistence and Simplification*; for
/// modes of a density Huber 2021, *Persistent Topology for Peak Detection*). On a line every hill
/// is a range of points, so the two ends of the range do for a union-find.
pub(crate) fn persistent_peaks(
    curve: &[f64],
    mass: &[f64],
    keep: impl Fn(&Peak) -> bool,
) -> Vec<usize> {
    // Of equal heights the first counts as the higher, here as where hills meet.
    let higher = |one: usize, two: usize| curve[two].total_cmp(&curve[one]).then(one.cmp(&two));
    let mut order: Vec<usize> = (0..curve.len()).collect();
    order.sort_unstable_by(|&one, &two| higher(one, two));
    let mut kept: Vec<usize> = order.first().copied().into_iter().collect();
    let mut hills = Peaks::over(curve.len());
    for point in order {
        let before = point.checked_sub(1).and_then(|before| hills.ending_at(before));
        let after = hills.starting_at(point + 1);
        let one = (point..point + 1, point, 0.0);
        let mut grown = [before, after].into_iter().flatten().fold(one, |grown, met| {
            let (elder, younger) =
                if higher(grown.1, met.1).is_lt() { (&grown, &met) } else { (&met, &grown) };
            let peak = Peak {
                index: younger.1,
                height: curve[younger.1],
                saddle: curve[point],
                mass: younger.2,
            };
            if younger.1 != point && keep(&peak) {
                kept.push(peak.index);
            }
            let range = grown.0.start.min(met.0.start)..grown.0.end.max(met.0.end);
            (range, elder.1, grown.2 + met.2)
        });
        grown.2 += mass[point];
        hills.put(grown);
    }
    kept.sort_unstable();
    kept
}

/// A hill's points, its peak and its mass so far.
type Growing = (Range<usize>, usize, f64);

/// The hills above the level so far, found by their ends.
struct Peaks {
    /// For the first point of a hill its end, for the last its start, its peak and its mass.
    at: Vec<Option<Growing>>,
}

impl Peaks {
    fn over(points: usize) -> Peaks {
        Peaks { at: vec![None; points] }
    }

    fn ending_at(&self, point: usize) -> Option<Growing> {
        self.at.get(point)?.clone()
    }

    fn starting_at(&self, point: usize) -> Option<Growing> {
        self.at.get(point)?.clone()
    }

    fn put(&mut self, peak: Growing) {
        let (start, last) = (peak.0.start, peak.0.end - 1);
        self.at[start] = Some(peak.clone());
        self.at[last] = Some(peak);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hills(curve: &[f64]) -> Vec<(usize, f64, f64)> {
        let seen = std::cell::RefCell::new(Vec::new());
        persistent_peaks(curve, curve, |peak| {
            seen.borrow_mut().push((peak.index, peak.saddle, peak.mass));
            false
        });
        seen.into_inner()
    }

    #[test]
    fn the_lower_of_two_hills_ends_where_they_meet() {
        // Peaks of 5, 9 and 7; the first pass is at 2, the second at 3.
        let curve = [1.0, 5.0, 2.0, 9.0, 3.0, 4.0, 7.0, 0.0];
        assert_eq!(hills(&curve), [(6, 3.0, 11.0), (1, 2.0, 5.0)]);
        assert_eq!(
            persistent_peaks(&curve, &curve, |peak| peak.height - peak.saddle > 3.5),
            [3, 6]
        );
    }

    #[test]
    fn a_pass_between_lower_hills_belongs_to_them() {
        // The hill of 4 joins the hill of 6 before that meets the highest.
        let curve = [6.0, 3.0, 4.0, 1.0, 9.0];
        assert_eq!(hills(&curve), [(2, 3.0, 4.0), (0, 1.0, 13.0)]);
    }

    #[test]
    fn a_plateau_is_one_hill() {
        let curve = [2.0, 2.0, 2.0, 2.0];
        let lowered = hills(&curve).into_iter().filter(|&(peak, saddle, _)| curve[peak] > saddle);
        assert_eq!(lowered.count(), 0);
        let twins = [2.0, 0.0, 2.0, 0.0, 2.0];
        assert_eq!(persistent_peaks(&twins, &twins, |_| true), [0, 2, 4]);
        assert_eq!(persistent_peaks(&[], &[], |_| true), Vec::<usize>::new());
    }
}
