//! Profiles of records made by hand, against sums made by hand.

use proptest::prelude::*;

use super::*;
use crate::trace::{Call, CallKind, LobCall, Notice, Parsing, Visitor, Wait};

/// Writes records with a running clock, in microseconds.
struct Trace(Profiler);

fn trace() -> Trace {
    let mut profiler = Profiler::new("made.trc", Limits::default(), 8_192);
    profiler.header(b"Instance name:", b"orcl");
    Trace(profiler)
}

impl Trace {
    fn wait(&mut self, cursor: u64, event: &str, ela: u64, tim: u64) -> &mut Trace {
        let parameters = b"";
        let event = event.as_bytes();
        self.0.wait(&Wait { cursor, event, ela, parameters, tim: Some(tim) });
        self
    }

    fn parsing(&mut self, cursor: u64, depth: u32, sql_id: &str, text: &str) -> &mut Trace {
        let sql_id = Some(sql_id.as_bytes());
        let text = text.as_bytes();
        let parsing = Parsing { depth, sql_id, ..parsing(cursor, text) };
        self.0.parsing(&parsing);
        self
    }

    /// A call at `(cursor, depth)` with `(cpu, elapsed)` that ended at `tim`.
    fn call(&mut self, kind: CallKind, at: (u64, u32), cost: (u64, u64), tim: u64) -> &mut Trace {
        let ((cursor, depth), (cpu, elapsed)) = (at, cost);
        self.0.call(&Call { kind, cpu, elapsed, tim: Some(tim), ..call(cursor, depth) });
        self
    }

    fn profile(&mut self) -> Profile {
        let fresh = Profiler::new("", Limits::default(), 8_192);
        std::mem::replace(&mut self.0, fresh).finish()
    }
}

fn parsing(cursor: u64, text: &[u8]) -> Parsing<'_> {
    Parsing {
        cursor,
        length: None,
        depth: 0,
        user: None,
        command: None,
        hash: None,
        sql_id: None,
        tim: None,
        text,
    }
}

fn call(cursor: u64, depth: u32) -> Call {
    Call {
        kind: CallKind::Exec,
        cursor,
        cpu: 0,
        elapsed: 0,
        physical_reads: 0,
        consistent_gets: 0,
        current_gets: 0,
        misses: 0,
        rows: 0,
        depth,
        close_type: None,
        plan_hash: None,
        tim: None,
    }
}

fn key(sql_id: &str, recursive: bool) -> StatementKey {
    let mut padded = [0; 16];
    padded[..sql_id.len()].copy_from_slice(sql_id.as_bytes());
    StatementKey { id: StatementId::SqlId(padded), recursive }
}

const CLIENT: &str = "SQL*Net message from client";
const READ: &str = "db file sequential read";

/// A fetch of 1,000 us from 10,000 to 11,000: 300 us of processor, a read of 400 us; within it a
/// recursive execution of 200 us from 10,100 to 10,300: 50 us of processor, a read of 120 us.
fn nested() -> Profile {
    trace()
        .parsing(1, 0, "outer", "select a from t")
        .parsing(2, 1, "inner", "select b from obj$")
        .wait(1, CLIENT, 5_000, 9_990)
        .wait(2, READ, 120, 10_250)
        .call(CallKind::Exec, (2, 1), (50, 200), 10_300)
        .wait(1, READ, 400, 10_800)
        .call(CallKind::Fetch, (1, 0), (300, 1_000), 11_000)
        .wait(1, "SQL*Net message to client", 3, 11_010)
        .profile()
}

#[test]
fn response_time_is_the_users_calls_and_the_waits_between_them() {
    let spent = nested().spent;
    let expected = Spent {
        calls_ns: 1_000_000,
        cpu_ns: 300_000,
        waits_within_ns: 520_000,
        idle_within_ns: 0,
        waits_between_ns: 3_000,
        idle_between_ns: 5_000_000,
    };
    assert_eq!(spent, expected);
    assert_eq!(spent.response_ns(), 1_003_000);
    assert_eq!(spent.waits_ns(), 523_000);
    // 1,000 elapsed, 300 processor, 520 waits.
    assert_eq!(spent.unaccounted_ns(), 180_000);
    assert_eq!(spent.idle_ns(), 5_000_000);
}

