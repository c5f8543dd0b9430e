//! The table of what a recording says about itself.

use std::collections::BTreeMap;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};

use crate::{bounds, checksum};

/// The key of the seal: how much there is in a recording that was finished.
pub(crate) const SEAL: &str = "_seal";

/// All of it, and what is wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Meta {
    pub values: BTreeMap<String, String>,
    pub faults: Vec<String>,
}

/// Reads it; rows without checksums are those of a format before the third.
pub(crate) fn read(connection: &Connection, has_checksums: bool) -> rusqlite::Result<Meta> {
    let check = if has_checksums { "crc" } else { "null" };
    // In no order: a search by key would miss what a damaged key hides.
    let query = format!("select key, value, {check} from meta");
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query([])?;
    let mut meta = Meta::default();
    while let Some(row) = rows.next()? {
        let (key, value) = (text(row.get_ref(0)?), text(row.get_ref(1)?));
        if has_checksums && !checksum::holds(row, 0..2)? {
            meta.faults.push(format!("meta '{key}': it does not have its checksum"));
            continue;
        }
        if meta.values.len() == bounds::META {
            meta.faults.push(format!("meta: more than {} rows", bounds::META));
            break;
        }
        meta.values.insert(key, value);
    }
    if has_checksums {
        let missing = ALWAYS.iter().filter(|key| !meta.values.contains_key(**key));
        let damaged = missing.map(|key| format!("meta '{key}': it is missing or damaged"));
        meta.faults.extend(damaged.collect::<Vec<_>>());
    }
    Ok(meta)
}

/// The keys of every recording.
const ALWAYS: [&str; 6] =
    ["source", "command_line", "host", "isotherm_version", "clock", "started_ns"];

fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(whole) => whole.to_string(),
        ValueRef::Real(real) => real.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into(),
    }
}

/// Sets a value.
pub(crate) fn set(connection: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    put(connection, key, checksum::text(value))
}

/// Sets a number.
pub(crate) fn set_number(connection: &Connection, key: &str, value: i64) -> rusqlite::Result<()> {
    put(connection, key, ValueRef::Integer(value))
}

/// Adds to a number; within a transaction. False if the sum is more than a number can be.
pub(crate) fn add(connection: &Connection, key: &str, more: u64) -> rusqlite::Result<bool> {
    let query = "select cast(value as integer) from meta where key = ?1";
    let known = connection.prepare_cached(query)?.query_row([key], |row| row.get(0)).optional()?;
    let sum = known.unwrap_or(0_i64).checked_add_unsigned(more);
    sum.map_or(Ok(false), |sum| set_number(connection, key, sum).map(|()| true))
}

/// Removes a value.
pub(crate) fn remove(connection: &Connection, key: &str) -> rusqlite::Result<()> {
    connection.execute("delete from meta where key = ?1", [key]).map(drop)
}

fn put(connection: &Connection, key: &str, value: ValueRef<'_>) -> rusqlite::Result<()> {
    let crc = checksum::of(&[checksum::text(key), value]);
    let put = "insert into meta values(?1, ?2, ?3)
        on conflict do update set value = ?2, crc = ?3";
    let value = rusqlite::types::ToSqlOutput::Borrowed(value);
    connection.prepare_cached(put)?.execute(params![key, value, crc]).map(drop)
}

/// How much there is: what the seal of a finished recording says. Marks may be added to it by
/// anyone at any time and are not counted.
pub(crate) fn contents(connection: &Connection) -> rusqlite::Result<String> {
    let query = "select
        (select count(*) from meta where key <> '_seal'), (select coalesce(max(id), 0) from tick),
        (select count(*) from series), (select count(*) from scheme)";
    connection.query_row(query, [], |row| {
        let number = |column| row.get::<_, i64>(column);
        let (meta, tick, series, scheme) = (number(0)?, number(1)?, number(2)?, number(3)?);
        Ok(format!("meta {meta}, last tick {tick}, series {series}, schemes {scheme}"))
    })
}
