use std::collections::BTreeMap;
use std::fmt::Write as _;

use isotherm_formats::Columns;
use isotherm_frame::{Account, Random, Series, Timestamp};
use proptest::prelude::*;
use testing::grid;

use super::*;
use crate::{FrameSums, Input, read_all};

/// A trace of half a minute with a wall clock that runs away from the times of the records, of which it
/// has a stamp each second or at the beginning only.
fn trace(seed: u64, one_stamp: bool) -> String {
    trace_of_waits(seed, one_stamp, 23)
}

/// The same with waits of at most so many powers of two of microseconds.
fn trace_of_waits(seed: u64, one_stamp: bool, octaves: u64) -> String {
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
        let longest = 1 << random.below(octaves);
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

/// Waits of 20 to 100 seconds among few short ones, which end at whole seconds or at any time.
fn waits(seed: u64, at_whole_seconds: bool) -> String {
    let (mut random, mut text) = (Random::new(seed), "end,latency_us,name\n".to_owned());
    let mut at = 1_795_000_000_000_000;
    for _ in 0..80 {
        at += random.below(5_000_000);
        let end = if at_whole_seconds { at - at % 1_000_000 } else { at };
        let latency = match random.below(3) {
            0 => 20_000_000 + random.below(80_000_000),
            _ => random.below(3_000),
        };
        writeln!(text, "{end},{latency},{}", random.below(3)).unwrap();
    }
    text
}

/// What is in each interval (in seconds; those of the ends of the input are completed), series and bucket
/// (the exact time is in a bucket of its own), and the tallies.
type Table = (BTreeMap<((i64, i64), String, Option<u64>), (u64, u64)>, [u64; 5]);

fn table(inputs: &[Input], options: &ReadOptions) -> Result<Table, PipelineError> {
    let mut sums = FrameSums::of_whole_intervals(Nanos::SECOND, usize::MAX);
    let mut take = |event| match event {
        Event::Frame(frame) => sums.add(frame),
        Event::Anomaly(_) | Event::Message(_) | Event::Mark(_) => {}
    };
    let account =
        read_all(inputs, options, Binning::SECONDS.with_widest(Some(Nanos::SECOND)), &mut take)?;
    let mut cells = BTreeMap::new();
    for frame in sums.take() {
        let second = |ns: i64| ns.div_euclid(1_000_000_000);
        let interval = (second(frame.start.as_nanos()), second(frame.end.as_nanos() - 1) + 1);
        let counts = &frame.counts;
        let mut add = |lo, count, ns| {
            let cell: &mut (u64, u64) =
                cells.entry((interval, frame.series.full(), lo)).or_default();
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
    Ok((cells, [records, rejected, rejected_events, lost, ignored_lines]))
}

/// The table of a text, and of five ranges of it read as several inputs.
fn tables(text: &str, places: [u64; 4], options: &ReadOptions) -> (Table, Table) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    std::fs::write(&path, text).unwrap();
    tables_of_file(&path, places, options).unwrap()
}

fn tables_of_file(
    path: &Path,
    mut places: [u64; 4],
    options: &ReadOptions,
) -> Result<(Table, Table), PipelineError> {
    let length = std::fs::metadata(path).unwrap().len();
    places.sort_unstable();
    let mut cuts = places.map(|place| place * length / 1_000_000).to_vec();
    cuts.insert(0, 0);
    let ends = cuts.iter().skip(1).map(|end| Some(*end)).chain([None]);
    let ranges = cuts.iter().zip(ends).map(|(&from, to)| ByteRange { from, to });
    let ranges: Vec<Input> = ranges.map(|range| Input::of_range(path, range)).collect();
    let whole = crate::expand(vec![path.to_str().unwrap().parse().unwrap()]).unwrap();
    Ok((table(&whole, options)?, table(&ranges, options)?))
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
    #![proptest_config(ProptestConfig::with_cases(grid::cases(24, 6)))]
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(grid::cases(64, 16)))]
    #[test]
    fn five_ranges_of_long_waits_are_the_whole_in_every_cell(
        seed in any::<u64>(),
        at_whole_seconds in any::<bool>(),
        places in places(),
    ) {
        let text = waits(seed, at_whole_seconds);
        let (whole, ranges) = tables(&text, places, &options(&[]));
        prop_assert!(whole.0.len() > 100 && whole.1[0] == 80);
        // All of the time, by a sum of their own.
        let us: u64 =
            text.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse::<u64>().unwrap()).sum();
        let exact = whole.0.iter().filter(|((.., lo), _)| lo.is_none()).map(|(_, (_, ns))| ns);
        prop_assert_eq!(exact.sum::<u64>(), us * 1_000);
        prop_assert!(whole.0.keys().all(|((start, end), ..)| end - start == 1));
        prop_assert_eq!(whole, ranges);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(grid::cases(24, 6)))]
    /// The trace is of half a minute, and so are some of its waits.
    #[test]
    fn five_ranges_of_a_trace_of_long_waits_are_the_whole_in_every_cell(
        seed in any::<u64>(),
        one_stamp in any::<bool>(),
        places in places(),
    ) {
        let text = trace_of_waits(seed, one_stamp, 26);
        let (whole, ranges) = tables(&text, places, &options(&[]));
        prop_assert!(whole.0.len() > 100);
        prop_assert_eq!(whole, ranges);
    }
}

