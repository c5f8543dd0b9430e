//! A fit for people, in a terminal.

use std::io::{self, Write};

use isotherm_queueing::{Fitted, Quantity};

use super::figures::{estimate, off, share};
use super::names::title;
use super::tables::{above, criterion, parameters, point_lines, what_if_rows};
use super::warnings::on_models;
use super::words::on_what_if;
use super::{FitSummary, charts};
use crate::grid::{Column, Grid, Page, Row};
use crate::{Depth, Style};

/// A fit as text.
#[derive(Clone, Debug)]
pub struct FitText {
    /// The number of characters in a line; `None` for as many as the tables need.
    pub width: Option<usize>,
}

/// The columns and rows of a chart.
const CHART: (usize, usize) = (96, 20);
/// The characters of a bar on either side of its middle.
const BAR: usize = 8;
/// Residuals below this are drawn on a scale that ends here, so that noise does not look large.
const LEAST_SCALE: f64 = 0.02;

const fn column(title: &'static str, gives_way: u8) -> Column {
    Column { title, gives_way }
}

impl FitText {
    /// Writes the fit. Fails only when `out` does.
    pub fn render(
        &self,
        summary: &FitSummary<'_>,
        style: Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut page = Page::new(style, self.width);
        page.words(&summary.source, true);
        for sentence in summary.sentences() {
            page.words(&format!("· {sentence}"), false);
        }
        if summary.study.fits.fitted().next().is_some() {
            page.title("Models", "best supported first");
            page.grid(&models(summary));
        }
        for sentence in on_models(summary) {
            page.remark(&sentence);
        }
        let by = summary.study.fits.best().map_or("no model", |best| best.model.name());
        page.title("Points", &format!("measured, and by {by}"));
        page.grid(&points(summary, style));
        self.charts(summary, style, &mut page);
        if let Some(change) = &summary.what_if {
            page.title("What if", &format!("by {}, {}", change.model.name(), title(change.model)));
            page.grid(&what_if(change));
            for sentence in on_what_if(summary, change) {
                page.words(&format!("· {sentence}"), false);
            }
        }
        page.write_to(out)
    }

    /// The charts, drawn in characters.
    fn charts(&self, summary: &FitSummary<'_>, style: Style, page: &mut Page) {
        let width = self.width.unwrap_or(CHART.0).min(CHART.0);
        let what_if = summary.what_if.as_ref().and_then(|change| charts::what_if(summary, change));
        for chart in charts::all(summary).into_iter().take(1).chain(what_if) {
            page.title("", "");
            for line in chart.text(width, CHART.1, style.depth == Depth::Ascii).lines() {
                page.verbatim(line);
            }
        }
    }
}

fn models(summary: &FitSummary<'_>) -> Grid {
    let row = |fitted: &Fitted| {
        let arrivals = fitted.model.applies_to();
        let shown = |quantity| {
            fitted.estimate(quantity).map_or_else(String::new, |found| estimate(found, arrivals))
        };
        let values = vec![
            above(fitted),
            share(fitted.rms),
            shown(Quantity::Capacity),
            shown(Quantity::Knee),
        ];
        let details = format!("{}: {}", title(fitted.model), parameters(fitted));
        Row { details, ..Row::new(fitted.model.name(), values) }
    };
    Grid {
        title: "model",
        columns: vec![
            column(criterion(summary.study), 0),
            column("rms", 0),
            column("capacity", 1),
            column("knee", 2),
        ],
        rows: summary.study.fits.by_support().map(row).collect(),
    }
}

fn points(summary: &FitSummary<'_>, style: Style) -> Grid {
    let lines = point_lines(summary.study);
    let sizes = lines.iter().filter_map(|line| line.residual).map(f64::abs);
    let scale = sizes.fold(LEAST_SCALE, f64::max);
    let rows = lines.into_iter().map(|line| {
        let bar = line.residual.map_or_else(String::new, |left| bar(left / scale, style));
        let values = vec![
            line.throughput,
            line.standard_error,
            line.model_throughput,
            line.response,
            line.model_response,
            line.residual.map_or_else(String::new, off),
            bar,
        ];
        Row::new(line.load, values)
    });
    Grid {
        title: match summary.study.fits.points.arrivals {
            isotherm_queueing::Loop::Closed => "in flight",
            isotherm_queueing::Loop::Open => "arrivals",
        },
        columns: vec![
            column("throughput", 0),
            column("±", 3),
            column("by model", 2),
            column("response", 0),
            column("by model", 2),
            column("off", 0),
            column("", 1),
        ],
        rows: rows.collect(),
    }
}

/// A bar from the middle to the side that a share of the scale lies on.
fn bar(share: f64, style: Style) -> String {
    let (full, middle) = if style.depth == Depth::Ascii { ('#', '|') } else { ('█', '│') };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the length of a bar"
    )]
    let length = (share.abs().min(1.0) * BAR as f64).round() as usize;
    let drawn: String = std::iter::repeat_n(full, length).collect();
    if share < 0.0 {
        format!("{drawn:>BAR$}{middle}{:BAR$}", "")
    } else {
        format!("{:BAR$}{middle}{drawn:<BAR$}", "")
    }
}

fn what_if(change: &isotherm_queueing::WhatIf) -> Grid {
    let rows = what_if_rows(change)
        .into_iter()
        .map(|[name, before, after, factor]| Row::new(name, vec![before, after, factor]));
    Grid {
        title: "",
        columns: vec![column("before", 0), column("after", 0), column("change", 0)],
        rows: rows.collect(),
    }
}
