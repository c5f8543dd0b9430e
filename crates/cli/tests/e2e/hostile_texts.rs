//! Texts from elsewhere in SQL: each is data for the engine that reads the statement, whatever is in it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use isotherm_client::postgres::address::{Logon, Nowhere};
use isotherm_client::postgres::control::{Control, named, quoted};
use serde_json::{Value, json};
use testing::bounded;

use super::psql::asked;
use super::top::started::Started;
use super::{Room, succeed};

/// What somebody may have called an event, a database, a user or a table.
const HOSTILE: [&str; 10] = [
    "it's",
    "x' OR 'a'='a",
    "'; drop table t; --",
    "a \"quoted\" name",
    "back\\slash at the end\\",
    "\\' or 1=1 --",
    "100%_ of */ all /* of them",
    "two\nlines and a\ttab",
    "$$ $1 :name &amp {x} ?",
    "é \u{202e}x\u{1b}[31m",
];

#[test]
fn postgres_gets_every_text_as_it_is() {
    let Some(server) = Started::new("postgres", &["-c", "autovacuum=off"], &[]) else { return };
    for text in HOSTILE {
        assert_eq!(asked(&server, &format!("select {}", quoted(text))), text.trim(), "{text:?}");
        let made = format!(
            "create table {}(n int); select relname from pg_class where relname = {}",
            named(text),
            quoted(text)
        );
        assert_eq!(asked(&server, &made), text.trim(), "{text:?}");
    }
}

/// Where the server takes a backslash for the beginning of an escape, a connection of ours says that it is none.
#[test]
fn a_text_with_a_backslash_cannot_end_on_any_server() {
    let settings = ["-c", "autovacuum=off", "-c", "standard_conforming_strings=off"];
    let Some(server) = Started::new("postgres", &settings, &[]) else { return };
    let address = format!("isotherm@/postgres?host={}", server.folder);
    let logon = Logon::read(&address, &Nowhere).unwrap();
    let mut control = Control::open(&logon, None).unwrap();
    for text in HOSTILE {
        let answer = control.value(&format!("select {}", quoted(text))).unwrap();
        assert_eq!(answer.as_deref(), Some(text));
    }
}

/// Lets Python check statements, where it has the module: each is `[SQL, text]`.
fn checked_by(module: &str, program: &str, statements: &Value) {
    let python =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients/python/bin/python");
    let there =
        bounded::try_output(Command::new(&python).args(["-c", &format!("import {module}")]));
    if !there.is_ok_and(|output| output.status.success()) {
        writeln!(std::io::stderr(), "SKIPPED: {module} for Python is not installed").expect("said");
        return;
    }
    let room = Room::new();
    let file = room.file("statements.json", statements.to_string());
    let mut command = Command::new(python);
    command.args(["-c", program, &file]).stdin(Stdio::null());
    let output = bounded::output(&mut command);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn duckdb_gets_every_text_as_it_is() {
    let statements: Vec<Value> = HOSTILE
        .iter()
        .map(|text| json!([format!("select {} as {}", quoted(text), named(text)), text]))
        .collect();
    let program = "import duckdb, json, sys\n\
        for sql, text in json.load(open(sys.argv[1])):\n    \
            found = duckdb.sql(sql)\n    \
            assert found.fetchall() == [(text,)] and found.columns == [text], (sql, text)\n";
    checked_by("duckdb", program, &Value::from(statements));
}

#[test]
fn a_script_for_oracle_has_every_name_as_one_literal() {
    let names: Vec<&str> =
        HOSTILE.into_iter().filter(|text| !text.contains(char::is_control)).collect();
    let mut args = vec!["sqlplus-script", "--count", "1"];
    for name in &names {
        args.extend(["--event", name]);
    }
    let script = succeed(&args);
    let begin = script.find("(LOWER(h.event)").expect("a condition");
    let end = begin + script[begin..].find(")\n").expect("its end");
    let sql = format!("select 1 from v h where {})", &script[begin..end]);
    // Nothing else: one name, whatever is in it, is one comparison.
    let comparisons = sql.matches("LOWER(h.event) ").count();
    assert_eq!(comparisons, names.len(), "{sql}");
    let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let program = "import json, re, sqlglot, sys\n\
        from sqlglot import exp\n\
        [[sql, names]] = json.load(open(sys.argv[1]))\n\
        [tree] = sqlglot.parse(sql, read='oracle')\n\
        where = tree.args['where'].this\n\
        found = []\n\
        for node in where.find_all(exp.EQ, exp.Like):\n    \
            assert isinstance(node.this, exp.Lower), node\n    \
            text = node.expression\n    \
            if isinstance(node, exp.Like):\n        \
                text = re.sub(r'\\\\(.)', r'\\1', text.name.replace('%', '*'))\n    \
            else:\n        \
                text = text.name\n    \
            found.append(text)\n\
        assert sorted(found) == sorted(names), (found, names)\n";
    let wanted: Vec<String> = lower.iter().map(|name| name.replace('%', "*")).collect();
    checked_by("sqlglot", program, &json!([[sql, wanted]]));
}
