//! Enough of a database to be set up, loaded and torn down: tables with comments and rows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use fake_oracle::{Answer, Column, Script, Value};

/// A table: its comment, its rows, whether the row that comes first is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    pub comment: String,
    pub rows: u64,
    pub first: bool,
}

/// Tables by name.
#[derive(Clone, Default)]
pub struct Database(pub Arc<Mutex<BTreeMap<String, Table>>>);

/// One number.
pub fn number(value: u64) -> Answer {
    Answer::Rows(vec![Column::Number("N")], vec![vec![Value::Number(value)]])
}

impl Database {
    /// With these tables, all there.
    pub fn ready(tables: u32, rows: u64) -> Database {
        let database = Database::default();
        let comment = format!("isotherm load data: {rows} rows, ready");
        let table = Table { comment, rows, first: false };
        let names = (1..=tables).map(|number| (format!("ISOTHERM_{number}"), table.clone()));
        database.0.lock().unwrap().extend(names);
        database
    }

    pub fn get(&self, name: &str) -> Option<Table> {
        self.0.lock().unwrap().get(name).cloned()
    }

    /// Adds answers to everything but operations. What `script` answers already goes first.
    pub fn on(&self, script: Script) -> Script {
        let tables = self.clone();
        let script = script.on_call("from user_tables t left join", move |_| {
            let tables = tables.0.lock().unwrap();
            Answer::lines(tables.iter().map(|(name, table)| format!("{name}|{}", table.comment)))
        });
        let change = |script: Script, mention: &str, change: fn(&str, &mut Tables) -> Answer| {
            let tables = self.clone();
            script.on_call(mention, move |sql| change(sql, &mut tables.0.lock().unwrap()))
        };
        let script = change(script, "create table", |sql, tables| {
            tables.insert(word(sql, 2), Table::default());
            Answer::Done(0)
        });
        let script = change(script, "comment on table", |sql, tables| {
            let comment = sql.split('\'').nth(1).unwrap().to_owned();
            tables.get_mut(&word(sql, 3)).unwrap().comment = comment;
            Answer::Done(0)
        });
        let script = change(script, "values (0)", |sql, tables| {
            tables.get_mut(&word(sql, 2)).unwrap().first = true;
            Answer::Done(1)
        });
        let script = change(script, "where custid = 0", |sql, tables| {
            tables.get_mut(&word(sql, 2)).unwrap().first = false;
            Answer::Done(1)
        });
        let script = change(script, "select k.n", |sql, tables| {
            let total: u64 =
                sql.split(", ").find_map(|part| part.split(") AS n").next()?.parse().ok()).unwrap();
            let table = tables.get_mut(&word(sql, 2)).unwrap();
            let part = (total - table.rows).min(10_000);
            table.rows += part;
            Answer::Done(part)
        });
        let script = change(script, "select count(*)", |sql, tables| {
            let table = &tables[&word(sql, 3)];
            number(table.rows + u64::from(table.first))
        });
        let script = change(script, "select count(c20)", |sql, tables| {
            let rows = tables[sql.rsplit(' ').next().unwrap()].rows;
            Answer::lines([format!("{rows}|{rows}|1|{rows}|{rows}")])
        });
        let script = change(script, "drop table", |sql, tables| {
            tables.remove(&word(sql, 2));
            Answer::Done(0)
        });
        ["minimize records_per_block", "create unique index", "dbms_stats"]
            .into_iter()
            .fold(script, |script, mention| script.on(mention, Answer::Done(0)))
    }
}

type Tables = BTreeMap<String, Table>;

fn word(sql: &str, nth: usize) -> String {
    sql.split(' ').nth(nth).unwrap().to_owned()
}
