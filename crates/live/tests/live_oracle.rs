//! Oracle through the public face: the real driver, our queries, and a server that is not Oracle's.

#![cfg(feature = "oracle")]
#![allow(clippy::unwrap_used, reason = "a test that cannot start its server must fail")]

use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use fake_oracle::{Answer, FakeOracle, Greeting, Script};
use isotherm_formats::{Message, Note};
use isotherm_frame::{Assembler, BinnerLimits, Event, Frame, Nanos, Quality};
use isotherm_live::{Address, Ending, Feed, LiveOptions, OracleAddress, wait_events};
use testing::bounded::Deadline;

const STARTUP: &str = "2026-11-20T06:12:44";

fn poll(rows: &[&str]) -> Answer {
    let instance = format!("I|1|{STARTUP}|19.0.0.0.0|ORCL");
    Answer::lines(std::iter::once(instance.as_str()).chain(rows.iter().copied()).chain(["."]))
}

/// A server of one instance; statements that mention `mention` get these answers.
fn server(mention: &str, answers: Vec<Answer>) -> Script {
    Script::default()
        .on("parallel as line", Answer::lines(["I|1||19.0.0.0.0|NO"]))
        .on("1 = 0", Answer::lines(Vec::<String>::new()))
        .on_each(mention, answers)
}

/// The address of a server, with a file that holds a password.
struct Target {
    server: FakeOracle,
    password: tempfile::NamedTempFile,
}

impl Target {
    fn of(script: Script) -> Target {
        let password = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(password.path(), "tiger\n").unwrap();
        Target { server: FakeOracle::start(script).unwrap(), password }
    }

    fn address(&self, options: &str) -> Address {
        let (port, file) = (self.server.port(), self.password.path().display());
        let text = format!("oracle://mon@127.0.0.1:{port}/FAKE?password_file={file}{options}");
        text.parse().unwrap()
    }

    fn oracle(&self) -> OracleAddress {
        self.address("").oracle().expect("an Oracle database").clone()
    }
}

#[derive(Debug, Default)]
struct Heard {
    frames: Vec<Frame>,
    said: Vec<String>,
    ending: Option<Ending>,
}

impl Heard {
    fn error(&self) -> String {
        let error = self.ending.as_ref().and_then(|ending| ending.error.as_ref());
        error.map(ToString::to_string).unwrap_or_default()
    }
}

/// Listens to a source that asks every 20 ms until it is enough, and to what it says while it ends.
fn listen(address: &Address, enough: impl Fn(&Heard) -> bool) -> Heard {
    listen_to(address, Nanos::from_millis(20), enough)
}

fn listen_to(address: &Address, interval: Nanos, enough: impl Fn(&Heard) -> bool) -> Heard {
    let options = LiveOptions { interval: Some(interval), ..LiveOptions::default() };
    let feed = Feed::open(address, &options).unwrap();
    let mut assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
    let (mut heard, mut deadline, mut is_stopped) = (Heard::default(), Deadline::default(), false);
    loop {
        if !is_stopped && enough(&heard) {
            feed.stop();
            (is_stopped, deadline) = (true, Deadline::default());
        }
        // `enough` may look at something else than what is heard.
        let pause = deadline.left().min(Duration::from_millis(20));
        let batch = match feed.receiver().recv_timeout(pause) {
            Ok(batch) => batch,
            Err(RecvTimeoutError::Timeout) if deadline.left().is_zero() => {
                panic!("stopped: {is_stopped}; {heard:?}")
            }
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return heard,
        };
        for message in batch.messages {
            match message {
                Message::Reading(reading) => assembler.push(reading, &mut |output| {
                    if let Event::Frame(frame) = output {
                        heard.frames.push(frame);
                    }
                }),
                Message::Note(Note::Said(text)) => heard.said.push(text.into_owned()),
                _ => {}
            }
        }
        heard.ending = batch.ending.or(heard.ending);
    }
}

/// Waits and exact microseconds of each frame.
fn numbers(frames: &[Frame]) -> Vec<(u64, Option<u64>)> {
    let micros = |frame: &Frame| frame.counts.sum().map(|sum| sum.as_nanos() / 1_000);
    frames.iter().map(|frame| (frame.counts.events(), micros(frame))).collect()
}

