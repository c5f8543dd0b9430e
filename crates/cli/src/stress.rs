//! `isotherm stress`: load is made, shown while it runs, recorded, and told at the end.

mod beside;
mod course;
mod making;
mod ready;
mod sheet;

use std::time::Duration;

use isotherm_analysis::Threshold;
use isotherm_experiment::Run;
use isotherm_load::{Ended, Job};
use isotherm_recording::without_secrets;
use isotherm_views::{LoadJson, LoadSheet, LoadTable};

use crate::args::{ColorArg, StatsFormat};
use crate::failure::{Code, Failure};
use crate::intake::Happening;
use crate::load_args;
use crate::progress::ProgressLine;
use crate::pulse::{Pulse, Turn};
use crate::recorder::{Recorder, Wanted};
use crate::report::put;
use crate::screen;
use crate::stats::failing;
use crate::stress_args::{KeepArgs, StressArgs, StressUi};
use crate::view;
use course::Course;
use making::{Made, Making, Order};

pub use sheet::spread;

/// `isotherm stress`
pub fn run(args: &StressArgs) -> Result<(), Failure> {
    match &args.command {
        Some(command) => ready::run(command),
        None => stress(args, args.target.as_deref().unwrap_or_default()),
    }
}

fn stress(args: &StressArgs, target: &str) -> Result<(), Failure> {
    let view = args.ui.live(screen::is_terminal());
    let lines = view.is_some() && !matches!(args.ui, StressUi::Auto | StressUi::Tui);
    if lines && args.output.is_none() && args.format == StatsFormat::Json {
        let words = "--format json and the lines of --ui would mix: name a file with -o";
        return Err(Failure::usage(words));
    }
    let job = args.load.job(target)?;
    let address = load_args::address(target)?;
    let recorder = args.keep.recorder(target)?;
    let order = Order { address, job: job.clone(), device: args.device };
    let mut making = Making::begin(order, recorder)?;
    let mut line = ProgressLine::new(!args.quiet.quiet && !args.quiet.no_progress);
    making.prepare(&mut line);
    // Whatever becomes of the view: what was measured is told.
    let mut viewed = Ok(());
    if making.is_running() {
        let interval = isotherm_load::interval(&job);
        making.watch(&args.keep.sources(target), interval);
        let shown = view::Shown {
            title: without_secrets(target),
            column: interval,
            series: None,
            ui: view.unwrap_or(crate::args::UiArg::Auto),
            leave: true,
            screen: &args.screen,
        };
        match view {
            Some(_) => viewed = view::run(&mut making, &shown),
            None => follow(&mut making, &mut line, (&job, args.quiet.quiet)),
        }
    }
    let made = making.end(&mut |happened| tell(happened, args.quiet.quiet))?;
    line.clear();
    conclude(args, made).and(viewed)
}

/// Waits for the end without a view.
fn follow(making: &mut Making, line: &mut ProgressLine, (job, quiet): (&Job, bool)) {
    let mut course = Course::default();
    loop {
        match making.next(Duration::from_millis(200)) {
            Turn::On(happened) => {
                course.take(&happened);
                if happened.iter().any(|one| matches!(one, Happening::Said(_))) {
                    line.clear();
                }
                tell(happened, quiet);
                line.show(&course.told(job));
            }
            Turn::Over(happened, _) => {
                line.clear();
                return tell(happened, quiet);
            }
        }
    }
}

/// Tells the user what is to be told.
fn tell(happened: Vec<Happening>, quiet: bool) {
    for happening in happened {
        match happening {
            Happening::Said(text) if !quiet => screen::warn(&text),
            Happening::Anomaly(anomaly) if !quiet => screen::warn(&anomaly.to_string()),
            _ => {}
        }
    }
}

impl KeepArgs {
    fn recorder(&self, source: &str) -> Result<Option<Recorder>, Failure> {
        let open = |path| {
            let (append, keep, durable) = (false, None, self.durable);
            Recorder::open(&Wanted { path, source, append, durable, keep })
        };
        self.record.as_deref().map(open).transpose()
    }

    /// What to watch besides: of a database also what it waits for, if it can be asked without
    /// asking the user for a password once more.
    fn sources(&self, target: &str) -> Vec<String> {
        let mut sources = self.alongside.clone();
        let silent = std::env::var_os("ISOTHERM_ORACLE_PASSWORD").is_some()
            || target.contains("password_file=");
        let own = target.starts_with("oracle://") && silent && !self.no_alongside;
        if own && !sources.iter().any(|source| source == target) {
            sources.push(target.to_owned());
        }
        sources
    }
}

/// Prints what came of it, and says how it ended.
fn conclude(args: &StressArgs, made: Made) -> Result<(), Failure> {
    let recording = args.keep.record.as_ref();
    let mut run = match made.run {
        Ok(run) => run,
        Err(error) => {
            if let Some(path) = recording.filter(|_| !made.recorded) {
                // Nothing of value is in a recording of nothing.
                let _ = std::fs::remove_file(path);
            }
            let mut failure = Failure::from(error);
            if made.interrupted {
                failure.code = Code::Interrupted;
            }
            return Err(failure);
        }
    };
    run.label = sheet::label(&run.job);
    run.recording =
        recording.and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    let sheet = sheet::sheet(&run, recording.map(|path| path.display().to_string()));
    print(args, &run, &sheet)?;
    if made.interrupted {
        return Err(Failure::new(Code::Interrupted, ""));
    }
    if let Some(lost) = made.lost {
        return Err(Failure::new(Code::Runtime, lost));
    }
    if let Ended::Failed(words) = &run.outcome.ended {
        return Err(Failure::new(Code::Runtime, words.clone()));
    }
    judge(&args.fail_if, &run)
}

/// Prints the summary, or writes it to the file that is wanted.
fn print(args: &StressArgs, run: &Run, sheet: &LoadSheet) -> Result<(), Failure> {
    let file = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let mut screen_args = args.screen.clone();
    if file.is_some() {
        screen_args.color = Some(ColorArg::Never);
    }
    let mut bytes = Vec::new();
    let rendered = match args.format {
        StatsFormat::Table => {
            let on_screen = file.is_none() && screen::is_terminal();
            let width = Some(if on_screen { screen::width(None) } else { 100 });
            LoadTable { width }.render(sheet, screen::style(&screen_args, false), &mut bytes)
        }
        StatsFormat::Json => {
            let value = serde_json::to_value(run)
                .map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
            LoadJson { run: value }.render(sheet, &mut bytes)
        }
    };
    screen::written(rendered)?;
    match file {
        None => screen::print(&String::from_utf8_lossy(&bytes)),
        Some(path) => put(path, &bytes).map_err(|error| {
            Failure::new(Code::Runtime, format!("cannot write '{}': {error}", path.display()))
        }),
    }
}

/// Fails when a condition holds, or might hold, for the response times of all operations.
fn judge(thresholds: &[Threshold], run: &Run) -> Result<(), Failure> {
    let latencies = run.outcome.response().histogram();
    let told = |threshold: &Threshold| failing(threshold, &latencies, "the load");
    let failed: Vec<String> = thresholds.iter().filter_map(told).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(Failure::new(Code::Threshold, failed.join("\n")))
}
