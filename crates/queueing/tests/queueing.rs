//! Sweeps whose truth is known, fitted: are parameters and knees found again, do intervals cover
//! the truth, is what cannot be known refused?

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

use isotherm_queueing::{
    Amount, Change, Criterion, Edge, Evidence, FitRequest, Fitted, KneeVerdict, Loop, Model,
    Parameter, Point, Points, Quantity, Refusal, Resampling, Sample, Study, Values, WhatIf,
};
use testing::grid;

/// Powers of two to 256.
const GRID: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// Noise of a seed, standard normal: sums of twelve uniform numbers of a generator of our own.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut x = self.0;
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^= x >> 33;
        (x >> 11) as f64 / 9_007_199_254_740_992.0
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// A sweep by a model, each point off by noise of 5 % or what is said.
fn sweep(model: Model, truth: &Values, loads: &[f64], noise: f64, seed: u64) -> Points {
    let mut random = Noise(seed.wrapping_mul(7_919) + 17);
    let points = loads.iter().map(|load| {
        let value = model.predict(truth, *load) * (noise * random.normal()).exp();
        Point::bare(*load, value)
    });
    Points::new(model.applies_to(), points.collect()).unwrap()
}

fn study(points: Points, models: &[Model]) -> Study {
    drawn(points, models, 200)
}

fn drawn(points: Points, models: &[Model], resamples: usize) -> Study {
    Study::of(points, &FitRequest { models: models.to_vec(), seed: 1, resamples })
}

