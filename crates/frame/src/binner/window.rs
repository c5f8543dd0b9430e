//! The time that is observed.

use crate::{Histogram, LogLinear, Nanos, Scheme, Timestamp};

/// From when to when events are observed: as the source says, or as far as its events tell.
#[derive(Debug)]
pub(super) struct Window {
    /// What was waited before this moment is not looked at.
    floor: Option<Timestamp>,
    /// The end of the time observed, once it is known.
    pub until: Option<Timestamp>,
    /// When the first wait began, as far as it is looked at.
    begin: Option<Timestamp>,
    /// The end of the first event and of the last one.
    ends: Option<(Timestamp, Timestamp)>,
    /// When the wait that ended last began.
    last_begin: Option<Timestamp>,
    /// The end of the event before and whether it is counted, and the times between such ends.
    previous: Option<(Timestamp, bool)>,
    spaces: Spaces,
    /// The events taken note of.
    taken: u64,
    /// The latest stamp.
    last_stamp: Option<Timestamp>,
    /// How much later than its stamp the moment may be that it says.
    reach: Nanos,
    /// What is covered after the last event although nothing says so.
    beyond: Nanos,
    closed: bool,
}

/// Times between the ends of events, one number for each bucket: one is counted for each event.
#[derive(Debug)]
struct Spaces(Box<[u64]>);

impl Default for Spaces {
    fn default() -> Spaces {
        Spaces(vec![0; Scheme::log_linear().buckets()].into())
    }
}

impl Spaces {
    fn record(&mut self, space: Nanos) {
        if let Some(count) = self.0.get_mut(LogLinear::EVENTS.index_of(space)) {
            *count += 1;
        }
    }

    /// How many there are, and the median.
    fn median(&self) -> Option<(u64, Nanos)> {
        let spaces = Histogram::new(Scheme::log_linear(), self.0.to_vec(), None).ok()?;
        Some((spaces.events(), spaces.quantile(0.5).ok()?.estimate))
    }
}

impl Default for Window {
    fn default() -> Window {
        Window {
            floor: None,
            until: None,
            begin: None,
            ends: None,
            last_begin: None,
            previous: None,
            spaces: Spaces::default(),
            taken: 0,
            last_stamp: None,
            reach: Nanos::ZERO,
            beyond: Nanos::ZERO,
            closed: false,
        }
    }
}

impl Window {
    /// How far back a wait is looked at that began before everything else.
    const LOOK_BACK: Nanos = Nanos::new(86_400 * 1_000_000_000);

    /// The source has measured from one moment to another.
    pub fn observe(&mut self, from: Timestamp, until: Timestamp) {
        self.floor.get_or_insert(from);
        self.until = self.until.max(Some(until));
    }

    /// Takes note of an event, whether it is counted or not, that is said to have ended `at` and is taken to
    /// have ended at `end`, then or a little later; gives the moment from which on its time is looked at. The
    /// units of the first and the last stamp are covered as a whole.
    pub fn take(
        &mut self,
        (at, end): (Timestamp, Timestamp),
        latency: Nanos,
        stamp: Timestamp,
        counted: bool,
    ) -> Timestamp {
        self.taken += 1;
        let floor = self.floor.unwrap_or_else(|| end.minus(Window::LOOK_BACK));
        let waited_from = end.minus(latency).max(floor).min(end);
        let begin = waited_from.min(stamp.max(floor));
        self.last_stamp = self.last_stamp.max(Some(stamp));
        self.begin = Some(self.begin.map_or(begin, |known| known.min(begin)));
        let (first, last) = self.ends.unwrap_or((at, at));
        if at >= last {
            let earlier = self.last_begin.filter(|_| at == last);
            self.last_begin = Some(earlier.map_or(begin, |known| known.min(begin)));
        }
        self.ends = Some((first.min(at), last.max(at)));
        if let Some((previous, both)) = self.previous.replace((at, counted)) {
            let space = at.since(previous).max(previous.since(at));
            // What is counted and what is not may be parts of one event, which ends once.
            if space > Nanos::ZERO || both && counted {
                self.spaces.record(space);
            }
        }
        waited_from
    }

    /// Whether a latency reaches further back than is looked at, where nothing says since when was
    /// measured.
    pub fn is_cut(&self, latency: Nanos) -> bool {
        self.floor.is_none() && latency > Window::LOOK_BACK
    }

    /// What is stamped with a moment ended up to so much later.
    pub fn reach_beyond(&mut self, unit: Nanos) {
        self.reach = unit;
    }

    /// When the latest event ended.
    pub fn latest(&self) -> Option<Timestamp> {
        self.ends.map(|(_, last)| last)
    }

    /// When the earliest event ended.
    pub fn first_end(&self) -> Option<Timestamp> {
        self.ends.map(|(first, _)| first)
    }

    /// The moment before which nothing is looked at, or else when the first wait began.
    pub fn from(&self) -> Option<Timestamp> {
        self.floor.or(self.begin)
    }

    /// Intervals are given: they began where they began.
    pub fn fix(&mut self) {
        self.floor = self.floor.or(self.begin);
    }

    /// Nothing more will come. Where the source does not say until when it measured, `n` events
    /// have `n - 1` spaces between their ends: one more belongs to them, since a sample begins and
    /// ends with an event, not at a random moment. The usual space is the mean one, or the median one
    /// where that is shorter, on which long silences have no influence.
    ///
    /// Ends are counted from the start of the first wait or, where that lies in an earlier interval
    /// than the first end, from the start of `first_interval`, in which the first event ended. But
    /// who waits longer than such a space may well wait in the one after the last end, too, and that
    /// is not said to be silent.
    pub fn close(&mut self, first_interval: Option<Timestamp>) {
        let Some((first, last)) = self.ends else {
            // Nothing ended; until when that is known is known all the same.
            self.closed = self.until.is_some();
            return;
        };
        let live = self.floor.is_some() || self.until.is_some();
        let stamped = self.last_stamp.unwrap_or(last).plus(self.reach);
        let until = self.until.unwrap_or(last).max(last).max(stamped);
        self.until = Some(until);
        self.closed = true;
        self.floor = self.floor.or(self.begin);
        if let Some((spaces, usual)) = self.spaces.median().filter(|_| !live) {
            let span = last.since(first);
            let usual = usual.min(Nanos::new(span.as_nanos() / spaces.max(1)));
            let is_short = self.last_begin.is_some_and(|begin| last.since(begin) < usual);
            let from = self.floor.max(first_interval.filter(|_| is_short)).unwrap_or(first);
            self.until = Some(until.max(from.plus(span).plus(usual)));
            self.beyond = self.until.map_or(Nanos::ZERO, |until| until.since(last));
        }
    }

    /// How much is covered after the last event although nothing says so, and how many events tell it.
    pub fn beyond(&self) -> (Nanos, u64) {
        (self.beyond, self.taken)
    }

    /// Makes the window reach into an interval that has events; all of it, if it would be empty.
    pub fn extend_into(&mut self, start: Timestamp, width: Nanos) {
        let (from, until) = self.cut();
        if until <= start.max(from) {
            self.until = Some(start.max(from).plus(width));
        }
    }

    /// What frames are cut to.
    pub fn cut(&self) -> (Timestamp, Timestamp) {
        let from = self.floor.or(self.begin).unwrap_or(Timestamp::new(i64::MIN));
        let until = self.until.filter(|_| self.closed);
        (from, until.unwrap_or(Timestamp::new(i64::MAX)))
    }
}
