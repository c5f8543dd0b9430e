//! What keys do to the view while data arrive.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use isotherm_analysis::Story;
use isotherm_frame::{
    Account, Anomaly, AnomalyKind, Clock, Frame, Histogram, Nanos, Quality, Scheme, Series,
    Timestamp, Unit,
};
use isotherm_tui::{Action, App, AppOptions, Command, Context, Key, bindings};
use isotherm_views::{Depth, Palette, Style, Theme, TimeFormat, narration};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

mod scene;

use scene::{Grain, at, frames, second};

/// A view on a screen of its own.
struct Bench {
    app: App,
    screen: Terminal<TestBackend>,
}

impl Bench {
    fn new(width: u16, height: u16) -> Bench {
        Bench::of_depth(width, height, Depth::Glyphs)
    }

    fn of_depth(width: u16, height: u16, depth: Depth) -> Bench {
        let style = Style { depth, theme: Theme::Dark, palette: Palette::IceHeat };
        let mut options = AppOptions::new("oracle://FREEPDB1", style, Nanos::SECOND);
        options.utc = true;
        let screen = Terminal::new(TestBackend::new(width, height)).unwrap();
        Bench { app: App::new(options), screen }
    }

    fn with_scene(width: u16, height: u16) -> Bench {
        let mut bench = Bench::new(width, height);
        for frame in &frames(Grain::Fine) {
            bench.app.push(frame);
        }
        bench.draw();
        bench
    }

    fn push_seconds(&mut self, seconds: std::ops::Range<i64>) {
        for number in seconds {
            for mut frame in second(number % 30, Grain::Fine) {
                (frame.start, frame.end) = (at(number), at(number + 1));
                self.app.push(&frame);
            }
        }
    }

    fn draw(&mut self) -> String {
        self.screen.draw(|frame| self.app.draw(frame)).unwrap();
        let buffer = self.screen.backend().buffer();
        let rows = buffer.content().chunks(usize::from(buffer.area.width).max(1));
        rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>() + "\n")
            .collect()
    }

    fn press(&mut self, code: KeyCode) -> Action {
        self.app.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    /// Presses letters one after the other and draws.
    fn letters(&mut self, letters: &str) -> String {
        for letter in letters.chars() {
            self.press(KeyCode::Char(letter));
        }
        self.draw()
    }
}

fn line(screen: &str, number: usize) -> &str {
    screen.lines().nth(number).unwrap_or_default()
}

/// The text of a map's cells: what lies between labels and gutter of its lines.
fn maps(screen: &str) -> Vec<String> {
    screen.lines().skip(5).take(29).map(|line| line.chars().skip(8).take(68).collect()).collect()
}

#[test]
fn a_frozen_picture_stands_while_data_arrive() {
    let mut bench = Bench::with_scene(100, 40);
    let before = bench.letters(" ");
    assert!(line(&before, 0).contains("FROZEN +0s behind"), "{before}");
    bench.push_seconds(100..112);
    assert!(bench.app.needs_draw());
    let after = bench.draw();
    assert!(line(&after, 0).contains("FROZEN +12s behind"), "{after}");
    assert_eq!(maps(&before), maps(&after));
    let live = bench.letters(" ");
    assert!(line(&live, 0).contains("LIVE 1s"));
    assert_ne!(maps(&live), maps(&before));
    assert!(line(&live, 0).contains("14:32:32 UTC"), "{live}");
}

#[test]
fn nothing_new_needs_no_drawing() {
    let mut bench = Bench::with_scene(100, 40);
    assert!(!bench.app.needs_draw());
    bench.app.tick(at(100));
    bench.app.tick(at(101));
    assert!(!bench.app.needs_draw());
    bench.app.account(&Account::default());
    assert!(!bench.app.needs_draw());
    bench.press(KeyCode::Char('y'));
    assert!(!bench.app.needs_draw(), "a key without meaning changes nothing");
}

