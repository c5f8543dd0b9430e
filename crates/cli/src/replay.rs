//! `isotherm replay`: what was recorded, as it happened.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use isotherm_analysis::{Digest, Story};
use isotherm_frame::{BinnerLimits, Clock, Nanos, Series, TimeRange, Timestamp};
use isotherm_live::Address;
use isotherm_pipeline::{
    Binning, EventStream, Input, OpenRecordings, Replay, ReplayRange, SeriesFilter, Speed, Watched,
    WholeInputs, is_recording,
};
use isotherm_recording::Reader;
use isotherm_views::{OutputForm, TimeFormat};
use jiff::tz::TimeZone;

use crate::failure::Failure;
use crate::idle;
use crate::input;
use crate::range::{Part, interval_at};
use crate::range_args::RangeArgs;
use crate::replay_args::ReplayArgs;
use crate::signals::Signals;
use crate::speed::speed;
use crate::watch_sums::WatchSums;
use crate::when::Span;
use crate::{describe, screen, thresholds, view, when};

/// Events are shown at a second's resolution, as when they are watched live.
const BINNING: Binning = Binning::new(Nanos::SECOND, BinnerLimits::cells(8_192));

/// A replay, and the earliest moment of all there is.
struct Opened {
    replay: Replay,
    start: Timestamp,
    /// Whether it is read while it is shown.
    reads_ahead: bool,
}

/// Opens recordings, which are read while they are shown; `None` if one of the inputs is none.
fn open_recordings(
    args: &ReplayArgs,
    inputs: &[Input],
    (speed, stop): (Speed, &Arc<AtomicBool>),
) -> Result<Option<Opened>, Failure> {
    let path = |input: &'_ Input| match &input.address {
        Address::File(path) if is_recording(path) => Some(path.clone()),
        _ => None,
    };
    let Some(paths) = inputs.iter().map(path).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let Some(recordings) = OpenRecordings::open(&paths)? else { return Err(nothing(args)) };
    let ((start, end), clock) = (recordings.span(), recordings.clock());
    // Only moments that somebody typed may count from the end.
    let end = (args.from.is_some() || args.to.is_some()).then_some(end);
    let interval = |moment| {
        let readers = paths.iter().filter_map(|path| Reader::open(path).ok());
        readers.filter_map(|reader| interval_at(&reader, moment)).min_by_key(|(_, end)| *end)
    };
    let span = Span { start, end, ..Span::default() };
    let (part, range) = part(args, clock, span, &interval)?;
    some_wanted(recordings.series().iter(), args.series.as_deref())?;
    let replay = recordings.replay(range, args.input.oracle.idle, speed, Arc::clone(stop));
    opened((replay, true), start, &part).map(Some)
}

/// Reads everything, in the order of time.
fn open_all(
    args: &ReplayArgs,
    inputs: &[Input],
    (speed, stop): (Speed, &Arc<AtomicBool>),
) -> Result<Opened, Failure> {
    let mut whole = WholeInputs::read(inputs, &input::options(&args.input)?, BINNING)?;
    if let Some(text) = idle::message(whole.account()) {
        whole.add_message(text);
    }
    input::strict(&args.input, whole.account())?;
    let start = whole.start().ok_or_else(|| nothing(args))?;
    let span = Span { start, end: whole.end(), ..Span::default() };
    let interval = |moment| whole.interval_at(moment);
    let (part, range) = part(args, whole.account().clock, span, &interval)?;
    let replay = whole.replay(range, speed, Arc::clone(stop));
    some_wanted(replay.waiting_series(), args.series.as_deref())?;
    opened((replay, false), start, &part)
}

fn nothing(args: &ReplayArgs) -> Failure {
    let message = format!("{}: there is nothing to replay", input::title(&args.inputs));
    input::nothing(&args.input, message)
}

/// The part that the user wants to see, and the moments from which and up to which that is.
fn part(
    args: &ReplayArgs,
    clock: Clock,
    span: Span,
    interval: &dyn Fn(Timestamp) -> Option<(Timestamp, Timestamp)>,
) -> Result<(Part, ReplayRange), Failure> {
    let stretch = RangeArgs { from: args.from.clone(), to: args.to.clone() };
    let source = input::title(&args.inputs);
    let part = stretch.within_in(&zone(args, clock), Some(span), &source)?.some()?;
    let part = part.between(interval);
    let TimeRange { from, to } = part.range;
    let range = (from.unwrap_or(span.start), to.unwrap_or(Timestamp::new(i64::MAX)));
    Ok((part, range))
}

/// The replay of a part; fails where nothing lies in it.
fn opened(
    (replay, reads_ahead): (Replay, bool),
    start: Timestamp,
    part: &Part,
) -> Result<Opened, Failure> {
    match part.nothing().filter(|_| replay.is_without_intervals()) {
        Some(nothing) => Err(nothing),
        None => Ok(Opened { replay, start, reads_ahead }),
    }
}

/// `isotherm replay`
pub fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let pace = (speed(&args.speed)?, &signals.flag());
    let inputs = input::expand(&args.inputs, &args.input.oracle)?;
    let opened = match open_recordings(args, &inputs, pace).transpose() {
        Some(opened) => opened,
        None => open_all(args, &inputs, pace),
    };
    let Opened { mut replay, start, reads_ahead } =
        thresholds::or_unsure(&args.thresholds.fail_if, opened)?;
    let shown = view::ViewOptions {
        runs: None,
        title: input::title(&args.inputs),
        column: replay.usual_interval(),
        series: args.series.clone(),
        ui: args.ui.or_table(args.table),
        leave: false,
        captions: false,
        memory: args.input.memory,
        stop: signals.flag(),
        geometry: args.geometry.geometry(),
        screen: &args.screen,
    };
    let digest = args.describe.then(|| Digest::new(Story::MOST_CELLS));
    let sums = WatchSums::new(&args.thresholds.fail_if, args.series.as_deref());
    let mut sums = sums.with_digest(digest);
    replay.start_clock();
    view::run(&mut Watched::new(&mut replay, &mut sums.collector), &shown)?;
    sums.or_unsure(replay.take_error().map_or(Ok(()), |error| Err(error.into())))?;
    // Of recordings it is known only now; of what was read whole it has been said.
    if let Some(text) = idle::message(replay.account()).filter(|_| reads_ahead) {
        screen::warn(&text);
    }
    let mut sentences = sums.collector.kept.1.iter().flat_map(|digest| {
        let zero = digest.frames().iter().map(|frame| frame.start).min().unwrap_or(start);
        describe::of_digest(digest, &TimeFormat::new(replay.account().clock, zero), None)
    });
    let mut out = screen::output(OutputForm::Text);
    let written = sentences.try_for_each(|sentence| writeln!(out, "# {sentence}"));
    screen::written(written.and_then(|()| out.flush()))?;
    input::strict(&args.input, replay.account())?;
    sums.judge()
}

/// The zone of the view: that of this machine where the maps are shown with its time.
fn zone(args: &ReplayArgs, clock: Clock) -> TimeZone {
    let local = view::has_local_time(args.ui.or_table(args.table)) && clock == Clock::Epoch;
    when::zone(args.screen.utc || !local)
}

/// Fails if none of the series is wanted.
fn some_wanted<'a>(
    series: impl Iterator<Item = &'a Series>,
    wanted: Option<&str>,
) -> Result<(), Failure> {
    let filter = SeriesFilter::new(wanted);
    for series in series {
        filter.matches(series);
    }
    filter.unmatched().map_or(Ok(()), |text| Err(Failure::unmatched(text)))
}
