//! The sessions of the simulated workload: what each waits for at a moment, and did before.

const SESSIONS: u64 = 8;
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

fn micros(seconds: f64) -> u64 {
    u64::try_from(std::time::Duration::from_secs_f64(seconds.max(0.0)).as_micros()).unwrap_or(0)
}

/// The V lines of this moment, in seconds since 1970.
pub(crate) fn current(seconds: f64) -> impl Iterator<Item = String> {
    (0..SESSIONS).map(move |session| {
        let (number, lasted) = place(session, micros(seconds));
        let event = wait(session, number % ROUND).event;
        let (sid, serial, seq) = (100 + session, 4000 + session, number % 65536);
        format!("V|1|{sid}|{serial}|{seq}|WAITING|{lasted}|{event}")
    })
}

/// The Y lines of this moment: the last waits of every session, the newest first.
pub(crate) fn history(seconds: f64) -> impl Iterator<Item = String> {
    (0..SESSIONS).flat_map(move |session| {
        let (number, _) = place(session, micros(seconds));
        (1..=KEPT).map(move |back| {
            let Wait { event, micros } = wait(session, number.saturating_sub(back) % ROUND);
            format!("Y|1|{}|{back}|{micros}|{event}", 100 + session)
        })
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
        let seconds = 1_795_255_200.25;
        let newest = history(seconds).next().expect("a line");
        let (number, _) = place(0, micros(seconds));
        let before = wait(0, (number - 1) % ROUND);
        assert_eq!(newest, format!("Y|1|100|1|{}|{}", before.micros, before.event));
        assert_eq!(current(seconds).count(), 8);
        assert_eq!(history(seconds).count(), 80);
    }
}
