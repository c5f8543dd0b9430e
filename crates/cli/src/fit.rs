//! `isotherm fit`: queueing models on a sweep.

mod conditions;
mod one_point;
mod output;
mod points_input;

use std::io::Write;

use isotherm_queueing::{Change, FitRequest, Study, WhatIf};
use isotherm_views::{FitJson, FitSummary, FitText, ThresholdJson, no_what_if, write_json};

use crate::choices::StatsFormat;
use crate::failure::{Code, Failure};
use crate::fit_args::FitArgs;
use crate::screen;
use crate::thresholds;

pub use points_input::{has_columns, has_time, sweep_points};

/// `isotherm fit`
pub fn run(args: &FitArgs) -> Result<(), Failure> {
    let destination = args.output.as_deref().map(|path| output::check(args, path)).transpose()?;
    if !args.point.is_empty() {
        return one_point::points(args, destination.as_ref());
    }
    if args.input.is_empty() {
        return one_point::example(args, destination.as_ref());
    }
    let given = thresholds::or_unsure(&args.fail_if, points_input::read(args))?;
    let passed_over = given.passed_over;
    if one_point::is_one_load(args, &given) {
        one_point::table(args, given, destination.as_ref())?;
        return strict(args, passed_over);
    }
    if args.at_load.is_some() && args.change() == Change::default() {
        return Err(Failure::usage(
            "--at-load has no effect: it is the load of a what-if; add --service-time, --arrival or \
             --servers",
        ));
    }
    let judgement = conditions::judge(&args.fail_if, &given)?;
    let limit = args.latency_limit.as_ref().map(|limit| conditions::kept(limit, &given));
    let request =
        FitRequest { models: args.model.clone(), seed: args.seed, ..FitRequest::default() };
    let study = Study::of(given.points.clone(), &request);
    let summary = FitSummary {
        source: points_input::title(&args.input),
        study: &study,
        limit: limit.transpose()?,
        what_if: what_if(args, &study)?,
        remarks: given.remarks,
        seed: args.seed,
    };
    match &destination {
        Some(destination) => destination.write(&summary, &judgement.json)?,
        None => print(args, &summary, &judgement.json)?,
    }
    judgement.conclude()?;
    strict(args, passed_over)
}

/// Fails when something could not be read and the user wants that to be fatal.
fn strict(args: &FitArgs, passed_over: u64) -> Result<(), Failure> {
    if args.strict && passed_over > 0 {
        let said = format!("rows or runs skipped: {passed_over} (--strict)");
        return Err(Failure::new(Code::BadData, said));
    }
    Ok(())
}

fn print(
    args: &FitArgs,
    summary: &FitSummary<'_>,
    thresholds: &[ThresholdJson],
) -> Result<(), Failure> {
    let mut out = screen::output(args.format.into());
    let written = match args.format {
        StatsFormat::Json => {
            write_json(&FitJson::new(summary).with_thresholds(thresholds), &mut out)
        }
        StatsFormat::Table => {
            let style = screen::style(&args.screen, screen::is_terminal());
            FitText { width: Some(screen::width(args.width)) }.render(summary, style, &mut out)
        }
    };
    screen::written(written.and_then(|()| out.flush()))
}

/// What a change would do.
fn what_if(args: &FitArgs, study: &Study) -> Result<Option<WhatIf>, Failure> {
    let change = args.change();
    if change == Change::default() {
        return Ok(None);
    }
    let measured = study.fits.points.span().unwrap_or((1.0, 1.0));
    let load = args.at_load.unwrap_or(measured.1);
    if !(load.is_finite() && load > 0.0) {
        return Err(Failure::usage("--at-load: a load is above zero"));
    }
    let mut refused = None;
    // The best supported model that has what is to be changed.
    for by in study.fits.by_support().filter(|by| !by.borrowed) {
        match WhatIf::of(by, load, change, measured) {
            Ok(found) => return Ok(Some(found)),
            Err(why) => refused = refused.or(Some(no_what_if(by.model, why))),
        }
    }
    Err(refused.map_or_else(nothing_to_ask, Failure::usage))
}

fn nothing_to_ask() -> Failure {
    Failure::new(
        Code::Runtime,
        "no model of the sweep's own kind was fitted, so there is no answer to a what-if",
    )
}
