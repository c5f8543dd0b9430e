//! What a reader sees at a glance: who waits, marks through the maps, all there is, one interval.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use isotherm_analysis::Geometry;
use isotherm_frame::{
    Frame, Histogram, Nanos, OpenWait, OpenWaits, Partial, Quality, Scheme, Series, Timestamp, Unit,
};
use isotherm_tui::{App, AppOptions, Feed};
use isotherm_views::{Depth, Palette, Style, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

const SIZES: [(u16, u16); 4] = [(80, 24), (100, 40), (160, 50), (220, 60)];

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

fn disk(device: &str) -> Series {
    Series::with_attributes("block I/O", [("device", device), ("op", "read")])
}

/// Three disks for so many seconds, one of which waits longer for a while: 12 x as long as others.
fn disks(seconds: i64) -> Vec<Frame> {
    let second = |second: i64| {
        let slow = (10..20).contains(&(second % 60));
        [
            frame(&disk("sda"), second, &[(100, 40), (4_000, 4)]),
            frame(&disk("sdb"), second, &[(100, 40), (if slow { 48_000 } else { 4_000 }, 4)]),
            frame(&disk("sdc"), second, &[(100, 20)]),
        ]
    };
    (0..seconds).flat_map(second).collect()
}

/// A view on a screen of its own.
struct Bench {
    app: App,
    screen: Terminal<TestBackend>,
}

impl Bench {
    fn new((width, height): (u16, u16), depth: Depth, feed: Feed) -> Bench {
        Bench::with((width, height), depth, feed, Geometry::default())
    }

    fn with((width, height): (u16, u16), depth: Depth, feed: Feed, geometry: Geometry) -> Bench {
        let style = Style { depth, theme: Theme::Dark, palette: Palette::IceHeat };
        let mut options = AppOptions::new("run.heat", style, Nanos::SECOND);
        (options.utc, options.feed, options.geometry) = (true, feed, geometry);
        let screen = Terminal::new(TestBackend::new(width, height)).unwrap();
        Bench { app: App::new(options), screen }
    }

    fn show(&mut self, frames: &[Frame]) -> String {
        for frame in frames {
            self.app.push(frame);
        }
        self.draw()
    }

    fn draw(&mut self) -> String {
        self.screen.draw(|frame| self.app.draw(frame)).unwrap();
        let buffer = self.screen.backend().buffer();
        let rows = buffer.content().chunks(usize::from(buffer.area.width));
        let text =
            rows.map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>());
        text.map(|row| row.trim_end().to_owned() + "\n").collect()
    }

    fn press(&mut self, code: KeyCode) -> String {
        self.app.key(KeyEvent::new(code, KeyModifiers::NONE));
        self.draw()
    }

    fn letter(&mut self, letter: char) -> String {
        self.press(KeyCode::Char(letter))
    }
}

fn events(frames: &[Frame]) -> u64 {
    frames.iter().map(|frame| frame.counts.events()).sum()
}

#[test]
fn an_ended_replay_is_shown_as_a_whole_over_the_whole_width() {
    for size in SIZES {
        for seconds in [7, 26, 300] {
            let frames = disks(seconds);
            let mut bench = Bench::new(size, Depth::TrueColour, Feed::Replay);
            bench.letter('a');
            bench.show(&frames);
            bench.app.ended("the recording ends here");
            let drawn = bench.draw();
            assert_eq!(bench.app.drawn_and_outside(), (events(&frames), 0), "{size:?} {seconds}");
            assert!(!drawn.contains("now"), "{drawn}");
            assert!(drawn.contains("■ ENDED"), "{drawn}");
            assert!(drawn.lines().any(|line| line.contains("131µs")), "{drawn}");
        }
    }
}

