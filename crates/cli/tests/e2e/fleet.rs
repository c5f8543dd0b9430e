//! `isotherm fleet`: planted hosts are found in a server of a thousand hosts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use testing::bounded;

use super::{Room, run, schemas, succeed};

const HOSTS: usize = 1_000;
/// Hosts of which 15 of 100 events are slow; of the others two at most.
const PLANTED: [usize; 11] = [3, 97, 191, 285, 379, 473, 567, 661, 755, 849, 943];
/// Upper bounds: powers of two of a microsecond.
const BOUNDS: u32 = 34;
const NOW: f64 = 1_795_000_000.0;

/// A sequence that looks random.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Events up to each bound and their seconds.
type Totals = (Vec<f64>, f64);

/// Those of a host in all of the time.
fn host(number: usize) -> Totals {
    let mut numbers = Numbers(number as u64 * 7_919 + 5);
    let slow = if PLANTED.contains(&number) { 0.15 } else { 0.004 + 0.016 * numbers.next() };
    let events = 40_000.0 + 40_000.0 * numbers.next();
    // Around 330 microseconds, and around 8 milliseconds.
    let shares = [(8, 0.3 * (1.0 - slow)), (9, 0.7 * (1.0 - slow)), (13, slow)];
    let mut counts = vec![0.0; BOUNDS as usize + 1];
    let mut seconds = 0.0;
    for (bucket, share) in shares {
        counts[bucket] = (events * share).round();
        seconds += counts[bucket] * 0.75 * f64::from(1_u32 << bucket) * 1e-6;
    }
    let reached = counts.iter().scan(0.0, |sum, count| {
        *sum += count;
        Some(*sum)
    });
    (reached.collect(), seconds)
}

/// A server with the query API that holds the hosts; counts what it was asked and answered.
struct Api {
    place: String,
    requests: Arc<AtomicU64>,
    bytes: Arc<AtomicU64>,
    queries: Arc<Mutex<Vec<String>>>,
}

impl Api {
    fn start() -> Api {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let api =
            Api { place, requests: Arc::default(), bytes: Arc::default(), queries: Arc::default() };
        let (requests, bytes, queries) =
            (api.requests.clone(), api.bytes.clone(), api.queries.clone());
        std::thread::spawn(move || {
            let hosts: Vec<_> = (0..HOSTS).map(host).collect();
            while let Ok(stream) = bounded::accept(&listener) {
                let mut reader = BufReader::new(stream);
                while let Some(asked) = question(&mut reader) {
                    let body = answer(&asked, &hosts);
                    requests.fetch_add(1, Ordering::Relaxed);
                    bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
                    queries.lock().unwrap().push(asked.query);
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                    let stream = reader.get_mut();
                    if stream
                        .write_all(head.as_bytes())
                        .and_then(|()| stream.write_all(body.as_bytes()))
                        .is_err()
                    {
                        break;
                    }
                }
            }
        });
        api
    }
}

struct Asked {
    query: String,
    parameters: BTreeMap<String, f64>,
}

