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
            ("live ADDRESS --table", &["v$event_histogram_micro h", "v$system_event h"]),
            ("live ADDRESS?event=db~file*&event=log~file~sync --table", &["LIKE 'db file%'"]),
            (
                "live ADDRESS?per_pdb=1 --table",
                &["v$con_event_histogram_micro h", "v$con_system_event h"],
            ),
            ("live ADDRESS?sample=session", &["FROM v$session\n", "FROM v$session_wait_history"]),
            ("live ADDRESS?sample=session&module=shop*", &["LOWER(module) LIKE 'shop%'"]),
            ("live ADDRESS?sample=session&xkslwh=1", &["FROM x$kslwh"]),
            ("top ADDRESS --once --io --for 1s", &["FROM gv$iostat_file d"]),
            ("cache show ADDRESS", &["FROM v$bh"]),
            ("cache show ADDRESS --touches", &["FROM x$bh"]),
        ],
    );
    oracle_grammar::hold(&statements, Some("12.2"));
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