#[test]
fn a_silent_live_source_is_shown_as_away() {
    let mut bench = Bench::with_scene(100, 40);
    bench.app.tick(Timestamp::new(5_000_000_000));
    let rate = |screen: &str| {
        let head = screen.lines().find(|line| line.contains(" ev/s  ")).unwrap();
        let words: Vec<&str> = head.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "ev/s").unwrap();
        words[..at].join(" ")
    };
    let before = rate(&bench.draw());
    assert!(before.starts_with("now "), "{before}");
    bench.app.tick(Timestamp::new(6_900_000_000));
    assert!(!bench.app.needs_draw(), "it may only be late");
    // What was said last stands with its age, and no longer as what is so now.
    bench.app.tick(Timestamp::new(7_500_000_000));
    let screen = bench.draw();
    assert!(line(&screen, 0).contains("LIVE 1s"), "{screen}");
    assert_eq!(rate(&screen), before.replace("now", "2s ago"));
    bench.app.tick(Timestamp::new(9_100_000_000));
    let screen = bench.draw();
    assert_eq!(rate(&screen), before.replace("now", "4s ago"));
    assert!(line(&screen, 0).contains("SILENT"), "{screen}");
    // Four columns without data at the right edge: the source was last heard 4.1 s ago.
    assert!(line(&screen, 8).contains("╱╱╱╱ "), "{screen}");
    assert!(!line(&screen, 8).contains("╱╱╱╱╱"), "{screen}");
    bench.push_seconds(100..101);
    assert!(line(&bench.draw(), 0).contains("LIVE"));
}

/// Of eight seconds two are known: the column has their cells, and a hatch where it has none.
#[test]
fn a_column_that_is_mostly_gap_is_hatched() {
    let mut bench = Bench::new(100, 40);
    bench.push_seconds(0..40);
    bench.push_seconds(46..90);
    assert!(maps(&bench.draw()).concat().contains("╱╱╱╱╱╱"));
    let coarse = bench.letters("---");
    assert!(line(&coarse, 0).contains("LIVE 8s"), "{coarse}");
    assert!(maps(&coarse).concat().contains('╱'), "{coarse}");
}

#[test]
fn scrolling_back_shows_the_beginning_and_on_again_the_end() {
    let mut bench = Bench::with_scene(100, 40);
    let live = bench.draw();
    let oldest = bench.letters("g");
    assert!(line(&oldest, 0).contains("SCROLLED BACK 32s"), "{oldest}");
    // The window of 68 columns begins with the first frame: 14:30:40.
    assert!(line(&oldest, 0).contains("14:31:48 UTC"), "{oldest}");
    assert!(!maps(&oldest).concat().contains('╱'));
    bench.letters(",,,,");
    assert_eq!(bench.draw(), oldest, "there is nothing before the beginning");
    // The colour maximum remembers what it saw; everything else is as before.
    let numbers = |screen: &str| screen.lines().take(4).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(numbers(&bench.letters("......")), numbers(&live));
    assert_eq!(numbers(&bench.letters("gG")), numbers(&live));
}

#[test]
fn longer_columns_sum_and_lose_nothing() {
    let mut bench = Bench::with_scene(100, 40);
    let pushed: u64 = frames(Grain::Fine)
        .iter()
        .filter(|frame| frame.series.name() == "db file sequential read")
        .map(|frame| frame.counts.events())
        .sum();
    assert!(bench.app.drawn_and_outside().1 == 0);
    assert!(bench.app.drawn_and_outside().0 < pushed, "68 s of 100 s are shown");
    let zoomed = bench.letters("-");
    assert!(line(&zoomed, 0).contains("LIVE 2s") && line(&zoomed, 0).contains("win 2m16s"));
    assert_eq!(bench.app.drawn_and_outside(), (pushed, 0));
    assert!(line(&bench.letters("+"), 0).contains("LIVE 1s"));
    assert!(line(&bench.letters("+++"), 0).contains("LIVE 1s"), "the native interval is the least");
}

#[test]
fn series_are_switched_by_number_by_list_and_merged() {
    let mut bench = Bench::with_scene(100, 40);
    assert!(line(&bench.draw(), 0).contains("· db file sequential read"));
    assert!(line(&bench.letters("2"), 0).contains("· log file sync"));
    assert!(line(&bench.letters("9"), 0).contains("· log file sync"), "there is no ninth");
    assert!(line(&bench.letters("n"), 0).contains("· db file scattered read"));
    assert!(line(&bench.letters("n"), 0).contains("· log file parallel write"));
    assert!(line(&bench.letters("n"), 0).contains("· db file sequential read"));
    assert!(line(&bench.letters("N"), 0).contains("· log file parallel write"));
    assert!(line(&bench.letters("a"), 0).contains("· all 4 series"));
    let list = bench.letters("escat");
    assert!(list.contains("1 of 4 series") && list.contains("filter: scat"), "{list}");
    bench.press(KeyCode::Enter);
    assert!(line(&bench.draw(), 0).contains("· db file scattered read"));
    let list = bench.letters("eq");
    assert!(list.contains("filter: q"), "letters are the filter, not commands");
    bench.press(KeyCode::Backspace);
    bench.press(KeyCode::Down);
    bench.press(KeyCode::Enter);
    assert!(line(&bench.draw(), 0).contains("· log file sync"), "second by time waited");
}

