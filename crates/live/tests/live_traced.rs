//! Our tracing programs on the kernel that is there: what a known load did is what is told. Skipped where
//! bpftrace or the privilege to trace is missing.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use isotherm_formats::Message;
use isotherm_frame::{Assembler, BinnerLimits, Event, Frame, Nanos};
use isotherm_live::{Feed, LiveOptions};
use testing::bounded::{self, Deadline};

/// Opens an address; `None` where tracing is not possible here.
fn open(address: &str) -> Option<Feed> {
    let options = LiveOptions { interval: Some(Nanos::from_millis(100)), ..LiveOptions::default() };
    match Feed::open(&address.parse().unwrap(), &options) {
        Ok(feed) => Some(feed),
        Err(error) => {
            assert!(error.is_unreachable(), "{error}");
            writeln!(std::io::stderr(), "SKIPPED: {error}").expect("said");
            None
        }
    }
}

/// Reads until so many events of the series are there; all that were.
fn events_of(feed: &Feed, series: &str, wanted: u64, load: impl Fn()) -> u64 {
    let mut assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
    let (mut frames, mut loaded): (Vec<Frame>, bool) = (Vec::new(), false);
    let count = |frames: &[Frame]| -> u64 {
        let of = frames.iter().filter(|frame| frame.series.full() == series);
        of.map(|frame| frame.counts.events()).sum()
    };
    let deadline = Deadline::default();
    while count(&frames) < wanted {
        let mut counts = false;
        let batch = feed.receiver().recv_timeout(deadline.left());
        let batch = batch.unwrap_or_else(|error| panic!("{error}: {frames:?}"));
        for message in batch.messages {
            match message {
                Message::Reading(reading) => {
                    counts = true;
                    assembler.push(reading, &mut |event| {
                        if let Event::Frame(frame) = event {
                            frames.push(frame);
                        }
                    });
                }
                Message::Rejected(rejection) => panic!("{rejection}"),
                _ => {}
            }
        }
        assert!(batch.ending.is_none(), "{:?}", batch.ending);
        // The first totals show that the program is there.
        if counts && !std::mem::replace(&mut loaded, true) {
            load();
        }
    }
    count(&frames)
}

#[test]
fn system_calls_of_a_process_are_counted_one_by_one() {
    let Some(feed) = open(&format!("syscall:{}", std::process::id())) else { return };
    let file = tempfile::tempfile().unwrap();
    file.write_all_at(&[7; 4_096], 0).unwrap();
    let done = AtomicU64::new(0);
    let seen = events_of(&feed, "pread64", 700, || {
        let mut buffer = [0; 512];
        for _ in 0..700 {
            file.read_exact_at(&mut buffer, 512).unwrap();
            done.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert_eq!((seen, done.load(Ordering::Relaxed)), (700, 700));
}

#[test]
fn connections_that_are_made_are_counted() {
    let Some(feed) = open("tcp:") else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, ours) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let deadline = Deadline::default();
            while !stop.load(Ordering::Relaxed) && !deadline.left().is_zero() {
                let made = bounded::connect(address).unwrap();
                drop((bounded::accept(&listener).unwrap(), made));
                ours.fetch_add(1, Ordering::Relaxed);
                // wall clock: some 100 connections a second, for as long as they are looked for
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        // Others on this machine connect, too.
        let made = events_of(&feed, "TCP connect", 50, || {});
        stop.store(true, Ordering::Relaxed);
        assert!(made >= 50 && ours.load(Ordering::Relaxed) >= 50, "{made}");
    });
}

#[test]
fn files_that_are_synced_are_counted() {
    let Some(feed) = open("fs:") else { return };
    let file = tempfile::tempfile().unwrap();
    let done = AtomicU64::new(0);
    let seen = events_of(&feed, "file calls{op=fdatasync}", 300, || {
        for at in 0..300 {
            file.write_all_at(&[7; 512], at * 512).unwrap();
            file.sync_data().unwrap();
            done.fetch_add(1, Ordering::Relaxed);
        }
    });
    // Others on this machine sync files, too: none of ours is missing.
    assert!(seen >= 300 && done.load(Ordering::Relaxed) == 300, "{seen}");
}

#[test]
fn threads_that_are_woken_wait_in_the_run_queue() {
    let Some(feed) = open("runq:") else { return };
    let voluntary = || -> u64 {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        line.unwrap().trim().parse().unwrap()
    };
    let switched = AtomicU64::new(0);
    let seen = events_of(&feed, "run queue{why=woken}", 200, || {
        let before = voluntary();
        for _ in 0..200 {
            // wall clock: each sleep gives the processor up, and waits for it again
            std::thread::sleep(Duration::from_micros(100));
        }
        switched.fetch_add(voluntary() - before, Ordering::Relaxed);
    });
    assert!(switched.load(Ordering::Relaxed) >= 200, "the kernel counted {switched:?} switches");
    assert!(seen >= 200, "{seen}");
}
