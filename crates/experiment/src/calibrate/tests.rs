//! Calibrations of devices whose truth is known.

use isotherm_frame::Nanos;
use isotherm_load::{Arrival, Pattern};

use super::simulated_device::Device;
use super::*;

const SEEDS: [u64; 5] = [3, 17, 101, 2_024, 999_983];

fn terms() -> Terms {
    let budget = Nanos::from_millis(20_000);
    Terms { target: "device".to_owned(), budget, ..Terms::default() }
}

fn calibrated(terms: &Terms, mut device: Device) -> (Calibration, Device) {
    let calibration = calibrate(terms, &mut device).unwrap();
    (calibration, device)
}

fn codes(calibration: &Calibration) -> Vec<&str> {
    calibration.verdicts.iter().map(|verdict| verdict.code.as_str()).collect()
}

/// Whether a number is within so many per cent of what it should be.
fn near(value: f64, truth: f64, per_cent: f64) -> bool {
    (value / truth - 1.0).abs() <= per_cent / 100.0
}

#[test]
fn four_servers_of_a_millisecond_are_found() {
    for seed in SEEDS {
        let (calibration, _) = calibrated(&terms(), Device::new(seed));
        let figures = &calibration.figures;
        let floor = figures.floor.as_ref().unwrap();
        assert!(near(floor.latency.mean_ns, 1e6, 2.0), "{floor:?}");
        let maximum = figures.maximum.as_ref().unwrap();
        // Four servers of 1 ms serve 4,000 a second, and four in flight are enough.
        assert!(near(maximum.per_second, 4_000.0, 3.0), "{maximum:?}");
        assert_eq!(calibration.enough_in_flight(), Some(4));
        assert!(near(maximum.busy, f64::from(maximum.in_flight.unwrap()), 3.0), "{maximum:?}");
        assert_eq!(figures.ramp_ended, RampEnded::Saturated);
        assert!(near(f64::from(calibration.knee_in_flight.unwrap()), 4.0, 1.0));
        // One large read takes 1 MiB x 5 ns = 5.24 ms: 200 MB/s; four servers give 800.
        let single = figures.single_stream.as_ref().unwrap();
        // Some hundred reads, each within 30 %: 1.7 % is one standard deviation.
        assert!(near(single.megabytes_per_second, 200.0, 6.0), "{single:?}");
        let streams = figures.streams.as_ref().unwrap();
        assert!(near(streams.megabytes_per_second, 800.0, 3.0), "{streams:?}");
        assert_eq!(calibration.cache.seen, CacheSeen::NoStep);
        assert!(codes(&calibration).contains(&"cache-undecided"));
        assert!(calibration.incomplete.is_none());
        assert!(near(calibration.spent_s, 20.0, 1.0), "{}", calibration.spent_s);
    }
}

#[test]
fn a_hard_knee_at_thirty_two_is_found() {
    for seed in SEEDS {
        let device = Device { servers: 32, jitter: 0.05, ..Device::new(seed) };
        let (calibration, device) = calibrated(&terms(), device);
        let maximum = calibration.figures.maximum.as_ref().unwrap();
        assert_eq!(calibration.enough_in_flight(), Some(32));
        assert!(near(maximum.per_second, 32_000.0, 2.0), "{maximum:?}");
        assert_eq!(calibration.knee_in_flight, Some(32));
        // Two steps without growth, and no more.
        let mut most = device.orders.iter().filter(|order| order.phase == Phase::Ramp);
        assert_eq!(most.next_back().unwrap().label, "128 in flight");
        assert!(!codes(&calibration).contains(&"worse-under-load"));
    }
}

#[test]
fn a_device_that_gets_worse_under_load_is_found_out() {
    for seed in SEEDS {
        // Sixteen servers whose service time is 1 ms x (1 + (n / 16)^2): X(n) = n / S(n) has its
        // maximum of 8,000 a second at 16.
        let device = Device { servers: 16, thrash: 1.0 / 256.0, ..Device::new(seed) };
        let (calibration, _) = calibrated(&terms(), device);
        let held = calibration.curve();
        let rates = held.iter().filter_map(|step| Some((step.on_curve()?.0.per_second, step)));
        let (most, step) = rates.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap();
        assert_eq!(step.held().unwrap().1, 16);
        assert!(near(most, 8_000.0, 3.0), "{most}");
        assert_eq!(calibration.enough_in_flight(), Some(16));
        assert!(codes(&calibration).contains(&"worse-under-load"), "{:?}", codes(&calibration));
    }
}

