//! A calibration on one screen.

use std::io::{self, Write};

use isotherm_experiment::calibrate::{Calibration, Figure};
use isotherm_frame::Nanos;

use super::charts;
use super::figures::{HEAD, UNSTABLE, cells, figures};
use super::sentences::{answers, sentences};
use crate::fitting::{Extent, Warning, warnings};
use crate::grid::{Column, Grid, Page, Row};
use crate::numbers::bytes;
use crate::times::span;
use crate::{Depth, Style};

/// A calibration as text.
#[derive(Clone, Debug)]
pub struct CalibrationText {
    /// The number of characters in a line; `None` for as many as the table needs.
    pub width: Option<usize>,
    /// The number of lines of the chart, which is one of the details; 0 for none.
    pub chart: usize,
    /// How much of it is printed.
    pub extent: Extent,
}

/// In which order columns give way in a narrow page; 0 never does.
const GIVE_WAY: [u8; HEAD.len()] = [0, 5, 3, 1, 2, 0, 0, 4, 6];
/// The widest chart.
const WIDEST_CHART: usize = 100;

impl CalibrationText {
    /// Writes it. Fails only when `out` does.
    pub fn render(
        &self,
        calibration: &Calibration,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut page = Page::new(style, self.width);
        let details = self.extent.details;
        let said = if details { sentences(calibration) } else { answers(calibration) };
        let mut said = said.into_iter();
        page.words(&said.next().unwrap_or_default(), true);
        page.words(&title(calibration), false);
        if details {
            facts(&mut page, calibration);
        }
        let figures = figures(calibration);
        if !figures.is_empty() {
            page.words("", false);
            page.grid(&grid(&figures));
            legend(&mut page, &figures);
        }
        if details && self.chart > 0 && calibration.curve().len() > 1 {
            page.words("", false);
            self.chart(&mut page, calibration, style.depth == Depth::Ascii);
        }
        page.words("", false);
        said.for_each(|sentence| page.words(&sentence, false));
        let warned = calibration.verdicts.iter();
        let warned: Vec<Warning> =
            warned.map(|one| Warning { serious: one.serious, words: one.words.clone() }).collect();
        warnings(&mut page, &warned, self.extent, 0);
        page.write_to(out)
    }

    fn chart(&self, page: &mut Page, calibration: &Calibration, is_ascii: bool) {
        let width = self.width.unwrap_or(WIDEST_CHART).min(WIDEST_CHART);
        page.as_is(&charts::latency(calibration).text(width, self.chart, is_ascii));
    }
}

fn facts(page: &mut Page, calibration: &Calibration) {
    let facts = calibration.facts.iter().map(|(name, value)| format!("{name} {value}"));
    page.remark(&facts.collect::<Vec<String>>().join(" · "));
}

fn title(calibration: &Calibration) -> String {
    let spent = span(Nanos::from_secs_f64(calibration.spent_s).unwrap_or_default());
    let (loads, size) = (calibration.steps.len(), bytes(calibration.bytes));
    format!("{}: {size}, {loads} loads in {spent}", calibration.target)
}

fn grid(figures: &[(String, Option<&Figure>)]) -> Grid {
    let columns = HEAD.into_iter().zip(GIVE_WAY);
    let rows = figures.iter().map(|(name, figure)| {
        let values = figure.map_or_else(|| vec!["none".to_owned()], cells);
        Row::new(name.clone(), values)
    });
    Grid {
        title: "",
        columns: columns.map(|(title, gives_way)| Column { title, gives_way }).collect(),
        rows: rows.collect(),
    }
}

fn legend(page: &mut Page, figures: &[(String, Option<&Figure>)]) {
    let figures = figures.iter().filter_map(|(_, figure)| *figure);
    let mut quantiles = figures.flat_map(|figure| &figure.latency.quantiles);
    if quantiles.any(|quantile| quantile.unstable) {
        page.remark(&format!(
            "{UNSTABLE} not repeatable: too few operations, or between two bands"
        ));
    }
}
