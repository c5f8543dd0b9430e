//! Parts of a trace are the trace: every wait once, at the same moment, in the same series.

use std::fmt::Write as _;

use isotherm_frame::{Account, Random, Reading};
use proptest::prelude::*;

use super::*;
use crate::{ByteRange, Message};

/// How the clock of a trace runs.
#[derive(Copy, Clone, Debug)]
enum Clockwork {
    /// A stamp each second, by a clock that the times of the records run away from.
    Drifting,
    /// One stamp, at the beginning.
    OneStamp,
    /// One stamp, at the end.
    LateStamp,
    /// Times since 1970, and stamps that agree with them.
    Epoch,
    /// Times that look like times since 1970 until a stamp shows that they are not.
    Refuted,
    /// No stamp.
    None,
    /// Waits without times of their own, as 9i and 10.1 write them.
    Timeless,
}

const CLOCKWORKS: [Clockwork; 7] = [
    Clockwork::Drifting,
    Clockwork::OneStamp,
    Clockwork::LateStamp,
    Clockwork::Epoch,
    Clockwork::Refuted,
    Clockwork::None,
    Clockwork::Timeless,
];

/// A stamp of so many microseconds after a moment.
fn stamp(us: u64) -> String {
    let at = jiff::Timestamp::from_microsecond(1_795_000_000_000_000 + i64::try_from(us).unwrap());
    format!("*** {}\n", at.unwrap().to_string().replace('Z', "+00:00"))
}

/// A trace of some seconds.
fn trace(clockwork: Clockwork, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = "Trace file /u01/x.trc\nOracle Database 19c Enterprise Edition Release \
                    19.0.0.0.0 - Production\nNode name: db1\n\n"
        .to_owned();
    let zero: u64 = match clockwork {
        Clockwork::Epoch => 1_795_000_000_000_000,
        Clockwork::Refuted => 1_500_000_000_000_000,
        _ => 7_773_284_556_264,
    };
    let (mut us, mut next_stamp) = (0, 0);
    for number in 0..900 {
        us += random.below(20_000);
        let tim = zero + us;
        if us >= next_stamp {
            let (is_first, drift) = (next_stamp == 0, us / 140);
            next_stamp += 1_000_000;
            match clockwork {
                Clockwork::Drifting => text += &stamp(us + drift),
                Clockwork::Epoch | Clockwork::Timeless => text += &stamp(us),
                Clockwork::OneStamp if is_first => text += &stamp(us),
                Clockwork::Refuted if us > 3_000_000 => text += &stamp(us),
                _ => {}
            }
        }
        record(&mut text, &mut random, (number, tim), matches!(clockwork, Clockwork::Timeless));
    }
    if matches!(clockwork, Clockwork::LateStamp) {
        text += &stamp(us);
        let tim = zero + us + 7;
        let _ = writeln!(text, "WAIT #1: nam='last' ela= 5 p1=1 p2=2 p3=3 obj#=4 tim={tim}");
    }
    text
}

/// A record of any kind: mostly waits.
fn record(text: &mut String, random: &mut Random, (number, tim): (u64, u64), timeless: bool) {
    let longest = 1 << random.below(22);
    let ela = random.below(longest);
    let event = ["db file sequential read", "log file sync", "SQL*Net message from client"]
        [usize::try_from(random.below(3)).unwrap()];
    let written = match random.below(40) {
        // Lines of a statement that look like records and stamps.
        0..4 => {
            let sql = "select /*\nWAIT #1: nam='x' ela= 5 p1=1 p2=2 p3=3 obj#=4 tim=5\n\
                       *** 2020-01-01T00:00:00.000000+00:00\n*/ 1 from dual";
            writeln!(
                text,
                "=====================\nPARSING IN CURSOR #{number} len={} dep=0 uid=5 oct=3 lid=5 \
                 tim={tim} hv=1 ad='a' sqlid='s{number}'\n{sql}\nEND OF STMT",
                sql.len()
            )
        }
        4..8 => writeln!(
            text,
            "EXEC #{number}:c=0,e=5,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim={tim}"
        ),
        8 => writeln!(text, "WAIT #1: nam='damaged"),
        9 => writeln!(text, "a line of another dump"),
        10 => writeln!(text, "*** MODULE NAME:(m{number}) 2026-11-21"),
        11 => writeln!(
            text,
            "PARSE ERROR #7:len=9 dep=0 uid=5 oct=3 lid=5 tim={tim} err=942\nselect 1x"
        ),
        _ if timeless => writeln!(text, "WAIT #1: nam='{event}' ela= {ela} p1=1 p2={number} p3=3"),
        _ => writeln!(
            text,
            "WAIT #1: nam='{event}' ela= {ela} p1={} p2={number} p3=3 obj#=4 tim={tim}",
            number % 3
        ),
    };
    written.unwrap();
}

/// Every wait, and what was counted.
#[derive(Debug, Default, PartialEq)]
struct Read {
    waits: Vec<(String, i64, u64)>,
    records: u64,
    rejected: Vec<String>,
    ignored: u64,
    idle: Vec<(String, u64)>,
}

