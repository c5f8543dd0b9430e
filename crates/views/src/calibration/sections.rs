//! A calibration as parts of a report.

use super::figures::{HEAD, cells, name};
use super::{CalibrationRate, CalibrationSheet, charts, sentences};
use crate::chart::Chart;
use crate::numbers::{bytes, quantity};
use crate::section::{Section, Sheet};

/// The parts of a report: what it comes to, the curves, what is doubtful.
pub fn sections(sheet: &CalibrationSheet) -> Vec<Section> {
    let mut sections = vec![answer(sheet), curves(sheet)];
    sections.extend((!sheet.verdicts.is_empty()).then(|| doubts(sheet)));
    sections
}

fn answer(sheet: &CalibrationSheet) -> Section {
    let rows = sheet.figures.iter().map(|figure| {
        let mut row = vec![name(sheet, figure.name)];
        match &figure.rate {
            Some(rate) => row.extend(cells(rate)),
            None => row.extend(HEAD.map(|_| "-".to_owned())),
        }
        row
    });
    let numbers = table("Each rate with the latencies at which it was had", "", rows.collect());
    let facts = Sheet {
        caption: "What was measured".to_owned(),
        head: vec!["fact".to_owned(), "value".to_owned()],
        rows: sheet
            .what
            .facts
            .iter()
            .map(|(name, value)| vec![name.clone(), value.clone()])
            .collect(),
    };
    let facts = (!facts.rows.is_empty()).then_some(facts);
    Section {
        title: format!("What {} can do", sheet.what.target),
        sentences: sentences(sheet),
        charts: Vec::new(),
        tables: std::iter::once(numbers).chain(facts).collect(),
    }
}

fn curves(sheet: &CalibrationSheet) -> Section {
    let all = [
        charts::throughput(sheet),
        charts::latency(sheet),
        charts::streams(sheet),
        charts::parts(sheet),
    ];
    let filled = |chart: &Chart| chart.curves.iter().any(|curve| !curve.points.is_empty());
    let tables = [
        ("Random reads, held in flight", &sheet.curve),
        ("Random reads, arriving independently", &sheet.arrivals),
        ("Sequential reads", &sheet.streams),
        ("Random writes", &sheet.writes),
    ];
    let mut tables: Vec<Sheet> = tables
        .into_iter()
        .filter(|(_, rates)| !rates.is_empty())
        .map(|(caption, rates)| table(caption, "load", rates.iter().map(row).collect()))
        .collect();
    let parts = sheet
        .parts
        .iter()
        .map(|(part, rate)| std::iter::once(bytes(*part)).chain(cells(rate)).collect());
    let parts: Vec<Vec<String>> = parts.collect();
    if !parts.is_empty() {
        tables.push(table("Random reads from a part of it", "part", parts));
    }
    Section {
        title: "Every load".to_owned(),
        sentences: account(sheet),
        charts: all.into_iter().filter(filled).collect(),
        tables,
    }
}

/// What the device counted, where it is known.
fn account(sheet: &CalibrationSheet) -> Vec<String> {
    let known = sheet.curve.iter().chain(&sheet.arrivals);
    let counted: Vec<f64> = known.filter_map(|rate| rate.device_reads).collect();
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

fn row(rate: &CalibrationRate) -> Vec<String> {
    let load = match (rate.in_flight, rate.offered_per_s) {
        (Some(held), _) => format!("{held} in flight"),
        (None, Some(offered)) => {
            let outcome = if rate.within_limit { "within" } else { "beyond" };
            format!("{}/s, {outcome} the limit", quantity(offered))
        }
        (None, None) => String::new(),
    };
    std::iter::once(load).chain(cells(rate)).collect()
}

fn table(caption: &str, first: &str, rows: Vec<Vec<String>>) -> Sheet {
    let head = std::iter::once(first).chain(HEAD).map(str::to_owned).collect();
    Sheet { caption: caption.to_owned(), head, rows }
}

fn doubts(sheet: &CalibrationSheet) -> Section {
    let sign = |serious: bool| if serious { "⚠" } else { "·" };
    let said = sheet.verdicts.iter().map(|one| format!("{} {}", sign(one.serious), one.words));
    Section {
        title: "What is doubtful".to_owned(),
        sentences: said.collect(),
        ..Section::default()
    }
}
