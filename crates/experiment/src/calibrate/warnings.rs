//! Warnings about a calibration as a whole.

use isotherm_frame::numbers::{bytes, length, whole};
use isotherm_frame::percent;
use isotherm_load::Outcome;

use super::cache::CacheSeen;
use super::calibration::Calibration;
use super::figure::Figure;
use super::ramp::REPEATS;
use super::step::{RampEnded, Step};
use super::terms::Phase;
use crate::Verdict;
use isotherm_load::{KnownCounter, KnownFact};

/// A rotating disk needs half a turn to find a block: at 7,200 turns a minute 4.17 ms.
const HALF_TURN_NS: f64 = 4.17e6;
/// No rotating disk reads faster than this on average.
const ROTATING_FLOOR_NS: f64 = 1e6;
/// No rotating disk reads more random blocks a second.
const PER_SPINDLE: f64 = 250.0;
/// Rates in a closed and an open loop differ by less than this where nothing is hidden.
const OPTIMISTIC: f64 = 1.2;
/// The share of the processors that others may use without a word.
const OTHERS: f64 = 0.2;
/// Steps shorter than this say little of a tail, seconds.
const SHORT_S: f64 = 2.0;

/// Every warning, worst first.
pub fn warnings(calibration: &Calibration) -> Vec<Verdict> {
    let mut found: Vec<Verdict> = Vec::new();
    found.extend(too_fast_for_rotation(calibration));
    found.extend(spindles(calibration));
    found.extend(of_steps(calibration));
    found.extend(cache(calibration));
    found.extend(busy_machine(calibration));
    found.extend(ramp(calibration));
    found.extend(not_repeated(calibration));
    found.extend(optimistic(calibration));
    found.extend(short(calibration));
    found.sort_by_key(|verdict| !verdict.serious);
    found
}

fn verdict(code: &str, serious: bool, words: String) -> Verdict {
    Verdict { code: code.to_owned(), serious, words }
}

fn is_hdd(calibration: &Calibration) -> bool {
    calibration.device.as_deref() == Some("hdd")
        || KnownFact::rotates(&calibration.facts) == Some(true)
}

fn too_fast_for_rotation(calibration: &Calibration) -> Option<Verdict> {
    let mean = calibration.figures.floor.as_ref()?.latency.mean_ns;
    let declared = calibration.device.as_deref().is_some_and(|device| device != "hdd");
    let rotates = KnownFact::rotates(&calibration.facts)? && !declared;
    let too_fast = rotates && mean < ROTATING_FLOOR_NS;
    too_fast.then(|| {
        let words = format!(
            "the system calls this a rotating disk, and one read at a time takes {} on average: no \
             rotating disk does that. Either the flag is wrong, or something in front of the disk \
             answers (a cache of the host, of a controller); then these are the numbers of that. Set \
             --device ssd if it does not rotate",
            length(mean / 1e9)
        );
        verdict("rotational-too-fast", true, words)
    })
}

