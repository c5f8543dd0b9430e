//! What was recorded, as it happened.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use isotherm_frame::{Account, Event, Mark, Nanos, Series, TimeRange, Timestamp};

use crate::input::{Binning, Input, ReadOptions};
use crate::merge::{Merge, Merged};
use crate::several::read_all;
use crate::{Batch, EventStream, PipelineError};

/// How many events are given at once when there is no pace to keep.
const AT_ONCE: usize = 64;
/// How long the first intervals of a recording are waited for: a view is laid out by them.
const FIRST: Duration = Duration::from_secs(10);
/// The longest wait, so that signals are seen.
const PATIENCE: Duration = Duration::from_millis(200);

/// From which moment up to which one, both by the clock of the recording.
pub type ReplayRange = (Timestamp, Timestamp);

/// How fast a replay goes.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Speed {
    /// So many times faster than it happened.
    Times(f64),
    /// As fast as it can be shown.
    Max,
}

/// What was recorded, given as it happened.
pub struct Replay {
    /// What is still to be given, by the moment it happened.
    waiting: VecDeque<(Timestamp, Event)>,
    /// Where more of it comes from, while there is any.
    more: Option<Merge>,
    start: Timestamp,
    began: Instant,
    speed: Speed,
    account: Account,
    stop: Arc<AtomicBool>,
    /// Why a recording could not be read at all.
    error: Option<PipelineError>,
}

/// Inputs that are not all recordings, read whole, or events that the program made itself.
pub struct WholeInputs {
    events: Vec<(Option<Timestamp>, Event)>,
    account: Account,
}

impl WholeInputs {
    /// Reads everything.
    pub fn read(
        inputs: &[Input],
        options: &ReadOptions,
        binning: Binning,
    ) -> Result<WholeInputs, PipelineError> {
        let mut events = Vec::new();
        let account = read_all(inputs, options, binning, &mut |event| {
            events.push((event.at(), event));
        })?;
        Ok(WholeInputs { events: amended(events), account })
    }

    /// These events, each with the moment at which it is shown.
    pub fn of_events(events: Vec<(Timestamp, Event)>, account: Account) -> WholeInputs {
        let events = events.into_iter().map(|(at, event)| (Some(at), event)).collect();
        WholeInputs { events, account }
    }

    /// The account of the inputs.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Adds a message, which is shown at the beginning.
    pub fn add_message(&mut self, text: String) {
        self.events.push((None, Event::Message(text)));
    }

    /// The earliest moment; `None` if nothing happened.
    pub fn start(&self) -> Option<Timestamp> {
        let begin = |(at, event): &(Option<Timestamp>, Event)| match event {
            Event::Frame(frame) => Some(frame.start),
            _ => *at,
        };
        self.events.iter().filter_map(begin).min()
    }

    /// The latest moment; `None` if nothing happened.
    pub fn end(&self) -> Option<Timestamp> {
        let end = |(at, event): &(Option<Timestamp>, Event)| match event {
            Event::Frame(frame) => Some(frame.end),
            _ => *at,
        };
        self.events.iter().filter_map(end).max()
    }

    /// The shortest interval that a moment lies within and that cannot be divided there.
    pub fn interval_at(&self, moment: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let frames = self.events.iter().filter_map(|(_, event)| event.frame());
        let cut = frames.filter(|frame| frame.start < moment && moment < frame.end);
        let whole = cut.filter(|frame| !frame.is_gap() && !frame.is_divisible());
        whole.map(|frame| (frame.start, frame.end)).min_by_key(|(start, end)| end.since(*start))
    }

    /// Replays what happened in a range, in the order of time.
    pub fn replay(self, range: ReplayRange, speed: Speed, stop: Arc<AtomicBool>) -> Replay {
        let (from, to) = range;
        let mut waiting: Vec<(Timestamp, Event)> = self
            .events
            .into_iter()
            .map(|(at, event)| (at.unwrap_or(from), event))
            .filter_map(|(at, event)| match event {
                Event::Frame(frame) => {
                    let part = TimeRange { from: Some(from), to: Some(to) }.keep(frame)?;
                    Some((part.end, Event::Frame(part)))
                }
                other => Some((at, other)),
            })
            .filter(|(at, event)| {
                // What ends at the first moment lies before it.
                let before = *at < from || (*at == from && event.frame().is_some());
                !before && *at <= to
            })
            .collect();
        waiting.sort_by_key(|(at, _)| *at);
        Replay::new((waiting.into(), None), from, self.account, (speed, stop))
    }
}

