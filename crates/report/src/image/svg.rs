//! The layout as SVG: cells as one path for each shade, words as text, no script and nothing
//! fetched from elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use isotherm_analysis::Picture;

use crate::xml;
use isotherm_views::cells::{Cell, cell_at};
use isotherm_views::{MapKind, Theme};

use super::geometry::{Anchor, Area, Curve, Dash, Face, Heat, Item, Words};
use super::legend::place;
use super::tones::Tone;
use super::{Still, arrangement, metadata, panel};

/// Letters of the reader's system.
const FONTS: &str = "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif";

/// Paints everything as one SVG document. The numbers behind it are in its `metadata` element, as
/// JSON. Fails only when `out` does.
pub fn svg(still: &Still, out: &mut dyn Write) -> io::Result<()> {
    let sheet = arrangement::sheet(still);
    let (width, height) = (sheet.width, sheet.y);
    let mut text = String::new();
    let _ = writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" fill=\"currentColor\" \
         font-family=\"{FONTS}\">"
    );
    let _ = writeln!(text, "<title>{}</title>", xml::element(&still.title));
    let _ = writeln!(text, "<desc>{}</desc>", xml::element(&description(still)));
    let _ = writeln!(
        text,
        "<metadata id=\"isotherm\">{}</metadata>",
        xml::element(&metadata::value(still).to_string())
    );
    style(still, &mut text);
    text.push_str(
        "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><path class=\"h\" d=\"M0 0h1v6h-1z\"/></pattern></defs>\n",
    );
    let _ = writeln!(text, "<path class=\"g\" d=\"M0 0h{width}v{height}h-{width}z\"/>");
    for item in &sheet.items {
        paint(still, item, &mut text);
    }
    text.push_str("</svg>\n");
    out.write_all(text.as_bytes())
}

/// What is on the image, in words.
fn description(still: &Still) -> String {
    let mut parts = Vec::new();
    for panel in &still.panels {
        parts.extend(panel.label.clone());
        let numbers = panel::numbers(panel.picture);
        let list: Vec<String> =
            numbers.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let what = if panel.picture.is_single_interval() {
            "Histograms of events and of time waited by latency"
        } else {
            "Latency heat maps, frequency above intensity"
        };
        parts.push(format!("{what}: {}.", list.join(", ")));
        parts.extend(panel.sentences.iter().cloned());
    }
    parts.join(" ")
}

/// The colours of all tones as classes: for a light background, a dark one, or the reader's.
fn style(still: &Still, text: &mut String) {
    let classes = |theme: Theme| -> String {
        let class = |tone: Tone| {
            format!(".{}{{color:#{:06x}}}", name(tone), tone.colour(still.palette, theme))
        };
        Tone::all().map(class).collect()
    };
    text.push_str("<style>");
    text.push_str(&classes(still.theme.unwrap_or(Theme::Light)));
    if still.theme.is_none() {
        let _ = write!(text, "@media (prefers-color-scheme:dark){{{}}}", classes(Theme::Dark));
    }
    for (face, class) in FACES {
        let weight = if face.is_bold() { ";font-weight:600" } else { "" };
        let _ = write!(text, ".{class}{{font-size:{}px{weight}}}", face.svg_size());
    }
    text.push_str(".b{text-anchor:middle}.e{text-anchor:end}</style>\n");
}

const FACES: [(Face, &str); 4] =
    [(Face::Title, "T"), (Face::Heading, "H"), (Face::Figure, "N"), (Face::Plain, "P")];

/// The class of a tone.
fn name(tone: Tone) -> String {
    match tone {
        Tone::Ground => "g".to_owned(),
        Tone::Ink => "k".to_owned(),
        Tone::Faint => "a".to_owned(),
        Tone::Rule => "r".to_owned(),
        Tone::Hatch => "h".to_owned(),
        Tone::Shade(MapKind::Frequency, place) => format!("f{place}"),
        Tone::Shade(MapKind::Intensity, place) => format!("i{place}"),
    }
}

fn paint(still: &Still, item: &Item, text: &mut String) {
    let _ = match item {
        Item::Words(words) => write_words(words, text),
        Item::Box { area, tone } => {
            writeln!(text, "<path class=\"{}\" d=\"{}\"/>", name(*tone), rectangle(*area))
        }
        Item::Rule { from, to, tone, dash } => rule((*from, *to), *tone, *dash, text),
        Item::Heat(heat) => match still.panels.get(heat.panel) {
            Some(panel) => cells(panel.picture, heat, text),
            None => Ok(()),
        },
        Item::Hatch(area) => {
            writeln!(text, "<path fill=\"url(#hatch)\" d=\"{}\"/>", rectangle(*area))
        }
        Item::Reset(area) => {
            let x = area.x + area.width / 2;
            rule(((x, area.y), (x, area.bottom())), Tone::Faint, Dash::Dashed, text)
        }
        Item::Curve(curve) => line(curve, text),
    };
}

