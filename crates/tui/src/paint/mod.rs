//! The screen: each part painted where the plan has room for it.

mod ascii;
mod axis;
mod compare;
mod curves;
mod footer;
mod gutter;
mod head;
mod ink;
mod map;
mod overlay;
mod pane;
mod phrase;
mod selection;
mod spark;
mod text;

pub(super) use phrase::{clock, span};

use isotherm_analysis::ColumnState;
use isotherm_frame::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use super::app::App;
use super::scene::Scene;
use super::window::End;
use isotherm_views::{Depth, MapKind, Style, quantity, seconds};

/// What every part of the screen is painted from.
#[derive(Copy, Clone)]
pub(super) struct View<'a> {
    app: &'a App,
    scene: &'a Scene,
}

/// Draws the whole screen.
pub(super) fn screen(app: &mut App, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    app.compose(area);
    Clear.render(area, buffer);
    let Some(scene) = &app.scene else { return };
    let view = View { app, scene };
    head::paint(view, buffer);
    let last = scene.plan.maps.len().saturating_sub(1);
    for (index, plan) in scene.plan.maps.iter().enumerate() {
        map::paint(view, plan, buffer);
        gutter::paint(view, plan, buffer);
        axis::paint(view, plan, index == last, buffer);
    }
    spark::paint(view, buffer);
    pane::paint(view, buffer);
    footer::paint(view, buffer);
    overlay::paint(view, buffer);
    if app.look.style.depth == Depth::Ascii {
        ascii::translate(area, buffer);
    }
}

/// What a column of the screen shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Known {
    /// Counts, or nothing because nothing is kept from before.
    Data,
    Before,
    NoData,
    Reset,
}

impl View<'_> {
    fn style(&self) -> Style {
        self.app.look.style
    }

    /// The column that values are given for: the cursor's, or the last one with data.
    fn read_column(&self) -> Option<usize> {
        self.scene.column_of(self.app.cursor.at).or_else(|| self.scene.picture.last_data())
    }

    fn cursor_column(&self) -> Option<usize> {
        self.scene.column_of(self.app.cursor.at)
    }

    fn cursor_row(&self) -> Option<usize> {
        self.scene.picture.row_of(self.app.cursor.latency?)
    }

    /// Whether the window's end is now.
    fn is_now(&self) -> bool {
        self.app.window.position() == End::Follows
            && self.app.ledger.ended.is_none()
            && self.app.feed == super::Feed::Live
    }

    fn end(&self) -> Option<Timestamp> {
        self.scene.picture.columns.last().map(|column| column.end)
    }

    fn known(&self, column: usize) -> Known {
        let Some(column) = self.scene.picture.columns.get(column) else { return Known::Before };
        match column.state {
            ColumnState::Data => Known::Data,
            ColumnState::Reset => Known::Reset,
            ColumnState::NoData => {
                let begins = self.scene.begins;
                let before = begins.is_none_or(|begins| column.end <= begins);
                if before { Known::Before } else { Known::NoData }
            }
        }
    }

    /// How a column is named beside its values.
    fn column_name(&self, column: usize) -> String {
        let Some(shown) = self.scene.picture.columns.get(column) else { return String::new() };
        if !self.is_now() {
            return phrase::clock(self.app, shown.start);
        }
        let last = self.scene.picture.columns.len() - 1;
        if column == last {
            return "now".to_owned();
        }
        let end = self.end().unwrap_or_default();
        format!("-{}", phrase::span(end.since(shown.end)))
    }
}

/// The unit of a map's column sums.
fn unit(kind: MapKind) -> &'static str {
    match kind {
        MapKind::Frequency => " ev/s",
        MapKind::Intensity => " waiting",
    }
}

/// A value of a map as people read it.
fn amount(kind: MapKind, value: f64) -> String {
    match kind {
        MapKind::Frequency => quantity(value),
        MapKind::Intensity => seconds(value),
    }
}