impl Replay {
    pub(crate) fn new(
        (waiting, more): (VecDeque<(Timestamp, Event)>, Option<Merge>),
        start: Timestamp,
        account: Account,
        (speed, stop): (Speed, Arc<AtomicBool>),
    ) -> Replay {
        let began = Instant::now();
        let mut replay = Replay { waiting, more, start, began, speed, account, stop, error: None };
        replay.top_up(FIRST);
        while replay.waiting_series().next().is_none()
            && replay.more.is_some()
            && began.elapsed() < FIRST
        {
            replay.take_more(PATIENCE);
        }
        replay
    }

    /// Lets the clock of the replay begin now.
    pub fn start_clock(&mut self) {
        self.began = Instant::now();
    }

    /// The series of the events that wait to be given.
    pub fn waiting_series(&self) -> impl Iterator<Item = &Series> {
        self.waiting.iter().filter_map(|(_, event)| event.frame()).map(|frame| &frame.series)
    }

    /// Whether it is known that no interval is left to be given.
    pub fn is_without_intervals(&self) -> bool {
        self.more.is_none() && self.waiting_series().next().is_none()
    }

    /// The usual length of an interval: the median of those that wait to be given.
    pub fn usual_interval(&self) -> Nanos {
        let frames = self.waiting.iter().filter_map(|(_, event)| event.frame());
        let mut lengths: Vec<Nanos> = frames.map(isotherm_frame::Frame::length).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied().unwrap_or(Nanos::SECOND)
    }

    /// The moment the replay has reached.
    fn reached(&self) -> Timestamp {
        let Speed::Times(speed) = self.speed else { return Timestamp::new(i64::MAX) };
        let passed_s = self.began.elapsed().as_secs_f64() * speed;
        self.start.plus(Nanos::from_secs_f64(passed_s).unwrap_or(Nanos::new(u64::MAX)))
    }

    /// The real time until what happened next is due.
    fn until_next(&self) -> Duration {
        let Speed::Times(speed) = self.speed else { return Duration::ZERO };
        let next = self.waiting.front().map_or(self.start, |(at, _)| *at);
        let ahead_s = next.since(self.reached()).as_secs_f64() / speed;
        Duration::try_from_secs_f64(ahead_s).unwrap_or(Duration::MAX)
    }

    /// Takes what has been read, waiting for it where nothing is left to be shown.
    fn top_up(&mut self, timeout: Duration) {
        while self.waiting.len() < AT_ONCE {
            let patience = if self.waiting.is_empty() { timeout } else { Duration::ZERO };
            if !self.take_more(patience) {
                return;
            }
        }
    }

    /// Takes more of what has been read; whether there was any.
    fn take_more(&mut self, patience: Duration) -> bool {
        let Some(more) = &mut self.more else { return false };
        match more.next(patience) {
            Merged::Events(events) => self.waiting.extend(events),
            Merged::NothingYet => return false,
            Merged::Ended(account, error) => {
                (self.account, self.error, self.more) = (*account, error, None);
            }
        }
        true
    }

    /// Why one of the recordings could not be read at all, once that is known.
    pub fn take_error(&mut self) -> Option<PipelineError> {
        self.error.take()
    }
}

impl EventStream for Replay {
    fn next(&mut self, timeout: Duration) -> Batch {
        if self.stop.load(Ordering::Relaxed) {
            return Batch::last(Vec::new(), "stopped");
        }
        let patience = timeout.min(PATIENCE);
        self.top_up(patience);
        let wait = self.until_next().min(patience);
        if !wait.is_zero() {
            std::thread::sleep(wait);
        }
        let reached = self.reached();
        let mut events = Vec::new();
        while events.len() < AT_ONCE
            && let Some((_, event)) = self.waiting.pop_front_if(|(at, _)| *at <= reached)
        {
            events.push(event);
        }
        if self.waiting.is_empty() && self.more.is_none() {
            return Batch::last(events, "end of the recording");
        }
        Batch::of(events)
    }

    fn mark(&mut self, _: &Mark) -> Option<String> {
        Some("this mark is not kept: mark a recording with `isotherm mark`".to_owned())
    }

    fn account(&self) -> &Account {
        &self.account
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// The same with the time that became known later where it was waited.
fn amended(events: Vec<(Option<Timestamp>, Event)>) -> Vec<(Option<Timestamp>, Event)> {
    let (mut frames, mut others) = (Vec::new(), Vec::new());
    for (at, event) in events {
        match event {
            Event::Frame(frame) => frames.push(frame),
            other => others.push((at, other)),
        }
    }
    let frames = isotherm_analysis::amend(frames).into_iter();
    others.extend(frames.map(|frame| (Some(frame.end), Event::Frame(frame))));
    others
}