#[test]
fn own_time_is_without_deeper_calls() {
    let profile = nested();
    let outer = profile.statements.get(key("outer", false)).unwrap();
    let own = OwnTime {
        elapsed_ns: 800_000,
        cpu_ns: 250_000,
        waits_ns: 400_000,
        idle_ns: 0,
        idle_with_below_ns: 0,
        between_ns: 3_000,
    };
    assert_eq!(outer.own, own);
    assert_eq!(outer.own_unaccounted_ns(), 150_000);
    assert_eq!((outer.response_ns(), outer.own_response_ns()), (1_003_000, 803_000));
    let inner = profile.statements.get(key("inner", true)).unwrap();
    assert_eq!((inner.own.elapsed_ns, inner.own.waits_ns), (200_000, 120_000));
    assert_eq!(inner.own_unaccounted_ns(), 30_000);
    assert_eq!(inner.parents, [(key("outer", false), 200_000)]);
    assert_eq!((inner.depth, outer.depth), (1, 0));
    // What the statements do not account for is what the whole does not.
    let sum = outer.own_unaccounted_ns() + inner.own_unaccounted_ns();
    assert_eq!(sum, profile.spent.unaccounted_ns());
}

#[test]
fn calls_of_the_user_and_of_the_database_are_counted_apart() {
    let profile = nested();
    assert_eq!(profile.user_calls.of(CallKind::Fetch).count, 1);
    assert_eq!(profile.user_calls.all().count, 1);
    assert_eq!(profile.recursive_calls.of(CallKind::Exec).elapsed_ns, 200_000);
    assert_eq!(profile.round_trips(), 1);
    assert_eq!(profile.inputs.calls, 2);
    // From the beginning of the first wait to the end of the last: 4,990 to 11,010.
    assert_eq!(profile.inputs.traced_ns, 6_020_000);
    // Less the 1,003 us of response and 5,000 us of idle time.
    assert_eq!(profile.untraced_ns(), Some(17_000));
}

#[test]
fn a_grandchild_is_in_the_child_and_not_twice_in_the_parent() {
    let profile = trace()
        .parsing(1, 0, "a", "begin p; end;")
        .parsing(2, 1, "b", "insert into t")
        .parsing(3, 2, "c", "select from seq$")
        .call(CallKind::Exec, (3, 2), (10, 100), 1_400)
        .call(CallKind::Exec, (3, 2), (10, 100), 1_600)
        .call(CallKind::Exec, (2, 1), (100, 500), 1_700)
        .call(CallKind::Exec, (2, 1), (5, 50), 1_800)
        .call(CallKind::Exec, (1, 0), (200, 1_000), 2_000)
        .profile();
    let own = |id: &str, recursive| profile.statements.get(key(id, recursive)).unwrap().own;
    let times = |own: OwnTime| (own.elapsed_ns / 1_000, own.cpu_ns / 1_000);
    assert_eq!(times(own("a", false)), (450, 95));
    assert_eq!(times(own("b", true)), (350, 85));
    assert_eq!(times(own("c", true)), (200, 20));
    assert_eq!(profile.spent.calls_ns, 1_000_000);
    assert_eq!(
        profile.statements.get(key("b", true)).unwrap().parents,
        [(key("a", false), 550_000)]
    );
}

#[test]
fn idle_time_within_a_call_is_no_response_time() {
    // dbms_lock.sleep: half a second of a call of 501 ms.
    let profile = trace()
        .parsing(1, 0, "sleeper", "begin dbms_lock.sleep(.5); end;")
        .wait(1, "PL/SQL lock timer", 500_000, 600_500)
        .call(CallKind::Exec, (1, 0), (400, 501_000), 601_000)
        .profile();
    assert_eq!(profile.spent.response_ns(), 1_000_000);
    assert_eq!(
        (profile.spent.idle_within_ns, profile.spent.unaccounted_ns()),
        (500_000_000, 600_000)
    );
    let sleeper = profile.statements.get(key("sleeper", false)).unwrap();
    assert_eq!(sleeper.response_ns(), 1_000_000);
}

