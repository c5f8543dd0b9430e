//! What a comparison comes to, in words with numbers.

use isotherm_analysis::{Comparison, Difference, Direction, Maps, Measure, NOISE, Shift};

use super::figures::{about, interval, known_ratio, name, points, ratio, value};
use super::{CompareSheet, PairLine};
use crate::numbers::quantity;
use crate::ranges::edge;

/// One word for the verdict.
pub(crate) fn verdict_word(change: Difference) -> &'static str {
    match change {
        Difference::Same => "same",
        Difference::Slower => "slower",
        Difference::Faster => "faster",
        Difference::Mixed => "mixed",
        Difference::OtherLoad => "other load",
        Difference::TooLittle => "too little to tell",
    }
}

/// One to three sentences: what moved, what became of load and time, where in the buckets.
pub fn compare_sentences(sheet: &CompareSheet<'_>) -> Vec<String> {
    let comparison = sheet.comparison;
    let mut said = outcome(comparison);
    match comparison.verdict {
        Difference::Same | Difference::TooLittle => {}
        _ => said.extend(sheet.profile.and_then(place)),
    }
    said.extend(others(sheet.pairs));
    said.truncate(4);
    said
}

/// What moved, and what became of load and time.
pub(crate) fn outcome(comparison: &Comparison) -> Vec<String> {
    std::iter::once(first(comparison)).chain(load(comparison)).collect()
}

/// The latencies in the order in which they are told, of which at most three are.
const TOLD: [Measure; 5] = [
    Measure::Mean,
    Measure::Quantile(0.5),
    Measure::Quantile(0.99),
    Measure::Quantile(0.9),
    Measure::Quantile(0.999),
];

fn first(comparison: &Comparison) -> String {
    let list = |way: Direction| {
        let moved = |measure| {
            let of = |shift: &&Shift| shift.measure == measure && shift.moved == Some(way);
            comparison.shifts.iter().find(of)
        };
        let shifts = TOLD.into_iter().filter_map(moved).take(3);
        shifts.map(|shift| self::moved(comparison, shift)).collect::<Vec<_>>().join(", ")
    };
    match comparison.verdict {
        Difference::Same => same(comparison),
        Difference::Slower => format!("B is slower: {}.", list(Direction::More)),
        Difference::Faster => format!("B is faster: {}.", list(Direction::Less)),
        Difference::Mixed => format!(
            "B is slower in {} and faster in {}.",
            list(Direction::More),
            list(Direction::Less)
        ),
        Difference::OtherLoad => {
            "Latencies are as they were; what differs is how much there was to do.".to_owned()
        }
        Difference::TooLittle => too_little(comparison),
    }
}

fn too_little(comparison: &Comparison) -> String {
    let [a, b] = [comparison.a, comparison.b];
    let least = isotherm_analysis::LEAST_COLUMNS;
    if a.events == 0 || b.events == 0 {
        return "A side has no events: there is nothing to compare.".to_owned();
    }
    if a.columns.min(b.columns) < least {
        return format!(
            "Too little to tell a difference from chance: A has {} and B {} intervals, {least} of \
             each are needed. Shorter ones can be had with --interval where single events are read.",
            a.columns, b.columns,
        );
    }
    format!(
        "Too unsteady to tell a difference from chance: {} of A's. Longer runs would tell.",
        left_open(comparison)
    )
}

/// What would have been seen had it been there.
fn same(comparison: &Comparison) -> String {
    format!("No difference beyond chance, which leaves {} of A's.", left_open(comparison))
}

/// How far the mean and p99 may differ after all.
fn left_open(comparison: &Comparison) -> String {
    let bounds = |measure: Measure| {
        let shift = comparison.shifts.iter().find(|shift| shift.measure == measure)?;
        Some(format!("a {} of {}", name(measure), interval(shift.interval?)))
    };
    let parts: Vec<String> =
        [Measure::Mean, Measure::Quantile(0.99)].into_iter().filter_map(bounds).collect();
    parts.join(" and ")
}

/// `p99 16.4–32.8ms → 32.8–65.5ms (≈×1.9)`.
fn moved(comparison: &Comparison, shift: &Shift) -> String {
    format!(
        "{} {} → {} ({})",
        name(shift.measure),
        value(comparison, shift.measure, shift.a),
        value(comparison, shift.measure, shift.b),
        known_ratio(comparison, shift)
    )
}

fn load(comparison: &Comparison) -> Option<String> {
    let of = |measure| comparison.shifts.iter().find(|shift| shift.measure == measure);
    let (waited, rate) = (of(Measure::Waited)?, of(Measure::Rate)?);
    if waited.moved.is_none() && rate.moved.is_none() {
        return None;
    }
    let waiting = |shift: &Shift| {
        let about = about(comparison, Measure::Waited);
        format!(
            "{about}{} → {about}{} on average waiting ({about}{})",
            quantity(shift.a.amount),
            quantity(shift.b.amount),
            ratio(shift.ratio)
        )
    };
    let (a, b) = (quantity(rate.a.amount), quantity(rate.b.amount));
    Some(format!("{a} → {b} events/s ({}); {}.", ratio(rate.ratio), waiting(waited)))
}

/// The row whose share of events has moved most.
fn place(maps: &Maps) -> Option<String> {
    let rows = maps.both.rows.iter().zip(&maps.shares);
    let loud = rows.filter(|(_, share)| share.z.is_some_and(|z| z.abs() >= NOISE));
    let (row, share) = loud.max_by(|one, two| {
        let size =
            |share: &isotherm_analysis::ShareShift| share.events.abs().max(share.waited.abs());
        size(one.1).total_cmp(&size(two.1))
    })?;
    Some(format!(
        "The largest move is at {}: {} points of events, {} points of the wait.",
        edge(row),
        points(share.events),
        points(share.waited)
    ))
}

/// What became of the other kinds of event.
fn others(pairs: &[PairLine]) -> Option<String> {
    if pairs.len() < 2 {
        return None;
    }
    let count = |of: &dyn Fn(&&PairLine) -> bool| pairs.iter().filter(of).count();
    let both = count(&|pair| pair.verdict.is_some());
    let moved = count(&|pair| {
        pair.verdict
            .is_some_and(|change| !matches!(change, Difference::Same | Difference::TooLittle))
    });
    let alone = pairs.len() - both;
    let alone = if alone > 0 { format!("; {alone} only on one side") } else { String::new() };
    Some(format!("Of {both} kinds of event on both sides {moved} differ{alone}."))
}

/// The numbers of the verdict line.
pub(crate) fn verdict_parts(comparison: &Comparison) -> Vec<String> {
    let wanted = [Measure::Rate, Measure::Waited, Measure::Quantile(0.5), Measure::Quantile(0.99)];
    let shift = |measure| comparison.shifts.iter().find(|shift| shift.measure == measure);
    let mut parts: Vec<String> = wanted
        .into_iter()
        .filter_map(shift)
        .map(|shift| format!("{} {}", name(shift.measure), known_ratio(comparison, shift)))
        .collect();
    parts.extend(comparison.distance.map(|distance| {
        let (share, octaves) = (distance.largest_share, distance.octaves);
        format!("KS {share:.2}, {octaves:.2} octaves")
    }));
    parts
}
