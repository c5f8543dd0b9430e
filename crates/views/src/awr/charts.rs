//! Rows of reports as a chart and as a table for people.

use std::path::Path;

use isotherm_experiment::{Cell, Csv};
use isotherm_frame::shown_name;

use crate::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use crate::numbers::{length, quantity};
use crate::section::Table;

/// The columns of averages that are drawn, with what they are called.
const DRAWN: [(&str, &str); 4] = [
    ("DFSR_LAT", "db file sequential read"),
    ("DFPW_LAT", "db file parallel write"),
    ("LFPW_LAT", "log file parallel write"),
    ("log_file_sync_us", "log file sync"),
];
/// How many columns the page shows: those of SLOB. The others are in the CSV.
const SHOWN: usize = 18;

/// Average latencies against I/O requests per second, a dot for each report.
pub fn slob_chart(table: &Csv) -> Chart {
    let curve = |(column, name): &(&str, &str)| {
        let points: Vec<ChartPoint> =
            table.rows.iter().filter_map(|row| point(table, row, column)).collect();
        let stroke = Stroke::Dots;
        (!points.is_empty()).then(|| Curve { name: (*name).to_owned(), points, stroke })
    };
    let axis = |label: &str, unit, log| ChartAxis { label: label.to_owned(), unit, log };
    Chart {
        title: "Average waits against I/O requests".to_owned(),
        x: axis("I/O requests per second", ChartUnit::Number, false),
        y: axis("average wait", ChartUnit::Seconds, true),
        curves: DRAWN.iter().filter_map(curve).collect(),
        ..Chart::default()
    }
}

fn point(table: &Csv, row: &[Cell], column: &str) -> Option<ChartPoint> {
    let x = number(table, row, "io_requests_per_s")?;
    let y = number(table, row, column)? / 1e6;
    let first = DRAWN.first().is_some_and(|(name, _)| *name == column);
    let label = first.then(|| stem(row.first()));
    Some(ChartPoint { x, y, label, ..ChartPoint::default() })
}

fn number(table: &Csv, row: &[Cell], column: &str) -> Option<f64> {
    let at = table.heads.iter().position(|head| head == column)?;
    match row.get(at)? {
        Cell::Number(number) => Some(*number),
        Cell::Count(count) => Some(*count as f64),
        Cell::Empty | Cell::Text(_) => None,
    }
}

/// The name of a report's file without what all have.
fn stem(cell: Option<&Cell>) -> String {
    let Some(Cell::Text(file)) = cell else { return String::new() };
    let name = Path::new(file).file_stem().unwrap_or_default();
    shown_name(&name.to_string_lossy())
}

/// The columns of SLOB's table for people.
pub fn slob_sheet(table: &Csv) -> Table {
    let cell = |(column, cell): (usize, &Cell)| match cell {
        Cell::Empty => "-".to_owned(),
        Cell::Text(_) if column == 0 => stem(Some(cell)),
        Cell::Text(text) => text.clone(),
        Cell::Number(number) => {
            let is_wait = table.heads.get(column).is_some_and(|head| head.ends_with("_LAT"));
            if is_wait { length(number / 1e6) } else { quantity(*number) }
        }
        Cell::Count(count) => count.to_string(),
    };
    Table {
        caption: "One row for each report; amounts are per second, MBS are mebibytes".to_owned(),
        head: table.heads.iter().take(SHOWN).cloned().collect(),
        rows: table
            .rows
            .iter()
            .map(|row| row.iter().enumerate().take(SHOWN).map(cell).collect())
            .collect(),
    }
}
