//! The graph of a model of a cache as SVG and PNG: what its page shows first.
//!
//! Places are those of the page (`cache-layout.js`), so that both show the same picture.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::io::Write;

use isotherm_frame::numbers::grouped;
use isotherm_views::generator;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cache_page::CachePage;
use crate::cache_view::{GraphFocus, GraphOrientation, GraphView};
use crate::error::ReportError;
use crate::image::{GraphMark, GraphPicture};
use crate::xml::{attribute, element};

/// The picture, what stands above and below it, the room around, and that of a letter, in pixels.
const WIDTH: f64 = 1_200.0;
const HEIGHT: f64 = 700.0;
const HEAD: f64 = 56.0;
const FOOT: f64 = 54.0;
const MARGIN: f64 = 18.0;
const LETTER: f64 = 6.7;
/// The colours of chains and lists, by the number of the list; of the page and of what is written on it.
const COLOURS: [&str; 4] = ["#57606a", "#b5490f", "#2c69ac", "#8e2f93"];
const PAGE: &str = "#ffffff";
const INK: &str = "#16191d";
/// How far from the middle of its column what belongs to another header stands, and the other.
const ASIDE: [f64; 2] = [0.25, -0.2];
/// Bits of the state of a header.
const DIRTY: u8 = 1;
const CLONE: u8 = 2;

/// What is drawn.
#[derive(Deserialize)]
struct Picture {
    chains: usize,
    latches: Vec<usize>,
    moments: Vec<Moment>,
}

/// The headers at a moment: each list has one number for each.
#[derive(Deserialize)]
struct Moment {
    references: u64,
    hits: u64,
    chain: Vec<i64>,
    place: Vec<i64>,
    list: Vec<usize>,
    rank: Vec<i64>,
    touches: Vec<u32>,
    state: Vec<u8>,
    parent: Option<Vec<i64>>,
}

/// Writes the graph of a page as an image of its own.
pub fn cache_svg(page: &CachePage) -> Result<String, ReportError> {
    let graph = graph(page)?;
    let (whole, mark) = (HEAD + HEIGHT + FOOT, mark());
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{whole}\" viewBox=\"0 0 {WIDTH} {whole}\" \
         role=\"img\" aria-label=\"{title}\" font-family=\"system-ui, sans-serif\" fill=\"{INK}\">\n\
         <metadata id=\"isotherm\">{mark}</metadata>\n\
         <rect width=\"{WIDTH}\" height=\"{whole}\" fill=\"{PAGE}\"/>\n\
         {marks}</svg>\n",
        title = attribute(&page.title),
        mark = element(&mark),
        marks = graph.elements(),
    ))
}

/// Writes the same image as PNG. The same picture gives the same bytes.
pub fn cache_png(page: &CachePage, out: &mut dyn Write) -> Result<(), ReportError> {
    let (mark, program) = (mark(), generator());
    let texts = [("Title", page.title.as_str()), ("Software", &program), ("isotherm", &mark)];
    Ok(graph(page)?.png(&texts, out)?)
}

/// What says that the image is ours.
fn mark() -> String {
    json!({ "generator": generator() }).to_string()
}

/// What is drawn, in both formats.
fn graph(page: &CachePage) -> Result<GraphPicture, ReportError> {
    let picture: Picture = serde_json::from_value(page.picture.clone())?;
    let words = page.words.json();
    let whole = HEAD + HEIGHT + FOOT;
    let text = |y: f64, text: &str, is_title: bool| GraphMark::Text {
        place: (MARGIN, y),
        text: text.to_owned(),
        is_title,
    };
    let mut marks = vec![text(24.0, &page.title, true), text(42.0, &page.facts, false)];
    let chosen = page.view.moment.and_then(|at| picture.moments.get(at));
    if let Some(moment) = chosen.or(picture.moments.last()) {
        drawn(&picture, moment, page.view, &mut marks);
        if shown(moment, page.view.focus).is_empty() {
            let list = usize::from(page.view.focus == GraphFocus::Write);
            let said = words["empty"][list].as_str().unwrap_or_default();
            let x = (WIDTH - said.chars().count() as f64 * LETTER) / 2.0;
            let place = ((x * 10.0).round() / 10.0, HEAD + HEIGHT / 2.0);
            marks.push(GraphMark::Text { place, text: said.to_owned(), is_title: false });
        }
        marks.push(text(whole - 32.0, &sentence(moment, page.view.focus, &words), false));
    }
    legend(&words, whole - 12.0, &mut marks);
    Ok(GraphPicture { size: (WIDTH, whole), ground: PAGE, ink: INK, marks })
}

