//! What can be said of waits by looking at sessions now and then.
//!
//! A look tells that a session waits, not for how long, and two looks at the same wait event may
//! have seen two waits. Only where the server itself says since when something has gone on is it
//! known to be one: waits for locks, and transactions that idle. Their lengths lie between the last
//! look at them and the one after, and are taken to be in the middle. Of all others the number of
//! sessions at each look is kept, which is an average and no latency.

use std::collections::{BTreeMap, HashMap};

use isotherm_frame::{Nanos, Timestamp};

use super::row::{Sample, Session};
use crate::grouping::Grouping;
use crate::{Context, Note, Sink};

/// What waits can be told apart by.
const ATTRIBUTES: &[&str] = &["event", "database", "user", "application", "query_id", "state"];
/// What sessions that wait for nothing are called.
const RUNNING: &str = "CPU (no wait event)";
/// Waits and wait events at most.
const MOST: usize = 10_000;

/// The waits that are seen.
pub(super) struct Waits {
    grouping: Grouping,
    hz: u32,
    open: HashMap<Key, Open>,
    /// How often sessions were seen waiting for an event.
    seen: BTreeMap<String, u64>,
    samples: u64,
}

/// What tells one wait from others: the session, its start, the event and since when it goes on.
type Key = (i64, i64, String, i64);

/// A wait that goes on.
struct Open {
    session: Session,
    /// The server's clock at the last look at it.
    seen_us: i64,
}

impl Waits {
    pub(super) fn new(context: &Context, hz: u32) -> Waits {
        let grouping = Grouping::new(context, "waits", ATTRIBUTES, &["event"]);
        Waits { grouping, hz, open: HashMap::new(), seen: BTreeMap::new(), samples: 0 }
    }

    /// Takes one look at a moment of our clock; gives how many waits ended since the last.
    pub(super) fn take(&mut self, at: Timestamp, sample: Sample, sink: &mut dyn Sink) -> u64 {
        let now_us = sample.now_us;
        self.samples += 1;
        let mut changed_us = HashMap::new();
        for session in sample.sessions {
            changed_us.insert((session.pid, session.began_us), session.state_change_us);
            self.count(&session);
            let Some((event, since_us)) = session.since_us() else { continue };
            let key = (session.pid, session.began_us, event.to_owned(), since_us);
            if self.open.len() < MOST || self.open.contains_key(&key) {
                self.open.insert(key, Open { session, seen_us: now_us });
            }
        }
        let gone: Vec<Key> = self
            .open
            .iter()
            .filter(|(_, open)| open.seen_us != now_us)
            .map(|(key, _)| key.clone())
            .collect();
        let ended = gone.len() as u64;
        for key in gone {
            if let Some(open) = self.open.remove(&key) {
                let changed = changed_us.get(&(key.0, key.1)).copied();
                self.ended(at, key, (&open, now_us, changed), sink);
            }
        }
        ended
    }

    /// The connection is lost: nobody sees when the waits that go on end.
    pub(super) fn forget(&mut self) {
        self.open.clear();
    }

    /// Tells of a wait that was no longer there at `now_us`; its session last changed its state at
    /// `changed`.
    fn ended(
        &mut self,
        at: Timestamp,
        (_, _, event, since_us): Key,
        (open, now_us, changed): (&Open, i64, Option<i64>),
        sink: &mut dyn Sink,
    ) {
        // It ended before the session did something else, if that is known.
        let latest = changed.filter(|changed| (open.seen_us..now_us).contains(changed));
        let latest = latest.unwrap_or(now_us);
        let middle_us = open.seen_us + (latest - open.seen_us) / 2;
        let (Ok(length), Ok(ago)) =
            (u64::try_from(middle_us.saturating_sub(since_us)), u64::try_from(now_us - middle_us))
        else {
            return;
        };
        let Session { database, user, application, query_id, state, .. } = &open.session;
        let values = [&event, database, user, application, query_id, state];
        sink.record();
        let at = at.minus(Nanos::from_micros(ago));
        let latency = Nanos::from_micros(length);
        self.grouping.tell(&values.map(String::as_bytes), (at, latency), sink);
    }

    /// Counts what a session was seen to do.
    fn count(&mut self, session: &Session) {
        let event = match (session.event.as_str(), session.state.as_str()) {
            (_, "idle") => return,
            (_, state) if state.starts_with("idle in transaction") => "Client:idle in transaction",
            ("", "active" | "fastpath function call") => RUNNING,
            ("", _) => return,
            (event, _) => event,
        };
        if let Some(times) = self.seen.get_mut(event) {
            *times += 1;
        } else if self.seen.len() < MOST {
            self.seen.insert(event.to_owned(), 1);
        }
    }

    /// Says how many sessions were seen waiting for what.
    pub(super) fn finish(&mut self, sink: &mut dyn Sink) {
        self.grouping.finish(sink);
        if self.samples == 0 {
            return;
        }
        let mut seen: Vec<(&String, &u64)> = self.seen.iter().collect();
        seen.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
        let mean = |(event, times): (&String, &u64)| {
            format!("{event} {:.2}", *times as f64 / self.samples as f64)
        };
        let most: Vec<String> = seen.into_iter().take(20).map(mean).collect();
        let said = if most.is_empty() {
            "no session waited or worked".to_owned()
        } else {
            most.join(", ")
        };
        let (samples, hz) = (self.samples, self.hz);
        let words = format!(
            "sessions on average in {samples} samples, {hz} a second (estimates, not latencies): {said}"
        );
        sink.note(Note::Said(words.into()));
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Account, Reading, Rejection};

