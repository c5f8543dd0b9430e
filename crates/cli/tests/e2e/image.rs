//! The maps as images: the numbers within, the size, and what is refused.

use std::fmt::Write;

use super::{Room, run, succeed};

/// A minute of latencies around 200 us, and around 8 ms in the middle.
fn events() -> String {
    let mut text = String::new();
    for second in 0..60 {
        for number in 0..20 {
            let at = 1_700_000_000.0 + f64::from(second) + f64::from(number) / 20.0;
            let us =
                if (20..30).contains(&second) { 8_000 + number * 90 } else { 180 + number * 3 };
            writeln!(text, "{at:.3} {us}").unwrap();
        }
    }
    text
}

const COLUMNS: [&str; 6] = ["--columns", "time,latency", "--unit", "us", "-i", "1s"];

/// The value of a field of a PNG's head: the bytes at this place as one number.
fn field(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn the_numbers_in_an_image_are_those_of_stats() {
    let room = Room::new();
    let file = room.file("events.txt", events());
    let image = room.name("x.svg");
    succeed(&[&["report", &file, "-o", &image], &COLUMNS[..]].concat());
    let stats = succeed(&[&["stats", "--format", "json", &file], &COLUMNS[..]].concat());
    let stats: serde_json::Value = serde_json::from_str(&stats).unwrap();
    let text = std::fs::read_to_string(&image).unwrap();
    let numbers = text.split_once("<metadata id=\"isotherm\">").unwrap().1;
    let numbers = numbers.split_once("</metadata>").unwrap().0;
    let numbers = numbers.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let numbers: serde_json::Value = serde_json::from_str(&numbers).unwrap();
    let (picture, series) = (&numbers["pictures"][0], &stats["series"][0]);
    for key in ["events", "time_waited_exact", "mean_ns", "covered_s"] {
        assert_eq!(picture[key], series[key], "{key}");
    }
    let waited = |value: &serde_json::Value| value["time_waited_s"].as_f64().unwrap();
    assert!((waited(picture) - waited(series)).abs() < 1e-9 * waited(series));
    let quantiles = picture["quantiles"].as_array().unwrap();
    assert_eq!(quantiles.len(), 5);
    for (own, other) in quantiles.iter().zip(series["quantiles"].as_array().unwrap()) {
        for key in ["q", "lo_ns", "hi_ns", "estimate_ns"] {
            assert_eq!(own[key], other[key], "{key}");
        }
    }
    let rows = picture["rows"].as_array().unwrap();
    let drawn: u64 = rows.iter().map(|row| row["events"].as_u64().unwrap()).sum();
    assert_eq!(drawn, 1_200);
}

#[test]
fn a_png_is_as_large_as_asked_for_and_the_same_every_time() {
    let room = Room::new();
    let file = room.file("events.txt", events());
    let image = room.name("x.png");
    let draw = |more: &[&str]| {
        succeed(&[&["report", &file, "-o", &image], &COLUMNS[..], more].concat());
        std::fs::read(&image).unwrap()
    };
    let bytes = draw(&["--image-width", "640", "--dots", "3"]);
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(field(&bytes, 16), 640 * 3);
    assert_eq!(draw(&["--image-width", "640", "--dots", "3"]), bytes);
    let dark = draw(&["--image-width", "640", "--dots", "3", "--theme", "dark"]);
    assert_ne!(dark, bytes);
    assert_eq!(field(&dark, 20), field(&bytes, 20), "the height does not depend on colours");
}

#[test]
fn other_peoples_images_are_not_overwritten_and_sizes_have_limits() {
    let room = Room::new();
    let file = room.file("events.txt", events());
    let drawing = room.file("drawing.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    let output = run(&[&["report", &file, "-o", &drawing], &COLUMNS[..]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not overwritten"));
    for wrong in [["--image-width", "100"], ["--image-width", "5000"], ["--dots", "0"]] {
        let output = run(&[&["report", &file, "-o", &room.name("x.svg")], &wrong[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}
