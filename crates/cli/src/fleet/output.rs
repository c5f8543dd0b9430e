//! A ranked fleet on a screen and as a page.

use std::io::Write;

use isotherm_analysis::{Excerpt, Geometry, Picture, Timeline};
use isotherm_frame::numbers::grouped;
use isotherm_frame::{Account, Clock, Event, Frame, TimeRange};
use isotherm_pipeline::MemoryBudget;
use isotherm_report::{self as report, Report, ReportOptions};
use isotherm_views::numbers::counted;
use isotherm_views::section::{RowLinks, Section};
use isotherm_views::{FleetReport, MapView, OutputForm, TimeFormat};

use crate::about;
use crate::failure::{Code, Failure};
use crate::fleet_args::FleetArgs;
use crate::output::Destination;
use crate::report::{ReportBuilder, command_line};
use crate::report_args;
use crate::screen;

/// The intervals of the map of all hosts.
pub(super) const MAP: u32 = 360;
/// The intervals of a host's own map, and of its p99.
pub(super) const OWN: u32 = 72;
/// The rows of the map on a screen.
const ROWS: usize = 12;

/// The hosts that are not in the map: their buckets would leave it no rows.
pub(super) fn left_out(found: &FleetReport) -> Vec<&str> {
    let left_out = found.hosts.iter().filter(|host| host.is_left_out);
    left_out.map(|host| host.name.as_str()).collect()
}

/// What the map shows.
fn whole(found: &FleetReport) -> String {
    let hosts = counted(found.hosts.len() as u64, &found.by);
    match found.hosts.len() - left_out(found).len() {
        all if all == found.hosts.len() => format!("all {hosts}"),
        some => format!("{} of {hosts}", grouped(some as u64)),
    }
}

/// Writes the answer and the map of all hosts.
pub(super) fn text(args: &FleetArgs, found: &FleetReport, map: &[Frame]) -> Result<(), Failure> {
    let moments = TimeFormat::new(Clock::Epoch, found.span.0);
    let mut out = screen::output(OutputForm::Painted);
    let most = usize::try_from(args.top).unwrap_or(usize::MAX);
    let width = screen::width(args.width);
    let written = found.write_text((most, width), &moments, &mut out).and_then(|()| writeln!(out));
    screen::written(written)?;
    let mut history = MemoryBudget::default().history();
    for frame in map {
        history.push(frame);
    }
    let shown = Excerpt::of(&history);
    if let Some(grid) = shown.grid(MapView::columns_in(width)) {
        let (mut frequency, mut intensity) = Geometry::default().colour_maxima();
        let request = Geometry::default().request(grid, ROWS);
        let timeline = Timeline::of_ordered(shown.frames(), grid);
        let picture = Picture::of(timeline, &request, &mut frequency, &mut intensity);
        let view = MapView { title: whole(found), clock: Clock::Epoch, span: shown.ends(), width };
        let style = screen::style(&args.screen, screen::is_terminal());
        screen::written(view.render_with_sentences(&picture, &[], style, &mut out))?;
    }
    screen::written(out.flush())
}

/// Writes the page: the ranking, the map of all hosts, and those of the first of the ranking.
pub(super) fn page(
    args: &FleetArgs,
    (found, own): (&FleetReport, Vec<Frame>),
    map: Vec<Frame>,
    (destination, reports): (&Destination, Option<Vec<Option<String>>>),
) -> Result<(), Failure> {
    let most = usize::try_from(args.top).unwrap_or(usize::MAX);
    let first = found.hosts.len().min(most);
    let account = Account { clock: Clock::Epoch, ..Account::default() };
    let gathered = |label: String, frames: Vec<Frame>| {
        ReportBuilder::of_events(
            about::about(&label),
            frames.into_iter().map(Event::Frame),
            &account,
        )
    };
    let inputs = [gathered(whole(found), map), gathered(format!("the first {first}"), own)];
    let given = inputs.each_ref().map(|input| input.given(TimeRange::default()));
    let options = ReportOptions {
        title: Some(format!("{} by {}", found.metric, found.by)),
        command: command_line(),
        compare: None,
        sections: vec![Section {
            links: reports.map(|rows| RowLinks { column: FleetReport::HOST_COLUMN, rows }),
            ..found.section(most)
        }],
    };
    let failed = |error: report::ReportError| Failure::new(Code::Runtime, error.to_string());
    let report = Report::of(&given, &options).map_err(failed)?;
    let mut content = Vec::new();
    report::html(&report, report_args::MOST_BYTES, &mut content).map_err(failed)?;
    destination.write(&content)?.into_iter().for_each(|said| screen::warn(&said));
    Ok(())
}
