//! The report as Markdown: for a ticket, a chat or a commit message.

use std::fmt::Write as _;
use std::io::Write;

use isotherm_frame::shown_name;

use crate::error::ReportError;
use crate::markup::inline;
use crate::report::{Entry, Report};
use crate::still::picture;
use crate::{sections, site};
use isotherm_views::MapView;
use isotherm_views::generator;
use isotherm_views::numbers::{grouped, waited};
use isotherm_views::ranges::mean;
use isotherm_views::{Depth, Palette, Style, Theme};

/// The characters of a line of the maps.
const WIDTH: usize = 100;
/// The most lines of the table for each recording: everything, and ten that waited the most.
const MOST_LISTED: usize = 11;
/// The most rows of a map.
const ROWS: usize = 14;

/// Writes the report as Markdown.
pub fn markdown(report: &Report, out: &mut dyn Write) -> Result<(), ReportError> {
    let mut page = format!("<!-- isotherm report -->\n# {}\n\n", inline(&report.title));
    for given in report.given {
        let _ = writeln!(page, "{}  ", inline(&site::when(given)));
    }
    sections::markdown(&report.sections, &mut page);
    if let Some(first) = report.entries.first() {
        if !report.sections.is_empty() {
            page.push_str("\n## Everything that was recorded\n");
        }
        page.push('\n');
        for sentence in site::sentences(report) {
            let _ = writeln!(page, "- {}", inline(&sentence));
        }
        numbers(report, &mut page);
        maps(report, first, &mut page)?;
    }
    marks(report, &mut page);
    origin(report, &mut page);
    out.write_all(page.as_bytes())?;
    Ok(())
}

fn numbers(report: &Report, page: &mut String) {
    let series = inline(&site::series_heading(report));
    let _ = write!(page, "\n| {series} | events | waited | % of all time waited | mean ");
    page.push_str("| p50 | p90 | p99 | p99.9 | max |\n");
    page.push_str("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    let listed = listed(report);
    for entry in report.entries.iter().take(listed) {
        let about = if entry.waited.exact { "" } else { "≈" };
        let quantiles = site::quantile_cells(entry);
        let _ = writeln!(
            page,
            "| {} | {} | {about}{} | {} | {} | {} |",
            inline(&site::short_labelled(report, entry)),
            grouped(entry.events()),
            waited(entry.waited.seconds),
            site::share_of_all(report, entry.recording, entry.waited.seconds),
            mean(entry.latencies.mean_ns(), entry.waited.exact),
            quantiles.join(" | ")
        );
    }
    let more = report.entries.len() - listed + report.not_drawn.len();
    if more > 0 {
        let _ = writeln!(
            page,
            "\n{more} more, with less time waited, are in the HTML and JSON report."
        );
    }
}

/// How many entries have a line: everything and the ten that waited the most, of each recording.
fn listed(report: &Report) -> usize {
    report.entries.len().min(MOST_LISTED * report.given.len().max(1))
}

/// Both maps of an entry in characters.
fn maps(report: &Report, entry: &Entry, page: &mut String) -> Result<(), ReportError> {
    let given = &report.given[entry.recording];
    let picture = picture(given, entry, (MapView::columns_in(WIDTH), ROWS));
    let title = site::labelled(report, entry);
    let view = MapView {
        title,
        clock: given.input.read.clock,
        span: given.input.span.filter(|_| given.span.is_none()),
        width: WIDTH,
    };
    let style = Style { depth: Depth::Glyphs, theme: Theme::Light, palette: Palette::IceHeat };
    let mut drawn = Vec::new();
    view.render(&picture, style, &mut drawn)?;
    // Text from an input must not end the block it stands in.
    let drawn = String::from_utf8_lossy(&drawn).replace("```", "'''");
    let _ = write!(page, "\n```text\n{drawn}```\n");
    Ok(())
}

fn marks(report: &Report, page: &mut String) {
    if report.given.iter().all(|given| given.marks.is_empty()) {
        return;
    }
    page.push_str("\n## Marks\n\n");
    for given in report.given {
        for mark in &given.marks {
            let moments = given.moments();
            let (at, zone) = (moments.time(mark.at, true), moments.zone());
            let _ = writeln!(page, "- {at}{zone} {}", inline(&shown_name(&mark.text)));
        }
    }
}

fn origin(report: &Report, page: &mut String) {
    if report.given.is_empty() {
        let command = report.command.replace('`', "'");
        let _ = writeln!(page, "\nMade by {} with `{command}`", generator());
        return;
    }
    page.push_str("\n## Where this comes from\n");
    for given in report.given {
        let _ = writeln!(page, "\n**{}**\n", inline(&given.label));
        for (name, value) in site::origin(given) {
            let _ = writeln!(page, "- {name}: {}", inline(&value));
        }
    }
    let (generator, command) = (generator(), report.command.replace('`', "'"));
    let _ = writeln!(page, "\nMade by {generator} with `{command}`");
}
