//! What keys do: those of the live view that have a meaning here.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};
use isotherm_analysis::Dimension;

use super::{Step, TopScreen, WINDOWS, below};
use crate::keys::{Command, Context};
use crate::options::Action;

/// Keys and what they do here, for the help.
pub(super) const HELP: [(Command, &str); 15] = [
    (Command::Help, "this help"),
    (Command::Quit, "quit"),
    (Command::QuitLeavingPicture, "quit and leave the picture on the screen"),
    (Command::RowUp, "the row above"),
    (Command::RowDown, "the row below"),
    (
        Command::Explain,
        "only the sessions of this row; from an event its heat map, from SQL its text",
    ),
    (Command::Close, "back to all sessions of the table before"),
    (Command::Series, "the table of that number"),
    (Command::Focus, "the next table"),
    (Command::Io, "reads and writes by function and file, or sessions again"),
    (Command::ZoomIn, "tables of a shorter time"),
    (Command::ZoomOut, "tables of a longer time"),
    (Command::Freeze, "freeze the picture, or go on; sampling never stops"),
    (Command::Theme, "dark or light background"),
    (Command::Utc, "times in UTC or local"),
];

impl TopScreen {
    pub(super) fn pressed(&mut self, event: KeyEvent) -> Action {
        self.dirty = true;
        self.read();
        let keys = &self.options.keys;
        let command = keys.command(Context::Map, event).or(keys.command(Context::Top, event));
        if self.help && !matches!(command, Some(Command::Quit | Command::Suspend)) {
            self.help = false;
            return Action::None;
        }
        match command {
            Some(Command::Quit) => return Action::Quit,
            Some(Command::QuitLeavingPicture) => return Action::QuitLeavingPicture,
            Some(Command::Suspend) => return Action::Suspend,
            Some(Command::Series) if !self.io.is_shown => self.numbered(event),
            Some(command) => self.obey(command),
            None => {}
        }
        Action::None
    }

    /// The wheel of a mouse stands for a key.
    pub(super) fn turned(&mut self, command: Command) {
        self.dirty = true;
        self.obey(command);
    }

    fn obey(&mut self, command: Command) {
        let far = 10;
        match command {
            Command::Help => self.help = true,
            Command::Io => self.switch_io(),
            Command::Close if self.io.is_shown => self.switch_io(),
            // There are no rows to choose.
            Command::RowUp | Command::RowDown | Command::Explain | Command::Focus
                if self.io.is_shown => {}
            Command::RowUp => self.move_to(self.row.saturating_sub(1)),
            Command::RowDown => self.move_to(self.row + 1),
            Command::RowFarUp | Command::PageBack => self.move_to(self.row.saturating_sub(far)),
            Command::RowFarDown | Command::PageForward => self.move_to(self.row + far),
            Command::Oldest => self.move_to(0),
            Command::Newest => self.move_to(usize::MAX),
            Command::Explain => self.enter(),
            Command::Close => self.leave(),
            Command::Focus => self.show(next(self.by)),
            Command::ZoomIn => self.window = self.window.saturating_sub(1),
            Command::ZoomOut => self.window = (self.window + 1).min(WINDOWS.len() - 1),
            Command::Freeze => {
                self.frozen = if self.frozen.is_some() { None } else { Some(self.end()) };
            }
            Command::Theme => self.toggle_theme(),
            Command::Utc => self.options.utc = !self.options.utc,
            _ => {}
        }
    }

    /// A digit chooses a table.
    fn numbered(&mut self, event: KeyEvent) {
        let KeyCode::Char(digit) = event.code else { return };
        let number = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
        let by = number.and_then(|number| Dimension::ALL.get(number.checked_sub(1)?));
        if let Some(by) = by {
            self.show(*by);
        }
    }

    fn show(&mut self, by: Dimension) {
        (self.by, self.row) = (by, 0);
    }

    fn move_to(&mut self, row: usize) {
        self.row = row.min(self.table().rows.len().saturating_sub(1));
    }

    /// Keeps the sessions of the chosen row only.
    fn enter(&mut self) {
        let table = self.table();
        let Some(row) = table.rows.get(self.row.min(table.rows.len().saturating_sub(1))) else {
            return;
        };
        let chosen = |by: Dimension| self.path.iter().any(|step| step.by == by);
        if chosen(self.by) {
            return;
        }
        let known = |by: Dimension| by == self.by || chosen(by);
        let next = below(self.by).into_iter().find(|by| !known(*by));
        let next = next.or_else(|| Dimension::ALL.into_iter().find(|by| !known(*by)));
        let Some(next) = next else { return };
        let value = Arc::clone(&row.value);
        self.path.push(Step { value, by: self.by, row: self.row });
        self.show(next);
    }

    /// Takes back the last choice; without one, goes on if the picture is frozen.
    fn leave(&mut self) {
        match self.path.pop() {
            Some(step) => (self.by, self.row) = (step.by, step.row),
            None => self.frozen = None,
        }
    }
}

fn next(by: Dimension) -> Dimension {
    let all = Dimension::ALL;
    let at = all.iter().position(|one| *one == by).unwrap_or(0);
    all.get(at + 1).or_else(|| all.first()).copied().unwrap_or(by)
}
