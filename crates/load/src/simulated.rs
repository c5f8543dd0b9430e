//! A system whose queueing is known, simulated in real time: for learning what load does to
//! latency, and to check tools against a truth.
//!
//! So many servers share one queue, first come first served. `sim:servers=4,service=1ms` has
//! exponential service times of that mean: in a closed loop it is the machine-repair model without
//! repair times, in an open loop M/M/4 (Gross and Harris, Fundamentals of Queueing Theory).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use isotherm_frame::Nanos;

use crate::clock;
use crate::engine::{Count, Done, Engine, KindMeta, Operation, Role, System, Wait, spread};
use crate::engines::{EngineKind, Medium, Target};
use crate::fault::{Broken, LoadError};
use crate::hooks::Hooks;
use crate::job::Job;
use crate::random::of_lane;
use isotherm_frame::Random;

/// The kinds of operations.
const KINDS: [KindMeta; 2] = [
    KindMeta { name: "read", role: Role::Read, places: 1 },
    KindMeta { name: "write", role: Role::Write, places: 1 },
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
    /// What service times are drawn from; none for others in each run.
    seed: Option<u64>,
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

struct SimulatedLane {
    truth: Truth,
    servers: Arc<Mutex<Servers>>,
    /// When each operation in flight will be done, soonest first.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    begun: u64,
    failing: Vec<u32>,
}

pub(crate) static ENGINE: SimulatedEngine = SimulatedEngine;

pub(crate) struct SimulatedEngine;

impl EngineKind for SimulatedEngine {
    fn name(&self) -> &'static str {
        "sim"
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["sim:"]
    }

    fn example(&self) -> &'static str {
        "sim:..."
    }

    fn options(&self) -> &'static [&'static str] {
        &[]
    }

    fn medium(&self) -> Medium {
        Medium::Model
    }

    fn target(&self, rest: &str) -> Option<Arc<dyn Target>> {
        Some(Arc::new(Described(rest.to_owned())))
    }
}

/// The text of an address.
struct Described(String);

impl Target for Described {
    /// Service times are drawn anew for each run, so that runs differ from each other by as much as
    /// chance says: from `seed=` and the seed of the job, which the repeats of a sweep do not share,
    /// or from the system's randomness where no seed is given.
    fn open(&self, job: &Job, _: &mut Hooks) -> Result<Box<dyn System>, LoadError> {
        Ok(Box::new(simulated(&self.0, job)?))
    }

    fn check(&self, _: &Job) -> Result<(), LoadError> {
        Truth::parse(&self.0).map(drop)
    }
}

fn simulated(text: &str, job: &Job) -> Result<Simulated, LoadError> {
    let mut truth = Truth::parse(text)?;
    let seed = *truth.seed.get_or_insert_with(of_the_system);
    let servers = Servers::new(&truth, of_lane(seed, job.work.seed));
    Ok(Simulated { truth, servers: Arc::new(Mutex::new(servers)) })
}

/// A number that the system draws, another one each time; short enough to be typed.
fn of_the_system() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

impl Servers {
    fn new(truth: &Truth, random: Random) -> Servers {
        Servers { free_ns: (0..truth.servers).map(|_| Reverse(0)).collect(), random }
    }

    /// When an operation that arrives now is done: it waits for the first server that is free.
    fn done_ns(&mut self, truth: &Truth, now_ns: u64) -> u64 {
        let mean = truth.service.as_nanos() as f64;
        let length = if truth.fixed { mean } else { self.random.exponential() * mean };
        let free_ns = self.free_ns.pop().map_or(0, |Reverse(free_ns)| free_ns);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length")]
        let done_ns = free_ns.max(now_ns).saturating_add(length as u64);
        self.free_ns.push(Reverse(done_ns));
        done_ns
    }
}