#[test]
fn counters_become_frames_one_round_trip_each() {
    let target = Target::of(server(
        "histogram_micro",
        vec![
            poll(&["H|1||us|128:10,256:90|read", "S|1||100|19000|read"]),
            poll(&["H|1||us|128:12,256:95|read", "S|1||107|20111|read"]),
            poll(&["H|1||us|128:12,256:95,512:1|read", "S|1||108|20411|read"]),
        ],
    ));
    let heard = listen(&target.address("&event=read"), |heard| heard.frames.len() >= 4);
    let told = numbers(&heard.frames);
    assert_eq!(told[..3], [(7, Some(1_111)), (1, Some(300)), (0, Some(0))]);
    let asked = target.server.statements();
    assert_eq!(target.server.round_trips(), asked.len() as u64);
    assert!(asked[1].contains("LOWER(h.event) = 'read'"), "{}", asked[1]);
}

#[test]
fn milliseconds_where_there_are_no_microseconds() {
    let script = Script::default()
        .on("parallel as line", Answer::lines(["I|1||11.2.0.4.0|NO"]))
        .on("histogram_micro", Answer::no_such_view())
        .on("1 = 0", Answer::lines(Vec::<String>::new()))
        .on_each(
            "v$event_histogram",
            [poll(&["H|1||ms|1:5|read"]), poll(&["H|1||ms|1:6,2:2|read"])],
        );
    let target = Target::of(script);
    let heard = listen(&target.address(""), |heard| !heard.frames.is_empty());
    assert_eq!(numbers(&heard.frames)[0], (3, None));
    assert!(heard.said[0].starts_with("version 11.2.0.4.0 counts waits in milliseconds"));
}

#[test]
fn what_may_not_be_read_is_told_with_the_grants() {
    let script = Script::default().on("parallel as line", Answer::lines(["I|1||19.0.0.0.0|NO"]));
    let heard = listen(&Target::of(script).address(""), |_| false);
    assert!(heard.error().contains("GRANT SELECT ON SYS.V_$EVENT_HISTOGRAM_MICRO TO mon;"));
    assert!(heard.ending.unwrap().error.unwrap().is_unreachable(), "exit code 3");
}

#[test]
fn a_dropped_connection_is_made_again_and_nothing_is_lost() {
    let target = Target::of(server(
        "histogram_micro",
        vec![
            poll(&["H|1||us|64:100|read"]),
            poll(&["H|1||us|64:110|read"]),
            Answer::Hangup,
            poll(&["H|1||us|64:500|read"]),
            poll(&["H|1||us|64:501|read"]),
        ],
    ));
    let heard = listen(&target.address(""), |heard| heard.frames.len() >= 3);
    let counts: Vec<u64> = heard.frames.iter().map(|frame| frame.counts.events()).collect();
    assert_eq!(counts[..3], [10, 390, 1]);
    assert_ne!(heard.frames[1].quality, Quality::Complete, "{:?}", heard.frames[1].quality);
}

#[test]
fn refusals_end_it_with_what_to_do() {
    let script = Script::default().greet([Greeting::RefuseLogon(1017)]);
    let heard = listen(&Target::of(script).address(""), |_| false);
    assert!(heard.error().contains("ORA-01017"), "{}", heard.error());
}

#[test]
fn a_server_that_falls_silent_does_not_keep_the_feed() {
    // The driver waits for twice the interval at least: in the second case longer than this test.
    let silent_at_once = (Nanos::from_millis(3_600_000), vec![Answer::Silence], 2);
    let silent_later =
        (Nanos::from_millis(20), vec![poll(&["H|1||us|64:1|read"]), Answer::Silence], 3);
    for (interval, answers, asked) in [silent_later, silent_at_once] {
        let target = Target::of(server("histogram_micro", answers));
        let enough = |_: &Heard| target.server.statements().len() >= asked;
        let heard = listen_to(&target.address("&event=read"), interval, enough);
        assert_eq!(heard.error(), "");
        assert_eq!(heard.ending.unwrap().status, "stopped");
    }
}

#[test]
fn events_are_listed() {
    let script = Script::default()
        .on("'E|'", Answer::lines(["E|Commit|10|5000|log file sync", "E|Idle|1|9000000|rdbms"]));
    let target = Target::of(script);
    let events = wait_events(&target.oracle(), &mut |_| {}).unwrap();
    let names: Vec<_> = events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names, ["rdbms", "log file sync"]);
}
