//! `isotherm serve` behind nginx, with the settings that docs/guide/serve.md shows.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;
use testing::bounded::{self, Child};

use super::certificates::certificates;
use super::scraped::{AS_LONG_AS_A_TEST, is_installed, place_of};
use super::{Room, isotherm, signal, succeed};

const TOKEN: &str = "a-token-for-this-test";
const NAME: &str = "db1.example.org";

/// The settings of the guide, for a server of this test.
fn settings(room: &Room, [proxy, served]: [&str; 2], [certificate, key]: [&str; 2]) -> String {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/serve.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let block = guide.split("```nginx\n").nth(1).unwrap().split("```").next().unwrap();
    let mut block = block.to_owned();
    for (shown, here) in [
        ("listen 443 ssl", format!("listen {proxy} ssl")),
        ("/etc/ssl/certs/db1.example.org.pem", certificate.to_owned()),
        ("/etc/ssl/private/db1.example.org.key", key.to_owned()),
        ("http://127.0.0.1:7414", format!("http://{served}")),
    ] {
        assert!(block.contains(shown), "{shown}: {block}");
        block = block.replace(shown, &here);
    }
    // Everything else goes into the directory of the test.
    let [pid, errors] = ["nginx.pid", "nginx.errors"].map(|name| room.name(name));
    let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let places = places.map(|name| format!("{name}_temp_path {};\n", room.name(name))).concat();
    let text = format!(
        "daemon off;\nmaster_process off;\npid {pid};\nerror_log {errors};\nevents {{}}\n\
         http {{\naccess_log off;\n{places}{block}}}\n"
    );
    room.file("nginx.conf", text)
}

/// `isotherm serve` behind nginx; both end when they are dropped.
struct Proxied {
    served: Child,
    _nginx: Child,
    /// What browsers show in their address line.
    name: String,
    port: String,
}

impl Proxied {
    /// Serves a recording. nginx cannot be told to take any free port: where another program takes the one
    /// that was free, both are started again with another one.
    fn start(room: &Room, recording: &str, certificate: [&str; 2]) -> Proxied {
        bounded::until("nginx", || {
            let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            let (proxy, port) = (free.to_string(), free.port().to_string());
            let name = format!("https://{NAME}:{port}");
            let served = ["serve", recording, "--listen", "127.0.0.1:0", "--name", &name];
            let mut served = isotherm(&served);
            served.env("ISOTHERM_TOKEN", TOKEN).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut served = bounded::spawn_for(&mut served, AS_LONG_AS_A_TEST);
            let mut line = String::new();
            BufReader::new(served.stdout.take().unwrap()).read_line(&mut line).unwrap();
            assert_eq!(line, format!("{name}/#token={TOKEN}\n"));
            let place = place_of(&mut served).expect("it is served");
            let mut nginx = nginx(room, &settings(room, [&proxy, &place], certificate));
            if place_of(&mut nginx).is_none() {
                let errors = std::fs::read_to_string(room.path("nginx.said")).unwrap();
                assert!(errors.contains("in use"), "nginx does not start: {errors}");
                return None;
            }
            Some(Proxied { served, _nginx: nginx, name, port })
        })
    }
}

fn nginx(room: &Room, settings: &str) -> Child {
    let prefix = format!("{}/", room.dir().display());
    let mut command = Command::new("nginx");
    command.args(["-e", "stderr", "-p", &prefix, "-c", settings]);
    command.stderr(File::create(room.path("nginx.said")).unwrap());
    bounded::spawn_for(&mut command, AS_LONG_AS_A_TEST)
}

/// Who asks for pages over TLS.
struct Visitor {
    authority: String,
    port: String,
}

impl Visitor {
    fn command(&self, path: &str, options: &[&str]) -> Command {
        let port = &self.port;
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--cacert", &self.authority, "--write-out", "\n%{http_code}"]);
        curl.args(["--resolve", &format!("{NAME}:{port}:127.0.0.1")]);
        curl.args(options).arg(format!("https://{NAME}:{port}{path}"));
        curl
    }

    /// The status of the answer, and its body.
    fn ask(&self, path: &str, options: &[&str]) -> (u16, Vec<u8>) {
        let mut out = bounded::output(&mut self.command(path, options)).stdout;
        let end = out.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
        let status = String::from_utf8_lossy(out.get(end + 1..).unwrap_or_default()).into_owned();
        out.truncate(end);
        (status.parse().unwrap_or(0), out)
    }
}

#[test]
fn the_page_is_served_with_tls_to_who_has_the_token() {
    let room = Room::new();
    let Some([authority, certificate, key]) = certificates(&room) else {
        writeln!(std::io::stderr(), "SKIPPED: openssl makes no certificates").expect("said");
        return;
    };
    if !is_installed("nginx") || !is_installed("curl") {
        return;
    }
    let recording = room.name("demo.heat");
    succeed(&["demo", "-o", &recording]);
    let mut proxied = Proxied::start(&room, &recording, [&certificate, &key]);

    let visitor = Visitor { authority, port: proxied.port.clone() };
    let token = format!("Authorization: Bearer {TOKEN}");
    let with_token = ["-H", token.as_str()];
    let (status, page) = visitor.ask("/", &[]);
    assert_eq!(status, 200);
    assert!(String::from_utf8_lossy(&page).contains("<script src=\"/app.js\""), "the page");
    assert_eq!(visitor.ask("/api/v1/document", &[]).0, 401);
    let document = bounded::until("all of the recording", || {
        let (status, body) = visitor.ask("/api/v1/document", &with_token);
        assert_eq!(status, 200);
        let length = u32::from_le_bytes(body[..4].try_into().unwrap()) as usize;
        let document: Value = serde_json::from_slice(&body[4..4 + length]).unwrap();
        (document["live"]["over"] == true).then_some(document)
    });
    let entries = document["entries"].as_array().unwrap().iter();
    let series = entries.filter(|entry| entry["kind"] == "series");
    let events: u64 = series.map(|entry| entry["events"].as_u64().unwrap()).sum();
    let counted = succeed(&["stats", &recording, "--format", "json"]);
    let counted: Value = serde_json::from_str(&counted).unwrap();
    assert_eq!(Some(events), counted["input"]["events"].as_u64(), "{}", counted["input"]);

    // A mark is set by the page of this name, and by no other.
    let mark = ["-d", "{\"text\":\"deployed\"}", "-H", "Content-Type: application/json"];
    let marked = |origin: &str| {
        let origin = format!("Origin: {origin}");
        visitor.ask("/api/v1/marks", &[&with_token[..], &mark[..], &["-H", &origin]].concat())
    };
    assert_eq!(marked("https://evil.example").0, 403);
    let (status, said) = marked(&proxied.name);
    assert!((200..300).contains(&status), "{status}: {}", String::from_utf8_lossy(&said));
    let other = ["-H", token.as_str(), "-H", "Host: other.example"];
    assert_eq!(visitor.ask("/api/v1/document", &other).0, 421);

    // What happens comes at once, though the stream has no end.
    let mut stream =
        visitor.command("/api/v1/events?since=0", &[&with_token[..], &["-N"]].concat());
    let mut stream = bounded::spawn(stream.stdout(Stdio::piped()));
    let mut first = [0; 6];
    stream.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert!(matches!(&first, b"event:" | b"retry:" | b"id: 0\n") || first[0] == b':', "{first:?}");
    signal(&proxied.served, Signal::INT);
    assert_eq!(proxied.served.wait().unwrap().code(), Some(0));
}
