//! `top` on a real `PostgreSQL` with a load that is known, and on a server that plays Oracle's part.

use std::process::{Output, Stdio};

use serde_json::Value;
use testing::bounded;

use self::started::Started;
use super::psql::{Client, asked};
use super::schemas::parsed;
use super::terminal::{self, Terminal};
use super::{ClosedPort, isotherm, run, signal, start, succeed};

#[path = "../../../live/tests/fake/started.rs"]
pub(super) mod started;

fn row<'a>(object: &'a Value, dimension: &str, value: &str) -> &'a Value {
    let tables = object["by"].as_array().unwrap();
    let table = tables.iter().find(|table| table["dimension"] == dimension).unwrap();
    let rows = table["rows"].as_array().unwrap();
    rows.iter().find(|row| row["value"] == value).unwrap_or_else(|| panic!("{value}: {rows:?}"))
}

#[test]
fn those_behind_a_lock_are_waiting_now_on_the_live_screen() {
    let Some(server) = Started::new("postgres", &["-c", "autovacuum=off"], &[]) else { return };
    let Some(terminal) = Terminal::open(120, 36) else { return };
    asked(&server, "create table t (id int)");
    let address = format!("postgres://isotherm@/postgres?host={}", server.folder);
    terminal.line(&terminal::isotherm(&format!("live '{address}'")));
    let _holds = Client::saying(&server, "nightly-job", "begin; lock table t;");
    let idles = "select count(*) from pg_stat_activity where state = 'idle in transaction'";
    bounded::until("the lock", || (asked(&server, idles) == "1").then_some(()));
    let _waits: Vec<Client> =
        (0..8).map(|_| Client::saying(&server, "shop", "insert into t values (1);")).collect();
    let locked = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'";
    bounded::until("eight sessions wait", || (asked(&server, locked) == "8").then_some(()));
    // Nobody goes on before the holder does: however late we look, there are as many.
    let screen = bounded::until("eight are waiting now", || {
        let screen = terminal.screen();
        let said = screen.contains("8 sessions have waited for Lock:relation for ");
        (said && screen.contains("(nightly-job)") && screen.contains(" 8.00 waiting"))
            .then_some(screen)
    });
    assert!(!screen.contains(" 0 waiting"), "{screen}");
    assert_eq!(asked(&server, locked), "8");
    terminal.key("q");
}

#[test]
fn a_planted_load_is_counted_exactly_and_its_blocker_named() {
    let Some(server) = Started::new("postgres", &["-c", "autovacuum=off"], &[]) else { return };
    asked(&server, "create table t (id int, x int); insert into t values (7, 0)");
    let _sleeps: Vec<Client> =
        (0..5).map(|_| Client::saying(&server, "report", "select pg_sleep(600);")).collect();
    let _idle = Client::saying(&server, "idle", "select 1;");
    let _holds = Client::saying(&server, "batch", "begin; update t set x = 1 where id = 7;");
    let idles = "select count(*) from pg_stat_activity where state = 'idle in transaction'";
    bounded::until("the lock", || (asked(&server, idles) == "1").then_some(()));
    let _waits = Client::saying(&server, "shop", "update t set x = 2 where id = 7;");
    let ready =
        "select count(*) from pg_stat_activity where wait_event in ('PgSleep', 'transactionid')";
    bounded::until("the load", || (asked(&server, ready) == "6").then_some(()));
    let pid = |name: &str| {
        asked(
            &server,
            &format!("select pid from pg_stat_activity where application_name = '{name}'"),
        )
    };

    let address = format!("postgres://isotherm@/postgres?host={}", server.folder);
    let words = ["top", &address, "--once", "--for", "500ms", "--hz", "20", "--format", "json"];
    let object = parsed("top", &succeed(&words));
    assert_eq!(object["average_active_sessions"], 6.0);
    assert_eq!(object["most_active_sessions"], 6);
    let samples = object["samples"].as_u64().unwrap();
    assert!((1..=10).contains(&samples), "{samples}");
    // What does not change has no error, however few samples there are; a single one tells nothing of it.
    let error = if samples > 1 { Value::from(0.0) } else { Value::Null };
    assert_eq!(object["standard_error"], error);
    assert_eq!((&object["samples_due"], object["length_us"].as_f64()), (&10.into(), Some(5e5)));
    let sleeps = row(&object, "event", "Timeout:PgSleep");
    assert_eq!((&sleeps["average_active_sessions"], &sleeps["sessions"]), (&5.0.into(), &5.into()));
    let lock = row(&object, "class", "Lock");
    assert_eq!(
        (&lock["average_active_sessions"], &lock["active_sessions_now"]),
        (&1.0.into(), &1.into())
    );
    // The server says since when it waits for a lock, of a sleep not.
    assert_eq!(lock["longest_wait"]["source"], "known");
    let waited = lock["longest_wait"]["at_least_us"].as_f64().unwrap();
    let now = "select extract(epoch from clock_timestamp() - waitstart) * 1000000 from pg_locks where not granted";
    assert!((1.0..asked(&server, now).parse().unwrap()).contains(&waited), "{waited}");
    assert_eq!(sleeps["longest_wait"]["source"], "sampled");
    assert_eq!(row(&object, "program", "shop")["average_active_sessions"], 1.0);
    let blocker = row(&object, "blocker", &pid("batch"));
    assert_eq!(blocker["average_active_sessions"], 1.0);
    assert_eq!(blocker["text"], "isotherm, batch, idle in transaction");
    assert_eq!(row(&object, "session", &pid("shop"))["text"], "isotherm, shop");

    let text = succeed(&["top", &address, "--once", "--for", "200ms", "--by", "blocker"]);
    assert!(text.contains("isotherm, batch, idle in transaction"), "{text}");

    // Who may not see others says so, and counts none of them.
    asked(&server, "create role watcher login");
    let address = format!("postgres://watcher@/postgres?host={}", server.folder);
    let object = parsed("top", &succeed(&["top", &address, "--once", "--format", "json"]));
    assert_eq!(object["average_active_sessions"], 0.0);
    // The session that made the role may not have ended yet.
    assert!((8..=9).contains(&object["hidden_sessions"].as_u64().unwrap()), "{object}");
    assert!(object["warnings"][0].as_str().unwrap().contains("pg_read_all_stats"), "{object}");
}

