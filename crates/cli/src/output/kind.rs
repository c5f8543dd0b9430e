//! What isotherm writes to files, and how it knows its own.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use isotherm_recording::import;
use isotherm_views::{OutputForm, is_own_json};

use crate::failure::Failure;

/// The form of a file that a command writes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A report as a page.
    Page,
    /// A report in Markdown.
    Markdown,
    /// Test cases as continuous integration reads them.
    JUnit,
    /// A report, or a summary, in JSON.
    Json,
    /// A report or a chart as SVG.
    Svg,
    /// A report as PNG.
    Png,
    /// A table for spreadsheets.
    Table,
    /// Text for people. It bears no mark.
    Text,
    /// A recording as CSV.
    ExportCsv,
    /// A recording as JSON lines.
    ExportJsonl,
    /// A recording as PyLatencyMap's records, which are alike whoever wrote them.
    PyLatencyMap,
    /// A recording as a log of `HdrHistogram`.
    HdrLog,
    /// The plan of a sweep. People change it by hand, so even an own one is not replaced.
    Plan,
    /// A manual page.
    ManPage,
    /// A page of the documentation.
    DocPage,
}

/// How tables for spreadsheets begin.
const TABLES: [&str; 7] = [
    "sweep,point,repeat,label,",
    "FILE,SESSIONS,ELAPSED,",
    "in_flight,throughput_per_s,response_s,standard_error",
    "arrival_rate_per_s,response_s,standard_error",
    // As they were called once.
    "in_flight,throughput_per_s,response_s,doubt",
    "arrival_rate_per_s,response_s,doubt",
    "cache_bytes,cache_blocks,miss_ratio,",
];

/// Bytes that tell what most files are.
const HEAD: u64 = 64 << 10;

