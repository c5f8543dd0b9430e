//! The header of the document: everything but the columns, in JSON.

use isotherm_frame::{Nanos, QuantileInterval, Scheme, Timestamp};
use serde_json::{Map, Value, json};

use isotherm_views::{InputAccount, generator};

use crate::input::ReportInput;
use crate::packed::{Body, Packed};
use crate::report::{Entry, Kind, NotDrawn, Report};

/// The version of the document's format.
const FORMAT: u64 = 1;

/// The header; the blocks of the entries go into `body`.
pub(super) fn header(report: &Report, packed: &[(usize, &Packed)], body: &mut Body) -> Value {
    let drawn = packed.iter().map(|(index, packed)| entry(&report.entries[*index], packed, body));
    let entries: Vec<Value> = drawn.collect();
    let is_drawn = |index: usize| packed.iter().any(|(drawn, _)| *drawn == index);
    let rest = report.entries.iter().enumerate().filter(|(index, _)| !is_drawn(*index));
    let rest = rest.map(|(_, entry)| not_drawn_entry(entry));
    let not_drawn: Vec<Value> = rest.chain(report.not_drawn.iter().map(not_drawn)).collect();
    json!({
        "format": FORMAT,
        "generator": generator(),
        "title": report.title,
        "command": report.command,
        "recordings": report.given.iter().map(recording).collect::<Vec<Value>>(),
        "entries": entries,
        "not_drawn": not_drawn,
        "compare": report.compare.as_ref().map(|compare| &compare.value),
    })
}

/// Where a recording comes from and what was read of it.
pub(super) fn recording(given: &ReportInput) -> Value {
    let (start, end) = given.input.span.unzip();
    let marks: Vec<Value> = given
        .marks
        .iter()
        .map(|mark| json!({ "at_us": micros(mark.at), "text": mark.text }))
        .collect();
    json!({
        "label": given.label,
        "source": given.source,
        "host": given.host,
        "clock": given.input.clock.to_string(),
        "start_us": start.map(micros),
        "end_us": end.map(micros),
        "command": given.command,
        "isotherm_version": given.isotherm_version,
        "sha256": given.file.as_ref().map(|file| &file.sha256),
        "bytes": given.file.as_ref().map(|file| file.bytes),
        "input": input(&given.input),
        "idle_left_out": given.input.idle_json(),
        "left_out": given.input.idle_left_out(),
        "windows": given.input.windows_json(),
        "windows_told": given.input.windows_line(),
        "assumed": given.input.assumed,
        "marks": marks,
    })
}

fn input(input: &InputAccount) -> Value {
    json!({
        "records": input.records,
        "rejected": input.rejected,
        "rejected_events": input.rejected_events,
        "resets": input.resets,
        "gaps": input.gaps,
        "events": input.events,
        "lost": input.lost,
        "ignored_lines": input.ignored_lines,
    })
}

fn entry(entry: &Entry, packed: &Packed, body: &mut Body) -> Value {
    let mut value = numbers(entry);
    let blocks = &packed.blocks;
    let mut block = |bytes: &Vec<u8>| {
        let (offset, length) = body.push(bytes);
        json!([offset, length])
    };
    let width = Nanos::new(entry.axis.native.as_nanos().saturating_mul(packed.factor));
    let facets = packed.facets.iter().zip(&blocks.facets).map(
        |((key, values, others), bytes)| {
            json!({ "key": key, "values": values, "others": others, "block": block(bytes) })
        },
    );
    let facets: Vec<Value> = facets.collect();
    let own = json!({
        "label": entry.label,
        "t0_us": micros(entry.axis.start),
        "width_us": micros_of(width),
        "columns": packed.columns,
        "native_us": micros_of(entry.axis.native),
        "bounds_ns": bounds(entry.latencies.scheme().bounds()),
        "outside": 0,
        "state": block(&blocks.state),
        "covered": block(&blocks.covered),
        "cells": block(&blocks.cells),
        "sums": blocks.sums.as_ref().map(&mut block),
        "times": blocks.times.as_ref().map(&mut block),
        "unplaced": blocks.unplaced.as_ref().map(&mut block),
        "peaks": blocks.peaks.as_ref().map(&mut block),
        "facets": facets,
        "tile_columns": packed.tile_columns,
        "octaves_ns": bounds(&packed.octaves),
    });
    value.extend(own.as_object().cloned().unwrap_or_default());
    Value::Object(value)
}

/// What every form of the report says about an entry.
pub(super) fn numbers(entry: &Entry) -> Map<String, Value> {
    let name = entry.members.first().map(|(series, _)| series.name());
    let attributes: Map<String, Value> = match entry.members.as_slice() {
        [(one, _)] => one.attributes().map(|(key, value)| (key.to_owned(), value.into())).collect(),
        _ => Map::new(),
    };
    let value = json!({
        "recording": entry.recording,
        "label": entry.full_label,
        "name": if entry.kind == Kind::All { None } else { name },
        "attributes": attributes,
        "kind": entry.kind.word(),
        "members": entry.members.len(),
        "events": entry.events(),
        "waited_s": entry.waited.seconds,
        "exact": entry.waited.exact,
        "covered_s": entry.covered_s,
        "mean_ns": entry.latencies.mean_ns(),
        "quantiles": entry.quantiles.iter().map(quantile).collect::<Vec<Value>>(),
        "findings": entry.findings,
        "sentences": entry.sentences,
    });
    value.as_object().cloned().unwrap_or_default()
}

fn quantile((found, unstable): &(QuantileInterval, bool)) -> Value {
    json!({
        "q": found.q,
        "lo_ns": found.bucket.lo.as_nanos(),
        "hi_ns": found.bucket.hi.map(Nanos::as_nanos),
        "estimate_ns": found.estimate.as_nanos(),
        "unstable": unstable,
    })
}

pub(super) fn not_drawn(series: &NotDrawn) -> Value {
    json!({
        "recording": series.recording,
        "label": series.label,
        "events": series.events,
        "waited_s": series.waited.seconds,
        "exact": series.waited.exact,
    })
}

fn not_drawn_entry(entry: &Entry) -> Value {
    let (recording, label) = (entry.recording, entry.full_label.clone());
    let waited = entry.waited;
    not_drawn(&NotDrawn { recording, label, events: entry.events(), waited })
}

/// Bucket bounds, null for none.
fn bounds(bounds: &[u64]) -> Vec<Option<u64>> {
    bounds.iter().map(|&bound| (bound != Scheme::UNBOUNDED).then_some(bound)).collect()
}

/// Microseconds since the clock's zero: a whole number where it is one.
fn micros(at: Timestamp) -> Value {
    let ns = at.as_nanos();
    if ns % 1_000 == 0 { (ns / 1_000).into() } else { (ns as f64 / 1e3).into() }
}

fn micros_of(length: Nanos) -> Value {
    let ns = length.as_nanos();
    if ns.is_multiple_of(1_000) { (ns / 1_000).into() } else { (ns as f64 / 1e3).into() }
}
