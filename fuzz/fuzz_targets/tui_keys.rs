//! Any keys, text, mouse and sizes: the live view is drawn, and loses no event on the way.
#![no_main]

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
use isotherm_tui::{App, AppOptions};
use isotherm_views::{Depth, Palette, Style, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const SECOND: i64 = 1_000_000_000;
/// The seconds that are seen before the first key.
const SECONDS: i64 = 30;

fn second(number: i64) -> impl Iterator<Item = Frame> {
    ["read", "write"].into_iter().map(move |name| {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for event in 0..20 {
            counts.record(Nanos::new(1_000 << (event % 13)));
        }
        let start = Timestamp::new((1_700_000_000 + number) * SECOND);
        let end = start.plus(Nanos::SECOND);
        Frame { series: Series::named(name), start, end, counts, quality: Quality::Complete }
    })
}

/// What two bytes do: most are keys.
fn act(app: &mut App, seconds: &mut i64, kind: u8, value: u8) -> Option<(u16, u16)> {
    let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
    const NAMED: [KeyCode; 12] = [
        KeyCode::Esc,
        KeyCode::Enter,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Tab,
        KeyCode::Backspace,
    ];
    match kind % 16 {
        0..=7 => drop(app.key(plain(KeyCode::Char(char::from(value % 128))))),
        8..=10 => drop(app.key(plain(NAMED[usize::from(value) % NAMED.len()]))),
        11 => {
            let code = KeyCode::Char(char::from(value));
            drop(app.key(KeyEvent::new(code, KeyModifiers::CONTROL)));
        }
        12 => {
            let kinds = [
                MouseEventKind::Down(MouseButton::Left),
                MouseEventKind::Drag(MouseButton::Left),
                MouseEventKind::Up(MouseButton::Left),
                MouseEventKind::ScrollUp,
            ];
            let (column, row) = (u16::from(value), u16::from(kind));
            let kind = kinds[usize::from(value) % kinds.len()];
            drop(app.mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
        }
        13 => {
            second(*seconds).for_each(|frame| app.push(&frame));
            *seconds += 1;
        }
        14 => app.paste(&String::from_utf8_lossy(&[value, kind, value])),
        _ => return Some((1 + u16::from(value) % 200, 1 + u16::from(kind) % 60)),
    }
    None
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let style = Style { depth: Depth::TrueColour, theme: Theme::Dark, palette: Palette::IceHeat };
    let mut options = AppOptions::new("fuzz", style, Nanos::SECOND);
    options.utc = true;
    let mut app = App::new(options);
    (0..SECONDS).flat_map(second).for_each(|frame| app.push(&frame));
    let (mut size, mut seconds) = ((100, 40), SECONDS);
    for pair in bytes.chunks_exact(2).take(64) {
        size = act(&mut app, &mut seconds, pair[0], pair[1]).unwrap_or(size);
        let mut screen = Terminal::new(TestBackend::new(size.0, size.1)).expect("a screen");
        screen.draw(|frame| app.draw(frame)).expect("drawn");
    }
});
