use std::io::BufReader;
use std::sync::Arc;

use isotherm_frame::{Account, Clock, Reading, Timestamp, Unit};
use proptest::prelude::*;

use super::*;
use crate::{Columns as Names, Message};

#[derive(Default)]
struct Decoded {
    /// Time and latency in nanoseconds, and the series.
    events: Vec<(i64, u64, String)>,
    tally: Account,
    error: Option<String>,
}

impl Sink for Decoded {
    fn take(&mut self, message: Message) {
    let Some(reading) = message.into_reading(&mut self.tally) else { return };
    let Reading::Event { at, series, latency } = reading else { panic!("events only") };
    self.events.push((at.as_nanos(), latency.as_nanos(), series.to_string()));
    }
}

fn decoded_through(buffer: usize, text: &[u8], context: &Context) -> Decoded {
    let mut decoded = Decoded::default();
    let mut input = BufReader::with_capacity(buffer, text);
    decoded.error = SOURCE.decode(&mut input, context, &mut decoded).err().map(|e| e.to_string());
    decoded
}

fn decoded_in(text: &str, context: &Context) -> Decoded {
    decoded_through(64 << 10, text.as_bytes(), context)
}

fn decoded(text: &str) -> Decoded {
    decoded_in(text, &Context::default())
}

fn columns(names: &str) -> Context {
    let names = names.split(',').map(str::to_owned).collect();
    Context { columns: Some(Names { names }), ..Context::default() }
}

fn pairs(decoded: &Decoded) -> Vec<(i64, u64)> {
    decoded.events.iter().map(|(at, latency, _)| (*at, *latency)).collect()
}

#[test]
fn by_asks_for_all_attributes_of_columns_or_is_refused() {
    let context = |by: &[&str]| Context {
        by: by.iter().map(|name| (*name).to_owned()).collect(),
        ..columns("time,latency_us,event,host")
    };
    let read = |by: &[&str]| decoded_in("1700000000 5 read a\n", &context(by));
    assert_eq!(read(&["host", "EVENT"]).events.len(), 1);
    let refusal = read(&["event"]).error.unwrap();
    assert!(refusal.contains("--by has no effect") && refusal.contains("(event, host)"), "{refusal}");
    let kept = Context { keeps_attributes: true, ..context(&["event"]) };
    assert_eq!(decoded_in("1700000000 5 read a\n", &kept).error, None);
}

#[test]
fn two_plain_columns_are_time_and_latency() {
    let expected = [(1_700_000_000_123_456_000, 1_234_000), (1_700_000_001_000_000_000, 250)];
    for text in [
        "1700000000.123456 1234\n1700000001 0.25\n",
        "1700000000.123456\t1234\r\n1700000001\t0.25\r\n",
        "1700000000.123456, 1234\n\n# half way\n1700000001, 0.25\n",
        "1700000000.123456;1234\n1700000001;0.25",
        "1700000000123.456 1234\n1700000001000 .25\n",
        "1700000000123456000 1.234e3\n1700000001000000000 2.5e-1\n",
        "2023-11-14T22:13:20.123456Z 1234\n2023-11-14T23:13:21+01:00 0.25\n",
        "time latency\n1700000000.123456 1234\n1700000001 0.25\n",
        "\"ts\",\"duration_us\"\n\"1700000000.123456\",\"1234\"\n\"1700000001\",\"0.25\"\n",
    ] {
        let decoded = decoded(text);
        assert_eq!(pairs(&decoded), expected, "{text}");
        assert_eq!((decoded.tally.records, decoded.tally.rejected, decoded.error), (2, 0, None), "{text}");
        assert_eq!(decoded.tally.clock, Clock::Epoch, "{text}");
    }
}

