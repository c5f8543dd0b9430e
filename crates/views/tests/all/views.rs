//! Every view of the scripted scene: what it looks like, and that its numbers add up.

use crate::scene;
use crate::shown::{DEPTHS, classic, map, map_picture, stream, style, table, without_colours};
use isotherm_analysis::{ColourMax, Grid, Picture, Request};
use isotherm_frame::{Clock, Frame, Histogram, Nanos, Quality, Scheme, Series, Unit};
use isotherm_views::{Depth, MapView, StreamOptions, StreamView};
use testing::grid;

fn events(frames: &[Frame]) -> u64 {
    frames.iter().map(|frame| frame.counts.events()).sum()
}

/// The numbers in the gutter of one map: the rows' and the total.
fn gutter(map: &str, name: &str, cells_end: usize) -> (Vec<String>, String) {
    let mut lines = map.lines().skip_while(|line| !line.starts_with(name)).skip(1);
    let mut rows = Vec::new();
    for line in lines.by_ref() {
        let right: String = line.chars().skip(cells_end).collect();
        // Below the cells there may be marks of columns.
        let Some(first) = right.split_whitespace().next().map(str::to_owned) else { continue };
        if !right.contains('%') {
            return (rows, first);
        }
        rows.push(first);
    }
    panic!("no total below {name}: {map}");
}

#[test]
fn maps_look_as_they_did() {
    insta::assert_snapshot!("map_110_fine", map(&scene::fine(), 110, Depth::Glyphs));
    insta::assert_snapshot!("map_60_ascii", map(&scene::coarse(), 60, Depth::Ascii));
    insta::assert_snapshot!("map_80_coarse", map(&scene::coarse(), 80, Depth::Glyphs));
    insta::assert_snapshot!(
        "map_60_24bit",
        map(&scene::fine(), 60, Depth::TrueColour).escape_debug()
    );
}

#[test]
fn streams_look_as_they_did() {
    insta::assert_snapshot!("stream_100_coarse", stream(&scene::coarse(), 100, Depth::Glyphs));
    insta::assert_snapshot!("stream_80_ascii", stream(&scene::fine(), 80, Depth::Ascii));
}

#[test]
fn classic_maps_look_as_they_did() {
    insta::assert_snapshot!("classic_120", classic(&scene::coarse(), 120, Depth::Glyphs, false));
    insta::assert_snapshot!("classic_64", classic(&scene::coarse(), 64, Depth::Ascii, false));
}

#[test]
fn tables_look_as_they_did() {
    insta::assert_snapshot!("table_wide", table(&scene::fine(), None));
    insta::assert_snapshot!("table_140", table(&scene::coarse(), Some(140)));
    insta::assert_snapshot!("table_80", table(&scene::fine(), Some(80)));
}

#[test]
fn the_rows_of_a_map_add_up_to_what_was_counted() {
    for frames in [scene::coarse(), scene::fine()] {
        for depth in DEPTHS {
            for width in [60, 97, 110, 140, 300] {
                let text = without_colours(&map(&frames, width, depth));
                let columns = map_picture(&frames, width, depth).columns.len();
                let fit = isotherm_views::MapView::columns_in(width) / columns;
                let end = 8 + columns * fit.clamp(1, 8);
                let (rows, total) = gutter(&text, "FREQUENCY", end);
                let sum: u64 = rows.iter().map(|row| row.parse::<u64>().unwrap()).sum();
                assert_eq!(sum, events(&frames));
                assert_eq!(total, events(&frames).to_string());
                let (rows, total) = gutter(&text, "INTENSITY", end);
                let seconds =
                    |text: &str| text.trim_matches(['<', '≈', '~']).parse::<f64>().unwrap();
                let sum: f64 = rows.iter().map(|row| seconds(row)).sum();
                // Three digits each.
                assert!((sum - seconds(&total)).abs() < 0.005 * sum, "{sum} {total}");
            }
        }
    }
}

/// The widths at which maps are drawn. A sample keeps both ends and the widths on either side of each change of the
/// bars; in between each depth has widths of its own, so that all depths together have most.
fn widths(depth: usize) -> Vec<usize> {
    let step = grid::step(23);
    let first = 60 + 5 * depth % step;
    [60, 79, 80, 139, 140, 300].into_iter().chain((first..=300).step_by(step)).collect()
}

#[test]
fn maps_fit_their_width_and_move_no_cursor() {
    for (number, depth) in DEPTHS.into_iter().enumerate() {
        for width in widths(number) {
            let text = map(&scene::coarse(), width, depth);
            assert!(text.ends_with('\n'));
            let plain = without_colours(&text);
            let longest = plain.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= width, "{longest} characters in {width} with {depth:?}: {plain}");
            assert!(depth != Depth::Ascii || text.is_ascii());
            assert!(!matches!(depth, Depth::Glyphs | Depth::Ascii) || plain == text);
        }
    }
}

