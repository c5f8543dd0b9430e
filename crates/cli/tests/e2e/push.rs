//! `isotherm push`: what an OTLP server is given, decoded by others.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;

use serde_json::Value;
use testing::bounded;

use super::certificates::certificates;
use super::scraped::AS_LONG_AS_A_TEST;
use super::{Room, isotherm, run};

/// A server of OTLP that answers every push with the next of its statuses, the last for ever.
struct Server {
    place: String,
    pushes: JoinHandle<Vec<Push>>,
}

struct Push {
    head: String,
    body: Vec<u8>,
}

impl Server {
    fn start(statuses: &'static [&'static str]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        let pushes = std::thread::spawn(move || {
            let mut pushes = Vec::new();
            loop {
                let stream = bounded::accept(&listener).unwrap();
                let push = Push::read(&stream);
                if push.head.starts_with("GET /end ") {
                    return pushes;
                }
                let status = statuses.get(pushes.len()).or(statuses.last()).unwrap();
                let head =
                    format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
                (&stream).write_all(head.as_bytes()).unwrap();
                pushes.push(push);
            }
        });
        Server { place, pushes }
    }

    fn address(&self) -> String {
        format!("otlp+http://{}", self.place)
    }

    /// What it was given.
    fn end(self) -> Vec<Push> {
        let mut stream = bounded::connect(&self.place).unwrap();
        stream.write_all(b"GET /end HTTP/1.1\r\n\r\n").unwrap();
        bounded::join(self.pushes)
    }
}

impl Push {
    fn read(stream: &TcpStream) -> Push {
        let (mut reader, mut head) = (BufReader::new(stream), String::new());
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
        }
        head.make_ascii_lowercase();
        let head = head.replacen("get /end", "GET /end", 1);
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        reader.read_exact(&mut body).unwrap();
        Push { head, body }
    }
}

/// 100 reads of 300 us and 20 of 5 ms: in all 130 ms.
fn reads(room: &Room) -> String {
    let mut text = String::new();
    for number in 0..120 {
        let latency = if number % 6 == 0 { 5_000 } else { 300 };
        writeln!(text, "{} {latency}", 1_763_735_400 + number / 10).unwrap();
    }
    room.file("reads.txt", text)
}

const COLUMNS: [&str; 4] = ["--columns", "time,latency", "--unit", "us"];

/// Python with the messages of OpenTelemetry's own repository, where they are installed.
fn opentelemetry() -> Option<PathBuf> {
    let python =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients/python/bin/python");
    let mut import = Command::new(&python);
    let there = bounded::try_output(import.args(["-c", "import opentelemetry.proto"]));
    if there.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    writeln!(std::io::stderr(), "SKIPPED: opentelemetry-proto is not installed").expect("said");
    None
}

/// Prints the metrics of a push as JSON.
const DECODER: &str = "\
import gzip, json, sys
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
request = ExportMetricsServiceRequest()
request.ParseFromString(gzip.decompress(open(sys.argv[1], 'rb').read()))
assert request.SerializeToString() == gzip.decompress(open(sys.argv[1], 'rb').read())
print(json.dumps(MessageToDict(request)))
";

fn whole(value: &Value) -> u64 {
    value.as_str().unwrap().parse().unwrap()
}

