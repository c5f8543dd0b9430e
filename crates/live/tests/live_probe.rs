//! The probe, on real directories.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use isotherm_formats::Message;
use isotherm_frame::{Reading, Timestamp};
use isotherm_live::{Address, Feed, LiveOptions, OpenError, ProbeError, ProbeOptions};
use isotherm_load::file::ScratchError;
use testing::bounded::Deadline;

fn address(directory: &Path) -> Address {
    format!("probe:{}", directory.display()).parse().expect("an address")
}

fn options(write: bool) -> LiveOptions {
    let probe = ProbeOptions { rate_hz: 500.0, size: 1 << 20, write, ..ProbeOptions::default() };
    LiveOptions { probe, ..LiveOptions::default() }
}

fn open(directory: &Path, write: bool) -> Result<Feed, OpenError> {
    Feed::open(&address(directory), &options(write))
}

/// Says so past the test harness, which hides what passing tests print.
fn skipped(why: &str) {
    writeln!(std::io::stderr(), "SKIPPED: {why}").expect("said");
}

/// Takes messages until there are `operations` measurements and the source has said it is alive since.
fn probe(feed: &Feed, operations: usize) -> Vec<Message> {
    let deadline = Deadline::default();
    let (mut messages, mut seen) = (Vec::new(), 0);
    loop {
        let batch = feed.receiver().recv_timeout(deadline.left());
        let batch = batch.unwrap_or_else(|error| panic!("{error}: {messages:?}"));
        for message in batch.messages {
            seen += usize::from(matches!(message, Message::Reading(_)));
            let alive = matches!(message, Message::Alive(_));
            messages.push(message);
            if seen >= operations && alive {
                return messages;
            }
        }
    }
}

fn attributes(messages: &[Message]) -> Vec<(String, String)> {
    let Some(Message::Reading(Reading::Event { series, .. })) =
        messages.iter().find(|message| matches!(message, Message::Reading(_)))
    else {
        panic!("no operation was measured");
    };
    assert_eq!(series.name(), "probe");
    series.attributes().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn pairs<'a>(pairs: &[(&'a str, &'a str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn names_in(directory: &Path) -> usize {
    std::fs::read_dir(directory).expect("a directory").count()
}

#[test]
fn reads_are_measured_in_order_and_nothing_is_left_behind() {
    // Beside the tests' binary, which is on a disk where direct I/O works, unlike /tmp in places.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let feed = open(folder.path(), false).expect("the probe starts");
    assert_eq!(names_in(folder.path()), 0, "the scratch file has no name, even while it is used");
    let messages = probe(&feed, 50);
    feed.stop();
    assert_eq!(names_in(folder.path()), 0);

    let direct = if messages.iter().any(|message| matches!(message, Message::Warning(_))) {
        "no"
    } else {
        "yes"
    };
    let path = folder.path().to_string_lossy();
    let expected = pairs(&[("direct", direct), ("op", "read"), ("path", &path)]);
    assert_eq!(attributes(&messages), expected);

    let mut last = Timestamp::new(0);
    let (mut events, mut records) = (0, 0);
    for message in &messages {
        match message {
            Message::Reading(Reading::Event { at, latency, .. }) => {
                assert!(*at >= last, "time never steps back");
                assert!(latency.as_nanos() > 0);
                last = *at;
                events += 1;
            }
            Message::Alive(at) => {
                assert!(*at >= last);
                last = *at;
            }
            Message::Record => records += 1,
            Message::Note(_) | Message::Warning(_) => {}
            other => panic!("unexpected {other:?}"),
        }
    }
    assert_eq!(events, records);
    let (now, hour) = (std::time::SystemTime::now(), Duration::from_hours(1));
    let since = now.duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_nanos();
    assert!(u128::from(last.as_nanos().unsigned_abs()).abs_diff(since) < hour.as_nanos());
}

#[test]
fn writes_are_measured_with_their_sync() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let feed = open(folder.path(), true).expect("the probe starts");
    let messages = probe(&feed, 5);
    let op = attributes(&messages).into_iter().find(|(key, _)| key == "op");
    assert_eq!(op, Some(("op".to_owned(), "write+fdatasync".to_owned())));
}

#[test]
fn memory_is_not_passed_off_as_a_disk() {
    let memory = Path::new("/dev/shm");
    if !memory.is_dir() {
        skipped("there is no /dev/shm here");
        return;
    }
    let feed = open(memory, false).expect("the probe starts");
    let messages = probe(&feed, 5);
    let direct = isotherm_live::direct_io_works(memory);
    assert!(matches!(direct, Ok(false)), "{direct:?}");
    let warned = messages.iter().any(
        |message| matches!(message, Message::Warning(text) if text.contains("filesystem is memory (tmpfs)")),
    );
    assert!(warned, "{messages:?}");
    assert!(attributes(&messages).contains(&("direct".to_owned(), "no".to_owned())));
}

#[test]
fn a_file_is_probed_beside() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let file = folder.path().join("table.dbf");
    std::fs::write(&file, b"untouched").expect("written");
    let feed = open(&file, true).expect("the probe starts");
    probe(&feed, 2);
    drop(feed);
    assert_eq!(std::fs::read(&file).expect("still there"), b"untouched");
    assert_eq!(names_in(folder.path()), 1);
}

#[test]
fn what_cannot_be_probed_says_why() {
    let error = open(Path::new("/nonexistent/place"), false).err().expect("no probe");
    assert!(
        matches!(error, OpenError::Probe(ProbeError::Scratch(ScratchError::Missing(_)))),
        "{error}"
    );
    assert!(error.is_unreachable());

    let error = open(Path::new("/proc"), false).err().expect("no probe");
    assert!(error.is_unreachable(), "{error}");

    let folder = tempfile::tempdir().expect("a directory");
    let address = address(folder.path());
    let refused = |probe: ProbeOptions| {
        let options = LiveOptions { probe, ..LiveOptions::default() };
        Feed::open(&address, &options).err().expect("no probe")
    };
    let huge = refused(ProbeOptions { size: 1 << 60, ..ProbeOptions::default() });
    assert!(
        matches!(huge, OpenError::Probe(ProbeError::Scratch(ScratchError::NoSpace { .. }))),
        "{huge}"
    );
    assert_eq!(names_in(folder.path()), 0);
    for probe in [
        ProbeOptions { rate_hz: 0.0, ..ProbeOptions::default() },
        ProbeOptions { rate_hz: f64::NAN, ..ProbeOptions::default() },
        ProbeOptions { rate_hz: f64::INFINITY, ..ProbeOptions::default() },
        ProbeOptions { block: 1_000, ..ProbeOptions::default() },
        ProbeOptions { block: 0, ..ProbeOptions::default() },
        ProbeOptions { size: 512, ..ProbeOptions::default() },
    ] {
        let error = refused(probe);
        assert!(matches!(error, OpenError::Probe(ProbeError::Options(_))), "{error}");
        assert!(!error.is_unreachable());
    }
}
