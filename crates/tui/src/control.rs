//! What a terminal does with the view: keys and the mouse go in, a drawing comes out.

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};
use isotherm_frame::{REPLACEMENT, Timestamp, is_hidden};
use isotherm_views::Style;

use crate::app::App;
use crate::key_map::KeyMap;
use crate::options::Action;
use crate::run::LiveScreen;
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

impl LiveScreen for App {
    fn keys(&self) -> Arc<KeyMap> {
        Arc::clone(&self.keys)
    }

    fn style(&self) -> Style {
        self.look.style
    }

    fn is_contained(&self) -> fn() -> bool {
        self.is_contained
    }

    fn key(&mut self, key: KeyEvent) -> Action {
        App::key(self, key)
    }

    fn mouse(&mut self, mouse: MouseEvent) -> Action {
        App::mouse(self, mouse)
    }

    fn paste(&mut self, text: &str) {
        App::paste(self, text);
    }

    fn tick(&mut self, now: Timestamp) {
        App::tick(self, now);
    }

    fn warn(&mut self, text: &str) {
        App::warn(self, text);
    }

    fn redraw(&mut self) {
        App::redraw(self);
    }

    fn needs_draw(&self) -> bool {
        App::needs_draw(self)
    }

    fn draw(&mut self, frame: &mut ratatui::Frame<'_>) {
        App::draw(self, frame);
    }
}