/// One session that always waits 5 s beside 50 short waits in each second, as a server counts them.
fn counted_at_ends() -> Vec<Frame> {
    let frame = |second: i64| {
        let mut counts = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
        (0..50).for_each(|_| counts.record(Nanos::from_micros(300)));
        if second % 5 == 4 {
            counts.record(Nanos::from_millis(5_000));
        }
        let (start, end) = (scene::at(second), scene::at(second + 1));
        let counts = counts.with_sum(None);
        Frame { series: Series::named("lock"), start, end, counts, quality: Quality::Complete }
    };
    (0..40).map(frame).collect()
}

#[test]
fn time_counted_where_it_ended_is_marked_in_every_depth() {
    let frames = counted_at_ends();
    for depth in DEPTHS {
        let text = without_colours(&map(&frames, 140, depth));
        let mark = match depth {
            Depth::TrueColour | Depth::Indexed => '·',
            Depth::Basic | Depth::Glyphs => '˙',
            Depth::Ascii => '\'',
        };
        let (maps, intensity) = text.split_once("INTENSITY").unwrap();
        let marked = |text: &str| text.chars().filter(|char| *char == mark).count();
        // Eight waits end; the ninth mark is in the legend.
        assert_eq!(marked(intensity), 8 + 1, "{depth:?} {text}");
        assert!(
            intensity.contains(&format!("{mark} events longer than 1s: partly waited earlier"))
        );
        let most = maps.lines().find(|line| line.contains("waiting, at most")).unwrap();
        assert!(most.contains(" s of waits ended per second"), "{most}");
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= 140, "{text}");
        let classic = without_colours(&classic(&frames, 140, depth, false));
        let noted = classic.contains("events longer than 1s: partly waited earlier");
        assert_eq!(noted, matches!(depth, Depth::TrueColour | Depth::Indexed), "{classic}");
    }
    let text = stream(&frames, 100, Depth::Glyphs);
    let noted =
        text.lines().filter(|line| line.contains("waited by events longer than 1s")).count();
    assert_eq!(noted, 8, "{text}");
}

#[test]
fn a_map_of_nothing_says_so() {
    let text = map(&[], 80, Depth::Glyphs);
    assert!(text.contains("no events in this time"), "{text}");
    assert!(text.contains("0 events"), "{text}");
}

#[test]
fn other_views_of_nothing_say_so_too() {
    let text = classic(&[], 120, Depth::Glyphs, false);
    assert!(text.contains("Average latency: -, latest -"), "{text}");
    let mut gap = one(0, "a", &[]);
    let idle = lines(StreamOptions::default(), &[std::slice::from_ref(&gap)]);
    assert!(idle.last().unwrap().starts_with("14:30:52      0       0"), "{idle:#?}");
    gap.quality = Quality::Gap(isotherm_frame::Gap::SourceAway);
    let gap = lines(StreamOptions::default(), &[&[gap]]);
    assert!(gap.last().unwrap().ends_with("< source away: no data for 1s"), "{gap:#?}");
}

#[test]
fn a_stream_says_what_is_missing() {
    let text = stream(&scene::coarse(), 100, Depth::Glyphs);
    let with = |what: &str| text.lines().filter(|line| line.contains(what)).count();
    assert_eq!(with("◀ reset: no data for 3s"), 1);
    assert_eq!(with("# no data for 4s"), 1);
    assert_eq!(with("◀ late poll: 2s"), 1);
    assert_eq!(with("◀ lost 17 events"), 1);
    assert_eq!(with("◀ A backup start"), 1);
    let data = text.lines().filter(|line| !line.starts_with('#')).count();
    assert_eq!(data, scene::coarse().len());
}

#[test]
fn a_late_poll_is_no_faster_in_a_stream() {
    // 2 s of about 2,650 events a second: the rate is the count divided by the true length.
    let frames = scene::coarse();
    let late = frames.iter().find(|frame| frame.length() == Nanos::new(2_000_000_000)).unwrap();
    let rate = late.counts.events() as f64 / 2.0;
    let text = stream(&frames, 100, Depth::Glyphs);
    let line = text.lines().find(|line| line.contains("late poll")).unwrap();
    assert_eq!(line.split_whitespace().nth(1), Some(format!("{:.2}k", rate / 1e3).as_str()));
}

fn one(second: i64, series: &str, micros: &[u64]) -> Frame {
    let mut counts = Histogram::empty(Scheme::log_linear());
    for &us in micros {
        counts.record(Nanos::from_micros(us));
    }
    Frame {
        series: Series::named(series),
        start: scene::at(second),
        end: scene::at(second + 1),
        counts,
        quality: Quality::Complete,
    }
}

