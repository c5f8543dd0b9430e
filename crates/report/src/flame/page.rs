//! A flame graph as one page that asks for nothing from anywhere.

use isotherm_frame::narrow_percent;
use std::fmt::Write as _;
use std::io::Write;

use isotherm_flame::{Counts, FunctionChange, FunctionTotal, NameId, ROWS, Tree, plain};
use isotherm_views::generator;
use serde::Serialize;
use serde_json::{Value, json};

use super::graph::FlameGraph;
use super::input::FlameInput;
use super::words;
use crate::document::compressed;
use crate::error::ReportError;
use crate::markup::escaped;
use crate::sections;
use crate::shell::Shell;

const PAGE: &str = include_str!("../../assets/flame.html");
/// How a flame graph looks.
pub(crate) const FLAME_STYLE: &str = include_str!("../../assets/flame.css");
const STYLES: [&str; 2] = [include_str!("../../assets/style.css"), FLAME_STYLE];
/// What a flame graph does that is a part of another page.
pub(crate) const FLAME_PART: [&str; 4] = [
    include_str!("../../assets/flame-app.js"),
    include_str!("../../assets/flame-draw.js"),
    include_str!("../../assets/flame-part.js"),
    include_str!("../../assets/flame-tree.js"),
];
const SCRIPTS: [&str; 10] = [
    include_str!("../../assets/announce.js"),
    include_str!("../../assets/colour.js"),
    include_str!("../../assets/element.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/flame-tree.js"),
    include_str!("../../assets/flame-draw.js"),
    include_str!("../../assets/flame-app.js"),
    include_str!("../../assets/flame-heat.js"),
    include_str!("../../assets/flame-rail.js"),
    include_str!("../../assets/flame-main.js"),
];

/// How many functions are listed where no script runs.
const LISTED: usize = 25;
const FUNCTION_HEADS: [&str; 4] = ["function", "self", "share", "total"];
const CHANGE_HEADS: [&str; 4] = ["function", "self in A", "self in B", "change of share"];

/// Writes the page: search, zoom by click and keys, details, what each function costs, and the heat
/// map of the samples if there is one.
pub fn flame_html(graph: &FlameGraph<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let shell = Shell::new(PAGE, &STYLES, &SCRIPTS)?;
    let (data, notes) = document(graph)?;
    let page = shell.filled(&escaped(&graph.title), &content(graph, &notes), &data);
    out.write_all(page.as_bytes())?;
    Ok(())
}

/// A flame graph as a part of another page: its picture, and what is to be known of it.
pub(crate) fn flame_part(graph: &FlameGraph<'_>) -> Result<String, ReportError> {
    let (data, notes) = document(graph)?;
    let mut part = format!(
        "<section class=\"part\" aria-labelledby=\"flame-title\">\n<h2 id=\"flame-title\">{}</h2>\n\
         <ul class=\"sentences\">\n",
        escaped(&graph.title)
    );
    for note in notes {
        let _ = writeln!(part, "<li>{}</li>", escaped(&note));
    }
    let _ = write!(
        part,
        "</ul>\n\
         <div id=\"flame-pane\"><div class=\"plot\" id=\"flame\" tabindex=\"0\" role=\"application\" \
         aria-roledescription=\"flame graph\" aria-label=\"Flame graph\" \
         aria-describedby=\"flame-keys\"><canvas></canvas></div></div>\n\
         <p id=\"flame-readout\"></p>\n\
         <p id=\"flame-keys\"><button type=\"button\" id=\"flame-all\">Show all</button> Click a frame \
         to zoom to it; keys: arrows move, Enter zooms, Backspace zooms out.</p>\n\
         <script type=\"application/octet-stream\" id=\"isotherm-flame\">{data}</script>\n</section>\n"
    );
    Ok(part)
}

/// What the page's script reads. Nodes are in the order of the tree: what is above a node follows it. Lists as long as
/// the tree are written one by one: as values of their own they take many times the room.
#[derive(Serialize)]
struct Document<'a> {
    title: &'a str,
    facts: String,
    notes: &'a [String],
    unit: &'a str,
    inputs: &'a [FlameInput],
    made: String,
    command: &'a str,
    names: Vec<&'a str>,
    name: Vec<usize>,
    depth: Vec<usize>,
    own: Vec<u64>,
    before: Option<Vec<u64>>,
    heat: Option<Value>,
}

