//! What can be said of waits by looking at sessions now and then.
//!
//! A look tells that a session waits, not for how long, and two looks at the same wait event may
//! have seen two waits: each stands for the time since the look before, which makes an average waiting
//! and no latency. Only where the server itself says since when something has gone on is it known to
//! be one wait: waits for locks, and transactions that idle. Their lengths lie between the last look
//! at them and the one after, and are taken to be in the middle. Where that is less exact than the
//! length itself, as of a wait that only one look saw, there is time again and no length.

use std::collections::{BTreeMap, HashMap};

use isotherm_formats::dbstats::SampleTimes;
use isotherm_formats::{Context, Grouping, Note, Sink};
use isotherm_frame::numbers::{counted, grouped};
use isotherm_frame::{Nanos, OpenWait, OpenWaits, Reading, Series, Timestamp};

use super::blocking::Blocking;
use super::prepared::Prepared;
use super::row::{ACTIVITY, IDLE, Sample, Session, activity_with_texts};

/// What waits can be told apart by.
const ATTRIBUTES: &[&str] =
    &["event", "database", "user", "application", "query_id", "state", QUERY];
/// The one that needs the texts of statements.
const QUERY: &str = "query";
/// What sessions that wait for nothing are called.
const RUNNING: &str = "CPU (no wait event)";
/// Waits and wait events at most.
const MOST: usize = 10_000;

/// The waits that are seen.
pub(super) struct Waits {
    grouping: Grouping,
    hz: u32,
    open: HashMap<WaitKey, Open>,
    /// How often sessions were seen waiting for an event.
    seen: BTreeMap<String, u64>,
    samples: u64,
    /// The time of waits without a length.
    time: SampleTimes,
    /// Who blocks whom.
    pub(super) blocking: Blocking,
    /// What is asked of the server.
    pub(super) question: Prepared,
    /// The waits that went on at the last look, and whether there were any to tell.
    went_on: OpenWaits,
    tells_open: bool,
    /// The first look.
    looked_from: Option<Timestamp>,
}

/// Which wait of which session: of a process that began then, for this, since then.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WaitKey {
    pid: i64,
    began_us: i64,
    event: String,
    since_us: i64,
}

/// A wait that goes on.
struct Open {
    session: Session,
    /// The server's clock at the last look at it.
    seen_us: i64,
    /// When it began, by our clock at the first look at it.
    begin: Timestamp,
}

/// When a wait ended: after the last look that saw it, and no later than this.
#[derive(Copy, Clone, Debug)]
struct End {
    seen_us: i64,
    latest_us: i64,
}

impl End {
    /// How far from the middle it may be, in microseconds.
    fn within_us(self) -> u64 {
        self.latest_us.abs_diff(self.seen_us).div_ceil(2)
    }

    fn middle_us(self) -> i64 {
        self.seen_us + (self.latest_us - self.seen_us) / 2
    }

    /// Whether the length of a wait that began then is known better than that it was short: it had
    /// lasted longer when it was last seen than it may have lasted after that.
    fn has_length(self, since_us: i64) -> bool {
        self.seen_us - since_us >= self.latest_us - self.seen_us
    }
}

/// What tells series apart, in the order of [`ATTRIBUTES`].
fn values<'a>(event: &'a str, session: &'a Session) -> [&'a str; 7] {
    let Session { database, user, application, query_id, state, query, .. } = session;
    [event, database, user, application, query_id, state, query]
}

impl Waits {
    /// `interval` is the length of the intervals that time without a length is told in.
    pub(super) fn new(context: &Context, hz: u32, interval: Nanos) -> Waits {
        let grouping = Grouping::new(context, "waits", ATTRIBUTES, &["event"]);
        let by_text = context.by.iter().any(|by| by == QUERY)
            || context.only.iter().any(|only| only.attribute == QUERY);
        let sql = if by_text { activity_with_texts() } else { ACTIVITY.to_owned() };
        let question = Prepared::new(sql);
        let (open, seen, time) = (HashMap::new(), BTreeMap::new(), SampleTimes::every(interval));
        Waits {
            grouping,
            hz,
            open,
            seen,
            samples: 0,
            time,
            blocking: Blocking::default(),
            question,
            went_on: OpenWaits::default(),
            tells_open: false,
            looked_from: None,
        }
    }