fn rectangle(area: Area) -> String {
    let Area { x, y, width, height } = area;
    format!("M{x} {y}h{width}v{height}h-{width}z")
}

fn write_words(words: &Words, text: &mut String) -> std::fmt::Result {
    let face = FACES.iter().find(|(face, _)| *face == words.face).map_or("P", |(_, class)| class);
    let anchor = match words.anchor {
        Anchor::Start => "",
        Anchor::Middle => " b",
        Anchor::End => " e",
    };
    let (tone, Words { x, y, .. }) = (name(words.tone), words);
    let content = xml::element(&words.text);
    writeln!(text, "<text class=\"{tone} {face}{anchor}\" x=\"{x}\" y=\"{y}\">{content}</text>")
}

fn dashes(dash: Dash) -> String {
    dash.pattern().map(|(on, off)| format!(" stroke-dasharray=\"{on} {off}\"")).unwrap_or_default()
}

/// A thin line, in the middle of its pixels.
fn rule(
    ((x, y), (to_x, to_y)): ((i32, i32), (i32, i32)),
    tone: Tone,
    dash: Dash,
    text: &mut String,
) -> std::fmt::Result {
    let class = name(tone);
    let along = if y == to_y { format!("{x} {y}.5H{to_x}") } else { format!("{x}.5 {y}V{to_y}") };
    writeln!(
        text,
        "<path class=\"{class}\" stroke=\"currentColor\"{} d=\"M{along}\"/>",
        dashes(dash)
    )
}

/// A line in steps, over one of the ground's colour that keeps it seen on any cell.
fn line(curve: &Curve, text: &mut String) -> std::fmt::Result {
    let mut path = String::new();
    for run in &curve.runs {
        let mut at = run.first().copied().unwrap_or_default();
        write!(path, "M{} {}", at.0, at.1)?;
        for &(x, y) in run.iter().skip(1) {
            match (x - at.0, y - at.1) {
                (0, rise) => write!(path, "v{rise}")?,
                (run, _) => write!(path, "h{run}")?,
            }
            at = (x, y);
        }
    }
    let dashes = dashes(curve.dash);
    writeln!(
        text,
        "<g fill=\"none\" stroke=\"currentColor\"{dashes}>\
         <path class=\"g\" stroke-width=\"3.5\" stroke-opacity=\".5\" d=\"{path}\"/>\
         <path class=\"k\" stroke-width=\"1.3\" d=\"{path}\"/></g>"
    )
}

/// The cells of a map: for each shade, and each height of rows, one path along the middle of its
/// rows, as broad as they are. Along the path lengths are in columns.
fn cells(picture: &Picture, heat: &Heat, text: &mut String) -> std::fmt::Result {
    let columns = picture.columns.len().max(1);
    let across = f64::from(heat.area.width) / columns as f64;
    writeln!(
        text,
        "<g transform=\"translate({} 0) scale({across} 1)\" fill=\"none\" stroke=\"currentColor\" \
         shape-rendering=\"crispEdges\">",
        heat.area.x
    )?;
    for ((shade, height), path) in paths(picture, heat) {
        let class = name(Tone::Shade(heat.kind, shade));
        writeln!(text, "<path class=\"{class}\" stroke-width=\"{height}\" d=\"{path}\"/>")?;
    }
    text.push_str("</g>\n");
    Ok(())
}

/// The path of each shade and height of rows.
fn paths(picture: &Picture, heat: &Heat) -> BTreeMap<(u8, i32), String> {
    let map = match heat.kind {
        MapKind::Frequency => &picture.frequency,
        MapKind::Intensity => &picture.intensity,
    };
    let mut paths: BTreeMap<(u8, i32), String> = BTreeMap::new();
    for (row, pair) in heat.edges.windows(2).enumerate() {
        let (low, height) = (f64::from(pair[0]), pair[0] - pair[1]);
        let middle = low - f64::from(height) / 2.0;
        // Where the pen of each shade is, in columns.
        let mut pens: BTreeMap<u8, usize> = BTreeMap::new();
        for (shade, from, to) in runs(picture, map, row) {
            let path = paths.entry((shade, height)).or_default();
            let _ = match pens.insert(shade, to) {
                None => write!(path, "M{from} {middle}h{}", to - from),
                Some(pen) => write!(path, "m{} 0h{}", from - pen, to - from),
            };
        }
    }
    paths
}

/// The stretches of equal shade in a row that are painted: the shade, and the columns.
fn runs(picture: &Picture, map: &isotherm_analysis::Map, row: usize) -> Vec<(u8, usize, usize)> {
    let mut runs: Vec<(u8, usize, usize)> = Vec::new();
    for column in 0..picture.columns.len() {
        let Cell::Shade(shade) = cell_at(picture, map, row, column) else { continue };
        let Some(place) = place(shade) else { continue };
        match runs.last_mut() {
            Some((last, _, to)) if *last == place && *to == column => *to = column + 1,
            _ => runs.push((place, column, column + 1)),
        }
    }
    runs
}

#[cfg(test)]
#[path = "svg_tests.rs"]
mod tests;