#[test]
fn totals_are_what_anybody_would_count() {
    let (room, server) = (Room::new(), Server::start(&["200 OK"]));
    let (file, to) = (reads(&room), server.address());
    let mut command = isotherm(&[&["push", &file, "--waited", "--to", &to], &COLUMNS[..]].concat());
    let output = bounded::output(command.env("OTEL_EXPORTER_OTLP_HEADERS", "X-Key=geheim"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(
        summary.starts_with("Delivered 2 exports to ") && summary.contains(": 120 events"),
        "{summary}"
    );
    assert!(said.contains("nothing is encrypted") && !said.contains("geheim"), "{said}");
    let pushes = server.end();
    let last = pushes.last().unwrap();
    assert!(last.head.starts_with("post /v1/metrics http/1.1\r\n"), "{}", last.head);
    assert!(last.head.contains("x-key: geheim\r\n"), "{}", last.head);
    let Some(python) = opentelemetry() else { return };
    let body = room.file("push.gz", &last.body);
    let output = bounded::output(Command::new(python).args(["-c", DECODER, &body]));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let request: Value = serde_json::from_slice(&output.stdout).unwrap();
    let metrics = &request["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
    let names: Vec<&str> =
        metrics.as_array().unwrap().iter().map(|metric| metric["name"].as_str().unwrap()).collect();
    let (latency, waited) = (&metrics[0], &metrics[1]);
    assert_eq!(names[..2], ["isotherm_latency_seconds", "isotherm_waited_microseconds"]);
    assert_eq!(latency["unit"], "s");
    assert_eq!(
        latency["histogram"]["aggregationTemporality"],
        "AGGREGATION_TEMPORALITY_CUMULATIVE"
    );
    let filled = |metric: &Value| {
        let point = &metric["histogram"]["dataPoints"][0];
        let bounds = point["explicitBounds"].as_array().unwrap();
        let counts = point["bucketCounts"].as_array().unwrap();
        assert_eq!((bounds.len(), counts.len()), (34, 35));
        let each = counts.iter().enumerate().map(|(index, count)| (index, whole(count)));
        let filled = each.filter(|(_, count)| *count > 0);
        let filled: Vec<(f64, u64)> =
            filled.map(|(index, count)| (bounds[index].as_f64().unwrap(), count)).collect();
        (filled, whole(&point["count"]), point["sum"].as_f64().unwrap())
    };
    // The upper bounds are 2^19 and 2^23 ns.
    let (low, high) = (0.000_524_288, 0.008_388_608);
    assert_eq!(filled(latency), (vec![(low, 100), (high, 20)], 120, 0.13));
    assert_eq!(filled(waited), (vec![(low, 30_000), (high, 100_000)], 130_000, 130_000.0));
    let point = &latency["histogram"]["dataPoints"][0];
    assert!(whole(&point["startTimeUnixNano"]) <= whole(&point["timeUnixNano"]));
    assert_eq!(point["attributes"][1]["value"]["stringValue"], "latency");
}

#[test]
fn what_a_server_will_never_take_ends_it() {
    let (room, server) = (Room::new(), Server::start(&["404 Not Found"]));
    let (file, to) = (reads(&room), server.address());
    let output = run(&[&["push", &file, "--follow", "--to", &to], &COLUMNS[..]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("answers 404") && said.contains("/api/v1/otlp/v1/metrics"), "{said}");
    assert_eq!(server.end().len(), 1);
}

#[test]
fn a_server_that_refuses_one_export_is_given_the_next() {
    let statuses = &["200 OK", "404 Not Found", "401 Unauthorized", "200 OK"];
    let (room, server) = (Room::new(), Server::start(statuses));
    let (file, to) = (reads(&room), server.address());
    let output = run(&[&["push", &file, "--every", "3s", "--to", &to], &COLUMNS[..]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("answers 404") && said.contains("answers 401"), "{said}");
    assert!(summary.starts_with("Delivered 2 exports to "), "{summary}");
    assert!(summary.contains(": 120 events"), "{summary}");
    assert!(summary.contains("2 exports not delivered"), "{summary}");
    assert_eq!(server.end().len(), 4);
}

#[test]
fn last_totals_that_are_not_delivered_are_an_error() {
    let room = Room::new();
    let (file, to) = (reads(&room), "otlp+http://127.0.0.1:1");
    let output = run(&[&["push", &file, "--to", to], &COLUMNS[..]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    let error = "nothing was delivered: http://127.0.0.1:1/v1/metrics: nothing listens there";
    assert!(said.contains(error), "{said}");
}

#[test]
fn a_mistake_on_the_command_line_says_what_to_do() {
    let room = Room::new();
    let file = reads(&room);
    for (to, hint) in [
        ("db1:4318", "write otlp+http://HOST:PORT/PATH"),
        ("otlp+http://db1/v1/metrics?key=geheim", "OTLP takes no parameters"),
        ("otlp+http://u:geheim@db1", "OTEL_EXPORTER_OTLP_HEADERS"),
    ] {
        let output = run(&["push", &file, "--to", to]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(hint) && !said.contains("geheim"), "{said}");
    }
}

/// A server of HTTPS that says its port and then what each request was.
const ENCRYPTED: &str = "\
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        print(self.path, self.headers['Authorization'], flush=True)
        self.send_response(200)
        self.send_header('Content-Length', '0')
        self.end_headers()
    def log_message(self, *of): pass
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
";

#[test]
fn what_is_sent_is_encrypted_for_whom_we_trust_alone() {
    let room = Room::new();
    let Some([ca, own, own_key]) = certificates(&room) else {
        writeln!(std::io::stderr(), "SKIPPED: openssl makes no certificates").expect("said");
        return;
    };
    let mut server = Command::new("python3");
    server.args(["-c", ENCRYPTED, &own, &own_key]).stdout(Stdio::piped());
    let mut server = bounded::spawn_for(&mut server, AS_LONG_AS_A_TEST);
    let mut said = BufReader::new(server.stdout.take().unwrap()).lines().map_while(Result::ok);
    let to = format!("otlp+https://localhost:{}", said.next().unwrap());
    let file = reads(&room);
    let arguments = [&["push", &file, "--every", "1m", "--to", &to], &COLUMNS[..]].concat();
    let stranger = run(&arguments);
    let mut trusting = isotherm(&[&arguments[..], &["--authorities", &ca]].concat());
    trusting.env("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20geheim");
    let trusting = bounded::output(&mut trusting);
    server.kill().unwrap();
    server.wait().unwrap();
    let error = String::from_utf8_lossy(&stranger.stderr).into_owned();
    assert_eq!(stranger.status.code(), Some(3), "{error}");
    assert!(error.contains("certificate"), "{error}");
    let (out, error) =
        (String::from_utf8_lossy(&trusting.stdout), String::from_utf8_lossy(&trusting.stderr));
    assert!(trusting.status.success() && out.contains(": 120 events"), "{out}{error}");
    assert!(!error.contains("encrypted"), "{error}");
    assert_eq!(said.collect::<Vec<_>>(), ["/v1/metrics Bearer geheim"]);
}
