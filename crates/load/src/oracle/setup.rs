//! Makes the tables, each by a session of its own, and takes them away again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use isotherm_frame::Random;
use isotherm_oracle::client::{ClientError, Logon};

use super::faults::{connecting, doing};
use super::model::{self, MARK, Mark, PART, POOL};
use super::session::{Session, log_on};

use crate::random::of_lane;
use crate::{DatabaseOptions, Hooks, LoadError, Progress};

/// Tables that are loaded at the same time, at most.
const AT_ONCE: u32 = 8;
/// The name is taken already; the column has an index already.
const THERE: [u32; 2] = [955, 1408];

/// Tables of our names: what their comments say, or that it is none of ours.
pub type Tables = BTreeMap<u32, Option<Mark>>;

/// What tables of our names there are.
pub fn tables(session: &mut Session) -> Result<Tables, ClientError> {
    let lines = session.lines(model::TABLES, &[])?;
    let known = lines.iter().filter_map(|line| {
        let (name, comment) = line.split_once('|')?;
        Some((model::number(name)?, Mark::read(comment)))
    });
    Ok(known.collect())
}

/// Makes what is missing. Gives what was done.
pub fn make(
    logon: &Logon,
    options: &DatabaseOptions,
    hooks: &mut Hooks,
) -> Result<Vec<String>, LoadError> {
    let mut session = log_on(logon, hooks.stop)?;
    let there = tables(&mut session).map_err(|error| doing(&error, "looking for tables", logon))?;
    let mut missing = Vec::new();
    let mut said = Vec::new();
    for number in 1..=options.schemas {
        match there.get(&number) {
            Some(None) => return Err(foreign(number, logon)),
            Some(Some(mark))
                if mark.rows < options.scale || (!mark.ready && mark.rows != options.scale) =>
            {
                return Err(other_size(number, mark.rows, options.scale));
            }
            Some(Some(mark)) if mark.ready => {
                said.push(format!("{} is there, with {} rows", model::table(number), mark.rows));
            }
            found => missing.push((number, found.is_some())),
        }
    }
    let workers = Workers {
        logon,
        rows: options.scale,
        missing: &missing,
        next: AtomicU32::new(0),
        stop: hooks.stop,
        broken: AtomicBool::new(false),
    };
    said.extend(workers.load(hooks)?);
    Ok(said)
}

/// Drops tables of ours, all of them. Gives what was done.
pub fn remove(logon: &Logon, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
    let mut session = log_on(logon, hooks.stop)?;
    let there = tables(&mut session).map_err(|error| doing(&error, "looking for tables", logon))?;
    let total = there.len() as u64;
    let mut said = Vec::new();
    for (done, (number, mark)) in (0..).zip(there) {
        let table = model::table(number);
        (hooks.progress)(progress(&format!("dropping {table}"), done, total, "tables"));
        if hooks.stop.load(Ordering::Relaxed) {
            return Err(LoadError::Failed("stopped: the same command goes on".to_owned()));
        }
        if mark.is_none() {
            said.push(format!("{table} stays: its comment does not say that it was made here"));
            continue;
        }
        let dropped = session.execute(&model::drop(number), &[]);
        dropped.map_err(|error| doing(&error, &format!("dropping {table}"), logon))?;
        said.push(format!("dropped {table}"));
    }
    if said.is_empty() {
        said.push(format!("{} has no tables that were made here", logon.user));
    }
    Ok(said)
}

/// A table of our name that is not ours.
pub fn foreign(number: u32, logon: &Logon) -> LoadError {
    LoadError::Unsafe(format!(
        "{} is there already, and its comment does not begin with '{MARK}': it was not made here \
         (or not further than its first moment). Drop it yourself, or log on as another user than \
         {}",
        model::table(number),
        logon.user
    ))
}

fn other_size(number: u32, rows: u64, wanted: u64) -> LoadError {
    LoadError::Job(format!(
        "{} has, or is to have, {rows} rows, and {wanted} are asked for: tear down and set up again, \
         or ask for {rows} (--scale)",
        model::table(number)
    ))
}

/// Those who load tables.
struct Workers<'a> {
    logon: &'a Logon,
    rows: u64,
    /// Tables to be loaded, and whether each is there already, not ready.
    missing: &'a [(u32, bool)],
    next: AtomicU32,
    stop: &'a AtomicBool,
    /// Whether another has failed.
    broken: AtomicBool,
}

/// What a thread tells.
enum Step {
    Rows(u64),
    Done(String),
    Failed(LoadError),
}

