//! `--zone` is honoured by every decoder of times without a zone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use isotherm_formats::{Context, Message, SOURCES, Sink};
use isotherm_frame::{Account, Clock, Reading};
use jiff::tz::{Offset, TimeZone};

/// When readings are, in nanoseconds since 1970, and what is said.
#[derive(Default)]
struct Times {
    times: Vec<i64>,
    tally: Account,
}

impl Sink for Times {
    fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.tally) else { return };
        self.times.push(match reading {
            Reading::Cumulative { at, .. }
            | Reading::Event { at, .. }
            | Reading::Sampled { at, .. }
            | Reading::Unselected { at, .. } => at.as_nanos(),
            Reading::Delta(frame) => frame.end.as_nanos(),
        });
    }
}

fn read(name: &str, bytes: &[u8], zone: Option<TimeZone>) -> Times {
    let source = SOURCES.iter().find(|source| source.meta().name == name).expect("a source");
    let mut times = Times::default();
    let context = Context { zone, ..Context::default() };
    let _ = source.decode(&mut &bytes[..], &context, &mut times);
    times
}

/// Every input of a source's fixtures.
fn inputs() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let inside = |path: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).expect("a directory");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let mut inputs = Vec::new();
    for source in inside(&root).into_iter().filter(|path| path.is_dir()) {
        let name = source.file_name().expect("a name").to_string_lossy().into_owned();
        for case in inside(&source).into_iter().filter(|path| path.is_dir()) {
            let files = inside(&case).into_iter();
            let input = |path: &PathBuf| path.file_stem().is_some_and(|stem| stem == "input");
            inputs.extend(files.filter(input).map(|path| (name.clone(), path)));
        }
    }
    inputs.sort();
    inputs
}

#[test]
fn a_zone_moves_every_time_that_has_none_and_no_other() {
    const UNKNOWN: &str = "UTC is assumed";
    const TWO_HOURS: i64 = 2 * 3_600 * 1_000_000_000;
    let east = || Some(TimeZone::fixed(Offset::constant(2)));
    let mut moved = BTreeSet::new();
    for (name, path) in inputs() {
        let bytes = std::fs::read(&path).expect("a fixture");
        let (plain, zoned) = (read(&name, &bytes, None), read(&name, &bytes, east()));
        let without = plain.tally.notices.iter().any(|said| said.contains(UNKNOWN));
        let file = path.display();
        assert_eq!(plain.times.len(), zoned.times.len(), "{file}");
        // Of ioping it is said before it is decoded: it looks at no option.
        let printed = !["pylatencymap", "oraclepoll", "ioping"].contains(&name.as_str());
        if printed && plain.tally.clock == Clock::TimeOfDay && !plain.times.is_empty() {
            assert!(zoned.tally.notices.iter().any(|said| said.contains("no effect")), "{file}");
        }
        let by: BTreeSet<i64> =
            plain.times.iter().zip(&zoned.times).map(|(plain, zoned)| plain - zoned).collect();
        if !without {
            assert!(by.iter().all(|&by| by == 0), "{file}: {by:?}");
            continue;
        }
        assert!(!zoned.tally.notices.iter().any(|said| said.contains(UNKNOWN)), "{file}");
        assert!(by.iter().all(|by| [0, TWO_HOURS].contains(by)), "{file}: {by:?}");
        if by.contains(&TWO_HOURS) {
            moved.insert(name);
        }
    }
    let moved: Vec<&str> = moved.iter().map(String::as_str).collect();
    for name in
        ["awrreport", "bcc", "columns", "dtrace", "oracletrace", "pylatencymap", "systemtap"]
    {
        assert!(moved.contains(&name), "no fixture of {name} has times without a zone: {moved:?}");
    }
}