fn lines(options: StreamOptions, intervals: &[&[Frame]]) -> Vec<String> {
    let mut view = StreamView::new(style(Depth::Ascii), 100, options);
    let mut out = Vec::new();
    for frames in intervals {
        view.line(frames, &[], &mut out).unwrap();
    }
    String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn an_outlier_beyond_the_columns_brings_a_new_header() {
    let (usual, far) = ([one(0, "a", &[100, 200])], [one(1, "a", &[100, 600_000])]);
    let lines = lines(StreamOptions::default(), &[&usual, &far]);
    let headers = lines.iter().filter(|line| line.starts_with("#time")).count();
    assert_eq!(headers, 2, "{lines:#?}");
    // The outlier is a cell of its own, the last of the line.
    let line = lines.last().unwrap();
    assert!(line.ends_with('@') && line.matches('@').count() == 2, "{line:?}");
}

#[test]
fn series_are_added_up_or_distinguished() {
    let both = [one(0, "reads", &[100; 30]), one(0, "writes", &[5_000; 12])];
    let together = lines(StreamOptions::default(), &[&both]);
    // 42 events and 30 x 100 us + 12 x 5 ms = 63 ms in one second.
    let fields: Vec<&str> = together[2].split_whitespace().collect();
    assert_eq!(fields[1..3], ["42.0", "0.063"]);
    let apart = StreamOptions { by_series: true, ..StreamOptions::default() };
    let apart = lines(apart, &[&both]);
    let with = |name: &str, rate: &str| {
        apart.iter().any(|line| line.contains(&format!(" {name} ")) && line.contains(rate))
    };
    assert!(with("reads", "30.0") && with("writes", "12.0"), "{apart:#?}");
}

#[test]
fn a_classic_frame_is_drawn_over_the_last_without_clearing() {
    let text = classic(&scene::coarse(), 120, Depth::Indexed, true);
    assert!(text.starts_with("\x1b[?2026h\x1b[H") && text.ends_with("\x1b[K\x1b[J\x1b[?2026l"));
    assert!(!text.contains("\x1b[2J"));
    assert_eq!(text.matches("\r\n").count(), text.matches('\n').count());
    assert!(text.matches('\n').count() < 36);
}

#[test]
fn the_latest_values_of_a_classic_map_add_up_to_their_sum() {
    let text = classic(&scene::coarse(), 120, Depth::Glyphs, false);
    let number = |text: &str| {
        let (digits, factor) = text.strip_suffix('k').map_or((text, 1.0), |rest| (rest, 1e3));
        digits.parse::<f64>().unwrap() * factor
    };
    let mut sums = 0;
    let mut latest = 0.0;
    for line in text.lines() {
        let values: String = line.chars().skip(89).take(8).collect();
        if let Some((_, sum)) = line.split_once("Sum: ") {
            let sum = number(sum.split_whitespace().next().unwrap());
            assert!((latest - sum).abs() < 0.01 * sum, "{latest} is not {sum}");
            (sums, latest) = (sums + 1, 0.0);
        } else if values.trim().starts_with(|char: char| char.is_ascii_digit()) {
            latest += number(values.trim());
        }
    }
    assert_eq!(sums, 2, "{text}");
}

#[test]
fn one_interval_is_two_histograms_that_add_up() {
    let frame = scene::fine()[0].clone();
    let grid = Grid { end: frame.end, column: frame.length(), columns: 1 };
    let request = Request::on(grid, 20);
    let (mut rates, mut waits) = (ColourMax::default(), ColourMax::default());
    let picture = Picture::draw(std::slice::from_ref(&frame), &request, &mut rates, &mut waits);
    let view = MapView { title: "one".to_owned(), clock: Clock::Epoch, span: None, width: 100 };
    let mut out = Vec::new();
    view.render(&picture, style(Depth::Glyphs), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(!text.contains("FREQUENCY") && text.contains("EVENTS"), "{text}");
    let rows = text.lines().skip_while(|line| !line.contains("EVENTS")).skip(1);
    let rows: Vec<&str> = rows.take_while(|line| !line.contains(" all")).collect();
    // The numbers of events stand behind the labels, those of time behind 31 characters of bars.
    let number = |line: &str, from: usize| -> f64 {
        let rest: String = line.chars().skip(from).collect();
        let word = rest.split_whitespace().next().unwrap();
        word.trim_start_matches(['<', '≈']).parse().unwrap()
    };
    let events: f64 = rows.iter().map(|row| number(row, 8)).sum();
    let waited: f64 = rows.iter().map(|row| number(row, 55)).sum();
    assert!((events - frame.counts.events() as f64).abs() < 0.5, "{text}");
    let total = frame.counts.time_waited().seconds;
    assert!((waited - total).abs() < 0.02 * total + 0.002, "{waited} of {total}: {text}");
    assert!(rows.iter().any(|row| row.contains('█')), "{text}");
}
