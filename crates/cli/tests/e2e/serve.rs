//! `isotherm serve`: what a browser is given is what is recorded.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;
use testing::bounded;

use super::scraped::{AS_LONG_AS_A_TEST, is_installed};
use super::{Room, isotherm, run, signal, start, succeed};

const TOKEN: &str = "a-token-for-this-test";

/// A running `serve`.
struct Served {
    child: bounded::Child,
    /// Host and port.
    at: String,
    /// Everything on standard output so far: one line.
    line: String,
}

impl Served {
    fn start(args: &[&str]) -> Served {
        Served::start_with(args, &[])
    }

    /// The same with other variables of the environment.
    fn start_with(args: &[&str], environment: &[(&str, &str)]) -> Served {
        let args = [&["serve", "--listen", "127.0.0.1:0"], args].concat();
        let mut command = isotherm(&args);
        command.envs(environment.iter().copied());
        command.env("ISOTHERM_TOKEN", TOKEN).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = bounded::spawn_for(&mut command, AS_LONG_AS_A_TEST);
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let at = line.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect(&line);
        Served { at: at.0.to_owned(), child, line }
    }

    /// Asks for something with the token; gives the status and the body.
    fn ask(&self, request: &str, body: &str) -> (u16, Vec<u8>) {
        let mut stream = bounded::connect(&self.at).unwrap();
        let (host, length) = (&self.at, body.len());
        write!(
            stream,
            "{request} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), bytes[end + 4..].to_vec())
    }

    /// The head of the document.
    fn document(&self) -> Value {
        let (status, body) = self.ask("GET /api/v1/document", "");
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        let length = u32::from_le_bytes(body[..4].try_into().unwrap()) as usize;
        serde_json::from_slice(&body[4..4 + length]).unwrap()
    }

    /// Ends it as Ctrl-C does; gives what it said on standard output and standard error.
    fn end(mut self) -> (String, String) {
        signal(&self.child, Signal::INT);
        let mut rest = String::new();
        let mut said = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0), "{said}");
        (self.line + &rest, said)
    }
}

/// Events by series, of a document.
fn events(document: &Value) -> Vec<(String, u64)> {
    let series = document["entries"].as_array().unwrap().iter();
    let series = series.filter(|entry| entry["kind"] == "series");
    let one = |entry: &Value| (entry["attributes"].to_string(), entry["events"].as_u64().unwrap());
    let mut all: Vec<_> = series.map(one).collect();
    all.sort();
    all
}

/// The same of `stats --format json`.
fn counted(recording: &str) -> Vec<(String, u64)> {
    let stats: Value =
        serde_json::from_str(&succeed(&["stats", recording, "--format", "json"])).unwrap();
    let one =
        |series: &Value| (series["attributes"].to_string(), series["events"].as_u64().unwrap());
    let mut all: Vec<_> = stats["series"].as_array().unwrap().iter().map(one).collect();
    all.sort();
    all
}

#[test]
fn the_document_of_a_recording_counts_what_stats_counts() {
    let room = Room::new();
    let recording = room.name("demo.heat");
    succeed(&["demo", "-o", &recording]);
    let served = Served::start(&[&recording]);
    let whole = |document: Value| (document["live"]["over"] == true).then_some(document);
    let document = bounded::until("all of the recording", || whole(served.document()));
    assert_eq!(events(&document), counted(&recording));
    assert_eq!(document["live"]["sources"][0]["recorded_in"], "demo.heat");
    // The path of the file is nobody's business.
    assert!(!document.to_string().contains(room.dir().to_str().unwrap()), "{document}");
    let (out, said) = served.end();
    assert_eq!(out.lines().count(), 1, "{out}");
    assert!(out.trim_end().ends_with(&format!("/#token={TOKEN}")), "{out}");
    let view = said.lines().find(|line| line.contains("#token=")).unwrap();
    assert!(view.starts_with("isotherm: to look without setting marks: http://127.0.0.1:"));
    assert!(!view.contains(TOKEN) && !view.contains("***"), "{view}");
}

#[test]
fn a_recording_is_served_while_it_is_written() {
    let room = Room::new();
    let recording = room.name("x.heat");
    let probed = format!("probe:{}", room.dir().display());
    let writer = start(&["record", &probed, "-o", &recording, "-i", "200ms"]);
    bounded::until("a recording", || room.path("x.heat").exists().then_some(()));
    let served = Served::start(&[&recording]);
    bounded::until("two ticks", || {
        let document = served.document();
        let columns = document["entries"].as_array()?.first()?["columns"].as_u64()?;
        (columns >= 2 && document["live"]["over"] == false).then_some(())
    });
    signal(&writer, Signal::INT);
    assert!(writer.wait_with_output().unwrap().status.success());
    let document = bounded::until("the end of the recording", || {
        let document = served.document();
        (document["live"]["over"] == true).then_some(document)
    });
    assert_eq!(events(&document), counted(&recording));
    served.end();
}

