//! The part of the page that needs no script: sentences, numbers, tables, where it came from.

use std::fmt::Write as _;

use isotherm_analysis::ShortNames;
use isotherm_frame::{Detail, narrow_percent, shown_name};

use crate::input::ReportInput;
use crate::markup::escaped;
use crate::report::{Entry, Kind, Report};
use crate::sections;
use isotherm_views::generator;
use isotherm_views::headline::quantile_name;
use isotherm_views::numbers::{self, grouped, rate, seconds, waited};
use isotherm_views::ranges::{Digits, mean, range};

/// What those without scripts are told about the maps.
const NO_SCRIPTS: &str = "<noscript><p>The maps need scripts, which this browser does not run; \
                          these numbers do not.</p></noscript>\n";

/// The whole content; the entries `drawn` have maps, and `flame` is the markup of a flame graph.
pub(super) fn content(report: &Report, drawn: &[usize], flame: &str) -> String {
    let mut page = String::new();
    if !report.entries.is_empty() {
        page.push_str(NO_SCRIPTS);
    }
    compared(report, &mut page);
    sections::html(&report.sections, flame, &mut page);
    head(report, &mut page);
    entries(report, drawn, &mut page);
    marks(report, &mut page);
    provenance(report, &mut page);
    page
}

fn compared(report: &Report, page: &mut String) {
    let Some(compared) = &report.compare else { return };
    page.push_str("<section class=\"compared\">\n<h2>A against B</h2>\n<ul class=\"sentences\">\n");
    for sentence in &compared.sentences {
        let _ = writeln!(page, "<li>{}</li>", escaped(sentence));
    }
    page.push_str("</ul>\n<table>\n");
    for cells in &compared.table {
        let (label, rest) = cells.split_first().map_or(("", &cells[..]), |(a, b)| (a.as_str(), b));
        row(page, "", label, rest);
    }
    page.push_str("</table>\n</section>\n");
}

fn head(report: &Report, page: &mut String) {
    let Some(first) = report.entries.first() else { return };
    page.push_str("<section class=\"verdict\">\n");
    for given in report.given.iter().take(4) {
        let _ = writeln!(page, "<p class=\"span\">{}</p>", escaped(&when(given)));
    }
    page.push_str("<ul class=\"sentences\">\n");
    for sentence in sentences(report) {
        let _ = writeln!(page, "<li>{}</li>", escaped(&sentence));
    }
    page.push_str("</ul>\n<dl class=\"kpis\">\n");
    for (name, value) in kpis(first) {
        let _ =
            writeln!(page, "<div><dt>{}</dt><dd>{}</dd></div>", escaped(&name), escaped(&value));
    }
    page.push_str("</dl>\n</section>\n");
}

/// What is worth saying first. Of several recordings it is less of each, with its name; of many it is
/// that of those in which the most time was waited.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    /// The most recordings that are spoken of, and the most sentences of one of several.
    const MOST: (usize, usize) = (6, 3);
    let whole = |index: usize| report.entries.iter().find(|entry| entry.recording == index);
    let mut wholes: Vec<&Entry> = (0..report.given.len()).filter_map(whole).collect();
    if let [only] = wholes[..] {
        return only.sentences.clone();
    }
    wholes.sort_by(|one, two| two.waited.seconds.total_cmp(&one.waited.seconds));
    let others = wholes.len().saturating_sub(MOST.0);
    wholes.truncate(MOST.0);
    let each = (MOST.0 / wholes.len().max(1)).min(MOST.1);
    let named = |entry: &Entry| {
        let label = &report.given[entry.recording].label;
        let sentences = entry.sentences.iter().take(each);
        sentences.map(|sentence| format!("{label}: {sentence}")).collect::<Vec<String>>()
    };
    let more = match others {
        0 => None,
        1 => Some("In one more recording less time was waited.".to_owned()),
        others => Some(format!("In {others} more recordings less time was waited.")),
    };
    wholes.into_iter().flat_map(named).chain(more).collect()
}

/// From when to when, and of what.
pub(super) fn when(given: &ReportInput) -> String {
    let between = given.input.span.map(|(start, end)| given.moments().between(start, end));
    let parts = [Some(given.label.clone()), given.host.clone(), between];
    parts.into_iter().flatten().collect::<Vec<String>>().join(" · ")
}

