//! The one history that everybody reads: whatever measures writes it, and waits for no client.

use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::time::Duration;

use isotherm_analysis::{FrameTotals, History};
use isotherm_frame::{Account, Event, Frame, Mark, Nanos, Timestamp};
use isotherm_report::{LiveGrid, ReportInput};
use isotherm_views::InputAccount;

use crate::changes::{Change, Changes};
use crate::clock::now_us;
use crate::layout::Layout;
use crate::said::Said;

/// What is known of a source before it says anything.
#[derive(Clone, Debug, Default)]
pub struct SourceAbout {
    /// What to call it.
    pub label: String,
    /// Its address, without secrets.
    pub source: String,
    /// The host that measures.
    pub host: Option<String>,
    /// The command line, without secrets.
    pub command: Option<String>,
    /// The version of isotherm that measures.
    pub isotherm_version: Option<String>,
    /// Whether it happens now.
    pub is_live: bool,
    /// The file it is recorded in, if it is: its name, not where it lies.
    pub recorded_in: Option<String>,
}

/// Everything that is served: of each source its frames, marks and account, and what changed.
#[derive(Debug)]
pub struct LiveHistory {
    state: RwLock<State>,
    /// What clients wait for.
    latest: Mutex<Latest>,
    changed: Condvar,
    /// Marks that clients made and nobody has recorded yet.
    made: Mutex<Vec<(usize, Mark)>>,
}

/// What clients wait for.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Latest {
    /// The latest change.
    pub tick: u64,
    /// The change up to which the latest summary knows everything.
    pub summarised: Option<u64>,
    /// Whether the server ends.
    pub ends: bool,
}

/// What is behind the lock.
#[derive(Debug)]
pub(crate) struct State {
    pub run: u64,
    pub arrangement: u64,
    pub sources: Vec<SourceState>,
    pub changes: Changes,
}

/// One source.
#[derive(Clone, Debug)]
pub(crate) struct SourceState {
    pub about: SourceAbout,
    pub history: History,
    /// How much of it is served, if not everything.
    pub keep: Option<Nanos>,
    totals: FrameTotals,
    account: Account,
    pub marks: Vec<Mark>,
    pub over: Option<String>,
    pub grid: Option<LiveGrid>,
    /// When the latest intervals came, in microseconds of this machine's clock.
    pub arrived_us: Option<u64>,
    /// What it said lately.
    pub said: Said,
    /// Whether nothing is recorded any more.
    is_closed: bool,
    /// How often frames came.
    batches: u64,
    /// Whether it was said that the oldest frames are left out.
    has_dropped: bool,
    /// Whether it was said that marks are left out.
    has_left_out_marks: bool,
}

/// Why a mark is not kept.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum MarkRefused {
    /// The source has as many as are kept.
    Full,
    /// Its recording is finished, or about to be.
    Closed,
}

/// The most characters of a mark.
pub(crate) const LONGEST_MARK: usize = 500;
/// Said once of a source.
const DROPPED: &str = "the oldest intervals do not fit in --memory: they are no longer shown";
/// So many marks are kept of a source.
pub(crate) const MOST_MARKS: usize = 10_000;

impl LiveHistory {
    /// An empty history of these sources, each with what holds its frames. Of these only the last
    /// `keep` is served, everything without it. `run` tells this run of the program from others.
    pub fn new(
        sources: impl IntoIterator<Item = (SourceAbout, History)>,
        keep: Option<Nanos>,
        run: u64,
    ) -> LiveHistory {
        let source = |(about, history)| SourceState {
            about,
            history,
            keep,
            totals: FrameTotals::default(),
            account: Account::default(),
            marks: Vec::new(),
            over: None,
            grid: None,
            arrived_us: None,
            said: Said::default(),
            is_closed: false,
            batches: 0,
            has_dropped: false,
            has_left_out_marks: false,
        };
        let sources = sources.into_iter().map(source).collect();
        let changes = Changes::default();
        LiveHistory {
            state: RwLock::new(State { run, arrangement: 0, sources, changes }),
            latest: Mutex::default(),
            changed: Condvar::new(),
            made: Mutex::default(),
        }
    }

