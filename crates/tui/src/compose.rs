//! Composing the scene: which picture fits the screen, and where its parts are.

use isotherm_analysis::{ColourMax, Grid, Picture, Request, Timeline};
use isotherm_frame::{Detail, Series, Timestamp};
use isotherm_views::style::STEPS;
use ratatui::layout::Rect;

use crate::app::App;
use crate::navigation::USUAL_WIDTH;
use crate::plan::{LayoutRequest, Plan};
use crate::scene::Scene;
use crate::stack::{self, Line};

/// A picture drawn to see whether it fits.
struct Attempt {
    picture: Picture,
    lines: Vec<Line>,
    fits: bool,
    /// The colour maxima after it.
    max: (ColourMax, ColourMax),
}

impl Attempt {
    fn is_better_than(&self, other: &Attempt) -> bool {
        let nearly_as_fine = 5 * self.picture.rows.len() >= 4 * other.picture.rows.len();
        let fuller = self.lines.len() > other.lines.len() && nearly_as_fine;
        self.fits && (fuller || !other.fits)
    }

    /// Whether at least three quarters of the lines are used.
    fn fills(&self, room: u16) -> bool {
        self.fits && 4 * self.lines.len() >= 3 * usize::from(room)
    }
}

impl App {
    /// The columns of the last drawing; of a usual screen before the first.
    pub(super) fn columns(&self) -> i64 {
        let columns = self.scene.as_ref().map_or(USUAL_WIDTH, |scene| scene.picture.columns.len());
        i64::try_from(columns).unwrap_or(i64::MAX).max(1)
    }

    /// Makes the scene show what is known, on a screen of this size.
    pub(super) fn compose(&mut self, area: Rect) {
        let wanted = self.wanted(area);
        let same = |scene: &Scene| scene.area == area && scene.wanted == wanted;
        if self.stale || !self.scene.as_ref().is_some_and(same) {
            self.follow_time_waited();
            self.scene = Some(self.new_scene(area, wanted));
            self.stale = false;
        }
        self.explain();
    }

    /// Averages if there is nothing else.
    fn detail(&self) -> Detail {
        let members = self.members();
        let is_of_averages = |one: &Series| one.detail() == Detail::Averages;
        let averages = !members.is_empty() && members.iter().all(is_of_averages);
        if averages { Detail::Averages } else { Detail::Distribution }
    }

    fn wanted(&self, area: Rect) -> LayoutRequest {
        LayoutRequest {
            focus: self.look.focus,
            note: self.ledger.has_note(),
            pane: self.look.pane.is_shown(),
            load: self.load.is_some(),
            runs: self.runs.lines(),
            detail: self.detail(),
            panel: self.panel_wanted(area),
            lines: None,
        }
    }

    fn new_scene(&mut self, area: Rect, wanted: LayoutRequest) -> Scene {
        let halves = self.look.style.has_half_blocks();
        let plan = Plan::of(area, wanted);
        if let Some(span) = self.ledger.history.earliest().zip(self.ledger.latest()) {
            self.window.fit(span, plan.columns());
        }
        let request = self.request(&plan);
        let from = request.grid.start();
        let span = (from, request.grid.end);
        let members = self.members();
        let frames = self.ledger.frames(&members, from, request.grid.end);
        let timeline = Timeline::place(&frames, request.grid);
        let timeline = timeline.with_unseen_start(self.ledger.history.unseen_start());
        let story = self.story(request.grid, &members);
        let (picture, lines) = self.fitting_picture(&timeline, request, (plan.lines(), halves));
        self.remember_axis(&picture);
        let used = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let lines_used = if picture.rows.is_empty() { None } else { Some(used) };
        let plan = Plan::of(area, LayoutRequest { lines: lines_used, ..wanted });
        let begins = self.ledger.begins(&members);
        self.rank(span);
        let waits = if plan.pane.is_some() { self.foremost_waits(span) } else { Vec::new() };
        let (cube, explained) = (None, None);
        Scene { area, wanted, plan, picture, lines, story, waits, begins, cube, explained }
    }

    /// The picture with the most rows that fit. Where they leave many lines empty, one with nearly
    /// as many rows and more lines is preferred: whole lines are read more easily than halves.
    fn fitting_picture(
        &mut self,
        timeline: &Timeline,
        mut request: Request,
        room: (u16, bool),
    ) -> (Picture, Vec<Line>) {
        let mut best: Option<Attempt> = None;
        let most = self.look.rows.unwrap_or(usize::MAX);
        for most_rows in stack::preferences(room.0, room.1) {
            request.most_rows = most_rows.min(most);
            let attempt = self.attempt(timeline, &request, room);
            if best.as_ref().is_none_or(|best| attempt.is_better_than(best)) {
                best = Some(attempt);
            }
            if best.as_ref().is_some_and(|best| best.fills(room.0)) {
                break;
            }
        }
        let best = best.unwrap_or_else(|| self.attempt(timeline, &request, room));
        (self.look.frequency.max, self.look.intensity.max) = best.max;
        (best.picture, best.lines)
    }

    fn attempt(&self, timeline: &Timeline, request: &Request, room: (u16, bool)) -> Attempt {
        let mut max = (self.look.frequency.max, self.look.intensity.max);
        let picture = Picture::of(timeline.clone(), request, &mut max.0, &mut max.1);
        let width = picture.columns.len();
        let empty = |row: usize| {
            let cells = picture.counts.get(row * width..(row + 1) * width);
            cells.is_none_or(|cells| cells.iter().all(|&count| count == 0))
        };
        let alone = |row: usize| picture.is_row_unplaced(row);
        let stacked = stack::stack(&picture.rows, (&empty, &alone), room);
        let fits = stacked.is_some();
        let lines = stacked.unwrap_or_else(|| stack::squeezed(&picture.rows, room.0));
        Attempt { picture, lines, fits, max }
    }

    fn request(&self, plan: &Plan) -> Request {
        let end = self.latest().map_or(Timestamp::default(), |latest| self.window.end(latest));
        let columns = self.window.columns(plan.columns());
        Request {
            grid: Grid { end, column: self.window.column(), columns },
            most_rows: 0,
            keep: self.look.axis.map(|(lo, hi, _)| (lo, hi)),
            only: self.look.latency,
            steps: STEPS,
            frequency_scale: self.look.frequency.scale,
            intensity_scale: self.look.intensity.scale,
            marks: self.ledger.marks.iter().cloned().collect(),
        }
    }

    /// Keeps the range of the axis until a whole window has not needed all of it, so that it does
    /// not jump with every outlier.
    fn remember_axis(&mut self, picture: &Picture) {
        let Some((low, high)) = picture.main_range() else { return };
        let (Some(first), Some(last)) = (picture.columns.first(), picture.columns.last()) else {
            return;
        };
        let (end, span) = (last.end, last.end.since(first.start));
        self.look.axis = Some(match self.look.axis {
            Some((lo, hi, since)) => {
                let needed = low <= lo || high >= hi;
                let unused = end.since(since) > span || since.since(end) > span;
                if needed {
                    (low.min(lo), high.max(hi), end)
                } else if unused {
                    (low, high, end)
                } else {
                    (lo, hi, since)
                }
            }
            None => (low, high, end),
        });
    }
}
