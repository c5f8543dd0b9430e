//! An analysis for programs.

use isotherm_experiment::{Bend, Cell, Csv, CurvePoint, RunTable, Spread};
use isotherm_frame::Nanos;
use schemars::JsonSchema;
use serde::Serialize;

use super::sentences;
use super::summary::{AnalyzeSummary, NamedCurve};
use crate::generator::generator;
use crate::json::{SchemaVersion, entries};
use crate::threshold_json::ThresholdJson;

/// What sweeps, or AWR reports, come to. Keys may be added while `schema_version` stays 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm analyze --format json")]
pub struct AnalyzeJson<'a> {
    schema_version: SchemaVersion<1>,
    /// The program and its version.
    generator: String,
    /// The command that makes it again, without secrets.
    command: &'a str,
    /// What was read of sweeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    sweeps: Option<Vec<SweepInput<'a>>>,
    /// What there is to say about sweeps, most important first.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentences: Option<Vec<String>>,
    /// Warnings about AWR reports together.
    #[serde(skip_serializing_if = "Option::is_none")]
    warnings: Option<&'a [String]>,
    /// The curves of sweeps: points that differ in their load only.
    #[serde(skip_serializing_if = "Option::is_none")]
    curves: Option<Vec<CurveJson<'a>>>,
    /// The rows of the CSV by their headings (docs/guide/analyze.md); null where nothing is known.
    rows: Vec<RowJson>,
    /// What the conditions of --fail-if came to; left out without any.
    #[serde(skip_serializing_if = "<[ThresholdJson]>::is_empty")]
    thresholds: &'a [ThresholdJson],
}

/// A sweep that was read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SweepInput<'a> {
    /// What it is called.
    name: &'a str,
    /// What was loaded, without secrets.
    target: &'a str,
    /// Runs that count.
    runs: usize,
    /// Lines of the run table that are no runs.
    rejected_lines: u64,
}

/// A curve.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Curve")]
struct CurveJson<'a> {
    /// What tells it from the others; empty where there is one.
    name: &'a str,
    /// How operations arrived.
    #[schemars(extend("enum" = ["closed", "open"]))]
    r#loop: &'static str,
    /// The point with the most throughput for its mean response time; null with fewer than two
    /// points.
    saturation: Option<SaturationJson>,
    /// The most throughput within limits of latency.
    limits: Vec<LimitJson>,
    /// The points by load.
    points: Vec<PointJson<'a>>,
}

/// Where a curve bends.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Saturation")]
struct SaturationJson {
    /// The load there.
    load: f64,
    /// Whether no point has a smaller load.
    is_first: bool,
    /// Whether no point has a larger load.
    is_last: bool,
}

/// A limit of latency.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Limit")]
struct LimitJson {
    /// The limit, seconds.
    p99_s: f64,
    /// The load of the point with the most throughput whose p99 kept within it in every repeat;
    /// null if none did.
    load: Option<f64>,
}

/// A point over its repeats whose numbers can be used. Numbers are null without any.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Point")]
struct PointJson<'a> {
    /// Operations in flight, or arrivals asked for per second.
    load: f64,
    /// The point in words.
    label: &'a str,
    /// Repeats whose numbers can be used.
    runs: usize,
    /// Repeats that were cut short, failed, or had no operation that succeeded.
    without_result: usize,
    /// Whether a repeat was not steady or has a serious warning.
    doubtful: bool,
    /// The codes of warnings, serious ones first.
    verdicts: Vec<&'a str>,
    /// Operations per second.
    operations_per_s: Option<Spread>,
    /// Megabytes (10^6 bytes) per second.
    mb_per_s: Option<Spread>,
    /// Mean response time, seconds.
    mean_s: Option<Spread>,
    /// Median response time, seconds.
    p50_s: Option<Spread>,
    /// Response time that 99 % of the operations kept within, seconds.
    p99_s: Option<Spread>,
    /// Seconds waited per second: operations waiting on average.
    waited_s_per_s: Option<Spread>,
    /// CPU of the load generator for one operation, seconds.
    cpu_s_per_operation: Option<Spread>,
}

