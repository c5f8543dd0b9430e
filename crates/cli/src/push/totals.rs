//! What has been counted, and when it is exported.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::{Duration, Instant};

use isotherm_frame::{Frame, Nanos, Timestamp};
use isotherm_metrics::{Export, Exposition, ExpositionOptions};
use isotherm_pipeline::SeriesFilter;

use crate::failure::Failure;
use crate::push_args::PushArgs;
use crate::redact::redacted;

/// Servers store whole milliseconds, and refuse two totals of one moment.
const RESOLUTION: Nanos = Nanos::from_millis(1);

/// What has been counted, and when it is to be exported next.
pub struct Totals<'a> {
    exposition: Exposition,
    filter: SeriesFilter<'a>,
    source: String,
    every: Nanos,
    sender: SyncSender<Export>,
    /// The number of the last export.
    number: u64,
    /// The first moment that was counted, and the last.
    counted: Option<(Timestamp, Timestamp)>,
    /// Up to when the last export counts.
    sent_to: Option<Timestamp>,
    /// When an export is due, by the time of the source.
    due: Timestamp,
    /// When one is due at the latest, by our own.
    overdue: Instant,
    /// Whether something has been counted since the last export.
    is_new: bool,
    /// Exports that were not even tried, because one before them was still being sent.
    skipped: u64,
    /// Whether nothing is sent any more.
    is_refused: &'a AtomicBool,
    events: u64,
}

/// What was counted, for the last line.
pub struct Counted {
    /// Events in the last totals.
    pub events: u64,
    /// Exports that were not even tried.
    pub skipped: u64,
    /// Whether all that was counted has been exported.
    pub is_exported: bool,
}

impl<'a> Totals<'a> {
    /// Nothing counted yet.
    pub fn new(
        args: &'a PushArgs,
        (sender, is_refused): (SyncSender<Export>, &'a AtomicBool),
    ) -> Totals<'a> {
        let options = ExpositionOptions { bounds: args.buckets.bounds(), waited: args.waited };
        Totals {
            exposition: Exposition::new(options),
            filter: SeriesFilter::new(args.series.as_deref()),
            source: redacted(&args.source),
            every: args.every,
            sender,
            number: 0,
            counted: None,
            sent_to: None,
            due: Timestamp::new(i64::MIN),
            overdue: Instant::now() + Duration::from_nanos(args.every.as_nanos()),
            is_new: false,
            skipped: 0,
            is_refused,
            events: 0,
        }
    }

    /// Counts an interval. Before one that ends later than all before it, what was counted up to then is
    /// exported if that is due: a point in time has all series up to it.
    pub fn take(&mut self, frame: &Frame, is_live: bool) {
        if !self.filter.matches(&frame.series) {
            return;
        }
        if let Some((_, reached)) = self.counted
            && frame.end > reached
            && reached >= self.due
        {
            self.export(is_live);
        }
        let (start, end) = self.counted.unwrap_or((frame.start, frame.end));
        if self.counted.is_none() {
            self.due = frame.start.plus(self.every);
        }
        self.counted = Some((start.min(frame.start), end.max(frame.end)));
        self.exposition.push(&self.source, frame);
        self.events = self.events.saturating_add(frame.counts.events());
        self.is_new = true;
    }

    /// Exports what a source counted that has been silent since.
    pub fn export_if_due(&mut self, is_live: bool) {
        if is_live && self.is_new && Instant::now() >= self.overdue {
            self.export(is_live);
        }
    }

    /// Hands the totals to the thread that sends them; a live source does not wait for it.
    fn export(&mut self, is_live: bool) {
        let Some((start, reached)) = self.counted else { return };
        let ns = |at: Timestamp| u64::try_from(at.as_nanos()).unwrap_or(0);
        let since = self.sent_to.unwrap_or(start);
        let end = reached.max(since.plus(RESOLUTION));
        let export = self.exposition.export(self.number + 1, (ns(since), ns(end)));
        self.due = reached.plus(self.every);
        self.overdue = Instant::now() + Duration::from_nanos(self.every.as_nanos());
        let sent = if is_live {
            self.sender.try_send(export)
        } else {
            self.sender.send(export).map_err(|error| TrySendError::Disconnected(error.0))
        };
        match sent {
            Ok(()) => {
                self.number += 1;
                (self.sent_to, self.is_new) = (Some(end), false);
            }
            Err(TrySendError::Full(_)) => self.skipped += 1,
            Err(TrySendError::Disconnected(_)) => self.is_refused.store(true, Ordering::Relaxed),
        }
    }

    /// Whether nothing is sent any more.
    pub fn is_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }

    /// Fails if no series was what the arguments choose.
    pub fn is_chosen(&self) -> Result<(), Failure> {
        Ok(self.filter.some()?)
    }

    /// Exports what is left, and gives what was counted in all.
    pub fn summary(&mut self) -> Counted {
        if self.is_new && !self.is_refused() {
            self.export(false);
        }
        Counted { events: self.events, skipped: self.skipped, is_exported: !self.is_new }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use clap::Parser;
    use isotherm_frame::{Histogram, Quality, Scheme, Series};
    use testing::bounded;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: PushArgs,
    }

    const SECOND_NS: i64 = 1_000_000_000;

    /// An interval of one second that ends at this moment, with one event.
    fn frame(series: &str, end_ns: i64) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        counts.record(Nanos::from_micros(100));
        let (start, end) = (Timestamp::new(end_ns - SECOND_NS), Timestamp::new(end_ns));
        Frame { series: Series::named(series), start, end, counts, quality: Quality::Complete }
    }

    #[test]
    fn two_exports_never_have_the_same_time() {
        let line = ["push", "disk:", "--to", "otlp+http://127.0.0.1:4318"];
        let args = Line::parse_from(line).args;
        let (is_refused, (sender, exports)) = (AtomicBool::new(false), sync_channel(8));
        let mut totals = Totals::new(&args, (sender, &is_refused));
        let mut exported = |frames: &[Frame]| {
            for frame in frames {
                totals.take(frame, true);
            }
            // wall clock: from this moment on it is overdue
            totals.overdue = Instant::now();
            totals.export_if_due(true);
            bounded::recv(&exports).end_ns()
        };
        // An interval comes in two parts, and an export is overdue after each of them.
        let first = exported(&[frame("a", SECOND_NS)]);
        let rest = exported(&[frame("b", SECOND_NS)]);
        // The next one ends within the same millisecond.
        let soon = exported(&[frame("a", SECOND_NS + 1_400_000)]);
        let later = exported(&[frame("a", 2 * SECOND_NS)]);
        assert_eq!((first, later), (1_000_000_000, 2_000_000_000));
        let millis = [first, rest, soon, later].map(|ns| ns / 1_000_000);
        assert!(millis.is_sorted_by(|one, next| one < next), "{millis:?}");
        assert_eq!((rest, soon), (1_001_000_000, 1_002_000_000));
    }
}
