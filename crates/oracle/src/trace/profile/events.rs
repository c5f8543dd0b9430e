//! What was waited for.

use isotherm_frame::{Histogram, LogLinear, Nanos, Scheme};

use super::reads::ReadKind;
use crate::idle::is_idle;
use crate::trace::Names;

/// The waits of one event.
#[derive(Clone, Debug)]
pub struct Event {
    /// The name, bytes that are not UTF-8 replaced.
    pub name: Box<str>,
    /// Whether nobody waits for the database during such a wait.
    pub idle: bool,
    /// The number of waits.
    pub count: u64,
    /// Their time in nanoseconds.
    pub total_ns: u64,
    /// The shortest, in nanoseconds; meaningless without waits.
    pub min_ns: u64,
    /// The longest, in nanoseconds.
    pub max_ns: u64,
    /// The unit in which the trace writes them: no wait lies between its multiples.
    tick_ns: u64,
    /// How many waits fell in each bucket of [`Scheme::log_linear`].
    buckets: Box<[u64]>,
    /// What its parameters say of blocks read.
    pub(super) read: Option<ReadKind>,
    /// Whether it is about the line to the client or to another database.
    pub(super) network: bool,
}

/// All events, in the order in which they were first met.
#[derive(Clone, Debug)]
pub struct Events {
    list: Vec<Event>,
    /// The names as written; their numbers are places in the list.
    names: Names,
    /// The unit of the trace in nanoseconds.
    pub(super) tick_ns: u64,
}

/// The place of an event in the list.
pub(super) type EventId = u32;

/// More names than any version of the database has; what is beyond them is damaged input.
const MOST: usize = 4_096;
/// The name of the events beyond.
const OTHERS: &[u8] = b"(other events)";

impl Event {
    fn named(name: &[u8], tick_ns: u64) -> Event {
        Event {
            name: String::from_utf8_lossy(name).into(),
            idle: is_idle(name),
            count: 0,
            total_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            tick_ns,
            buckets: vec![0; Scheme::log_linear().buckets()].into(),
            read: ReadKind::of(name),
            network: name.starts_with(b"SQL*Net"),
        }
    }

    /// The latencies, with their exact total.
    pub fn latencies(&self) -> Histogram {
        let sum = Some(Nanos::new(self.total_ns));
        let scheme = Scheme::log_linear();
        let empty = Histogram::empty(scheme.clone());
        Histogram::new(scheme, self.buckets.to_vec(), sum).unwrap_or(empty)
    }

    /// The range that the quantile `q` lies in, in nanoseconds, both ends included: the bucket
    /// that holds it, no wider than from the shortest wait to the longest, in whole units of the
    /// trace. `None` without waits.
    pub fn quantile(&self, q: f64) -> Option<(u64, u64)> {
        let bucket = self.latencies().quantile(q).ok()?.bucket;
        let last = bucket.hi.map_or(u64::MAX, |hi| hi.as_nanos() - 1);
        let first = bucket.lo.as_nanos().next_multiple_of(self.tick_ns);
        let last = last - last % self.tick_ns;
        Some((first.max(self.min_ns), last.min(self.max_ns)))
    }

    /// The mean in nanoseconds; `None` without waits.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total_ns as f64 / self.count as f64)
    }

    fn record(&mut self, ns: u64) {
        self.count += 1;
        self.total_ns = self.total_ns.saturating_add(ns);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
        self.buckets[LogLinear::EVENTS.index_of(Nanos::new(ns))] += 1;
    }

    fn merge(&mut self, other: &Event) {
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.tick_ns = self.tick_ns.min(other.tick_ns);
        for (count, more) in self.buckets.iter_mut().zip(&other.buckets) {
            *count += more;
        }
    }
}