fn parameter(fitted: &Fitted, parameter: Parameter) -> f64 {
    fitted.estimate(Quantity::Parameter(parameter)).unwrap().value
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

const CLOSED: [(Model, Values); 4] = [
    (Model::SmoothBound, [1e-3, 20_000.0, 3.0]),
    (Model::Servers, [1e-3, 12.0, 0.0]),
    (Model::Usl2, [1_000.0, 0.05, 0.0]),
    (Model::Mva, [9e-3, 1e-3, 0.0]),
];

#[test]
fn parameters_are_recovered_within_5_percent_of_5_percent_noise() {
    for (model, truth) in CLOSED {
        check_recovery(model, &truth, &GRID);
    }
    let shares = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
    for (model, truth) in [
        (Model::OrapubCpu, [1e-3, 4.0, 0.0]),
        (Model::OrapubIo, [1e-3, 4.0, 0.0]),
        (Model::Mmc, [1e-3, 4.0, 0.0]),
        (Model::Md1, [1e-3, 0.0, 0.0]),
        (Model::DelayMm1, [1e-3, 1e-3, 0.0]),
    ] {
        let capacity = model.capacity(&truth).unwrap();
        check_recovery(model, &truth, &shares.map(|share| share * capacity));
    }
}

/// The typical error over 60 sweeps is within 5 %, and the parameters are without bias beyond it.
/// How sharply throughput turns is a shape, not a size: it has 25 %.
fn check_recovery(model: Model, truth: &Values, loads: &[f64]) {
    let sweeps: Vec<Values> = (0..60)
        .map(|seed| {
            let points = sweep(model, truth, loads, 0.05, seed);
            drawn(points, &[model], 0).fits.of_model(model).unwrap().values
        })
        .collect();
    for (index, parameter) in model.parameters().iter().enumerate() {
        let allowed = match parameter {
            Parameter::Sharpness => 0.25,
            _ => 0.05,
        };
        let off = |values: &Values| values[index] / truth[index] - 1.0;
        let mut sizes: Vec<f64> = sweeps.iter().map(|values| off(values).abs()).collect();
        let typical = median(&mut sizes);
        let mut signed: Vec<f64> = sweeps.iter().map(off).collect();
        let bias = median(&mut signed).abs();
        assert!(typical < allowed && bias < allowed, "{model:?} {parameter:?}: {typical} {bias}");
    }
}

#[test]
fn intervals_cover_the_truth_of_points_alone() {
    for (model, truth) in CLOSED {
        check_coverage(model, &truth, &|seed| sweep(model, &truth, &GRID, 0.05, seed));
    }
    let truth = [1e-3, 4.0, 0.0];
    let loads = [0.1, 0.25, 0.4, 0.55, 0.65, 0.75, 0.85, 0.9, 0.95].map(|share| share * 4_000.0);
    check_coverage(Model::Mmc, &truth, &|seed| sweep(Model::Mmc, &truth, &loads, 0.05, seed));
}

#[test]
fn intervals_cover_the_truth_where_seconds_are_known_and_runs_differ() {
    for between in [0.0, 0.05] {
        let (model, truth) = CLOSED[0];
        let points = |seed| seconds(model, &truth, between, seed);
        assert!(matches!(study(points(1), &[model]).fits.resampling, Resampling::Blocks { .. }));
        check_coverage(model, &truth, &points);
    }
}

/// Loads of a table of rows, and what the rows are of.
const TABLES: [(Model, Values, [f64; 6]); 2] = [
    (Model::Usl3, [1_000.0, 0.05, 1e-3], [1.0, 4.0, 8.0, 16.0, 32.0, 64.0]),
    (Model::Mmc, [2e-3, 4.0, 0.0], [200.0, 800.0, 1_200.0, 1_500.0, 1_700.0, 1_850.0]),
];

/// Rows of each load, each off by 5 % on its own.
fn rows(model: Model, truth: &Values, loads: &[f64], repeats: usize, seed: u64) -> Points {
    let mut random = Noise(seed.wrapping_mul(7_919) + 29);
    let mut rows = Vec::new();
    for load in loads {
        let row = |_| model.predict(truth, *load) * (0.05 * random.normal()).exp();
        rows.extend((0..repeats).map(row).map(|value| Point::bare(*load, value)));
    }
    Points::new(model.applies_to(), rows).unwrap()
}

#[test]
fn intervals_cover_the_truth_of_rows_that_are_repeats() {
    for repeats in grid::cases(vec![1, 2, 3, 5, 6, 8, 10, 20], vec![2, 3, 6, 20]) {
        for (model, truth, loads) in TABLES {
            let points = |seed| rows(model, &truth, &loads, repeats, seed);
            check_coverage(model, &truth, &points);
        }
    }
}

#[test]
fn rows_of_one_load_are_no_neighbouring_intervals() {
    let (model, truth, loads) = TABLES[0];
    for repeats in [2, 6, 40] {
        let study = study(rows(model, &truth, &loads, repeats, 5), &[model]);
        assert_eq!(study.fits.resampling, Resampling::Errors);
        let [speed, ..] = study.fits.of_model(model).unwrap().estimates[..] else { panic!() };
        let (low, high) = speed.interval.unwrap();
        // A mean of n rows that are off by 5 % is known to 5 % over the root of n, and the speed little
        // worse.
        let width = (high - low) / speed.value * (repeats as f64).sqrt();
        assert!((0.15..0.6).contains(&width), "{repeats}: {low} to {high}");
    }
}

#[test]
fn repeats_of_few_intervals_differ_as_runs_do() {
    // Blocks of 4 have no choice in a run of 3 or 4 intervals.
    for (intervals, resampling) in
        [(3, Resampling::Errors), (4, Resampling::Errors), (16, Resampling::Blocks { length: 4 })]
    {
        let (model, truth, loads) = TABLES[0];
        let points = |seed: u64| {
            let mut random = Noise(seed.wrapping_mul(104_729) + 3);
            let points = loads.iter().map(|load| {
                let run = |_| {
                    let mean = model.predict(&truth, *load) * (0.05 * random.normal()).exp();
                    let mut second =
                        |_| Sample { amount: mean * (1.0 + 0.02 * random.normal()), base: 1.0 };
                    (0..intervals).map(&mut second).collect()
                };
                Point::measured(*load, (0..3).map(run).collect())
            });
            Points::new(Loop::Closed, points.collect()).unwrap()
        };
        assert_eq!(study(points(1), &[model]).fits.resampling, resampling);
        check_coverage(model, &truth, &points);
    }
}

/// Thirty seconds of each point, neighbours alike, off by 10 % each, runs off by `between`.
fn seconds(model: Model, truth: &Values, between: f64, seed: u64) -> Points {
    let mut random = Noise(seed.wrapping_mul(104_729) + 3);
    let points = GRID.iter().map(|load| {
        let mean = model.predict(truth, *load) * (between * random.normal()).exp();
        let mut state = 0.0;
        let second = |_| {
            state = 0.5 * state + 0.0866 * random.normal();
            Sample { amount: mean * (1.0 + state), base: 1.0 }
        };
        Point::measured(*load, vec![(0..30).map(second).collect()])
    });
    Points::new(Loop::Closed, points.collect()).unwrap()
}

fn check_coverage(model: Model, truth: &Values, points: &dyn Fn(u64) -> Points) {
    // A sample still finds nearly always (98 %) that intervals of 95 % are of 70 %, mostly (69 %) that they are
    // of 80 %.
    let sweeps = grid::cases(200, 50);
    // Some forty quantities are tried: one in 500 leaves 8 % for a chance failure of any with other seeds.
    let least = fewest(sweeps, 0.95, 0.002);
    let mut covered = std::collections::HashMap::new();
    let exact = study(sweep(model, truth, &points(0).loads(), 0.0, 0), &[model]);
    for seed in 0..sweeps {
        let study = study(points(seed), &[model]);
        let fitted = study.fits.of_model(model).unwrap();
        for estimate in &fitted.estimates {
            let truth =
                exact.fits.of_model(model).unwrap().estimate(estimate.quantity).unwrap().value;
            let (low, high) = estimate.interval.unwrap();
            // The truth of the exact fit is known to a millionth.
            let inside = low * 0.999_99 <= truth && truth <= high * 1.000_01;
            *covered.entry(estimate.quantity).or_insert(0) += u64::from(inside);
        }
    }
    for (quantity, count) in covered {
        assert!(count >= least, "{model:?} {quantity:?}: {count} of {sweeps}");
    }
}

/// How many of `sweeps` must hold if each does so with the probability `share`: that fewer do has at most the
/// probability `chance`.
fn fewest(sweeps: u64, share: f64, chance: f64) -> u64 {
    // The binomial distribution: exactly `holding`, each from the one before, and at most `holding`.
    let mut exactly = (0..sweeps).map(|_| 1.0 - share).product::<f64>();
    let mut at_most = 0.0;
    for holding in 0..sweeps {
        at_most += exactly;
        if at_most > chance {
            return holding;
        }
        exactly *= (sweeps - holding) as f64 / (holding + 1) as f64 * share / (1.0 - share);
    }
    sweeps
}

#[test]
fn the_fewest_that_hold_leave_little_room_for_chance() {
    // Of 100 with 95 % each fewer than 90 hold in 1.1 % of all tests, than 91 in 2.8 %; of 30 fewer than 26 in 1.6 %,
    // than 27 in 6.1 %.
    assert_eq!([100, 30].map(|sweeps| fewest(sweeps, 0.95, 0.02)), [90, 26]);
}

#[test]
fn a_hard_knee_is_found_where_it_is() {
    // Linear to 10 in flight, flat beyond.
    let grid: Vec<f64> = [1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 64].map(f64::from).to_vec();
    let study = study(sweep(Model::Servers, &[1e-3, 10.0, 0.0], &grid, 0.01, 5), &[]);
    let knee = study.knee.as_ref().unwrap();
    let (low, high) = knee.fitted.interval.unwrap();
    assert!((9.5..10.5).contains(&knee.fitted.value), "{knee:?}");
    assert!(low < 10.0 && 10.0 < high && high - low < 1.5, "{knee:?}");
    assert_eq!(knee.verdict, KneeVerdict::Found);
    // The scalability law alone would put its peak far beyond.
    let usl = study.fits.of_model(Model::Usl3).unwrap();
    assert!(usl.rms > 0.08 && study.fits.best().unwrap().model == Model::Servers, "{}", usl.rms);
}

#[test]
fn a_fall_beyond_the_peak_is_found_by_the_law_that_knows_it() {
    // a = 0.02, b = 1e-4: the peak is at 98.99.
    let study = study(sweep(Model::Usl3, &[1_000.0, 0.02, 1e-4], &GRID, 0.03, 11), &[]);
    let best = study.fits.best().unwrap();
    assert_eq!(best.model, Model::Usl3);
    let peak = best.estimate(Quantity::Peak).unwrap();
    let (low, high) = peak.interval.unwrap();
    assert!((85.0..115.0).contains(&peak.value) && low < 98.99 && 98.99 < high, "{peak:?}");
    assert!(study.fits.of_model(Model::SmoothBound).unwrap().rms > best.rms * 2.0);
}

#[test]
fn no_retrograde_region_is_said_where_there_is_none() {
    let study = study(sweep(Model::Usl2, &[1_000.0, 0.05, 0.0], &GRID, 0.02, 3), &[Model::Usl3]);
    let usl = study.fits.of_model(Model::Usl3).unwrap();
    let coherency = usl.estimate(Quantity::Parameter(Parameter::Coherency)).unwrap();
    assert_eq!(coherency.edge, Some(Edge::Least), "{coherency:?}");
    assert!(coherency.interval.unwrap().0.to_bits() == 0, "zero is possible");
    let most = usl.estimate(Quantity::Peak).unwrap().interval.unwrap().1;
    assert!(most.is_infinite(), "{most}");
}

#[test]
fn the_knee_lies_within_one_step_of_the_grid() {
    for knee in [2.0, 5.0, 10.0, 25.0, 60.0] {
        for sharpness in [1.5, 3.0, 8.0] {
            let truth = [1e-3, knee * 1e3, sharpness];
            for seed in 0..20 {
                let points = sweep(Model::SmoothBound, &truth, &GRID, 0.05, seed);
                let study = drawn(points, &[], 0);
                let found = study.knee.as_ref().unwrap();
                let steps = (found.fitted.value / knee).log2().abs();
                assert!(steps < 1.0, "{knee} {sharpness} {seed}: {found:?}");
                let power = study.fits.points.points[found.power].load;
                assert!((power / knee).log2().abs() < 1.6, "{knee} {sharpness}: {power}");
            }
        }
    }
}

#[test]
fn what_was_never_saturated_has_no_knee_only_a_lower_bound() {
    let truth = [1e-3, 2_000_000.0, 2.0];
    let study = study(sweep(Model::SmoothBound, &truth, &GRID, 0.01, 2), &[]);
    let knee = study.knee.as_ref().unwrap();
    let KneeVerdict::Beyond { at_least } = knee.verdict else { panic!("{knee:?}") };
    assert!(at_least > 50.0 && at_least < 2_000.0, "{at_least}");
}

#[test]
fn what_was_saturated_from_the_start_has_only_an_upper_bound() {
    let loads = [16.0, 32.0, 64.0, 128.0, 256.0];
    let study = study(sweep(Model::Servers, &[1e-3, 2.0, 0.0], &loads, 0.01, 2), &[]);
    let knee = study.knee.as_ref().unwrap();
    assert!(matches!(knee.verdict, KneeVerdict::Before { at_most } if at_most <= 16.0), "{knee:?}");
}

#[test]
fn too_few_points_are_refused_with_their_number() {
    let study = study(sweep(Model::Servers, &[1e-3, 4.0, 0.0], &[1.0, 4.0, 16.0], 0.0, 1), &[]);
    let refused = study.fits.tried.iter().find(|tried| tried.model == Model::SmoothBound).unwrap();
    assert_eq!(refused.result.as_ref().unwrap_err(), &Refusal::TooFewPoints { have: 3, need: 4 });
    assert_eq!(study.fits.chosen, None, "three points choose nothing");
    let huge =
        self::study(sweep(Model::Servers, &[1e-3, 4.0, 0.0], &[1.0, 4.0, 1e6, 2e6], 0.0, 1), &[]);
    let refused = huge.fits.tried.iter().find(|tried| tried.model == Model::Mva).unwrap();
    assert_eq!(refused.result.as_ref().unwrap_err(), &Refusal::TooManyInFlight);
}

#[test]
fn a_closed_sweep_is_never_silently_fitted_with_open_formulas() {
    let points = || sweep(Model::Servers, &[1e-3, 4.0, 0.0], &GRID, 0.02, 1);
    let own = study(points(), &[]);
    assert!(own.fits.fitted().all(|fitted| fitted.model.applies_to() == Loop::Closed));
    assert!(own.fits.fitted().all(|fitted| !fitted.borrowed));
    let asked = study(points(), &[Model::SmoothBound, Model::OrapubCpu]);
    let borrowed = asked.fits.of_model(Model::OrapubCpu).unwrap();
    assert!(borrowed.borrowed && borrowed.above_best.is_none());
    assert_eq!(asked.fits.best().unwrap().model, Model::SmoothBound);
    let only = study(points(), &[Model::OrapubCpu]);
    assert_eq!(only.fits.chosen, None, "a borrowed model is never the choice");
}

#[test]
fn an_open_sweep_prefers_the_model_it_was_made_of() {
    let loads = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97];
    for model in [Model::Mmc, Model::OrapubIo] {
        let truth = [1e-3, 8.0, 0.0];
        let study = study(sweep(model, &truth, &loads.map(|l| l * 8_000.0), 0.02, 4), &[]);
        let best = study.fits.best().unwrap();
        assert_eq!(best.model, model, "{:?}", best.values);
        assert!((parameter(best, Parameter::Servers) / 8.0 - 1.0).abs() < 0.05);
    }
}

