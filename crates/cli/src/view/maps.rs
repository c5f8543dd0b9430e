//! The view with both maps, cursor and history.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use isotherm_views::tui::{
    Action, App, AppOptions, Feed, Feeder, Flow, Signals as TuiSignals, Tally, doorbell,
};
use signal_hook::consts::{SIGCONT, SIGTSTP};

use super::Shown;
use crate::failure::{Code, Failure};
use crate::intake::Happening;
use crate::pulse::{Pulse, Turn};
use crate::screen;

/// Passes what happens on to the view.
struct Feeding<'a> {
    pulse: &'a mut dyn Pulse,
    series: Option<&'a str>,
    over: bool,
}

impl Feeding<'_> {
    fn pass_on(&self, happened: Vec<Happening>, app: &mut App) {
        for happening in happened {
            match happening {
                Happening::Frame(frame) if screen::matches(self.series, &frame.series) => {
                    app.push(&frame);
                }
                Happening::Frame(_) => {}
                Happening::Anomaly(anomaly) => app.anomaly(&anomaly),
                Happening::Mark { at, text } => app.mark(at, &screen::printable(&text)),
                Happening::Said(text) => app.warn(&screen::printable(&text)),
            }
        }
    }
}

impl Feeder for Feeding<'_> {
    fn feed(&mut self, app: &mut App) -> Flow {
        if self.over {
            return Flow::Continue;
        }
        match self.pulse.next(Duration::ZERO) {
            Turn::On(happened) => self.pass_on(happened, app),
            Turn::Over(happened, status) => {
                self.pass_on(happened, app);
                app.ended(&status);
                self.over = true;
            }
        }
        let tally = self.pulse.tally();
        app.tally(Tally { rejected: tally.rejected, lost: tally.lost });
        Flow::Continue
    }

    fn act(&mut self, app: &mut App, action: Action) {
        if let Action::Mark(at, text) = action
            && let Some(problem) = self.pulse.mark(at, &text)
        {
            app.warn(&problem);
        }
    }

    fn suspend(&mut self) {
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::STOP);
    }
}

/// Shows both maps until the user quits.
pub fn run(pulse: &mut dyn Pulse, shown: &Shown) -> Result<(), Failure> {
    let style = screen::style(shown.screen, true);
    let mut options = AppOptions::new(shown.title.clone(), style, shown.column);
    options.feed = if pulse.is_live() { Feed::Live } else { Feed::Replay };
    options.clock = pulse.tally().clock;
    options.utc = shown.screen.utc;
    let mut app = App::new(options);
    let signals =
        TuiSignals { stop: pulse.stop_flag(), suspend: flag(SIGTSTP)?, resume: flag(SIGCONT)? };
    let (_bell, door) = doorbell();
    let mut feeding = Feeding { pulse, series: shown.series.as_deref(), over: false };
    let outcome = isotherm_views::tui::run(&mut app, &door, &mut feeding, &signals);
    outcome.map(drop).map_err(|error| Failure::new(Code::Runtime, error.to_string()))
}

fn flag(signal: i32) -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal, Arc::clone(&flag))
        .map_err(|error| Failure::new(Code::Runtime, format!("cannot watch signals: {error}")))?;
    Ok(flag)
}