#[test]
fn units_come_from_the_user_then_the_names_then_an_assumption_that_is_reported() {
    let text = "time,latency_ms\n1700000000,2\n";
    let latency = |decoded: &Decoded| decoded.events[0].1;
    assert_eq!(latency(&decoded(text)), 2_000_000);
    let end = |decoded: &Decoded| {
        decoded.tally.assumptions
            == ["the time of a line is taken as the end of its event \
        (if it is the beginning, name that column start: --columns start,latency)"]
    };
    assert!(end(&decoded(text)));
    let context = Context { unit: Some(Unit::Seconds), ..Context::default() };
    assert_eq!(latency(&decoded_in(text, &context)), 2_000_000_000);
    assert_eq!(latency(&decoded_in(text, &columns("time,latency"))), 2_000_000);
    assert_eq!(latency(&decoded_in(text, &columns("time,latency_ns"))), 2);
    assert_eq!(latency(&decoded("# ts lat_s\n1700000000 2\n")), 2_000_000_000);
    assert_eq!(latency(&decoded("# time and latency_s\n1700000000 2\n")), 2_000);
    assert_eq!(latency(&decoded("1700000000 2\n")), 2_000);
    assert_eq!(decoded("1700000000 2\n").tally.notices.len(), 1);
    assert_eq!(latency(&decoded("1700000000 0.000048\n")), 48_000);
    let said = decoded("1700000000 0.000048\n").tally.notices;
    assert!(said.iter().any(|said| said.contains("seconds")), "{said:?}");
}

#[test]
fn minutes_and_clocks_without_hours_are_latencies() {
    let decoded =
        decoded("time,op,duration\n1700000000,a,2m\n1700000100,b,01:02.345\n1700000200,c,900ms\n");
    let latencies: Vec<u64> = decoded.events.iter().map(|event| event.1).collect();
    assert_eq!(latencies, [120_000_000_000, 62_345_000_000, 900_000_000]);
    assert!(decoded.tally.notices.iter().any(|said| said.contains("read as minutes")));
    // Hours and minutes, or minutes and seconds.
    let open = super::tests::decoded("time,op,duration\n1700000000,a,5ms\n1700000100,b,10:00\n");
    assert_eq!((open.events.len(), open.tally.rejected), (1, 1));
    // Without a name it may be a size.
    assert!(super::tests::decoded("1700000000 512m\n1700000001 512m\n").error.is_some());
}

#[test]
fn decimal_commas_are_read_where_semicolons_separate_the_columns() {
    for text in [
        "time;op;latency_ms\n1700000000;read;1,25\n1700000001;write;1,500\n",
        "time;latency_ms;size\n1700000000,000;1,25;0,5\n1700000001,000;1,5;12\n",
        "\"time\";\"latency_ms\"\r\n\"14.11.2023 22:13:20\";\"1,25\"\r\n\"14.11.2023 22:13:21\";\"1,5\"\r\n",
    ] {
        let decoded = decoded(text);
        let expected =
            [(1_700_000_000_000_000_000, 1_250_000), (1_700_000_001_000_000_000, 1_500_000)];
        assert_eq!(pairs(&decoded), expected, "{text}");
        assert!(
            decoded.tally.assumptions.iter().any(|said| said.contains("decimal comma")),
            "{text}"
        );
    }
    let named = decoded_in("1700000000,5;x;0,000125\n", &columns("time,-,latency_s"));
    assert_eq!(pairs(&named), [(1_700_000_000_500_000_000, 125_000)]);
    let seconds = decoded("1700000000;0,25\n1700000001;0,125\n");
    assert_eq!(pairs(&seconds)[0].1, 250_000_000);
    // The comma of a list in another column is none of the latencies.
    let list = decoded("time;latency_ms;cpus\n1700000000;1.25;0,3\n1700000001;1.5;1,2\n");
    assert_eq!(pairs(&list), [(1_700_000_000_000_000_000, 1_250_000), (1_700_000_001_000_000_000, 1_500_000)]);
    assert_eq!((list.tally.rejected, list.tally.assumptions.iter().any(|said| said.contains("comma"))), (0, false));
    // Thousands or decimals: nothing shows which.
    let open = decoded("time;latency_us\n1700000000;1,250\n1700000001;2,125\n");
    assert_eq!(open.events.len(), 0);
    let said = open.error.unwrap_or_default() + &format!("{:?}", open.tally.rejections);
    assert!(said.contains("'1,250' has a comma in it"), "{said}");
    let point = decoded("time;latency_us\n1700000000;1,25\n1700000001;1.250\n1700000002;1.250,5\n");
    assert_eq!((point.events.len(), point.tally.rejected_events), (1, 2));
    assert!(point.tally.rejections[0].reason.contains("a point where others have a comma"));
}