#[test]
fn the_same_seed_gives_the_same_intervals() {
    let points = || sweep(Model::SmoothBound, &[1e-3, 9_000.0, 2.0], &GRID, 0.05, 8);
    assert_eq!(study(points(), &[]), study(points(), &[]));
    let other =
        Study::of(points(), &FitRequest { seed: 2, resamples: 200, ..FitRequest::default() });
    let bound = |study: &Study| study.fits.of_model(Model::SmoothBound).unwrap().estimates[0];
    assert_eq!(bound(&study(points(), &[])).value.to_bits(), bound(&other).value.to_bits());
    assert_ne!(bound(&study(points(), &[])).interval, bound(&other).interval);
}

#[test]
fn what_if_reproduces_the_published_comparison() {
    // The baseline and its servers, as a fitted model: service .0914 to .0613, arrivals 10.8445 to
    // 16.2470.
    let truth = [0.0914, 1.4235, 0.0];
    let loads = [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0];
    let study = study(sweep(Model::OrapubCpu, &truth, &loads, 0.0, 0), &[Model::OrapubCpu]);
    let fitted = study.fits.best().unwrap();
    let change = Change {
        service: Some(Amount::Times(0.0613 / 0.0914)),
        load: Some(Amount::To(16.2470)),
        servers: None,
    };
    let sheet = WhatIf::of(fitted, 10.8445, change, (2.0, 14.0)).unwrap();
    assert!((sheet.before.response - 0.226992).abs() < 1e-5, "{sheet:?}");
    assert!((sheet.after.response - 0.1537978).abs() < 1e-5, "{sheet:?}");
    assert!((sheet.before.utilisation.unwrap() - 0.0914 * 10.8445 / 1.4235).abs() < 1e-5);
    assert!((sheet.after.stretch() - 0.1537978 / 0.0613).abs() < 1e-4);
    assert!((sheet.beyond.unwrap() - 16.2470 / 14.0).abs() < 1e-9);
}

