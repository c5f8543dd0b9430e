use std::sync::Arc;

use isotherm_frame::{Clock, Reading, Timestamp};

use super::*;
use crate::{Note, Rejection, Tally};

/// Series, moment in microseconds, latency in microseconds.
#[derive(Default)]
struct Waits {
    waits: Vec<(String, i64, u64)>,
    tally: Tally,
}

impl Sink for Waits {
    fn reading(&mut self, reading: Reading) {
        let Reading::Event { at, series, latency } = reading else { panic!("not an event") };
        self.waits.push((series.to_string(), at.as_nanos() / 1_000, latency.as_nanos() / 1_000));
    }
    fn record(&mut self) {
        self.tally.records += 1;
    }
    fn reject(&mut self, rejection: Rejection) {
        self.tally.reject(rejection);
    }
    fn note(&mut self, note: Note) {
        self.tally.note(&note);
    }
}

fn read(text: &str, context: &Context) -> Waits {
    let mut waits = Waits::default();
    SOURCE.decode(&mut text.as_bytes(), context, &mut waits).unwrap();
    waits
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_trace_without_waits_says_how_to_get_them() {
    let call = "EXEC #1:c=0,e=5,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=100\n";
    let waits = read(call, &Context::default());
    assert!(waits.waits.is_empty());
    assert_eq!(waits.tally.said.len(), 1);
    assert!(waits.tally.said[0].contains("waits=>true"), "{:?}", waits.tally.said);
}

#[test]
fn series_beyond_the_limit_go_to_one_for_the_rest() {
    let wait = |n: u32| format!("WAIT #1: nam='x' ela= {n} p1={n} p2=0 p3=0 obj#=1 tim={}\n", 50 + n);
    let text: String = (0..1_200).map(wait).collect();
    let waits = read(&text, &Context { by: names(&["p1"]), ..Context::default() });
    let others: Vec<_> = waits.waits.iter().filter(|wait| wait.0 == "(others)").collect();
    assert_eq!((waits.waits.len(), others.len()), (1_200, 200));
    assert!(others.iter().all(|wait| wait.2 >= 1_000));
    assert_eq!(waits.waits[7].0, "waits{p1=7}");
    assert!(waits.tally.said.iter().any(|said| said.contains("more than 1000 series")));
}

#[test]
fn an_attribute_that_no_wait_has_is_said() {
    let text = "WAIT #1: nam='x' ela= 5 driver id=3 #bytes=1 p3=0 obj#=1 tim=100\n";
    let context = Context { by: names(&["event", "#bytes", "flavour"]), ..Context::default() };
    let waits = read(text, &context);
    assert_eq!(waits.waits[0].0, "x{#bytes=1}");
    let said = waits.tally.said.iter().any(|said| said == "no wait has the attribute 'flavour'");
    assert!(said, "{:?}", waits.tally.said);
}

#[test]
fn conditions_on_one_attribute_are_alternatives_and_on_several_all_hold() {
    let text = "\
WAIT #1: nam='log file sync' ela= 1 p1=1 p2=0 p3=0 obj#=1 tim=100
WAIT #1: nam='log file sync' ela= 2 p1=2 p2=0 p3=0 obj#=1 tim=200
WAIT #1: nam='db file sequential read' ela= 4 p1=1 p2=0 p3=0 obj#=1 tim=300
WAIT #1: nam='latch free' ela= 8 p1=1 p2=0 p3=0 obj#=1 tim=400
";
    let only = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let context = Context { only: pairs.collect(), ..Context::default() };
        let waits = read(text, &context);
        assert_eq!(waits.tally.records, 4);
        waits.waits.iter().map(|wait| wait.2).sum::<u64>()
    };
    assert_eq!(only(&[]), 15);
    assert_eq!(only(&[("event", "log*")]), 3);
    assert_eq!(only(&[("event", "log*"), ("event", "*read")]), 7);
    assert_eq!(only(&[("event", "log*"), ("event", "*read"), ("p1", "1")]), 5);
    assert_eq!(only(&[("flavour", "*")]), 0);
}

#[test]
fn the_unit_of_an_unknown_release_can_be_given() {
    let text = "WAIT #1: nam='x' ela= 5 p1=1 p2=0 p3=0\n";
    let unit = Some(isotherm_frame::Unit::Millis);
    let waits = read(text, &Context { unit, ..Context::default() });
    assert_eq!(waits.waits[0].2, 5_000);
    assert!(!waits.tally.said.iter().any(|said| said.contains("release")));
}

#[test]
fn a_live_trace_is_stamped_by_its_own_clock_or_else_by_its_arrival() {
    let now = Timestamp::new(1_795_219_200_000_000_000);
    let context = Context { arrival: Some(Arc::new(move || now)), ..Context::default() };
    let wait = "WAIT #1: nam='x' ela= 5 p1=1 p2=0 p3=0 obj#=1 tim=100\n";
    let arrived = read(wait, &context);
    assert_eq!(arrived.waits[0].1, 1_795_219_200_000_000);
    assert_eq!(arrived.tally.clock, Clock::Epoch);
    let stamped = read(&format!("*** 2026-11-20T00:00:00Z\n{wait}"), &context);
    assert_eq!(stamped.waits[0].1, 1_795_132_800_000_000);
}

#[test]
fn reading_that_fails_says_where() {
    struct Broken(bool);
    impl std::io::Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let text = b"WAIT #1: nam='x' ela= 5 p1=1 p2=0 p3=0 obj#=1 tim=100\n";
            if std::mem::replace(&mut self.0, true) {
                return Err(std::io::Error::other("the disk is gone"));
            }
            buffer[..text.len()].copy_from_slice(text);
            Ok(text.len())
        }
    }
    let mut waits = Waits::default();
    let mut input = std::io::BufReader::new(Broken(false));
    let error = SOURCE.decode(&mut input, &Context::default(), &mut waits).unwrap_err();
    assert_eq!(error.to_string(), "cannot read the input at line 2 (byte 54): the disk is gone");
    assert_eq!(waits.waits.len(), 1);
}

#[test]
fn only_traces_are_recognised() {
    for (head, expected) in [
        ("WAIT #3: nam='db file sequential read' ela= 392 p1=13 p2=9 p3=1\n", Verdict::Yes),
        ("*** SESSION ID:(9.214) 2003-02-11 08:15:30.400\n", Verdict::Yes),
        ("noise\nEXEC #1:c=0,e=5,dep=0,tim=100\n", Verdict::Yes),
        ("LOBREAD: type=PERSISTENT LOB,bytes=1,c=1,e=2,p=0,cr=1,cu=0,tim=5\n", Verdict::Yes),
        ("  WAIT #3: nam='x'\n", Verdict::No),
        ("WAIT for it\nEXEC 5\n", Verdict::No),
        ("Trace file of something else\n", Verdict::No),
        ("1795253272.365783 0.000182\n", Verdict::No),
    ] {
        assert_eq!(SOURCE.sniff(head.as_bytes()), expected, "{head}");
    }
}
