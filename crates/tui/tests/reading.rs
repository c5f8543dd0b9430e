//! What the view says of a selection, beside the time before it, and what it gives away.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use isotherm_frame::{Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
use isotherm_tui::{Action, App, AppOptions, Extent};
use isotherm_views::{Depth, Palette, Style, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const SIZES: [(u16, u16); 3] = [(80, 24), (100, 40), (160, 50)];

fn at(second: i64) -> Timestamp {
    Timestamp::new((1_772_375_440 + second) * 1_000_000_000)
}

fn frame(series: &Series, second: i64, waits: &[(u64, u64)]) -> Frame {
    let mut counts = Histogram::empty(Scheme::log_linear());
    for &(us, times) in waits {
        (0..times).for_each(|_| counts.record(Nanos::from_micros(us)));
    }
    let (start, end, quality) = (at(second), at(second + 1), Quality::Complete);
    Frame { series: series.clone(), start, end, counts, quality }
}

fn reads(program: &str, file: &str) -> Series {
    Series::with_attributes("read", [("program", program), ("file", file)])
}

/// A minute in which a program reads for the seconds 40 to 49: 71 of 100 slow reads of then are
/// its own, and 1 of 100 at other times.
fn burst() -> Vec<Frame> {
    let second = |second: i64| {
        let (own, others) = if (40..50).contains(&second) { (71, 29) } else { (1, 99) };
        let more = 3 - u64::try_from(second % 3).unwrap();
        [
            frame(&reads("RMAN", "12"), second, &[(14_000, own)]),
            frame(&reads("app", "3"), second, &[(7_000, others), (230, 100 + more)]),
            frame(&Series::named("sync"), second, &[(900, 20 + more)]),
        ]
    };
    (0..60).flat_map(second).collect()
}

/// A view on a screen of its own.
struct Bench {
    app: App,
    screen: Terminal<TestBackend>,
}

impl Bench {
    fn new((width, height): (u16, u16), depth: Depth, frames: &[Frame]) -> Bench {
        let style = Style { depth, theme: Theme::Dark, palette: Palette::IceHeat };
        let mut options = AppOptions::new("trace:db.trc", style, Nanos::SECOND);
        options.utc = true;
        let mut app = App::new(options);
        for frame in frames {
            app.push(frame);
        }
        let screen = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut bench = Bench { app, screen };
        bench.draw();
        bench
    }

    fn draw(&mut self) -> String {
        self.screen.draw(|frame| self.app.draw(frame)).unwrap();
        let buffer = self.screen.backend().buffer();
        let rows = buffer.content().chunks(usize::from(buffer.area.width));
        let text =
            rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>());
        text.map(|row| row.trim_end().to_owned() + "\n").collect()
    }

    fn press(&mut self, code: KeyCode) -> Action {
        let action = self.app.key(KeyEvent::new(code, KeyModifiers::NONE));
        self.draw();
        action
    }

    fn letters(&mut self, letters: &str) -> String {
        letters.chars().for_each(|letter| drop(self.press(KeyCode::Char(letter))));
        self.draw()
    }

    /// All reads, of which the seconds 40 to 49 are selected.
    fn with_burst_selected(size: (u16, u16), depth: Depth) -> Bench {
        let mut bench = Bench::new(size, depth, &burst());
        bench.letters("a");
        // The last column is second 59: ten columns back from it, and nine more.
        (0..10).for_each(|_| drop(bench.press(KeyCode::Left)));
        bench.letters("V");
        (0..9).for_each(|_| drop(bench.press(KeyCode::Left)));
        bench.draw();
        bench
    }
}

