//! Every query that is sent to Oracle, held against a grammar that is not ours and a dictionary of its views.

use std::process::Stdio;

use fake_oracle::{Answer, FakeOracle, Script, Simulation};
use rustix::process::Signal;
use testing::{bounded, oracle_grammar};

use super::{Room, isotherm, signal, succeed};

/// What a server was asked by these commands, in which `ADDRESS` is its address and `~` a blank. Each runs until
/// it has asked for what is named behind it, or cannot: whether it succeeds is not what is looked at.
fn asked(server: &FakeOracle, commands: &[(&str, &[&str])]) -> Vec<String> {
    let address = format!("oracle://mon@127.0.0.1:{}/FAKE", server.port());
    for (command, mentions) in commands {
        let before = server.statements().len();
        let args: Vec<String> = command
            .split(' ')
            .map(|word| word.replace("ADDRESS", &address).replace('~', " "))
            .collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut program = isotherm(&args);
        program.env("ISOTHERM_ORACLE_PASSWORD", "any").stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = bounded::spawn(&mut program);
        for mention in *mentions {
            bounded::until(&format!("{command} asks for {mention}"), || {
                let statements = server.statements();
                statements[before..].iter().any(|sql| sql.contains(mention)).then_some(())
            });
        }
        signal(&child, Signal::INT);
        child.wait().unwrap();
    }
    server.statements()
}

#[test]
fn queries_of_counters_and_sessions_are_oracles_sql() {
    let server = FakeOracle::start(Simulation::new(1, true).script()).unwrap();
    let statements = asked(
        &server,
        &[
            ("live ADDRESS --events", &["gv$system_event GROUP BY"]),
            (
                "live ADDRESS?inst=1,2 --events",
                &["gv$system_event WHERE inst_id IN (1, 2) GROUP BY"],
            ),
            ("live ADDRESS --table", &["v$event_histogram_micro h", "v$system_event h"]),
            ("live ADDRESS?event=db~file*&event=log~file~sync --table", &["LIKE 'db file%'"]),
            (
                "live ADDRESS?per_pdb=1 --table",
                &["v$con_event_histogram_micro h", "v$con_system_event h"],
            ),
            ("live ADDRESS?sample=session", &["FROM v$session\n", "FROM v$session_wait_history"]),
            ("live ADDRESS?sample=session&module=shop*", &["LOWER(module) LIKE 'shop%'"]),
            ("live ADDRESS?sample=session&xkslwh=1", &["FROM x$kslwh"]),
            ("bpftrace oracle-path --unchecked --oracle-home /none --connect ADDRESS", &["event#"]),
            ("cache show ADDRESS", &["FROM v$bh"]),
            ("cache show ADDRESS --touches", &["FROM x$bh"]),
        ],
    );
    oracle_grammar::hold(&statements, Some("12.2"));
}

#[test]
fn queries_of_reads_and_writes_are_oracles_sql() {
    let script = Script::default().on("gv$iostat_function", Answer::lines(["I|1|x", "."]));
    let server = FakeOracle::start(script).unwrap();
    let statements = asked(
        &server,
        &[
            (
                "top ADDRESS --once --io --for 1ms",
                &["FROM gv$iostat_file d", "FROM gv$iofuncmetric m"],
            ),
            (
                "top ADDRESS?inst=1,2 --once --io --for 1ms",
                &["f.inst_id IN (1, 2)", "m.inst_id IN (1, 2)"],
            ),
        ],
    );
    oracle_grammar::hold(&statements, Some("11.1"));
}

#[test]
fn a_cluster_and_an_old_release_are_asked_for_what_they_have() {
    let cluster = FakeOracle::start(Simulation::new(2, true).script()).unwrap();
    let statements = asked(
        &cluster,
        &[
            ("live ADDRESS --table", &["gv$event_histogram_micro h", "gv$system_event h"]),
            ("live ADDRESS?inst=1,2 --table", &["inst_id IN (1, 2)"]),
        ],
    );
    oracle_grammar::hold(&statements, Some("12.1.0.2"));
    let old = FakeOracle::start(Simulation::new(2, false).script()).unwrap();
    let statements = asked(&old, &[("live ADDRESS --table", &["gv$event_histogram h"])]);
    // What was refused there is what it does not have.
    let (micro, others): (Vec<String>, Vec<String>) =
        statements.into_iter().partition(|sql| sql.contains("histogram_micro"));
    assert!(!micro.is_empty(), "the newer view is tried first");
    oracle_grammar::hold(&others, Some("11.2"));
}

