//! Tables of buffers.

use isotherm_formats::{BufferCell, BufferHolder, LevelKind};
use isotherm_frame::narrow_percent;
use isotherm_frame::numbers::grouped;
use isotherm_views::section::Table;

use super::BufferReport;
use super::pictures::levels_are;

impl BufferReport {
    pub(super) fn tables(&self) -> Vec<Table> {
        vec![self.level_table(), self.holder_table()]
    }

    /// Buffers by level.
    fn level_table(&self) -> Table {
        let contents = &self.contents;
        let all = contents.buffers();
        let row = |name: &str, cell: BufferCell, is_free: bool| {
            let mut row = vec![name.to_owned(), grouped(cell.buffers), share(cell.buffers, all)];
            let mark = |amount: u64| if is_free { String::new() } else { grouped(amount) };
            row.extend(contents.knows_dirty.then(|| mark(cell.dirty)));
            row.extend(contents.knows_pins.then(|| mark(cell.pinned)));
            row
        };
        let levels = contents.levels.iter().zip(contents.by_level());
        let free = BufferCell { buffers: contents.free, ..BufferCell::default() };
        let all_cell = BufferCell { buffers: all, ..contents.used() };
        let rows = [row("free", free, true)].into_iter();
        let rows = rows.chain(levels.map(|(name, cell)| row(name, cell, false)));
        let mut head = words(&[levels_are(contents.kind), "buffers", "of all"]);
        head.extend(contents.knows_dirty.then(|| "dirty".to_owned()));
        head.extend(contents.knows_pins.then(|| "pinned".to_owned()));
        Table {
            caption: format!("All buffers by {}", levels_are(contents.kind)),
            head,
            rows: rows.chain([row("all", all_cell, false)]).collect(),
        }
    }

    /// What has the most buffers.
    fn holder_table(&self) -> Table {
        let holders = self.largest();
        let shown = &holders[..holders.len().min(self.top)];
        let caption = if shown.len() < holders.len() {
            format!(
                "The {} with the most buffers, of {}",
                shown.len(),
                grouped(holders.len() as u64)
            )
        } else {
            "What the buffers hold".to_owned()
        };
        let contents = &self.contents;
        let caption = match contents.kind {
            LevelKind::UsageCount => caption + " (u0 to u5: by usage count)",
            LevelKind::TouchCount => caption + " (t0 and so on: by touches)",
            LevelKind::Status => caption,
        };
        let mut head = words(&["name", "kind", "buffers", "of all"]);
        let has_blocks = holders.iter().any(|one| one.blocks.is_some());
        let has_hits = holders.iter().any(|one| one.fetched.is_some());
        head.extend(has_blocks.then(|| "≈ of it cached".to_owned()));
        head.extend(contents.levels.iter().cloned());
        head.extend(contents.knows_dirty.then(|| "dirty".to_owned()));
        head.extend(contents.knows_pins.then(|| "pinned".to_owned()));
        head.extend(has_hits.then(|| words(&["hits", "hit ratio"])).into_iter().flatten());
        let all = contents.buffers();
        let row = |one: &&BufferHolder| {
            let sum = one.sum();
            let mut row = vec![
                one.name.clone(),
                one.kind.clone(),
                grouped(sum.buffers),
                share(sum.buffers, all),
            ];
            row.extend(has_blocks.then(|| cached(one)));
            row.extend(one.cells.iter().map(|cell| grouped(cell.buffers)));
            row.extend(contents.knows_dirty.then(|| grouped(sum.dirty)));
            row.extend(contents.knows_pins.then(|| grouped(sum.pinned)));
            row.extend(has_hits.then(|| hits(one)).into_iter().flatten());
            row
        };
        Table { caption, head: marked(head, contents.kind), rows: shown.iter().map(row).collect() }
    }
}

/// Heads of levels say what they are.
fn marked(head: Vec<String>, kind: LevelKind) -> Vec<String> {
    let is_number = |name: &String| name.starts_with(|letter: char| letter.is_ascii_digit());
    let sign = if kind == LevelKind::UsageCount { "u" } else { "t" };
    let mark = |name: String| if is_number(&name) { format!("{sign}{name}") } else { name };
    head.into_iter().map(mark).collect()
}

/// The share of its blocks that are cached, by the estimate of how many it has. One that is less than
/// what is cached is of long ago.
fn cached(holder: &BufferHolder) -> String {
    let buffers = holder.sum().buffers;
    match holder.blocks {
        Some(blocks) if blocks >= buffers => share(buffers, blocks),
        _ => "-".to_owned(),
    }
}

fn hits(holder: &BufferHolder) -> Vec<String> {
    match (holder.fetched, holder.hits) {
        (Some(fetched), Some(hits)) if fetched > 0 => vec![grouped(hits), share(hits, fetched)],
        _ => words(&["-", "-"]),
    }
}

pub(super) fn share(part: u64, all: u64) -> String {
    narrow_percent(part as f64 / all.max(1) as f64)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
