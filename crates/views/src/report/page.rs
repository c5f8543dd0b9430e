//! The page: one HTML file with everything inside it, that asks for nothing from anywhere.

use std::io::Write;

use base64ct::{Base64, Encoding};
use sha2::{Digest, Sha256};

use super::{Report, ReportError, fit, site};

/// The page without its content.
const PAGE: &str = include_str!("plain/page.html");
/// How it looks.
const STYLE: &str = include_str!("plain/style.css");
/// What it does, in this order, inside one function.
const SCRIPTS: [&str; 1] = [include_str!("plain/page.js")];

/// Writes the report as one HTML page of at most `most` bytes.
pub fn html(report: &Report, most: u64, out: &mut dyn Write) -> Result<(), ReportError> {
    let script = script();
    let empty = assembled(report, &script, "", report.entries.len());
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let room = most.saturating_sub(empty.len());
    let (data, drawn) = fit::fitted(report, room)?;
    out.write_all(assembled(report, &script, &data, drawn).as_bytes())?;
    Ok(())
}

fn script() -> String {
    format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.concat())
}

/// The page with its parts put in wherever their markers are. What is put in is never looked at
/// for markers.
fn assembled(report: &Report, script: &str, data: &str, drawn: usize) -> String {
    let parts = [
        ("CSP", policy(script)),
        ("TITLE", site::escaped(&report.title)),
        ("/*STYLE*/", STYLE.to_owned()),
        ("<!--STATIC-->", site::content(report, drawn)),
        ("DATA", data.to_owned()),
        ("/*SCRIPT*/", script.to_owned()),
    ];
    let mut page = String::new();
    let mut rest = PAGE;
    let next = |rest: &str| {
        let found = parts.iter().filter_map(|(marker, text)| Some((rest.find(marker)?, marker, text)));
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

/// What the page is allowed: its own style and script, told by their checksums, and nothing else.
fn policy(script: &str) -> String {
    let hash = |text: &str| Base64::encode_string(&Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; \
         img-src data: blob:; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(script)
    )
}
