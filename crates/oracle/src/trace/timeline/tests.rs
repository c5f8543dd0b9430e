//! Moments are worked out by hand: seconds since 2026-11-21 00:00 UTC, which is day 20,778.

use super::*;

const DAY: i64 = 20_778 * 86_400_000_000;

/// What a trace says, in order.
enum Said {
    Stamp(&'static str),
    Wait(u64, Option<u64>),
    Tim(u64),
}

/// Microseconds since midnight (or since the clock's zero) at which each wait is placed, in the
/// order given out.
fn placed(timeline: &mut Timeline<usize>, said: &[Said], zero: i64) -> Vec<(usize, i64)> {
    let mut found = Vec::new();
    for (number, said) in said.iter().enumerate() {
        let known = match said {
            Said::Stamp(text) => {
                timeline.stamp(text.as_bytes());
                None
            }
            Said::Wait(ela, tim) => timeline.wait(number, *ela, *tim),
            Said::Tim(tim) => {
                timeline.tim(*tim);
                None
            }
        };
        found.extend(timeline.ready());
        found.extend(known);
    }
    timeline.finish();
    found.extend(timeline.ready());
    found.into_iter().map(|(what, at)| (what, at.as_nanos() / 1_000 - zero)).collect()
}

fn timeline() -> Timeline<usize> {
    Timeline::new(None, None)
}

#[test]
fn the_first_tim_after_a_stamp_is_its_moment_and_each_stamp_sets_the_clock_anew() {
    let said = [
        Said::Stamp("2026-11-21T01:00:10.000000+01:00 (SALES(4))"),
        Said::Tim(5_000),
        Said::Wait(100, Some(5_300)),
        Said::Stamp("2026-11-21T01:00:20.000000+01:00"),
        Said::Wait(100, Some(99_000)),
        Said::Wait(100, Some(98_990)),
    ];
    let mut timeline = timeline();
    let found = placed(&mut timeline, &said, DAY);
    assert_eq!(found, [(2, 10_000_300), (4, 20_000_000), (5, 19_999_990)]);
    assert_eq!((timeline.clock(), timeline.remarks()), (Clock::Epoch, [].as_slice()));
}

#[test]
fn waits_before_the_first_stamp_are_placed_by_it() {
    let said = [
        Said::Wait(7, Some(1_000)),
        Said::Wait(7, Some(1_500)),
        Said::Stamp("2026-11-21 00:00:01.000"),
        Said::Tim(2_000),
    ];
    let mut timeline = timeline();
    assert_eq!(placed(&mut timeline, &said, DAY), [(0, 999_000), (1, 999_500)]);
    assert_eq!(timeline.remarks(), [Remark::UtcAssumed]);
}

#[test]
fn without_any_stamp_a_plausible_epoch_is_believed_and_another_is_arbitrary() {
    let now = u64::try_from(DAY).unwrap() + 42;
    let mut epoch = timeline();
    assert_eq!(placed(&mut epoch, &[Said::Wait(1, Some(now))], DAY), [(0, 42)]);
    assert_eq!(epoch.clock(), Clock::Epoch);
    let mut boot = timeline();
    let said = [Said::Wait(1, Some(54_351_970_813)), Said::Wait(1, Some(54_351_970_900))];
    assert_eq!(placed(&mut boot, &said, 54_351_970_813), [(0, 0), (1, 87)]);
    assert_eq!(boot.clock(), Clock::Arbitrary);
}

#[test]
fn an_epoch_needs_no_zone_and_a_stamp_can_refute_it() {
    let now = u64::try_from(DAY).unwrap();
    let said = [
        Said::Stamp("2026-11-21 13:00:00.000"),
        Said::Wait(1, Some(now)),
        Said::Stamp("2026-11-21 13:00:05.000"),
        Said::Wait(1, Some(now + 5_000_007)),
    ];
    let mut true_epoch = timeline();
    assert_eq!(placed(&mut true_epoch, &said, DAY), [(1, 0), (3, 5_000_007)]);
    assert_eq!(true_epoch.remarks(), []);
    let said = [
        Said::Wait(1, Some(now)),
        Said::Stamp("2026-11-28 00:00:00.000"),
        Said::Wait(1, Some(now + 10)),
        Said::Wait(1, Some(now + 20)),
    ];
    let mut refuted = timeline();
    let week = 7 * 86_400_000_000;
    assert_eq!(placed(&mut refuted, &said, DAY), [(0, 0), (2, week), (3, week + 10)]);
    assert_eq!(refuted.remarks(), [Remark::EpochRefuted, Remark::UtcAssumed]);
}

#[test]
fn waits_without_tim_follow_the_call_before_or_end_with_the_next() {
    let said = [
        Said::Stamp("2026-11-21T00:00:00Z"),
        Said::Wait(300, None),
        Said::Wait(200, None),
        Said::Tim(10_000),
        Said::Wait(50, None),
        Said::Wait(60, None),
        Said::Tim(11_000),
        Said::Wait(900, None),
        Said::Wait(500, None),
        Said::Tim(12_000),
        Said::Wait(30, None),
    ];
    let mut timeline = timeline();
    let found = placed(&mut timeline, &said, DAY);
    // The first two end at 10,000 = midnight; 900 + 500 do not fit after 11,000.
    let expected = [(1, -200), (2, 0), (4, 50), (5, 110), (7, 1_500), (8, 2_000), (10, 2_030)];
    assert_eq!(found, expected);
    assert_eq!(timeline.remarks(), [Remark::LaidEndToEnd]);
}

#[test]
fn without_any_tim_waits_follow_the_stamps_or_nothing() {
    let waits = || [Said::Wait(300, None), Said::Wait(200, None)];
    let mut nothing = timeline();
    assert_eq!(placed(&mut nothing, &waits(), 0), [(0, 300), (1, 500)]);
    assert_eq!(nothing.clock(), Clock::Assumed);
    let mut said: Vec<Said> = waits().into();
    said.push(Said::Stamp("2026-11-21T00:00:01Z"));
    said.extend(waits());
    let mut stamped = timeline();
    let expected = [(0, 999_800), (1, 1_000_000), (3, 1_000_300), (4, 1_000_500)];
    assert_eq!(placed(&mut stamped, &said, DAY), expected);
    assert_eq!(stamped.clock(), Clock::Epoch);
}

#[test]
fn a_tim_that_is_cut_places_nothing() {
    let said = [
        Said::Stamp("2026-11-21T00:00:00Z"),
        Said::Tim(7_773_284_543_286),
        Said::Wait(12, Some(77_732)),
        Said::Wait(5, Some(7_773_284_543_386)),
    ];
    let mut timeline = timeline();
    assert_eq!(placed(&mut timeline, &said, DAY), [(2, 12), (3, 100)]);
    assert_eq!(timeline.remarks(), [Remark::CutTims, Remark::LaidEndToEnd]);
}

#[test]
fn what_is_held_is_bounded() {
    let mut timeline: Timeline<()> = Timeline::new(None, None);
    let mut given = 0_usize;
    for tim in 0..300_000_u64 {
        given += usize::from(timeline.wait((), 1, Some(54_351_970_813 + tim)).is_some());
        given += timeline.ready().count();
        assert!(timeline.held.len() <= Timeline::<()>::HELD);
    }
    assert_eq!((given, timeline.clock()), (300_000, Clock::Arbitrary));
}

#[test]
fn a_live_trace_without_a_clock_takes_the_time_of_reading() {
    let now: Arc<dyn Fn() -> Timestamp + Send + Sync> = Arc::new(|| Timestamp::new(DAY * 1_000));
    let mut timeline: Timeline<usize> = Timeline::new(None, Some(now));
    let said = [Said::Wait(7, Some(54_351)), Said::Wait(7, Some(54_400))];
    assert_eq!(placed(&mut timeline, &said, DAY), [(0, 0), (1, 49)]);
    assert_eq!(
        (timeline.clock(), timeline.remarks()),
        (Clock::Epoch, [Remark::ArrivalUsed].as_slice())
    );
}

#[test]
fn centiseconds_are_centiseconds() {
    let mut timeline = timeline();
    timeline.set_unit(TraceUnit::Centiseconds);
    let said = [
        Said::Stamp("2026-11-21T00:00:00Z"),
        Said::Tim(25_000),
        Said::Wait(3, None),
        Said::Tim(25_010),
    ];
    assert_eq!(placed(&mut timeline, &said, DAY), [(2, 30_000)]);
}