/// What the page's script reads, packed, and what is to be known of the picture.
fn document(graph: &FlameGraph<'_>) -> Result<(String, Vec<String>), ReportError> {
    let stacks = graph.stacks;
    let tree = Tree::of(stacks, graph.before.unwrap_or_default());
    let notes = words::notes_with(graph, &tree);
    let above = || tree.nodes.iter().skip(1);
    let heat = graph.heat.map(|heat| {
        json!({
            "columns": heat.columns,
            "rows": ROWS,
            "first_s": heat.first_s,
            "cells": heat.entries.iter().map(|(cell, ..)| *cell).collect::<Vec<_>>(),
            "nodes": heat.entries.iter().map(|(_, stack, _)| tree.end_of(*stack)).collect::<Vec<_>>(),
            "counts": heat.entries.iter().map(|(.., count)| *count).collect::<Vec<_>>(),
        })
    });
    let mut names: Vec<&str> = stacks.names().collect();
    names.extend((tree.narrow > 0).then_some(Tree::NARROW));
    let document = Document {
        title: &graph.title,
        facts: words::facts(graph),
        notes: &notes,
        unit: graph.inputs.last().map_or("counts", |input| input.counts.word()),
        inputs: &graph.inputs,
        made: format!("Made by {} with", generator()),
        command: &graph.command,
        names,
        name: above().map(|node| Tree::name_number(stacks, node)).collect(),
        depth: above().map(|node| node.depth).collect(),
        own: above().map(|node| node.own).collect(),
        before: graph.before.map(|counts| tree.own_of(counts).split_off(1)),
        heat,
    };
    let data = serde_json::to_vec(&document)?;
    drop(document);
    drop(tree);
    Ok((compressed(&[&data])?, notes))
}

/// What is shown where no script runs.
fn content(graph: &FlameGraph<'_>, notes: &[String]) -> String {
    let mut page =
        "<noscript><p>The picture needs scripts, which this browser does not run; these \
                    numbers do not.</p></noscript>\n"
            .to_owned();
    let _ = writeln!(
        page,
        "<p class=\"span\">{}</p>\n<ul class=\"sentences\">",
        escaped(&words::facts(graph))
    );
    for note in notes {
        let _ = writeln!(page, "<li>{}</li>", escaped(note));
    }
    page.push_str("</ul>\n<section><table>\n");
    let (heads, rows) = graph.changes().map_or_else(
        || (FUNCTION_HEADS.as_slice(), function_rows(graph)),
        |changes| (CHANGE_HEADS.as_slice(), change_rows(graph, &changes)),
    );
    let heads = heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>"));
    let _ = writeln!(page, "<thead><tr>{}</tr></thead>\n<tbody>", heads.collect::<String>());
    for (name, cells) in rows {
        let name = escaped(plain(graph.stacks.name(name)));
        let _ = write!(page, "<tr><th scope=\"row\">{name}</th>");
        for cell in cells {
            let _ = write!(page, "<td>{}</td>", escaped(&cell));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></section>\n");
    sections::html(&graph.sections, "", &mut page);
    page
}

/// A function with what its row says.
type Row = (NameId, Vec<String>);

fn function_rows(graph: &FlameGraph<'_>) -> Vec<Row> {
    let counts = counts_of(graph.inputs.last());
    let row = |function: &FunctionTotal| {
        let share = function.own as f64 / graph.total().max(1) as f64;
        let own = counts.amount(function.own);
        (function.name, vec![own, narrow_percent(share), counts.amount(function.total)])
    };
    graph.stacks.functions().iter().take(LISTED).map(row).collect()
}

fn change_rows(graph: &FlameGraph<'_>, changes: &[FunctionChange]) -> Vec<Row> {
    let (counts_a, counts_b) = (counts_of(graph.inputs.first()), counts_of(graph.inputs.last()));
    let share = |own: u64, total: u64| 100.0 * own as f64 / total.max(1) as f64;
    let row = |FunctionChange { a, b }: &FunctionChange| {
        let change = share(b.own, graph.total()) - share(a.own, graph.total_before());
        let (own_a, own_b) = (counts_a.amount(a.own), counts_b.amount(b.own));
        (b.name, vec![own_a, own_b, format!("{change:+.2} points")])
    };
    changes.iter().take(LISTED).map(row).collect()
}

fn counts_of(input: Option<&FlameInput>) -> Counts {
    input.map_or(Counts::Unknown, |input| input.counts)
}
