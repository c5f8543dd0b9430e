//! What every part of the screen is painted from.

use isotherm_analysis::{Column, ColumnState};
use isotherm_frame::{Series, Timestamp};
use isotherm_views::{MapKind, Style, quantity, seconds};

use crate::app::App;
use crate::clock;
use crate::options::Feed;
use crate::scene::Scene;
use crate::window::End;

/// What every part of the screen is painted from.
#[derive(Copy, Clone)]
pub(super) struct View<'a> {
    pub(super) app: &'a App,
    pub(super) scene: &'a Scene,
}

/// What a column of the screen shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Counts, or nothing because nothing is kept from before.
    Data,
    Before,
    NoData,
    Reset,
}

impl View<'_> {
    pub(super) fn style(&self) -> Style {
        self.app.look.style
    }

    /// The series that are shown.
    pub(super) fn members(&self) -> Vec<Series> {
        self.app.members()
    }

    /// The column that values are given for: the cursor's, or the last one with data.
    pub(super) fn read_column(&self) -> Option<usize> {
        self.scene.column_of(self.app.cursor.at).or_else(|| self.scene.picture.last_data())
    }

    pub(super) fn cursor_column(&self) -> Option<usize> {
        self.scene.column_of(self.app.cursor.at)
    }

    pub(super) fn cursor_row(&self) -> Option<usize> {
        self.scene.picture.row_of(self.app.cursor.latency?)
    }

    /// The column and row under the pointer, where it was moved last.
    pub(super) fn pointed(&self) -> Option<(usize, usize)> {
        let pointer = self.app.pointer?;
        let column = self.scene.column_of(Some(pointer.at))?;
        Some((column, self.scene.picture.row_of(pointer.latency)?))
    }

    /// Whether the window's end is now.
    pub(super) fn is_now(&self) -> bool {
        self.app.window.position() == End::Follows
            && self.app.ledger.ended.is_none()
            && self.app.feed == Feed::Live
    }

    pub(super) fn end(&self) -> Option<Timestamp> {
        self.scene.picture.columns.last().map(|column| column.end)
    }

    pub(super) fn known(&self, column: usize) -> Known {
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

    /// Whether a gap takes at least half of a column that has data, too. The first and the last with data
    /// are cut by the ends of what is known.
    pub(super) fn is_mostly_gap(&self, column: usize) -> bool {
        let columns = &self.scene.picture.columns;
        let has_data = |one: &Column| one.state == ColumnState::Data;
        let Some(shown) = columns.get(column).filter(|one| has_data(one)) else { return false };
        let within = || columns[..column].iter().any(has_data);
        !shown.is_whole() && within() && columns[column + 1..].iter().any(has_data)
    }

    /// How a column is named beside its values.
    pub(super) fn column_name(&self, column: usize) -> String {
        let Some(shown) = self.scene.picture.columns.get(column) else { return String::new() };
        if !self.is_now() {
            return clock::clock(self.app, shown.start);
        }
        let last = self.scene.picture.columns.len() - 1;
        if column == last {
            return "now".to_owned();
        }
        let end = self.end().unwrap_or_default();
        format!("-{}", clock::span(end.since(shown.end)))
    }
}

/// The unit of a map's column sums.
pub(super) fn unit(kind: MapKind) -> &'static str {
    match kind {
        MapKind::Frequency => " ev/s",
        MapKind::Intensity => " waiting",
    }
}

/// A value of a map as people read it.
pub(super) fn amount(kind: MapKind, value: f64) -> String {
    match kind {
        MapKind::Frequency => quantity(value),
        MapKind::Intensity => seconds(value),
    }
}