/// The last interval of a stream is cut to what was observed. The columns stay those of all intervals: a
/// second in which nothing ended has no part of the next one's events.
#[test]
fn the_columns_of_an_ended_stream_are_its_intervals() {
    let mut frames: Vec<Frame> = (0..30)
        .map(|second| {
            let silent = (26..29).contains(&second);
            frame(&disk("sda"), second, if silent { &[] } else { &[(700, 100)] })
        })
        .collect();
    frames[29].end = frames[29].start.plus(Nanos::from_millis(370));
    let mut bench = Bench::new((100, 40), Depth::Glyphs, Feed::Live);
    bench.show(&frames);
    bench.app.ended("end of input");
    let drawn = bench.draw();
    assert!(drawn.contains("Σ 270 ev/s"), "100 events in 0.37 s: {drawn}");
}

#[test]
fn all_there_is_fits_when_asked_and_what_a_key_moves_is_left_alone() {
    let frames = disks(300);
    let mut bench = Bench::new((100, 40), Depth::Glyphs, Feed::Live);
    bench.letter('a');
    bench.show(&frames);
    assert!(bench.app.drawn_and_outside().0 < events(&frames));
    let all = bench.letter('0');
    assert_eq!(bench.app.drawn_and_outside(), (events(&frames), 0), "{all}");
    bench.letter('+');
    assert!(bench.app.drawn_and_outside().0 < events(&frames));
    bench.app.ended("over");
    bench.draw();
    assert!(bench.app.drawn_and_outside().0 < events(&frames), "somebody has zoomed in");
}

#[test]
fn marks_go_through_both_maps_and_keep_their_names_beside_the_cursor() {
    let mut bench = Bench::new((100, 40), Depth::TrueColour, Feed::Replay);
    bench.app.mark(at(30), "deploy v2");
    bench.show(&disks(60));
    let marked = bench.draw();
    assert!(marked.contains("▼deploy v2"), "{marked}");
    let through = marked.lines().filter(|line| line.contains('║')).count();
    assert!(through >= 20, "both maps: {through}\n{marked}");
    // The cursor on the second of the mark, and on those around it.
    for _ in 0..36 {
        let moved = bench.press(KeyCode::Left);
        assert!(moved.contains("▼deploy v2"), "{moved}");
    }
}

#[test]
fn the_line_of_the_cursor_is_named_with_both_bounds() {
    let mut bench = Bench::new((100, 40), Depth::TrueColour, Feed::Replay);
    bench.show(&disks(60));
    let row = bench.press(KeyCode::Up);
    // 40 of 44 reads a second took 100 µs: that row is the fullest.
    let named = row.lines().find(|line| line.contains('◆')).unwrap();
    let label = named.trim_start().split(' ').next().unwrap();
    let (lo, hi) = label.split_once('–').unwrap();
    let number = |text: &str| text.trim_end_matches("µs").parse::<f64>().unwrap();
    assert!(number(lo) <= 100.0 && number(hi) > 100.0, "{named}");
    assert!(row.contains("40.0 ev/s (91%)"), "{row}");
}

#[test]
fn a_warning_goes_when_it_has_been_read() {
    let mut bench = Bench::new((100, 40), Depth::Glyphs, Feed::Live);
    bench.show(&disks(10));
    bench.app.warn("2 records rejected");
    assert!(bench.draw().contains("2 records rejected"));
    assert!(!bench.letter('p').contains("2 records rejected"), "a key was pressed");
    assert!(bench.letter('d').contains("2 records rejected"), "it is kept with the sentences");
    bench.press(KeyCode::Esc);
    bench.app.warn("3 records rejected");
    bench.app.tick(at(100));
    bench.app.tick(at(130));
    assert!(bench.draw().contains("3 records rejected"));
    bench.app.tick(at(161));
    assert!(bench.app.needs_draw() && !bench.draw().contains("3 records rejected"));
}

