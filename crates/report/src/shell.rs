//! What every page is: one HTML file with its style and scripts inside it, that asks for nothing from
//! anywhere.

use std::io;

use base64ct::{Base64, Encoding};
use sha2::{Digest, Sha256};

use crate::document::compressed;

/// What unpacks what a page does; the only script that stands in it as it is.
pub(crate) const BOOT: &str = include_str!("../assets/boot.js");

/// What is the same in every page of a kind.
pub(crate) struct Shell {
    /// The page without its content.
    page: &'static str,
    style: String,
    boot: String,
    script: String,
    /// The script as it stands in the page.
    packed: String,
}

impl Shell {
    /// A page of these parts; the script that starts it is the last.
    pub fn new(page: &'static str, styles: &[&str], scripts: &[&str]) -> io::Result<Shell> {
        let style: String = styles.iter().map(|source| bare(source)).collect();
        let script: String = scripts.iter().map(|source| bare(source)).collect();
        let script = format!("(() => {{\n\"use strict\";\n{script}}})();\n");
        let packed = compressed(&[script.as_bytes()])?;
        Ok(Shell { page, style, boot: bare(BOOT), script, packed })
    }

    /// The page with its parts put in wherever their markers are. What is put in is never looked at
    /// for markers. `title` and `content` are escaped already.
    pub fn filled(&self, title: &str, content: &str, data: &str) -> String {
        let parts = [
            ("\"CSP\"", format!("\"{}\"", self.policy())),
            ("TITLE", title.to_owned()),
            ("/*STYLE*/", self.style.clone()),
            ("<!--STATIC-->", content.to_owned()),
            (">DATA<", format!(">{data}<")),
            (">PACKED<", format!(">{}<", self.packed)),
            ("/*BOOT*/", self.boot.clone()),
        ];
        let mut page = String::new();
        let mut rest = self.page;
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

    /// What the page is allowed: its own style and scripts, told by their checksums, and nothing else.
    fn policy(&self) -> String {
        let hash = |text: &str| Base64::encode_string(&Sha256::digest(text.as_bytes()));
        format!(
            "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}' 'sha256-{}'; \
             img-src data: blob:; base-uri 'none'; form-action 'none'",
            hash(&self.style),
            hash(&self.boot),
            hash(&self.script)
        )
    }
}

/// A source without what only its readers need: comments on lines of their own, indentation.
pub(crate) fn bare(source: &str) -> String {
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
