use isotherm_analysis::{Shade, summarise};
use serde_json::Value;

use super::*;
use crate::image::geometry::rounded;
use crate::image::image_tests::{at, frame, frames, picture, still};
use crate::image::{Panel, columns_in};
use isotherm_views::cells::of_ramp;

fn painted(still: &Still) -> String {
    let mut out = Vec::new();
    svg(still, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What stands between two texts.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    text.split_once(before).unwrap().1.split_once(after).unwrap().0
}

fn numbers(text: &str) -> Value {
    let json = between(text, "<metadata id=\"isotherm\">", "</metadata>");
    let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&json).unwrap()
}

/// The value of an attribute of an element.
fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    between(element, &format!(" {name}=\""), "\"")
}

/// The cells that the paths of one map paint: by the height of their middle and their column, how
/// often each shade.
fn cells_of(group: &str, letter: char) -> BTreeMap<(i32, usize), Vec<u8>> {
    let mut cells: BTreeMap<(i32, usize), Vec<u8>> = BTreeMap::new();
    for path in group.split("<path").skip(1) {
        let class = attribute(path, "class");
        let shade: u8 = class.strip_prefix(letter).unwrap().parse().unwrap();
        let mut pen = (0.0, 0.0);
        for (command, numbers) in commands(attribute(path, "d")) {
            match command {
                'M' => pen = (numbers[0], numbers[1]),
                'm' => pen = (pen.0 + numbers[0], pen.1 + numbers[1]),
                'h' => {
                    for column in rounded(pen.0)..rounded(pen.0 + numbers[0]) {
                        let place = (rounded(pen.1 * 2.0), usize::try_from(column).unwrap());
                        cells.entry(place).or_default().push(shade);
                    }
                    pen.0 += numbers[0];
                }
                other => panic!("{other} in a path of cells"),
            }
        }
    }
    cells
}

fn commands(path: &str) -> Vec<(char, Vec<f64>)> {
    let mut commands: Vec<(char, String)> = Vec::new();
    for letter in path.chars() {
        match commands.last_mut() {
            Some((_, numbers)) if !letter.is_ascii_alphabetic() => numbers.push(letter),
            _ => commands.push((letter, String::new())),
        }
    }
    let parse = |text: String| text.split(' ').map(|number| number.parse().unwrap()).collect();
    commands.into_iter().map(|(letter, numbers)| (letter, parse(numbers))).collect()
}

#[test]
fn every_cell_is_painted_once_in_its_shade_and_no_other() {
    for width in [320, 600, 1_200] {
        let picture = picture(&frames(), columns_in(width), &[]);
        let still = Still { width, ..still(&picture) };
        let text = painted(&still);
        let groups: Vec<&str> = text
            .split("<g transform=")
            .skip(1)
            .map(|group| group.split("</g>").next().unwrap())
            .collect();
        assert_eq!(groups.len(), 2);
        let heats = arrangement::sheet(&still).items.into_iter().filter_map(|item| match item {
            Item::Heat(heat) => Some(heat),
            _ => None,
        });
        for ((heat, group), letter) in heats.zip(groups).zip(['f', 'i']) {
            let map = if letter == 'f' { &picture.frequency } else { &picture.intensity };
            let mut expected = BTreeMap::new();
            for row in 0..picture.rows.len() {
                for column in 0..picture.columns.len() {
                    let shade =
                        of_ramp(map.shades[picture.cell(row, column)], map.legend.steps.len());
                    let number = match shade {
                        Shade::Zero => continue,
                        Shade::Trace => 0,
                        Shade::Step(step) => step,
                    };
                    let middle = heat.edges[row] + heat.edges[row + 1];
                    expected.insert((middle, column), vec![number]);
                }
            }
            assert!(expected.len() > 30, "{}", expected.len());
            assert_eq!(cells_of(group, letter), expected);
        }
    }
}

#[test]
fn the_numbers_within_are_those_of_the_account() {
    let frames = frames();
    let account = summarise(&frames);
    let together = account.together().unwrap();
    let picture = picture(&frames, 5, &[]);
    let numbers = numbers(&painted(&still(&picture)));
    let first = &numbers["pictures"][0];
    assert_eq!(first["events"], account.events);
    let rows = first["rows"].as_array().unwrap();
    let in_rows: u64 = rows.iter().map(|row| row["events"].as_u64().unwrap()).sum();
    assert_eq!(in_rows + first["outside_events"].as_u64().unwrap(), account.events);
    let waited = first["time_waited_s"].as_f64().unwrap();
    assert!((waited - together.time_waited().seconds).abs() < 1e-9 * waited);
    for quantile in first["quantiles"].as_array().unwrap() {
        let expected = together.quantile(quantile["q"].as_f64().unwrap()).unwrap();
        assert_eq!(quantile["lo_ns"], expected.bucket.lo.as_nanos());
        assert_eq!(quantile["estimate_ns"], expected.estimate.as_nanos());
    }
    assert_eq!(first["quantiles"].as_array().unwrap().len(), 5);
}

