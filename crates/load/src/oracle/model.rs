//! The tables, and what is asked of them: the data model of SLOB, in our own SQL.
//!
//! `ISOTHERM_1` to `ISOTHERM_N`, in the schema of the user who logs on, each with a number
//! `CUSTID` and nineteen texts of 128 characters. `PCTFREE 99` leaves room for one row in each
//! block, and rows are loaded in an order that is not that of the index. `CUSTID` may be null, so
//! that the index alone cannot answer; the texts make sure that each row's block is visited.

pub use crate::mark::{MARK, Mark};
use crate::{DatabaseOptions, Operation, Redo};

/// Rows loaded in one transaction.
pub const PART: u64 = 10_000;
/// Characters of the text that rows are cut from: as many as a VARCHAR2 has at most.
pub const POOL: usize = 4_000;
/// Characters of a column.
const WIDTH: usize = 128;

/// The name of a table, counted from 1.
pub fn table(number: u32) -> String {
    format!("ISOTHERM_{number}")
}

/// Whether a name is one of ours, and which.
pub fn number(table: &str) -> Option<u32> {
    let digits = table.strip_prefix("ISOTHERM_")?;
    let number = digits.parse().ok()?;
    (self::table(number) == table && number > 0).then_some(number)
}

/// Tables of our names, and their comments.
pub const TABLES: &str = "SELECT t.table_name || '|' || c.comments FROM user_tables t \
     LEFT JOIN user_tab_comments c ON c.table_name = t.table_name \
     WHERE t.table_name LIKE 'ISOTHERM\\_%' ESCAPE '\\'";

/// Makes an empty table in which every block takes one row, and says that it is ours.
pub fn create(number: u32, rows: u64) -> [String; 4] {
    let table = table(number);
    let columns: Vec<String> = texts(20).map(|column| format!("{column} VARCHAR2(128)")).collect();
    [
        format!(
            "CREATE TABLE {table} (custid NUMBER, {}) PCTFREE 99 NOCOMPRESS NOPARALLEL",
            columns.join(", ")
        ),
        format!("INSERT INTO {table} (custid) VALUES (0)"),
        // A definition commits. Not more rows in a block than there are in the fullest now.
        format!("ALTER TABLE {table} MINIMIZE RECORDS_PER_BLOCK"),
        comment(number, Mark { rows, ready: false }),
    ]
}

/// Says what state a table is in.
pub fn comment(number: u32, mark: Mark) -> String {
    format!("COMMENT ON TABLE {} IS '{mark}'", table(number))
}

/// Takes away the row that was there first, whose number no other has.
pub fn without_first(number: u32) -> String {
    format!("DELETE FROM {} WHERE custid = 0", table(number))
}

/// Counts rows.
pub fn count(number: u32) -> String {
    format!("SELECT COUNT(*) FROM {}", table(number))
}

/// Loads a part: `:first` rows are there already, `:pool` is the text to cut from, `:part` rows
/// come. Keys are dealt over the parts, and each part is loaded in random order.
pub fn load(number: u32, rows: u64) -> String {
    let cuts: Vec<String> = (0..19)
        .map(|column| {
            let last = POOL - WIDTH;
            format!("SUBSTR(p.pool, 1 + MOD(k.n * 37 + {}, {last}), {WIDTH})", column * 203)
        })
        .collect();
    format!(
        "INSERT INTO {} (custid, {}) SELECT k.n, {} FROM (SELECT 1 + MOD((:first + LEVEL) * {}, \
         {rows}) AS n FROM dual CONNECT BY LEVEL <= :part) k CROSS JOIN (SELECT :pool AS pool \
         FROM dual) p ORDER BY DBMS_RANDOM.VALUE",
        table(number),
        texts(20).collect::<Vec<_>>().join(", "),
        cuts.join(", "),
        stride(rows)
    )
}

/// The index by which rows are found, and what the optimizer is to know.
pub fn finish(number: u32) -> [String; 2] {
    let table = table(number);
    [
        format!("CREATE UNIQUE INDEX {table}_KEY ON {table} (custid) PCTFREE 0"),
        format!("BEGIN DBMS_STATS.GATHER_TABLE_STATS(USER, '{table}'); END;"),
    ]
}

/// Rows, different keys, the first key, the last, and different blocks.
pub fn verify(number: u32) -> String {
    format!(
        "SELECT COUNT(c20) || '|' || COUNT(DISTINCT custid) || '|' || MIN(custid) || '|' || \
         MAX(custid) || '|' || COUNT(DISTINCT DBMS_ROWID.ROWID_RELATIVE_FNO(ROWID) || '.' || \
         DBMS_ROWID.ROWID_BLOCK_NUMBER(ROWID)) FROM {}",
        table(number)
    )
}

/// Drops a table.
pub fn drop(number: u32) -> String {
    format!("DROP TABLE {} PURGE", table(number))
}

/// Reads rows `:lo` to `:hi`, each in a block of its own.
pub fn select(number: u32) -> String {
    let table = table(number);
    format!(
        "SELECT /*+ INDEX(t {table}_KEY) NO_BATCH_TABLE_ACCESS_BY_ROWID(t) */ COUNT(t.c2) \
         FROM {table} t WHERE t.custid BETWEEN :lo AND :hi"
    )
}

/// Changes rows `:lo` to `:hi`: texts turned by one character, because a value that stays the same
/// makes no redo since 12.2.
pub fn update(number: u32, redo: Redo) -> String {
    let table = table(number);
    let last = match redo {
        Redo::Lite => 3,
        Redo::Heavy => 20,
    };
    let turned =
        |column: String| format!("t.{column} = SUBSTR(t.{column}, 2) || SUBSTR(t.{column}, 1, 1)");
    let turned: Vec<String> = texts(last).map(turned).collect();
    format!(
        "UPDATE /*+ INDEX(t {table}_KEY) */ {table} t SET {} WHERE t.custid BETWEEN :lo AND :hi",
        turned.join(", ")
    )
}

