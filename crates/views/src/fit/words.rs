//! What a fit comes to, in sentences.

use isotherm_frame::percent;
use isotherm_queueing::{
    Criterion, Edge, Evidence, Fitted, KneeFound, KneeVerdict, Loop, Model, NoWhatIf, Parameter,
    Quantity, Retrograde, TIE, WhatIf,
};

use super::figures::{estimate, load_in_words, quantity_short, rate, share_in_words, time};
use super::names::title;
use super::summary::{FitLimit, FitSummary};

/// Further above, a model is hardly supported at all.
const FAR: f64 = 10.0;
/// What the best model leaves, beyond which it is no description of the system.
const POOR: f64 = 0.1;
/// What the best model leaves, beyond which nothing follows from it.
const USELESS: f64 = 0.5;
/// A misfit of more than this many errors is more than chance.
const MISFIT: f64 = 1.5;

/// What there is to say of the sweep, most important first.
pub(super) fn sentences(summary: &FitSummary<'_>) -> Vec<String> {
    let mut said = Vec::new();
    match summary.study.fits.best() {
        Some(best) if best.rms > USELESS => {
            said.push(useless(best));
            said.extend(fall(summary, best));
        }
        Some(best) => {
            said.extend(poor(best));
            said.push(system(summary, best));
            said.extend(summary.study.knee.as_ref().map(|found| knee(summary, found)));
            said.extend(fall(summary, best));
        }
        None => said.push(nothing_chosen(summary)),
    }
    said.extend(summary.limit.as_ref().map(|kept| limit(summary, kept)));
    said.extend(choice(summary));
    said.extend(summary.study.fits.best().and_then(misfit));
    said.extend(validity(summary));
    said.extend(summary.remarks.iter().cloned());
    said
}

fn nothing_chosen(summary: &FitSummary<'_>) -> String {
    let fitted = summary.study.fits.fitted().filter(|fitted| !fitted.borrowed).count();
    let points = summary.study.fits.points.points.len();
    match fitted {
        0 if summary.study.fits.fitted().next().is_some() => {
            "No model of the sweep's own kind was asked for, so none is chosen.".to_owned()
        }
        0 => format!(
            "No model can be fitted to {points} {}: measure more loads.",
            if points == 1 { "point" } else { "points" }
        ),
        _ => format!(
            "{points} points are too few to choose between models: measure at least five loads."
        ),
    }
}

fn system(summary: &FitSummary<'_>, best: &Fitted) -> String {
    let arrivals = summary.study.fits.points.arrivals;
    let shown = |quantity| {
        best.estimate(quantity).map_or_else(String::new, |found| estimate(found, arrivals))
    };
    if summary.study.fits.is_straight() {
        return straight(summary, best);
    }
    let alone = shown(Quantity::LightResponse);
    let capacity = best.estimate(Quantity::Capacity);
    let most = match capacity {
        Some(found) if found.value.is_finite() => {
            format!("the highest throughput possible is {}", shown(Quantity::Capacity))
        }
        _ => "no limit of throughput is in sight".to_owned(),
    };
    let servers = best.estimate(Quantity::Parameter(Parameter::Servers));
    let servers = servers.map_or_else(String::new, |found| {
        format!(", with {} effective servers", estimate(found, arrivals))
    });
    format!("One operation alone takes {alone}; {most}{servers}.")
}

/// The system where throughput grows in proportion to the load: nothing is known of a limit.
fn straight(summary: &FitSummary<'_>, best: &Fitted) -> String {
    let points = &summary.study.fits.points;
    let line = summary.study.fits.of_model(Model::Linear).unwrap_or(best);
    let alone = line.estimate(Quantity::LightResponse);
    let alone = alone.map_or_else(String::new, |found| estimate(found, points.arrivals));
    let most = points.points.last().map_or_else(String::new, |point| {
        let load = load_in_words(points.arrivals, point.load);
        format!(" up to {load} ({})", rate(points.throughput(point)))
    });
    format!(
        "One operation alone takes {alone}. Throughput grows in proportion to the load{most}: its \
         limit was not reached."
    )
}

