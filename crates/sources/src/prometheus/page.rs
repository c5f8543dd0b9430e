//! One scrape: the histograms it holds.

use std::collections::BTreeMap;

use isotherm_frame::{Histogram, Nanos, Place, Scheme, Series, Unit};

use super::line::{Sample, bound, labels, unescaped};

/// A histogram of which samples may still come.
struct Partial {
    place: Place,
    series: Series,
    unit: Unit,
    /// Upper bounds in nanoseconds with the number of events up to there.
    rows: Vec<(u64, u64)>,
    sum: Option<f64>,
    count: Option<u64>,
}

/// The histograms of one scrape, by metric and labels.
#[derive(Default)]
pub(super) struct Page {
    histograms: BTreeMap<Vec<u8>, Partial>,
    key: Vec<u8>,
}

/// Which sample of a histogram.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Bucket,
    Sum,
    Count,
}

/// What became of a sample.
pub(super) enum Added {
    /// It is part of a histogram.
    Yes,
    /// It is there already: another scrape begins.
    Again,
    /// It cannot be used.
    No(&'static str),
}

/// A complete histogram, or why it cannot be used and how many events it stood for.
pub(super) struct Complete {
    pub(super) place: Place,
    pub(super) series: Series,
    pub(super) counts: Result<Histogram, (&'static str, u64)>,
}

impl Page {
    /// The most bounds of a histogram.
    const MOST_ROWS: usize = 10_000;

    pub(super) fn is_empty(&self) -> bool {
        self.histograms.is_empty()
    }

    /// Adds a sample of the metric `name`; those that are of no histogram are left alone.
    pub(super) fn add(
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
            partial.count = super::line::count(sample.value);
        } else {
            partial.sum = std::str::from_utf8(sample.value).ok().and_then(|text| text.parse().ok());
        }
        Added::Yes
    }

    fn bucket(&mut self, place: Place, name: &[u8], sample: Sample<'_>, unit: Unit) -> Added {
        let le = labels(sample.labels).find(|(name, _)| *name == b"le");
        let Some(upper) = le.and_then(|(_, text)| bound(text, unit)) else {
            return Added::No("the bound le is not a number that a latency can have");
        };
        let Some(count) = super::line::count(sample.value) else {
            return Added::No("the count is not a number");
        };
        let partial = self.histograms.entry(self.key.clone()).or_insert_with(|| {
            let others = labels(sample.labels).filter(|(name, _)| *name != b"le");
            let named = others.map(|(name, value)| {
                (String::from_utf8_lossy(name).into_owned(), unescaped(value))
            });
            let series = Series::with_attributes(String::from_utf8_lossy(name), named);
            Partial { place, series, unit, rows: Vec::new(), sum: None, count: None }
        });
        if partial.rows.iter().any(|(known, _)| *known == upper) {
            return Added::Again;
        }
        if partial.rows.len() >= Page::MOST_ROWS {
            return Added::No("more bounds than any histogram has");
        }
        partial.rows.push((upper, count));
        Added::Yes
    }

    /// What tells a histogram from others: its name and all labels but the bound, in any order.
    fn write_key(&mut self, name: &[u8], text: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(name);
        let mut sorted: Vec<_> = labels(text).filter(|(name, _)| *name != b"le").collect();
        sorted.sort_unstable();
        for (name, value) in sorted {
            for part in [name, value] {
                self.key.push(0);
                self.key.extend_from_slice(part);
            }
        }
    }

    /// The histograms of the scrape, which begins anew.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Complete> {
        std::mem::take(&mut self.histograms).into_values().map(Partial::complete)
    }
}

impl Partial {
    fn complete(mut self) -> Complete {
        // No upper bound is the highest.
        self.rows.sort_by_key(|(upper, _)| *upper);
        let events = self.rows.last().map_or(0, |(_, count)| *count);
        let counts = self.counts().map_err(|reason| (reason, events));
        Complete { place: self.place, series: self.series, counts }
    }

    fn counts(&self) -> Result<Histogram, &'static str> {
        let (mut bounds, mut counts, mut reached) = (vec![0_u64], Vec::new(), 0);
        let top = self.rows.last().map_or(0, |(_, count)| *count);
        let total = self.count.unwrap_or(top);
        let has_top = self.rows.last().is_some_and(|(upper, _)| *upper == Scheme::UNBOUNDED);
        if has_top && total != top {
            return Err("the count and the bucket without an upper bound differ: the page is cut");
        }
        if !has_top && self.count.is_none() {
            return Err("neither a count nor a bucket without an upper bound: the page is cut");
        }
        // Older clients leave out the bucket without an upper bound.
        let rest = (!has_top).then_some((Scheme::UNBOUNDED, total));
        for (upper, count) in self.rows.iter().copied().chain(rest) {
            if upper == 0 && count == 0 {
                continue;
            }
            counts.push(count.checked_sub(reached).ok_or("counts fall from one bound to the next")?);
            bounds.push(upper);
            reached = count;
        }
        let scheme = Scheme::new(bounds).map_err(|_| "the bounds do not follow one another")?;
        let scale = self.unit.as_nanos().as_secs_f64();
        let sum = self.sum.and_then(|sum| Nanos::from_secs_f64(sum * scale));
        Histogram::new(scheme, counts, sum).map_err(|_| "the counts are too large")
    }

    #[cfg(test)]
    fn of(rows: &[(u64, u64)]) -> Partial {
        Partial {
            place: Place::default(),
            series: Series::named("x"),
            unit: Unit::Seconds,
            rows: rows.to_vec(),
            sum: None,
            count: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_differences_in_the_order_of_bounds() {
        let rows = [(Scheme::UNBOUNDED, 9), (200, 7), (100, 4)];
        let counts = Partial::of(&rows).complete().counts.unwrap();
        assert_eq!(counts.counts(), [4, 3, 2]);
        assert_eq!(counts.scheme().bounds(), [0, 100, 200, Scheme::UNBOUNDED]);
        let falling = Partial::of(&[(100, 4), (200, 3), (Scheme::UNBOUNDED, 4)]).complete();
        assert_eq!(falling.counts.unwrap_err().1, 4);
        let without_top = Partial { count: Some(9), ..Partial::of(&rows[1..]) };
        assert_eq!(without_top.complete().counts.unwrap().counts(), [4, 3, 2]);
    }
}
