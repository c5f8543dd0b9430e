//! The view without a terminal: what it knows and what it is told.

use crossterm::event::{KeyEvent, MouseEvent};
use isotherm_analysis::{ColourMax, Scale};
use isotherm_frame::{Anomaly, Clock, Frame, Nanos, Series, Timestamp};
use jiff::tz::TimeZone;

use super::ledger::{Ledger, Tally};
use super::list::List;
use super::scene::Scene;
use super::window::Window;
use crate::{MapKind, Style};

/// What the view shows and how it begins.
#[derive(Clone, Debug)]
pub struct AppOptions {
    /// The address of the source, shown first.
    pub title: String,
    /// Colours and glyphs of the terminal.
    pub style: Style,
    /// The length of a column without zoom: the source's interval.
    pub column: Nanos,
    /// Where frames come from.
    pub feed: Feed,
    /// What the timestamps count from.
    pub clock: Clock,
    /// The time zone of local times.
    pub zone: TimeZone,
    /// Whether times are shown in UTC at first.
    pub utc: bool,
    /// The scale of the frequency map.
    pub frequency_scale: Scale,
    /// The scale of the intensity map.
    pub intensity_scale: Scale,
    /// The pinned colour maximum of the frequency map, in events per second.
    pub frequency_max: Option<f64>,
    /// The pinned colour maximum of the intensity map, in seconds waited per second.
    pub intensity_max: Option<f64>,
    /// How many non-zero counts are kept to scroll back to, of 8 bytes each.
    pub most_cells: usize,
}

/// Where frames come from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Feed {
    /// A source that measures now: silence is shown as missing data.
    Live,
    /// A recording: silence means nothing.
    Replay,
}

/// What a key asks of the program around the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    None,
    /// To end.
    Quit,
    /// To end and leave the picture on the normal screen.
    QuitLeavingPicture,
    /// To add a mark to the recording, if there is one; the view shows it already.
    Mark(Timestamp, String),
    /// To stop until continued.
    Suspend,
}

/// The live view: frames and keys in, drawings out.
pub struct App {
    pub(super) title: String,
    pub(super) feed: Feed,
    pub(super) clock: Clock,
    pub(super) zone: TimeZone,
    pub(super) look: Look,
    pub(super) ledger: Ledger,
    pub(super) window: Window,
    pub(super) shown: Shown,
    pub(super) cursor: Cursor,
    pub(super) mode: Mode,
    pub(super) scene: Option<Scene>,
    pub(super) silence: Silence,
    /// Whether the scene no longer shows what is known.
    pub(super) stale: bool,
    pub(super) dirty: bool,
}

/// How things look, as the user left it.
pub(super) struct Look {
    pub(super) style: Style,
    pub(super) utc: bool,
    pub(super) percentiles: bool,
    pub(super) focus: MapKind,
    pub(super) frequency: MapLook,
    pub(super) intensity: MapLook,
    /// The range of latency kept on the axis, and when all of it was last needed.
    pub(super) axis: Option<(Nanos, Nanos, Timestamp)>,
}

pub(super) struct MapLook {
    pub(super) scale: Scale,
    pub(super) max: ColourMax,
}

/// Which series is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shown {
    /// The one with the most time waited, until the user chooses.
    Foremost(Option<Series>),
    Chosen(Series),
    Merged,
}

/// What the user points at; moments and latencies, so that it stays with the data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cursor {
    pub(super) at: Option<Timestamp>,
    pub(super) latency: Option<Nanos>,
    /// The other corner of the selection.
    pub(super) anchor: Option<(Timestamp, Nanos)>,
}

/// What keys go to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mode {
    Map,
    Help {
        scroll: usize,
    },
    List(List),
    /// Writing the text of a mark set at that moment.
    Text(Timestamp, String),
}

/// How long nothing has come.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Silence {
    now: Option<Timestamp>,
    /// The moment of the last tick before or at which a frame came.
    fed: Option<Timestamp>,
}

/// 64 MiB of counts: at 1 s and 60 filled buckets a day and a half of one series.
const MOST_CELLS: usize = 8 << 20;

impl AppOptions {
    /// A live view of this source with everything else at its default.
    pub fn new(title: impl Into<String>, style: Style, column: Nanos) -> AppOptions {
        AppOptions {
            title: title.into(),
            style,
            column,
            feed: Feed::Live,
            clock: Clock::Epoch,
            zone: TimeZone::system(),
            utc: false,
            frequency_scale: Scale::Sqrt,
            intensity_scale: Scale::Linish,
            frequency_max: None,
            intensity_max: None,
            most_cells: MOST_CELLS,
        }
    }
}

impl App {
    /// A view that was told nothing yet.
    pub fn new(options: AppOptions) -> App {
        let max = |pinned: Option<f64>| pinned.map_or_else(ColourMax::default, ColourMax::pinned);
        let frequency = MapLook { scale: options.frequency_scale, max: max(options.frequency_max) };
        let intensity = MapLook { scale: options.intensity_scale, max: max(options.intensity_max) };
        App {
            title: super::ledger::plain(&options.title),
            feed: options.feed,
            clock: options.clock,
            zone: options.zone,
            look: Look {
                style: options.style,
                utc: options.utc,
                percentiles: true,
                focus: MapKind::Frequency,
                frequency,
                intensity,
                axis: None,
            },
            ledger: Ledger::new(options.most_cells),
            window: Window::new(options.column),
            shown: Shown::Foremost(None),
            cursor: Cursor::default(),
            mode: Mode::Map,
            scene: None,
            silence: Silence::default(),
            stale: true,
            dirty: true,
        }
    }

