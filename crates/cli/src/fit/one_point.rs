//! `fit --point`: one observation solved for its effective servers, and the published example.

use std::io::Write;

use isotherm_queueing::{Amount, Change, Observation, published};
use isotherm_report::{self as report, Report, ReportOptions};
use isotherm_views::section::Section;
use isotherm_views::{
    OnePointJson, OnePointSummary, no_what_if, published_json, published_section, published_text,
    write_json,
};

use super::output::FitFile;
use crate::choices::StatsFormat;
use crate::failure::{Code, Failure};
use crate::fit_args::FitArgs;
use crate::fit_point::PointArg;
use crate::report::command_line;
use crate::screen;

/// The largest page, bytes: far more than a chart and a table take.
const MOST_BYTES: u64 = 8 << 20;

/// Solves the observation of `--point`.
pub fn point(args: &FitArgs, point: PointArg, file: Option<&FitFile>) -> Result<(), Failure> {
    let solved = point.solved().map_err(|_| {
        Failure::usage(
            "--point: the response time must be longer than the service time: without queueing any \
             number of servers is possible",
        )
    })?;
    let change = Change {
        service: args.service_time.map(|change| change.0),
        load: args.arrival.map(|change| change.0),
        servers: args.servers.map(|change| change.0),
    };
    let summary = OnePointSummary {
        source: "One observation".to_owned(),
        solved,
        servers: point.servers(),
        what_if: None,
        remarks: Vec::new(),
    };
    let summary = summary.with_change(&change);
    let summary = summary.map_err(|why| Failure::usage(no_what_if(solved[0].form, why)))?;
    if let Some(file) = file {
        let page = || page("One observation", vec![summary.section()]);
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
        let servers = solved.map(|form| (form.servers, form.servers));
        let source = "Commit batches".to_owned();
        let curve = OnePointSummary { source, solved, servers, what_if: None, remarks: Vec::new() };
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
