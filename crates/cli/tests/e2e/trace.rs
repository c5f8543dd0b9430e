//! Profiles of SQL traces.

use std::io::Write as _;
use std::process::{Command, Stdio};

use testing::bounded;

use super::{Room, isotherm, run, succeed};

/// Two round trips of one query: 3 ms of response time, 2 ms of it one read.
const TRACE: &str = "\
Trace file /u01/orcl_ora_815.trc
Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production
Version 19.12.0.0.0
Instance name: orcl
Unix process pid: 815, image: oracle@db1

*** 2026-11-21T09:08:07.123456+01:00
*** SESSION ID:(148.2391) 2026-11-21T09:08:07.123456+01:00
=====================
PARSING IN CURSOR #140 len=22 dep=0 uid=61 oct=3 lid=61 tim=7000000 hv=77 ad='8f' sqlid='q7r2m9bw4cz0x'
select town from parcels
END OF STMT
EXEC #140:c=200,e=500,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=9,tim=7000600
WAIT #140: nam='SQL*Net message from client' ela= 90000 driver id=1 #bytes=1 p3=0 obj#=-1 tim=7090700
WAIT #140: nam='db file sequential read' ela= 2000 file#=7 block#=131 blocks=1 obj#=8042 tim=7093000
FETCH #140:c=300,e=2500,p=1,cr=3,cu=0,mis=0,r=5,dep=0,og=1,plh=9,tim=7093300
WAIT #140: nam='SQL*Net message from client' ela= 10000 driver id=1 #bytes=1 p3=0 obj#=-1 tim=7103400
";

fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_str(&succeed(args)).unwrap()
}

#[test]
fn the_answer_comes_first() {
    let room = Room::new();
    let file = room.file("orcl_ora_815.trc", TRACE);
    let text = succeed(&["trace", &file]);
    // 90 + 10 ms of 7,000,100 to 7,103,400 us, and 500 + 2,500 us of calls.
    let answer = "97 % of 103ms was between calls: 2 waits for the client, mean 50ms, 90 % of that after \
                  exec of q7r2m9bw4cz0x. Too few waits to tell round trips from think time. 3ms of \
                  response time: 67 % db file sequential read (1 wait, mean 2ms), 17 % CPU, 17 % not \
                  accounted for.";
    let begin: Vec<&str> = text.lines().map(str::trim).collect();
    assert!(begin.join(" ").starts_with(answer), "{text}");
    assert!(text.contains("select town from parcels"), "{text}");
    assert!(text.contains("Oracle 19.12.0.0.0"), "{text}");
}

#[test]
fn files_directories_and_compressed_ones_make_one_profile() {
    let room = Room::new();
    let traces = room.path("traces");
    std::fs::create_dir(&traces).unwrap();
    std::fs::write(traces.join("one.trc"), TRACE).unwrap();
    std::fs::write(traces.join("one.trm"), "a map of the trace\n").unwrap();
    let mut gzip = Command::new("gzip");
    let gzip = bounded::try_output(gzip.arg("-c").arg(traces.join("one.trc")));
    let packed = gzip.map(|output| output.stdout).unwrap_or_default();
    let second = if packed.is_empty() { TRACE.as_bytes().to_vec() } else { packed };
    std::fs::write(traces.join("two.trc.gz"), second).unwrap();
    let loose = room.file("three.txt", TRACE);
    let object = json(&["trace", traces.to_str().unwrap(), &loose, "--format", "json"]);
    assert_eq!(object["input"]["files"], 3);
    assert_eq!(object["response_time"]["response_s"], 9e-3);
    assert_eq!(object["events"][0]["count"], 3);
    assert_eq!(object["statements"].as_array().unwrap().len(), 1);
    assert_eq!(object["calls"]["round_trips"], 6);
    assert_eq!(object["findings"].as_array().unwrap().len(), 0);
}

#[test]
fn standard_input_is_read_once() {
    let mut command = isotherm(&["trace", "-", "--format", "json", "--block-size", "16k"]);
    let mut child = bounded::spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()));
    child.stdin.take().unwrap().write_all(TRACE.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["input"]["first_file"], "standard input");
    assert_eq!(object["reads"]["block_bytes"], 16_384);
}

