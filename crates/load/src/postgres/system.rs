//! A server whose tables are there: ready to be loaded.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::explained::Explained;
use super::model::{self, Mark, TABLE};
use super::run::{PostgresLane, Statements, Workers};
use super::setup::{State, logon, state};
use super::watch::{Backends, Counters, Facts, of_processes};
use crate::engine::{processors, spread};
use crate::log_on::opening_limit;
use crate::{Count, DatabaseOptions, Engine, Hooks, Job, KindMeta, LoadError, Role, System};
use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::Control;

/// Most rows of a work unit.
const MOST_UNIT: u32 = 4_096;

/// A server ready to be loaded.
#[derive(Debug)]
pub struct Server {
    workers: Arc<Workers>,
    counters: Counters,
    facts: Facts,
    kinds: [KindMeta; 2],
    places: u64,
    block: u64,
}

/// Looks whether the job's tables are there.
pub fn open(address: &str, job: &Job, hooks: &mut Hooks) -> Result<Server, LoadError> {
    let options = &job.database;
    let logon = Arc::new(logon(address)?);
    let mut control =
        Control::open(&logon, Some(hooks.stop)).map_err(|error| error.connecting(&logon))?;
    check(options)?;
    let rows = rows(&mut control, options, &logon)?;
    let asking =
        |error: isotherm_client::postgres::error::PgError| error.doing("asking the server", "");
    let block = control.number("show block_size").map_err(asking)?;
    let version = control.number("show server_version_num").map_err(asking)?;
    let facts = Facts::read(&mut control, &logon, options, rows).map_err(asking)?;
    let talk = control.into_talk();
    let bytes = block.saturating_mul(options.work_unit.into());
    Ok(Server {
        counters: Counters::new(&logon, talk, version, options.schemas),
        workers: Arc::new(Workers {
            logon,
            statements: Statements::new(options),
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            backends: Backends::default(),
        }),
        facts,
        kinds: [("select", Role::Read), ("update", Role::Write)].map(|(name, role)| KindMeta {
            name,
            role,
            places: options.work_unit,
        }),
        places: options.scale.saturating_mul(options.schemas.into()),
        block,
    })
}

fn check(options: &DatabaseOptions) -> Result<(), LoadError> {
    let unit = options.work_unit;
    if options.schemas == 0 || options.scale == 0 {
        return Err(LoadError::Job("there has to be a schema, and rows in it".to_owned()));
    }
    if !(1..=MOST_UNIT).contains(&unit) || u64::from(unit) > options.scale {
        return Err(LoadError::Job(format!(
            "a work unit is 1 to {MOST_UNIT} rows, and no more than the scale"
        )));
    }
    if options.server_loop {
        return Err(LoadError::Job("the loop inside the server is only for oracle://".to_owned()));
    }
    Ok(())
}

/// The fewest rows that any of the job's tables has, all of which are ready.
fn rows(control: &mut Control, options: &DatabaseOptions, logon: &Logon) -> Result<u64, LoadError> {
    let mut fewest = u64::MAX;
    for number in 1..=options.schemas {
        let mark = match state(control, number)? {
            State::Marked(mark) => mark,
            State::Absent => return Err(missing(number, options, "is not there")),
            State::Foreign => return Err(missing(number, options, "was not made by isotherm")),
        };
        if !mark.ready {
            return Err(missing(number, options, "was not set up to its end"));
        }
        if mark.rows < options.scale {
            return Err(LoadError::Job(format!(
                "{} has {} rows, and {} are to be loaded: give that scale or a smaller one, or \
                 tear it down and set it up again",
                model::schema(number),
                mark.rows,
                options.scale
            )));
        }
        probe(control, number, mark, logon)?;
        fewest = fewest.min(mark.rows);
    }
    Ok(fewest)
}

fn missing(number: u32, options: &DatabaseOptions, why: &str) -> LoadError {
    LoadError::Job(format!(
        "{} {why}: set it up first: isotherm stress setup postgres://... --schemas {} --scale {}",
        model::schema(number),
        options.schemas,
        options.scale
    ))
}

/// Looks cheaply whether a table is what its mark says: its first and last key through its index,
/// and its pages.
fn probe(control: &mut Control, number: u32, mark: Mark, logon: &Logon) -> Result<(), LoadError> {
    let table = format!("{}.{TABLE}", model::schema(number));
    let sql = format!(
        "select min(id), max(id), pg_relation_size('{table}') / \
         current_setting('block_size')::bigint, \
         (select count(*) from pg_index where indrelid = '{table}'::regclass \
          and indisunique and indisvalid), \
         has_table_privilege('{table}', 'update') from {table}"
    );
    let grant = model::grant_use(number, &logon.user);
    let row =
        control.rows(&sql).map_err(|error| error.doing(&format!("reading {table}"), &grant))?;
    let row = row.into_iter().next().unwrap_or_default();
    let value = |at: usize| row.get(at).cloned().flatten().unwrap_or_default();
    let number = |at: usize| value(at).parse::<u64>().ok();
    let whole = number(0) == Some(0)
        && number(1) == mark.rows.checked_sub(1)
        && number(2) >= Some(mark.rows)
        && number(3) >= Some(1);
    if !whole {
        return Err(LoadError::Job(format!(
            "{table} is not what was set up (keys {} to {}, {} pages, {} unique indexes): tear it \
             down and set it up again",
            value(0),
            value(1),
            value(2),
            value(3)
        )));
    }
    if value(4) == "f" {
        return Err(LoadError::Unreachable(format!(
            "{} may not update {table}: have its owner run: {grant}",
            logon.user
        )));
    }
    Ok(())
}

impl System for Server {
    fn kinds(&self) -> &[KindMeta] {
        &self.kinds
    }

    fn places(&self) -> u64 {
        self.places
    }

    fn place_bytes(&self) -> u64 {
        self.block
    }

    fn lanes(&self, in_flight: u32, threads: Option<u32>) -> Vec<u32> {
        // One on each processor: a server process is woken by a client on its own processor for
        // a fraction of what it costs from another one.
        spread(in_flight, threads.unwrap_or_else(processors))
    }

    fn open(&self, lane: u32, slots: u32) -> Result<Box<dyn Engine>, LoadError> {
        self.open_unless(&AtomicBool::new(false), lane, slots)
    }

    fn open_unless(
        &self,
        left: &AtomicBool,
        _lane: u32,
        slots: u32,
    ) -> Result<Box<dyn Engine>, LoadError> {
        Ok(Box::new(PostgresLane::open(&self.workers, slots, left)?))
    }

    fn opening_limit(&self) -> Duration {
        opening_limit(Some(self.workers.logon.timeout))
    }

    fn counts(&self) -> Vec<Count> {
        // First what costs no round trip: the load goes on meanwhile.
        let used = self.workers.backends.used().map(of_processes).into_iter().flatten();
        let mut counts: Vec<Count> = used.collect();
        counts.extend(self.counters.read());
        counts
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.facts.0.clone()
    }
}