#[test]
fn who_may_read_less_is_asked_in_oracles_sql_too() {
    let script = || Script::default().on("gv$", Answer::no_such_view());
    let one = Answer::lines(["I|1|2026-03-01T08:00:00|19.0.0.0.0|one|NO", "."]);
    let instance = script()
        .on("'e|'", Answer::lines(["E|User I/O|1|2|db file sequential read"]))
        .on("where 1 = 0", Answer::lines([""; 0]))
        .on("", one.clone());
    let server = FakeOracle::start(instance).unwrap();
    let statements = asked(
        &server,
        &[
            ("live ADDRESS --events", &["FROM v$system_event GROUP BY"]),
            ("live ADDRESS --table", &["FROM v$instance", "v$system_event h"]),
        ],
    );
    oracle_grammar::hold(&statements, Some("12.1.0.2"));
    // Neither the exact time waited nor the names of idle events.
    let less = script()
        .on("v$system_event", Answer::no_such_view())
        .on("v$event_name", Answer::no_such_view())
        .on("where 1 = 0", Answer::lines([""; 0]))
        .on("", one);
    let server = FakeOracle::start(less).unwrap();
    // Nothing but this is left of the condition.
    let less = ["WHERE h.event IS NOT NULL"];
    let statements = asked(&server, &[("live ADDRESS --table", &less)]);
    let polled = statements.iter().filter(|sql| sql.contains("v$event_histogram_micro h"));
    let less = |sql: &&String| !sql.contains("v$system_event") && !sql.contains("v$event_name");
    assert_eq!(polled.filter(less).count(), 1, "{statements:#?}");
    oracle_grammar::hold(&statements, Some("12.1.0.2"));
}

#[test]
fn queries_of_active_sessions_and_of_history_are_oracles_sql() {
    let active =
        ["A|1:70,5|User I/O|db file sequential read|abcdefghijk12|1:71|3|70|APP|shop", "."];
    let script = Script::default()
        .on("'a|'", Answer::lines(active))
        .on("v$sqlstats", Answer::lines(["Q|abcdefghijk12|select 1 from dual"]))
        .on("'b|'", Answer::lines(["B|1:71|APP|inactive|batch"]))
        .on("", Answer::lines(["I|1||19.0.0.0.0|NO"]));
    let server = FakeOracle::start(script).unwrap();
    let mentions = ["final_blocking_session", "FROM gv$sqlstats", "'B|'||"];
    let one = ["AND inst_id IN (2)"];
    let statements = asked(
        &server,
        &[
            ("top ADDRESS --once --for 60s", &mentions),
            ("top ADDRESS?inst=2 --once --for 60s", &one),
        ],
    );
    oracle_grammar::hold(&statements, Some("11.2"));
    // Who may see one instance only.
    let script = Script::default()
        .on("gv$", Answer::no_such_view())
        .on("'a|'", Answer::lines(active))
        .on("", Answer::lines(["Q|abcdefghijk12|select 1 from dual"]));
    let server = FakeOracle::start(script).unwrap();
    let mentions = ["FROM v$session", "FROM v$sqlstats", "sid IN (71)"];
    let statements = asked(&server, &[("top ADDRESS --once --for 60s", &mentions)]);
    oracle_grammar::hold(&statements, Some("11.2"));
    let room = Room::new();
    let history = room.name("history");
    let collect = ["awr", "collect", "oracle://mon@db1/SALES", "--show-sql", "-o", &history];
    let script = ["sqlplus-script", "--awr", "--queries", "--show-sql"];
    for sql in [succeed(&collect), succeed(&script)] {
        let queries: Vec<String> = sql
            .split(";\n")
            .map(|query| query.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>())
            .map(|lines| lines.join("\n"))
            .filter(|query| !query.trim().is_empty())
            .collect();
        assert_eq!(queries.len(), 14, "{sql}");
        oracle_grammar::hold(&queries, Some("11.2.0.2"));
    }
}

