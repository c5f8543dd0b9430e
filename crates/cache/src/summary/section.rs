//! A curve as a section of a report.

use isotherm_frame::narrow_percent;
use isotherm_frame::numbers::{bytes, grouped, quantity, waited};
use isotherm_views::section::{Section, Table};

use super::{CurveRow, CurveSummary};
use crate::device::DeviceLoad;

impl CurveSummary {
    /// The sentences, the chart and the table.
    pub fn section(&self) -> Section {
        Section {
            title: "Misses by size of the cache".to_owned(),
            sentences: self.sentences(),
            charts: [self.chart()].into_iter().chain(self.waiting_chart()).collect(),
            tables: vec![self.table()],
            ..Section::default()
        }
    }

    fn table(&self) -> Table {
        let is_sampled = self.counted.sample().is_some_and(|sample| sample.rate < 1.0);
        let (has_rate, has_latency) =
            (self.totals.blocks_per_s().is_some(), self.totals.latency_s().is_some());
        let has_device = self.device.is_some() && has_rate;
        let columns = [
            ("cache", true),
            ("blocks", true),
            ("misses", true),
            ("±", is_sampled),
            ("≈ block reads/s", has_rate),
            ("≈ waited per reference", has_latency),
            ("≈ average waiting", has_rate && has_latency && !has_device),
            ("≈ response by sweep", has_device),
            ("≈ average waiting by sweep", has_device),
        ];
        let kept = |row: Vec<String>| -> Vec<String> {
            row.into_iter()
                .zip(columns)
                .filter(|(_, column)| column.1)
                .map(|(cell, _)| cell)
                .collect()
        };
        Table {
            caption: "What a cache that replaces the least recently used block misses".to_owned(),
            head: kept(columns.map(|(name, _)| name.to_owned()).to_vec()),
            rows: self.rows().iter().map(|row| kept(self.cells(row))).collect(),
        }
    }

    fn cells(&self, row: &CurveRow) -> Vec<String> {
        let size = match row.blocks {
            0 => "none".to_owned(),
            blocks => bytes(blocks.saturating_mul(self.block_bytes)),
        };
        let unknown = || "?".to_owned();
        vec![
            size,
            grouped(row.blocks),
            narrow_percent(row.miss_ratio),
            row.error.map_or_else(unknown, |error| format!("{:.1}", error * 100.0)),
            row.block_reads_per_s.map_or_else(unknown, quantity),
            row.waited_s.map_or_else(unknown, waited),
            row.waiting.map_or_else(unknown, quantity),
            by_device(row, |load| load.response_s.map(waited)),
            by_device(row, |load| load.waiting.map(quantity)),
        ]
    }
}

/// A number of the device: `overload` where it cannot keep up, with `*` beyond what was measured.
fn by_device(row: &CurveRow, number: impl Fn(&DeviceLoad) -> Option<String>) -> String {
    let Some(load) = &row.device else { return "?".to_owned() };
    match number(load) {
        None => "overload".to_owned(),
        Some(number) if load.is_beyond => format!("{number}*"),
        Some(number) => number,
    }
}
