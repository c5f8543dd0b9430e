//! A model of a cache as one page that asks for nothing from anywhere.

use std::fmt::Write as _;
use std::io::Write;

use isotherm_views::generator;
use isotherm_views::section::Section;
use serde_json::{Value, json};

use crate::cache_view::GraphView;
use crate::document::compressed;
use crate::error::ReportError;
use crate::markup::escaped;
use crate::sections;
use crate::shell::Shell;

const PAGE: &str = include_str!("../assets/cache.html");
const STYLES: [&str; 2] =
    [include_str!("../assets/style.css"), include_str!("../assets/cache.css")];
const SCRIPTS: [&str; 8] = [
    include_str!("../assets/announce.js"),
    include_str!("../assets/colour.js"),
    include_str!("../assets/element.js"),
    include_str!("../assets/format.js"),
    include_str!("../assets/cache-layout.js"),
    include_str!("../assets/cache-draw.js"),
    include_str!("../assets/cache-moments.js"),
    include_str!("../assets/cache-main.js"),
];

/// A graph of buffers with what stands around it.
#[derive(Clone, Debug)]
pub struct CachePage {
    /// What it is called.
    pub title: String,
    /// What it is of, in one line.
    pub facts: String,
    /// What is to be known of it, a sentence each.
    pub notes: Vec<String>,
    /// The buffers, or the objects of a library cache, at each moment.
    pub picture: Value,
    /// What they are called.
    pub words: CacheWords,
    /// What is shown of them at first.
    pub view: GraphView,
    /// What stands below the graph.
    pub sections: Vec<Section>,
    /// The command that makes it again, without secrets.
    pub command: String,
}

/// What is shown as a graph.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CacheWords {
    /// Buffers on chains and lists.
    Buffers,
    /// Handles and child cursors in hash buckets.
    Library,
}

impl CacheWords {
    pub(crate) fn json(self) -> Value {
        match self {
            CacheWords::Buffers => json!({
                "shown": "buffers",
                "references": "references",
                "found": "found their block",
                "lists": [
                    "free", "hot half of the LRU list", "cold half of the LRU list", "write list",
                ],
                "hollow": "clone",
                "ring": "dirty",
                "empty": [
                    "No buffer is on this list at this moment",
                    "No buffer waits to be written at this moment",
                ],
                "focus": {},
                "size": {},
            }),
            CacheWords::Library => json!({
                "shown": "objects",
                "references": "executions",
                "found": "found a cursor",
                "lists": [
                    "handle",
                    "child cursor, recent half of the LRU list",
                    "child cursor, older half",
                    "invalid child cursor",
                ],
                "hollow": "executed once",
                "ring": "pinned",
                "empty": [
                    "No cursor is on this list at this moment",
                    "No cursor is invalid at this moment",
                ],
                "focus": {
                    "chains": "hash buckets", "write": "invalid cursors", "headers": "objects",
                },
                "size": { "touches": "executions", "chain": "objects in the bucket" },
            }),
        }
    }
}

/// Writes the page: buffers on their chains and lists, at moments of the run.
pub fn cache_html(page: &CachePage, out: &mut dyn Write) -> Result<(), ReportError> {
    let shell = Shell::new(PAGE, &STYLES, &SCRIPTS)?;
    let document = json!({
        "title": page.title,
        "facts": page.facts,
        "notes": page.notes,
        "made": format!("Made by {} with the command above", generator()),
        "command": page.command,
        "picture": page.picture,
        "words": page.words.json(),
        "view": { "focus": page.view.focus, "orientation": page.view.orientation },
        "at": page.view.moment,
    });
    let data = compressed(&[&serde_json::to_vec(&document)?])?;
    let page = shell.filled(&escaped(&page.title), &content(page), &data);
    out.write_all(page.as_bytes())?;
    Ok(())
}

/// What is shown where no script runs.
fn content(page: &CachePage) -> String {
    let mut text = "<noscript><p>The graph needs scripts, which this browser does not run; these \
                    numbers do not.</p></noscript>\n"
        .to_owned();
    let _ = writeln!(text, "<p class=\"span\">{}</p>", escaped(&page.facts));
    text.push_str("<ul class=\"sentences\">\n");
    for note in &page.notes {
        let _ = writeln!(text, "<li>{}</li>", escaped(note));
    }
    text.push_str("</ul>\n");
    sections::html(&page.sections, "", &mut text);
    text
}
