//! A server whose keys are made: ready to be loaded.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::info::Info;
use super::keys::{belongs, key};
use super::redis_lane::{Door, RedisLane};
use super::replies::command;
use super::session::{Answer, Session, greeting};
use super::target::Target;
use crate::engine::{processors, spread};
use crate::log_on::unless_stopped;
use crate::{Count, Engine, KindMeta, LoadError, Role, System};

/// Connections that one thread can serve before it becomes what is measured.
const CONNECTIONS_OF_A_THREAD: u32 = 64;
/// Keys that are read back after the run.
const READ_BACK: u64 = 256;

const KINDS: [KindMeta; 2] = [
    KindMeta { name: "get", role: Role::Read, places: 1 },
    KindMeta { name: "set", role: Role::Write, places: 1 },
];

/// A server whose keys are made.
pub struct Server {
    target: Target,
    door: Door,
    facts: Vec<(String, String)>,
    /// For what is asked beside the load; made anew when it is lost.
    control: Mutex<Option<Session>>,
    misses: Arc<AtomicU64>,
    seed: u64,
}

impl Server {
    /// Ready to be loaded.
    pub fn new(target: Target, mut session: Session, seed: u64) -> Server {
        let facts = super::facts::of(&mut session, &target);
        let door = Door { endpoint: session.endpoint.clone(), greeting: greeting(&target) };
        let misses = Arc::new(AtomicU64::new(0));
        Server { target, door, facts, control: Mutex::new(Some(session)), misses, seed }
    }

    fn control(&self) -> MutexGuard<'_, Option<Session>> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask<T>(&self, ask: impl Fn(&mut Session) -> Option<T>) -> Option<T> {
        let mut control = self.control();
        if let Some(found) = control.as_mut().and_then(&ask) {
            return Some(found);
        }
        *control = Session::open(&self.target).ok();
        control.as_mut().and_then(ask)
    }

    /// Places spread over all keys, whose values are not what was written there.
    fn wrong(&self, session: &mut Session) -> Option<Vec<u64>> {
        let keys = self.target.keys;
        let sample: BTreeSet<u64> =
            (0..READ_BACK).map(|nth| nth * (keys / READ_BACK).max(1) % keys).collect();
        let mut wrong = Vec::new();
        for place in sample {
            let mut bytes = Vec::new();
            command(&mut bytes, &[b"GET", &key(place)]);
            match session.exchange(&bytes, 1).ok()?.pop()? {
                Answer::Value(value) if belongs(&value, place, self.target.value_bytes) => {}
                // Evicted or deleted: that is reported with the misses.
                Answer::Nothing => {}
                _ => wrong.push(place),
            }
        }
        Some(wrong)
    }
}

impl System for Server {
    fn kinds(&self) -> &[KindMeta] {
        &KINDS
    }

    fn places(&self) -> u64 {
        self.target.keys
    }

    fn place_bytes(&self) -> u64 {
        u64::from(self.target.value_bytes)
    }

    fn lanes(&self, in_flight: u32, threads: Option<u32>) -> Vec<u32> {
        let wanted = in_flight.div_ceil(CONNECTIONS_OF_A_THREAD).min(processors());
        spread(in_flight, threads.unwrap_or(wanted))
    }

    fn open(&self, lane: u32, slots: u32) -> Result<Box<dyn Engine>, LoadError> {
        self.open_unless(&AtomicBool::new(false), lane, slots)
    }

    fn open_unless(
        &self,
        left: &AtomicBool,
        lane: u32,
        slots: u32,
    ) -> Result<Box<dyn Engine>, LoadError> {
        let connected = || {
            let target = self.target.clone();
            unless_stopped(left, move || Session::open(&target).map(Session::into_stream))
        };
        let streams = (0..slots).map(|_| connected()).collect::<Result<Vec<_>, _>>()?;
        // Lanes write different values.
        let seed = self.seed.wrapping_add(u64::from(lane)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let values = (self.target.value_bytes, seed);
        let lane = RedisLane::new(streams, self.door.clone(), values, Arc::clone(&self.misses));
        let lane = lane.map_err(|error| LoadError::Failed(format!("epoll: {error}")))?;
        Ok(Box::new(lane))
    }

    fn counts(&self) -> Vec<Count> {
        let Some(mut counts) = self.ask(|session| Info::ask(session, "default")?.totals().into())
        else {
            return Vec::new();
        };
        let calls = self.ask(|session| Info::ask(session, "commandstats"));
        counts.extend(calls.iter().flat_map(Info::calls));
        counts
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.facts.clone()
    }

    fn verify(&self) -> Vec<String> {
        let mut found = Vec::new();
        let misses = self.misses.load(Ordering::Relaxed);
        if misses > 0 {
            found.push(format!(
                "{misses} reads found no value: keys were evicted, expired or deleted meanwhile"
            ));
        }
        match self.ask(|session| self.wrong(session)) {
            None => found.push("values could not be read back: no connection".to_owned()),
            Some(wrong) => {
                found.extend(wrong.first().map(|first| {
                    let key = String::from_utf8_lossy(&key(*first)).into_owned();
                    format!("{} values are not what was written, {key} for one", wrong.len())
                }));
            }
        }
        found
    }
}
