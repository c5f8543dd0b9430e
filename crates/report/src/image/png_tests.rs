use isotherm_frame::Frame;

use super::*;
use crate::image::axes::column_start;
use crate::image::image_tests::{frame, frames, picture, still};
use isotherm_views::ramp;

struct Decoded {
    width: usize,
    height: usize,
    colours: Vec<u32>,
    texts: Vec<(String, String)>,
}

/// Reads an image with another library than it was written with.
fn decoded(bytes: &[u8]) -> Decoded {
    let mut decoder = ::png::Decoder::new(io::Cursor::new(bytes));
    decoder.set_transformations(::png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut dots = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut dots).unwrap();
    assert_eq!(frame.color_type, ::png::ColorType::Rgb);
    let colour = |dot: &[u8]| u32::from_be_bytes([0, dot[0], dot[1], dot[2]]);
    let texts = &reader.info().utf8_text;
    Decoded {
        width: frame.width as usize,
        height: frame.height as usize,
        colours: dots.chunks(3).map(colour).collect(),
        texts: texts.iter().map(|t| (t.keyword.clone(), t.get_text().unwrap())).collect(),
    }
}

fn whole(pixels: i32) -> usize {
    usize::try_from(pixels).unwrap()
}

fn painted(still: &Still) -> Vec<u8> {
    let mut out = Vec::new();
    png(still, &mut out).unwrap();
    out
}

fn heats(still: &Still) -> Vec<Heat> {
    let items = arrangement::sheet(still).items.into_iter();
    items.filter_map(|item| if let Item::Heat(heat) = item { Some(heat) } else { None }).collect()
}

#[test]
fn cells_have_the_colour_of_their_shade() {
    // 12 columns of 37 pixels; lines over the map cover no cell wholly.
    let picture = picture(&frames(), 100, &[]);
    for (theme, dots) in [(Theme::Light, 1), (Theme::Dark, 2), (Theme::Light, 3)] {
        let still = Still { theme: Some(theme), dots, ..still(&picture) };
        let image = decoded(&painted(&still));
        for heat in heats(&still) {
            let map = match heat.kind {
                MapKind::Frequency => &picture.frequency,
                MapKind::Intensity => &picture.intensity,
            };
            let ramp = ramp(still.palette, theme, heat.kind);
            let (mut seen, dots) = (0, dots as usize);
            for row in 0..picture.rows.len() {
                for column in 0..picture.columns.len() {
                    let shade = match cell_at(&picture, map, row, column) {
                        Cell::Shade(shade) => place(shade),
                        Cell::NoData | Cell::Reset => None,
                    };
                    // Around the middle: what two lines may leave of it.
                    let middle = [column, column + 1]
                        .map(|column| column_start(heat.area, picture.columns.len(), column));
                    let middle = i32::midpoint(middle[0], middle[1]);
                    let x = whole(middle) * dots;
                    let [low, high] = [row, row + 1].map(|edge| whole(heat.edges[edge]) * dots);
                    let at_height = |y: usize| image.colours[y * image.width + x];
                    let found: Vec<u32> = (high..low).map(at_height).collect();
                    match shade {
                        Some(place) => {
                            assert!(found.contains(&ramp[usize::from(place)]), "{row} {column}");
                        }
                        None => assert!(
                            found.iter().all(|colour| !ramp.contains(colour)),
                            "{row} {column}"
                        ),
                    }
                    seen += usize::from(shade.is_some());
                }
            }
            assert!(seen > 30, "{seen}");
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bytes_and_more_dots_a_larger_image() {
    let picture = picture(&frames(), 100, &[(6, "backup")]);
    let still = still(&picture);
    let bytes = painted(&still);
    assert_eq!(bytes, painted(&still));
    let (one, two) = (decoded(&bytes), decoded(&painted(&Still { dots: 2, ..still })));
    assert_eq!((one.width * 2, one.height * 2), (two.width, two.height));
    assert_eq!(one.width, 600);
}

#[test]
fn the_title_the_program_and_the_numbers_are_within() {
    let picture = picture(&frames(), 100, &[]);
    let still = Still { title: "lectures séquentielles ≥ 1 ms".into(), ..still(&picture) };
    let texts = decoded(&painted(&still)).texts;
    let text = |key: &str| texts.iter().find(|(keyword, _)| keyword == key).unwrap().1.clone();
    assert_eq!(text("Title"), still.title);
    assert_eq!(text("Software"), still.generator);
    let numbers: serde_json::Value = serde_json::from_str(&text("isotherm")).unwrap();
    let events: u64 = frames().iter().map(|frame| frame.counts.events()).sum();
    assert_eq!(numbers["pictures"][0]["events"], events);
}

#[test]
fn a_single_event_among_more_columns_than_dots_is_seen() {
    let quiet: Vec<Frame> = (0..3_000)
        .map(|second| {
            frame(second, if second == 1_501 { &[(100, 9), (90_000, 1)] } else { &[(100, 9)] })
        })
        .collect();
    let picture = picture(&quiet, 3_000, &[]);
    let still = Still { width: 320, ..still(&picture) };
    let image = decoded(&painted(&still));
    let heat = heats(&still).remove(0);
    let row = picture.row_of(isotherm_frame::Nanos::from_micros(90_000)).unwrap();
    let y = whole(i32::midpoint(heat.edges[row], heat.edges[row + 1]));
    let line = &image.colours[y * image.width..][whole(heat.area.x)..whole(heat.area.right())];
    let ramp = ramp(still.palette, Theme::Light, MapKind::Frequency);
    assert_eq!(line.iter().filter(|colour| ramp.contains(colour)).count(), 1);
}

#[test]
fn nothing_and_one_column_are_images_too() {
    for frames in [vec![], vec![frame(0, &[(300, 1)])]] {
        let picture = picture(&frames, 100, &[]);
        assert!(decoded(&painted(&still(&picture))).height > 60);
    }
}

#[test]
fn more_colours_than_an_index_holds_are_written_as_they_are() {
    let mut canvas = Canvas::new((40, 10), 1, 0);
    for (x, y) in (0..10).flat_map(|y| (0..40).map(move |x| (x, y))) {
        canvas.set(x, y, u32::try_from(y * 40 + x).unwrap() * 0x0101);
    }
    let mut out = Vec::new();
    write_png(&canvas, 1, &[], &mut out).unwrap();
    assert_eq!(decoded(&out).colours, canvas.colours());
}