fn knee(summary: &FitSummary<'_>, found: &KneeFound) -> String {
    let arrivals = summary.study.fits.points.arrivals;
    let fitted = estimate(&found.fitted, arrivals);
    let unit = if arrivals == Loop::Closed { " in flight" } else { "" };
    let power = summary.study.fits.points.points.get(found.power).map(|point| point.load);
    let power = power.map_or_else(String::new, |load| load_in_words(arrivals, load));
    let by = found.model.name();
    let most = summary.study.fits.points.span().map_or(f64::NAN, |(_, most)| most);
    match found.verdict {
        KneeVerdict::Found => format!(
            "The knee is at {fitted}{unit} ({by}). Of the loads measured, {power} gives most \
             throughput for its response time."
        ),
        KneeVerdict::NotSharp => format!(
            "There is no sharp knee: throughput bends slowly (k below 1), about {fitted}{unit}. Of \
             the loads measured, {power} gives most throughput for its response time."
        ),
        KneeVerdict::Disagree => format!(
            "There is no sharp knee: {by} puts it at {fitted}{unit}, but of the loads measured \
             {power} gives most throughput for its response time, more than a factor of two apart."
        ),
        KneeVerdict::Beyond { at_least } if at_least > most => format!(
            "No saturation was seen: the knee lies beyond the loads measured, at {} or more. \
             Measure higher loads.",
            load_in_words(arrivals, at_least)
        ),
        KneeVerdict::Beyond { .. } => format!(
            "No saturation was seen: the knee lies beyond {}, the largest load measured. Measure \
             higher loads.",
            load_in_words(arrivals, most)
        ),
        KneeVerdict::AtEnd => format!(
            "The knee is near {}, the largest load measured, or beyond it ({by}: {fitted}). Measure \
             higher loads.",
            load_in_words(arrivals, most)
        ),
        KneeVerdict::Before { at_most } => format!(
            "All points are saturated: the knee lies below the loads measured, at {} or less. \
             Measure lower loads.",
            load_in_words(arrivals, at_most)
        ),
    }
}

/// Whether throughput falls again, and how that is known.
fn fall(summary: &FitSummary<'_>, best: &Fitted) -> Option<String> {
    let Some(found) = &summary.study.retrograde else {
        return unproven(summary, best);
    };
    let points = &summary.study.fits.points;
    let (highest, last) = (points.points.get(found.highest)?, points.points.last()?);
    let peak = best.estimate(Quantity::Peak).filter(|peak| peak.value.is_finite());
    let peak = peak.map_or_else(String::new, |peak| {
        format!(" By {} the peak is at {}.", best.model.name(), estimate(peak, points.arrivals))
    });
    Some(format!(
        "Throughput is highest at {} and falls beyond it: {} at {}, {} less ({}).{peak}",
        load_in_words(points.arrivals, highest.load),
        rate(points.throughput(last)),
        load_in_words(points.arrivals, last.load),
        percent(found.lost),
        evidence(found)
    ))
}

/// What the law says of a peak where no test sees throughput fall.
fn unproven(summary: &FitSummary<'_>, best: &Fitted) -> Option<String> {
    let peak = best.estimate(Quantity::Peak)?;
    let coherency = best.estimate(Quantity::Parameter(Parameter::Coherency))?;
    if coherency.edge == Some(Edge::Least) || peak.value.is_infinite() {
        return Some(
            "No fall of throughput was seen: b cannot be distinguished from zero.".to_owned(),
        );
    }
    let shown = estimate(peak, summary.study.fits.points.arrivals);
    Some(format!(
        "By {} throughput is highest at {shown} in flight; the points are too few, or too noisy, to \
         prove that it falls beyond.",
        best.model.name()
    ))
}

/// How often chance brings about as much, and by which test.
fn evidence(found: &Retrograde) -> String {
    let chance = percent(found.chance());
    match found.evidence {
        Evidence::Points { .. } => format!("by chance in {chance} of sweeps, by their own errors"),
        Evidence::Descent { points, .. } => format!(
            "the last {points} points each lie below the one before, by chance in {chance} of sweeps"
        ),
        Evidence::Law { .. } => {
            format!("by chance in {chance} of sweeps, by the Universal Scalability Law")
        }
    }
}

fn limit(summary: &FitSummary<'_>, kept: &FitLimit) -> String {
    let arrivals = summary.study.fits.points.arrivals;
    let in_words = |load| load_in_words(arrivals, load);
    match (kept.largest, kept.broken) {
        (Some(largest), Some(broken)) if broken > largest => format!(
            "{} holds up to {}, and not at {}.",
            kept.text,
            in_words(largest),
            in_words(broken)
        ),
        (Some(largest), Some(broken)) => format!(
            "{} holds at {}, the largest load that keeps it, but not at {}, which is smaller.",
            kept.text,
            in_words(largest),
            in_words(broken)
        ),
        (Some(largest), None) => {
            format!("{} holds at every load measured, up to {}.", kept.text, in_words(largest))
        }
        (None, _) => format!("{} holds at none of the loads measured.", kept.text),
    }
}

