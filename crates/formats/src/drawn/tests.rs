use isotherm_frame::{Account, Reading, Series};

use super::*;
use crate::{Context, Message, Temporality, bars};

/// Lower bound, upper bound and count, in nanoseconds.
type Buckets = Vec<(u64, Option<u64>, u64)>;

#[derive(Default)]
struct Decoded {
    /// The end of the interval in milliseconds.
    prints: Vec<(i64, Series, Buckets, Option<u64>)>,
    tally: Account,
}

impl Sink for Decoded {
    fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.tally) else { return };
        let Reading::Delta(frame) = reading else { panic!("intervals only") };
        let buckets = frame.counts.non_zero().map(|(bucket, count)| {
            (bucket.lo.as_nanos(), bucket.hi.map(isotherm_frame::Nanos::as_nanos), count)
        });
        let (end, sum) = (frame.end.as_nanos() / 1_000_000, frame.counts.sum());
        let sum = sum.map(isotherm_frame::Nanos::as_nanos);
        self.prints.push((end, frame.series, buckets.collect(), sum));
    }
}

fn decoded(source: &str, text: &str) -> Decoded {
    let source = crate::SOURCES.iter().find(|known| known.meta().name == source).unwrap();
    let context = Context { temporality: Temporality::Delta, ..Context::default() };
    let mut decoded = Decoded::default();
    source.decode(&mut text.as_bytes(), &context, &mut decoded).unwrap();
    decoded
}

fn dtrace(title: &str, rows: &[(&str, i64)]) -> String {
    let heading = "           value  ------------- Distribution ------------- count    ";
    let rows: Vec<_> = rows.iter().map(|(v, n)| format!("{v:>16} |{:40} {n:<9}", "@@")).collect();
    format!("\n  {title:<50}\n{heading}\n{}\n\n", rows.join("\n"))
}

fn systemtap(title: &str, rows: &[(&str, i64)]) -> String {
    let rows = rows.iter().map(|(v, n)| match *v {
        "~" => "     ~".to_owned(),
        v => format!("{v:>5} |{:50} {n:>5}", "@@"),
    });
    let heading = format!("value |{} count", "-".repeat(50));
    format!("{title}\n{heading}\n{}\n\n", rows.collect::<Vec<_>>().join("\n"))
}

/// The buckets of the only histogram in a text.
fn only(source: &str, text: &str) -> Buckets {
    let decoded = decoded(source, text);
    assert_eq!(decoded.tally.rejected, 0, "{:?}", decoded.tally.rejections);
    assert_eq!(decoded.prints.len(), 1);
    decoded.prints[0].2.clone()
}

#[test]
fn doubling_buckets_begin_at_their_label() {
    let rows = [("-1", 0), ("0", 3), ("1", 4), ("2", 5), ("4", 0)];
    let expected = [(0, Some(1), 3), (1, Some(2), 4), (2, Some(4), 5)];
    assert_eq!(only("dtrace", &dtrace("x ns", &rows)), expected);
    assert_eq!(only("systemtap", &systemtap("x ns", &rows)), expected);
    let top = [("4611686018427387904", 2)];
    assert_eq!(only("dtrace", &dtrace("x ns", &top)), [(1 << 62, None, 2)]);
}

#[test]
fn linear_and_mixed_buckets_end_where_the_next_begins() {
    let linear = [("< 0", 0), ("0", 2), ("5", 3), ("10", 0), ("15", 4), (">= 20", 6)];
    let us = |lo: u64, hi: u64, count| (lo * 1_000, Some(hi * 1_000), count);
    assert_eq!(
        only("dtrace", &dtrace("x us", &linear)),
        [us(0, 5, 2), us(5, 10, 3), us(15, 20, 4), (20_000, None, 6)]
    );
    let mixed = [("< 1", 7), ("1", 0), ("9", 2), ("10", 3), ("15", 4), ("20", 0)];
    assert_eq!(
        only("dtrace", &dtrace("x us", &mixed)),
        [us(0, 1, 7), us(9, 10, 2), us(10, 15, 3), us(15, 20, 4)]
    );
    let around = [("<= -512", 0), ("abs() < 256", 5), ("256", 1), ("384", 2), (">= 512", 3)];
    assert_eq!(
        only("dtrace", &dtrace("x us", &around)),
        [us(0, 256, 5), us(256, 384, 1), us(384, 512, 2), (512_000, None, 3)]
    );
}

