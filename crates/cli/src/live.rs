//! `isotherm live` and `record`: a source as it happens.

use std::time::Duration;

use isotherm_formats::Context;
use isotherm_frame::{MissingAttribute, Nanos};
use isotherm_live::{Address, LiveOptions, ProbeOptions};
use isotherm_pipeline::{
    Batch, EventStream, Live, Recorder, Recording, Watched, is_recording, open_flight_recorder,
};
use isotherm_recording::RecordingError;

use crate::about::about;
use crate::events;
use crate::failure::{Code, Failure};
use crate::idle;
use crate::input::{context, source_named, strict};
use crate::input_args::InputArgs;
use crate::live_args::LiveArgs;
use crate::probe_args::ProbeArgs;
use crate::record_args::RecordArgs;
use crate::screen;
use crate::signals::Signals;
use crate::thresholds;
use crate::view;
use crate::watch_sums::WatchSums;

/// What of the command line is about the source.
pub struct SourceOptions<'a> {
    pub source: &'a str,
    pub input: &'a InputArgs,
    pub probe: &'a ProbeArgs,
    pub duration: Option<Nanos>,
    pub follow: bool,
    /// Whether everything is kept for later, idle waits too.
    pub keeps: bool,
}

/// Opens the source; it ends when a signal asks it to.
pub fn open(options: &SourceOptions, signals: &Signals) -> Result<Live, Failure> {
    let SourceOptions { source, input, probe, duration, follow, keeps } = *options;
    if duration == Some(Nanos::ZERO) {
        return Err(Failure::usage("--for 0s: there would be nothing to see"));
    }
    let address = input.oracle.address(source)?;
    if follow && !matches!(address, Address::File(_)) {
        return Err(Failure::usage(format!("--follow: '{address}' is not a file that grows")));
    }
    let context = context(input);
    let options = LiveOptions {
        context: Context { leave_out_idle: context.leave_out_idle && !keeps, ..context },
        probe: probe_options(probe)?,
        interval: input.interval,
        follow,
        as_source: source_named(input)?,
    };
    Ok(Live::open(&address, &options, duration, signals.flag())?)
}

fn signals() -> Result<Signals, Failure> {
    Signals::register()
}

/// Ends the source and the recording; says how the source ended and what was recorded.
pub fn close(live: Live, args: &InputArgs, status: Option<&str>) -> Result<(), Failure> {
    let closed = live.close();
    if let Some(text) = idle::message(&closed.account) {
        screen::warn(&text);
    }
    if let (Some(status), Some(recorded)) = (status, &closed.recorded) {
        screen::warn(&format!("{status}; {recorded}"));
    }
    let failed = closed.recording_error.map(|error| error.to_string());
    let lost: Vec<String> = closed.lost.into_iter().chain(failed).collect();
    if !lost.is_empty() {
        return Err(Failure::new(Code::Runtime, lost.join("; ")));
    }
    if let Some(error) = closed.error {
        return Err(error.into());
    }
    strict(args, &closed.account)?;
    let grouped = |missing: &&MissingAttribute| args.by.contains(&missing.name);
    for missing in closed.account.missing_attributes.iter().filter(grouped) {
        screen::warn(&ungrouped(missing));
    }
    let asked = |name: &str| args.only.iter().any(|only| only.attribute == name);
    let unknown = closed.account.missing_attributes.iter().find(|missing| asked(&missing.name));
    unknown.map_or(Ok(()), |missing| Err(without_attribute(missing)))
}

/// Why nothing was left out although that was asked for.
fn without_attribute(missing: &MissingAttribute) -> Failure {
    Failure::usage(format!(
        "--where {}: no event has had this attribute, so nothing was left out; {}",
        missing.name,
        known_attributes(missing)
    ))
}

/// Why there is one series although more were asked for.
fn ungrouped(missing: &MissingAttribute) -> String {
    format!(
        "--by {}: no event has had this attribute, so events were not grouped by it; {}",
        missing.name,
        known_attributes(missing)
    )
}

fn known_attributes(MissingAttribute { known, .. }: &MissingAttribute) -> String {
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    format!("attributes of this source: {known}")
}

fn probe_options(args: &ProbeArgs) -> Result<ProbeOptions, Failure> {
    let (rate_hz, block, write) = (args.rate, args.block, args.write);
    let options = ProbeOptions { rate_hz, block, size: probe_size(args.size), write };
    options.check().map_err(|error| Failure::usage(error.to_string()))?;
    Ok(options)
}

/// The bytes of the scratch file. Less than the smallest block was meant in MiB, as until this
/// release.
fn probe_size(size: u64) -> u64 {
    if size >= 4_096 {
        return size;
    }
    let (old, new) = (format!("--size {size}"), format!("--size {size}M"));
    screen::warn(&crate::spelling::old_spelling(&old, &new));
    size << 20
}

