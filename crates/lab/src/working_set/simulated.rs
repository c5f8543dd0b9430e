//! Distinct blocks counted exactly and about, and caches that fill, all of them simulated.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use isotherm_frame::{Random, numbers, percent};
use isotherm_oracle::trace::profile::Distinct;
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::waited;

use crate::{Bench, CONFIDENCE, Finding, LabError, Verdict};

/// Sizes of working sets, blocks: the first four short, all of them full.
const SIZES: [u64; 6] = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const SHORT_SIZES: usize = 4;
/// Each block is referenced about so often.
const TOUCHES: u64 = 2;
/// References per size, which decide the number of trials; short, full.
const BUDGET: (u64, u64) = (2_000_000, 40_000_000);
/// Trials of a size: least, most.
const TRIALS: (u64, u64) = (2, 40);
/// The working set of the cache, blocks: short, full.
const RAMP: (u64, u64) = (5_000, 100_000);
/// The cache ramp is drawn for this many times the working set, in this many steps each.
const RAMP_LENGTH: (u64, u64) = (5, 8);
/// Memory of the registers.
const REGISTERS_BYTES: u64 = 16_384;

/// What was found for one size.
#[derive(Debug, Default)]
struct Size {
    blocks: u64,
    /// Relative errors of the estimates, one of each trial.
    errors: Vec<f64>,
    references: u64,
    exact_time: Duration,
    about_time: Duration,
    exact_bytes: u64,
}

/// A step of the cache ramp.
#[derive(Debug)]
struct Step {
    /// References so far, as a multiple of the working set.
    references: f64,
    /// Share of hits in the step: a cache that holds all, one that holds half.
    hits: (f64, f64),
    /// The share of hits of the whole cache by the formula.
    formula: f64,
}

/// Counts and fills.
pub fn run(bench: &mut Bench<'_>) -> Result<Finding, LabError> {
    let sizes = &SIZES[..bench.either(SHORT_SIZES, SIZES.len())];
    let budget = bench.either(BUDGET.0, BUDGET.1);
    let mut found = Vec::new();
    for (number, &blocks) in sizes.iter().enumerate() {
        let mut size = Size { blocks, ..Size::default() };
        for trial in 0..(budget / (blocks * TOUCHES)).clamp(TRIALS.0, TRIALS.1) {
            let what = format!("counting {} blocks", numbers::grouped(blocks));
            bench.step(0.6 * number as f64 / sizes.len() as f64, &what)?;
            size.trial(&mut bench.random(blocks ^ (trial << 32)));
        }
        found.push(size);
    }
    bench.step(0.6, "filling caches")?;
    let ramp = ramp(bench.either(RAMP.0, RAMP.1), &mut bench.random(1));
    Ok(finding(&found, &ramp))
}

impl Size {
    /// Counts random references both ways. The keys are spread, so that no two trials are alike.
    fn trial(&mut self, random: &mut Random) {
        let base = random.next();
        let references: Vec<u64> = (0..self.blocks * TOUCHES)
            .map(|_| base.wrapping_add(random.below(self.blocks)))
            .collect();
        let begun = Instant::now();
        let mut seen = HashSet::new();
        for &block in &references {
            seen.insert(block);
        }
        self.exact_time += begun.elapsed();
        let begun = Instant::now();
        let mut distinct = Distinct::default();
        for &block in &references {
            distinct.add(block);
        }
        let about = distinct.estimate();
        self.about_time += begun.elapsed();
        self.references += references.len() as u64;
        self.exact_bytes = table_bytes(seen.capacity());
        self.errors.push(about / seen.len() as f64 - 1.0);
    }

    /// The root of the mean square of the errors.
    fn error(&self) -> f64 {
        root_mean_square(self.errors.iter().copied())
    }

    fn each_ns(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e9 / self.references.max(1) as f64
    }
}

/// The memory of a hash set of numbers that has room for this many: seven of eight slots are used,
/// each has the number and a byte beside it.
fn table_bytes(capacity: usize) -> u64 {
    let slots = (capacity as u64 * 8 / 7).next_power_of_two();
    slots * (8 + 1)
}

fn root_mean_square(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) =
        values.fold((0.0, 0.0), |(sum, count), value| (sum + value * value, count + 1.0));
    if count > 0.0 { (sum / count).sqrt() } else { f64::NAN }
}