#[test]
fn a_cluster_opens_on_the_sum_of_all_instances() {
    let name = "db file sequential read";
    let mut bench = Bench::new(160, 50);
    let mut now = 0;
    for frame in frames(Grain::Fine).iter().filter(|frame| frame.series.name() == name) {
        for instance in ["1", "2", "3"] {
            let series = Series::with_attributes(name, [("inst", instance)]);
            bench.app.push(&Frame { series, ..frame.clone() });
        }
        now = if frame.end == at(100) { 3 * frame.counts.events() } else { now };
    }
    let screen = bench.draw();
    assert!(line(&screen, 0).contains("db file sequential read (sum of 3 instances)"), "{screen}");
    let rate = isotherm_views::quantity(now as f64);
    assert!(line(&screen, 2).contains(&format!("now {rate} ev/s")), "{screen}");
    assert!(line(&bench.letters("2"), 0).contains("db file sequential read{inst=2}"));
    assert!(line(&bench.letters("a"), 0).contains("all 3 series"));
}

#[test]
fn all_series_together_have_the_events_of_each() {
    let mut bench = Bench::with_scene(160, 50);
    let now = |frames: &[Frame]| -> u64 {
        let last = frames.iter().filter(|frame| frame.end == at(100));
        last.map(|frame| frame.counts.events()).sum()
    };
    let rate = isotherm_views::quantity(now(&frames(Grain::Fine)) as f64);
    let merged = bench.letters("a");
    assert!(line(&merged, 2).contains(&format!("now {rate} ev/s")), "{merged}");
}

#[test]
fn a_pinned_maximum_stays_and_scales_go_round() {
    let mut bench = Bench::with_scene(100, 40);
    let pinned = bench.letters("S");
    let max = |screen: &str| {
        line(screen, 4).split(" max ").nth(1).unwrap().split(' ').next().unwrap().to_owned()
    };
    assert!(line(&pinned, 4).contains("pinned"));
    let scattered = bench.letters("3");
    assert_eq!(max(&scattered), max(&pinned));
    assert_ne!(max(&bench.letters("S")), max(&pinned));
    assert!(line(&bench.letters("s"), 4).contains("power 0.75"));
    assert!(line(&bench.letters("ssss"), 4).contains("sqrt"));
    bench.press(KeyCode::Tab);
    let intensity = bench.letters("s");
    assert!(intensity.contains("▸INTENSITY") && intensity.contains("linear"), "{intensity}");
}

#[test]
fn marks_are_shown_and_handed_on() {
    let mut bench = Bench::with_scene(100, 40);
    bench.letters("m");
    assert!(bench.letters("deploy q").contains("deploy q"));
    let action = bench.press(KeyCode::Enter);
    assert_eq!(action, Action::Mark(at(100), "deploy q".into()));
    bench.letters("m");
    bench.press(KeyCode::Esc);
    bench.push_seconds(100..104);
    assert!(bench.draw().contains("deploy q▼"));
}

#[test]
fn the_cursor_stays_with_its_moment_and_reads_its_cell() {
    let mut bench = Bench::with_scene(100, 40);
    bench.press(KeyCode::Left);
    bench.press(KeyCode::Left);
    assert!(bench.draw().contains("-2s▲"));
    bench.push_seconds(100..105);
    let moved = bench.draw();
    assert!(moved.contains("cursor -7s"), "{moved}");
    bench.press(KeyCode::Up);
    let cell = bench.draw();
    assert!(line(&cell, 38).contains("–"), "{cell}");
    assert!(line(&cell, 38).contains(" ev/s (") && line(&cell, 38).contains("of wait)"));
    bench.letters("v");
    bench.app.key(KeyEvent::new(KeyCode::Left, KeyModifiers::SHIFT));
    let selected = bench.draw();
    assert!(line(&selected, 38).contains("selected -17s..-7s"), "{selected}");
    bench.press(KeyCode::Esc);
    bench.press(KeyCode::Esc);
    assert!(!bench.draw().contains("cursor -"));
}

