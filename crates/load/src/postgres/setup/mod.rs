//! Makes the tables, part by part, so that what was broken off is gone on with; and takes them
//! away again.

mod finish;
mod parts;
mod plan;

pub use plan::{State, state};

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::explained::Explained;
use super::model::{self, MARK};
use crate::{Hooks, Job, LoadError};
use isotherm_client::postgres::address::{Logon, Machine};
use isotherm_client::postgres::control::Control;
use isotherm_client::postgres::error::PgError;

/// Two setups at once would load every row twice: only the holder of this lock goes on.
const LOCK: u64 = 0x6973_6f74_6865_726d;

/// Reads an address.
pub fn logon(address: &str) -> Result<Logon, LoadError> {
    Logon::read(address, &Machine)
        .map_err(|error| LoadError::Job(format!("the address after postgres://: {error}")))
}

/// Makes what is missing of the job's schemas.
pub fn setup(address: &str, job: &Job, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    let wanted = plan::wanted(job)?;
    let logon = logon(address)?;
    let mut control =
        Control::open(&logon, Some(hooks.stop)).map_err(|error| error.connecting(&logon))?;
    lock(&mut control)?;
    let plan = plan::make(&mut control, &wanted, &logon)?;
    let loaded = parts::load(&plan, &logon, hooks)?;
    let finished = finish::all(&plan, &logon, hooks)?;
    Ok(plan.messages(loaded, finished))
}

/// Takes the lock. One that has just ended lets go of it a moment later.
fn lock(control: &mut Control) -> Result<(), LoadError> {
    for _ in 0..30 {
        let got = control.value(&format!("select pg_try_advisory_lock({LOCK})"));
        let got = got.map_err(|error| error.doing("asking for the lock of a setup", ""))?;
        if got.as_deref() == Some("t") {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let words = "another setup is at work in this database: wait for it to end";
    Err(LoadError::Failed(words.to_owned()))
}

/// Drops every schema that carries our mark, if it holds nothing but what setup made.
pub fn teardown(address: &str, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    let logon = logon(address)?;
    let mut control =
        Control::open(&logon, Some(hooks.stop)).map_err(|error| error.connecting(&logon))?;
    lock(&mut control)?;
    let marked = control.rows(&model::marked());
    let marked = marked.map_err(|error| error.doing("looking for schemas", ""))?;
    let mut numbers: Vec<u32> = marked.iter().filter_map(|row| number(row)).collect();
    numbers.sort_unstable();
    let mut said = Vec::new();
    for number in &numbers {
        if hooks.stop.load(Ordering::Relaxed) {
            said.push("stopped: the schemas after that are still there".to_owned());
            break;
        }
        said.push(drop(&mut control, *number)?);
    }
    if numbers.is_empty() {
        said.push(format!("no schema is marked '{MARK}': nothing was dropped"));
    }
    Ok(said)
}

fn number(row: &[Option<String>]) -> Option<u32> {
    row.first()?.as_ref()?.strip_prefix("isotherm_")?.parse().ok()
}

fn drop(control: &mut Control, number: u32) -> Result<String, LoadError> {
    let schema = model::schema(number);
    let outcome = control.rows(&model::drop(number));
    if outcome.is_err() {
        // The transaction of the failed statements is still open.
        let _ = control.rows("rollback");
    }
    match outcome {
        Ok(_) => Ok(format!("{schema} dropped")),
        // Objects that depend on it; a lock that somebody holds.
        Err(PgError::Server(fault)) if fault.is("2BP01") || fault.is("55P03") => Ok(format!(
            "{schema} left as it is: it is in use or holds more than setup made: {fault}"
        )),
        Err(error) => Err(error.doing(
            &format!("dropping {schema}"),
            &format!("DROP SCHEMA {schema} CASCADE; (its owner may drop it)"),
        )),
    }
}
