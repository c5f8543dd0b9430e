//! No size and no sequence of keys breaks the view, and nothing is lost in it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use isotherm_frame::{Frame, Nanos, Timestamp};
use isotherm_tui::{App, AppOptions, bindings};
use isotherm_views::{Depth, Palette, Style, Theme};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use testing::grid;

mod scene;

use scene::{Grain, at, frames, second};

const DEPTHS: [Depth; 5] =
    [Depth::TrueColour, Depth::Indexed, Depth::Basic, Depth::Glyphs, Depth::Ascii];

fn app(depth: Depth) -> App {
    let style = Style { depth, theme: Theme::Dark, palette: Palette::IceHeat };
    let mut options = AppOptions::new("oracle://FREEPDB1", style, Nanos::SECOND);
    options.utc = true;
    App::new(options)
}

fn draw(app: &mut App, width: u16, height: u16) {
    let mut screen = Terminal::new(TestBackend::new(width, height)).unwrap();
    screen.draw(|frame| app.draw(frame)).unwrap();
}

#[test]
fn a_storm_of_sizes_is_survived_and_counts_are_conserved() {
    for grain in [Grain::Fine, Grain::PowersOfTwo] {
        let mut app = app(Depth::TrueColour);
        let frames = frames(grain);
        for frame in &frames {
            app.push(frame);
        }
        app.mark(at(40), "A backup start");
        app.warn("something to say");
        let mut random = 7_u32;
        // The sizes are random in any case: a sample only has fewer of them.
        for _ in 0..grid::cases(200, 40) {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (width, height) = (1 + (random >> 8) % 220, 1 + (random >> 20) % 70);
            let size = |value: u32| u16::try_from(value).unwrap();
            draw(&mut app, size(width), size(height));
            let (drawn, outside) = app.drawn_and_outside();
            let columns = u64::try_from(app.columns_drawn()).unwrap();
            let inside = expected(&frames, at(100).minus(Nanos::new(columns * 1_000_000_000)));
            assert_eq!((drawn, outside), (inside, 0), "{width}x{height}");
        }
    }
}

/// Events of the shown series from a moment on.
fn expected(frames: &[Frame], from: Timestamp) -> u64 {
    let shown = frames
        .iter()
        .filter(|frame| frame.series.name() == "db file sequential read" && frame.start >= from);
    shown.map(|frame| frame.counts.events()).sum()
}

/// Presses keys as a terminal sends them.
fn type_keys(app: &mut App, keys: &str) {
    for letter in keys.chars() {
        let code = match letter {
            '\u{1b}' => KeyCode::Esc,
            '\n' => KeyCode::Enter,
            other => KeyCode::Char(other),
        };
        app.key(KeyEvent::new(code, KeyModifiers::NONE));
    }
}

/// Small sizes. A sample draws every 19th in a round, beginning with another in each: nine tenths of all in the
/// seventeen rounds, most widths and heights in each, and a column or two with each overlay.
fn small_sizes(round: usize) -> impl Iterator<Item = (u16, u16)> {
    let widths = [1, 2, 3, 5, 8, 11, 29, 30, 49, 50, 69, 95];
    let heights = || (1..12).chain([13, 15, 16, 19]);
    let all =
        widths.into_iter().flat_map(move |width| heights().map(move |height| (width, height)));
    let step = grid::step(19);
    all.skip(round % step).step_by(step)
}

#[test]
fn every_small_screen_is_drawn() {
    let mut round = 0;
    for depth in DEPTHS {
        let mut app = app(depth);
        for frame in &frames(Grain::Fine) {
            app.push(frame);
        }
        app.mark(at(99), "edge");
        draw(&mut app, 100, 40);
        let overlays = ["", "?", "?d", "dahhVhh\n", "c", "\u{1b}\u{1b}e", "\u{1b}m"];
        // What opens is laid out alike at every depth.
        let most = if [DEPTHS[0], DEPTHS[4]].contains(&depth) { overlays.len() } else { 1 };
        for overlay in overlays.into_iter().take(most) {
            type_keys(&mut app, overlay);
            for (width, height) in small_sizes(round) {
                draw(&mut app, width, height);
            }
            round += 1;
        }
    }
}

