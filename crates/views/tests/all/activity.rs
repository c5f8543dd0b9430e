//! Tables and JSON of active sessions.

use isotherm_analysis::IoChange;
use isotherm_analysis::{Activity, ActivityFilter, Dimension};
use isotherm_frame::{ActiveSession, NameKind, Nanos, SessionName, SessionSample, Timestamp};
use isotherm_frame::{IoAmount, IoAmounts, IoCounters, IoMetric, IoMetrics, IoPart, IoRate};
use isotherm_views::activity::{
    ActivityJson, ActivityReport, ActivityTable, IoJson, IoReport, LastInterval, SampledBy,
};
use serde_json::Value;

use crate::schema::faults;
use crate::schema_pages::schema_of;

fn session(id: &str, event: &str, blocker: &str) -> ActiveSession {
    ActiveSession {
        session: id.into(),
        class: event.split(':').next().unwrap().into(),
        event: event.into(),
        sql: "42".into(),
        user: "app".into(),
        program: "psql".into(),
        blocker: blocker.into(),
    }
}

/// Four samples: one session always works, one waits for another in two of them.
fn report() -> (Activity, ActivityReport) {
    let mut activity = Activity::new(Nanos::from_millis(60_000), Nanos::from_millis(100));
    for number in 0..4 {
        let mut sessions = vec![session("1", "CPU", "")];
        if number >= 2 {
            sessions.push(session("2", "Lock:tuple", "9"));
        }
        let name =
            |kind, id: &str, text: &str| SessionName { kind, id: id.into(), text: text.into() };
        let names = vec![
            name(NameKind::Sql, "42", "select 1\u{1b}[2J"),
            name(NameKind::Blocker, "9", "app, psql, idle in transaction"),
        ];
        let at = Timestamp::new(1_795_435_200_000_000_000 + number * 100_000_000);
        activity.push(SessionSample { at, sessions, names, ..SessionSample::default() });
    }
    let (all, always) =
        (ActivityFilter::default(), (Timestamp::new(i64::MIN), Timestamp::new(i64::MAX)));
    let report = ActivityReport {
        source: "postgres://db1".to_owned(),
        sampled_by: SampledBy::Isotherm,
        hz: 10,
        length: Nanos::from_millis(400),
        due: 4,
        skipped: 0,
        gaps: (0, Nanos::ZERO),
        totals: activity.totals(always, &all),
        tables: Dimension::ALL.map(|by| activity.rows(always, by, &all)).to_vec(),
        warnings: vec!["be careful".to_owned()],
    };
    (activity, report)
}

#[test]
fn json_is_what_its_schema_says() {
    let (activity, report) = report();
    let mut out = Vec::new();
    ActivityJson::new(&report, &activity).write(&mut out).unwrap();
    let object: Value = serde_json::from_slice(&out).unwrap();
    let schema = schema_of::<ActivityJson>("top.schema.json");
    assert_eq!(faults(&object, &schema), Vec::<String>::new());
    assert_eq!(object["average_active_sessions"], 1.5);
    assert_eq!(object["by"].as_array().unwrap().len(), Dimension::ALL.len());
    let blockers = &object["by"][5]["rows"];
    assert_eq!(blockers[0]["value"], Value::Null, "not blocked");
    assert_eq!(blockers[1]["text"], "app, psql, idle in transaction");
    assert_eq!(blockers[1]["average_active_sessions"], 0.5);
    // Two samples in a row found it.
    assert_eq!(blockers[1]["active_sessions_now"], 1);
    assert_eq!(blockers[1]["longest_wait"]["at_least_us"], 100_000.0);
    assert_eq!(blockers[1]["longest_wait"]["source"], "sampled");
}

