//! AWR's history as one page that asks for nothing from anywhere.

use std::fmt::Write as _;
use std::io::Write;

use isotherm_views::{AwrHistoryDocument, generator, seconds};
use serde::Serialize;

use crate::document::compressed;
use crate::error::ReportError;
use crate::markup::escaped;
use crate::shell::Shell;

const PAGE: &str = include_str!("../assets/awr.html");
const STYLES: [&str; 2] = [include_str!("../assets/style.css"), include_str!("../assets/awr.css")];
const SCRIPTS: [&str; 12] = [
    include_str!("../assets/announce.js"),
    include_str!("../assets/colour.js"),
    include_str!("../assets/element.js"),
    include_str!("../assets/format.js"),
    include_str!("../assets/axes.js"),
    include_str!("../assets/table.js"),
    include_str!("../assets/awr-data.js"),
    include_str!("../assets/awr-graphs.js"),
    include_str!("../assets/awr-sum.js"),
    include_str!("../assets/awr-draw.js"),
    include_str!("../assets/awr-graph.js"),
    include_str!("../assets/awr-main.js"),
];
/// How many wait classes stand among the key figures.
const KEY_FIGURES: usize = 6;

/// What a page of AWR's history is made of.
#[derive(Debug)]
pub struct AwrPage<'a> {
    /// What it is called.
    pub title: &'a str,
    /// What is drawn.
    pub document: &'a AwrHistoryDocument,
    /// The command that made it.
    pub command: &'a str,
}

/// What the page's script reads.
#[derive(Serialize)]
struct Data<'a> {
    #[serde(flatten)]
    document: &'a AwrHistoryDocument,
    made: String,
}

/// Writes the page: what stands out, and the predefined graphs, each with its choices and numbers.
pub fn awr_html(page: &AwrPage<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let shell = Shell::new(PAGE, &STYLES, &SCRIPTS)?;
    let made = format!("Made by {} with {}", generator(), page.command);
    let data = serde_json::to_vec(&Data { document: page.document, made })?;
    let text = shell.filled(&escaped(page.title), &content(page), &compressed(&[&data])?);
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// What needs no script: sentences, key figures, what is known of the input.
fn content(page: &AwrPage<'_>) -> String {
    let mut content = String::new();
    content.push_str("<ul id=\"verdict\">\n");
    push_items(&mut content, page.document.sentences());
    content.push_str("</ul>\n");
    let classes = page.document.classes();
    if !classes.is_empty() {
        content.push_str("<p class=\"span\">Average active sessions over all of the time:</p>\n<dl class=\"kpis\">\n");
        for (name, sessions) in classes.iter().take(KEY_FIGURES) {
            let (name, sessions) = (escaped(name), seconds(*sessions));
            let _ = writeln!(content, "<div><dt>{name}</dt><dd>{sessions}</dd></div>");
        }
        content.push_str("</dl>\n");
    }
    push_details(&mut content, "About these numbers", page.document.notes());
    let absent = page.document.absent();
    push_details(&mut content, &format!("Not in these files ({})", absent.len()), absent);
    content.push_str(
        "<noscript><p>The graphs need scripts, which this browser does not run.</p></noscript>\n",
    );
    content
}

fn push_details(content: &mut String, summary: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(content, "<details class=\"about\"><summary>{summary}</summary><ul>");
    push_items(content, lines);
    content.push_str("</ul></details>\n");
}

fn push_items(content: &mut String, lines: &[String]) {
    for line in lines {
        let _ = writeln!(content, "<li>{}</li>", escaped(line));
    }
}
