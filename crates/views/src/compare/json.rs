//! A comparison for programs and for the report.

mod maps;

use isotherm_analysis::{
    CONFIDENCE, ComparedSide, Comparison, Difference, Direction, Distance, Failed, Failures,
    LEAST_EFFECT, Measure, Shift, SideNumbers, Value, Verdict,
};
use isotherm_frame::Nanos;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Alignment, CompareSummary, PairLine, Presence, SideLabel, compare_sentences};
use crate::headline::quantile_name;
use crate::json::{Micros, SchemaVersion, finite};
use maps::{MapJson, ShareJson, shares};

/// What differs between two runs, A before and B after, or two stretches of one. Ratios are B divided
/// by A. Keys may be added while `schema_version` stays 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm compare --format json")]
pub struct CompareJson<'a> {
    schema_version: SchemaVersion<1>,
    /// What is compared.
    title: String,
    /// The kind of event that the rest is about: the one whose time waited has changed most.
    label: &'a str,
    /// Of the latencies; `other load` where only rate or time waited moved, `too little` where there is
    /// too little, or it is too unsteady, to tell.
    #[schemars(extend("enum" = DIFFERENCES))]
    verdict: &'static str,
    /// The same words as in the terminal.
    sentences: Vec<String>,
    /// Which moments of A and B belong together.
    #[schemars(extend("enum" = ["start", "clock", "mark"]))]
    align: &'static str,
    /// Whether the sources give the time waited; else that of both sides is estimated from buckets.
    exact: bool,
    /// How often all intervals of ratios are right together.
    confidence: f64,
    /// The least ratio, or its inverse, that is called a change.
    least_effect: f64,
    /// Before.
    a: SideJson<'a>,
    /// After.
    b: SideJson<'a>,
    /// Operations that failed; null where nothing tells, or none did.
    failures: Option<FailuresJson>,
    /// The side that was clearly the less steady one, such as by an incident that the other run did
    /// not have; null if neither was.
    #[schemars(extend("enum" = ["A", "B", null]))]
    less_steady: Option<&'static str>,
    /// Rate, time waited, mean and percentiles: those that both sides have.
    shifts: Vec<ShiftJson>,
    /// How far the distributions are apart; null if a side has no events.
    distance: Option<DistanceJson>,
    /// What became of the shares of ranges of latency, shortest first.
    shares: Vec<ShareJson>,
    /// Both maps over the same axes; null if a side has no events.
    map: Option<MapJson<'a>>,
    /// Every kind of event, largest change of time waited first.
    pairs: Vec<PairJson<'a>>,
    /// The conditions of --fail-if.
    thresholds: Vec<ThresholdJson<'a>>,
}

/// Operations that failed on both sides.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Failures")]
struct FailuresJson {
    /// Of A.
    a: FailedJson,
    /// Of B.
    b: FailedJson,
    /// Whether the shares differ by more than chance accounts for.
    differs: bool,
}

/// Operations that failed on a side.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Failed")]
struct FailedJson {
    /// Those that failed.
    failed: u64,
    /// All of which it is known whether they failed.
    operations: u64,
}

impl From<Failures> for FailuresJson {
    fn from(failures: Failures) -> FailuresJson {
        let side = |of: Failed| FailedJson { failed: of.failed, operations: of.all };
        let (a, b) = (side(failures.a), side(failures.b));
        FailuresJson { a, b, differs: failures.differs() }
    }
}

/// A side.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Side")]
struct SideJson<'a> {
    /// A or B, and the input.
    label: String,
    /// The input.
    source: &'a str,
    /// The time compared, in words.
    stretch: String,
    /// What timestamps count from.
    #[schemars(extend("enum" = ["epoch", "time of day", "arbitrary", "assumed"]))]
    clock: String,
    /// The earliest start, in microseconds of the side's clock.
    start_us: Micros,
    /// The latest end.
    end_us: Micros,
    /// The moment that belongs with that of the other side.
    anchor_us: Micros,
    /// Intervals of which something is known, from which errors are estimated.
    columns: usize,
    /// Time about which the source said something.
    covered_s: f64,
    /// The part of it in which ends were counted: a rate is `events` divided by it.
    counted_s: f64,
    /// Events.
    events: u64,
    /// Time waited.
    waited_s: f64,
}

