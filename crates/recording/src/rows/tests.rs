use std::collections::BTreeMap;

use isotherm_frame::{
    Account, Detail, Frame, Gap, Histogram, Nanos, Partial, Quality, Scheme, Series, Timestamp,
};
use proptest::prelude::*;

use super::*;

fn frame(second: i64, series: &Series, latencies_us: &[u64]) -> Frame {
    let at = |second: i64| Timestamp::new(second * 1_000_000_000);
    let mut counts = Histogram::empty(Scheme::log_linear());
    for us in latencies_us {
        counts.record(Nanos::from_micros(*us));
    }
    Frame {
        series: series.clone(),
        start: at(second),
        end: at(second + 1),
        counts,
        quality: Quality::Complete,
    }
}

/// Lengths that are estimates, as those of sampled waits: they are added, and stay what they are.
#[test]
fn lengths_to_within_half_a_period_are_added() {
    let series = Series::named("Lock:relation");
    let within = Nanos::from_millis(50);
    let frame = frame(3, &series, &[100_000, 120_000]);
    let estimated = Frame { counts: frame.counts.with_length_error(within), ..frame };
    let text = table(std::slice::from_ref(&estimated));
    assert!(text.contains("; lengths to within 50000000 ns"), "{text}");
    assert_eq!(read(&text, usize::MAX).unwrap(), std::slice::from_ref(&estimated));
    let twice = read(&grouped(&[text.clone(), text]), usize::MAX).unwrap();
    let both = estimated.counts.merge(&estimated.counts);
    assert_eq!(twice, [Frame { counts: both, ..estimated }]);
}

fn table(frames: &[Frame]) -> String {
    let mut out = Vec::new();
    write_head(&mut out).unwrap();
    for frame in frames {
        write_rows(frame, &mut out).unwrap();
    }
    String::from_utf8(out).unwrap()
}

fn read(table: &str, most_bytes: usize) -> Result<Vec<Frame>, String> {
    let mut frames = Vec::new();
    let read = read_rows(&mut table.as_bytes(), most_bytes, &mut |frame| frames.push(frame));
    read.map(|_| frames).map_err(|error| error.to_string())
}

/// What `GROUP BY` of all columns but the numbers gives: another program's sums, and its order.
fn grouped(tables: &[String]) -> String {
    let mut groups: BTreeMap<String, [Option<u64>; 3]> = BTreeMap::new();
    for line in tables.iter().flat_map(|table| table.lines().skip(1)) {
        let cells: Vec<&str> = line.split(',').collect();
        let key = [&cells[..5], &cells[6..8]].concat().join(",");
        let sums = groups.entry(key).or_default();
        for (sum, cell) in sums.iter_mut().zip([cells[5], cells[8], cells[9]]) {
            if let Ok(number) = cell.parse::<u64>() {
                *sum = Some(sum.unwrap_or(0) + number);
            }
        }
    }
    let text = |number: &Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let row = |(key, sums): (&String, &[Option<u64>; 3])| {
        let key: Vec<&str> = key.split(',').collect();
        let cells = [
            key[..5].join(","),
            text(&sums[0]),
            key[5..].join(","),
            text(&sums[1]),
            text(&sums[2]),
        ];
        cells.join(",")
    };
    // In the order of text, which is not that of time.
    let rows: Vec<String> = groups.iter().map(row).collect();
    [ROW_COLUMNS.join(","), rows.join("\n")].join("\n") + "\n"
}

#[test]
fn names_attributes_and_gaps_come_back() {
    let odd = Series::with_attributes("a, \"b\"", [("k=;", "v%,\n"), ("empty", "")]);
    let mut gap = frame(5, &odd, &[]);
    gap.quality = Quality::Gap(Gap::Reset);
    let frames = [frame(1, &odd, &[10, 20, 300]), gap];
    let found = read(&table(&frames), 1 << 20).unwrap();
    assert_eq!(found.len(), 2);
    for (found, frame) in found.iter().zip(&frames) {
        assert_eq!((&found.series, found.quality), (&frame.series, frame.quality));
        assert_eq!(found.counts.sum(), frame.counts.sum());
        assert_eq!(found.counts.counts(), frame.counts.counts());
    }
}