#[test]
fn more_servers_and_shorter_service_do_what_they_should_in_every_model() {
    for (model, truth) in CLOSED {
        let study = study(sweep(model, &truth, &GRID, 0.0, 0), &[model]);
        let fitted = study.fits.of_model(model).unwrap();
        let half = Change { service: Some(Amount::Times(0.5)), ..Change::default() };
        let sheet = WhatIf::of(fitted, 256.0, half, (1.0, 256.0)).unwrap();
        let faster = sheet.after.throughput / sheet.before.throughput;
        assert!((faster - 2.0).abs() < 0.02, "{model:?}: {faster}");
        assert_eq!(sheet.beyond, None);
        let more = Change { servers: Some(Amount::Times(2.0)), ..Change::default() };
        match (model, WhatIf::of(fitted, 256.0, more, (1.0, 256.0))) {
            (Model::Usl2, refused) => assert!(refused.is_err()),
            (_, sheet) => {
                let sheet = sheet.unwrap();
                let faster = sheet.after.throughput / sheet.before.throughput;
                assert!((1.9..2.1).contains(&faster), "{model:?}: {faster}");
            }
        }
    }
}

#[test]
fn a_fall_that_is_in_the_points_is_seen() {
    // From 64 on each point is lower than the one before; a law would have to bend more sharply.
    let measured = [
        (1.0, 60.0),
        (16.0, 930.0),
        (32.0, 1_600.0),
        (64.0, 1_800.0),
        (96.0, 1_780.0),
        (128.0, 1_730.0),
        (192.0, 1_660.0),
    ];
    let points = measured.map(|(load, value)| Point::bare(load, value)).to_vec();
    let study = study(Points::new(Loop::Closed, points).unwrap(), &[]);
    let fall = study.retrograde.unwrap();
    assert_eq!(fall.highest, 3);
    assert!((fall.lost - (1.0 - 1_660.0 / 1_800.0)).abs() < 1e-12);
    // Four points are in falling order once in 4! = 24 times.
    let Evidence::Descent { points: 4, chance } = fall.evidence else { panic!("{fall:?}") };
    assert!((chance - 1.0 / 24.0).abs() < 1e-12);
}