/// The arithmetic of disks that are declared: as many reads as are in flight on average can be
/// busy at once, and each disk serves its part of the throughput.
fn spindles(calibration: &Calibration) -> Vec<Verdict> {
    let Some(disks) = calibration.disks.filter(|disks| *disks > 0) else { return Vec::new() };
    let figures = &calibration.figures;
    let best = [&figures.maximum, &figures.limit_closed].into_iter().flatten();
    let Some(best) = best.max_by(|a, b| a.per_second.total_cmp(&b.per_second)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if best.busy < f64::from(disks) {
        let words = format!(
            "{} reads/s x {} = {} reads in flight on average (Little's law): fewer than the \
             {disks} disks declared. Not all of them were at work at once, so this is not what \
             they can do together, or something else answered",
            whole(best.per_second),
            length(best.latency.mean_ns / 1e9),
            whole(best.busy)
        );
        found.push(verdict("in-flight-below-devices", true, words));
    }
    found.extend(is_hdd(calibration).then(|| per_spindle(best, disks)).flatten());
    found
}

/// With utilisation U = X S / M and R = S / (1 - U) each disk's service time is
/// S = R / (1 + X R / M).
fn per_spindle(best: &Figure, disks: u32) -> Option<Verdict> {
    let each = best.per_second / f64::from(disks);
    let mean = best.latency.mean_ns;
    let service = mean / (1.0 + best.busy / f64::from(disks));
    (each > PER_SPINDLE || service < HALF_TURN_NS).then(|| {
        let words = format!(
            "{} reads/s are {} for each of {disks} rotating disks; with {} a read that needs \
             a service time of {}. Half a turn alone takes 4.17ms, and 250 reads/s are the most \
             of one: a cache answered",
            whole(best.per_second),
            whole(each),
            length(mean / 1e9),
            length(service / 1e9)
        );
        verdict("faster-than-spindles", true, words)
    })
}

/// What a calibration provokes on purpose, or says once for all: rates beyond what there is, small
/// parts visited often, short steps.
const PROVOKED: [&str; 5] =
    ["rate-not-met", "queued", "small-working-set", "too-short", "interrupted"];

/// What was doubtful of single steps, each kind once.
fn of_steps(calibration: &Calibration) -> Vec<Verdict> {
    let mut kinds: Vec<(&Verdict, &Step, usize)> = Vec::new();
    for step in &calibration.steps {
        for one in &step.run.verdicts {
            match kinds.iter_mut().find(|(known, ..)| known.code == one.code) {
                Some((known, first, times)) => {
                    *times += 1;
                    if one.serious && !known.serious {
                        (*known, *first) = (one, step);
                    }
                }
                None => kinds.push((one, step, 1)),
            }
        }
    }
    // That the device says it rotates is said once, of all steps.
    let rotating = too_fast_for_rotation(calibration).is_some() && calibration.device.is_none();
    kinds.retain(|(one, ..)| {
        let said = rotating && one.code == "faster-than-device";
        !said && !PROVOKED.contains(&one.code.as_str())
    });
    let all = calibration.steps.len();
    kinds
        .into_iter()
        .map(|(one, step, times)| {
            let label = &step.run.label;
            let words = format!("in {times} of {all} steps; {label}: {}", one.words);
            // A few unsteady steps are what a short search looks like.
            let serious = one.serious && (one.code != "not-steady" || times * 2 > all);
            verdict(&one.code, serious, words)
        })
        .collect()
}

fn cache(calibration: &Calibration) -> Option<Verdict> {
    let guess = &calibration.cache;
    match guess.seen {
        CacheSeen::NotMeasured => None,
        CacheSeen::Step => {
            let size = guess.estimate_bytes.or(guess.at_least_bytes).unwrap_or(0);
            let words = format!(
                "a part of the target is read {:.1} times as fast as all of it: a cache of some \
                 {} answers a share of every number here; the slower part is the device",
                guess.speedup.unwrap_or(1.0),
                bytes(size)
            );
            Some(verdict("cache", true, words))
        }
        CacheSeen::Unclear => {
            let words = "small parts and all of it are read at rates that differ, but not as with a \
                         cache: within the noise, in no order, or though a repeated read of one block \
                         takes as long as any. Measure longer (--for), or when nothing else runs"
                .to_owned();
            Some(verdict("cache-unclear", false, words))
        }
        CacheSeen::NoStep if calibration.holds_what_was_read() => {
            let words = "small parts are read no faster than all of it, and places read before are \
                         answered sooner than new ones: a cache holds everything that was read. Use a \
                         target larger than every cache"
                .to_owned();
            Some(verdict("cache-holds-all", true, words))
        }
        CacheSeen::NoStep => {
            let words = "small parts are read no faster than all of it: there is no cache in the \
                         way, or one that holds everything. Only a target larger than every cache \
                         can tell them apart"
                .to_owned();
            Some(verdict("cache-undecided", false, words))
        }
    }
}

/// Other programs that used the processors meanwhile: loads wait for them, not for the device.
fn busy_machine(calibration: &Calibration) -> Option<Verdict> {
    let (mut others_s, mut all_s) = (0.0, 0.0);
    for step in &calibration.steps {
        let outcome = &step.run.outcome;
        let Some(machine_s) = outcome.cpu.machine_s else { continue };
        others_s += (machine_s - outcome.cpu.process_s).max(0.0);
        all_s += outcome.measured_s * f64::from(outcome.cpu.processors);
    }
    let share = if all_s > 0.0 { others_s / all_s } else { 0.0 };
    (share > OTHERS).then(|| {
        let words = format!(
            "other processes used {} of the CPU: latencies hold waiting for a processor, and rates \
             are lower than they could be",
            percent(share)
        );
        verdict("busy-machine", share > 2.0 * OTHERS, words)
    })
}

fn ramp(calibration: &Calibration) -> Option<Verdict> {
    let in_flight = calibration.of(Phase::Ramp).filter_map(|step| step.held()).last()?.1;
    match calibration.figures.ramp_ended {
        RampEnded::StillGrowing => {
            let words = format!(
                "with {in_flight} reads in flight throughput was still growing: the maximum may be \
                 higher. Try --max-in-flight {}",
                in_flight.saturating_mul(4)
            );
            Some(verdict("still-growing", true, words))
        }
        RampEnded::TooSlow => {
            worse_under_load(calibration).or_else(|| Some(ended_by_latency(in_flight)))
        }
        RampEnded::Saturated => worse_under_load(calibration),
        RampEnded::Early => None,
    }
}

fn ended_by_latency(in_flight: u32) -> Verdict {
    let words = format!(
        "the ramp ended at {in_flight} in flight, where latency was ten times the limit: more load \
         may give more throughput that is of no use"
    );
    verdict("ended-by-latency", false, words)
}

/// The least throughput beyond the best, as a share of it, that is still no loss.
const KEPT: f64 = 0.9;

fn worse_under_load(calibration: &Calibration) -> Option<Verdict> {
    let curve = calibration.curve();
    let held: Vec<(&Figure, u32)> = curve.iter().filter_map(|step| step.on_curve()).collect();
    let best = held.iter().max_by(|a, b| a.0.per_second.total_cmp(&b.0.per_second))?;
    let last = held.last()?;
    let kept = last.0.per_second / best.0.per_second;
    (last.1 > best.1 && kept < KEPT).then(|| {
        let words = format!(
            "throughput falls under load: {} reads/s with {} in flight, {} less with {}. More \
             concurrency than that does harm",
            whole(best.0.per_second),
            best.1,
            percent(1.0 - kept),
            last.1
        );
        verdict("worse-under-load", false, words)
    })
}

fn not_repeated(calibration: &Calibration) -> Option<Verdict> {
    let (_, held) = calibration.of(Phase::Maximum).find_map(Step::held)?;
    let tried = calibration.curve().into_iter().filter_map(Step::on_curve);
    let rates: Vec<f64> = tried
        .filter(|(_, in_flight)| *in_flight == held)
        .map(|(figure, _)| figure.per_second)
        .collect();
    let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let most = rates.iter().copied().fold(0.0, f64::max);
    (most > least * (1.0 + REPEATS)).then(|| {
        let words = format!(
            "the maximum does not repeat: {} to {} reads/s in {} loads with as many in flight. \
             Something else uses the device or the machine, or it changes with time",
            whole(least),
            whole(most),
            rates.len()
        );
        verdict("not-repeated", true, words)
    })
}

fn optimistic(calibration: &Calibration) -> Option<Verdict> {
    let figures = &calibration.figures;
    let (closed, open) = (figures.limit_closed.as_ref()?, figures.limit_open.as_ref()?);
    let ratio = closed.per_second / open.per_second;
    (ratio > OPTIMISTIC).then(|| {
        let words = format!(
            "within {} a fixed number in flight gives {} reads/s, arrivals that do not wait for \
             each other only {}: the first hides that slow reads keep others from arriving. Plan \
             with the second",
            calibration.limit,
            whole(closed.per_second),
            whole(open.per_second)
        );
        verdict("closed-is-optimistic", false, words)
    })
}

fn short(calibration: &Calibration) -> Option<Verdict> {
    let measured = calibration.steps.iter().filter(|step| step.figure.is_some());
    let shortest = measured.map(|step| step.run.outcome.measured_s).fold(f64::INFINITY, f64::min);
    (shortest < SHORT_S).then(|| {
        let words = format!(
            "steps were measured for {shortest:.1} s only: enough for rates, little for rare slow \
             reads. Give it longer with --for"
        );
        verdict("short", false, words)
    })
}

/// Reads that the device counted for each operation: 1 where nothing stands between; `None` where
/// the device is not known.
pub fn device_reads_per_operation(outcome: &Outcome) -> Option<f64> {
    let reads = KnownCounter::DeviceReads.observed(&outcome.observed)?.value;
    let operations = outcome.operations();
    (operations > 0).then(|| reads as f64 / operations as f64)
}
