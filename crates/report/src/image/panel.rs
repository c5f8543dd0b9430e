//! One picture on the sheet: its numbers, what is said about it, and both maps.

use isotherm_analysis::{Column, ColumnState, Picture, counted_s};
use isotherm_frame::{Detail, Nanos, whole_percent_of};

use isotherm_views::MapKind;
use isotherm_views::cells::{row_sums, unplaced_note};
use isotherm_views::headline::{AVERAGES_ONLY, quantile_name, waited};
use isotherm_views::numbers::{self, grouped, seconds};
use isotherm_views::ranges::{Digits, mean, range};
use isotherm_views::times::{TimeFormat, span};

use super::geometry::{Anchor, Area, Curve, Dash, Face, Heat, Item, Words, pixels, rounded};
use super::layout::{LEFT, Layout, MARGIN, NAMES, columns_in, profile_width};
use super::legend;
use super::marks;
use super::tones::Tone;
use super::{Panel, axes, curves, histograms};

/// The space between two numbers of the headline.
const BETWEEN: i32 = 22;

/// Lays out one panel.
pub(super) fn lay(sheet: &mut Layout, index: usize, panel: &Panel) {
    let picture = panel.picture;
    let zero = picture.columns.first().map(|column| column.start).unwrap_or_default();
    let moments = TimeFormat::new(panel.clock, zero);
    if let Some(label) = &panel.label {
        sheet.paragraph(label, Face::Heading, Tone::Ink);
    }
    if let Some(when) = when(picture, &moments) {
        sheet.paragraph(&when, Face::Plain, Tone::Faint);
    }
    sheet.skip(6);
    figures(sheet, picture);
    for sentence in &panel.sentences {
        sheet.paragraph(sentence, Face::Plain, Tone::Ink);
    }
    if picture.rows.is_empty() {
        return sheet.paragraph("no events in this time", Face::Heading, Tone::Faint);
    }
    if picture.is_single_interval() {
        histograms::lay(sheet, panel);
        return notes(sheet, picture, &moments);
    }
    let heights = axes::heights(&picture.rows);
    map(sheet, (picture, index), MapKind::Frequency, (&heights, &moments));
    map(sheet, (picture, index), MapKind::Intensity, (&heights, &moments));
    notes(sheet, picture, &moments);
}

/// The span of time, and the length of a column.
fn when(picture: &Picture, moments: &TimeFormat) -> Option<String> {
    let (first, last) = (picture.columns.first()?, picture.columns.last()?);
    if !picture.has_length {
        return Some("totals".to_owned());
    }
    if picture.is_single_interval() {
        return Some(moments.between(first.start, last.end));
    }
    let column = span(first.end.since(first.start));
    Some(format!("{} · {column} a column", moments.between(first.start, last.end)))
}

/// The numbers to be seen first: what each is, and how much.
pub(super) fn numbers(picture: &Picture) -> Vec<(String, String)> {
    let covered: f64 = picture.columns.iter().map(|column| column.covered_s).sum();
    let per = |value: f64, length: f64| if length > 0.0 { value / length } else { 0.0 };
    let events = picture.total.events();
    let (head, waited) = (&picture.headline, waited(picture));
    let about = if head.exact { "" } else { "≈" };
    let pair = |name: &str, value: String| (name.to_owned(), value);
    let counted = counted_s(&picture.columns);
    let is_known = counted > 0.0 || events == 0;
    let rate = if is_known {
        isotherm_views::numbers::rate(per(events as f64, counted))
    } else {
        "-".to_owned()
    };
    let rate = pair("events/s", rate);
    let waiting = pair("average waiting", format!("{about}{}", seconds(per(waited, covered))));
    let mut numbers = vec![
        pair("events", grouped(events)),
        pair("waited", format!("{about}{}", numbers::waited(waited))),
        pair("mean", mean(head.mean_ns, head.exact)),
    ];
    if picture.has_length {
        numbers.insert(1, rate);
        numbers.insert(3, waiting);
    }
    numbers.extend(
        head.quantiles
            .iter()
            .map(|quantile| (quantile_name(quantile.q), range(quantile.bucket, Digits::Three))),
    );
    if picture.detail() == Detail::Averages {
        numbers.push(pair("percentiles", "- (averages only)".to_owned()));
    }
    if picture.outside > 0 {
        numbers.push(pair("outside this picture", grouped(picture.outside)));
    }
    numbers
}

