//! Indexes, freezes and verifies tables whose parts are all there.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::super::explained::Explained;
use super::super::model::{self, TABLE};
use super::parts::Work;
use super::plan::Plan;
use crate::{Hooks, LoadError, Progress};
use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::Control;

/// Something done with every table that is loaded; what it finds, in words.
type Step = fn(&mut Control, &Plan, u32) -> Result<String, LoadError>;

/// Finishes every schema; gives what was found, in sentences. One step after the other for all of
/// them: a table is not frozen while rows of another one are still being read.
pub fn all(plan: &Plan, logon: &Logon, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    let steps: [(&str, Step); 3] =
        [("indexing", index), ("freezing", freeze), ("verifying", verify_and_mark)];
    let mut said = Vec::new();
    for (what, step) in steps {
        said = each(plan, logon, hooks, (what, step))?;
    }
    Ok(said)
}

fn each(
    plan: &Plan,
    logon: &Logon,
    hooks: &mut Hooks,
    (what, step): (&str, Step),
) -> Result<Vec<String>, LoadError> {
    let numbers: Vec<u32> = plan.unfinished.iter().map(|schema| schema.number).collect();
    let (done, total) = (AtomicU64::new(0), u64::try_from(numbers.len()).unwrap_or(0));
    let said = Mutex::new(Vec::new());
    let mut tell = || {
        let done = done.load(Ordering::Relaxed);
        (hooks.progress)(Progress { what: what.to_owned(), done, total, unit: "schemas" });
    };
    let one = |control: &mut Control, number: &u32| {
        let found = step(control, plan, *number)?;
        said.lock().unwrap_or_else(PoisonError::into_inner).push((*number, found));
        done.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    Work::new(&numbers, hooks.stop).run(logon, one, &mut tell)?;
    let mut said = said.into_inner().unwrap_or_else(PoisonError::into_inner);
    said.sort();
    Ok(said.into_iter().map(|(_, words)| words).collect())
}

fn index(control: &mut Control, _plan: &Plan, number: u32) -> Result<String, LoadError> {
    statement(control, "indexing", number, &model::index(number))
}

fn freeze(control: &mut Control, _plan: &Plan, number: u32) -> Result<String, LoadError> {
    let sql = format!("vacuum (freeze, analyze) {}.{TABLE}", model::schema(number));
    statement(control, "freezing", number, &sql)
}

fn verify_and_mark(control: &mut Control, plan: &Plan, number: u32) -> Result<String, LoadError> {
    let words = verify(control, plan, number)?;
    statement(control, "marking", number, &model::finished(number, plan.wanted.rows))?;
    Ok(words)
}

fn statement(
    control: &mut Control,
    what: &str,
    number: u32,
    sql: &str,
) -> Result<String, LoadError> {
    let schema = model::schema(number);
    let ran = control.rows(sql);
    ran.map_err(|error| error.doing(&format!("{what} {schema}.{TABLE}"), ""))?;
    Ok(String::new())
}

/// As many rows as wanted, each on a page of its own.
fn verify(control: &mut Control, plan: &Plan, number: u32) -> Result<String, LoadError> {
    let table = format!("{}.{TABLE}", model::schema(number));
    let sql = format!(
        "select count(*), count(distinct (ctid::text::point)[0]), \
         pg_relation_size('{table}') / {} from {table}",
        plan.block
    );
    let rows = control.rows(&sql);
    let rows = rows.map_err(|error| error.doing(&format!("verifying {table}"), ""))?;
    let number = |column: usize| {
        let text = rows.first().and_then(|row| row.get(column)?.as_ref());
        text.and_then(|text| text.parse::<u64>().ok()).unwrap_or(0)
    };
    let (rows, blocks, pages) = (number(0), number(1), number(2));
    if rows != plan.wanted.rows || blocks != rows {
        return Err(LoadError::Failed(format!(
            "{table} has {rows} rows on {blocks} blocks, and should have {} on as many: tear it \
             down and set it up again",
            plan.wanted.rows
        )));
    }
    let empty = match pages.saturating_sub(rows) {
        0 => String::new(),
        empty => format!(", and {empty} empty pages of a setup that was broken off"),
    };
    Ok(format!("{table}: {rows} rows on {blocks} blocks{empty}"))
}
