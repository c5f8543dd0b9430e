//! The documents of a report that grows: all of it, what is new, and what there is to say.

use std::collections::BTreeMap;

use isotherm_analysis::{History, side_by_side};
use isotherm_frame::{Histogram, Scheme, Series};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::document::{make_visible, whole};
use crate::entry::{Choice, EVERYTHING};
use crate::error::ReportError;
use crate::facet::{MOST_BYTES, MOST_TILES};
use crate::header;
use crate::input::ReportInput;
use crate::json::{NotDrawnJson, NumbersJson, RecordingJson};
use crate::live_grid::LiveWindow;
use crate::packed::{Body, Packed};
use crate::report::{Entry, Kind, Report};

/// What a document holds of a report.
#[derive(Copy, Clone, Debug, Default)]
pub struct LiveChoice<'a> {
    /// The ids of the entries that are drawn; all without any.
    pub entries: &'a [String],
    /// Whether the values of attributes are counted, for what differs in a selection.
    pub facets: bool,
}

/// One of the entries that a growing recording has: of all its series, of a name, of one series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveEntry {
    /// What it is called in requests: the same for as long as the program runs.
    pub id: String,
    recording: usize,
    kind: Kind,
    label: String,
    members: Vec<Series>,
}

impl LiveEntry {
    /// The entries of everything that was ever seen of a recording.
    pub fn of(history: &History, recording: usize) -> Vec<LiveEntry> {
        let mut names: BTreeMap<Series, Vec<Series>> = BTreeMap::new();
        for series in history.series() {
            names.entry(series.kind()).or_default().push(series.clone());
        }
        let new = |kind, label: String, members| {
            let id = id(recording, kind, &label);
            LiveEntry { id, recording, kind, label, members }
        };
        let mut entries = Vec::new();
        if names.len() > 1 {
            let all = history.series().cloned().collect();
            entries.push(new(Kind::All, EVERYTHING.to_owned(), all));
        }
        for (name, members) in names {
            if members.len() > 1 {
                entries.push(new(Kind::Name, name.full(), members.clone()));
            }
            let alone = |series: Series| new(Kind::Series, series.full(), vec![series]);
            entries.extend(members.into_iter().map(alone));
        }
        entries
    }

    /// What is known of it within a window; `None` if that is nothing.
    fn within(&self, given: &ReportInput, window: LiveWindow) -> Option<Entry> {
        let (from, to) = window.span();
        let mut members = Vec::new();
        let mut each: Vec<Histogram> = Vec::new();
        for series in &self.members {
            let mut frames = given.history.each(series, from, to).peekable();
            if frames.peek().is_none() {
                continue;
            }
            let known = frames.filter(|frame| !frame.is_gap()).map(|frame| frame.counts);
            let own = known.reduce(|mut total, more| {
                total.add(&more);
                total
            });
            members.push((series.clone(), own.as_ref().map_or(0, Histogram::events)));
            each.extend(own);
        }
        let latencies =
            Histogram::merged(&each).unwrap_or_else(|| Histogram::empty(Scheme::log_linear()));
        let choice =
            Choice { kind: self.kind, label: self.label.clone(), members, latencies, part: false };
        let entry = Entry::without_findings(self.recording, &choice, window.axis());
        (!choice.members.is_empty()).then_some(entry)
    }
}

impl Entry {
    /// What it is called in requests for documents of a report that grows.
    pub fn id(&self) -> String {
        id(self.recording, self.kind, &self.full_label)
    }
}

/// A short name for an entry: names of series may be of any length and have any signs in them.
fn id(recording: usize, kind: Kind, label: &str) -> String {
    let digest = Sha256::digest(format!("{recording} {} {label}", kind.word()));
    digest.iter().take(8).fold(format!("{recording}-"), |text, byte| format!("{text}{byte:02x}"))
}

/// A report as the bytes of a document, not compressed. Entries lie in the window of their recording;
/// of a recording without one nothing is drawn. `live` becomes a part of the header.
pub fn live_document(
    mut report: Report<'_>,
    windows: &[Option<LiveWindow>],
    choice: &LiveChoice,
    live: Value,
) -> Result<Vec<u8>, ReportError> {
    let window = |entry: &Entry| windows.get(entry.recording).copied().flatten();
    for entry in &mut report.entries {
        entry.axis = window(entry).map_or(entry.axis, LiveWindow::axis);
    }
    let is_drawn =
        |entry: &Entry| choice.entries.is_empty() || choice.entries.contains(&entry.id());
    let drawn = report.entries.iter().enumerate().filter(|(_, entry)| is_drawn(entry));
    let drawn: Vec<(usize, LiveWindow)> =
        drawn.filter_map(|(index, entry)| Some((index, window(entry)?))).collect();
    let tiles = if choice.facets { MOST_TILES } else { 0 };
    let packed = side_by_side(&drawn, |&(index, window)| {
        let entry = &report.entries[index];
        let given = &report.given[entry.recording];
        Packed::of(given, entry, window.grid().factor(), (tiles, MOST_BYTES))
    });
    let packed: Vec<(usize, &Packed)> =
        drawn.iter().map(|(index, _)| *index).zip(&packed).collect();
    let mut body = Body::default();
    let mut head = header::header(&report, &packed, &mut body);
    for (value, (index, _)) in entries_of(&mut head).iter_mut().zip(&packed) {
        value["id"] = json!(report.entries[*index].id());
    }
    head["live"] = live;
    whole(head, &body)
}

/// The columns of some entries within the windows of their recordings, as the bytes of a document,
/// not compressed: entries of which nothing is known there are left out.
pub fn live_columns(
    given: &[ReportInput<'_>],
    entries: &[LiveEntry],
    windows: &[Option<LiveWindow>],
    live: &Value,
) -> Result<Vec<u8>, ReportError> {
    let mut body = Body::default();
    let mut values = Vec::new();
    for entry in entries {
        let window = windows.get(entry.recording).copied().flatten();
        let Some((input, window)) = given.get(entry.recording).zip(window) else { continue };
        let Some(known) = entry.within(input, window) else { continue };
        let packed = Packed::of(input, &known, window.grid().factor(), (0, 0));
        let mut value = header::entry(&known, &packed, &mut body);
        value["id"] = json!(entry.id);
        values.push(value);
    }
    let head = json!({ "format": header::FORMAT, "live": live, "entries": values });
    whole(head, &body)
}

/// What there is to say about a report: its recordings, and the numbers and sentences of its entries.
pub fn live_summary(report: &Report) -> Value {
    let entries = report.entries.iter().map(|entry| {
        let mut value = json!(NumbersJson::new(entry, &entry.label));
        value["id"] = json!(entry.id());
        value
    });
    let mut summary = json!({
        "recordings": report.given.iter().map(RecordingJson::from).collect::<Vec<_>>(),
        "entries": entries.collect::<Vec<_>>(),
        "not_drawn": report.not_drawn.iter().map(NotDrawnJson::from).collect::<Vec<_>>(),
    });
    make_visible(&mut summary);
    summary
}

fn entries_of(head: &mut Value) -> &mut [Value] {
    head.get_mut("entries").and_then(Value::as_array_mut).map_or(&mut [], Vec::as_mut_slice)
}