/// How one measure of B relates to the same measure of A.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Shift")]
struct ShiftJson {
    /// rate, waited, mean, p50, p90, p99, p99.9 or max.
    measure: String,
    /// The unit of both values.
    #[schemars(extend("enum" = UNITS))]
    unit: &'static str,
    /// Of A.
    a: ValueJson,
    /// Of B.
    b: ValueJson,
    /// B divided by A.
    ratio: f64,
    /// The ratios that chance leaves possible; null where that cannot be known, and for no upper end.
    /// Contains all that the bucket allows where both percentiles lie in one wide bucket.
    ci: Option<[Option<f64>; 2]>,
    /// The ratios that the bounds of the buckets allow; null for no upper end.
    possible: [Option<f64>; 2],
    /// Whether both percentiles lie in one bucket so wide that nothing is known of their ratio.
    within_one_bucket: bool,
    /// Beyond chance and by at least `least_effect`, so that `ci` leaves out 1; null if not.
    #[schemars(extend("enum" = ["more", "less", null]))]
    moved: Option<&'static str>,
    /// The same of these two runs alone: not null also where one of them was clearly less steady, so that
    /// they differ while `ci`, of all such runs, holds 1.
    #[schemars(extend("enum" = ["more", "less", null]))]
    differs: Option<&'static str>,
}

/// A measure of one side.
#[derive(Copy, Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Value")]
struct ValueJson {
    /// In the unit of the measure; of a percentile a point estimate within its bucket.
    value: f64,
    /// The lower bound of a percentile's bucket, in nanoseconds.
    lo: Option<u64>,
    /// Its upper bound; null also where there is none.
    hi: Option<u64>,
}

/// How far the distributions are apart.
#[derive(Copy, Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Distance")]
struct DistanceJson {
    /// The largest difference of the shares of events below any one latency.
    ks: f64,
    /// How many doublings apart events are on average, matched rank by rank.
    octaves: f64,
}

/// A kind of event and what became of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Pair")]
struct PairJson<'a> {
    /// What it is called.
    label: &'a str,
    /// Which sides have it.
    #[schemars(extend("enum" = ["both", "a", "b"]))]
    r#in: &'static str,
    /// A in numbers; null where it does not have it.
    a: Option<PairSideJson>,
    /// B in numbers; null where it does not have it.
    b: Option<PairSideJson>,
    /// The ratio of events per second; null where a side has none.
    rate_ratio: Option<f64>,
    /// The ratio of time waited; null where a side has none.
    waited_ratio: Option<f64>,
    /// By how many seconds per second the time waited has changed.
    waited_change_per_s: f64,
    /// As `verdict` above; null where a side does not have it.
    #[schemars(extend("enum" = [
        "same", "slower", "faster", "mixed", "other load", "too little", null
    ]))]
    verdict: Option<&'static str>,
    /// The ratio of the 99th percentiles; null where a side has none.
    p99_ratio: Option<RatioJson>,
}

/// A kind of event on one side.
#[derive(Copy, Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PairSide")]
struct PairSideJson {
    /// Events.
    events: u64,
    /// Time waited.
    waited_s: f64,
    /// Time about which the source said something.
    covered_s: f64,
    /// The part of it in which ends were counted: a rate is `events` divided by it.
    counted_s: f64,
}

/// A ratio and how sure it is.
#[derive(Copy, Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Ratio")]
struct RatioJson {
    /// B divided by A.
    ratio: f64,
    /// As `ci` of `shifts`.
    ci: Option<[Option<f64>; 2]>,
}

/// A condition.
#[derive(Copy, Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Threshold")]
struct ThresholdJson<'a> {
    /// As it was written, with what it was asked of where it holds.
    text: &'a str,
    /// Whether it holds.
    #[schemars(extend("enum" = ["holds", "does not hold", "cannot tell", "no events"]))]
    outcome: &'static str,
}

const DIFFERENCES: [&str; 6] = ["same", "slower", "faster", "mixed", "other load", "too little"];

/// The units of values: of rates, of time waited, of latencies.
const UNITS: [&str; 3] = ["events/s", "s/s", "ns"];

