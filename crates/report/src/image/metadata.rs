//! The numbers behind an image as JSON, kept in the image itself. Keys mean what they mean in
//! `stats.schema.json`.

use isotherm_analysis::{Map, Picture};
use isotherm_frame::Nanos;
use serde_json::{Value, json};

use super::{Panel, Still};

/// The version of the object.
const SCHEMA_VERSION: u64 = 1;

/// Everything about the image as one object.
pub(super) fn value(still: &Still) -> Value {
    json!({
        "schema_version": SCHEMA_VERSION,
        "generator": still.generator,
        "title": still.title,
        "provenance": still.provenance,
        "pictures": still.panels.iter().map(panel).collect::<Vec<Value>>(),
    })
}

fn panel(panel: &Panel) -> Value {
    let picture = panel.picture;
    let waited: f64 = picture.columns.iter().map(|column| column.waited.seconds).sum();
    let first = picture.columns.first();
    json!({
        "label": panel.label,
        "clock": panel.clock.to_string(),
        "sentences": panel.sentences,
        "events": picture.total.events(),
        "outside_events": picture.outside,
        "time_waited_s": waited,
        "time_waited_exact": picture.headline.exact,
        "time_unplaced_s": picture.columns.iter().map(|column| column.unplaced_s).sum::<f64>(),
        "mean_ns": picture.headline.mean_ns,
        "covered_s": picture.columns.iter().map(|column| column.covered_s).sum::<f64>(),
        "quantiles": picture.headline.quantiles.iter().map(|quantile| json!({
            "q": quantile.q,
            "lo_ns": quantile.bucket.lo.as_nanos(),
            "hi_ns": quantile.bucket.hi.map(Nanos::as_nanos),
            "estimate_ns": quantile.estimate.as_nanos(),
        })).collect::<Vec<Value>>(),
        "start_ns": first.map(|column| column.start.as_nanos()),
        "end_ns": picture.columns.last().map(|column| column.end.as_nanos()),
        "column_ns": first.map(|column| column.end.since(column.start).as_nanos()),
        "columns": picture.columns.len(),
        "rows": rows(picture),
        "frequency": map(&picture.frequency),
        "intensity": map(&picture.intensity),
        "marks": picture.marks.iter().map(|mark| json!({
            "column": mark.column,
            "text": mark.text,
        })).collect::<Vec<Value>>(),
    })
}

/// The latency axis, with the events of each row.
fn rows(picture: &Picture) -> Vec<Value> {
    let columns = picture.columns.len().max(1);
    let counts = picture.counts.chunks(columns).map(|row| row.iter().sum::<u64>());
    let row = |(row, events): (&isotherm_analysis::Row, u64)| {
        json!({
            "lo_ns": row.lo.as_nanos(),
            "hi_ns": row.hi.map(Nanos::as_nanos),
            "events": events,
        })
    };
    picture.rows.iter().zip(counts).map(row).collect()
}

fn map(map: &Map) -> Value {
    json!({
        "scale": map.legend.scale.name(),
        "trace_below": map.legend.trace_below,
        "steps_from": map.legend.steps,
        "colour_max": map.legend.max,
        "most_a_column": map.max_sum,
    })
}
