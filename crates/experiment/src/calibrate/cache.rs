//! What working sets of growing size say about caches.

use isotherm_analysis::modes;
use isotherm_load::Distribution;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::step::{Figures, Step};
use super::terms::Phase;

/// A small part must be read so many times faster than everything to speak of a cache.
pub const FASTER: f64 = 1.2;
/// Blocks read again at once must be read so many times sooner to speak of a cache.
const AT_ONCE: f64 = 1.1;
/// What a rate may be off by where there were too few intervals to tell.
const UNKNOWN_NOISE: f64 = 0.2;
/// The slow mode of a device takes so many times as long as the fast one of its cache, at least.
const FAR_APART: f64 = 4.0;
/// The share of reads answered fast is an estimate of a cache only from so many on.
const LEAST_SHARE: f64 = 0.02;

/// What the working sets say about caches: a guess.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CacheGuess {
    /// Whether there is a step.
    pub seen: CacheSeen,
    /// Reads a second from the best part over those from everything.
    pub speedup: Option<f64>,
    /// The largest part still read at the fast rate: the least that a cache holds.
    pub at_least_bytes: Option<u64>,
    /// The next part, read slower: a cache holds less.
    pub below_bytes: Option<u64>,
    /// An estimate between both: the share of reads from everything that were answered fast.
    pub estimate_bytes: Option<u64>,
    /// The median of reads from everything over that of blocks read again within milliseconds,
    /// one at a time.
    pub read_again_speedup: Option<f64>,
    /// The median of the first visit of a place over that of later ones, in the step that visits
    /// everything.
    pub first_touch_ratio: Option<f64>,
    /// Visits of each place of the smallest part: below one or two no cache can show.
    pub visits_of_smallest: Option<f64>,
}

/// Whether throughput falls when the visited part grows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CacheSeen {
    /// Not measured, or not to its end.
    #[default]
    NotMeasured,
    /// It does not: no cache is seen, or everything is cached.
    NoStep,
    /// Throughput differs among the parts, but not as with a cache: within its noise, or small
    /// parts are not the fast ones, or a repeated read of one block takes as long as any.
    Unclear,
    /// It does.
    Step,
}

/// The guess from the steps of the working sets.
pub fn guess(steps: &[Step], figures: &Figures, bytes: u64) -> CacheGuess {
    let again = figures.read_again.as_ref().map(|figure| figure.step);
    let sets: Vec<(&Step, &Figure)> = steps
        .iter()
        .filter(|step| step.phase == Phase::WorkingSet)
        .filter_map(|step| step.figure.as_ref().map(|figure| (step, figure)))
        .filter(|(_, figure)| Some(figure.step) != again)
        .collect();
    let mut guess = CacheGuess {
        read_again_speedup: read_again_speedup(figures),
        visits_of_smallest: sets.first().and_then(|(step, _)| visits(step)),
        ..CacheGuess::default()
    };
    let Some(&(whole, all)) = sets.last().filter(|(step, _)| step.working_set == bytes) else {
        return guess;
    };
    if sets.len() < 2 {
        return guess;
    }
    guess.first_touch_ratio = first_touch_ratio(whole);
    let fast = sets.iter().max_by(|one, other| one.1.per_second.total_cmp(&other.1.per_second));
    let Some((_, fast)) = fast else { return guess };
    guess.speedup = Some(fast.per_second / all.per_second);
    let fast_ones = |(_, figure): &(&Step, &Figure)| figure.per_second * FASTER >= fast.per_second;
    let held = sets.iter().rposition(fast_ones);
    let in_order = held.is_some_and(|held| sets.iter().take(held + 1).all(fast_ones));
    guess.seen = match fast.per_second > all.per_second * FASTER {
        false => CacheSeen::NoStep,
        true if in_order && is_beyond_noise(fast, all) && answers_at_once(figures) => {
            CacheSeen::Step
        }
        true => CacheSeen::Unclear,
    };
    if guess.seen == CacheSeen::Step {
        let at = |index: usize| sets.get(index).map(|(step, _)| step.working_set);
        guess.at_least_bytes = held.and_then(at);
        guess.below_bytes = held.and_then(|held| at(held + 1));
        guess.estimate_bytes = estimate(&guess, whole, figures, steps, bytes);
    }
    guess
}

/// Whether one rate is larger than another beyond doubt: two and a half standard errors, because
/// it is the best of several.
fn is_beyond_noise(fast: &Figure, all: &Figure) -> bool {
    let error = |figure: &Figure| figure.uncertainty.unwrap_or(UNKNOWN_NOISE) / 2.0;
    (fast.per_second / all.per_second).ln() > 2.5 * error(fast).hypot(error(all))
}

/// The share of reads from everything that were answered fast, as bytes; only if it agrees with
/// the sizes between which throughput falls.
fn estimate(
    guess: &CacheGuess,
    whole: &Step,
    figures: &Figures,
    steps: &[Step],
    bytes: u64,
) -> Option<u64> {
    let floor = figures.floor.as_ref().and_then(|figure| steps.get(figure.step as usize));
    // One at a time shows both speeds without the queue; but it may have come before the cache
    // was filled.
    let mut shares = [Some(whole), floor].into_iter().flatten().filter_map(|step| {
        let share = fast_share(&step.run.outcome.response())?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of what fits"
        )]
        let held = (share * bytes as f64) as u64;
        Some(held)
    });
    let (least, below) = (guess.at_least_bytes?, guess.below_bytes?);
    shares.find(|held| least / 4 * 3 <= *held && *held <= below.saturating_mul(5) / 4)
}

/// The share of the fast one of two modes far apart.
fn fast_share(latencies: &Distribution) -> Option<f64> {
    let found = modes(&latencies.histogram());
    let [fast, rest @ ..] = &found[..] else { return None };
    let slow = rest.first()?;
    let apart = slow.at.as_nanos() as f64 / fast.at.as_nanos().max(1) as f64;
    (apart >= FAR_APART && fast.share >= LEAST_SHARE).then_some(fast.share)
}

/// Whether blocks read again at once, which any cache holds, are read sooner than others: by the
/// median, or by the mean where a cache answers more than half of all.
fn answers_at_once(figures: &Figures) -> bool {
    let (Some(floor), Some(again)) = (&figures.floor, &figures.read_again) else { return false };
    let means = floor.latency.mean_ns / again.latency.mean_ns.max(1.0);
    read_again_speedup(figures).is_some_and(|medians| medians.max(means) > AT_ONCE)
}

fn read_again_speedup(figures: &Figures) -> Option<f64> {
    let (floor, again) = (figures.floor.as_ref()?, figures.read_again.as_ref()?);
    Some(floor.latency.median_ns() / again.latency.median_ns().max(1.0))
}

fn visits(step: &Step) -> Option<f64> {
    let touched = step.run.outcome.touched.as_ref()?;
    Some(touched.visits as f64 / (touched.places as f64).max(1.0))
}

/// The median of first visits over that of later ones, where there are a hundred of each.
fn first_touch_ratio(step: &Step) -> Option<f64> {
    let touched = step.run.outcome.touched.as_ref()?;
    if touched.first.events < 100 || touched.again.events < 100 {
        return None;
    }
    let median = |latencies: &Distribution| {
        latencies.histogram().quantile(0.5).ok().map(|found| found.estimate.as_nanos() as f64)
    };
    Some(median(&touched.first)? / median(&touched.again)?.max(1.0))
}
