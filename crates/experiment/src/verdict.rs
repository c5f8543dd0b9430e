//! Warnings about a run: every check of "too good to be true", on every result.

use isotherm_analysis::{CacheWarning, Circumstances, Operation, cache_warnings, modes};
use isotherm_frame::numbers::{counted, whole};
use isotherm_frame::percent;
use isotherm_load::{Arrival, Distribution, Ended, KindOutcome, Medium, Role, engine_of};

use crate::{Steady, Verdict};

mod database;
mod evidence;

pub use evidence::Evidence;

use evidence::{observed, remark, serious};
use isotherm_load::{KnownCounter, KnownFact};

/// Little's law may be off by so much.
const MOST_GAP: f64 = 0.02;
/// So few operations say nothing of a law.
const LEAST_OPERATIONS: u64 = 200;
/// The delivered rate may differ from the one asked for by so much.
const MOST_RATE_ERROR: f64 = 0.01;
/// Reads that the device counted, for each read that was asked for: below this something else
/// answered.
const LEAST_DEVICE_READS: f64 = 0.9;

/// Every warning, what is serious first.
pub fn verdicts(evidence: &Evidence) -> Vec<Verdict> {
    let checks: [fn(&Evidence) -> Vec<Verdict>; 13] = [
        damage,
        ended,
        faults,
        little,
        rate,
        sparse,
        device_accounting,
        database::postgres,
        database::oracle_caches,
        database::oracle_waits,
        speeds,
        touches,
        steadiness,
    ];
    let mut found: Vec<Verdict> = checks.iter().flat_map(|check| check(evidence)).collect();
    found.sort_by_key(|verdict| !verdict.serious);
    found
}

fn damage(evidence: &Evidence) -> Vec<Verdict> {
    evidence.damage.iter().map(|words| serious("damaged", words.clone())).collect()
}

fn ended(evidence: &Evidence) -> Vec<Verdict> {
    let measured_s = evidence.outcome.measured_s;
    match &evidence.outcome.ended {
        Ended::Failed(words) => {
            vec![serious(
                "failed",
                format!("the run could not go on after {measured_s:.1} s: {words}"),
            )]
        }
        Ended::Interrupted => {
            vec![remark("interrupted", format!("interrupted after {measured_s:.1} s of measuring"))]
        }
        Ended::Time | Ended::Operations => Vec::new(),
    }
}

fn faults(evidence: &Evidence) -> Vec<Verdict> {
    let (failed, done) = (evidence.outcome.failed(), evidence.outcome.operations());
    if failed == 0 {
        return Vec::new();
    }
    let share = failed as f64 / (failed + done) as f64;
    let words = format!(
        "{} failed, {} of all: they have no latency here, and what failed may have \
         been the slowest",
        counted(failed, "operation"),
        percent(share)
    );
    vec![if share > 0.001 { serious("faults", words) } else { remark("faults", words) }]
}

fn little(evidence: &Evidence) -> Vec<Verdict> {
    let outcome = evidence.outcome;
    let gap = outcome.little.gap();
    // Operations that reach over an end of the measured time, or of a limited number of them: at
    // most the longest one in each place.
    let longest_s = outcome.response().max_ns as f64 / 1e9;
    let cut = evidence.outcome.ended == Ended::Operations
        || !matches!(evidence.job.arrival, Arrival::Closed { think: None, .. });
    let edges = if cut { longest_s / outcome.measured_s.max(1e-9) } else { 0.0 };
    let few = outcome.operations() < LEAST_OPERATIONS;
    if few || gap.abs() <= MOST_GAP + edges || outcome.failed() > 0 {
        return Vec::new();
    }
    let words = format!(
        "throughput x mean response time is {:.2}, and {:.2} were in flight: {} apart, so some \
         waiting was not seen, or the run was too short for its longest operations",
        outcome.little.computed,
        outcome.little.in_flight,
        percent(gap.abs())
    );
    vec![serious("little", words)]
}

/// How far the delivered rate of an open loop may be from the one asked for by chance alone: of
/// Poisson arrivals, three standard deviations.
fn rate(evidence: &Evidence) -> Vec<Verdict> {
    let outcome = evidence.outcome;
    let Some(asked) = outcome.offered.rate_hz else { return Vec::new() };
    let mut found = Vec::new();
    let delivered = (outcome.operations() + outcome.failed()) as f64 / outcome.measured_s.max(1e-9);
    let error = delivered / asked - 1.0;
    let chance = 3.0 / (asked * outcome.measured_s).max(1.0).sqrt();
    if error.abs() > MOST_RATE_ERROR.max(chance) {
        found.push(serious(
            "rate-not-met",
            format!(
                "{} operations per second of {} asked for: the tail of the \
                 response times is that of a system that does not keep up, and grows with the \
                 length of the run",
                whole(delivered),
                whole(asked)
            ),
        ));
    } else if outcome.offered.queued > 0 {
        let share = outcome.offered.queued as f64 / (asked * outcome.measured_s).max(1.0);
        found.push(remark(
            "queued",
            format!(
                "{} arrivals ({}) found all {} slots in use; their wait is in the response times",
                outcome.offered.queued,
                percent(share),
                outcome.offered.in_flight
            ),
        ));
    }
    found
}