#[test]
fn a_frame_without_an_exact_sum_stays_apart_from_one_with() {
    let series = Series::named("a");
    let exact = frame(1, &series, &[100]);
    let mut estimated = frame(1, &series, &[200]);
    estimated.counts = estimated.counts.with_sum(None);
    let sums =
        grouped(&[table(std::slice::from_ref(&exact)), table(std::slice::from_ref(&estimated))]);
    let found = read(&sums, 1 << 20).unwrap();
    let known: Vec<_> =
        found.iter().map(|frame| (frame.counts.events(), frame.counts.sum())).collect();
    assert_eq!(known.len(), 2);
    assert!(
        known.contains(&(1, Some(Nanos::from_micros(100)))) && known.contains(&(1, None)),
        "{known:?}"
    );
}

/// Tables read together.
fn read_all(tables: &[String], most_bytes: usize) -> Result<Vec<Frame>, String> {
    let mut inputs: Vec<&[u8]> = tables.iter().map(String::as_bytes).collect();
    let inputs = inputs.iter_mut().map(|input| input as &mut (dyn std::io::BufRead + Send));
    let mut frames = Vec::new();
    let mut rows = RowTable::new(most_bytes);
    let read = rows.read(inputs.collect(), &mut |frame| frames.push(frame));
    read.map_err(|unreadable| format!("{}: {}", unreadable.place, unreadable.error))?;
    rows.finish(&mut |frame| frames.push(frame)).map_err(|error| error.to_string())?;
    Ok(frames)
}

/// The rows of a table dealt out to several.
fn dealt(table: &str, parts: usize) -> Vec<String> {
    let head = ROW_COLUMNS.join(",") + "\n";
    let row = |at: usize| table.lines().skip(1).skip(at).step_by(parts);
    (0..parts).map(|at| row(at).fold(head.clone(), |table, row| table + row + "\n")).collect()
}

#[test]
fn averages_have_their_mark_in_a_column_of_words() {
    let series = Series::named("read").with_detail(Detail::Averages);
    let mut averages = frame(1, &series, &[]);
    averages.counts = Histogram::of_averages(4, Nanos::from_micros(900));
    let written = table(&[averages.clone(), averages.clone()]);
    let row = "1000000000,2000000000,read,,complete; counted where it ended; averages,900000,,,4,";
    assert_eq!(written.lines().nth(1), Some(row));
    let earlier = written.replace("; averages,900000,", ",900000,averages");
    for text in [&written, &earlier, &grouped(std::slice::from_ref(&written))] {
        let found = read(text, 1 << 20).unwrap();
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].series, series);
        assert_eq!(found[0].counts, Histogram::of_averages(8, Nanos::from_micros(1_800)));
    }
    let both = read_all(&[written.clone(), earlier], 1 << 20).unwrap();
    assert_eq!(both.iter().map(|frame| frame.counts.events()).collect::<Vec<_>>(), [16]);
    let wrong = written.replacen(",900000,,", ",900000,5,", 1);
    assert!(read(&wrong, 1 << 20).unwrap_err().contains("averages have no bucket"));
}

