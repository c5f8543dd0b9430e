//! The page: one HTML file with everything inside it, that asks for nothing from anywhere.

use std::io::{self, Write};

use base64ct::{Base64, Encoding};
use sha2::{Digest, Sha256};

use crate::document::compressed;
use crate::error::ReportError;
use crate::report::Report;
use crate::{fit, markup, site};

/// The page without its content.
const PAGE: &str = include_str!("../assets/page.html");
/// How it looks.
const STYLE: &str = include_str!("../assets/style.css");
/// What unpacks what it does; the only script that stands in the page as it is.
const BOOT: &str = include_str!("../assets/boot.js");
/// What it does: by name, the one that starts the page last, all inside one function.
const SCRIPTS: [&str; 22] = [
    include_str!("../assets/announce.js"),
    include_str!("../assets/axes.js"),
    include_str!("../assets/colour.js"),
    include_str!("../assets/compare.js"),
    include_str!("../assets/decode.js"),
    include_str!("../assets/differs.js"),
    include_str!("../assets/element.js"),
    include_str!("../assets/estimate.js"),
    include_str!("../assets/format.js"),
    include_str!("../assets/header.js"),
    include_str!("../assets/input.js"),
    include_str!("../assets/map.js"),
    include_str!("../assets/model.js"),
    include_str!("../assets/multiples.js"),
    include_str!("../assets/percentiles.js"),
    include_str!("../assets/print.js"),
    include_str!("../assets/rail.js"),
    include_str!("../assets/scatter.js"),
    include_str!("../assets/state.js"),
    include_str!("../assets/table.js"),
    include_str!("../assets/who.js"),
    include_str!("../assets/main.js"),
];

/// Writes the report as one HTML page of at most `most` bytes.
pub fn html(report: &Report, most: u64, out: &mut dyn Write) -> Result<(), ReportError> {
    let own = Own::new()?;
    let all: Vec<usize> = (0..report.entries.len()).collect();
    let empty = assembled(report, &own, "", &all).len();
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    // What entries are not drawn takes a few more words.
    let room = |size: usize| size.saturating_sub(empty + 32 * all.len());
    let (data, drawn) = fit::fitted(report, room(fit::AIM), room(most))?;
    out.write_all(assembled(report, &own, &data, &drawn).as_bytes())?;
    Ok(())
}

/// What is the same in every page.
struct Own {
    style: String,
    boot: String,
    script: String,
    /// The script as it stands in the page.
    packed: String,
}

impl Own {
    fn new() -> io::Result<Own> {
        let script: String = SCRIPTS.iter().map(|source| bare(source)).collect();
        let script = format!("(() => {{\n\"use strict\";\n{script}}})();\n");
        let packed = compressed(&[script.as_bytes()])?;
        Ok(Own { style: bare(STYLE), boot: bare(BOOT), script, packed })
    }
}

/// A source without what only its readers need: comments on lines of their own, indentation.
fn bare(source: &str) -> String {
    let (mut kept, mut inside) = (String::with_capacity(source.len()), false);
    for line in source.lines().map(str::trim) {
        // A comment with code after it on its line, such as a cast, stays.
        let opens = line.starts_with("/*") && (line.ends_with("*/") || !line.contains("*/"));
        let comment = inside || opens || line.starts_with("//");
        if inside || opens {
            inside = !line.ends_with("*/");
        }
        if !comment && !line.is_empty() {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The page with its parts put in wherever their markers are. What is put in is never looked at
/// for markers.
fn assembled(report: &Report, own: &Own, data: &str, drawn: &[usize]) -> String {
    let parts = [
        ("\"CSP\"", format!("\"{}\"", policy(own))),
        ("TITLE", markup::escaped(&report.title)),
        ("/*STYLE*/", own.style.clone()),
        ("<!--STATIC-->", site::content(report, drawn)),
        (">DATA<", format!(">{data}<")),
        (">PACKED<", format!(">{}<", own.packed)),
        ("/*BOOT*/", own.boot.clone()),
    ];
    let mut page = String::new();
    let mut rest = PAGE;
    let next = |rest: &str| {
        let found =
            parts.iter().filter_map(|(marker, text)| Some((rest.find(marker)?, marker, text)));
        found.min_by_key(|(at, ..)| *at).map(|(at, marker, text)| (at, marker.len(), text))
    };
    while let Some((at, length, text)) = next(rest) {
        page.push_str(&rest[..at]);
        page.push_str(text);
        rest = &rest[at + length..];
    }
    page.push_str(rest);
    page
}

/// What the page is allowed: its own style and scripts, named by their checksums, and nothing else.
fn policy(own: &Own) -> String {
    let hash = |text: &str| Base64::encode_string(&Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}' 'sha256-{}'; \
         img-src data: blob:; base-uri 'none'; form-action 'none'",
        hash(&own.style),
        hash(&own.boot),
        hash(&own.script)
    )
}
