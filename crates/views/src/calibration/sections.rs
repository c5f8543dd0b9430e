//! A calibration as parts of a report.

use isotherm_experiment::calibrate::{Calibration, Phase, Step, device_reads_per_operation};

use super::figures::{HEAD, cells, figures};
use super::{charts, sentences};
use crate::chart::Chart;
use crate::numbers::{bytes, quantity};
use crate::section::{Section, Table};

/// The parts of a report: what it comes to, the curves, warnings.
pub fn sections(calibration: &Calibration) -> Vec<Section> {
    let mut sections = vec![answer(calibration), curves(calibration)];
    sections.extend((!calibration.verdicts.is_empty()).then(|| warnings(calibration)));
    sections
}

fn answer(calibration: &Calibration) -> Section {
    let rows = figures(calibration).into_iter().map(|(name, figure)| {
        let mut row = vec![name];
        match figure {
            Some(figure) => row.extend(cells(figure)),
            None => row.extend(HEAD.map(|_| "-".to_owned())),
        }
        row
    });
    let numbers = table("Each rate with the latencies at which it was had", "", rows.collect());
    let facts = Table {
        caption: "What was measured".to_owned(),
        head: vec!["fact".to_owned(), "value".to_owned()],
        rows: calibration
            .facts
            .iter()
            .map(|(name, value)| vec![name.clone(), value.clone()])
            .collect(),
    };
    let facts = (!facts.rows.is_empty()).then_some(facts);
    Section {
        title: format!("What {} can do", calibration.target),
        sentences: sentences(calibration),
        tables: std::iter::once(numbers).chain(facts).collect(),
        ..Section::default()
    }
}

fn curves(calibration: &Calibration) -> Section {
    let all = [
        charts::throughput(calibration),
        charts::latency(calibration),
        charts::streams(calibration),
        charts::parts(calibration),
    ];
    let filled = |chart: &Chart| chart.curves.iter().any(|curve| !curve.points.is_empty());
    let tables = [
        ("Random reads, closed loop", calibration.curve()),
        ("Random reads, open loop", calibration.arrivals()),
        ("Sequential reads", calibration.of(Phase::Sequential).collect()),
        ("Random writes", calibration.writes()),
    ];
    let mut tables: Vec<Table> = tables
        .into_iter()
        .filter(|(_, steps)| !steps.is_empty())
        .map(|(caption, steps)| {
            let rows = steps.into_iter().filter_map(|step| row(calibration, step));
            table(caption, "load", rows.collect())
        })
        .collect();
    let part = |step: &Step| {
        let cells = cells(step.figure.as_ref()?);
        Some(std::iter::once(bytes(step.working_set)).chain(cells).collect())
    };
    let parts: Vec<Vec<String>> = calibration.parts().into_iter().filter_map(part).collect();
    if !parts.is_empty() {
        tables.push(table("Random reads from a part of it", "part", parts));
    }
    Section {
        title: "Every load".to_owned(),
        sentences: account(calibration),
        charts: all.into_iter().filter(filled).collect(),
        tables,
        ..Section::default()
    }
}

/// What the device counted, where it is known.
fn account(calibration: &Calibration) -> Vec<String> {
    let steps = calibration.curve().into_iter().chain(calibration.arrivals());
    let counted: Vec<f64> =
        steps.filter_map(|step| device_reads_per_operation(&step.run.outcome)).collect();
    let (least, most) = counted
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(least, most), &one| (least.min(one), most.max(one)));
    if counted.is_empty() {
        return vec![
            "The device underneath is not known, so its reads were not counted.".to_owned(),
        ];
    }
    vec![format!(
        "The device counted {} to {} reads for each small read asked for: near 1 nothing above it \
         answered.",
        quantity(least),
        quantity(most)
    )]
}

fn row(calibration: &Calibration, step: &Step) -> Option<Vec<String>> {
    let figure = step.figure.as_ref()?;
    let load = match (figure.in_flight, figure.offered_per_second) {
        (Some(held), _) => format!("{held} in flight"),
        (None, Some(offered)) => {
            let is_met = calibration.limit.is_met(&step.run.outcome.response());
            let outcome = if is_met { "within" } else { "beyond" };
            format!("{}/s, {outcome} the limit", quantity(offered))
        }
        (None, None) => String::new(),
    };
    Some(std::iter::once(load).chain(cells(figure)).collect())
}

fn table(caption: &str, first: &str, rows: Vec<Vec<String>>) -> Table {
    let head = std::iter::once(first).chain(HEAD).map(str::to_owned).collect();
    Table { caption: caption.to_owned(), head, rows }
}

fn warnings(calibration: &Calibration) -> Section {
    let sign = |serious: bool| if serious { "⚠" } else { "·" };
    let said =
        calibration.verdicts.iter().map(|one| format!("{} {}", sign(one.serious), one.words));
    Section { title: "Warnings".to_owned(), sentences: said.collect(), ..Section::default() }
}
