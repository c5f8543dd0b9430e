//! A calibration on one screen.

use std::io::{self, Write};

use isotherm_frame::Nanos;

use super::figures::{HEAD, UNSTABLE, cells, name};
use super::{CalibrationSheet, charts, sentences};
use crate::grid::{Column, Grid, Page, Row};
use crate::numbers::bytes;
use crate::times::span;
use crate::{Depth, Style};

/// A calibration as text.
#[derive(Clone, Debug)]
pub struct CalibrationText {
    /// The number of characters in a line; `None` for as many as the table needs.
    pub width: Option<usize>,
    /// The number of lines of the chart; 0 for none.
    pub chart: usize,
}

/// In which order columns give way in a narrow page; 0 never does.
const GIVE_WAY: [u8; HEAD.len()] = [0, 5, 3, 1, 2, 0, 0, 4, 6];
/// The widest chart.
const WIDEST_CHART: usize = 100;

impl CalibrationText {
    /// Writes it. Fails only when `out` does.
    pub fn render(
        &self,
        sheet: &CalibrationSheet,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut page = Page::new(style, self.width);
        let what = &sheet.what;
        page.words(&title(sheet), true);
        let facts = what.facts.iter().map(|(name, value)| format!("{name} {value}"));
        page.remark(&facts.collect::<Vec<String>>().join(" · "));
        if !sheet.figures.is_empty() {
            page.words("", false);
            page.grid(&grid(sheet));
            legend(&mut page, sheet);
        }
        if self.chart > 0 && sheet.curve.len() > 1 {
            page.words("", false);
            let ascii = style.depth == Depth::Ascii;
            let width = self.width.unwrap_or(WIDEST_CHART).min(WIDEST_CHART);
            page.as_is(&charts::latency(sheet).text(width, self.chart, ascii));
        }
        page.words("", false);
        for sentence in sentences(sheet) {
            page.words(&sentence, false);
        }
        if !sheet.verdicts.is_empty() {
            page.words("", false);
        }
        for verdict in &sheet.verdicts {
            let sign = if verdict.serious { "⚠" } else { "·" };
            page.words(&format!("{sign} {}", verdict.words), verdict.serious);
        }
        page.write_to(out)
    }
}

fn title(sheet: &CalibrationSheet) -> String {
    let what = &sheet.what;
    let spent = span(Nanos::from_secs_f64(what.spent_s).unwrap_or_default());
    let (loads, size) = (what.steps, bytes(what.bytes));
    format!("{}: {size}, {loads} loads in {spent}", what.target)
}

fn grid(sheet: &CalibrationSheet) -> Grid {
    let columns = HEAD.into_iter().zip(GIVE_WAY);
    let rows = sheet.figures.iter().map(|figure| {
        let values = match &figure.rate {
            Some(rate) => cells(rate),
            None => vec!["none".to_owned()],
        };
        Row::new(name(sheet, figure.name), values)
    });
    Grid {
        title: "",
        columns: columns.map(|(title, gives_way)| Column { title, gives_way }).collect(),
        rows: rows.collect(),
    }
}

fn legend(page: &mut Page, sheet: &CalibrationSheet) {
    let rates = sheet.figures.iter().filter_map(|figure| figure.rate.as_ref());
    let mut quantiles = rates.flat_map(|rate| &rate.spread.quantiles);
    if quantiles.any(|(_, unstable)| *unstable) {
        page.remark(&format!(
            "{UNSTABLE} not repeatable: too few operations, or between two bands"
        ));
    }
}