#[test]
fn what_is_served_live_is_recorded_with_the_marks_of_the_page() {
    let room = Room::new();
    let recording = room.name("x.heat");
    let probed = format!("probe:{}", room.dir().display());
    let served = Served::start(&[&probed, "--record", &recording, "-i", "200ms"]);
    let is_counted = |(_, events): &(String, u64)| *events > 0;
    bounded::until("events", || events(&served.document()).iter().any(is_counted).then_some(()));
    let (status, _) = served.ask("POST /api/v1/marks", "{\"text\": \"deploy\"}");
    assert_eq!(status, 201);
    let document = bounded::until("the mark", || {
        let document = served.document();
        let marked = document["recordings"][0]["marks"][0]["text"] == "deploy";
        marked.then_some(document)
    });
    assert_eq!(document["live"]["sources"][0]["recorded_in"], "x.heat");
    let (_, said) = served.end();
    assert!(said.contains("stopped; "), "{said}");
    let marks = succeed(&["export", &recording, "--format", "jsonl"]);
    assert!(marks.contains("deploy"), "{marks}");
    let counted: u64 = counted(&recording).iter().map(|(_, events)| events).sum();
    let seen: u64 = events(&document).iter().map(|(_, events)| events).sum();
    assert!(counted >= seen && seen > 0, "{counted} {seen}");
    let left = std::fs::read_dir(room.dir()).unwrap().count();
    assert_eq!(left, 1, "one file is left of the recording");
}

