//! Formats that are data: those that are built in, as the guides use them, and those of a user.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use testing::bounded;

use super::{Room, run, schemas, succeed};

/// Latencies in milliseconds that repeat: their sum is known.
const LATENCIES: [u64; 5] = [7, 9, 14, 9, 21];

/// Results of `JMeter`: a request each tenth of a second, each so many times slower.
pub fn jmeter(requests: u64, factor: u64) -> String {
    let mut text = "timeStamp,elapsed,label,responseCode,success\n".to_owned();
    for (at, latency) in (0..requests).zip(LATENCIES.iter().cycle()) {
        let (label, is_good) = (["Login", "Home"][at as usize % 2], at % 10 != 3);
        let status = if is_good { 200 } else { 503 };
        let start = 1_795_253_272_000 + at * 100;
        writeln!(text, "{start},{},{label},{status},{is_good}", latency * factor).unwrap();
    }
    text
}

/// Results of k6, with a trend that is not counted beside each request.
pub fn k6(requests: u64) -> String {
    let mut text = "metric_name,timestamp,metric_value,method,status\n".to_owned();
    for (at, latency) in (0..requests).zip(LATENCIES.iter().cycle()) {
        let second = 1_795_253_272 + at / 10;
        writeln!(text, "http_req_duration,{second},{latency}.250000,GET,200").unwrap();
        writeln!(text, "http_req_waiting,{second},{latency}.000000,GET,200").unwrap();
    }
    text
}