impl<'a> CompareJson<'a> {
    /// The object.
    pub fn new(summary: &'a CompareSummary<'a>) -> CompareJson<'a> {
        let Comparison { a, b, exact, shifts, distance, verdict, less_steady } = summary.comparison;
        let [side_a, side_b] = &summary.sides;
        let conditions = summary.conditions.iter();
        CompareJson {
            schema_version: SchemaVersion,
            title: format!("{} and {}", side_a.source, side_b.source),
            label: &summary.label,
            verdict: change(*verdict),
            sentences: compare_sentences(summary),
            align: match summary.alignment {
                Alignment::Start => "start",
                Alignment::Clock => "clock",
                Alignment::Mark(_) => "mark",
            },
            exact: *exact,
            confidence: CONFIDENCE,
            least_effect: LEAST_EFFECT,
            a: SideJson::new("A", side_a, *a),
            b: SideJson::new("B", side_b, *b),
            failures: summary.failures.map(FailuresJson::from),
            less_steady: less_steady.map(|side| match side {
                ComparedSide::A => "A",
                ComparedSide::B => "B",
            }),
            shifts: shifts.iter().map(ShiftJson::from).collect(),
            distance: distance.map(|Distance { largest_share, octaves }| DistanceJson {
                ks: largest_share,
                octaves,
            }),
            shares: summary.profile.map(shares).unwrap_or_default(),
            map: summary.maps.map(MapJson::from),
            pairs: summary.pairs.iter().map(PairJson::from).collect(),
            thresholds: conditions
                .map(|(text, verdict)| ThresholdJson { text, outcome: outcome(*verdict) })
                .collect(),
        }
    }
}

const fn change(change: Difference) -> &'static str {
    match change {
        Difference::Same => "same",
        Difference::Slower => "slower",
        Difference::Faster => "faster",
        Difference::Mixed => "mixed",
        Difference::OtherLoad => "other load",
        Difference::TooLittle => "too little",
    }
}

const fn outcome(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::DoesNotHold => "does not hold",
        Verdict::Unknown => "cannot tell",
        Verdict::NoEvents => "no events",
    }
}

impl<'a> SideJson<'a> {
    fn new(name: &str, label: &'a SideLabel, numbers: SideNumbers) -> SideJson<'a> {
        SideJson {
            label: format!("{name} {}", label.source),
            source: &label.source,
            stretch: label.stretch(),
            clock: label.clock.to_string(),
            start_us: label.span.0.into(),
            end_us: label.span.1.into(),
            anchor_us: label.anchor.into(),
            columns: numbers.columns,
            covered_s: numbers.covered_s,
            counted_s: numbers.counted_s,
            events: numbers.events,
            waited_s: numbers.waited_s,
        }
    }
}

impl From<&Shift> for ShiftJson {
    fn from(shift: &Shift) -> ShiftJson {
        let (unit, scale) = match shift.measure {
            Measure::Rate => (UNITS[0], 1.0),
            Measure::Waited => (UNITS[1], 1.0),
            Measure::Mean | Measure::Quantile(_) => (UNITS[2], 1e9),
        };
        let amount = |Value { amount, bucket }: Value| ValueJson {
            value: amount * scale,
            lo: bucket.map(|bucket| bucket.lo.as_nanos()),
            hi: bucket.and_then(|bucket| bucket.hi).map(Nanos::as_nanos),
        };
        ShiftJson {
            measure: match shift.measure {
                Measure::Rate => "rate".to_owned(),
                Measure::Waited => "waited".to_owned(),
                Measure::Mean => "mean".to_owned(),
                Measure::Quantile(q) => quantile_name(q),
            },
            unit,
            a: amount(shift.a),
            b: amount(shift.b),
            ratio: shift.ratio,
            ci: chance(shift),
            possible: [Some(shift.possible.0), shift.possible.1],
            within_one_bucket: shift.within_one_bucket,
            moved: shift.moved.map(direction),
            differs: shift.differs.map(direction),
        }
    }
}

const fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Less => "less",
        Direction::More => "more",
    }
}

fn chance(shift: &Shift) -> Option<[Option<f64>; 2]> {
    shift.interval.map(|(lo, hi)| [Some(lo), finite(hi)])
}

impl<'a> From<&'a PairLine> for PairJson<'a> {
    fn from(pair: &'a PairLine) -> PairJson<'a> {
        let numbers = |side: SideNumbers| PairSideJson {
            events: side.events,
            waited_s: side.waited_s,
            covered_s: side.covered_s,
            counted_s: side.counted_s,
        };
        let ratio = |measure| pair.shift(measure).map(|shift| shift.ratio);
        let p99 = pair.shift(Measure::Quantile(0.99));
        PairJson {
            label: &pair.label,
            r#in: match pair.presence {
                Presence::Both => "both",
                Presence::OnlyA => "a",
                Presence::OnlyB => "b",
            },
            a: (pair.presence != Presence::OnlyB).then(|| numbers(pair.a)),
            b: (pair.presence != Presence::OnlyA).then(|| numbers(pair.b)),
            rate_ratio: ratio(Measure::Rate),
            waited_ratio: ratio(Measure::Waited),
            waited_change_per_s: pair.change(),
            verdict: pair.verdict.map(change),
            p99_ratio: p99.map(|shift| RatioJson { ratio: shift.ratio, ci: chance(shift) }),
        }
    }
}