/// The numbers of an entry that are shown largest.
pub(super) fn kpis(entry: &Entry) -> Vec<(String, String)> {
    let about = if entry.waited.exact { "" } else { "≈" };
    let rates = [
        ("events/s".to_owned(), rate_of(entry)),
        (
            "average waiting".to_owned(),
            format!("{about}{}", seconds(entry.waited.seconds / entry.covered_s)),
        ),
    ];
    let totals = [
        ("events".to_owned(), grouped(entry.events())),
        ("waited".to_owned(), format!("{about}{}", numbers::waited(entry.waited.seconds))),
    ];
    let mut kpis = vec![("mean".to_owned(), mean(entry.latencies.mean_ns(), entry.waited.exact))];
    kpis.extend(quantiles(entry));
    // Totals that were read once were counted in a time that nobody knows.
    let first = if entry.has_length { rates } else { totals };
    first.into_iter().chain(kpis).collect()
}

/// The quantiles of an entry with their names; none of averages.
pub(super) fn quantiles(entry: &Entry) -> impl Iterator<Item = (String, String)> + '_ {
    let found = entry.quantiles.iter();
    found.map(|(found, _)| (quantile_name(found.q), range(found.bucket, Digits::Three)))
}

/// The quantiles of an entry as cells of a table: of averages each is `-`.
pub(super) fn quantile_cells(entry: &Entry) -> Vec<String> {
    match entry.latencies.detail() {
        Detail::Distribution => quantiles(entry).map(|(_, value)| value).collect(),
        Detail::Averages => vec!["-".to_owned(); 5],
    }
}

fn entries(report: &Report, drawn: &[usize], page: &mut String) {
    if report.entries.is_empty() && report.not_drawn.is_empty() {
        return;
    }
    page.push_str("<section class=\"entries\">\n<h2>Series</h2>\n<table>\n<thead><tr>");
    let mut heads = vec!["events", "waited", "% of all time waited", "mean"];
    heads.extend(["p50", "p90", "p99", "p99.9", "max"]);
    let _ = write!(page, "<th scope=\"col\">{}</th>", escaped(&series_heading(report)));
    for name in heads {
        let _ = write!(page, "<th scope=\"col\">{name}</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for (index, entry) in report.entries.iter().enumerate() {
        let class = if drawn.contains(&index) { "" } else { " class=\"not-drawn\"" };
        let about = if entry.waited.exact { "" } else { "≈" };
        let mut cells = vec![
            grouped(entry.events()),
            format!("{about}{}", waited(entry.waited.seconds)),
            share_of_all(report, entry.recording, entry.waited.seconds),
            mean(entry.latencies.mean_ns(), entry.waited.exact),
        ];
        cells.extend(quantile_cells(entry));
        titled_row(page, class, (&short_labelled(report, entry), &entry.label), &cells);
    }
    for series in &report.not_drawn {
        let about = if series.waited.exact { "" } else { "≈" };
        let share = share_of_all(report, series.recording, series.waited.seconds);
        let cells =
            [grouped(series.events), format!("{about}{}", waited(series.waited.seconds)), share];
        row(page, " class=\"not-drawn\"", &shown_name(&series.label), &cells);
    }
    page.push_str("</tbody>\n</table>\n</section>\n");
}

/// A time as a share of all time waited in its recording, whose first entry is everything.
pub(super) fn share_of_all(report: &Report, recording: usize, seconds: f64) -> String {
    let all = report.entries.iter().find(|entry| entry.recording == recording);
    match all.map(|all| seconds / all.waited.seconds) {
        Some(share) if share.is_finite() => narrow_percent(share),
        _ => "-".to_owned(),
    }
}

/// The label of an entry, with its recording where there are several.
pub(super) fn labelled(report: &Report, entry: &Entry) -> String {
    let recording = report.given.get(entry.recording).filter(|_| report.given.len() > 1);
    recording
        .map_or_else(|| entry.label.clone(), |given| format!("{}: {}", given.label, entry.label))
}

/// The heading of a list of series: with what their names have in common and leave out, if there is
/// one recording.
pub(super) fn series_heading(report: &Report) -> String {
    let series = report.entries.iter().filter(|entry| entry.kind == Kind::Series);
    let names = series.flat_map(|entry| entry.members.iter().map(|(series, _)| series));
    let common = ShortNames::of(names).common().filter(|_| report.given.len() == 1);
    common.map_or_else(|| "series".to_owned(), |common| format!("series ({common})"))
}

/// The same without what the series of its recording have in common.
pub(super) fn short_labelled(report: &Report, entry: &Entry) -> String {
    let recording = report.given.get(entry.recording).filter(|_| report.given.len() > 1);
    let short = &entry.short_label;
    recording.map_or_else(|| short.clone(), |given| format!("{}: {short}", given.label))
}

fn row(page: &mut String, class: &str, label: &str, cells: &[String]) {
    titled_row(page, class, (label, label), cells);
}

/// A row whose label is short, and says in full what it stands for under the pointer.
fn titled_row(page: &mut String, class: &str, (label, full): (&str, &str), cells: &[String]) {
    let title = if label == full { String::new() } else { format!(" title=\"{}\"", escaped(full)) };
    let _ = write!(page, "<tr{class}><th scope=\"row\"{title}>{}</th>", escaped(label));
    for cell in cells {
        let _ = write!(page, "<td>{}</td>", escaped(cell));
    }
    page.push_str("</tr>\n");
}

fn marks(report: &Report, page: &mut String) {
    if report.given.iter().all(|given| given.marks.is_empty()) {
        return;
    }
    page.push_str("<section class=\"marks\">\n<h2>Marks</h2>\n<ul>\n");
    for given in report.given {
        let moments = given.moments();
        for mark in &given.marks {
            let (at, zone) = (moments.time(mark.at, true), moments.zone());
            let _ = writeln!(
                page,
                "<li><time>{at}{zone}</time> {}</li>",
                escaped(&shown_name(&mark.text))
            );
        }
    }
    page.push_str("</ul>\n</section>\n");
}

fn provenance(report: &Report, page: &mut String) {
    page.push_str("<section class=\"provenance\">\n<h2>Where this comes from</h2>\n");
    for given in report.given {
        let _ = writeln!(page, "<h3>{}</h3>\n<dl>", escaped(&given.label));
        for (name, value) in origin(given) {
            let value = escaped(&value);
            let _ = writeln!(page, "<div><dt>{name}</dt><dd>{value}</dd></div>");
        }
        page.push_str("</dl>\n");
    }
    let _ = writeln!(
        page,
        "<p class=\"generator\">Made by {} with <code>{}</code></p>\n</section>",
        escaped(&generator()),
        escaped(&report.command)
    );
}

/// Events per second; of what does not tell how often events end a dash.
fn rate_of(entry: &Entry) -> String {
    let is_known = entry.counted_s > 0.0;
    if is_known { rate(entry.events() as f64 / entry.counted_s) } else { "-".to_owned() }
}

fn counted(count: u64, (one, several): (&str, &str)) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { several })
}

