//! An explanation for programs.

use isotherm_analysis::{Contrast, Count, FacetValue, Side, SuggestionBasis};
use isotherm_frame::{Histogram, Nanos};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Attribute, ExplainSummary, Rest};
use crate::json::{QuantileJson, SchemaVersion};
use crate::threshold_json::ThresholdJson;

const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 1.0];

/// What distinguishes selected events from all others. Keys may be added while `schema_version` stays
/// 1; none changes its meaning or goes away.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm explain --format json")]
pub struct ExplainJson<'a> {
    schema_version: SchemaVersion<1>,
    /// When the input begins and ends.
    span: SpanJson,
    /// What is selected.
    selection: SelectionJson,
    /// The selected events.
    selected: SideJson,
    /// All others.
    others: SideJson,
    /// From what latency on an event counts as slow, as the slowest tenth of all events is; null where
    /// the input was not looked at before.
    slow_from_ns: Option<u64>,
    /// Attributes with several values, those first whose values tell the most. 'series' is the name
    /// of the series.
    attributes: Vec<AttributeJson<'a>>,
    /// What there is to say, most important first.
    sentences: Vec<String>,
    /// What the conditions of --fail-if came to; left out without any.
    #[serde(skip_serializing_if = "<[ThresholdJson]>::is_empty")]
    thresholds: &'a [ThresholdJson],
}

/// A stretch of time, in nanoseconds of the input's clock.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Span")]
struct SpanJson {
    /// Its beginning.
    start_ns: i64,
    /// Its end.
    end_ns: i64,
}

/// What is selected.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Selection")]
struct SelectionJson {
    /// The first moment, in nanoseconds of the input's clock.
    from_ns: i64,
    /// The first moment after it.
    to_ns: i64,
    /// The shortest latency; where latencies come in buckets, where the first bucket begins.
    above_ns: u64,
    /// The first latency too long; null if there is none.
    below_ns: Option<u64>,
    /// Whether nothing was selected, so that this is the stretch of time that stands out, or owns the
    /// most time waited.
    chosen: bool,
    /// Whether nothing was found in the chosen stretch, so that it may own the most by chance.
    may_be_chance: bool,
    /// Whether intervals that lie across an end of the time were divided in proportion.
    estimated: bool,
}

/// The selected events, or all others.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Side")]
struct SideJson {
    /// Events that ended there.
    events: u64,
    /// Their share of all events, 0 to 1.
    event_share: f64,
    /// Time waited there by any event, seconds.
    time_waited_s: f64,
    /// Whether it is measured; else it is estimated from buckets.
    time_waited_exact: bool,
    /// Its share of all time waited, 0 to 1.
    time_share: f64,
    /// Mean latency of the events; null if there are none or their latencies are not known apart.
    mean_ns: Option<f64>,
    /// Quantiles of their latencies.
    quantiles: Vec<QuantileJson>,
}

/// An attribute.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Attribute")]
struct AttributeJson<'a> {
    /// Its name.
    name: &'a str,
    /// How many values it has.
    values_in_all: u64,
    /// Whether it may have more: beyond a million they are not counted.
    values_in_all_at_least: bool,
    /// How many of them differ noticeably, by events or by time waited.
    telling: usize,
    /// What its most telling value contributes.
    weight: f64,
    /// The values listed (--top): more common inside first, those first that tell the most.
    values: Vec<ValueJson<'a>>,
    /// The values not listed, counted together; null if there are none.
    other: Option<OtherJson>,
}

/// Values that are not listed, counted together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Other")]
struct OtherJson {
    /// How many.
    values: u64,
    /// Their selected events.
    selected_events: u64,
    /// Their other events.
    other_events: u64,
}

/// A value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Value")]
struct ValueJson<'a> {
    /// The value; null for events without the attribute.
    value: Option<&'a str>,
    /// Its selected events.
    selected: CountJson,
    /// Its other events.
    others: CountJson,
    /// The share of the selected events divided by that of all others; null if no other event has
    /// the value.
    lift: Option<f64>,
    /// Its part of the divergence of the two sides, (p - q) ln(p / q), in nats.
    weight: f64,
    /// How surprising the difference is, in standard deviations; negative where the value is less
    /// common inside.
    z: f64,
    /// Whether its share of the events differs noticeably: beyond chance and not by little.
    telling: bool,
    /// Its part of the divergence of the two sides by time waited, in nats.
    time_weight: f64,
    /// How surprising the difference of its shares of the time waited is, in standard deviations.
    time_z: f64,
    /// Whether its share of the time waited differs noticeably.
    time_telling: bool,
}

