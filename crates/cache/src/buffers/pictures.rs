//! Buffers as bars, and over time as heat maps.

use isotherm_formats::{BufferCell, BufferHolder, LevelKind};
use isotherm_frame::{Clock, Nanos};
use isotherm_views::{BarPart, HeatGrid, HeatRow, StackedBar, StackedBars, TimeFormat};

use super::BufferReport;
use super::history::{BufferHistory, BufferSample, holder_name};

/// What levels are called.
pub(super) fn levels_are(kind: LevelKind) -> &'static str {
    match kind {
        LevelKind::UsageCount => "usage count",
        LevelKind::TouchCount => "touches",
        LevelKind::Status => "state",
    }
}

impl BufferReport {
    /// The holders, those with the most buffers first.
    pub(super) fn largest(&self) -> Vec<&BufferHolder> {
        let mut holders: Vec<&BufferHolder> = self.contents.holders.iter().collect();
        let buffers = |one: &BufferHolder| std::cmp::Reverse(one.sum().buffers);
        holders.sort_by(|one, other| {
            let names = (&one.name, &one.kind).cmp(&(&other.name, &other.kind));
            buffers(one).cmp(&buffers(other)).then(names)
        });
        holders
    }

    /// The largest holders by level, and all others together.
    pub(super) fn bars(&self) -> Option<StackedBars> {
        let holders = self.largest();
        let (shown, others) = holders.split_at(holders.len().min(self.top));
        let mut bars: Vec<StackedBar> = shown.iter().map(|one| BufferReport::bar(one)).collect();
        bars.extend((!others.is_empty()).then(|| BufferReport::bar(&self.together(others))));
        let kind = levels_are(self.contents.kind);
        let mark =
            |is_known: bool, word: &str| if is_known { word.to_owned() } else { String::new() };
        (!bars.is_empty()).then(|| StackedBars {
            title: format!("Buffers by {kind}"),
            unit: "buffers".to_owned(),
            parts_are: kind.to_owned(),
            parts: self.contents.levels.clone(),
            marks: [
                mark(self.contents.knows_dirty, "dirty"),
                mark(self.contents.knows_pins, "pinned"),
            ],
            bars,
        })
    }

    /// Holders as one.
    fn together(&self, holders: &[&BufferHolder]) -> BufferHolder {
        let mut cells = vec![BufferCell::default(); self.contents.levels.len()];
        for holder in holders {
            cells.iter_mut().zip(&holder.cells).for_each(|(sum, cell)| sum.add(*cell));
        }
        let name = format!("{} others", holders.len());
        BufferHolder { name, cells, ..BufferHolder::default() }
    }

    fn bar(holder: &BufferHolder) -> StackedBar {
        let parts = holder
            .cells
            .iter()
            .map(|cell| BarPart { amount: cell.buffers, marked: [cell.dirty, cell.pinned] });
        StackedBar { name: holder_name(&holder.name, &holder.kind), parts: parts.collect() }
    }

    /// The heat maps of what was seen over time.
    pub(super) fn grids(&self) -> Vec<HeatGrid> {
        let Some(history) = &self.history else { return Vec::new() };
        let grid = |title: String, rows: Vec<HeatRow>| HeatGrid {
            title,
            unit: "buffers".to_owned(),
            x_label: x_label(history),
            column_s: history.every.as_secs_f64(),
            rows,
        };
        let kind = levels_are(self.contents.kind);
        let mut grids =
            vec![grid(format!("Buffers by {kind} over time"), self.level_rows(history))];
        let rows = self.holder_rows(history);
        // One row is what the grid above shows.
        if rows.len() > 1 {
            grids.push(grid("Buffers by what they hold over time".to_owned(), rows));
        }
        grids
    }

    /// A row for each level, the highest on top, then dirty and free ones.
    fn level_rows(&self, history: &BufferHistory) -> Vec<HeatRow> {
        let levels = self.contents.levels.iter().enumerate().rev();
        let mut rows: Vec<HeatRow> = levels
            .map(|(level, name)| {
                let amount =
                    |sample: &BufferSample| sample.levels.get(level).map_or(0, |cell| cell.buffers);
                row(name.clone(), history, &amount)
            })
            .collect();
        rows.push(row("free".to_owned(), history, &|sample| sample.free));
        if self.contents.knows_dirty {
            let dirty =
                |sample: &BufferSample| sample.levels.iter().map(|cell| cell.dirty).sum::<u64>();
            rows.push(row("dirty".to_owned(), history, &dirty));
        }
        rows
    }

    /// A row for each of the largest holders, then all others.
    fn holder_rows(&self, history: &BufferHistory) -> Vec<HeatRow> {
        let largest = history.largest(self.top);
        let mut rows: Vec<HeatRow> = largest
            .iter()
            .map(|&(at, name)| row(name.to_owned(), history, &|sample| sample.holder(at)))
            .collect();
        let others = |sample: &BufferSample| {
            let shown: u64 = largest.iter().map(|&(at, _)| sample.holder(at)).sum();
            sample.used().saturating_sub(shown)
        };
        if history.samples.iter().any(|sample| others(sample) > 0) {
            rows.push(row("all others".to_owned(), history, &others));
        }
        rows
    }
}

/// A row with a cell for each look that was due.
fn row(name: String, history: &BufferHistory, amount: &dyn Fn(&BufferSample) -> u64) -> HeatRow {
    let mut cells = vec![None; history.due];
    for sample in &history.samples {
        if let Some(cell) = cells.get_mut(sample.slot) {
            *cell = Some(amount(sample));
        }
    }
    HeatRow { name, cells }
}

fn x_label(history: &BufferHistory) -> String {
    let format = TimeFormat::new(Clock::Epoch, history.since);
    let fine = history.every < Nanos::SECOND;
    let day = format.day(history.since).unwrap_or_default();
    format!("seconds since {day} {} UTC", format.time(history.since, fine))
}
