//! `isotherm replay`: what was recorded, as it happened.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use isotherm_frame::{BinnerLimits, Clock, Frame, Nanos, Timestamp};
use isotherm_sources::Tally;
use isotherm_views::OutputForm;
use jiff::tz::TimeZone;

use crate::args::ReplayArgs;
use crate::failure::{Code, Failure};
use crate::input::{self, Binning};
use crate::inputs;
use crate::intake::Happening;
use crate::pulse::{Pulse, Turn};
use crate::series_filter::SeriesFilter;
use crate::signals::Signals;
use crate::{screen, story, view, when};

/// Events are shown at a second's resolution, as when they are watched live.
const BINNING: Binning = Binning { interval: Nanos::SECOND, limits: BinnerLimits::cells(8_192) };

/// How many intervals are shown at once when there is no pace to keep.
const AT_ONCE: usize = 64;

struct Replay {
    /// What is still to be shown, by the moment it happened.
    waiting: VecDeque<(Timestamp, Happening)>,
    start: Timestamp,
    began: Instant,
    /// Times faster than it happened; `None` for as fast as can be.
    speed: Option<f64>,
    tally: Tally,
    signals: Signals,
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
}

impl Pulse for Replay {
    fn next(&mut self, timeout: Duration) -> Turn {
        if self.signals.stop_asked() {
            return Turn::Over(Vec::new(), "stopped".to_owned());
        }
        let wait = self.until_next().min(timeout).min(Duration::from_millis(200));
        if !wait.is_zero() {
            std::thread::sleep(wait);
        }
        let reached = self.reached();
        let mut happened = Vec::new();
        while happened.len() < AT_ONCE
            && let Some((_, happening)) = self.waiting.pop_front_if(|(at, _)| *at <= reached)
        {
            happened.push(happening);
        }
        if self.waiting.is_empty() {
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

/// `isotherm replay`
pub fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let speed = speed(&args.speed)?;
    let mut happenings = Vec::new();
    let read = input::read_all(&args.inputs, &args.input, BINNING, &mut |happening| {
        happenings.push((moment(&happening), happening));
    })?;
    let happenings = amended(happenings);
    let start = happenings.iter().filter_map(|(at, _)| *at).min();
    let Some(start) = start else {
        let message = format!("{}: there is nothing to replay", inputs::title(&args.inputs));
        return Err(Failure::new(Code::Runtime, message));
    };
    let zone = zone(args, read.tally.clock);
    let moment = |text: &str| when::parse_in(&zone, text, start);
    let from = args.from.as_deref().map(moment).transpose()?;
    let to = args.to.as_deref().map(moment).transpose()?;
    let (from, to) = (from.unwrap_or(start), to.unwrap_or(Timestamp::new(i64::MAX)));
    let mut waiting: Vec<(Timestamp, Happening)> = happenings
        .into_iter()
        .map(|(at, happening)| (at.unwrap_or(from), happening))
        .filter(|(at, _)| *at >= from && *at <= to)
        .collect();
    waiting.sort_by_key(|(at, _)| *at);
    if let Some(text) = unmatched(&waiting, args.series.as_deref()) {
        screen::warn(&text);
    }
    let column = column(&waiting);
    let told = args.describe.then(|| told(&waiting, args.series.as_deref(), read.tally.clock));
    let signals = Signals::register()
        .map_err(|error| Failure::new(Code::Runtime, format!("cannot watch signals: {error}")))?;
    let mut replay = Replay {
        waiting: waiting.into(),
        start: from,
        began: Instant::now(),
        speed,
        tally: read.tally,
        signals,
    };
    let shown = view::Shown {
        title: inputs::title(&args.inputs),
        column,
        series: args.series.clone(),
        ui: args.ui.or_table(args.table),
        leave: false,
        screen: &args.screen,
    };
    view::run(&mut replay, &shown)?;
    let mut out = screen::output(OutputForm::Text);
    let mut sentences = told.iter().flatten();
    let written = sentences.try_for_each(|sentence| writeln!(out, "# {sentence}"));
    screen::written(written.and_then(|()| out.flush()))
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

/// What there was to see, in sentences.
fn told(happenings: &[(Timestamp, Happening)], wanted: Option<&str>, clock: Clock) -> Vec<String> {
    let frames = happenings.iter().filter_map(|(_, happening)| match happening {
        Happening::Frame(frame) if screen::matches(wanted, &frame.series) => Some(frame.clone()),
        _ => None,
    });
    story::sentences(&frames.collect::<Vec<Frame>>(), clock, None)
}

/// What to tell the user if no series is wanted.
fn unmatched(happenings: &[(Timestamp, Happening)], wanted: Option<&str>) -> Option<String> {
    let filter = SeriesFilter::new(wanted);
    for (_, happening) in happenings {
        if let Happening::Frame(frame) = happening {
            filter.matches(&frame.series);
        }
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
fn column(happenings: &[(Timestamp, Happening)]) -> Nanos {
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