/// Samples a server that ends after the first sample; none where no server is installed.
fn sampled_until_the_server_ends(length: &str) -> Option<Output> {
    let server = Started::new("postgres", &[], &[])?;
    let address = format!("postgres://isotherm@/postgres?host={}", server.folder);
    let top = start(&["top", &address, "--once", "--for", length, "--format", "json"]);
    // A sample was taken and answered. This question is not counted itself: it begins otherwise.
    let looks = "select count(*) from pg_stat_activity \
                 where query like 'execute isotherm%' and state = 'idle'";
    bounded::until("a look", || (asked(&server, looks) == "1").then_some(()));
    drop(server);
    Some(top.wait_with_output().unwrap())
}

#[test]
fn a_server_that_ends_is_a_gap_until_the_end_of_the_time_asked_for() {
    // On a busy machine a server takes long to end: where all samples were taken before, once more with more time.
    let mut sampled = (0_u32, None);
    for seconds in [4, 12, 36] {
        let Some(output) = sampled_until_the_server_ends(&format!("{seconds}s")) else { return };
        let is_over = output.status.success();
        sampled = (seconds, Some(output));
        if !is_over {
            break;
        }
    }
    let (seconds, output) = (f64::from(sampled.0), sampled.1.unwrap());
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let object = parsed("top", &String::from_utf8(output.stdout).unwrap());
    let number = |key: &str| object[key].as_f64().unwrap();
    // It ended once, and for good.
    assert_eq!(
        (number("samples_due"), number("length_us"), number("gaps")),
        (10.0 * seconds, 1e6 * seconds, 1.0)
    );
    assert!(number("samples") < number("samples_due") && number("gaps_us") > 0.0, "{object}");
    // Lost since the last sample, which stands for the 50 ms before it at least.
    assert!(number("gaps_us") <= 1e6 * seconds && number("unsampled_us") > 0.0, "{object}");
    let warnings = object["warnings"].as_array().unwrap();
    let is_lost = |warning: &Value| warning.as_str().unwrap().contains("trying to connect again");
    assert!(warnings.iter().any(is_lost), "{object}");
}