#[test]
fn a_commit_is_waited_for_after_its_call() {
    let mut made = trace();
    made.parsing(1, 0, "commit", "commit");
    made.0.transaction_end(false, false, Some(1_050));
    made.call(CallKind::Exec, (1, 0), (40, 100), 1_100).wait(1, "log file sync", 900, 2_005);
    made.0.transaction_end(true, false, None);
    made.0.transaction_end(false, true, None);
    let profile = made.profile();
    assert_eq!(profile.spent.response_ns(), 1_000_000);
    assert_eq!(profile.statements.get(key("commit", false)).unwrap().own.between_ns, 900_000);
    let ends = Transactions { commits: 1, rollbacks: 1, read_only: 1 };
    assert_eq!(profile.transactions, ends);
}

#[test]
fn a_trace_that_ends_amid_a_call_keeps_what_it_shows() {
    // The outer call of this recursive one is not in the file.
    let profile = trace()
        .parsing(2, 1, "inner", "select b from obj$")
        .wait(2, READ, 120, 10_250)
        .call(CallKind::Exec, (2, 1), (50, 200), 10_300)
        .wait(1, READ, 400, 10_800)
        .profile();
    assert_eq!(profile.spent.calls_ns, 200_000);
    assert_eq!(profile.spent.response_ns(), 600_000);
    assert_eq!(profile.spent.unaccounted_ns(), 30_000);
}

#[test]
fn lob_calls_are_calls_of_the_user_unless_another_call_holds_them() {
    let mut made = trace();
    let lob = |bytes, elapsed, tim| LobCall {
        kind: b"LOBREAD",
        bytes,
        cpu: 5,
        elapsed,
        physical_reads: 1,
        consistent_gets: 2,
        current_gets: 3,
        tim: Some(tim),
    };
    made.0.lob(&lob(100, 50, 1_000));
    made.parsing(1, 0, "a", "begin dbms_lob.read(...); end;");
    made.0.lob(&lob(100, 70, 2_500));
    made.call(CallKind::Exec, (1, 0), (100, 1_000), 3_000);
    let profile = made.profile();
    assert_eq!(profile.spent.calls_ns, 1_050_000);
    assert_eq!(profile.spent.cpu_ns, 105_000);
    let lobs = profile.lob_calls["LOBREAD"];
    assert_eq!((lobs.count, lobs.elapsed_ns, lobs.logical_reads()), (2, 120_000, 10));
    assert_eq!(profile.statements.get(key("a", false)).unwrap().own.elapsed_ns, 930_000);
}

#[test]
fn waits_of_a_parse_belong_to_the_statement_parsed() {
    let profile = trace()
        .wait(7, "library cache lock", 250, 900)
        .parsing(7, 0, "new", "select 1 from dual")
        .call(CallKind::Parse, (7, 0), (100, 400), 1_000)
        .profile();
    let new = profile.statements.get(key("new", false)).unwrap();
    assert_eq!((new.waits.len(), new.waits[0].ns, new.own.waits_ns), (1, 250_000, 250_000));
    let missing = StatementKey { id: StatementId::Missing, recursive: false };
    assert!(profile.statements.get(missing).unwrap().waits.is_empty());
}

#[test]
fn a_number_used_again_after_a_hard_close_is_another_statement() {
    let mut made = trace();
    made.parsing(7, 0, "old", "select 1 from dual");
    made.0.call(&Call { kind: CallKind::Close, close_type: Some(0), ..call(7, 0) });
    made.wait(7, CLIENT, 10, 800).wait(7, "library cache lock", 250, 900);
    made.parsing(7, 0, "new", "select 2 from dual");
    let profile = made.profile();
    let waits = |id: &str| {
        let statement = profile.statements.get(key(id, false)).unwrap();
        statement.waits.iter().map(|share| &*profile.event_of(share).unwrap().name).collect()
    };
    let (old, new): (Vec<&str>, Vec<&str>) = (waits("old"), waits("new"));
    assert_eq!((old, new), (vec![CLIENT], vec!["library cache lock"]));
}

