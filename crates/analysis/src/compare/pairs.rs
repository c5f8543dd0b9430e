//! What of A is to be compared with what of B.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_frame::{Histogram, Nanos, Series};

use super::one_sided::observed_s;
use super::{ComparedSide, Comparison, OneSided, SideNumbers, compare};
use crate::Excerpt;

/// What makes two series one pair.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Pairing {
    /// The name: series that differ only in attributes are taken together.
    #[default]
    Name,
    /// The name and all attributes.
    Series,
}

/// One kind of event on both sides; without frames where a side does not have it.
#[derive(Clone, Debug)]
pub struct Pair<'a> {
    /// What is compared.
    pub series: Series,
    /// It in A.
    pub a: Excerpt<'a>,
    /// It in B.
    pub b: Excerpt<'a>,
}

impl Pairing {
    fn key(self, series: &Series) -> Series {
        match self {
            Pairing::Name => series.kind(),
            Pairing::Series => series.clone(),
        }
    }

    /// Pairs what both sides have, in the order of names. Where each side has one name only, they
    /// are a pair whatever they are called: B's name is then the pair's. Averages and distributions are
    /// never a pair.
    pub fn pair<'a>(self, a: &Excerpt<'a>, b: &Excerpt<'a>) -> Vec<Pair<'a>> {
        let [mut of_a, mut of_b] = [a, b].map(|side| self.kinds(side));
        let names: BTreeSet<Series> = of_a.keys().chain(of_b.keys()).cloned().collect();
        let empty = |side: &Excerpt<'a>| side.only(|_| false);
        let mut pairs: Vec<Pair<'a>> = names
            .into_iter()
            .map(|series| Pair {
                a: of_a.remove(&series).unwrap_or_else(|| empty(a)),
                b: of_b.remove(&series).unwrap_or_else(|| empty(b)),
                series,
            })
            .collect();
        if self == Pairing::Name
            && let [one, two] = pairs.as_mut_slice()
            && one.has_one_side()
            && two.has_one_side()
            && one.a.is_empty() != two.a.is_empty()
            && one.series.detail() == two.series.detail()
        {
            let (with_a, with_b) = if one.b.is_empty() { (one, two) } else { (two, one) };
            std::mem::swap(&mut with_a.a, &mut with_b.a);
            pairs.retain(|pair| !pair.a.is_empty());
        }
        pairs
    }

    /// What a side has, by kind.
    fn kinds<'a>(self, side: &Excerpt<'a>) -> BTreeMap<Series, Excerpt<'a>> {
        let mut members: BTreeMap<Series, BTreeSet<&Series>> = BTreeMap::new();
        for series in side.series() {
            members.entry(self.key(series)).or_default().insert(series);
        }
        let kinds = members.into_iter();
        let kinds = kinds.map(|(kind, of)| (kind, side.only(|series| of.contains(series))));
        kinds.filter(|(_, excerpt)| !excerpt.is_empty()).collect()
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
    /// All latencies of B; `None` where it has no interval.
    pub latencies_of_b: Option<Histogram>,
    /// The comparison, where both sides have events and it is judged.
    pub compared: Option<Comparison>,
    /// What is known where only one side has events.
    pub one_sided: Option<OneSided>,
}

/// Orders the pairs by the change of average waiting, the largest first, and compares those that
/// both sides have: the first [`MOST_JUDGED`] of them, judged so that all are right together.
/// `sides` are all that is known of A and B, also of series that are not compared: a side that does not
/// have a kind of event was observed as long as it was of any. Frames are unpacked one at a time.
pub fn compare_pairs(pairs: &mut [Pair<'_>], sides: [&Excerpt<'_>; 2]) -> Vec<PairComparison> {
    let mut found: BTreeMap<Series, PairComparison> =
        pairs.iter().map(|pair| (pair.series.clone(), pair.numbers())).collect();
    pairs.sort_by_cached_key(|pair| {
        let change = found.get(&pair.series).map_or(0.0, |of| of.b.waiting() - of.a.waiting());
        // Seconds as whole nanoseconds, so that they can be ordered.
        std::cmp::Reverse(Nanos::from_secs_f64(change.abs()).unwrap_or_default())
    });
    let judged = pairs.iter().filter(|pair| !pair.has_one_side()).count().min(MOST_JUDGED);
    let alone = found.values().filter(|of| of.side_with_all().is_some()).count();
    let observed_s = match alone {
        0 => [0.0; 2],
        _ => sides.map(observed_s),
    };
    let mut left = judged;
    let compared = pairs.iter().filter_map(|pair| {
        let judge = !pair.has_one_side() && left > 0;
        left -= usize::from(judge);
        let numbers = found.remove(&pair.series)?;
        let compared = judge.then(|| pair.compare(judged)).flatten();
        let side = numbers.side_with_all();
        let at_once = alone.max(judged);
        let one_sided = side.map(|has| pair.one_sided(has, observed_s, at_once));
        Some(PairComparison { compared, one_sided, ..numbers })
    });
    compared.collect()
}

