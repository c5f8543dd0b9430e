//! The tables: the data model of SLOB, in our own SQL. Schemas `isotherm_1` to `isotherm_N`, each
//! with a table `blocks` of one row a block, reached by an index on `id` whose order is not that
//! of the blocks.

use crate::Redo;
pub use crate::mark::{MARK, Mark};

use isotherm_client::postgres::control::named;

/// The table of rows, one a block.
pub const TABLE: &str = "blocks";
/// The table of parts that are loaded, there while loading.
pub const PARTS: &str = "parts";
/// Rows loaded in one transaction.
pub const PART: u64 = 2_048;
/// The share of a page that is filled, per cent: one row must be more than that.
const FILL: u64 = 10;

/// The name of a schema, counted from 1.
pub fn schema(number: u32) -> String {
    format!("isotherm_{number}")
}

/// Characters of each of the two texts of a row: together more than fillfactor and less than a
/// page, so that every page takes one row.
pub fn width(block: u64) -> usize {
    usize::try_from(block.clamp(1_024, 65_536) * 1_200 / 8_192).unwrap_or(1_200)
}

/// Makes an empty schema.
pub fn create(number: u32, rows: u64, block: u64) -> String {
    let schema = schema(number);
    let mark = Mark { rows, ready: false };
    let longest = block.saturating_sub(32);
    format!(
        "begin;\n\
         create schema {schema};\n\
         comment on schema {schema} is '{mark}';\n\
         create table {schema}.{TABLE} (\n\
           id bigint not null, touched bigint not null, pad1 text not null, pad2 text not null\n\
         ) with (fillfactor = {FILL}, toast_tuple_target = {longest});\n\
         alter table {schema}.{TABLE} alter pad1 set storage plain, alter pad2 set storage plain;\n\
         create table {schema}.{PARTS} (part bigint primary key);\n\
         commit"
    )
}

/// Takes rows in.
pub fn copy(number: u32) -> String {
    format!("copy {}.{TABLE} (id, touched, pad1, pad2) from stdin (format binary)", schema(number))
}

/// The index; there or not.
pub fn index(number: u32) -> String {
    let schema = schema(number);
    format!(
        "create unique index if not exists {TABLE}_id on {schema}.{TABLE} (id) \
         with (fillfactor = 100)"
    )
}

/// A schema that is all there says so.
pub fn finished(number: u32, rows: u64) -> String {
    let schema = schema(number);
    let mark = Mark { rows, ready: true };
    format!(
        "begin; comment on schema {schema} is '{mark}'; \
         drop table if exists {schema}.{PARTS}; commit"
    )
}

/// Drops what setup made, and nothing else: if there is anything more in the schema, or something
/// elsewhere hangs on it, the server refuses and all stays.
pub fn drop(number: u32) -> String {
    let schema = schema(number);
    format!(
        "begin; set local lock_timeout = '10s'; drop table if exists {schema}.{PARTS}; \
         drop table if exists {schema}.{TABLE}; drop schema {schema}; commit"
    )
}

/// Schemas that carry our mark, and their comments.
pub fn marked() -> String {
    format!(
        "select n.nspname, obj_description(n.oid, 'pg_namespace') from pg_namespace n \
         where n.nspname ~ '^isotherm_[1-9][0-9]{{0,8}}$' \
         and obj_description(n.oid, 'pg_namespace') like '{MARK}%'"
    )
}

/// What each session does first: single blocks are to be read at random through the index, with
/// the plan made once. No timeout of statements: the server would set a timer for each one.
pub const SESSION: &str = "set enable_bitmapscan = off; set enable_seqscan = off; set jit = off; \
    set max_parallel_workers_per_gather = 0; set plan_cache_mode = force_generic_plan";

/// Reads rows. Of one row a number is enough; of more, a text of each is counted, so that its
/// block has to be visited.
pub fn select(number: u32, unit: u32) -> String {
    let schema = schema(number);
    match unit {
        1 => format!("select touched from {schema}.{TABLE} where id = $1"),
        _ => format!("select count(pad2) from {schema}.{TABLE} where id between $1 and $2"),
    }
}

/// Changes rows: a number, or as well both texts, turned by one character: the same length, never
/// the same text, and nothing to be sent.
pub fn update(number: u32, unit: u32, redo: Redo) -> String {
    let schema = schema(number);
    let texts = match redo {
        Redo::Lite => "",
        Redo::Heavy => {
            ", pad1 = substr(pad1, 2) || left(pad1, 1), pad2 = substr(pad2, 2) || left(pad2, 1)"
        }
    };
    let which = if unit == 1 { "id = $1" } else { "id between $1 and $2" };
    format!("update {schema}.{TABLE} set touched = touched + 1{texts} where {which}")
}

/// The privilege to make schemas.
pub fn grant_create(database: &str, user: &str) -> String {
    format!("GRANT CREATE ON DATABASE {} TO {};", named(database), named(user))
}

/// The privileges to load what another user has set up.
pub fn grant_use(number: u32, user: &str) -> String {
    let schema = schema(number);
    let user = named(user);
    format!(
        "GRANT USAGE ON SCHEMA {schema} TO {user}; \
         GRANT SELECT, UPDATE ON {schema}.{TABLE} TO {user};"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_reads_back_and_nothing_else_is_one() {
        for mark in [Mark { rows: 10, ready: true }, Mark { rows: 0, ready: false }] {
            assert_eq!(Mark::read(&mark.to_string()), Some(mark));
        }
        for other in ["", "my data", MARK, "isotherm load data: x rows, ready", "not mine: 1 rows"]
        {
            assert_eq!(Mark::read(other), None, "{other}");
        }
    }

    #[test]
    fn a_row_is_more_than_a_tenth_of_a_page_and_less_than_a_page() {
        for block in [1_024, 4_096, 8_192, 32_768] {
            let row = 2 * width(block);
            let block = usize::try_from(block).unwrap();
            assert!(row > block / 10 + 400 * block / 8_192 && row + 100 < block, "{block}");
        }
    }
}