/// The interval of [`CONFIDENCE`] of a standard deviation with this many degrees of freedom, relative
/// to it: from the quantiles of chi-square, by Wilson and Hilferty (1931).
fn deviation_interval(degrees_of_freedom: f64) -> (f64, f64) {
    // The normal quantile of (1 + CONFIDENCE) / 2, which is Student's t of very many.
    let z = isotherm_analysis::student::t_quantile(1.0 - CONFIDENCE, 1e7);
    let part = 2.0 / (9.0 * degrees_of_freedom);
    let chi_square = |z: f64| degrees_of_freedom * (1.0 - part + z * part.sqrt()).max(1e-9).powi(3);
    ((degrees_of_freedom / chi_square(z)).sqrt(), (degrees_of_freedom / chi_square(-z)).sqrt())
}

/// Random references to `blocks` blocks, with a cache for all and one for half of them.
fn ramp(blocks: u64, random: &mut Random) -> Vec<Step> {
    let (mut whole, mut half) = (Cache::of(blocks), Cache::of(blocks / 2));
    let (times, steps) = RAMP_LENGTH;
    let width = blocks / steps;
    (0..times * steps)
        .map(|step| {
            let mut hits = (0_u64, 0_u64);
            for _ in 0..width {
                let block = random.below(blocks);
                hits.0 += u64::from(whole.hits(block, random));
                hits.1 += u64::from(half.hits(block, random));
            }
            let share = |hits: u64| hits as f64 / width as f64;
            let (before, after) = (step * width, (step + 1) * width);
            Step {
                references: after as f64 / blocks as f64,
                hits: (share(hits.0), share(hits.1)),
                formula: 1.0 - misses(blocks, before, after),
            }
        })
        .collect()
}

/// The mean share of misses from one number of references to another, of a cache that holds all: the
/// n-th reference misses with (1 - 1/W)^(n - 1).
fn misses(blocks: u64, before: u64, after: u64) -> f64 {
    let stays = 1.0 - 1.0 / blocks as f64;
    let power = |count: u64| stays.powf(count as f64);
    (power(before) - power(after)) * blocks as f64 / (after - before) as f64
}

/// A cache that replaces a block chosen at random when it is full.
struct Cache {
    size: u64,
    slots: Vec<u64>,
    held: HashSet<u64>,
}

impl Cache {
    fn of(size: u64) -> Cache {
        Cache { size, slots: Vec::new(), held: HashSet::new() }
    }

    /// Whether a block is there; it is afterwards.
    fn hits(&mut self, block: u64, random: &mut Random) -> bool {
        if !self.held.insert(block) {
            return true;
        }
        if (self.slots.len() as u64) < self.size {
            self.slots.push(block);
        } else {
            let slot = random.index(self.slots.len());
            self.held.remove(&self.slots[slot]);
            self.slots[slot] = block;
        }
        false
    }
}

fn finding(sizes: &[Size], ramp: &[Step]) -> Finding {
    let errors = || sizes.iter().flat_map(|size| size.errors.iter().copied());
    let (error, trials) = (root_mean_square(errors()), errors().count());
    let (lo, hi) = deviation_interval(trials as f64);
    let (lo, hi) = (error * lo, error * hi);
    let stated = Distinct::STANDARD_ERROR;
    // Small sets are counted better than stated: an error may be below, and must not be above.
    let verdict = match () {
        () if lo > stated => Verdict::Fails,
        () if hi < 1.5 * stated => Verdict::Holds,
        () => Verdict::Unsure,
    };
    let largest = sizes.last();
    let (blocks, exact) = largest.map_or((0, 0), |size| (size.blocks, size.exact_bytes));
    Finding {
        verdict,
        sentence: format!(
            "HyperLogLog counts the distinct blocks among up to {} in {} with a standard error of {}; a \
             hash set needs {} for them.",
            numbers::grouped(blocks),
            numbers::bytes(REGISTERS_BYTES),
            percent(error),
            numbers::bytes(exact)
        ),
        uncertainty: format!(
            "The standard error lies between {:.2} % and {:.2} % (90 % confidence, {trials} trials); \
             {:.2} % is stated.",
            lo * 100.0,
            hi * 100.0,
            stated * 100.0
        ),
        remarks: vec![ramp_in_words(ramp)],
        tables: vec![table(sizes)],
        charts: vec![error_chart(sizes), ramp_chart(ramp)],
        figures: Vec::new(),
    }
}

fn ramp_in_words(ramp: &[Step]) -> String {
    let off = ramp.iter().map(|step| (step.hits.0 - step.formula).abs()).fold(0.0, f64::max);
    let (whole, half) = ramp.last().map_or((0.0, 0.0), |step| step.hits);
    format!(
        "Simulated: after 5 references per block a cache for all blocks answers {} of them, a cache for half of the \
         blocks {}; the share of hits is at most {} of all references away from 1 - (1 - 1/W)^n.",
        percent(whole),
        percent(half),
        percent(off)
    )
}