/// Which model, and why.
fn choice(summary: &FitSummary<'_>) -> Option<String> {
    let best = summary.study.fits.best()?;
    let (name, title) = (best.model.name(), title(best.model));
    let rms = percent(best.rms);
    let mut others: Vec<(&Fitted, f64)> = summary
        .study
        .fits
        .fitted()
        .filter(|fitted| fitted.model != best.model)
        .filter_map(|fitted| Some((fitted, fitted.above_best?)))
        .collect();
    others.sort_by(|a, b| a.1.total_cmp(&b.1));
    let Some((next, above)) = others.first() else {
        return Some(format!("One model was fitted: {title} ({name}), rms error {rms}."));
    };
    let by = match summary.study.fits.criterion {
        Criterion::Aicc => "AICc",
        Criterion::LeaveOneOut => "leave-one-out",
    };
    let tied: Vec<&str> = others
        .iter()
        .filter(|(_, above)| *above < TIE)
        .map(|(fitted, _)| fitted.model.name())
        .collect();
    let reason = if tied.is_empty() {
        let strength = if *above > FAR { "much worse" } else { "worse" };
        format!("The next, {}, is {strength} ({by} +{above:.1})", next.model.name())
    } else {
        format!("{} about as good ({by} within {TIE:.0})", are(&tied))
    };
    let all = others.len() + 1;
    Some(format!("Best of {all} models: {title} ({name}), rms error {rms}. {reason}."))
}

fn are(names: &[&str]) -> String {
    match names {
        [one] => format!("{one} is"),
        [rest @ .., last] => format!("{} and {last} are", rest.join(", ")),
        [] => String::new(),
    }
}

/// No number of a model that misses by this much is worth saying.
fn useless(best: &Fitted) -> String {
    format!(
        "No model fits these points: the rms error of the best, {}, is {}. Neither a capacity nor \
         a knee follows from them.",
        best.model.name(),
        percent(best.rms)
    )
}

/// Whether even the best model is a bad one.
fn poor(best: &Fitted) -> Option<String> {
    (best.rms > POOR).then(|| {
        format!(
            "No model fits well: the rms error of the best, {}, is {}. Take its numbers as \
             orders of magnitude, or fit a smaller range of loads (--loads).",
            best.model.name(),
            percent(best.rms)
        )
    })
}

/// Whether the model misses more than chance does.
fn misfit(best: &Fitted) -> Option<String> {
    (best.misfit > MISFIT && best.between > 0.0).then(|| {
        format!(
            "The points differ from {} by {:.1} times their own errors: runs differ by {} from each \
             other, or the model misses something.",
            best.model.name(),
            best.misfit,
            share_in_words(best.between)
        )
    })
}

fn validity(summary: &FitSummary<'_>) -> Option<String> {
    let (least, most) = summary.study.fits.points.span()?;
    let arrivals = summary.study.fits.points.arrivals;
    let kind = match arrivals {
        Loop::Closed => "The number in flight is fixed, so closed models apply and R = N/X",
        Loop::Open => "Operations arrive at a rate, so open models apply",
    };
    Some(format!(
        "Fitted to {} points from {} to {}; beyond them it is a guess. {kind}.",
        summary.study.fits.points.points.len(),
        load_in_words(arrivals, least),
        load_in_words(arrivals, most)
    ))
}

/// What a change would do.
pub(super) fn on_what_if(summary: &FitSummary<'_>, what_if: &WhatIf) -> Vec<String> {
    let (before, after) = (&what_if.before, &what_if.after);
    let name = what_if.model.name();
    let mut said = Vec::new();
    let other = summary.study.fits.best().filter(|best| best.model != what_if.model);
    said.extend(other.map(|best| {
        format!("{} has nothing of that kind to change: {name} is used.", best.model.name())
    }));
    if after.response.is_infinite() {
        said.push(format!(
            "By {name} there would be more work than servers can do ({} of capacity): the queue \
             would grow without end.",
            share_in_words(after.utilisation.unwrap_or(f64::NAN))
        ));
    } else {
        let faster = before.response / after.response;
        let change = if faster >= 1.0 {
            format!("{} times as fast", quantity_short(faster))
        } else {
            format!("{} times as long", quantity_short(1.0 / faster))
        };
        said.push(format!(
            "By {name}, response time goes from {} to {} ({change}) and throughput from {} to {}.",
            time(before.response),
            time(after.response),
            rate(before.throughput),
            rate(after.throughput)
        ));
    }
    if what_if.change.servers.is_some() {
        said.push(
            "More servers help only if servers are what limits: the same queue, equal servers."
                .to_owned(),
        );
    }
    said.extend(what_if.beyond.map(|factor| {
        format!(
            "That is {} times outside of the loads that were measured: a guess.",
            quantity_short(factor)
        )
    }));
    said
}

/// Why there is no answer to a what-if.
pub fn no_what_if(model: Model, refusal: NoWhatIf) -> String {
    match refusal {
        NoWhatIf::NoServers => format!(
            "{} has no servers that could become more or fewer: choose one that has, such as \
             --model {}",
            model.name(),
            if model.applies_to() == Loop::Closed {
                "bound or servers"
            } else {
                "mmc or orapub-cpu"
            }
        ),
        NoWhatIf::NotPositive => "a change must leave more than zero of everything".to_owned(),
    }
}
