//! More and more small random reads in flight, until throughput no longer grows.

use isotherm_load::Ended;

use super::figure::Figure;
use super::schedule::{Broken, GROWTH, Schedule, Want};
use super::step::{Figures, RampEnded, Step};
use super::terms::Phase;

/// The ramp ends when latency is so many times the limit.
const TOO_SLOW: f64 = 10.0;
/// The ramp ends after so many steps in a row without growth.
const FLAT_STEPS: u32 = 2;

/// The maximum measured again is within this share of the ramp's.
pub const REPEATS: f64 = 0.1;

/// One read at a time: the floor of every latency to come.
pub fn floor(schedule: &mut Schedule, figures: &mut Figures) -> Result<(), Broken> {
    let step = schedule.step(&Want::reads(Phase::Floor, 1, schedule.terms), 0)?;
    figures.floor = schedule.figure(step).cloned();
    Ok(())
}

/// Doubles the number in flight until throughput stops growing.
pub fn ramp(schedule: &mut Schedule, figures: &mut Figures) -> Result<(), Broken> {
    let most = schedule.terms.most_in_flight.max(2);
    let (mut best, mut flat, mut in_flight) = (0_usize, 0_u32, 1_u32);
    while in_flight < most {
        in_flight = in_flight.saturating_mul(2).min(most);
        let more = (f64::from(most) / f64::from(in_flight)).log2().ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 32 steps"
        )]
        let more = more as usize;
        let step = schedule.step(&Want::reads(Phase::Ramp, in_flight, schedule.terms), more)?;
        if schedule.has_grown(best, step) {
            (best, flat) = (step, 0);
        } else {
            flat += 1;
        }
        let latencies = schedule.steps[step].run.outcome.response();
        if schedule.terms.limit.is_exceeded(&latencies, TOO_SLOW) {
            figures.ramp_ended = RampEnded::TooSlow;
            return Ok(());
        }
        if flat >= FLAT_STEPS {
            figures.ramp_ended = RampEnded::Saturated;
            return Ok(());
        }
    }
    // One flat step at the very end is as good a sign as there can be.
    figures.ramp_ended = if flat > 0 { RampEnded::Saturated } else { RampEnded::StillGrowing };
    Ok(())
}

/// Measures again at the least load that gives the maximum, and a third time where that comes out
/// otherwise: whether it repeats is known then.
pub fn maximum(schedule: &mut Schedule) -> Result<(), Broken> {
    let Some(in_flight) = least_for_maximum(&schedule.steps) else { return Ok(()) };
    let want = Want::reads(Phase::Maximum, in_flight, schedule.terms);
    let before = schedule
        .steps
        .iter()
        .rposition(|step| step.on_curve().is_some_and(|(_, held)| held == in_flight));
    let again = schedule.step(&want, 1)?;
    let rate = |schedule: &Schedule, step| schedule.figure(step).map_or(0.0, |one| one.per_second);
    let Some(before) = before else { return Ok(()) };
    let change = rate(schedule, again) / rate(schedule, before) - 1.0;
    if change.abs() > REPEATS {
        schedule.step(&want, 0)?;
    }
    Ok(())
}

/// The most small random reads a second of all that was measured, held in flight or arriving: no
/// rate that keeps a limit can be higher. A load that was broken off is too short to count.
pub fn highest(steps: &[Step]) -> Option<&Figure> {
    let whole = steps.iter().filter(|step| step.run.outcome.ended != Ended::Interrupted);
    let reads = whole.filter(|step| step.reads_everything());
    reads
        .filter_map(|step| step.figure.as_ref())
        .max_by(|one, other| one.per_second.total_cmp(&other.per_second))
}

/// The fewest in flight whose throughput is within [`GROWTH`] of the best.
pub fn least_for_maximum(steps: &[Step]) -> Option<u32> {
    let held: Vec<(&Figure, u32)> = steps.iter().filter_map(Step::on_curve).collect();
    let best = held.iter().map(|(figure, _)| figure.per_second).fold(0.0, f64::max);
    let enough = held.iter().filter(|(figure, _)| figure.per_second * (1.0 + GROWTH) >= best);
    enough.map(|(_, in_flight)| *in_flight).min()
}

/// The load with the most throughput for its latency (Kleinrock 1979: the maximum of power, X/R):
/// where the curve bends.
pub fn knee(steps: &[Step]) -> Option<u32> {
    let held = steps.iter().filter_map(Step::on_curve);
    let power = |figure: &Figure| figure.per_second / figure.latency.mean_ns.max(1.0);
    held.max_by(|(one, _), (other, _)| power(one).total_cmp(&power(other)))
        .map(|(_, in_flight)| in_flight)
}