#[test]
fn the_cell_under_the_pointer_is_named_with_its_bounds() {
    let mut bench = Bench::with_scene(100, 40);
    let mouse = |kind, column, row| MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
    let clicked = MouseEventKind::Down(MouseButton::Left);
    bench.app.mouse(mouse(clicked, 60, 10));
    let read = |screen: &str, lead: &str| {
        let line = screen.lines().find(|line| line.trim_start().starts_with(lead));
        // Narrow lines leave out what comes last.
        line.map(|line| {
            line.trim_start().trim_start_matches(lead).trim().chars().take(40).collect::<String>()
        })
    };
    let at_click = read(&bench.draw(), "cursor").unwrap();
    bench.app.mouse(mouse(MouseEventKind::Moved, 40, 14));
    let hovered = read(&bench.draw(), "pointer").unwrap();
    assert_ne!(hovered, at_click);
    // The same cell reads the same, however it was reached; no button was pressed before.
    bench.app.mouse(mouse(MouseEventKind::Moved, 60, 10));
    assert_eq!(read(&bench.draw(), "pointer").as_ref(), Some(&at_click));
    // Outside of the maps nothing is pointed at: the cursor has the line again.
    bench.app.mouse(mouse(MouseEventKind::Moved, 0, 0));
    assert_eq!(read(&bench.draw(), "cursor"), Some(at_click));
}

#[test]
fn the_mouse_reads_selects_and_zooms() {
    let mut bench = Bench::with_scene(100, 40);
    let mouse = |kind, column, row| MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
    bench.app.mouse(mouse(MouseEventKind::Down(MouseButton::Left), 60, 10));
    // Column 52 of 68, the last of which is now.
    assert!(bench.draw().contains("cursor -15s"));
    bench.app.mouse(mouse(MouseEventKind::Drag(MouseButton::Left), 40, 12));
    assert!(bench.draw().contains("selected -35s..-15s"));
    bench.app.mouse(mouse(MouseEventKind::ScrollDown, 40, 12));
    assert!(line(&bench.draw(), 0).contains("LIVE 2s"));
    bench.app.mouse(mouse(MouseEventKind::Down(MouseButton::Left), 0, 0));
    bench.app.mouse(mouse(MouseEventKind::Moved, 99, 39));
}

#[test]
fn what_went_wrong_is_counted_in_sight() {
    let mut bench = Bench::with_scene(100, 40);
    bench.app.account(&Account { rejected: 3, lost: 17, ..Account::default() });
    let series = Series::named("log file sync");
    let kind = AnomalyKind::LatePoll(Nanos::new(3_000_000_000));
    bench.app.anomaly(&Anomaly { at: at(50), series, kind });
    bench.app.warn("disk full:\n\x1b[31mrecording stopped");
    let screen = bench.draw();
    for text in ["3 rejected", "17 lost", "1 reset", "1 late", "disk full: \u{fffd}[31mrecording"] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    bench.app.ended("the source closed its output");
    let screen = bench.draw();
    assert!(line(&screen, 0).contains("ENDED") && screen.contains("the source closed"));
}

#[test]
fn what_a_key_asked_for_is_answered_in_sight_whatever_the_source_says() {
    let mut bench = Bench::with_scene(100, 40);
    bench.app.tick(at(100));
    bench.app.answer(Err("the report is not saved: disk full"));
    bench.app.tick(at(101));
    bench.app.warn("operations were left out");
    assert!(bench.draw().contains("⚠ the report is not saved"), "the answer is not hidden");
    bench.app.answer(Ok("saved x.html"));
    bench.app.tick(at(102));
    bench.app.warn("operations were left out again");
    bench.app.tick(at(111));
    assert!(bench.draw().contains(" saved x.html"), "a newer answer takes its place");
    bench.app.tick(at(112));
    assert!(bench.app.needs_draw());
    assert!(bench.draw().contains("⚠ operations were left out again"), "ten seconds later");
}

#[test]
fn every_command_is_in_the_help_and_does_something() {
    let mut bench = Bench::with_scene(120, 90);
    let help = bench.letters("?");
    // Those of other screens are not there.
    let bindings = || bindings().iter().filter(|row| row.context != Context::Top);
    for row in bindings() {
        let (name, again) = (row.keys[0].name(), row.names() == "1-9");
        let name = name.strip_prefix("shift-").unwrap_or(&name);
        assert!(again || help.contains(name), "{name} is not in the help");
    }
    for row in bindings() {
        let mut bench = Bench::with_scene(100, 40);
        prepare(&mut bench, row.context, row.command);
        let before = (bench.draw(), bench.app.needs_draw());
        let action = bench.app.key(row.keys[0].event());
        let after = (bench.draw(), true);
        // A style has no glyph of its own in this depth.
        let unseen = [
            Command::Palette,
            Command::Theme,
            Command::Percentiles,
            Command::Redraw,
            Command::Pane,
        ];
        let changed = action != Action::None || before.0 != after.0;
        assert!(changed || unseen.contains(&row.command), "{:?} does nothing", row.command);
    }
}

