//! `isotherm stress`: load is made, shown while it runs, recorded, and summed up at the end.

mod follow;
mod ready;

use std::path::PathBuf;

use isotherm_analysis::{DeviceClass, Geometry, Observed, Threshold};
use isotherm_experiment::{Run, Setting, execute};
use isotherm_load::{Address, Arrival, Ended, Job, engine_of};
use isotherm_pipeline::{LoadEnded, LoadRun, MemoryBudget, Recorder, Recording, SideSource, Work};
use isotherm_views::{LoadResult, LoadTable, quantity, write_json};

use crate::about::about;
use crate::choices::{ColorArg, StatsFormat};
use crate::failure::{Code, Failure};
use crate::load_address;
use crate::output::{Destination, Kind};
use crate::progress::ProgressLine;
use crate::redact::{redacted, redacted_source};
use crate::screen;
use crate::signals::Signals;
use crate::stress_args::{KeepArgs, StressArgs, StressUi};
use crate::thresholds::{Judged, Judgement};
use crate::view;
use follow::Following;
pub use follow::print_messages;

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
        let words = "--format json and --ui both print to standard output: name a file with -o";
        return Err(Failure::usage(words));
    }
    let job = args.load.job(target)?;
    let summary = summary(args, target)?;
    let address = load_address::address(target)?;
    let recorder = args.keep.recorder(target)?;
    let signals = Signals::register()?;
    let mut load = LoadRun::begin(work(address, &job, args.device), recorder, signals.flag())?;
    let mut line = ProgressLine::new(!args.quiet.quiet && !args.quiet.no_progress);
    load.prepare(&mut |progress| line.progress(progress));
    line.clear();
    // Whatever becomes of the view: what was measured is reported.
    let mut viewed = Ok(());
    if load.is_running() {
        let interval = isotherm_load::interval(&job);
        for source in args.keep.sources(target) {
            load.watch(SideSource::open(
                &source,
                redacted_source(&source),
                interval,
                &signals.flag(),
            ));
        }
        let shown = view::ViewOptions {
            runs: None,
            title: redacted(target),
            column: interval,
            series: None,
            ui: view.unwrap_or(crate::choices::UiArg::Auto),
            leave: true,
            captions: false,
            memory: MemoryBudget::default(),
            stop: signals.flag(),
            geometry: Geometry::default(),
            screen: &args.screen,
        };
        let following = Following {
            target: &shown.title,
            is_quiet: args.quiet.quiet,
            is_ascii: args.screen.ascii,
        };
        match view {
            Some(_) => viewed = view::run(&mut load, &shown),
            None => following.follow(&mut load, &mut line),
        }
    }
    let ended = load.end(&mut |events| print_messages(events, args.quiet.quiet))?;
    line.clear();
    conclude(args, ended, summary.as_ref()).and(viewed)
}

/// What the load's thread does.
fn work(address: Address, job: &Job, device: Option<DeviceClass>) -> Box<Work<Run>> {
    let job = job.clone();
    Box::new(move |stop, progress, observer| {
        let setting = Setting { address: &address, job: &job, device, stop };
        execute(&setting, progress, observer)
    })
}

/// The file for the summary, looked at before any load is ended.
fn summary(args: &StressArgs, target: &str) -> Result<Option<Destination>, Failure> {
    let kind = match args.format {
        StatsFormat::Table => Kind::Text,
        StatsFormat::Json => Kind::Json,
    };
    let record = args.keep.record.iter().cloned();
    let used: Vec<PathBuf> = record.chain([PathBuf::from(target)]).collect();
    let file = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    file.map(|path| Destination::to(path, kind, args.force, &used)).transpose()
}

impl KeepArgs {
    fn recorder(&self, source: &str) -> Result<Option<Recorder>, Failure> {
        let about = about(source);
        let open = |path| {
            let (append, keep, durable) = (false, None, self.durable);
            Recorder::open(&Recording { path, about: &about, append, durable, keep })
        };
        Ok(self.record.as_deref().map(open).transpose()?)
    }

    /// What to watch besides: of a database also what it waits for, if it can be asked without
    /// asking the user for a password once more.
    fn sources(&self, target: &str) -> Vec<String> {
        let mut sources = self.alongside.clone();
        let silent = std::env::var_os("ISOTHERM_ORACLE_PASSWORD").is_some()
            || target.contains("password_file=");
        let own = engine_of(target).is_watched_alongside() && silent && !self.no_alongside;
        if own && !sources.iter().any(|source| source == target) {
            sources.push(target.to_owned());
        }
        sources
    }
}

/// Prints what came of it, and says how it ended.
fn conclude(
    args: &StressArgs,
    ended: LoadEnded<Run>,
    summary: Option<&Destination>,
) -> Result<(), Failure> {
    let recording = args.keep.record.as_ref();
    let mut run = match ended.result {
        Ok(run) => run,
        Err(error) => {
            if let Some(path) = recording.filter(|_| !ended.recorded) {
                // Nothing of value is in a recording of nothing.
                let _ = std::fs::remove_file(path);
            }
            let mut failure = Failure::from(error);
            if ended.interrupted {
                failure.code = Code::Interrupted;
            }
            return Err(failure);
        }
    };
    run.label = label(&run.job);
    run.recording =
        recording.and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    let recording = recording.map(|path| path.display().to_string());
    let judgement = judge(&args.fail_if, &run);
    let result = LoadResult::new(&run, recording.as_deref());
    print(args, &result.with_thresholds(&judgement.json), summary)?;
    if ended.interrupted {
        return Err(Failure::new(Code::Interrupted, ""));
    }
    if let Some(lost) = ended.lost {
        return Err(Failure::new(Code::Runtime, lost));
    }
    if let Ended::Failed(words) = &run.outcome.ended {
        return Err(Failure::new(Code::Runtime, words.clone()));
    }
    let is_shown = args.format == StatsFormat::Table && summary.is_none();
    judgement.conclude_below(is_shown, args.quiet.quiet)
}

/// The point of a single run in words, as in a sweep.
fn label(job: &Job) -> String {
    match job.arrival {
        Arrival::Closed { in_flight, .. } => format!("in-flight {in_flight}"),
        Arrival::Open { rate_hz, .. } => format!("rate {}", quantity(rate_hz)),
    }
}

/// Prints the summary, or writes it to the file that is wanted.
fn print(
    args: &StressArgs,
    result: &LoadResult,
    file: Option<&Destination>,
) -> Result<(), Failure> {
    let mut screen_args = args.screen.clone();
    if file.is_some() {
        screen_args.color = Some(ColorArg::Never);
    }
    let mut bytes = Vec::new();
    let rendered = match args.format {
        StatsFormat::Table => {
            let on_screen = file.is_none() && screen::is_terminal();
            let extent = screen::extent(args.details, on_screen);
            let width = Some(if on_screen { screen::width(None) } else { 100 });
            LoadTable { width, extent }.render(
                result,
                screen::style(&screen_args, false),
                &mut bytes,
            )
        }
        StatsFormat::Json => write_json(result, &mut bytes),
    };
    screen::written(rendered)?;
    match file {
        None => screen::print(args.format.into(), &String::from_utf8_lossy(&bytes)),
        Some(file) => file.write(&bytes).map(drop),
    }
}

/// What conditions come to for the response times of all operations.
fn judge(conditions: &[Threshold], run: &Run) -> Judgement {
    let latencies = run.outcome.response().histogram();
    let observed = Observed::of_rate(&latencies, Some(run.outcome.per_second()));
    Judgement::of(conditions, |condition| {
        vec![Judged::of(condition, "response time of all operations".to_owned(), &observed)]
    })
}