/// Where a recording comes from, as names and values.
pub(super) fn origin(given: &ReportInput) -> Vec<(&'static str, String)> {
    let input = &given.input;
    let moments = given.moments();
    let file = given.file.as_ref();
    let mut read = vec![counted(input.read.records, ("record", "records"))];
    for (count, what) in [
        (input.read.rejected, ("rejected", "rejected")),
        (input.read.rejected_events, ("event in rejected records", "events in rejected records")),
        (input.lost, ("event lost by the source", "events lost by the source")),
        (input.gaps, ("gap", "gaps")),
        (input.resets, ("counter reset", "counter resets")),
        (input.read.ignored_lines, ("other line", "other lines")),
    ] {
        if count > 0 {
            read.push(counted(count, what));
        }
    }
    let all = [
        ("source", Some(given.source.clone())),
        ("host", given.host.clone()),
        ("time", input.span.map(|(start, end)| moments.between(start, end))),
        ("clock", Some(input.read.clock.to_string())),
        ("read", Some(read.join(", "))),
        ("events", Some(grouped(input.events))),
        ("left out", input.idle_left_out()),
        ("windows", input.windows_line()),
        (
            "assumed",
            (!input.read.assumptions.is_empty()).then(|| input.read.assumptions.join("; ")),
        ),
        ("recorded by", given.command.clone()),
        ("recorded with", given.isotherm_version.as_ref().map(|v| format!("isotherm {v}"))),
        ("size", file.map(|file| format!("{} bytes", grouped(file.bytes)))),
        ("sha256", file.map(|file| file.sha256.clone())),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