#[test]
fn what_is_no_trace_is_an_error_that_says_what_is_expected() {
    let room = Room::new();
    let file = room.file("notes.txt", "WAITing for a train\n");
    let output = run(&["trace", &file]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("no record of a SQL trace") && message.contains("10046"), "{message}");
    assert_eq!(run(&["trace", &room.name("missing.trc")]).status.code(), Some(1));
    assert_eq!(run(&["trace", &file, "--block-size", "7"]).status.code(), Some(2));
    // One that is beside a trace is left out, and said to be.
    let trace = room.file("a.trc", TRACE);
    let output = run(&["trace", &trace, &file]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("left out"));
}

#[test]
fn damage_is_shown_and_fatal_if_asked() {
    let room = Room::new();
    let cut = TRACE.replace("ela= 90000 driver", "ela= x driver");
    let file = room.file("cut.trc", &cut);
    let text = succeed(&["trace", &file]);
    assert!(text.contains("1 record is damaged") && text.contains("line 14 "), "{text}");
    assert_eq!(run(&["trace", &file, "--strict"]).status.code(), Some(4));
}

#[test]
fn the_waits_become_a_recording() {
    let room = Room::new();
    let file = room.file("orcl_ora_815.trc", TRACE);
    let recording = room.name("waits.heat");
    succeed(&["trace", &file, "--record", &recording]);
    // Everything is recorded; idle waits take part when they are asked for.
    let stats = json(&["stats", &recording, "--format", "json"]);
    assert_eq!(stats["input"]["events"], 1);
    assert_eq!(stats["input"]["idle_left_out"][0]["waits"], 2);
    let stats = json(&["stats", &recording, "--idle", "--format", "json"]);
    assert_eq!(stats["input"]["events"], 3);
    let series = stats["series"].as_array().unwrap();
    let read = series.iter().find(|one| one.to_string().contains("sequential read")).unwrap();
    assert_eq!((&read["events"], &read["time_waited_s"]), (&1.into(), &2e-3.into()));
    assert_eq!(run(&["trace", "-", "--record", &recording]).status.code(), Some(2));
}

#[test]
fn every_command_refuses_a_trace_file_without_sql_trace_in_it() {
    let room = Room::new();
    let header = &TRACE[..TRACE.find("=====").unwrap()];
    let file =
        room.file("orcl_lgwr_7.trc", format!("{header}Warning: log write elapsed time 812ms\n"));
    let report = room.name("x.html");
    for args in [
        &["trace", &file][..],
        &["stats", &file],
        &["show", &file],
        &["report", &file, "-o", &report],
        &["compare", &file, &file],
        &["import", &file, "-o", &room.name("x.heat")],
    ] {
        let output = run(args);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {message}");
        assert!(
            message.contains("orcl_lgwr_7.trc: no record of a SQL trace"),
            "{args:?}: {message}"
        );
    }
    // Beside a trace it is left out, and said to be.
    let trace = room.file("a.trc", TRACE);
    let output = run(&["stats", &trace, &file]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && message.contains("1 of 2 files skipped"), "{message}");
}

#[test]
fn an_attribute_that_no_wait_has_is_a_mistake_of_the_user() {
    let room = Room::new();
    let file = room.file("a.trc", TRACE);
    for args in [["stats", &file, "--by", "flavour"], ["stats", &file, "--where", "flavour=x"]] {
        let output = run(&args);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(
            message.contains("no wait has the attribute 'flavour'; there are event, sql"),
            "{message}"
        );
        assert!(message.contains("file#"), "the parameters of the waits: {message}");
    }
    let others =
        json(&["stats", &file, "--idle", "--where", "event!=SQL*Net*", "--format", "json"]);
    assert_eq!(others["input"]["events"], 1);
}