#[test]
fn waits_without_a_clock_are_placed_by_their_order() {
    // 9i: calls have a time, waits have none.
    let mut made = trace();
    let wait = |made: &mut Trace, event: &str, ela| {
        let (event, parameters) = (event.as_bytes(), b"p1=1 p2=2 p3=1".as_slice());
        made.0.wait(&Wait { cursor: 1, event, ela, parameters, tim: None });
    };
    made.0.parsing(&Parsing { hash: Some(4_711), ..parsing(1, b"select 1 from dual") });
    made.call(CallKind::Exec, (1, 0), (5, 10), 1_000);
    wait(&mut made, "SQL*Net message to client", 2);
    wait(&mut made, CLIENT, 20_000);
    wait(&mut made, READ, 700);
    made.call(CallKind::Fetch, (1, 0), (50, 1_000), 22_100);
    let profile = made.profile();
    assert_eq!(profile.spent.waits_between_ns, 2_000);
    assert_eq!(profile.spent.idle_between_ns, 20_000_000);
    assert_eq!(profile.spent.waits_within_ns, 700_000);
    assert!(profile.findings.get(FindingKind::NoClock).is_some());
    let id = StatementId::Hash(4_711);
    assert!(profile.statements.get(StatementKey { id, recursive: false }).is_some());
}

#[test]
fn hundredths_of_a_second_are_distinguished_from_microseconds() {
    let mut made = trace();
    made.0.header(b"banner", b"Oracle8i Enterprise Edition Release 8.1.7.4.1 - Production");
    made.wait(1, READ, 3, 100);
    let profile = made.profile();
    assert_eq!(profile.events.named(READ).unwrap().total_ns, 30_000_000);
    assert!(profile.findings.get(FindingKind::Centiseconds).is_some());
}

#[test]
fn sessions_put_together_by_trcsess_do_not_mix() {
    let mut made = trace();
    made.0.header(b"Unix process pid:", b"100");
    made.parsing(1, 0, "one", "select 1 from dual");
    made.0.header(b"Unix process pid:", b"200");
    made.parsing(1, 0, "two", "select 2 from dual").wait(1, READ, 500, 10_600);
    made.0.header(b"Unix process pid:", b"100");
    made.call(CallKind::Exec, (1, 0), (100, 1_000), 11_000);
    made.0.header(b"Unix process pid:", b"200");
    made.call(CallKind::Exec, (1, 0), (100, 900), 10_900);
    let profile = made.profile();
    let own = |id: &str| profile.statements.get(key(id, false)).unwrap().own;
    assert_eq!((own("one").waits_ns, own("two").waits_ns), (0, 500_000));
    assert!(profile.findings.get(FindingKind::ClockGoesBack).is_none());
}

#[test]
fn a_clock_that_goes_back_is_said() {
    let profile = trace().wait(1, READ, 10, 50_000).wait(1, READ, 10, 20_000).profile();
    assert_eq!(profile.findings.get(FindingKind::ClockGoesBack).unwrap().count, 1);
    assert_eq!(profile.untraced_ns(), None);
    assert_eq!(profile.inputs.traced_ns, 20_000);
    // Lines of one session may be out of order by a little.
    let profile = trace().wait(1, READ, 10, 50_000).wait(1, READ, 10, 49_999).profile();
    assert!(profile.findings.get(FindingKind::ClockGoesBack).is_none());
}

#[test]
fn what_limits_the_truth_is_said() {
    let mut profiler = Profiler::new("cut.trc", Limits::default(), 8_192);
    profiler.call(&call(9, 0));
    profiler.notice(Notice::SizeLimited);
    profiler.damage(crate::trace::Damage { byte: 4_096, line: 17, why: "no ela=", wait: true });
    profiler.error(9, 942, None);
    profiler.error(9, 942, None);
    let profile = profiler.finish();
    let kinds: Vec<FindingKind> = profile.findings.iter().map(|finding| finding.kind).collect();
    let expected = [
        FindingKind::SizeLimited,
        FindingKind::NoWaits,
        FindingKind::Damaged,
        FindingKind::BeginsInTheMiddle,
        FindingKind::StatementsMissing,
    ];
    assert_eq!(kinds, expected);
    assert_eq!(profile.findings.damage()[0].line, 17);
    assert_eq!(profile.errors[&942], 2);
    let words = profile.findings.get(FindingKind::NoWaits).unwrap().to_string();
    assert!(words.contains("level 8") && words.contains("cut.trc"), "{words}");
}

