//! A receiver of OpenTelemetry: what is sent to it is what it says.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

use isotherm_formats::Message;
use isotherm_frame::{Frame, Nanos, Reading, Timestamp};
use isotherm_live::{Address, Feed, LiveOptions, OpenError};
use testing::bounded::{self, Deadline};

fn opened(place: &str) -> Result<Feed, OpenError> {
    let address: Address = format!("otlp:{place}").parse().unwrap();
    Feed::open(&address, &LiveOptions::default())
}

/// A receiver on a free port.
fn receiver() -> (Feed, String) {
    bounded::until("a port that nobody else takes meanwhile", || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = listener.local_addr().unwrap().to_string();
        drop(listener);
        match opened(&place) {
            Ok(feed) => Some((feed, place)),
            Err(error) => {
                assert!(error.to_string().contains("cannot listen there"), "{error}");
                None
            }
        }
    })
}

/// Sends a request on a connection; gives the first line of the answer.
fn post(stream: &TcpStream, path: &str, kind: &str, body: &[u8]) -> String {
    let mut out = stream;
    let length = body.len();
    let head =
        format!("POST {path} HTTP/1.1\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n");
    out.write_all(head.as_bytes()).unwrap();
    out.write_all(body).unwrap();
    let mut reader = BufReader::new(stream);
    let (mut first, mut line) = (String::new(), String::new());
    reader.read_line(&mut first).unwrap();
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).unwrap();
    }
    // The body of what is accepted as JSON: two bytes.
    if first.contains("200") && kind.ends_with("json") {
        std::io::Read::read_exact(&mut reader, &mut [0; 2]).unwrap();
    }
    first.trim().to_owned()
}

/// The frames until there are so many.
fn frames(feed: &Feed, wanted: usize) -> Vec<Frame> {
    let (mut frames, deadline) = (Vec::new(), Deadline::default());
    while frames.len() < wanted {
        let batch = feed.receiver().recv_timeout(deadline.left());
        let batch = batch.unwrap_or_else(|error| panic!("{error}: {frames:?}"));
        for message in batch.messages {
            if let Message::Reading(Reading::Delta(frame)) = message {
                frames.push(frame);
            }
        }
    }
    frames
}

const EXPORT: &str = r#"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"http.duration","unit":"s",
"histogram":{"aggregationTemporality":1,"dataPoints":[{"attributes":[{"key":"route","value":{"stringValue":"/a"}}],
"startTimeUnixNano":"1795238400000000000","timeUnixNano":"1795238410000000000","count":"45","sum":0.61,
"bucketCounts":["40","4","1"],"explicitBounds":[0.01,0.1]}]}}]}]}]}"#;

#[test]
fn what_is_sent_is_read_and_answered() {
    let (feed, place) = receiver();
    let stream = bounded::connect(&place).unwrap();
    let path = "/v1/metrics";
    assert_eq!(post(&stream, path, "application/json", EXPORT.as_bytes()), "HTTP/1.1 200 OK");
    // The same connection goes on.
    let body = include_bytes!("../../formats/fixtures/otlp/body/input.pb");
    assert_eq!(post(&stream, path, "application/x-protobuf", body), "HTTP/1.1 200 OK");
    let frames = frames(&feed, 3);
    let first = &frames[0];
    assert_eq!(first.series.full(), "http.duration{route=/a}");
    assert_eq!(first.start, Timestamp::new(1_795_238_400_000_000_000));
    assert_eq!(first.length(), Nanos::from_millis(10_000));
    assert_eq!(first.counts.counts(), [40, 4, 1]);
    assert_eq!(first.counts.sum(), Some(Nanos::from_millis(610)));
    // So many were recorded when the fixture was made.
    assert_eq!(frames[1..].iter().map(|frame| frame.counts.events()).sum::<u64>(), 200);
}

#[test]
fn what_is_no_metric_is_refused_and_a_taken_place_is_an_error() {
    let (_feed, place) = receiver();
    let stream = bounded::connect(&place).unwrap();
    assert!(post(&stream, "/v1/traces", "application/json", b"{}").contains(" 404 "));
    let refused = opened(&place).err().unwrap().to_string();
    assert!(refused.contains("cannot listen there"), "{refused}");
}
