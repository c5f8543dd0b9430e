//! The view with both maps, cursor and history.

use std::sync::Arc;
use std::time::Duration;

use isotherm_frame::{Event, Mark, OpenWait, OpenWaits, visible};
use isotherm_oracle::client::is_sheltered;
use isotherm_pipeline::{Batch, EventStream, contains};
use isotherm_tui::{
    Action, App, AppOptions, Extent, Feed, Feeder, Flow, Signals as TuiSignals, doorbell,
};
use isotherm_views::LoadProgress;
use signal_hook::consts::{SIGCONT, SIGTSTP};

use super::saving::{Saver, Saving};
use super::view_options::ViewOptions;
use crate::failure::{Code, Failure};
use crate::redact::redacted;
use crate::screen;
use crate::signals::flag;

/// Passes what happens on to the view.
struct Feeding<'a> {
    stream: &'a mut dyn EventStream,
    shown: &'a ViewOptions<'a>,
    over: bool,
    saver: Saver,
}

impl Feeding<'_> {
    fn pass_on(&self, events: Vec<Event>, app: &mut App) {
        for event in events {
            match event {
                Event::Frame(frame) if contains(&frame.series, self.shown.series.as_deref()) => {
                    app.push(&frame);
                }
                Event::Frame(_) => {}
                Event::Anomaly(anomaly) => app.anomaly(&anomaly),
                Event::Mark(mark) => app.mark(mark.at, &visible(&mark.text)),
                Event::Message(text) if self.shown.captions => app.answer(Ok(&visible(&text))),
                Event::Message(text) => app.warn(&visible(&redacted(&text))),
            }
        }
    }
}

impl Feeding<'_> {
    /// Begins to save a report of so much of what is kept.
    fn save(&mut self, app: &mut App, extent: Extent) {
        let everything = extent == Extent::Everything;
        let recorded = self.stream.recorded_in().filter(|_| everything);
        let text = self.saver.save(Saving {
            title: self.shown.title.clone(),
            host: self.stream.is_live().then(crate::about::host),
            account: self.stream.account().clone(),
            kept: app.kept(extent),
            past: recorded.map(|recorded| recorded.path),
        });
        app.answer(Ok(text));
    }
}

impl Feeder for Feeding<'_> {
    fn feed(&mut self, app: &mut App) -> Flow {
        if let Some(done) = self.saver.done() {
            app.answer(done.as_deref().map_err(String::as_str));
        }
        if self.over {
            return Flow::Continue;
        }
        let Batch { events, ended } = self.stream.next(Duration::ZERO);
        self.pass_on(events, app);
        if let Some(open) = self.stream.open_waits() {
            let wanted = |wait: &&OpenWait| contains(&wait.series, self.shown.series.as_deref());
            let waits = open.waits.iter().filter(wanted).cloned().collect();
            app.open_waits(OpenWaits { at: open.at, waits });
        }
        if let Some(status) = ended {
            app.ended(&redacted(&status));
            self.over = true;
            if self.shown.leave {
                return Flow::Stop;
            }
        }
        app.account(self.stream.account());
        if let Some(status) = self.stream.load_status() {
            app.load(LoadProgress::of_run(&self.shown.title, status).lines());
        }
        if let Some(board) = self.shown.runs {
            board.show(app);
        }
        Flow::Continue
    }

    fn act(&mut self, app: &mut App, action: Action) {
        match action {
            Action::Mark(at, text) => {
                if let Some(problem) = self.stream.mark(&Mark { at, text }) {
                    app.answer(Err(&problem));
                }
            }
            Action::Save(extent) => self.save(app, extent),
            _ => {}
        }
    }

    fn suspend(&mut self) {
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::STOP);
    }
}

/// Shows both maps until the user quits.
pub fn run(stream: &mut dyn EventStream, shown: &ViewOptions) -> Result<(), Failure> {
    let style = screen::style(shown.screen, true);
    let mut options = AppOptions::new(shown.title.clone(), style, shown.column);
    options.feed = if stream.is_live() { Feed::Live } else { Feed::Replay };
    options.clock = stream.account().clock;
    options.most_bytes = shown.memory.packed();
    options.utc = shown.screen.utc;
    options.geometry = shown.geometry;
    options.recording = stream.recorded_in().map(|recorded| recorded.to_string());
    options.keys = Arc::clone(&shown.screen.config.keys);
    options.is_contained = is_sheltered;
    let mut app = App::new(options);
    if let Some(board) = shown.runs {
        app.list_runs(board.unit());
    }
    let signals = TuiSignals {
        stop: Arc::clone(&shown.stop),
        suspend: flag(SIGTSTP)?,
        resume: flag(SIGCONT)?,
    };
    let (bell, door) = doorbell();
    let mut feeding = Feeding { stream, shown, over: false, saver: Saver::new(bell) };
    let outcome = isotherm_tui::run(&mut app, &door, &mut feeding, &signals);
    // Who asked for a report and quits is not left without it.
    if let Some(said) = feeding.saver.wait() {
        screen::warn(said.as_ref().unwrap_or_else(|problem| problem));
    }
    outcome.map(drop).map_err(|error| Failure::new(Code::Runtime, error.to_string()))
}