/// The moment, and which part of the graph is shown if it is not everything.
fn sentence(moment: &Moment, focus: GraphFocus, words: &Value) -> String {
    let word = |name: &str| words[name].as_str().unwrap_or_default();
    let (key, usual) = match focus {
        GraphFocus::All => ("all", ""),
        GraphFocus::Chains => ("chains", "hash chains"),
        GraphFocus::Lru => ("lru", "LRU list"),
        GraphFocus::Write => ("write", "write list"),
        GraphFocus::Headers => ("headers", "headers"),
    };
    let part = match words["focus"][key].as_str().unwrap_or(usual) {
        "" => String::new(),
        part => format!(". Shown: {part}"),
    };
    format!(
        "After {} {}, {} of which {}{part}",
        grouped(moment.references),
        word("references"),
        grouped(moment.hits),
        word("found")
    )
}

/// What colours and rings stand for.
fn legend(words: &Value, y: f64, marks: &mut Vec<GraphMark>) {
    let list = |at: usize| words["lists"][at].as_str().unwrap_or_default().to_owned();
    let word = |name: &str| words[name].as_str().unwrap_or_default().to_owned();
    let entries = [
        (list(0), COLOURS[0], COLOURS[0], false),
        (list(1), COLOURS[1], COLOURS[1], false),
        (list(2), COLOURS[2], COLOURS[2], false),
        (list(3), COLOURS[3], COLOURS[3], false),
        (word("hollow"), COLOURS[2], PAGE, false),
        (word("ring"), COLOURS[2], COLOURS[2], true),
    ];
    let mut x = MARGIN + 7.0;
    for (text, stroke, fill, is_ring) in entries {
        marks.push(circle((x, y - 4.0, 4.0), (Some(fill), stroke, 1.5)));
        if is_ring {
            marks.push(circle((x, y - 4.0, 6.5), (None, INK, 1.2)));
        }
        // A tenth of a pixel is as exact as places of the picture are.
        let at = ((x + 11.0) * 10.0).round() / 10.0;
        x = at + text.chars().count() as f64 * LETTER + 16.0;
        marks.push(GraphMark::Text { place: (at, y), text, is_title: false });
    }
}

fn drawn(picture: &Picture, moment: &Moment, view: GraphView, marks: &mut Vec<GraphMark>) {
    let order = shown(moment, view.focus);
    let places = places(picture, moment, view.focus, &order);
    let pixel = |at: usize| {
        let (along, across) = places[at];
        pixel(view.orientation, along, across)
    };
    for (from, to, list) in links(moment, &order, view.focus) {
        let is_faint = view.focus == GraphFocus::All && list > 0;
        let opacity = if is_faint { 0.18 } else { 0.6 };
        let (width, colour) = (if list > 0 { 1.0 } else { 1.5 }, COLOURS[list.min(3)]);
        marks.push(GraphMark::Line { ends: [pixel(from), pixel(to)], colour, width, opacity });
    }
    for &at in &order {
        let (x, y) = pixel(at);
        let radius = 2.5 + 1.6 * f64::from(moment.touches[at].min(40)).sqrt();
        let colour = COLOURS[moment.list[at].min(3)];
        let fill = if moment.state[at] & CLONE > 0 { PAGE } else { colour };
        marks.push(circle((x, y, radius), (Some(fill), colour, 1.5)));
        if moment.state[at] & DIRTY > 0 {
            marks.push(circle((x, y, radius + 2.5), (None, INK, 1.2)));
        }
    }
}

fn circle(
    (x, y, radius): (f64, f64, f64),
    (fill, stroke, width): (Option<&'static str>, &'static str, f64),
) -> GraphMark {
    GraphMark::Circle { centre: (x, y), radius, fill, stroke, width }
}

