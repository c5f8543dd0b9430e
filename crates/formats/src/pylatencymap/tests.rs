use isotherm_frame::{Account, Clock, Nanos};

use super::*;
use crate::Message;

/// Lower bound, upper bound and count, in nanoseconds.
type Buckets = Vec<(u64, Option<u64>, u64)>;

#[derive(Default)]
struct Decoded {
    readings: Vec<(i64, Series, Buckets)>,
    tally: Account,
}

impl Sink for Decoded {
    fn take(&mut self, message: Message) {
    let Some(reading) = message.into_reading(&mut self.tally) else { return };
    let Reading::Cumulative { at, series, total, .. } = reading else { panic!("totals only") };
    let buckets = total.non_zero().map(|(bucket, count)| {
        (bucket.lo.as_nanos(), bucket.hi.map(Nanos::as_nanos), count)
    });
    self.readings.push((at.as_nanos(), series, buckets.collect()));
    }
}

fn decoded_in(text: &str, context: &Context) -> Decoded {
    let mut decoded = Decoded::default();
    SOURCE.decode(&mut text.as_bytes(), context, &mut decoded).unwrap();
    decoded
}

fn decoded(text: &str) -> Decoded {
    decoded_in(text, &Context::default())
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
    let upper = decoded(&record(0, &format!("label, x\ndatasource, Oracle\n{rows}")));
    assert_eq!(upper.readings[0].2, [(0, Some(MS), 7), (4 * MS, Some(8 * MS), 5)]);
    let lower = decoded(&record(0, &format!("label, x\ndatasource, bpf\n{rows}\n0, 3")));
    let expected = [(0, Some(MS), 3), (MS, Some(2 * MS), 7), (8 * MS, Some(16 * MS), 5)];
    assert_eq!(lower.readings[0].2, expected);
    assert_eq!(lower.readings[0].1.to_string(), "x{datasource=bpf}");
    assert!(lower.tally.notices.is_empty(), "{:?}", lower.tally.notices);
}

#[test]
fn without_datasource_the_context_decides_or_the_assumption_is_reported() {
    let oracle = "label, log file sync from gv$event_histogram\nlatencyunit, millisec\n8, 5";
    let by_label = decoded(&record(0, oracle));
    assert_eq!(by_label.readings[0].2, [(4 * MS, Some(8 * MS), 5)]);
    assert!(by_label.tally.notices.is_empty());
    let plain = record(0, "label, x\nlatencyunit, millisec\n8, 5");
    let said = |text: &str| decoded(text).tally.notices.iter().any(|said| said == Decoder::ASSUMED);
    assert!(said(&plain));
    let sql_plus = format!("{plain}\n31 rows selected.\n\n{plain}");
    assert!(!said(&sql_plus));
    assert_eq!(decoded(&sql_plus).tally.ignored_lines, 1);
    let drawn = "label, x\nlatencyunit, millisec\n  reads\n  value |------ count\n  8 |@@@@@  5";
    assert_eq!(decoded(&record(0, drawn)).readings[0].2, [(8 * MS, Some(16 * MS), 5)]);
}

#[test]
fn case_blanks_order_and_commas_are_free() {
    let text = "\t <BEGIN Record>  \r\n  64 ,  3\r\n128,4\r\nLatencyUnit,MICROSEC\r\n\
        LABEL , Reads, of /data, 8 KB \r\nDataSource, BPF\r\n\
        TimeStamp,Microsec, 1795236885000000 ,Sa 21.11.2026 06:14:45,000 +01:00\r\n <END record>";
    let decoded = decoded(text);
    let (at, series, buckets) = &decoded.readings[0];
    assert_eq!(*at, 1_795_236_885_000_000_000);
    assert_eq!(series.name(), "Reads, of /data, 8 KB");
    assert_eq!(*buckets, [(64_000, Some(128_000), 3), (128_000, Some(256_000), 4)]);
    assert_eq!((decoded.tally.records, decoded.tally.rejected), (1, 0));
}

#[test]
fn instances_are_added_up_and_all_longer_waits_have_no_upper_bound() {
    let rows = "label, x\ndatasource, oracle\nlatencyunit, microsec\n\
        512, 3\n4294967295, 2\n512, 4\n4294967295, 1";
    let decoded = decoded(&record(0, rows));
    assert_eq!(decoded.readings[0].2, [(256_000, Some(512_000), 7), (512_000, None, 3)]);
    assert!(decoded.tally.notices.iter().any(|said| said == Decoder::REPEATED));
    let lower = rows.replace("oracle", "bpf");
    let lower = super::tests::decoded(&record(0, &lower));
    assert_eq!((lower.tally.rejected, lower.tally.rejected_events), (1, 3));
    assert_eq!(lower.tally.rejections[0].place.line, 7);
}