#[test]
fn systemtap_leaves_rows_out_and_labels_the_overflow_with_the_last_bucket() {
    let rows = [("0", 7), ("100", 0), ("200", 0), ("~", 0), ("900", 0), ("1000", 2), (">1000", 1)];
    let expected = [(0, Some(100_000), 7), (1_000_000, Some(1_100_000), 2), (1_100_000, None, 1)];
    assert_eq!(only("systemtap", &systemtap("x (us)", &rows)), expected);
    let log = [("0", 1), ("1", 0), ("~", 0), ("64", 0), ("128", 5), ("256", 0)];
    let expected = [(0, Some(1_000), 1), (128_000, Some(256_000), 5)];
    assert_eq!(only("systemtap", &systemtap("x (us)", &log)), expected);
}

#[test]
fn negative_latencies_are_rejected_with_their_counts() {
    let decoded =
        decoded("systemtap", &systemtap("x (us)", &[("-4", 2), ("-2", 0), ("~", 0), ("8", 3)]));
    assert_eq!(decoded.prints[0].2, [(8_000, Some(16_000), 3)]);
    assert_eq!((decoded.tally.rejected, decoded.tally.rejected_events), (1, 2));
    assert_eq!(decoded.tally.rejections[0].place.line, 3);
    let decoded = super::tests::decoded("dtrace", &dtrace("x", &[("< 0", 9), ("0", 1), ("5", 0)]));
    assert_eq!((decoded.tally.rejected, decoded.tally.rejected_events), (1, 9));
}

#[test]
fn a_damaged_histogram_is_rejected_whole() {
    for (rows, reason) in [
        (&[("8", 3), ("16", -5)][..], "is negative"),
        (&[("8", 3), ("fast", 5)][..], "is not a number"),
        (&[("16", 3), ("8", 5), ("4", 1)][..], "do not follow one another"),
        (&[("16", 3), ("8", 5), ("32", 1)][..], "follows one that reaches"),
        (&[("7", 3)][..], "a single row"),
        (&[("9000000000000000001", 3), ("9000000000000000002", 1)][..], "five hundred years"),
    ] {
        let good = dtrace("x us", &[("8", 3), ("16", 0)]);
        let decoded = decoded("dtrace", &format!("{good}{}", dtrace("y us", rows)));
        assert_eq!((decoded.tally.records, decoded.tally.rejected), (1, 1), "{rows:?}");
        let rejection = &decoded.tally.rejections[0];
        assert!(rejection.reason.contains(reason), "{}", rejection.reason);
        assert!(rejection.place.line > 6, "{rejection:?}");
    }
}

#[test]
fn titles_are_names_and_tell_the_unit() {
    let names = |text: &str| {
        let decoded = decoded("systemtap", text);
        decoded.prints.iter().map(|(_, series, ..)| series.to_string()).collect::<Vec<_>>()
    };
    let rows = [("8", 3), ("16", 0)];
    assert_eq!(names(&systemtap("read latency (us)", &rows)), ["read latency"]);
    assert_eq!(names(&systemtap("reads  of   vda:", &rows)), ["reads of vda"]);
    assert_eq!(names(&systemtap("(us)", &rows)), ["(us)"]);
    assert_eq!(names(&systemtap("", &rows)), ["latency"]);
    let milli = decoded("systemtap", &systemtap("wait (ms)", &rows));
    assert_eq!(milli.prints[0].2, [(8_000_000, Some(16_000_000), 3)]);
    assert!(!milli.tally.notices.iter().any(|said| said.contains("--unit")));
    let assumed = decoded("systemtap", &systemtap("wait", &rows));
    assert!(assumed.tally.notices.iter().any(|said| said.contains("--unit")));
    let hinted = decoded("systemtap", &format!("latencies in msec\n\n{}", systemtap("r", &rows)));
    assert_eq!(hinted.prints[0].2, milli.prints[0].2);
}

#[test]
fn ticks_give_prints_their_time_and_empty_ones_their_place() {
    let tick = "  3  72639                        :tick-10s\n";
    let print = |n| dtrace("x ns", &[("8", n), ("16", 0)]);
    let text = [tick, &print(3), tick, &print(4), tick, tick, &print(5)].concat();
    let decoded = decoded("dtrace", &text);
    let found: Vec<_> = decoded.prints.iter().map(|(end, _, b, _)| (*end, b.len())).collect();
    assert_eq!(found, [(10_000, 1), (20_000, 1), (30_000, 0), (40_000, 1)]);
}