    use super::*;

    #[derive(Default)]
    struct Decoded(Vec<(String, i64, u64)>, Account);

    impl Sink for Decoded {
        fn reading(&mut self, reading: Reading) {
            let Reading::Event { at, series, latency } = reading else { panic!("{reading:?}") };
            self.0.push((series.full(), at.as_nanos() / 1_000, latency.as_nanos() / 1_000));
        }

        fn record(&mut self) {}

        fn reject(&mut self, rejection: Rejection) {
            panic!("{rejection}")
        }

        fn note(&mut self, note: Note) {
            note.account(&mut self.1);
        }
    }

    fn waiting(pid: i64, since_us: i64) -> Session {
        let waits_since_us = Some(since_us);
        let (event, state) = ("Lock:tuple".to_owned(), "active".to_owned());
        Session { pid, began_us: 1, event, state, waits_since_us, ..Session::default() }
    }

    fn look(waits: &mut Waits, decoded: &mut Decoded, now_us: i64, sessions: &[Session]) {
        // Our clock is 5 µs ahead of the server's.
        let at = Timestamp::new((now_us + 5) * 1_000);
        waits.take(at, Sample { now_us, sessions: sessions.to_vec() }, decoded);
    }

    #[test]
    fn a_wait_ends_between_two_looks_and_began_when_the_server_says() {
        let (mut waits, mut decoded) = (Waits::new(&Context::default(), 10), Decoded::default());
        look(&mut waits, &mut decoded, 1_000_000, &[waiting(7, 900_000), waiting(8, 950_000)]);
        look(&mut waits, &mut decoded, 1_100_000, &[waiting(7, 900_000), waiting(8, 1_090_000)]);
        // The session went from one lock to the next: the first wait is over.
        assert_eq!(decoded.0, [("Lock:tuple".to_owned(), 1_050_005, 100_000)]);
        look(&mut waits, &mut decoded, 1_200_000, &[waiting(7, 900_000)]);
        look(&mut waits, &mut decoded, 1_300_000, &[]);
        assert_eq!(
            decoded.0[1..],
            [
                ("Lock:tuple".to_owned(), 1_150_005, 60_000),
                ("Lock:tuple".to_owned(), 1_250_005, 350_000),
            ]
        );
        waits.finish(&mut decoded);
        let said = decoded.1.notices.iter().map(ToString::to_string).collect::<String>();
        assert!(said.contains("Lock:tuple 1.25"), "{said}");
    }

    #[test]
    fn a_wait_that_ends_while_the_connection_is_lost_has_no_length() {
        let (mut waits, mut decoded) = (Waits::new(&Context::default(), 10), Decoded::default());
        let goes_on = waiting(8, 950_000);
        look(&mut waits, &mut decoded, 1_000_000, &[waiting(7, 900_000), goes_on.clone()]);
        waits.forget();
        // Ten minutes later: one is gone, the other is still there, as long as the server says.
        look(&mut waits, &mut decoded, 601_000_000, &[goes_on]);
        look(&mut waits, &mut decoded, 601_100_000, &[]);
        assert_eq!(decoded.0, [("Lock:tuple".to_owned(), 601_050_005, 600_100_000)]);
    }

    #[test]
    fn an_idle_transaction_ends_when_its_session_changes_its_state() {
        let session = |state: &str, state_change_us| Session {
            pid: 1,
            event: "Client:ClientRead".to_owned(),
            state: state.to_owned(),
            state_change_us,
            ..Session::default()
        };
        let (mut waits, mut decoded) = (Waits::new(&Context::default(), 10), Decoded::default());
        look(&mut waits, &mut decoded, 1_000_000, &[session("idle in transaction", 400_000)]);
        look(&mut waits, &mut decoded, 1_100_000, &[session("idle", 1_020_000)]);
        let expected = ("Client:idle in transaction".to_owned(), 1_010_005, 610_000);
        assert_eq!(decoded.0, [expected]);
    }

    #[test]
    fn other_wait_events_are_counted_and_make_no_latencies() {
        let reading = Session {
            pid: 1,
            event: "IO:DataFileRead".to_owned(),
            state: "active".to_owned(),
            ..Session::default()
        };
        let (mut waits, mut decoded) = (Waits::new(&Context::default(), 10), Decoded::default());
        for now_us in [1_000_000, 1_100_000, 1_200_000] {
            look(&mut waits, &mut decoded, now_us, &[reading.clone(), reading.clone()]);
        }
        waits.finish(&mut decoded);
        assert_eq!(decoded.0, []);
        let said = decoded.1.notices.iter().map(ToString::to_string).collect::<String>();
        assert!(said.contains("IO:DataFileRead 2.00") && said.contains("3 samples"), "{said}");
    }
}
