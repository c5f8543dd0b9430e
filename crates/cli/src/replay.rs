//! `isotherm replay`: what was recorded, as it happened.

mod ahead;

use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use isotherm_analysis::{Digest, Story};
use isotherm_frame::{BinnerLimits, Clock, Nanos, Series, Timestamp};
use isotherm_sources::{Address, Tally};
use isotherm_views::{Moments, OutputForm};
use jiff::tz::TimeZone;

use crate::args::ReplayArgs;
use crate::failure::{Code, Failure};
use crate::input::{self, Binning};
use crate::inputs::{self, Input};
use crate::intake::Happening;
use crate::pulse::{Pulse, Turn};
use crate::series_filter::SeriesFilter;
use crate::signals::Signals;
use crate::{screen, story, view, when};

use ahead::{Ahead, Batch};

/// Events are shown at a second's resolution, as when they are watched live.
const BINNING: Binning = Binning { interval: Nanos::SECOND, limits: BinnerLimits::cells(8_192) };

/// How many intervals are shown at once when there is no pace to keep.
const AT_ONCE: usize = 64;
/// How long the first intervals of a recording are waited for: the view is laid out by them.
const FIRST: Duration = Duration::from_secs(10);

struct Replay {
    /// What is still to be shown, by the moment it happened.
    waiting: VecDeque<(Timestamp, Happening)>,
    /// Where more of it comes from, while there is any.
    more: Option<Receiver<Batch>>,
    start: Timestamp,
    began: Instant,
    /// Times faster than it happened; `None` for as fast as can be.
    speed: Option<f64>,
    tally: Tally,
    signals: Signals,
    /// What of everything shown is told at the end, if anything: of series with this text.
    digest: Option<(Digest, Option<String>)>,
}

impl Replay {
    /// The moment the replay has reached.
    fn reached(&self) -> Timestamp {
        let Some(speed) = self.speed else { return Timestamp::new(i64::MAX) };
        let passed = self.began.elapsed().as_secs_f64() * speed;
        self.start.plus(Nanos::from_secs_f64(passed).unwrap_or(Nanos::new(u64::MAX)))
    }

    /// The real time until what happened next is due.
    fn until_next(&self) -> Duration {
        let next = self.waiting.front().map_or(self.start, |(at, _)| *at);
        let ahead = next.since(self.reached()).as_secs_f64() / self.speed.unwrap_or(f64::INFINITY);
        Duration::try_from_secs_f64(ahead).unwrap_or(Duration::MAX)
    }

    /// Takes what has been read, waiting for it where nothing is left to be shown.
    fn top_up(&mut self, timeout: Duration) {
        while self.waiting.len() < AT_ONCE
            && let Some(more) = &self.more
        {
            let patience = if self.waiting.is_empty() { timeout } else { Duration::ZERO };
            match more.recv_timeout(patience) {
                Ok(Batch::Happened(moments)) => self.waiting.extend(moments),
                Ok(Batch::Ended(tally)) => (self.tally, self.more) = (tally, None),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => self.more = None,
            }
        }
    }

    /// Keeps what is to be told at the end.
    fn digest(&mut self, happening: &Happening) {
        let (Some((digest, wanted)), Happening::Frame(frame)) = (&mut self.digest, happening)
        else {
            return;
        };
        if screen::matches(wanted.as_deref(), &frame.series) {
            digest.push(frame);
        }
    }
}

impl Pulse for Replay {
    fn next(&mut self, timeout: Duration) -> Turn {
        if self.signals.stop_asked() {
            return Turn::Over(Vec::new(), "stopped".to_owned());
        }
        let patience = timeout.min(Duration::from_millis(200));
        self.top_up(patience);
        let wait = self.until_next().min(patience);
        if !wait.is_zero() {
            std::thread::sleep(wait);
        }
        let reached = self.reached();
        let mut happened = Vec::new();
        while happened.len() < AT_ONCE
            && let Some((_, happening)) = self.waiting.pop_front_if(|(at, _)| *at <= reached)
        {
            self.digest(&happening);
            happened.push(happening);
        }
        if self.waiting.is_empty() && self.more.is_none() {
            return Turn::Over(happened, "end of the recording".to_owned());
        }
        Turn::On(happened)
    }