/// Places along a chain or a list, and across, both from 0 to 1, in the picture.
fn pixel(orientation: GraphOrientation, along: f64, across: f64) -> (f64, f64) {
    let (x, y) = match orientation {
        GraphOrientation::Down => (across, along),
        GraphOrientation::Up => (across, 1.0 - along),
        GraphOrientation::Right => (along, across),
        GraphOrientation::Left => (1.0 - along, across),
        GraphOrientation::Circle => {
            let (sin, cos) = (TAU * across - FRAC_PI_2).sin_cos();
            let radius = 0.12 + 0.38 * along;
            (0.5 + radius * cos, 0.5 + radius * sin)
        }
    };
    let (width, height) = match orientation {
        GraphOrientation::Circle => (WIDTH.min(HEIGHT), WIDTH.min(HEIGHT)),
        _ => (WIDTH, HEIGHT),
    };
    let place = |share: f64, length: f64, all: f64| {
        (all - length) / 2.0 + MARGIN + share * (length - 2.0 * MARGIN)
    };
    (place(x, width, WIDTH), HEAD + place(y, height, HEIGHT))
}

/// The headers that are shown, in their order: by chain and place, by rank, or by number.
fn shown(moment: &Moment, focus: GraphFocus) -> Vec<usize> {
    match focus {
        GraphFocus::Lru => return by_rank(moment, &[1, 2]),
        GraphFocus::Write => return by_rank(moment, &[3]),
        GraphFocus::Headers => return (0..moment.chain.len()).collect(),
        GraphFocus::All | GraphFocus::Chains => {}
    }
    let mut order: Vec<usize> =
        (0..moment.chain.len()).filter(|&at| moment.chain[at] >= 0).collect();
    order.sort_by_key(|&at| (moment.chain[at], moment.place[at]));
    order
}

/// The headers of a list, by rank.
fn by_rank(moment: &Moment, lists: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..moment.list.len()).filter(|&at| lists.contains(&moment.list[at])).collect();
    order.sort_by_key(|&at| moment.rank[at]);
    order
}

/// Where each header is, along and across.
fn places(
    picture: &Picture,
    moment: &Moment,
    focus: GraphFocus,
    order: &[usize],
) -> Vec<(f64, f64)> {
    match focus {
        GraphFocus::All | GraphFocus::Chains => on_chains(picture, moment),
        _ => in_rows(order, moment.chain.len()),
    }
}

/// Chains side by side, those of one latch together, by the longest chain of any moment.
fn on_chains(picture: &Picture, moment: &Moment) -> Vec<(f64, f64)> {
    let mut chains: Vec<usize> = (0..picture.latches.len()).collect();
    chains.sort_by_key(|&chain| (picture.latches[chain], chain));
    let mut columns = vec![0; chains.len()];
    for (column, &chain) in chains.iter().enumerate() {
        columns[chain] = column;
    }
    let all = picture.moments.iter().flat_map(|moment| moment.place.iter().copied());
    let longest = all.max().unwrap_or(0).max(0) as f64 + 1.0;
    let aside =
        |at: usize| moment.parent.as_ref().map_or(0.0, |parent| ASIDE[usize::from(parent[at] < 0)]);
    let place = |at: usize| {
        let column = usize::try_from(moment.chain[at]).ok().and_then(|chain| columns.get(chain));
        let column = column.copied().unwrap_or(0) as f64;
        let across = (column + 0.5 + aside(at)) / picture.chains.max(1) as f64;
        ((moment.place[at] as f64 + 0.5) / longest, across)
    };
    (0..moment.chain.len()).map(place).collect()
}

/// Rows that are read forth and back, so that neighbours in the order are neighbours in the picture.
fn in_rows(order: &[usize], headers: usize) -> Vec<(f64, f64)> {
    let root = (2 * order.len()).isqrt();
    let columns = (root + usize::from(root * root < 2 * order.len())).max(1);
    let rows = order.len().div_ceil(columns).max(1);
    let mut places = vec![(0.0, 0.0); headers];
    for (index, &at) in order.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        let column = if row % 2 == 0 { column } else { columns - 1 - column };
        places[at] = ((row as f64 + 0.5) / rows as f64, (column as f64 + 0.5) / columns as f64);
    }
    places
}

