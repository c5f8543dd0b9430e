//! What a comparison comes to, in words with numbers.

use isotherm_analysis::{
    ComparedSide, Comparison, Difference, Direction, Failures, Maps, Measure, NOISE, Shift,
};
use isotherm_frame::{percent, shown_name};

use super::figures::{about, interval, known_ratio, name, points, ratio, value};
use super::summary::{CompareSummary, PairLine, Presence};
use crate::numbers::{quantity, seconds};
use crate::ranges::edge;

/// One to four sentences: what moved, what became of load and time, where in the buckets, and what
/// became of the other series.
pub fn compare_sentences(summary: &CompareSummary<'_>) -> Vec<String> {
    let comparison = summary.comparison;
    let mut said: Vec<String> = summary.failures.and_then(failed).into_iter().collect();
    said.extend(outcome(comparison));
    match comparison.verdict {
        Difference::Same | Difference::TooLittle => {}
        _ => said.extend(summary.profile.and_then(place)),
    }
    said.extend(others(summary.pairs));
    said.truncate(4);
    said
}

/// That more or fewer operations failed, which are compared with all others.
pub fn failed(failures: Failures) -> Option<String> {
    let more = if failures.more_in_b() { "More" } else { "Fewer" };
    let [a, b] = [failures.a, failures.b].map(|side| percent(side.share()));
    failures.differs().then(|| {
        format!(
            "{more} events failed in B: {b} of them instead of {a} (--each compares them apart)."
        )
    })
}

/// What moved, and what became of load and time.
pub fn outcome(comparison: &Comparison) -> Vec<String> {
    let first = std::iter::once(first(comparison)).chain(unsteady(comparison));
    first.chain(load(comparison)).collect()
}

/// The latencies in the order in which they are reported, of which at most three are.
const MEASURES: [Measure; 5] = [
    Measure::Mean,
    Measure::Quantile(0.5),
    Measure::Quantile(0.99),
    Measure::Quantile(0.9),
    Measure::Quantile(0.999),
];

fn first(comparison: &Comparison) -> String {
    let list = |way: Direction| {
        let moved = |measure| {
            let of = |shift: &&Shift| shift.measure == measure && shift.differs == Some(way);
            comparison.shifts.iter().find(of)
        };
        let shifts = MEASURES.into_iter().filter_map(moved).take(3);
        shifts.map(|shift| self::moved(comparison, shift)).collect::<Vec<_>>().join(", ")
    };
    // Where no interval leaves out 1 nothing is said of other runs.
    let moved = |shift: &Shift| shift.measure.is_latency() && shift.moved.is_some();
    let (is, these) = if comparison.shifts.iter().any(moved) {
        ("is", "")
    } else {
        ("was", " in these two runs")
    };
    match comparison.verdict {
        Difference::Same => slight(comparison).unwrap_or_else(|| same(comparison)),
        Difference::Slower => format!("B {is} slower{these}: {}.", list(Direction::More)),
        Difference::Faster => format!("B {is} faster{these}: {}.", list(Direction::Less)),
        Difference::Mixed => format!(
            "B {is} slower in {} and faster in {}{these}.",
            list(Direction::More),
            list(Direction::Less)
        ),
        Difference::OtherLoad => slight(comparison).unwrap_or_else(|| other_load(comparison)),
        Difference::TooLittle => too_little(comparison),
    }
}

/// A change beyond chance that is less than what counts as one.
fn slight(comparison: &Comparison) -> Option<String> {
    let found = |measure: Measure| {
        let shift = comparison.shifts.iter().find(|shift| shift.measure == measure)?;
        shift.excludes_one().then_some(shift)
    };
    let found: Vec<&Shift> = MEASURES.into_iter().filter_map(found).collect();
    let slower = found.iter().filter(|shift| shift.ratio > 1.0).count();
    let how = match found.len() {
        0 => return None,
        all if slower == all => "B is slightly slower",
        _ if slower == 0 => "B is slightly faster",
        _ => "Latencies differ slightly",
    };
    let each = found.into_iter().take(2).map(|shift| {
        let chance = shift.interval.map(interval).unwrap_or_default();
        format!(
            "{} {} (95 % interval {chance})",
            name(shift.measure),
            known_ratio(comparison, shift)
        )
    });
    Some(format!("{how}: {}.", each.collect::<Vec<_>>().join(", ")))
}

fn other_load(comparison: &Comparison) -> String {
    if comparison.is_known() {
        return format!("The load changed. {}", same(comparison));
    }
    "The load changed. Latencies are too noisy to compare.".to_owned()
}

fn too_little(comparison: &Comparison) -> String {
    let [a, b] = [comparison.a, comparison.b];
    let least = isotherm_analysis::LEAST_COLUMNS;
    if a.events == 0 || b.events == 0 {
        return "One side has no events: there is nothing to compare.".to_owned();
    }
    if a.columns.min(b.columns) < least {
        return format!(
            "Too few intervals to rule out chance: A has {}, B has {}, each needs {least}.",
            a.columns, b.columns,
        );
    }
    let open = left_open(comparison);
    if open.is_empty() {
        return "Too noisy to compare: nothing is known of the ratios of mean and p99. Record longer runs."
            .to_owned();
    }
    format!(
        "Too noisy to compare: the 95 % intervals ({open}) do not rule out ×1. Record longer runs."
    )
}

