//! What isotherm writes to files, and how it knows its own.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use isotherm_recording::import;
use isotherm_views::OutputForm;
use serde_json::Value;

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
const TABLES: [&str; 5] = [
    "sweep,point,repeat,label,",
    "FILE,SESSIONS,ELAPSED,",
    "in_flight,throughput_per_s,response_s,doubt",
    "arrival_rate_per_s,response_s,doubt",
    "cache_bytes,cache_blocks,miss_ratio,",
];

/// Bytes that tell what most files are.
const HEAD: u64 = 64 << 10;
/// Bytes of a report that are looked at: more than any has.
const WHOLE: u64 = 1 << 30;

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

    /// Whether isotherm made this file in this form.
    pub fn made(self, path: &Path) -> bool {
        let most = match self {
            Kind::Page | Kind::Png | Kind::Json | Kind::Svg => WHOLE,
            _ => HEAD,
        };
        let mut content = Vec::new();
        let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut content));
        read.is_ok() && self.is_in(&content)
    }

    /// Whether these bytes are of this form and isotherm's.
    pub fn is_in(self, content: &[u8]) -> bool {
        let begins = |head: &str| content.starts_with(head.as_bytes());
        match self {
            Kind::Page => begins("<!doctype html>") && contains(content, b"id=\"isotherm-data\">"),
            Kind::Markdown => begins("<!-- isotherm report -->"),
            Kind::JUnit => begins("<?xml") && contains(content, b"<testsuites name=\"isotherm "),
            Kind::Json => is_own_json(content),
            Kind::Svg => {
                let is_image = begins("<svg") || begins("<?xml");
                is_image && contains(content, b"<metadata id=\"isotherm\">")
            }
            Kind::Png => content.starts_with(b"\x89PNG") && contains(content, b"iTXtisotherm\0"),
            Kind::Table => TABLES.iter().any(|head| begins(head)),
            Kind::ExportCsv => import::is_csv(content),
            Kind::ExportJsonl => import::is_jsonl(content),
            Kind::HdrLog => contains(content, b"#[Written by isotherm]"),
            Kind::ManPage => contains(content, b".TH isotherm"),
            Kind::DocPage => begins("# "),
            Kind::Text | Kind::PyLatencyMap | Kind::Plan => false,
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

/// An object that names isotherm as its maker, or the summary of a load.
fn is_own_json(content: &[u8]) -> bool {
    let Ok(Value::Object(object)) = serde_json::from_slice(content) else { return false };
    let maker = object.get("generator").and_then(Value::as_str).unwrap_or_default();
    let is_load = ["schema_version", "run", "summary"].iter().all(|key| object.contains_key(*key));
    maker.starts_with("isotherm") || is_load
}
