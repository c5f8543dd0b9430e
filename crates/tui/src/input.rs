//! What keys do.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use isotherm_frame::{Series, is_hidden};

use crate::app::{App, Mode};
use crate::keys::{Command, Context};
use crate::list::List;
use crate::navigation::{pan, quarter, zoom};
use crate::options::{Action, Extent};
use crate::pointing;
use crate::series_choice::SeriesChoice;
use isotherm_views::{MapKind, Palette, Theme};

pub(super) fn key(app: &mut App, event: KeyEvent) -> Action {
    let context = match app.mode {
        Mode::Map | Mode::Help { .. } | Mode::Story { .. } | Mode::Compare { .. } => Context::Map,
        Mode::List(_) => Context::List,
        Mode::Text(..) => Context::Text,
    };
    app.dirty |= app.ledger.has_been_read() | app.pointer.take().is_some();
    if let Some(command) = app.keys.command(context, event) {
        app.dirty = true;
        return do_command(app, command, event.code);
    }
    if is_whole_help(app) {
        (app.mode, app.dirty) = (Mode::Map, true);
        return Action::None;
    }
    if let KeyCode::Char(letter) = event.code
        && KeyModifiers::SHIFT.contains(event.modifiers)
    {
        text(app, letter.encode_utf8(&mut [0; 4]));
    }
    Action::None
}

/// Text typed or pasted: it goes where text is written, and nowhere else.
pub(super) fn text(app: &mut App, text: &str) {
    match &mut app.mode {
        Mode::List(list) => list.type_text(text),
        Mode::Text(_, written) => written.extend(text.chars().filter(|c| !is_hidden(*c))),
        Mode::Map | Mode::Help { .. } | Mode::Story { .. } | Mode::Compare { .. } => return,
    }
    app.dirty = true;
}

fn do_command(app: &mut App, command: Command, code: KeyCode) -> Action {
    match command {
        Command::Quit => return Action::Quit,
        Command::QuitLeavingPicture => return Action::QuitLeavingPicture,
        Command::Suspend => return Action::Suspend,
        Command::TextAccept => return set_mark(app),
        _ if is_whole_help(app) => app.mode = Mode::Map,
        _ if app.mode.scroll().is_some() => in_text(app, command),
        Command::Save => return Action::Save(Extent::Everything),
        Command::SaveShown => return Action::Save(Extent::Shown),
        _ => {
            let _ = in_time(app, command)
                || pointing::command(app, command)
                || in_looks(app, command)
                || in_series(app, command, code);
        }
    }
    Action::None
}

/// Whether the help is open with all of it on the screen.
fn is_whole_help(app: &App) -> bool {
    let beside = app.scene.as_ref().is_some_and(|scene| scene.plan.panel.is_some());
    matches!(app.mode, Mode::Help { .. }) && !beside
}

/// Scrolls a text over the maps, or closes it.
fn in_text(app: &mut App, command: Command) {
    let Some(scroll) = app.mode.scroll() else { return };
    match command {
        Command::RowDown => *scroll += 1,
        Command::RowUp => *scroll = scroll.saturating_sub(1),
        Command::PageForward | Command::RowFarDown => *scroll += 10,
        Command::PageBack | Command::RowFarUp => *scroll = scroll.saturating_sub(10),
        _ => app.mode = Mode::Map,
    }
}

/// Commands that move the window of time; `false` when it is none.
fn in_time(app: &mut App, command: Command) -> bool {
    let columns = app.columns();
    match command {
        Command::Freeze => {
            if let Some(latest) = app.latest() {
                app.window.toggle_freeze(latest);
            }
        }
        Command::PanBack => pan(app, -quarter(columns)),
        Command::PanForward => pan(app, quarter(columns)),
        Command::PageBack => pan(app, -columns),
        Command::PageForward => pan(app, columns),
        Command::Oldest => pan(app, i64::MIN / 2),
        Command::Newest => {
            app.window.follow();
            app.cursor.at = None;
        }
        Command::ZoomIn => zoom(app, false, app.cursor.at),
        Command::ZoomOut => zoom(app, true, app.cursor.at),
        Command::FitAll => {
            app.window.fit_all();
            app.cursor.at = None;
        }
        _ => return false,
    }
    app.changed();
    true
}

