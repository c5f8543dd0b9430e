//! The sessions of the simulated workload: what each waits for at a moment, and did before.

use std::time::Duration;

use crate::asked::Asked;

const SESSIONS: u64 = 8;
const FIRST_SID: u64 = 100;
/// V$SESSION numbers waits with 16 bits.
const SEQUENCE: u64 = 65536;
const EVENTS: [&str; 4] = [
    "db file sequential read",
    "log file sync",
    "SQL*Net message from client",
    "db file scattered read",
];
/// How many waits one round of a session has, after which it begins again.
const ROUND: u64 = 64;
/// How many waits `V$SESSION_WAIT_HISTORY` keeps of each session.
const KEPT: u64 = 10;

/// One wait: which of the session, its event, and how long it lasts in microseconds.
#[derive(Copy, Clone)]
struct Wait {
    event: &'static str,
    micros: u64,
}

/// A wait that never changes for the same session and place in its round.
fn wait(session: u64, place: u64) -> Wait {
    let mut seed = (session << 32 | place).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    seed ^= seed >> 29;
    seed = seed.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    seed ^= seed >> 32;
    let event = usize::try_from(seed % 4).ok().and_then(|kind| EVENTS.get(kind));
    let octave = 7 + (seed >> 8) % 6;
    Wait { event: event.copied().unwrap_or(EVENTS[0]), micros: 1 << octave | (seed >> 16) & 127 }
}

/// Which wait a session is in at a moment: its number since 1970 and how long it has lasted.
fn place(session: u64, micros: u64) -> (u64, u64) {
    let round: u64 = (0..ROUND).map(|place| wait(session, place).micros).sum();
    let (rounds, mut left) = (micros / round, micros % round);
    let mut number = rounds * ROUND;
    for place in 0..ROUND {
        let lasts = wait(session, place).micros;
        if left < lasts {
            break;
        }
        left -= lasts;
        number += 1;
    }
    (number, left)
}

/// The V and Y lines that a statement asks for, at a moment since 1970.
pub(crate) fn lines(asked: &Asked, now: Duration) -> Vec<String> {
    let now = u64::try_from(now.as_micros()).unwrap_or(0);
    let sessions = (0..SESSIONS).filter(|session| asked.wants_session(FIRST_SID + session));
    let sessions: Vec<u64> = sessions.collect();
    let mut lines = Vec::new();
    if asked.mentions("x$kslwh") {
        lines.extend(sessions.iter().flat_map(|session| table(*session, now)));
    } else if asked.mentions("'v|") {
        lines.extend(sessions.iter().map(|session| current(*session, now)));
    }
    if asked.mentions("'y|") {
        lines.extend(sessions.iter().flat_map(|session| history(*session, now)));
    }
    lines
}

/// What a session waits for.
fn current(session: u64, now: u64) -> String {
    let (number, lasted) = place(session, now);
    let event = wait(session, number % ROUND).event;
    let (sid, serial, seq) = (FIRST_SID + session, 4000 + session, number % SEQUENCE);
    format!("V|1|{sid}|{serial}|{seq}|WAITING|{lasted}|{event}")
}

/// The last waits of a session, the newest first.
fn history(session: u64, now: u64) -> impl Iterator<Item = String> {
    let (number, _) = place(session, now);
    (1..=KEPT).map(move |back| {
        let Wait { event, micros } = wait(session, number.saturating_sub(back) % ROUND);
        format!("Y|1|{}|{back}|{micros}|{event}", FIRST_SID + session)
    })
}

/// The last waits of a session with the numbers that the fixed table has.
fn table(session: u64, now: u64) -> impl Iterator<Item = String> {
    let (number, _) = place(session, now);
    (1..=KEPT).map(move |back| {
        let number = number.saturating_sub(back);
        let Wait { event, micros } = wait(session, number % ROUND);
        let (sid, seq) = (FIRST_SID + session, number % SEQUENCE);
        format!("V|1|{sid}|0|{seq}|WAITED KNOWN TIME|{micros}|{event}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_goes_from_one_wait_to_the_next() {
        let first = wait(3, 0).micros;
        assert_eq!(place(3, 0), (0, 0));
        assert_eq!(place(3, first - 1), (0, first - 1));
        assert_eq!(place(3, first), (1, 0));
        let round: u64 = (0..ROUND).map(|place| wait(3, place).micros).sum();
        assert_eq!(place(3, round * 5 + first), (5 * ROUND + 1, 0));
    }

    #[test]
    fn the_newest_of_the_history_is_the_wait_before_the_current_one() {
        let now = Duration::from_millis(1_795_255_200_250);
        let asked = |sql: &str| lines(&Asked::read(sql), now);
        let history = asked("select 'Y|' from v$session_wait_history");
        let (number, _) = place(0, 1_795_255_200_250_000);
        let before = wait(0, (number - 1) % ROUND);
        assert_eq!(history[0], format!("Y|1|100|1|{}|{}", before.micros, before.event));
        assert_eq!(history.len(), 80);
        assert_eq!(asked("select 'V|' from v$session").len(), 8);
        assert_eq!(asked("select 'V|' from v$session where sid in (101, 9)").len(), 1);
        assert_eq!(asked("select 'V|' from x$kslwh where kslwhsid in (101)").len(), 10);
    }
}
