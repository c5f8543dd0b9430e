//! The screen.

use std::sync::Arc;
use std::time::{Duration, Instant};

use isotherm_analysis::{Activity, Dimension};
use isotherm_oracle::client::is_sheltered;
use isotherm_pipeline::now;
use isotherm_sources::{ActivityFeed, Address};
use isotherm_tui::{
    Feeder, Flow, LiveScreen, Signals as TuiSignals, TopOptions, TopScreen, doorbell,
};
use jiff::tz::TimeZone;
use signal_hook::consts::{SIGCONT, SIGTSTP};

use super::intake::{Listener, Notice, failed, open, pass_on};
use super::rate::check_columns;
use crate::failure::{Code, Failure};
use crate::redact::redacted;
use crate::screen;
use crate::signals::{Signals, flag};
use crate::top_args::TopArgs;

/// Shows the screen until the user quits, or the time is over.
pub fn run(args: &TopArgs, address: &Address, signals: &Signals) -> Result<(), Failure> {
    let (bell, door) = doorbell();
    let feed = open(args, address, signals, move || bell.ring())?;
    check_columns(args.every, feed.hz)?;
    let mut top = TopScreen::new(TopOptions {
        title: redacted(&args.source),
        style: screen::style(&args.screen, true),
        column: args.every,
        hz: feed.hz,
        by: args.by.map_or(Dimension::Class, Dimension::from),
        zone: TimeZone::system(),
        utc: args.screen.utc,
        keys: Arc::clone(&args.screen.config.keys),
        is_contained: is_sheltered,
    });
    let tui = TuiSignals { stop: signals.flag(), suspend: flag(SIGTSTP)?, resume: flag(SIGCONT)? };
    let length = args.duration.map(|length| Duration::from_nanos(length.as_nanos()));
    let over = length.and_then(|length| Instant::now().checked_add(length));
    let mut feeding = Feeding { feed, over, failed: None };
    let outcome = isotherm_tui::run(&mut top, &door, &mut feeding, &tui);
    outcome.map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    feeding.failed.map_or(Ok(()), |why| Err(failed(&why)))
}

/// Passes what is said of sessions on to the screen.
struct Feeding {
    feed: ActivityFeed,
    over: Option<Instant>,
    failed: Option<String>,
}

/// The screen as what listens to a feed.
struct TopListener<'a> {
    top: &'a mut TopScreen,
    failed: &'a mut Option<String>,
}

impl Listener for TopListener<'_> {
    fn activity(&mut self) -> &mut Activity {
        self.top.activity()
    }

    fn notice(&mut self, notice: Notice) {
        match notice {
            Notice::Warning(text) => self.top.warn(&text),
            Notice::Lost(text) => self.top.lost(&text),
            Notice::Back => self.top.connected(),
            Notice::Failed(why) => {
                self.top.failed(&why);
                *self.failed = Some(why);
            }
        }
    }
}

impl Feeder<TopScreen> for Feeding {
    fn feed(&mut self, top: &mut TopScreen) -> Flow {
        let mut shown = TopListener { top, failed: &mut self.failed };
        while let Ok(item) = self.feed.items.try_recv() {
            pass_on(item, now(), &mut shown);
        }
        let over = self.over.is_some_and(|over| Instant::now() >= over);
        if over { Flow::Stop } else { Flow::Continue }
    }

    fn suspend(&mut self) {
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::STOP);
    }
}