#[test]
fn traces_of_8i_without_their_header_are_read_in_hundredths_if_asked() {
    let room = Room::new();
    let waits = "WAIT #1: nam='db file sequential read' ela= 0 p1=8 p2=649 p3=1\n\
                 WAIT #1: nam='db file sequential read' ela= 2 p1=8 p2=905 p3=1\n\
                 WAIT #1: nam='db file scattered read' ela= 1 p1=8 p2=658 p3=8\n";
    let file = room.file("8i.trc", waits);
    let text = succeed(&["trace", &file]);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("1 wait is 0") && flat.contains("--unit cs"), "{text}");
    // 2 + 1 hundredths of a second.
    let profile = json(&["trace", &file, "--unit", "cs", "--format", "json"]);
    assert_eq!(profile["response_time"]["response_s"], 0.03);
    let stats = json(&["stats", &file, "--unit", "cs", "--format", "json"]);
    let read = &stats["series"][0];
    assert_eq!(
        (&read["name"], &read["time_waited_s"]),
        (&"db file sequential read".into(), &0.02.into())
    );
    let page = succeed(&["report", &file, "--unit", "cs", "--format", "md", "-o", "-"]);
    assert!(page.contains("30ms of response time"), "{page}");
    assert_eq!(run(&["trace", &file, "--unit", "ms"]).status.code(), Some(2));
    // A wait of no length is 0, and nothing is so many times as long.
    let table = succeed(&["stats", &file]);
    assert!(!table.contains("<1ns"), "{table}");
    assert!(!succeed(&["stats", &file, "--describe"]).contains("times the median"));
}

#[test]
fn idle_waits_take_no_part_and_are_reported() {
    let room = Room::new();
    let file = room.file("a.trc", TRACE);
    let output = run(&["stats", &file, "--format", "json"]);
    let message = String::from_utf8_lossy(&output.stderr);
    let expected = "left out: 2 idle waits, 100 ms: SQL*Net message from client 100 ms (--idle)";
    assert!(message.contains(expected), "{message}");
    let stats: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(stats["series"].as_array().unwrap().len(), 1);
    let idle = &stats["input"]["idle_left_out"][0];
    assert_eq!(idle["event"], "SQL*Net message from client");
    assert_eq!((&idle["waits"], &idle["time_waited_s"]), (&2.into(), &0.1.into()));
    let all = json(&["stats", &file, "--idle", "--format", "json"]);
    assert_eq!(all["series"].as_array().unwrap().len(), 2);
    assert_eq!(all["input"]["idle_left_out"].as_array().unwrap().len(), 0);
    let page = succeed(&["report", &file, "--format", "json", "-o", "-"]);
    let page: serde_json::Value = serde_json::from_str(&page).unwrap();
    assert_eq!(page["recordings"][0]["idle_left_out"][0]["waits"], 2);
}

/// The trace with what is bound to a variable.
fn with_binds() -> String {
    let binds = "BINDS #140:\n Bind#0\n  oacdty=01 mxl=32(05) mxlc=00 mal=00 scl=00 pre=00\n  \
                 kxsbbbfp=7fabc0d2e8  bln=32  avl=05  flg=05\n  value=\"Aarau\"\n";
    let stat = "STAT #140 id=1 cnt=5 pid=0 pos=1 obj=8042 op='TABLE ACCESS FULL PARCELS (cr=3 pr=1 \
                pw=0 str=1 time=2400 us)'\n";
    TRACE.replacen("EXEC #140", &format!("{binds}EXEC #140"), 1) + stat
}

