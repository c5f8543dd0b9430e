//! A system whose queueing is known, simulated in real time: for learning what load does to
//! latency, and to check tools against a truth.
//!
//! So many servers share one queue, first come first served. `sim:servers=4,service=1ms` has
//! exponential service times of that mean: in a closed loop it is the machine-repair model without
//! repair times, in an open loop M/M/4 (Gross and Harris, Fundamentals of Queueing Theory).
//! With `order=random` any of those who wait is next, as where a latch is raced for: the mean is the
//! same, the mean square of the waiting time with one server at utilisation U is 2 / (2 - U) times that
//! of first come first served (Kingman 1962, Takács 1963).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
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
    order: Order,
    places: u64,
    /// One operation in so many fails.
    fail_one_in: Option<u32>,
    /// What service times are drawn from; none for others in each run.
    seed: Option<u64>,
}

/// In which order operations that wait are served.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Order {
    /// First come first served.
    Fifo,
    /// Any of those that wait is as likely to be next.
    Random,
}

/// An operation in flight: its lane and its slot there.
type Flight = (u32, u32);

/// Servers and when each is free again.
#[derive(Debug)]
struct Servers {
    free_ns: BinaryHeap<Reverse<u64>>,
    random: Random,
    /// Served at random: those that wait for a server.
    waiting: Vec<Flight>,
    /// Served at random: those that have a server, and when they are done.
    served: HashMap<Flight, u64>,
}

struct Simulated {
    truth: Truth,
    servers: Arc<Mutex<Servers>>,
}

