//! One scrape: the histograms it holds.

use std::collections::BTreeMap;

use isotherm_frame::{Histogram, Place, Scheme, Series, SharedMemory, Unit};

use super::line::{Sample, labels, unescaped};
use super::rows::{AddedRow, Edges, Rows};

/// A histogram of which samples may still come.
#[derive(Debug)]
struct Partial {
    place: Place,
    series: Series,
    rows: Rows,
    /// What its samples say about their time.
    time: Option<String>,
}

/// The histograms of one scrape, by metric and labels.
#[derive(Debug)]
pub(crate) struct Page {
    histograms: BTreeMap<Vec<u8>, Partial>,
    room: PageRoom,
    /// Whether there is no room for all histograms.
    is_full: bool,
    /// The events of those that there is no room for.
    left_out: u64,
    /// Events that were refused because they took no time or less, by metric and labels.
    refused: BTreeMap<Vec<u8>, u64>,
    key: Vec<u8>,
}

/// About how many bytes a histogram takes with its names and a few bounds, and each bound beyond these.
const HISTOGRAM_BYTES: usize = 768;
const FEW_BOUNDS: usize = 16;
const BOUND_BYTES: usize = 48;

const NEGATIVE: &str = "a bound le is below zero: no latency is, and what is counted up to there is left out";

impl Default for Page {
    fn default() -> Page {
        Page::within(SharedMemory::of_bytes(usize::MAX))
    }
}

/// The room that the histograms of a page take, until they are dropped.
#[derive(Debug)]
struct PageRoom {
    all: SharedMemory,
    taken: usize,
}

impl PageRoom {
    fn take(&mut self, bytes: usize) -> bool {
        let is_taken = self.all.take(bytes);
        self.taken += if is_taken { bytes } else { 0 };
        is_taken
    }
}

impl Drop for PageRoom {
    fn drop(&mut self) {
        self.all.give_back(self.taken);
    }
}

/// Which sample of a histogram.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Bucket,
    Sum,
    Count,
}

impl Part {
    /// The name of the histogram that a sample of this name belongs to, and which part it is.
    pub(crate) fn of(name: &[u8]) -> Option<(&[u8], Part)> {
        let parts =
            [(&b"_bucket"[..], Part::Bucket), (b"_sum", Part::Sum), (b"_count", Part::Count)];
        let part = |(end, part)| name.strip_suffix(end).map(|name| (name, part));
        parts.into_iter().find_map(part)
    }
}

/// What became of a sample.
pub(crate) enum Added {
    /// It is part of a histogram.
    Yes,
    /// It is there already: another scrape begins.
    Again,
    /// It cannot be used, and stands for so many events.
    No(&'static str, u64),
}

/// A complete histogram, or why it cannot be used and how many events it stood for.
pub struct Complete {
    /// Where its first line stands.
    pub place: Place,
    /// Its name and labels, without that of the bounds.
    pub series: Series,
    /// What its samples say about their time.
    pub time: Option<String>,
    /// The counts; or why they cannot be used, and how many events they stand for.
    pub counts: Result<Histogram, (&'static str, u64)>,
}

impl Complete {
    /// Whether it has no bounds at all, as the text of a native histogram.
    pub fn is_native(&self) -> bool {
        self.counts.as_ref().is_ok_and(|counts| counts.scheme().buckets() == 1)
    }
}

impl Page {
    /// Nothing yet; of more histograms than there is room for the first ones are kept.
    pub(crate) fn within(room: SharedMemory) -> Page {
        let (histograms, refused) = (BTreeMap::new(), BTreeMap::new());
        let room = PageRoom { all: room, taken: 0 };
        Page { histograms, room, is_full: false, left_out: 0, refused, key: Vec::new() }
    }

    /// The events of histograms that are left out, if there was no room for all of the page.
    pub(crate) fn left_out(&self) -> Option<u64> {
        self.is_full.then_some(self.left_out)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.histograms.is_empty()
    }