#[test]
fn tables_in_order_are_added_up_in_little_memory() {
    let series = ["a", "b"].map(Series::named);
    let seconds = |at: usize| {
        let frames = (0..1_000).map(|second| frame(second, &series[at % 2], &[100, 7]));
        table(&frames.collect::<Vec<_>>())
    };
    let tables: Vec<String> = (0..6).map(seconds).collect();
    let (little, much) = (read_all(&tables, 4_000).unwrap(), read_all(&tables, 1 << 24).unwrap());
    assert_eq!(little.len(), 2_000);
    assert_eq!(little, much);
    assert!(little.iter().all(|frame| frame.counts.events() == 6));
    let shuffled = [
        tables[0].clone(),
        tables[1].lines().rev().fold(ROW_COLUMNS.join(",") + "\n", |all, line| {
            if line.starts_with("start_ns") { all } else { all + line + "\n" }
        }),
    ];
    assert!(read_all(&shuffled, 1 << 24).is_ok());
    let error = read_all(&shuffled, 4_000).unwrap_err();
    assert!(error.starts_with("1: line ") && error.ends_with("or give more --memory"), "{error}");
}

#[test]
fn tables_with_different_buckets_keep_their_counts_and_their_time() {
    let series = Series::named("a");
    let fine = frame(1, &series, &[100, 200, 5_000]);
    let mut coarse = fine.clone();
    coarse.counts = Histogram::empty(Scheme::powers_of_two(isotherm_frame::Unit::Millis));
    coarse.counts.record(Nanos::from_micros(1_500));
    let tables = [table(std::slice::from_ref(&fine)), table(std::slice::from_ref(&coarse))];
    let found = read_all(&tables, 1 << 20).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].counts.events(), 4);
    assert_eq!(found[0].counts.sum(), Some(Nanos::from_micros(6_800)));
    assert_eq!(read(&grouped(&tables), 1 << 20).unwrap(), found);
}

#[test]
fn accounts_add_up() {
    let account = Account { records: 5, rejected: 2, lost: 1, ..Account::default() };
    let mut out = Vec::new();
    write_head(&mut out).unwrap();
    for _ in 0..2 {
        write_account(&account, &mut out).unwrap();
    }
    let read = read_rows(&mut out.as_slice(), 1 << 20, &mut |_| panic!("a frame")).unwrap();
    assert_eq!((read.account.records, read.account.rejected, read.account.lost), (10, 4, 2));
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let head = ROW_COLUMNS.join(",");
    for (row, why) in [
        ("1,2,a,,complete,,10,20", "8 fields instead of 10"),
        ("1,2,a,,complete,,10,20,x,", "'x' is no whole number"),
        ("1,2,a,,perfect,,10,20,1,", "'perfect' is no quality"),
        ("1,2,a,k,complete,,10,20,1,", "no name=value"),
        ("1,2,a,,complete,,20,10,1,", "is empty"),
        ("x,2,a,,complete,,10,20,1,", "no time"),
        ("1,2,a,,complete,,10,20,9007199254740993,", "9007199254740993 events cannot be true"),
        ("1,2,a,,complete,,10,20,1,18446744073709551615", "more than a recording holds"),
        ("1,2,a,,complete,,315360000000000001,,1,", "more than ten years"),
        ("1,2,a,,complete,18446744073709551615,,,0,", "more than a recording holds"),
    ] {
        let error = read(&format!("{head}\n{row}\n"), 1 << 20).unwrap_err();
        assert!(error.contains(why) && error.contains("line 2"), "{row}: {error}");
    }
    let most = (1_u64 << 52) + 1;
    let twice = format!("1,2,a,,complete,,10,20,{most},\n1,2,a,,complete,,10,20,{most},\n");
    let error = read(&format!("{head}\n{twice}"), 1 << 20).unwrap_err();
    assert!(error.contains("line 3: 9007199254740994 events cannot be true"), "{error}");
    // Eleven years are the mean, which all rows of a frame show together.
    let mean = "1,2,a,,complete,346896000000000000,,,0,\n1,2,a,,complete,,10,,1,\n";
    let error = read(&format!("{head}\n{mean}"), 1 << 20).unwrap_err();
    assert!(error.contains("the rows of a from 1 to 2 ns together: a mean of"), "{error}");
}

