//! What a terminal does with the view: keys and the mouse go in, a drawing comes out.

use crossterm::event::{KeyEvent, MouseEvent};
use isotherm_frame::{REPLACEMENT, is_hidden};

use crate::app::App;
use crate::options::Action;
use crate::{input, mouse, paint};

impl App {
    /// Takes a key.
    pub fn key(&mut self, event: KeyEvent) -> Action {
        input::key(self, event)
    }

    /// Takes a movement of the mouse.
    pub fn mouse(&mut self, event: MouseEvent) -> Action {
        mouse::moved(self, event);
        Action::None
    }

    /// Takes pasted text: part of a filter or of a mark, never keys.
    pub fn paste(&mut self, text: &str) {
        input::text(self, text);
    }

    /// Draws.
    pub fn draw(&mut self, frame: &mut ratatui::Frame) {
        paint::screen(self, frame.area(), frame.buffer_mut());
        // Whatever a painter put there: marks, names and values come from any input.
        for cell in &mut frame.buffer_mut().content {
            if cell.symbol().contains(is_hidden) {
                cell.set_char(REPLACEMENT);
            }
        }
        self.dirty = false;
    }
}
