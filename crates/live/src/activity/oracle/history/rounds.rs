//! Samples of several instances, put together: each instance takes its own, at a moment of its own.

use std::collections::HashMap;
use std::sync::Arc;

use isotherm_frame::{SessionSample, Timestamp};

use super::numbering::InstanceSample;
use super::rows::SampledSession;

/// The samples that are not complete yet: at most one of each instance.
#[derive(Debug, Default)]
pub(super) struct Rounds(Vec<InstanceSample>);

impl Rounds {
    /// Puts samples together, one of each of this number of instances. Every one is in exactly one of those
    /// that are given sooner or later.
    pub(super) fn add(
        &mut self,
        mut samples: Vec<InstanceSample>,
        instances: usize,
    ) -> Vec<SessionSample> {
        samples.sort_by_key(|sample| sample.at);
        let mut complete = Vec::new();
        for sample in samples {
            if self.0.iter().any(|other| other.instance == sample.instance) {
                complete.extend(self.end());
            }
            self.0.push(sample);
            if self.0.len() >= instances {
                complete.extend(self.end());
            }
        }
        complete
    }

    /// What has not been given yet.
    pub(super) fn end(&mut self) -> Option<SessionSample> {
        let (first, last) = (self.0.first()?.at, self.0.last()?.at);
        let middle = (last.as_nanos() - first.as_nanos()) / 2;
        let at = Timestamp::new(first.as_nanos() + middle);
        let all: Vec<SampledSession> =
            self.0.drain(..).flat_map(|sample| sample.sessions).collect();
        let blockers: HashMap<Arc<str>, Arc<str>> = all
            .iter()
            .filter(|one| !one.session.blocker.is_empty())
            .map(|one| (Arc::clone(&one.id), Arc::clone(&one.session.blocker)))
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

    #[test]
    fn samples_of_several_instances_are_put_together_and_none_is_lost() {
        let one = |instance, at| sample(instance, at, vec![session("x", "")]);
        let mut rounds = Rounds::default();
        // Instance 2 misses its turn, and 1 does not wait for it.
        let first = rounds.add(vec![one(2, 14), one(1, 10), one(1, 20), one(1, 30)], 2);
        let shape = |all: &[SessionSample]| -> Vec<(i64, usize)> {
            all.iter().map(|one| (one.at.as_nanos(), one.sessions.len())).collect()
        };
        assert_eq!(shape(&first), [(12, 2), (20, 1)]);
        assert_eq!(shape(&rounds.add(vec![one(2, 34)], 2)), [(32, 2)]);
        assert_eq!(rounds.end(), None);
        // A single instance waits for nobody.
        assert_eq!(shape(&rounds.add(vec![one(1, 40)], 1)), [(40, 1)]);
    }

    #[test]
    fn the_blocker_is_the_head_of_the_queue_in_the_same_sample() {
        let sessions = vec![session("1:7", "1:8"), session("1:8", "2:9"), session("1:6", "")];
        let all = Rounds::default().add(vec![sample(1, 0, sessions)], 1);
        let blockers: Vec<&str> = all[0].sessions.iter().map(|one| &*one.blocker).collect();
        assert_eq!(blockers, ["2:9", "2:9", ""]);
        // In a circle nobody is the head: whom each waits for stays.
        let sessions = vec![session("1:7", "1:8"), session("1:8", "1:7")];
        let all = Rounds::default().add(vec![sample(1, 0, sessions)], 1);
        let blockers: Vec<&str> = all[0].sessions.iter().map(|one| &*one.blocker).collect();
        assert_eq!(blockers, ["1:8", "1:7"]);
    }
}
