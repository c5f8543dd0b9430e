//! A flame graph as SVG, drawn by inferno.

use std::io::{self, Write};

use inferno::flamegraph::color::{BackgroundColor, BasicPalette, Palette};
use inferno::flamegraph::{Options, TextTruncateDirection, from_lines};
use isotherm_flame::Tree;
use isotherm_frame::visible_char;
use isotherm_views::generator;
use isotherm_views::numbers::grouped;
use serde_json::json;

use super::graph::FlameGraph;
use super::words;
use crate::error::ReportError;
use crate::xml;

/// Nanoseconds in the unit that times are shown in.
const US: f64 = 1e-3;

/// What all counts of a comparison add up to at most: they are exact as numbers of a script too.
const MOST_COUNTED: u64 = 1 << 50;

/// Writes the picture as SVG with its own script: search, zoom, details.
pub fn flame_svg(graph: &FlameGraph<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let tree = Tree::of_most(graph.stacks, graph.before.unwrap_or_default(), MOST_FRAMES);
    let lines = lines(graph, &tree);
    let mut options = Options::default();
    options.title = text(&graph.title);
    options.subtitle = Some(text(&subtitle(graph)));
    let is_scaled = graph.is_time() && graph.before.is_none();
    options.count_name = String::from(if is_scaled { "µs" } else { unit(graph) });
    options.name_type = String::from("Frame:");
    options.deterministic = true;
    options.colors = Palette::Basic(BasicPalette::Hot);
    options.bgcolors = Some(BackgroundColor::Grey);
    options.text_truncate_direction = TextTruncateDirection::Right;
    // The lines come in the order of the tree, the last first: sorted anew, frames would be torn apart
    // by names such as `a.b` between `a` and `a;b`.
    options.flame_chart = true;
    // Differences are not multiplied by it.
    options.factor = if is_scaled { US } else { 1.0 };
    let mut image = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut image)?;
    if graph.before.is_some() {
        image = retitled(graph, &image);
    }
    write_marked(graph, &tree, &image, out)?;
    Ok(())
}

/// By how much counts of a comparison are multiplied before they are drawn: what is compared has to be
/// whole numbers, and so rounding does not show.
fn multiplier(graph: &FlameGraph<'_>) -> u64 {
    (MOST_COUNTED / graph.total().max(1)).max(1)
}

/// The image with its titles about the counts of B themselves, and with what percentages are of.
fn retitled(graph: &FlameGraph<'_>, image: &[u8]) -> Vec<u8> {
    let image = String::from_utf8_lossy(image);
    let mut made = String::with_capacity(image.len());
    let mut rest = &*image;
    while let Some((before, title, behind)) = next_title(rest) {
        made.push_str(before);
        made.push_str(&retold(graph, title).unwrap_or_else(|| title.to_owned()));
        rest = behind;
    }
    made.push_str(rest);
    made.into_bytes()
}

/// The next title, with what stands before and behind it.
fn next_title(text: &str) -> Option<(&str, &str, &str)> {
    const OPEN: &str = "<title>";
    let start = text.find(OPEN)? + OPEN.len();
    let end = start + text[start..].find("</title>")?;
    Some((&text[..start], &text[start..end], &text[end..]))
}

/// `f (300000 counts, 75.00%; +25.00%)` as `f (300 counts, 75.00% of B; own share +25.00 points)`.
fn retold(graph: &FlameGraph<'_>, title: &str) -> Option<String> {
    let (name, inner) = title.strip_suffix(')')?.rsplit_once(" (")?;
    let (count, behind) = inner.split_once(' ')?;
    let digits: String = count.chars().filter(char::is_ascii_digit).collect();
    let count = grouped(digits.parse::<u64>().ok()? / multiplier(graph));
    let (unit, shares) = behind.split_once(", ")?;
    Some(match shares.split_once("; ") {
        None => format!("{name} ({count} {unit}, {shares} of B)"),
        Some((share, change)) => {
            let change = change.strip_suffix('%')?;
            format!("{name} ({count} {unit}, {share} of B; own share {change} points)")
        }
    })
}

fn unit(graph: &FlameGraph<'_>) -> &'static str {
    graph.inputs.last().map_or("counts", |input| input.counts.word())
}

/// What stands below the title.
fn subtitle(graph: &FlameGraph<'_>) -> String {
    let first = |sentence: &String| sentence.split(": ").next().unwrap_or_default().to_owned();
    let notes = words::notes(graph);
    let mut parts = vec![words::facts(graph)];
    parts.extend(notes.iter().take(1).map(first));
    parts.extend(words::gone(graph).map(|gone| gone.trim_end_matches('.').to_owned()));
    parts.extend(notes.iter().skip(1).filter(|note| is_short(note)).map(first));
    parts.join(" · ")
}

/// The notes that have their place in a picture: what it leaves out as a whole.
fn is_short(note: &str) -> bool {
    ["On CPU only: ", "Off CPU only: "].iter().any(|head| note.starts_with(head))
}

/// The most frames of an image: what draws it takes far more room for each than a page does.
const MOST_FRAMES: usize = 100_000;

/// The stacks in the order in which they are drawn from right to left, with their counts.
fn lines(graph: &FlameGraph<'_>, tree: &Tree) -> Vec<String> {
    let own_before = graph.before.map(|counts| tree.own_of(counts));
    let (before, after) = (graph.total_before(), graph.total());
    let by = multiplier(graph);
    let counts = |at: usize, count: u64| match &own_before {
        None => format!("{count}"),
        Some(counts) => {
            let after = u128::from(after) * u128::from(by);
            let a = u128::from(counts[at]) * after;
            let before = u128::from(before.max(1));
            format!("{} {}", (a + before / 2) / before, u128::from(count) * u128::from(by))
        }
    };
    let is_shown =
        |at: usize, own: u64| own > 0 || own_before.as_ref().is_some_and(|before| before[at] > 0);
    let ends = tree.nodes.iter().enumerate().rev().filter(|&(at, node)| is_shown(at, node.own));
    ends.map(|(at, node)| {
        let names: Vec<String> = tree.path(graph.stacks, at).into_iter().map(name).collect();
        format!("{} {}", names.join(";"), counts(at, node.own))
    })
    .collect()
}

/// A name as it may stand in a line: nothing in it ends a frame, is a count or a comment.
fn name(name: &str) -> String {
    if name.is_empty() {
        return "[no name]".to_owned();
    }
    let safe = |c: char| match c {
        ';' => ':',
        c if c.is_whitespace() => '\u{a0}',
        other => visible_char(other),
    };
    name.chars().map(safe).collect()
}

fn text(text: &str) -> String {
    text.chars().map(visible_char).collect()
}

/// Writes the image with what tells it from others, behind the tag that opens it.
fn write_marked(
    graph: &FlameGraph<'_>,
    tree: &Tree,
    image: &[u8],
    out: &mut dyn Write,
) -> io::Result<()> {
    let open = memchr::memmem::find(image, b"<svg ").unwrap_or(0);
    let behind = image[open..].iter().position(|&byte| byte == b'>').map_or(0, |at| open + at + 1);
    let mark = json!({
        "generator": generator(),
        "title": graph.title,
        "total": graph.total(),
        "notes": words::notes_with(graph, tree),
    });
    out.write_all(&image[..behind])?;
    write!(out, "<metadata id=\"isotherm\">{}</metadata>", xml::element(&mark.to_string()))?;
    out.write_all(&image[behind..])
}