#[test]
fn dates_give_prints_their_time() {
    let print = |n| systemtap("x (us)", &[("8", n), ("16", 0)]);
    let text =
        format!("Sat Nov 21 05:30:20 2026\n{}Sat Nov 21 05:30:23 2026\n{}", print(3), print(4));
    let decoded = decoded("systemtap", &text);
    let ends: Vec<_> = decoded.prints.iter().map(|(end, ..)| *end).collect();
    assert_eq!(ends, [1_795_239_020_000, 1_795_239_023_000]);
}

#[test]
fn untitled_histograms_of_one_print_are_distinguished_where_prints_are() {
    let two = |n| {
        let untitled = dtrace("", &[("8", n), ("16", 0)]);
        format!("{untitled}{untitled}")
    };
    let tick = "  0  1  :tick-1s\n";
    let decoded = decoded("dtrace", &[tick, &two(3), tick, &two(5)].concat());
    let names: Vec<_> = decoded.prints.iter().map(|(_, series, ..)| series.to_string()).collect();
    assert_eq!(names, ["latency", "latency 2", "latency", "latency 2"]);
}

#[test]
fn a_total_of_the_same_events_makes_the_sum_exact() {
    let rows = systemtap("x (us)", &[("8", 3), ("16", 2), ("32", 0)]);
    let sum = |total: &str| decoded("systemtap", &format!("{rows}{total}\n")).prints[0].3;
    assert_eq!(sum("count=5 sum=77 min=8 max=20"), Some(77_000));
    assert_eq!(sum("count=6 sum=77 min=8 max=20"), None);
    assert_eq!(sum("count=5 sum=18446744073709551615"), None);
}

#[test]
fn rows_without_a_heading_and_endless_lines_are_rejected() {
    let decoded = decoded("dtrace", &format!("  8 |@@@ 5\n{}\n", "|".repeat(2 << 20)));
    let found: Vec<_> = decoded.tally.rejections.iter().map(|r| (r.place.line, r.events)).collect();
    assert_eq!(found, [(1, 5), (2, 0)]);
}

#[test]
fn a_last_line_without_end_may_be_cut_and_damages_its_histogram() {
    let text = dtrace("x ns", &[("8", 3), ("16", 4)]);
    let cut = text.trim_end();
    let decoded = decoded("dtrace", &cut[..cut.len() - 8]);
    assert_eq!((decoded.tally.records, decoded.tally.rejected_events), (0, 3));
}

/// Two prints of two titles each, as the tools write them.
fn two_prints(source: &str) -> String {
    let print = |title: &str, n: i64| match source {
        "dtrace" => dtrace(title, &[("8", 0), ("16", n), ("32", 0)]),
        _ => systemtap(title, &[("8", 0), ("16", n), ("32", 0), ("64", 0)]),
    };
    let (one, two) = (print("read (ns)", 3), print("write (ns)", 4));
    [one.clone(), two.clone(), one, two].concat()
}

#[test]
fn a_print_that_is_cut_in_its_title_or_heading_is_reported_with_its_line() {
    for source in ["dtrace", "systemtap"] {
        let text = two_prints(source);
        let start = text.rfind("write (ns)").unwrap();
        let line = text[..start].matches('\n').count() as u64 + 1;
        let line_end = |from: usize| from + text[from..].find('\n').unwrap() + 1;
        let (title_end, heading_end) = (line_end(start), line_end(line_end(start)));
        let said_at = |cut: usize| {
            let decoded = decoded(source, &text[..cut]);
            // 3 and 4 of the first print, and 3 of the second.
            let filled = decoded.prints.iter().filter(|print| !print.2.is_empty()).count();
            assert_eq!(filled, 3, "{source} {cut}");
            let rejected =
                decoded.tally.rejections.iter().map(|one| one.place.line).collect::<Vec<_>>();
            let said =
                decoded.tally.notices.iter().any(|said| said.contains(&format!("(line {line})")));
            (rejected, said)
        };
        // Within the title, of which the beginning is known.
        for cut in start + 1..start + "write (ns)".len() {
            assert_eq!(said_at(cut), (vec![line], false), "{source} {cut}");
        }
        // Behind it: DTrace fills its keys with blanks, a script of SystemTap may print a title although nothing was
        // counted.
        let expected = if source == "dtrace" { (vec![line], false) } else { (vec![], true) };
        assert_eq!(said_at(title_end), expected, "{source}");
        // The blanks before the heading say nothing more; SystemTap writes none.
        if source == "dtrace" {
            assert_eq!(said_at(title_end + 1), expected, "{source}");
        }
        // Within and behind the heading.
        let value = title_end + text[title_end..].find("value").unwrap();
        let row_label = heading_end + 2;
        for cut in (value + 1..heading_end).chain([row_label]) {
            assert_eq!(
                said_at(cut),
                (vec![line + 1], false),
                "{source} {:?}",
                &text[title_end..cut]
            );
        }
        let whole = decoded(source, &text);
        assert_eq!(
            (whole.prints.len(), whole.tally.rejected, whole.tally.notices.len()),
            (4, 0, 1)
        );
    }
}

