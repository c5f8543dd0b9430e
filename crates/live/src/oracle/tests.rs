//! What becomes of what servers answer, from the first connection to the frames.

use isotherm_frame::AnomalyKind;

use super::SessionError;
use super::pattern::Pattern;
use super::poll_request::{PollRequest, Which};
use super::scripted::{Collected, Fed, Reply, Scripted, enough, is_survey, no_view};

const STARTUP: &str = "2026-11-20T06:12:44";

fn poll(rows: &[&str]) -> Reply {
    poll_since(STARTUP, rows)
}

fn poll_since(startup: &str, rows: &[&str]) -> Reply {
    let rows: String = rows.iter().flat_map(|row| [row, "\n"]).collect();
    Reply::Lines(format!("I|1|{startup}|19.0.0.0.0|ORCL\n{rows}.\n"))
}

fn collected(polls: Vec<Reply>) -> Collected {
    Fed::start(&Scripted::polls(polls), PollRequest::default()).listen()
}

fn lost() -> SessionError {
    SessionError::Lost("ORA-03113: end-of-file on communication channel".into())
}

fn patterns(names: &[&str]) -> Vec<Pattern> {
    names.iter().map(|name| Pattern::new(name).unwrap()).collect()
}

#[test]
fn rising_counters_become_frames_with_exact_times() {
    let collected = collected(vec![
        poll(&["H|1||us|128:10,256:90|read", "S|1||100|19000|read"]),
        poll(&["H|1||us|128:12,256:95|read", "S|1||107|20111|read"]),
        poll(&["H|1||us|128:12,256:95|read", "S|1||107|20111|read"]),
        poll(&["H|1||us|128:13,256:95,512:2|read", "S|1||110|20999|read"]),
    ]);
    assert_eq!(
        collected.text(),
        [
            "read{inst=1}: 128x2 256x5 = 1111, complete",
            "read{inst=1}:  = 0, complete",
            // A bucket that was not there before counts from zero.
            "read{inst=1}: 128x1 512x2 = 888, complete",
        ]
    );
    assert_eq!((collected.tally.records, collected.tally.rejected), (4, 0));
    assert_eq!(collected.error(), "enough");
    let ordered = collected.frames.windows(2).all(|pair| pair[0].end == pair[1].start);
    assert!(ordered, "frames follow each other");
}

#[test]
fn a_single_instance_is_asked_through_its_own_views_and_a_cluster_through_all() {
    let server = Scripted::polls(vec![poll(&["H|1||us|2:1|read"])]);
    Fed::start(&server, PollRequest::default()).listen();
    let asked = server.asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 3, "which instances, a poll, and the one refused: {asked:?}");
    assert!(asked[1].contains("v$instance i CROSS JOIN v$event_histogram_micro h"));
    assert_eq!(asked[1], asked[2], "one statement, always the same");

    let rows = |one: u64, two: u64| {
        let (first, second) = (format!("H|1||us|64:{one}|sync"), format!("H|2||us|64:{two}|sync"));
        let other = "I|2|2026-11-01T00:00:00|19.0.0.0.0|ORCL2";
        poll(&[other, first.as_str(), second.as_str()])
    };
    let server = Scripted::server(
        "I|1||19.0.0.0.0|YES\nI|2||19.0.0.0.0|YES\n",
        vec![rows(10, 1_000), rows(13, 1_007), rows(13, 1_017)],
    );
    let collected = Fed::start(&server, PollRequest::default()).listen();
    assert!(server.asked.lock().unwrap()[1].contains("FROM gv$event_histogram_micro h"));
    assert_eq!(
        collected.text(),
        [
            "sync{inst=1}: 64x3 = ?, complete",
            "sync{inst=2}: 64x7 = ?, complete",
            "sync{inst=1}:  = ?, complete",
            "sync{inst=2}: 64x10 = ?, complete",
        ]
    );
}

#[test]
fn a_restart_is_a_gap_though_counts_are_higher() {
    let collected = collected(vec![
        poll(&["H|1||us|64:5|read"]),
        poll_since("2026-11-21T10:00:00", &["H|1||us|64:900|read"]),
        poll_since("2026-11-21T10:00:00", &["H|1||us|64:910|read"]),
    ]);
    let expected = ["read{inst=1}:  = 0, reset", "read{inst=1}: 64x10 = ?, complete"];
    assert_eq!(collected.text(), expected);
    assert!(collected.anomalies.iter().any(|anomaly| anomaly.kind == AnomalyKind::Reset));
}