fn sparse(evidence: &Evidence) -> Vec<Verdict> {
    let Some(holes) = KnownFact::Sparse.of(evidence.facts) else { return Vec::new() };
    let words = format!(
        "the file has parts that were never written ({holes}): reading them asks no device. Let \
         isotherm make a file, or copy it so that it has none"
    );
    vec![serious(KnownFact::Sparse.name(), words)]
}

/// Whether it is storage that is measured, not a cache before it or a model.
fn is_storage(evidence: &Evidence) -> bool {
    engine_of(&evidence.job.target).medium() == Medium::Storage
}

/// The reads of a kind that reads, and its distribution.
fn reads<'a>(evidence: &Evidence<'a>) -> impl Iterator<Item = &'a KindOutcome> {
    let reading = |kind: &&KindOutcome| kind.role == Some(Role::Read);
    evidence.outcome.kinds.iter().filter(reading)
}

/// Whether the device answered as many reads as were asked for.
fn device_accounting(evidence: &Evidence) -> Vec<Verdict> {
    let Some(device) = observed(evidence, KnownCounter::DeviceReads) else { return Vec::new() };
    let asked: f64 = reads(evidence).map(|kind| kind.response.events as f64).sum();
    if asked < 1_000.0 {
        return Vec::new();
    }
    let share = device / asked;
    if share >= LEAST_DEVICE_READS {
        return Vec::new();
    }
    let words = if evidence.job.file.direct {
        format!(
            "the device counted {share:.2} reads for each one asked for: large blocks may have been \
             merged, or it is not the device underneath, or something above it answered"
        )
    } else {
        format!(
            "the device counted {share:.2} reads for each one asked for: the page cache answered the rest"
        )
    };
    vec![serious("page-cache", words)]
}

/// What is too fast for the device, and what has two speeds.
fn speeds(evidence: &Evidence) -> Vec<Verdict> {
    if !is_storage(evidence) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let response = Distribution::merged(reads(evidence).map(|kind| &kind.response));
    let counts = response.histogram();
    let known = Circumstances { device: evidence.device, operation: Operation::Read };
    for warning in cache_warnings(&counts, &modes(&counts), &known) {
        found.push(match warning {
            CacheWarning::FasterThanDevice { class, floor, share, .. } => serious(
                "faster-than-device",
                format!(
                    "{} of the reads took less than {floor}, which no {class} device does: \
                     something before it answered",
                    percent(share)
                ),
            ),
            CacheWarning::CacheHits { class, floor, share, .. } => remark(
                "cache-hits",
                format!(
                    "{} of the reads took less than {floor}: too fast for {class}",
                    percent(share)
                ),
            ),
            CacheWarning::TwoSpeeds { fast, slow, share } => remark(
                "two-speeds",
                format!(
                    "reads have two speeds, about {fast} ({} of them) and {slow}: perhaps a cache \
                     and what is behind it",
                    percent(share)
                ),
            ),
            CacheWarning::MayBeCache { below, .. } => remark(
                "may-be-a-cache",
                format!("nearly all reads took less than {below}: this may be a cache"),
            ),
        });
    }
    let mean_ns = response.mean_ns();
    let turning = KnownFact::rotates(evidence.facts) == Some(true);
    if turning && evidence.device.is_none() && mean_ns.is_some_and(|mean| mean < 1e6) {
        found.push(serious(
            "faster-than-device",
            "the kernel calls this a rotating disk, but reads take less than 1 ms on average: a cache, \
             or a wrong flag. Set --device ssd if it does not rotate"
                .to_owned(),
        ));
    }
    found
}

/// The code of the verdict that places visited before answered sooner than new ones.
pub(crate) const CACHED_AFTER_FIRST_VISIT: &str = "cached-after-first-visit";

/// Whether places visited before answered sooner than new ones.
fn touches(evidence: &Evidence) -> Vec<Verdict> {
    let Some(touched) = &evidence.outcome.touched else { return Vec::new() };
    let mut found = Vec::new();
    if let (Some(first), Some(again)) = (touched.first.mean_ns(), touched.again.mean_ns())
        && touched.first.events.min(touched.again.events) >= 1_000
        && again < first * 0.67
    {
        let words = format!(
            "places visited again answered {:.1} times sooner than new ones: a cache holds what was \
             read",
            first / again
        );
        // A database has a cache for that; storage that is measured should not.
        let verdict = if is_storage(evidence) { serious } else { remark };
        found.push(verdict(CACHED_AFTER_FIRST_VISIT, words));
    }
    let random = evidence.job.work.hot.is_none()
        && evidence.job.work.pattern == isotherm_load::Pattern::Random;
    if random && touched.places > 0 && touched.visits > 20 * touched.places {
        found.push(remark(
            "small-working-set",
            format!(
                "each of the {} places was visited {:.0} times: a cache of that size would answer \
                 everything",
                touched.places,
                touched.visits as f64 / touched.places as f64
            ),
        ));
    }
    found
}

fn steadiness(evidence: &Evidence) -> Vec<Verdict> {
    let Steady { steady, drift, deviation } = *evidence.steady;
    match steady {
        Some(false) => vec![remark(
            "not-steady",
            format!(
                "throughput was not steady: it drifted by {} and a fifth of the time was {} off \
                 the mean",
                percent(drift),
                percent(deviation)
            ),
        )],
        None if evidence.outcome.measured_s > 0.0 => {
            vec![remark(
                "too-short",
                "too short, or with too few operations, to tell whether it was steady".to_owned(),
            )]
        }
        _ => Vec::new(),
    }
}
