//! What the mouse does.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::app::{App, Mode};
use crate::navigation::{pan, quarter, zoom};
use crate::selection::{Cursor, Pointer};

/// Takes a movement of the mouse.
pub(super) fn moved(app: &mut App, event: MouseEvent) {
    if app.mode != Mode::Map {
        return;
    }
    if event.kind == MouseEventKind::Moved {
        return hover(app, event);
    }
    app.pointer = None;
    let Some(spot) = app.scene.as_ref().and_then(|scene| scene.at(event.column, event.row)) else {
        return;
    };
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => {
            app.cursor = Cursor { at: spot.at, latency: spot.latency, ..Cursor::default() };
            app.look.focus = spot.map;
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            let corner = app.cursor.at.zip(app.cursor.latency);
            let anchor = app.cursor.anchor.or(corner);
            app.cursor = Cursor { at: spot.at, latency: spot.latency, anchor, ..app.cursor };
        }
        MouseEventKind::ScrollUp if event.modifiers.contains(KeyModifiers::SHIFT) => {
            pan(app, -quarter(app.columns()));
        }
        MouseEventKind::ScrollDown if event.modifiers.contains(KeyModifiers::SHIFT) => {
            pan(app, quarter(app.columns()));
        }
        MouseEventKind::ScrollUp => zoom(app, false, spot.at),
        MouseEventKind::ScrollDown => zoom(app, true, spot.at),
        _ => return,
    }
    app.dirty = true;
}

/// Remembers the cell under the pointer; nothing is drawn while it stays on the same one.
fn hover(app: &mut App, event: MouseEvent) {
    let spot = app.scene.as_ref().and_then(|scene| scene.at(event.column, event.row));
    let pointer = spot.and_then(|spot| Some(Pointer { at: spot.at?, latency: spot.latency? }));
    app.dirty |= app.pointer != pointer;
    app.pointer = pointer;
}