    /// Takes one look at a moment of our clock; gives how many waits ended since the last.
    pub(super) fn take(&mut self, at: Timestamp, sample: Sample, sink: &mut dyn Sink) -> u64 {
        let now_us = sample.now_us;
        self.samples += 1;
        self.looked_from.get_or_insert(at);
        let (mut changed_us, mut timed) = (HashMap::new(), BTreeMap::new());
        for session in sample.sessions {
            changed_us.insert((session.pid, session.began_us), session.state_change_us);
            self.count(&session);
            let Some(wait) = session.wait(now_us) else { continue };
            let event = wait.event.to_owned();
            let Some(since_us) = wait.since_us else {
                self.add_time(&event, &session, &mut timed);
                continue;
            };
            let (pid, began_us) = (session.pid, session.began_us);
            let key = WaitKey { pid, began_us, event, since_us };
            if let Some(open) = self.open.get_mut(&key) {
                (open.session, open.seen_us) = (session, now_us);
            } else if self.open.len() < MOST {
                let age = Nanos::from_micros(u64::try_from(now_us - since_us).unwrap_or(0));
                self.open.insert(key, Open { session, seen_us: now_us, begin: at.minus(age) });
            }
        }
        let gone: Vec<WaitKey> = self
            .open
            .iter()
            .filter(|(_, open)| open.seen_us != now_us)
            .map(|(key, _)| key.clone())
            .collect();
        let ended = gone.len() as u64;
        for key in gone {
            let Some(open) = self.open.remove(&key) else { continue };
            // It ended before the session did something else, if that is known.
            let changed = changed_us.get(&(key.pid, key.began_us)).copied();
            let latest = changed.filter(|changed| (open.seen_us..now_us).contains(changed));
            let end = End { seen_us: open.seen_us, latest_us: latest.unwrap_or(now_us) };
            if end.has_length(key.since_us) {
                if let Ok(ago) = u64::try_from(now_us - end.middle_us()) {
                    let at = at.minus(Nanos::from_micros(ago));
                    self.ended(at, &key, &open.session, end, sink);
                }
            } else {
                self.add_time(&key.event, &open.session, &mut timed);
            }
        }
        self.time.add(at, &timed, sink);
        let open = self.open_waits(at);
        if self.tells_open || !open.waits.is_empty() {
            self.tells_open = !open.waits.is_empty();
            sink.waiting(open.clone());
        }
        self.went_on = open;
        ended
    }

    /// The waits that go on, by our clock. Those that have just begun may end before the next look, and
    /// are no event then.
    fn open_waits(&mut self, at: Timestamp) -> OpenWaits {
        let mut waits = Vec::with_capacity(self.open.len());
        let lasts = Nanos::new(1_000_000_000 / u64::from(self.hz.max(1)));
        let open = self.open.iter().filter(|(_, open)| at.since(open.begin) >= lasts);
        for (key, open) in open {
            let values = values(&key.event, &open.session);
            let Some(series) = self.grouping.series(&values.map(str::as_bytes)) else { continue };
            let (begin, blocker) = (open.begin, open.session.blocker.clone());
            waits.push(OpenWait { series, begin, blocker });
        }
        waits.sort_by(|one, two| (&one.series, one.begin).cmp(&(&two.series, two.begin)));
        OpenWaits { at, waits }
    }

    /// Books the time of the waits that go on when nobody looks any more: they are no events.
    fn book_open(&mut self, sink: &mut dyn Sink) {
        let open = std::mem::take(&mut self.went_on);
        let from = self.looked_from.unwrap_or(open.at);
        for frame in open.so_far(from, open.at) {
            sink.reading(Reading::Delta(frame));
        }
        if !open.waits.is_empty() {
            let words = match open.waits.len() {
                1 => "1 wait still went on: its time is counted, and it is no event".to_owned(),
                many => format!(
                    "{} waits still went on: their time is counted, and they are no events",
                    grouped(many as u64)
                ),
            };
            sink.note(Note::Said(words.into()));
            sink.waiting(OpenWaits { at: open.at, waits: Vec::new() });
        }
    }

