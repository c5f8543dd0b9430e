//! What the buffers of a cache say, in sentences.

use std::fmt::Write as _;

use isotherm_formats::LevelKind;
use isotherm_frame::numbers::{bytes, grouped, waited};
use isotherm_frame::{Nanos, percent};

use super::BufferReport;
use super::history::{BufferHistory, holder_name};

impl BufferReport {
    /// The size of the cache and who has most of it; then what it cost, then how to read it.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.size()];
        sentences.extend(self.first());
        sentences.extend(self.history.as_ref().and_then(over_time));
        sentences.extend(self.cost());
        sentences.extend(self.rejections());
        sentences.extend(self.reading().map(str::to_owned));
        sentences
    }

    fn size(&self) -> String {
        let contents = &self.contents;
        let (used, all) = (contents.used(), contents.buffers());
        let of = |part: u64| percent(part as f64 / all.max(1) as f64);
        let size = contents
            .block_bytes
            .map(|each| format!(" of {} ({})", bytes(each), bytes(each.saturating_mul(all))))
            .unwrap_or_default();
        let mut text = format!(
            "{}: {} buffers{size}, {} of them in use",
            contents.server,
            grouped(all),
            of(used.buffers)
        );
        if contents.knows_dirty {
            let _ = write!(text, ", {} dirty", of(used.dirty));
        }
        if contents.knows_pins {
            let _ = write!(text, ", {} pinned", grouped(used.pinned));
        }
        text + "."
    }

    /// Who has the most buffers.
    fn first(&self) -> Option<String> {
        let largest = self.largest();
        let first = largest.first().filter(|_| largest.len() > 1)?;
        let share = first.sum().buffers as f64 / self.contents.buffers().max(1) as f64;
        let name = holder_name(&first.name, &first.kind);
        Some(format!("{name} has the most: {} of all buffers.", percent(share)))
    }

    /// How long looking took, and what it does to the server.
    fn cost(&self) -> Option<String> {
        let took = waited(self.contents.took.as_secs_f64());
        match self.contents.kind {
            _ if self.contents.took == Nanos::ZERO => None,
            LevelKind::UsageCount => Some(format!(
                "The last look took {took}. pg_buffercache locks the header of one buffer after the other, \
                 never all: sums are of slightly different moments, and a look takes longer with more \
                 buffers. From PostgreSQL 16 on --totals counts without these locks. The catalogs that \
                 the statement reads are in the cache too, and are used by it."
            )),
            _ => Some(format!(
                "The last look took {took}. The view is read from memory without holding up sessions, one \
                 header after the other: sums are of slightly different moments, and a large cache takes \
                 seconds of CPU. It shows the instance connected to alone."
            )),
        }
    }

    fn rejections(&self) -> Option<String> {
        let (rejected, first) = &self.rejected;
        (*rejected > 0).then(|| {
            format!(
                "Rejected: {}; {}",
                grouped(*rejected),
                first.first().map_or("", String::as_str)
            )
        })
    }

    /// What the levels mean.
    fn reading(&self) -> impl Iterator<Item = &'static str> {
        let levels = match self.contents.kind {
            LevelKind::UsageCount => {
                "The usage count rises to 5 with each use, and falls by one when the clock sweep passes in \
                 search of a buffer: 0 is replaced next."
            }
            LevelKind::TouchCount => {
                "Touches count at most once in about three seconds; they restart when a buffer moves to \
                 the hot end. X$BH may be read by SYS only, and its columns are not documented."
            }
            LevelKind::Status => {
                "xcur and scur hold the current version of a block (exclusive, shared), cr an older one \
                 for consistent reads. How often a buffer was touched is in X$BH only (--touches)."
            }
        };
        let has = |test: fn(&isotherm_formats::BufferHolder) -> bool| {
            self.contents.holders.iter().any(test)
        };
        let blocks = has(|one| one.blocks.is_some()).then_some(
            "≈ of it cached: by the number of pages at the last VACUUM or ANALYZE; - where that is not \
             known or too old.",
        );
        let hits = has(|one| one.fetched.is_some()).then_some(
            "Hits and the hit ratio are of all blocks asked for since the statistics began, not of this \
             moment; a miss may still be answered by the page cache.",
        );
        [Some(levels), blocks, hits].into_iter().flatten()
    }
}

/// How many looks there were, and what changed from the first to the last.
fn over_time(history: &BufferHistory) -> Option<String> {
    let (first, last) = (history.samples.first()?, history.samples.last()?);
    let missing = history.due - history.samples.len();
    let missing = if missing > 0 {
        format!(
            " {} that were due are missing: a look took longer than --every.",
            grouped(missing as u64)
        )
    } else {
        String::new()
    };
    let longest = history.samples.iter().map(|sample| sample.took).max().unwrap_or_default();
    let (from, to) = (first.used(), last.used());
    let change = if from == to {
        format!("Buffers in use: {} in the first and in the last.", grouped(to))
    } else {
        format!("Buffers in use: {} in the first, {} in the last.", grouped(from), grouped(to))
    };
    Some(format!(
        "{} looks, {} apart, each of at most {}.{missing} {change}",
        grouped(history.samples.len() as u64),
        history.every,
        waited(longest.as_secs_f64())
    ))
}