#[test]
fn the_head_above_a_named_column_tells_its_unit() {
    for (head, latency) in [
        ("time,op,wait_us", 7_000),
        ("time,op,wait_ms", 7_000_000),
        ("time,op,Wait (ns)", 7),
        ("\"time\",\"op\",\"service time, microsec\"", 7_000),
        // That of another column says nothing of this one.
        ("time,latency_ms,wait_us", 7_000),
        ("latency_ms,op,wait_us", 7_000),
        ("time_ms,op,took", 7_000),
        ("# time,op,wait_ms", 7_000_000),
    ] {
        let text = format!("{head}\n1772375445.5,r,7\n1772375445.6,r,7\n");
        let found = decoded_in(&text, &columns("time_s,op,latency"));
        assert_eq!(found.error, None, "{head}");
        assert_eq!(found.tally.rejected, 0, "{head}: a head is no rejected record");
        let latencies: Vec<u64> = found.events.iter().map(|(_, latency, _)| *latency).collect();
        assert_eq!(latencies, [latency; 2], "{head}");
        let is_assumed = found.tally.notices.iter().any(|said| said.contains("are assumed"));
        assert_eq!(is_assumed, head.ends_with("took"), "{head}");
    }
    // Times, too; what the user says goes first.
    let text = "start_ms op wait_us\n500 r 7\n1500 r 7\n";
    let found = decoded_in(text, &columns("start,op,latency"));
    let ends: Vec<i64> = found.events.iter().map(|(at, ..)| *at).collect();
    assert_eq!(ends[1] - ends[0], 1_000_000_000);
    let context = Context { unit: Some(Unit::Millis), ..columns("start,op,latency") };
    assert_eq!(decoded_in(text, &context).events[0].1, 7_000_000);
}

/// Files written one behind the other: a head that says the same is none of the data, and below one that
/// says something else nothing is read by the first one.
#[test]
fn a_second_head_is_no_event_and_other_units_end_what_is_read() {
    let rows = |from: u32| {
        let rows: Vec<String> = (from..from + 3).map(|at| format!("{},2\n", 1_790_000_000 + at)).collect();
        rows.concat()
    };
    let head = "time,latency_ms\n";
    for again in [head, "TIME , Latency_ms\n", "ts,latency\n"] {
        let found = decoded(&[head, &rows(0), again, &rows(3)].concat());
        assert_eq!((found.events.len(), found.tally.rejected, found.tally.ignored_lines), (6, 0, 2), "{again}");
    }
    for other in ["time,latency_us\n", "latency_ms,time\n", "start,latency_ms\n"] {
        for lines in [1, 2] {
            let text = [head, &rows(0), other, &rows(3).repeat(lines)].concat();
            let found = decoded(&text);
            let rejected = 3 * lines as u64;
            assert_eq!((found.events.len(), found.tally.rejected), (3, rejected), "{other}");
            let is_said = found.tally.notices.iter().any(|said| said.contains("line 5 is another head"));
            assert!(is_said, "{:?}", found.tally.notices);
        }
    }
    // In comments, too.
    for (other, read) in [("# time latency_us\n", 3), ("# time latency_ms\n", 6), ("# slow now\n", 6)] {
        let blanks = |from| rows(from).replace(',', " ");
        let found = decoded(&["# time latency_ms\n", &blanks(0), other, &blanks(3)].concat());
        assert_eq!((found.events.len(), found.tally.rejected), (read, 6 - read as u64), "{other}");
    }
    // A sentence is no head, whatever words it has, and ends nothing.
    for (head, line) in [
        ("", "the time and latency were fine\n"),
        ("", "time latency\n"),
        ("time latency_ms\n", "the time and latency were fine\n"),
        (head, "all, time, latency\n"),
    ] {
        let rows = |from| if head.contains(',') { rows(from) } else { rows(from).replace(',', " ") };
        let found = decoded(&[head, &rows(0), line, &rows(3)].concat());
        assert_eq!((found.events.len(), found.tally.rejected), (6, 1), "{head}{line}");
    }
    // With the names of the user, the head is known by its words.
    let text = ["t,took_ms\n", &rows(0), "t,took_ms\n", &rows(3)].concat();
    let found = decoded_in(&text, &columns("time,latency"));
    assert_eq!((found.events.len(), found.tally.rejected, found.events[5].1), (6, 0, 2_000_000));
}

