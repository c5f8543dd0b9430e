//! Looks at simulated sessions: what is seen is true, and nothing is counted twice.

use isotherm_frame::{Account, Place};
use proptest::prelude::*;

use super::*;
use crate::Message;
use crate::oraclepoll::record::State;

/// Collects lengths in microseconds.
#[derive(Default)]
struct Collected {
    lengths: Vec<u64>,
    tally: Account,
}

impl Sink for Collected {
    fn take(&mut self, message: Message) {
    match message {
        Message::Rejected(rejection) => panic!("{rejection:?}"),
        Message::Reading(Reading::Event { latency, .. }) => {
            self.lengths.push(latency.as_nanos() / 1_000);
        }
        Message::Reading(reading) => panic!("{reading:?}"),
        Message::Note(note) => drop(note.account(&mut self.tally)),
        _ => {}
    }
    }
}

/// The length of wait `number`, each its own.
fn length(number: u64) -> u64 {
    1_000 + number * 7
}

/// What is to be seen after `over` waits, when the next one goes on or not.
fn seen(over: u64, waiting: bool) -> Seen<'static> {
    let (number, state) =
        if waiting { (over + 1, State::Waiting) } else { (over, State::Waited) };
    let micros = if waiting { 5 } else { length(number) };
    Seen {
        session: (1, 70, 9),
        seq: u16::try_from(number % 65_536).unwrap(),
        state,
        length: Nanos::from_micros(micros),
        event: "read".into(),
    }
}

/// The history after `over` waits; a present wait may stand first.
fn history(over: u64, present: bool) -> Vec<Past> {
    let first = present.then_some(6).into_iter();
    let lengths = first.chain((0..10).map(|back| length(over.saturating_sub(back))));
    (1..=10)
        .zip(lengths)
        .map(|(rank, micros)| Past {
            instance: 1,
            sid: 70,
            rank,
            length: Nanos::from_micros(micros),
            event: "read".into(),
        })
        .collect()
}

fn poll(moment: u64, sessions: Vec<Seen<'static>>, pasts: Vec<Past>) -> Poll {
    let at = Timestamp::new(0).plus(Nanos::from_micros(moment));
    let mut poll = Poll::new(Place { line: 1, byte: 0 }, at);
    (poll.sessions, poll.pasts) = (sessions, pasts);
    poll
}

/// One look: waits since the last one, whether one goes on, whether the history is read if wanted
/// and shows the present wait, and how many waits end before the history is read.
type Look = (u64, bool, bool, bool, u64);

fn looks() -> impl Strategy<Value = Vec<Look>> {
    let look = (0_u64..14, any::<bool>(), any::<bool>(), any::<bool>(), 0_u64..3);
    proptest::collection::vec(look, 1..60)
}

proptest! {
    /// The numbers of waits begin close to where they begin anew.
    #[test]
    fn seen_and_unseen_are_all_waits_and_what_is_seen_is_true(
        begin in 65_400_u64..65_600,
        looks in looks(),
    ) {
        let mut sessions = Sessions::new(false);
        let mut collected = Collected::default();
        sessions.look(&mut poll(0, vec![seen(begin, false)], Vec::new()), &mut collected);
        let mut over = begin;
        for (moment, (more, waiting, read, shows, late)) in (1..).zip(looks) {
            over += more;
            let wanted = read && sessions.wants_history();
            let pasts = if wanted { history(over + late, shows && waiting) } else { Vec::new() };
            sessions.look(&mut poll(moment, vec![seen(over, waiting)], pasts), &mut collected);
        }
        sessions.finish(&mut collected);
        let account = sessions.account();
        prop_assert_eq!(account.seen + account.unseen, over - begin);
        prop_assert_eq!(account.seen, collected.lengths.len() as u64);
        prop_assert_eq!(collected.tally.lost, account.unseen);
        let mut lengths = collected.lengths.clone();
        lengths.sort_unstable();
        lengths.dedup();
        prop_assert_eq!(lengths.len(), collected.lengths.len(), "no wait is counted twice");
        for micros in lengths {
            let number = (micros - 1_000) / 7;
            prop_assert_eq!(length(number), micros, "a wait that was");
            // A history read late shows waits that the session's own line does not know yet.
            prop_assert!(number > begin && number <= over + 2, "{} {}..{}", number, begin, over);
        }
    }
}

#[test]
fn a_session_that_never_rests_is_known_by_its_history() {
    let (mut sessions, mut collected) = (Sessions::new(false), Collected::default());
    for (moment, over) in [(0, 100), (1, 103), (2, 103), (3, 108), (4, 109)] {
        let pasts = if sessions.wants_history() { history(over, false) } else { Vec::new() };
        sessions.look(&mut poll(moment, vec![seen(over, true)], pasts), &mut collected);
    }
    sessions.finish(&mut collected);
    // The first history only shows where the others begin; a wait that is first in the last one
    // may still go on.
    let mut lengths = collected.lengths.clone();
    lengths.sort_unstable();
    assert_eq!(lengths, (104..=108).map(length).collect::<Vec<_>>());
    assert_eq!(collected.tally.lost, 4);
}

#[test]
fn a_wait_seen_to_pass_and_not_found_again_has_a_lower_bound() {
    let (mut sessions, mut collected) = (Sessions::new(false), Collected::default());
    sessions.look(&mut poll(0, vec![seen(100, true)], Vec::new()), &mut collected);
    sessions.look(&mut poll(1, vec![seen(101, true)], Vec::new()), &mut collected);
    sessions.look(&mut poll(2, vec![seen(101, true)], Vec::new()), &mut collected);
    sessions.finish(&mut collected);
    assert_eq!(collected.lengths, [] as [u64; 0]);
    assert_eq!(
        collected.tally.notices,
        ["seen 0 of 1 waits (0.0 %) of 1 session; at least 5µs of the others was seen"]
    );
}

#[test]
fn a_session_that_is_another_begins_anew() {
    let (mut sessions, mut collected) = (Sessions::new(true), Collected::default());
    sessions.look(&mut poll(0, vec![seen(100, false)], Vec::new()), &mut collected);
    let other = Seen { session: (1, 70, 10), ..seen(5_000, false) };
    sessions.look(&mut poll(1, vec![other], Vec::new()), &mut collected);
    sessions.finish(&mut collected);
    assert_eq!((collected.lengths.len(), collected.tally.lost), (0, 0));
}

#[test]
fn untimed_waits_are_unseen() {
    let (mut sessions, mut collected) = (Sessions::new(false), Collected::default());
    for over in 100..103 {
        let untimed = Seen { state: State::Untimed, ..seen(over, false) };
        sessions.look(&mut poll(over, vec![untimed], Vec::new()), &mut collected);
    }
    sessions.finish(&mut collected);
    assert_eq!((collected.lengths.len(), collected.tally.lost), (0, 2));
}
