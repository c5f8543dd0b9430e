//! `isotherm demo`: a simulated story with an incident in it, explained while it is shown.

mod captions;
mod scenario;

use std::path::{Path, PathBuf};

use clap::Args;
use isotherm_analysis::Geometry;
use isotherm_frame::{Account, Event, Nanos, Timestamp};
use isotherm_pipeline::{MemoryBudget, WholeInputs};
use isotherm_recording::{About, Durability, RecordedMark, Writer};

use crate::choices::UiArg;
use crate::failure::Failure;
use crate::output::{Destination, Kind};
use crate::report::{self, ReportBuilder};
use crate::screen_args::ScreenArgs;
use crate::signals::Signals;
use crate::speed::speed;
use crate::{screen, view, when};
use scenario::Scenario;

/// `demo`
#[derive(Args, Debug)]
pub struct DemoArgs {
    /// How many times faster than it happened, or max
    #[arg(long, value_name = "N", default_value = "10")]
    pub speed: String,
    /// The view
    #[arg(long, value_enum, default_value = "auto")]
    pub ui: UiArg,
    /// Write a report of the story instead of showing it
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write the story as a recording instead of showing it
    #[arg(short, long, value_name = "FILE.heat")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file (one that is no report)
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// What it is called: nobody shall take it for a measurement.
const TITLE: &str = "demo (simulated)";

/// `isotherm demo`
pub fn run(args: &DemoArgs) -> Result<(), Failure> {
    let scenario = Scenario::draw();
    if let Some(path) = &args.output {
        record(&scenario, path)?;
    }
    if let Some(path) = &args.report {
        write_report(&scenario, path, args.force)?;
    }
    if args.output.is_some() || args.report.is_some() {
        return Ok(());
    }
    show(&scenario, args)
}

fn show(scenario: &Scenario, args: &DemoArgs) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let has_keys = view::has_local_time(args.ui);
    let zone = when::zone(args.screen.utc || !has_keys);
    let mut events = events(scenario);
    events.extend(captions::captions(&zone, has_keys));
    let range = (scenario::at(Nanos::ZERO), Timestamp::new(i64::MAX));
    let speed = speed(&args.speed)?;
    let whole = WholeInputs::of_events(events, account(scenario));
    let mut replay = whole.replay(range, speed, signals.flag());
    let shown = view::ViewOptions {
        runs: None,
        title: TITLE.to_owned(),
        column: Nanos::SECOND,
        series: None,
        ui: args.ui,
        leave: false,
        captions: true,
        memory: MemoryBudget::default(),
        stop: signals.flag(),
        geometry: Geometry::default(),
        screen: &args.screen,
    };
    replay.start_clock();
    view::run(&mut replay, &shown)
}

/// Intervals and marks, each with the moment at which it is shown.
fn events(scenario: &Scenario) -> Vec<(Timestamp, Event)> {
    let frames = scenario.frames().into_iter().map(|frame| (frame.end, Event::Frame(frame)));
    let marks = Scenario::marks().into_iter().map(|mark| (mark.at, Event::Mark(mark)));
    frames.chain(marks).collect()
}

fn account(scenario: &Scenario) -> Account {
    Account { records: scenario.events(), ..Account::default() }
}

/// Writes the story as a recording: the same frames and marks whoever writes it.
fn record(scenario: &Scenario, path: &Path) -> Result<(), Failure> {
    let mut writer = Writer::create(path, &about(), Durability::Normal)?;
    writer.write(&scenario.frames())?;
    for mark in Scenario::marks() {
        writer.mark(&RecordedMark::new(&mark, "demo"))?;
    }
    writer.add_account(&account(scenario))?;
    writer.finish()?;
    screen::warn(&format!("wrote {}", path.display()));
    Ok(())
}

fn about() -> About {
    About::new(TITLE)
        .with_command_line("isotherm demo")
        .with_isotherm_version(env!("CARGO_PKG_VERSION"))
        .with_started(scenario::at(Nanos::ZERO))
}

fn write_report(scenario: &Scenario, path: &Path, force: bool) -> Result<(), Failure> {
    let nothing: [&Path; 0] = [];
    let destination = Destination::to(path, Kind::Page, force, &nothing)?;
    let events = events(scenario).into_iter().map(|(_, event)| event);
    let gathered = ReportBuilder::of_events(about(), events, &account(scenario));
    report::write_page(&gathered, &destination)
}
