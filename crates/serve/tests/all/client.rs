//! A server with something to serve, and a client of few lines.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use isotherm_analysis::History;
use isotherm_frame::{Account, Event, Frame, Histogram, Nanos, Quality, Scheme, Series, Timestamp};
use isotherm_serve::{
    Access, Limits, LiveHistory, RunningServer, Server, Shell, SourceAbout, Token, host_names,
};
use serde_json::Value;
use testing::bounded;

pub const OPERATE: &str = "operate-operate-operate";
pub const VIEW: &str = "view-view-view-view-view";

/// A running server and what it serves.
pub struct Site {
    pub history: Arc<LiveHistory>,
    pub address: SocketAddr,
    _server: RunningServer,
}

impl Site {
    /// Of one source.
    pub fn new() -> Site {
        Site::with(Limits::default(), &["disk:"])
    }

    pub fn with(limits: Limits, sources: &[&str]) -> Site {
        Site::that_keeps(64 << 20, None, (limits, sources))
    }

    /// Each source in so many bytes; only the last `keep` of it is served.
    pub fn that_keeps(
        bytes: usize,
        keep: Option<Nanos>,
        (limits, sources): (Limits, &[&str]),
    ) -> Site {
        let about = |label: &&str| SourceAbout {
            label: (*label).to_owned(),
            source: (*label).to_owned(),
            is_live: true,
            ..SourceAbout::default()
        };
        let sources = sources.iter().map(|label| (about(label), History::new(bytes)));
        let history = Arc::new(LiveHistory::new(sources, keep, 7));
        let server = Server::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = server.address();
        let hosts = host_names(address, &["proxy.example.org".to_owned()]).unwrap();
        let token = |text| Token::chosen(text).unwrap();
        let access = Access::new(hosts, Some(token(OPERATE)), token(VIEW));
        let shell = Shell {
            page: "<!doctype html>".to_owned(),
            script: "\"use strict\";".to_owned(),
            style: "body {}".to_owned(),
        };
        let server = server.start(Arc::clone(&history), (access, shell), None, limits).unwrap();
        Site { history, address, _server: server }
    }

    /// Intervals of a second from `first` to before `end`, each with as many events as its number modulo
    /// 5 and one more.
    pub fn feed(&self, source: usize, series: &str, (first, end): (i64, i64)) {
        let events: Vec<Event> =
            (first..end).map(|second| Event::Frame(frame(series, second))).collect();
        self.history.take(source, &events, &Account::default());
    }

    /// A request with the usual fields and these; what comes back.
    pub fn ask(&self, line: &str, fields: &str) -> Reply {
        self.raw(&format!("{line} HTTP/1.1\r\nHost: {}\r\n{fields}\r\n", self.address))
    }

    /// The same with a token.
    pub fn ask_with(&self, token: &str, line: &str) -> Reply {
        self.ask(line, &format!("Authorization: Bearer {token}\r\n"))
    }

    pub fn raw(&self, request: &str) -> Reply {
        let mut stream = bounded::connect(self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        Reply::read(&mut stream)
    }

    /// The head of a document and all of its bytes.
    pub fn document(&self, query: &str) -> (Value, Vec<u8>) {
        let reply = self.ask_with(VIEW, &format!("GET /api/v1/document{query}"));
        assert_eq!(reply.status, 200, "{}", reply.text());
        (head_of(&reply.body), reply.body)
    }
}

/// The head of a document.
pub fn head_of(document: &[u8]) -> Value {
    let length = u32::from_le_bytes(document[..4].try_into().unwrap()) as usize;
    serde_json::from_slice(&document[4..4 + length]).unwrap()
}

pub fn frame(series: &str, second: i64) -> Frame {
    let mut counts = Histogram::empty(Scheme::log_linear());
    for number in 0..=second.rem_euclid(5) {
        counts.record(Nanos::from_micros(100 * (1 + number.unsigned_abs())));
    }
    let at = |second: i64| Timestamp::new((1_700_000_000 + second) * 1_000_000_000);
    let (series, quality) = (Series::named(series), Quality::Complete);
    Frame { series, start: at(second), end: at(second + 1), counts, quality }
}

/// What a server says.
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn read(stream: &mut TcpStream) -> Reply {
        let mut bytes = Vec::new();
        // What came before the other side let go counts.
        let ended = stream.read_to_end(&mut bytes);
        let is_late = |error: io::Error| error.kind() == ErrorKind::WouldBlock;
        assert!(!ended.is_err_and(is_late), "the answer does not end");
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head, body: bytes[end + 4..].to_vec() }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}
