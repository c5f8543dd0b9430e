//! The view without a terminal: what it knows and what it is reported.

use std::sync::Arc;

use isotherm_analysis::{ColourMax, Scale};
use isotherm_frame::{Account, Anomaly, Clock, Frame, Nanos, OpenWaits, Timestamp};
use jiff::tz::TimeZone;

use crate::compared::Compared;
use crate::key_map::KeyMap;
use crate::ledger::Ledger;
use crate::list::List;
use crate::options::{AppOptions, Feed};
use crate::ranked::Ranked;
use crate::runs::Runs;
use crate::scene::Scene;
use crate::selection::{Cursor, Pointer, SelectedTime};
use crate::series_choice::SeriesChoice;
use crate::story::{Found, Held};
use crate::window::Window;
use isotherm_views::{FinishedRun, MapKind, ProgressLines, Style};

/// The live view: frames and keys in, drawings out.
pub struct App {
    pub(super) title: String,
    pub(super) feed: Feed,
    pub(super) clock: Clock,
    pub(super) zone: TimeZone,
    pub(super) look: Look,
    pub(super) ledger: Ledger,
    pub(super) window: Window,
    pub(super) shown: SeriesChoice,
    pub(super) cursor: Cursor,
    /// The cell under the pointer, where it was moved last.
    pub(super) pointer: Option<Pointer>,
    pub(super) mode: Mode,
    pub(super) scene: Option<Scene>,
    pub(super) silence: Silence,
    /// The first sentence, which must not change too often.
    pub(super) held: Option<Held>,
    /// What was found in the series shown when it was last looked at.
    pub(super) found: Option<Found>,
    /// Who waited in the time on the screen when it was last looked at.
    pub(super) ranked: Option<Ranked>,
    /// What the comparison is with, if not the time before.
    pub(super) baseline: Option<SelectedTime>,
    /// What each key does.
    pub(super) keys: Arc<KeyMap>,
    /// How the load goes, if this shows one.
    pub(super) load: Option<ProgressLines>,
    /// The runs of a sweep or a calibration that have ended.
    pub(super) runs: Runs,
    /// What is recorded and where.
    pub(super) recording: Option<String>,
    pub(super) is_contained: fn() -> bool,
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
    pub(super) pane: SidePane,
    /// Whether the selection, or the window, is explained.
    pub(super) explains: bool,
    pub(super) frequency: MapLook,
    pub(super) intensity: MapLook,
    /// The range of latency kept on the axis, and when all of it was last needed.
    pub(super) axis: Option<(Nanos, Nanos, Timestamp)>,
    /// The most rows, and the range of latency with rows of its own, where somebody said.
    pub(super) rows: Option<usize>,
    pub(super) latency: Option<(Nanos, Nanos)>,
}

/// Whether wide screens have a side pane.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum SidePane {
    Shown,
    Hidden,
}

impl SidePane {
    pub(super) fn is_shown(self) -> bool {
        self == SidePane::Shown
    }

    pub(super) fn toggled(self) -> SidePane {
        match self {
            SidePane::Shown => SidePane::Hidden,
            SidePane::Hidden => SidePane::Shown,
        }
    }
}

pub(super) struct MapLook {
    pub(super) scale: Scale,
    pub(super) max: ColourMax,
}