#[test]
fn named_columns_become_attributes_and_parts_of_a_time_are_added() {
    let text = "1 7 14226 0 1795238114 387937 vda\n2 7 2007 0 1795238115 80068 vdb\n";
    let decoded = decoded_in(text, &columns("-,-,latency_us,-,end_s,end_us,device"));
    let expected = [
        (1_795_238_114_387_937_000, 14_226_000, "latency{device=vda}".to_owned()),
        (1_795_238_115_080_068_000, 2_007_000, "latency{device=vdb}".to_owned()),
    ];
    assert_eq!(decoded.events, expected);
    assert!(decoded.tally.notices.is_empty(), "{:?}", decoded.tally.notices);
}

#[test]
fn a_time_is_the_end_and_a_start_is_a_latency_before_it() {
    // An event of 2.5 s that began at 1,700,000,000 ended 2.5 s later.
    let (start, end) = (1_700_000_000_000_000_000, 1_700_000_002_500_000_000);
    let second = 1_000_000_000;
    let lines = "1700000000,2500000\n1700000001,2500000\n";
    let of = |names: &str| pairs(&decoded_in(lines, &columns(names)));
    let latency = 2_500_000_000;
    assert_eq!(of("start,latency_us"), [(end, latency), (end + second, latency)]);
    assert_eq!(of("end,latency_us"), [(start, latency), (start + second, latency)]);
    assert_eq!(of("time,latency_us"), of("end,latency_us"));
    // Through the general way, too, and by a header.
    let text = "start,latency_us\n1700000000,2500000\n1700000001,2.5e6\n";
    assert_eq!(pairs(&decoded(text)), of("start,latency_us"));
    let both = "start,end,latency_us\n1700000000,1700000002.5,2500000\n";
    assert_eq!(pairs(&decoded(both)), [(end, latency)]);
    assert!(decoded(both).tally.notices.is_empty(), "{:?}", decoded(both).tally.notices);
    // Times of day that begin before a midnight end after it.
    let of_day = decoded_in("23:59:59,2500000\n00:00:01,2500000\n", &columns("start,latency_us"));
    assert_eq!(pairs(&of_day), [(86_401_500_000_000, latency), (86_403_500_000_000, latency)]);
}

#[test]
fn dates_without_a_zone_are_of_the_zone_that_is_given() {
    let zone = jiff::tz::TimeZone::get("Europe/Zurich").ok();
    let context = Context { zone, ..columns("end,latency_us") };
    // 14:00 in summer is 12:00 UTC: day 20,270 after 1970-01-01 is 2025-07-01.
    let decoded = decoded_in("2025-07-01 14:00:00,10\n2025-07-01T14:00:01Z,10\n", &context);
    let day = 20_270 * 86_400;
    let times: Vec<_> = decoded.events.iter().map(|(at, ..)| at / 1_000_000_000).collect();
    assert_eq!(times, [day + 12 * 3_600, day + 14 * 3_600 + 1]);
    assert!(decoded.tally.notices.is_empty(), "{:?}", decoded.tally.notices);
    let utc = decoded_in("2025-07-01 14:00:00,10\n", &columns("end,latency_us"));
    assert_eq!(utc.events[0].0, (day + 14 * 3_600) * 1_000_000_000);
    assert!(utc.tally.notices.iter().any(|said| said.contains("no time zone")));
}