#[test]
fn ascii_is_ascii_everywhere() {
    let mut app = app(Depth::Ascii);
    for frame in &frames(Grain::Fine) {
        app.push(frame);
    }
    app.mark(at(60), "Überlast ▼");
    for keys in ["", "hhhhkvhhhkkk\n", "?", "?d", "da\n", "c", "cb", "e", "µ", "\u{1b}mx"] {
        type_keys(&mut app, keys);
        for (width, height) in [(80, 24), (100, 40), (160, 50)] {
            let mut screen = Terminal::new(TestBackend::new(width, height)).unwrap();
            screen.draw(|frame| app.draw(frame)).unwrap();
            let cells = screen.backend().buffer().content();
            let strange: Vec<&str> = cells
                .iter()
                .map(ratatui::buffer::Cell::symbol)
                .filter(|symbol| !symbol.is_ascii())
                .collect();
            assert!(strange.is_empty(), "{strange:?}");
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Key(usize, usize),
    Letter(char),
    Push(u8),
    Tick(u32),
    Draw(u16, u16),
    Mouse(u8, u16, u16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (any::<usize>(), any::<usize>()).prop_map(|(row, key)| Step::Key(row, key)),
        1 => any::<char>().prop_map(Step::Letter),
        2 => (0_u8..100).prop_map(Step::Push),
        1 => any::<u32>().prop_map(Step::Tick),
        3 => (1_u16..180, 1_u16..60).prop_map(|(width, height)| Step::Draw(width, height)),
        2 => (0_u8..5, 0_u16..180, 0_u16..60).prop_map(|(kind, x, y)| Step::Mouse(kind, x, y)),
    ]
}

fn mouse(kind: u8, column: u16, row: u16) -> MouseEvent {
    let kind = match kind {
        0 => MouseEventKind::Down(MouseButton::Left),
        1 => MouseEventKind::Drag(MouseButton::Left),
        2 => MouseEventKind::ScrollUp,
        3 => MouseEventKind::ScrollDown,
        _ => MouseEventKind::Moved,
    };
    MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }
}

proptest! {
    // The sequences are random, others in each run: a sample only has fewer of them.
    #![proptest_config(ProptestConfig::with_cases(grid::cases(256, 16)))]

    #[test]
    fn no_sequence_of_keys_breaks_the_view(
        steps in prop::collection::vec(step(), 1..60),
        depth in 0_usize..5,
        filled in any::<bool>(),
    ) {
        let mut app = app(DEPTHS[depth]);
        if filled {
            for frame in (0..30).flat_map(|number| second(number, Grain::PowersOfTwo)) { app.push(&frame); }
        }
        for step in steps {
            match step {
                Step::Key(row, key) => {
                    let row = &bindings()[row % bindings().len()];
                    app.key(row.keys[key % row.keys.len()].event());
                }
                Step::Letter(letter) => {
                    app.key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE));
                }
                Step::Push(number) => {
                    for frame in &second(number.into(), Grain::PowersOfTwo) { app.push(frame); }
                }
                Step::Tick(seconds) => app.tick(Timestamp::new(i64::from(seconds) * 1_000_000_000)),
                Step::Draw(width, height) => draw(&mut app, width, height),
                Step::Mouse(kind, x, y) => drop(app.mouse(mouse(kind, x, y))),
            }
        }
        draw(&mut app, 100, 40);
    }
}

#[test]
fn nothing_that_a_terminal_would_obey_or_hide_is_drawn() {
    let hostile = "a\u{1b}]52;c;QQ==\u{7}b\u{202e}c\u{200d}d\u{fe0f}e\u{9b}2Jf";
    let style = Style { depth: Depth::TrueColour, theme: Theme::Dark, palette: Palette::IceHeat };
    let mut options = AppOptions::new(hostile, style, Nanos::SECOND);
    options.utc = true;
    options.recording = Some(hostile.to_owned());
    let mut app = App::new(options);
    for frame in &frames(Grain::Fine) {
        let series = isotherm_frame::Series::with_attributes(hostile, [(hostile, hostile)]);
        app.push(&Frame { series, ..frame.clone() });
    }
    app.mark(at(90), hostile);
    app.warn(hostile);
    app.paste(hostile);
    for key in [' ', 's', 'd', 'c', 'm', 'v', '?', 'p'] {
        let mut screen = Terminal::new(TestBackend::new(200, 60)).unwrap();
        screen.draw(|frame| app.draw(frame)).unwrap();
        let cells = &screen.backend().buffer().content;
        let hidden =
            |cell: &&ratatui::buffer::Cell| cell.symbol().contains(isotherm_frame::is_hidden);
        assert_eq!(cells.iter().find(hidden), None);
        let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert!(text.contains("]52;c;"), "the name is there: {text}");
        app.key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE));
        app.paste(hostile);
    }
}