/// A block of PL/SQL that does so many operations in the server. `:seed` is where its random
/// numbers begin.
pub fn block(statement: &str, writes: bool, options: &DatabaseOptions, turns: u32) -> String {
    let unit = options.work_unit;
    let ends = options.scale + 2 - u64::from(unit);
    let inside = statement.replace(":lo", "lo").replace(":hi", &format!("lo + {}", unit - 1));
    let (body, seen) = if writes {
        (format!("{inside}; seen := SQL%ROWCOUNT; COMMIT;"), "seen")
    } else {
        (format!("{};", inside.replace(" FROM ", " INTO seen FROM ")), "seen")
    };
    format!(
        "DECLARE lo NUMBER; seen NUMBER; BEGIN DBMS_RANDOM.SEED(:seed); \
         FOR turn IN 1 .. {turns} LOOP lo := TRUNC(DBMS_RANDOM.VALUE(1, {ends})); {body} \
         IF {seen} <> {unit} THEN RAISE_APPLICATION_ERROR(-20001, 'rows are missing'); END IF; \
         END LOOP; END;"
    )
}

/// The first and the last row of an operation and the number of its table. All rows have to be
/// there, so that an operation that would begin too near the end begins a work unit earlier.
pub fn range(operation: Operation, options: &DatabaseOptions) -> (u32, u64, u64) {
    let (rows, unit) = (options.scale, u64::from(options.work_unit));
    let table = u32::try_from(operation.place / rows).unwrap_or(u32::MAX);
    let row = operation.place % rows;
    let first = if row + unit > rows { row.saturating_sub(unit - 1) } else { row };
    (table.min(options.schemas - 1), first + 1, first + unit)
}

fn texts(last: u32) -> impl Iterator<Item = String> {
    (2..=last).map(|number| format!("c{number}"))
}

/// A number without common divisor with `rows`, near the golden ratio of it: its multiples visit
/// every key once, and are spread evenly at any time.
fn stride(rows: u64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a number of rows, which are far below 2^53"
    )]
    let near = (rows as f64 * 0.618_033_988_749_895) as u64;
    (near.max(1)..=rows.max(1)).find(|step| divisor(*step, rows) == 1).unwrap_or(1)
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_loaded_once_in_an_order_that_is_not_that_of_keys() {
        for rows in [1, 2, 3, 10, 64, 1_000, 9_973, 30_000] {
            let step = stride(rows);
            let keys: Vec<u64> = (1..=rows).map(|level| 1 + level * step % rows).collect();
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(1..=rows), "{rows}");
            let neighbours = keys.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 1).count();
            assert!(rows < 100 || neighbours == 0, "{rows}: {neighbours}");
        }
    }

    #[test]
    fn ranges_hold_all_their_rows_and_lie_in_the_table() {
        let options = DatabaseOptions { schemas: 2, scale: 10, work_unit: 4, ..Default::default() };
        let of = |place| range(Operation { kind: 0, place }, &options);
        assert_eq!(of(0), (0, 1, 4));
        assert_eq!(of(6), (0, 7, 10));
        assert_eq!(of(7), (0, 5, 8));
        assert_eq!(of(9), (0, 7, 10));
        assert_eq!(of(10), (1, 1, 4));
        assert_eq!(of(19), (1, 7, 10));
    }

    #[test]
    fn names_and_marks_read_back() {
        for (name, expected) in [
            ("ISOTHERM_1", Some(1)),
            ("ISOTHERM_01", None),
            ("ISOTHERM_0", None),
            ("ISOTHERM_1_KEY", None),
        ] {
            assert_eq!(number(name), expected, "{name}");
        }
        for mark in [Mark { rows: 7, ready: true }, Mark { rows: 0, ready: false }] {
            assert_eq!(Mark::read(&mark.to_string()), Some(mark));
        }
        for text in ["", "isotherm load data", "isotherm load data: x rows, ready", "mine"] {
            assert_eq!(Mark::read(text), None, "{text}");
        }
    }

    #[test]
    fn updates_change_two_columns_or_all() {
        assert_eq!(update(1, Redo::Lite).matches("SUBSTR").count(), 2 * 2);
        assert_eq!(update(1, Redo::Heavy).matches("SUBSTR").count(), 19 * 2);
    }

    #[test]
    fn columns_of_a_row_are_cut_from_different_places() {
        // Within one row the cuts are 203 apart, modulo what is left of the text: none overlaps.
        for key in [1_u64, 17, 3_871] {
            let mut starts: Vec<u64> = (0..19).map(|c| (key * 37 + c * 203) % 3_872).collect();
            starts.sort_unstable();
            assert!(starts.windows(2).all(|pair| pair[1] - pair[0] >= 128), "{starts:?}");
        }
    }

    #[test]
    fn blocks_of_plsql_bind_the_seed_only() {
        let options = DatabaseOptions { scale: 100, work_unit: 64, ..Default::default() };
        let select = block(&select(3), false, &options, 50);
        assert!(
            select.contains("INTO seen FROM ISOTHERM_3 t WHERE t.custid BETWEEN lo AND lo + 63;")
        );
        assert!(select.contains("DBMS_RANDOM.VALUE(1, 38)"), "{select}");
        let update = block(&update(3, Redo::Lite), true, &options, 50);
        for text in [select, update] {
            let binds = text.match_indices(':').filter(|(at, _)| !text[at + 1..].starts_with('='));
            assert_eq!(binds.count(), 1, "{text}");
        }
    }
}
