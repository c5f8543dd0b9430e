//! The screen.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use isotherm_analysis::Dimension;
use isotherm_frame::Timestamp;
use isotherm_oracle::client::is_sheltered;
use isotherm_sources::{ActivityFeed, ActivityItem, Address};
use isotherm_tui::{
    Feeder, Flow, LiveScreen, Signals as TuiSignals, TopOptions, TopScreen, doorbell,
};
use jiff::tz::TimeZone;
use signal_hook::consts::{SIGCONT, SIGTSTP};

use super::intake::{failed, failure};
use crate::failure::{Code, Failure};
use crate::redact::redacted;
use crate::screen;
use crate::signals::{Signals, flag};
use crate::top_args::TopArgs;

/// Shows the screen until the user quits, or the time is over.
pub fn run(args: &TopArgs, address: &Address, signals: &Signals) -> Result<(), Failure> {
    let (bell, door) = doorbell();
    let feed = ActivityFeed::open(address, args.hz, move || bell.ring()).map_err(failure)?;
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

impl Feeding {
    fn pass_on(&mut self, item: ActivityItem, top: &mut TopScreen) {
        match item {
            ActivityItem::Sample(sample) => top.activity().push(sample),
            ActivityItem::Skipped(samples) => top.skipped(samples),
            ActivityItem::Warning(text) => top.warn(&redacted(&text)),
            ActivityItem::Lost(why) => {
                let at = top.activity().latest().unwrap_or_else(now);
                top.activity().lost(at);
                top.warn(&redacted(&format!("{why}; trying to connect again")));
            }
            ActivityItem::Back => {
                top.activity().back(now());
                top.connected();
            }
            ActivityItem::Failed(why) => {
                top.failed(&redacted(&why));
                self.failed = Some(why);
            }
        }
    }
}

impl Feeder<TopScreen> for Feeding {
    fn feed(&mut self, top: &mut TopScreen) -> Flow {
        while let Ok(item) = self.feed.items.try_recv() {
            self.pass_on(item, top);
        }
        let over = self.over.is_some_and(|over| Instant::now() >= over);
        if over { Flow::Stop } else { Flow::Continue }
    }

    fn suspend(&mut self) {
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::STOP);
    }
}

/// The time by the wall clock.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::new(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}
