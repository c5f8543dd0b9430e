//! A database whose tables are there: ready to be loaded.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use isotherm_oracle::client::Logon;

use super::faults::doing;
use super::oracle_lane::{OracleLane, Workers};
use super::session::{Session, log_on};
use super::{model, setup, watch};
use crate::clock::now_ns;
use crate::{Count, DatabaseOptions, Engine, Job, KindMeta, LoadError, Pattern, Role, System};

/// Rows of a work unit, at most.
const MOST_UNIT: u32 = 1_024;
/// How long one call is to take where the loop runs in the server, nanoseconds, without others.
const CALL_NS: u64 = 200_000_000;
/// Operations that are timed to know how many that are.
const TRIAL: u32 = 16;

/// A database whose tables are there.
pub struct Server {
    workers: Arc<Workers>,
    kinds: [KindMeta; 2],
    facts: Vec<(String, String)>,
    block_bytes: u64,
    /// For what is asked beside the load; made anew when it is lost.
    control: Mutex<Option<Session>>,
}

impl Server {
    /// Looks whether the job's tables are there.
    pub fn open(logon: &Logon, job: &Job, stop: &AtomicBool) -> Result<Server, LoadError> {
        check(job)?;
        let options = &job.database;
        let mut session = log_on(logon, stop)?;
        are_ready(&mut session, options, logon)?;
        let block_bytes = watch::block_bytes(&mut session);
        let rows = options.scale.saturating_mul(u64::from(options.schemas));
        let mut facts = watch::facts(&mut session, logon, rows.saturating_mul(block_bytes));
        let turns = if options.server_loop {
            let turns = turns(&mut session, options, logon)?;
            let words = format!("in the server, {turns} operations a call: latencies are of calls");
            facts.push(("loop".to_owned(), words));
            turns
        } else {
            1
        };
        let places = options.work_unit.saturating_mul(turns);
        let bytes = u64::from(places).saturating_mul(block_bytes);
        let names =
            if options.server_loop { ["select loop", "update loop"] } else { ["select", "update"] };
        let kind = |name, role| KindMeta { name, role, places };
        let workers = Workers {
            logon: logon.clone(),
            options: options.clone(),
            statements: (1..=options.schemas)
                .map(|table| statements(table, options, turns))
                .collect(),
            turns,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
        };
        Ok(Server {
            workers: Arc::new(workers),
            kinds: [kind(names[0], Role::Read), kind(names[1], Role::Write)],
            facts,
            block_bytes,
            control: Mutex::new(Some(session)),
        })
    }
}

/// Refuses what cannot be done, before anything is.
pub fn check(job: &Job) -> Result<(), LoadError> {
    let options = &job.database;
    let wrong = |words: &str| Err(LoadError::Job(words.to_owned()));
    if options.schemas == 0 || options.scale == 0 {
        return wrong("there has to be a table, and rows in it");
    }
    if !(1..=MOST_UNIT).contains(&options.work_unit) || u64::from(options.work_unit) > options.scale
    {
        return wrong("a work unit is 1 to 1024 rows, and not more than there are (--scale)");
    }
    if options.server_loop && (job.work.hot.is_some() || job.work.pattern != Pattern::Random) {
        return wrong(
            "where the loop runs in the server rows are picked there, at random: a hot spot or \
             a sequence needs the loop in the client",
        );
    }
    Ok(())
}

fn are_ready(
    session: &mut Session,
    options: &DatabaseOptions,
    logon: &Logon,
) -> Result<(), LoadError> {
    let there =
        setup::tables(session).map_err(|error| doing(&error, "looking for tables", logon))?;
    for number in 1..=options.schemas {
        match there.get(&number) {
            Some(Some(mark)) if mark.ready && mark.rows >= options.scale => {}
            Some(None) => return Err(setup::foreign(number, logon)),
            _ => {
                return Err(LoadError::Job(format!(
                    "{} with {} rows is not there, or not ready: set up first, with the same \
                     --schemas and --scale",
                    model::table(number),
                    options.scale
                )));
            }
        }
    }
    Ok(())
}

fn statements(table: u32, options: &DatabaseOptions, turns: u32) -> [String; 2] {
    let both = [model::select(table), model::update(table, options.redo)];
    if !options.server_loop {
        return both;
    }
    let [select, update] = both;
    [model::block(&select, false, options, turns), model::block(&update, true, options, turns)]
}

/// How many reads the server does in a fifth of a second, for one session.
fn turns(
    session: &mut Session,
    options: &DatabaseOptions,
    logon: &Logon,
) -> Result<u32, LoadError> {
    let trial = model::block(&model::select(1), false, options, TRIAL);
    let began = now_ns();
    session
        .execute(&trial, &[&1_u64])
        .map_err(|error| doing(&error, "timing the server", logon))?;
    let took = now_ns().saturating_sub(began).max(1);
    let turns = CALL_NS.saturating_mul(u64::from(TRIAL)) / took;
    Ok(u32::try_from(turns).unwrap_or(u32::MAX).clamp(TRIAL, 100_000))
}

impl System for Server {
    fn kinds(&self) -> &[KindMeta] {
        &self.kinds
    }

    fn places(&self) -> u64 {
        self.workers.options.scale.saturating_mul(u64::from(self.workers.options.schemas))
    }

    fn place_bytes(&self) -> u64 {
        // Which rows the server picks in its own loop is not known here.
        if self.workers.turns > 1 { 0 } else { self.block_bytes }
    }

    fn lanes(&self, in_flight: u32, _threads: Option<u32>) -> Vec<u32> {
        vec![1; in_flight as usize]
    }

    fn open(&self, lane: u32, slots: u32) -> Result<Box<dyn Engine>, LoadError> {
        self.open_unless(&AtomicBool::new(false), lane, slots)
    }

    fn open_unless(
        &self,
        left: &AtomicBool,
        lane: u32,
        _slots: u32,
    ) -> Result<Box<dyn Engine>, LoadError> {
        Ok(Box::new(OracleLane::new(Arc::clone(&self.workers), lane, left)?))
    }

    fn counts(&self) -> Vec<Count> {
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Ok(counts)) = control.as_mut().map(watch::counts) {
            return counts;
        }
        *control = Session::open(&self.workers.logon).ok();
        control.as_mut().and_then(|session| watch::counts(session).ok()).unwrap_or_default()
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.facts.clone()
    }
}
