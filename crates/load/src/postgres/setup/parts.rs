//! Loads the parts that are missing, several at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::super::data;
use super::super::explained::Explained;
use super::super::model::{self, PARTS};
use super::plan::Plan;
use crate::engine::processors;
use crate::{Hooks, LoadError, Progress};
use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

/// Most connections that load at a time.
const MOST_AT_A_TIME: usize = 8;
/// How often progress is reported.
const TELL: Duration = Duration::from_millis(200);

/// One piece of work after the other, taken by whoever is free, until all is done, one fails, or
/// we are asked to stop.
pub struct Work<'a, T> {
    pieces: &'a [T],
    next: AtomicUsize,
    busy: AtomicUsize,
    failed: Mutex<Option<LoadError>>,
    stop: &'a AtomicBool,
}

impl<'a, T: Sync> Work<'a, T> {
    /// Nothing done yet.
    pub fn new(pieces: &'a [T], stop: &'a AtomicBool) -> Work<'a, T> {
        let (next, busy) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Work { pieces, next, busy, failed: Mutex::new(None), stop }
    }

    /// Does all pieces on several connections; `watch` is called a few times a second.
    pub fn run(
        &self,
        logon: &Logon,
        each: impl Fn(&mut Control, &T) -> Result<(), LoadError> + Sync,
        watch: &mut dyn FnMut(),
    ) -> Result<(), LoadError> {
        let cores = usize::try_from(processors()).unwrap_or(1);
        let workers = self.pieces.len().min(cores).min(MOST_AT_A_TIME);
        self.busy.store(workers, Ordering::Release);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    self.keep(self.work(logon, &each));
                    self.busy.fetch_sub(1, Ordering::Release);
                });
            }
            let mut ticks = 0_u64;
            while self.busy.load(Ordering::Acquire) > 0 {
                if ticks.is_multiple_of(20) {
                    watch();
                }
                ticks += 1;
                thread::sleep(TELL / 20);
            }
            watch();
        });
        self.outcome()
    }

    fn outcome(&self) -> Result<(), LoadError> {
        match self.failed.lock().ok().and_then(|mut failed| failed.take()) {
            Some(error) => Err(error),
            None if self.stop.load(Ordering::Relaxed) => {
                Err(PgError::Stopped.doing("setting up", ""))
            }
            None => Ok(()),
        }
    }

    fn work(
        &self,
        logon: &Logon,
        each: &(impl Fn(&mut Control, &T) -> Result<(), LoadError> + Sync),
    ) -> Result<(), LoadError> {
        let mut control =
            Control::open(logon, Some(self.stop)).map_err(|error| error.connecting(logon))?;
        let quick = control.rows("set synchronous_commit = off; set statement_timeout = 0");
        quick.map_err(|error| error.doing("setting up a session", ""))?;
        while !control.stopped() && self.failed.lock().is_ok_and(|failed| failed.is_none()) {
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = self.pieces.get(next) else { break };
            each(&mut control, piece)?;
        }
        Ok(())
    }

    /// Keeps the first thing that went wrong.
    fn keep(&self, outcome: Result<(), LoadError>) {
        if let (Err(error), Ok(mut failed)) = (outcome, self.failed.lock()) {
            failed.get_or_insert(error);
        }
    }
}

/// Loads all parts that are missing; gives how many rows they had.
pub fn load(plan: &Plan, logon: &Logon, hooks: &mut Hooks) -> Result<u64, LoadError> {
    // Schema after schema within each part: connections load different tables where they can.
    let longest = plan.unfinished.iter().map(|schema| schema.parts.len()).max().unwrap_or(0);
    let pieces: Vec<(u32, u64)> = (0..longest)
        .flat_map(|at| {
            plan.unfinished
                .iter()
                .filter_map(move |schema| schema.parts.get(at).map(|part| (schema.number, *part)))
        })
        .collect();
    let (total, done) = (plan.rows(), AtomicU64::new(0));
    let what = format!("loading isotherm_1..{}", plan.wanted.schemas);
    let mut tell = || {
        let done = done.load(Ordering::Relaxed);
        (hooks.progress)(Progress { what: what.clone(), done, total, unit: "rows" });
    };
    Work::new(&pieces, hooks.stop).run(
        logon,
        |control, (number, part)| {
            let (from, until) = plan.span(*part);
            part_of(control, plan, *number, *part)
                .map_err(|error| error.doing(&format!("loading isotherm_{number}"), ""))?;
            done.fetch_add(until - from, Ordering::Relaxed);
            Ok(())
        },
        &mut tell,
    )?;
    Ok(total)
}

/// One part and the note that it is there, in one transaction.
fn part_of(control: &mut Control, plan: &Plan, number: u32, part: u64) -> Result<(), PgError> {
    let schema = model::schema(number);
    let (from, until) = plan.span(part);
    let data = data::rows(&plan.order(number), from, until, model::width(plan.block));
    control.rows(&format!("begin; insert into {schema}.{PARTS} values ({part})"))?;
    control.copy(&model::copy(number), &data)?;
    control.rows("commit").map(drop)
}
