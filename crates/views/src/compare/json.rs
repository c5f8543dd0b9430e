//! A comparison for programs and for the report: one JSON object, described by
//! `docs/schema/compare.schema.json`.

use std::io::{self, Write};

use isotherm_analysis::{
    CONFIDENCE, ColumnState, Difference, Direction, LEAST_EFFECT, Legend, Maps, Measure, Row,
    Shift, SideNumbers, Value as Amount, Verdict,
};
use isotherm_frame::Nanos;
use serde_json::{Value, json};

use super::{Alignment, CompareSheet, PairLine, Presence, SideLabel, compare_sentences};
use crate::headline::quantile_name;
use crate::ranges::edge;

/// The version of the object's schema.
pub const COMPARE_SCHEMA_VERSION: u64 = 1;

/// The JSON object.
#[derive(Copy, Clone, Debug)]
pub struct CompareJson;

impl CompareJson {
    /// Writes the object on one line. Fails only when `out` does.
    pub fn render(&self, sheet: &CompareSheet<'_>, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, &self.value(sheet))?;
        out.write_all(b"\n")
    }

    /// The object.
    pub fn value(&self, sheet: &CompareSheet<'_>) -> Value {
        let comparison = sheet.comparison;
        let conditions = sheet
            .conditions
            .iter()
            .map(|(text, verdict)| json!({ "text": text, "outcome": outcome(*verdict) }));
        json!({
            "schema_version": COMPARE_SCHEMA_VERSION,
            "title": format!("{} and {}", sheet.sides[0].source, sheet.sides[1].source),
            "label": sheet.label,
            "verdict": change(comparison.verdict),
            "sentences": compare_sentences(sheet),
            "align": match sheet.alignment {
                Alignment::Start => "start",
                Alignment::Clock => "clock",
                Alignment::Mark(_) => "mark",
            },
            "exact": comparison.exact,
            "confidence": CONFIDENCE,
            "least_effect": LEAST_EFFECT,
            "a": side("A", &sheet.sides[0], comparison.a),
            "b": side("B", &sheet.sides[1], comparison.b),
            "shifts": comparison.shifts.iter().map(shift).collect::<Vec<Value>>(),
            "distance": comparison.distance.map(|distance| {
                json!({ "ks": distance.largest_share, "octaves": distance.octaves })
            }),
            "shares": sheet.profile.map(shares).unwrap_or_default(),
            "map": sheet.maps.map(map),
            "pairs": sheet.pairs.iter().map(pair).collect::<Vec<Value>>(),
            "thresholds": conditions.collect::<Vec<Value>>(),
        })
    }
}

fn change(change: Difference) -> &'static str {
    match change {
        Difference::Same => "same",
        Difference::Slower => "slower",
        Difference::Faster => "faster",
        Difference::Mixed => "mixed",
        Difference::OtherLoad => "other load",
        Difference::TooLittle => "too little",
    }
}

fn outcome(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::DoesNotHold => "does not hold",
        Verdict::Unknown => "cannot tell",
        Verdict::NoEvents => "no events",
    }
}

fn micros(at: isotherm_frame::Timestamp) -> Value {
    let nanos = at.as_nanos();
    if nanos % 1_000 == 0 { (nanos / 1_000).into() } else { (nanos as f64 / 1e3).into() }
}

fn side(name: &str, label: &SideLabel, numbers: SideNumbers) -> Value {
    json!({
        "label": format!("{name} {}", label.source),
        "source": label.source,
        "stretch": label.stretch(),
        "clock": label.clock.to_string(),
        "start_us": micros(label.span.0),
        "end_us": micros(label.span.1),
        "anchor_us": micros(label.anchor),
        "columns": numbers.columns,
        "covered_s": numbers.covered_s,
        "events": numbers.events,
        "waited_s": numbers.waited_s,
    })
}

fn measure_name(measure: Measure) -> String {
    match measure {
        Measure::Rate => "rate".to_owned(),
        Measure::Waited => "waited".to_owned(),
        Measure::Mean => "mean".to_owned(),
        Measure::Quantile(q) => quantile_name(q),
    }
}

