//! A lesson and the list of labs as text.

use std::fmt::Write as _;

use isotherm_views::{span, wrapped_to};

use crate::{LABS, Lab};

/// The widest a line is, and the narrowest.
const WIDTHS: (usize, usize) = (40, 100);

/// The lesson of a lab, without running it.
pub fn explanation(lab: &Lab, width: usize) -> String {
    let needs = if lab.needs.is_empty() { "nothing" } else { lab.needs };
    let (short, full) = lab.takes;
    let costs = format!(
        "It takes about {} (--short: {}), needs {needs}, and {}.",
        span(full),
        span(short),
        lab.writes()
    );
    let paragraph = |words: &str| wrapped(words, width, "");
    let mut text = paragraph(lab.question);
    for lesson in lab.lesson {
        let _ = write!(text, "\n{}", paragraph(lesson));
    }
    let done = paragraph(&format!("The lab: {}.", lower_first(lab.method)));
    let _ = write!(text, "\n{done}{}", paragraph(&costs));
    text
}

/// Every lab with its question, what it needs and how long it takes.
pub fn list(width: usize) -> String {
    let mut text = String::new();
    for lab in LABS {
        let (short, full) = lab.takes;
        let _ =
            writeln!(text, "{}  (about {}, --short about {})", lab.name, span(full), span(short));
        text.push_str(&wrapped(lab.question, width, "    "));
    }
    text.push_str(
        "\n`isotherm lab NAME --explain` prints the lesson, `isotherm lab NAME` runs it.\n",
    );
    text
}

/// A sentence's beginning within another sentence.
fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn wrapped(words: &str, width: usize, indent: &str) -> String {
    let room = width.clamp(WIDTHS.0, WIDTHS.1) - indent.len();
    format!("{indent}{}\n", wrapped_to(words, room).join(&format!("\n{indent}")))
}