/// That what moved between these runs may not be so in others.
fn unsteady(comparison: &Comparison) -> Option<String> {
    let sides = match comparison.less_steady? {
        ComparedSide::A => "A varies more than B",
        ComparedSide::B => "B varies more than A",
    };
    let open = |shift: &Shift| {
        shift.differs.is_some() && shift.moved.is_none() && shift.measure.is_latency()
    };
    comparison
        .shifts
        .iter()
        .any(open)
        .then(|| format!("{sides}: expect other runs to differ from these."))
}

/// What would have been seen had it been there.
fn same(comparison: &Comparison) -> String {
    match left_open(comparison) {
        open if open.is_empty() => "No difference of latency beyond chance.".to_owned(),
        open => format!("No difference of latency beyond chance (95 % intervals: {open})."),
    }
}

/// How far the mean and p99 may differ after all.
fn left_open(comparison: &Comparison) -> String {
    let bounds = |measure: Measure| {
        let shift = comparison.shifts.iter().find(|shift| shift.measure == measure)?;
        let (lo, hi) = shift.interval.filter(|(lo, hi)| *lo > 0.01 || *hi < 100.0)?;
        Some(format!("{} {}", name(measure), interval((lo, hi))))
    };
    let parts: Vec<String> =
        [Measure::Mean, Measure::Quantile(0.99)].into_iter().filter_map(bounds).collect();
    parts.join(", ")
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
    // Where nothing can be tested, the numbers are all there is.
    let untested = comparison.verdict == Difference::TooLittle && waited.interval.is_none();
    if waited.differs.is_none() && rate.differs.is_none() && !untested {
        return None;
    }
    let mean = of(Measure::Mean).filter(|_| untested).map(|mean| moved(comparison, mean));
    let mean = mean.map(|mean| format!(" {mean}.")).unwrap_or_default();
    let waiting = |shift: &Shift| {
        let about = about(comparison, Measure::Waited);
        format!(
            "{about}{} → {about}{} waiting ({about}{})",
            quantity(shift.a.amount),
            quantity(shift.b.amount),
            ratio(shift.ratio)
        )
    };
    let (a, b) = (crate::numbers::rate(rate.a.amount), crate::numbers::rate(rate.b.amount));
    Some(format!("{a} → {b} events/s ({}); {}.{mean}", ratio(rate.ratio), waiting(waited)))
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
        "The largest shift is at {}: {} points of all events, {} points of all time waited.",
        edge(row),
        points(share.events),
        points(share.waited)
    ))
}

/// What became of the other series; the pairs are in the order of their change.
fn others(pairs: &[PairLine]) -> Option<String> {
    if pairs.len() < 2 {
        return None;
    }
    let count = |of: &dyn Fn(&&PairLine) -> bool| pairs.iter().filter(of).count();
    let both = count(&|pair| pair.presence == Presence::Both);
    let tested = count(&|pair| !matches!(pair.verdict, None | Some(Difference::TooLittle)));
    let moved = count(&|pair| {
        !matches!(pair.verdict, None | Some(Difference::Same | Difference::TooLittle))
    });
    let said = match (tested, both - tested) {
        (0, _) => format!("Of {both} series on both sides none can be tested; {}", largest(pairs)),
        (_, 0) => format!("Of {both} series on both sides {moved} differ"),
        (_, untested) => format!(
            "Of {both} series on both sides {moved} differ and {untested} cannot be tested; {}",
            largest(pairs)
        ),
    };
    let alone = match pairs.len() - both {
        0 => String::new(),
        1 => "; 1 is on one side only".to_owned(),
        alone => format!("; {alone} are on one side only"),
    };
    Some(format!("{said}{alone}."))
}

/// The largest changes of average waiting.
fn largest(pairs: &[PairLine]) -> String {
    let each = pairs.iter().filter(|pair| pair.change() != 0.0).take(3).map(|pair| {
        let [a, b] = pair.waiting().map(seconds);
        format!("{} {a} → {b} waiting", shown_name(&pair.label))
    });
    let each: Vec<String> = each.collect();
    if each.is_empty() {
        return "none of them waits more or less".to_owned();
    }
    format!("the largest changes: {}", each.join(", "))
}

/// The numbers of the verdict line.
pub fn verdict_parts(comparison: &Comparison) -> Vec<String> {
    let wanted = [Measure::Rate, Measure::Waited, Measure::Quantile(0.5), Measure::Quantile(0.99)];
    let shift = |measure| comparison.shifts.iter().find(|shift| shift.measure == measure);
    let ratio =
        |shift: &Shift| format!("{} {}", name(shift.measure), known_ratio(comparison, shift));
    wanted.into_iter().filter_map(shift).map(ratio).collect()
}
