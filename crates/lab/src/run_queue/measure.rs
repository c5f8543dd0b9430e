//! Samples of the run queue at each level of load.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::counters::{Sar, loadavg, stat, tasks_in_state_r, vmstat};
use super::hogs::Hogs;
use crate::{Bench, LabError};

/// What was measured with one number of hogs. Each value is the mean of one batch of samples:
/// batches are far enough apart not to depend on each other.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// The number of hogs.
    pub hogs: usize,
    /// How many of them ran, and waited, on average; none where the kernel does not count it.
    pub ran_and_waited: Option<(f64, f64)>,
    /// What `/proc/loadavg` counted.
    pub loadavg: Vec<f64>,
    /// `procs_running` of `/proc/stat`.
    pub stat: Vec<f64>,
    /// `r` of vmstat; empty where it is not installed.
    pub vmstat: Vec<f64>,
    /// `runq-sz` of sar, each second; empty where it is not installed.
    pub sar: Vec<f64>,
    /// Tasks in state R, counted one by one.
    pub in_state_r: Vec<f64>,
    /// The share of the running tasks that the run queue left out.
    pub shortfalls: Vec<f64>,
}

/// One look at the run queue.
#[derive(Copy, Clone, Debug)]
struct Sample {
    loadavg: f64,
    stat: f64,
    in_state_r: f64,
    running: f64,
}

/// Samples in a batch.
const SAMPLES: usize = 25;
/// Time between two samples.
const PAUSE: Duration = Duration::from_millis(20);
/// Time for hogs to spread over the processors.
const SETTLE: Duration = Duration::from_millis(50);
/// Batches of a level: short, full.
const BATCHES: (usize, usize) = (1, 20);
/// Seconds of sar at each level, which looks once in each: short, full.
const SECONDS: (usize, usize) = (1, 10);
/// The longest that a level may take with it.
const PATIENCE: Duration = Duration::from_mins(1);
/// The part of the bench's random numbers that orders the levels.
const ORDER: u64 = 1;

/// Measures each level, in random order; gives them in the order given.
pub fn measure(
    hogs: &[usize],
    cores: usize,
    bench: &mut Bench<'_>,
) -> Result<Vec<Level>, LabError> {
    let mut order: Vec<usize> = (0..hogs.len()).collect();
    let mut random = bench.random(ORDER);
    for at in (1..order.len()).rev() {
        order.swap(at, random.index(at + 1));
    }
    let mut levels = vec![Level::default(); hogs.len()];
    for (done, &at) in order.iter().enumerate() {
        levels[at] = level(hogs[at], cores, (done as f64, hogs.len() as f64), bench)?;
    }
    Ok(levels)
}

fn level(
    count: usize,
    cores: usize,
    (done, of): (f64, f64),
    bench: &mut Bench<'_>,
) -> Result<Level, LabError> {
    let hogs = Hogs::start(count)?;
    sleep(SETTLE);
    let begun = (Instant::now(), hogs.ran_and_waited_s());
    let batches = bench.either(BATCHES.0, BATCHES.1);
    let mut level = Level { hogs: count, ..Level::default() };
    let mut sar = Sar::start(bench.either(SECONDS.0, SECONDS.1));
    for batch in 0..batches {
        let within = batch as f64 / batches as f64;
        bench.step((done + within) / of, &format!("{count} hogs on {cores} processors"))?;
        level.add(&samples(cores)?);
        level.vmstat.extend(vmstat().map(|runnable| runnable as f64));
    }
    // The load stays until sar has ended.
    while !sar.has_ended() && begun.0.elapsed() < PATIENCE {
        bench.step((done + 0.99) / of, &format!("{count} hogs on {cores} processors"))?;
        sleep(PAUSE);
    }
    if sar.has_ended() {
        level.sar.extend(sar.runnable().into_iter().map(|runnable| runnable as f64));
    }
    let took_s = begun.0.elapsed().as_secs_f64();
    level.ran_and_waited =
        begun.1.zip(hogs.ran_and_waited_s()).map(|((ran, waited), (ran_now, waited_now))| {
            ((ran_now - ran) / took_s, (waited_now - waited) / took_s)
        });
    Ok(level)
}

fn samples(cores: usize) -> Result<Vec<Sample>, LabError> {
    (0..SAMPLES)
        .map(|_| {
            sleep(PAUSE);
            let (loadavg, stat) = (loadavg()? as f64, stat()? as f64);
            let in_state_r = tasks_in_state_r()? as f64;
            Ok(Sample { loadavg, stat, in_state_r, running: in_state_r.min(cores as f64) })
        })
        .collect()
}

impl Level {
    fn add(&mut self, batch: &[Sample]) {
        let mean = |of: fn(&Sample) -> f64| batch.iter().map(of).sum::<f64>() / batch.len() as f64;
        let (loadavg, in_state_r) = (mean(|one| one.loadavg), mean(|one| one.in_state_r));
        self.loadavg.push(loadavg);
        self.stat.push(mean(|one| one.stat));
        self.in_state_r.push(in_state_r);
        self.shortfalls.push((in_state_r - loadavg) / mean(|one| one.running).max(1.0));
    }
}