#[test]
fn the_bucket_without_bound_has_none() {
    let collected = collected(vec![
        poll(&["H|1||us|1:3,4294967295:1|lock"]),
        poll(&["H|1||us|1:3,4294967295:2|lock"]),
    ]);
    assert_eq!(collected.text(), ["lock{inst=1}: infx1 = ?, complete"]);
}

/// A server where the views named cannot be read, of this version.
fn without(
    views: &'static [&'static str],
    version: &'static str,
    rows: [&'static str; 2],
) -> Scripted {
    let mut polled = 0;
    Scripted::new(move |sql| {
        let mentions = |view: &&str| sql.contains(&format!("v${view} "));
        if views.iter().any(mentions) {
            return no_view();
        }
        if is_survey(sql) {
            return Reply::Lines(format!("I|1||{version}|NO\n"));
        }
        if sql.contains("WHERE 1 = 0") {
            return Reply::Lines(String::new());
        }
        polled += 1;
        match rows.get(polled - 1) {
            Some(row) => poll(&[row]),
            None => Reply::Fail(enough()),
        }
    })
}

#[test]
fn where_microseconds_cannot_be_read_milliseconds_are_and_why_is_said() {
    let rows = ["H|1||ms|1:5,2:1|read", "H|1||ms|1:7,2:2|read"];
    for (version, said) in [
        (
            "19.0.0.0.0",
            "microseconds cannot be read: buckets are powers of two of milliseconds (if the \
             server has it: GRANT SELECT ON SYS.V_$EVENT_HISTOGRAM_MICRO TO mon;)",
        ),
        (
            "11.2.0.4.0",
            "version 11.2.0.4.0 counts waits in milliseconds: shorter ones are not distinguished",
        ),
    ] {
        let server = without(&["event_histogram_micro"], version, rows);
        let collected = Fed::start(&server, PollRequest::default()).listen();
        assert_eq!(collected.text(), ["read{inst=1}: 1000x2 2000x1 = ?, complete"]);
        assert_eq!(collected.tally.notices, [said]);
        assert_eq!(collected.error(), "enough");
    }
}

#[test]
fn where_no_histogram_can_be_read_the_grants_are_reported_and_it_ends() {
    let views = &["event_histogram_micro", "event_histogram", "system_event", "event_name"];
    let collected =
        Fed::start(&without(views, "19.0.0.0.0", ["", ""]), PollRequest::default()).listen();
    assert_eq!(
        collected.error(),
        "mon@db1:1521/SALES may not read the wait views (ORA-00942); a DBA can allow it with\n  \
         GRANT SELECT ON SYS.V_$INSTANCE TO mon;\n  \
         GRANT SELECT ON SYS.V_$EVENT_HISTOGRAM_MICRO TO mon;\n  \
         GRANT SELECT ON SYS.V_$SYSTEM_EVENT TO mon;\n  \
         GRANT SELECT ON SYS.V_$EVENT_NAME TO mon;\n\
         or with GRANT SELECT_CATALOG_ROLE TO mon;"
    );
    let ending = collected.ending.expect("an ending");
    assert!(ending.error.is_some_and(|error| error.is_unreachable()), "exit code 3");

    let nothing = Fed::start(&Scripted::new(|_| no_view()), PollRequest::default()).listen();
    assert!(nothing.error().contains("GRANT SELECT ON SYS.GV_$INSTANCE TO mon;"));
}

#[test]
fn what_is_not_needed_is_given_up_and_said() {
    let rows = ["H|1||us|64:5|read", "H|1||us|64:6|read"];
    let server = without(&["system_event", "event_name"], "19.0.0.0.0", rows);
    let collected = Fed::start(&server, PollRequest::default()).listen();
    assert_eq!(collected.text(), ["read{inst=1}: 64x1 = ?, complete"]);
    let said: Vec<&str> =
        collected.tally.notices.iter().filter_map(|said| said.split(" (if").next()).collect();
    assert_eq!(
        said,
        [
            "the exact time waited cannot be read: it is estimated from the buckets",
            "the list of idle wait events cannot be read: those known by name are left out",
        ]
    );
}