#[test]
fn queries_of_the_active_session_history_are_oracles_sql() {
    let history = Answer::lines([
        "T|2026-03-01 12:00:00.000|1:9",
        "O|1|1|2026-03-01 11:00:00.000|9|2026-03-01 11:59:58.000",
        "H|1|9|2026-03-01 11:59:58.000|70|5|User I/O|db file sequential read|abcdefghijk12|1:71|3|104|shop",
        ".",
    ]);
    let script = || {
        Script::default()
            .on("'h|'", history.clone())
            .on("all_users", Answer::lines(["104|APP"]))
            .on("v$sqlstats", Answer::lines(["Q|abcdefghijk12|select 1 from dual"]))
            .on("'b|'", Answer::lines(["B|1:71|APP|inactive|batch"]))
    };
    let server = FakeOracle::start(script()).unwrap();
    let mentions = [
        "MIN(sample_id)",
        "NUMTODSINTERVAL(63, 'SECOND')",
        "FROM all_users",
        "FROM gv$sqlstats",
        "'B|'||",
    ];
    let statements = asked(
        &server,
        &[
            ("top ADDRESS --licensed diagnostics --once", &mentions),
            ("top ADDRESS?inst=1,2 --licensed diagnostics --once", &["WHERE inst_id IN (1, 2)"]),
        ],
    );
    oracle_grammar::hold(&statements, Some("11.2"));
    // Who may see one instance only, with nothing in it.
    let empty = Answer::lines(["T|2026-03-01 12:00:00.000|1:9", "."]);
    let script = Script::default()
        .on("gv$", Answer::no_such_view())
        .on("'h|'", empty)
        .on("v$parameter", Answer::lines(["NONE"]));
    let server = FakeOracle::start(script).unwrap();
    let mentions = ["FROM v$active_session_history", "control_management_pack_access"];
    let statements = asked(&server, &[("top ADDRESS --licensed diagnostics --once", &mentions)]);
    oracle_grammar::hold(&statements, Some("11.2"));
    // What is printed is what is asked, at the first poll, at later ones and of names.
    let show = ["top", "oracle://u@h/s", "--licensed", "diagnostics", "--show-sql"];
    let shown = succeed(&show);
    let shown = shown.trim_end().trim_end_matches(';');
    let shown: Vec<String> = shown.split(";\n\n").map(str::to_owned).collect();
    assert_eq!(shown.len(), 6, "{shown:?}");
    assert!(shown[1].contains("NUMTODSINTERVAL(5, 'SECOND')"), "{}", shown[1]);
    oracle_grammar::hold(&shown, Some("11.2"));
}

/// A server with two snapshots of AWR's history, whose releases have zones and names or have not, and have these
/// views of histograms in microseconds.
fn with_snapshots(without: &[(&str, u32)], micro: &[&str]) -> FakeOracle {
    let refused = without.iter().fold(Script::default(), |script, (mention, code)| {
        script.on(mention, Answer::Error(*code, "what it has not".to_owned()))
    });
    let snapshots = ["111|10|1|2026-03-01T09:00:00.000Z", "111|11|1|2026-03-01T10:00:00.000Z"];
    let script = refused
        .on("where 1 = 0", Answer::lines([""; 0]))
        .on("and 1 = 0", Answer::lines([""; 0]))
        .on("from v$parameter", Answer::lines(["DIAGNOSTIC"]))
        .on("from all_tab_columns", Answer::lines(micro.to_vec()))
        .on("fetch first 1 rows only", Answer::lines(["y"]))
        .on("count(*)", Answer::lines(snapshots))
        .on("with snap as", Answer::lines([""; 0]));
    FakeOracle::start(script).unwrap()
}

#[test]
fn the_history_of_waits_is_asked_for_in_oracles_sql() {
    let server = with_snapshots(&[], &[]);
    let whole = [
        "from v$parameter",
        "snap_timezone is null",
        "from dba_hist_database_instance where",
        "from all_tab_columns",
        "group by s.dbid, s.snap_id",
        "join dba_hist_event_histogram h",
        "join dba_hist_system_event h",
    ];
    let chosen =
        ["s.instance_number in (1, 2)", "s.dbid = 111", "LOWER(h.event_name) LIKE 'db file%'"];
    let statements = asked(
        &server,
        &[
            ("show awr:ADDRESS", &whole),
            ("show awr:ADDRESS?inst=1,2&dbid=111&event=db~file*&since=2026-03-01", &chosen),
            ("show awr:ADDRESS?inst=2&event=log~file~sync", &["s.instance_number = 2"]),
        ],
    );
    oracle_grammar::hold(&statements, Some("11.2.0.2"));
    // From 12.1 on segments say which container they are of.
    let room = Room::new();
    let (server, tables) = (with_snapshots(&[], &[]), room.name("tables"));
    let command =
        format!("awr collect ADDRESS --licensed diagnostics --queries segments -o {tables}");
    let statements = asked(&server, &[(&command, &["and o.con_dbid = t.con_dbid"])]);
    oracle_grammar::hold(&statements, Some("12.1"));
    // Before 11.2.0.2 snapshots have no zone; and names may be kept from the user.
    let old = with_snapshots(&[("snap_timezone", 904), ("dba_hist_database_instance", 942)], &[]);
    let statements = asked(&old, &[("show awr:ADDRESS", &["select t.dbid"])]);
    let (refused, others): (Vec<String>, Vec<String>) = statements.into_iter().partition(|sql| {
        sql.contains("snap_timezone") || sql.contains("dba_hist_database_instance")
    });
    assert!(!refused.is_empty(), "what is newer is tried first");
    oracle_grammar::hold(&others, Some("10.2"));
}