fn figures(sheet: &mut Layout, picture: &Picture) {
    let mut x = MARGIN;
    for (name, value) in numbers(picture) {
        let width = Face::Plain.room(&name).max(Face::Figure.room(&value));
        if x > MARGIN && x + width > sheet.width - MARGIN {
            x = MARGIN;
            sheet.skip(38);
        }
        sheet.words((x, sheet.y + 11), Face::Plain, Tone::Faint, name);
        sheet.words((x, sheet.y + 28), Face::Figure, Tone::Ink, value);
        x += width + BETWEEN;
    }
    sheet.skip(44);
}

/// One of the two maps, with everything around it.
fn map(
    sheet: &mut Layout,
    (picture, panel): (&Picture, usize),
    kind: MapKind,
    (heights, moments): (&[i32], &TimeFormat),
) {
    let width = columns_in(sheet.width.unsigned_abs());
    let mut area = Area { x: LEFT, y: 0, width: pixels(width), height: heights.iter().sum() };
    sheet.skip(8);
    let beside = heading(sheet, picture, kind, area);
    let placed = marks::place(picture, area, sheet.width - MARGIN);
    if kind == MapKind::Frequency {
        sheet.skip(pixels(placed.lanes) * marks::LANE);
    }
    area.y = sheet.y;
    let edges = axes::edges(heights, area.bottom());
    sheet.items.extend(unknown(picture, area));
    sheet.items.push(Item::Heat(Heat { panel, kind, area, edges: edges.clone() }));
    sheet.items.extend(axes::latency(&picture.rows, area, &edges));
    sheet.items.extend(axes::time(picture, moments, area));
    sheet.items.extend(curves::curves(picture, area, &edges));
    if kind == MapKind::Intensity {
        sheet.items.extend(unplaced(picture, area, &edges));
    }
    sheet.items.extend(marks::lines(picture, area));
    if kind == MapKind::Frequency {
        sheet.items.extend(placed.items(area));
    }
    profile(sheet, picture, kind, (area, &edges, beside));
    sheet.skip(area.height + 24);
}

/// The name of a map and its legend, beside each other or one below the other. Gives the line on
/// which the name of the profile stands.
fn heading(sheet: &mut Layout, picture: &Picture, kind: MapKind, area: Area) -> i32 {
    let (map, name) = match kind {
        MapKind::Frequency => (&picture.frequency, "Frequency: events per second"),
        MapKind::Intensity => {
            let exact = picture.headline.exact;
            let name = if exact {
                "Intensity: s waited per second"
            } else {
                "Intensity: ≈ s waited per second"
            };
            (&picture.intensity, name)
        }
    };
    let room = Face::Heading.room(name) + 24;
    let legend = legend::lay(&map.legend, kind, area.right() - MARGIN);
    let is_beside = MARGIN + room + legend.width <= area.right();
    let top = sheet.y;
    sheet.words((MARGIN, top + 13), Face::Heading, Tone::Ink, name.to_owned());
    if !is_beside {
        sheet.skip(20);
    }
    let x = if is_beside { area.right() - legend.width } else { MARGIN };
    sheet.items.extend(legend.items(x, sheet.y));
    sheet.skip(legend::HEIGHT + 6);
    sheet.y - 6
}

/// Columns of which nothing is known, those beside each other as one.
fn unknown(picture: &Picture, area: Area) -> Vec<Item> {
    let columns = &picture.columns;
    let mut items = Vec::new();
    let mut at = 0;
    for run in columns.chunk_by(|one: &Column, two: &Column| one.state == two.state) {
        let x = axes::column_start(area, columns.len(), at);
        at += run.len();
        let width = (axes::column_start(area, columns.len(), at) - x).max(1);
        let stretch = Area { x, width, ..area };
        match run.first().map(|column| column.state) {
            Some(ColumnState::NoData) => items.push(Item::Hatch(stretch)),
            Some(ColumnState::Reset) => items.push(Item::Reset(stretch)),
            Some(ColumnState::Data) | None => {}
        }
    }
    items
}

/// Dots along the cells a part of which was waited before their column.
fn unplaced(picture: &Picture, area: Area, edges: &[i32]) -> Option<Item> {
    let columns = picture.columns.len();
    let mut runs = Vec::new();
    for (row, pair) in edges.windows(2).enumerate() {
        let y = i32::midpoint(pair[0], pair[1]);
        let indices: Vec<usize> = (0..columns).collect();
        let marked = |column: usize| picture.is_unplaced(row, column);
        let marked = indices.chunk_by(|&one, &next| marked(one) == marked(next));
        for run in marked.filter(|run| run.first().is_some_and(|&at| picture.is_unplaced(row, at)))
        {
            let ends = [run[0], run[run.len() - 1] + 1];
            runs.push(ends.map(|at| (axes::column_start(area, columns, at), y)).to_vec());
        }
    }
    (!runs.is_empty()).then_some(Item::Curve(Curve { dash: Dash::Sparse, runs }))
}