#[test]
fn a_server_without_lists_of_values_is_asked_row_by_row() {
    let mut polled = 0;
    let server = Scripted::new(move |sql| match sql {
        _ if is_survey(sql) => Reply::Lines("I|1||11.1.0.7.0|NO\n".into()),
        _ if sql.contains("WHERE 1 = 0") => Reply::Lines(String::new()),
        _ if sql.contains("LISTAGG") => Reply::Fail(SessionError::Sql {
            code: 904,
            message: "ORA-00904: \"LISTAGG\": invalid identifier".into(),
        }),
        _ => {
            polled += 1;
            let row = format!("H|1||us|2:{polled}|read");
            let other = format!("H|1||us|4:{}|read", polled * 10);
            if polled < 3 { poll(&[&row, &other]) } else { Reply::Fail(enough()) }
        }
    });
    let collected = Fed::start(&server, PollRequest::default()).listen();
    assert_eq!(collected.text(), ["read{inst=1}: 2x1 4x10 = ?, complete"]);
}

#[test]
fn a_lost_connection_is_made_again_and_nothing_counted_meanwhile_is_lost() {
    let collected = collected(vec![
        poll(&["H|1||us|64:100|read", "S|1||100|5000|read"]),
        poll(&["H|1||us|64:110|read", "S|1||110|5500|read"]),
        Reply::Fail(lost()),
        poll(&["H|1||us|64:500|read", "S|1||500|25000|read"]),
        poll(&["H|1||us|64:510|read", "S|1||510|25500|read"]),
    ]);
    assert_eq!(
        collected.text(),
        [
            "read{inst=1}: 64x10 = 500, complete",
            // One long interval with everything, at its true rate.
            "read{inst=1}: 64x390 = 19500, late poll",
            "read{inst=1}: 64x10 = 500, complete",
        ]
    );
    assert_eq!(collected.marks, ["connection lost", "connected again"]);
    assert_eq!(
        collected.warnings,
        [
            "mon@db1:1521/SALES: ORA-03113: end-of-file on communication channel; trying to \
             connect again",
            "mon@db1:1521/SALES: connected again",
        ]
    );
}

#[test]
fn a_server_that_was_restarted_while_away_leaves_a_gap() {
    let collected = collected(vec![
        poll(&["H|1||us|64:100|read"]),
        Reply::Fail(lost()),
        poll_since("2026-11-21T10:00:00", &["H|1||us|64:500|read"]),
        poll_since("2026-11-21T10:00:00", &["H|1||us|64:501|read"]),
    ]);
    let expected = ["read{inst=1}:  = 0, reset", "read{inst=1}: 64x1 = ?, complete"];
    assert_eq!(collected.text(), expected);
}

#[test]
fn who_was_never_there_is_not_waited_for() {
    for error in [
        SessionError::Lost("Connection refused".into()),
        SessionError::Refused("ORA-01017: invalid username/password".into()),
    ] {
        let text = error.to_string();
        let server = Scripted::polls(vec![]).connects(vec![Err(error)]);
        let collected = Fed::start(&server, PollRequest::default()).listen();
        assert_eq!(collected.error(), text);
        let ending = collected.ending.expect("an ending");
        assert!(ending.error.is_some_and(|error| error.is_unreachable()), "exit code 3");
    }
}

#[test]
fn a_statement_that_fails_is_a_poll_missed() {
    let failure = || {
        let message = "ORA-04031: unable to allocate shared memory".into();
        Reply::Fail(SessionError::Sql { code: 4031, message })
    };
    let collected = collected(vec![
        poll(&["H|1||us|64:1|read"]),
        failure(),
        failure(),
        poll(&["H|1||us|64:4|read"]),
    ]);
    assert_eq!(collected.text(), ["read{inst=1}: 64x3 = ?, complete"]);
    assert_eq!(
        collected.warnings,
        ["a poll is missed: ORA-04031: unable to allocate shared memory"]
    );
}

#[test]
fn an_answer_cut_short_is_not_used() {
    let collected = collected(vec![
        poll(&["H|1||us|64:1|read"]),
        Reply::Lines(format!("I|1|{STARTUP}|19|x\nH|1||us|64:0|read\n")),
        poll(&["H|1||us|64:4|read"]),
    ]);
    assert_eq!(collected.text(), ["read{inst=1}: 64x3 = ?, complete"]);
    assert_eq!((collected.tally.records, collected.tally.rejected), (2, 1));
}

