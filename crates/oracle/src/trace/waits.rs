//! The waits of a whole trace as one histogram for each event: the quick way.

use std::collections::BTreeMap;
use std::io;

use isotherm_frame::{Histogram, LogLinear, Nanos, Scheme};

use super::parts::{self, ReadAt};
use super::{Account, Names, Visitor, Wait, Wants};

/// The waits of each event of a trace, in the trace's unit.
#[derive(Clone, Debug)]
pub struct Histograms {
    names: Names,
    /// One for each name, and a last one for the events there is no room for.
    waits: Vec<Waits>,
    others: Waits,
}

/// The waits of one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    /// In the buckets of [`Scheme::log_linear`], but of units of the trace, not of nanoseconds.
    counts: Box<[u64]>,
    /// The exact sum of the times waited.
    sum: u128,
}

impl Waits {
    fn new() -> Waits {
        Waits { counts: vec![0; Scheme::log_linear().buckets()].into(), sum: 0 }
    }

    #[inline]
    fn record(&mut self, ela: u64) {
        let index = LogLinear::EVENTS.index_of(Nanos::new(ela));
        if let Some(count) = self.counts.get_mut(index) {
            *count += 1;
        }
        self.sum += u128::from(ela);
    }

    fn add(&mut self, other: &Waits) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.sum += other.sum;
    }

    /// How many waits.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The exact sum of the times waited, in the trace's unit.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// As a histogram of times, where the trace's unit is `unit`: single units below 16, then 8
    /// buckets to an octave.
    pub fn histogram(&self, unit: Nanos) -> Histogram {
        let scheme = Scheme::log_linear();
        let unit = unit.as_nanos().max(1);
        let bounds = scheme.bounds().iter().map_while(|bound| bound.checked_mul(unit));
        let mut bounds: Vec<u64> = bounds.collect();
        bounds.push(Scheme::UNBOUNDED);
        let mut counts: Vec<u64> = self.counts.to_vec();
        let beyond = counts.split_off((bounds.len() - 1).min(counts.len()));
        if let Some(last) = counts.last_mut() {
            *last += beyond.iter().sum::<u64>();
        }
        let sum = self.sum.checked_mul(u128::from(unit));
        let sum = sum.and_then(|sum| u64::try_from(sum).ok()).map(Nanos::new);
        let empty = || Histogram::empty(Scheme::log_linear());
        let scheme = Scheme::new(bounds).unwrap_or(scheme);
        Histogram::new(scheme, counts, sum).unwrap_or_else(|_| empty())
    }
}

impl Default for Histograms {
    fn default() -> Histograms {
        Histograms {
            names: Names::new(Histograms::EVENTS),
            waits: Vec::new(),
            others: Waits::new(),
        }
    }
}

impl Histograms {
    /// The most events distinguished: a server has about 2,000.
    pub const EVENTS: usize = 4_096;

    /// What events beyond [`Histograms::EVENTS`] are called.
    pub const OTHERS: &'static str = "(others)";

    /// Each event with its waits, those with most time first.
    pub fn events(&self) -> Vec<(String, &Waits)> {
        let names = self.names.iter().map(|name| String::from_utf8_lossy(name).into_owned());
        let others = (Histograms::OTHERS.to_owned(), &self.others);
        let mut events: Vec<_> = names.zip(&self.waits).chain([others]).collect();
        events.retain(|(_, waits)| waits.counts.iter().any(|&count| count > 0));
        events
            .sort_by(|(one_name, one), (name, other)| (other.sum, one_name).cmp(&(one.sum, name)));
        events
    }

    /// Takes in the waits of another part of the trace.
    pub fn add(&mut self, other: &Histograms) {
        for (name, waits) in other.names.iter().zip(&other.waits) {
            self.of(name).add(waits);
        }
        self.others.add(&other.others);
    }

    #[inline]
    fn of(&mut self, name: &[u8]) -> &mut Waits {
        let Some(number) = self.names.number(name) else { return &mut self.others };
        if number >= self.waits.len() {
            self.waits.resize_with(number + 1, Waits::new);
        }
        self.waits.get_mut(number).unwrap_or(&mut self.others)
    }
}

impl Visitor for Histograms {
    const WANTS: Wants = Wants::WAITS;

    #[inline]
    fn wait(&mut self, wait: &Wait<'_>) {
        self.of(wait.event).record(wait.ela);
    }
}

/// The waits of a trace, read by `threads` threads. What is counted does not depend on how many
/// there are: a part that turns out to begin inside a statement is read again.
pub fn histograms<S: ReadAt + ?Sized>(
    trace: &S,
    threads: usize,
) -> Result<(Histograms, Account), io::Error> {
    let (parts, account) = parts::scan(trace, threads, Histograms::default)?;
    let mut all = Histograms::default();
    for part in &parts {
        all.add(part);
    }
    Ok((all, account))
}

/// Events by name, to compare.
impl PartialEq for Histograms {
    fn eq(&self, other: &Histograms) -> bool {
        let map = |histograms: &Histograms| -> BTreeMap<String, Waits> {
            histograms.events().into_iter().map(|(name, waits)| (name, waits.clone())).collect()
        };
        map(self) == map(other)
    }
}