#[test]
fn the_costliest_statements_are_kept_and_the_others_summed() {
    let limits = Limits { statements: 100, text: 20 };
    let mut profiler = Profiler::new("many.trc", limits, 8_192);
    for number in 0..5_000_u64 {
        let text = format!("select {number} from a_table_with_a_long_name");
        let sql_id = format!("{number:013}");
        let sql_id = Some(sql_id.as_bytes());
        profiler.parsing(&Parsing { sql_id, ..parsing(number % 10, text.as_bytes()) });
        let elapsed = if number % 500 == 0 { 90_000 } else { 100 };
        let tim = Some((number + 1) * 100_000);
        profiler.wait(&Wait {
            cursor: number % 10,
            event: READ.as_bytes(),
            ela: 50,
            parameters: b"",
            tim: tim.map(|tim| tim - 10),
        });
        profiler.call(&Call { elapsed, tim, ..call(number % 10, 0) });
    }
    let profile = profiler.finish();
    let statements = &profile.statements;
    assert!(statements.iter().len() <= 102, "{}", statements.iter().len());
    for number in (0..5_000).step_by(500) {
        let kept = statements.get(key(&format!("{number:013}"), false)).unwrap();
        assert_eq!((kept.own.elapsed_ns, kept.text.len()), (90_000_000, 20));
    }
    let elapsed: i64 = statements.iter().map(|statement| statement.own.elapsed_ns).sum();
    assert_eq!(elapsed, (10 * 90_000 + 4_990 * 100) * 1_000);
    let (distinct, exact) = statements.distinct();
    assert!(!exact && distinct.abs_diff(5_000) < 150, "{distinct}");
}

/// One thing that happens in a made-up trace.
#[derive(Clone, Debug)]
enum TraceStep {
    Wait { cursor: u64, event: usize, ela: u64 },
    Call { cursor: u64, depth: u32, cpu: u64, elapsed: u64 },
    Parsing { cursor: u64, depth: u32, id: u64 },
    Lob { elapsed: u64 },
}

fn trace_step() -> impl Strategy<Value = TraceStep> {
    prop_oneof![
        (0..4_u64, 0..4_usize, 0..2_000_u64).prop_map(|(cursor, event, ela)| TraceStep::Wait {
            cursor,
            event,
            ela
        }),
        (0..4_u64, 0..3_u32, 0..500_u64, 0..5_000_u64).prop_map(|(cursor, depth, cpu, elapsed)| {
            TraceStep::Call { cursor, depth, cpu, elapsed }
        }),
        (1..4_u64, 0..3_u32, 0..9_u64).prop_map(|(cursor, depth, id)| TraceStep::Parsing {
            cursor,
            depth,
            id
        }),
        (0..900_u64).prop_map(|elapsed| TraceStep::Lob { elapsed }),
    ]
}

fn played(steps: &[TraceStep], limits: Limits) -> Profile {
    let mut profiler = Profiler::new("made.trc", limits, 8_192);
    let events = [CLIENT, READ, "log file sync", "direct path read"];
    let mut now = 1_000_000;
    for trace_step in steps {
        match *trace_step {
            TraceStep::Wait { cursor, event, ela } => {
                now += ela;
                let event = events[event].as_bytes();
                let parameters = b"file#=1 block#=2 blocks=3 obj#=4".as_slice();
                profiler.wait(&Wait { cursor, event, ela, parameters, tim: Some(now) });
            }
            TraceStep::Call { cursor, depth, cpu, elapsed } => {
                now += 10;
                let call = Call { cpu, elapsed, tim: Some(now), ..call(cursor, depth) };
                profiler.call(&call);
            }
            TraceStep::Parsing { cursor, depth, id } => {
                profiler.parsing(&Parsing { depth, hash: Some(id), ..parsing(cursor, b"select") });
            }
            TraceStep::Lob { elapsed } => {
                let (kind, tim) = (b"LOBREAD".as_slice(), Some(now));
                profiler.lob(&LobCall {
                    kind,
                    bytes: 1,
                    cpu: 1,
                    elapsed,
                    physical_reads: 0,
                    consistent_gets: 0,
                    current_gets: 0,
                    tim,
                });
            }
        }
    }
    profiler.finish()
}