/// A row by its headings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Row", with = "std::collections::BTreeMap<String, Cell>")]
struct RowJson(#[serde(serialize_with = "entries")] Vec<(String, Cell)>);

impl<'a> AnalyzeJson<'a> {
    /// What sweeps come to, their curves and every run, analysed by this command.
    pub fn of_sweeps(summary: &'a AnalyzeSummary<'a>, command: &'a str) -> AnalyzeJson<'a> {
        let AnalyzeSummary { sweeps, curves, limits } = summary;
        let tables: Vec<(&str, &RunTable)> =
            sweeps.iter().map(|sweep| (sweep.name.as_str(), &sweep.table)).collect();
        let inputs = sweeps.iter().map(|sweep| SweepInput {
            name: &sweep.name,
            target: &sweep.target,
            runs: sweep.table.latest().len(),
            rejected_lines: sweep.table.rejected,
        });
        let curves = curves.iter().map(|named| CurveJson::new(named, limits));
        AnalyzeJson {
            sweeps: Some(inputs.collect()),
            sentences: Some(sentences::of(summary)),
            curves: Some(curves.collect()),
            ..AnalyzeJson::of_rows(&Csv::of_runs(&tables), command)
        }
    }

    /// The table of AWR reports, made by this command.
    pub fn of_reports(warnings: &'a [String], table: &Csv, command: &'a str) -> AnalyzeJson<'a> {
        AnalyzeJson { warnings: Some(warnings), ..AnalyzeJson::of_rows(table, command) }
    }

    fn of_rows(csv: &Csv, command: &'a str) -> AnalyzeJson<'a> {
        let row = |row: &Vec<Cell>| RowJson(csv.heads.iter().cloned().zip(row.clone()).collect());
        AnalyzeJson {
            schema_version: SchemaVersion,
            generator: generator(),
            command,
            sweeps: None,
            sentences: None,
            warnings: None,
            curves: None,
            rows: csv.rows.iter().map(row).collect(),
            thresholds: &[],
        }
    }

    /// The same with what conditions came to.
    #[must_use]
    pub fn with_thresholds(self, thresholds: &'a [ThresholdJson]) -> AnalyzeJson<'a> {
        AnalyzeJson { thresholds, ..self }
    }
}

impl<'a> CurveJson<'a> {
    fn new(named: &'a NamedCurve<'a>, asked: &[Nanos]) -> CurveJson<'a> {
        let curve = &named.curve;
        let limits = if asked.is_empty() { curve.limits() } else { asked.to_vec() };
        let limit = |limit: Nanos| LimitJson {
            p99_s: limit.as_secs_f64(),
            load: curve.within(limit).map(|point| point.load),
        };
        let bend =
            |Bend { at, is_first, is_last }| SaturationJson { load: at.load, is_first, is_last };
        CurveJson {
            name: &named.name,
            r#loop: if curve.open { "open" } else { "closed" },
            saturation: curve.bend().map(bend),
            limits: limits.into_iter().map(limit).collect(),
            points: curve.points.iter().map(PointJson::new).collect(),
        }
    }
}

impl<'a> PointJson<'a> {
    fn new(point: &'a CurvePoint<'a>) -> PointJson<'a> {
        let summary = &point.summary;
        PointJson {
            load: point.load,
            label: summary.label,
            runs: summary.runs.len(),
            without_result: summary.unusable.len(),
            doubtful: point.is_doubtful(),
            verdicts: summary.verdicts().iter().map(|one| one.code).collect(),
            operations_per_s: summary.throughput,
            mb_per_s: summary.megabytes,
            mean_s: summary.mean_s,
            p50_s: summary.p50_s,
            p99_s: summary.p99_s,
            waited_s_per_s: summary.waited,
            cpu_s_per_operation: summary.cpu_s,
        }
    }
}
