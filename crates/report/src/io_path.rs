//! The path of each I/O as a page: sections of words, and a drawing of one line for each step.

use std::fmt::Write as _;
use std::io::Write;

use isotherm_frame::PathLevel;
use isotherm_views::{PathTimeline, TimelineLine, timeline_lines, timeline_sections};

use crate::error::ReportError;
use crate::input::ReportOptions;
use crate::markup::escaped;
use crate::page::html_with_part;
use crate::report::Report;

const STYLE: &str = include_str!("../assets/timeline.css");

/// The most lines that are drawn: a page of 2 MB.
const MOST_LINES: usize = 4_000;
/// The size of a line, in pixels, and where its parts begin.
const LINE: usize = 20;
const WIDTH: usize = 1_400;
const TIMES: usize = 200;
const BARS: usize = 850;
/// Letters of a label that fit beside its bar.
const LABEL: usize = 90;
/// How far a step stands to the right of the one it is in, and the most steps that stand so.
const INDENT: usize = 14;
const DEEPEST: u32 = 12;

/// Writes a timeline as one HTML page.
/// Fails with what is wrong: what `out` gives.
pub fn timeline_html(
    timeline: &PathTimeline,
    title: &str,
    command: &str,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let options = ReportOptions {
        title: Some(title.to_owned()),
        command: command.to_owned(),
        compare: None,
        sections: timeline_sections(timeline),
    };
    let report = Report::of(&[], &options)?;
    html_with_part(&report, STYLE, &drawing(timeline), out)
}

/// All lines with their bars.
fn drawing(timeline: &PathTimeline) -> String {
    let lines = timeline_lines(timeline, MOST_LINES);
    let mut page = String::from(
        "<section class=\"part\">\n<h2>On a time axis</h2>\n<ul class=\"sentences\">\n",
    );
    page.push_str(
        "<li>Start and duration of each step, and its bar: each outermost step has an axis of its own. A \
         hollow bar is time in the queue. Point at a line for all that is known of it.</li>\n",
    );
    let more = timeline.path.steps.len().saturating_sub(lines.len());
    if more > 0 {
        let _ = writeln!(page, "<li>{more} more steps are not drawn: choose a shorter time.</li>");
    }
    page.push_str("</ul>\n");
    let height = (lines.len() * LINE + 4).max(LINE);
    let _ = writeln!(
        page,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Steps on a time axis\">\
         <svg class=\"timeline\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         role=\"img\" aria-label=\"One line for each step\">"
    );
    for (at, line) in lines.iter().enumerate() {
        one(at, line, &mut page);
    }
    page.push_str("</svg></div>\n</section>\n");
    page
}

fn one(at: usize, line: &TimelineLine, page: &mut String) {
    let top = at * LINE;
    let base = top + LINE - 6;
    let indent = TIMES + INDENT * line.depth.min(DEEPEST) as usize;
    let room = LABEL.saturating_sub(2 * line.depth.min(DEEPEST) as usize);
    let mut label: String = line.label.chars().take(room).collect();
    if line.label.chars().count() > room {
        label.push('…');
    }
    let class = class(line.level);
    let _ = write!(page, "<g class=\"{class}\"><title>{}</title>", escaped(&line.details));
    if line.depth == 0 && at > 0 {
        let _ = write!(
            page,
            "<line class=\"rule\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{top}\" y2=\"{top}\"/>"
        );
    }
    let _ = write!(
        page,
        "<rect class=\"back\" x=\"0\" y=\"{top}\" width=\"{WIDTH}\" height=\"{LINE}\"/>\
         <text class=\"times\" x=\"{}\" y=\"{base}\">{}</text>\
         <text x=\"{indent}\" y=\"{base}\">{}</text>",
        TIMES - 12,
        escaped(&line.times),
        escaped(&label)
    );
    let room = (WIDTH - BARS - 4) as f64;
    let place = |part: f64| BARS as f64 + part * room;
    let (asked, start, end) = (place(line.bar.asked), place(line.bar.start), place(line.bar.end));
    if start - asked > 0.5 {
        let width = start - asked;
        let _ = write!(
            page,
            "<rect class=\"queued\" x=\"{asked:.1}\" y=\"{}\" width=\"{width:.1}\" height=\"10\"/>",
            top + 5
        );
    }
    let _ = writeln!(
        page,
        "<rect class=\"bar\" x=\"{start:.1}\" y=\"{}\" width=\"{:.1}\" height=\"10\"/></g>",
        top + 5,
        (end - start).max(1.5)
    );
}

const fn class(level: PathLevel) -> &'static str {
    match level {
        PathLevel::Statement => "statement",
        PathLevel::DatabaseCall => "db-call",
        PathLevel::Wait => "wait",
        PathLevel::SystemCall => "call",
        PathLevel::BlockRequest => "block",
    }
}