#[test]
fn a_count_without_an_upper_bound_stays_one_bucket_when_longer_bounds_appear() {
    let rows = |last: &str| format!("label, x\ndatasource, oracle\nlatencyunit, microsec\n64, 3\n{last}");
    let later = rows("128, 5\n4294967295, 2");
    let text = record(0, &rows("4294967295, 1")) + &record(1, &later);
    let decoded = decoded(&text);
    assert_eq!(decoded.readings[0].2, [(32_000, Some(64_000), 3), (64_000, None, 1)]);
    // What is longer than 64 us is counted there, 128 us or more: nothing falls.
    assert_eq!(decoded.readings[1].2, [(32_000, Some(64_000), 3), (64_000, None, 7)]);
}

#[test]
fn a_first_record_without_rows_is_a_baseline_of_zero_and_a_later_one_is_none() {
    let fields = "label, x\ndatasource, oracle\nlatencyunit, microsec";
    let rows = format!("{fields}\n64, 100\n128, 200");
    let decoded = decoded(&(record(0, fields) + &record(3, &rows) + &record(6, fields)));
    let counts: Vec<u64> =
        decoded.readings.iter().map(|(_, _, buckets)| buckets.iter().map(|b| b.2).sum()).collect();
    assert_eq!(counts, [0, 300]);
    assert_eq!(decoded.tally.notices, [Decoder::FROM_ZERO]);
    assert_eq!(decoded.tally.rejections[0].reason, Decoder::NO_ROWS);
    // A query that failed counted nothing, not zero.
    let failed = format!("{fields}\nORA-01034: ORACLE not available");
    let decoded = super::tests::decoded(&(record(0, &failed) + &record(3, &rows)));
    assert_eq!((decoded.readings.len(), decoded.tally.rejected), (1, 1));
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
        let decoded = decoded(&format!("{good}{bad}"));
        assert_eq!((decoded.tally.records, decoded.tally.rejected), (1, 1), "{damage}");
        let rejection = &decoded.tally.rejections[0];
        assert_eq!((rejection.place.line, rejection.events), (13, 5), "{damage}");
        assert!(rejection.reason.contains(reason), "{damage}: {}", rejection.reason);
    }
}

#[test]
fn rows_that_are_no_bucket_are_rejected_alone() {
    let rows = "label, x\ndatasource, bpf\nlatencyunit, microsec\n64, 3\n100, 5\n-4, 6\n>2000, 0";
    let decoded = decoded(&record(0, rows));
    assert_eq!(decoded.readings[0].2, [(64_000, Some(128_000), 3)]);
    let found: Vec<_> = decoded.tally.rejections.iter().map(|r| (r.place.line, r.events)).collect();
    assert_eq!(found, [(7, 5), (8, 6)]);
}

#[test]
fn unfinished_untimed_and_empty_records_are_rejected() {
    let unfinished = "<begin record>\nlabel, x\n64, 3\n128, 4\n";
    let decoded = decoded(&format!("noise\n{unfinished}{unfinished}<end record>\n{}", record(0, "")));
    assert!(decoded.readings.is_empty());
    let found: Vec<_> = decoded.tally.rejections.iter().map(|r| (r.place.line, r.events)).collect();
    assert_eq!(found, [(2, 7), (6, 7), (11, 0)]);
    assert_eq!(decoded.tally.rejections[0].reason, Decoder::NO_END);
    assert_eq!(decoded.tally.rejections[1].reason, Decoder::NO_TIME);
    assert_eq!(decoded.tally.rejections[2].reason, Decoder::NO_ROWS);
}

fn at_micros(micros: &[u64], datasource: &str) -> Decoded {
    let records = micros.iter().map(|micros| {
        let fields = format!("label,x\ndatasource,{datasource}\nlatencyunit,microsec");
        format!("<begin record>\ntimestamp,microsec,{micros},t\n{fields}\n64,1\n<end record>\n")
    });
    decoded(&records.collect::<String>())
}

