//! A sweep or a calibration on the live screen: its runs are made by a thread of their own, and the
//! screen looks at how far they have come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use isotherm_analysis::Geometry;
use isotherm_frame::{Account, Event, Mark, Nanos};
use isotherm_pipeline::{Batch, EventStream, MemoryBudget};

use crate::choices::UiArg;
use crate::failure::Failure;
use crate::run_board::{RunBoard, RunReporter};
use crate::screen_args::ScreenArgs;
use crate::stress::print_messages;
use crate::view::{self, ViewOptions};

/// What happens in the runs.
struct RunStream {
    events: Receiver<Vec<Event>>,
    account: Account,
    over: bool,
    /// What was said on the screen, which is gone afterwards.
    said: Vec<Event>,
}

/// The live screen of runs.
pub struct RunScreen<'a> {
    /// What is loaded, without secrets.
    pub target: &'a str,
    /// The usual length of an interval.
    pub interval: Nanos,
    /// Asks the runs to end.
    pub stop: Arc<AtomicBool>,
    pub screen: &'a ScreenArgs,
    /// Whether messages are left out that come when the screen is gone.
    pub is_quiet: bool,
}

impl RunScreen<'_> {
    /// Makes runs while the screen shows them; whoever leaves the screen stops them. Gives what came of
    /// them and of the screen.
    pub fn watch<R: Send>(
        &self,
        work: impl FnOnce(RunReporter<'_>) -> R + Send,
    ) -> (R, Result<(), Failure>) {
        let unit = isotherm_views::rate_unit(self.target);
        let board = RunBoard::new(unit);
        let (reporter, events) = board.reporter();
        let mut stream =
            RunStream { events, account: Account::default(), over: false, said: Vec::new() };
        thread::scope(|scope| {
            let worker = scope.spawn(move || work(reporter));
            let viewed = view::run(&mut stream, &self.options(&board));
            if !stream.over {
                self.stop.store(true, Ordering::Release);
            }
            print_messages(std::mem::take(&mut stream.said), self.is_quiet);
            while let Ok(events) = stream.events.recv() {
                print_messages(events, self.is_quiet);
            }
            let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (result, viewed)
        })
    }

    fn options<'a>(&'a self, board: &'a RunBoard) -> ViewOptions<'a> {
        ViewOptions {
            title: self.target.to_owned(),
            column: self.interval,
            series: None,
            ui: UiArg::Tui,
            leave: true,
            captions: false,
            memory: MemoryBudget::default(),
            stop: Arc::clone(&self.stop),
            geometry: Geometry::default(),
            runs: Some(board),
            screen: self.screen,
        }
    }
}

impl EventStream for RunStream {
    fn next(&mut self, timeout: Duration) -> Batch {
        let mut events = match self.events.recv_timeout(timeout) {
            Ok(events) => events,
            Err(RecvTimeoutError::Timeout) => Vec::new(),
            Err(RecvTimeoutError::Disconnected) => {
                self.over = true;
                return Batch::last(Vec::new(), "all runs have ended");
            }
        };
        events.extend(self.events.try_iter().flatten());
        let is_said = |event: &&Event| matches!(event, Event::Message(_) | Event::Anomaly(_));
        self.said.extend(events.iter().filter(is_said).cloned());
        Batch::of(events)
    }

    fn mark(&mut self, _: &Mark) -> Option<String> {
        Some("the mark is shown here and kept nowhere: runs are kept as numbers".to_owned())
    }

    fn account(&self) -> &Account {
        &self.account
    }

    fn is_live(&self) -> bool {
        true
    }
}