    /// Takes what happened to a source, with the account of its input so far.
    pub fn take(&self, source: usize, events: &[Event], account: &Account) {
        let mut state = self.write();
        let State { arrangement, sources, changes, .. } = &mut *state;
        let Some(own) = sources.get_mut(source) else { return };
        own.account.clone_from(account);
        let frames = || events.iter().filter_map(Event::frame);
        frames().for_each(|frame| own.push(frame));
        let span = frames().map(|frame| (frame.start, frame.end));
        if let Some((from, to)) = span.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1))) {
            *arrangement += u64::from(own.arrange());
            own.arrived_us = Some(now_us());
            changes.push(source, Change::Columns(from, to));
            if own.history.dropped() > 0 && !std::mem::replace(&mut own.has_dropped, true) {
                own.say(DROPPED, changes, source);
            }
        }
        for event in events {
            match event {
                Event::Frame(_) => {}
                Event::Mark(mark) => {
                    own.mark(mark, changes, source);
                }
                Event::Message(text) => own.say(text, changes, source),
                Event::Anomaly(anomaly) => own.say(&anomaly.to_string(), changes, source),
            }
        }
        self.announce(state);
    }

    /// A source ended.
    pub fn end(&self, source: usize, reason: &str) {
        let mut state = self.write();
        let State { sources, changes, .. } = &mut *state;
        if let Some(own) = sources.get_mut(source).filter(|own| own.over.is_none()) {
            own.over = Some(reason.to_owned());
            changes.push(source, Change::Over(reason.to_owned()));
        }
        self.announce(state);
    }

    /// Keeps a mark that a client made, of one source or of all that are not closed. If one of them
    /// has as many as are kept, it is kept of none.
    pub(crate) fn mark(&self, source: Option<usize>, mark: &Mark) -> Result<(), MarkRefused> {
        let mut state = self.write();
        let State { sources, changes, .. } = &mut *state;
        let is_wanted = |index: usize, own: &SourceState| {
            source.is_none_or(|wanted| wanted == index) && !own.is_closed
        };
        let all = sources.iter_mut().enumerate();
        let mut wanted: Vec<(usize, &mut SourceState)> =
            all.filter(|(index, own)| is_wanted(*index, own)).collect();
        if wanted.is_empty() {
            return Err(MarkRefused::Closed);
        }
        if wanted.iter().any(|(_, own)| own.marks.len() >= MOST_MARKS) {
            return Err(MarkRefused::Full);
        }
        for (index, own) in &mut wanted {
            if own.mark(mark, changes, *index) {
                self.made().push((*index, mark.clone()));
            }
        }
        self.announce(state);
        Ok(())
    }

    /// From now on no marks of a source are taken: its recording is about to be finished.
    pub fn close(&self, source: usize) {
        if let Some(own) = self.write().sources.get_mut(source) {
            own.is_closed = true;
        }
    }

    /// The marks that clients made of a source since the last call: they are to be recorded.
    pub fn take_marks(&self, source: usize) -> Vec<Mark> {
        let mut made = self.made();
        let (own, others) =
            std::mem::take(&mut *made).into_iter().partition(|(of, _)| *of == source);
        *made = others;
        let own: Vec<(usize, Mark)> = own;
        own.into_iter().map(|(_, mark)| mark).collect()
    }

    /// Whether every source has ended.
    pub fn is_over(&self) -> bool {
        self.read().is_over()
    }

    /// Waits for something that a client with these does not have, at most so long. `None` when the
    /// server ends.
    pub(crate) fn wait(&self, has: Latest, time: Duration) -> Option<Latest> {
        let nothing = |latest: &mut Latest| {
            latest.tick <= has.tick && latest.summarised == has.summarised && !latest.ends
        };
        let waited = self.changed.wait_timeout_while(self.latest(), time, nothing);
        let (latest, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (!latest.ends).then_some(*latest)
    }

    /// Does nothing for so long; `false` when the server ends.
    pub(crate) fn pause(&self, time: Duration) -> bool {
        let goes_on = |latest: &mut Latest| !latest.ends;
        let waited = self.changed.wait_timeout_while(self.latest(), time, goes_on);
        let (latest, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !latest.ends
    }

    /// There is a new summary, which knows everything up to a change.
    pub(crate) fn summarised(&self, tick: u64) {
        self.latest().summarised = Some(tick);
        self.changed.notify_all();
    }

    /// Lets every client go.
    pub(crate) fn stop(&self) {
        self.latest().ends = true;
        self.changed.notify_all();
    }

    /// What is there now. Whoever measures waits as long as this is held.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn made(&self) -> MutexGuard<'_, Vec<(usize, Mark)>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announce(&self, state: RwLockWriteGuard<'_, State>) {
        let tick = state.changes.tick();
        drop(state);
        let mut latest = self.latest();
        latest.tick = latest.tick.max(tick);
        drop(latest);
        self.changed.notify_all();
    }
}

