//! `isotherm replay`: what was recorded, as it happened.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use isotherm_analysis::{Digest, Story};
use isotherm_frame::{
    Account, BinnerLimits, Clock, Event, Mark, Nanos, Series, TimeRange, Timestamp,
};
use isotherm_pipeline::{
    Batch, Binning, EventStream, Input, OpenRecording, Replay, ReplayRange, SeriesFilter, Speed,
    WholeInputs, contains, is_recording,
};
use isotherm_recording::Reader;
use isotherm_sources::Address;
use isotherm_views::{OutputForm, TimeFormat};
use jiff::tz::TimeZone;

use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::idle;
use crate::input;
use crate::range::Part;
use crate::range_args::RangeArgs;
use crate::signals::Signals;
use crate::speed::speed;
use crate::watched::{Sums, Watched};
use crate::when::Span;
use crate::{describe, screen, thresholds, view, when};

/// Events are shown at a second's resolution, as when they are watched live.
const BINNING: Binning = Binning { interval: Nanos::SECOND, limits: BinnerLimits::cells(8_192) };

/// A replay that keeps what is described at its end.
struct Described<'a> {
    replay: Replay,
    /// What of everything shown is described, if anything.
    digest: Option<Digest>,
    /// The text that series described contain.
    series: Option<&'a str>,
}

impl EventStream for Described<'_> {
    fn next(&mut self, timeout: Duration) -> Batch {
        let batch = self.replay.next(timeout);
        if let Some(digest) = &mut self.digest {
            let frames = batch.events.iter().filter_map(Event::frame);
            frames
                .filter(|frame| contains(&frame.series, self.series))
                .for_each(|frame| digest.push(frame));
        }
        batch
    }

    fn mark(&mut self, mark: &Mark) -> Option<String> {
        self.replay.mark(mark)
    }

    fn account(&self) -> &Account {
        self.replay.account()
    }

    fn is_live(&self) -> bool {
        self.replay.is_live()
    }
}

/// A replay, and the earliest moment of all there is.
struct Opened {
    replay: Replay,
    start: Timestamp,
}

/// Opens a single recording, which is read while it is shown; `None` if it is not one.
fn open_recording(
    args: &ReplayArgs,
    inputs: &[Input],
    (speed, stop): (Speed, &Arc<AtomicBool>),
) -> Result<Option<Opened>, Failure> {
    let [Input { address: Address::File(path), .. }] = inputs else { return Ok(None) };
    if !is_recording(path) {
        return Ok(None);
    }
    let Some(recording) = OpenRecording::open(path)? else { return Err(nothing(args)) };
    let (start, clock) = recording.start();
    // Only moments that somebody typed may count from the end.
    let end = match (&args.from, &args.to) {
        (None, None) => None,
        _ => Reader::open(path)?.span()?.map(|(_, end)| end),
    };
    let (part, range) = part(args, clock, Span { start, end, ..Span::default() })?;
    some_wanted(recording.series()?.iter(), args.series.as_deref())?;
    let replay = recording.replay(range, args.input.oracle.idle, speed, Arc::clone(stop))?;
    opened(replay, start, &part).map(Some)
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
    let (part, range) = part(args, whole.account().clock, span)?;
    let replay = whole.replay(range, speed, Arc::clone(stop));
    some_wanted(replay.waiting_series(), args.series.as_deref())?;
    opened(replay, start, &part)
}

fn nothing(args: &ReplayArgs) -> Failure {
    let message = format!("{}: there is nothing to replay", input::title(&args.inputs));
    input::nothing(&args.input, message)
}

/// The part that the user wants to see, and the moments from which and up to which that is.
fn part(args: &ReplayArgs, clock: Clock, span: Span) -> Result<(Part, ReplayRange), Failure> {
    let stretch = RangeArgs { from: args.from.clone(), to: args.to.clone() };
    let source = input::title(&args.inputs);
    let part = stretch.within_in(&zone(args, clock), Some(span), &source)?.some()?;
    let TimeRange { from, to } = part.range;
    let range = (from.unwrap_or(span.start), to.unwrap_or(Timestamp::new(i64::MAX)));
    Ok((part, range))
}

/// The replay of a part; fails where nothing lies in it.
fn opened(replay: Replay, start: Timestamp, part: &Part) -> Result<Opened, Failure> {
    match part.nothing().filter(|_| replay.is_without_intervals()) {
        Some(nothing) => Err(nothing),
        None => Ok(Opened { replay, start }),
    }
}

/// `isotherm replay`
pub fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let pace = (speed(&args.speed)?, &signals.flag());
    let inputs = input::expand(&args.inputs, &args.input.oracle)?;
    let opened = match open_recording(args, &inputs, pace).transpose() {
        Some(opened) => opened,
        None => open_all(args, &inputs, pace),
    };
    let Opened { replay, start } = thresholds::or_unsure(&args.thresholds.fail_if, opened)?;
    let shown = view::ViewOptions {
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
    let mut described = Described { replay, digest, series: args.series.as_deref() };
    described.replay.start_clock();
    let sums = Sums::new(&args.thresholds.fail_if, args.series.as_deref());
    let mut watched = Watched::new(&mut described, sums);
    view::run(&mut watched, &shown)?;
    let sums = watched.into_sums();
    let mut sentences = described.digest.iter().flat_map(|digest| {
        let zero = digest.frames().iter().map(|frame| frame.start).min().unwrap_or(start);
        describe::of_digest(digest, &TimeFormat::new(described.replay.account().clock, zero), None)
    });
    let mut out = screen::output(OutputForm::Text);
    let written = sentences.try_for_each(|sentence| writeln!(out, "# {sentence}"));
    screen::written(written.and_then(|()| out.flush()))?;
    input::strict(&args.input, described.replay.account())?;
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