proptest! {
    /// However calls nest, are cut or overlap: every wait is at one event, in one statement, and
    /// either within a call or outside of all; every call's own time is counted once.
    #[test]
    fn everything_is_counted_once(
        steps in prop::collection::vec(trace_step(), 0..300),
        statements in 2_usize..12,
    ) {
        let profile = played(&steps, Limits { statements, text: 10 });
        let (mut waits, mut time, mut calls) = (0, 0, 0);
        for trace_step in &steps {
            match trace_step {
                TraceStep::Wait { ela, .. } => (waits, time) = (waits + 1, time + ela * 1_000),
                TraceStep::Call { .. } | TraceStep::Lob { .. } => calls += 1,
                TraceStep::Parsing { .. } => {}
            }
        }
        prop_assert_eq!((profile.inputs.waits, profile.inputs.calls), (waits, calls));
        let by_event = profile.events.iter().fold((0, 0), |sum, event| {
            (sum.0 + event.count, sum.1 + event.total_ns)
        });
        prop_assert_eq!(by_event, (waits, time));
        let shares = profile.statements.iter().flat_map(|statement| &statement.waits);
        let by_statement = shares.fold((0, 0), |sum, share| (sum.0 + share.count, sum.1 + share.ns));
        prop_assert_eq!(by_statement, (waits, time));
        prop_assert_eq!(profile.spent.waits_ns() + profile.spent.idle_ns(), time);
        let own: i64 = profile.statements.iter().map(|statement| statement.own.elapsed_ns).sum();
        prop_assert_eq!(own, signed(profile.spent.calls_ns));
        let own: i64 = profile.statements.iter().map(|statement| statement.own.cpu_ns).sum();
        prop_assert_eq!(own, signed(profile.spent.cpu_ns));
        let within: u64 = profile.statements.iter().map(|statement| statement.own.waits_ns).sum();
        prop_assert_eq!(within, profile.spent.waits_within_ns);
        let between: u64 =
            profile.statements.iter().map(|statement| statement.own.between_ns).sum();
        prop_assert_eq!(between, profile.spent.waits_between_ns);
        let unaccounted: i64 = profile.statements.iter().map(Statement::own_unaccounted_ns).sum();
        prop_assert_eq!(unaccounted, profile.spent.unaccounted_ns());
    }

    /// Profiles of two files merged are the sums of both.
    #[test]
    fn merging_adds_up(
        one in prop::collection::vec(trace_step(), 0..100),
        two in prop::collection::vec(trace_step(), 0..100),
    ) {
        let limits = Limits { statements: 6, text: 10 };
        let (first, second) = (played(&one, limits), played(&two, limits));
        let mut both = first.clone();
        both.merge(&second);
        prop_assert_eq!(both.spent.calls_ns, first.spent.calls_ns + second.spent.calls_ns);
        prop_assert_eq!(both.inputs.waits, first.inputs.waits + second.inputs.waits);
        let time = |profile: &Profile| profile.events.iter().map(|event| event.total_ns).sum::<u64>();
        prop_assert_eq!(time(&both), time(&first) + time(&second));
        for event in both.events.iter() {
            let shares = both.statements.iter().flat_map(|statement| &statement.waits);
            let named = shares.filter(|share| both.event_of(share).unwrap().name == event.name);
            prop_assert_eq!(named.map(|share| share.ns).sum::<u64>(), event.total_ns);
            prop_assert_eq!(event.latencies().events(), event.count);
        }
        let own = |profile: &Profile| -> i64 {
            profile.statements.iter().map(|statement| statement.own.elapsed_ns).sum()
        };
        prop_assert_eq!(own(&both), own(&first) + own(&second));
        let blocks = first.reads.addressed.blocks + second.reads.addressed.blocks;
        prop_assert_eq!(both.reads.addressed.blocks, blocks);
    }
}

