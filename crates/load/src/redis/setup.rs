//! Makes the keys, and takes them away again.
//!
//! The keys `isotherm:000000000000` and up are ours, and a marker beside them says how many. No
//! other key is ever written, read or deleted, and keys of these names without a marker are
//! somebody else's.

use std::ops::Range;
use std::sync::atomic::Ordering;

use isotherm_frame::numbers::{bytes, grouped};

use super::info::Info;
use super::keys::{Commands, MARKER, Marker, key};
use super::replies::command;
use super::session::{Answer, Session};
use super::target::Target;
use crate::{Hooks, LoadError, Progress};

/// Keys named by one command, or commands sent together.
const BATCH: u64 = 500;
/// Bytes sent together, about.
const BATCH_BYTES: u64 = 1 << 20;
/// What Redis 7 needs for a key of ours beside its value, bytes: an upper estimate.
const KEY_BYTES: u64 = 130;
/// Keys looked at to see whether they are still there.
const SAMPLE: u64 = 2_000;

/// Makes sure that all keys are there with values of the right size: writes what is missing.
/// `thorough` looks at every key, else at a sample. Gives what was done.
pub fn ensure(
    session: &mut Session,
    target: &Target,
    hooks: &mut Hooks,
    thorough: bool,
) -> Result<Vec<String>, LoadError> {
    let mut marker = begin(session, target)?;
    if !is_all_there(session, target.keys.min(marker.written), thorough)? {
        marker.written = 0;
    }
    let from = marker.written;
    let mut said = Vec::new();
    if from < target.keys {
        is_there_room(session, target, marker)?;
        write(session, target, marker, hooks)?;
        said.push(format!(
            "wrote {} keys of {} bytes: isotherm:{from:012} to isotherm:{:012}",
            target.keys - from,
            target.value_bytes,
            target.keys - 1
        ));
    }
    if thorough {
        let found = count(session, 0..target.keys)?;
        if found < target.keys {
            return Err(LoadError::Failed(format!(
                "only {found} of {} keys are there: the server evicts or expires them",
                target.keys
            )));
        }
        said.push(format!("all {found} keys are there"));
    }
    Ok(said)
}

/// Takes away the keys and the marker. Gives what was done.
pub fn remove(
    session: &mut Session,
    target: &Target,
    hooks: &mut Hooks,
) -> Result<Vec<String>, LoadError> {
    let Some(marker) = marker(session)? else {
        return Ok(vec![format!(
            "database {} of {} holds no keys that were made here",
            target.database, target.place
        )]);
    };
    let mut removed = 0;
    for from in (0..marker.keys).step_by(1 << 16) {
        let batch = from..marker.keys.min(from + (1 << 16));
        removed += of_keys(session, b"UNLINK", batch.clone())?;
        (hooks.progress)(progress("deleting keys", batch.end, marker.keys));
        if hooks.stop.load(Ordering::Relaxed) {
            return Err(LoadError::Failed(format!(
                "stopped: {removed} keys are deleted; the same command goes on"
            )));
        }
    }
    session.ask("delete", &[b"UNLINK", MARKER])?;
    Ok(vec![format!("deleted {removed} keys: isotherm:* of database {}", target.database)])
}

/// The marker as it has to be to go on: read, or made anew; extended to what is asked for.
fn begin(session: &mut Session, target: &Target) -> Result<Marker, LoadError> {
    let none = Marker { keys: 0, written: 0, value_bytes: target.value_bytes };
    let mut marker = marker(session)?.unwrap_or(none);
    if target.keys > marker.keys {
        let foreign = count(session, marker.keys..target.keys)?;
        if foreign > 0 {
            return Err(LoadError::Unsafe(format!(
                "{foreign} keys named isotherm:000000000000 and so on are in database {} of {} \
                 already, and the key isotherm:marker that would say they were made here is not: \
                 delete them, or use another database (redis://host/1)",
                target.database, target.place
            )));
        }
        marker.keys = target.keys;
    }
    if marker.value_bytes != target.value_bytes {
        (marker.value_bytes, marker.written) = (target.value_bytes, 0);
    }
    Ok(marker)
}

fn marker(session: &mut Session) -> Result<Option<Marker>, LoadError> {
    match session.ask("read", &[b"GET", MARKER])? {
        Answer::Nothing => Ok(None),
        Answer::Value(text) => Marker::parse(&text).map(Some).ok_or_else(foreign_marker),
        _ => Err(session.unexpected("GET")),
    }
}

fn foreign_marker() -> LoadError {
    LoadError::Unsafe(
        "the key isotherm:marker is there, but not as it was written here: nothing is touched"
            .to_owned(),
    )
}