/// What `--io` says of the time in which something is done.
fn read_twice(server: &Started, meanwhile: impl FnOnce()) -> Value {
    let address = format!("postgres://isotherm@/postgres?host={}", server.folder);
    let words = ["top", &address, "--once", "--io", "--for", "10m", "--format", "json"];
    let top = bounded::spawn(isotherm(&words).stdout(Stdio::piped()));
    let first = "select count(*) from pg_stat_activity where query like 'select r.id, r.name%' and state = 'idle'";
    bounded::until("the first reading", || (asked(server, first) == "1").then_some(()));
    meanwhile();
    signal(&top, rustix::process::Signal::INT);
    let output = top.wait_with_output().unwrap();
    parsed("top-io", &String::from_utf8(output.stdout).unwrap())
}

#[test]
fn what_a_scan_reads_is_told_of_its_table_block_by_block() {
    let options = ["-c", "autovacuum=off", "-c", "shared_buffers=2MB"];
    let Some(server) = Started::new("postgres", &options, &[]) else { return };
    asked(
        &server,
        "create table big as select repeat('x', 1000) as text from generate_series(1, 9000)",
    );
    asked(&server, "vacuum big");
    asked(&server, "create table other as select 1 as one");
    let mut read: u64 = 0;
    let object = read_twice(&server, || {
        // The server says itself how many blocks of the scan were not in shared buffers.
        let plan = asked(&server, "explain (analyze, buffers) select count(*) from big");
        read =
            plan.split("read=").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
        assert!(read > 900, "{plan}");
        // The table is replaced by another one, as when it is rebuilt: its reads go on under its new name.
        asked(&server, "alter table big rename to old; alter table other rename to big");
        let counted = "select heap_blks_read from pg_statio_all_tables where relname = 'old'";
        bounded::until("the scan to be counted", || {
            (asked(&server, counted).parse::<u64>().ok()? >= read).then_some(())
        });
    });
    let files = object["files"].as_array().unwrap();
    let of = |name: &str| files.iter().find(|file| file["name"] == name);
    let reads =
        of("public.big").map_or(0, |one| one["small_reads"]["operations"].as_u64().unwrap());
    assert!(reads < 10, "{reads} reads of a table with one row");
    let big = of("public.old").unwrap();
    assert_eq!(
        (&big["small_reads"]["operations"], &big["large_reads"]),
        (&read.into(), &Value::Null)
    );
    assert_eq!(big["small_reads"]["bytes"], read * 8_192);
    let functions = object["functions"].as_array().unwrap();
    let reads = functions.iter().find(|one| one["name"] == "reads of postgres").unwrap();
    assert!(reads["small_reads"]["operations"].as_u64().unwrap() >= read, "{reads}");
    assert_eq!((&object["resets"], &object["gone"]), (&0.into(), &0.into()));
}

/// A server before 16 that has a view with the name and the columns which later ones have.
#[test]
fn functions_of_later_releases_are_read_with_the_columns_of_16_and_of_18() {
    let options = ["-c", "allow_system_table_mods=on"];
    let Some(server) = Started::new("postgres", &options, &[]) else { return };
    let sixteen = "reads bigint, read_time float8, writes bigint, write_time float8, writebacks bigint, \
        writeback_time float8, extends bigint, extend_time float8, op_bytes bigint, hits bigint, evictions bigint, \
        reuses bigint, fsyncs bigint, fsync_time float8, stats_reset timestamptz";
    let eighteen = "reads bigint, read_bytes numeric, read_time float8, writes bigint, write_bytes numeric, \
        write_time float8, writebacks bigint, writeback_time float8, extends bigint, extend_bytes numeric, \
        extend_time float8, hits bigint, evictions bigint, reuses bigint, fsyncs bigint, fsync_time float8, \
        stats_reset timestamptz";
    // One backend's row reads only, one's has all. Blocks of 8 KiB; from 18 on operations may be of many blocks.
    let before_16 = "insert into io (backend_type, object, context, reads, op_bytes) values \
        ('startup', 'relation', 'normal', 7, 8192); \
        insert into io (backend_type, object, context, reads, writes, extends, op_bytes) values \
        ('client backend', 'relation', 'bulkread', 100, 10, 1, 8192)";
    let after_16 = "update io set reads = reads + 20, writes = writes + 5, extends = extends + 3 \
        where context = 'bulkread'";
    let before_18 = "insert into io (backend_type, object, context, reads, read_bytes) values \
        ('startup', 'relation', 'normal', 7, 57344); \
        insert into io (backend_type, object, context, reads, read_bytes, writes, write_bytes, extends, extend_bytes) \
        values ('client backend', 'relation', 'bulkread', 100, 819200, 10, 81920, 1, 8192)";
    let after_18 = "update io set reads = reads + 20, read_bytes = read_bytes + 2000000, writes = writes + 5, \
        write_bytes = write_bytes + 300000, extends = extends + 3, extend_bytes = extend_bytes + 50000 \
        where context = 'bulkread'";
    for (columns, before, after, read_bytes, written_bytes) in [
        (sixteen, before_16, after_16, 20 * 8_192, 8 * 8_192),
        (eighteen, before_18, after_18, 2_000_000, 350_000),
    ] {
        asked(
            &server,
            &format!(
                "drop view if exists pg_catalog.pg_stat_io; drop table if exists io; \
                 create table io (backend_type text, object text, context text, {columns}); {before}; \
                 create view pg_catalog.pg_stat_io as select * from io"
            ),
        );
        let object = read_twice(&server, || drop(asked(&server, after)));
        let functions = object["functions"].as_array().unwrap();
        let names: Vec<&Value> = functions.iter().map(|one| &one["name"]).collect();
        let name = "client backend, relation, bulkread";
        assert!(names.contains(&&name.into()), "{object}");
        let one = functions.iter().find(|one| one["name"] == name).unwrap();
        let counted = |of: &str| ["operations", "bytes"].map(|key| one[of][key].as_u64());
        assert_eq!(counted("small_reads"), [Some(20), Some(read_bytes)], "{one}");
        assert_eq!(counted("small_writes"), [Some(8), Some(written_bytes)], "{one}");
        assert_eq!((&object["resets"], &object["gone"]), (&0.into(), &0.into()));
    }
}

