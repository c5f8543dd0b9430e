//! A system whose queueing is known, simulated in real time: for learning what load does to
//! latency, and to check tools against a truth.
//!
//! So many servers share one queue, first come first served. `sim:servers=4,service=1ms` has
//! exponential service times of that mean: in a closed loop it is the machine-repair model without
//! repair times, in an open loop M/M/4 (Gross and Harris, Fundamentals of Queueing Theory).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex, PoisonError};

use isotherm_frame::Nanos;

use crate::clock;
use crate::engine::{Count, Done, Engine, KindMeta, Operation, System, Wait, spread};
use crate::fault::{Broken, LoadError};
use crate::random::of_lane;
use isotherm_frame::Random;

/// The kinds of operations.
const KINDS: [KindMeta; 2] = [
    KindMeta { name: "read", writes: false, places: 1 },
    KindMeta { name: "write", writes: true, places: 1 },
];
/// The last stretch before something is due is waited for without sleeping: a timer that fires
/// late would add to every service time.
const SPIN_NS: u64 = 60_000;

/// What is simulated.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Truth {
    servers: u32,
    service: Nanos,
    /// Whether every service takes the same time.
    fixed: bool,
    places: u64,
    /// One operation in so many fails.
    fail_one_in: Option<u32>,
    seed: u64,
}

/// Servers and when each is free again.
#[derive(Debug)]
struct Servers {
    free_ns: BinaryHeap<Reverse<u64>>,
    random: Random,
}

struct Simulated {
    truth: Truth,
    servers: Arc<Mutex<Servers>>,
}

struct Lane {
    truth: Truth,
    servers: Arc<Mutex<Servers>>,
    /// When each operation in flight will be done, soonest first.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    begun: u64,
    failing: Vec<u32>,
}

/// Opens a simulated system.
pub fn open(text: &str) -> Result<Box<dyn System>, LoadError> {
    let truth = Truth::parse(text)?;
    let free_ns = (0..truth.servers).map(|_| Reverse(0)).collect();
    let servers = Servers { free_ns, random: of_lane(truth.seed, 0) };
    Ok(Box::new(Simulated { truth, servers: Arc::new(Mutex::new(servers)) }))
}

impl Truth {
    fn parse(text: &str) -> Result<Truth, LoadError> {
        let mut truth = Truth {
            servers: 1,
            service: Nanos::from_millis(1),
            fixed: false,
            places: 1 << 20,
            fail_one_in: None,
            seed: 1,
        };
        for part in text.split(',').filter(|part| !part.is_empty()) {
            truth.set(part)?;
        }
        Ok(truth)
    }

    fn set(&mut self, part: &str) -> Result<(), LoadError> {
        let wrong = |why: &str| LoadError::Job(format!("sim: '{part}': {why}"));
        let (key, value) = part.split_once('=').ok_or_else(|| wrong("write KEY=VALUE"))?;
        let number = || value.parse::<u64>().map_err(|_| wrong("must be a whole number"));
        let small = |most: u64| match number()? {
            value @ 1.. if value <= most => u32::try_from(value).map_err(|_| wrong("is too large")),
            _ => Err(wrong(&format!("must lie between 1 and {most}"))),
        };
        match key {
            "servers" => self.servers = small(65_536)?,
            "service" => {
                self.service = value.parse().map_err(|_| wrong("must be a time such as 1ms"))?;
            }
            "distribution" => {
                self.fixed = match value {
                    "fixed" => true,
                    "exponential" => false,
                    _ => return Err(wrong("must be exponential or fixed")),
                };
            }
            "places" => self.places = number()?.max(1),
            "fail" => self.fail_one_in = Some(small(u64::from(u32::MAX))?),
            "seed" => self.seed = number()?,
            _ => {
                let known = "servers, service, distribution, places, fail and seed";
                return Err(wrong(&format!("there are {known}")));
            }
        }
        Ok(())
    }
}

impl System for Simulated {
    fn kinds(&self) -> &[KindMeta] {
        &KINDS
    }

    fn places(&self) -> u64 {
        self.truth.places
    }

    fn place_bytes(&self) -> u64 {
        0
    }

    fn lanes(&self, in_flight: u32, threads: Option<u32>) -> Vec<u32> {
        spread(in_flight, threads.unwrap_or(1))
    }

    fn open(&self, _lane: u32, _slots: u32) -> Result<Box<dyn Engine>, LoadError> {
        clock::keep_sharp();
        Ok(Box::new(Lane {
            truth: self.truth,
            servers: Arc::clone(&self.servers),
            due: BinaryHeap::new(),
            begun: 0,
            failing: Vec::new(),
        }))
    }

    fn counts(&self) -> Vec<Count> {
        Vec::new()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let Truth { servers, service, fixed, .. } = self.truth;
        let shape = if fixed { "fixed" } else { "exponential" };
        vec![
            ("simulated".to_owned(), "nothing real was measured".to_owned()),
            ("servers".to_owned(), servers.to_string()),
            ("service time".to_owned(), format!("{service} {shape}")),
        ]
    }
}

impl Engine for Lane {
    fn submit(&mut self, slot: u32, _operation: Operation) -> Result<(), Broken> {
        let now_ns = clock::now_ns();
        self.begun += 1;
        if self.truth.fail_one_in.is_some_and(|n| self.begun.is_multiple_of(u64::from(n))) {
            self.failing.push(slot);
        }
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let mean = self.truth.service.as_nanos() as f64;
        let length = if self.truth.fixed { mean } else { servers.random.exponential() * mean };
        let free_ns = servers.free_ns.pop().map_or(0, |Reverse(free_ns)| free_ns);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length")]
        let done_ns = free_ns.max(now_ns).saturating_add(length as u64);
        servers.free_ns.push(Reverse(done_ns));
        self.due.push(Reverse((done_ns, slot)));
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), Broken> {
        let next_ns = self.due.peek().map_or(u64::MAX, |Reverse((due_ns, _))| *due_ns);
        match wait {
            Wait::No => {}
            Wait::One => wait_until(next_ns),
            Wait::Until(until_ns) => wait_until(next_ns.min(until_ns)),
        }
        let now_ns = clock::now_ns();
        while let Some(&Reverse((due_ns, slot))) = self.due.peek()
            && due_ns <= now_ns
        {
            self.due.pop();
            let fails = self.failing.iter().position(|failing| *failing == slot);
            let result = match fails {
                Some(index) => {
                    self.failing.swap_remove(index);
                    Err("simulated failure".into())
                }
                None => Ok(0),
            };
            done.push(Done { slot, at_ns: now_ns, result });
        }
        Ok(())
    }
}

/// Waits until a moment, the last of it without sleeping.
fn wait_until(until_ns: u64) {
    if until_ns == u64::MAX {
        return;
    }
    clock::sleep_until(until_ns.saturating_sub(SPIN_NS));
    while clock::now_ns() < until_ns {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_simulated_is_read_or_refused_with_the_reason() {
        let truth = Truth::parse("servers=4,service=250us,distribution=fixed,places=7").unwrap();
        assert_eq!((truth.servers, truth.places, truth.fixed), (4, 7, true));
        assert_eq!(truth.service, Nanos::from_micros(250));
        for (text, expected) in [
            ("servers=0", "sim: 'servers=0': must lie between 1 and 65536"),
            ("speed=9", "sim: 'speed=9': there are servers, service, distribution, places, fail"),
            ("service", "sim: 'service': write KEY=VALUE"),
            ("service=fast", "sim: 'service=fast': must be a time such as 1ms"),
        ] {
            let error = Truth::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