impl Events {
    /// The events in the order in which they were first met.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Event> {
        self.list.iter()
    }

    /// The events, most time first, idle ones last.
    pub fn by_time(&self) -> Vec<&Event> {
        let mut sorted: Vec<&Event> = self.list.iter().collect();
        sorted.sort_by(|one, two| {
            let key = |event: &Event| (event.idle, std::cmp::Reverse(event.total_ns));
            key(one).cmp(&key(two)).then_with(|| one.name.cmp(&two.name))
        });
        sorted
    }

    /// The event of this name.
    pub fn named(&self, name: &str) -> Option<&Event> {
        self.list.iter().find(|event| &*event.name == name)
    }

    /// The event at this place, if there is one.
    pub(super) fn get(&self, id: EventId) -> Option<&Event> {
        self.list.get(id as usize)
    }

    /// Counts a wait.
    #[inline]
    pub(super) fn record(&mut self, name: &[u8], ns: u64) -> (EventId, &Event) {
        let id = self.place(name);
        let event = &mut self.list[id as usize];
        event.record(ns);
        (id, event)
    }

    /// Counts what `other` counted too; says where its events are here.
    pub(super) fn merge(&mut self, other: &Events) -> Vec<EventId> {
        let names = other.names.iter().chain([OTHERS]);
        let places = names.zip(&other.list).map(|(name, event)| {
            let id = self.place(name);
            self.list[id as usize].merge(event);
            id
        });
        places.collect()
    }

    /// The place of the event of this name, made if it is new.
    #[inline]
    fn place(&mut self, name: &[u8]) -> EventId {
        let number = self.names.number(name).unwrap_or(MOST);
        while self.list.len() <= number && self.list.len() <= MOST {
            let name = if number < MOST { name } else { OTHERS };
            self.list.push(Event::named(name, self.tick_ns));
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most MOST")]
        let id = number as EventId;
        id
    }
}

impl Default for Events {
    fn default() -> Events {
        Events { list: Vec::new(), names: Names::new(MOST), tick_ns: 1_000 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_no_wider_than_what_was_waited() {
        let mut events = Events::default();
        for ns in [3_000, 3_000, 3_000, 4_900_000, 5_000_000] {
            events.record(b"latch free", ns);
        }
        let event = events.named("latch free").unwrap();
        // The bucket is 2,816..3,072 ns.
        assert_eq!(event.quantile(0.5), Some((3_000, 3_000)));
        // 4,718,592..5,242,880 ns.
        assert_eq!(event.quantile(0.8), Some((4_719_000, 5_000_000)));
        assert_eq!(event.mean_ns(), Some(1_981_800.0));
        assert_eq!(event.latencies().sum(), Some(Nanos::new(9_909_000)));
    }

    #[test]
    fn a_flood_of_names_is_counted_as_others() {
        let mut events = Events::default();
        for number in 0..MOST + 10 {
            events.record(format!("event {number}").as_bytes(), 1);
        }
        assert_eq!(events.iter().len(), MOST + 1);
        assert_eq!(events.named("(other events)").unwrap().count, 10);
    }

    #[test]
    fn merging_keeps_names_that_are_no_text_and_the_others() {
        let (mut one, mut two) = (Events::default(), Events::default());
        one.record(b"latch \xff", 5);
        for number in 0..MOST + 10 {
            two.record(format!("event {number}").as_bytes(), 1);
        }
        two.record(b"latch \xff", 5);
        assert_eq!(one.merge(&two).len(), MOST + 1);
        let counted: u64 = one.iter().map(|event| event.count).sum();
        assert_eq!(counted, MOST as u64 + 12);
        // Eleven others there, and one name more than there is room for here.
        assert_eq!(one.named("(other events)").unwrap().count, 12);
    }

    #[test]
    fn idle_events_come_last() {
        let mut events = Events::default();
        for (name, ns) in [("SQL*Net message from client", 9_000), ("b", 5), ("a", 5), ("c", 7)] {
            events.record(name.as_bytes(), ns);
        }
        let names: Vec<&str> = events.by_time().iter().map(|event| &*event.name).collect();
        assert_eq!(names, ["c", "a", "b", "SQL*Net message from client"]);
    }
}