impl Workers<'_> {
    fn load(&self, hooks: &mut Hooks) -> Result<Vec<String>, LoadError> {
        let total = self.rows * self.missing.len() as u64;
        let (mut rows, mut said, mut failed) = (0, Vec::new(), None);
        let failure = &mut failed;
        thread::scope(|scope| {
            let (sender, steps) = channel();
            for _ in 0..self.missing.len().min(AT_ONCE as usize) {
                let sender = sender.clone();
                scope.spawn(move || self.work(&sender));
            }
            drop(sender);
            for step in steps {
                match step {
                    Step::Rows(more) => {
                        rows += more;
                        (hooks.progress)(progress("loading tables", rows, total, "rows"));
                    }
                    Step::Done(words) => said.push(words),
                    Step::Failed(error) => {
                        failure.get_or_insert(error);
                        self.broken.store(true, Ordering::Relaxed);
                    }
                }
            }
        });
        said.sort();
        failed.map_or(Ok(said), Err)
    }

    fn work(&self, steps: &Sender<Step>) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed) as usize;
            let Some(&(number, there)) = self.missing.get(index) else { return };
            let result = self.table(number, there, steps);
            let failed = result.is_err();
            // Whoever listens does so until the last of us has ended.
            let _ = steps.send(result.map_or_else(Step::Failed, Step::Done));
            if failed {
                return;
            }
        }
    }

    /// Loads a table from wherever it is. Gives what was done.
    fn table(&self, number: u32, there: bool, steps: &Sender<Step>) -> Result<String, LoadError> {
        let name = model::table(number);
        let session = Session::open(self.logon);
        let mut session = session.map_err(|error| connecting(&error))?;
        let failed = |error: ClientError| doing(&error, &format!("loading {name}"), self.logon);
        if !there {
            for sql in model::create(number, self.rows) {
                session.execute(&sql, &[]).map_err(failed)?;
            }
        }
        session.execute(&model::without_first(number), &[]).map_err(failed)?;
        session.commit().map_err(failed)?;
        let mut loaded = session.number(&model::count(number), &[]).map_err(failed)?;
        if loaded > self.rows || (loaded < self.rows && loaded % PART != 0) {
            return Err(LoadError::Failed(format!(
                "{name} has {loaded} rows, which is not what loading leaves: tear down, set up again"
            )));
        }
        let _ = steps.send(Step::Rows(loaded));
        while loaded < self.rows {
            if self.stop.load(Ordering::Relaxed) || self.broken.load(Ordering::Relaxed) {
                return Err(LoadError::Failed(format!(
                    "stopped: {name} has {loaded} of {} rows; the same command goes on from there",
                    self.rows
                )));
            }
            let part = PART.min(self.rows - loaded);
            let pool = pool(u64::from(number) << 32 | loaded);
            let sql = model::load(number, self.rows);
            session.execute(&sql, &[&loaded, &part, &pool]).map_err(failed)?;
            session.commit().map_err(failed)?;
            loaded += part;
            let _ = steps.send(Step::Rows(part));
        }
        self.finish(number, &mut session)
    }

    fn finish(&self, number: u32, session: &mut Session) -> Result<String, LoadError> {
        let name = model::table(number);
        let failed = |error: ClientError| doing(&error, &format!("finishing {name}"), self.logon);
        for sql in model::finish(number) {
            match session.execute(&sql, &[]) {
                Err(error) if error.code.is_some_and(|code| THERE.contains(&code)) => {}
                result => _ = result.map_err(failed)?,
            }
        }
        let found = session.lines(&model::verify(number), &[]).map_err(failed)?;
        let blocks = verified(found.first().map_or("", String::as_str), self.rows)
            .ok_or_else(|| wrong(&name, &found, self.rows))?;
        let mark = Mark { rows: self.rows, ready: true };
        session.execute(&model::comment(number, mark), &[]).map_err(failed)?;
        Ok(format!("loaded {name}: {} rows in {blocks} blocks", self.rows))
    }
}

/// In how many blocks the rows are, if all of them are there, each once.
fn verified(line: &str, rows: u64) -> Option<u64> {
    let numbers: Vec<u64> = line.split('|').map_while(|number| number.parse().ok()).collect();
    match numbers.as_slice() {
        [count, keys, 1, last, blocks] if [*count, *keys, *last] == [rows; 3] => Some(*blocks),
        _ => None,
    }
}

fn wrong(name: &str, found: &[String], rows: u64) -> LoadError {
    LoadError::Failed(format!(
        "{name} does not hold keys 1 to {rows}, each once (rows, keys, first, last and blocks are \
         {}): tear down, set up again",
        found.first().map_or("unknown", String::as_str)
    ))
}

/// Text that cannot be compressed much: printable characters at random.
fn pool(seed: u64) -> String {
    let mut random = of_lane(seed, 0);
    let printable =
        |random: &mut Random| char::from(b'!' + u8::try_from(random.below(94)).unwrap_or(0));
    (0..POOL).map(|_| printable(&mut random)).collect()
}

fn progress(what: &str, done: u64, total: u64, unit: &'static str) -> Progress {
    Progress { what: what.to_owned(), done, total, unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_verified_row_by_row() {
        assert_eq!(verified("10|10|1|10|10", 10), Some(10));
        assert_eq!(verified("10|10|1|10|7", 10), Some(7));
        for line in
            ["9|10|1|10|10", "10|9|1|10|10", "10|10|0|10|10", "10|10|1|11|10", "", "10|10|1|10"]
        {
            assert_eq!(verified(line, 10), None, "{line}");
        }
    }

    #[test]
    fn pools_are_printable_and_differ() {
        let (one, other) = (pool(1), pool(2));
        assert_eq!(one.len(), POOL);
        assert!(one.bytes().all(|byte| byte.is_ascii_graphic()));
        assert_ne!(one, other);
    }
}