#[test]
fn waits_and_calls_are_grouped_by_any_attributes() {
    let room = Room::new();
    let file = room.file("orcl_ora_815.trc", TRACE);
    let object = json(&["trace", &file, "--by", "sql,event", "--format", "json"]);
    let groups = object["groups"]["groups"].as_array().unwrap();
    // 2,000 of the read; 500 of the execution and 2,500 - 2,000 of the fetch.
    let shown: Vec<_> = groups.iter().map(|one| (&one["values"][1], &one["total_s"])).collect();
    let read = "db file sequential read".into();
    let own = "(CPU and not accounted for)".into();
    assert_eq!(shown, [(&read, &2e-3.into()), (&own, &1e-3.into())]);
    assert_eq!(groups[0]["values"][0], "q7r2m9bw4cz0x");
    assert_eq!(groups[0]["text"], "select town from parcels");
    assert_eq!(object["groups"]["longest_waits"][0]["line"], 15);
    let text = succeed(&["trace", &file, "--by", "call", "--width", "120"]);
    assert!(text.contains("By call: 2 groups") && text.contains("orcl_ora_815.trc:15"), "{text}");
    let only = json(&["trace", &file, "--where", "event=db file*", "--format", "json"]);
    assert_eq!((&only["groups"]["count"], &only["groups"]["unwanted"]), (&1.into(), &2.into()));
    // Idle waits take part when they are named, as everywhere.
    let idle = "event=SQL*Net message from client";
    let named = json(&["trace", &file, "--where", idle, "--format", "json"]);
    assert_eq!((&named["groups"]["count"], &named["groups"]["total_s"]), (&2.into(), &0.1.into()));
    let output = run(&["trace", &file, "--by", "flavour"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("the attribute 'flavour'") && message.contains("block#"), "{message}");
}

#[test]
fn a_condition_that_nothing_meets_names_what_is_near() {
    let room = Room::new();
    let file = room.file("orcl_ora_815.trc", TRACE);
    let found = json(&["trace", &file, "--where", "event=db%sequential*", "--format", "json"]);
    assert_eq!(found["groups"]["count"], 1);
    for (condition, near) in [
        ("event=db%sequntial", "no wait and no call matches. Near: db file sequential read"),
        ("module=nix", "isotherm trace --by module lists the values there are"),
    ] {
        let output = run(&["trace", &file, "--where", condition]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(near), "{message}");
    }
    let output = run(&["stats", &file, "--series", "db%sequntial"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("Near: db file sequential read"), "{message}");
}

#[test]
fn values_of_bind_variables_are_masked_unless_asked_for() {
    let room = Room::new();
    let file = room.file("orcl_ora_815.trc", with_binds());
    let report = room.name("x.html");
    succeed(&["report", &file, "-o", &report]);
    let masked = succeed(&["trace", &file]);
    assert!(masked.contains("Bind variables") && masked.contains("VARCHAR2"), "{masked}");
    let object = succeed(&["trace", &file, "--format", "json"]);
    let page = std::fs::read_to_string(&report).unwrap();
    for text in [masked, object, page] {
        assert!(!text.contains("Aarau"), "{text}");
    }
    assert!(succeed(&["trace", &file, "--binds"]).contains("Aarau (1)"));
    let shown = json(&["trace", &file, "--binds", "--format", "json"]);
    let bind = &shown["statements"][0]["binds"][0];
    assert_eq!(
        (&bind["different"], &bind["known_values"][0]["value"]),
        (&1.into(), &"Aarau".into())
    );
}

#[test]
fn pages_of_traces_have_what_their_text_has() {
    let room = Room::new();
    let file = room.file("orcl_ora_815.trc", with_binds());
    let (report, flame) = (room.name("report.html"), room.name("flame.html"));
    succeed(&["report", &file, "-o", &report]);
    let page = std::fs::read_to_string(&report).unwrap();
    for text in [
        "Where the time went",
        "select town from parcels",
        "orcl_ora_815.trc:20",
        "TABLE ACCESS FULL PARCELS",
        "values masked",
        "id=\"isotherm-flame\"",
    ] {
        assert!(page.contains(text), "{text}");
    }
    succeed(&["flame", &file, "-o", &flame]);
    let page = std::fs::read_to_string(&flame).unwrap();
    assert!(page.contains("Row sources") && page.contains("TABLE ACCESS FULL PARCELS"));
    // What is no trace has neither.
    let other = room.name("other.html");
    succeed(&["trace", &file, "--record", &room.name("w.heat")]);
    succeed(&["report", &room.name("w.heat"), "-o", &other]);
    assert!(!std::fs::read_to_string(&other).unwrap().contains("isotherm-flame"));
}

#[test]
fn a_trace_that_is_named_twice_is_read_once() {
    let room = Room::new();
    let file = room.file("a.trc", TRACE);
    let copy = room.file("b.trc", TRACE);
    let waits = |args: &[&str]| json(args)["input"]["waits"].as_u64().unwrap();
    assert_eq!(waits(&["trace", &file, &file, "--format", "json"]), 3);
    assert_eq!(waits(&["trace", &file, &file, "--again", "--format", "json"]), 6);
    let said = |args: &[&str]| String::from_utf8(run(args).stderr).unwrap();
    assert!(said(&["trace", &file, &file]).contains("is named twice and read once"));
    assert!(said(&["trace", &file, &copy]).contains("what is in them counts twice"));
    assert_eq!(said(&["trace", &file, &copy, "--again"]), "");
}