#[test]
fn seconds_of_an_hour_that_occurs_twice_stay_in_their_order() {
    // 1,200 seconds around the change of clocks at 01:00 UTC on 2025-10-26, one event in each.
    let zone = jiff::tz::TimeZone::get("Europe/Zurich").unwrap();
    let first: jiff::Timestamp = "2025-10-26T00:50:00Z".parse().unwrap();
    let line = |second| {
        let local = (first + jiff::SignedDuration::from_secs(second)).to_zoned(zone.clone());
        format!("{},1000\n", local.strftime("%Y-%m-%d %H:%M:%S"))
    };
    let text: String = (0..1_200).map(line).collect();
    let context = Context { zone: Some(zone.clone()), ..columns("end,latency_us") };
    let decoded = decoded_in(&text, &context);
    let times = decoded.events.iter().map(|(at, ..)| at / 1_000_000_000 - first.as_second());
    assert!(times.eq(0..1_200));
    let said: Vec<_> = decoded.tally.notices.iter().filter(|said| said.contains("set back")).collect();
    assert_eq!(said.len(), 1, "{said:?}");
}

#[test]
fn other_columns_of_a_header_become_attributes_unless_they_are_numbers() {
    let decoded = decoded("ts,op,bytes,lat_us\n1700000000,read,4096,20\n1700000000.5,write,512,30\n");
    let series: Vec<_> = decoded.events.iter().map(|(_, _, series)| series.as_str()).collect();
    assert_eq!(series, ["latency{op=read}", "latency{op=write}"]);
    assert!(decoded.tally.notices.iter().any(|said| said.contains("bytes")));
}

#[test]
fn what_cannot_be_used_is_rejected_with_its_place_and_reason() {
    let good = "1700000000 5\n";
    for (bad, reason) in [
        ("1700000001 -5", "is negative"),
        ("1700000001 NaN", "is not a number"),
        ("1700000001 0,25", "comma"),
        ("1700000001,5 3", "comma"),
        ("1700000001 315360001000000", "ten years"),
        ("1700000001 99999999999999999999999999", "too large"),
        ("99999999999999999999 5", "too large"),
        ("yesterday 5", "is not a number"),
        ("1700000001", "1 column where 2"),
        ("1700000001 5 5", "3 columns where 2"),
        ("\u{fffd}\u{0}", "column"),
    ] {
        let decoded = decoded(&format!("{good}{good}{bad}\n{good}"));
        assert_eq!((decoded.tally.records, decoded.tally.rejected), (3, 1), "{bad}");
        let rejection = &decoded.tally.rejections[0];
        assert_eq!((rejection.place.line, rejection.place.byte), (3, 26), "{bad}");
        assert!(rejection.reason.contains(reason), "{bad}: {}", rejection.reason);
    }
}

#[test]
fn a_first_line_that_cannot_be_used_is_rejected_and_the_next_one_decides() {
    let decoded = decoded("1700000000,123 0,25\n1700000000123 NaN\n1700000000123 5\n");
    assert_eq!(pairs(&decoded), [(1_700_000_000_123_000_000, 5_000)]);
    assert_eq!(decoded.tally.rejected, 2);
    assert!(decoded.tally.rejections[0].reason.contains("comma"));
    let all_commas = super::tests::decoded("1700000000,123 0,25\n1700000001,123 0,25\n");
    assert_eq!((all_commas.tally.rejected, all_commas.error.is_some()), (2, true));
}

