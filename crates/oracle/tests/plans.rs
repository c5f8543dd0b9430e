//! Plans of a trace written by hand, with sums made by hand.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input must fail")]

use isotherm_oracle::trace::profile::{Limits, Plan, Profile, Profiler, StatementKey};
use isotherm_oracle::trace::scan;

const TRACE: &str = "\
PARSING IN CURSOR #10 len=15 dep=0 uid=5 oct=3 lid=5 tim=100 hv=1 ad='0' sqlid='aaaaaaaaaaaaa'
select * from t
END OF STMT
EXEC #10:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=777,tim=200
STAT #10 id=1 cnt=4 pid=0 pos=1 obj=0 op='HASH JOIN  (cr=9 pr=3 pw=1 str=1 time=90 us cost=5 size=6 card=7)'
STAT #10 id=2 cnt=10 pid=1 pos=1 obj=55 op='TABLE ACCESS FULL T (cr=4 pr=1 pw=0 str=1 time=30 us)'
STAT #10 id=3 cnt=2 pid=1 pos=2 obj=56 op='INDEX RANGE SCAN I (OLD) (cr=5 pr=2 pw=0 str=10 time=40 us)'
CLOSE #10:c=0,e=1,dep=0,type=1,tim=300
EXEC #10:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=777,tim=400
STAT #10 id=1 cnt=8 pid=0 pos=1 obj=0 op='HASH JOIN  (cr=11 pr=0 pw=0 str=1 time=10 us cost=5 size=6 card=7)'
STAT #10 id=2 cnt=1 pid=1 pos=1 obj=55 op='TABLE ACCESS FULL T (cr=4 pr=1 pw=0 str=1 time=5 us)'
STAT #10 id=3 cnt=3 pid=1 pos=2 obj=56 op='INDEX RANGE SCAN I (OLD) (cr=7 pr=0 pw=0 str=1 time=5 us)'
PARSING IN CURSOR #11 len=15 dep=0 uid=5 oct=3 lid=5 tim=500 hv=2 ad='0' sqlid='bbbbbbbbbbbbb'
select * from u
END OF STMT
STAT #11 id=1 cnt=1 pid=0 pos=1 obj=9 op='TABLE ACCESS BY INDEX ROWID U (cr=2 r=1 w=0 time=7 us)'
STAT #11 id=1 cnt=1 pid=0 pos=1 obj=9 op='TABLE ACCESS FULL U '
STAT #99 id=1 cnt=1 pid=0 pos=1 obj=9 op='TABLE ACCESS FULL NOBODY '
";

fn profile(trace: &str) -> Profile {
    let mut profiler = Profiler::new("made.trc", Limits::default(), 8_192);
    scan(&mut trace.as_bytes(), &mut profiler).unwrap();
    profiler.finish()
}

fn plans<'a>(profile: &'a Profile, sql_id: &str) -> &'a [Plan] {
    let key: Vec<StatementKey> = profile.statements.iter().map(|one| one.key).collect();
    let key = key.into_iter().find(|key| key.id.to_string() == sql_id).unwrap();
    profile.plans.of(key)
}

#[test]
fn a_plan_written_twice_is_one_with_sums_first_and_most() {
    let profile = profile(TRACE);
    let [plan] = plans(&profile, "aaaaaaaaaaaaa") else { panic!("one plan") };
    assert_eq!((plan.hash, plan.written, plan.row_sources.len()), (Some(777), 2, 3));
    let rows: Vec<_> = plan
        .row_sources
        .iter()
        .map(|line| (line.depth, line.first_rows, line.most_rows, line.rows, line.object))
        .collect();
    assert_eq!(rows, [(0, 4, 8, 12, 0), (1, 10, 10, 11, 55), (1, 2, 3, 5, 56)]);
    let costs = |at: usize| plan.row_sources[at].costs;
    assert_eq!(costs(0).consistent_gets, Some(20));
    assert_eq!((costs(0).physical_reads, costs(0).physical_writes), (Some(3), Some(1)));
    assert_eq!(costs(0).time_ns, Some(100_000));
    assert_eq!((costs(2).starts, costs(2).time_ns), (Some(11), Some(45_000)));
    let names: Vec<&str> = plan.row_sources.iter().map(|line| &*line.operation).collect();
    assert_eq!(names[1..], ["TABLE ACCESS FULL T", "INDEX RANGE SCAN I (OLD)"]);
}

#[test]
fn plans_that_differ_are_kept_apart_and_what_is_not_said_is_not_known() {
    let profile = profile(TRACE);
    let [old, bare] = plans(&profile, "bbbbbbbbbbbbb") else { panic!("two plans") };
    assert_eq!((old.hash, old.row_sources[0].costs.physical_reads), (None, Some(1)));
    assert_eq!(old.row_sources[0].costs.starts, None);
    assert_eq!(bare.row_sources[0].costs.time_ns, None);
    assert_eq!(profile.plans.left_out, 0);
}

#[test]
fn merging_adds_times_and_never_more_than_is_kept() {
    let mut profile = profile(TRACE);
    profile.merge(&self::profile(TRACE));
    let [plan] = plans(&profile, "aaaaaaaaaaaaa") else { panic!("one plan") };
    assert_eq!((plan.written, plan.row_sources[0].rows), (4, 24));
    let line = |name: usize| {
        format!("STAT #11 id=1 cnt=1 pid=0 pos=1 obj=9 op='TABLE ACCESS FULL T{name} '\n")
    };
    let many: String = (0..40).map(line).collect();
    let many = self::profile(&format!("{TRACE}{many}"));
    assert_eq!(plans(&many, "bbbbbbbbbbbbb").len(), 16);
    assert_eq!(many.plans.left_out, 26);
}

#[test]
fn the_plan_of_the_costliest_statement_is_kept_among_those_of_many() {
    let statement = |number: u32, us: u64| {
        let lines =
            |id: u32| format!("STAT #10 id={id} cnt=1 pid={} pos=1 obj=9 op='SORT '\n", id - 1);
        format!(
            "PARSING IN CURSOR #10 len=15 dep=0 uid=5 oct=3 lid=5 tim=1 hv=1 ad='0' sqlid='{number:013}'\n\
             select {number}\nEND OF STMT\nEXEC #10:c=0,e={us},p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=2\n\
             {}CLOSE #10:c=0,e=1,dep=0,type=0,tim=3\n",
            (1..=3).map(lines).collect::<String>()
        )
    };
    for many in [21_000, 26_000] {
        let mut trace: String = (0..many).map(|number| statement(number, 5)).collect();
        trace.push_str(&statement(999_999, 9_000_000));
        let profile = profile(&trace);
        assert_eq!(plans(&profile, "0000000999999").len(), 1, "{many}");
        let planned = |key: &StatementKey| profile.plans.of(*key).len() as u64;
        let kept: u64 = profile.statements.iter().map(|one| planned(&one.key)).sum();
        assert!((1..u64::from(many)).contains(&kept));
    }
}

#[test]
fn a_plan_that_is_left_out_counts_each_time_it_was_written() {
    let line = |name: usize| {
        format!("STAT #11 id=1 cnt=1 pid=0 pos=1 obj=9 op='TABLE ACCESS FULL T{name} '\n")
    };
    let sixteen: String = (0..14).map(line).collect();
    let profile = profile(&format!("{TRACE}{sixteen}{}", line(99).repeat(100)));
    assert_eq!(profile.plans.left_out, 100);
}
