//! How far the runs of a sweep or a calibration have come, as their thread tells the screen.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

use isotherm_frame::{Event, Mark};
use isotherm_tui::App;
use isotherm_views::{FinishedRun, ProgressLines};

/// So many batches of events may be sent before they are taken: many seconds of them.
const MOST_BATCHES: usize = 256;

/// How far the runs have come.
pub struct RunBoard {
    unit: &'static str,
    news: Mutex<News>,
}

/// What the screen has not shown yet.
#[derive(Default)]
struct News {
    progress: Option<ProgressLines>,
    ended: Vec<FinishedRun>,
}

impl RunBoard {
    /// Of runs in which nothing has happened yet; `unit` is what an operation per second is called.
    pub fn new(unit: &'static str) -> RunBoard {
        RunBoard { unit, news: Mutex::default() }
    }

    /// Who tells this board what happens, and where the events of the runs arrive.
    pub fn reporter(&self) -> (RunReporter<'_>, Receiver<Vec<Event>>) {
        let (sender, events) = sync_channel(MOST_BATCHES);
        (RunReporter { board: self, events: sender, begun: None }, events)
    }

    /// What an operation per second is called.
    pub fn unit(&self) -> &'static str {
        self.unit
    }

    /// Shows what is new.
    pub fn show(&self, app: &mut App) {
        let News { progress, ended } = std::mem::take(&mut *self.news());
        if let Some(lines) = progress {
            app.load(lines);
        }
        for run in ended {
            app.run_ended(run);
        }
    }

    fn news(&self) -> MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the screen what happens in the thread that makes the runs.
pub struct RunReporter<'a> {
    board: &'a RunBoard,
    events: SyncSender<Vec<Event>>,
    /// The run that has begun and is not yet marked.
    begun: Option<String>,
}

impl RunReporter<'_> {
    /// A run begins: it is marked on the maps where its first interval begins.
    pub fn begins(&mut self, label: &str) {
        self.begun = Some(label.to_owned());
    }

    /// What happened in a run.
    pub fn events(&mut self, mut events: Vec<Event>) {
        let first = events.iter().filter_map(Event::frame).map(|frame| frame.start).min();
        if let Some(at) = first
            && let Some(text) = self.begun.take()
        {
            events.push(Event::Mark(Mark { at, text }));
        }
        // Who has left the screen needs none.
        let _ = self.events.send(events);
    }

    /// How far all has come.
    pub fn progress(&self, lines: ProgressLines) {
        self.board.news().progress = Some(lines);
    }

    /// A run has ended.
    pub fn ended(&self, run: FinishedRun) {
        self.board.news().ended.push(run);
    }
}