#[test]
fn what_follows_the_last_histogram_is_no_title_that_is_cut() {
    for source in ["dtrace", "systemtap"] {
        let text = two_prints(source);
        for end in [
            "Done.\n",
            "$ ",
            "root@db1:~# ",
            "oracle@db1> ls\n",
            "\n\n   \n",
            "bye\n\n",
            "7 reads\n",
            "# ",
        ] {
            let decoded = decoded(source, &format!("{text}{end}"));
            let (prints, tally) = (decoded.prints.len(), &decoded.tally);
            assert_eq!((prints, tally.rejected), (4, 0), "{source} {end:?}");
            assert_eq!(tally.notices.len(), 1, "{source} {end:?} {:?}", tally.notices);
            // Right below the last row, too.
            let close = super::tests::decoded(source, &format!("{}\n{end}", text.trim_end()));
            assert_eq!((close.prints.len(), close.tally.rejected), (4, 0), "{source} {end:?}");
        }
        // Indented as a whole, and with something after the last print that may be another one.
        let indented = format!("    {}", text.trim_end().replace('\n', "\n    ")) + "\n";
        assert_eq!(decoded(source, &indented).tally.rejected, 0, "{source}");
        let unsure = decoded(source, &format!("{text}fsync"));
        assert_eq!((unsure.prints.len(), unsure.tally.rejected), (4, 0), "{source}");
        assert!(
            unsure.tally.notices.iter().any(|said| said.contains("ends with 'fsync'")),
            "{source}"
        );
    }
    // A title that stood alone before does so again: nothing was counted.
    let idle = format!(
        "{}read (ns)\nother\n{}read (ns)\n",
        two_prints("systemtap"),
        two_prints("systemtap")
    );
    assert_eq!(decoded("systemtap", &idle).tally.notices.len(), 1);
}

#[test]
fn records_that_hold_drawings_are_left_to_their_own_source() {
    let print = dtrace("x ns", &[("8", 3)]);
    let sniff = |name: &str, text: &str| {
        let known = crate::SOURCES.iter().find(|known| known.meta().name == name);
        known.unwrap().sniff(text.as_bytes())
    };
    assert_eq!(sniff("dtrace", &print), crate::Verdict::Yes);
    assert_eq!(sniff("systemtap", &print), crate::Verdict::No);
    assert_eq!(sniff("dtrace", &format!("<begin record>\n{print}")), crate::Verdict::No);
    assert!(bars::heads_dtrace(print.lines().nth(2).unwrap()));
}

#[test]
fn a_print_that_is_cut_between_its_rows_is_rejected_and_a_whole_one_is_not() {
    for (source, rows) in [
        ("dtrace", dtrace("x ns", &[("16", 0), ("32", 8), ("64", 5), ("128", 0)])),
        (
            "systemtap",
            systemtap("x ns", &[("16", 0), ("32", 8), ("64", 5), ("128", 0), ("256", 0)]),
        ),
    ] {
        let whole = rows.trim_end();
        let ends: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at + 1).collect();
        let row_of = |label: &str| {
            *ends.iter().find(|at| whole[**at..].trim_start().starts_with(label)).unwrap()
        };
        // Between the rows, and within the blanks before the next label.
        for cut in [row_of("64"), row_of("64") + 1, row_of("128"), row_of("128") + 1] {
            let decoded = decoded(source, &whole[..cut]);
            assert_eq!((decoded.prints.len(), decoded.tally.rejected), (0, 1), "{source} {cut}");
        }
        for end in ["", "\n", "\n\n", "\n\n   "] {
            let text = format!("{}{end}", whole.trim_end());
            let decoded = decoded(source, &format!("{text}\n"));
            let events: u64 = decoded.prints[0].2.iter().map(|bucket| bucket.2).sum();
            assert_eq!((events, decoded.tally.rejected), (13, 0), "{source} {end:?}");
        }
    }
}
