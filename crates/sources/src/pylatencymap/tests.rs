use isotherm_frame::{Clock, Nanos};

use super::*;
use crate::Tally;

/// Lower bound, upper bound and count, in nanoseconds.
type Buckets = Vec<(u64, Option<u64>, u64)>;

#[derive(Default)]
struct Told {
    readings: Vec<(i64, Series, Buckets)>,
    tally: Tally,
}

impl Sink for Told {
    fn reading(&mut self, reading: Reading) {
        let Reading::Cumulative { at, series, total, .. } = reading else { panic!("totals only") };
        let buckets = total.non_zero().map(|(bucket, count)| {
            (bucket.lo.as_nanos(), bucket.hi.map(Nanos::as_nanos), count)
        });
        self.readings.push((at.as_nanos(), series, buckets.collect()));
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

fn told_in(text: &str, context: &Context) -> Told {
    let mut told = Told::default();
    SOURCE.decode(&mut text.as_bytes(), context, &mut told).unwrap();
    told
}

fn told(text: &str) -> Told {
    told_in(text, &Context::default())
}

/// A record at second `at` of 2026 with these lines in it.
fn record(at: u64, lines: &str) -> String {
    let micros = (1_795_236_885 + at) * 1_000_000;
    format!("<begin record>\ntimestamp, microsec, {micros}, text\n{lines}\n<end record>\n")
}

const MS: u64 = 1_000_000;

#[test]
fn datasource_says_which_bound_a_row_names() {
    let rows = "latencyunit, millisec\n1, 7\n8, 5";
    let upper = told(&record(0, &format!("label, x\ndatasource, Oracle\n{rows}")));
    assert_eq!(upper.readings[0].2, [(0, Some(MS), 7), (4 * MS, Some(8 * MS), 5)]);
    let lower = told(&record(0, &format!("label, x\ndatasource, bpf\n{rows}\n0, 3")));
    let expected = [(0, Some(MS), 3), (MS, Some(2 * MS), 7), (8 * MS, Some(16 * MS), 5)];
    assert_eq!(lower.readings[0].2, expected);
    assert_eq!(lower.readings[0].1.to_string(), "x{datasource=bpf}");
    assert!(lower.tally.said.is_empty(), "{:?}", lower.tally.said);
}

#[test]
fn without_datasource_the_context_decides_or_the_assumption_is_told() {
    let oracle = "label, log file sync from gv$event_histogram\nlatencyunit, millisec\n8, 5";
    let by_label = told(&record(0, oracle));
    assert_eq!(by_label.readings[0].2, [(4 * MS, Some(8 * MS), 5)]);
    assert!(by_label.tally.said.is_empty());
    let plain = record(0, "label, x\nlatencyunit, millisec\n8, 5");
    let said = |text: &str| told(text).tally.said.iter().any(|said| said == Decoder::ASSUMED);
    assert!(said(&plain));
    let sql_plus = format!("{plain}\n31 rows selected.\n\n{plain}");
    assert!(!said(&sql_plus));
    assert_eq!(told(&sql_plus).tally.ignored_lines, 1);
    let drawn = "label, x\nlatencyunit, millisec\n  reads\n  value |------ count\n  8 |@@@@@  5";
    assert_eq!(told(&record(0, drawn)).readings[0].2, [(8 * MS, Some(16 * MS), 5)]);
}

#[test]
fn case_blanks_order_and_commas_are_free() {
    let text = "\t <BEGIN Record>  \r\n  64 ,  3\r\n128,4\r\nLatencyUnit,MICROSEC\r\n\
        LABEL , Reads, of /data, 8 KB \r\nDataSource, BPF\r\n\
        TimeStamp,Microsec, 1795236885000000 ,Sa 21.11.2026 06:14:45,000 +01:00\r\n <END record>";
    let told = told(text);
    let (at, series, buckets) = &told.readings[0];
    assert_eq!(*at, 1_795_236_885_000_000_000);
    assert_eq!(series.name(), "Reads, of /data, 8 KB");
    assert_eq!(*buckets, [(64_000, Some(128_000), 3), (128_000, Some(256_000), 4)]);
    assert_eq!((told.tally.records, told.tally.rejected), (1, 0));
}

#[test]
fn instances_are_added_up_and_all_longer_waits_have_no_upper_bound() {
    let rows = "label, x\ndatasource, oracle\nlatencyunit, microsec\n\
        512, 3\n4294967295, 2\n512, 4\n4294967295, 1";
    let told = told(&record(0, rows));
    let top = (1_u64 << 32) * 1_000;
    assert_eq!(told.readings[0].2, [(256_000, Some(512_000), 7), (top, None, 3)]);
    assert!(told.tally.said.iter().any(|said| said == Decoder::REPEATED));
    let lower = rows.replace("oracle", "bpf");
    let lower = super::tests::told(&record(0, &lower));
    assert_eq!((lower.tally.rejected, lower.tally.rejected_events), (1, 3));
    assert_eq!(lower.tally.examples[0].place.line, 7);
}

#[test]
fn a_damaged_record_is_rejected_whole_and_with_its_place() {
    let good = record(0, "label, x\ndatasource, bpf\nlatencyunit, microsec\n64, 3");
    for (damage, reason) in [
        ("64, 1,5", "comma"),
        ("64, many", "not a number"),
        ("64, -3", "negative"),
        ("64, 18446744073709551615", "too large"),
        ("latencyunit, fortnights", "unknown latencyunit"),
        ("timestamp, seconds, 5", "microsec is expected"),
    ] {
        let bad = record(1, &format!("label, x\ndatasource, bpf\n128, 5\n{damage}"));
        let told = told(&format!("{good}{bad}"));
        assert_eq!((told.tally.records, told.tally.rejected), (1, 1), "{damage}");
        let rejection = &told.tally.examples[0];
        assert_eq!((rejection.place.line, rejection.events), (13, 5), "{damage}");
        assert!(rejection.reason.contains(reason), "{damage}: {}", rejection.reason);
    }
}

#[test]
fn rows_that_are_no_bucket_are_rejected_alone() {
    let rows = "label, x\ndatasource, bpf\nlatencyunit, microsec\n64, 3\n100, 5\n-4, 6\n>2000, 0";
    let told = told(&record(0, rows));
    assert_eq!(told.readings[0].2, [(64_000, Some(128_000), 3)]);
    let found: Vec<_> = told.tally.examples.iter().map(|r| (r.place.line, r.events)).collect();
    assert_eq!(found, [(7, 5), (8, 6)]);
}

#[test]
fn unfinished_untimed_and_empty_records_are_rejected() {
    let unfinished = "<begin record>\nlabel, x\n64, 3\n128, 4\n";
    let told = told(&format!("noise\n{unfinished}{unfinished}<end record>\n{}", record(0, "")));
    assert!(told.readings.is_empty());
    let found: Vec<_> = told.tally.examples.iter().map(|r| (r.place.line, r.events)).collect();
    assert_eq!(found, [(2, 7), (6, 7), (11, 0)]);
    assert_eq!(told.tally.examples[0].reason, Decoder::NO_END);
    assert_eq!(told.tally.examples[1].reason, Decoder::NO_TIME);
    assert_eq!(told.tally.examples[2].reason, Decoder::NO_ROWS);
}

fn at_micros(micros: &[u64], datasource: &str) -> Told {
    let records = micros.iter().map(|micros| {
        let fields = format!("label,x\ndatasource,{datasource}\nlatencyunit,microsec");
        format!("<begin record>\ntimestamp,microsec,{micros},t\n{fields}\n64,1\n<end record>\n")
    });
    told(&records.collect::<String>())
}

#[test]
fn clocks_are_told_apart_and_midnight_adds_a_day() {
    let second = 1_000_000;
    let midnight = at_micros(&[86_399 * second, 2 * second, second], "oracle");
    assert_eq!(midnight.tally.clock, Clock::TimeOfDay);
    let at: Vec<_> = midnight.readings.iter().map(|(at, ..)| at / 1_000_000_000).collect();
    // The last one is a clock that stepped back by a second: the Differ's business.
    assert_eq!(at, [86_399, 86_402, 86_401]);
    assert_eq!(at_micros(&[5 * second], "dtrace").tally.clock, Clock::Arbitrary);
    assert_eq!(at_micros(&[1_006_592_395_604], "dtrace").tally.clock, Clock::Arbitrary);
    assert_eq!(at_micros(&[1_795_236_885_000_000], "bpf").tally.clock, Clock::Epoch);
    let beyond = at_micros(&[u64::MAX / 2], "bpf");
    assert_eq!((beyond.tally.records, beyond.tally.rejected), (0, 1));
}

#[test]
fn a_live_input_whose_clock_is_not_the_epoch_is_placed_on_ours() {
    let now = isotherm_frame::Timestamp::new(1_795_236_885_000_000_000);
    let context =
        Context { arrival: Some(std::sync::Arc::new(move || now)), ..Context::default() };
    let records = [7_000_000, 10_000_000].map(|micros: u64| {
        format!("<begin record>\ntimestamp,microsec,{micros},t\ndatasource,dtrace\n64,1\n<end record>\n")
    });
    let told = told_in(&records.concat(), &context);
    let at: Vec<_> = told.readings.iter().map(|(at, ..)| *at).collect();
    assert_eq!(at, [now.as_nanos(), now.as_nanos() + 3_000_000_000]);
    assert_eq!(told.tally.clock, Clock::Epoch);
}

#[test]
fn only_the_tag_is_recognised() {
    assert_eq!(SOURCE.sniff(b"SQL> @x\r\n  <Begin Record>\r\nlabel,"), Verdict::Yes);
    assert_eq!(SOURCE.sniff(b"a <begin record> in the middle\n64, 5\n"), Verdict::No);
}