#[test]
fn a_driver_that_hangs_does_not_keep_the_feed() {
    for polls in [vec![Reply::Hang], vec![poll(&["H|1||us|64:1|read"]), Reply::Hang]] {
        let known = polls.len() as u64 - 1;
        let fed = Fed::start(&Scripted::polls(polls), PollRequest::default());
        let collected = fed.listen_until(|collected| collected.tally.records == known);
        assert_eq!(collected.error(), "", "stopped, and no failure");
    }
}

#[test]
fn a_driver_that_panics_is_reported() {
    let collected = collected(vec![poll(&["H|1||us|64:1|read"]), Reply::Panic]);
    assert_eq!(collected.error(), "mon@db1:1521/SALES: the driver has failed");
}

#[test]
fn an_instance_that_does_not_run_is_refused() {
    let server = Scripted::server("I|1||19.0|YES\nI|2||19.0|YES\n", vec![]);
    let collected =
        Fed::start(&server, PollRequest { instances: vec![1, 3], ..PollRequest::default() })
            .listen();
    assert_eq!(
        collected.error(),
        "no instance 3 is running, but the address has inst=1,3; running: 1,2"
    );
}

#[test]
fn a_name_nobody_waited_for_is_reported() {
    let events = patterns(&["db fiel*"]);
    let server = Scripted::polls(vec![poll(&[])]);
    let collected = Fed::start(&server, PollRequest { events, ..PollRequest::default() }).listen();
    assert_eq!(collected.warnings, ["no session has waited for an event of this name yet"]);
}

#[test]
fn sessions_are_looked_at_and_their_histories_when_waits_were_missed() {
    let line = |seq: u64, state: &str, us: u64| format!("V|1|70|9|{seq}|{state}|{us}|read\n.\n");
    let history = "Y|1|70|1|40|read\nY|1|70|2|30|idle\nY|1|70|3|20|read\nY|1|70|4|10|read\n";
    let mut looks = 0;
    let server = Scripted::new(move |sql| {
        if sql.contains("wait_class = 'Idle'") {
            return Reply::Lines("idle\n".into());
        }
        looks += 1;
        let with_history = sql.contains("session_wait_history");
        assert_eq!(with_history, looks == 4, "look {looks}");
        match looks {
            1 => Reply::Lines(line(100, "WAITED KNOWN TIME", 5)),
            2 => Reply::Lines(line(101, "WAITED KNOWN TIME", 10)),
            3 => Reply::Lines(line(104, "WAITED SHORT TIME", 40)),
            4 => Reply::Lines(format!("{history}{}", line(104, "WAITED SHORT TIME", 40))),
            _ => Reply::Fail(enough()),
        }
    });
    let sessions = Some(Which { sids: vec![70], ..Which::default() });
    let collected =
        Fed::start(&server, PollRequest { sessions, ..PollRequest::default() }).listen();
    let (events, sum) = collected.frames.iter().fold((0, 0), |(events, sum), frame| {
        assert_eq!(frame.series.to_string(), "read{inst=1}", "idle waits are left out");
        let time = frame.counts.sum().expect("exact").as_nanos();
        (events + frame.counts.events(), sum + time)
    });
    assert_eq!((events, sum), (3, 70_000), "10 + 40 + 20 us, each once");
    assert_eq!(collected.tally.notices[0], "seen 4 of 4 waits (100.0 %) of 1 session");
    assert!(
        collected.tally.notices[1].starts_with("4 polls of sessions"),
        "{:?}",
        collected.tally.notices
    );
    assert_eq!((collected.tally.records, collected.tally.lost), (4, 0));
}

#[test]
fn sessions_that_may_not_be_looked_at_end_it() {
    let sessions = Some(Which::default());
    let server = Scripted::new(|sql| match sql {
        _ if sql.contains("wait_class = 'Idle'") => Reply::Lines("idle\n".into()),
        _ => no_view(),
    });
    let collected =
        Fed::start(&server, PollRequest { sessions, ..PollRequest::default() }).listen();
    assert!(collected.error().contains("ORA-00942"), "{}", collected.error());
}