#[test]
fn no_rate_within_a_limit_is_above_the_most() {
    for seed in 0..40 {
        for limit in ["p99<5ms", "p99<2ms", "mean<10ms"] {
            let limit = limit.parse().unwrap();
            let device = Device { jitter: 0.9, ..Device::new(seed) };
            let budget = Nanos::from_millis(3_000);
            let (calibration, _) = calibrated(&Terms { budget, limit, ..terms() }, device);
            let figures = &calibration.figures;
            let most = figures.maximum.as_ref().unwrap().per_second;
            let kept = [&figures.limit_closed, &figures.limit_open, &figures.floor];
            for one in kept.into_iter().flatten() {
                assert!(one.per_second <= most, "{seed} {limit}: {one:?}");
            }
            for (one, _) in calibration.curve().into_iter().filter_map(Step::on_curve) {
                assert!(one.per_second <= most, "{seed} {limit}: {one:?}");
                let within = limit.is_met(&response(&calibration, one));
                let closed = figures.limit_closed.as_ref().map_or(0.0, |one| one.per_second);
                assert!(!within || one.per_second <= closed, "{seed} {limit}: {one:?}");
            }
            let oracle = calibration.calibrate_io.unwrap();
            assert!(oracle.max_iops as f64 <= most + 0.5, "{oracle:?}");
        }
    }
}

fn response(calibration: &Calibration, figure: &Figure) -> isotherm_load::Distribution {
    calibration.steps[usize::try_from(figure.step).unwrap()].run.outcome.response()
}

#[test]
fn a_cache_of_thirty_per_cent_is_guessed() {
    for seed in SEEDS {
        let whole = Device::new(seed);
        let device = Device { cache: whole.bytes / 10 * 3, jitter: 0.1, ..whole };
        let bytes = device.bytes;
        let (calibration, _) = calibrated(&terms(), device);
        let guess = &calibration.cache;
        assert_eq!(guess.seen, CacheSeen::Step);
        assert_eq!(guess.at_least_bytes, Some(bytes / 100 * 30));
        assert_eq!(guess.below_bytes, Some(bytes));
        // 3 of 10 reads in 0.1 ms, 7 in 1 ms: 0.73 ms on average, against 0.1 ms.
        assert!(near(guess.speedup.unwrap(), 7.3, 8.0), "{guess:?}");
        let estimate = guess.estimate_bytes.unwrap() as f64 / bytes as f64;
        assert!((0.26..0.34).contains(&estimate), "{estimate}");
        assert_eq!(calibration.verdicts.first().unwrap().code, "cache");
    }
}

#[test]
fn a_cache_between_two_parts_is_bracketed() {
    for seed in SEEDS {
        let whole = Device::new(seed);
        let device = Device { cache: whole.bytes / 100 * 18, jitter: 0.1, ..whole };
        let bytes = device.bytes;
        let (calibration, _) = calibrated(&terms(), device);
        let guess = &calibration.cache;
        assert_eq!(guess.at_least_bytes, Some(bytes / 100 * 10), "{guess:?}");
        assert_eq!(guess.below_bytes, Some(bytes / 100 * 30));
    }
}

#[test]
fn a_cache_of_everything_and_none_at_all_look_the_same_and_it_is_said() {
    let whole = Device::new(5);
    let (cached, _) = calibrated(&terms(), Device { cache: whole.bytes, ..whole });
    let (bare, _) = calibrated(&terms(), Device::new(5));
    for calibration in [cached, bare] {
        assert_eq!(calibration.cache.seen, CacheSeen::NoStep);
        let again = calibration.cache.read_again_speedup.unwrap();
        assert!(near(again, 1.0, 10.0), "{again}");
        assert!(codes(&calibration).contains(&"cache-undecided"));
    }
}

