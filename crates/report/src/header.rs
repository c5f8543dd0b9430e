//! The header of the document: everything but the columns, in JSON.

use isotherm_frame::{Nanos, Scheme};
use isotherm_views::{Micros, generator};
use serde_json::{Value, json};

use crate::json::{NotDrawnJson, NumbersJson, RecordingJson};
use crate::packed::{Body, Packed};
use crate::report::{Entry, Report};

/// The version of the document's format.
pub(super) const FORMAT: u64 = 1;

/// The header; the blocks of the entries go into `body`.
pub(super) fn header(report: &Report, packed: &[(usize, &Packed)], body: &mut Body) -> Value {
    let drawn = packed.iter().map(|(index, packed)| entry(&report.entries[*index], packed, body));
    let entries: Vec<Value> = drawn.collect();
    let is_drawn = |index: usize| packed.iter().any(|(drawn, _)| *drawn == index);
    let rest = report.entries.iter().enumerate().filter(|(index, _)| !is_drawn(*index));
    let rest = rest.map(|(_, entry)| NotDrawnJson::from(entry));
    let listed = report.not_drawn.iter().map(NotDrawnJson::from);
    let not_drawn: Vec<NotDrawnJson> = rest.chain(listed).collect();
    json!({
        "format": FORMAT,
        "generator": generator(),
        "title": report.title,
        "command": report.command,
        "recordings": report.given.iter().map(RecordingJson::from).collect::<Vec<_>>(),
        "entries": entries,
        "not_drawn": not_drawn,
        "compare": report.compare.as_ref().map(|compare| &compare.value),
    })
}

/// An entry: its numbers and where its blocks lie in `body`.
pub(super) fn entry(entry: &Entry, packed: &Packed, body: &mut Body) -> Value {
    let numbers = json!(NumbersJson::new(entry, &entry.label));
    let mut value = numbers.as_object().cloned().unwrap_or_default();
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
        "t0_us": Micros::from(entry.axis.start),
        "width_us": Micros::from(width),
        "columns": packed.columns,
        "native_us": Micros::from(entry.axis.native),
        "bounds_ns": bounds(packed.bounds.bounds()),
        "averages": entry.latencies.is_averages(),
        "outside": 0,
        "state": block(&blocks.state),
        "covered": block(&blocks.covered),
        "counted": blocks.counted.as_ref().map(&mut block),
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
    let length_error = entry.latencies.length_error();
    if length_error > Nanos::ZERO {
        value.insert("length_error_ns".to_owned(), json!(length_error.as_nanos()));
    }
    if let Some(unit) = entry.latencies.written_unit() {
        value.insert("written_unit_ns".to_owned(), json!(unit.as_nanos()));
    }
    Value::Object(value)
}

/// Bucket bounds, null for none.
fn bounds(bounds: &[u64]) -> Vec<Option<u64>> {
    bounds.iter().map(|&bound| (bound != Scheme::UNBOUNDED).then_some(bound)).collect()
}
