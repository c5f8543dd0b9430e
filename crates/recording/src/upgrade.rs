//! A recording of an older format becomes one of the newest.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Transaction, params};

use crate::checksum;
use crate::layout::{FORMAT, SERIES_PER_TICK, WITH_CHECKSUMS, WITH_WAITED, add_views};

/// Adds the columns that came later, and the checksums of what is there, in one transaction.
pub(crate) fn upgrade(connection: &mut Connection, format: i64) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    if format < WITH_WAITED {
        transaction.execute_batch("alter table frame add column waited_ns text")?;
    }
    if format < WITH_CHECKSUMS {
        transaction.execute_batch("alter table tick add column frames integer")?;
        for table in ["meta", "scheme", "series", "tick", "frame", "mark"] {
            transaction.execute_batch(&format!("alter table {table} add column crc integer"))?;
        }
        count_frames(&transaction)?;
        sign(&transaction, ("scheme", "id"), "id, bounds")?;
        sign(&transaction, ("series", "id"), "id, name, attributes, scheme")?;
        sign(&transaction, ("tick", "id"), "id, start_ns, end_ns, frames")?;
        sign(&transaction, ("frame", "id"), "id, lo, counts, sum_ns, quality, waited_ns")?;
        sign(&transaction, ("mark", "rowid"), "at_ns, text, origin")?;
        sign_meta(&transaction)?;
    }
    // That of an older format has fewer columns.
    transaction.execute_batch("drop view if exists cells")?;
    add_views(&transaction)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()
}

fn count_frames(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let count = format!(
        "update tick set frames = (select count(*) from frame where frame.id
         between tick.id * {SERIES_PER_TICK} and tick.id * {SERIES_PER_TICK} + {SERIES_PER_TICK} - 1)"
    );
    transaction.execute(&count, []).map(drop)
}

/// Gives each row of a table the checksum of these columns. Rows are read one after the other by
/// their key, so that what is written meanwhile does not matter.
fn sign(
    transaction: &Transaction<'_>,
    (table, key): (&str, &str),
    columns: &str,
) -> rusqlite::Result<()> {
    let next =
        format!("select {key}, {columns} from {table} where {key} > ?1 order by {key} limit 1");
    let mut next = transaction.prepare(&next)?;
    let set = format!("update {table} set crc = ?2 where {key} = ?1");
    let mut set = transaction.prepare(&set)?;
    let first = format!("select coalesce(min({key}), 0) from {table}");
    let first: i64 = transaction.query_row(&first, [], |row| row.get(0))?;
    let mut after = first.saturating_sub(1);
    loop {
        let mut rows = next.query([after])?;
        let Some(row) = rows.next()? else { return Ok(()) };
        let values = (1..row.as_ref().column_count()).map(|column| row.get_ref(column));
        let crc = checksum::of(&values.collect::<rusqlite::Result<Vec<ValueRef<'_>>>>()?);
        after = row.get(0)?;
        drop(rows);
        set.execute(params![after, crc])?;
    }
}

fn sign_meta(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare("select key, value from meta")?;
    let rows = statement.query_map([], |row| {
        let crc = checksum::of(&[row.get_ref(0)?, row.get_ref(1)?]);
        Ok((row.get::<_, String>(0)?, crc))
    })?;
    for (key, crc) in rows.collect::<rusqlite::Result<Vec<_>>>()? {
        transaction.execute("update meta set crc = ?2 where key = ?1", params![key, crc])?;
    }
    Ok(())
}