#[test]
fn the_rate_within_the_limit_is_lower_when_arrivals_do_not_wait() {
    for seed in SEEDS {
        let limit = "p99<2ms".parse().unwrap();
        let device = Device { jitter: 0.9, ..Device::new(seed) };
        let (calibration, _) = calibrated(&Terms { limit, ..terms() }, device);
        let figures = &calibration.figures;
        let closed = figures.limit_closed.as_ref().unwrap();
        let open = figures.limit_open.as_ref().unwrap();
        let missed = figures.limit_open_missed.as_ref().unwrap();
        let p99 = |figure: &Figure| figure.latency.quantile(0.99).unwrap().to_ns;
        assert!(p99(closed) <= 2_000_000 && p99(open) <= 2_000_000);
        assert!(p99(missed) > 1_900_000, "{missed:?}");
        assert!(near(closed.per_second, 4_000.0, 3.0), "{closed:?}");
        assert!(open.per_second < closed.per_second, "{open:?}");
        // What met the limit and what missed it lie close together, up to chance.
        let (met, missed) = (open.offered_per_second.unwrap(), missed.offered_per_second.unwrap());
        assert!((0.95..1.5).contains(&(missed / met)), "{met} {missed}");
    }
}

#[test]
fn the_mean_can_be_limited_as_calibrate_io_does() {
    // With n in flight and four servers of 1 ms, R = max(1, n / 4) ms: 20 in flight take 5 ms.
    let limit = "mean<5ms".parse().unwrap();
    let (calibration, _) = calibrated(&Terms { limit, ..terms() }, Device::new(11));
    let closed = calibration.figures.limit_closed.as_ref().unwrap();
    assert!(closed.latency.mean_ns < 5e6, "{closed:?}");
    let oracle = calibration.calibrate_io.unwrap();
    assert_eq!(oracle.max_latency_ms, 5);
    assert!(near(oracle.max_iops as f64, 4_000.0, 3.0), "{oracle:?}");
    assert!(near(oracle.max_mbps as f64, 800.0, 3.0), "{oracle:?}");
    assert!((1..=4).contains(&oracle.latency_ms), "{oracle:?}");
}

#[test]
fn a_limit_that_one_read_alone_misses_is_met_by_nothing() {
    let limit = "p99<0.5ms".parse().unwrap();
    let (calibration, _) = calibrated(&Terms { limit, ..terms() }, Device::new(7));
    assert!(calibration.figures.limit_closed.is_none());
    assert!(calibration.figures.limit_open.is_none());
    assert!(calibration.incomplete.is_none());
}

#[test]
fn a_ramp_that_ends_while_throughput_grows_says_so() {
    let device = Device { servers: 64, ..Device::new(23) };
    let (calibration, _) = calibrated(&Terms { most_in_flight: 16, ..terms() }, device);
    assert_eq!(calibration.figures.ramp_ended, RampEnded::StillGrowing);
    assert!(codes(&calibration).contains(&"still-growing"));
}

#[test]
fn what_disks_are_declared_is_checked_by_arithmetic() {
    // 4 reads in flight cannot keep 204 disks busy; 4,000 a second from 4 disks that turn are
    // 1,000 of each, with a service time of 1 ms / (1 + 4 / 4) = 0.5 ms.
    let facts = vec![("rotational".to_owned(), "yes".to_owned())];
    let device = Device { facts: facts.clone(), ..Device::new(31) };
    let (calibration, _) = calibrated(&Terms { disks: Some(204), ..terms() }, device);
    assert!(codes(&calibration).contains(&"in-flight-below-devices"));
    let device = Device { facts, ..Device::new(31) };
    let (calibration, _) = calibrated(&Terms { disks: Some(4), ..terms() }, device);
    let found = calibration.verdicts.iter().find(|one| one.code == "faster-than-spindles");
    let words = &found.unwrap().words;
    assert!(words.contains("1,0") || words.contains("99"), "{words}");
    assert!(words.contains("for each of 4 rotating disks"), "{words}");
    let (calibration, _) = calibrated(&Terms { disks: Some(4), ..terms() }, Device::new(31));
    assert!(!codes(&calibration).contains(&"faster-than-spindles"), "it may be flash");
}

#[test]
fn a_rotating_disk_that_reads_in_fifty_microseconds_is_not_believed() {
    let rotating = vec![("rotational".to_owned(), "yes".to_owned())];
    let fast = || Device { miss_ns: 50e3, ..Device::new(41) };
    let (calibration, _) = calibrated(&terms(), Device { facts: rotating.clone(), ..fast() });
    assert_eq!(calibration.verdicts.first().unwrap().code, "rotational-too-fast");
    let (flash, _) = calibrated(&terms(), fast());
    assert!(!codes(&flash).contains(&"rotational-too-fast"));
    let slow = Device { miss_ns: 8e6, facts: rotating, ..Device::new(41) };
    assert!(!codes(&calibrated(&terms(), slow).0).contains(&"rotational-too-fast"));
}

