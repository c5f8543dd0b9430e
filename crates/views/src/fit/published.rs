//! The published example of commit batches, computed again.

use std::io::{self, Write};

use isotherm_frame::percent_change;
use isotherm_queueing::{Published, PublishedCase};
use serde_json::{Value, json};

use super::one_point::OnePointSummary;
use crate::Style;
use crate::grid::{Column, Grid, Page, Row};
use crate::section::{Section, Table};

/// What there is to say of the example.
pub fn published_sentences(example: &Published) -> Vec<String> {
    let mut said = vec![format!(
        "msolver: S {:.4} ms, L {:.4}/ms and Q {:.4} ms give M = {:.5} effective servers; {} is \
         printed and used from here on.",
        example.cases[0].service,
        example.cases[0].arrival,
        example.queue,
        example.servers,
        example.servers_printed
    )];
    for case in &example.cases {
        said.extend(case.off_by().map(|factor| misprint(case, factor)));
    }
    for case in &example.cases[1..] {
        said.extend(case.error().map(|error| {
            format!(
                "{}: R = {:.7} ms by the formula; {:.4} ms was observed, {} off.",
                case.name,
                case.computed,
                case.observed.unwrap_or(f64::NAN),
                percent_change(error)
            )
        }));
    }
    said
}

fn misprint(case: &PublishedCase, factor: f64) -> String {
    let how = if (factor - 10.0).abs() < 0.01 {
        "ten times too large, a misplaced decimal point".to_owned()
    } else {
        format!("{factor:.3} times what the formula gives")
    };
    format!(
        "The published text is inconsistent here: for '{}' it prints R = {} ms, and the formula with \
         its own S, L and M gives {:.7} ms. It is {how}: a shorter service time at the same load \
         cannot make response times longer.",
        case.name, case.printed, case.computed
    )
}

const COLUMNS: [&str; 8] = ["S ms", "L /ms", "SL/M", "R ms", "Q ms", "R/S", "observed", "printed"];

fn numbers(case: &PublishedCase, servers: f64) -> Vec<String> {
    vec![
        format!("{:.4}", case.service),
        format!("{:.4}", case.arrival),
        format!("{:.1}%", 100.0 * case.service * case.arrival / servers),
        format!("{:.7}", case.computed),
        format!("{:.4}", case.computed - case.service),
        format!("{:.2}", case.computed / case.service),
        case.observed.map_or_else(|| "-".to_owned(), |observed| format!("{observed:.4}")),
        format!("{}{}", case.printed, if case.off_by().is_some() { " !" } else { "" }),
    ]
}

/// Writes the example for people. Fails only when `out` does.
pub fn published_text(
    example: &Published,
    width: Option<usize>,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(style, width);
    page.words("Commit batches: OraPub's published example, computed again", true);
    for sentence in published_sentences(example) {
        page.words(&format!("· {sentence}"), false);
    }
    let row = |case: &PublishedCase| Row::new(case.name, numbers(case, example.servers_printed));
    page.title("Response times", "R = S/(1 - (SL/M)^M)");
    page.grid(&Grid {
        title: "",
        columns: COLUMNS.map(|title| Column { title, gives_way: 0 }).to_vec(),
        rows: example.cases.iter().map(row).collect(),
    });
    page.write_to(out)
}

/// The example as a part of a report, with the curve through its baseline and what larger batches do.
pub fn published_section(example: &Published, curve: &OnePointSummary) -> Section {
    let row = |case: &PublishedCase| {
        [vec![case.name.to_owned()], numbers(case, example.servers_printed)].concat()
    };
    Section {
        title: "Commit batches: OraPub's published example, computed again".to_owned(),
        sentences: published_sentences(example),
        charts: vec![curve.chart()],
        tables: vec![Table {
            caption: "Response times: R = S/(1 - (SL/M)^M)".to_owned(),
            head: [vec![String::new()], COLUMNS.map(str::to_owned).to_vec()].concat(),
            rows: example.cases.iter().map(row).collect(),
        }],
        ..Section::default()
    }
}

/// The example for programs; times in milliseconds, as printed.
pub fn published_json(example: &Published) -> Value {
    let case = |case: &PublishedCase| {
        json!({
            "name": case.name,
            "service_ms": case.service,
            "arrival_per_ms": case.arrival,
            "response_ms": case.computed,
            "observed_ms": case.observed,
            "printed_ms": case.printed,
            "printed_off_by": case.off_by(),
        })
    };
    json!({
        "schema_version": 1,
        "example": "commit-batch",
        "queue_ms": example.queue,
        "servers": example.servers,
        "servers_printed": example.servers_printed,
        "cases": example.cases.iter().map(case).collect::<Vec<Value>>(),
        "sentences": published_sentences(example),
    })
}