impl State {
    /// Whether every source has ended.
    pub fn is_over(&self) -> bool {
        self.sources.iter().all(|source| source.over.is_some())
    }

    /// Whether columns of a layout are still where they were, and are none that this server would not
    /// make: a client hands back what it was sent, but anybody may ask.
    pub fn holds(&self, layout: &Layout) -> bool {
        let mut factors = self.sources.iter().zip(&layout.factors);
        layout.run == self.run
            && layout.arrangement == self.arrangement
            && layout.factors.len() == self.sources.len()
            && factors.all(|(source, factor)| (1..=source.widest()).contains(factor))
    }
}

impl SourceState {
    fn push(&mut self, frame: &Frame) {
        self.history.push(frame);
        self.totals.add(frame);
    }

    /// How many of the finest columns are in the widest one: it holds all that there is.
    fn widest(&self) -> u64 {
        let span = self.history.earliest().zip(self.history.latest());
        let grid = self.grid.zip(span);
        grid.map_or(1, |(grid, (start, end))| grid.factor_for(end.since(start), 1))
    }

    /// Looks where intervals lie, now and then and when there are too many columns for what is kept:
    /// a clock may leap. Says whether columns must be arranged anew.
    fn arrange(&mut self) -> bool {
        self.batches += 1;
        let is_due = self.batches.is_power_of_two() || self.widest() > 2 * LiveGrid::MOST_FINEST;
        if self.grid.is_some() && !is_due {
            return false;
        }
        let grid = LiveGrid::of(&self.history);
        let is_new = match (self.grid, grid) {
            (Some(own), Some(grid)) => !own.is_like(grid),
            (own, grid) => own != grid,
        };
        if is_new {
            self.grid = grid;
        }
        is_new
    }

    /// Keeps a mark; `false` if there is none to keep.
    fn mark(&mut self, mark: &Mark, changes: &mut Changes, index: usize) -> bool {
        // A mark that was made here comes back from the recording, and clients try again.
        if self.marks.contains(mark) {
            return false;
        }
        if self.marks.len() < MOST_MARKS {
            self.marks.push(mark.clone());
            changes.push(index, Change::Mark(mark.clone()));
            return true;
        }
        if !std::mem::replace(&mut self.has_left_out_marks, true) {
            let text = format!("more than {MOST_MARKS} marks: those after that are not shown");
            self.say(&text, changes, index);
        }
        false
    }

    fn say(&mut self, text: &str, changes: &mut Changes, index: usize) {
        self.said.add(now_us(), text);
        changes.push(index, Change::Message(text.to_owned()));
    }

    /// The time that is served: from the earliest interval kept to the end of the latest.
    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        let (start, end) = self.history.earliest().zip(self.history.latest())?;
        Some((self.keep.map_or(start, |keep| start.max(end.minus(keep))), end))
    }

    /// What a report is made of, in a part of time or all of it.
    pub fn input(&self, span: Option<(Timestamp, Timestamp)>) -> ReportInput<'_> {
        let about = &self.about;
        let inside = |mark: &&Mark| span.is_none_or(|(from, to)| from <= mark.at && mark.at < to);
        ReportInput {
            label: about.label.clone(),
            source: about.source.clone(),
            host: about.host.clone(),
            command: about.command.clone(),
            isotherm_version: about.isotherm_version.clone(),
            file: None,
            input: InputAccount::new(&self.account, &self.totals),
            marks: self.marks.iter().filter(inside).cloned().collect(),
            device: None,
            history: &self.history,
            span,
            series: Vec::new(),
        }
    }
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