/// What keys go to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mode {
    Map,
    Help {
        scroll: usize,
    },
    /// All sentences about what is shown.
    Story {
        scroll: usize,
    },
    /// The selection or the window beside another stretch of time.
    Compare {
        scroll: usize,
        compared: Box<Compared>,
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

impl App {
    /// A view that was told nothing yet.
    pub fn new(options: AppOptions) -> App {
        let (of_frequency, of_intensity) = options.geometry.colour_maxima();
        let frequency = MapLook { scale: options.frequency_scale, max: of_frequency };
        let intensity = MapLook { scale: options.intensity_scale, max: of_intensity };
        App {
            title: crate::ledger::plain(&options.title),
            feed: options.feed,
            clock: options.clock,
            zone: options.zone,
            look: Look {
                style: options.style,
                utc: options.utc,
                percentiles: true,
                focus: MapKind::Frequency,
                pane: SidePane::Shown,
                explains: false,
                frequency,
                intensity,
                axis: None,
                rows: options.geometry.rows,
                latency: options.geometry.latency,
            },
            ledger: Ledger::new(options.most_bytes),
            window: Window::new(options.column).with_columns(options.geometry.columns),
            shown: SeriesChoice::Foremost(None),
            cursor: Cursor::default(),
            pointer: None,
            mode: Mode::Map,
            scene: None,
            silence: Silence::default(),
            held: None,
            found: None,
            ranked: None,
            baseline: None,
            keys: options.keys,
            load: None,
            runs: Runs::default(),
            recording: options.recording.as_deref().map(crate::ledger::plain),
            is_contained: options.is_contained,
            stale: true,
            dirty: true,
        }
    }

    /// Takes a frame.
    pub fn push(&mut self, frame: &Frame) {
        self.ledger.push(frame);
        self.window.align_to(frame.start, frame.end);
        self.silence.fed = self.silence.now;
        self.changed();
    }

    /// Takes the waits that go on, instead of those taken before.
    pub fn open_waits(&mut self, open: OpenWaits) {
        if self.ledger.open_waits(open) {
            self.changed();
        }
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
    pub fn account(&mut self, account: &Account) {
        let now = (account.rejected, account.lost);
        self.dirty |= (self.ledger.rejected, self.ledger.lost_elsewhere) != now;
        (self.ledger.rejected, self.ledger.lost_elsewhere) = now;
    }

    /// Shows how the load goes whose latencies these are.
    pub fn load(&mut self, lines: ProgressLines) {
        let lines = Some(lines);
        self.dirty |= self.load != lines;
        self.load = lines;
    }

    /// Says what an operation per second is called; from now on the runs that end are listed.
    pub fn list_runs(&mut self, unit: &'static str) {
        self.runs = Runs::listed(unit);
        self.changed();
    }

    /// Adds a run that has ended.
    pub fn run_ended(&mut self, run: FinishedRun) {
        self.runs.ended.push(run);
        self.changed();
    }

    /// Shows a warning.
    pub fn warn(&mut self, text: &str) {
        self.ledger.message(text);
        self.changed();
    }

    /// Shows what became of what a key asked for: for ten seconds before all that comes after it.
    pub fn answer(&mut self, outcome: Result<&str, &str>) {
        self.ledger.answer(outcome);
        self.changed();
    }

    /// Says that nothing more will come, and why.
    pub fn ended(&mut self, why: &str) {
        self.ledger.end(why);
        self.ledger.open_waits(OpenWaits::default());
        // What is over is read as a whole.
        if self.feed == Feed::Replay && self.window.is_untouched() {
            self.window.fit_all();
        }
        self.changed();
    }

    /// Lets time pass: `now` by any clock, always the same one. A live source that says nothing
    /// for more than two columns is shown as away.
    pub fn tick(&mut self, now: Timestamp) {
        let before = (self.latest(), self.said_nothing_for());
        self.silence.now = Some(now);
        self.silence.fed = self.silence.fed.or(Some(now));
        if self.ledger.tick(now) || before != (self.latest(), self.said_nothing_for()) {
            self.changed();
        }
    }

    /// Whether a new drawing would differ from the last.
    pub fn needs_draw(&self) -> bool {
        self.dirty
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

    /// Explains the selection, or the window; or no longer. In the side pane a selection is explained
    /// without being asked.
    pub(super) fn toggle_explanation(&mut self) {
        let in_pane = |scene: &Scene| scene.plan.pane.is_some() && scene.explained.is_some();
        if !self.look.explains && self.scene.as_ref().is_some_and(in_pane) {
            return;
        }
        self.look.explains = !self.look.explains;
        self.changed();
    }

    pub(super) fn changed(&mut self) {
        self.stale = true;
        self.dirty = true;
    }

    /// Where the data end, or where they would end if the source had not fallen silent.
    pub(super) fn latest(&self) -> Option<Timestamp> {
        let latest = self.ledger.latest()?;
        let column = self.window.column().as_nanos();
        let away = self.said_nothing_for().as_nanos();
        if self.ledger.ended.is_some() || away <= column.saturating_mul(2) {
            return Some(latest);
        }
        Some(latest.plus(Nanos::new(away)))
    }

    /// For how long a live source has said nothing, in whole columns: zero while it may only be late.
    pub(super) fn said_nothing_for(&self) -> Nanos {
        let column = self.window.column().as_nanos();
        let away = self.silence.length().as_nanos() / column;
        let is_live = self.feed == Feed::Live;
        Nanos::new(if is_live && away >= 2 { away.saturating_mul(column) } else { 0 })
    }
}

impl Mode {
    /// How far a text over the maps is scrolled, if one is open.
    pub(super) fn scroll(&mut self) -> Option<&mut usize> {
        match self {
            Mode::Help { scroll } | Mode::Story { scroll } | Mode::Compare { scroll, .. } => {
                Some(scroll)
            }
            Mode::Map | Mode::List(_) | Mode::Text(..) => None,
        }
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
    pub(super) fn forget_data(&mut self) {
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
