//! Groups of a trace written by hand, with sums made by hand.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input must fail")]

use isotherm_oracle::trace::profile::{Condition, GroupBy, Groups, Limits, Profile, Profiler};
use isotherm_oracle::trace::scan;

/// A query of the user, recursive SQL within its fetch, a commit with a wait between calls, and the
/// waits of a parse that stand before the statement.
const TRACE: &str = "\
*** SESSION ID:(148.2391) 2026-11-21 09:08:07.123
*** MODULE NAME:(billing) 2026-11-21 09:08:07.123
*** ACTION NAME:(month) 2026-11-21 09:08:07.123
WAIT #1: nam='library cache lock' ela= 40 handle address=1 lock address=2 100*mode+namespace=3 obj#=-1 tim=1050
=====================
PARSING IN CURSOR #1 len=8 dep=0 uid=1 oct=3 lid=1 tim=1100 hv=1 ad='a' sqlid='outer1'
select 1
END OF STMT
PARSE #1:c=50,e=100,p=0,cr=0,cu=0,mis=1,r=0,dep=0,og=1,plh=0,tim=1100
BINDS #1:
 Bind#0
  oacdty=01 mxl=32(05) mxlc=00 mal=00 scl=00 pre=00
  oacflg=03 fl2=1206001 frm=01 csi=873 siz=32 off=0
  kxsbbbfp=7fabc0d2e8  bln=32  avl=05  flg=05
  value=\"bread\"
 Bind#1
  oacdty=02 mxl=22(22) mxlc=00 mal=00 scl=00 pre=00
  oacflg=00 fl2=1000001 frm=00 csi=00 siz=0 off=24
  kxsbbbfp=7fc23b65c760  bln=22  avl=00  flg=01
EXEC #1:c=10,e=20,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=1200
PARSING IN CURSOR #2 len=8 dep=1 uid=0 oct=3 lid=0 tim=2100 hv=2 ad='b' sqlid='inner2'
select 2
END OF STMT
WAIT #2: nam='db file sequential read' ela= 300 file#=7 block#=9 blocks=1 obj#=55 tim=2450
EXEC #2:c=60,e=400,p=1,cr=1,cu=0,mis=0,r=1,dep=1,og=1,plh=0,tim=2500
WAIT #1: nam='db file sequential read' ela= 1000 file#=7 block#=10 blocks=1 obj#=56 tim=3600
WAIT #1: nam='buffer busy waits' ela= 200 file#=8 block#=10 class#=1 obj#=56 tim=3900
FETCH #1:c=300,e=2000,p=1,cr=3,cu=0,mis=0,r=5,dep=0,og=1,plh=9,tim=4000
WAIT #1: nam='SQL*Net message to client' ela= 2 driver id=1 #bytes=1 p3=0 obj#=-1 tim=4010
WAIT #1: nam='SQL*Net message from client' ela= 5000 driver id=1 #bytes=1 p3=0 obj#=-1 tim=9100
*** MODULE NAME:() 2026-11-21 09:08:07.123
BINDS #1:
 Bind#0
  oacdty=01 mxl=32(05) mxlc=00 mal=00 scl=00 pre=00
  oacflg=03 fl2=1206001 frm=01 csi=873 siz=32 off=0
  kxsbbbfp=7fabc0d2e8  bln=32  avl=05  flg=05
  value=\"grain\"
EXEC #1:c=10,e=20,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=9200
";

fn profile(request: &GroupBy, files: usize) -> Profile {
    let read = || {
        let profiler = Profiler::new("made.trc", Limits::default(), 8_192);
        let mut profiler = profiler.with_groups(request.clone());
        scan(&mut TRACE.as_bytes(), &mut profiler).unwrap();
        profiler.finish()
    };
    let mut whole = read();
    (1..files).for_each(|_| whole.merge(&read()));
    whole
}

fn by(names: &[&str]) -> GroupBy {
    GroupBy { by: names.iter().map(|name| (*name).to_owned()).collect(), ..GroupBy::default() }
}

fn only(request: GroupBy, attribute: &str, pattern: &str, other: bool) -> GroupBy {
    let (attribute, pattern) = (attribute.to_owned(), pattern.to_owned());
    let only = vec![Condition { attribute, pattern, other }];
    GroupBy { only, ..request }
}

/// Each group as its values, how many, and its time in microseconds.
fn rows(groups: &Groups) -> Vec<(String, u64, i64)> {
    let row = |values: &Vec<Option<Box<str>>>| {
        let values: Vec<&str> =
            values.iter().map(|value| value.as_deref().unwrap_or("-")).collect();
        values.join("|")
    };
    let sorted = groups.by_time().into_iter();
    sorted.map(|(values, one)| (row(values), one.tally.count, one.tally.total_ns / 1_000)).collect()
}

fn grouped(request: &GroupBy) -> Vec<(String, u64, i64)> {
    rows(&profile(request, 1).groups.unwrap())
}

fn expected(rows: &[(&str, u64, i64)]) -> Vec<(String, u64, i64)> {
    rows.iter().map(|&(name, count, us)| (name.to_owned(), count, us)).collect()
}