    /// Adds a sample of the metric `name`; those that are of no histogram are left alone.
    pub(crate) fn add(
        &mut self,
        place: Place,
        (name, part): (&[u8], Part),
        sample: Sample<'_>,
        unit: Unit,
    ) -> Added {
        self.write_key(name, sample.labels);
        if part == Part::Bucket {
            return self.bucket(place, name, sample, unit);
        }
        let Some(partial) = self.histograms.get_mut(&self.key) else { return Added::Yes };
        if part == Part::Count {
            match super::line::count(sample.value) {
                Ok(count) => partial.rows.count = Some(count),
                Err(reason) => partial.rows.damage(reason),
            }
        } else {
            partial.rows.sum =
                std::str::from_utf8(sample.value).ok().and_then(|text| text.parse().ok());
        }
        Added::Yes
    }

    fn bucket(&mut self, place: Place, name: &[u8], sample: Sample<'_>, unit: Unit) -> Added {
        let label = labels(sample.labels).find(|(name, _)| Edges::are_in(name)).unwrap_or_default();
        let edges = match Edges::read(label.0, label.1, unit) {
            Ok(edges) => Some(edges),
            // The next bound counts what is below zero too.
            Err(_) if Edges::is_below_zero(label.0, label.1) => None,
            Err(reason) => return Added::No(reason, Edges::events_in(label.0, sample.value)),
        };
        if !self.histograms.contains_key(&self.key)
            && !self.room.take(HISTOGRAM_BYTES + 4 * self.key.len())
        {
            self.is_full = true;
            // The bound above all others counts all events; buckets of their own count theirs.
            let counts_events = match edges {
                Some(Edges::UpTo(upper)) => upper == Scheme::UNBOUNDED,
                Some(Edges::Between(..)) => true,
                None => false,
            };
            let events = super::line::count(sample.value).unwrap_or(0);
            self.left_out = self.left_out.saturating_add(if counts_events { events } else { 0 });
            return Added::Yes;
        }
        let partial = self.histograms.entry(self.key.clone()).or_insert_with(|| {
            let others = labels(sample.labels).filter(|(name, _)| !Edges::are_in(name));
            let named = others.map(|(name, value)| {
                (String::from_utf8_lossy(name).into_owned(), unescaped(value))
            });
            let series = Series::with_attributes(String::from_utf8_lossy(name), named);
            let time = sample.timestamp.map(|text| String::from_utf8_lossy(text).into_owned());
            Partial { place, series, rows: Rows::new(unit), time }
        });
        let count = super::line::count(sample.value).unwrap_or_else(|reason| {
            partial.rows.damage(reason);
            0
        });
        // Between a bound below zero and zero nothing tells those that took no time.
        let edges = edges.filter(|edges| *edges != Edges::UpTo(0) || !partial.rows.has_negative());
        let Some(edges) = edges else {
            partial.rows.refuse_below(count);
            let before = self.refused.entry(self.key.clone()).or_default();
            let more = count.saturating_sub(*before);
            *before += more;
            return if more > 0 { Added::No(NEGATIVE, more) } else { Added::Yes };
        };
        match partial.rows.add(edges, count) {
            AddedRow::Yes => {
                if partial.rows.len() > FEW_BOUNDS && !self.room.take(BOUND_BYTES) {
                    self.is_full = true;
                    partial.rows.damage("its bounds do not fit into memory");
                }
                Added::Yes
            }
            AddedRow::Again => Added::Again,
            AddedRow::No(reason) => Added::No(reason, Edges::events_in(label.0, sample.value)),
        }
    }

    /// What tells a histogram from others: its name and all labels but the bound, in any order.
    fn write_key(&mut self, name: &[u8], text: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(name);
        let mut sorted: Vec<_> = labels(text).filter(|(name, _)| !Edges::are_in(name)).collect();
        sorted.sort_unstable();
        for (name, value) in sorted {
            for part in [name, value] {
                self.key.push(0);
                self.key.extend_from_slice(part);
            }
        }
    }

    /// The histograms of the scrape, which begins anew.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = Complete> {
        (self.is_full, self.left_out) = (false, 0);
        let next = PageRoom { all: self.room.all.clone(), taken: 0 };
        let room = std::mem::replace(&mut self.room, next);
        std::mem::take(&mut self.histograms).into_values().map(move |partial| {
            // Held for as long as there may be more of them.
            let _ = &room;
            let Partial { place, series, mut rows, time } = partial;
            if rows.needs_count() {
                rows.damage("its count is missing: the page is cut");
            }
            Complete { place, series, time, counts: rows.histogram() }
        })
    }
}
