//! Moving the window through time.

use isotherm_frame::{Nanos, Timestamp};

use crate::app::App;

/// The characters across a map before the first drawing.
pub(super) const USUAL_WIDTH: usize = 68;

/// A quarter of these columns, at least one.
pub(super) fn quarter(columns: i64) -> i64 {
    (columns / 4).max(1)
}

/// Scrolls, at most until the window begins with the oldest frame kept.
pub(super) fn pan(app: &mut App, columns: i64) {
    let (Some(latest), Some(earliest)) = (app.latest(), app.ledger.history.earliest()) else {
        return;
    };
    let width = app.window.column().as_nanos();
    let span = width.saturating_mul(app.columns().unsigned_abs());
    let oldest = earliest.plus(Nanos::new(span)).min(latest);
    app.window.pan(columns, oldest, latest);
    app.changed();
}

/// Shows twice or half the time, around a moment.
pub(super) fn zoom(app: &mut App, out: bool, around: Option<Timestamp>) {
    let Some(latest) = app.latest() else { return };
    let around = around.unwrap_or_else(|| app.window.end(latest));
    let width = app.scene.as_ref().map_or(USUAL_WIDTH, |scene| scene.plan.columns());
    if app.window.zoom(out, around, width) {
        app.changed();
    }
}
