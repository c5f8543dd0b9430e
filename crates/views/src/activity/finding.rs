//! The sentence of a table of active sessions: who blocks whom, else what most of them do.

use isotherm_analysis::{Activity, ActivityRow, ActivityRows};
use isotherm_frame::{NOT_KNOWN, PREPARED_TRANSACTION, percent};

use super::words::{about_blocker, sessions};
use crate::narration::listed;

/// A blocker is worth a sentence from this part of all active sessions on, and from this many sessions.
const LEAST_SHARE: f64 = 0.1;
const LEAST_SESSIONS: f64 = 0.05;

/// What is worth knowing of the same sessions by blocker and by event.
pub fn finding(activity: &Activity, blockers: &ActivityRows, events: &ActivityRows) -> String {
    let is_known = |row: &&ActivityRow| !row.value.is_empty() && &*row.value != NOT_KNOWN;
    let worst = blockers.rows.iter().find(is_known);
    let much = |row: &&ActivityRow| row.share >= LEAST_SHARE && row.active.mean >= LEAST_SESSIONS;
    if let Some(worst) = worst.filter(much) {
        return blocks(activity, worst);
    }
    let most = events.rows.first();
    most.map_or_else(
        || "No session was active.".to_owned(),
        |most| format!("{} of active sessions: {}.", percent(most.share), most.value),
    )
}

/// `Sessions 5 (app, batch) and 7 block 2.21 sessions.`
fn blocks(activity: &Activity, row: &ActivityRow) -> String {
    let (other, heads): (Vec<&str>, Vec<&str>) =
        row.value.split(", ").partition(|id| *id == PREPARED_TRANSACTION);
    let mut who: Vec<String> = heads
        .iter()
        .map(|id| match about_blocker(activity, id) {
            Some(about) => format!("{id} ({about})"),
            None => (*id).to_owned(),
        })
        .collect();
    let noun = match heads.len() {
        0 => "",
        1 => "Session ",
        _ => "Sessions ",
    };
    let first = if who.is_empty() { "A prepared transaction" } else { PREPARED_TRANSACTION };
    who.extend(other.iter().map(|_| first.to_owned()));
    let block = if who.len() == 1 { "blocks" } else { "block" };
    format!("{noun}{} {block} {} sessions.", listed(&who), sessions(row.active.mean))
}

#[cfg(test)]
mod tests {
    use isotherm_analysis::{ActivityFilter, Dimension};
    use isotherm_frame::{ActiveSession, NameKind, Nanos, SessionName, SessionSample, Timestamp};

    use super::*;

    fn session(id: usize, event: &str, blocker: &str) -> ActiveSession {
        let (session, event) = (id.to_string().into(), event.into());
        ActiveSession { session, event, blocker: blocker.into(), ..ActiveSession::default() }
    }

    /// The sentence of 600 samples with two sessions that read and these that are blocked, each by whom and
    /// in how many of the samples.
    fn said(blocked: &[(&str, usize)]) -> String {
        let mut activity = Activity::new(Nanos::from_millis(900_000), Nanos::from_millis(100));
        for number in 0..600_usize {
            let mut sessions = vec![session(1, "IO:Read", ""), session(2, "IO:Read", "")];
            for (index, (by, samples)) in blocked.iter().enumerate() {
                if number < *samples {
                    sessions.push(session(10 + index, "Lock:tuple", by));
                }
            }
            let (kind, id, text) = (NameKind::Blocker, "5".into(), "app, batch".into());
            let names = vec![SessionName { kind, id, text }];
            let at = Timestamp::new(i64::try_from(number).unwrap() * 100_000_000);
            activity.push(SessionSample { at, sessions, names, ..SessionSample::default() });
        }
        let always = (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX));
        let by = [Dimension::Blocker, Dimension::Event];
        let [blockers, events] = activity.tables(always, by, &ActivityFilter::default());
        finding(&activity, &blockers, &events)
    }

    #[test]
    fn whoever_blocks_much_is_named_and_else_the_event_that_most_wait_for() {
        assert_eq!(said(&[("5", 600)]), "Session 5 (app, batch) blocks 1.00 sessions.");
        assert_eq!(said(&[]), "100 % of active sessions: IO:Read.");
        assert_eq!(said(&[("5", 1)]), ">99 % of active sessions: IO:Read.");
        let not_known = [(NOT_KNOWN, 600), (NOT_KNOWN, 600), (NOT_KNOWN, 600)];
        assert_eq!(said(&not_known), "60 % of active sessions: Lock:tuple.");
        let with_one = [(NOT_KNOWN, 600), ("5", 300)];
        assert_eq!(said(&with_one), "Session 5 (app, batch) blocks 0.50 sessions.");
    }

    #[test]
    fn several_heads_are_said_in_one_sentence() {
        assert_eq!(
            said(&[("5, a prepared transaction", 600)]),
            "Session 5 (app, batch) and a prepared transaction block 1.00 sessions."
        );
        assert_eq!(said(&[("5, 7", 600)]), "Sessions 5 (app, batch) and 7 block 1.00 sessions.");
        assert_eq!(
            said(&[(PREPARED_TRANSACTION, 600)]),
            "A prepared transaction blocks 1.00 sessions."
        );
    }
}
