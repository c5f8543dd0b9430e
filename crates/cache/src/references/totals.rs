//! What was read of inputs with block references.

use std::collections::BTreeMap;

use isotherm_frame::visible;

/// What was read, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceTotals {
    /// Reads; one of several blocks is one.
    pub reads: u64,
    /// Blocks that were referenced, each as often as it was.
    pub blocks: u64,
    /// Blocks of reads with a known latency.
    pub timed_blocks: u64,
    /// The sum of known latencies, nanoseconds.
    pub latency_ns: u128,
    /// The first and the last moment, nanoseconds on the clock of the input; none without a clock.
    pub span_ns: Option<(u64, u64)>,
    /// What is no reference to a block, with how often it was met.
    pub left_out: BTreeMap<&'static str, u64>,
    /// What could not be read.
    pub rejected: u64,
    /// The first of it: where it is, and why it is rejected.
    pub rejections: Vec<String>,
}

/// Rejections that are kept to show.
const SHOWN: usize = 5;

impl ReferenceTotals {
    /// Counts a read of this many blocks.
    pub(super) fn read(&mut self, blocks: u64, at_ns: Option<u64>) {
        self.reads += 1;
        self.blocks += blocks;
        if let Some(at) = at_ns {
            let (from, to) = self.span_ns.unwrap_or((at, at));
            self.span_ns = Some((from.min(at), to.max(at)));
        }
    }

    /// Counts how long a read of this many blocks took.
    pub(super) fn timed(&mut self, blocks: u64, latency_ns: u64) {
        self.timed_blocks += blocks;
        self.latency_ns += u128::from(latency_ns);
    }

    /// Counts what is no reference.
    pub(super) fn leave_out(&mut self, what: &'static str) {
        *self.left_out.entry(what).or_default() += 1;
    }

    /// Counts what cannot be read.
    pub(super) fn reject(&mut self, line: u64, why: &str) {
        self.rejected += 1;
        if self.rejections.len() < SHOWN {
            self.rejections.push(format!("line {line}: {}", visible(why)));
        }
    }

    /// Adds what was read of another input, on the same clock.
    pub fn add(&mut self, other: &ReferenceTotals) {
        self.reads += other.reads;
        self.blocks += other.blocks;
        self.timed_blocks += other.timed_blocks;
        self.latency_ns += other.latency_ns;
        self.span_ns = match (self.span_ns, other.span_ns) {
            (Some(one), Some(another)) => Some((one.0.min(another.0), one.1.max(another.1))),
            (one, another) => one.or(another),
        };
        for (what, count) in &other.left_out {
            *self.left_out.entry(what).or_default() += count;
        }
        self.rejected += other.rejected;
        let room = SHOWN.saturating_sub(self.rejections.len());
        self.rejections.extend(other.rejections.iter().take(room).cloned());
    }

    /// Blocks referenced per second; none without a clock, or without any time on it.
    pub fn blocks_per_s(&self) -> Option<f64> {
        let (from, to) = self.span_ns?;
        let seconds = (to - from) as f64 / 1e9;
        (seconds > 0.0).then(|| self.blocks as f64 / seconds)
    }

    /// The mean latency of a block, seconds: that of a read, divided by its blocks; none where the
    /// input has no latencies.
    pub fn latency_s(&self) -> Option<f64> {
        (self.timed_blocks > 0).then(|| self.latency_ns as f64 / 1e9 / self.timed_blocks as f64)
    }
}