    /// Adds the time between two looks to the wait of a session.
    fn add_time(&mut self, event: &str, session: &Session, timed: &mut BTreeMap<Series, u64>) {
        if let Some(series) = self.grouping.series(&values(event, session).map(str::as_bytes)) {
            *timed.entry(series).or_default() += 1;
        }
    }

    /// The connection is lost: nobody sees when the waits that go on end.
    pub(super) fn forget(&mut self, sink: &mut dyn Sink) {
        self.open.clear();
        self.time.forget(sink);
        self.went_on = OpenWaits::default();
        if std::mem::take(&mut self.tells_open) {
            sink.waiting(OpenWaits::default());
        }
    }

    /// Hands on a wait that ended about `at`, the middle of when it may have ended.
    fn ended(
        &mut self,
        at: Timestamp,
        key: &WaitKey,
        session: &Session,
        end: End,
        sink: &mut dyn Sink,
    ) {
        let length = end.middle_us().saturating_sub(key.since_us);
        let Ok(length) = u64::try_from(length) else { return };
        sink.record();
        let (latency, within) = (Nanos::from_micros(length), Nanos::from_micros(end.within_us()));
        sink.reading(match self.grouping.series(&values(&key.event, session).map(str::as_bytes)) {
            Some(series) => Reading::Sampled { at, series, latency, within },
            None => Reading::Unselected { at, latency },
        });
    }

