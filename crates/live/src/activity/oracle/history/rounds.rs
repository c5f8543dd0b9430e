//! Samples of several instances, put together: each instance takes its own, at a moment of its own.

use std::collections::HashMap;
use std::sync::Arc;

use isotherm_frame::{SessionSample, Timestamp};

use super::numbering::InstanceSample;
use super::rows::SampledSession;

/// The samples that are not complete yet.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// Those that other instances may still have earlier ones for, which were without an active session: that is
    /// known only once the next one is seen.
    waiting: Vec<InstanceSample>,
    /// The sample that is being put together: at most one of each instance.
    open: Vec<InstanceSample>,
}

impl Rounds {
    /// Puts samples together, one of each of this number of instances, as far as all of them are known until
    /// `known`. Every one is in exactly one of those that are given sooner or later.
    pub(super) fn add(
        &mut self,
        samples: Vec<InstanceSample>,
        instances: usize,
        known: Timestamp,
    ) -> Vec<SessionSample> {
        self.waiting.extend(samples);
        let (mut ready, waiting): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.waiting).into_iter().partition(|sample| sample.at <= known);
        self.waiting = waiting;
        ready.sort_by_key(|sample| sample.at);
        let mut complete = Vec::new();
        for sample in ready {
            if self.open.iter().any(|other| other.instance == sample.instance) {
                complete.extend(self.end());
            }
            self.open.push(sample);
            if self.open.len() >= instances {
                complete.extend(self.end());
            }
        }
        complete
    }

    /// The sample that is being put together, as it is.
    fn end(&mut self) -> Option<SessionSample> {
        let (first, last) = (self.open.first()?.at, self.open.last()?.at);
        let middle = (last.as_nanos() - first.as_nanos()) / 2;
        let at = Timestamp::new(first.as_nanos() + middle);
        let all: Vec<SampledSession> =
            self.open.drain(..).flat_map(|sample| sample.sessions).collect();
        // A blocker is named with its serial number, or without where ASH has none.
        let blockers: HashMap<Arc<str>, Arc<str>> = all
            .iter()
            .filter(|one| !one.session.blocker.is_empty())
            .flat_map(|one| [&one.id, &one.session.session].map(|id| (id, &one.session.blocker)))
            .map(|(id, blocker)| (Arc::clone(id), Arc::clone(blocker)))
            .collect();
        let mut sample = SessionSample { at, ..SessionSample::default() };
        for mut one in all {
            if let Some(head) = head_of_queue(&one.session.blocker, &blockers) {
                one.session.blocker = head;
            }
            sample.sessions.push(one.session);
            sample.waits.push(one.wait);
        }
        Some(sample)
    }
}

/// The session at the head of the queue behind this blocker, which may be blocked itself; nothing where
/// sessions block each other in a circle.
fn head_of_queue(first: &Arc<str>, blockers: &HashMap<Arc<str>, Arc<str>>) -> Option<Arc<str>> {
    let mut head = first;
    for _ in 0..=blockers.len() {
        match blockers.get(head) {
            Some(next) => head = next,
            None => return Some(Arc::clone(head)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{ActiveSession, CurrentWait};

    use super::*;

    fn session(id: &str, blocker: &str) -> SampledSession {
        let session = ActiveSession {
            session: id.into(),
            blocker: blocker.into(),
            ..ActiveSession::default()
        };
        SampledSession { id: id.into(), session, wait: CurrentWait::default(), user: None }
    }

    fn sample(instance: u32, at: i64, sessions: Vec<SampledSession>) -> InstanceSample {
        InstanceSample { instance, at: Timestamp::new(at), sessions }
    }

    /// When each was taken, and how many sessions it has.
    fn shape(all: &[SessionSample]) -> Vec<(i64, usize)> {
        all.iter().map(|one| (one.at.as_nanos(), one.sessions.len())).collect()
    }

    #[test]
    fn samples_of_several_instances_are_put_together_and_none_is_lost() {
        let one = |instance, at| sample(instance, at, vec![session("x", "")]);
        let mut rounds = Rounds::default();
        // Instance 2 misses its turn, and 1 does not wait for it.
        let all = vec![one(2, 14), one(1, 10), one(1, 20), one(1, 30)];
        let first = rounds.add(all, 2, Timestamp::new(30));
        assert_eq!(shape(&first), [(12, 2), (20, 1)]);
        assert_eq!(shape(&rounds.add(vec![one(2, 34)], 2, Timestamp::new(34))), [(32, 2)]);
        // A single instance waits for nobody.
        assert_eq!(shape(&rounds.add(vec![one(1, 40)], 1, Timestamp::new(40))), [(40, 1)]);
    }

    #[test]
    fn a_sample_waits_for_those_of_other_instances_that_turn_out_to_be_empty() {
        let one = |at| sample(1, at, vec![session("x", "")]);
        let two = |at, sessions| sample(2, at, sessions);
        let mut rounds = Rounds::default();
        let first = vec![one(10), two(11, vec![session("y", "")]), one(20), one(30)];
        assert_eq!(shape(&rounds.add(first, 2, Timestamp::new(11))), [(10, 2)]);
        // Instance 2 has a session again: before it, it had none.
        let later = vec![
            one(40),
            two(21, Vec::new()),
            two(31, Vec::new()),
            two(41, vec![session("y", "")]),
        ];
        let later = rounds.add(later, 2, Timestamp::new(41));
        assert_eq!(shape(&later), [(20, 1), (30, 1), (40, 2)]);
    }

    #[test]
    fn the_blocker_is_the_head_of_the_queue_in_the_same_sample() {
        let sessions = vec![session("1:7", "1:8"), session("1:8", "2:9"), session("1:6", "")];
        let all = Rounds::default().add(vec![sample(1, 0, sessions)], 1, Timestamp::new(0));
        let blockers: Vec<&str> = all[0].sessions.iter().map(|one| &*one.blocker).collect();
        assert_eq!(blockers, ["2:9", "2:9", ""]);
        // With serial numbers, and one without.
        let named = |id: &str, blocker: &str| {
            let mut one = session(id.split(',').next().unwrap(), blocker);
            one.session.session = id.into();
            one
        };
        let sessions =
            vec![named("1:7,1", "1:8,2"), named("1:8,2", "1:9"), named("1:9,3", "2:9,4")];
        let all = Rounds::default().add(vec![sample(1, 0, sessions)], 1, Timestamp::new(0));
        let blockers: Vec<&str> = all[0].sessions.iter().map(|one| &*one.blocker).collect();
        assert_eq!(blockers, ["2:9,4"; 3]);
        // In a circle nobody is the head: whom each waits for stays.
        let sessions = vec![session("1:7", "1:8"), session("1:8", "1:7")];
        let all = Rounds::default().add(vec![sample(1, 0, sessions)], 1, Timestamp::new(0));
        let blockers: Vec<&str> = all[0].sessions.iter().map(|one| &*one.blocker).collect();
        assert_eq!(blockers, ["1:8", "1:7"]);
    }
}