impl PairComparison {
    /// The side that has events where the other has none.
    fn side_with_all(&self) -> Option<ComparedSide> {
        match (self.a.events, self.b.events) {
            (1.., 0) => Some(ComparedSide::A),
            (0, 1..) => Some(ComparedSide::B),
            _ => None,
        }
    }
}

impl Pair<'_> {
    /// Both sides in numbers, not yet compared.
    fn numbers(&self) -> PairComparison {
        let (a, _) = SideNumbers::of(self.a.frames());
        let (b, latencies_of_b) = SideNumbers::of(self.b.frames());
        PairComparison { a, b, latencies_of_b, compared: None, one_sided: None }
    }

    fn compare(&self, at_once: usize) -> Option<Comparison> {
        let side = |side: &Excerpt<'_>| Some(side.timeline(side.grid(MOST_COLUMNS)?));
        Some(compare(&side(&self.a)?, &side(&self.b)?, at_once))
    }

    fn one_sided(&self, has: ComparedSide, [a_s, b_s]: [f64; 2], at_once: usize) -> OneSided {
        match has {
            ComparedSide::A => OneSided::of(has, &self.a, [a_s, b_s], at_once),
            ComparedSide::B => OneSided::of(has, &self.b, [b_s, a_s], at_once),
        }
    }

    /// Whether one side does not have it.
    pub fn has_one_side(&self) -> bool {
        self.a.is_empty() || self.b.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Frame, Quality, Scheme, Timestamp};

    use super::*;
    use crate::History;

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
        let [a, b] = [a, b].map(history);
        let pairs = pairing.pair(&Excerpt::of(&a), &Excerpt::of(&b));
        let frames = |side: &Excerpt<'_>| side.frames().count();
        let names_and_frames =
            |pair: &Pair<'_>| (pair.series.to_string(), frames(&pair.a), frames(&pair.b));
        pairs.iter().map(names_and_frames).collect()
    }

    fn history(frames: &[Frame]) -> History {
        let mut history = History::of_everything(usize::MAX);
        for frame in frames {
            history.push(frame);
        }
        history
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
    fn averages_and_latencies_are_never_a_pair() {
        let latencies = [frame("read", "vda")];
        let counts = Histogram::of_averages(3, Nanos::from_millis(6));
        let averages = [Frame { counts, ..frame("read", "vda") }.with_own_detail()];
        let found = paired(Pairing::Name, &latencies, &averages);
        assert_eq!(found, [("read".to_owned(), 1, 0), ("read (averages)".to_owned(), 0, 1)]);
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
        let a = history(&[waits("client", &[900]), waits("mutex", &[3]), waits("latch", &[])]);
        let b = history(&[waits("client", &[880]), waits("mutex", &[500]), waits("latch", &[40])]);
        let mut pairs = Pairing::Name.pair(&Excerpt::of(&a), &Excerpt::of(&b));
        let found = compare_pairs(&mut pairs, [&Excerpt::of(&a), &Excerpt::of(&b)]);
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
        // Who asks for each series is not given another one.
        let each = paired(Pairing::Series, &a, &[frame("before", "y")]);
        let expected = [("before{device=x}", 1, 0), ("before{device=y}", 0, 1)];
        assert_eq!(each, expected.map(|(name, a, b)| (name.to_owned(), a, b)));
    }
}
