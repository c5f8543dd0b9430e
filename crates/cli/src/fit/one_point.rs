//! `fit --point`: one observation, or several of one load, solved for effective servers; the published
//! example.

use std::io::Write;

use isotherm_experiment::ModelPoints;
use isotherm_queueing::{Amount, Change, Model, NoServers, Observation, Repeats, published};
use isotherm_report::{self as report, Report, ReportOptions};
use isotherm_views::section::Section;
use isotherm_views::{
    OnePointJson, OnePointSummary, ServersRange, no_what_if, published_json, published_section,
    published_text, write_json,
};

use super::output::FitFile;
use super::points_input::title;
use crate::choices::StatsFormat;
use crate::failure::{Code, Failure};
use crate::fit_args::FitArgs;
use crate::report::command_line;
use crate::screen;

/// The largest page, bytes: far more than a chart and a table take.
const MOST_BYTES: u64 = 8 << 20;

/// Solves the observations of `--point`.
pub fn points(args: &FitArgs, file: Option<&FitFile>) -> Result<(), Failure> {
    let observations: Vec<Observation> =
        args.point.iter().map(|point| point.observation()).collect();
    if !Observation::are_of_one_load(&observations) {
        return Err(Failure::usage(
            "--point: repeats are of one load, and these rates of arrivals are more than 10 % apart; put \
             several loads into a table and name it instead",
        ));
    }
    let only = only(args)?;
    let solved = Repeats::of(&observations);
    let solved = solved.map_err(|_| Failure::usage(format!("--point: {NO_QUEUE}")))?;
    let rounding = || args.point.first().map(|point| ServersRange::Rounding(point.servers()));
    let summary = OnePointSummary {
        servers: repeats_range(&solved).or_else(rounding),
        only,
        ..summary(solved, String::new(), Vec::new())
    };
    let summary = OnePointSummary { source: summary.heading(), ..summary };
    write(args, summary, file)
}

/// Whether a table has the service time of one load only, and nothing is asked that needs percentiles.
pub fn is_one_load(args: &FitArgs, given: &ModelPoints) -> bool {
    let needs_latencies = !args.fail_if.is_empty() || args.latency_limit.is_some();
    !needs_latencies && Observation::are_of_one_load(&given.observations)
}

/// The one form that is asked for; none for both.
fn only(args: &FitArgs) -> Result<Option<Model>, Failure> {
    let forms = [Model::OrapubCpu, Model::OrapubIo];
    if let Some(other) = args.model.iter().find(|model| !forms.contains(model)) {
        return Err(Failure::usage(format!(
            "--model: {} cannot be solved from one load, only orapub-cpu and orapub-io can; measure several \
             loads to fit it, or leave --model out",
            other.name()
        )));
    }
    let [first, rest @ ..] = &args.model[..] else { return Ok(None) };
    Ok(rest.iter().all(|model| model == first).then_some(*first))
}

/// Solves the rows of a table.
pub fn table(args: &FitArgs, given: ModelPoints, file: Option<&FitFile>) -> Result<(), Failure> {
    let name = title(&args.input);
    let only = only(args)?;
    let solved = Repeats::of(&given.observations).map_err(|error| match error {
        NoServers::NotPositive => Failure::new(Code::Runtime, format!("{name}: {NO_QUEUE}")),
        NoServers::OtherModel => Failure::new(Code::Runtime, format!("{name}: {error}")),
    })?;
    write(args, OnePointSummary { only, ..summary(solved, name, given.remarks) }, file)
}

const NO_QUEUE: &str = "the response time must be longer than the service time: without queueing any number \
    of servers is possible";

fn repeats_range(solved: &Repeats) -> Option<ServersRange> {
    solved.servers.map(ServersRange::Repeats)
}

fn summary(repeats: Repeats, source: String, remarks: Vec<String>) -> OnePointSummary {
    OnePointSummary {
        source,
        solved: repeats.solved,
        observations: repeats.count,
        servers: repeats_range(&repeats),
        only: None,
        at_load: None,
        what_if: None,
        remarks,
    }
}

/// Adds what a change does, and writes all of it.
fn write(args: &FitArgs, summary: OnePointSummary, file: Option<&FitFile>) -> Result<(), Failure> {
    let form = summary.solved[0].form;
    let change = args.change();
    let summary = summary.at(args.at_load).with_change(&change);
    let summary = summary.map_err(|why| Failure::usage(no_what_if(form, why)))?;
    if let Some(file) = file {
        let page = || page(&summary.source, vec![summary.section()]);
        let json = |out: &mut dyn Write| write_json(&OnePointJson::new(&summary), out);
        return file.write_other((&page, &summary.chart()), &json);
    }
    let mut out = screen::output(args.format.into());
    let written = match args.format {
        StatsFormat::Json => write_json(&OnePointJson::new(&summary), &mut out),
        StatsFormat::Table => {
            let style = screen::style(&args.screen, screen::is_terminal());
            summary.render(Some(screen::width(args.width)), style, &mut out)
        }
    };
    screen::written(written.and_then(|()| out.flush()))
}

/// Computes the published example again.
pub fn example(args: &FitArgs, file: Option<&FitFile>) -> Result<(), Failure> {
    let example = published();
    if let Some(file) = file {
        // Its numbers are per millisecond.
        let [baseline, _, reached] = &example.cases;
        let per_s = |case: &isotherm_queueing::PublishedCase| case.arrival * 1e3;
        let response = (baseline.service + example.queue) / 1e3;
        let observation = Observation {
            arrival_per_s: per_s(baseline),
            service_s: baseline.service / 1e3,
            response_s: response,
        };
        let solved = observation.solved().map_err(|error| {
            Failure::new(Code::Runtime, format!("the published example: {error}"))
        })?;
        let change = Change {
            service: Some(Amount::To(reached.service / 1e3)),
            load: Some(Amount::To(per_s(reached))),
            servers: None,
        };
        let curve = OnePointSummary {
            source: "Commit batches".to_owned(),
            solved,
            observations: 1,
            servers: None,
            only: None,
            at_load: None,
            what_if: None,
            remarks: Vec::new(),
        };
        let curve = curve.with_change(&change);
        let curve = curve.map_err(|why| Failure::usage(no_what_if(solved[0].form, why)))?;
        let page = || page("Commit batches", vec![published_section(&example, &curve)]);
        let json = |out: &mut dyn Write| writeln!(out, "{}", published_json(&example));
        return file.write_other((&page, &curve.chart()), &json);
    }
    let mut out = screen::output(args.format.into());
    let written = match args.format {
        StatsFormat::Json => writeln!(out, "{}", published_json(&example)),
        StatsFormat::Table => {
            let style = screen::style(&args.screen, screen::is_terminal());
            let width = Some(screen::width(args.width));
            published_text(&example, width, style, &mut out)
        }
    };
    screen::written(written.and_then(|()| out.flush()))
}

fn page(title: &str, sections: Vec<Section>) -> Result<Vec<u8>, Failure> {
    let options = ReportOptions {
        title: Some(title.to_owned()),
        command: command_line(),
        sections,
        ..ReportOptions::default()
    };
    let failed = |error: report::ReportError| Failure::new(Code::Runtime, error.to_string());
    let mut content = Vec::new();
    report::html(&Report::of(&[], &options).map_err(failed)?, MOST_BYTES, &mut content)
        .map_err(failed)?;
    Ok(content)
}