/// Pairs of headers that are linked, with the number of their list; 0 is a chain.
fn links(moment: &Moment, order: &[usize], focus: GraphFocus) -> Vec<(usize, usize, usize)> {
    let is_shown = |part: GraphFocus| focus == part || focus == GraphFocus::All;
    let mut links = Vec::new();
    if is_shown(GraphFocus::Chains) {
        let is_head = |at: &usize| moment.parent.as_ref().is_none_or(|parent| parent[*at] < 0);
        let heads: Vec<usize> = order.iter().copied().filter(is_head).collect();
        for pair in heads.windows(2).filter(|pair| moment.chain[pair[0]] == moment.chain[pair[1]]) {
            links.push((pair[0], pair[1], 0));
        }
        if let Some(parents) = &moment.parent {
            let child = |at: usize| Some((usize::try_from(parents[at]).ok()?, at, 0));
            links.extend(order.iter().filter_map(|&at| child(at)));
        }
    }
    if is_shown(GraphFocus::Lru) {
        for pair in by_rank(moment, &[1, 2]).windows(2) {
            links.push((pair[0], pair[1], moment.list[pair[1]]));
        }
    }
    if is_shown(GraphFocus::Write) {
        links.extend(by_rank(moment, &[3]).windows(2).map(|pair| (pair[0], pair[1], 3)));
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CacheWords;

    fn page(picture: Value) -> CachePage {
        CachePage {
            title: "A <cache>".to_owned(),
            facts: "4 buffers".to_owned(),
            notes: Vec::new(),
            picture,
            words: CacheWords::Buffers,
            view: GraphView::default(),
            sections: Vec::new(),
            command: String::new(),
        }
    }

    /// Three buffers on two chains of one latch each, and a free one; the second chain has the first latch.
    fn three() -> Value {
        json!({
            "chains": 2,
            "latches": [1, 0],
            "moments": [{
                "references": 9, "hits": 5,
                "block": [7, 8, -1, 9], "chain": [0, 0, -1, 1], "place": [0, 1, -1, 0],
                "list": [1, 2, 0, 3], "rank": [0, 1, -1, 0], "touches": [9, 1, 0, 100],
                "state": [0, 2, 0, 1],
            }],
        })
    }

    #[test]
    fn headers_are_where_the_page_has_them() {
        let svg = cache_svg(&page(three())).unwrap();
        // Chain 0 has latch 1: it is the second column, 3/4 of 1,164 pixels behind 18; two places, the
        // first at 1/4 of 664 pixels below 74. A radius of 2.5 + 1.6 sqrt(9).
        assert!(
            svg.contains("<circle cx=\"891.0\" cy=\"240.0\" r=\"7.3\" fill=\"#b5490f\""),
            "{svg}"
        );
        // A clone is hollow.
        assert!(svg.contains(
            "<circle cx=\"891.0\" cy=\"572.0\" r=\"4.1\" fill=\"#ffffff\" stroke=\"#2c69ac\""
        ));
        // A dirty one has a ring; 40 touches are the most that are drawn.
        assert!(svg.contains("<circle cx=\"309.0\" cy=\"240.0\" r=\"12.6\" fill=\"#8e2f93\""));
        assert!(svg.contains(
            "<circle cx=\"309.0\" cy=\"240.0\" r=\"15.1\" fill=\"none\" stroke=\"#16191d\""
        ));
        // The chain, and the list of both.
        assert_eq!(svg.matches("<path d=\"M891.0 240.0L891.0 572.0\"").count(), 2);
        assert_eq!(svg.matches("<path").count(), 2);
        assert!(
            svg.contains("A &lt;cache&gt;")
                && svg.contains("After 9 references, 5 of which found their block")
        );
        assert!(svg.contains("<metadata id=\"isotherm\">"));
    }

    #[test]
    fn a_part_is_shown_in_its_order_and_direction() {
        let drawn = |focus, orientation| {
            let view = GraphView { focus, orientation, moment: None };
            cache_svg(&CachePage { view, ..page(three()) }).unwrap()
        };
        // Two of the LRU list: two columns of one row, 1/4 and 3/4 of 1,164 pixels behind 18, at half of 664 below 74.
        let svg = drawn(GraphFocus::Lru, GraphOrientation::Up);
        assert!(svg.contains("<path d=\"M309.0 406.0L891.0 406.0\""), "{svg}");
        assert_eq!((svg.matches("<path").count(), svg.matches("<circle").count()), (1, 2 + 7));
        assert!(svg.contains("5 of which found their block. Shown: LRU list<"), "{svg}");
        // All four headers, the free one too: 3 columns and 2 rows, to the left, the second row backwards.
        let svg = drawn(GraphFocus::Headers, GraphOrientation::Left);
        assert!(svg.contains("cx=\"891.0\" cy=\"184.7\" r=\"7.3\""), "{svg}");
        assert!(svg.contains("cx=\"309.0\" cy=\"627.3\" r=\"12.6\""), "{svg}");
        // From the middle, 600 and 406: chain 1 is the second of two columns, 3/4 of a turn behind the top.
        let svg = drawn(GraphFocus::Chains, GraphOrientation::Circle);
        let far = 664.0 * (0.12 + 0.38 * 0.25);
        assert!(svg.contains(&format!("cx=\"{:.1}\" cy=\"406.0\"", 600.0 - far)), "{svg}");
        // Nothing is to be written once the only one is clean.
        let mut clean = three();
        clean["moments"][0]["list"][3] = json!(2);
        let view = GraphView { focus: GraphFocus::Write, ..GraphView::default() };
        let svg = cache_svg(&CachePage { view, ..page(clean) }).unwrap();
        assert!(svg.contains(">No buffer waits to be written at this moment<"), "{svg}");
    }

    #[test]
    fn a_moment_is_that_which_is_asked_for() {
        let mut picture = three();
        let mut before = picture["moments"][0].clone();
        before["references"] = json!(4);
        picture["moments"].as_array_mut().unwrap().insert(0, before);
        for (moment, references) in [(Some(0), 4), (Some(1), 9), (None, 9)] {
            let view = GraphView { moment, ..GraphView::default() };
            let svg = cache_svg(&CachePage { view, ..page(picture.clone()) }).unwrap();
            assert!(svg.contains(&format!(">After {references} references")), "{svg}");
        }
    }

    #[test]
    fn the_longest_chain_of_any_moment_gives_the_scale() {
        let mut picture = three();
        let mut before = picture["moments"][0].clone();
        before["place"][1] = json!(3);
        picture["moments"].as_array_mut().unwrap().insert(0, before);
        let svg = cache_svg(&page(picture)).unwrap();
        // Four places: the first at 1/8 of 664 pixels below 74.
        assert!(svg.contains("<circle cx=\"891.0\" cy=\"157.0\""), "{svg}");
    }

    #[test]
    fn the_png_has_the_marks_of_the_svg_and_the_same_bytes_each_time() {
        let drawn = |value: Value| {
            let mut bytes = Vec::new();
            cache_png(&page(value), &mut bytes).unwrap();
            bytes
        };
        let bytes = drawn(three());
        assert_eq!(bytes, drawn(three()));
        let mut decoder = png::Decoder::new(std::io::Cursor::new(&bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut rows = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut rows).unwrap();
        assert_eq!((frame.width, frame.height), (2_400, 1_620));
        let at = |x: usize, y: usize| {
            let dot = (y * 2_400 + x) * 3;
            [rows[dot], rows[dot + 1], rows[dot + 2]]
        };
        // Two dots to a pixel: the buffer at 891, 240 of the SVG, the hollow clone below it, and the page.
        assert_eq!(at(1_782, 480), [0xb5, 0x49, 0x0f]);
        assert_eq!(at(1_782, 1_144), [0xff; 3]);
        assert_eq!(at(1_782 + 8, 1_144), [0x2c, 0x69, 0xac]);
        assert_eq!(at(2_390, 600), [0xff; 3]);
        let texts = &reader.info().utf8_text;
        assert!(texts.iter().any(|text| text.keyword == "isotherm"), "{texts:?}");
    }

    #[test]
    fn an_empty_picture_is_a_picture() {
        let svg = cache_svg(&page(json!({ "chains": 1, "latches": [0], "moments": [] }))).unwrap();
        assert!(svg.ends_with("</svg>\n") && !svg.contains("<path"));
        assert!(cache_svg(&page(json!({}))).is_err());
    }
}