impl LiveArgs {
    fn recorder(&self) -> Result<Option<Recorder>, Failure> {
        let LiveArgs { source, durable, .. } = self;
        let (about, path) = (about(source), self.record.as_deref());
        if let Some(keep) = kept(self.keep)? {
            return Ok(Some(open_flight_recorder(path, &about, *durable, keep)?));
        }
        let (durable, append, keep) = (*durable, false, None);
        let open = |path| Recorder::open(&Recording { path, about: &about, append, durable, keep });
        Ok(path.map(open).transpose()?)
    }

    fn source_options(&self) -> SourceOptions<'_> {
        let LiveArgs { source, input, probe, duration, follow, .. } = self;
        SourceOptions { source, input, probe, duration: *duration, follow: *follow, keeps: false }
    }
}

/// How much a flight recorder is to keep.
pub fn kept(keep: Option<Nanos>) -> Result<Option<Nanos>, Failure> {
    if keep == Some(Nanos::ZERO) {
        return Err(Failure::usage("--keep 0s: there would be nothing to look back at"));
    }
    Ok(keep)
}

impl RecordArgs {
    fn recorder(&self) -> Result<Recorder, Failure> {
        let RecordArgs { source, output: path, append, durable, .. } = self;
        let (append, durable, keep) = (*append, *durable, kept(self.keep)?);
        let about = about(source);
        let recording = Recording { path, about: &about, append, durable, keep };
        Recorder::open(&recording).map_err(|error| match error {
            RecordingError::Exists(_) => {
                Failure::new(Code::Runtime, format!("{error}, or use --append to add to it"))
            }
            other => other.into(),
        })
    }

    fn source_options(&self) -> SourceOptions<'_> {
        let RecordArgs { source, input, probe, duration, follow, .. } = self;
        SourceOptions { source, input, probe, duration: *duration, follow: *follow, keeps: true }
    }
}

/// `isotherm live`
pub fn run(args: &LiveArgs) -> Result<(), Failure> {
    if args.events {
        return events::run(&args.source);
    }
    if args.source != "-" && is_recording(std::path::Path::new(&args.source)) {
        return Err(Failure::usage(format!(
            "{} is a recording: use `isotherm replay {0}`",
            args.source
        )));
    }
    let signals = signals()?;
    let conditions = &args.thresholds.fail_if;
    let mut live = thresholds::or_unsure(conditions, open(&args.source_options(), &signals))?;
    if let Some(recorder) = args.recorder()? {
        live.record_with(recorder);
    }
    let shown = view::ViewOptions {
        runs: None,
        title: crate::redact::redacted_source(&args.source),
        column: live.interval(),
        series: args.series.clone(),
        ui: args.ui.or_table(args.table),
        leave: false,
        captions: false,
        memory: args.input.memory,
        stop: signals.flag(),
        geometry: args.geometry.geometry(),
        screen: &args.screen,
    };
    let mut sums = WatchSums::new(&args.thresholds.fail_if, args.series.as_deref());
    view::run(&mut Watched::new(&mut live, &mut sums.collector), &shown)?;
    sums.or_unsure(close(live, &args.input, None))?;
    sums.some_matched()?;
    sums.judge()
}

/// `isotherm record`
pub fn record(args: &RecordArgs) -> Result<(), Failure> {
    let conditions = &args.thresholds.fail_if;
    let live = open(&args.source_options(), &signals()?);
    let mut live = thresholds::or_unsure(conditions, live)?;
    live.record_with(args.recorder()?);
    let mut no_frames = true;
    let mut sums = WatchSums::new(&args.thresholds.fail_if, None);
    loop {
        let Batch { events, ended } = live.next(Duration::from_millis(200));
        sums.collector.watch(&events);
        no_frames &= !events.iter().any(|event| event.frame().is_some());
        events.iter().for_each(screen::warn_of);
        let Some(status) = ended else { continue };
        let account = live.account();
        let silent = no_frames && account.records == 0 && account.rejected == 0;
        if silent && !live.has_failed() {
            live.abandon();
            return sums.or_unsure(Err(no_data(&args.source)));
        }
        if no_frames && !args.input.only.is_empty() && !live.has_failed() {
            live.abandon();
            let message = format!("{}: no events", crate::redact::redacted_source(&args.source));
            return sums.or_unsure(Err(Failure::unmatched(message)));
        }
        sums.or_unsure(close(live, &args.input, Some(&status)))?;
        return sums.judge();
    }
}

/// A source that has said nothing at all is no success.
fn no_data(source: &str) -> Failure {
    let source = crate::redact::redacted_source(source);
    let text = format!("no data came from {source}: nothing was recorded");
    Failure { no_events: true, ..Failure::new(Code::Unreachable, text) }
}
