//! The screen.

use std::sync::Arc;
use std::time::{Duration, Instant};

use isotherm_analysis::{Activity, Dimension};
use isotherm_frame::Nanos;
use isotherm_live::{ActivityFeed, Address, IoFeed, IoItem, Sampling};
use isotherm_oracle::client::is_sheltered;
use isotherm_pipeline::now;
use isotherm_tui::{
    Bell, Feeder, Flow, LiveScreen, Signals as TuiSignals, TopOptions, TopScreen, doorbell,
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
    let io =
        IoFeeding { address: address.clone(), every: args.every, bell: bell.clone(), feed: None };
    let sampling = match args.licensed {
        None => Sampling::Looks(args.hz),
        Some(_) => Sampling::Kept(history(args)),
    };
    let feed = open(args, (address, sampling), signals, move || bell.ring())?;
    check_columns(args.every, feed.hz)?;
    let by_oracle = if args.licensed.is_some() { " (ASH)" } else { "" };
    let mut top = TopScreen::new(TopOptions {
        title: format!("{}{by_oracle}", redacted(&args.source)),
        style: screen::style(&args.screen, true),
        column: args.every,
        hz: feed.hz,
        behind: feed.behind,
        by: args.by.map_or(Dimension::Class, Dimension::from),
        io: args.io,
        zone: TimeZone::system(),
        utc: args.screen.utc,
        keys: Arc::clone(&args.screen.config.keys),
        is_contained: is_sheltered,
    });
    let tui = TuiSignals { stop: signals.flag(), suspend: flag(SIGTSTP)?, resume: flag(SIGCONT)? };
    let length = args.duration.map(|length| Duration::from_nanos(length.as_nanos()));
    let over = length.and_then(|length| Instant::now().checked_add(length));
    let mut feeding = Feeding { feed, io, over, failed: None };
    let outcome = isotherm_tui::run(&mut top, &door, &mut feeding, &tui);
    outcome.map_err(|error| Failure::new(Code::Runtime, error.to_string()))?;
    feeding.failed.map_or(Ok(()), |why| Err(failed(&why)))
}

/// The most of what a database keeps that the screen begins with.
const MOST_HISTORY: Nanos = Nanos::from_millis(3_600_000);

/// How far back the screen begins where the database keeps samples: as far as it keeps them itself.
pub fn history(args: &TopArgs) -> Nanos {
    TopScreen::keeps(args.every).min(MOST_HISTORY)
}

/// Passes what is said of sessions on to the screen.
struct Feeding {
    feed: ActivityFeed,
    io: IoFeeding,
    over: Option<Instant>,
    failed: Option<String>,
}

/// Reads counters while they are shown.
struct IoFeeding {
    address: Address,
    every: Nanos,
    bell: Bell,
    feed: Option<IoFeed>,
}

/// Servers hand on some counters once a second: there is no use in reading them more often.
const SHORTEST_IO: Duration = Duration::from_secs(1);

impl IoFeeding {
    fn pass_on(&mut self, top: &mut TopScreen) {
        if !top.shows_io() {
            self.feed = None;
            return;
        }
        if self.feed.is_none() {
            let every = Duration::from_nanos(self.every.as_nanos()).max(SHORTEST_IO);
            let bell = self.bell.clone();
            match IoFeed::open(&self.address, every, move || bell.ring()) {
                Ok(feed) => self.feed = Some(feed),
                Err(error) => top.io_missing(&redacted(&error.to_string())),
            }
        }
        for item in self.feed.iter().flat_map(|feed| feed.items.try_iter()) {
            match item {
                IoItem::Read(totals) => top.io_read(totals),
                IoItem::Missing(why) => top.io_missing(&redacted(&why)),
            }
        }
    }
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
        self.io.pass_on(top);
        let over = self.over.is_some_and(|over| Instant::now() >= over);
        if over { Flow::Stop } else { Flow::Continue }
    }

    fn suspend(&mut self) {
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::STOP);
    }
}
