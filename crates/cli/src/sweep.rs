//! `isotherm sweep`: a system is stepped through loads as a plan says.

mod dry_run;
mod report;
mod slob_files;
mod summary;

use std::path::{Path, PathBuf};

use isotherm_experiment::{Ending, Plan, PlanError, Stage, Sweep, SweepError, execute};
use isotherm_frame::numbers::counted;
use isotherm_load::Address;

use crate::failure::{Code, Failure};
use crate::output::{Destination, Kind, file_ending};
use crate::run_output::RunOutput;
use crate::run_screen::RunScreen;
use crate::screen;
use crate::signals::Signals;
use crate::sweep_args::{SweepArgs, SweepFormat};
use crate::{load_address, run_thresholds};
use report::Report;

/// What stands in an address where a password was.
const HIDDEN: &str = "***";

/// `isotherm sweep`
pub fn run(args: &SweepArgs) -> Result<(), Failure> {
    args.output.as_deref().map_or(Ok(()), no_file)?;
    let plan = planned(args)?;
    if let Some(plan) = plan.as_ref() {
        plan.check_engine()?;
        // A plan may be written for another machine.
        if args.plan.write_plan.is_none() {
            dry_run::check(args, plan)?;
        }
    }
    if let (Some(path), Some(plan)) = (&args.plan.write_plan, &plan) {
        return write_plan(args, path, plan);
    }
    if args.dry_run {
        return dry_run::print(args, plan.as_ref());
    }
    let Some(directory) = args.output.as_deref() else {
        let words =
            "give the directory of the sweep with -o DIR (or use --dry-run, or --write-plan FILE)";
        return Err(Failure::usage(words));
    };
    let is_screen = args.ui.is_screen(&args.quiet, screen::is_terminal())?;
    let sweep = match plan {
        Some(plan) => Sweep::begin(directory, plan, args.extend)?,
        None => Sweep::resume(directory)?,
    };
    go((args, is_screen), sweep, directory)
}

/// Fails for the name of a file, with what makes one of a sweep.
fn no_file(output: &Path) -> Result<(), Failure> {
    let Some(ending) = file_ending(output) else { return Ok(()) };
    let (file, sweep) = (output.display(), output.with_extension(""));
    let sweep = sweep.display();
    let then = match ending {
        "html" | "csv" => format!(", and then isotherm analyze {sweep} -o {file}"),
        _ => String::new(),
    };
    let text = format!("{file}: sweep writes a directory, not one file: use -o {sweep}{then}");
    Err(Failure::usage(text))
}

/// The plan that is given; none when the directory has it.
fn planned(args: &SweepArgs) -> Result<Option<Plan>, Failure> {
    if args.resume {
        return Ok(None);
    }
    match (&args.plan.plan, &args.target) {
        (Some(path), _) => Ok(Some(Plan::read(path)?)),
        (None, target) => made(args, target.as_deref().unwrap_or_default()).map(Some),
    }
}

/// The plan that the options make, and the files of a SLOB harness where the options say nothing.
fn made(args: &SweepArgs, target: &str) -> Result<Plan, Failure> {
    let (load, vary) = slob_files::merged(&args.plan.inf, &args.load, &args.plan.vary, target)?;
    args.made(load.job(target)?, vary)
}

fn write_plan(args: &SweepArgs, path: &Path, plan: &Plan) -> Result<(), Failure> {
    let read = args.plan.plan.iter().cloned();
    let inputs: Vec<PathBuf> = read.chain(args.target.iter().map(PathBuf::from)).collect();
    let destination = Destination::to(path, Kind::Plan, args.plan.force, &inputs)?;
    destination.write(plan.to_toml()?.as_bytes()).map(drop)
}

/// The address to load: that of the command line if there is one, since a plan holds no password.
fn address(args: &SweepArgs, plan: &Plan) -> Result<Address, Failure> {
    let planned = plan.job.target.as_str();
    if let Some(target) = args.target.as_deref() {
        let bare = crate::redact::redacted(target);
        if bare != planned {
            let words = format!("the plan is for '{planned}', not for '{bare}'");
            return Err(Failure::usage(words));
        }
        return load_address::address(target);
    }
    if planned.contains(HIDDEN) {
        let words = format!(
            "the plan holds no password: give the address with it, too: isotherm sweep '{}' ...",
            planned.replace(HIDDEN, "PASSWORD")
        );
        return Err(Failure::usage(words));
    }
    load_address::address(planned)
}