#[test]
fn any_grouping_adds_up_to_the_response_time() {
    for names in [
        &["event"][..],
        &["sql"],
        &["call"],
        &["module"],
        &["file"],
        &["object"],
        &["class#"],
        &["depth"],
        &["sql", "event"],
        &["call", "file", "module"],
    ] {
        let profile = profile(&by(names), 1);
        let groups = profile.groups.as_ref().unwrap();
        // 100 + 20 + 2,000 + 20 of calls, and 2 between them.
        assert_eq!(profile.spent.response_ns(), 2_142_000);
        assert_eq!((groups.all().total_ns, groups.all().count), (2_142_000, 10), "{names:?}");
    }
}

#[test]
fn waits_and_the_rest_of_calls_by_event() {
    // Parse 100 - 40, executions 20, 100 and 20, fetch 2,000 - 400 of the call in it - 1,200.
    let events = [
        ("db file sequential read", 2, 1_300),
        ("(CPU and not accounted for)", 5, 600),
        ("buffer busy waits", 1, 200),
        ("library cache lock", 1, 40),
        ("SQL*Net message to client", 1, 2),
    ];
    assert_eq!(grouped(&by(&["event"])), expected(&events));
}

#[test]
fn waits_belong_to_the_statement_and_the_call_they_are_part_of() {
    let sql = [("outer1", 8, 1_742), ("inner2", 2, 400)];
    assert_eq!(grouped(&by(&["sql"])), expected(&sql));
    let calls = [("fetch", 3, 1_600), ("exec", 4, 440), ("parse", 2, 100), ("between calls", 1, 2)];
    assert_eq!(grouped(&by(&["call"])), expected(&calls));
    let depth = [("0", 8, 1_742), ("1", 2, 400)];
    assert_eq!(grouped(&by(&["depth"])), expected(&depth));
}

#[test]
fn labels_and_parameters_are_attributes() {
    let modules = [("billing|month", 9, 2_122), ("-|month", 1, 20)];
    assert_eq!(grouped(&by(&["module", "action"])), expected(&modules));
    let files = [("7", 2, 1_300), ("-", 7, 642), ("8", 1, 200)];
    assert_eq!(grouped(&by(&["file"])), expected(&files));
    let classes = [("-", 9, 1_942), ("1", 1, 200)];
    assert_eq!(grouped(&by(&["class#"])), expected(&classes));
    let objects = [("56", 2, 1_200), ("-", 5, 600), ("55", 1, 300), ("-1", 2, 42)];
    assert_eq!(grouped(&by(&["object"])), expected(&objects));
}

#[test]
fn conditions_choose_and_say_how_much_they_left_out() {
    let request = only(by(&["object"]), "event", "db file*", false);
    let groups = profile(&request, 1).groups.unwrap();
    assert_eq!(rows(&groups), expected(&[("56", 1, 1_000), ("55", 1, 300)]));
    assert_eq!(groups.unwanted, 8);
    let request = only(by(&["event"]), "call", "fetch", true);
    let groups = profile(&request, 1).groups.unwrap();
    assert_eq!((groups.all().count, groups.all().total_ns, groups.unwanted), (7, 542_000, 3));
}

#[test]
fn idle_waits_take_part_if_wanted() {
    let request = GroupBy { idle: true, ..by(&["event"]) };
    let groups = profile(&request, 1).groups.unwrap();
    assert_eq!((groups.all().count, groups.all().total_ns), (11, 7_142_000));
    assert_eq!(rows(&groups)[0], ("SQL*Net message from client".to_owned(), 1, 5_000));
}

#[test]
fn the_longest_have_their_place_in_the_file() {
    let groups = profile(&by(&["event"]), 1).groups.unwrap();
    let line =
        |text: &str| 1 + TRACE.lines().position(|line| line.starts_with(text)).unwrap() as u64;
    let longest: Vec<_> =
        groups.longest.iter().map(|one| (&*one.event, &*one.sql, one.call, one.line)).collect();
    let first = "WAIT #1: nam='db file sequential read' ela= 1000";
    assert_eq!(longest[0], ("db file sequential read", "outer1", "fetch", line(first)));
    let parse = ("library cache lock", "outer1", "parse", line("WAIT #1: nam='library"));
    assert_eq!((longest.len(), longest[3]), (5, parse));
    let (_, group) = groups.by_time()[1];
    assert_eq!((group.longest[0].ns, group.longest[0].line), (400_000, line("FETCH #1")));
}

#[test]
fn files_add_up() {
    let whole = profile(&by(&["sql", "event"]), 3);
    let groups = whole.groups.as_ref().unwrap();
    assert_eq!(groups.all().total_ns, i64::try_from(whole.spent.response_ns()).unwrap());
    assert_eq!((groups.all().count, groups.all().total_ns), (30, 6_426_000));
    // Five events of the one statement, two of the other.
    assert_eq!(groups.groups.len(), 7);
}

#[test]
fn what_no_wait_has_is_said() {
    let groups = profile(&by(&["event", "colour"]), 1).groups.unwrap();
    let (never, known) = groups.never_met();
    assert_eq!(never, ["colour"]);
    assert!(known.contains(&"class#"), "{known:?}");
}

