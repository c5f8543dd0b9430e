//! Who blocks whom, as it was when it was last asked.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::row::Sample;

/// A row: a text for each column, `None` for SQL's null.
type Row = Vec<Option<String>>;

/// The sessions that waiting ones wait for, and what those do.
pub(crate) const BLOCKERS: &str = "select waits.pid, blocks.pid, other.usename, \
    other.application_name, other.state from (select pid, pg_blocking_pids(pid) as by from \
    pg_stat_activity where wait_event_type = 'Lock') as waits cross join lateral unnest(waits.by) as \
    blocks(pid) left join pg_stat_activity as other on other.pid = blocks.pid order by 1, 2";
/// It is asked at most so often: the question holds up all of the lock table for a moment.
pub(crate) const BLOCKERS_AFTER: Duration = Duration::from_millis(500);

/// Which sessions block others.
#[derive(Debug, Default)]
pub(super) struct Blocking {
    asked: Option<Instant>,
    /// Whom a session waits for in the end, by its process and the beginning of its wait.
    first: HashMap<(i64, i64), Arc<str>>,
    /// The processes that block any other.
    processes: HashSet<i64>,
}

impl Blocking {
    /// Whether to ask now: a session waits for a lock, and it was not asked just now.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let rested = self.asked.is_none_or(|asked| now - asked >= BLOCKERS_AFTER);
        if rested {
            self.asked = Some(now);
        }
        rested
    }

    /// Takes the answer, with the sessions of the same look.
    pub(super) fn take(&mut self, rows: &[Row], sample: &Sample) {
        let (mut by, mut labels) = (HashMap::<i64, Vec<i64>>::new(), HashMap::new());
        for row in rows {
            let text = |column: usize| row.get(column).and_then(Option::as_deref);
            let number = |column: usize| text(column).and_then(|pid| pid.parse::<i64>().ok());
            let (Some(waits), Some(blocks)) = (number(0), number(1)) else { continue };
            by.entry(waits).or_default().push(blocks);
            labels.entry(blocks).or_insert_with(|| name(blocks, [text(3), text(2)]));
        }
        self.processes = by.values().flatten().copied().collect();
        let waiting = sample.sessions.iter();
        let waiting = waiting.filter_map(|session| Some((session.pid, session.waits_since_us?)));
        let first = waiting.filter_map(|wait| {
            let heads = heads(wait.0, &by);
            let named: Vec<&str> =
                heads.iter().filter_map(|pid| labels.get(pid)).map(|n| &**n).collect();
            (!named.is_empty()).then(|| (wait, named.join(", ").into()))
        });
        self.first = first.collect();
    }

    /// Says of each session of a look whether it blocks others, and whom it waits for.
    pub(super) fn mark(&mut self, sample: &mut Sample) {
        if !sample.has_lock_waits() {
            *self = Blocking { asked: self.asked, ..Blocking::default() };
        }
        for session in &mut sample.sessions {
            session.blocks = self.processes.contains(&session.pid);
            let wait = session.waits_since_us.map(|since| (session.pid, since));
            session.blocker = wait.and_then(|wait| self.first.get(&wait).cloned());
        }
    }
}

/// `17706 (nightly-job)`: its process, and its program or else its user.
fn name(pid: i64, about: [Option<&str>; 2]) -> String {
    let about = about.into_iter().flatten().find(|text| !text.is_empty());
    match (pid, about) {
        (0, _) => isotherm_frame::PREPARED_TRANSACTION.to_owned(),
        (pid, Some(about)) => format!("{pid} ({about})"),
        (pid, None) => pid.to_string(),
    }
}

/// Those at the head of the queue that a process stands in: the ones before it may wait, too. In a
/// deadlock there is none, and those that it waits for itself are given.
fn heads(process: i64, by: &HashMap<i64, Vec<i64>>) -> Vec<i64> {
    let own = by.get(&process).cloned().unwrap_or_default();
    let (mut seen, mut heads, mut open) = (HashSet::from([process]), Vec::new(), own.clone());
    while let Some(blocker) = open.pop() {
        match by.get(&blocker) {
            Some(next) if seen.insert(blocker) => open.extend(next),
            Some(_) => {}
            None => heads.push(blocker),
        }
    }
    heads.sort_unstable();
    heads.dedup();
    if heads.is_empty() { own } else { heads }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres::row::Session;

    #[test]
    fn whoever_waits_behind_others_waits_for_the_first_of_them() {
        let row = |waits: i64, blocks: i64, program: &str| {
            let texts =
                [waits.to_string(), blocks.to_string(), "app".into(), program.into(), "x".into()];
            texts.map(Some).to_vec()
        };
        // 8 waits for 5, 9 for 8 and 5; 11 and 12 wait for each other; 0 is a prepared transaction.
        let rows = [
            row(8, 5, "nightly-job"),
            row(9, 5, "nightly-job"),
            row(9, 8, "psql"),
            row(11, 12, ""),
            row(12, 11, ""),
            row(13, 0, ""),
        ];
        let session = |pid| Session {
            pid,
            event: "Lock:relation".to_owned(),
            state: "active".to_owned(),
            waits_since_us: Some(pid),
            ..Session::default()
        };
        let mut sample = Sample { now_us: 100, sessions: [5, 8, 9, 11, 13].map(session).to_vec() };
        sample.sessions[0].waits_since_us = None;
        let mut blocking = Blocking::default();
        blocking.take(&rows, &sample);
        blocking.mark(&mut sample);
        let found: Vec<_> =
            sample.sessions.iter().map(|one| (one.blocks, one.blocker.as_deref())).collect();
        let job = Some("5 (nightly-job)");
        let expected = [
            (true, None),
            (true, job),
            (false, job),
            (true, Some("12 (app)")),
            (false, Some("a prepared transaction")),
        ];
        assert_eq!(found, expected);
        // Another wait of the same session may be for somebody else.
        sample.sessions[2].waits_since_us = Some(77);
        blocking.mark(&mut sample);
        assert_eq!(sample.sessions[2].blocker, None);
        // Nobody waits any more: nobody blocks.
        for session in &mut sample.sessions {
            session.event = String::new();
        }
        blocking.mark(&mut sample);
        assert!(sample.sessions.iter().all(|session| !session.blocks));
    }
}
