//! Both maps of a comparison, and what became of the shares of ranges of latency, for programs.

use isotherm_analysis::{Column, ColumnState, Legend, Maps, Row};
use isotherm_frame::Nanos;
use schemars::JsonSchema;
use serde::Serialize;

use crate::json::{Micros, RangeJson};
use crate::ranges::edge;

/// What became of the share of a range of latency.
#[derive(Copy, Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Share")]
pub(super) struct ShareJson {
    #[serde(flatten)]
    range: RangeJson,
    /// Events per second of A.
    a_per_s: f64,
    /// Events per second of B.
    b_per_s: f64,
    /// Change of the share of events, in percentage points.
    events_pp: f64,
    /// Change of the share of time waited.
    wait_pp: f64,
    /// The change of the share of events in standard errors; less than 3 either way is noise.
    z: Option<f64>,
}

/// Both maps.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Map")]
pub(super) struct MapJson<'a> {
    /// The columns of each.
    columns: usize,
    /// The length of a column, microseconds.
    width_us: f64,
    /// The rows, shortest latencies first.
    rows: Vec<RowJson>,
    /// The cells of A.
    a: MapSideJson,
    /// The cells of B.
    b: MapSideJson,
    /// How much more B has than A in each cell, in standard deviations of chance and of what both runs
    /// do anyway; null where a side has no data.
    z: Vec<Vec<Option<i64>>>,
    /// The colours of counts.
    frequency: LegendJson<'a>,
    /// The colours of time waited.
    intensity: LegendJson<'a>,
}

/// A row of the maps.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Row")]
struct RowJson {
    #[serde(flatten)]
    range: RangeJson,
    /// What stands at the axis; empty where nothing does.
    label: String,
}

/// The cells of one side.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MapSide")]
struct MapSideJson {
    /// Where the first column begins, in microseconds of the side's clock.
    t0_us: Option<Micros>,
    /// What is known of each column: 0 data, 1 no data, 2 counters were reset.
    state: Vec<u8>,
    /// Time of each column about which the source said something.
    covered_s: Vec<f64>,
    /// The part of it in which ends were counted: what rates of events are divided by.
    counted_s: Vec<f64>,
    /// Events, row by row, shortest latencies first, one for each column.
    counts: Vec<Vec<u64>>,
    /// Seconds waited per second.
    intensity: Vec<Vec<f64>>,
}

/// One scale of colours for both sides.
#[derive(Copy, Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Scale")]
struct LegendJson<'a> {
    /// The value that takes the whole ramp.
    max: f64,
    /// The value from which each shade is used.
    steps: &'a [f64],
    /// Values below this and above zero are a trace.
    trace_below: f64,
    /// How values become shades.
    scale: &'static str,
}

/// What became of each row's share.
pub(super) fn shares(maps: &Maps) -> Vec<ShareJson> {
    let rows = maps.both.rows.iter().zip(&maps.shares);
    rows.map(|(row, share)| ShareJson {
        range: RangeJson::from((row.lo, row.hi)),
        a_per_s: share.rates[0],
        b_per_s: share.rates[1],
        events_pp: 100.0 * share.events,
        wait_pp: 100.0 * share.waited,
        z: share.z,
    })
    .collect()
}

impl<'a> From<&'a Maps> for MapJson<'a> {
    fn from(maps: &'a Maps) -> MapJson<'a> {
        let row = |row: &Row| RowJson {
            range: RangeJson::from((row.lo, row.hi)),
            label: if row.labelled { edge(row) } else { String::new() },
        };
        let width = maps.both.columns.first().map(|column| column.end.since(column.start));
        MapJson {
            columns: maps.columns,
            width_us: width.unwrap_or(Nanos::new(1)).as_nanos() as f64 / 1e3,
            rows: maps.both.rows.iter().map(row).collect(),
            a: MapSideJson::new(maps, 0),
            b: MapSideJson::new(maps, maps.columns),
            z: maps
                .z
                .chunks(maps.columns.max(1))
                .map(|row| row.iter().copied().map(whole).collect())
                .collect(),
            frequency: LegendJson::from(&maps.both.frequency.legend),
            intensity: LegendJson::from(&maps.both.intensity.legend),
        }
    }
}

/// A whole number without a fraction, to save room.
fn whole(value: Option<f64>) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "clamped")]
    value.map(|value| value.round().clamp(-999.0, 999.0) as i64)
}

impl<'a> From<&'a Legend> for LegendJson<'a> {
    fn from(Legend { max, steps, trace_below, scale, .. }: &'a Legend) -> LegendJson<'a> {
        LegendJson { max: *max, steps, trace_below: *trace_below, scale: scale.name() }
    }
}

impl MapSideJson {
    fn new(maps: &Maps, first: usize) -> MapSideJson {
        let both = &maps.both;
        let columns = both.columns.iter().skip(first).take(maps.columns);
        let state = |column: &Column| match column.state {
            ColumnState::Data => 0,
            ColumnState::NoData => 1,
            ColumnState::Reset => 2,
        };
        let cells = |row: usize| (first..first + maps.columns).map(move |at| both.cell(row, at));
        let rows = 0..both.rows.len();
        let counts = rows.clone().map(|row| cells(row).map(|cell| both.counts[cell]).collect());
        let waits =
            rows.map(|row| cells(row).map(|cell| short(both.intensity.cells[cell])).collect());
        MapSideJson {
            t0_us: both.columns.get(first).map(|column| column.start.into()),
            state: columns.clone().map(state).collect(),
            covered_s: columns.clone().map(|column| short(column.covered_s)).collect(),
            counted_s: columns.map(|column| short(column.counted_s)).collect(),
            counts: counts.collect(),
            intensity: waits.collect(),
        }
    }
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