fn shift(shift: &Shift) -> Value {
    let (unit, scale) = match shift.measure {
        Measure::Rate => ("events/s", 1.0),
        Measure::Waited => ("s/s", 1.0),
        Measure::Mean | Measure::Quantile(_) => ("ns", 1e9),
    };
    let amount = |amount: Amount| {
        let bucket = amount.bucket;
        json!({
            "value": amount.amount * scale,
            "lo": bucket.map(|bucket| bucket.lo.as_nanos()),
            "hi": bucket.and_then(|bucket| bucket.hi).map(Nanos::as_nanos),
        })
    };
    json!({
        "measure": measure_name(shift.measure),
        "unit": unit,
        "a": amount(shift.a),
        "b": amount(shift.b),
        "ratio": shift.ratio,
        "ci": shift.interval.map(|(lo, hi)| json!([lo, finite(hi)])),
        "possible": [Some(shift.possible.0), shift.possible.1],
        "within_one_bucket": shift.within_one_bucket,
        "moved": shift.moved.map(|moved| match moved {
            Direction::Less => "less",
            Direction::More => "more",
        }),
    })
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn shares(maps: &Maps) -> Vec<Value> {
    let rows = maps.both.rows.iter().zip(&maps.shares);
    rows.map(|(row, share)| {
        json!({
            "lo_ns": row.lo.as_nanos(),
            "hi_ns": row.hi.map(Nanos::as_nanos),
            "a_per_s": share.rates[0],
            "b_per_s": share.rates[1],
            "events_pp": 100.0 * share.events,
            "wait_pp": 100.0 * share.waited,
            "z": share.z,
        })
    })
    .collect()
}

fn map(maps: &Maps) -> Value {
    let row = |row: &Row| {
        json!({
            "lo_ns": row.lo.as_nanos(),
            "hi_ns": row.hi.map(Nanos::as_nanos),
            "label": if row.labelled { edge(row) } else { String::new() },
        })
    };
    let width = maps.both.columns.first().map(|column| column.end.since(column.start));
    let width = width.unwrap_or(Nanos::new(1)).as_nanos() as f64 / 1e3;
    json!({
        "columns": maps.columns,
        "width_us": width,
        "rows": maps.both.rows.iter().map(row).collect::<Vec<Value>>(),
        "a": map_side(maps, 0),
        "b": map_side(maps, maps.columns),
        "z": maps.z.chunks(maps.columns.max(1)).map(|row| {
            row.iter().map(|z| whole(*z)).collect::<Vec<Value>>()
        }).collect::<Vec<_>>(),
        "frequency": legend(&maps.both.frequency.legend),
        "intensity": legend(&maps.both.intensity.legend),
    })
}

/// A whole number without a fraction, to save room.
fn whole(value: Option<f64>) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "clamped")]
    value.map_or(Value::Null, |value| (value.round().clamp(-999.0, 999.0) as i64).into())
}

fn legend(legend: &Legend) -> Value {
    json!({
        "max": legend.max,
        "steps": legend.steps,
        "trace_below": legend.trace_below,
        "scale": legend.scale.name(),
    })
}

fn map_side(maps: &Maps, first: usize) -> Value {
    let both = &maps.both;
    let columns = both.columns.iter().skip(first).take(maps.columns);
    let state = |state: ColumnState| match state {
        ColumnState::Data => 0,
        ColumnState::NoData => 1,
        ColumnState::Reset => 2,
    };
    let cells = |row: usize| (first..first + maps.columns).map(move |at| both.cell(row, at));
    let rows = 0..both.rows.len();
    let counts = rows.clone().map(|row| cells(row).map(|cell| both.counts[cell]).collect());
    let waits = rows.map(|row| cells(row).map(|cell| short(both.intensity.cells[cell])).collect());
    json!({
        "t0_us": both.columns.get(first).map(|column| micros(column.start)),
        "state": columns.clone().map(|column| state(column.state)).collect::<Vec<u8>>(),
        "covered_s": columns.map(|column| short(column.covered_s)).collect::<Vec<f64>>(),
        "counts": counts.collect::<Vec<Vec<u64>>>(),
        "intensity": waits.collect::<Vec<Vec<f64>>>(),
    })
}

/// Four digits: as much as a colour or a tooltip needs.
fn short(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a double is small")]
    let places = 3 - value.abs().log10().floor() as i32;
    let scale = 10_f64.powi(places);
    if scale.is_finite() && scale > 0.0 { (value * scale).round() / scale } else { value }
}

fn pair(pair: &PairLine) -> Value {
    let numbers = |side: &SideNumbers| json!({ "events": side.events, "waited_s": side.waited_s, "covered_s": side.covered_s });
    let ratio = |measure| pair.shift(measure).map(|shift| shift.ratio);
    let p99 = pair.shift(Measure::Quantile(0.99));
    json!({
        "label": pair.label,
        "in": match pair.presence {
            Presence::Both => "both",
            Presence::OnlyA => "a",
            Presence::OnlyB => "b",
        },
        "a": (pair.presence != Presence::OnlyB).then(|| numbers(&pair.a)),
        "b": (pair.presence != Presence::OnlyA).then(|| numbers(&pair.b)),
        "rate_ratio": ratio(Measure::Rate),
        "waited_ratio": ratio(Measure::Waited),
        "waited_change_per_s": pair.change(),
        "verdict": pair.verdict.map(change),
        "p99_ratio": p99.map(|shift| {
            json!({
                "ratio": shift.ratio,
                "ci": shift.interval.map(|(lo, hi)| json!([lo, finite(hi)])),
            })
        }),
    })
}
