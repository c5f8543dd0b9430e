//! What a load adds to the view, keys that somebody chose, and texts beside the maps.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
use isotherm_tui::{App, AppOptions, KeyMap};
use isotherm_views::{Depth, Palette, ProgressBar, ProgressLines, ProgressPart, Style, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn at(second: i64) -> Timestamp {
    Timestamp::new((1_772_375_440 + second) * 1_000_000_000)
}

/// A second of reads that are made, and of writes that are watched beside them.
fn second(second: i64) -> [Frame; 2] {
    let series = [
        Series::with_attributes("read", [("engine", "file")]),
        Series::with_attributes("write", [("device", "vda")]),
    ];
    series.map(|series| {
        let mut counts = Histogram::empty(Scheme::log_linear());
        let read = series.name() == "read";
        (0..if read { 400 } else { 40 }).for_each(|_| counts.record(Nanos::from_micros(160)));
        let (start, end, quality) = (at(second), at(second + 1), Quality::Complete);
        Frame { series, start, end, counts, quality }
    })
}

fn lines() -> ProgressLines {
    let part = |rank, text: &str| ProgressPart { text: text.to_owned(), rank };
    ProgressLines {
        bar: ProgressBar { share: 0.5, warmup_share: 0.25 },
        course: vec![part(0, "18s left"), part(6, "file:test.dat: 8 in flight")],
        now: vec![
            part(0, "51.2k IOPS"),
            part(3, "419 MB/s"),
            part(2, "p50 156–158µs"),
            part(1, "p99 4.19–4.23ms"),
            part(4, "7.96 in flight"),
            part(5, "0 errors"),
        ],
    }
}

struct Bench {
    app: App,
    screen: Terminal<TestBackend>,
}

impl Bench {
    fn new((width, height): (u16, u16), depth: Depth, keys: KeyMap) -> Bench {
        let style = Style { depth, theme: Theme::Dark, palette: Palette::IceHeat };
        let mut options = AppOptions::new("file:test.dat", style, Nanos::SECOND);
        (options.utc, options.keys) = (true, Arc::new(keys));
        let screen = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut app = App::new(options);
        (0..30).flat_map(second).for_each(|frame| app.push(&frame));
        Bench { app, screen }
    }

    fn draw(&mut self) -> Vec<String> {
        self.screen.draw(|frame| self.app.draw(frame)).unwrap();
        let buffer = self.screen.backend().buffer();
        let rows = buffer.content().chunks(usize::from(buffer.area.width));
        rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect()).collect()
    }

    fn press(&mut self, code: KeyCode) -> Vec<String> {
        self.app.key(KeyEvent::new(code, KeyModifiers::NONE));
        self.draw()
    }
}

#[test]
fn a_load_has_its_progress_and_its_numbers_above_the_maps() {
    for (size, all) in [((80, 24), false), ((100, 40), true), ((160, 50), true), ((220, 60), true)]
    {
        for depth in [Depth::Glyphs, Depth::Ascii] {
            let mut bench = Bench::new(size, depth, KeyMap::default());
            assert!(!bench.draw().concat().contains("18s left"), "no load, no progress");
            bench.app.load(lines());
            assert!(bench.app.needs_draw());
            let rows = bench.draw();
            let bar = if depth == Depth::Ascii { "---" } else { "▒▒▒" };
            assert!(rows[2].contains(bar) && rows[2].contains("18s left"), "{size:?} {}", rows[2]);
            assert!(rows[3].contains("51.2k IOPS") && rows[3].contains("p99"), "{}", rows[3]);
            assert_eq!(rows[3].contains("0 errors"), all, "{}", rows[3]);
            assert!(rows[3].contains("7.96 in flight"), "{}", rows[3]);
            assert!(depth != Depth::Ascii || rows.concat().is_ascii());
            bench.app.load(lines());
            assert!(!bench.app.needs_draw(), "nothing is new");
            // What is watched beside the load has numbers of its own.
            let watched = bench.press(KeyCode::Char('2'));
            assert!(watched[2].contains("18s left"), "{}", watched[2]);
            assert!(!watched[3].contains("IOPS") && watched[3].contains("ev/s"), "{}", watched[3]);
        }
    }
}

#[test]
fn help_and_the_list_stand_beside_the_maps_where_there_is_room() {
    for (width, height) in [(120, 40), (160, 50), (220, 60)] {
        let mut bench = Bench::new((width, height), Depth::Glyphs, KeyMap::default());
        let before = bench.draw();
        let title = |rows: &[String]| rows.iter().position(|row| row.contains("FREQUENCY"));
        for (key, text) in [('?', "keys ("), ('e', "who waits: 2 of 2 series")] {
            let shown = bench.press(KeyCode::Char(key));
            let row = shown.iter().find(|row| row.contains(text)).unwrap();
            let column = row.chars().position(|c| c == '┌').unwrap();
            assert!(column >= 64, "{width}: {row}");
            assert_eq!(title(&shown), title(&before), "{width}: the maps are there");
            // Not a map is covered: the frame begins where they end.
            let gutter = shown.iter().filter(|row| row.contains("max")).count();
            assert!(gutter > 0 && bench.app.columns_drawn() > 20, "{width}");
            bench.press(KeyCode::Esc);
        }
        assert_eq!(bench.draw(), before);
    }
    let mut narrow = Bench::new((100, 40), Depth::Glyphs, KeyMap::default());
    let shown = narrow.press(KeyCode::Char('?'));
    assert!(shown.iter().any(|row| row.contains("keys (any key closes)")));
}

#[test]
fn a_long_help_beside_the_maps_scrolls() {
    let mut bench = Bench::new((120, 30), Depth::Glyphs, KeyMap::default());
    let first = bench.press(KeyCode::Char('?'));
    assert!(first.concat().contains("esc closes"));
    let next = bench.press(KeyCode::Down);
    assert!(first != next && next.concat().contains("esc closes"));
    assert!(!bench.press(KeyCode::Esc).concat().contains("esc closes"));
}

#[test]
fn keys_that_somebody_chose_work_and_stand_in_help_and_hints() {
    let mut keys = KeyMap::default();
    keys.rebind("next", &["w".to_owned()]).unwrap();
    keys.rebind("describe", &["f9".to_owned()]).unwrap();
    keys.check().unwrap();
    let mut bench = Bench::new((100, 40), Depth::Glyphs, keys);
    assert!(bench.draw()[0].contains("read"));
    assert!(bench.press(KeyCode::Char('w'))[0].contains("write"));
    assert!(bench.press(KeyCode::Char('n'))[0].contains("write"), "n is nothing any more");
    assert!(bench.draw().concat().contains("F9 describe"));
    assert!(bench.press(KeyCode::Char('?')).concat().contains("w N  next, previous series"));
}