#[test]
fn what_does_not_fit_in_memory_must_be_in_order() {
    let series = Series::named("a");
    let seconds: Vec<Frame> = (0..1_000).map(|second| frame(second, &series, &[100])).collect();
    let sorted = table(&seconds);
    assert_eq!(read(&sorted, 2_000).unwrap().len(), 1_000);
    let mut lines: Vec<&str> = sorted.lines().collect();
    lines[1..].reverse();
    let reversed = lines.join("\n");
    assert!(read(&reversed, 1 << 22).is_ok());
    // From the last second back nothing can be handed on before all is read.
    assert!(read(&reversed, 2_000).unwrap_err().contains("not in the order of start_ns"));
    let mixed: Vec<Frame> = seconds[500..].iter().chain(&seconds[..500]).cloned().collect();
    assert!(read(&table(&mixed), 2_000).unwrap_err().contains("not in the order of start_ns"));
}

#[test]
fn rows_of_one_moment_that_do_not_fit_in_memory_are_refused() {
    let named = |number: usize| Series::with_attributes("a", [("who", format!("s{number}"))]);
    let frames: Vec<Frame> = (0..20_000).map(|number| frame(1, &named(number), &[100])).collect();
    let text = table(&frames);
    assert_eq!(read(&text, 64 << 20).unwrap().len(), 20_000);
    let error = read(&text, 1 << 20).unwrap_err();
    assert!(error.contains("do not fit in memory: choose fewer series"), "{error}");
    // Some 2 MiB were full with so many lines, of which each frame has two.
    let line: usize = error.split([' ', ':']).nth(1).unwrap().parse().unwrap();
    assert!((2_000..8_000).contains(&line), "{error}");
}

proptest! {
    /// Parts in any split, grouped by another program, are the whole: counts, sums and times.
    #[test]
    fn the_table_is_closed_under_group_by(
        parts in prop::collection::vec(
            prop::collection::vec((0_i64..5, 0_usize..3, prop::collection::vec(1_u64..1 << 30, 0..6)), 1..6),
            1..5,
        )
    ) {
        let series = ["a", "b", "c"].map(|name| Series::with_attributes(name, [("k", name)]));
        let of = |&(second, name, ref us): &(i64, usize, Vec<u64>)| frame(second, &series[name], us);
        let tables: Vec<String> =
            parts.iter().map(|part| table(&part.iter().map(of).collect::<Vec<_>>())).collect();
        let mut expected: BTreeMap<(i64, String), Histogram> = BTreeMap::new();
        for frame in parts.iter().flatten().map(of) {
            let key = (frame.start.as_nanos(), frame.series.full());
            expected.entry(key).and_modify(|sum| sum.add(&frame.counts)).or_insert(frame.counts);
        }
        let found = read(&grouped(&tables), 1 << 22).unwrap();
        // An engine writes what it has grouped to any number of files.
        for parts in [1, 2, 5] {
            prop_assert_eq!(&read_all(&dealt(&grouped(&tables), parts), 1 << 22).unwrap(), &found);
        }
        prop_assert_eq!(found.len(), expected.len());
        for frame in found {
            let expected = &expected[&(frame.start.as_nanos(), frame.series.full())];
            prop_assert_eq!(frame.counts.sum(), expected.sum());
            let cells = |counts: &Histogram| counts.non_zero().collect::<Vec<_>>();
            prop_assert_eq!(cells(&frame.counts), cells(expected));
        }
    }
}

#[test]
fn rows_that_no_recording_can_hold_are_refused_with_their_line() {
    let good = table(&[frame(1, &Series::named("a"), &[5])]);
    let (head, row) = good.split_once('\n').unwrap();
    let cells: Vec<&str> = row.lines().next().unwrap().split(',').collect();
    let said = |changes: &[(usize, &str)]| {
        let mut cells = cells.clone();
        for (column, cell) in changes {
            cells[*column] = cell;
        }
        let text = format!("{head}\n{row}{}\n", cells.join(","));
        let line = text.lines().count();
        let error = read(&text, 1 << 20).unwrap_err();
        error.strip_prefix(&format!("line {line}: ")).unwrap().split(';').next().unwrap().to_owned()
    };
    assert_eq!(said(&[(0, "7"), (1, "7")]), "the interval from 7 to 7 ns is empty");
    assert_eq!(said(&[(0, "7"), (1, "-7")]), "the interval from 7 to -7 ns runs backwards");
    let over = "9223372036854775808";
    let what = "is more than a recording holds (9223372036854775807)";
    assert_eq!(said(&[(5, over)]), format!("a time of {over} ns {what}"));
    assert_eq!(said(&[(4, "tally.lost"), (8, over)]), format!("tally.lost: {over} {what}"));
}