/// Brings the view where a command has something to do.
fn prepare(bench: &mut Bench, context: Context, command: Command) {
    match context {
        Context::Map => match command {
            Command::CursorRight | Command::CursorFarRight => {
                for _ in 0..12 {
                    bench.press(KeyCode::Left);
                }
            }
            Command::RowUp | Command::RowFarUp => {
                (0..3).for_each(|_| drop(bench.press(KeyCode::Down)));
            }
            Command::RowDown | Command::RowFarDown => {
                (0..3).for_each(|_| drop(bench.press(KeyCode::Up)));
            }
            Command::PanForward | Command::PageForward | Command::Newest => {
                bench.letters("g");
            }
            Command::ZoomIn => drop(bench.letters("--")),
            Command::Close => drop(bench.letters("h")),
            Command::Series => drop(bench.letters("2")),
            _ => {}
        },
        Context::List => {
            bench.letters(if command == Command::ListErase { "escat" } else { "ed" });
            if command == Command::ListUp || command == Command::ListChoose {
                bench.press(KeyCode::Down);
            }
        }
        Context::Text => drop(bench.letters("mx")),
        Context::Top => {}
    }
}

#[test]
fn keys_have_names() {
    let key = |code, modifiers| Key { code, modifiers }.name();
    assert_eq!(key(KeyCode::Char('l'), KeyModifiers::CONTROL), "ctrl-l");
    assert_eq!(key(KeyCode::Left, KeyModifiers::SHIFT), "shift-←");
}

/// A second of 50 short waits, and of one of 5 s that ends in every fifth.
fn counted_at_end(number: i64, name: &str) -> Frame {
    let mut counts = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
    (0..50).for_each(|_| counts.record(Nanos::from_micros(300)));
    if number % 5 == 4 {
        counts.record(Nanos::from_millis(5_000));
    }
    let (start, end, counts) = (at(number), at(number + 1), counts.with_sum(None));
    Frame { series: Series::named(name), start, end, counts, quality: Quality::Complete }
}

#[test]
fn time_counted_where_it_ended_is_marked_and_read_out() {
    let mut bench = Bench::of_depth(120, 40, Depth::TrueColour);
    for number in 0..60 {
        bench.app.push(&counted_at_end(number, "lock"));
    }
    let drawn = bench.draw();
    let (head, intensity) = drawn.split_once("INTENSITY").unwrap();
    assert!(intensity.contains("· waits longer than 1s, drawn where they end"), "{drawn}");
    // Twelve waits end; the legend has the thirteenth dot, and the readout separates by others.
    let cells: String =
        intensity.lines().skip(1).take_while(|line| !line.contains("cursor")).collect();
    assert!(cells.matches('·').count() >= 12, "{drawn}");
    assert!(head.contains("s of waits ended"), "{drawn}");
    // Without a cursor the last column is read out: the sixtieth second has such a wait.
    assert!(drawn.contains("longer than 1s, partly waited before"), "{drawn}");
}

/// Ten series, of which one is slow for half a minute: what a recording says of it the live view says
/// in the same words.
#[test]
fn the_first_sentence_is_that_of_a_recording_of_the_same_time() {
    let mut bench = Bench::new(120, 40);
    let mut random = isotherm_frame::Random::new(5);
    let mut frames = Vec::new();
    for (number, series) in (0..120).flat_map(|number| (0..10).map(move |series| (number, series)))
    {
        let mut counts = Histogram::empty(Scheme::log_linear());
        let slow = series == 7 && (60..85).contains(&number);
        for wait in 0..if slow { 60 } else { 40 } {
            let us = if wait < 40 { 1_000.0 } else { 30_000.0 } * (0.3 * random.normal()).exp2();
            counts.record(Nanos::from_secs_f64(us / 1e6).unwrap());
        }
        let series = Series::named(format!("e{series}"));
        let (start, end, quality) = (at(number), at(number + 1), Quality::Complete);
        frames.push(Frame { series, start, end, counts, quality });
    }
    for frame in &frames {
        bench.app.push(frame);
    }
    let drawn = bench.letters("a");
    let shown = Story::of(&frames, None).unwrap();
    let moments = TimeFormat::new(Clock::Epoch, at(0));
    let expected = narration::sentences(&shown.remarks, &moments);
    let words: String = bench.letters("d").split_whitespace().collect::<Vec<&str>>().join(" ");
    let start: String = expected[0].chars().take(60).collect();
    assert!(expected[0].contains("e7"), "{expected:?}");
    assert!(words.contains(&start), "{start}\n{drawn}\n{words}");
}