/// The line of a text that holds `part`, spaces taken together.
fn line(text: &str, part: &str) -> String {
    let line = text.lines().find(|line| line.contains(part));
    let line = line.unwrap_or_else(|| panic!("no '{part}' in\n{text}"));
    let from = line.find(part).unwrap_or_default();
    line[from..].split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_differs_in_a_selection_is_reported_with_its_shares() {
    let mut bench = Bench::with_burst_selected((160, 50), Depth::Glyphs);
    let screen = bench.draw();
    assert!(screen.contains("SELECTION -19s..-10s"), "{screen}");
    // Ten seconds of 71 slow reads of RMAN, 29 slow and 100 + 2 fast ones of the application on
    // average: 9.94 of 12.2 s; in the other fifty seconds 0.7 of 36.5 s.
    let shown_row = line(&screen, "program RMAN");
    assert!(
        shown_row.starts_with("program RMAN 81% ") && shown_row.contains("vs 2% wait"),
        "{shown_row}"
    );
    let shown_row = line(&screen, "file    12");
    assert!(shown_row.starts_with("file 12 81% "), "{shown_row}");
    // As many reads in the ten seconds before: nothing has changed but how long they take.
    let shown_row = line(&screen, "10s before");
    assert!(
        shown_row.starts_with("10s before 202 → 202 ev/s") && shown_row.contains("+0%"),
        "{shown_row}"
    );
}

#[test]
fn reads_of_one_name_come_before_all_series_and_names_differ_too() {
    let mut bench = Bench::new((160, 50), Depth::Glyphs, &burst());
    let named = bench.letters("a");
    assert!(named.contains("read (all 2)"), "{named}");
    let all = bench.letters("a");
    assert!(all.contains("all 3 series"), "{all}");
    (0..11).for_each(|_| drop(bench.press(KeyCode::Left)));
    (0..20).for_each(|_| drop(bench.press(KeyCode::Up)));
    bench.letters("v");
    (0..9).for_each(|_| drop(bench.press(KeyCode::Left)));
    // Nothing but RMAN takes fourteen milliseconds.
    (0..2).for_each(|_| drop(bench.press(KeyCode::Down)));
    let screen = bench.draw();
    let shown_row = line(&screen, "program RMAN");
    assert!(shown_row.starts_with("program RMAN 100% "), "{screen}");
    assert!(line(&screen, "program (none)").starts_with("program (none) 0% "), "{screen}");
    assert!(line(&screen, "series  sync").starts_with("series sync 0% "), "{screen}");
}

/// Events of 1 ms in one second: so many of `a`, `b` and `c`.
fn three(second: i64, events: [u64; 3]) -> Vec<Frame> {
    let series = ["a", "b", "c"].map(Series::named);
    series.iter().zip(events).map(|(one, events)| frame(one, second, &[(1_000, events)])).collect()
}

#[test]
fn tabs_are_in_the_order_of_time_waited_until_a_series_is_chosen() {
    let mut bench = Bench::new((100, 40), Depth::Glyphs, &three(0, [10, 60, 30]));
    let tabs = |bench: &mut Bench| {
        let names: Vec<String> =
            bench.draw().lines().nth(1).unwrap().split_whitespace().map(str::to_owned).collect();
        names.chunks(3).map(|tab| tab[1].clone()).collect::<String>()
    };
    assert_eq!(tabs(&mut bench), "bca");
    let push = |bench: &mut Bench, second, events| {
        for frame in three(second, events) {
            bench.app.push(&frame);
        }
    };
    // 65 of `c` beside 60 of `b`: not clearly more. 75 are.
    push(&mut bench, 1, [0, 0, 35]);
    assert_eq!(tabs(&mut bench), "bca");
    push(&mut bench, 2, [0, 0, 10]);
    assert_eq!(tabs(&mut bench), "cba");
    bench.app.ended("the input has ended");
    push(&mut bench, 3, [0, 16, 0]);
    assert_eq!(tabs(&mut bench), "bca", "nothing more comes: 76 are more than 75");
    bench.letters("3");
    push(&mut bench, 4, [500, 0, 0]);
    assert_eq!(tabs(&mut bench), "bca");
}

#[test]
fn one_series_has_no_attributes_to_compare_and_says_so() {
    let mut bench = Bench::new((160, 50), Depth::Glyphs, &burst());
    bench.letters("1");
    bench.press(KeyCode::Left);
    let screen = bench.letters("V");
    assert!(screen.contains("one series is shown: there are no attributes"), "{screen}");
    assert!(screen.contains("1s before"), "{screen}");
}

#[test]
fn on_narrow_screens_the_explanation_stands_below_the_maps() {
    for size in [(80, 24), (100, 40)] {
        let mut bench = Bench::with_burst_selected(size, Depth::Glyphs);
        assert!(!bench.draw().contains("WHAT DIFFERS"));
        bench.press(KeyCode::Enter);
        let open = bench.draw();
        assert!(open.contains("WHAT DIFFERS") && open.contains("program RMAN"), "{open}");
        assert!(open.contains("2.02k"), "events of the selection: {open}");
        // The cursor goes on moving below it; escape closes it before it ends the selection.
        bench.press(KeyCode::Left);
        assert!(bench.draw().contains("2.22k"), "{}", bench.draw());
        bench.press(KeyCode::Esc);
        let closed = bench.draw();
        assert!(!closed.contains("WHAT DIFFERS") && closed.contains("selected"), "{closed}");
    }
    let mut bench = Bench::with_burst_selected((160, 50), Depth::Glyphs);
    assert!(!bench.letters("\\").contains("WHAT DIFFERS"), "the pane makes room for the maps");
    assert!(bench.letters("\\").contains("WHAT DIFFERS"));
    // Without a selection the window is explained in the pane.
    bench.press(KeyCode::Esc);
    assert!(!bench.draw().contains("IN THIS WINDOW"));
    bench.press(KeyCode::Enter);
    let explained = bench.draw();
    assert!(explained.contains("IN THIS WINDOW") && explained.contains("WHO WAITS"), "{explained}");
}

#[test]
fn the_story_is_in_the_header_and_all_of_it_behind_a_key() {
    let mut bench = Bench::new((100, 40), Depth::Glyphs, &burst());
    let screen = bench.letters("aa");
    let header = screen.lines().nth(3).unwrap_or_default().to_owned();
    // RMAN waits 10 x (71 - 1) x 14 ms more in it, the application 10 x (99 - 29) x 7 ms less.
    let shown_row = "From 14:31:20 to 14:31:30 UTC, read file=12 RMAN had 71.0 events/s instead";
    assert!(header.contains(shown_row), "{header}");
    let story = bench.letters("d");
    assert!(story.contains("in this window") && story.matches(" · ").count() >= 2, "{story}");
    assert!(!bench.letters("d").contains("in this window"));
    let empty = Bench::new((100, 40), Depth::Glyphs, &[]).letters("d");
    assert!(empty.contains("nothing can be said"), "{empty}");
}

#[test]
fn a_selection_is_compared_with_the_time_before_or_a_baseline() {
    let mut bench = Bench::with_burst_selected((100, 40), Depth::Glyphs);
    let screen = bench.letters("c");
    assert!(screen.contains("A 14:31:10 +10s  the time before"), "{screen}");
    assert!(screen.contains("B 14:31:20 +10s  the selection"), "{screen}");
    let rate = line(&screen, "events/s      ");
    assert!(rate.starts_with("events/s 202 202 ×1.00"), "{rate}");
    // A: 10 x (1 x 14 + 99 x 7 + 102 x 0.23) ms; B: 10 x (71 x 14 + 29 x 7 + 102 x 0.23) ms.
    let waited = line(&screen, "▲ waiting");
    assert!(waited.starts_with("▲ waiting 0.73 1.22 ×1.67"), "{waited}");
    // 14 ms: 1 of 202 before, 71 of 202 now, which is 34.7 points more.
    let row = screen.lines().find(|line| line.contains("+34.7"));
    assert!(row.is_some_and(|row| row.contains("71.0")), "{screen}");
    bench.press(KeyCode::Esc);
    // The whole window against the burst: the baseline.
    bench.letters("b");
    bench.press(KeyCode::Esc);
    let screen = bench.letters("c");
    assert!(screen.contains("A 14:31:20 +10s  the baseline"), "{screen}");
    assert!(screen.contains("the window"), "{screen}");
    bench.press(KeyCode::Esc);
    // Nothing is known of the time before the first interval.
    let mut short = Bench::new((100, 40), Depth::Glyphs, &burst()[..90]);
    short.letters("g");
    (0..100).for_each(|_| drop(short.press(KeyCode::Left)));
    let screen = short.letters("Vc");
    assert!(screen.contains("nothing to compare with"), "{screen}");
}

#[test]
fn a_report_is_asked_for_of_everything_or_of_what_is_shown() {
    let mut bench = Bench::new((100, 40), Depth::Glyphs, &burst());
    bench.letters("2");
    assert_eq!(bench.press(KeyCode::Char('x')), Action::Save(Extent::Everything));
    assert_eq!(bench.press(KeyCode::Char('X')), Action::Save(Extent::Shown));
    let all = bench.app.kept(Extent::Everything);
    assert!(all.series.is_empty() && all.span.is_none());
    let events: u64 = all.history.by_time_waited().iter().map(|(_, total)| total.events).sum();
    assert_eq!(events, burst().iter().map(|frame| frame.counts.events()).sum::<u64>());
    let shown = bench.app.kept(Extent::Shown);
    assert_eq!(shown.series, [reads("RMAN", "12")]);
    let (from, to) = shown.span.unwrap();
    assert_eq!((to, to.since(from)), (at(60), Nanos::new(68_000_000_000)));
    bench.app.answer(Ok("saved isotherm-20260301-143140.html (41 KiB)"));
    let screen = bench.draw();
    assert!(screen.contains(" saved isotherm-20260301-143140.html (41 KiB)"), "{screen}");
    assert!(!screen.contains("⚠ saved"), "it is no warning: {screen}");
}

#[test]
fn the_pane_the_story_and_the_comparison_at_each_size() {
    for size in SIZES {
        for (depth, name) in [(Depth::TrueColour, "24bit"), (Depth::Ascii, "ascii")] {
            let name = |what: &str| format!("{}x{}-{name}-{what}", size.0, size.1);
            let mut bench = Bench::with_burst_selected(size, depth);
            if size.0 < 150 {
                bench.press(KeyCode::Enter);
            }
            insta::assert_snapshot!(name("selection"), bench.draw());
            insta::assert_snapshot!(name("comparison"), bench.letters("c"));
            bench.press(KeyCode::Esc);
            bench.press(KeyCode::Esc);
            insta::assert_snapshot!(name("story"), bench.letters("d"));
        }
    }
}