#[test]
fn the_screen_shows_the_map_of_an_event_and_reads_and_writes() {
    let options = ["-c", "autovacuum=off", "-c", "shared_buffers=2MB"];
    let Some(server) = Started::new("postgres", &options, &[]) else { return };
    let Some(terminal) = Terminal::open(120, 36) else { return };
    asked(
        &server,
        "create table big as select repeat('x', 1000) as text from generate_series(1, 9000)",
    );
    let _sleeps: Vec<Client> =
        (0..3).map(|_| Client::saying(&server, "report", "select pg_sleep(600);")).collect();
    let address = format!("postgres://isotherm@/postgres?host={}", server.folder);
    terminal.line(&terminal::isotherm(&format!("top '{address}' --by event")));
    let shows = |what: &str, all: &[&str]| {
        bounded::until(what, || {
            let screen = terminal.screen();
            all.iter().all(|text| screen.contains(text)).then_some(())
        });
    };
    // The three of now stand beside their mean, and samples have found them for a while.
    shows("the sessions", &["ACTIVE SESSIONS", "3 now", "Timeout:PgSleep", ">1"]);
    terminal.key("Enter");
    shows("the map", &["SESSIONS in Timeout:PgSleep by length of wait", "[3 SQL]"]);
    terminal.key("Enter");
    shows("the statement", &["select pg_sleep(600)", "[7 session]", "event of SQL"]);
    terminal.key("Escape");
    terminal.key("Escape");
    shows("all sessions", &["ACTIVE SESSIONS"]);
    terminal.key("i");
    bounded::until("the reads of scans", || {
        asked(&server, "select count(*) from big");
        let screen = terminal.screen();
        (screen.contains("public.big") && screen.contains("reads of postgres")).then_some(())
    });
    terminal.key("i");
    shows("sessions again", &["ACTIVE SESSIONS"]);
    terminal.key("q");
}

/// What `--io` asks of Oracle: counters, and what the database measured itself.
fn statements_of_io(address: &str) -> [String; 2] {
    let sql = succeed(&["top", address, "--io", "--show-sql"]);
    let (counters, measured) = sql.split_once(";\n\n").unwrap();
    [counters, measured].map(str::to_owned)
}

