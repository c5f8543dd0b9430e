//! Whether the tables of a file are those of a recording.
//!
//! Anyone may have made the file: what is asked of a table is answered by whatever has its name. A
//! view could count for ever, a generated column compute, a trigger write.

use rusqlite::Connection;

/// Every column: its table, name and type, whether it is never null, its place in the primary key
/// (0: none), and the format it came with.
const COLUMNS: [(&str, &str, &str, bool, i64, i64); 27] = [
    ("frame", "id", "integer", false, 1, 1),
    ("frame", "lo", "integer", true, 0, 1),
    ("frame", "counts", "text", true, 0, 1),
    ("frame", "sum_ns", "integer", false, 0, 1),
    ("frame", "quality", "text", false, 0, 1),
    ("frame", "waited_ns", "text", false, 0, 2),
    ("frame", "crc", "integer", false, 0, 3),
    ("mark", "at_ns", "integer", true, 0, 1),
    ("mark", "text", "text", true, 0, 1),
    ("mark", "origin", "text", true, 0, 1),
    ("mark", "crc", "integer", false, 0, 3),
    ("meta", "key", "text", true, 1, 1),
    ("meta", "value", "blob", false, 0, 1),
    ("meta", "crc", "integer", false, 0, 3),
    ("scheme", "id", "integer", false, 1, 1),
    ("scheme", "bounds", "text", true, 0, 1),
    ("scheme", "crc", "integer", false, 0, 3),
    ("series", "id", "integer", false, 1, 1),
    ("series", "name", "text", true, 0, 1),
    ("series", "attributes", "text", true, 0, 1),
    ("series", "scheme", "integer", true, 0, 1),
    ("series", "crc", "integer", false, 0, 3),
    ("tick", "id", "integer", false, 1, 1),
    ("tick", "start_ns", "integer", true, 0, 1),
    ("tick", "end_ns", "integer", true, 0, 1),
    ("tick", "frames", "integer", false, 0, 3),
    ("tick", "crc", "integer", false, 0, 3),
];

const TABLES: [&str; 6] = ["frame", "mark", "meta", "scheme", "series", "tick"];

/// What contradicts the format, if anything does.
pub(crate) fn fault(connection: &Connection, format: i64) -> rusqlite::Result<Option<String>> {
    let objects = "select type, name, tbl_name, coalesce(sql, '') from sqlite_schema";
    let mut statement = connection.prepare(objects)?;
    let mut rows = statement.query([])?;
    let mut tables = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |column| row.get::<_, String>(column);
        let (kind, name, table, sql) = (text(0)?, text(1)?, text(2)?, text(3)?);
        let ours = |name: &str| TABLES.iter().any(|table| table.eq_ignore_ascii_case(name));
        if !ours(&name) && !ours(&table) {
            continue;
        }
        let plain = sql.get(..13).is_some_and(|begin| begin.eq_ignore_ascii_case("create table "));
        let index = name == "tick_by_end" || name.starts_with("sqlite_autoindex_");
        match kind.as_str() {
            "table" if plain => tables.push(name),
            "index" if index => {}
            _ => return Ok(Some(format!("a {kind} '{name}' is none of a recording"))),
        }
    }
    tables.sort();
    if let Some(missing) = TABLES.iter().find(|table| !tables.iter().any(|t| t == *table)) {
        return Ok(Some(format!("there is no table '{missing}'")));
    }
    columns_fault(connection, format)
}

fn columns_fault(connection: &Connection, format: i64) -> rusqlite::Result<Option<String>> {
    let query = "select name, type, \"notnull\", pk, hidden from pragma_table_xinfo(?1)";
    let mut statement = connection.prepare(query)?;
    for table in TABLES {
        let found = statement.query_map([table], |row| {
            let (name, kind): (String, String) = (row.get(0)?, row.get(1)?);
            let (not_null, key, hidden): (bool, i64, i64) = (row.get(2)?, row.get(3)?, row.get(4)?);
            Ok((name, kind.to_ascii_lowercase(), not_null, key, hidden))
        })?;
        let found = found.collect::<rusqlite::Result<Vec<_>>>()?;
        let known = COLUMNS.iter().filter(|column| column.0 == table && column.5 <= format);
        let known: Vec<_> =
            known.map(|&(_, name, kind, null, key, _)| (name, kind, null, key)).collect();
        let same = found.len() == known.len()
            && found.iter().zip(&known).all(|(found, known)| {
                (found.0.as_str(), found.1.as_str(), found.2, found.3) == *known && found.4 == 0
            });
        if !same {
            return Ok(Some(format!(
                "the columns of table '{table}' are not those of format {format}"
            )));
        }
    }
    Ok(None)
}