    fn mark(&mut self, _: Timestamp, _: &str) -> Option<String> {
        Some("this mark is not kept: mark a recording with `isotherm mark`".to_owned())
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn stop_flag(&self) -> Arc<AtomicBool> {
        self.signals.flag()
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// What is to be replayed, and from when on.
struct Opened {
    waiting: VecDeque<(Timestamp, Happening)>,
    more: Option<Receiver<Batch>>,
    tally: Tally,
    from: Timestamp,
    /// The earliest moment of all there is.
    start: Timestamp,
}

/// Opens a single recording, which is read while it is shown; `None` if it is not one.
fn open_recording(args: &ReplayArgs) -> Result<Option<Opened>, Failure> {
    let inputs = inputs::expand(&args.inputs, &args.input.oracle)?;
    let [Input { address: Address::File(path), .. }] = inputs.as_slice() else {
        return Ok(None);
    };
    if !input::is_recording(path) {
        return Ok(None);
    }
    let Some((ahead, begin)) = Ahead::open(path)? else { return Err(nothing(args)) };
    let (start, clock) = (ahead.start, ahead.clock);
    let (from, to) = range(args, clock, start)?;
    if let Some(text) = unmatched(begin.series()?.iter(), args.series.as_deref()) {
        screen::warn(&text);
    }
    ahead.begin(begin, (from, to), args.input.oracle.idle)?;
    let tally = Tally { clock, ..Tally::default() };
    Ok(Some(Opened { waiting: VecDeque::new(), more: Some(ahead.batches), tally, from, start }))
}

/// Reads everything, in the order of time.
fn open_all(args: &ReplayArgs) -> Result<Opened, Failure> {
    let mut happenings = Vec::new();
    let read = input::read_all(&args.inputs, &args.input, BINNING, &mut |happening| {
        happenings.push((moment(&happening), happening));
    })?;
    let happenings = amended(happenings);
    let begin = |(at, happening): &(Option<Timestamp>, Happening)| match happening {
        Happening::Frame(frame) => Some(frame.start),
        _ => *at,
    };
    let start = happenings.iter().filter_map(begin).min().ok_or_else(|| nothing(args))?;
    let (from, to) = range(args, read.tally.clock, start)?;
    let mut waiting: Vec<(Timestamp, Happening)> = happenings
        .into_iter()
        .map(|(at, happening)| (at.unwrap_or(from), happening))
        .filter(|(at, happening)| {
            // What ends at the first moment lies before it.
            let before = *at < from || (*at == from && matches!(happening, Happening::Frame(_)));
            !before && *at <= to
        })
        .collect();
    waiting.sort_by_key(|(at, _)| *at);
    let series = waiting.iter().filter_map(|(_, happening)| match happening {
        Happening::Frame(frame) => Some(&frame.series),
        _ => None,
    });
    if let Some(text) = unmatched(series, args.series.as_deref()) {
        screen::warn(&text);
    }
    Ok(Opened { waiting: waiting.into(), more: None, tally: read.tally, from, start })
}

fn nothing(args: &ReplayArgs) -> Failure {
    let message = format!("{}: there is nothing to replay", inputs::title(&args.inputs));
    Failure::new(Code::Runtime, message)
}

/// The moments from which and up to which the user wants to see it.
fn range(
    args: &ReplayArgs,
    clock: Clock,
    start: Timestamp,
) -> Result<(Timestamp, Timestamp), Failure> {
    let zone = zone(args, clock);
    let moment = |text: &str| when::parse_in(&zone, text, start);
    let from = args.from.as_deref().map(moment).transpose()?;
    let to = args.to.as_deref().map(moment).transpose()?;
    Ok((from.unwrap_or(start), to.unwrap_or(Timestamp::new(i64::MAX))))
}

/// `isotherm replay`
pub fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let speed = speed(&args.speed)?;
    let Opened { waiting, more, tally, from, start } = match open_recording(args)? {
        Some(opened) => opened,
        None => open_all(args)?,
    };
    let clock = tally.clock;
    let signals = Signals::register()
        .map_err(|error| Failure::new(Code::Runtime, format!("cannot watch signals: {error}")))?;
    let digest = args.describe.then(|| (Digest::new(Story::MOST_CELLS), args.series.clone()));
    let began = Instant::now();
    let mut replay = Replay { waiting, more, start: from, began, speed, tally, signals, digest };
    replay.top_up(FIRST);
    let shown = view::Shown {
        title: inputs::title(&args.inputs),
        column: column(&replay.waiting),
        series: args.series.clone(),
        ui: args.ui.or_table(args.table),
        leave: false,
        memory: args.input.memory,
        screen: &args.screen,
    };
    replay.began = Instant::now();
    view::run(&mut replay, &shown)?;
    let told = replay.digest.as_ref().map(|(digest, _)| {
        let zero = digest.frames().iter().map(|frame| frame.start).min().unwrap_or(start);
        story::of_digest(digest, &Moments::new(clock, zero), None)
    });
    let mut out = screen::output(OutputForm::Text);
    let mut sentences = told.iter().flatten();
    let written = sentences.try_for_each(|sentence| writeln!(out, "# {sentence}"));
    screen::written(written.and_then(|()| out.flush()))?;
    input::strict(&args.input, &replay.tally)
}

/// The same with the time that became known later where it was waited.
fn amended(happenings: Vec<(Option<Timestamp>, Happening)>) -> Vec<(Option<Timestamp>, Happening)> {
    let (mut frames, mut others) = (Vec::new(), Vec::new());
    for (at, happening) in happenings {
        match happening {
            Happening::Frame(frame) => frames.push(frame),
            other => others.push((at, other)),
        }
    }
    let frames = isotherm_analysis::amend(frames).into_iter();
    others.extend(frames.map(|frame| (Some(frame.end), Happening::Frame(frame))));
    others
}

/// The zone of the view: that of this machine where the maps are shown with its time.
fn zone(args: &ReplayArgs, clock: Clock) -> TimeZone {
    let local = view::has_local_time(args.ui.or_table(args.table)) && clock == Clock::Epoch;
    when::zone(args.screen.utc || !local)
}

/// What to tell the user if none of the series is wanted.
fn unmatched<'a>(series: impl Iterator<Item = &'a Series>, wanted: Option<&str>) -> Option<String> {
    let filter = SeriesFilter::new(wanted);
    for series in series {
        filter.matches(series);
    }
    filter.unmatched()
}

/// When something happened; `None` when it has no time of its own.
fn moment(happening: &Happening) -> Option<Timestamp> {
    match happening {
        Happening::Frame(frame) => Some(frame.end),
        Happening::Anomaly(anomaly) => Some(anomaly.at),
        Happening::Mark { at, .. } => Some(*at),
        Happening::Said(_) => None,
    }
}

/// The usual length of an interval: the median of all.
fn column(happenings: &VecDeque<(Timestamp, Happening)>) -> Nanos {
    let mut lengths: Vec<Nanos> = happenings
        .iter()
        .filter_map(|(_, happening)| match happening {
            Happening::Frame(frame) => Some(frame.length()),
            _ => None,
        })
        .collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or(Nanos::SECOND)
}

fn speed(text: &str) -> Result<Option<f64>, Failure> {
    if text == "max" {
        return Ok(None);
    }
    let number: Option<f64> = text.trim_end_matches('x').parse().ok();
    let speed = number.filter(|speed| *speed > 0.0 && speed.is_finite());
    speed.map(Some).ok_or_else(|| {
        Failure::usage(format!("--speed {text}: write how many times faster, such as 10, or max"))
    })
}
