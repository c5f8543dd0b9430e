//! Every verdict speaks up when it should, and only then.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use isotherm_analysis::DeviceClass;
use isotherm_experiment::{Evidence, Steady, Verdict, verdicts};
use isotherm_frame::{LogLinear, Nanos};
use isotherm_load::{
    Arrival, Cpu, Distribution, Ended, Job, KindOutcome, Little, Observed, Offered, Outcome,
    Spacing, Touched,
};

/// So many operations of about this latency, spread over a third of an octave.
fn around(events: u64, ns: u64) -> Distribution {
    let buckets = LogLinear::new(Distribution::BITS);
    let at = |part: u64| ns + ns * part / 100;
    let each = events / 20;
    let counted = (0..20).map(|part| {
        let index = buckets.index_of(Nanos::new(at(part)));
        (u32::try_from(index).unwrap(), each)
    });
    Distribution {
        events: each * 20,
        sum_ns: (0..20).map(|part| at(part) * each).sum(),
        min_ns: at(0),
        max_ns: at(19),
        buckets: counted.collect(),
    }
}

/// A run about which there is nothing to say: 8 in flight, 80,000 reads of 1.1 ms in 11 s.
fn outcome() -> Outcome {
    let response = around(80_000, 1_000_000);
    let computed = response.sum_ns as f64 / 1e9 / 11.0;
    let read = KindOutcome {
        name: "read".to_owned(),
        role: Some(isotherm_load::Role::Read),
        bytes: 80_000 * 8_192,
        failed: 0,
        response,
        service: None,
    };
    Outcome {
        began_ns: 0,
        warmup_s: 1.0,
        measured_s: 11.0,
        offered: Offered { in_flight: 8, threads: 1, ..Offered::default() },
        kinds: vec![read],
        intervals: Vec::new(),
        little: Little { computed, in_flight: computed },
        cpu: Cpu::default(),
        touched: None,
        observed: Vec::new(),
        faults: Vec::new(),
        ended: Ended::Time,
    }
}

struct Case {
    outcome: Outcome,
    facts: Vec<(String, String)>,
    job: Job,
    device: Option<DeviceClass>,
    damage: Vec<String>,
    steady: Steady,
}

fn case() -> Case {
    Case {
        outcome: outcome(),
        facts: Vec::new(),
        job: Job::default(),
        device: None,
        damage: Vec::new(),
        steady: Steady { steady: Some(true), drift: 0.0, deviation: 0.0 },
    }
}

fn judged(change: impl FnOnce(&mut Case)) -> Vec<Verdict> {
    let mut case = case();
    change(&mut case);
    verdicts(&Evidence {
        job: &case.job,
        facts: &case.facts,
        outcome: &case.outcome,
        steady: &case.steady,
        device: case.device,
        damage: &case.damage,
    })
}

fn codes(change: impl FnOnce(&mut Case)) -> Vec<String> {
    judged(change).into_iter().map(|verdict| verdict.code).collect()
}

fn observed(case: &mut Case, name: &str, value: u64) {
    let unit = isotherm_load::Unit::Count;
    case.outcome.observed.push(Observed { name: name.to_owned(), value, unit });
}

#[test]
fn a_good_run_is_left_alone() {
    assert_eq!(codes(|_| {}), Vec::<String>::new());
    assert_eq!(codes(|case| case.device = Some(DeviceClass::Ssd)), Vec::<String>::new());
    assert_eq!(codes(|case| observed(case, "diskstats reads", 80_100)), Vec::<String>::new());
}

#[test]
fn what_is_too_fast_is_reported() {
    let fast = |case: &mut Case| {
        let response = around(80_000, 20_000);
        case.outcome.kinds.iter_mut().for_each(|kind| kind.response = response.clone());
    };
    assert_eq!(codes(fast), Vec::<String>::new(), "of an unknown device nothing is said");
    let found = judged(|case| {
        fast(case);
        case.device = Some(DeviceClass::Ssd);
    });
    assert_eq!((found[0].code.as_str(), found[0].serious), ("faster-than-device", true));
    assert!(
        found[0].words.contains("100 % of the reads took less than 50µs"),
        "{}",
        found[0].words
    );
    let turning = codes(|case| {
        fast(case);
        case.facts.push(("rotational".to_owned(), "yes".to_owned()));
    });
    assert_eq!(turning, ["faster-than-device"]);
}

