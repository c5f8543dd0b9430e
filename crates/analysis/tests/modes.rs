//! Modes against known truth: none invented in distributions of one hill, and two hills seen as
//! two from a known distance.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test fails by panicking"
)]

use isotherm_analysis::{is_unstable, modes};
use isotherm_frame::{Histogram, Nanos, Scheme, Unit};
use testing::grid;

/// Numbers that look random and are the same on every run (`SplitMix64`).
struct Numbers(u64);

impl Numbers {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn exponential(&mut self) -> f64 {
        -(1.0 - self.uniform()).ln()
    }

    fn normal(&mut self) -> f64 {
        (2.0 * self.exponential()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// How many of events that come at random there are where `mean` are expected.
    fn poisson(&mut self, mean: f64) -> u64 {
        if mean > 50.0 {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0) as u64;
        }
        let mut left = mean;
        let mut events = 0;
        loop {
            left -= self.exponential();
            if left < 0.0 {
                return events;
            }
            events += 1;
        }
    }
}

/// The share of a standard normal distribution below `x`: Abramowitz & Stegun 7.1.26, to 1e-7.
fn normal(x: f64) -> f64 {
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let terms = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let sum = terms.iter().fold(0.0, |sum, term| (sum + term) * t);
    let above = 0.5 * sum * (-z * z).exp();
    if x < 0.0 { above } else { 1.0 - above }
}

fn lognormal(x: f64, middle: f64, wide: f64) -> f64 {
    normal((x / middle).ln() / wide)
}

/// The share of latencies below `x`, for `x` above 0; latencies are in the order of 1.
type Shape = (&'static str, fn(f64) -> f64);

const ONE_HILL: [Shape; 10] = [
    ("lognormal, narrow", |x| lognormal(x, 1.0, 0.25)),
    ("lognormal, wide", |x| lognormal(x, 1.0, 1.0)),
    ("lognormal, tail", |x| 0.95 * lognormal(x, 1.0, 0.3) + 0.05 * lognormal(x, 1.0, 1.5)),
    ("exponential", |x| 1.0 - (-x).exp()),
    ("gamma of shape 3", |x| 1.0 - (-x).exp() * (1.0 + x + x * x / 2.0)),
    ("Weibull of shape 0.6", |x| 1.0 - (-x.powf(0.6)).exp()),
    ("Weibull of shape 3", |x| 1.0 - (-x.powi(3)).exp()),
    ("uniform", |x| (x - 0.5).clamp(0.0, 1.0)),
    ("normal, cut at 0", |x| {
        let below = normal(-2.0);
        (normal((x - 1.0) / 0.5) - below) / (1.0 - below)
    }),
    ("log-logistic", |x| 1.0 / (1.0 + x.powf(-2.0))),
];

/// About `events` latencies of this distribution, scaled to nanoseconds, in the buckets of a scheme.
fn drawn(
    scheme: &Scheme,
    below: impl Fn(f64) -> f64,
    (events, scale_ns): (f64, f64),
    numbers: &mut Numbers,
) -> Histogram {
    let share = |bound: u64| match bound {
        0 => 0.0,
        Scheme::UNBOUNDED => 1.0,
        bound => below(bound as f64 / scale_ns),
    };
    let expected = |pair: &[u64]| (share(pair[1]) - share(pair[0])).max(0.0) * events;
    let counts = scheme.bounds().windows(2).map(|pair| numbers.poisson(expected(pair)));
    Histogram::new(scheme.clone(), counts.collect(), None).unwrap()
}

/// From half a microsecond to half a second.
fn any_scale(numbers: &mut Numbers) -> f64 {
    500.0 * (numbers.uniform() * 20.0).exp2()
}

fn schemes() -> [Scheme; 3] {
    let decades = (2..10).flat_map(|power| [1, 2, 5].map(|step| step * 10_u64.pow(power)));
    let decades = std::iter::once(0).chain(decades).chain([Scheme::UNBOUNDED]);
    let decades = Scheme::new(decades.collect()).unwrap();
    [Scheme::log_linear(), Scheme::powers_of_two(Unit::Micros), decades]
}

#[test]
fn one_hill_is_never_two() {
    let mut numbers = Numbers(20);
    for (name, below) in ONE_HILL {
        for events in [1e3, 1e4, 1e5, 1e6] {
            // A sample has every shape, number of events and scheme at fewer scales, 480 histograms in all: with 95 %
            // confidence fewer than 3 in 480 have a false mode.
            for _ in 0..grid::cases(20, 4) {
                let scale = any_scale(&mut numbers);
                for scheme in schemes() {
                    let counts = drawn(&scheme, below, (events, scale), &mut numbers);
                    let found = modes(&counts);
                    assert_eq!(found.len(), 1, "{name}, {events} x {scale} ns: {found:?}");
                    assert!((found[0].share - 1.0).abs() < 1e-12);
                }
            }
        }
    }
}

/// Below eight units buckets are narrower than the unit, and some between two latencies are empty.
#[test]
fn a_coarse_clock_makes_no_modes() {
    let mut numbers = Numbers(9);
    for (name, below) in ONE_HILL {
        for unit in [1e3, 1e4, 1e6, 1e7] {
            for _ in 0..grid::cases(20, 5) {
                let scale = unit * (6.5 * numbers.uniform() - 3.0).exp2();
                let rounded =
                    |x: f64| below(((x * scale / unit).ceil() - 0.5).max(1e-9) * unit / scale);
                let counts = drawn(&Scheme::log_linear(), rounded, (5e4, scale), &mut numbers);
                let found = modes(&counts);
                let found: Vec<_> = found.iter().map(|mode| mode.at).collect();
                assert_eq!(found.len(), 1, "{name}, {scale} ns in steps of {unit}: {found:?}");
            }
        }
    }
}

/// Clocks with ticks of any length, cut off, rounded or rounded up: 16 µs, 1/1024 s, and so on.
#[test]
fn the_ticks_of_any_clock_make_no_modes() {
    let mut wrong = Vec::new();
    let ticks = [16e3, 1e9 / 1_024.0, 2e6, 1e9 / 300.0, 4e6, 5e6, 15.625e6];
    for unit in ticks {
        for seed in 0..16 {
            let mut numbers = Numbers(1_000 + seed);
            let middle = unit * (1.0 + 5.0 * numbers.uniform());
            let wide = 0.4 + 0.5 * numbers.uniform();
            let rounding = [f64::floor, f64::round, f64::ceil][seed as usize % 3];
            let mut counts = Histogram::empty(Scheme::log_linear());
            for _ in 0..20_000 {
                let latency = middle * (wide * numbers.normal()).exp();
                let read = rounding(latency / unit) * unit;
                counts.record(Nanos::new(read.round() as u64));
            }
            let found: Vec<_> = modes(&counts).iter().map(|mode| (mode.at, mode.share)).collect();
            // What is cut off to nothing is a hill of its own.
            let zero = rounding(0.4) * unit;
            let nothing = counts.count(0) as f64 / 20_000.0;
            if found.len() != 1 && (zero > 0.0 || nothing < 0.005) {
                wrong.push(format!("{unit} ns, {seed}, {middle:.0}, {wide:.2}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of 112: {}", wrong.len(), wrong.join("\n"));
}

/// Two narrow bands, the second at twice, three times or four times the first, are no ticks.
#[test]
fn bands_at_multiples_of_each_other_are_no_ticks() {
    for times in [2.0, 3.0, 4.0] {
        let two = |x: f64| 0.6 * lognormal(x, 1.0, 0.02) + 0.4 * lognormal(x, times, 0.02);
        let counts = drawn(&Scheme::log_linear(), two, (1e5, 777_000.0), &mut Numbers(5));
        assert_eq!(modes(&counts).len(), 2, "{times}");
    }
}

/// How many of 60 mixtures of two hills (a quarter of a natural logarithm wide each, the second
/// `ratio` times as long and with the share `weight`) are found to have two.
fn detected(scheme: &Scheme, ratio: f64, weight: f64, events: f64) -> usize {
    let mut numbers = Numbers(7);
    let two =
        |x: f64| (1.0 - weight) * lognormal(x, 1.0, 0.25) + weight * lognormal(x, ratio, 0.25);
    let cells = (0..60).map(|_| {
        let scale = 16_000.0 * (numbers.uniform() * 12.0).exp2();
        modes(&drawn(scheme, two, (events, scale), &mut numbers)).len()
    });
    cells.filter(|&found| found == 2).count()
}

/// The limits of detection: at least 57 of 60 is 95 %.
#[test]
fn two_hills_are_two_from_a_known_distance() {
    let [fine, octaves, _] = schemes();
    let limits = [
        (&fine, 2.5, 0.5, 5e4),
        (&fine, 2.5, 0.2, 5e4),
        (&fine, 2.5, 0.2, 1e6),
        (&fine, 3.0, 0.05, 5e4),
        (&fine, 4.0, 0.01, 5e4),
        (&octaves, 6.0, 0.5, 5e3),
        (&octaves, 6.0, 0.2, 5e4),
        (&octaves, 10.0, 0.05, 5e4),
        (&octaves, 10.0, 0.01, 5e4),
    ];
    for (scheme, ratio, weight, events) in limits {
        let found = detected(scheme, ratio, weight, events);
        assert!(found >= 57, "{scheme:?}: 1 : {ratio}, {weight} of {events}: {found} of 60");
    }
    // Closer together they are one hill, and are said to be one.
    assert_eq!(detected(&fine, 1.8, 0.5, 1e6), 0);
    assert_eq!(detected(&octaves, 2.0, 0.5, 1e6), 0);
}

/// How many of 30 sets of 500 events of four bands eight times apart show all four.
fn four_bands(scheme: &Scheme, wide: f64) -> usize {
    let mut numbers = Numbers(4);
    let four = |x: f64| (0..4).map(|n| lognormal(x, 8.0_f64.powi(n), wide)).sum::<f64>() / 4.0;
    let sets = (0..30).map(|_| {
        let scale = 16_000.0 * (numbers.uniform() * 10.0).exp2();
        modes(&drawn(scheme, four, (500.0, scale), &mut numbers)).len()
    });
    sets.filter(|&found| found == 4).count()
}

/// Few events of one hill, of Weibull's distribution with its long tail to the left, too.
#[test]
fn five_hundred_events_show_four_bands_and_no_false_ones() {
    let [fine, octaves, _] = schemes();
    for (scheme, wide) in [(&fine, 0.23), (&fine, 0.3), (&octaves, 0.23)] {
        let found = four_bands(scheme, wide);
        assert!(found >= 29, "{found} of 30 in {scheme:?}");
    }
    let mut numbers = Numbers(31);
    let weibull: Shape = ("Weibull of shape 0.5", |x| 1.0 - (-x.sqrt()).exp());
    let mut false_modes = Vec::new();
    for (name, below) in ONE_HILL.into_iter().chain([weibull]) {
        for _ in 0..20 {
            let scale = any_scale(&mut numbers);
            for scheme in schemes() {
                let counts = drawn(&scheme, below, (500.0, scale), &mut numbers);
                false_modes.extend((modes(&counts).len() > 1).then_some(name));
            }
        }
    }
    assert_eq!(false_modes, Vec::<&str>::new());
}

#[test]
fn a_mode_is_where_it_is_and_has_the_share_it_has() {
    let [fine, octaves, decades] = schemes();
    let two = |x: f64| 0.7 * lognormal(x, 1.0, 0.25) + 0.3 * lognormal(x, 40.0, 0.3);
    // Means of lognormal distributions: exp(wide^2 / 2) middles.
    let (short, long) = (0.7 * (0.25_f64.powi(2) / 2.0).exp(), 0.3 * 40.0 * (0.045_f64).exp());
    for (scheme, place, time) in [(fine, 0.1, 0.005), (octaves, 0.5, 0.02), (decades, 0.6, 0.02)] {
        let counts = drawn(&scheme, two, (1e5, 200_000.0), &mut Numbers(3));
        let found = modes(&counts);
        assert_eq!(found.len(), 2, "{scheme:?}");
        for (mode, (at, share)) in found.iter().zip([(0.2e6, 0.7), (8e6, 0.3)]) {
            let away = (mode.at.as_nanos() as f64 / at).log2().abs();
            assert!(away < place, "{scheme:?}: {mode:?}, {away} octaves away");
            assert!((mode.share - share).abs() < 0.006, "{mode:?}");
        }
        assert!((found[1].time_share - long / (short + long)).abs() < time, "{found:?}");
    }
}

/// Half a percent of the events that hold a sixth of the time are a band of their own.
#[test]
fn a_narrow_mode_is_described_by_its_peak_and_a_broad_one_is_not() {
    // Half of all events between 1 and 8 ms, evenly on the logarithm, half at 60 ms.
    let below = |x: f64| {
        let broad = ((x / 1e6).ln() / 8.0_f64.ln()).clamp(0.0, 1.0);
        0.5 * broad + 0.5 * lognormal(x, 6e7, 0.05)
    };
    let counts = drawn(&Scheme::log_linear(), below, (100_000.0, 1.0), &mut Numbers(7));
    let found = modes(&counts);
    let [broad, narrow] = found.as_slice() else { panic!("{found:?}") };
    // ln(1.5^2) / ln(8) = 39 % of the even hump lie within a factor of 1.5 of a latency, and a part
    // of a bucket on either side.
    assert!(broad.near < 0.5 && narrow.near > 0.99, "{found:?}");
    let (lo, hi) = (broad.bulk.lo.as_nanos() as f64, broad.bulk.hi.unwrap().as_nanos() as f64);
    assert!(below(hi) - below(lo) >= 0.99 * broad.share, "{broad:?}");
    assert!(lo > 0.95e6 && hi < 8.5e6, "{broad:?}");
}

#[test]
fn few_events_that_hold_much_time_are_a_mode() {
    let octaves = Scheme::powers_of_two(Unit::Millis);
    let mut counts = vec![0; octaves.buckets()];
    counts[..12].copy_from_slice(&[
        157_000, 138_500, 56_700, 297_000, 426_000, 135_000, 22_700, 1_030, 20, 1_040, 2_200, 4,
    ]);
    let found = modes(&Histogram::new(octaves, counts, None).unwrap());
    let last = found.last().unwrap();
    // 0.26 % of the events, by the middles of buckets about 15 % of the time.
    assert!((last.share - 0.0026).abs() < 0.0002 && last.time_share > 0.12, "{found:?}");
    assert!(last.at.as_nanos() > 256_000_000 && found.len() == 3, "{found:?}");
}

#[test]
fn what_lies_in_a_bucket_without_end_can_be_a_mode() {
    let millis = Scheme::powers_of_two(Unit::Millis);
    let mut counts = vec![0; millis.buckets()];
    // Three fifths are below a millisecond: caches; the rest is around ten: disks.
    counts[..6].copy_from_slice(&[6_000, 100, 300, 1_400, 1_900, 300]);
    let found = modes(&Histogram::new(millis.clone(), counts, None).unwrap());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!((found[0].share - 0.61).abs() < 0.011, "{found:?}");
    // An exponential distribution with a mean of three falls to the right from zero on.
    let mut counts = vec![0; millis.buckets()];
    counts[..6].copy_from_slice(&[2_835, 2_031, 2_498, 1_941, 646, 48]);
    assert_eq!(modes(&Histogram::new(millis, counts, None).unwrap()).len(), 1);
    let open = Scheme::new(vec![1_000, 2_000, 4_000, 8_000, Scheme::UNBOUNDED]).unwrap();
    let far = Histogram::new(open.clone(), vec![500, 4_000, 100, 4_000], None).unwrap();
    assert_eq!(modes(&far).len(), 2);
    let tail = Histogram::new(open, vec![500, 4_000, 1_000, 1_500], None).unwrap();
    assert_eq!(modes(&tail).len(), 1);
}

#[test]
fn twice_the_same_has_the_same_modes() {
    let two = |x: f64| 0.7 * lognormal(x, 1.0, 0.25) + 0.3 * lognormal(x, 12.0, 0.3);
    let shapes = ONE_HILL.into_iter().map(|(_, below)| (below, 1));
    for (below, hills) in shapes.chain(std::iter::once((two as fn(f64) -> f64, 2))) {
        for scheme in schemes() {
            let once = drawn(&scheme, below, (2e4, 300_000.0), &mut Numbers(11));
            let (few, many) = (modes(&once), modes(&once.merge(&once)));
            assert_eq!((few.len(), many.len()), (hills, hills));
            for (few, many) in few.iter().zip(&many) {
                assert!((few.share - many.share).abs() < 0.01, "{few:?} {many:?}");
            }
        }
    }
}

/// Percentiles of many samples of the same: those called stable come out alike, the others do not.
#[test]
fn unstable_percentiles_are_those_that_jump() {
    let scheme = Scheme::log_linear();
    let slow = |x: f64| 0.99 * lognormal(x, 1.0, 0.25) + 0.01 * lognormal(x, 6.0, 0.25);
    let mut numbers = Numbers(5);
    let samples: Vec<Histogram> =
        (0..40).map(|_| drawn(&scheme, slow, (5e4, 500_000.0), &mut numbers)).collect();
    for (q, unstable) in [(0.5, false), (0.9, false), (0.99, true), (0.999, false)] {
        let at = |sample: &Histogram| sample.quantile(q).unwrap().estimate.as_nanos() as f64;
        let estimates = || samples.iter().map(at);
        let jump = estimates().fold(0.0, f64::max) / estimates().fold(f64::INFINITY, f64::min);
        assert_eq!(jump > 1.5, unstable, "p{q} varies by a factor of {jump}");
        let said = samples.iter().filter(|sample| is_unstable(sample, &modes(sample), q)).count();
        assert!(if unstable { said >= 38 } else { said == 0 }, "{q}: {said} of 40");
    }
}

/// Buckets to ten seconds, as servers export them, with the exact time of all.
#[test]
fn what_is_left_of_the_exact_time_says_how_long_the_open_bucket_takes() {
    let open = Scheme::new(vec![5_000_000, 10_000_000, 10_000_000_000, Scheme::UNBOUNDED]).unwrap();
    let counts = Histogram::new(open, vec![9_500, 0, 500], None).unwrap();
    // 9,500 of about 7.5 ms, and 500 of 25 s: 12,571.25 s.
    let known = modes(&counts.clone().with_sum(Some(Nanos::from_millis(12_571_250))));
    let [fast, slow] = known.as_slice() else { panic!("{known:?}") };
    assert!((slow.at.as_secs_f64() - 25.0).abs() < 0.01 && slow.near > 0.99, "{known:?}");
    assert!((slow.time_share - 12_500.0 / 12_571.25).abs() < 1e-6 && fast.near > 0.99, "{known:?}");
    // Without it no more is known than that they take ten seconds or longer.
    let unknown = modes(&counts);
    assert!(unknown[1].near < 0.01 && unknown[1].bulk.hi.is_none(), "{unknown:?}");
}