#[test]
fn columns_that_cannot_be_recognised_are_an_error_that_says_what_to_do() {
    for text in ["hello world\n", "1 2 3\n", "1700000000\n", "a,b,c\n1,2,3\n"] {
        let error = decoded(text).error.unwrap();
        assert!(error.starts_with("line 1 (byte 0)") && error.contains("--columns"), "{error}");
    }
    let error = decoded("81234567890123 5\n").error.unwrap();
    assert!(error.contains("--time-unit"), "{error}");
    let error = decoded_in("1 2\n", &columns("time,duration,latency")).error.unwrap();
    assert!(error.contains("exactly one column named latency"), "{error}");
    let noise = decoded_in("hello\nworld\n", &columns("time,latency"));
    assert_eq!((noise.tally.rejected, noise.error.is_some()), (2, true));
    assert_eq!(decoded("").error, None);
    assert_eq!(decoded("time,latency\n").error, None);
}

#[test]
fn clocks_are_distinguished() {
    let small = decoded("0.5 10\n1.5 10\n");
    assert_eq!(pairs(&small), [(500_000_000, 10_000), (1_500_000_000, 10_000)]);
    assert_eq!(small.tally.clock, Clock::Arbitrary);
    let context = Context { time_unit: Some(Unit::Millis), ..Context::default() };
    assert_eq!(pairs(&decoded_in("1500 10\n", &context)), [(1_500_000_000, 10_000)]);
    let of_day = decoded("23:59:59.5 10\n00:00:00.5 10\n");
    assert_eq!(pairs(&of_day), [(86_399_500_000_000, 10_000), (86_400_500_000_000, 10_000)]);
    assert_eq!(of_day.tally.clock, Clock::TimeOfDay);
    let no_zone = decoded("2026-11-21 05:02:37,5 10\n");
    assert_eq!(pairs(&no_zone), [(1_795_237_357_500_000_000, 10_000)]);
    assert!(no_zone.tally.notices.iter().any(|said| said.contains("no time zone")));
}

#[test]
fn a_live_input_is_placed_on_our_clock_when_its_own_is_unknown() {
    let now = Timestamp::new(1_795_237_357_000_000_000);
    let live = |context: Context| Context { arrival: Some(Arc::new(move || now)), ..context };
    let at = now.as_nanos();
    let decoded = decoded_in("0.5 10\n1.5 10\n2.5 10\n", &live(Context::default()));
    let expected = [(at, 10_000), (at + 1_000_000_000, 10_000), (at + 2_000_000_000, 10_000)];
    assert_eq!(pairs(&decoded), expected);
    assert_eq!(decoded.tally.clock, Clock::Epoch);
    let no_times = decoded_in("10\n20\n", &live(columns("latency_us")));
    assert_eq!(pairs(&no_times), [(at, 10_000), (at, 20_000)]);
}

#[test]
fn without_times_operations_follow_one_another() {
    let decoded = decoded_in("10 a\n20 b\n", &columns("latency_us,kind"));
    assert_eq!(pairs(&decoded), [(10_000, 10_000), (30_000, 20_000)]);
    assert_eq!(decoded.tally.clock, Clock::Assumed);
    assert_eq!(decoded.tally.notices.len(), 1);
}

#[test]
fn a_column_of_unique_values_does_not_fill_the_memory() {
    let lines: Vec<_> = (0..3_000).map(|n| format!("1700000000 5 id{n}\n")).collect();
    let decoded = decoded_in(&lines.concat(), &columns("end,latency_us,id"));
    let others = decoded.events.iter().filter(|(_, _, series)| series == "latency{id=(other)}");
    assert_eq!((decoded.events.len(), others.count()), (3_000, 2_000));
    assert_eq!(decoded.tally.notices.len(), 1);
}

