//! `isotherm fleet`: which hosts wait differently, from the histograms that a server keeps of all, or from a
//! recording of each.

mod output;
mod recordings;
mod reports;

use std::io::Write;
use std::path::Path;

use isotherm_analysis::{fleet_distances, fleet_ranking};
use isotherm_frame::{Histogram, Nanos, Unit};
use isotherm_live::{Fleet, FleetError, FleetHistogram, FleetQuestion};
use isotherm_metrics::{FleetMetric, fleet_dashboard, fleet_rules};
use isotherm_views::numbers::{bytes, counted};
use isotherm_views::{FleetHost, FleetReport, OutputForm, write_json};

use crate::failure::{Code, Failure};
use crate::fleet_args::FleetArgs;
use crate::output::{Destination, Kind};
use crate::redact::redacted;
use crate::report::quoted;
use crate::screen;
use output::{MAP, OWN, left_out, page, text};
use reports::HostInput;

/// `isotherm fleet`
pub fn run(args: &FleetArgs) -> Result<(), Failure> {
    if let Some(directory) = args.directory() {
        return recordings::run(args, directory);
    }
    let Some(server) = &args.server else { return print_settings(args) };
    if Path::new(server).is_file() {
        let text = "one file is no fleet: give a server, or the directory that has a recording of each host";
        return Err(Failure::usage(format!("{server}: {text}")));
    }
    let question = question(args, server)?;
    if question.since < Nanos::from_millis(60_000) {
        return Err(Failure::usage("--since: at least 1m"));
    }
    let (destination, reports) = (destination(args)?, reports::directory(args)?);
    let (fleet, hosts) = Fleet::ask(&question).map_err(|error| failure(&error))?;
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
        Some(destination) => {
            let most = usize::try_from(args.top).unwrap_or(usize::MAX);
            let first: Vec<&str> =
                found.hosts.iter().take(most).map(|host| host.name.as_str()).collect();
            let own = fleet.maps(&first, OWN).map_err(|error| failure(&error))?;
            let links = match reports {
                Some(directory) => Some(reports_of(args, (&fleet, server), &found, &directory)?),
                None => None,
            };
            page(args, (&found, own), map, (&destination, links))?;
        }
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

/// Writes the reports of the hosts in the table, which are read sample by sample; gives the address of each.
fn reports_of(
    args: &FleetArgs,
    (fleet, server): (&Fleet, &str),
    found: &FleetReport,
    directory: &Path,
) -> Result<Vec<Option<String>>, Failure> {
    let input = |host: &FleetHost| HostInput {
        name: host.shown(),
        address: fleet.address_of(server, &host.name),
    };
    let most = usize::try_from(args.top).unwrap_or(usize::MAX);
    let hosts: Vec<HostInput> = found.hosts.iter().take(most).map(input).collect();
    let unit = args.unit.map(|unit| format!("--unit={unit}"));
    let options: Vec<String> = unit.into_iter().collect();
    reports::write(args, directory, &hosts, &options)
}

fn question<'a>(args: &'a FleetArgs, server: &'a str) -> Result<FleetQuestion<'a>, Failure> {
    Ok(FleetQuestion {
        address: server,
        metric: metric(args)?,
        by: args.label(),
        since: args.since.unwrap_or(FleetArgs::SINCE),
        step: args.step,
        unit: args.unit,
    })
}

/// The histogram that is asked for.
fn metric(args: &FleetArgs) -> Result<&str, Failure> {
    let text = "say which histogram: --metric NAME (a directory of recordings needs none)";
    args.metric.as_deref().ok_or_else(|| Failure::usage(text))
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
    let histogram = FleetHistogram::read(metric(args)?, args.label(), unit);
    let FleetHistogram { name, matchers, unit } = histogram.map_err(|error| failure(&error))?;
    let metric = FleetMetric { name: &name, matchers: &matchers, by: args.label(), unit };
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
            measured: None,
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
        by: args.label().to_owned(),
        span: fleet.span(),
        hosts,
        step: course.step,
        rejected,
        rejected_reason,
        layouts: fleet.layouts(),
        has_bounds: compared.has_bounds,
        dominant: compared.dominant,
        is_estimate: true,
        open: open(args.unit, fleet.address_of(&redacted(server), "HOST")),
    })
}

/// The command that reads one host sample by sample.
fn open(unit: Option<Unit>, address: String) -> String {
    let unit = unit.map(|unit| format!(" --unit {unit}")).unwrap_or_default();
    format!("isotherm report {}{unit} -o HOST.html", quoted(address))
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
