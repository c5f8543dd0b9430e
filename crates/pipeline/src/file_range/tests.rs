use std::collections::BTreeMap;
use std::fmt::Write as _;

use isotherm_frame::{Account, Random, Series, Timestamp};
use isotherm_sources::Columns;
use proptest::prelude::*;

use super::*;
use crate::{FrameSums, Input, read_all};

/// A trace of half a minute with a wall clock that runs away from the times of the records, of which it
/// has a stamp each second or at the beginning only.
fn trace(seed: u64, one_stamp: bool) -> String {
    let (mut random, mut text, mut us) = (Random::new(seed), String::new(), 0);
    let mut next_stamp = 0;
    while us < 30_000_000 {
        us += random.below(60_000);
        if us >= next_stamp && !(one_stamp && next_stamp > 0) {
            let at = 1_795_000_000_000_000 + i64::try_from(us + us / 90).unwrap();
            let at = jiff::Timestamp::from_microsecond(at).unwrap();
            writeln!(text, "*** {}", at.to_string().replace('Z', "+00:00")).unwrap();
            next_stamp += 1_000_000;
        }
        let event = ["log file sync", "latch free", "db file sequential read"][random.index(3)];
        let longest = 1 << random.below(23);
        let (ela, tim) = (random.below(longest), 7_773_284_556_264 + us);
        match random.below(50) {
            0 => writeln!(text, "WAIT #1: nam='damaged"),
            1 => writeln!(text, "a line of another dump"),
            _ => {
                writeln!(text, "WAIT #1: nam='{event}' ela= {ela} p1=1 p2=2 p3=3 obj#=4 tim={tim}")
            }
        }
        .unwrap();
    }
    text
}

/// Lines of a time, a latency and a name, some of which cannot be read.
fn columns(seed: u64) -> String {
    let (mut random, mut text) =
        (Random::new(seed), "end,latency_us,name\n# a comment\n".to_owned());
    for number in 0..1_500 {
        let at = 1_795_000_000_000_000 + number * 20_000 + random.below(50_000);
        let longest = 1 << random.below(23);
        let latency = random.below(longest);
        match random.below(50) {
            0 => writeln!(text, "{at},x,a"),
            1 => writeln!(text, "# {number}"),
            _ => writeln!(text, "{at},{latency},\"{}, \"\"b\"\"\"", number % 3),
        }
        .unwrap();
    }
    text
}

/// What is in each second, series and bucket (the exact time is in a bucket of its own), and the tallies.
type Table = (BTreeMap<(i64, String, Option<u64>), (u64, u64)>, [u64; 5]);

fn table(inputs: &[Input], options: &ReadOptions) -> Table {
    let mut sums = FrameSums::of_whole_intervals(Nanos::SECOND, usize::MAX);
    let mut take = |event| match event {
        Event::Frame(frame) => sums.add(frame),
        Event::Anomaly(anomaly) => panic!("{anomaly}"),
        Event::Message(_) | Event::Mark(_) => {}
    };
    let account =
        read_all(inputs, options, Binning::SECONDS.with_widest(Some(Nanos::SECOND)), &mut take)
            .unwrap();
    let mut cells = BTreeMap::new();
    for frame in sums.take() {
        let second = frame.start.as_nanos().div_euclid(1_000_000_000);
        let counts = &frame.counts;
        let mut add = |lo, count, ns| {
            let cell: &mut (u64, u64) = cells.entry((second, frame.series.full(), lo)).or_default();
            (cell.0, cell.1) = (cell.0 + count, cell.1 + ns);
        };
        add(None, 0, counts.sum().unwrap().as_nanos());
        for index in counts.occupied_range() {
            let lo = counts.scheme().bucket(index).lo.as_nanos();
            add(Some(lo), counts.count(index), counts.waited_in(index));
        }
    }
    cells.retain(|_, cell| *cell != (0, 0));
    let Account { records, rejected, rejected_events, lost, ignored_lines, .. } = account;
    (cells, [records, rejected, rejected_events, lost, ignored_lines])
}