    /// Takes a frame.
    pub fn push(&mut self, frame: &Frame) {
        self.ledger.push(frame);
        self.silence.fed = self.silence.now;
        self.changed();
    }

    /// Takes note of something the reader must know.
    pub fn anomaly(&mut self, anomaly: &Anomaly) {
        self.ledger.anomaly(anomaly);
        self.changed();
    }

    /// Shows a mark.
    pub fn mark(&mut self, at: Timestamp, text: &str) {
        self.ledger.mark(at, text);
        self.changed();
    }

    /// Sets how much was rejected and lost so far.
    pub fn tally(&mut self, tally: Tally) {
        self.dirty |= self.ledger.tally != tally;
        self.ledger.tally = tally;
    }

    /// Shows a warning.
    pub fn warn(&mut self, text: &str) {
        self.ledger.message(text);
        self.changed();
    }

    /// Says that nothing more will come, and why.
    pub fn ended(&mut self, why: &str) {
        self.ledger.ended = Some(super::ledger::plain(why));
        self.changed();
    }

    /// Lets time pass: `now` by any clock, always the same one. A live source that says nothing
    /// for more than two columns is shown as away.
    pub fn tick(&mut self, now: Timestamp) {
        let before = self.latest();
        self.silence.now = Some(now);
        self.silence.fed = self.silence.fed.or(Some(now));
        if before != self.latest() {
            self.changed();
        }
    }

    /// Whether a new drawing would differ from the last.
    pub fn needs_draw(&self) -> bool {
        self.dirty
    }

    /// Takes a key.
    pub fn key(&mut self, event: KeyEvent) -> Action {
        super::input::key(self, event)
    }

    /// Takes a movement of the mouse.
    pub fn mouse(&mut self, event: MouseEvent) -> Action {
        super::input::mouse(self, event);
        Action::None
    }

    /// Takes pasted text: part of a filter or of a mark, never keys.
    pub fn paste(&mut self, text: &str) {
        super::input::text(self, text);
    }

    /// Draws.
    pub fn draw(&mut self, frame: &mut ratatui::Frame) {
        super::paint::screen(self, frame.area(), frame.buffer_mut());
        self.dirty = false;
    }

    /// Asks for a new drawing whatever is known.
    pub fn redraw(&mut self) {
        self.dirty = true;
    }

    /// The events in the cells of the picture last drawn, and those in its frames before or after
    /// its columns: together what was pushed for that stretch of time.
    pub fn drawn_and_outside(&self) -> (u64, u64) {
        let picture = self.scene.as_ref().map(|scene| &scene.picture);
        let drawn = picture.map_or(0, |picture| picture.counts.iter().sum());
        (drawn, picture.map_or(0, |picture| picture.outside))
    }

    /// The columns of the picture last drawn.
    pub fn columns_drawn(&self) -> usize {
        self.scene.as_ref().map_or(0, |scene| scene.picture.columns.len())
    }

    pub(super) fn changed(&mut self) {
        self.stale = true;
        self.dirty = true;
    }

    /// Where the data end, or where they would end if the source had not fallen silent.
    pub(super) fn latest(&self) -> Option<Timestamp> {
        let latest = self.ledger.latest()?;
        let column = self.window.column().as_nanos();
        let away = self.silence.length().as_nanos() / column;
        if self.feed != Feed::Live || self.ledger.ended.is_some() || away <= 2 {
            return Some(latest);
        }
        Some(latest.plus(Nanos::new(away.saturating_mul(column))))
    }

    /// The series whose frames are shown; `None` for all.
    pub(super) fn series(&self) -> Option<&Series> {
        match &self.shown {
            Shown::Chosen(series) | Shown::Foremost(Some(series)) => Some(series),
            Shown::Foremost(None) | Shown::Merged => None,
        }
    }

    /// Shows another series: colours and axis begin anew.
    pub(super) fn show(&mut self, shown: Shown) {
        if self.shown == shown {
            return;
        }
        self.shown = shown;
        self.look.forget_data();
        self.cursor.latency = None;
        self.changed();
    }
}

impl Look {
    pub(super) fn map(&mut self, kind: MapKind) -> &mut MapLook {
        match kind {
            MapKind::Frequency => &mut self.frequency,
            MapKind::Intensity => &mut self.intensity,
        }
    }

    /// Lets go of what earlier pictures showed; what is pinned stays.
    fn forget_data(&mut self) {
        for map in [&mut self.frequency, &mut self.intensity] {
            if !map.max.is_pinned() {
                map.max = ColourMax::default();
            }
        }
        self.axis = None;
    }
}

impl Silence {
    fn length(self) -> Nanos {
        self.now.zip(self.fed).map_or(Nanos::ZERO, |(now, fed)| now.since(fed))
    }
}
