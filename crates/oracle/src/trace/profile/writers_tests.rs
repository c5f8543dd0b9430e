//! Profiles of traces whose lines are of several sessions, or hold what cannot be.

use super::statement::{StatementId, StatementKey};
use super::*;
use crate::trace::scan_slice;

fn profile(text: &str) -> Profile {
    let mut profiler = Profiler::new("made.trc", Limits::default(), 8_192);
    scan_slice(text.as_bytes(), &mut profiler);
    profiler.finish()
}

fn elapsed_us(profile: &Profile, id: &str) -> Option<u64> {
    let mut padded = [0; 16];
    padded[..id.len()].copy_from_slice(id.as_bytes());
    let key = StatementKey { id: StatementId::SqlId(padded), recursive: false };
    profile.statements.get(key).map(|statement| statement.response_ns() / 1_000)
}

/// A statement of a session that is executed in 100 us.
fn statement(session: &str, id: &str, tim: u64) -> String {
    format!(
        "*** SESSION ID:({session}) 2026-11-21 09:08:07.123\n\
         PARSING IN CURSOR #5 len=8 dep=0 uid=84 oct=3 lid=84 tim={tim} hv=1 ad='a' sqlid='{id}'\nselect x\nEND OF STMT\n\
         EXEC #5:c=0,e=100,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim={}\n",
        tim + 100
    )
}

#[test]
fn sessions_of_one_process_have_cursors_of_their_own() {
    let one = statement("4.5", "aaaaaaaaaaaaa", 1_000_000);
    let two = statement("6.7", "bbbbbbbbbbbbb", 1_000_200);
    let back = "*** SESSION ID:(4.5) 2026-11-21 09:08:07.125\n\
                FETCH #5:c=0,e=9000,p=0,cr=0,cu=0,mis=0,r=7,dep=0,og=1,plh=1,tim=1010000\n";
    let read = profile(&format!("Unix process pid: 4711, image: oracle@db1\n{one}{two}{back}"));
    assert_eq!(elapsed_us(&read, "aaaaaaaaaaaaa"), Some(9_100));
    assert_eq!(elapsed_us(&read, "bbbbbbbbbbbbb"), Some(100));
    // What the trace says before it names its session is of that session.
    let unnamed = one.split_once('\n').unwrap().1;
    let named = "*** SESSION ID:(4.5) 2026-11-21 09:08:07.124\n";
    let read = profile(&format!("{unnamed}{named}{two}{back}"));
    assert_eq!(elapsed_us(&read, "aaaaaaaaaaaaa"), Some(9_100));
}

#[test]
fn times_of_more_than_ten_years_are_damage() {
    // 10 years of 365 days are 315,360,000,000,000 us.
    let text = "\
WAIT #5: nam='latch free' ela= 315360000000000 p1=1 p2=2 p3=3 obj#=1 tim=1000000010
WAIT #5: nam='latch free' ela= 315360000000001 p1=1 p2=2 p3=3 obj#=1 tim=1000000020
WAIT #5: nam='latch free' ela= 18446744073709551615 p1=1 p2=2 p3=3 obj#=1 tim=1000000030
EXEC #5:c=0,e=18446744073709551615,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1000001000
FETCH #5:c=461168601842738790,e=5,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1000002000
FETCH #5:c=4,e=5,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1000003000
";
    let read = profile(text);
    assert_eq!((read.inputs.waits, read.inputs.calls), (1, 1));
    assert_eq!(read.findings.get(FindingKind::Damaged).unwrap().count, 4);
    let lines: Vec<u64> = read.findings.damage().iter().map(|damage| damage.line).collect();
    assert_eq!(lines, [2, 3, 4, 5]);
}

#[test]
fn a_wait_for_the_client_within_a_call_is_not_between_calls() {
    let text = "\
PARSING IN CURSOR #5 len=8 dep=0 uid=84 oct=3 lid=84 tim=1000000 hv=1 ad='a' sqlid='aaaaaaaaaaaaa'
select x
END OF STMT
WAIT #5: nam='SQL*Net message from client' ela= 5000 driver id=1 #bytes=1 p3=0 obj#=-1 tim=1005500
EXEC #5:c=0,e=6000,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1006000
WAIT #5: nam='SQL*Net message from client' ela= 700 driver id=1 #bytes=1 p3=0 obj#=-1 tim=1006800
FETCH #5:c=0,e=100,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=1007000
";
    let read = profile(text);
    let between = read.between.all();
    assert_eq!((between.count, between.total_ns), (1, 700_000));
    assert_eq!((read.spent.idle_within_ns, read.spent.idle_between_ns), (5_000_000, 700_000));
    assert_eq!(read.dominant_client_share(), None);
}