/// Loads of short sweeps; the ends of all lie well beyond a peak at 31.
const SHORT: [&[f64]; 3] = [
    &[1.0, 4.0, 16.0, 32.0, 64.0, 128.0],
    &[1.0, 4.0, 12.0, 24.0, 48.0, 96.0, 192.0],
    &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0],
];

fn share_of(sweeps: u64, holds: impl Fn(u64) -> bool) -> f64 {
    (0..sweeps).filter(|seed| holds(*seed)).count() as f64 / sweeps as f64
}

#[test]
fn the_scalability_law_is_chosen_of_six_points_and_its_fall_is_seen() {
    for loads in SHORT {
        let found = share_of(40, |seed| {
            let truth = [1_000.0, 0.02, 1e-3];
            let study = drawn(sweep(Model::Usl3, &truth, loads, 0.03, seed), &[], 0);
            assert_eq!(study.fits.criterion, Criterion::LeaveOneOut);
            study.fits.best().unwrap().model == Model::Usl3 && study.retrograde.is_some()
        });
        assert!(found >= 0.95, "{} loads: {found}", loads.len());
    }
}

#[test]
fn a_fall_is_seldom_seen_where_there_is_none() {
    let levels: [(Model, Values); 4] = [
        (Model::Servers, [1e-3, 12.0, 0.0]),
        (Model::Mva, [9e-3, 1e-3, 0.0]),
        (Model::SmoothBound, [1e-3, 20_000.0, 3.0]),
        (Model::Usl2, [1_000.0, 0.05, 0.0]),
    ];
    // At most 5 %, with the allowance for chance in so many sweeps: 4 of 30, 11 of 120.
    let sweeps = grid::cases(120, 30);
    let most = sweeps - fewest(sweeps, 0.95, 0.02);
    for (model, truth) in levels {
        for loads in [SHORT[1], SHORT[2], &GRID] {
            let study = |seed| drawn(sweep(model, &truth, loads, 0.03, seed), &[], 0);
            let studies: Vec<Study> = (0..sweeps).map(study).collect();
            let falls = studies.iter().filter(|study| study.retrograde.is_some()).count() as u64;
            let is_law = |study: &&Study| study.fits.best().unwrap().model == Model::Usl3;
            let law = studies.iter().filter(is_law).count() as u64;
            assert!(falls <= most && law <= most, "{model:?} {}: {falls} {law}", loads.len());
        }
    }
}

