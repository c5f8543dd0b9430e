//! The screen of active sessions: a strip of average active sessions over time, and tables of who they
//! are.

mod classes;
mod io;
mod io_view;
mod keys;
mod layout;
mod lines;
mod map;
mod screen;
mod strip;
mod table;

use std::sync::Arc;

use isotherm_analysis::{Activity, ActivityFilter, ActivityRows, Dimension, sample_period};
use isotherm_frame::{Nanos, Timestamp};
use isotherm_views::{Style, Theme};
use jiff::tz::TimeZone;

use self::io_view::IoView;
use crate::key_map::KeyMap;

/// How it begins.
#[derive(Clone, Debug)]
pub struct TopOptions {
    /// The address of the database, without a password.
    pub title: String,
    /// Colours and glyphs of the terminal.
    pub style: Style,
    /// The length of a column of the strip.
    pub column: Nanos,
    /// Samples a second.
    pub hz: u32,
    /// How far the newest sample may be behind where none is missing.
    pub behind: Nanos,
    /// The first table.
    pub by: Dimension,
    /// Whether reads and writes are shown first.
    pub io: bool,
    /// The time zone of local times.
    pub zone: TimeZone,
    /// Whether times are shown in UTC at first.
    pub utc: bool,
    /// What each key does.
    pub keys: Arc<KeyMap>,
    /// Whether a panic of the thread that asks is reported by whoever started it.
    pub is_contained: fn() -> bool,
}

/// The screen: samples and keys in, drawings out.
pub struct TopScreen {
    options: TopOptions,
    activity: Activity,
    /// The table that is shown, and its chosen row.
    by: Dimension,
    row: usize,
    /// What was chosen on the way here, with the table and row it was chosen in.
    path: Vec<Step>,
    /// Which of the lengths in `WINDOWS` tables are about.
    window: usize,
    frozen: Option<Timestamp>,
    help: bool,
    io: IoView,
    warning: Option<Warning>,
    /// The number of sessions that may not be seen, when it was mentioned.
    hidden_shown: u32,
    over: bool,
    now: Timestamp,
    dirty: bool,
}

/// What went wrong.
struct Warning {
    text: String,
    /// Whether it is shown until it is over.
    stays: bool,
    /// Since when it is shown.
    since: Option<Timestamp>,
}

/// How long a warning is shown, if no key is pressed.
const SHOWN: Nanos = Nanos::from_millis(30_000);

/// A choice that made the sessions fewer.
struct Step {
    value: Arc<str>,
    by: Dimension,
    row: usize,
}

/// What tables may be about: the last of these times.
const WINDOWS: [Nanos; 5] = [
    Nanos::from_millis(5_000),
    Nanos::from_millis(15_000),
    Nanos::from_millis(60_000),
    Nanos::from_millis(300_000),
    Nanos::from_millis(900_000),
];
/// The most columns of a strip that samples are kept for.
const MOST_COLUMNS: u64 = 1_000;

impl TopScreen {
    /// The time of which a screen with columns of this length keeps samples.
    pub fn keeps(column: Nanos) -> Nanos {
        let columns = Nanos::new(column.as_nanos().saturating_mul(MOST_COLUMNS));
        let longest = WINDOWS.iter().copied().max().unwrap_or(Nanos::SECOND);
        columns.max(longest)
    }

    /// A screen that has seen nothing yet.
    pub fn new(options: TopOptions) -> TopScreen {
        let period = sample_period(options.hz);
        TopScreen {
            activity: Activity::new(TopScreen::keeps(options.column), period),
            by: options.by,
            row: 0,
            path: Vec::new(),
            window: 2,
            frozen: None,
            help: false,
            io: IoView::new(options.io),
            warning: None,
            hidden_shown: 0,
            over: false,
            now: Timestamp::default(),
            dirty: true,
            options,
        }
    }

    /// The samples, to be added to. A new drawing is made when a column of the strip is complete.
    pub fn activity(&mut self) -> &mut Activity {
        &mut self.activity
    }

    /// Says that the connection is lost, until it is back.
    pub fn lost(&mut self, why: &str) {
        self.warned(why, true);
    }

    /// Takes back the warning that the connection was lost.
    pub fn connected(&mut self) {
        self.warning = None;
        self.dirty = true;
    }

    /// Says why there will be no more.
    pub fn failed(&mut self, why: &str) {
        self.warned(why, true);
        self.over = true;
    }

    fn warned(&mut self, text: &str, stays: bool) {
        self.warning = Some(Warning { text: crate::ledger::plain(text), stays, since: None });
        self.dirty = true;
    }

    /// Takes back a warning that does not stay.
    fn read(&mut self) {
        self.warning.take_if(|warning| !warning.stays);
    }

    fn filter(&self) -> ActivityFilter {
        ActivityFilter(self.path.iter().map(|step| (step.by, Arc::clone(&step.value))).collect())
    }

    /// Where what is shown ends.
    fn end(&self) -> Timestamp {
        let latest = self.activity.latest().unwrap_or(self.now);
        let known = self.now.minus(self.options.behind).max(latest);
        self.frozen.unwrap_or(if self.over { latest } else { known })
    }

    /// The stretch of time that tables are about.
    fn within(&self) -> (Timestamp, Timestamp) {
        let end = self.end();
        (end.minus(self.length()), end)
    }

    fn length(&self) -> Nanos {
        WINDOWS.get(self.window).copied().unwrap_or(Nanos::SECOND)
    }

    fn table(&self) -> ActivityRows {
        let [table] = self.tables([self.by], &self.filter());
        table
    }

    /// Tables of the same sessions; of blockers only those there are.
    fn tables<const N: usize>(
        &self,
        by: [Dimension; N],
        filter: &ActivityFilter,
    ) -> [ActivityRows; N] {
        let mut tables = self.activity.tables(self.within(), by, filter);
        for table in tables.iter_mut().filter(|table| table.by == Dimension::Blocker) {
            table.rows.retain(|row| !row.value.is_empty());
        }
        tables
    }

    /// The statement that was chosen, if one was.
    fn statement(&self) -> Option<&Arc<str>> {
        let step = self.path.iter().find(|step| step.by == Dimension::Sql);
        step.map(|step| &step.value).filter(|id| !id.is_empty())
    }

    fn toggle_theme(&mut self) {
        self.options.style.theme = match self.options.style.theme {
            Theme::Dark => Theme::Light,
            Theme::Light => Theme::Dark,
        };
    }
}

/// The tables that a row of this table is looked at by, the first one first.
fn below(by: Dimension) -> [Dimension; 2] {
    use Dimension as By;
    match by {
        By::Class | By::Session => [By::Event, By::Sql],
        By::Event | By::User | By::Program => [By::Sql, By::Session],
        By::Sql | By::Blocker => [By::Session, By::Event],
    }
}