#[test]
fn gigantic_lines_and_binary_are_rejected_and_reading_goes_on() {
    let mut text = b"1700000000 5\n".to_vec();
    text.extend(std::iter::repeat_n(b'7', 3 << 20));
    text.extend_from_slice(b"\n\x00\xff\xfe\x80 \x01\n1700000001 6\n");
    let decoded = decoded_through(64 << 10, &text, &Context::default());
    assert_eq!(decoded.events.len(), 2);
    let lines: Vec<_> = decoded.tally.rejections.iter().map(|r| r.place.line).collect();
    assert_eq!(lines, [2, 3]);
}

#[test]
fn only_plain_columns_in_order_of_time_are_recognised() {
    let sniff = |text: &str| SOURCE.sniff(text.as_bytes());
    for text in [
        "1700000000.1 12\n1700000000.2 13\n1700000000.15 12\n1700000000.3 1\n1700000000.4 1\n17",
        "# made by hand\n0.1,12\n0.2,13\n",
        "ts,op,lat_us\n1700000000,read,20\n",
        "05:02:37.1 12\n",
        "2026-11-21 05:02:37 12\n2026-11-21 05:02:38 13\n",
    ] {
        assert_eq!(sniff(text), Verdict::Unsure, "{text}");
    }
    for text in [
        "",
        "hello world\n",
        "9 1\n8 2\n7 3\n6 4\n",
        "1 2 3\n4 5 6\n",
        "1 2\nx\ny\n",
        "1 2\n\0\n",
        "<begin record>\n64, 5\n",
        "interval,tag,value_ns\n0,read,195\n",
    ] {
        assert_eq!(sniff(text), Verdict::No, "{text}");
    }
}

/// Lines of the plain kind, and some that are not quite.
fn a_line() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        8 => "[0-9]{1,6}(\\.[0-9]{1,9})?",
        1 => "[0-9]{17,22}",
        1 => "[-+.,0-9e]{0,8}",
    ];
    let separator = prop_oneof![8 => Just(" "), 1 => Just("\t"), 1 => Just("  "), 1 => Just(",")];
    let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just(" \n"), 1 => Just(" 5\n")];
    (number.clone(), separator, number, end)
        .prop_map(|(time, separator, latency, end)| format!("{time}{separator}{latency}{end}"))
}

proptest! {
    /// A buffer of one byte never holds a whole line, so that every line goes the general way.
    #[test]
    fn the_quick_way_reads_what_the_general_way_reads(
        lines in prop::collection::vec(a_line(), 1..40),
        buffer in 2_usize..200,
    ) {
        let text = format!("1 1\n{}", lines.concat());
        let general = decoded_through(1, text.as_bytes(), &Context::default());
        for buffer in [buffer, 64 << 10] {
            let quick = decoded_through(buffer, text.as_bytes(), &Context::default());
            prop_assert_eq!(&quick.events, &general.events);
            prop_assert_eq!(&quick.tally, &general.tally);
        }
        let read = general.tally.records + general.tally.rejected;
        let written = lines.iter().filter(|line| !line.trim().is_empty()).count();
        prop_assert_eq!(read, written as u64 + 1);
    }
}

proptest! {
    /// What a CSV writer puts into quotes comes back as it was.
    #[test]
    fn a_quoted_text_comes_back(name in "[ab, \"]{0,8}") {
        let name = name.trim();
        prop_assume!(!name.is_empty());
        let text = format!("end,latency,name\n1700000001,5,{}\n", isotherm_frame::csv_text(name));
        let names = ["end", "latency", "name"].map(str::to_owned).to_vec();
        let context = Context { columns: Some(Names { names }), ..Context::default() };
        let decoded = decoded_through(64, text.as_bytes(), &context);
        prop_assert_eq!(decoded.events.len(), 1, "{:?}", decoded.tally.rejections);
        let expected = isotherm_frame::Series::with_attributes("latency", [("name", name)]);
        prop_assert_eq!(&decoded.events[0].2, &expected.to_string());
    }
}
