//! Indexes, freezes and verifies tables whose parts are all there.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::address::Logon;
use super::super::control::Control;
use super::super::model::{self, TABLE};
use super::super::trouble::Trouble;
use super::parts::Work;
use super::plan::Plan;
use crate::{Hooks, LoadError, Progress};

/// Finishes every schema; gives what was found, in sentences.
pub fn all(plan: &Plan, logon: &Logon, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    let numbers: Vec<u32> = plan.unfinished.iter().map(|schema| schema.number).collect();
    let (done, total) = (AtomicU64::new(0), u64::try_from(numbers.len()).unwrap_or(0));
    let said = Mutex::new(Vec::new());
    let mut tell = || {
        let what = "indexing, freezing, verifying".to_owned();
        let done = done.load(Ordering::Relaxed);
        (hooks.progress)(Progress { what, done, total, unit: "schemas" });
    };
    Work::new(&numbers, hooks.stop).run(
        logon,
        |control, number| {
            let found = one(control, plan, *number)?;
            if let Ok(mut said) = said.lock() {
                said.push((*number, found));
            }
            done.fetch_add(1, Ordering::Relaxed);
            Ok(())
        },
        &mut tell,
    )?;
    let mut said = said.into_inner().unwrap_or_default();
    said.sort();
    Ok(said.into_iter().map(|(_, words)| words).collect())
}

fn one(control: &mut Control, plan: &Plan, number: u32) -> Result<String, LoadError> {
    let schema = model::schema(number);
    let failed = |what: &str| {
        let what = format!("{what} {schema}.{TABLE}");
        move |trouble: Trouble| trouble.doing(&what, "")
    };
    control.rows(&model::index(number)).map_err(failed("indexing"))?;
    let vacuum = format!("vacuum (freeze, analyze) {schema}.{TABLE}");
    control.rows(&vacuum).map_err(failed("freezing"))?;
    let words = verify(control, plan, number)?;
    let finished = control.rows(&model::finished(number, plan.wanted.rows));
    finished.map_err(failed("marking"))?;
    Ok(words)
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
    let rows = rows.map_err(|trouble| trouble.doing(&format!("verifying {table}"), ""))?;
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