/// Events of one side that have a value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Count")]
struct CountJson {
    /// Events that have the value for certain.
    events: u64,
    /// Events that may have it: more only where an attribute has over 1,024 values on that side.
    events_at_most: u64,
    /// The share of the events of that side, 0 to 1.
    share: f64,
    /// Time waited in them there, seconds.
    time_waited_s: f64,
    /// The share of the time waited on that side.
    time_share: f64,
    /// The share of the slow events of that side; null where none is known to be slow.
    slow_share: Option<f64>,
}

impl<'a> ExplainJson<'a> {
    /// The object.
    pub fn new(summary: &'a ExplainSummary<'a>) -> ExplainJson<'a> {
        let explanation = summary.explanation;
        let selection = explanation.selection;
        let (start, end) = summary.span;
        let (events, time) = (explanation.event_share(), explanation.time_share());
        ExplainJson {
            schema_version: SchemaVersion,
            span: SpanJson { start_ns: start.as_nanos(), end_ns: end.as_nanos() },
            selection: SelectionJson {
                from_ns: selection.from.max(start).as_nanos(),
                to_ns: selection.to.min(end).as_nanos(),
                above_ns: selection.above.as_nanos(),
                below_ns: selection.below.map(Nanos::as_nanos),
                chosen: summary.suggestion.is_some(),
                may_be_chance: summary
                    .suggestion
                    .is_some_and(|one| one.basis == SuggestionBasis::MayBeChance),
                estimated: explanation.estimated,
            },
            selected: SideJson::new(&explanation.inside, (events, time)),
            others: SideJson::new(&explanation.outside, (1.0 - events, 1.0 - time)),
            slow_from_ns: explanation.slow_from.map(Nanos::as_nanos),
            attributes: summary.attributes().into_iter().map(AttributeJson::new).collect(),
            sentences: summary.sentences(),
            thresholds: &[],
        }
    }

    /// The same with what conditions came to.
    #[must_use]
    pub fn with_thresholds(self, thresholds: &'a [ThresholdJson]) -> ExplainJson<'a> {
        ExplainJson { thresholds, ..self }
    }
}

impl SideJson {
    fn new(side: &Side, (event_share, time_share): (f64, f64)) -> SideJson {
        let latencies = side.latencies.as_ref();
        let quantiles = QUANTILES.iter().filter_map(|&q| latencies?.quantile(q).ok());
        SideJson {
            events: side.events,
            event_share,
            time_waited_s: side.waited.seconds,
            time_waited_exact: side.waited.exact,
            time_share,
            mean_ns: latencies.and_then(Histogram::mean_ns),
            quantiles: quantiles.map(QuantileJson::from).collect(),
        }
    }
}

impl<'a> AttributeJson<'a> {
    fn new(attribute: Attribute<'a>) -> AttributeJson<'a> {
        let Attribute { facet, listed, rest, telling, weight } = attribute;
        let Rest { values, at_least, inside, outside } = rest;
        AttributeJson {
            name: facet.key(),
            values_in_all: listed.len() as u64 + values,
            values_in_all_at_least: at_least,
            telling,
            weight,
            values: listed.into_iter().map(ValueJson::new).collect(),
            other: (values > 0).then_some(OtherJson {
                values,
                selected_events: inside,
                other_events: outside,
            }),
        }
    }
}

impl<'a> ValueJson<'a> {
    fn new(contrast: &'a Contrast) -> ValueJson<'a> {
        let (time, slow) = (contrast.time, contrast.slow);
        let count = |count: Count, share: f64, time_share, slow_share| CountJson {
            events: count.events,
            events_at_most: count.events.saturating_add(count.over),
            share,
            time_waited_s: Nanos::new(count.waited_ns).as_secs_f64(),
            time_share,
            slow_share,
        };
        let (slow_inside, slow_outside) =
            (slow.map(|slow| slow.inside), slow.and_then(|slow| slow.outside));
        ValueJson {
            value: match &contrast.value {
                FacetValue::Is(value) => Some(value),
                FacetValue::Missing | FacetValue::Others { .. } => None,
            },
            selected: count(contrast.in_selection, contrast.inside, time.inside, slow_inside),
            others: count(contrast.in_rest, contrast.outside, time.outside, slow_outside),
            lift: contrast.lift(),
            weight: contrast.weight,
            z: contrast.z,
            telling: contrast.telling,
            time_weight: time.weight,
            time_z: time.z,
            time_telling: time.telling,
        }
    }
}
