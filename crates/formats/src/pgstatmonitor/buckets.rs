//! Buckets of time: what is read of one again and again grows until the next one begins.

use std::collections::BTreeMap;

use isotherm_frame::{Frame, Histogram, Nanos, Partial, Quality, Reading, Series, Timestamp};

use super::columns::Row;
use crate::{Note, Sink};

/// The buckets that are not given yet.
#[derive(Debug)]
pub struct Buckets {
    /// What this poll has: rows that differ in nothing that is kept are added up.
    poll: BTreeMap<(Timestamp, Series), Histogram>,
    /// Each statement with the first text it had.
    names: BTreeMap<Series, Series>,
    open: BTreeMap<Timestamp, BTreeMap<Series, Histogram>>,
    /// The last one that was given.
    given_until: Option<Timestamp>,
    /// The shortest distance of two.
    length: Option<Nanos>,
    /// The length that the user says.
    given: Option<Nanos>,
}

impl Buckets {
    /// As long as nobody says something else.
    const USUAL: Nanos = Nanos::from_millis(60_000);

    /// Nothing read yet; `given` is the length of an interval where the rows do not say it.
    pub fn new(given: Option<Nanos>) -> Buckets {
        let (poll, names) = (BTreeMap::new(), BTreeMap::new());
        Buckets { poll, names, open: BTreeMap::new(), given_until: None, length: None, given }
    }

    /// Takes a statement of a bucket.
    pub fn take(&mut self, row: Row, sink: &mut dyn Sink) {
        sink.record();
        let Row { start, series, query, counts } = row;
        let name = match (self.names.get(&series), query) {
            (Some(name), _) => name.clone(),
            (None, Some(query)) => series.with_attribute("query", &query),
            (None, None) => series.clone(),
        };
        self.names.entry(series).or_insert_with(|| name.clone());
        let known = self.poll.entry((start, name));
        known.and_modify(|known| known.add(&counts)).or_insert(counts);
    }

    /// A poll has ended. What was read of a bucket takes the place of what was read of it before; buckets
    /// before the last are complete, and given.
    pub fn tell(&mut self, sink: &mut dyn Sink) {
        for ((start, series), counts) in std::mem::take(&mut self.poll) {
            if self.given_until.is_none_or(|until| start > until) {
                self.open.entry(start).or_default().insert(series, counts);
            }
        }
        self.measure();
        while self.open.len() > 1 {
            let Some((start, statements)) = self.open.pop_first() else { return };
            self.bucket((start, statements), Quality::Complete, sink);
        }
    }

    /// There is no more to read. The last bucket may go on.
    pub fn finish(mut self, sink: &mut dyn Sink) {
        self.tell(sink);
        if self.length.or(self.given).is_none() && !self.open.is_empty() {
            let said = "there is only one time bucket: a length of 60 s is assumed (--interval)";
            sink.note(Note::Assumed(said.into()));
        }
        while let Some(last) = self.open.pop_first() {
            self.bucket(last, Quality::Partial(Partial::UnknownWindow), sink);
        }
    }

    fn measure(&mut self) {
        let starts: Vec<Timestamp> =
            self.given_until.into_iter().chain(self.open.keys().copied()).collect();
        let between = starts.windows(2).map(|pair| pair[1].since(pair[0]));
        self.length = between.chain(self.length).filter(|length| *length > Nanos::ZERO).min();
    }

    fn bucket(
        &mut self,
        (start, statements): (Timestamp, BTreeMap<Series, Histogram>),
        quality: Quality,
        sink: &mut dyn Sink,
    ) {
        let length = self.given.or(self.length).unwrap_or(Buckets::USUAL);
        self.given_until = Some(start);
        let end = start.plus(length);
        for (series, counts) in statements {
            sink.reading(Reading::Delta(Frame { series, start, end, counts, quality }));
        }
    }
}
