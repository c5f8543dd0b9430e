//! Which peaks of a curve are more than its ripples: topological persistence.

use std::ops::Range;

/// A peak at the moment its hill is overgrown by a higher one.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Hill {
    /// The index of its highest point.
    pub(crate) peak: usize,
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
    keep: impl Fn(&Hill) -> bool,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..curve.len()).collect();
    order.sort_unstable_by(|&one, &two| curve[two].total_cmp(&curve[one]).then(one.cmp(&two)));
    let mut kept: Vec<usize> = order.first().copied().into_iter().collect();
    let mut hills = Hills::over(curve.len());
    for point in order {
        let before = point.checked_sub(1).and_then(|before| hills.ending_at(before));
        let after = hills.starting_at(point + 1);
        let one = (point..point + 1, point, mass[point]);
        let grown = [before, after].into_iter().flatten().fold(one, |grown, met| {
            let (elder, younger) =
                if curve[grown.1] > curve[met.1] { (&grown, &met) } else { (&met, &grown) };
            let hill = Hill {
                peak: younger.1,
                height: curve[younger.1],
                saddle: curve[point],
                mass: younger.2,
            };
            if younger.1 != point && keep(&hill) {
                kept.push(hill.peak);
            }
            let range = grown.0.start.min(met.0.start)..grown.0.end.max(met.0.end);
            (range, elder.1, grown.2 + met.2)
        });
        hills.put(grown);
    }
    kept.sort_unstable();
    kept
}

/// A hill's points, its peak and its mass so far.
type Growing = (Range<usize>, usize, f64);

/// The hills above the level so far, found by their ends.
struct Hills {
    /// For the first point of a hill its end, for the last its start, its peak and its mass.
    at: Vec<Option<Growing>>,
}

impl Hills {
    fn over(points: usize) -> Hills {
        Hills { at: vec![None; points] }
    }

    fn ending_at(&self, point: usize) -> Option<Growing> {
        self.at.get(point)?.clone()
    }

    fn starting_at(&self, point: usize) -> Option<Growing> {
        self.at.get(point)?.clone()
    }

    fn put(&mut self, hill: Growing) {
        let (start, last) = (hill.0.start, hill.0.end - 1);
        self.at[start] = Some(hill.clone());
        self.at[last] = Some(hill);
    }
}