    /// Counts what a session was seen to do.
    fn count(&mut self, session: &Session) {
        let event = match (session.event.as_str(), session.state.as_str()) {
            (_, "idle") => return,
            (_, state) if state.starts_with("idle in transaction") => IDLE,
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
        self.book_open(sink);
        self.time.forget(sink);
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
        let (samples, hz) = (counted(self.samples, "sample"), self.hz);
        let words = format!(
            "sessions on average in {samples}, {hz} a second (estimates, not latencies): {said}"
        );
        sink.note(Note::Said(words.into()));
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Account, Assembler, BinnerLimits, Event, Frame, Histogram, Random};

    use super::*;
    use isotherm_formats::Message;

    fn waits() -> Waits {
        Waits::new(&Context::default(), 10, Nanos::SECOND)
    }

    /// Waits with a length, what was said, the time in microseconds of those without one, and how
    /// well each length is known.
    #[derive(Default)]
    struct Decoded(Vec<(String, i64, u64)>, Account, BTreeMap<String, u64>, Vec<u64>);

    impl Sink for Decoded {
        fn take(&mut self, message: Message) {
            match message {
                Message::Reading(Reading::Sampled { at, series, latency, within }) => {
                    self.0.push((series.full(), at.as_nanos() / 1_000, latency.as_nanos() / 1_000));
                    self.3.push(within.as_nanos() / 1_000);
                }
                Message::Reading(Reading::Delta(frame)) => {
                    assert_eq!((frame.counts.events(), frame.counts.mean_ns()), (0, None));
                    let us = frame.counts.waited_in(0) / 1_000;
                    *self.2.entry(frame.series.full()).or_default() += us;
                }
                Message::Note(note) => drop(note.account(&mut self.1)),
                Message::Record | Message::Waiting(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn waits_are_told_apart_by_statement_and_state_where_that_is_asked_for() {
        let context = |by: &[&str]| Context {
            by: by.iter().map(|by| (*by).to_owned()).collect(),
            ..Context::default()
        };
        assert!(
            !Waits::new(&context(&["state"]), 10, Nanos::SECOND)
                .question
                .sql()
                .contains("left(query")
        );
        let mut waits = Waits::new(&context(&["query", "state"]), 10, Nanos::SECOND);
        assert!(waits.question.sql().contains("left(query"), "{}", waits.question.sql());
        let mut heard = Decoded::default();
        let session = Session {
            query: "update t set x = ?".to_owned(),
            event: "IO:DataFileRead".to_owned(),
            waits_since_us: None,
            ..waiting(1, 0)
        };
        for look in 1..=3 {
            let now_us = look * 100_000;
            let sessions = vec![session.clone()];
            waits.take(Timestamp::new(now_us * 1_000), Sample { now_us, sessions }, &mut heard);
        }
        waits.finish(&mut heard);
        let series: Vec<&String> = heard.2.keys().collect();
        assert_eq!(series, ["waits{query=update t set x = ?,state=active}"]);
    }

    fn waiting(pid: i64, since_us: i64) -> Session {
        let waits_since_us = Some(since_us);
        let (event, state) = ("Lock:tuple".to_owned(), "active".to_owned());
        Session { pid, began_us: 1, event, state, waits_since_us, ..Session::default() }
    }

    /// The frames that become of what is told, with the waits that go on.
    struct Assembled {
        assembler: Assembler,
        frames: Vec<Frame>,
        open: OpenWaits,
        /// The lengths of the waits that ended.
        ended: Vec<Nanos>,
    }

    impl Assembled {
        /// Seconds waited in each second, by waits that ended and by those that go on.
        fn amounts(&self) -> Vec<f64> {
            let mut amounts = vec![0.0; 40];
            for frame in
                self.frames.iter().cloned().chain(self.open.so_far(Timestamp::new(0), self.open.at))
            {
                let (start, end) = (frame.start.as_secs_f64(), frame.end.as_secs_f64());
                let each = frame.counts.time_waited().seconds / (end - start);
                for (second, amount) in (0..).map(f64::from).zip(&mut amounts) {
                    *amount += each * (end.min(second + 1.0) - start.max(second)).max(0.0);
                }
            }
            amounts
        }
    }

    impl Sink for Assembled {
        fn take(&mut self, message: Message) {
            match message {
                Message::Reading(reading) => {
                    if let Reading::Sampled { latency, .. } = reading {
                        self.ended.push(latency);
                    }
                    let frames = &mut self.frames;
                    self.assembler
                        .push(reading, &mut |event| frames.extend(event.frame().cloned()));
                }
                Message::Waiting(waits) => {
                    waits.waits.iter().for_each(|wait| self.assembler.know(&wait.series));
                    self.open = waits;
                }
                Message::Rejected(rejection) => panic!("{rejection}"),
                _ => {}
            }
        }
    }

    /// Waits for locks of any length from 0.25 s on, of eight sessions: beginning and length, in
    /// microseconds.
    fn locks(random: &mut Random) -> Vec<(i64, i64, i64)> {
        let mut locks = Vec::new();
        for pid in 1..=8 {
            let mut at = 500_000;
            while at < 25_000_000 {
                let of = |most: u64, random: &mut Random| {
                    let part = random.unit().powi(3) * most as f64;
                    i64::try_from(Nanos::from_secs_f64(part).unwrap().as_nanos() / 1_000).unwrap()
                };
                let length = 250_000 + of(9, random);
                locks.push((pid, at, length));
                at += length + 1_000 + of(4, random);
            }
        }
        locks
    }

    /// What goes on and what ended are together what was waited, at every look: the amount of a second
    /// that is past stays what it is when a wait ends that lasted through it.
    #[test]
    fn a_wait_is_counted_once_where_it_was_waited_while_it_goes_on_and_after() {
        for seed in 1..=20 {
            let mut random = Random::new(seed);
            let locks = locks(&mut random);
            let mut waits = waits();
            let assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
            let (frames, open, ended) = (Vec::new(), OpenWaits::default(), Vec::new());
            let mut heard = Assembled { assembler, frames, open, ended };
            let at = |us: i64| Timestamp::new(us * 1_000);
            let mut settled: BTreeMap<usize, f64> = BTreeMap::new();
            for look in 1..=380 {
                let now_us = look * 100_000;
                let goes_on = locks
                    .iter()
                    .filter(|(_, from, length)| (*from..from + length).contains(&now_us));
                let sessions = goes_on.map(|(pid, from, _)| waiting(*pid, *from)).collect();
                waits.take(at(now_us), Sample { now_us, sessions }, &mut heard);
                let Assembled { assembler, frames, .. } = &mut heard;
                let mut take = |event: Event| frames.extend(event.frame().cloned());
                assembler.observe(at(100_000), at(now_us), &mut take);
                assembler.finish_until(at(now_us), &mut take);
                let amounts = heard.amounts();
                // Of what ended in a second it is known 0.1 s after it.
                let past = usize::try_from((now_us - 100_000) / 1_000_000).unwrap();
                for (second, &amount) in amounts.iter().enumerate().take(past) {
                    let first = *settled.entry(second).or_insert(amount);
                    assert!(
                        (amount - first).abs() < 1e-6,
                        "{seed} {look} {second}: {first} {amount}"
                    );
                }
            }
            waits.finish(&mut heard);
            let Assembled { assembler, frames, ended, .. } = &mut heard;
            assembler.finish(&mut |event| frames.extend(event.frame().cloned()));
            let all: f64 = ended.iter().map(|length| length.as_secs_f64()).sum();
            assert_eq!(ended.len(), locks.len(), "{seed}");
            let truth: f64 = locks.iter().map(|(_, _, length)| *length as f64 / 1e6).sum();
            // Each end lies in the middle between two looks.
            assert!((all - truth).abs() <= 0.05 * locks.len() as f64, "{seed}: {all} {truth}");
            let booked: f64 = heard.amounts().iter().sum();
            assert!((booked - all).abs() < 1e-6, "{seed}: {booked} {all}");
            holds_the_truth(&heard.frames, &locks);
        }
    }

    /// Every percentile of the true lengths lies in the range that is printed, and the total is an
    /// estimate.
    fn holds_the_truth(frames: &[Frame], locks: &[(i64, i64, i64)]) {
        let all = Histogram::merged(frames.iter().map(|frame| &frame.counts)).unwrap();
        let mut lengths: Vec<i64> = locks.iter().map(|(_, _, length)| *length).collect();
        lengths.sort_unstable();
        for percent in 1..=100 {
            let truth = lengths[(percent * lengths.len()).div_ceil(100) - 1];
            let truth = Nanos::from_micros(truth.unsigned_abs());
            let found = all.quantile(percent as f64 / 100.0).unwrap();
            assert!(found.contains(truth), "p{percent}: {:?} {truth}", found.bucket);
        }
        assert_eq!(all.length_error(), Nanos::from_millis(50));
        assert!(!all.latency_total().exact && !all.time_waited().exact);
    }

    #[test]
    fn waits_that_had_not_ended_are_time_and_no_events() {
        let mut waits = waits();
        let assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
        let (frames, open, ended) = (Vec::new(), OpenWaits::default(), Vec::new());
        let mut heard = Assembled { assembler, frames, open, ended };
        for now_us in (1_000_000..=8_000_000).step_by(100_000) {
            let sample =
                Sample { now_us, sessions: vec![waiting(7, 1_500_000), waiting(8, 3_000_000)] };
            let sessions = sample.sessions.into_iter();
            let sessions = sessions.filter(|one| one.waits_since_us <= Some(now_us)).collect();
            waits.take(Timestamp::new(now_us * 1_000), Sample { now_us, sessions }, &mut heard);
        }
        let open: f64 = heard.amounts().iter().sum();
        assert!((open - (6.5 + 5.0)).abs() < 1e-4, "{open}");
        waits.finish(&mut heard);
        assert_eq!((heard.open.waits.len(), heard.ended.len()), (0, 0));
        let booked: f64 = heard.amounts().iter().sum();
        assert!((booked - open).abs() < 1e-6, "{booked}");
        assert!(heard.frames.iter().all(|frame| frame.counts.events() == 0));
    }

    fn look(waits: &mut Waits, decoded: &mut Decoded, now_us: i64, sessions: &[Session]) {
        // Our clock is 5 µs ahead of the server's.
        let at = Timestamp::new((now_us + 5) * 1_000);
        waits.take(at, Sample { now_us, sessions: sessions.to_vec() }, decoded);
    }

    #[test]
    fn a_wait_ends_between_two_looks_and_began_when_the_server_says() {
        let (mut waits, mut decoded) = (waits(), Decoded::default());
        look(&mut waits, &mut decoded, 1_000_000, &[waiting(7, 900_000), waiting(8, 850_000)]);
        look(&mut waits, &mut decoded, 1_100_000, &[waiting(7, 900_000), waiting(8, 1_090_000)]);
        // The session went from one lock to the next: the first wait is over.
        assert_eq!(decoded.0, [("Lock:tuple".to_owned(), 1_050_005, 200_000)]);
        look(&mut waits, &mut decoded, 1_200_000, &[waiting(7, 900_000)]);
        look(&mut waits, &mut decoded, 1_300_000, &[]);
        // What one look saw, 10 ms after it began, took between 10 and 110 ms: that is no length. It
        // stands for the time between two looks.
        assert_eq!(decoded.0[1..], [("Lock:tuple".to_owned(), 1_250_005, 350_000)]);
        assert_eq!(decoded.3, [50_000, 50_000]);
        waits.finish(&mut decoded);
        assert_eq!(decoded.2, BTreeMap::from([("Lock:tuple".to_owned(), 100_000)]));
        let said = decoded.1.notices.iter().map(ToString::to_string).collect::<String>();
        assert!(said.contains("Lock:tuple 1.25"), "{said}");
    }

    #[test]
    fn a_wait_that_ends_while_the_connection_is_lost_has_no_length() {
        let (mut waits, mut decoded) = (waits(), Decoded::default());
        let goes_on = waiting(8, 950_000);
        look(&mut waits, &mut decoded, 1_000_000, &[waiting(7, 900_000), goes_on.clone()]);
        waits.forget(&mut decoded);
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
        let (mut waits, mut decoded) = (waits(), Decoded::default());
        look(&mut waits, &mut decoded, 2_000_000, &[session("idle in transaction", 400_000)]);
        look(&mut waits, &mut decoded, 2_100_000, &[session("idle", 2_020_000)]);
        let expected = ("Client:idle in transaction".to_owned(), 2_010_005, 1_610_000);
        assert_eq!(decoded.0, [expected]);
        assert_eq!(decoded.3, [10_000]);
    }

    /// A session of pgbench idles for 0.24 ms between two statements, thousands of times a second:
    /// whatever the number of looks a second, it waits for nobody.
    #[test]
    fn a_transaction_that_idles_for_a_moment_is_idle_unless_it_blocks_somebody() {
        for hz in [10, 50, 100] {
            let step_us = 1_000_000 / hz;
            let (mut lone, mut blocking) = (waits(), waits());
            let (mut nobody, mut blocked) = (Decoded::default(), Decoded::default());
            for number in 1..=2 * hz {
                let now_us = number * step_us;
                let session = |blocks| Session {
                    pid: 1,
                    event: "Client:ClientRead".to_owned(),
                    state: "idle in transaction".to_owned(),
                    // It has just begun, as most often.
                    state_change_us: now_us - 120,
                    blocks,
                    ..Session::default()
                };
                look(&mut lone, &mut nobody, now_us, &[session(false)]);
                look(&mut blocking, &mut blocked, now_us, &[session(true)]);
            }
            lone.finish(&mut nobody);
            blocking.finish(&mut blocked);
            assert_eq!((nobody.0, nobody.2), (vec![], BTreeMap::new()), "{hz}");
            // Time, the same at every rate, and no length that is the time between two looks.
            assert_eq!(blocked.0, [], "{hz}");
            let us = blocked.2["Client:idle in transaction"];
            let expected = 2_000_000 - 2 * 1_000_000 / u64::try_from(hz).unwrap();
            assert!(us.abs_diff(expected) <= 2_000_000 / u64::try_from(hz).unwrap(), "{hz}: {us}");
        }
    }

    #[test]
    fn other_wait_events_are_time_and_make_no_latencies() {
        let reading = Session {
            pid: 1,
            event: "IO:DataFileRead".to_owned(),
            state: "active".to_owned(),
            ..Session::default()
        };
        let (mut waits, mut decoded) = (waits(), Decoded::default());
        for now_us in [1_000_000, 1_100_000, 1_200_000] {
            look(&mut waits, &mut decoded, now_us, &[reading.clone(), reading.clone()]);
        }
        waits.finish(&mut decoded);
        assert_eq!(decoded.0, []);
        // Two sessions from the first look to the last.
        assert_eq!(decoded.2, BTreeMap::from([("IO:DataFileRead".to_owned(), 400_000)]));
        let said = decoded.1.notices.iter().map(ToString::to_string).collect::<String>();
        assert!(said.contains("IO:DataFileRead 2.00") && said.contains("3 samples"), "{said}");
    }
}