/// Commands that change how things look; `false` when it is none.
fn in_looks(app: &mut App, command: Command) -> bool {
    let focus = app.look.focus;
    match command {
        Command::Focus => {
            app.look.focus = match focus {
                MapKind::Frequency => MapKind::Intensity,
                MapKind::Intensity => MapKind::Frequency,
            };
        }
        Command::Scale => {
            let map = app.look.map(focus);
            map.scale = map.scale.next();
        }
        Command::Pin => app.look.map(focus).max.toggle_pin(),
        Command::Percentiles => app.look.percentiles = !app.look.percentiles,
        Command::Utc => app.look.utc = !app.look.utc,
        Command::Palette => {
            app.look.style.palette = match app.look.style.palette {
                Palette::IceHeat => Palette::Classic,
                Palette::Classic => Palette::Grey,
                Palette::Grey => Palette::IceHeat,
            };
        }
        Command::Theme => {
            app.look.style.theme = match app.look.style.theme {
                Theme::Dark => Theme::Light,
                Theme::Light => Theme::Dark,
            };
        }
        Command::Help => app.mode = Mode::Help { scroll: 0 },
        Command::Describe => app.mode = Mode::Story { scroll: 0 },
        Command::Explain => app.toggle_explanation(),
        Command::Pane => app.look.pane = app.look.pane.toggled(),
        Command::Redraw => {}
        _ => return false,
    }
    app.changed();
    true
}

/// Commands about series and marks; `false` when it is none.
fn in_series(app: &mut App, command: Command, code: KeyCode) -> bool {
    match command {
        Command::Switcher => app.mode = Mode::List(List::of(app.by_waits())),
        Command::Series => quick(app, code),
        Command::NextSeries => step(app, 1),
        Command::PreviousSeries => step(app, -1),
        Command::Merged => app.widen(),
        Command::Baseline => app.set_baseline(),
        Command::Compare => app.open_comparison(),
        Command::Mark => {
            let at = app.cursor.at.or_else(|| app.latest());
            app.mode = at.map_or(Mode::Map, |at| Mode::Text(at, String::new()));
        }
        _ => return in_list(app, command),
    }
    true
}

fn in_list(app: &mut App, command: Command) -> bool {
    match &mut app.mode {
        Mode::List(list) => {
            let lines = list.fitting();
            let count = lines.len();
            match command {
                Command::ListUp => list.up(),
                Command::ListDown => list.down(count),
                Command::ListErase => list.erase(),
                Command::ListChoose => {
                    let chosen = lines.get(list.line).map(|series| Series::clone(series));
                    app.mode = Mode::Map;
                    if let Some(series) = chosen {
                        app.show(SeriesChoice::Chosen(series));
                    }
                }
                _ => return false,
            }
        }
        Mode::Text(_, written) if command == Command::TextErase => {
            written.pop();
        }
        _ => return false,
    }
    true
}

/// Shows the series with the digit of that key.
fn quick(app: &mut App, code: KeyCode) {
    let KeyCode::Char(letter) = code else { return };
    let place = letter.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
    let series = place.and_then(|place| app.ledger.order.get(place.wrapping_sub(1)));
    if let Some(series) = series.cloned() {
        app.show(SeriesChoice::Chosen(series));
    }
}

/// Shows the series so many places further, round and round.
fn step(app: &mut App, by: isize) {
    let order = &app.ledger.order;
    let place = app.series().and_then(|shown| order.iter().position(|series| series == shown));
    let next = place.map_or(0, |place| {
        let count = order.len();
        (place + count).saturating_add_signed(by) % count
    });
    let series: Option<Series> = order.get(next).cloned();
    if let Some(series) = series {
        app.show(SeriesChoice::Chosen(series));
    }
}

fn set_mark(app: &mut App) -> Action {
    let Mode::Text(at, written) = std::mem::replace(&mut app.mode, Mode::Map) else {
        return Action::None;
    };
    app.dirty = true;
    let text = written.trim();
    let text = if text.is_empty() { "mark" } else { text };
    app.mark(at, text);
    Action::Mark(at, text.to_owned())
}