#[test]
fn what_lies_outside_the_picture_is_said() {
    let frames = frames();
    let inside = &frames[2..6];
    let mut picture = picture(inside, 10, &[]);
    picture.outside = 77;
    let text = painted(&still(&picture));
    let first = &numbers(&text)["pictures"][0];
    let events: u64 = inside.iter().map(|frame| frame.counts.events()).sum();
    assert_eq!((&first["events"], &first["outside_events"]), (&events.into(), &77.into()));
    assert!(text.contains(">outside this picture<") && text.contains(">77<"));
}

#[test]
fn labels_are_text_and_nothing_else() {
    let hostile = "</text><script>alert(1)</script>&amp;\u{1}\"'";
    let picture = picture(&frames(), 100, &[(3, hostile)]);
    let mut still = still(&picture);
    still.title = hostile.to_owned();
    still.panels[0].label = Some(hostile.to_owned());
    still.panels[0].sentences = vec![hostile.to_owned()];
    still.provenance = vec![hostile.to_owned()];
    let text = painted(&still);
    assert!(!text.contains("<script") && !text.contains('\u{1}'));
    assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;\u{fffd}"));
    assert_eq!(numbers(&text)["title"], hostile);
    assert!(!text.contains("href") && text.matches("://").count() == 1, "only the name space");
    let opened = text.matches("<text").count();
    assert!(opened > 20 && opened == text.matches("</text>").count());
}

#[test]
fn the_background_is_the_readers_unless_it_is_chosen() {
    let picture = picture(&frames(), 100, &[]);
    let style = |theme| {
        let text = painted(&Still { theme, ..still(&picture) });
        between(&text, "<style>", "</style>").to_owned()
    };
    let (light, dark, auto) = (style(Some(Theme::Light)), style(Some(Theme::Dark)), style(None));
    assert!(light.contains(".f8{color:#07214c}") && !light.contains("@media"));
    assert!(dark.contains(".i8{color:#fff1c4}") && !dark.contains("@media"));
    assert!(auto.starts_with(light.split(".T{").next().unwrap()));
    let within = between(&auto, "@media (prefers-color-scheme:dark){", ".T{");
    assert!(dark.contains(within.strip_suffix('}').unwrap()));
}

#[test]
fn nothing_one_column_and_one_event_are_images_too() {
    let one = [frame(0, &[(300, 1)])];
    for frames in [&one[..], &[]] {
        let picture = picture(frames, 100, &[]);
        let text = painted(&still(&picture));
        assert_eq!(numbers(&text)["pictures"][0]["events"], frames.len());
        assert_eq!(text.contains("no events in this time"), frames.is_empty());
        assert!(text.ends_with("</svg>\n"));
    }
    let none = Still { panels: Vec::<Panel>::new(), ..still(&picture(&[], 1, &[])).clone() };
    assert!(painted(&none).contains("db file sequential read"));
}

#[test]
fn a_small_image_as_it_is_written() {
    let picture = picture(&frames()[4..8], 100, &[(6, "backup")]);
    insta::assert_snapshot!(painted(&Still { width: 320, ..still(&picture) }));
}

#[test]
fn an_hour_of_seconds_takes_at_most_300_kilobytes() {
    let mut state = 1_u64;
    let mut below = |limit: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    // Every bucket of 20 octaves differs from second to second: no run of equal shades is long.
    let frames: Vec<_> = (0..3_600)
        .map(|second| {
            let events: Vec<(u64, u64)> = (0..20).map(|octave| (1 << octave, below(200))).collect();
            frame(second, &events)
        })
        .collect();
    let picture = picture(&frames, columns_in(1_200), &[]);
    assert_eq!(picture.columns.last().unwrap().end, at(3_600));
    let text = painted(&Still { width: 1_200, ..still(&picture) });
    assert!(text.len() <= 300_000, "{} bytes", text.len());
}