/// The share of each row as a bar right of the map.
fn profile(
    sheet: &mut Layout,
    picture: &Picture,
    kind: MapKind,
    (area, edges, name_line): (Area, &[i32], i32),
) {
    let room = profile_width(sheet.width.unsigned_abs());
    // The rows of averages are no distribution.
    if room == 0 || picture.detail() == Detail::Averages {
        return;
    }
    let sums = row_sums(picture, kind);
    let total: f64 = sums.iter().sum();
    let most = sums.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return;
    }
    let left = area.right() + NAMES;
    let name = if kind == MapKind::Frequency { "events" } else { "time" };
    sheet.words((left, name_line), Face::Plain, Tone::Faint, format!("share of {name}"));
    let longest = f64::from(room - 34);
    for (sum, pair) in sums.iter().zip(edges.windows(2)).filter(|(sum, _)| **sum > 0.0) {
        let (low, high) = (pair[0], pair[1]);
        let width = rounded(sum / most * longest).max(1);
        let height = if low - high > 3 { low - high - 1 } else { low - high };
        let bar = Area { x: left, y: high, width, height };
        sheet.items.push(Item::Box { area: bar, tone: Tone::Shade(kind, 5) });
        if sum.total_cmp(&most).is_eq() {
            let text = whole_percent_of(*sum, total);
            let y = i32::midpoint(low, high) + 4;
            sheet.words((left + width + 4, y), Face::Plain, Tone::Faint, text);
        }
    }
}

/// What the signs on the maps stand for, and the marks that found no room.
fn notes(sheet: &mut Layout, picture: &Picture, moments: &TimeFormat) {
    let state = |state| picture.columns.iter().any(|column| column.state == state);
    let width = pixels(columns_in(sheet.width.unsigned_abs()));
    let area = Area { x: LEFT, y: 0, width, height: 0 };
    let mut notes = Vec::new();
    if state(ColumnState::NoData) {
        notes.push("hatched: no data".to_owned());
    }
    if state(ColumnState::Reset) {
        notes.push("dashed upright: counters were reset".to_owned());
    }
    if picture.is_single_interval() && picture.detail() == Detail::Averages {
        notes.push(format!("one bar, at the mean of the events: {AVERAGES_ONLY}"));
    } else if picture.detail() == Detail::Averages {
        notes.push(format!("one cell to a column, at the mean of its events: {AVERAGES_ONLY}"));
    }
    if picture.is_single_interval() {
        notes.extend(unplaced_note(picture));
    } else {
        notes.extend(lines_note(picture, area));
        notes.extend(unplaced_note(picture).map(|note| format!("dots on intensity: {note}")));
    }
    if !picture.headline.exact {
        notes.push("≈ time: from the mid-points of buckets".to_owned());
    }
    sheet.paragraph(&notes.join(" · "), Face::Plain, Tone::Faint);
    let area =
        Area { x: LEFT, y: 0, width: pixels(columns_in(sheet.width.unsigned_abs())), height: 0 };
    for line in marks::place(picture, area, sheet.width - MARGIN).list(picture, moments) {
        sheet.paragraph(&line, Face::Plain, Tone::Ink);
    }
}

/// What the lines over the maps are.
fn lines_note(picture: &Picture, area: Area) -> Option<String> {
    if picture.detail() == Detail::Averages {
        return None;
    }
    let column = picture.columns.first()?;
    let column = column.end.since(column.start).as_nanos();
    let steps = curves::steps(picture, area);
    let length = |steps: usize| span(Nanos::new(column.saturating_mul(steps as u64)));
    let each =
        |(q, steps): &(f64, usize)| format!("{} of each {}", quantile_name(*q), length(*steps));
    let lines: Vec<String> = match steps.as_slice() {
        [first, rest @ ..] if rest.iter().all(|other| other.1 == first.1) => {
            vec![format!("percentiles of each {}", length(first.1))]
        }
        steps => steps.iter().map(each).collect(),
    };
    (!lines.is_empty()).then(|| format!("lines: ≈ {}", lines.join(", ")))
}

impl Layout {
    /// Puts words at a place.
    pub(super) fn words(&mut self, (x, y): (i32, i32), face: Face, tone: Tone, text: String) {
        self.items.push(Item::Words(Words { x, y, anchor: Anchor::Start, face, tone, text }));
    }
}