#[test]
fn repeats_prove_a_fall_that_the_order_of_points_does_not() {
    // The last point is 10 % lower than the one before; runs differ by 2 %, three of each point.
    let repeats = |level: &[f64], seed: u64| {
        let mut random = Noise(seed.wrapping_mul(7_919) + 1);
        let points = level.iter().zip(GRID).map(|(mean, load)| {
            let run = |_| {
                let own = mean * (1.0 + 0.02 * random.normal());
                let mut second =
                    |_| Sample { amount: own * (1.0 + 0.03 * random.normal()), base: 1.0 };
                (0..12).map(&mut second).collect()
            };
            Point::measured(load, (0..3).map(run).collect())
        });
        Points::new(Loop::Closed, points.collect()).unwrap()
    };
    let seen = |level: &[f64]| {
        share_of(40, |seed| drawn(repeats(level, seed), &[], 0).retrograde.is_some())
    };
    let falls = seen(&[100.0, 190.0, 400.0, 790.0, 1_000.0, 1_010.0, 1_000.0, 900.0]);
    assert!(falls >= 0.9, "{falls}");
    let saturated = seen(&[100.0, 200.0, 400.0, 800.0, 1_000.0, 1_000.0, 1_000.0, 1_000.0]);
    assert!(saturated <= 0.10, "{saturated}");
}

