//! What of A is to be compared with what of B.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Histogram, Nanos, Series};

use super::{Comparison, SideNumbers, compare};
use crate::{Grid, Timeline};

/// What makes two series one pair.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Pairing {
    /// The name: series that differ only in attributes are taken together.
    #[default]
    Name,
    /// The name and all attributes.
    Series,
}

/// The frames of one kind of event on both sides; none where a side does not have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// What is compared.
    pub series: Series,
    /// The frames of A.
    pub a: Vec<Frame>,
    /// The frames of B.
    pub b: Vec<Frame>,
}

impl Pairing {
    fn key(self, frame: &Frame) -> Series {
        match self {
            Pairing::Name => Series::named(frame.series.name()),
            Pairing::Series => frame.series.clone(),
        }
    }

    /// Pairs what both sides have, in the order of names. Where each side has one kind only, they
    /// are a pair whatever they are called: B's name is then the pair's.
    pub fn pair(self, a: Vec<Frame>, b: Vec<Frame>) -> Vec<Pair> {
        let mut pairs: BTreeMap<Series, (Vec<Frame>, Vec<Frame>)> = BTreeMap::new();
        for frame in a {
            pairs.entry(self.key(&frame)).or_default().0.push(frame);
        }
        for frame in b {
            pairs.entry(self.key(&frame)).or_default().1.push(frame);
        }
        let mut pairs: Vec<Pair> =
            pairs.into_iter().map(|(series, (a, b))| Pair { series, a, b }).collect();
        if let [one, two] = pairs.as_mut_slice()
            && one.has_one_side()
            && two.has_one_side()
            && one.a.is_empty() != two.a.is_empty()
        {
            let (with_a, with_b) = if one.b.is_empty() { (one, two) } else { (two, one) };
            with_b.a = std::mem::take(&mut with_a.a);
            pairs.retain(|pair| !pair.a.is_empty());
        }
        pairs
    }
}

/// The most columns that errors of chance are estimated from.
const MOST_COLUMNS: usize = 600;
/// The most pairs that are judged; the others, of less change, are only listed.
pub const MOST_JUDGED: usize = 60;

/// What became of a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairComparison {
    /// A in numbers; all zero where it does not have it.
    pub a: SideNumbers,
    /// B in numbers.
    pub b: SideNumbers,
    /// The comparison and the latencies of B, where both sides have events and it is judged.
    pub compared: Option<(Comparison, Histogram)>,
}

/// Orders the pairs by the change of average waiting, the largest first, and compares those that
/// both sides have: the first [`MOST_JUDGED`] of them, judged so that all are right together.
pub fn compare_pairs(pairs: &mut [Pair]) -> Vec<PairComparison> {
    pairs.sort_by_cached_key(|pair| {
        let [a, b] = pair.numbers().map(|side| side.waiting());
        // Seconds as whole nanoseconds, so that they can be ordered.
        std::cmp::Reverse(Nanos::from_secs_f64((b - a).abs()).unwrap_or_default())
    });
    let judged = pairs.iter().filter(|pair| !pair.has_one_side()).count().min(MOST_JUDGED);
    let mut left = judged;
    let compared = pairs.iter().map(|pair| {
        let judge = !pair.has_one_side() && left > 0;
        left -= usize::from(judge);
        let [a, b] = pair.numbers();
        PairComparison { a, b, compared: judge.then(|| pair.compare(judged)).flatten() }
    });
    compared.collect()
}

impl Pair {
    /// All latencies of B; `None` where it has no interval.
    pub fn latencies_of_b(&self) -> Option<Histogram> {
        Histogram::merged(self.b.iter().map(|frame| &frame.counts))
    }

    fn numbers(&self) -> [SideNumbers; 2] {
        [&self.a, &self.b].map(|frames| SideNumbers::of(frames))
    }

    fn compare(&self, at_once: usize) -> Option<(Comparison, Histogram)> {
        let side = |frames: &[Frame]| {
            Grid::covering(frames, MOST_COLUMNS).map(|grid| Timeline::place(frames, grid))
        };
        let (a, b) = (side(&self.a)?, side(&self.b)?);
        Some((compare(&a, &b, at_once), b.total))
    }

    fn has_one_side(&self) -> bool {
        self.a.is_empty() || self.b.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Nanos, Quality, Scheme, Timestamp};

    use super::*;

    fn frame(name: &str, device: &str) -> Frame {
        Frame {
            series: Series::with_attributes(name, [("device", device)]),
            start: Timestamp::new(0),
            end: Timestamp::new(0).plus(Nanos::SECOND),
            counts: Histogram::empty(Scheme::log_linear()),
            quality: Quality::Complete,
        }
    }

    fn paired(pairing: Pairing, a: &[Frame], b: &[Frame]) -> Vec<(String, usize, usize)> {
        let pairs = pairing.pair(a.to_vec(), b.to_vec());
        pairs.iter().map(|pair| (pair.series.to_string(), pair.a.len(), pair.b.len())).collect()
    }

    #[test]
    fn series_of_one_name_are_taken_together_unless_asked_otherwise() {
        let (a, b) = ([frame("read", "vda"), frame("read", "vdb")], [frame("read", "vda")]);
        assert_eq!(paired(Pairing::Name, &a, &b), [("read".to_owned(), 2, 1)]);
        let each = paired(Pairing::Series, &a, &b);
        let expected = [("read{device=vda}", 1, 1), ("read{device=vdb}", 1, 0)];
        assert_eq!(each, expected.map(|(name, a, b)| (name.to_owned(), a, b)));
    }

    #[test]
    fn the_largest_change_of_waiting_comes_first() {
        let waits = |name: &str, millis: &[u64]| {
            let mut one = frame(name, "x");
            for ms in millis {
                one.counts.record(Nanos::from_millis(*ms));
            }
            one
        };
        // Over a second each: 900 to 880 ms, 3 to 500 ms, nothing to 40 ms.
        let a = vec![waits("client", &[900]), waits("mutex", &[3]), waits("latch", &[])];
        let b = vec![waits("client", &[880]), waits("mutex", &[500]), waits("latch", &[40])];
        let mut pairs = Pairing::Name.pair(a, b);
        let found = compare_pairs(&mut pairs);
        let names: Vec<String> = pairs.iter().map(|pair| pair.series.to_string()).collect();
        assert_eq!(names, ["mutex", "latch", "client"]);
        for (pair, waiting) in found.iter().zip([0.5, 0.04, 0.88]) {
            assert!((pair.b.waiting() - waiting).abs() < 1e-12, "{pair:?}");
        }
        assert!(found.iter().all(|pair| pair.compared.is_some()));
    }

    #[test]
    fn the_only_series_of_each_side_are_a_pair_whatever_they_are_called() {
        let (a, b) = ([frame("before", "x")], [frame("after", "x")]);
        assert_eq!(paired(Pairing::Name, &a, &b), [("after".to_owned(), 1, 1)]);
        assert_eq!(paired(Pairing::Name, &b, &a), [("before".to_owned(), 1, 1)]);
        let more = [frame("after", "x"), frame("other", "x")];
        assert_eq!(paired(Pairing::Name, &a, &more).len(), 3);
    }
}