#[test]
fn values_of_bind_variables_are_counted_and_kept_only_if_wanted() {
    for keeps in [false, true] {
        let mut profiler = Profiler::new("made.trc", Limits::default(), 8_192);
        if keeps {
            profiler = profiler.with_bind_values();
        }
        scan(&mut TRACE.as_bytes(), &mut profiler).unwrap();
        let profile = profiler.finish();
        let statement = profile.statements.iter().find(|one| one.key.id.to_string() == "outer1");
        let binds: Vec<_> = profile.binds.of(statement.unwrap().key).collect();
        let [(0, first), (1, second)] = binds.as_slice() else { panic!("two variables") };
        assert_eq!((first.type_name(), first.count, first.values), (Some("VARCHAR2"), 2, 2));
        assert_eq!(first.different(), (2, false));
        // Without a value: null.
        assert_eq!((second.type_name(), second.count, second.values), (Some("NUMBER"), 1, 0));
        let known = if keeps { vec![("bread", 1), ("grain", 1)] } else { Vec::new() };
        assert_eq!(first.known_values(), known);
        assert_eq!(format!("{profile:?}").contains("bread"), keeps);
    }
}

#[test]
fn every_fixture_is_grouped_whole() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../formats/fixtures/oracletrace");
    let mut read = 0;
    for case in std::fs::read_dir(fixtures).unwrap() {
        let input = case.unwrap().path().join("input.trc");
        let Ok(text) = std::fs::read(&input) else { continue };
        let request = GroupBy { idle: true, ..by(&["sql", "call", "event", "block"]) };
        let profiler = Profiler::new("made.trc", Limits::default(), 8_192);
        let mut profiler = profiler.with_groups(request);
        let account = scan(&mut text.as_slice(), &mut profiler).unwrap();
        let profile = profiler.finish();
        let all = profile.groups.as_ref().unwrap().all();
        let lines = account.waits + account.calls + account.lobs;
        assert_eq!(all.count, lines, "{}", input.display());
        let whole_ns = profile.spent.response_ns() + profile.spent.idle_ns();
        assert_eq!(u64::try_from(all.total_ns), Ok(whole_ns), "{}", input.display());
        read += 1;
    }
    assert!(read >= 10, "{read} fixtures");
}

/// A statement with so many bind variables that took so many microseconds.
fn bound(number: u32, variables: u32, us: u64) -> String {
    let bind = |at: u32| format!(" Bind#{at}\n  oacdty=02 mxl=22(22) mxlc=00\n  value={at}\n");
    format!(
        "PARSING IN CURSOR #1 len=8 dep=0 uid=5 oct=3 lid=5 tim=1 hv=1 ad='0' sqlid='{number:013}'\n\
         select 1\nEND OF STMT\nBINDS #1:\n{}EXEC #1:c=0,e={us},p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=2\n",
        (0..variables).map(bind).collect::<String>()
    )
}

#[test]
fn bind_variables_of_statements_that_are_summed_away_leave_their_room_to_those_of_other_files() {
    let read = |trace: String| {
        let limits = Limits { statements: 16, ..Limits::default() };
        let mut profiler = Profiler::new("made.trc", limits, 8_192);
        scan(&mut trace.as_bytes(), &mut profiler).unwrap();
        profiler.finish()
    };
    // Ten cheap statements take all room there is: 20,000 variables.
    let mut whole = read((0..10).map(|number| bound(number, 2_000, 5)).collect());
    // More statements than are told apart: the cheap ones are summed.
    whole.merge(&read((100..112).map(|number| bound(number, 0, 9_000_000)).collect()));
    whole.merge(&read(bound(200, 3, 8_000_000)));
    let late = whole.statements.iter().find(|one| one.key.id.to_string() == "0000000000200");
    assert_eq!(whole.binds.of(late.unwrap().key).len(), 3);
}

/// Two processes, as trcsess joins them, whose cursors have the same number.
#[test]
fn processes_are_told_apart_on_every_system() {
    for header in ["Unix process pid:", "Windows thread id:"] {
        let one = |process: u32, id: &str| {
            format!(
                "{header} {process}, image: ORACLE.EXE\n\
                 PARSING IN CURSOR #1 len=8 dep=0 uid=5 oct=3 lid=5 tim=1 hv=1 ad='0' sqlid='{id}'\n\
                 select 1\nEND OF STMT\n"
            )
        };
        let wait = "WAIT #1: nam='log file sync' ela= 400 p1=1 p2=2 p3=0 obj#=-1 tim=900\n";
        let trace = format!(
            "{}{}{header} 17, image: ORACLE.EXE\n{wait}",
            one(17, "first"),
            one(4_711, "second")
        );
        let profiler = Profiler::new("made.trc", Limits::default(), 8_192);
        let mut profiler = profiler.with_groups(by(&["process", "sql"]));
        scan(&mut trace.as_bytes(), &mut profiler).unwrap();
        let groups = profiler.finish().groups.unwrap();
        assert_eq!(rows(&groups), [("17|first".to_owned(), 1, 400)], "{header}");
    }
}
