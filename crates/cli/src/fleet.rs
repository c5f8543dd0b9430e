//! `isotherm fleet`: which hosts wait differently, from the histograms that a server keeps of all.

use std::io::Write;

use isotherm_analysis::{Excerpt, Geometry, Picture, Timeline, fleet_distances, fleet_ranking};
use isotherm_frame::numbers::grouped;
use isotherm_frame::{Account, Clock, Event, Frame, Histogram, Nanos, TimeRange, Unit};
use isotherm_metrics::{FleetMetric, fleet_dashboard, fleet_rules};
use isotherm_pipeline::MemoryBudget;
use isotherm_report::{self as report, Report, ReportOptions};
use isotherm_sources::{Fleet, FleetError, FleetHistogram, FleetQuestion};
use isotherm_views::numbers::{bytes, counted};
use isotherm_views::{FleetHost, FleetReport, MapView, OutputForm, TimeFormat, write_json};

use crate::about;
use crate::failure::{Code, Failure};
use crate::fleet_args::FleetArgs;
use crate::output::{Destination, Kind};
use crate::redact::redacted;
use crate::report::{ReportBuilder, command_line, quoted};
use crate::report_args;
use crate::screen;

/// The intervals of the map of all hosts.
const MAP: u32 = 360;
/// The intervals of a host's own map, and of its p99.
const OWN: u32 = 72;
/// The rows of the map on a screen.
const ROWS: usize = 12;

/// `isotherm fleet`
pub fn run(args: &FleetArgs) -> Result<(), Failure> {
    let Some(server) = &args.server else { return print_settings(args) };
    if args.since < Nanos::from_millis(60_000) {
        return Err(Failure::usage("--since: at least 1m"));
    }
    let destination = destination(args)?;
    let (fleet, hosts) = Fleet::ask(&question(args, server)).map_err(|error| failure(&error))?;
    let found = found(args, (&fleet, server), hosts).map_err(|error| failure(&error))?;
    if args.json {
        let mut out = screen::output(OutputForm::Json);
        return screen::written(write_json(&found.json(), &mut out).and_then(|()| out.flush()));
    }
    let map = fleet.map(MAP, &left_out(&found)).map_err(|error| failure(&error))?;
    if map.is_empty() {
        screen::warn(
            "no interval has two samples of a host: give longer ones (--step), at least four times the \
             distance between samples",
        );
    }
    match destination {
        Some(destination) => page(args, (&fleet, &found), map, &destination)?,
        None => text(args, &found, &map)?,
    }
    let (cost, (rejected, reason)) = (fleet.cost(), fleet.rejected());
    if let Some(reason) = reason {
        screen::warn(&format!(
            "{} could not be used, the first because {reason}",
            counted(rejected, "histogram")
        ));
    }
    screen::warn(&format!(
        "{}, {} of answers, {}",
        counted(found.hosts.len() as u64, &found.by),
        bytes(cost.bytes),
        counted(cost.requests, "request")
    ));
    Ok(())
}

fn question<'a>(args: &'a FleetArgs, server: &'a str) -> FleetQuestion<'a> {
    FleetQuestion {
        address: server,
        metric: &args.metric,
        by: &args.by,
        since: args.since,
        step: args.step,
        unit: args.unit,
    }
}

fn failure(error: &FleetError) -> Failure {
    let message = error.to_string();
    match error {
        FleetError::Address(_) | FleetError::Question(_) => Failure::usage(message),
        FleetError::Nothing(_) => Failure::unmatched(message),
        FleetError::Server(_) => Failure::new(Code::Runtime, message),
    }
}

/// Rules and dashboards need no server.
fn print_settings(args: &FleetArgs) -> Result<(), Failure> {
    // Rates have no unit: rules do without.
    let unit = args.unit.or(args.rules.then_some(Unit::Seconds));
    let histogram = FleetHistogram::read(&args.metric, &args.by, unit);
    let FleetHistogram { name, matchers, unit } = histogram.map_err(|error| failure(&error))?;
    let metric = FleetMetric { name: &name, matchers: &matchers, by: &args.by, unit };
    let text = if args.rules { fleet_rules(metric) } else { fleet_dashboard(metric) };
    screen::print(screen::for_programs(), &text)
}

