//! The page: one HTML file with everything inside it, that asks for nothing from anywhere.

use std::io::Write;

use crate::error::ReportError;
use crate::flame::{FLAME_PART, FLAME_STYLE, FlameGraph, flame_part};
use crate::report::Report;
use crate::shell::Shell;
use crate::{fit, markup, site};

/// The page without its content.
pub(crate) const PAGE: &str = include_str!("../assets/page.html");
/// How it looks.
pub(crate) const STYLE: &str = include_str!("../assets/style.css");
/// What every page with maps does: by name, all inside one function; the script that starts a page follows.
pub(crate) const SCRIPTS: [&str; 24] = [
    include_str!("../assets/announce.js"),
    include_str!("../assets/axes.js"),
    include_str!("../assets/colour.js"),
    include_str!("../assets/compare-bars.js"),
    include_str!("../assets/compare.js"),
    include_str!("../assets/decode.js"),
    include_str!("../assets/distinguishing.js"),
    include_str!("../assets/element.js"),
    include_str!("../assets/estimate.js"),
    include_str!("../assets/format.js"),
    include_str!("../assets/header.js"),
    include_str!("../assets/histograms.js"),
    include_str!("../assets/input.js"),
    include_str!("../assets/main.js"),
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
];

/// The script that starts the page of a report.
const START: &str = include_str!("../assets/start.js");

/// Writes the report as one HTML page of at most `most` bytes.
pub fn html(report: &Report, most: u64, out: &mut dyn Write) -> Result<(), ReportError> {
    html_with_flame(report, None, most, out)
}

/// The same with a flame graph behind its sections.
pub fn html_with_flame(
    report: &Report,
    flame: Option<&FlameGraph<'_>>,
    most: u64,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let (styles, scripts) = match flame {
        None => (vec![STYLE], SCRIPTS.to_vec()),
        Some(_) => (vec![STYLE, FLAME_STYLE], [FLAME_PART.as_slice(), &SCRIPTS].concat()),
    };
    let shell = Shell::new(PAGE, &styles, &[scripts, vec![START]].concat())?;
    let flame = flame.map_or_else(|| Ok(String::new()), flame_part)?;
    let all: Vec<usize> = (0..report.entries.len()).collect();
    let empty = assembled(report, &shell, ("", &flame), &all).len();
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    // What entries are not drawn takes a few more words.
    let room = |size: usize| size.saturating_sub(empty + 32 * all.len());
    let (data, drawn) = fit::fitted(report, room(fit::AIM), room(most))?;
    out.write_all(assembled(report, &shell, (&data, &flame), &drawn).as_bytes())?;
    Ok(())
}

/// Writes a report without recordings, with markup of its own behind its sections, and its style.
pub(crate) fn html_with_part(
    report: &Report,
    style: &str,
    part: &str,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let shell = Shell::new(PAGE, &[STYLE, style], &[SCRIPTS.as_slice(), &[START]].concat())?;
    let most = usize::MAX;
    let (data, drawn) = fit::fitted(report, most, most)?;
    out.write_all(assembled(report, &shell, (&data, part), &drawn).as_bytes())?;
    Ok(())
}

/// The page of a report in which these entries are drawn, of its data and its flame graph.
fn assembled(
    report: &Report,
    shell: &Shell,
    (data, flame): (&str, &str),
    drawn: &[usize],
) -> String {
    shell.filled(&markup::escaped(&report.title), &site::content(report, drawn, flame), data)
}
