//! Oracle's SQL held against a grammar that is not ours: sqlglot's, and a dictionary of Oracle's views
//! (`crates/live/tests/oracle_grammar.py`).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bounded;

/// Fails where a query or a change of rows is not Oracle's SQL, or names a column that no view of its has, or one that is
/// newer than `release`. PL/SQL and what makes or alters a table are left out, because sqlglot does not know
/// Oracle's. False where sqlglot is not installed.
pub fn hold(statements: &[String], release: Option<&str>) -> bool {
    let Some(python) = python() else {
        eprintln!("SKIPPED: sqlglot is not installed (./test does it)");
        return false;
    };
    let mut different: Vec<&String> = statements.iter().filter(|sql| is_checked(sql)).collect();
    different.sort();
    different.dedup();
    assert!(!different.is_empty(), "no statement was sent");
    let statements: Vec<&str> = different.iter().map(|sql| sql.as_str()).collect();
    let text = format!("{};\n", statements.join(";\n"));
    let (process, thread) = (std::process::id(), std::thread::current().id());
    let path = std::env::temp_dir().join(format!("isotherm-sql-{process}-{thread:?}"));
    std::fs::write(&path, text).expect("a file for the statements");
    let input = std::fs::File::open(&path).expect("the statements");
    let mut command = Command::new(python);
    command.arg(root().join("crates/live/tests/oracle_grammar.py")).args(release);
    let output = bounded::output(command.stdin(Stdio::from(input)));
    std::fs::remove_file(&path).expect("the file is there");
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&said));
    true
}

/// Whether the grammar can judge it.
fn is_checked(sql: &str) -> bool {
    let first = sql.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "COMMENT", "DROP"].contains(&first.as_str())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Python with sqlglot, where it is installed.
fn python() -> Option<PathBuf> {
    let python = root().join("target/clients/python/bin/python");
    let found = bounded::try_output(Command::new(&python).args(["-c", "import sqlglot"]));
    found.is_ok_and(|output| output.status.success()).then_some(python)
}