fn destination(args: &FleetArgs) -> Result<Option<Destination>, Failure> {
    let Some(path) = &args.output else { return Ok(None) };
    let inputs: Vec<String> = args.server.clone().into_iter().collect();
    Destination::to(path, Kind::Page, args.force, &inputs).map(Some)
}

/// The hosts, ranked.
fn found(
    args: &FleetArgs,
    (fleet, server): (&Fleet, &str),
    hosts: Vec<(String, Histogram)>,
) -> Result<FleetReport, FleetError> {
    let mut course = fleet.quantile(0.99, OWN)?;
    let mut present = fleet.present()?;
    let compared = fleet_distances(hosts.iter().map(|(_, counts)| counts));
    let ranking = fleet_ranking(&compared.distances);
    let mut hosts: Vec<Option<(String, Histogram)>> = hosts.into_iter().map(Some).collect();
    let host = |place: usize| {
        let (name, counts) = hosts[place].take()?;
        Some(FleetHost {
            distance: compared.distances[place],
            is_left_out: compared.left_out.binary_search(&place).is_ok(),
            present: present.remove(&name),
            p99_s: course.hosts.remove(&name).unwrap_or_default(),
            name,
            counts,
        })
    };
    let hosts = ranking.into_iter().filter_map(host).collect();
    let (rejected, rejected_reason) = fleet.rejected();
    Ok(FleetReport {
        source: redacted(server),
        metric: fleet.metric().to_owned(),
        by: args.by.clone(),
        span: fleet.span(),
        hosts,
        step: course.step,
        rejected,
        rejected_reason,
        layouts: fleet.layouts(),
        has_bounds: compared.has_bounds,
        open: open(args.unit, fleet.address_of(&redacted(server), "HOST")),
    })
}

/// The command that reads one host sample by sample.
fn open(unit: Option<Unit>, address: String) -> String {
    let unit = unit.map(|unit| format!(" --unit {unit}")).unwrap_or_default();
    format!("isotherm report {}{unit} -o HOST.html", quoted(address))
}

/// The hosts that are not in the map: their buckets would leave it no rows.
fn left_out(found: &FleetReport) -> Vec<&str> {
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

fn text(args: &FleetArgs, found: &FleetReport, map: &[Frame]) -> Result<(), Failure> {
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
fn page(
    args: &FleetArgs,
    (fleet, found): (&Fleet, &FleetReport),
    map: Vec<Frame>,
    destination: &Destination,
) -> Result<(), Failure> {
    let most = usize::try_from(args.top).unwrap_or(usize::MAX);
    let first: Vec<&str> = found.hosts.iter().take(most).map(|host| host.name.as_str()).collect();
    let own = fleet.maps(&first, OWN).map_err(|error| failure(&error))?;
    let account = Account { clock: Clock::Epoch, ..Account::default() };
    let gathered = |label: String, frames: Vec<Frame>| {
        ReportBuilder::of_events(
            about::about(&label),
            frames.into_iter().map(Event::Frame),
            &account,
        )
    };
    let inputs = [gathered(whole(found), map), gathered(format!("the first {}", first.len()), own)];
    let given = inputs.each_ref().map(|input| input.given(TimeRange::default()));
    let options = ReportOptions {
        title: Some(format!("{} by {}", found.metric, found.by)),
        command: command_line(),
        compare: None,
        sections: vec![found.section(most)],
    };
    let failed = |error: report::ReportError| Failure::new(Code::Runtime, error.to_string());
    let report = Report::of(&given, &options).map_err(failed)?;
    let mut content = Vec::new();
    report::html(&report, report_args::MOST_BYTES, &mut content).map_err(failed)?;
    destination.write(&content)?.into_iter().for_each(|said| screen::warn(&said));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_for_one_host_is_quoted_and_has_the_unit() {
        let command = open(Some(Unit::Millis), "prom+http://p/?query=a_bucket{x!='y'}".to_owned());
        let quoted = r"'prom+http://p/?query=a_bucket{x!='\''y'\''}'";
        assert_eq!(command, format!("isotherm report {quoted} --unit ms -o HOST.html"));
    }
}
