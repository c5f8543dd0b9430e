//! What sweeps come to, in sentences.

use std::collections::BTreeMap;

use isotherm_experiment::{Bend, CurvePoint, Disagreement, LoadCurve, Run};
use isotherm_frame::{Nanos, percent};
use isotherm_load::Ended;

use super::summary::{AnalyzeSummary, SweepRuns};
use crate::numbers::{length, quantity};

/// So many points are listed one by one.
const MOST: usize = 3;

/// The sentences, most important first.
pub(super) fn of(summary: &AnalyzeSummary<'_>) -> Vec<String> {
    let AnalyzeSummary { sweeps, curves, limits } = summary;
    let mut said = Vec::new();
    for named in curves {
        let lead = if named.name.is_empty() { String::new() } else { format!("{}: ", named.name) };
        let sentences = about(&named.curve, limits);
        said.extend(sentences.into_iter().map(|sentence| format!("{lead}{sentence}")));
    }
    if curves.is_empty() {
        said.push("No run came to its end with operations that succeeded.".to_owned());
    }
    said.extend(serious(sweeps));
    for sweep in sweeps {
        said.extend(without_result(sweep, sweeps.len() > 1));
    }
    said
}

fn about(curve: &LoadCurve, limits: &[Nanos]) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(curve.bend().map(|bend| saturation(&bend, curve)));
    said.extend(within(curve, limits));
    said.extend(repeats(curve));
    said.extend(unsteady(curve));
    said
}

/// `50.3k/s at in-flight 8 (mean 156µs, p99 231µs)`
fn point(at: &CurvePoint) -> String {
    let p99 = at.summary.p99_s.map(|p99| format!(", p99 {}", length(p99.median)));
    let (rate, mean) = (quantity(at.throughput), length(at.mean_s));
    let warning = if at.is_doubtful() { ", see the warnings" } else { "" };
    format!("{rate}/s at {} (mean {mean}{}{warning})", at.summary.label, p99.unwrap_or_default())
}

fn saturation(bend: &Bend, curve: &LoadCurve) -> String {
    let at = point(bend.at);
    if bend.is_last {
        return format!(
            "Throughput still grows faster than response time at the largest load, {at}: \
             saturation lies beyond this sweep. Measure higher loads."
        );
    }
    if bend.is_first {
        return format!(
            "Response time grows faster than throughput from the smallest load on, {at}: \
             saturation begins there or below."
        );
    }
    let most = curve.most().filter(|most| most.load > bend.at.load);
    let most = most.map(|most| format!("; the highest throughput is {}", point(most)));
    format!(
        "Saturation begins at about {at}: beyond it response time grows faster than throughput{}.",
        most.unwrap_or_default()
    )
}

/// The largest loads that keep within limits: those asked for, else some that tell points apart.
fn within(curve: &LoadCurve, asked: &[Nanos]) -> Option<String> {
    let chosen = if asked.is_empty() { curve.limits() } else { asked.to_vec() };
    let parts: Vec<String> = chosen
        .iter()
        .enumerate()
        .map(|(index, &limit)| {
            let repeats = if index == 0 { " in every repeat" } else { "" };
            match curve.within(limit) {
                None => format!("≤ {limit}{repeats}: none"),
                Some(at) => {
                    let warning = if at.is_doubtful() { " (see the warnings)" } else { "" };
                    let (rate, label) = (quantity(at.throughput), at.summary.label);
                    format!("≤ {limit}{repeats}: {rate}/s at {label}{warning}")
                }
            }
        })
        .collect();
    (!parts.is_empty()).then(|| format!("Highest throughput with p99 {}.", parts.join("; ")))
}