/// The table of a text, and of five ranges of it read as several inputs.
fn tables(text: &str, mut places: [u64; 4], options: &ReadOptions) -> (Table, Table) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    std::fs::write(&path, text).unwrap();
    places.sort_unstable();
    let mut cuts = places.map(|place| place * text.len() as u64 / 1_000_000).to_vec();
    cuts.insert(0, 0);
    let ends = cuts.iter().skip(1).map(|end| Some(*end)).chain([None]);
    let ranges = cuts.iter().zip(ends).map(|(&from, to)| ByteRange { from, to });
    let ranges: Vec<Input> = ranges.map(|range| Input::of_range(&path, range)).collect();
    let whole = crate::expand(vec![path.to_str().unwrap().parse().unwrap()]).unwrap();
    (table(&whole, options), table(&ranges, options))
}

fn options(names: &[&str]) -> ReadOptions {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let columns = (!names.is_empty()).then_some(Columns { names });
    let context = Context { block_length: Some(1 << 10), columns, ..Context::default() };
    ReadOptions { context, ..ReadOptions::default() }
}

/// Where a text is cut, in millionths of it: anywhere, and often in its first lines.
fn places() -> impl Strategy<Value = [u64; 4]> {
    prop::array::uniform4(prop_oneof![3 => 0..1_000_000_u64, 1 => 0..2_000_u64])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn five_ranges_of_a_trace_are_the_whole_in_every_cell(
        seed in any::<u64>(),
        one_stamp in any::<bool>(),
        places in places(),
    ) {
        let (whole, ranges) = tables(&trace(seed, one_stamp), places, &options(&[]));
        prop_assert!(whole.0.len() > 100 && whole.1[1] > 0 && whole.1[4] > 0);
        prop_assert_eq!(whole, ranges);
    }

    #[test]
    fn five_ranges_of_columns_are_the_whole_in_every_cell(
        seed in any::<u64>(),
        places in places(),
    ) {
        let (whole, ranges) = tables(&columns(seed), places, &options(&[]));
        prop_assert!(whole.0.len() > 100 && whole.1[1] > 0 && whole.1[4] > 0);
        prop_assert_eq!(whole, ranges);
    }
}

#[test]
fn intervals_that_a_range_cuts_are_whole_ones() {
    let at = |ms: i64| Timestamp::new(ms * 1_000_000);
    let cut = |reach| {
        let frame = Frame {
            series: Series::named("a"),
            start: at(-1_300),
            end: at(-200),
            counts: isotherm_frame::Histogram::empty(isotherm_frame::Scheme::log_linear()),
            quality: isotherm_frame::Quality::Complete,
        };
        let frame = uncut(frame, Nanos::SECOND, reach);
        (frame.start, frame.end)
    };
    let reach = |from_beginning, to_end| Some(Reach { from_beginning, to_end });
    assert_eq!(cut(reach(true, true)), (at(-1_300), at(-200)));
    assert_eq!(cut(reach(false, true)), (at(-2_000), at(-200)));
    assert_eq!(cut(reach(true, false)), (at(-1_300), at(0)));
    assert_eq!(cut(reach(false, false)), (at(-2_000), at(0)));
}

#[test]
fn lines_before_the_first_event_belong_to_the_range_they_begin_in() {
    let mut lines = String::new();
    (0..20).for_each(|at| writeln!(lines, "{},5", 1_795_000_000_000_000_u64 + at).unwrap());
    let text = format!("end,latency_us\n# one\n# two\n{lines}1795000000000020,x\n");
    for cut in [0, 5, 15, 18, 21, 24, 27, 30, 46] {
        let places = [0, 0, (cut * 1_000_000_u64).div_ceil(text.len() as u64), 1_000_000];
        let (whole, ranges) = tables(&text, places, &options(&[]));
        assert_eq!(whole, ranges, "cut at byte {cut}");
        let header_and_comments = 3;
        assert_eq!(whole.1, [20, 1, 1, 0, header_and_comments], "cut at byte {cut}");
    }
}
