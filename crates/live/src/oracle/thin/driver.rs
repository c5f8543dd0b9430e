//! What is asked of the driver, in its own words.

use isotherm_oracle::client::oracledb::{Connection, Error, Row};

/// So many rows are fetched together with the execution at most. The driver reads an answer anew
/// from its beginning whenever another packet of it has arrived.
const MOST_AT_ONCE: u32 = 10_000;
/// So many rows are fetched at a time after that at most.
const MOST_LATER: u32 = 2_000;

/// Runs a query of one text column, in one round trip if it has at most `rows` rows.
pub(super) fn query(
    connection: &Connection,
    sql: &str,
    rows: u32,
    line: &mut dyn FnMut(String),
) -> Result<(), Error> {
    // The server says that there are no more rows only when it could have sent one more.
    let at_once = rows.saturating_add(1).min(MOST_AT_ONCE + 1);
    let statement = connection
        .statement(sql)?
        .prefetch_rows(at_once)
        .fetch_array_size(at_once.clamp(100, MOST_LATER))
        .build()?;
    for row in statement.query(&[])? {
        line(text(&row?)?);
    }
    Ok(())
}

fn text(row: &Row) -> Result<String, Error> {
    Ok(row.get::<Option<String>>(0)?.unwrap_or_default())
}