/// `PostgreSQL` takes the same statement where views have Oracle's names and columns. Its `to_char` knows neither
/// `TM9` nor the characters of numbers.
#[test]
fn the_statement_for_the_last_minute_of_oracle_runs_on_a_view_with_oracles_name() {
    let Some(server) = Started::new("postgres", &[], &[]) else { return };
    asked(
        &server,
        "create table gv$iofuncmetric (inst_id int, begin_time timestamp, end_time timestamp, \
         intsize_csec int, function_id int, function_name text, small_read_mbps numeric, \
         small_write_mbps numeric, large_read_mbps numeric, large_write_mbps numeric, \
         small_read_iops numeric, small_write_iops numeric, large_read_iops numeric, \
         large_write_iops numeric, avg_wait_time numeric); \
         insert into gv$iofuncmetric values \
         (1, '2026-03-01 12:00:01', '2026-03-01 12:01:01', 6003, 2, 'LGWR', \
         0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 5.25), \
         (2, '2026-03-01 12:00:03', '2026-03-01 12:01:03', 6001, 1, 'DBWR', \
         0, 0, 0, 0, 0, 9.5, 0, 0, 0); \
         create table dual as select 'X' as dummy, timestamp '2026-03-01 12:01:23' as sysdate; \
         create function to_char(numeric, text, text) returns text language sql as \
         $$select case when $2 = 'TM9' and $3 = 'NLS_NUMERIC_CHARACTERS=''.,''' then $1::text end$$",
    );
    let lines = |address: &str| {
        let [_, sql] = statements_of_io(address);
        asked(&server, &sql)
    };
    // Of each size and direction operations, then megabytes; reads first.
    let log = "M|1|2026-03-01T12:00:01|2026-03-01T12:01:01|6003|1|0.1|3|0.3|2|0.2|4|0.4|5.25|LGWR";
    let writer = "M|2|2026-03-01T12:00:03|2026-03-01T12:01:03|6001|0|0|0|0|9.5|0|0|0|0|DBWR";
    let of_two = lines("oracle://u@h/s?inst=2,3");
    assert_eq!(of_two.lines().collect::<Vec<_>>(), ["T|2026-03-01T12:01:23", writer, "."]);
    let all = lines("oracle://u@h/s");
    let mut all: Vec<&str> = all.lines().collect();
    assert_eq!((all.remove(0), all.pop()), ("T|2026-03-01T12:01:23", Some(".")));
    all.sort_unstable();
    assert_eq!(all, [log, writer]);
}

