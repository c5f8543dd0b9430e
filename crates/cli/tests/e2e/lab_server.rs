//! Labs on a server of the user: what they say before, and that nothing of them is left there.

use std::io::Write as _;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::Value;
use testing::bounded;

use super::psql::asked;
use super::top::started::Started;
use super::{isotherm, run, schemas, signal};

/// Schemas, tables outside of the system's own, and extensions.
const THERE: &str = "select (select count(*) from pg_namespace where nspname !~ '^(pg_|information_schema$|public$)') \
    || ' ' || (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace where nspname !~ \
    '^(pg_|information_schema$)') || ' ' || (select count(*) from pg_extension)";

struct User(Started);

impl User {
    /// A server with synchronous commits; `None` where `PostgreSQL` is not installed.
    fn new() -> Option<User> {
        let settings = ["fsync=on", "autovacuum=off", "max_connections=40"];
        let settings: Vec<&str> =
            settings.into_iter().flat_map(|setting| ["-c", setting]).collect();
        Started::new("postgres", &settings, &[]).map(User)
    }

    fn address(&self, user: &str) -> String {
        format!("postgres://{user}@/postgres?host={}", self.0.folder)
    }

    /// A lab in its short form as a JSON object, with what it said before.
    fn lab(&self, name: &str, more: &[&str]) -> (Value, String) {
        let before = asked(&self.0, THERE);
        let address = self.address("isotherm");
        let asked_for =
            ["lab", name, "--short", "--no-progress", "--format", "json", "--on", &address];
        let output = run(&[&asked_for[..], more].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{name}: {said}");
        assert_eq!(asked(&self.0, THERE), before, "{name}");
        assert!(said.contains("it makes the schema isotherm_lab_"), "{name}: {said}");
        (schemas::parsed("lab", &String::from_utf8(output.stdout).unwrap()), said)
    }
}

/// A cell of a table of the finding, as a number.
fn cell(object: &Value, [table, row, column]: [usize; 3]) -> u64 {
    let text = object["finding"]["tables"][table]["rows"][row][column].as_str().unwrap();
    text.replace(',', "").parse().unwrap()
}

#[test]
fn labs_work_on_a_server_of_the_user_and_leave_nothing_there() {
    let Some(user) = User::new() else { return };
    // Every message was counted by the proxy, by the client and by the server's notices.
    let (calls, _) = user.lab("user-calls", &[]);
    assert_eq!(calls["finding"]["verdict"], "holds", "{}", calls["finding"]["sentence"]);
    let counts = calls["finding"]["tables"][3]["rows"].as_array().unwrap();
    let numbers = |row: usize| counts[row].as_array().unwrap()[1..].to_vec();
    assert_eq!([numbers(0), numbers(0)], [numbers(1), numbers(2)]);
    // Each of four sessions committed at least once in each of four rounds; rows are whole commits.
    let (batch, _) = user.lab("batch", &[]);
    for row in 0..3 {
        let [rows_a_commit, rows, commits] = [0, 1, 2].map(|column| cell(&batch, [0, row, column]));
        assert_eq!(rows_a_commit * commits, rows);
        assert!(commits >= 16, "{commits}");
    }
    let service = batch["finding"]["charts"][1]["curves"][1]["points"].as_array().unwrap();
    assert!(service[2]["y"].as_f64() < service[0]["y"].as_f64(), "{service:?}");
}

/// `pg_stat_io` as `PostgreSQL` 16 has it, played on a server before by a view with its columns: the reads of the lab's
/// table, three blocks for each, and what is not to be counted.
const STAT_IO: &str = "set allow_system_table_mods = on; create view pg_catalog.pg_stat_io as select \
    v.backend_type, v.object, 'normal'::text as context, v.reads::bigint as reads, 0::float8 as read_time, 0::bigint \
    as writes, 0::float8 as write_time, 0::bigint as writebacks, 0::float8 as writeback_time, 0::bigint as extends, \
    0::float8 as extend_time, 12288::bigint as op_bytes, 0::bigint as hits, 0::bigint as evictions, 0::bigint as \
    reuses, 0::bigint as fsyncs, 0::float8 as fsync_time, now() as stats_reset from (select coalesce(sum(2 * \
    (heap_blks_read + idx_blks_read)), 0), random() * 1e9 from pg_statio_user_tables where relname = \
    'rows_counted') counted (blocks, noise), lateral (values ('client backend', 'relation', blocks), ('autovacuum \
    worker', 'relation', noise), ('client backend', 'temp relation', noise), ('checkpointer', 'relation', null)) v \
    (backend_type, object, reads)";

#[test]
fn labs_that_look_at_files_find_those_of_the_user_s_server() {
    let Some(user) = User::new() else { return };
    let is_played = asked(&user.0, "select to_regclass('pg_catalog.pg_stat_io') is null") == "t";
    if is_played {
        asked(&user.0, STAT_IO);
    }
    let (counts, _) = user.lab("io-count", &[]);
    if is_played {
        blocks_of_all_relations_arrive(&counts);
    }
    // Where one process reads, its calls and the server's statistics are the same number, in each sample.
    let each = &counts["finding"]["tables"][1];
    let rows = each["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    for row in rows {
        for (way, cell) in row.as_array().unwrap().iter().enumerate().skip(1) {
            let (calls, statistics) = cell.as_str().unwrap().split_once(" / ").unwrap();
            if calls != "-" && each["head"][way] != "parallel workers" {
                assert_eq!(calls, statistics, "{row}");
            }
            assert_ne!(statistics, "0", "{row}");
        }
    }
    let (backup, said) = user.lab("backup", &["--disturb"]);
    assert!(said.contains("whoever uses that database reads from the device"), "{said}");
    let read = backup["finding"]["remarks"].to_string();
    assert!(read.contains("Of 2,600 statements"), "{read}");
}

/// Three blocks for each of the table, in each way.
fn blocks_of_all_relations_arrive(counts: &Value) {
    let tables = counts["finding"]["tables"].as_array().unwrap();
    let with = |name: &str| tables.iter().position(|table| table["head"][1] == name).unwrap();
    let (by_io, of_ways) = (with("pg_stat_io"), with("calls"));
    for row in 0..6 {
        let [blocks, of_table] = [1, 2].map(|column| cell(counts, [by_io, row, column]));
        assert_eq!((blocks, of_table), (3 * of_table, cell(counts, [of_ways, row, 3])), "{row}");
    }
    let remarks = counts["finding"]["remarks"].to_string();
    assert!(
        remarks.contains("pg_stat_io has the same blocks as pg_statio in 0 of 36 measurements"),
        "{remarks}"
    );
}

#[test]
fn what_a_server_does_not_allow_is_named_with_its_grant() {
    let Some(user) = User::new() else { return };
    asked(&user.0, "create role plain login; grant create on database postgres to plain");
    let before = asked(&user.0, THERE);
    for (name, more, expected) in [
        ("batch", vec![], "GRANT pg_read_server_files TO"),
        ("io-count", vec![], "GRANT pg_read_all_settings TO"),
        ("backup", vec!["--disturb"], "GRANT pg_read_all_settings TO"),
        ("user-calls", vec![], "use a superuser"),
    ] {
        let address = user.address("plain");
        let output =
            run(&[&["lab", name, "--short", "-q", "--server", &address][..], &more].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{name}: {said}");
        assert!(said.contains(expected), "{name}: {said}");
    }
    // Without strace, which would time the syncs.
    let address = user.address("plain");
    let mut commit = isotherm(&["lab", "commit", "--short", "-q", "--server", &address]);
    let output = bounded::output(commit.env("PATH", "/nonexistent"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    for expected in ["strace is not installed", "GRANT SET ON PARAMETER track_wal_io_timing TO"] {
        assert!(said.contains(expected), "{said}");
    }
    asked(&user.0, "create role guest login");
    let output = run(&["lab", "locks", "--short", "-q", "--server", &user.address("guest")]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && said.contains("GRANT CREATE ON DATABASE"), "{said}");
    assert_eq!(asked(&user.0, THERE), before);
}

#[test]
fn syncs_that_the_server_may_not_time_are_timed_by_strace() {
    let Some(user) = User::new() else { return };
    asked(&user.0, "create role plain login; grant create on database postgres to plain");
    let address = user.address("plain");
    let output = run(&["lab", "commit", "--short", "-q", "--format", "json", "--on", &address]);
    let said = String::from_utf8(output.stderr).unwrap();
    if said.contains("and strace ") {
        return writeln!(std::io::stderr(), "SKIPPED: {said}").expect("written");
    }
    assert!(output.status.success(), "{said}");
    let object = schemas::parsed("lab", &String::from_utf8(output.stdout).unwrap());
    let remarks = object["finding"]["remarks"].to_string();
    assert!(remarks.contains("Syncs were timed by strace"), "{remarks}");
    assert!(remarks.contains("track_wal_io_timing"), "{remarks}");
    // As many as the server counted, or the round is left out; and one for each commit of one session.
    for row in [0, 1] {
        let [commits, syncs] = [1, 2].map(|column| cell(&object, [0, row, column]));
        assert!(commits == syncs && commits >= 8, "{commits} commits, {syncs} syncs");
        let curve = &object["finding"]["charts"][0]["curves"][row];
        for point in curve["points"].as_array().unwrap() {
            // Milliseconds of a sync, seconds of a commit: whatever else runs, one is a part of the other.
            let [part, whole] = ["x", "y"].map(|key| point[key].as_f64().unwrap());
            assert!(0.0 < part && part / 1e3 < whole, "{point}");
        }
    }
}

#[test]
fn a_signal_leaves_nothing_on_the_user_s_server() {
    let Some(user) = User::new() else { return };
    let before = asked(&user.0, THERE);
    for end in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        let address = user.address("isotherm");
        let mut lab = isotherm(&["lab", "batch", "--no-progress", "--server", &address]);
        let mut child = bounded::spawn(lab.stdout(Stdio::null()).stderr(Stdio::null()));
        bounded::until("the lab's schema", || (asked(&user.0, THERE) != before).then_some(()));
        signal(&child, end);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{end:?}");
        assert_eq!(asked(&user.0, THERE), before, "{end:?}");
    }
}