#[test]
fn what_cannot_be_served_says_why_and_what_next() {
    let room = Room::new();
    let recording = room.name("demo.heat");
    succeed(&["demo", "-o", &recording]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = taken.local_addr().unwrap().to_string();
    for (args, code, part) in [
        (vec!["no-such-file"], 1, "no-such-file"),
        (vec![recording.as_str(), "--listen", &at], 1, "--listen 127.0.0.1:0 takes any free port"),
        (vec![recording.as_str(), "--listen", "7414"], 2, "ADDRESS:PORT"),
        (vec![recording.as_str(), "--name", "a b"], 2, "no host name with a port"),
        (vec![recording.as_str(), "--record", "y.heat"], 2, "is a recording already"),
        (vec!["probe:.", "probe:/", "--record", "y.heat"], 2, "--record takes one source"),
        (vec!["probe:.", "--keep", "0s"], 2, "--keep 0s"),
        (
            vec!["probe:.", "--metrics", "--metrics-without-token", "--name", "db1.example.org"],
            2,
            "other machines can ask for the metrics",
        ),
    ] {
        // Another test may hold the usual port.
        let any = if args.contains(&"--listen") { vec![] } else { vec!["--listen", "127.0.0.1:0"] };
        let output = run(&[&["serve"], args.as_slice(), &any].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            (output.status.code(), said.contains(part)),
            (Some(code), true),
            "{args:?}: {said}"
        );
    }
    let output = bounded::output(isotherm(&["serve", &recording]).env("ISOTHERM_TOKEN", "short"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("ISOTHERM_TOKEN: a token must have 16 to 200 characters"), "{said}");
    assert!(!said.contains("short"), "{said}");
}

#[test]
fn totals_are_scraped_by_those_with_the_token_and_are_those_of_the_file() {
    let room = Room::new();
    // 100 events of 1 ms and 20 of 50 ms: 1.1 s in all.
    let lines: Vec<String> = (0..120)
        .map(|at| {
            format!("{} {}", 1_763_735_400 + at / 20, if at % 6 == 0 { 50_000 } else { 1_000 })
        })
        .collect();
    let file = room.file("events.txt", &(lines.join("\n") + "\n"));
    let read = ["--follow", "--columns", "time,latency", "--unit", "us", "-i", "1s"];
    let served = Served::start(&[&[file.as_str()], &read[..], &["--metrics", "--waited"]].concat());
    let scraped = || {
        let (status, body) = served.ask("GET /metrics", "");
        assert_eq!(status, 200);
        String::from_utf8(body).unwrap()
    };
    bounded::until("all events", || {
        scraped().lines().any(|line| line.ends_with("le=\"+Inf\"} 120")).then_some(())
    });
    let text = scraped();
    let number = |name: &str, of: &str| -> f64 {
        let line = text.lines().find(|line| line.starts_with(name) && line.contains(of));
        line.and_then(|line| line.rsplit(' ').next()).unwrap().parse().unwrap()
    };
    let latency = "isotherm_latency_seconds_bucket";
    for (bound, events) in [("0.000524288", 0.0), ("0.001048576", 100.0), ("0.067108864", 120.0)] {
        let found = number(latency, &format!("le=\"{bound}\""));
        assert!((found - events).abs() < 0.5, "{bound}: {found}");
    }
    assert!((number("isotherm_latency_seconds_sum", "") - 1.1).abs() < 1e-9, "{text}");
    assert!((number("isotherm_waited_microseconds_count", "") - 1_100_000.0).abs() < 1.0, "{text}");
    let (status, _) = served.ask("GET /metrics HTTP/1.1\r\nAuthorization: Bearer no", "");
    assert_eq!(status, 400, "two tokens are a malformed request");
    let mut stream = bounded::connect(&served.at).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: {}\r\n\r\n", served.at).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    // The judge of the format, where it is installed.
    if is_installed("promtool") {
        let mut promtool = Command::new("promtool");
        promtool.args(["check", "metrics"]).stdin(Stdio::piped());
        let mut judge = bounded::spawn(promtool.stdout(Stdio::piped()).stderr(Stdio::piped()));
        judge.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let said = judge.wait_with_output().unwrap();
        let words = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(!words.contains("error"), "{words}");
    }
    served.end();
}

#[test]
fn totals_of_a_source_that_has_ended_are_not_scraped() {
    let room = Room::new();
    let file = room.file("events.txt", "1763735400 1000\n1763735401 1000\n");
    let read = [&file, "--columns", "time,latency", "--unit", "us", "-i", "1s", "--metrics"];
    let served = Served::start(&read);
    let text = bounded::until("the end of the source", || {
        let (status, body) = served.ask("GET /metrics", "");
        assert_eq!(status, 200);
        let text = String::from_utf8(body).unwrap();
        text.contains(&format!("isotherm_source_up{{source=\"{file}\"}} 0\n")).then_some(text)
    });
    assert!(!text.contains("isotherm_latency_seconds"), "{text}");
    // The page still shows it.
    assert_eq!(events(&served.document()).iter().map(|(_, events)| events).sum::<u64>(), 2);
    served.end();
}

#[test]
fn a_browser_that_cannot_be_opened_ends_nothing() {
    let room = Room::new();
    let recording = room.name("demo.heat");
    succeed(&["demo", "-o", &recording]);
    let nowhere = room.name("no-such-directory");
    let environment = [("XDG_RUNTIME_DIR", nowhere.as_str()), ("TMPDIR", nowhere.as_str())];
    let served = Served::start_with(&[&recording, "--open"], &environment);
    bounded::until("an entry", || served.document()["entries"].as_array()?.first().map(drop));
    let (_, said) = served.end();
    assert!(said.contains("--open: ") && said.contains("open the address above"), "{said}");
    assert!(!said.contains(TOKEN), "{said}");
}

#[test]
fn the_dashboard_and_the_rules_are_accepted() {
    let dashboard: Value = serde_json::from_str(&succeed(&["serve", "--dashboard"])).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let maps = panels.iter().filter(|panel| panel["type"] == "heatmap").count();
    assert_eq!((panels.len(), maps), (6, 2));
    assert_eq!(dashboard["links"][0]["url"], "http://127.0.0.1:7414/#t=${__from}-${__to}");
    let named = succeed(&["serve", "--dashboard", "--name", "db1.example.org"]);
    assert!(named.contains("\"https://db1.example.org/#t="), "{named}");
    let room = Room::new();
    let rules = room.file("rules.yml", succeed(&["serve", "--rules"]));
    let mut text = String::from("groups:\n- name: panels\n  rules:\n");
    for (number, panel) in panels.iter().enumerate() {
        for target in panel["targets"].as_array().unwrap() {
            let query = target["expr"].as_str().unwrap().replace("$__rate_interval", "1m");
            let name = target["refId"].as_str().unwrap();
            text += "  - record: p";
            text += &[&number.to_string(), name, "\n    expr: '", &query, "'\n"].concat();
        }
    }
    let queries = room.file("panels.yml", text);
    // The judge of the language, where it is installed.
    let mut judge = Command::new("promtool");
    if let Ok(said) = bounded::try_output(judge.args(["check", "rules", &rules, &queries])) {
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
}