#[test]
fn clocks_are_distinguished_and_midnight_adds_a_day() {
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

/// The moments of records that have these timestamps and dates, in seconds since 1970.
fn dated(times: &[(u64, &str)], datasource: &str, zone: Option<&str>) -> (Vec<i64>, Account) {
    let records = times.iter().map(|(micros, date)| {
        let fields = format!("label,x\ndatasource,{datasource}\nlatencyunit,microsec\n64,1");
        format!("<begin record>\ntimestamp,microsec,{micros},{date}\n{fields}\n<end record>\n")
    });
    let zone = zone.map(|name| {
        jiff::fmt::temporal::DateTimeParser::new().parse_time_zone(name).unwrap()
    });
    let decoded = decoded_in(&records.collect::<String>(), &Context { zone, ..Context::default() });
    (decoded.readings.iter().map(|(at, ..)| at.div_euclid(1_000_000_000)).collect(), decoded.tally)
}

#[test]
fn the_day_is_the_one_that_the_date_of_a_record_names() {
    let micros = |h: u64, m: u64, s: u64| (h * 3_600 + m * 60 + s) * 1_000_000;
    // The timestamps count from midnight UTC; 2013-08-26 is day 15,943 after 1970-01-01.
    let day = 15_943 * 86_400;
    let zoned = [
        (micros(14, 26, 51), "26-AUG-13 04.26.51.653754 PM +02:00"),
        (micros(23, 59, 59), "27-AUG-13 01.59.59.000000 AM +02:00"),
        (micros(0, 0, 1), "27-AUG-13 02.00.01,000000 AM +02:00"),
        (micros(0, 0, 1), "30-AUG-13 02.00.01,000000 AM +02:00"),
    ];
    let (at, tally) = dated(&zoned, "oracle", None);
    let afternoon = 14 * 3_600 + 26 * 60 + 51;
    assert_eq!(at, [day + afternoon, day + 86_399, day + 86_401, day + 4 * 86_400 + 1]);
    assert_eq!((tally.clock, tally.notices.len()), (Clock::Epoch, 0), "{:?}", tally.notices);
    // Without a zone the day is that which is closest, wherever the clock hung.
    let (at, tally) = dated(&[(micros(23, 30, 0), "27-AUG-13 01.30.00 AM")], "oracle", None);
    assert_eq!(at, [day + 84_600]);
    assert!(tally.notices[0].contains("no time zone"), "{:?}", tally.notices);
    let local = [(micros(23, 30, 0), "27-AUG-13 01.30.00 AM")];
    assert_eq!(dated(&local, "oracle", Some("Europe/Zurich")).0, [day + 84_600]);
}

#[test]
fn the_date_places_a_clock_that_counts_from_a_start() {
    // 1,006,592 s after a start it was 10:54:53 on 2013-08-27 in a zone 2 hours east of UTC.
    let times = [(1_006_592_395_604, "2013 Aug 27 10:54:53"), (1_006_602_395_604, "t")];
    let (at, tally) = dated(&times, "dtrace", Some("+02:00"));
    let first = 15_944 * 86_400 + 8 * 3_600 + 54 * 60 + 53;
    assert_eq!(at, [first, first + 10]);
    assert_eq!(tally.clock, Clock::Epoch);
}

#[test]
fn a_live_input_whose_clock_is_not_the_epoch_is_placed_on_ours() {
    let now = isotherm_frame::Timestamp::new(1_795_236_885_000_000_000);
    let context =
        Context { arrival: Some(std::sync::Arc::new(move || now)), ..Context::default() };
    let records = [7_000_000, 10_000_000].map(|micros: u64| {
        format!("<begin record>\ntimestamp,microsec,{micros},t\ndatasource,dtrace\n64,1\n<end record>\n")
    });
    let decoded = decoded_in(&records.concat(), &context);
    let at: Vec<_> = decoded.readings.iter().map(|(at, ..)| *at).collect();
    assert_eq!(at, [now.as_nanos(), now.as_nanos() + 3_000_000_000]);
    assert_eq!(decoded.tally.clock, Clock::Epoch);
}

#[test]
fn only_the_tag_is_recognised() {
    assert_eq!(SOURCE.sniff(b"SQL> @x\r\n  <Begin Record>\r\nlabel,"), Verdict::Yes);
    assert_eq!(SOURCE.sniff(b"a <begin record> in the middle\n64, 5\n"), Verdict::No);
}
