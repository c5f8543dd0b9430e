//! Streams of events: nobody is held up, and nothing is missed without being told.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use base64ct::{Base64, Encoding};
use isotherm_frame::{Account, Event, Mark, Timestamp};
use serde_json::Value;
use testing::bounded::{self, Deadline};

use crate::client::{OPERATE, Site, frame};
use crate::documents::{columns, place};

/// A client that reads events.
pub struct Client {
    stream: BufReader<TcpStream>,
    /// All of them must have come by then: the server says that it is there even when nothing happens.
    deadline: Deadline,
}

/// One of them.
#[derive(Debug)]
pub struct Received {
    pub tick: u64,
    pub kind: String,
    pub data: String,
}

impl Received {
    pub fn document(&self) -> Vec<u8> {
        Base64::decode_vec(&self.data).unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

impl Client {
    pub fn connect(site: &Site, since: u64, layout: &str) -> Client {
        let mut stream = bounded::connect(site.address).unwrap();
        let target = format!("/api/v1/events?since={since}&layout={layout}");
        let head = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n", site.address);
        write!(stream, "{head}Authorization: Bearer {OPERATE}\r\n\r\n").unwrap();
        let mut client = Client { stream: BufReader::new(stream), deadline: Deadline::default() };
        let first = client.line();
        assert_eq!(first, "HTTP/1.1 200 OK");
        while !client.line().is_empty() {}
        client
    }

    fn line(&mut self) -> String {
        let left = self.deadline.left();
        assert!(!left.is_zero(), "what was waited for did not come in time");
        self.stream.get_ref().set_read_timeout(Some(left)).unwrap();
        let mut line = String::new();
        assert_ne!(self.stream.read_line(&mut line).unwrap(), 0, "the stream ended");
        line.trim_end().to_owned()
    }

    /// The next event.
    pub fn next(&mut self) -> Received {
        let mut received = Received { tick: 0, kind: String::new(), data: String::new() };
        loop {
            let line = self.line();
            match line.split_once(": ") {
                Some(("id", tick)) => received.tick = tick.parse().unwrap(),
                Some(("event", kind)) => kind.clone_into(&mut received.kind),
                Some(("data", data)) => data.clone_into(&mut received.data),
                _ if line.is_empty() && !received.kind.is_empty() => return received,
                _ => {}
            }
        }
    }

    /// The next event of a kind.
    pub fn next_of(&mut self, kind: &str) -> Received {
        loop {
            let received = self.next();
            if received.kind == kind {
                return received;
            }
        }
    }
}

fn start(site: &Site) -> (u64, String) {
    let (head, _) = site.document("");
    let live = &head["live"];
    (live["tick"].as_u64().unwrap(), live["layout"].as_str().unwrap().to_owned())
}

#[test]
fn everything_that_happens_is_an_event() {
    let site = Site::new();
    site.feed(0, "read", (0, 5));
    let (tick, layout) = start(&site);
    let mut client = Client::connect(&site, tick, &layout);
    let summary = client.next_of("summary").json();
    assert_eq!(summary["entries"][0]["events"].as_u64(), Some(15));
    assert_eq!(summary["recordings"][0]["label"], "disk:");
    let mark = Mark { at: Timestamp::new(1_700_000_003_000_000_000), text: "deploy".to_owned() };
    let events = [Event::Mark(mark), Event::Message("the disk is full".to_owned())];
    site.history.take(0, &events, &Account::default());
    site.history.end(0, "stopped");
    let mark = client.next_of("mark").json();
    assert_eq!((&mark["text"], mark["at_us"].as_f64()), (&"deploy".into(), Some(1.700_000_003e15)));
    assert_eq!(client.next_of("message").json()["text"], "the disk is full");
    assert_eq!(client.next_of("over").json()["reason"], "stopped");
    let (head, _) = site.document("");
    assert_eq!(
        (&head["live"]["over"], &head["live"]["sources"][0]["over"]),
        (&true.into(), &"stopped".into())
    );
    assert_eq!(head["recordings"][0]["marks"][0]["text"], "deploy");
}

#[test]
fn who_asks_for_what_is_not_there_begins_anew() {
    let site = Site::new();
    site.feed(0, "read", (0, 5));
    let (tick, layout) = start(&site);
    let other_run = layout.replacen('7', "8", 1);
    // Columns of thirty years each are none that this server made.
    let (own, _) = layout.rsplit_once('-').unwrap();
    let far_too_wide = format!("{own}-1000000000");
    let asked = [layout.as_str(), "", &other_run, &far_too_wide];
    for (since, layout) in [tick + 1, tick, tick, tick].into_iter().zip(asked) {
        let first = Client::connect(&site, since, layout).next();
        assert_eq!(first.kind, "restart", "{since} {layout}");
        assert!(!first.json()["reason"].as_str().unwrap().is_empty());
    }
    let message = || Event::Message("x".to_owned());
    (0..9_000).for_each(|_| site.history.take(0, &[message()], &Account::default()));
    assert_eq!(Client::connect(&site, tick, &layout).next().kind, "restart");
}

#[test]
fn who_comes_back_gets_what_was_missed_in_one_event() {
    let site = Site::new();
    site.feed(0, "read", (0, 5));
    let (tick, layout) = start(&site);
    (5..50).for_each(|second| site.feed(0, "read", (second, second + 1)));
    let document = Client::connect(&site, tick, &layout).next_of("columns").document();
    let head = crate::client::head_of(&document);
    assert_eq!(columns(&document, place(&head, "series", Some("read"))).len(), 45);
}

/// Clients that never read take nothing from the others: everything is in the history, and documents and
/// events come.
#[test]
fn clients_that_never_read_hold_nobody_up() {
    let site = Site::new();
    site.feed(0, "read", (0, 5));
    let (tick, layout) = start(&site);
    let stalled: Vec<Client> = (0..10).map(|_| Client::connect(&site, tick, &layout)).collect();
    let mut reading = Client::connect(&site, tick, &layout);
    // One change for each second. Who reads is read from meanwhile: else it would be let go like the others.
    let last = tick + 295;
    let reader = std::thread::spawn(move || while reading.next_of("columns").tick < last {});
    let series: Vec<String> = (0..40).map(|number| format!("series {number}")).collect();
    for second in 5..300 {
        let names = std::iter::once("read").chain(series.iter().map(String::as_str));
        let frames: Vec<Event> = names.map(|name| Event::Frame(frame(name, second))).collect();
        site.history.take(0, &frames, &Account::default());
    }
    let (head, document) = site.document("");
    let read = place(&head, "series", Some("read"));
    assert_eq!(columns(&document, read).len(), 300);
    assert_eq!(head["entries"][read]["events"].as_u64(), Some(900));
    assert_eq!(head["live"]["tick"].as_u64(), Some(last));
    bounded::join(reader);
    drop(stalled);
}