#[test]
fn tables_name_blockers_and_keep_to_the_width() {
    let (activity, report) = report();
    let mut out = Vec::new();
    ActivityTable { width: 90, top: 1 }.write(&report, &activity, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.lines().skip(2).all(|line| line.chars().count() <= 90), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    // One step of 1 in 4 samples: sqrt(1 / (2 * 4 * 3)).
    let blocker =
        "   0.50    0.20      1    33%     1     1   >100ms  9  app, psql, idle in transaction\n";
    assert!(text.contains(blocker), "{text}");
    assert!(
        text.contains(
            "1.50 average active sessions (standard error 0.20), 2 now, most 2; 4 samples"
        )
    );
    assert!(
        text.contains("   0.50                                             1 more\n"),
        "{text}"
    );
}

/// The last minute of two instances: one began and ended on the days beside midnight.
fn measured() -> LastInterval {
    let both =
        |operations, megabytes| IoRate { operations: Some(operations), megabytes: Some(megabytes) };
    let none = both(0.0, 0.0);
    let metric = |instance: &str, name: &str, reads, writes| IoMetric {
        instance: instance.into(),
        interval: if instance == "1" {
            ("2026-02-28T23:59:31".into(), "2026-03-01T00:00:31".into())
        } else {
            ("2026-03-01T00:00:00".into(), "2026-03-01T00:01:00".into())
        },
        length: Nanos::from_millis(60_030),
        name: name.into(),
        small_reads: reads,
        large_reads: IoRate::default(),
        small_writes: none,
        large_writes: writes,
        mean_wait_ms: (name != "Others").then_some(5.3),
    };
    LastInterval::new(Ok(IoMetrics {
        now: "2026-03-01T00:00:53".into(),
        metrics: vec![
            metric("2", "LGWR\u{1b}[31m", none, both(1_234.5, 0.000_25)),
            metric("1", "DBWR", none, none),
            metric("1", "Others", both(2.0, 0.0), none),
            metric("1", "Direct Reads", both(0.25, 1_500.0), none),
        ],
    }))
}

#[test]
fn what_a_database_measured_is_its_own_megabytes_and_times() {
    let json = serde_json::to_value(measured()).unwrap();
    assert_eq!(json["database_time"], "2026-03-01T00:00:53");
    let names = |interval: usize| {
        let functions = json["intervals"][interval]["functions"].as_array().unwrap();
        functions.iter().map(|one| one["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(0), ["Direct Reads", "Others", "DBWR"], "those without any stay");
    let one = &json["intervals"][0];
    assert_eq!((&one["instance"], &one["length_us"]), (&"1".into(), &60_030_000.into()));
    let reads = &one["functions"][0]["small_reads"];
    let expected =
        serde_json::json!({"operations_per_second": 0.25, "megabytes_per_second": 1_500.0});
    assert_eq!(*reads, expected);
    assert_eq!(one["functions"][1]["mean_wait_ms"], Value::Null);
    assert_eq!(one["functions"][0]["large_reads"]["operations_per_second"], Value::Null);
}

#[test]
fn why_there_are_no_rates_is_said_in_their_place() {
    let missing = LastInterval::new(Err("mon may not read GV$IOFUNCMETRIC".into()));
    let mut text = Vec::new();
    missing.write_text(80, 10, &mut text).unwrap();
    let expected = "⚠ no rates of the last minute: mon may not read GV$IOFUNCMETRIC\n";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
    assert_eq!(serde_json::to_value(missing).unwrap()["database_time"], Value::Null);
}

#[test]
fn reads_and_writes_are_rates_with_shares_of_all_bytes() {
    let amount = |operations, mebibytes: u64| Some(IoAmount { operations, bytes: mebibytes << 20 });
    let file = |name: &str, reads, writes| IoCounters {
        part: IoPart::File,
        instance: "1".into(),
        id: name.into(),
        name: name.into(),
        amounts: IoAmounts { small_reads: reads, large_writes: writes, ..IoAmounts::default() },
    };
    let rows = vec![
        file("/u01/users01.dbf", amount(5_000, 30), None),
        file("/u01/undo\u{1b}[31m.dbf", None, amount(10, 10)),
    ];
    let change = IoChange { length: Nanos::new(10_000_000_000), rows, resets: 2, gone: 1 };
    let report =
        IoReport { source: "oracle://mon@db/S".into(), change, last_interval: Some(measured()) };
    let mut text = Vec::new();
    report.write_text(150, 10, &mut text).unwrap();
    insta::assert_snapshot!(String::from_utf8(text).unwrap());
    let mut json = Vec::new();
    report.write_json(&mut json).unwrap();
    let object: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let schema = schema_of::<IoJson>("top-io.schema.json");
    assert_eq!(faults(&object, &schema), Vec::<String>::new());
    assert_eq!(object["files"][0]["small_reads"]["operations"], 5_000);
}

#[test]
fn nothing_read_is_said_only_where_that_is_known() {
    let said = |resets, gone| {
        let change = IoChange { length: Nanos::SECOND, rows: Vec::new(), resets, gone };
        let report = IoReport { source: "postgres://mon@db/d".into(), change, last_interval: None };
        let mut text = Vec::new();
        report.write_text(80, 10, &mut text).unwrap();
        String::from_utf8(text).unwrap().contains("nothing was read or written")
    };
    assert!(said(0, 0) && !said(1, 0) && !said(0, 1));
}
