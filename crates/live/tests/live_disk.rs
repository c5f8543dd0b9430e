//! `disk:` with the real bpftrace, where there is one and it may be used.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use isotherm_formats::Message;
use isotherm_frame::{Histogram, Nanos, Reading, Series};
use isotherm_live::{Feed, LiveOptions, OpenError};
use testing::bounded::Deadline;

/// Says so past the test harness, which hides what passing tests print.
fn skipped(why: &str) {
    writeln!(std::io::stderr(), "SKIPPED: {why}").expect("said");
}

/// Opens the feed, or says aloud why it cannot be.
fn open() -> Option<Feed> {
    let options = LiveOptions { interval: Some(Nanos::from_millis(200)), ..LiveOptions::default() };
    match Feed::open(&"disk:".parse().expect("an address"), &options) {
        Ok(feed) => Some(feed),
        Err(error) => {
            assert!(error.is_unreachable(), "{error}");
            skipped(&format!("{error}"));
            None
        }
    }
}

/// Writes `count` blocks through to the device.
fn write_through(directory: &Path, count: usize) -> std::io::Result<()> {
    let through = libc::O_DSYNC;
    let name = directory.join("written");
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .custom_flags(through)
        .open(name)?;
    (0..count).try_for_each(|_| file.write_all(&[7; 4_096]))
}

#[test]
fn writes_are_counted_with_their_device_and_time() {
    const WRITES: usize = 40;
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let device = std::fs::metadata(folder.path()).expect("there").dev();
    if rustix::fs::major(device) == 0 {
        skipped(&format!("{} is not on a block device", folder.path().display()));
        return;
    }
    let Some(feed) = open() else { return };
    let mut firsts: BTreeMap<Series, Histogram> = BTreeMap::new();
    let mut lasts: BTreeMap<Series, Histogram> = BTreeMap::new();
    let written = |firsts: &BTreeMap<Series, Histogram>, lasts: &BTreeMap<Series, Histogram>| {
        let counted = lasts.iter().map(|(series, last)| {
            let op = series.attributes().find(|(key, _)| *key == "op").map(|(_, op)| op.to_owned());
            let since = last.since(&firsts[series]).expect("totals never fall");
            if op.as_deref() == Some("write") { since.events() } else { 0 }
        });
        counted.sum::<u64>()
    };
    let deadline = Deadline::default();
    let mut ticks = 0;
    while written(&firsts, &lasts) < WRITES as u64 {
        let batch = feed.receiver().recv_timeout(deadline.left());
        let batch = batch.unwrap_or_else(|error| panic!("{error}: {lasts:?} since {firsts:?}"));
        for message in batch.messages {
            match message {
                Message::Reading(Reading::Cumulative { series, total, .. }) => {
                    assert_eq!(series.name(), "block I/O");
                    assert!(
                        total.sum().is_some() || total.is_empty(),
                        "the time is exact: {total:?}"
                    );
                    firsts.entry(series.clone()).or_insert_with(|| total.clone());
                    lasts.insert(series, total);
                }
                Message::Record => {
                    ticks += 1;
                    if ticks == 1 {
                        write_through(folder.path(), WRITES).expect("written");
                    }
                }
                _ => {}
            }
        }
        assert!(batch.ending.is_none(), "{:?}", batch.ending);
    }
    feed.stop();
}

#[test]
fn an_unknown_device_is_told_with_those_there_are() {
    let address = "disk:isotherm-none".parse().expect("an address");
    let error = Feed::open(&address, &LiveOptions::default()).err().expect("no such device");
    assert!(matches!(error, OpenError::Device(_)), "{error}");
    assert!(error.is_unreachable());
    assert!(error.to_string().contains("there is no block device 'isotherm-none'; there is: "));
}