fn repeats(curve: &LoadCurve) -> Option<String> {
    let apart_at = curve.points.iter().filter_map(|point| Some((point, point.disagreement()?)));
    let known: Vec<_> = apart_at.collect();
    let mut large: Vec<_> = known.iter().filter(|(_, one)| one.is_large).collect();
    if known.is_empty() {
        return None;
    }
    if large.is_empty() {
        let most = known.iter().map(|(_, one)| one.throughput).fold(0.0, f64::max);
        let p99 = known.iter().map(|(_, one)| one.p99).fold(1.0, f64::max);
        return Some(format!(
            "Repeats agree within {:.0} % in throughput and ×{} in p99.",
            (most * 100.0).ceil(),
            quantity(p99)
        ));
    }
    large.sort_by(|one, two| two.1.p99.total_cmp(&one.1.p99));
    let shown: Vec<String> = large
        .iter()
        .take(MOST)
        .map(|(point, one)| format!("{} by {}", point.summary.label, apart(*one)))
        .collect();
    Some(format!("Repeats disagree at {}{}.", shown.join("; at "), and_more(large.len(), "points")))
}

fn and_more(all: usize, what: &str) -> String {
    match all.saturating_sub(MOST) {
        0 => String::new(),
        more => format!("; and at {more} more {what}"),
    }
}

fn unsteady(curve: &LoadCurve) -> Option<String> {
    let labels: Vec<&str> = curve
        .points
        .iter()
        .filter(|point| {
            let (steady, known) = point.summary.steady();
            steady < known
        })
        .map(|point| point.summary.label)
        .collect();
    let shown = labels.iter().take(MOST).copied().collect::<Vec<_>>().join("; ");
    (!labels.is_empty()).then(|| {
        format!(
            "Throughput was not steady at {shown}{}: run longer, or warm up longer.",
            and_more(labels.len(), "points")
        )
    })
}

/// Each serious doubt once, with the words of one run and how many share it.
fn serious(sweeps: &[&SweepRuns]) -> Vec<String> {
    let mut codes: BTreeMap<&str, Vec<(&Run, &str)>> = BTreeMap::new();
    for run in sweeps.iter().flat_map(|sweep| sweep.table.usable()) {
        for verdict in run.verdicts.iter().filter(|verdict| verdict.serious) {
            codes.entry(&verdict.code).or_default().push((run, &verdict.words));
        }
    }
    let sentence = |(code, found): (&str, Vec<(&Run, &str)>)| {
        let (run, words) = found.first()?;
        let label = &run.label;
        let others = match found.len() {
            1 => String::new(),
            2 => " (and 1 more run)".to_owned(),
            more => format!(" (and {} more runs)", more - 1),
        };
        Some(format!("Warning: {code} at {label}{others}: {words}"))
    };
    codes.into_iter().filter_map(sentence).collect()
}

fn without_result(sweep: &SweepRuns, several: bool) -> Option<String> {
    let points = sweep.table.points();
    let labels: Vec<String> =
        points.iter().flat_map(|point| &point.unusable).map(|run| unusable(run)).collect();
    let lead = if several { format!("{}: ", sweep.name) } else { String::new() };
    let shown = labels.iter().take(MOST).cloned().collect::<Vec<_>>().join("; ");
    let (count, more) = (labels.len(), and_more(labels.len(), "points"));
    let runs = if count == 1 { "One run has" } else { "Some runs have" };
    (count > 0)
        .then(|| format!("{lead}{runs} no result and no part in these numbers: {shown}{more}."))
}

/// `in-flight 64 (the server went away)`
fn unusable(run: &Run) -> String {
    let why = match &run.outcome.ended {
        Ended::Failed(words) => words.as_str(),
        Ended::Interrupted => "interrupted",
        Ended::Time | Ended::Operations => "no operation succeeded",
    };
    format!("{} ({why})", run.label)
}

/// How far repeats are apart, in words: `14 %, p99 ×2.1`.
fn apart(disagreement: Disagreement) -> String {
    let Disagreement { throughput, p99, .. } = disagreement;
    format!("{} in throughput, ×{} in p99", percent(throughput), quantity(p99))
}
