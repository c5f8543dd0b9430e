//! `isotherm calibrate`: what a disk or file can do, each rate with its latencies.

mod load_progress;
mod load_recording;
mod target;
mod written;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use isotherm_experiment::calibrate::{Calibration, Live, Phase, Terms, calibrate};
use isotherm_experiment::{Progress, Run, Setting};
use isotherm_frame::Nanos;
use isotherm_load::{Hooks, LoadError, teardown};

use crate::calibrate_args::CalibrateArgs;
use crate::failure::{Code, Failure};
use crate::run_output::RunOutput;
use crate::run_screen::RunScreen;
use crate::signals::Signals;
use crate::{run_thresholds, screen};
use load_progress::LoadProgress;
use load_recording::LoadRecording;
use target::Target;
use written::Outputs;

/// Time of load if not given, and of a quick calibration.
const LONG: Nanos = Nanos::from_millis(180_000);
const QUICK: Nanos = Nanos::from_millis(45_000);

/// `isotherm calibrate`
pub fn run(args: &CalibrateArgs) -> Result<(), Failure> {
    let is_screen = args.ui.is_screen(&args.quiet, screen::is_terminal())?;
    let target = Target::of(args)?;
    let outputs = Outputs::of(args)?;
    let signals = Signals::register()?;
    let terms = terms(args, &target)?;
    let mut kept = LoadRecording::begin(args.record.as_deref(), &target.shown)?;
    if !args.quiet.quiet {
        screen::warn(&plan(&terms, &target));
    }
    let stop = signals.flag();
    let mut viewed = Ok(());
    let measured = if is_screen {
        let shown = RunScreen {
            target: &target.shown,
            interval: isotherm_load::interval(&target.job(&terms)),
            stop: signals.flag(),
            screen: &args.screen,
            is_quiet: args.quiet.quiet,
        };
        let measured;
        (measured, viewed) = shown.watch(|reporter| {
            let output = RunOutput::Screen(reporter);
            measure((args, output), (&target, &terms), &stop, &mut kept)
        });
        measured
    } else {
        let output = RunOutput::line(&args.quiet, args.screen.ascii);
        measure((args, output), (&target, &terms), &stop, &mut kept)
    };
    let removed = remove(&target, args.keep_file);
    let recorded = kept.finish();
    let calibration = match measured {
        Ok(calibration) => calibration,
        Err(error) if signals.stop_asked() => {
            return Err(Failure::new(Code::Interrupted, error.to_string()));
        }
        Err(error) => return Err(error.into()),
    };
    let judgement = run_thresholds::of_runs(&args.fail_if, &within_limit(&calibration));
    outputs.write(args, (&calibration, &judgement.json), &recorded)?;
    viewed?;
    if let Some(said) = removed.err().or_else(|| recorded.lost.clone()) {
        return Err(Failure::new(Code::Runtime, said));
    }
    match &calibration.incomplete {
        Some(_) if signals.stop_asked() => Err(Failure::new(Code::Interrupted, "")),
        Some(why) => Err(Failure::new(Code::Runtime, format!("not complete: {why}"))),
        None if args.quiet.quiet => judgement.conclude_quietly(),
        None => judgement.conclude(),
    }
}

/// The runs at the highest loads within the limit of latency.
fn within_limit(calibration: &Calibration) -> Vec<(String, &Run)> {
    let figures = &calibration.figures;
    let loops = [("closed loop", &figures.limit_closed), ("open loop", &figures.limit_open)];
    let named = loops.into_iter().filter_map(|(name, figure)| {
        let step = calibration.steps.get(usize::try_from(figure.as_ref()?.step).ok()?)?;
        Some((format!("{name} within {}", calibration.limit), &step.run))
    });
    named.collect()
}

fn terms(args: &CalibrateArgs, target: &Target) -> Result<Terms, Failure> {
    let usual = if args.quick { QUICK } else { LONG };
    let budget = args.duration.unwrap_or(usual);
    if budget == Nanos::ZERO {
        return Err(Failure::usage("--for 0s: nothing would be measured"));
    }
    Ok(Terms {
        target: target.shown.clone(),
        budget,
        limit: args.latency_limit,
        disks: args.disks,
        device: args.device,
        writes: args.with_writes,
        block: args.block,
        most_in_flight: args.max_in_flight,
        seed: args.seed,
        ..Terms::default()
    })
}

/// What will be done and how long it takes, printed before.
fn plan(terms: &Terms, target: &Target) -> String {
    let parts: Vec<String> = terms
        .plan()
        .into_iter()
        .map(|(phase, length)| format!("{} {}", phase.name(), isotherm_views::span(length)))
        .collect();
    let made = if target.made { ", after the file is made" } else { "" };
    format!(
        "{}: {} of load at most{made}: {}. Ctrl-C ends it with what was measured",
        target.shown,
        isotherm_views::span(terms.budget),
        parts.join(", ")
    )
}

fn measure(
    (args, output): (&CalibrateArgs, RunOutput<'_>),
    (target, terms): (&Target, &Terms),
    stop: &Arc<AtomicBool>,
    kept: &mut LoadRecording,
) -> Result<Calibration, LoadError> {
    let job = target.job(terms);
    let subject = Setting { address: &target.address, job: &job, device: terms.device, stop };
    let mut course = LoadProgress::new(terms, output);
    let mut phase = Phase::Floor;
    let mut tell = |progress: Progress| {
        if let Some(now) = course.take(&progress) {
            phase = now;
        }
        let messages = kept.take(progress, phase);
        messages.iter().filter(|_| !args.quiet.quiet).for_each(|text| course.say(text));
    };
    let mut live = Live::open(subject, &mut tell)?;
    calibrate(terms, &mut live)
}

/// Removes the file that was made for this, unless it is to stay.
fn remove(target: &Target, keep: bool) -> Result<(), String> {
    if !target.made || keep {
        return Ok(());
    }
    let never = AtomicBool::new(false);
    let mut hooks = Hooks { progress: &mut |_| (), stop: &never };
    let job = isotherm_load::Job::default();
    teardown(&target.address, &job, &mut hooks).map(|_| ()).map_err(|error| error.to_string())
}
