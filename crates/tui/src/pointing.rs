//! Moving the cursor and selecting.

use crate::app::{App, Mode};
use crate::keys::Command;
use crate::navigation::pan;
use crate::selection::Cursor;

/// Commands that move the cursor or select; `false` when it is none.
pub(super) fn command(app: &mut App, command: Command) -> bool {
    match command {
        Command::CursorLeft => move_column(app, -1),
        Command::CursorRight => move_column(app, 1),
        Command::CursorFarLeft => move_column(app, -10),
        Command::CursorFarRight => move_column(app, 10),
        Command::RowUp => move_row(app, 1),
        Command::RowDown => move_row(app, -1),
        Command::RowFarUp => move_row(app, 10),
        Command::RowFarDown => move_row(app, -10),
        Command::Select => select(app, false),
        Command::SelectColumns => select(app, true),
        Command::Close => close(app),
        _ => return false,
    }
    true
}

/// Moves the cursor; at the left edge the window scrolls.
fn move_column(app: &mut App, by: isize) {
    let Some(scene) = &app.scene else { return };
    let last = scene.picture.columns.len().saturating_sub(1);
    let from = scene.column_of(app.cursor.at).unwrap_or(last);
    let to = from.saturating_add_signed(by).min(last);
    let missing = from.checked_add_signed(by).is_none();
    let at = scene.moment(to);
    app.cursor.at = at;
    if missing || (from == 0 && by < 0) {
        let before = app.window.clone();
        pan(app, i64::try_from(by).unwrap_or(-1));
        if app.window != before {
            let column = app.window.column();
            app.cursor.at = at.map(|at| at.minus(column));
        }
    }
}

fn move_row(app: &mut App, by: isize) {
    let Some(scene) = &app.scene else { return };
    let Some(last) = scene.picture.rows.len().checked_sub(1) else { return };
    let column = scene.column_of(app.cursor.at).or_else(|| scene.picture.last_data());
    let row = app.cursor.latency.and_then(|latency| scene.picture.row_of(latency));
    let row = row.map_or_else(
        || column.map_or(0, |column| scene.fullest_row(column, app.look.focus)),
        |row| scene.row_of_line_above(row, by).unwrap_or(row).min(last),
    );
    app.cursor.at = app.cursor.at.or_else(|| column.and_then(|column| scene.moment(column)));
    app.cursor.latency = scene.picture.rows.get(row).map(|row| row.lo);
}

/// Begins a selection at the cursor, or ends it.
fn select(app: &mut App, columns: bool) {
    if app.cursor.anchor.take().is_some() && app.cursor.columns == columns {
        return;
    }
    if app.cursor.at.is_none() || app.cursor.latency.is_none() {
        move_row(app, 0);
    }
    app.cursor.columns = columns;
    app.cursor.anchor = app.cursor.at.zip(app.cursor.latency);
}

/// Closes what is open, else ends the selection, else takes the cursor away.
fn close(app: &mut App) {
    let over_maps = app.mode == Mode::Map;
    app.mode = Mode::Map;
    if !over_maps {
        return;
    }
    if app.look.explains {
        return app.toggle_explanation();
    }
    app.cursor = match app.cursor.anchor {
        Some(_) => Cursor { anchor: None, ..app.cursor },
        None => Cursor::default(),
    };
}
