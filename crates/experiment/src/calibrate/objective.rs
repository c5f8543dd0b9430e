//! The most reads a second within a limit of latency.

use super::figure::Figure;
use super::schedule::{Broken, GROWTH, Schedule, Want};
use super::step::Figures;
use super::terms::Phase;

/// Steps between two numbers in flight.
const CLOSED_STEPS: usize = 2;
/// Steps of the search for a rate.
const OPEN_STEPS: usize = 6;
/// Rates closer than this, as a share, are not distinguished.
const CLOSE: f64 = 0.03;
/// Where the search begins, as a share of the throughput at the limit in a closed loop.
const FIRST: f64 = 0.85;
/// What is tried next, as a share of a rate that missed, while none has met the limit.
const LOWER: f64 = 0.7;

/// Both searches: with so many held in flight, then with arrivals that do not wait for each other.
/// The first is optimistic: an operation that takes long keeps others from arriving.
pub fn within_limit(schedule: &mut Schedule, figures: &mut Figures) -> Result<(), Broken> {
    let refined = refine_closed(schedule);
    figures.limit_closed = best_within(schedule).cloned();
    refined?;
    let searched = search_open(schedule, figures);
    figures.limit_closed = best_within(schedule).cloned();
    figures.limit_open = best_open(schedule).cloned();
    searched
}

/// Narrows the number in flight between the last that meets the limit and the first that does not.
fn refine_closed(schedule: &mut Schedule) -> Result<(), Broken> {
    for done in 0..CLOSED_STEPS {
        let Some((met, missed)) = bracket(schedule) else { return Ok(()) };
        let middle = (f64::from(met) * f64::from(missed)).sqrt().round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between two numbers in flight"
        )]
        let middle = middle as u32;
        if middle <= met || middle >= missed {
            return Ok(());
        }
        let more = CLOSED_STEPS - 1 - done + OPEN_STEPS;
        schedule.step(&Want::reads(Phase::Limit, middle, schedule.terms), more)?;
    }
    Ok(())
}

/// The most in flight that meets the limit with fewer than any that misses it, and the fewest that
/// misses it; none if there is nothing to gain between them.
fn bracket(schedule: &Schedule) -> Option<(u32, u32)> {
    let limit = schedule.terms.limit;
    let meets = |figure: &Figure| {
        let step = usize::try_from(figure.step).ok().and_then(|step| schedule.steps.get(step));
        step.is_some_and(|step| limit.is_met(&step.run.outcome.response()))
    };
    let held = || schedule.steps.iter().filter_map(|step| step.on_curve());
    let (above, missed) =
        held().filter(|(figure, _)| !meets(figure)).min_by_key(|(_, in_flight)| *in_flight)?;
    let (below, met) = held()
        .filter(|(figure, in_flight)| *in_flight < missed && meets(figure))
        .max_by_key(|(_, in_flight)| *in_flight)?;
    (above.per_second > below.per_second * (1.0 + GROWTH)).then_some((met, missed))
}

/// The most reads a second that met the limit, of all that were held in flight.
fn best_within<'a>(schedule: &'a Schedule) -> Option<&'a Figure> {
    let limit = schedule.terms.limit;
    let met = schedule.steps.iter().filter(|step| limit.is_met(&step.run.outcome.response()));
    met.filter_map(|step| step.on_curve().map(|(figure, _)| figure))
        .max_by(|one, other| one.per_second.total_cmp(&other.per_second))
}

/// The most arrivals a second that met the limit and were all served.
fn best_open<'a>(schedule: &'a Schedule) -> Option<&'a Figure> {
    let open = |step: &usize| schedule.figure(*step).is_some_and(|one| one.in_flight.is_none());
    let steps = (0..schedule.steps.len()).filter(open).filter(|step| is_met(schedule, *step));
    steps
        .filter_map(|step| schedule.figure(step))
        .max_by(|one, other| one.per_second.total_cmp(&other.per_second))
}

/// Halves the range of rates in which the limit is reached.
fn search_open(schedule: &mut Schedule, figures: &mut Figures) -> Result<(), Broken> {
    let Some(closed) = best_within(schedule).map(|figure| figure.per_second) else {
        return Ok(());
    };
    let (mut met, mut missed, mut rate) = (0.0, f64::INFINITY, closed * FIRST);
    for done in 0..OPEN_STEPS {
        let step = schedule.at_rate(rate, OPEN_STEPS - 1 - done)?;
        let figure = schedule.figure(step).cloned();
        if is_met(schedule, step) {
            met = rate;
        } else {
            (missed, figures.limit_open_missed) = (rate, figure);
        }
        if missed / met < 1.0 + CLOSE {
            return Ok(());
        }
        rate = match (met > 0.0, missed.is_finite()) {
            (true, true) => f64::midpoint(met, missed),
            (true, false) => rate * (1.0 + (1.0 - FIRST)),
            (false, _) => rate * LOWER,
        };
    }
    Ok(())
}

/// Whether an open loop kept its rate and met the limit.
fn is_met(schedule: &Schedule, step: usize) -> bool {
    let Some(step) = schedule.steps.get(step) else { return false };
    let outcome = &step.run.outcome;
    let asked = outcome.offered.rate_hz.unwrap_or(0.0);
    // Arrivals are a matter of chance: three standard deviations of their number, and 1 %.
    let chance = 3.0 / (outcome.operations() as f64).max(1.0).sqrt();
    let kept = outcome.per_second() >= asked * (0.99 - chance);
    kept && outcome.failed() == 0 && schedule.terms.limit.is_met(&outcome.response())
}