struct SimulatedLane {
    truth: Truth,
    servers: Arc<Mutex<Servers>>,
    lane: u32,
    /// When each operation in flight will be done, soonest first; only those of which that is known.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    /// Operations that wait for a server.
    waiting: Vec<u32>,
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
        let free_ns = (0..truth.servers).map(|_| Reverse(0)).collect();
        Servers { free_ns, random, waiting: Vec::new(), served: HashMap::new() }
    }

    /// Served at random: an operation that arrives now gets a free server, or waits.
    fn arrive(&mut self, truth: &Truth, flight: Flight, now_ns: u64) {
        self.advance(truth, now_ns);
        if self.next_free_ns() <= now_ns {
            let done_ns = self.done_ns(truth, now_ns);
            self.served.insert(flight, done_ns);
        } else {
            self.waiting.push(flight);
        }
    }

    /// Served at random: each server that became free until now took one of those that waited.
    fn advance(&mut self, truth: &Truth, now_ns: u64) {
        while !self.waiting.is_empty() && self.next_free_ns() <= now_ns {
            let next = self.random.index(self.waiting.len());
            let flight = self.waiting.swap_remove(next);
            // They arrived before it became free.
            let done_ns = self.done_ns(truth, 0);
            self.served.insert(flight, done_ns);
        }
    }

    /// When the next server is free.
    fn next_free_ns(&self) -> u64 {
        self.free_ns.peek().map_or(0, |Reverse(free_ns)| *free_ns)
    }

    /// When an operation that arrives now is done, if it gets the first server that is free.
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
            order: Order::Fifo,
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
            "order" => {
                self.order = match value {
                    "fifo" => Order::Fifo,
                    "random" => Order::Random,
                    _ => return Err(wrong("must be fifo or random")),
                };
            }
            "places" => self.places = number()?.max(1),
            "fail" => self.fail_one_in = Some(small(u64::from(u32::MAX))?),
            "seed" => self.seed = Some(number()?),
            _ => {
                let known = "servers, service, distribution, order, places, fail and seed";
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

    fn open(&self, lane: u32, _slots: u32) -> Result<Box<dyn Engine>, LoadError> {
        clock::keep_sharp();
        Ok(Box::new(SimulatedLane {
            truth: self.truth,
            servers: Arc::clone(&self.servers),
            lane,
            due: BinaryHeap::new(),
            waiting: Vec::new(),
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
        let Truth { servers, service, fixed, order, seed, .. } = self.truth;
        let is_fifo = order == Order::Fifo;
        let order = if is_fifo { "first come first served" } else { "at random" };
        let shape = if fixed { "fixed" } else { "exponential" };
        vec![
            ("simulated".to_owned(), "nothing real was measured".to_owned()),
            ("servers".to_owned(), servers.to_string()),
            ("service time".to_owned(), format!("{service} {shape}")),
            ("order of service".to_owned(), order.to_owned()),
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
        match self.truth.order {
            Order::Fifo => {
                let done_ns = servers.done_ns(&self.truth, now_ns);
                self.due.push(Reverse((done_ns, slot)));
            }
            Order::Random => {
                servers.arrive(&self.truth, (self.lane, slot), now_ns);
                self.waiting.push(slot);
            }
        }
        Ok(())
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Done>) -> Result<(), Broken> {
        let before = done.len();
        loop {
            let now_ns = clock::now_ns();
            let free_ns = self.serve(now_ns);
            self.take_due(now_ns, done);
            let next_ns = self.due.peek().map_or(u64::MAX, |Reverse((due_ns, _))| *due_ns);
            let next_ns = next_ns.min(free_ns);
            let until_ns = match wait {
                Wait::One if next_ns < u64::MAX => next_ns,
                Wait::Until(until_ns) if now_ns < until_ns => next_ns.min(until_ns),
                _ => return Ok(()),
            };
            if done.len() > before {
                return Ok(());
            }
            wait_until(until_ns);
        }
    }
}

impl SimulatedLane {
    /// Finds out which of the operations that waited have a server by now; when the next server is
    /// free for those that still wait.
    fn serve(&mut self, now_ns: u64) -> u64 {
        if self.waiting.is_empty() {
            return u64::MAX;
        }
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        servers.advance(&self.truth, now_ns);
        let (lane, due) = (self.lane, &mut self.due);
        self.waiting.retain(|&slot| match servers.served.remove(&(lane, slot)) {
            Some(done_ns) => {
                due.push(Reverse((done_ns, slot)));
                false
            }
            None => true,
        });
        if self.waiting.is_empty() { u64::MAX } else { servers.next_free_ns() }
    }

    /// Takes the operations that are done by now.
    fn take_due(&mut self, now_ns: u64, done: &mut Vec<Done>) {
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
            ("speed=9", "sim: 'speed=9': there are servers, service, distribution, order, places,"),
            ("order=lifo", "sim: 'order=lifo': must be fifo or random"),
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

    /// Response times of an open loop in virtual time, in units of the service time.
    fn responses(truth: &Truth, load: f64, arrivals: u32, run: u64) -> Vec<f64> {
        let mean_ns = truth.service.as_nanos() as f64;
        let gap_ns = mean_ns / (load * f64::from(truth.servers));
        let mut times = of_lane(9_000, run);
        let mut servers = Servers::new(truth, of_lane(truth.seed.unwrap(), run));
        let (mut now, mut found) = (0.0, Vec::new());
        let mut begun = Vec::new();
        for number in 0..arrivals {
            now += times.exponential() * gap_ns;
            begun.push(now);
            match truth.order {
                Order::Fifo => found.push(servers.done_ns(truth, whole_ns(now)) as f64),
                Order::Random => servers.arrive(truth, (0, number), whole_ns(now)),
            }
        }
        servers.advance(truth, u64::MAX - 1);
        if truth.order == Order::Random {
            assert_eq!(servers.served.len(), arrivals as usize, "each is served once");
            found.extend((0..arrivals).map(|number| servers.served[&(0, number)] as f64));
        }
        found.iter().zip(&begun).map(|(done, begun)| (done - begun) / mean_ns).collect()
    }

    #[test]
    fn the_order_changes_the_mean_square_and_not_the_mean() {
        const LOAD: f64 = 0.8;
        let of = |text: &str| {
            let truth = Truth::parse(text).unwrap();
            (1..=40).flat_map(|run| responses(&truth, LOAD, 20_000, run)).collect::<Vec<f64>>()
        };
        let (fifo, random) = (of("seed=3"), of("seed=3,order=random"));
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        // M/M/1: 1 / (1 - U) = 5; 800,000 dependent arrivals scatter by about 2 %.
        for times in [&fifo, &random] {
            assert!((mean(times) / 5.0 - 1.0).abs() < 0.08, "{}", mean(times));
        }
        // Kingman: E[W²] at random is 2 / (2 - U) E[W²] in order, 2 U / (1 - U)² = 40: 66.7. A service
        // that does not depend on W adds E[S²] + 2 E[S] E[W] = 2 + 8.
        let square =
            |times: &[f64]| mean(&times.iter().map(|time| time * time).collect::<Vec<_>>());
        let ratio = (square(&random) - 10.0) / (square(&fifo) - 10.0);
        assert!((ratio / (2.0 / (2.0 - LOAD)) - 1.0).abs() < 0.15, "{ratio}");
        // What p99 says of it: 4.6 / (1 - U) in order, half as much again at random.
        let p99 = |times: &[f64]| {
            let mut sorted = times.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted[sorted.len() * 99 / 100]
        };
        assert!((p99(&fifo) / 23.03 - 1.0).abs() < 0.12, "{}", p99(&fifo));
        assert!((1.35..1.7).contains(&(p99(&random) / p99(&fifo))), "{}", p99(&random));
    }

    #[test]
    fn an_operation_at_random_is_done_when_its_server_says_so() {
        // Fixed times of 1 ms, one server, three that come at once: done after 1, 2 and 3 ms.
        let system = simulated("service=1ms,distribution=fixed,order=random", &Job::default());
        let system = system.unwrap();
        let mut lane = system.open(0, 3).unwrap();
        let begun_ns = clock::now_ns();
        for slot in 0..3 {
            lane.submit(slot, Operation { kind: 0, place: 0 }).unwrap();
        }
        let mut done = Vec::new();
        while done.len() < 3 {
            lane.reap(Wait::One, &mut done).unwrap();
        }
        let mut slots: Vec<u32> = done.iter().map(|one| one.slot).collect();
        slots.sort_unstable();
        assert_eq!(slots, [0, 1, 2]);
        for (number, one) in (1_u64..).zip(&done) {
            assert!(
                one.at_ns - begun_ns >= number * 1_000_000,
                "{number}: {}",
                one.at_ns - begun_ns
            );
        }
        // Nothing is in flight: nothing to wait for.
        lane.reap(Wait::One, &mut done).unwrap();
        lane.reap(Wait::No, &mut done).unwrap();
        assert_eq!(done.len(), 3);
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