#[test]
fn texts_about_the_maps_stand_beside_or_below_them() {
    for size in SIZES {
        for key in ['d', 'c', 'm', '\r'] {
            let mut bench = Bench::new(size, Depth::Glyphs, Feed::Live);
            let before = bench.show(&disks(120));
            let after = if key == '\r' { bench.press(KeyCode::Enter) } else { bench.letter(key) };
            assert_ne!(before, after);
            // The axis of time is whole, and so are labels and cells: none of them is covered.
            let whole = |screen: &str| screen.lines().any(|line| line.contains("now"));
            assert!(whole(&after), "{after}");
            let title = after.lines().find(|line| line.contains("FREQUENCY")).unwrap();
            assert!(title.contains("max "), "{after}");
        }
    }
}

#[test]
fn all_of_the_help_can_be_read() {
    for size in SIZES {
        let mut bench = Bench::new(size, Depth::Glyphs, Feed::Live);
        let mut help = bench.letter('?');
        if size.0 >= 120 {
            // Beside the maps it scrolls.
            (0..60).for_each(|_| help.push_str(&bench.press(KeyCode::Down)));
        }
        for text in ["Read", "Time", "Who waits", "Maps", "Save and leave", "shift-←→↑↓", "wheel"]
        {
            assert!(help.contains(text), "{text}: {help}");
        }
    }
}

#[test]
fn one_interval_is_a_histogram_and_not_two_stripes() {
    // 900 events of 64 to 128 µs, 90 of 1 to 2 ms, 9 of 16 to 33 ms.
    let mut counts = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
    for (us, times) in [(100, 900), (1_500, 90), (20_000, 9)] {
        (0..times).for_each(|_| counts.record(Nanos::from_micros(us)));
    }
    let (start, end) = (at(0), at(3_600));
    let series = Series::named("db file sequential read");
    let one = Frame { series, start, end, counts, quality: Quality::Complete };
    for size in SIZES {
        let style = Style { depth: Depth::Glyphs, theme: Theme::Dark, palette: Palette::IceHeat };
        let mut options = AppOptions::new("awr.html", style, Nanos::new(3_600_000_000_000));
        (options.utc, options.feed) = (true, Feed::Replay);
        let screen = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
        let mut bench = Bench { app: App::new(options), screen };
        bench.show(std::slice::from_ref(&one));
        bench.app.ended("the report ends here");
        let drawn = bench.draw();
        assert_eq!(bench.app.drawn_and_outside(), (999, 0));
        // Bars as long as what they hold: full width, a tenth, a hundredth of it.
        let bars: Vec<usize> = drawn
            .lines()
            .skip_while(|line| !line.contains("FREQUENCY"))
            .take_while(|line| !line.contains('Σ'))
            .map(|line| line.chars().skip(8).take_while(|c| *c == '█').count())
            .filter(|length| *length > 0)
            .collect();
        let (longest, shortest) = (bars.iter().max().unwrap(), bars.iter().min().unwrap());
        assert!(*longest > 30 && *shortest * 8 <= *longest, "{bars:?}\n{drawn}");
        insta::assert_snapshot!(format!("{}x{}-histogram", size.0, size.1), drawn);
    }
}

#[test]
fn a_range_of_latency_collects_what_lies_outside() {
    let range = (Nanos::from_micros(1_000), Nanos::from_millis(16));
    let geometry = Geometry { latency: Some(range), rows: Some(12), ..Geometry::default() };
    let frames = disks(60);
    for size in SIZES {
        let mut bench = Bench::with(size, Depth::Glyphs, Feed::Replay, geometry);
        bench.letter('a');
        bench.show(&frames);
        let drawn = bench.letter('0');
        let (inside, outside) = bench.app.drawn_and_outside();
        assert_eq!((inside, outside), (events(&frames), 0), "{drawn}");
        assert!(drawn.contains("<524µs") && drawn.contains(">16.8ms"), "{drawn}");
    }
}

