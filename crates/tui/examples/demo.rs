//! The live view with a scripted scene: `cargo run --release -p isotherm-tui --example demo`.
//!
//! `demo [fast] [coarse] [light] [ascii] [fail]`: the whole scene at once and then a frame a
//! second, or ten with `fast`; `coarse` counts in powers of two; `fail` panics after a while, to
//! see that the terminal is restored.

use std::process::Command;
use std::time::{Duration, Instant};

use isotherm_frame::Nanos;
use isotherm_tui::terminal::{Environment, Preferences, detect};
use isotherm_tui::{App, AppOptions, Feeder, Flow, Signals};

#[path = "../tests/scene/mod.rs"]
mod scene;

use scene::{Grain, at};

struct Demo {
    next: i64,
    due: Instant,
    every: Duration,
    grain: Grain,
    fails: bool,
}

impl Feeder for Demo {
    fn feed(&mut self, app: &mut App) -> Flow {
        while Instant::now() >= self.due {
            self.due += self.every;
            for mut frame in scene::second(self.next % scene::SECONDS, self.grain) {
                (frame.start, frame.end) = (at(self.next), at(self.next + 1));
                app.push(&frame);
            }
            self.next += 1;
            assert!(!self.fails, "asked to fail");
        }
        Flow::Continue
    }

    fn suspend(&mut self) {
        let id = std::process::id().to_string();
        let stopped = Command::new("kill").args(["-STOP", &id]).status();
        drop(stopped);
    }
}

fn main() -> Result<(), isotherm_tui::TuiError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|given| given == word);
    let grain = if has("coarse") { Grain::PowersOfTwo } else { Grain::Fine };
    let every = Duration::from_millis(if has("fast") { 100 } else { 1_000 });
    let theme = has("light").then_some(isotherm_views::Theme::Light);
    let preferences = Preferences { theme, ascii: has("ascii"), ..Preferences::default() };
    let style = detect(&preferences, &Environment::read());
    let mut options = AppOptions::new("oracle://FREEPDB1", style, Nanos::SECOND);
    options.utc = true;
    let mut app = App::new(options);
    for frame in &scene::frames(grain) {
        app.push(frame);
    }
    app.mark(at(40), "A backup start");
    app.mark(at(62), "B end");
    app.account(&isotherm_frame::Account { rejected: 3, ..Default::default() });
    let (next, due) = (scene::SECONDS, Instant::now() + every);
    let mut demo = Demo { next, due, every, grain, fails: has("fail") };
    let (_bell, door) = isotherm_tui::doorbell();
    isotherm_tui::run(&mut app, &door, &mut demo, &Signals::default())?;
    Ok(())
}