impl Sink for Read {
    fn take(&mut self, message: Message) {
    let mut account = Account::default();
    match message {
        Message::Reading(Reading::Event { at, series, latency }) => {
            self.waits.push((series.to_string(), at.as_nanos(), latency.as_nanos()));
        }
        Message::Record => self.records += 1,
        Message::Rejected(rejection) => self.rejected.push(rejection.to_string()),
        other => drop(other.into_reading(&mut account)),
    }
    self.ignored += account.ignored_lines;
    let left_out = account.idle.iter();
    self.idle.extend(left_out.map(|waits| (waits.event.clone(), waits.waits)));
    }
}

/// In one order, with the idle waits of all parts added up.
fn sorted(mut read: Read) -> Read {
    read.waits.sort();
    read.rejected.sort();
    read.idle.sort();
    read.idle = read
        .idle
        .chunk_by(|one, other| one.0 == other.0)
        .map(|same| (same[0].0.clone(), same.iter().map(|(_, waits)| waits).sum()))
        .collect();
    read
}

fn context(by: &[&str], threads: usize) -> Context {
    let by = by.iter().map(|name| (*name).to_owned()).collect();
    let block_length = Some(1 << 10);
    Context { by, threads, block_length, leave_out_idle: true, ..Context::default() }
}

fn parts(text: &str, cuts: &[u64], context: &Context) -> Read {
    let mut read = Read::default();
    let bytes = text.as_bytes();
    let ends = cuts.iter().map(|cut| Some(*cut)).chain([None]);
    for (from, to) in [0].iter().chain(cuts).zip(ends) {
        let part = FilePart::new(&bytes, ByteRange { from: *from, to }).unwrap();
        SOURCE.decode_part(&part, context, &mut read).unwrap();
    }
    sorted(read)
}

fn whole(text: &str, context: &Context) -> Read {
    let mut read = Read::default();
    SOURCE.decode(&mut text.as_bytes(), context, &mut read).unwrap();
    sorted(read)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]
    #[test]
    fn five_parts_are_the_whole(
        clockwork in prop::sample::select(&CLOCKWORKS[..]),
        seed in any::<u64>(),
        mut places in prop::array::uniform4(0..1_000_000_u64),
        threads in 1_usize..3,
    ) {
        let text = trace(clockwork, seed);
        places.sort_unstable();
        let cuts = places.map(|place| place * text.len() as u64 / 1_000_000);
        for by in [&[][..], &["event", "p1"]] {
            let context = context(by, threads);
            let (parts, whole) = (parts(&text, &cuts, &context), whole(&text, &context));
            prop_assert!(!whole.waits.is_empty() && !whole.rejected.is_empty());
            prop_assert_eq!(parts, whole);
        }
    }
}

#[test]
fn every_place_is_a_place_to_cut() {
    let text: String = trace(Clockwork::Drifting, 7).split_inclusive('\n').take(60).collect();
    let context = context(&[], 1);
    let expected = whole(&text, &context);
    for cut in 0..=text.len() as u64 {
        assert_eq!(parts(&text, &[cut], &context), expected, "{cut}");
    }
}

#[test]
fn attributes_that_stand_before_a_wait_are_refused() {
    let bytes = trace(Clockwork::OneStamp, 1).into_bytes();
    let bytes = bytes.as_slice();
    let part = FilePart::new(&bytes, ByteRange { from: 9, to: None }).unwrap();
    for name in ["sql", "depth", "module", "session", "container", "process"] {
        let read = SOURCE.decode_part(&part, &context(&["event", name], 1), &mut Read::default());
        let error = read.unwrap_err().to_string();
        assert!(error.contains(&format!("'{name}'")) && error.contains("whole file"), "{error}");
    }
    for name in ["event", "p1", "file", "object", "cursor"] {
        let read = SOURCE.decode_part(&part, &context(&[name], 1), &mut Read::default());
        assert!(read.is_ok(), "{name}");
    }
}

/// When waits ended: those wanted, and those that are not.
#[derive(Default)]
struct Ends(Vec<i64>, Vec<i64>);
impl Sink for Ends {
    fn take(&mut self, message: Message) {
    match message {
        Message::Reading(Reading::Event { at, .. }) => self.0.push(at.as_nanos()),
        Message::Reading(Reading::Unselected { at, .. }) => self.1.push(at.as_nanos()),
        _ => {}
    }
    }
}

#[test]
fn the_next_wait_says_until_when_it_went_on() {
    let text = trace(Clockwork::OneStamp, 3);
    let bytes = text.as_bytes();
    let (mut first, mut second) = (Ends::default(), Ends::default());
    let middle = bytes.len() as u64 / 2;
    for (range, ends) in [
        (ByteRange { from: 0, to: Some(middle) }, &mut first),
        (ByteRange { from: middle, to: None }, &mut second),
    ] {
        let part = FilePart::new(&bytes, range).unwrap();
        SOURCE.decode_part(&part, &context(&[], 1), ends).unwrap();
    }
    let last = *first.0.iter().max().unwrap();
    assert!(first.1.contains(&second.0[0]) && first.1.iter().any(|at| *at > last));
    assert!(second.1.is_empty());
}