/// The next request of a connection; `None` at its end.
fn question(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|length| *length > 0)?;
    let mut line = String::from("x");
    while line.trim_end() != "" {
        line.clear();
        reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    }
    let path = first.split(' ').nth(1)?;
    let (mut query, mut parameters) = (String::new(), BTreeMap::new());
    for pair in path.split_once('?')?.1.split('&') {
        let (key, value) = pair.split_once('=')?;
        let value = decoded(value);
        match key {
            "query" => query = value,
            _ => _ = parameters.insert(key.to_owned(), value.parse().ok()?),
        }
    }
    Some(Asked { query, parameters })
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&tail[..2]).unwrap(), 16).unwrap());
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn answer(asked: &Asked, hosts: &[Totals]) -> String {
    let query = asked.query.as_str();
    if query == "time()" {
        return format!(
            r#"{{"status":"success","data":{{"resultType":"scalar","result":[{NOW},"{NOW}"]}}}}"#
        );
    }
    if query.starts_with("max(count_over_time(") {
        return format!(
            r#"{{"status":"success","data":{{"resultType":"vector","result":[{{"metric":{{}},"value":[{NOW},"40"]}}]}}}}"#
        );
    }
    // All have the same bounds, and were there all of the time.
    let counted = query.starts_with("sum by (le) (count_over_time(");
    let present = query.starts_with("count_over_time((count by (host) (a");
    let at = |name: &str| asked.parameters[name];
    let (start, end, step) = (at("start"), at("end"), at("step"));
    let count = ((end - start) / step).round() as usize + 1;
    let times: Vec<f64> = (0..count).map(|place| start + place as f64 * step).collect();
    let part = 1.0 / count as f64;
    let mut rows = Vec::new();
    let mut row = |labels: &str, value: f64| {
        let values: Vec<String> =
            times.iter().map(|time| format!("[{time},\"{value}\"]")).collect();
        rows.push(format!(r#"{{"metric":{{{labels}}},"values":[{}]}}"#, values.join(",")));
    };
    if counted {
        for le in ["0.001", "+Inf"] {
            row(&format!(r#""le":"{le}""#), hosts.len() as f64);
        }
    } else if present {
        for number in 0..hosts.len() {
            row(&format!(r#""host":"{}""#, name(number)), 240.0);
        }
    } else if query.starts_with("histogram_quantile(0.99, sum by (le,vmrange,host)") {
        for number in 0..hosts.len() {
            let value = if PLANTED.contains(&number) { 0.008 } else { 0.0005 };
            row(&format!(r#""host":"{}""#, name(number)), value);
        }
    } else {
        let by_host = query.contains("sum by (le,vmrange,host)");
        let chosen: Vec<usize> = (0..hosts.len())
            .filter(|number| !query.contains("host=~") || query.contains(&escaped(&name(*number))))
            .collect();
        let groups: Vec<Vec<usize>> =
            if by_host { chosen.into_iter().map(|one| vec![one]).collect() } else { vec![chosen] };
        for group in groups {
            let host =
                if by_host { format!(r#""host":"{}""#, name(group[0])) } else { String::new() };
            let comma = if by_host { "," } else { "" };
            let sum = |of: &dyn Fn(&Totals) -> f64| -> f64 {
                group.iter().map(|number| of(&hosts[*number])).sum()
            };
            for bound in 0..=BOUNDS {
                let le = if bound == BOUNDS {
                    "+Inf".to_owned()
                } else {
                    format!("{}", f64::from(bound).exp2() * 1e-6)
                };
                let reached = sum(&|one| one.0[bound as usize]);
                row(&format!(r#"{host}{comma}"le":"{le}""#), reached * part);
            }
            row(&host, sum(&|one| one.1) * part);
        }
    }
    format!(
        r#"{{"status":"success","data":{{"resultType":"matrix","result":[{}]}}}}"#,
        rows.join(",")
    )
}

fn name(number: usize) -> String {
    format!("web-{number:04}:9100")
}

/// The name in a regular expression in a text of the query language.
fn escaped(name: &str) -> String {
    name.replace('-', "\\\\-").replace(':', "\\\\:")
}

#[test]
fn the_planted_hosts_of_a_thousand_are_the_first() {
    let api = Api::start();
    let address = format!("prom+http://{}", api.place);
    let asked = ["fleet", &address, "--metric", "a_seconds", "--by", "host"];
    let found = schemas::parsed("fleet", &succeed(&[&asked[..], &["--json"]].concat()));
    let hosts = found["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), HOSTS);
    let names = |hosts: &[Value]| -> Vec<String> {
        let mut names: Vec<String> =
            hosts.iter().map(|host| host["host"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&hosts[..PLANTED.len()]), PLANTED.map(name));
    // Nothing is lost: each host has the events that the server holds.
    let events: f64 = hosts.iter().map(|host| host["events"].as_f64().unwrap()).sum();
    let held: f64 = (0..HOSTS).map(|number| host(number).0[BOUNDS as usize]).sum();
    assert!((events - held).abs() < 0.5, "{events} of {held}");
    let first = &hosts[0];
    assert!(first["own_share_above"].as_f64() > first["others_share_above"].as_f64(), "{first}");

    let room = Room::new();
    let page = room.name("fleet.html");
    let before = (api.requests.load(Ordering::Relaxed), api.bytes.load(Ordering::Relaxed));
    let output = run(&[&asked[..], &["-o", &page]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let requests = api.requests.load(Ordering::Relaxed) - before.0;
    let bytes = api.bytes.load(Ordering::Relaxed) - before.1;
    assert!(requests <= 30 && bytes <= 10_000_000, "{requests} requests, {bytes} bytes");
    assert!(said.contains(&format!("{requests} requests")), "{said}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("differs most from the other 999"), "the page says who differs");
    for number in PLANTED {
        assert!(page.contains(&name(number)), "{number}");
    }
    let text = succeed(&asked);
    let first_rows: Vec<&str> =
        text.lines().filter(|line| line.contains("web-")).take(12).collect();
    assert!(PLANTED.iter().all(|number| text.contains(&name(*number))), "{text}");
    assert!(first_rows.len() > 11 && text.contains("FREQUENCY"), "{text}");
}

#[test]
fn what_cannot_be_asked_is_refused_with_the_reason() {
    let api = Api::start();
    let address = format!("prom+http://{}", api.place);
    for (args, code, why) in [
        (&["--metric", "a_bytes"][..], 2, "counts no latencies"),
        (&["--metric", "a"], 2, "--unit"),
        (&["--metric", "rate(a_seconds_bucket[1m])"], 2, "not NAME or NAME{"),
        (&["--metric", "a_seconds", "--by", "le"], 2, "tells hosts apart"),
        (&["--metric", "a_seconds", "--since", "5s"], 2, "at least 1m"),
        (&["--dashboard", "--metric", "a_seconds", "--by", "a b\""], 2, "tells hosts apart"),
        (&["--dashboard", "--metric", "rpc_bytes"], 2, "counts no latencies"),
        (&["--dashboard", "--metric", "rpc"], 2, "--unit"),
        (&["--rules", "--metric", "rpc_bytes"], 2, "counts no latencies"),
        (&["--rules", "--metric", "a_seconds", "--since", "1d"], 2, "ask no server"),
        (&["--rules", "--metric", "a_seconds", "--by", "pod"], 2, "add up all hosts"),
    ] {
        let server = if args[0] == "--metric" { &[address.as_str()][..] } else { &[] };
        let output = run(&[&["fleet"], server, args].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(why), "{args:?}: {said}");
    }
    assert_eq!(api.requests.load(Ordering::Relaxed), 0, "a wrong question is not asked");
    let output = run(&["fleet", "prom+http://127.0.0.1:1", "--metric", "a_seconds"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("nothing listens there"), "{said}");
}

#[test]
fn rules_and_the_dashboard_are_accepted() {
    let metric = "a_seconds{job=\"it's\"}";
    let room = Room::new();
    let rules = succeed(&["fleet", "--rules", "--metric", metric]);
    assert_eq!(rules.matches("[5m]").count(), 4, "several samples a minute apart: {rules}");
    let rules = room.file("rules.yml", rules);
    let dashboard = succeed(&["fleet", "--dashboard", "--metric", metric, "--by", "pod"]);
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let mut text = String::from("groups:\n- name: panels\n  rules:\n");
    for (number, panel) in dashboard["panels"].as_array().unwrap().iter().enumerate() {
        for target in panel["targets"].as_array().unwrap() {
            let query = target["expr"].as_str().unwrap().replace("$__rate_interval", "1m");
            let query = query.replace('\'', "''");
            let name = target["refId"].as_str().unwrap();
            let _ = writeln!(text, "  - record: p{number}{name}\n    expr: '{query}'");
        }
    }
    let queries = room.file("panels.yml", text);
    let mut judge = Command::new("promtool");
    let judge = bounded::try_output(judge.args(["check", "rules", &rules, &queries]));
    match judge {
        Ok(said) => assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr)),
        Err(_) => writeln!(std::io::stderr(), "SKIPPED: promtool is not installed").expect("said"),
    }
}
