//! An explanation as one JSON object, described by `docs/schema/explain.schema.json`.

use std::io::{self, Write};

use isotherm_analysis::{Contrast, Count, FacetValue, Side};
use isotherm_frame::{Nanos, QuantileInterval};
use serde_json::{Value, json};

use super::{Attribute, ExplainSheet};

/// The version of the object's schema.
pub const EXPLAIN_SCHEMA_VERSION: u64 = 1;

const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 1.0];

impl ExplainSheet<'_> {
    /// Writes the object on one line. Fails only when `out` does.
    pub fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, &self.value())?;
        out.write_all(b"\n")
    }

    fn value(&self) -> Value {
        let explanation = self.explanation;
        let selection = explanation.selection;
        let attributes: Vec<Value> = self.attributes().iter().map(attribute).collect();
        json!({
            "schema_version": EXPLAIN_SCHEMA_VERSION,
            "span": { "start_ns": self.span.0.as_nanos(), "end_ns": self.span.1.as_nanos() },
            "selection": {
                "from_ns": selection.from.max(self.span.0).as_nanos(),
                "to_ns": selection.to.min(self.span.1).as_nanos(),
                "above_ns": selection.above.as_nanos(),
                "below_ns": selection.below.map(Nanos::as_nanos),
                "chosen": self.chosen,
                "estimated": explanation.estimated,
            },
            "selected": side(&explanation.inside, explanation.event_share(), explanation.time_share()),
            "others": side(
                &explanation.outside,
                1.0 - explanation.event_share(),
                1.0 - explanation.time_share(),
            ),
            "attributes": attributes,
            "sentences": self.sentences(),
        })
    }
}

fn side(side: &Side, event_share: f64, time_share: f64) -> Value {
    let quantile = |found: QuantileInterval| {
        json!({
            "q": found.q,
            "lo_ns": found.bucket.lo.as_nanos(),
            "hi_ns": found.bucket.hi.map(Nanos::as_nanos),
            "estimate_ns": found.estimate.as_nanos(),
        })
    };
    let latencies = side.latencies.as_ref();
    let quantiles = QUANTILES.iter().filter_map(|&q| latencies?.quantile(q).ok()).map(quantile);
    json!({
        "events": side.events,
        "event_share": event_share,
        "time_waited_s": side.waited.seconds,
        "time_waited_exact": side.waited.exact,
        "time_share": time_share,
        "mean_ns": latencies.and_then(isotherm_frame::Histogram::mean_ns),
        "quantiles": quantiles.collect::<Vec<Value>>(),
    })
}

fn attribute(attribute: &Attribute<'_>) -> Value {
    let values: Vec<Value> = attribute.listed.iter().map(|contrast| value(contrast)).collect();
    let rest = attribute.rest;
    let telling = attribute.telling;
    json!({
        "name": attribute.facet.key(),
        "values_in_all": attribute.listed.len() as u64 + rest.values,
        "values_in_all_at_least": rest.at_least,
        "telling": telling,
        "weight": attribute.weight,
        "values": values,
        "other": (rest.values > 0).then(|| json!({
            "values": rest.values,
            "selected_events": rest.inside,
            "other_events": rest.outside,
        })),
    })
}

fn value(contrast: &Contrast) -> Value {
    let text = match &contrast.value {
        FacetValue::Is(value) => Some(value),
        FacetValue::Missing | FacetValue::Others { .. } => None,
    };
    let count = |count: Count, share: f64| {
        json!({
            "events": count.events,
            "events_at_most": count.events.saturating_add(count.over),
            "share": share,
            "time_waited_s": Nanos::new(count.waited_ns).as_secs_f64(),
        })
    };
    json!({
        "value": text,
        "selected": count(contrast.in_selection, contrast.inside),
        "others": count(contrast.in_rest, contrast.outside),
        "lift": contrast.lift(),
        "weight": contrast.weight,
        "z": contrast.z,
        "telling": contrast.telling,
    })
}
