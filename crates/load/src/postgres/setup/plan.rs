//! What there is, and what is to be made.

use std::collections::HashSet;

use super::super::data::Shuffle;
use super::super::explained::Explained;
use super::super::model::{self, Mark, PART, PARTS};
use crate::{Job, LoadError};
use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

/// Fewest rows of a table.
const LEAST: u64 = 100;
/// Most schemas.
const MOST_SCHEMAS: u32 = 4_096;

/// What a job wants.
#[derive(Copy, Clone, Debug)]
pub struct RequestedTables {
    /// Schemas.
    pub schemas: u32,
    /// Rows of each.
    pub rows: u64,
}

/// Checks what a job wants.
pub fn wanted(job: &Job) -> Result<RequestedTables, LoadError> {
    let wanted = RequestedTables { schemas: job.database.schemas, rows: job.database.scale };
    if !(1..=MOST_SCHEMAS).contains(&wanted.schemas) {
        return Err(LoadError::Job(format!("schemas go from 1 to {MOST_SCHEMAS}")));
    }
    if !(LEAST..1 << 40).contains(&wanted.rows) {
        return Err(LoadError::Job(format!("the scale is at least {LEAST} rows a table")));
    }
    Ok(wanted)
}

/// A schema to be filled.
#[derive(Clone, Debug)]
pub struct Unfinished {
    /// Its number.
    pub number: u32,
    /// Parts still to be loaded.
    pub parts: Vec<u64>,
}

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is wanted.
    pub wanted: RequestedTables,
    /// Bytes of the server's blocks.
    pub block: u64,
    /// Schemas that are not ready.
    pub unfinished: Vec<Unfinished>,
    /// How many were ready, and how many a broken-off setup had begun.
    pub ready: u32,
    pub begun: u32,
}

impl Plan {
    /// The order of a table's rows.
    pub fn order(&self, number: u32) -> Shuffle {
        Shuffle::new(self.wanted.rows, number.into())
    }

    /// The places of a part.
    pub fn span(&self, part: u64) -> (u64, u64) {
        let from = part.saturating_mul(PART).min(self.wanted.rows);
        (from, from.saturating_add(PART).min(self.wanted.rows))
    }

    /// Rows of all parts still to be loaded.
    pub fn rows(&self) -> u64 {
        let parts = self.unfinished.iter().flat_map(|schema| &schema.parts);
        parts.map(|part| self.span(*part)).map(|(from, until)| until - from).sum()
    }

    /// What was done, in sentences.
    pub fn messages(&self, loaded: u64, finished: Vec<String>) -> Vec<String> {
        let mut said = Vec::new();
        if self.ready > 0 {
            said.push(format!("{} schemas were ready already", self.ready));
        }
        if self.begun > 0 {
            said.push(format!("{} schemas were gone on with", self.begun));
        }
        said.push(format!("{loaded} rows loaded, one a block of {} bytes", self.block));
        said.extend(finished);
        said
    }
}

/// Looks at what there is, and makes the schemas that are not there.
pub fn make(
    control: &mut Control,
    wanted: &RequestedTables,
    logon: &Logon,
) -> Result<Plan, LoadError> {
    let block = control.number("show block_size").unwrap_or(8_192).max(1_024);
    let mut plan = Plan { wanted: *wanted, block, unfinished: Vec::new(), ready: 0, begun: 0 };
    for number in 1..=wanted.schemas {
        match state(control, number)? {
            State::Absent => create(control, number, &plan, logon)?,
            State::Marked(mark) => check(number, mark, wanted)?,
            State::Foreign => return Err(foreign(number)),
        }
        if let State::Marked(Mark { ready: true, .. }) = state(control, number)? {
            plan.ready += 1;
            continue;
        }
        let done = done(control, number)?;
        plan.begun += u32::from(!done.is_empty());
        let parts = 0..wanted.rows.div_ceil(PART);
        let parts = parts.filter(|part| !done.contains(part)).collect();
        plan.unfinished.push(Unfinished { number, parts });
    }
    Ok(plan)
}

/// What a name stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing.
    Absent,
    /// A schema of ours.
    Marked(Mark),
    /// A schema of somebody else's.
    Foreign,
}

/// What is there under a schema's name.
pub fn state(control: &mut Control, number: u32) -> Result<State, LoadError> {
    let schema = model::schema(number);
    let sql = format!(
        "select coalesce(obj_description(oid, 'pg_namespace'), '') from pg_namespace \
         where nspname = '{schema}'"
    );
    let comment = control.value(&sql);
    let comment = comment.map_err(|error| error.doing(&format!("looking for {schema}"), ""))?;
    Ok(match comment {
        None => State::Absent,
        Some(comment) => Mark::read(&comment).map_or(State::Foreign, State::Marked),
    })
}

fn create(control: &mut Control, number: u32, plan: &Plan, logon: &Logon) -> Result<(), LoadError> {
    let outcome = control.rows(&model::create(number, plan.wanted.rows, plan.block));
    outcome.map(drop).map_err(|error: PgError| {
        let grant = model::grant_create(&logon.database, &logon.user);
        error.doing(&format!("making {}", model::schema(number)), &grant)
    })
}

fn check(number: u32, mark: Mark, wanted: &RequestedTables) -> Result<(), LoadError> {
    if mark.rows == wanted.rows {
        return Ok(());
    }
    Err(LoadError::Job(format!(
        "{} was set up with {} rows, and {} are wanted: tear it down first, or ask for {}",
        model::schema(number),
        mark.rows,
        wanted.rows,
        mark.rows
    )))
}

fn foreign(number: u32) -> LoadError {
    let schema = model::schema(number);
    LoadError::Unsafe(format!(
        "the schema {schema} was not made by isotherm (its comment does not say '{}'): it is left \
         alone; rename it or use another database",
        model::MARK
    ))
}

fn done(control: &mut Control, number: u32) -> Result<HashSet<u64>, LoadError> {
    let schema = model::schema(number);
    let rows = control.rows(&format!("select part from {schema}.{PARTS}"));
    let rows = rows.map_err(|error| {
        error.doing(&format!("reading how far {schema} has come"), "(its owner goes on with it)")
    })?;
    let parts = rows.iter().filter_map(|row| row.first()?.as_ref()?.parse().ok());
    Ok(parts.collect())
}
