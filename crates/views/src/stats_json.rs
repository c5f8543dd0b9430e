//! Statistics for programs: one JSON object, described by `docs/schema/stats.schema.json`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use isotherm_analysis::{FrameTotals, Summary};
use isotherm_frame::{Bucket, Nanos, Series};
use serde_json::{Map, Value, json};

use crate::input_account::InputAccount;
use crate::view::ViewMeta;

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "json",
    about: "The numbers of a whole input as one JSON object.",
    when: "Right for scripts and other programs; its keys keep their meaning.",
    reading: &[
        "Described by [`stats.schema.json`](../schema/stats.schema.json). Keys may be added while \
         `schema_version` stays 1; none changes its meaning or goes away.",
        "Times are in nanoseconds (`_ns`) or seconds (`_s`). `hi_ns` is exclusive, and null where \
         a bucket has no upper bound. Only buckets with events are listed.",
        "`input` gives account of what was read; the counts of all buckets add up to its `events`.",
        "`estimate_ns` lies within its range and is no more than an estimate.",
        "`findings` holds what was found: bands, changes over time, periods, and `sentences` that \
         say it in words, most important first. The `sentences` beside `input` are about all series \
         together: those of `--describe`.",
    ],
    example: "isotherm stats run.heat --format json",
};

/// The version of the object's schema.
pub const SCHEMA_VERSION: u64 = 1;

/// The JSON object.
#[derive(Clone, Debug, Default)]
pub struct StatsJson {
    /// What was found in each series, as [`findings_json::value`](crate::findings_json::value)
    /// gives it; a series without has null.
    pub findings: BTreeMap<Series, Value>,
    /// What is worth saying of all series together, most important first.
    pub sentences: Vec<String>,
}

impl StatsJson {
    /// Writes the object on one line. Fails only when `out` does.
    pub fn render(
        &self,
        account: &FrameTotals,
        input: &InputAccount,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let each = |summary: &Summary| series(account, summary, self.findings.get(&summary.series));
        let series: Vec<Value> = account.by_time_waited().into_iter().map(each).collect();
        let object = json!({
            "schema_version": SCHEMA_VERSION,
            "input": self::input(input),
            "sentences": self.sentences,
            "windows": input.windows_value(),
            "series": series,
        });
        serde_json::to_writer(&mut *out, &object)?;
        out.write_all(b"\n")
    }
}

fn input(input: &InputAccount) -> Value {
    json!({
        "records": input.records,
        "rejected": input.rejected,
        "resets": input.resets,
        "gaps": input.gaps,
        "events": input.events,
        "lost": input.lost,
        "rejected_events": input.rejected_events,
        "ignored_lines": input.ignored_lines,
        "clock": input.clock.to_string(),
        "start_ns": input.span.map(|(start, _)| start.as_nanos()),
        "end_ns": input.span.map(|(_, end)| end.as_nanos()),
        "idle_left_out": input.idle_value(),
        "assumed": input.assumed,
    })
}

fn series(account: &FrameTotals, summary: &Summary, findings: Option<&Value>) -> Value {
    let attributes: Map<String, Value> =
        summary.series.attributes().map(|(key, value)| (key.to_owned(), value.into())).collect();
    let waited = summary.waited();
    let buckets = summary.latencies.non_zero();
    let quantiles = summary.quantiles().into_iter().map(|quantile| {
        let mut value = bounds(quantile.bucket);
        value.insert("estimate_ns".to_owned(), quantile.estimate.as_nanos().into());
        with_first("q", quantile.q.into(), value)
    });
    json!({
        "name": summary.series.name(),
        "attributes": attributes,
        "events": summary.events(),
        "time_waited_s": waited.seconds,
        "time_waited_exact": waited.exact,
        "mean_ns": summary.latencies.mean_ns(),
        "rate_per_s": account.per_second(summary.events() as f64),
        "sessions_waiting": account.per_second(waited.seconds),
        "covered_s": account.covered_s(),
        "gaps": summary.gaps,
        "buckets": buckets.map(|(bucket, count)| {
            let mut value = bounds(bucket);
            value.insert("count".to_owned(), count.into());
            Value::Object(value)
        }).collect::<Vec<Value>>(),
        "quantiles": quantiles.collect::<Vec<Value>>(),
        "findings": findings,
    })
}

fn bounds(bucket: Bucket) -> Map<String, Value> {
    let mut value = Map::new();
    value.insert("lo_ns".to_owned(), bucket.lo.as_nanos().into());
    value.insert("hi_ns".to_owned(), bucket.hi.map(Nanos::as_nanos).into());
    value
}

/// The object with one key before the others.
fn with_first(key: &str, first: Value, others: Map<String, Value>) -> Value {
    let mut value = Map::new();
    value.insert(key.to_owned(), first);
    value.extend(others);
    Value::Object(value)
}