impl Kind {
    /// The form, of these, that the ending of a name says.
    pub fn of_ending(path: &Path, forms: &[Kind]) -> Result<Kind, Failure> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let named = forms.iter().find(|form| form.endings().contains(&ending.as_str()));
        named.copied().ok_or_else(|| {
            let endings: Vec<String> = forms
                .iter()
                .filter_map(|form| form.endings().first())
                .map(|end| format!(".{end}"))
                .collect();
            let (last, others) = endings
                .split_last()
                .map_or(("", [].as_slice()), |(last, others)| (last.as_str(), others));
            Failure::usage(format!(
                "{}: the name has no known ending: end it in {} or {last}",
                path.display(),
                others.join(", ")
            ))
        })
    }

    /// How names of such files end, the usual ending first.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Kind::Page => &["html", "htm"],
            Kind::Markdown => &["md", "markdown"],
            Kind::JUnit => &["xml"],
            Kind::Json => &["json"],
            Kind::Svg => &["svg"],
            Kind::Png => &["png"],
            Kind::Table => &["csv"],
            _ => &[],
        }
    }

    /// What may be in it.
    pub fn form(self) -> OutputForm {
        match self {
            Kind::Page | Kind::Markdown | Kind::JUnit | Kind::Svg | Kind::Text => OutputForm::Text,
            Kind::Json | Kind::ExportJsonl => OutputForm::Json,
            Kind::Plan | Kind::ManPage | Kind::DocPage => OutputForm::Lines,
            Kind::Png | Kind::Table | Kind::ExportCsv | Kind::PyLatencyMap | Kind::HdrLog => {
                OutputForm::Exact
            }
        }
    }

    /// Whether isotherm made this file in this form. Whole files are read in blocks: they may be larger than
    /// memory.
    pub fn made(self, path: &Path) -> bool {
        let Ok(file) = File::open(path) else { return false };
        if self == Kind::Json {
            return is_own_json(BufReader::new(file));
        }
        let (mut head, mut file) = (Vec::new(), file);
        let begins = (&mut file).take(HEAD).read_to_end(&mut head);
        begins.is_ok()
            && self.is_begun_by(&head)
            && self.mark().is_none_or(|mark| contains(&head, mark) || holds(file, &head, mark))
    }

    /// Whether a file of this form may begin like this.
    fn is_begun_by(self, content: &[u8]) -> bool {
        let begins = |head: &str| content.starts_with(head.as_bytes());
        match self {
            Kind::Page => begins("<!doctype html>"),
            Kind::Markdown => begins("<!-- isotherm report -->"),
            Kind::JUnit => begins("<?xml") && contains(content, b"<testsuites name=\"isotherm "),
            Kind::Svg => begins("<svg") || begins("<?xml"),
            Kind::Png => content.starts_with(b"\x89PNG"),
            Kind::Table => TABLES.iter().any(|head| begins(head)),
            Kind::ExportCsv => import::is_csv(content),
            Kind::ExportJsonl => import::is_jsonl(content),
            Kind::HdrLog => contains(content, b"#[Written by isotherm]"),
            Kind::ManPage => contains(content, b".TH isotherm"),
            Kind::DocPage => begins("# "),
            Kind::Json | Kind::Text | Kind::PyLatencyMap | Kind::Plan => false,
        }
    }

    /// What stands somewhere in each file of this form that isotherm wrote.
    fn mark(self) -> Option<&'static [u8]> {
        match self {
            Kind::Page => Some(b"id=\"isotherm-data\">"),
            Kind::Svg => Some(b"<metadata id=\"isotherm\">"),
            Kind::Png => Some(b"iTXtisotherm\0"),
            _ => None,
        }
    }

    /// What a file is that is not of this form, or not certainly.
    pub fn foreign(self) -> &'static str {
        match self {
            Kind::Page | Kind::Markdown | Kind::Svg | Kind::Png => {
                "no report of isotherm in this form"
            }
            Kind::JUnit => "no test results of isotherm",
            Kind::Json => "no JSON of isotherm",
            Kind::Table => "no table of isotherm for spreadsheets",
            Kind::ExportCsv | Kind::ExportJsonl | Kind::HdrLog => {
                "no export of isotherm in this form"
            }
            Kind::Text | Kind::PyLatencyMap => "a file that isotherm may not have written",
            Kind::Plan => "a file that is there already, perhaps changed by hand,",
            Kind::ManPage => "no manual page of isotherm",
            Kind::DocPage => "no page of isotherm's documentation",
        }
    }

    /// Whether the commands that write it have `--force`.
    pub fn has_force(self) -> bool {
        !matches!(self, Kind::ManPage | Kind::DocPage)
    }
}

fn contains(content: &[u8], part: &[u8]) -> bool {
    content.windows(part.len()).any(|window| window == part)
}

/// Whether what follows after `before` holds this text, which may begin in it.
fn holds(mut rest: impl Read, before: &[u8], text: &[u8]) -> bool {
    let tail = |of: &[u8]| of[of.len().saturating_sub(text.len())..].to_vec();
    let mut block = tail(before);
    loop {
        let read = (&mut rest).take(HEAD).read_to_end(&mut block);
        if contains(&block, text) {
            return true;
        }
        if !read.is_ok_and(|read| read > 0) {
            return false;
        }
        block = tail(&block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_wherever_blocks_end() {
        let mark = b"id=\"isotherm-data\">";
        let size = usize::try_from(HEAD).unwrap();
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("page.html");
        for at in [20, size - 7, size - 1, size, 2 * size - 3, 3 * size + 11] {
            let mut content = b"<!doctype html>".to_vec();
            content.resize(at, b' ');
            content.extend_from_slice(mark);
            content.extend_from_slice(b" and more");
            std::fs::write(&path, &content).unwrap();
            assert!(Kind::Page.made(&path), "{at}");
            assert!(!Kind::Svg.made(&path) && !Kind::Json.made(&path));
            content[at + 3] = b'x';
            std::fs::write(&path, &content).unwrap();
            assert!(!Kind::Page.made(&path), "{at}");
        }
    }
}