#[test]
fn stopping_keeps_what_was_measured() {
    let (calibration, device) = calibrated(&terms(), Device { patience: 4, ..Device::new(1) });
    assert_eq!((calibration.steps.len(), device.orders.len()), (4, 4));
    assert!(calibration.incomplete.is_some());
    assert!(calibration.figures.floor.is_some() && calibration.figures.maximum.is_none());
    assert_eq!(calibration.cache.seen, CacheSeen::NotMeasured);
    let (nothing, _) = calibrated(&terms(), Device { patience: 0, ..Device::new(1) });
    assert!(nothing.steps.is_empty() && nothing.verdicts.is_empty());
}

#[test]
fn only_writes_that_are_asked_for_are_made() {
    let writing = |order: &Order| order.job.work.update_pct > 0.0;
    let (calibration, device) = calibrated(&terms(), Device::new(1));
    assert!(!device.orders.iter().any(writing));
    assert!(calibration.figures.write_floor.is_none());
    let (calibration, device) = calibrated(&Terms { writes: true, ..terms() }, Device::new(1));
    assert!(device.orders.iter().filter(|order| order.phase == Phase::Writes).all(writing));
    let lasting: Vec<_> = device.orders.iter().filter(|order| order.job.file.dsync).collect();
    assert_eq!(lasting.len(), 1);
    let (job, log) = (&lasting[0].job, calibration.figures.log_write.unwrap());
    assert_eq!((job.work.pattern, job.file.block), (Pattern::Sequential, 8_192));
    assert_eq!(
        (log.in_flight, job.arrival),
        (Some(1), Arrival::Closed { in_flight: 1, think: None })
    );
    let random = device.orders.iter().filter(|order| writing(order) && !order.job.file.dsync);
    assert!(random.clone().count() > 1);
    assert!(random.into_iter().all(|order| order.job.work.pattern == Pattern::Random));
    assert!(near(calibration.figures.write_maximum.unwrap().per_second, 4_000.0, 3.0));
}

#[test]
fn every_load_stays_within_the_target_and_the_time() {
    for (bytes, budget_ms) in [(8_192, 4_000), (1 << 20, 500), (8_192 * 1_000, 100_000)] {
        let device = Device { bytes, ..Device::new(1) };
        let budget = Nanos::from_millis(budget_ms);
        let (calibration, device) = calibrated(&Terms { budget, ..terms() }, device);
        for order in &device.orders {
            let size = order.job.file.size.unwrap();
            let large = order.job.work.pattern == Pattern::Sequential;
            assert!(size > 0 && size <= bytes, "{order:?}");
            assert_eq!(large, order.job.file.block == 1 << 20);
            let (Arrival::Closed { in_flight: 1.., .. } | Arrival::Open { .. }) = order.job.arrival
            else {
                panic!("{order:?}")
            };
        }
        // Steps are never shorter than a tenth of a second or 1.2 % of the time.
        let budget_s = budget_ms as f64 / 1e3;
        let most = budget_s.max(0.1_f64.max(0.012 * budget_s) * calibration.steps.len() as f64);
        assert!(calibration.spent_s <= most * 1.01, "{} of {most}", calibration.spent_s);
    }
}

#[test]
fn a_calibration_is_written_and_read_without_loss() {
    let (calibration, _) = calibrated(&terms(), Device::new(13));
    let text = serde_json::to_string(&calibration).unwrap();
    let read: Calibration = serde_json::from_str(&text).unwrap();
    // Floats may come back a last digit off; everything that is counted must not.
    assert_eq!(read.verdicts, calibration.verdicts);
    assert_eq!((read.limit, read.steps.len()), (calibration.limit, calibration.steps.len()));
    for (read, step) in read.steps.iter().zip(&calibration.steps) {
        assert!(read.run.outcome.kinds == step.run.outcome.kinds, "{}", step.run.label);
        assert!(read.run.job == step.run.job, "{}", step.run.label);
    }
}