#[test]
fn a_straight_line_has_no_knee() {
    let loads = [1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0];
    // 98 % with the allowance for chance: 13 of 15, 47 of 50. Without noise all sweeps are the same.
    let sweeps = grid::cases(50, 15);
    let least = fewest(sweeps, 0.98, 0.02) as f64 / sweeps as f64;
    for (noise, sweeps, least) in [(0.0, 1, 1.0), (0.01, sweeps, least), (0.05, sweeps, least)] {
        let straight = share_of(sweeps, |seed| {
            let study = study(sweep(Model::Linear, &[0.01, 0.0, 0.0], &loads, noise, seed), &[]);
            let verdict = study.knee.as_ref().unwrap().verdict;
            let inside = matches!(verdict, KneeVerdict::Found | KneeVerdict::Before { .. });
            assert!(!inside, "{noise} {seed}: {verdict:?}");
            let KneeVerdict::Beyond { at_least } = verdict else { return false };
            assert!(at_least >= 32.0, "{noise} {seed}: {at_least}");
            study.fits.is_straight()
        });
        assert!(straight >= least, "{noise}: {straight}");
    }
}

#[test]
fn where_nothing_queues_any_larger_number_of_servers_is_possible() {
    let models = [Model::OrapubCpu, Model::OrapubIo, Model::Mmc, Model::Ggc];
    let loads = [100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0, 800.0, 900.0];
    for (noise, seed) in [(0.01, 1), (0.01, 2), (0.03, 3), (0.0, 4)] {
        // 64 servers of 1 ms that are used at most 1.4 %.
        let points = sweep(Model::Mmc, &[1e-3, 64.0, 0.0], &loads, noise, seed);
        let study = study(points, &models);
        for model in models {
            let fitted = study.fits.of_model(model).unwrap();
            let servers = Quantity::Parameter(Parameter::Servers);
            for quantity in [servers, Quantity::Capacity, Quantity::Knee] {
                let found = fitted.estimate(quantity).unwrap();
                let (low, high) = found.interval.unwrap();
                assert!(high.is_infinite() && found.value.is_infinite(), "{model:?} {found:?}");
                assert_eq!(found.edge, Some(Edge::Most));
                // As many as were busy at least, and no more than there are (of queues of their own there
                // must be more to wait as little).
                let queues = if model == Model::OrapubIo { 16.0 } else { 1.0 };
                let (least, most) = match quantity {
                    Quantity::Knee => (100.0, 64_000.0),
                    Quantity::Capacity => (900.0, 66_000.0),
                    _ => (0.9, 64.0),
                };
                assert!((least..most * queues).contains(&low), "{model:?} {noise}: {found:?}");
            }
        }
    }
}

#[test]
fn where_something_queues_servers_have_an_upper_limit() {
    let (model, truth, loads) = TABLES[1];
    let study = study(sweep(model, &truth, &loads, 0.03, 3), &[model]);
    let fitted = study.fits.of_model(model).unwrap();
    let servers = fitted.estimate(Quantity::Parameter(Parameter::Servers)).unwrap();
    let (low, high) = servers.interval.unwrap();
    assert!(low < 4.0 && 4.0 < high && high < 8.0 && servers.edge.is_none(), "{servers:?}");
}

#[test]
fn as_many_servers_as_were_in_flight_may_be_more() {
    let loads = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    let points = sweep(Model::Servers, &[0.01, 100.0, 0.0], &loads, 0.02, 4);
    let study = study(points, &[Model::Servers]);
    let fitted = study.fits.of_model(Model::Servers).unwrap();
    for quantity in [Quantity::Parameter(Parameter::Servers), Quantity::Capacity, Quantity::Knee] {
        let estimate = fitted.estimate(quantity).unwrap();
        assert!(estimate.interval.unwrap().1.is_infinite(), "{estimate:?}");
    }
}