fn table(sizes: &[Size]) -> Table {
    let row = |size: &Size| {
        let worst = size.errors.iter().map(|error| error.abs()).fold(0.0, f64::max);
        vec![
            numbers::grouped(size.blocks),
            size.errors.len().to_string(),
            format!("{:.2} %", size.error() * 100.0),
            format!("{:.2} %", worst * 100.0),
            numbers::bytes(size.exact_bytes),
            numbers::bytes(REGISTERS_BYTES),
            waited(size.each_ns(size.exact_time) / 1e9),
            waited(size.each_ns(size.about_time) / 1e9),
        ]
    };
    let head = [
        "blocks",
        "trials",
        "standard error",
        "largest error",
        "hash set",
        "HyperLogLog",
        "hash set, each",
        "HyperLogLog, each",
    ];
    Table {
        caption: "Distinct blocks: error, memory, and time for each reference".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: sizes.iter().map(row).collect(),
    }
}

fn error_chart(sizes: &[Size]) -> Chart {
    let errors = sizes.iter().flat_map(|size| {
        let point =
            |&error: &f64| ChartPoint { x: size.blocks as f64, y: error, ..ChartPoint::default() };
        size.errors.iter().map(point)
    });
    let stated = sizes.iter().map(|size| ChartPoint {
        x: size.blocks as f64,
        y: 0.0,
        y_range: Some((-Distinct::STANDARD_ERROR, Distinct::STANDARD_ERROR)),
        ..ChartPoint::default()
    });
    Chart {
        title: "Error of HyperLogLog by size of the working set".to_owned(),
        x: ChartAxis { label: "distinct blocks".to_owned(), log: true, ..ChartAxis::default() },
        y: ChartAxis { label: "error".to_owned(), unit: ChartUnit::Share, log: false },
        curves: vec![
            Curve {
                name: "± one standard error".to_owned(),
                stroke: Stroke::Band,
                points: stated.collect(),
            },
            Curve { name: "a trial".to_owned(), stroke: Stroke::Dots, points: errors.collect() },
        ],
        ..Chart::default()
    }
}

fn ramp_chart(ramp: &[Step]) -> Chart {
    let curve = |name: &str, stroke: Stroke, of: fn(&Step) -> f64| Curve {
        name: name.to_owned(),
        stroke,
        points: ramp
            .iter()
            .map(|step| ChartPoint { x: step.references, y: of(step), ..ChartPoint::default() })
            .collect(),
    };
    Chart {
        title: "The cache ramp, simulated: share of hits while caches fill".to_owned(),
        x: ChartAxis { label: "references per block".to_owned(), ..ChartAxis::default() },
        y: ChartAxis { label: "hits".to_owned(), unit: ChartUnit::Share, log: false },
        curves: vec![
            curve("cache for all", Stroke::Dots, |step| step.hits.0),
            curve("1 - (1 - 1/W)^n", Stroke::Line, |step| step.formula),
            curve("cache for half", Stroke::Dashed, |step| step.hits.1),
        ],
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_a_deviation_are_those_of_the_tables() {
        // Chi-square of 30: 43.773 and 18.493 at 5 % and 95 % of printed tables.
        let (lo, hi) = deviation_interval(30.0);
        assert!((lo - (30.0_f64 / 43.773).sqrt()).abs() < 1e-3, "{lo}");
        assert!((hi - (30.0_f64 / 18.493).sqrt()).abs() < 1e-3, "{hi}");
    }

    #[test]
    fn the_share_of_misses_is_the_sum_of_its_terms() {
        let by_hand: f64 = (0..50).map(|n| 0.9_f64.powi(n)).skip(20).sum::<f64>() / 30.0;
        assert!((misses(10, 20, 50) - by_hand).abs() < 1e-12);
    }

    #[test]
    fn a_cache_holds_as_many_blocks_as_it_has_slots() {
        let (mut cache, mut random) = (Cache::of(3), Random::new(1));
        assert!(!cache.hits(1, &mut random) && !cache.hits(2, &mut random));
        assert!(cache.hits(1, &mut random));
        for block in 3..100 {
            assert!(!cache.hits(block, &mut random));
            assert_eq!(cache.held.len(), cache.slots.len());
            assert!(cache.held.len() <= 3);
        }
    }

    #[test]
    fn a_hash_set_is_as_large_as_its_slots() {
        // 28 of 32 slots may be used.
        assert_eq!(table_bytes(28), 32 * 9);
        assert_eq!(table_bytes(57_344), 65_536 * 9);
    }
}