impl Truth {
    fn parse(text: &str) -> Result<Truth, LoadError> {
        let mut truth = Truth {
            servers: 1,
            service: Nanos::from_millis(1),
            fixed: false,
            places: 1 << 20,
            fail_one_in: None,
            seed: None,
        };
        let parts: Vec<&str> = text.split(',').filter(|part| !part.is_empty()).collect();
        let key = |part: &str| part.split('=').next().unwrap_or_default().to_owned();
        for (index, part) in parts.iter().enumerate() {
            if parts[..index].iter().any(|earlier| key(earlier) == key(part)) {
                let why = format!("sim: '{part}': {} is there twice: write it once", key(part));
                return Err(LoadError::Job(why));
            }
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
            "seed" => self.seed = Some(number()?),
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
        Ok(Box::new(SimulatedLane {
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

    fn seed(&self) -> u64 {
        self.truth.seed.unwrap_or_default()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let Truth { servers, service, fixed, seed, .. } = self.truth;
        let shape = if fixed { "fixed" } else { "exponential" };
        vec![
            ("simulated".to_owned(), "nothing real was measured".to_owned()),
            ("servers".to_owned(), servers.to_string()),
            ("service time".to_owned(), format!("{service} {shape}")),
            ("seed".to_owned(), seed.unwrap_or_default().to_string()),
        ]
    }
}

impl Engine for SimulatedLane {
    fn submit(&mut self, slot: u32, _operation: Operation) -> Result<(), Broken> {
        let now_ns = clock::now_ns();
        self.begun += 1;
        if self.truth.fail_one_in.is_some_and(|n| self.begun.is_multiple_of(u64::from(n))) {
            self.failing.push(slot);
        }
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let done_ns = servers.done_ns(&self.truth, now_ns);
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
    use crate::job::Work;
    use crate::random::of_arrivals;

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a moment of the run"
    )]
    fn whole_ns(ns: f64) -> u64 {
        ns as u64
    }

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

    /// Mean response times of independent runs of an open loop in virtual time, in units of the
    /// service time: arrivals of a Poisson process, the first tenth left out.
    fn means(truth: &Truth, load: f64, arrivals: u32, runs: u64) -> Vec<f64> {
        let mean_ns = truth.service.as_nanos() as f64;
        let gap_ns = mean_ns / (load * f64::from(truth.servers));
        let one = |run: u64| {
            let mut times = of_lane(truth.seed.unwrap() + 1_000, run);
            let mut servers = Servers::new(truth, of_lane(truth.seed.unwrap(), run));
            let (mut now, mut waited) = (0.0, 0.0);
            for number in 0..arrivals {
                now += times.exponential() * gap_ns;
                let done = servers.done_ns(truth, whole_ns(now)) as f64;
                waited += if number < arrivals / 10 { 0.0 } else { done - now };
            }
            waited / f64::from(arrivals - arrivals / 10) / mean_ns
        };
        (1..=runs).map(one).collect()
    }

    /// Mean response time of M/M/c in units of the service time: Erlang's C by his recursion for B
    /// (Erlang 1917; Gross and Harris, chapter 2).
    fn erlang(servers: u32, load: f64) -> f64 {
        let offered = load * f64::from(servers);
        let lost = (1..=servers)
            .fold(1.0, |lost, number| offered * lost / (f64::from(number) + offered * lost));
        let waits = lost / (1.0 - load * (1.0 - lost));
        1.0 + waits / (f64::from(servers) * (1.0 - load))
    }

    #[test]
    fn runs_scatter_about_erlang_c_as_chance_says() {
        // 95 % of Student's t with 9 degrees of freedom lies within 2.262.
        const REACH: f64 = 2.262;
        let (mut inside, mut all) = (0, 0);
        for (servers, load) in [(1, 0.5), (1, 0.7), (2, 0.8), (4, 0.5), (4, 0.8), (8, 0.85)] {
            let truth = erlang(servers, load);
            for seed in 1..=8 {
                let text = format!("servers={servers},seed={seed}");
                let found = means(&Truth::parse(&text).unwrap(), load, 6_000, 10);
                let mean = found.iter().sum::<f64>() / 10.0;
                let squares: f64 = found.iter().map(|one| (one - mean).powi(2)).sum();
                let error = (squares / 9.0 / 10.0).sqrt();
                assert!(error > 0.0, "runs of one seed are all the same");
                inside += i32::from((mean - truth).abs() <= REACH * error);
                all += 1;
            }
        }
        // 48 intervals of 95 %: fewer than 41 are inside once in two thousand times.
        assert!(inside >= 41, "{inside} of {all}");
    }

    #[test]
    fn repeats_have_random_numbers_of_their_own_and_a_seed_gives_them_again() {
        let drawn = |text: &str, work_seed: u64| {
            let truth = Truth::parse(text).unwrap();
            let mut servers = Servers::new(&truth, of_lane(truth.seed.unwrap(), work_seed));
            (0..50).map(|_| servers.done_ns(&truth, 0)).collect::<Vec<u64>>()
        };
        assert_eq!(drawn("seed=5", 1), drawn("seed=5", 1));
        assert_ne!(drawn("seed=5", 1), drawn("seed=5", 2));
        assert_ne!(drawn("seed=5", 1), drawn("seed=6", 1));
        assert_ne!(of_the_system(), of_the_system());
        // So have arrivals: one default for all would be lucky or unlucky for all.
        let arrive = |text: &str, seed: u64| {
            let work = Work { seed, ..Work::default() };
            let system = simulated(text, &Job { work: work.clone(), ..Job::default() }).unwrap();
            of_arrivals(&system, &work, 0).exponential().to_bits()
        };
        assert_ne!(arrive("servers=2", 1), arrive("servers=2", 1));
        assert_eq!(arrive("seed=5", 1), arrive("seed=5", 1));
        assert_ne!(arrive("seed=5", 1), arrive("seed=5", 2));
        // What was drawn is reported, so that a run can be made again.
        let facts = simulated("servers=2", &Job::default()).unwrap().facts();
        assert!(facts.iter().any(|(name, value)| name == "seed" && value.parse::<u64>().is_ok()));
    }
}
