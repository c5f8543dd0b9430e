//! An analysis of a made-up sweep for programs.

use isotherm_experiment::{Csv, Run, RunTable};
use isotherm_frame::LogLinear;
use isotherm_load::{Distribution, KindOutcome};
use isotherm_views::{AnalyzeJson, AnalyzeSummary, NamedCurve, SweepRuns};
use serde_json::Value;

use crate::runs::{run, verdict};
use crate::schema::faults;
use crate::schema_pages::schema_of;

/// A run of thirty seconds whose operations took 1 ms each.
fn measured(point: u32, operations: u64) -> Run {
    let mut measured = Run { point, verdicts: vec![verdict("little", true, "")], ..run() };
    let index = LogLinear::new(Distribution::BITS).index_of(isotherm_frame::Nanos::new(1_000_000));
    measured.outcome.offered.in_flight = point + 1;
    measured.outcome.kinds = vec![KindOutcome {
        name: "read".to_owned(),
        role: None,
        bytes: 0,
        failed: 0,
        response: Distribution {
            events: operations,
            sum_ns: operations * 1_000_000,
            min_ns: 1_000_000,
            max_ns: 1_000_000,
            buckets: vec![(u32::try_from(index).unwrap(), operations)],
        },
        service: None,
    }];
    measured
}

#[test]
fn the_object_keeps_to_its_schema() {
    let schema = schema_of::<AnalyzeJson>("analyze.schema.json");
    let runs = vec![measured(0, 30_000), measured(1, 45_000)];
    let sweep = SweepRuns {
        name: "sweep".to_owned(),
        target: "sim:".to_owned(),
        table: RunTable { runs, ..RunTable::default() },
    };
    let curve = |curve| NamedCurve { name: String::new(), curve };
    let summary = AnalyzeSummary {
        curves: sweep.table.curves().into_iter().map(curve).collect(),
        sweeps: vec![&sweep],
        limits: Vec::new(),
    };
    let of_sweeps = AnalyzeJson::of_sweeps(&summary, "isotherm analyze sweep");
    let of_sweeps: Value = serde_json::to_value(&of_sweeps).unwrap();
    assert_eq!(faults(&of_sweeps, &schema), Vec::<String>::new());
    assert_eq!(of_sweeps["curves"][0]["points"][1]["operations_per_s"]["median"], 1_500.0);
    assert_eq!(of_sweeps["curves"][0]["points"][1]["verdicts"][0], "little");
    assert_eq!(of_sweeps["rows"].as_array().map(Vec::len), Some(2));
    let warnings = ["two instances".to_owned()];
    let of_reports =
        AnalyzeJson::of_reports(&warnings, &Csv::default(), "isotherm analyze awr.txt");
    let of_reports: Value = serde_json::to_value(&of_reports).unwrap();
    assert_eq!(faults(&of_reports, &schema), Vec::<String>::new());
    let keys: Vec<&String> = of_reports.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schema_version", "generator", "command", "warnings", "rows"]);
}