/// An interval that one input observed from 3.4 s on, another from 3.6 s to 3.9 s, and its rows.
fn cut(series: &Series, parts: &[(u64, u64)]) -> String {
    let frame =
        Frame { quality: Quality::Partial(Partial::UnknownWindow), ..frame(3, series, &[500]) };
    let mut out = table(std::slice::from_ref(&frame)).into_bytes();
    for (from_ms, to_ms) in parts {
        let [from, to] = [from_ms, to_ms].map(|ms| Timestamp::new(0).plus(Nanos::from_millis(*ms)));
        let (interval, series) = ((frame.start, frame.end), series.clone());
        write_observed(&ObservedPart { interval, series, part: (from, to) }, &mut out).unwrap();
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn an_interval_is_as_long_as_it_was_observed() {
    let series = Series::with_attributes("read", [("host", "a;b")]);
    let whole = table(&[frame(3, &series, &[700])]);
    let other = table(&[frame(3, &Series::named("write"), &[700])]);
    let (unknown, known) = (Quality::Partial(Partial::UnknownWindow), Quality::Complete);
    for (tables, expected) in [
        (vec![cut(&series, &[])], vec![(3_000, 4_000, unknown)]),
        (vec![cut(&series, &[(3_400, 4_000)])], vec![(3_400, 4_000, known)]),
        (vec![cut(&series, &[(3_600, 3_900), (3_400, 4_000)])], vec![(3_400, 4_000, known)]),
        // Two that observed it one after the other, and two between which nobody did.
        (vec![cut(&series, &[(3_100, 3_500), (3_500, 3_900)])], vec![(3_100, 3_900, known)]),
        (vec![cut(&series, &[(3_100, 3_400), (3_500, 3_900)])], vec![(3_000, 4_000, unknown)]),
        // Somebody observed all of it; that of another series says nothing.
        (vec![cut(&series, &[(3_600, 3_900)]), whole], vec![(3_000, 4_000, known); 2]),
        (
            vec![cut(&series, &[(3_600, 3_900)]), other],
            vec![(3_600, 3_900, known), (3_000, 4_000, known)],
        ),
    ] {
        let found = |table: &str| {
            let ms = |at: Timestamp| at.as_nanos() / 1_000_000;
            let frames = read(table, usize::MAX).unwrap();
            let of = |frame: &Frame| (ms(frame.start), ms(frame.end), frame.quality);
            frames.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(found(&grouped(&tables)), expected);
        // A row added twice says the same.
        assert_eq!(found(&grouped(&[tables.clone(), tables].concat())), expected);
    }
}

#[test]
fn an_observed_part_lies_within_its_interval() {
    for (part, expected) in [
        ("3000000000..5000000000", "is not within 3000000000 to 4000000000 ns"),
        ("3500000000..3500000000", "is empty"),
        ("3500000000..3400000000", "runs backwards"),
        ("3500000000", "'3500000000' is no part of an interval in nanoseconds"),
        ("3500000000..x", "'3500000000..x' is no part of an interval in nanoseconds"),
    ] {
        let row = format!("3000000000,4000000000,read,,observed {part},,,,0,");
        let error = read(&format!("{}\n{row}\n", ROW_COLUMNS.join(",")), usize::MAX).unwrap_err();
        assert!(error.contains(expected) && error.contains("line 2"), "{error}");
    }
}
