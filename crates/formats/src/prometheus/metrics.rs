//! Samples of a page become histograms, once it is known in which unit they are.

use std::collections::BTreeMap;

use isotherm_frame::{Place, SharedMemory, Timestamp, Unit};

use super::line::{NamedUnit, Sample, labels, sample, started, unit_of};
use super::page::{Added, Complete, Page, Part};
use super::rows::Edges;
use crate::sink::reject;
use crate::{Line, Note, Sink};

/// The histograms of a page that is being read.
#[derive(Debug, Default)]
pub struct Metrics {
    /// The unit the user gave.
    given: Option<Unit>,
    /// Units that `# UNIT` declares.
    declared: BTreeMap<Vec<u8>, Unit>,
    page: Page,
    /// Metrics that are left out because nothing tells their unit; with the place of the first.
    without_unit: BTreeMap<Vec<u8>, Place>,
    /// When the program that is measured was started, if it says so.
    pub started: Option<Timestamp>,
}

impl Metrics {
    /// The most metrics without a unit that are remembered.
    const MOST: usize = 20;

    /// Nothing read yet; `given` is the unit of what names none.
    pub fn new(given: Option<Unit>) -> Metrics {
        Metrics { given, ..Metrics::default() }
    }

    /// Bytes for the histograms of pages that may be large.
    pub const MEMORY: usize = 32 << 20;

    /// The same of pages that may be large: of all that share this room as many histograms are kept at a time
    /// as it holds.
    pub fn within(given: Option<Unit>, room: SharedMemory) -> Metrics {
        Metrics { page: Page::within(room), ..Metrics::new(given) }
    }

    /// The events of histograms that are left out, if there was no room for all of the page.
    pub fn left_out(&self) -> Option<u64> {
        self.page.left_out()
    }

    /// Whether no histogram is being put together.
    pub fn is_empty(&self) -> bool {
        self.page.is_empty()
    }

    /// `# UNIT name unit`.
    pub(crate) fn declare(&mut self, name: &[u8], unit: &[u8]) {
        let unit = std::str::from_utf8(unit).ok().and_then(|unit| unit.parse().ok());
        if let Some(unit) = unit {
            self.declared.insert(name.to_vec(), unit);
        }
    }

    /// Takes a sample: `false` if it is there already, so that another page begins with it.
    pub(crate) fn sample(&mut self, place: Place, sample: Sample<'_>, sink: &mut dyn Sink) -> bool {
        self.started = started(sample).or(self.started);
        let Some((name, part)) = Part::of(sample.name) else { return true };
        let is_bucket = part == Part::Bucket;
        if is_bucket && !labels(sample.labels).any(|(name, _)| Edges::are_in(name)) {
            return true;
        }
        let Some(unit) = self.unit(name) else {
            if is_bucket && self.without_unit.len() < Metrics::MOST {
                self.without_unit.entry(name.to_vec()).or_insert(place);
            }
            return true;
        };
        match self.page.add(place, (name, part), sample, unit) {
            Added::Yes => {}
            Added::Again => return false,
            Added::No(reason, events) => reject(sink, place, reason, events),
        }
        true
    }

    fn unit(&self, name: &[u8]) -> Option<Unit> {
        let declared = self.declared.get(name).copied();
        declared.or(match unit_of(name) {
            NamedUnit::Time(unit) => Some(unit),
            NamedUnit::Other => None,
            NamedUnit::None => self.given,
        })
    }

    /// The histograms of the page, which begins anew.
    pub fn take(&mut self) -> impl Iterator<Item = Complete> {
        self.page.take()
    }

    /// The metrics that are left out because nothing tells their unit, joined by commas.
    pub fn without_unit(&self) -> String {
        let names = self.without_unit.keys().map(|name| String::from_utf8_lossy(name));
        names.collect::<Vec<_>>().join(", ")
    }
}

/// Takes one line of a page that was fetched as a whole.
pub fn read_line(metrics: &mut Metrics, line: Line<'_>, sink: &mut dyn Sink) {
    let text = line.bytes.trim_ascii();
    if line.cut {
        return reject(sink, line.place, "a line longer than 1 MiB", 0);
    }
    let mut words = text.split(|byte| *byte == b' ');
    if let (Some(b"#"), Some(b"UNIT"), Some(name), Some(unit)) =
        (words.next(), words.next(), words.next(), words.next())
    {
        metrics.declare(name, unit);
    }
    match sample(text) {
        Some(sample) if !metrics.sample(line.place, sample, sink) => {
            reject(sink, line.place, "a bucket that was on the page already", 0);
        }
        Some(_) => {}
        None if text.is_empty() || text.starts_with(b"#") => {}
        None => sink.note(Note::Ignored),
    }
}

#[cfg(test)]
mod tests {

    use crate::Message;
    use super::*;

    struct Nowhere;

    impl Sink for Nowhere {
        fn take(&mut self, message: Message) {
        assert!(!matches!(message, Message::Rejected(_)), "{message:?}");
        }
    }

    #[test]
    fn the_events_of_histograms_that_do_not_fit_are_counted() {
        let page = || Page::within(SharedMemory::of_bytes(20_000));
        let mut metrics = Metrics { page: page(), ..Metrics::new(None) };
        let place = Place { line: 1, byte: 0 };
        for pages in 1..=2 {
            for series in 0..100 {
                for (le, count) in [("1", 2), ("+Inf", 3)] {
                    let line = format!("x_seconds_bucket{{op=\"{series}\",le=\"{le}\"}} {count}");
                    assert!(metrics.sample(place, sample(line.as_bytes()).unwrap(), &mut Nowhere));
                }
            }
            let left_out = metrics.left_out().unwrap();
            let kept: Vec<u64> =
                metrics.take().map(|complete| complete.counts.unwrap().events()).collect();
            assert!((5..50).contains(&kept.len()), "{} of page {pages}", kept.len());
            assert_eq!(kept.iter().sum::<u64>() + left_out, 300);
            assert_eq!(metrics.left_out(), None);
        }
    }
}