#[test]
fn what_did_not_come_from_the_device_is_reported() {
    assert_eq!(codes(|case| observed(case, "diskstats reads", 10_000)), ["page-cache"]);
    let sparse = ("sparse".to_owned(), "40 %".to_owned());
    assert_eq!(codes(|case| case.facts.push(sparse)), ["sparse"]);
    let database = codes(|case| {
        observed(case, "pg blocks read", 50_000);
        observed(case, "pg blocks hit", 50_000);
        observed(case, "backend read_bytes", 3_400_000);
        observed(case, "backend rchar", 487_000_000);
    });
    assert_eq!(database, ["os-cache", "buffer-hits"], "what is serious comes first");
}

#[test]
fn what_oracle_waited_for_is_reported() {
    let waited = |single: u64, all: u64, storage_s: u64| {
        codes(move |case| {
            observed(case, "db file sequential read waits", single);
            observed(case, "user i/o waits", all);
            observed(case, "user i/o time", storage_s * 1_000_000_000);
            observed(case, "db time", 80 * 1_000_000_000);
        })
    };
    assert_eq!(waited(79_000, 80_000, 78), Vec::<String>::new());
    assert_eq!(waited(20_000, 80_000, 78), ["not-single-block"]);
    assert_eq!(waited(79_000, 80_000, 12), ["not-storage"]);
    assert_eq!(waited(10, 80, 78), Vec::<String>::new(), "too few to say anything");
    let cached = codes(|case| {
        observed(case, "physical reads", 10_000);
        observed(case, "logical reads", 80_000);
        let sizes = "80.0 MB of 1200.0 MB".to_owned();
        case.facts.push(("fits into the buffer cache".to_owned(), sizes));
    });
    assert_eq!(cached, ["buffer-hits", "fits-buffer-cache"]);
}

#[test]
fn reading_ahead_is_no_cache() {
    let ahead = codes(|case| {
        observed(case, "backend read_bytes", 394_000_000);
        observed(case, "backend rchar", 290_000_000);
    });
    assert_eq!(ahead, Vec::<String>::new());
}

#[test]
fn a_rate_that_was_not_met_is_reported_but_chance_is_not() {
    let open = |rate_hz: f64| {
        codes(move |case| {
            case.job.arrival = Arrival::Open { rate_hz, spacing: Spacing::Poisson, slots: 1_024 };
            case.outcome.offered.rate_hz = Some(rate_hz);
        })
    };
    let delivered = 80_000.0 / 11.0;
    assert_eq!(open(delivered * 1.009), Vec::<String>::new());
    assert_eq!(open(delivered * 1.1), ["rate-not-met"]);
    assert_eq!(open(delivered / 1.1), ["rate-not-met"]);
}

#[test]
fn a_broken_law_failures_and_damage_are_serious() {
    let found = judged(|case| case.outcome.little.in_flight *= 1.05);
    assert_eq!((found[0].code.as_str(), found[0].serious), ("little", true));
    let found = judged(|case| {
        case.outcome.kinds.iter_mut().for_each(|kind| kind.failed = 8_000);
        case.damage.push("block 7 holds block 9".to_owned());
        case.outcome.ended = Ended::Failed("connection lost".to_owned());
    });
    let codes: Vec<&str> = found.iter().map(|verdict| verdict.code.as_str()).collect();
    assert_eq!(codes, ["damaged", "failed", "faults"]);
    assert!(found[2].words.contains("9.1 % of all"), "{}", found[2].words);
}

#[test]
fn a_cache_that_remembers_is_reported() {
    let found = codes(|case| {
        let (first, again) = (around(5_000, 1_000_000), around(75_000, 100_000));
        case.outcome.touched =
            Some(Touched { places: 10_000, distinct: 5_000, visits: 80_000, first, again });
    });
    assert_eq!(found, ["cached-after-first-visit"]);
    let found = codes(|case| {
        let (first, again) = (around(1_000, 1_000_000), around(79_000, 1_000_000));
        case.outcome.touched =
            Some(Touched { places: 1_000, distinct: 1_000, visits: 80_000, first, again });
    });
    assert_eq!(found, ["small-working-set"]);
}