#[test]
fn who_waits_stands_beside_wide_maps() {
    for size in [(160, 50), (220, 60)] {
        for (depth, name) in [(Depth::TrueColour, "24bit"), (Depth::Ascii, "ascii")] {
            let mut bench = Bench::new(size, depth, Feed::Replay);
            bench.app.mark(at(10), "backup");
            let drawn = bench.show(&disks(60));
            insta::assert_snapshot!(format!("{}x{}-{name}-waits", size.0, size.1), drawn);
            // 60 s of 44 events of sda: 1.2 s; sdb 10 s of 4 x 48 ms more: 2.96 s; sdc 0.12 s.
            let line = drawn.lines().find(|line| line.contains("1 sdb")).unwrap();
            assert!(line.contains("69%"), "{drawn}");
        }
    }
}

#[test]
fn the_list_holds_all_series_and_their_numbers() {
    for size in SIZES {
        let mut bench = Bench::new(size, Depth::TrueColour, Feed::Replay);
        bench.show(&disks(60));
        let list = bench.letter('e');
        insta::assert_snapshot!(format!("{}x{}-list", size.0, size.1), list);
    }
}

/// A second of samples: a session waits for I/O now and then.
fn samples(second: i64) -> Frame {
    let counts =
        Histogram::of_sampled_time(Nanos::from_millis(if second % 3 == 0 { 100 } else { 0 }));
    let quality = Quality::Partial(Partial::FromRates);
    Frame { counts, quality, ..frame(&Series::named("IO:WALSync"), second, &[]) }.with_own_detail()
}

/// Eight sessions wait for a table lock from second 53 on; a minute of samples is known.
fn behind_a_lock(at_ms: i64) -> OpenWaits {
    let wait = |_| OpenWait {
        series: Series::named("Lock:relation"),
        begin: at(53),
        blocker: Some("17706 (nightly-job)".into()),
    };
    let moment = at(0).plus(Nanos::from_millis(u64::try_from(at_ms).unwrap()));
    OpenWaits { at: moment, waits: (0..8).map(wait).collect() }
}

#[test]
fn waits_that_go_on_are_waiting_now_and_first_in_what_is_said() {
    for size in SIZES {
        let mut bench = Bench::new(size, Depth::Ascii, Feed::Live);
        let quiet = bench.show(&(0..60).map(samples).collect::<Vec<_>>());
        assert!(!quiet.contains("Lock"), "{quiet}");
        bench.app.open_waits(behind_a_lock(60_300));
        let during = bench.draw();
        let said = "8 sessions have waited for Lock:relation for 7s; blocker 17706 (nightly-job).";
        let (first, _) = said.split_at(usize::from(size.0).min(said.len()) - 20);
        assert!(during.contains(first), "{size:?}\n{during}");
        assert!(during.contains("8.00 waiting"), "{size:?}\n{during}");
        assert!(!during.contains(" 0 waiting"), "{size:?}\n{during}");
        assert!(!during.contains("There are no events"), "{size:?}\n{during}");
        // Who looks at something else is told so.
        let others = bench.letter('2');
        assert!(others.contains("(+8 in other series)"), "{size:?}\n{others}");
        bench.letter('1');
        // They end with second 60: the same time is of events now, and is counted once.
        let after = lock_ends(&mut bench);
        assert!(!after.contains("have waited"), "{after}");
        for text in [&during, &after] {
            let shown = size.0 < 160 || text.lines().any(|line| line.contains("56.0 s"));
            assert!(shown, "{size:?}\n{text}");
        }
    }
}

/// The eight waits end at second 60: their time is booked where it was waited.
fn lock_ends(bench: &mut Bench) -> String {
    let lock = Series::named("Lock:relation");
    let length = Nanos::from_millis(7_000);
    let bucket = isotherm_frame::LogLinear::EVENTS.index_of(length);
    let whole = frame(&lock, 60, &[(7_000_000, 8)]);
    let counts = whole.counts.clone().with_waited_in((bucket, vec![0]), true).unwrap();
    let mut frames = vec![Frame { counts, ..whole }, samples(60)];
    for wait in behind_a_lock(60_300).so_far(at(0), at(60)) {
        frames.push(wait);
    }
    bench.app.open_waits(OpenWaits { at: at(61), waits: Vec::new() });
    bench.show(&frames)
}