#[test]
fn the_parts_are_the_whole() {
    let profile = nested();
    let parts: Vec<(String, i64)> = profile
        .parts()
        .iter()
        .map(|part| match part.on {
            SpentOn::Cpu => ("CPU".to_owned(), part.ns),
            SpentOn::Wait(event) => (event.name.to_string(), part.ns),
            SpentOn::Unaccounted => ("?".to_owned(), part.ns),
        })
        .collect();
    let expected = [
        (READ.to_owned(), 520_000),
        ("CPU".to_owned(), 300_000),
        ("?".to_owned(), 180_000),
        ("SQL*Net message to client".to_owned(), 3_000),
    ];
    assert_eq!(parts, expected);
    let share: f64 = profile.parts().iter().filter_map(|part| part.share).sum();
    assert!((share - 1.0).abs() < 1e-12);
}

#[test]
fn statements_are_put_in_order_by_what_is_asked() {
    let mut made = trace();
    for (cursor, id, cpu, elapsed) in [(1, "slow", 1, 900), (2, "busy", 300, 400)] {
        made.parsing(cursor, 0, id, "select");
        made.call(CallKind::Exec, (cursor, 0), (cpu, elapsed), cursor * 10_000);
    }
    let profile = made.profile();
    let order = |rank| -> Vec<String> {
        profile.ranked(false, rank).iter().map(|one| one.key.id.to_string()).collect()
    };
    assert_eq!(order(Rank::Elapsed), ["slow", "busy"]);
    assert_eq!(order(Rank::Cpu), ["busy", "slow"]);
    assert_eq!(order(Rank::Calls), ["slow", "busy"]);
    assert!(profile.ranked(true, Rank::Elapsed).is_empty());
}

#[test]
fn response_time_of_recursive_calls_without_their_outer_call_is_known_to_be_only_there() {
    let recursive = |with_outer: bool| {
        let mut trace = trace();
        trace.parsing(1, 0, "outer", "begin x; end;").parsing(2, 1, "inner", "update t");
        // An inner call of 900 with a wait of 400, then a commit's wait of 50 behind it.
        trace.wait(2, "db file sequential read", 400, 1_800);
        trace.call(CallKind::Exec, (2, 1), (300, 900), 2_000);
        if with_outer {
            trace.call(CallKind::Exec, (1, 0), (350, 1_000), 2_050);
        } else {
            trace.call(CallKind::Close, (1, 0), (10, 100), 3_000);
        }
        trace.profile()
    };
    // The outer call of 1,000 holds the inner one.
    let whole = recursive(true);
    assert_eq!((whole.spent.response_ns(), whole.recursive_only_ns()), (1_000_000, 0));
    // Without it 900 of 1,000 are in no statement that the user called.
    let cut = recursive(false);
    assert_eq!((cut.spent.response_ns(), cut.recursive_only_ns()), (1_000_000, 900_000));
}

#[test]
fn without_a_header_the_unit_is_unknown_until_the_user_or_the_waits_tell_it() {
    let profile = |unit, tim: Option<u64>, zero: u64| {
        let mut profiler = Profiler::new("made.trc", Limits::default(), 8_192).with_unit(unit);
        for ela in [0, zero, 2] {
            let (event, parameters) = (b"db file sequential read".as_slice(), b"".as_slice());
            profiler.wait(&Wait { cursor: 1, event, ela, parameters, tim });
        }
        profiler.finish()
    };
    let unknown = profile(None, None, 0);
    let finding = unknown.findings.get(FindingKind::UnknownUnit).unwrap();
    assert!(
        finding.to_string().contains("2 waits are 0") && finding.to_string().contains("--unit cs")
    );
    assert_eq!(unknown.spent.waits_between_ns, 2_000);
    let given = profile(Some(crate::trace::TraceUnit::Centiseconds), None, 1);
    assert!(given.findings.get(FindingKind::UnknownUnit).is_none());
    assert!(given.findings.get(FindingKind::Centiseconds).is_some());
    // 1 + 2 hundredths of a second.
    assert_eq!(given.spent.waits_between_ns, 30_000_000);
    assert!(profile(None, Some(100), 0).findings.get(FindingKind::UnknownUnit).is_none());
}
