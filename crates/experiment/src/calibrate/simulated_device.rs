//! A device whose truth is known, in time of its own: servers that share a queue, a cache, and
//! what goes wrong under load.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use isotherm_frame::{LogLinear, Nanos, Random};
use isotherm_load::{
    Arrival, Cpu, Distribution, Ended, IntervalOutcome, Job, KindOutcome, Little, LoadError,
    Offered, Outcome, Pattern, Touched, Warmup,
};

use super::bench::{Bench, Order};
use crate::{Run, Steady};

/// The device. Times in nanoseconds.
pub struct Device {
    pub bytes: u64,
    /// Operations served at the same time.
    pub servers: usize,
    /// Bytes that are answered in `hit_ns`.
    pub cache: u64,
    pub hit_ns: f64,
    pub miss_ns: f64,
    /// Service times lie within this share of their mean, uniformly.
    pub jitter: f64,
    /// Service takes longer with the square of the operations in flight.
    pub thrash: f64,
    /// Nanoseconds for a byte of a large operation.
    pub per_byte_ns: f64,
    pub facts: Vec<(String, String)>,
    /// Asked to stop after so many loads.
    pub patience: usize,
    pub orders: Vec<Order>,
    pub random: Random,
    pub spent: Nanos,
}

/// Intervals of a measured time.
const INTERVALS: u32 = 8;

impl Device {
    /// Four servers of 1 ms, without a cache.
    pub fn new(seed: u64) -> Device {
        Device {
            bytes: 8_192 * 100_000,
            servers: 4,
            cache: 0,
            hit_ns: 1e5,
            miss_ns: 1e6,
            jitter: 0.3,
            thrash: 0.0,
            per_byte_ns: 5.0,
            facts: Vec::new(),
            patience: usize::MAX,
            orders: Vec::new(),
            random: Random::new(seed),
            spent: Nanos::ZERO,
        }
    }

    fn service_ns(&mut self, job: &Job, in_flight: f64) -> u64 {
        let set = job.file.size.unwrap_or(self.bytes) as f64;
        let hit = self.random.unit() * set < self.cache as f64;
        let mean = match job.work.pattern {
            Pattern::Sequential => job.file.block as f64 * self.per_byte_ns,
            Pattern::Random if hit => self.hit_ns,
            Pattern::Random => self.miss_ns * (1.0 + self.thrash * in_flight * in_flight),
        };
        let spread = 1.0 + self.jitter * (2.0 * self.random.unit() - 1.0);
        whole(mean * spread)
    }

    /// When operations arrived and ended.
    fn served(&mut self, job: &Job, end_ns: u64) -> Vec<(u64, u64)> {
        let mut arrivals: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
        let (closed, in_flight) = match job.arrival {
            Arrival::Closed { in_flight, .. } => {
                arrivals.extend((0..in_flight).map(|_| Reverse(0)));
                (true, f64::from(in_flight))
            }
            Arrival::Open { rate_hz, .. } => {
                let mut at = 0.0;
                while at < end_ns as f64 {
                    at += self.random.exponential() / rate_hz * 1e9;
                    arrivals.push(Reverse(whole(at)));
                }
                (false, 1.0)
            }
        };
        let mut free: BinaryHeap<Reverse<u64>> = (0..self.servers).map(|_| Reverse(0)).collect();
        let mut served = Vec::new();
        while let Some(Reverse(at)) = arrivals.pop() {
            if at >= end_ns {
                break;
            }
            let Reverse(idle) = free.pop().unwrap();
            let done = at.max(idle) + self.service_ns(job, in_flight);
            free.push(Reverse(done));
            served.push((at, done));
            if closed {
                arrivals.push(Reverse(done));
            }
        }
        served
    }
}

impl Bench for Device {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn spent(&self) -> Nanos {
        self.spent
    }

    fn stopped(&self) -> bool {
        self.orders.len() >= self.patience
    }

    fn run(&mut self, order: &Order) -> Result<Run, LoadError> {
        self.orders.push(order.clone());
        let job = &order.job;
        let Warmup::Time(warmup) = job.warmup else { panic!("a length of time is expected") };
        let (begin, length) = (warmup.as_nanos(), job.limit.time.as_nanos());
        let served = self.served(job, begin + length);
        self.spent = self.spent.checked_add(Nanos::new(begin + length)).unwrap();
        let inside: Vec<(u64, u64)> = served
            .iter()
            .copied()
            .filter(|(_, end)| (begin..begin + length).contains(end))
            .collect();
        let outcome = outcome(job, &inside, begin, length, served.len() as u64);
        Ok(Run {
            format: 1,
            point: 0,
            repeat: 0,
            label: order.label.clone(),
            job: job.clone(),
            facts: self.facts.clone(),
            outcome,
            steady: Steady::default(),
            verdicts: Vec::new(),
            recording: None,
        })
    }
}

fn outcome(job: &Job, inside: &[(u64, u64)], begin: u64, length: u64, visits: u64) -> Outcome {
    let response = distribution(inside.iter().map(|(at, done)| done - at));
    let part = length / u64::from(INTERVALS);
    let interval = |index: u32| {
        let from = begin + part * u64::from(index);
        let ended = inside.iter().filter(|(_, end)| (from..from + part).contains(end));
        IntervalOutcome {
            start_s: f64::from(index) * part as f64 / 1e9,
            length_s: part as f64 / 1e9,
            operations: ended.clone().count() as u64,
            waited_ns: ended.map(|(at, end)| end - at).sum(),
            failed: 0,
        }
    };
    let (in_flight, rate_hz) = match job.arrival {
        Arrival::Closed { in_flight, .. } => (in_flight, None),
        Arrival::Open { rate_hz, slots, .. } => (slots, Some(rate_hz)),
    };
    let places = job.file.size.unwrap() / job.file.block;
    Outcome {
        began_ns: 0,
        warmup_s: begin as f64 / 1e9,
        measured_s: length as f64 / 1e9,
        offered: Offered { in_flight, rate_hz, threads: 1, ..Offered::default() },
        kinds: vec![KindOutcome {
            name: if job.work.update_pct > 0.0 { "write" } else { "read" }.to_owned(),
            role: None,
            bytes: response.events * job.file.block,
            failed: 0,
            response,
            service: None,
        }],
        intervals: (0..INTERVALS).map(interval).collect(),
        little: Little::default(),
        cpu: Cpu::default(),
        touched: Some(Touched { places, distinct: places, visits, ..Touched::default() }),
        observed: Vec::new(),
        faults: Vec::new(),
        ended: Ended::Time,
    }
}

/// Whole nanoseconds, at least one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1")]
fn whole(ns: f64) -> u64 {
    ns.max(1.0) as u64
}

/// Latencies as they are kept of a run.
pub fn distribution(latencies: impl IntoIterator<Item = u64>) -> Distribution {
    let buckets = LogLinear::new(Distribution::BITS);
    let mut counts = std::collections::BTreeMap::new();
    let mut kept = Distribution { min_ns: u64::MAX, ..Distribution::default() };
    for ns in latencies {
        *counts.entry(u32::try_from(buckets.index_of(Nanos::new(ns))).unwrap()).or_insert(0) += 1;
        kept.events += 1;
        kept.sum_ns += ns;
        kept.min_ns = kept.min_ns.min(ns);
        kept.max_ns = kept.max_ns.max(ns);
    }
    kept.min_ns = if kept.events == 0 { 0 } else { kept.min_ns };
    kept.buckets = counts.into_iter().collect();
    kept
}
