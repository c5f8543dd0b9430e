use super::*;
use crate::trace::profile::{Limits, Profile, Profiler};
use crate::trace::scan;

const S: i64 = 1_000_000_000;

/// `tim` 1,000 s is the moment 2026-11-21 00:00:00 UTC. Calls of the user end at 1,002 s (2 s long),
/// at 1,010 s (6 s long, with a read of 3 s from 1,005 s on and a deeper call in it), and at 1,012 s.
const TRACE: &str = "\
*** 2026-11-21T00:00:00.000000+00:00
WAIT #1: nam='SQL*Net message from client' ela= 0 driver id=1 #bytes=1 p3=0 obj#=-1 tim=1000000000
EXEC #1:c=0,e=2000000,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=9,tim=1002000000
WAIT #1: nam='SQL*Net message from client' ela= 2000000 driver id=1 #bytes=1 p3=0 obj#=-1 tim=1004000000
WAIT #1: nam='db file sequential read' ela= 3000000 file#=7 block#=131 blocks=1 obj#=8 tim=1008000000
EXEC #2:c=0,e=500000,p=0,cr=0,cu=0,mis=0,r=0,dep=1,og=1,plh=9,tim=1009000000
FETCH #1:c=1000000,e=6000000,p=1,cr=3,cu=0,mis=0,r=5,dep=0,og=1,plh=9,tim=1010000000
FETCH #1:c=0,e=1000000,p=1,cr=3,cu=0,mis=0,r=5,dep=0,og=1,plh=9,tim=1012000000
";

fn profile(trace: &str, from_s: Option<i64>, to_s: Option<i64>) -> Profile {
    let mut span = TraceSpan::new(None, None);
    scan(&mut trace.as_bytes(), &mut span).unwrap();
    let (start, _) = span.ends().unwrap();
    let at = |s: Option<i64>| s.map(|s| Timestamp::new(start.as_nanos() + s * S));
    let mut cut = CutCalls::new(TimeRange { from: at(from_s), to: at(to_s) }, None, None);
    scan(&mut trace.as_bytes(), &mut cut).unwrap();
    let profiler = Profiler::new("x.trc", Limits::default(), 8_192);
    let mut within = WithinRange::new(profiler, cut, start, (None, None));
    scan(&mut trace.as_bytes(), &mut within).unwrap();
    within.into_inner().finish()
}

#[test]
fn a_trace_begins_with_its_first_record_and_ends_with_its_last() {
    let mut span = TraceSpan::new(None, None);
    scan(&mut TRACE.as_bytes(), &mut span).unwrap();
    let midnight = 20_778 * 86_400 * S;
    let ends = (Timestamp::new(midnight), Timestamp::new(midnight + 12 * S));
    assert_eq!(span.ends(), Some(ends));
    assert!(!span.is_utc_assumed());
}

#[test]
fn a_limit_amid_a_call_counts_it_whole_where_it_ends() {
    let busy = |profile: &Profile| (profile.spent.response_ns(), profile.spent.waits_ns());
    let second = 1_000_000_000_u64;
    assert_eq!(busy(&profile(TRACE, None, None)), (9 * second, 3 * second));
    // Between the end of the read and that of its call: both are behind the limit.
    for limit in [5, 8, 9, 10] {
        let (before, behind) =
            (profile(TRACE, None, Some(limit)), profile(TRACE, Some(limit), None));
        assert_eq!(busy(&before), (2 * second, 0), "{limit}");
        assert_eq!(busy(&behind), (7 * second, 3 * second), "{limit}");
        assert_eq!((before.inputs.calls, behind.inputs.calls), (1, 3), "{limit}");
        assert_eq!((before.inputs.waits, behind.inputs.waits), (2, 1), "{limit}");
    }
    assert_eq!(busy(&profile(TRACE, Some(11), None)), (second, 0));
    assert_eq!(busy(&profile(TRACE, Some(3), Some(4))), (0, 0));
}

#[test]
fn each_process_has_its_own_calls() {
    // The second process calls nothing at 5 s: its wait before is not moved behind the limit.
    let merged = format!(
        "Unix process pid: 1, image: a\n{TRACE}Unix process pid: 2, image: b\n\
         *** 2026-11-21T00:00:04.500000+00:00\n\
         WAIT #9: nam='log file sync' ela= 400000 buffer#=1 sync scn=2 p3=0 obj#=-1 tim=1004500000\n"
    );
    assert_eq!(
        profile(&merged, Some(5), None).events.named("log file sync").map_or(0, |e| e.count),
        0
    );
    assert_eq!(profile(&merged, None, Some(5)).events.named("log file sync").unwrap().count, 1);
}

#[test]
fn waits_without_a_time_of_their_own_follow_the_ones_before() {
    let old = "\
*** 2004-01-31 12:00:00.000
EXEC #1:c=0,e=1000000,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,tim=5000000
WAIT #1: nam='db file sequential read' ela= 2000000 p1=1 p2=2 p3=1
WAIT #1: nam='db file sequential read' ela= 2000000 p1=1 p2=2 p3=1
";
    let reads = |from, to| {
        let profile = profile(old, from, to);
        profile.events.named("db file sequential read").map_or(0, |event| event.count)
    };
    // The trace begins 1 s before noon; the reads end 3 and 5 s after its beginning.
    assert_eq!((reads(None, Some(4)), reads(Some(4), None)), (1, 1));
    assert_eq!((reads(None, Some(3)), reads(Some(3), Some(6))), (0, 2));
}

/// A LOB call from 1,002 s to 1,010 s with two reads of 3 s in it.
#[test]
fn a_limit_amid_a_lob_call_counts_it_whole_where_it_ends() {
    let lob = "\
*** 2026-11-21T00:00:00.000000+00:00
WAIT #0: nam='SQL*Net message from client' ela= 0 driver id=1 #bytes=1 p3=0 obj#=-1 tim=1000000000
WAIT #0: nam='direct path read' ela= 3000000 file number=7 first dba=9 block cnt=1 obj#=8 tim=1005000000
WAIT #0: nam='direct path read' ela= 3000000 file number=7 first dba=9 block cnt=1 obj#=8 tim=1009000000
LOBREAD: type=PERSISTENT LOB,bytes=10,c=0,e=8000000,p=2,cr=2,cu=0,tim=1010000000
";
    let parts = |from, to| {
        let profile = profile(lob, from, to);
        let reads = profile.events.named("direct path read").map_or(0, |event| event.count);
        (reads, profile.spent.response_ns() / 1_000_000_000)
    };
    assert_eq!(parts(None, None), (2, 8));
    for limit in [4, 6, 9, 10] {
        assert_eq!(
            (parts(None, Some(limit)), parts(Some(limit), None)),
            ((0, 0), (2, 8)),
            "{limit}"
        );
    }
}