/// Does what is left of a sweep and prints its points.
fn go(
    (args, is_screen): (&SweepArgs, bool),
    mut sweep: Sweep,
    directory: &Path,
) -> Result<(), Failure> {
    let address = address(args, sweep.plan())?;
    let signals = Signals::register()?;
    let about = crate::about::about(&sweep.plan().job.target);
    let line = RunOutput::line(&args.quiet, args.screen.ascii);
    let mut report = Report::new(line, args.quiet.quiet, &sweep);
    for note in sweep.notes() {
        report.message(note);
    }
    report.begins(&sweep, directory);
    let (most_time, stop) = (sweep.plan().most_time, signals.flag());
    let job = sweep.plan().job.clone();
    let make = |sweep: &mut Sweep, mut report: Report<'_>| {
        let ending = sweep.run(&mut Stage {
            address: &address,
            i_mean_it: args.load.file.i_mean_it,
            create: args.load.file.create,
            about: &about,
            stop: &stop,
            execute: &mut execute,
            tell: &mut |position, progress| report.take(position, progress),
        });
        report.ends();
        ending
    };
    let mut viewed = Ok(());
    let ending = if is_screen && !sweep.left().is_empty() {
        let shown = RunScreen {
            target: &job.target,
            interval: isotherm_load::interval(&job),
            stop: signals.flag(),
            screen: &args.screen,
            is_quiet: args.quiet.quiet,
        };
        let ending;
        (ending, viewed) = shown.watch(|reporter| {
            let output = RunOutput::Screen(reporter);
            let report = Report::new(output, args.quiet.quiet, &sweep);
            make(&mut sweep, report)
        });
        ending
    } else {
        make(&mut sweep, report)
    };
    end((args, &sweep), ending, most_time, viewed)
}

/// Prints what the runs measured, and says how they ended: a fault of the sweep
/// first, then one of the screen, then what `--fail-if` asks for.
fn end(
    (args, sweep): (&SweepArgs, &Sweep),
    ending: Result<Ending, SweepError>,
    most_time: Option<isotherm_frame::Nanos>,
    viewed: Result<(), Failure>,
) -> Result<(), Failure> {
    let runs = &sweep.table().runs;
    let named: Vec<_> = runs.iter().map(|run| (run_thresholds::name(run), run)).collect();
    let judgement = run_thresholds::of_runs(&args.fail_if, &named);
    if runs.is_empty() {
        if let Err(error) = ending {
            return Err(error.into());
        }
    } else {
        summary::print(args, sweep, &judgement.json)?;
    }
    conclude(ending, sweep, most_time)?;
    viewed?;
    judgement.conclude_below(args.format == SweepFormat::Table, args.quiet.quiet)
}

/// How it ended, as an exit code with words.
fn conclude(
    ending: Result<Ending, SweepError>,
    sweep: &Sweep,
    most_time: Option<isotherm_frame::Nanos>,
) -> Result<(), Failure> {
    let left = sweep.left().len();
    match ending? {
        Ending::Done if left > 0 => Err(Failure::new(
            Code::Runtime,
            format!("{} did not end; the same command repeats them", counted(left as u64, "run")),
        )),
        Ending::Done => Ok(()),
        Ending::OutOfTime(left) => {
            let most = most_time.map(isotherm_views::span).unwrap_or_default();
            screen::warn(&format!(
                "{} not started, because of --most-time {most}; the same command makes the rest",
                counted(left as u64, "run")
            ));
            Ok(())
        }
        Ending::Interrupted => Err(Failure::new(Code::Interrupted, "")),
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        let code =
            if matches!(error, PlanError::File { .. }) { Code::Runtime } else { Code::Usage };
        Failure::new(code, error.to_string())
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Failure {
        let words = error.to_string();
        let code = match error {
            SweepError::Plan(error) => return error.into(),
            SweepError::Load(error) | SweepError::Failing { last: error, .. } => {
                Failure::from(error).code
            }
            SweepError::NotEmpty(_)
            | SweepError::Nothing(_)
            | SweepError::Changed { .. }
            | SweepError::NotExtended(_)
            | SweepError::Foreign { .. } => Code::Usage,
            SweepError::Table(_) | SweepError::Io { .. } | SweepError::InUse(_) => Code::Runtime,
        };
        Failure::new(code, words)
    }
}