/// `PostgreSQL` takes the same statement where views have Oracle's names and columns.
#[test]
fn the_statement_for_oracle_runs_on_views_with_oracles_names() {
    let Some(server) = Started::new("postgres", &[], &[]) else { return };
    let [sql, _] = statements_of_io("oracle://u@h/s");
    let [of_two, _] = statements_of_io("oracle://u@h/s?inst=2,3");
    // Oracle has the last two of functions only.
    let waits = "number_of_waits int, wait_time int, ";
    let counters = "small_read_reqs int, small_read_megabytes int, large_read_reqs int, \
        large_read_megabytes int, small_write_reqs int, small_write_megabytes int, large_write_reqs int, \
        large_write_megabytes int";
    asked(
        &server,
        &format!(
            "create table gv$instance (inst_id int, startup_time timestamp); \
         create table gv$iostat_function (inst_id int, {counters}, {waits}function_name text); \
         create table gv$iostat_file (inst_id int, {counters}, file_no int, filetype_name text); \
         create table dba_data_files (file_id int, file_name text); \
         create table dba_temp_files (file_id int, file_name text); \
         create table dual as select 'X' as dummy; \
         insert into gv$instance values (1, '2026-01-02 03:04:05'); \
         insert into gv$iostat_function values (1, 1,2,3,4,5,6,7,8, 90,450, 'LGWR'); \
         insert into gv$iostat_file values (1, 8,7,6,5,4,3,2,1, 5, 'Data File'), \
         (1, 8,7,6,5,4,3,2,1, 5, 'Temp File'), (1, 8,7,6,5,4,3,2,1, 0, 'Control File'); \
         insert into dba_data_files values (5, '/u01/users.dbf')"
        ),
    );
    let answer = asked(&server, &sql);
    let mut lines: Vec<&str> = answer.lines().collect();
    assert_eq!(lines.first(), Some(&"I|1|2026-01-02 03:04:05"));
    assert_eq!(lines.pop(), Some("."), "the end comes last");
    lines.sort_unstable();
    let file = |id: &str, name: &str| format!("D|1|8|7|6|5|4|3|2|1|||{id}|{name}");
    let expected = [
        &file("Control File 0", "Control File 0"),
        &file("Data File 5", "/u01/users.dbf"),
        &file("Temp File 5", "Temp File 5"),
        "F|1|1|2|3|4|5|6|7|8|90|450|LGWR|LGWR",
        "I|1|2026-01-02 03:04:05",
    ];
    assert_eq!(lines, expected);
    // An instance that is chosen, and nothing of the other.
    asked(
        &server,
        "insert into gv$instance values (2, '2026-01-03 00:00:00'); \
         insert into gv$iostat_function values (2, 9,9,9,9,9,9,9,9, 1,1, 'DBWR'); \
         insert into gv$iostat_file values (2, 9,9,9,9,9,9,9,9, 5, 'Temp File')",
    );
    let answer = asked(&server, &of_two);
    let mut lines: Vec<&str> = answer.lines().collect();
    lines.sort_unstable();
    let expected = [
        ".",
        "D|2|9|9|9|9|9|9|9|9|||Temp File 5|Temp File 5",
        "F|2|9|9|9|9|9|9|9|9|1|1|DBWR|DBWR",
        "I|2|2026-01-03 00:00:00",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn what_cannot_be_sampled_is_refused_with_what_to_do() {
    let port = ClosedPort::new();
    let away = format!("postgres://u@127.0.0.1:{}/d", port.number());
    let away_with_option = format!("{away}?averages=wal");
    for (words, code, said) in [
        (&["top", "x.heat", "--once"][..], 2, "has no sessions"),
        (&["top", &away, "--once"], 3, "nothing listens there"),
        (&["top", &away_with_option, "--once"], 2, "leave them out"),
        (&["top", &away, "--format", "json"], 2, "--once"),
        (&["top", &away], 2, "use --once"),
        (&["top", "oracle://u@h/s", "--once", "--hz", "50"], 2, "1 to 10 times"),
        (&["top", "postgres://u@h/d", "--once", "--for", "0s"], 2, "nothing to see"),
        (&["top", "postgres://u@h/d", "--io"], 2, "use --once"),
        (&["top", "postgres://u@h/d", "--io", "--once", "--by", "sql"], 2, "cannot be used with"),
        (&["top", "x.heat", "--io", "--once"], 2, "no counters of I/O"),
        (&["top", "oracle://u@h/s?sample=session", "--io", "--once"], 2, "leave them out"),
        (&["top", "oracle://u@h/s?sample=session", "--io", "--show-sql"], 2, "leave them out"),
    ] {
        let output = run(words);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
        assert!(error.contains(said), "{words:?}: {error}");
    }
}

#[cfg(feature = "oracle")]
#[test]
fn oracle_is_sampled_through_the_real_driver() {
    use fake_oracle::{Answer, FakeOracle, Script};
    let active = [
        "A|1:70,5|Application|enq: TX - row lock contention|7h35uxf5uhmm1|1:81|412|93000000|APP|sqlplus@web1",
        "A|1:71,9|CPU|CPU|7h35uxf5uhmm1||9|250|APP|JDBC Thin Client",
        "A|1:72,2|User I/O|db file sequential read|9babjv8yq8ru3||31|310|APP|JDBC Thin Client",
        ".",
    ];
    let script = Script::default()
        .on("'a|'", Answer::lines(active))
        .on("v$sqlstats", Answer::lines(["Q|7h35uxf5uhmm1|update t set x = 1"]))
        .on("'b|'", Answer::lines(["B|1:81|APP|inactive|sqlplus@web2"]));
    let server = FakeOracle::start(script).unwrap();
    let address = format!("oracle://mon@127.0.0.1:{}/FAKE", server.port());
    // The log-on is a part of the time, and takes most of it where much else runs.
    let sampled = |time: &str| {
        let words = ["top", &address, "--once", "--hz", "10", "--for", time, "--format", "json"];
        let password = ("ISOTHERM_ORACLE_PASSWORD", "correct-horse");
        bounded::output(isotherm(&words).env(password.0, password.1))
    };
    let mut output = sampled("300ms");
    for longer in ["3s", "30s"] {
        if String::from_utf8_lossy(&output.stderr).contains("had not answered") {
            output = sampled(longer);
        }
    }
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let object = parsed("top", &String::from_utf8(output.stdout).unwrap());
    assert_eq!(object["average_active_sessions"], 3.0);
    assert_eq!(row(&object, "class", "CPU")["share"], 1.0 / 3.0);
    // As the server says, from the first sample on.
    let lock = row(&object, "class", "Application");
    assert_eq!(lock["longest_wait"]["source"], "known");
    assert_eq!(
        (&lock["longest_wait"]["at_least_us"], &lock["active_sessions_now"]),
        (&93_000_000.into(), &1.into())
    );
    let update = row(&object, "sql", "7h35uxf5uhmm1");
    assert_eq!(update["text"], "update t set x = 1");
    assert_eq!(update["average_active_sessions"], 2.0);
    assert_eq!(row(&object, "sql", "9babjv8yq8ru3")["text"], Value::Null);
    assert_eq!(row(&object, "blocker", "1:81")["text"], "APP, sqlplus@web2, inactive");
}

#[cfg(feature = "oracle")]
#[test]
fn reads_and_writes_of_oracle_are_told_by_size_function_and_file() {
    use fake_oracle::{Answer, FakeOracle, Script};
    // 64 more waits took 320 ms more.
    let reading = |reads: u32| {
        Answer::lines([
            "I|1|2026-01-02 03:04:05".to_owned(),
            format!("F|1|{reads}|80|3|3|50|1|7|8|{}|{}|LGWR|LGWR", reads / 10, reads / 2),
            format!("D|1|{reads}|80|3|3|50|1|7|8|||Data File 5|/u01/users.dbf"),
            ".".to_owned(),
        ])
    };
    let minute = Answer::lines([
        "T|2026-03-01T12:01:23",
        "M|1|2026-03-01T12:00:01|2026-03-01T12:01:01|6003|.5|.1|0|0|2|0|4|1.25|5.25|LGWR",
        ".",
    ]);
    let script = Script::default()
        .on_each("gv$iostat_function", [reading(1_000), reading(1_640)])
        .on("gv$iofuncmetric", minute);
    let server = FakeOracle::start(script).unwrap();
    let address = format!("oracle://mon@127.0.0.1:{}/FAKE", server.port());
    let words = ["top", &address, "--once", "--io", "--for", "1ms", "--format", "json"];
    let mut command = isotherm(&words);
    let output = bounded::output(command.env("ISOTHERM_ORACLE_PASSWORD", "correct-horse"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let object = parsed("top-io", &String::from_utf8(output.stdout).unwrap());
    let waits = serde_json::json!({"count": 64, "time_ms": 320});
    assert_eq!(object["functions"][0]["waits"], waits);
    let file = &object["files"][0];
    assert_eq!(file["waits"], Value::Null);
    assert_eq!((&file["name"], &file["instance"]), (&"/u01/users.dbf".into(), &"1".into()));
    assert_eq!(file["small_reads"]["operations"], 640);
    assert_eq!(file["large_writes"]["operations"], 0);
    let last = &object["last_interval"];
    assert_eq!(
        (&last["database_time"], &last["missing"]),
        (&"2026-03-01T12:01:23".into(), &Value::Null)
    );
    let log = &last["intervals"][0]["functions"][0];
    let writes = serde_json::json!({"operations_per_second": 4.0, "megabytes_per_second": 1.25});
    assert_eq!((&log["large_writes"], &log["mean_wait_ms"]), (&writes, &5.25.into()));
}

#[cfg(feature = "oracle")]
#[test]
fn who_may_not_read_oracles_last_minute_sees_the_rest_and_the_grant() {
    use fake_oracle::{Answer, FakeOracle, Script};
    let counters =
        Answer::lines(["I|1|2026-01-02 03:04:05", "F|1|1000|80|3|3|50|1|7|8|9|10|LGWR|LGWR", "."]);
    let script = Script::default()
        .on("gv$iostat_function", counters)
        .on("gv$iofuncmetric", Answer::Error(1_031, "insufficient privileges".to_owned()));
    let server = FakeOracle::start(script).unwrap();
    let address = format!("oracle://mon@127.0.0.1:{}/FAKE", server.port());
    let said = |format: &str| {
        let words = ["top", &address, "--once", "--io", "--for", "1ms", "--format", format];
        let mut command = isotherm(&words);
        let output = bounded::output(command.env("ISOTHERM_ORACLE_PASSWORD", "correct-horse"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = said("text");
    let grant = "  GRANT SELECT ON SYS.GV_$IOFUNCMETRIC TO mon;";
    assert!(text.lines().any(|line| line == grant), "{text}");
    assert!(text.contains("no rates of the last minute: mon@127.0.0.1"), "{text}");
    let object = parsed("top-io", &said("json"));
    let last = &object["last_interval"];
    assert!(last["missing"].as_str().unwrap().contains(grant), "{last}");
    assert_eq!(last["intervals"], serde_json::json!([]));
}
