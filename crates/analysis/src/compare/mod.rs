//! Comparing two stretches of time: what differs, by how much, and whether chance explains it.

mod axes;
mod bootstrap;
mod column_numbers;
mod dependence;
mod effect;
mod failures;
mod maps;
mod measure;
mod one_sided;
mod pairs;
mod relative;
mod sample;
mod shared_buckets;
mod shift;
mod side_numbers;
mod typical;

pub use axes::{Anchored, Axes};
pub use effect::Distance;
pub use failures::{Failed, Failures};
pub use maps::{Maps, NOISE, ShareShift};
pub use measure::Measure;
pub use one_sided::OneSided;
pub use pairs::{MOST_JUDGED, Pair, PairComparison, Pairing, compare_pairs};
pub use relative::RelativeThreshold;
pub use shift::{CONFIDENCE, Direction, LEAST_COLUMNS, LEAST_EFFECT, Shift, Value};
pub use side_numbers::SideNumbers;

use crate::{Timeline, counted_s};
use bootstrap::{Errors, chance_errors, less_steady, of_steadier};
use isotherm_frame::Random;
use measure::JUDGED;
use sample::{Sample, Shared};
use shift::{Chance, ShiftErrors};

/// What differs between two stretches of time, A before and B after.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// A in numbers.
    pub a: SideNumbers,
    /// B in numbers.
    pub b: SideNumbers,
    /// Whether the time waited of both is measured; else that of a side at least is estimated from
    /// buckets.
    pub exact: bool,
    /// Rate, time waited, mean, p50, p90, p99, p99.9 and the maximum; those that both sides have.
    pub shifts: Vec<Shift>,
    /// How far the distributions are apart; `None` if a side has no events.
    pub distance: Option<Distance>,
    /// The side that was clearly the less steady one, if one was: such as by an incident that the
    /// other run did not have. How often one comes cannot be known from it.
    pub less_steady: Option<ComparedSide>,
    /// What to make of it.
    pub verdict: Difference,
}

/// One of the two.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ComparedSide {
    /// What was before.
    A,
    /// What is after.
    B,
}

/// What a comparison comes to. [`Shift::differs`] says which measures.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Nothing has moved by more than chance explains.
    Same,
    /// Latencies are longer.
    Slower,
    /// Latencies are shorter.
    Faster,
    /// Some latencies are longer and some shorter.
    Mixed,
    /// No latency has moved; the rate, or the time waited, has.
    OtherLoad,
    /// There is too little, or it is too unsteady, to tell.
    TooLittle,
}

/// The fewest events beyond a quantile of a side for it to be judged.
const LEAST_BEYOND: f64 = 10.0;
/// Every side is drawn from the same random numbers, so that it makes no difference which is A.
const SEED: u64 = 0x1507_4e5a;

/// Compares `b` with `a`: two stretches of one kind of event in columns of one length.
///
/// `at_once` is how many comparisons are made at the same time (at least 1): the more, the wider
/// the intervals, so that a false alarm stays as rare for all of them together.
///
/// Whether something has moved is decided by the interval of its ratio and a least effect, not by
/// a test of the distributions: with millions of events every test rejects. Intervals come from
/// the moving-block bootstrap over columns, because neighbouring columns are alike. Each side has the
/// error that its own columns show: a steady A says nothing of how much a B with rare slow events
/// would differ from itself (Welch 1947: unequal variances are not pooled). That these two runs
/// differ can be clear all the same ([`Shift::differs`]). Where runs are so short that the bootstrap
/// knows nothing of a percentile, what it is in typical columns decides.
pub fn compare(a: &Timeline, b: &Timeline, at_once: usize) -> Comparison {
    let shared = Shared::of(a, b);
    let samples = [a, b].map(|side| Sample::of(side, &shared));
    let judged = JUDGED.len() * at_once.max(1);
    let errors = errors(&samples);
    let less_steady = less_steady([&errors[0], &errors[1]], effect::events_behind(&shared.shapes));
    let numbers = [0, 1].map(|side: usize| SideNumbers {
        columns: samples[side].columns(),
        covered_s: [a, b][side].covered_s(),
        counted_s: counted_s(&[a, b][side].columns),
        events: shared.totals[side].events(),
        waited_s: [a, b][side].waited().seconds,
    });
    let columns_s = [0, 1].map(|side: usize| samples[side].total()[column_numbers::COVERED]);
    let mut shifts = Vec::new();
    for (index, measure) in JUDGED.into_iter().chain([Measure::MAX]).enumerate() {
        let of = |side: usize| {
            measure.of(&shared.totals[side], &numbers[side], shared.exact_sides[side])
        };
        if let Some(values) = of(0).zip(of(1)) {
            let of_side = |side: usize| errors[side].get(index).and_then(Option::as_ref);
            let errors = of_side(0).zip(of_side(1)).map(|(a, b)| ShiftErrors {
                own: [a.clone(), b.clone()],
                tested: of_steadier([a, b], less_steady, columns_s),
            });
            let typical = typical::ratios(&samples, measure, judged);
            let divided = [0, 1].map(|side: usize| samples[side].divided(measure));
            let chance = Chance { errors: errors.as_ref(), typical, divided, judged };
            shifts.push(Shift::between(measure, values, chance));
        }
    }
    let [numbers_a, numbers_b] = numbers;
    Comparison {
        a: numbers_a,
        b: numbers_b,
        exact: shared.exact,
        distance: effect::distance(&shared.shapes[0], &shared.shapes[1]),
        less_steady: less_steady
            .map(|side| if side == 0 { ComparedSide::A } else { ComparedSide::B }),
        verdict: verdict(&shifts),
        shifts,
    }
}

/// The chance errors of the judged measures of each side, where they can be estimated.
fn errors(samples: &[Sample; 2]) -> [Errors; 2] {
    if samples.iter().any(|sample| sample.columns() < LEAST_COLUMNS) {
        return [Vec::new(), Vec::new()];
    }
    let enough = |measure: &Measure| match measure {
        Measure::Quantile(q) => samples
            .iter()
            .all(|sample| (1.0 - q) * sample.total()[column_numbers::EVENTS] >= LEAST_BEYOND),
        _ => true,
    };
    [0, 1].map(|side: usize| {
        let errors = chance_errors(&samples[side], &JUDGED, &mut Random::new(SEED));
        let judged = JUDGED.iter().zip(errors);
        judged.map(|(measure, error)| error.filter(|_| enough(measure))).collect()
    })
}

/// A verdict of no change needs a latency of which at least so much is known: a ratio within it
/// and its inverse.
const KNOWN: f64 = 2.0;

fn verdict(shifts: &[Shift]) -> Difference {
    let differs = |wanted: Direction| {
        shifts.iter().any(|shift| shift.measure.is_latency() && shift.differs == Some(wanted))
    };
    match (differs(Direction::More), differs(Direction::Less)) {
        (true, true) => Difference::Mixed,
        (true, false) => Difference::Slower,
        (false, true) => Difference::Faster,
        (false, false) if shifts.iter().any(|shift| shift.differs.is_some()) => {
            Difference::OtherLoad
        }
        (false, false) if shifts.iter().any(is_known) => Difference::Same,
        (false, false) => Difference::TooLittle,
    }
}

fn is_known(shift: &Shift) -> bool {
    let within = |(lo, hi): (f64, f64)| lo >= 1.0 / KNOWN && hi <= KNOWN;
    shift.measure.is_latency() && shift.interval.is_some_and(within)
}

impl Comparison {
    /// Whether enough is known of a latency to say that it is as it was.
    pub fn is_known(&self) -> bool {
        self.shifts.iter().any(is_known)
    }
}
