//! What may be no part of a text, if a decoder reads more without it.

use super::stage::{Change, Margin};

/// Lines before a table that are looked over at most.
const FOREWORD: usize = 8;

/// What could be taken away from a text that begins with `head`, the most probable first.
pub(super) fn candidates(head: &[u8]) -> Vec<Change> {
    let whole = if head.ends_with(b"\n") { head } else { crate::lines::whole_lines(head) };
    let lines: Vec<&[u8]> =
        whole.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect();
    let mut found = Vec::new();
    // Above a quoted text often stands a line that is not: "this is the log:".
    for unquoted in 0..=2 {
        let margin = margin_of(lines.get(unquoted..).unwrap_or_default()).map(Change::Margin);
        if let Some(margin) = margin.filter(|margin| !found.contains(margin)) {
            found.push(margin);
        }
    }
    if has_open_quote(&lines) {
        found.push(Change::QuotedLineEnds);
    }
    let most = FOREWORD.min(lines.len().saturating_sub(1));
    let forewords = (1..=most).filter(|count| !are_one_table(lines[count - 1], lines[*count]));
    found.extend(forewords.map(Change::Foreword));
    found
}

/// Whether a line has as many columns as the one below it: it may name them, and is no foreword.
fn are_one_table(above: &[u8], below: &[u8]) -> bool {
    [b',', b';', b'\t', b'|'].into_iter().any(|separator| {
        let marks = |line: &[u8]| memchr::memchr_iter(separator, line).count();
        marks(above) > 0 && marks(above) == marks(below)
    })
}

/// What all lines begin with, if that is nothing but blanks or the mark of a quotation.
fn margin_of(lines: &[&[u8]]) -> Option<Margin> {
    let first = lines.first()?;
    let depth = lines.iter().map(|line| quoted_depth(line)).min().unwrap_or(0);
    if depth > 0 {
        return Some(Margin::Quoted(depth));
    }
    // A blank that breaks no line, as a page has them, is C2 A0.
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | 0xc2 | 0xa0);
    let blanks = first.iter().take_while(is_blank).count();
    let common = lines.iter().fold(blanks, |common, line| {
        first.iter().zip(line.iter()).take(common).take_while(|(one, other)| one == other).count()
    });
    let common = common - usize::from(common > 0 && first.get(common - 1) == Some(&0xc2));
    (common > 0).then(|| Margin::Blanks(first[..common].to_vec()))
}

/// How often a line is marked as quoted: `> > text`.
fn quoted_depth(line: &[u8]) -> usize {
    let mut rest = line.trim_ascii_start();
    let mut depth = 0;
    while let Some(behind) = rest.strip_prefix(b">") {
        rest = behind.trim_ascii_start();
        depth += 1;
    }
    depth
}

/// Whether a line of a table with quotation marks ends within them.
fn has_open_quote(lines: &[&[u8]]) -> bool {
    let quotes = |line: &[u8]| memchr::memchr_iter(b'"', line).count();
    let is_table = lines.first().is_some_and(|line| {
        quotes(line).is_multiple_of(2)
            && line.iter().any(|byte| matches!(byte, b',' | b';' | b'\t'))
    });
    is_table && lines.iter().any(|line| !quotes(line).is_multiple_of(2))
}
