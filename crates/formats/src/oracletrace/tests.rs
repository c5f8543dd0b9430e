use std::sync::Arc;

use isotherm_frame::{Account, Clock, Nanos, Reading, Timestamp, UnmetAttribute};

use super::*;
use crate::{Message, Only};

/// Series, moment in microseconds, latency in microseconds.
#[derive(Default)]
struct Waits {
    waits: Vec<(String, i64, u64)>,
    tally: Account,
}

impl Sink for Waits {
    fn take(&mut self, message: Message) {
    let Some(reading) = message.into_reading(&mut self.tally) else { return };
    let Reading::Event { at, series, latency } = reading else {
        assert!(matches!(reading, Reading::Unselected { .. }), "no interval of a trace");
        return;
    };
    self.waits.push((series.to_string(), at.as_nanos() / 1_000, latency.as_nanos() / 1_000));
    }
}

fn read(text: &str, context: &Context) -> Waits {
    let mut waits = Waits::default();
    SOURCE.decode(&mut text.as_bytes(), context, &mut waits).unwrap();
    waits
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_trace_without_waits_says_how_to_get_them() {
    let call = "EXEC #1:c=0,e=5,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=100\n";
    let waits = read(call, &Context::default());
    assert!(waits.waits.is_empty());
    assert_eq!(waits.tally.notices.len(), 1);
    assert!(waits.tally.notices[0].contains("waits=>true"), "{:?}", waits.tally.notices);
}

#[test]
fn series_beyond_the_limit_go_to_one_for_the_rest() {
    let wait =
        |n: u32| format!("WAIT #1: nam='x' ela= {n} p1={n} p2=0 p3=0 obj#=1 tim={}\n", 50 + n);
    let text: String = (0..1_200).map(wait).collect();
    let waits = read(&text, &Context { by: names(&["p1"]), ..Context::default() });
    let others: Vec<_> = waits.waits.iter().filter(|wait| wait.0 == "(others)").collect();
    assert_eq!((waits.waits.len(), others.len()), (1_200, 200));
    assert!(others.iter().all(|wait| wait.2 >= 1_000));
    assert_eq!(waits.waits[7].0, "waits{p1=7}");
    assert!(waits.tally.notices.iter().any(|said| said.contains("more than 1000 series")));
}

#[test]
fn an_attribute_that_no_wait_has_is_said() {
    let text = "WAIT #1: nam='x' ela= 5 driver id=3 #bytes=1 p3=0 obj#=1 tim=100\n";
    let context = Context { by: names(&["event", "#bytes", "flavour"]), ..Context::default() };
    let waits = read(text, &context);
    assert_eq!(waits.waits[0].0, "x{#bytes=1}");
    let missing = &waits.tally.missing_attributes;
    assert_eq!((missing.len(), missing[0].name.as_str()), (1, "flavour"));
    // What there is, of every event and of this one.
    for known in ["event", "sql", "p1", "driver id", "#bytes", "obj#"] {
        assert!(missing[0].known.iter().any(|name| name == known), "{known}: {missing:?}");
    }
    // An attribute that waits of other traces have is no mistake.
    let context = Context { by: names(&["module"]), ..Context::default() };
    let waits = read(text, &context);
    assert!(waits.tally.missing_attributes.is_empty());
    assert!(waits.tally.notices.iter().any(|said| said == "no wait has the attribute 'module'"));
    assert_eq!(waits.tally.unmet_attributes, [UnmetAttribute { name: "module".to_owned(), event: "wait" }]);
}

#[test]
fn conditions_on_one_attribute_are_alternatives_and_on_several_all_hold() {
    let text = "\
WAIT #1: nam='log file sync' ela= 1 p1=1 p2=0 p3=0 obj#=1 tim=100
WAIT #1: nam='log file sync' ela= 2 p1=2 p2=0 p3=0 obj#=1 tim=200
WAIT #1: nam='db file sequential read' ela= 4 p1=1 p2=0 p3=0 obj#=1 tim=300
WAIT #1: nam='latch free' ela= 8 p1=1 p2=0 p3=0 obj#=1 tim=400
";
    let only = |pairs: &[(&str, &str)]| {
        let pairs = pairs.iter().map(|(name, value)| Only {
            attribute: name.trim_end_matches('!').to_owned(),
            pattern: (*value).to_owned(),
            other: name.ends_with('!'),
        });
        let context = Context { only: pairs.collect(), ..Context::default() };
        let waits = read(text, &context);
        assert_eq!(waits.tally.records, 4);
        waits.waits.iter().map(|wait| wait.2).sum::<u64>()
    };
    assert_eq!(only(&[]), 15);
    assert_eq!(only(&[("event", "log*")]), 3);
    assert_eq!(only(&[("event", "log*"), ("event", "*read")]), 7);
    assert_eq!(only(&[("event", "log*"), ("event", "*read"), ("p1", "1")]), 5);
    assert_eq!(only(&[("flavour", "*")]), 0);
    // Of all but some values; a wait without the attribute has none of them.
    assert_eq!(only(&[("event!", "log*")]), 12);
    assert_eq!(only(&[("event!", "log*"), ("event!", "latch free")]), 4);
    assert_eq!(only(&[("event", "log*"), ("p1!", "1")]), 2);
    assert_eq!(only(&[("flavour!", "x")]), 15);
}

#[test]
fn the_unit_of_an_unknown_release_can_be_given() {
    let text = "WAIT #1: nam='x' ela= 5 p1=1 p2=0 p3=0\n";
    let unit = Some(isotherm_frame::Unit::Millis);
    let waits = read(text, &Context { unit, ..Context::default() });
    assert_eq!(waits.waits[0].2, 5_000);
    assert!(!waits.tally.notices.iter().any(|said| said.contains("release")));
}

#[test]
fn a_trace_of_8i_without_its_header_is_said_and_can_be_read_in_hundredths() {
    // 2 + 1 hundredths of a second are 30 ms.
    let text = "\
WAIT #1: nam='db file sequential read' ela= 0 p1=8 p2=649 p3=1
WAIT #1: nam='db file sequential read' ela= 2 p1=8 p2=650 p3=1
WAIT #1: nam='db file scattered read' ela= 1 p1=8 p2=658 p3=8
";
    let waits = read(text, &Context::default());
    let said = &waits.tally.notices;
    assert!(
        said.iter().any(|said| said.contains("1 of 3 waits are 0") && said.contains("--unit cs"))
    );
    let context = Context { unit: Some(isotherm_frame::Unit::Centis), ..Context::default() };
    let waits = read(text, &context);
    let micros: Vec<u64> = waits.waits.iter().map(|wait| wait.2).collect();
    assert_eq!(micros, [0, 20_000, 10_000]);
    // They follow each other by these lengths.
    assert_eq!(waits.waits[2].1 - waits.waits[0].1, 30_000);
    assert!(!waits.tally.notices.iter().any(|said| said.contains("release")));
    // Waits that say when they ended are of 10.2 or later, which counts microseconds.
    let timed = "WAIT #1: nam='x' ela= 5 p1=1 p2=0 p3=0 obj#=1 tim=100\n";
    assert!(
        !read(timed, &Context::default()).tally.notices.iter().any(|said| said.contains("release"))
    );
}

#[test]
fn a_file_without_records_is_refused() {
    let header = "Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production\n\
                  *** 2026-11-21T09:08:07.123456+01:00\nkcrfw_alfs_update_mode: log file sync\n";
    let mut waits = Waits::default();
    let error = SOURCE.decode(&mut header.as_bytes(), &Context::default(), &mut waits).unwrap_err();
    assert!(error.to_string().starts_with("no record of a SQL trace"), "{error}");
}

#[test]
fn one_container_is_one_series_whether_its_name_or_its_number_stands_there() {
    let wait = |tim: u32| format!("WAIT #1: nam='x' ela= 1 p1=1 p2=0 p3=0 obj#=1 tim={tim}\n");
    let context = Context { by: names(&["container"]), ..Context::default() };
    let series = |text: &str| {
        let waits = read(text, &context).waits;
        waits.into_iter().map(|(series, _, _)| series).collect::<Vec<_>>()
    };
    let (named, numbered) = (
        "*** 2026-11-21T09:08:07.1+01:00 (SALES(4))\n",
        "*** CONTAINER ID:(4) 2026-11-21T09:08:07.2+01:00\n",
    );
    let text = format!("{named}{}{numbered}{}", wait(100), wait(200));
    assert_eq!(series(&text), ["waits{container=SALES}"; 2]);
    let text = format!("{numbered}{named}{}{numbered}{}", wait(100), wait(200));
    assert_eq!(series(&text), ["waits{container=SALES}"; 2]);
    // Where a wait comes before the name, the number is what the container is called.
    let text = format!("{numbered}{}{named}{}", wait(100), wait(200));
    assert_eq!(series(&text), ["waits{container=4}"; 2]);
    // A label alone moves the session to another container.
    let root = "*** CONTAINER ID:(1) 2026-11-21T09:08:07.3+01:00\n";
    let text = format!("{named}{}{root}{}{named}{}", wait(100), wait(200), wait(300));
    let expected = ["waits{container=SALES}", "waits{container=1}", "waits{container=SALES}"];
    assert_eq!(series(&text), expected);
}

#[test]
fn idle_waits_take_no_part_where_they_are_left_out() {
    let text = "\
PARSING IN CURSOR #1 len=6 dep=0 uid=1 oct=3 lid=1 tim=50 hv=7 ad='0' sqlid='aaaaaaaaaaaaa'
select
END OF STMT
WAIT #1: nam='SQL*Net message from client' ela= 100 driver id=3 #bytes=1 p3=0 obj#=1 tim=100
WAIT #1: nam='log file sync' ela= 7 p1=1 p2=0 p3=0 obj#=1 tim=200
WAIT #1: nam='SQL*Net message from client' ela= 300 driver id=3 #bytes=1 p3=0 obj#=1 tim=500
";
    let only = |event: &str| {
        vec![Only { attribute: "event".to_owned(), pattern: event.to_owned(), other: false }]
    };
    let context = Context { leave_out_idle: true, ..Context::default() };
    // By event, and by what mixes events.
    for by in [&[][..], &["sql"]] {
        let waits = read(text, &Context { by: names(by), ..context.clone() });
        assert_eq!(waits.waits.iter().map(|wait| wait.2).collect::<Vec<_>>(), [7], "{by:?}");
        let left_out = &waits.tally.idle;
        assert_eq!((left_out.len(), left_out[0].waits), (1, 2));
        assert_eq!((left_out[0].time, left_out[0].exact), (Some(Nanos::from_micros(400)), true));
        assert_eq!(waits.tally.records, 3);
    }
    // Who names an idle event wants it; who asks for others does not have them counted as left out.
    let named =
        read(text, &Context { only: only("SQL*Net message from client"), ..context.clone() });
    assert_eq!((named.waits.len(), named.tally.idle.len()), (2, 0));
    let other = read(text, &Context { only: only("log*"), ..context });
    assert_eq!((other.waits.len(), other.tally.idle.len()), (1, 0));
    assert_eq!(read(text, &Context::default()).waits.len(), 3);
}

#[test]
fn a_live_trace_is_stamped_by_its_own_clock_or_else_by_its_arrival() {
    let now = Timestamp::new(1_795_219_200_000_000_000);
    let context = Context { arrival: Some(Arc::new(move || now)), ..Context::default() };
    let wait = "WAIT #1: nam='x' ela= 5 p1=1 p2=0 p3=0 obj#=1 tim=100\n";
    let arrived = read(wait, &context);
    assert_eq!(arrived.waits[0].1, 1_795_219_200_000_000);
    assert_eq!(arrived.tally.clock, Clock::Epoch);
    let stamped = read(&format!("*** 2026-11-20T00:00:00Z\n{wait}"), &context);
    assert_eq!(stamped.waits[0].1, 1_795_132_800_000_000);
}

#[test]
fn reading_that_fails_says_where() {
    struct Broken(bool);
    impl std::io::Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let text = b"WAIT #1: nam='x' ela= 5 p1=1 p2=0 p3=0 obj#=1 tim=100\n";
            if std::mem::replace(&mut self.0, true) {
                return Err(std::io::Error::other("the disk is gone"));
            }
            buffer[..text.len()].copy_from_slice(text);
            Ok(text.len())
        }
    }
    let mut waits = Waits::default();
    let mut input = std::io::BufReader::new(Broken(false));
    let error = SOURCE.decode(&mut input, &Context::default(), &mut waits).unwrap_err();
    assert_eq!(error.to_string(), "cannot read the input at line 2 (byte 54): the disk is gone");
    assert_eq!(waits.waits.len(), 1);
}

#[test]
fn only_traces_are_recognised() {
    for (head, expected) in [
        ("WAIT #3: nam='db file sequential read' ela= 392 p1=13 p2=9 p3=1\n", Verdict::Yes),
        ("*** SESSION ID:(9.214) 2003-02-11 08:15:30.400\n", Verdict::Yes),
        ("noise\nEXEC #1:c=0,e=5,dep=0,tim=100\n", Verdict::Yes),
        ("LOBREAD: type=PERSISTENT LOB,bytes=1,c=1,e=2,p=0,cr=1,cu=0,tim=5\n", Verdict::Yes),
        ("  WAIT #3: nam='x'\n", Verdict::No),
        ("WAIT for it\nEXEC 5\n", Verdict::No),
        ("Trace file of something else\n", Verdict::No),
        ("1795253272.365783 0.000182\n", Verdict::No),
    ] {
        assert_eq!(SOURCE.sniff(head.as_bytes()), expected, "{head}");
    }
}