#[test]
fn a_view_in_microseconds_is_asked_for_in_oracles_sql() {
    let server = with_snapshots(&[], &["DBA_HIST_EVENT_HISTOGRAM_MICRO"]);
    let room = Room::new();
    let tables = room.name("tables");
    let collect = format!(
        "awr collect ADDRESS --licensed diagnostics --queries event-histograms -o {tables}"
    );
    let of_polls = ["join dba_hist_event_histogram_micro h", "'||us|' || h.wait_time_micro"];
    let of_series =
        ["join dba_hist_event_histogram_micro e", "b.wait_time_micro = e.wait_time_micro"];
    let commands: [(&str, &[&str]); 2] = [("show awr:ADDRESS", &of_polls), (&collect, &of_series)];
    let statements = asked(&server, &commands);
    let is_probed = |sql: &String| sql.contains("fetch first 1 rows only");
    assert!(statements.iter().any(is_probed), "{statements:?}");
    assert!(!statements.iter().any(|sql| sql.contains("wait_time_milli")), "{statements:?}");
    oracle_grammar::hold(&statements, Some("12.2"));
}

/// The queries among the commands of a script for SQL*Plus.
fn queries(script: &str) -> Vec<String> {
    let begin = ["\nSELECT line FROM (", "\nwith snap as (", "\nselect ' and o.con_dbid"];
    let query = |part: &str| {
        let at = begin.iter().filter_map(|begin| part.find(begin)).min()?;
        // A variable of SQL*Plus, which the query before it sets.
        Some(part[at..].trim().replace("&same_container", " and o.con_dbid = t.con_dbid"))
    };
    script.split(";\n").filter_map(query).collect()
}

#[test]
fn scripts_for_sqlplus_hold_oracles_sql() {
    for (options, mention, release) in [
        (vec!["--count", "1"], "v$event_histogram_micro h", "12.1.0.2"),
        (vec!["--count", "1", "--ms", "--event", "db file*"], "v$event_histogram h", "10.1"),
        (vec!["--count", "1", "--rac", "--per-pdb"], "gv$con_system_event h", "12.2"),
        (vec!["--awr", "--since", "3d", "--until", "1d"], "sys_extract_utc", "11.2.0.2"),
        (vec!["--awr", "--event", "log file sync"], "LOWER(h.event_name)", "11.2.0.2"),
        (vec!["--awr", "--queries", "segments"], "and o.con_dbid = t.con_dbid", "12.1"),
        (vec!["--awr", "--queries", "segments"], "from all_tab_columns", "12.1"),
    ] {
        let found = queries(&succeed(&[vec!["sqlplus-script"], options].concat()));
        assert!(found.iter().any(|sql| sql.contains(mention)), "{mention}: {found:?}");
        oracle_grammar::hold(&found, Some(release));
    }
}

#[test]
fn a_release_without_lists_is_asked_for_rows() {
    let script = Script::default()
        .on("listagg", Answer::Error(904, "\"LISTAGG\": invalid identifier".to_owned()))
        .on("histogram_micro", Answer::no_such_view())
        .on("where 1 = 0", Answer::lines([""; 0]))
        .on("select line from", Answer::lines(["I|1|2026-03-01T08:00:00|11.1.0.7.0|old", "."]))
        .on("'i|'", Answer::lines(["I|1||11.1.0.7.0|NO"]));
    let server = FakeOracle::start(script).unwrap();
    let rows = ["'|ms|'||bound||':'||waits||'|'"];
    let statements = asked(&server, &[("live ADDRESS --table", &rows)]);
    let (refused, others): (Vec<String>, Vec<String>) = statements
        .into_iter()
        .partition(|sql| sql.contains("LISTAGG") || sql.contains("histogram_micro"));
    assert!(!refused.is_empty(), "what is newer is tried first");
    oracle_grammar::hold(&others, Some("11.1"));
}