fn is_all_there(session: &mut Session, keys: u64, thorough: bool) -> Result<bool, LoadError> {
    if thorough || keys <= SAMPLE {
        return Ok(count(session, 0..keys)? == keys);
    }
    let mut bytes = Vec::new();
    let mut asked = 0;
    let step = keys / SAMPLE;
    for place in (0..SAMPLE).map(|nth| nth * step).chain([keys - 1]) {
        command(&mut bytes, &[b"EXISTS", &key(place)]);
        asked += 1;
    }
    let answers = session.exchange(&bytes, asked)?;
    Ok(answers.iter().all(|answer| *answer == Answer::Number(1)))
}

fn count(session: &mut Session, keys: Range<u64>) -> Result<u64, LoadError> {
    of_keys(session, b"EXISTS", keys)
}

/// Sends a command that takes keys and answers with a number, for all of them.
fn of_keys(session: &mut Session, name: &[u8], keys: Range<u64>) -> Result<u64, LoadError> {
    let mut sum = 0;
    let mut from = keys.start;
    while from < keys.end {
        let (mut bytes, mut asked) = (Vec::new(), 0);
        while from < keys.end && (bytes.len() as u64) < BATCH_BYTES / 4 {
            let end = keys.end.min(from + BATCH);
            let names: Vec<Vec<u8>> = (from..end).map(key).collect();
            let words: Vec<&[u8]> =
                std::iter::once(name).chain(names.iter().map(Vec::as_slice)).collect();
            command(&mut bytes, &words);
            asked += 1;
            from = end;
        }
        for answer in session.exchange(&bytes, asked)? {
            match answer {
                Answer::Number(number) => sum += u64::try_from(number).unwrap_or(0),
                Answer::Refused(error) => return Err(session.refused("look at keys", &error)),
                _ => return Err(session.unexpected(&String::from_utf8_lossy(name))),
            }
        }
    }
    Ok(sum)
}

/// Where the server would evict other people's keys to make room for ours, nothing is written.
fn is_there_room(session: &mut Session, target: &Target, marker: Marker) -> Result<(), LoadError> {
    let Some(info) = Info::ask(session, "default") else { return Ok(()) };
    let limit = info.number("maxmemory").unwrap_or(0);
    let used = info.number("used_memory").unwrap_or(0);
    let policy = info.get("maxmemory_policy").unwrap_or("noeviction");
    let new = target.keys - marker.written;
    let needed = new.saturating_mul(u64::from(target.value_bytes) + KEY_BYTES);
    let others = info.keys().saturating_sub(count(session, 0..marker.keys)?);
    if limit == 0 || used.saturating_add(needed) <= limit || others == 0 {
        return Ok(());
    }
    let happens = if policy == "noeviction" {
        "other clients could no longer write"
    } else {
        "keys of others would be evicted"
    };
    Err(LoadError::Unsafe(format!(
        "{} keys of {} bytes need about {}, and maxmemory leaves {}: {happens} \
         ({policy}). Take fewer keys (--scale), or a server of its own",
        grouped(new),
        target.value_bytes,
        bytes(needed),
        bytes(limit.saturating_sub(used)),
    )))
}

fn write(
    session: &mut Session,
    target: &Target,
    mut marker: Marker,
    hooks: &mut Hooks,
) -> Result<(), LoadError> {
    session.ask("write", &[b"SET", MARKER, marker.text().as_bytes()])?;
    let mut commands = Commands::new(target.value_bytes, 0);
    let batch = (BATCH_BYTES / (u64::from(target.value_bytes) + KEY_BYTES)).clamp(1, 10_000);
    while marker.written < target.keys {
        let end = target.keys.min(marker.written + batch);
        let (mut bytes, mut asked) = (Vec::new(), 1);
        for place in marker.written..end {
            bytes.extend_from_slice(commands.set(place));
            asked += 1;
        }
        marker.written = end;
        command(&mut bytes, &[b"SET", MARKER, marker.text().as_bytes()]);
        for answer in session.exchange(&bytes, asked)? {
            if let Answer::Refused(error) = answer {
                return Err(session.refused("write keys", &error));
            }
        }
        (hooks.progress)(progress("writing keys", end, target.keys));
        if end < target.keys && hooks.stop.load(Ordering::Relaxed) {
            return Err(LoadError::Failed(format!(
                "stopped: {end} of {} keys are written; the same command goes on from there",
                target.keys
            )));
        }
    }
    Ok(())
}

fn progress(what: &str, done: u64, total: u64) -> Progress {
    Progress { what: what.to_owned(), done, total, unit: "keys" }
}