/// What a fixture says of how it is read; `None` where that takes more than a unit, a column or `by`.
fn options_of(folder: &Path) -> Option<ReadOptions> {
    let about = std::fs::read_to_string(folder.join("about.toml")).unwrap();
    let context = about.split("[context]").nth(1).unwrap_or_default();
    let mut options = options(&[]);
    for line in context.split("[expect]").next()?.lines() {
        let Some((key, value)) = line.split_once(" = ") else { continue };
        let words: Vec<String> = value
            .split(',')
            .map(|word| word.trim_matches(['[', ']', '"', ' ']).to_owned())
            .collect();
        let told = &mut options.context;
        match key {
            "unit" => told.unit = Some(words[0].parse().unwrap()),
            "columns" => told.columns = Some(Columns { names: words }),
            "by" => told.by = words,
            _ => return None,
        }
    }
    Some(options)
}

/// All fixtures of the formats of which ranges are read, cut at many places.
#[test]
fn five_ranges_of_each_fixture_are_the_whole_in_every_cell() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/fixtures");
    let (mut compared, cuts) = (BTreeMap::new(), grid::cases(8, 3));
    for source in ["columns", "logs", "oracletrace"] {
        for folder in std::fs::read_dir(fixtures.join(source)).unwrap() {
            let folder = folder.unwrap().path();
            let Some(options) = options_of(&folder) else { continue };
            let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
            let input = files.into_iter().find(|file| file.file_stem() == Some("input".as_ref()));
            let (input, mut random) = (input.unwrap(), Random::new(7));
            for _ in 0..cuts {
                let places = [(); 4].map(|()| random.below(1_000_000));
                // Some are no input at all, or are not read in ranges.
                let Ok((whole, ranges)) = tables_of_file(&input, places, &options) else { break };
                assert_eq!(whole, ranges, "{} cut at {places:?}", input.display());
                *compared.entry(source).or_insert(0) += 1;
            }
        }
    }
    let enough = compared.values().filter(|count| **count >= 3 * cuts).count();
    assert_eq!(enough, 3, "{compared:?}");
}

#[test]
fn intervals_that_a_range_cuts_are_whole_ones() {
    let at = |ms: i64| Timestamp::new(ms * 1_000_000);
    let cut_with = |events: u64, reach| {
        let mut counts = isotherm_frame::Histogram::empty(isotherm_frame::Scheme::log_linear());
        (0..events).for_each(|_| counts.record(Nanos::from_millis(1)));
        let frame = Frame {
            series: Series::named("a"),
            start: at(-1_300),
            end: at(-200),
            counts,
            quality: isotherm_frame::Quality::Complete,
        };
        let frame = uncut(frame, Nanos::SECOND, reach);
        (frame.start, frame.end)
    };
    let cut = |reach| cut_with(1, reach);
    let reach = |from_beginning, to_end| Some(Reach { from_beginning, to_end });
    // Before the first end it is known only that somebody waited.
    assert_eq!(cut_with(0, reach(false, false)), (at(-1_300), at(0)));
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
