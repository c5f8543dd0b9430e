//! What `/metrics` answers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use isotherm_frame::{Event, Frame};
use isotherm_metrics::{Exposition, ExpositionOptions, SourcesUp};

/// Totals of everything that comes, for those who scrape them.
#[derive(Clone, Debug)]
pub struct Metrics {
    totals: Arc<Mutex<(Exposition, SourcesUp)>>,
    /// Whether a token is asked for.
    is_closed: bool,
}

impl Metrics {
    /// No totals as yet, for those with a token.
    pub fn new(options: ExpositionOptions) -> Metrics {
        let totals = (Exposition::new(options), SourcesUp::default());
        Metrics { totals: Arc::new(Mutex::new(totals)), is_closed: true }
    }

    /// The same for those without a token, too.
    #[must_use]
    pub fn without_token(self) -> Metrics {
        Metrics { is_closed: false, ..self }
    }

    /// A source goes on from now on.
    pub fn begin(&self, source: &str) {
        self.locked().1.begin(source);
    }

    /// Adds what happened to a source.
    pub fn take(&self, source: &str, events: &[Event]) {
        let totals = &mut self.locked().0;
        events.iter().filter_map(Event::frame).for_each(|frame: &Frame| totals.push(source, frame));
    }

    /// A source has ended: what it counted is no longer told.
    pub fn end(&self, source: &str) {
        let (totals, up) = &mut *self.locked();
        if up.end(source) {
            totals.forget(source);
        }
    }

    pub(crate) fn text(&self) -> String {
        let (totals, up) = &*self.locked();
        totals.text() + &up.text()
    }

    fn locked(&self) -> MutexGuard<'_, (Exposition, SourcesUp)> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Nanos, Quality, Scheme, Series, Timestamp};

    use super::*;

    #[test]
    fn what_a_source_counted_goes_with_it() {
        let metrics = Metrics::new(ExpositionOptions::default());
        let mut counts = Histogram::empty(Scheme::log_linear());
        counts.record(Nanos::from_micros(100));
        let (start, end) = (Timestamp::new(0), Timestamp::new(1_000_000_000));
        let (series, quality) = (Series::named("read"), Quality::Complete);
        let read = [Event::Frame(Frame { series, start, end, counts, quality })];
        for source in ["disk:", "probe:."] {
            metrics.begin(source);
            metrics.take(source, &read);
        }
        let holds = |part: &str| metrics.text().contains(part);
        let of_disk = "isotherm_latency_seconds_count{source=\"disk:\",series=\"read\"} 1";
        assert!(holds(of_disk) && holds("isotherm_source_up{source=\"disk:\"} 1"));
        metrics.end("disk:");
        assert!(!holds(of_disk) && holds("isotherm_source_up{source=\"disk:\"} 0"));
        assert!(holds("isotherm_latency_seconds_count{source=\"probe:.\",series=\"read\"} 1"));
    }
}