/// Runs the commands of the `sh` blocks of a page.
fn run_commands_of(page: &str, room: &Room) {
    let binary = Path::new(env!("CARGO_BIN_EXE_isotherm"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<&str> = blocks.flat_map(str::lines).filter(|line| !line.is_empty()).collect();
    assert!(lines.len() >= 3, "{lines:?}");
    for line in lines {
        let output = bounded::output(
            Command::new("bash")
                .args(["-c", line])
                .env("PATH", &path)
                .current_dir(room.dir())
                .stdin(Stdio::null()),
        );
        // A condition that holds: the second run of the guide is slower.
        let expected = if line.contains("--fail-if") { 99 } else { 0 };
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "`{line}`: {error}");
    }
}

#[test]
fn every_command_of_the_guide_to_load_tests_does_what_it_says() {
    let room = Room::new();
    room.file("before.jtl", jmeter(600, 1));
    room.file("after.jtl", jmeter(600, 2));
    room.file("k6.csv", k6(300));
    run_commands_of(include_str!("../../../../docs/guide/load-tests.md"), &room);
    assert!(room.path("k6.html").is_file());
    let stats = succeed(&["stats", &room.name("before.jtl"), "--format", "json"]);
    let stats: Value = serde_json::from_str(&stats).unwrap();
    let events: u64 =
        stats["series"].as_array().unwrap().iter().map(|of| of["events"].as_u64().unwrap()).sum();
    assert_eq!(events, 600);
    let text = succeed(&["stats", &room.name("before.jtl")]);
    // 600 requests of 12 ms on average.
    assert!(text.contains("7.20 s") && text.contains("failed"), "{text}");
}

/// Of 600 requests every fifth fails at once, in 2 ms, where every 50th did before: the mean falls.
#[test]
fn a_release_that_fails_fast_is_not_faster() {
    let room = Room::new();
    let requests = |failing: u64| {
        let row = |at: u64| {
            let failed = at.is_multiple_of(failing);
            let (elapsed, code) = if failed { (2, 503) } else { (20 + at % 5, 200) };
            let start = 1_795_253_272_000 + at * 50;
            format!("{start},{elapsed},Home,{code},t-1,{}\n", !failed)
        };
        let head = "timeStamp,elapsed,label,responseCode,threadName,success\n".to_owned();
        head + &(1..=600).map(row).collect::<Vec<String>>().concat()
    };
    let before = room.file("before.jtl", requests(50));
    let after = room.file("after.jtl", requests(5));
    let said = succeed(&["compare", &before, &after, "--describe"]);
    let first = "More events failed in B: 20 % of them instead of 2 %";
    assert!(said.contains(first), "{said}");
    let found =
        schemas::parsed("compare", &succeed(&["compare", &before, &after, "--format", "json"]));
    let failures = serde_json::json!({
        "a": {"failed": 12, "operations": 600}, "b": {"failed": 120, "operations": 600}, "differs": true
    });
    assert_eq!(found["failures"], failures);
    assert!(found["sentences"][0].as_str().unwrap().starts_with(first), "{found}");
    let gate = |args: &[&str]| {
        let all = [&["compare", &before, &after, "--fail-if", "mean>1.05x"][..], args].concat();
        let output = run(&all);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = gate(&[]);
    assert!(
        code == Some(99)
            && said.contains("UNSURE failed: 20 % of the events failed in B, 2 % in A"),
        "{said}"
    );
    assert_eq!(gate(&["--pass-when-unsure"]).0, Some(0));
    // The other way round there is nothing to hold up.
    let better = run(&["compare", &after, &before, "--fail-if", "mean>2x"]);
    assert_eq!(better.status.code(), Some(0), "{better:?}");
}

/// The definition that the guide shows.
fn definition_of_guide() -> &'static str {
    let page = include_str!("../../../../docs/guide/formats.md");
    page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap()
}

#[test]
fn a_format_of_the_user_is_read_from_a_file_and_from_the_folder() {
    let room = Room::new();
    let input = room.file(
        "gateway.csv",
        "at,took_us,url,code\n2026-11-21T09:27:52.365Z,42118,/shop/17,200\n\
         2026-11-21T09:27:53.365Z,900000,/shop/18,503\nnonsense\n",
    );
    assert!(!run(&["stats", &input, "--by", "route"]).status.success(), "nobody knows it");
    let format = room.file("ours.toml", definition_of_guide());
    let check = succeed(&["sources", "--check", &format, &input]);
    assert!(check.contains("recognised as ours"), "{check}");
    assert!(check.contains("42.1ms  request{outcome=ok,route=/shop/*}"), "{check}");
    assert!(check.contains("4  rejected: 1 column(s)") && check.contains("2 events"), "{check}");
    let stats = |output: &std::process::Output| {
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let named = stats(&run(&["stats", &input, "--format-file", &format]));
    assert!(named.contains("942 ms") && named.contains("failed"), "{named}");
    std::fs::create_dir_all(room.path("isotherm/formats")).unwrap();
    std::fs::copy(&format, room.path("isotherm/formats/ours.toml")).unwrap();
    let with_home = |args: &[&str]| {
        let mut command = super::isotherm(args);
        bounded::output(command.env("XDG_CONFIG_HOME", room.dir()).env_remove("ISOTHERM_CONFIG"))
    };
    assert_eq!(stats(&with_home(&["stats", &input])), named);
    assert!(stats(&with_home(&["sources"])).contains("the log of our gateway"));
    assert_eq!(stats(&with_home(&["sources", "ours"])), definition_of_guide());
    // What is wrong with one is said, with its place.
    let bad =
        room.file("bad.toml", definition_of_guide().replace("by = [\"route\"]", "by = [\"way\"]"));
    let output = run(&["stats", &input, "--format-file", &bad]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("bad.toml: by: there is no attribute 'way'"), "{error}");
}

#[test]
fn one_of_several_durations_is_chosen_by_its_name_and_a_format_by_that_of_its_program() {
    let room = Room::new();
    let input = room.file("k6.csv", k6(300));
    let stats = |args: &[&str]| -> Value {
        serde_json::from_str(&succeed(&[&["stats", &input, "--format", "json"], args].concat()))
            .unwrap()
    };
    let of = |stats: &Value| {
        let series = stats["series"].as_array().unwrap();
        assert_eq!(series.len(), 1, "{series:?}");
        let mean = series[0]["mean_ns"].as_f64().unwrap() / 1e6;
        (series[0]["events"].as_u64().unwrap(), (mean * 1e3).round() / 1e3)
    };
    // 12 ms on average; the duration of the whole request takes a quarter of one more.
    assert_eq!(of(&stats(&[])), (300, 12.25));
    assert_eq!(of(&stats(&["--series", "http_req_waiting"])), (300, 12.0));
    assert_eq!(of(&stats(&["--as", "k6"])), (300, 12.25));
    let output = run(&["stats", &input, "--as", "k7"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        error.contains("there is no such source") && error.contains("isotherm sources lists"),
        "{error}"
    );
}

#[test]
fn lost_packets_are_said_once() {
    let room = Room::new();
    let line = |n: u32| match n % 4 {
        0 => "Request timed out.\n".to_owned(),
        _ => format!("Reply from 192.0.2.8: bytes=32 time={n}ms TTL=57\n"),
    };
    let said = |lines: u32| {
        let text: Vec<String> = (1..=lines).map(line).collect();
        let output = run(&["stats", &room.file("ping.txt", text.concat())]);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let (many, one) = (said(40), said(5));
    assert_eq!(many.matches("lost").count(), 1, "{many}");
    assert!(many.contains("the source lost 10 events"), "{many}");
    assert!(one.contains("the source lost 1 event\n"), "{one}");
}

#[test]
fn the_unit_of_a_log_of_apache_is_asked_for_and_kept_in_a_format_of_the_user() {
    let room = Room::new();
    let line = |second: u32| {
        format!(
            "10.0.0.9 - - [21/Nov/2026:09:27:{second:02} +0000] \"GET /shop/{second} HTTP/1.1\" 200 612 \
             \"-\" \"curl/8.5\" {second}250\n"
        )
    };
    let lines: Vec<String> = (10..20).map(line).collect();
    let input = room.file("access.log", lines.concat());
    let output = run(&["stats", &input]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && error.contains("%D (say --unit us), %T (--unit s)"),
        "{error}"
    );
    // 10.25 ms to 19.25 ms.
    let named = succeed(&["stats", &input, "--unit", "us"]);
    assert!(named.contains("148 ms"), "{named}");
    let definition = succeed(&["sources", "apache"]);
    let (before, rest) = definition.split_once("ask = \"").unwrap();
    let after = rest.split_once('"').unwrap().1;
    let own = room.file("apache.toml", format!("{before}unit = \"us\"{after}"));
    // It is said once which unit was asked for.
    let asked = "note  all of its latencies are in us, as --unit says\n";
    assert_eq!(named.matches(asked).count(), 1, "{named}");
    assert_eq!(succeed(&["stats", &input, "--format-file", &own]), named.replace(asked, ""));
}

#[test]
fn a_broken_format_of_the_folder_is_left_out_with_a_warning_unless_it_is_asked_for() {
    let room = Room::new();
    let input = room.file("run.csv", "response-time,status-code,offset\n0.0421,200,0.5\n");
    std::fs::create_dir_all(room.path("isotherm/formats")).unwrap();
    let broken = definition_of_guide().replace("by = [\"route\"]", "by = [\"way\"]");
    std::fs::write(room.path("isotherm/formats/gate.toml"), broken).unwrap();
    let with_home = |args: &[&str]| {
        let mut command = super::isotherm(args);
        let output = bounded::output(
            command.env("XDG_CONFIG_HOME", room.dir()).env_remove("ISOTHERM_CONFIG"),
        );
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), error)
    };
    let wrong = "gate.toml: by: there is no attribute 'way'";
    let (code, error) = with_home(&["stats", &input]);
    assert_eq!(code, Some(0), "{error}");
    assert!(error.contains("this format is left out") && error.contains(wrong), "{error}");
    for asked in [
        &["stats", &input, "--as", "ours"][..],
        &["sources", "ours"],
        &["sources", "--check", "ours", &input],
    ] {
        let (code, error) = with_home(asked);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.lines().last().is_some_and(|last| last.contains(wrong)), "{error}");
    }
    assert_eq!(with_home(&["stats", &input, "--as", "hey"]).0, Some(0));
}

#[test]
fn a_check_of_a_file_that_is_not_recognised_says_how_to_read_it_all_the_same() {
    let room = Room::new();
    let router = "REQUEST\t\tHome\t1795253272365\t1795253272407\tOK\t \n";
    let input = room.file("part.log", format!("cut out of a log\n{router}"));
    let said = succeed(&["sources", "--check", "gatling", &input]);
    let first = said.lines().next().unwrap();
    assert_eq!(
        first,
        "The file is not recognised as gatling. To read it like this, say --as gatling."
    );
    assert!(succeed(&["stats", &input, "--as", "gatling"]).contains("42.0 ms"));
    let error = run(&["stats", &input]);
    let error = String::from_utf8_lossy(&error.stderr).into_owned();
    assert!(error.contains("a simulation log of Gatling: --as gatling reads them"), "{error}");
    let own = succeed(&["sources", "gatling"]).replace("\"gatling\"", "\"ours\"");
    let own = room.file("ours.toml", own);
    let said = succeed(&["sources", "--check", &own, &input]);
    assert!(said.contains(&format!("say --format-file {own} --as ours.")), "{said}");
    // A unit that a format asks for can be given here, too.
    let apache = "10.0.0.9 - - [21/Nov/2026:09:27:52 +0000] \"GET / HTTP/1.1\" 200 612 42118\n";
    let input = room.file("access.log", apache);
    let said = succeed(&["sources", "--check", "apache", &input, "--unit", "us"]);
    assert!(said.contains("42.1ms  request{method=GET,outcome=ok,status=200}"), "{said}");
}

#[test]
fn the_list_of_sources_is_there_for_programs() {
    let list: Value = serde_json::from_str(&succeed(&["sources", "--format", "json"])).unwrap();
    let named = |list: &Value, name: &str| {
        list.as_array().unwrap().iter().find(|one| one["name"] == name).cloned().unwrap()
    };
    assert_eq!(named(&list["sources"], "formats")["time_waited"], "exact");
    assert_eq!(named(&list["formats"], "hey")["refusal"], Value::Null);
    let refusal = named(&list["formats"], "k6-summary")["refusal"].to_string();
    assert!(refusal.contains("--out csv=FILE"), "{refusal}");
    let output = run(&["sources", "hey", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
}
