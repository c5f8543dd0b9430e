use isotherm_analysis::{
    CacheWarning, Circumstances, DeviceClass, Findings, Gaps, LoadResponse, Mode, Operation,
    PartOfTime, RemarkClass, ResponseKind, SlowBand, Stall, Story, TailShare,
};
use isotherm_frame::{
    Clock, Frame, Histogram, Nanos, Quality, QuantileInterval, Scheme, Series, TimeWaited,
    Timestamp,
};

use super::wording::two_digits;
use super::*;

/// 2025-11-21 14:00 UTC.
const START: i64 = 1_763_733_600;

fn at(second: i64) -> Timestamp {
    Timestamp::new((START + second) * 1_000_000_000)
}

fn ranked(remark: Remark) -> RankedRemark {
    RankedRemark {
        remark,
        class: RemarkClass::Hint,
        seconds: 0.0,
        time_share: None,
        exact: true,
        series: None,
        series_name: None,
        operation: Operation::Unknown,
    }
}

fn sentences_of(remarks: &[RankedRemark]) -> Vec<String> {
    sentences(remarks, &TimeFormat::new(Clock::Epoch, at(0)))
}

fn said(remark: Remark) -> String {
    sentences_of(&[ranked(remark)]).remove(0)
}

fn millis(ms: u64) -> Nanos {
    Nanos::from_millis(ms)
}

/// A share of which fine buckets tell about how much it is.
fn estimated(share: f64) -> PartOfTime {
    PartOfTime {
        share,
        least: share - 0.03,
        most: share + 0.03,
        coarse: false,
        mean_ns: (0.0, None),
    }
}

fn mode(at: Nanos, (share, time_share): (f64, f64)) -> Mode {
    let bulk = Bucket { lo: Nanos::ZERO, hi: None };
    let part = estimated(time_share);
    Mode { at, edges: (Nanos::ZERO, None), bulk, near: 1.0, share, time_share, part, open: false }
}

fn change(kind: ChangeKind, end: Option<i64>) -> Remark {
    let median = |lo, hi| Some(Bucket { lo: millis(lo), hi: Some(millis(hi)) });
    let before =
        Level { rate: 200.0, waiting: 0.4, mean_ns: 2e6, median: median(1, 2), high: None };
    let after =
        Level { rate: 410.0, waiting: 4.0, mean_ns: 1e7, median: median(8, 16), high: None };
    Remark::Changed(Change {
        start: at(1_510),
        exact_to: Nanos::SECOND,
        end: end.map(at),
        kind,
        before,
        after,
    })
}

fn band(share: f64) -> Band {
    let edges = (Nanos::new(16_384_000), Some(Nanos::new(32_768_000)));
    Band { edges, share, time_share: 0.71, other_share: 0.01 }
}

#[test]
fn changes_are_reported_with_their_time_their_range_and_their_share_of_all_time_waited() {
    let appears = ranked(change(ChangeKind::Appears(band(0.12)), Some(1_985)));
    let owning = RankedRemark { time_share: Some(0.54), exact: false, ..appears.clone() };
    assert_eq!(
        sentences_of(&[owning]),
        [
            "From 14:25:10 to 14:33:05 UTC, 12 % of the events took 16–33ms, almost none before: ≈54 % \
          of all time waited."
        ]
    );
    let series = Some(Series::with_attributes("disk", [("op", "r")]));
    assert_eq!(
        sentences_of(&[RankedRemark { series, ..appears }]),
        ["From 14:25:10 to 14:33:05 UTC, 12 % of disk{op=r} took 16–33ms, almost none before."]
    );
    assert_eq!(
        said(change(ChangeKind::Vanishes(band(0.4)), None)),
        "From 14:25:10 UTC on, almost none of the events took 16–33ms, 40 % before."
    );
    assert_eq!(
        said(change(ChangeKind::Grows(band(0.3)), None)),
        "From 14:25:10 UTC on, 30 % of the events took 16–33ms, 1 % before."
    );
    let thinner = Band { other_share: 0.1, ..band(0.4) };
    assert_eq!(
        said(change(ChangeKind::Vanishes(thinner), None)),
        "From 14:25:10 UTC on, 41.0 events/s took 16.3–32.8ms, 80.0 before."
    );
    // The same where the slow ones became slower, too: that is what there is to say.
    let Remark::Changed(mut wider) = change(ChangeKind::Vanishes(thinner), None) else { panic!() };
    let bucket = |lo, hi| Some(Bucket { lo: millis(lo), hi: Some(millis(hi)) });
    (wider.before.high, wider.after.high) = (bucket(16, 20), bucket(60, 64));
    wider.after.median = wider.before.median;
    for kind in [wider.kind.clone(), ChangeKind::Moves] {
        wider.kind = kind;
        assert_eq!(
            said(Remark::Changed(wider.clone())),
            "From 14:25:10 UTC on, p99 was 60–64ms instead of 16–20ms; the median did not change."
        );
    }
    assert_eq!(
        said(change(ChangeKind::Moves, None)),
        "From 14:25:10 UTC on, events took 8–16ms instead of 1–2ms (median)."
    );
    assert_eq!(
        said(change(ChangeKind::Rate, Some(86_400))),
        "From 14:25:10 to 2025-11-22 14:00:00 UTC, the rate rose from 200 to 410 events/s; \
         latency did not change."
    );
}

#[test]
fn bursts_that_are_alike_are_said_once() {
    let level = |rate, mean_ns| Level { rate, waiting: 0.0, mean_ns, median: None, high: None };
    let of = |count: i64| {
        let stretches = (0..count).map(|n| (at(100 * n), at(100 * n + 5))).collect();
        let (inside, outside) = (level(300.0, 7.8e6), level(200.0, 5.2e5));
        let exact_to = Nanos::SECOND;
        let remark = Remark::Bursts(Bursts { stretches, exact_to, inside, outside });
        let remark = RankedRemark { time_share: Some(0.36), exact: true, ..ranked(remark) };
        sentences_of(&[remark]).remove(0)
    };
    assert_eq!(
        of(3),
        "From 14:00:00 to 14:00:05, 14:01:40 to 14:01:45 and 14:03:20 to 14:03:25 UTC, events took \
         ≈7.8ms instead of ≈520µs on average, at 300 events/s instead of 200: 36 % of all time waited."
    );
    assert!(
        of(5).contains(" and 14:05:00 to 14:05:05 UTC, and once more, events took"),
        "{}",
        of(5)
    );
    assert!(of(6).contains(" UTC, and 2 times more, events"), "{}", of(6));
}

#[test]
fn further_stretches_are_named_by_where_they_begin() {
    let more = |seconds: &[i64]| {
        let starts = seconds.iter().map(|second| at(*second)).collect();
        said(Remark::More { starts, exact_to: Nanos::SECOND })
    };
    assert_eq!(more(&[125]), "See also 14:02:05 UTC.");
    assert_eq!(more(&[125, 430]), "See also 14:02:05 and 14:07:10 UTC.");
    let six = more(&[1, 2, 3, 4, 5, 6]);
    assert_eq!(six, "See also 14:00:01, 14:00:02, 14:00:03, 14:00:04 UTC and 2 more.");
}

#[test]
fn a_stretch_of_time_is_compared_with_the_rest_and_the_larger_difference_comes_first() {
    let level = |rate, mean_ns| Level { rate, waiting: 0.0, mean_ns, median: None, high: None };
    let incident = |inside, outside, operation| {
        let remark = Remark::Incident(Incident {
            start: at(4_261),
            end: at(4_293),
            lasts: false,
            exact_to: Nanos::SECOND,
            time_share: 0.98,
            inside,
            outside,
        });
        RankedRemark { time_share: Some(0.98), operation, ..ranked(remark) }
    };
    let usual = level(64.0, 9e4);
    let sentence_of =
        |inside, operation| sentences_of(&[incident(inside, usual, operation)]).remove(0);
    assert_eq!(
        sentence_of(level(79_000.0, 5.1e5), Operation::Read),
        "From 15:11:01 to 15:11:33 UTC, there were 79.0k events/s instead of 64.0, and they took \
         ≈510µs instead of ≈90µs on average: 98 % of all time waited."
    );
    assert_eq!(
        sentence_of(level(70.0, 5.1e5), Operation::Read),
        "From 15:11:01 to 15:11:33 UTC, reads took ≈510µs instead of ≈90µs on average: 98 % of all \
         time waited."
    );
    assert_eq!(
        sentence_of(level(128.0, 9e5), Operation::Write),
        "From 15:11:01 to 15:11:33 UTC, writes took ≈900µs instead of ≈90µs on average, at 128 \
         events/s instead of 64.0: 98 % of all time waited."
    );
    assert_eq!(
        sentence_of(level(640.0, 9.1e4), Operation::Other),
        "From 15:11:01 to 15:11:33 UTC, there were 640 events/s instead of 64.0: 98 % of all time \
         waited."
    );
    // The zone is said once.
    let twice = sentences_of(&[
        incident(level(70.0, 5.1e5), usual, Operation::Read),
        ranked(change(ChangeKind::Moves, None)),
    ]);
    assert!(twice[0].contains("15:11:33 UTC") && !twice[1].contains("UTC"), "{twice:?}");
}

#[test]
fn modes_are_reported_with_their_share_of_the_time_and_the_mean_where_it_describes_none() {
    let (fast, slow) = (Nanos::from_micros(203), Nanos::from_micros(7_960));
    let two = vec![mode(fast, (0.7, 0.06)), mode(slow, (0.3, 0.94))];
    let bands =
        |mean_ns, exact, cache| said(Remark::Bands { modes: two.clone(), mean_ns, exact, cache });
    let list = "70 % of all events take ≈200µs (≈6 % of all time waited) and 30 % ≈8ms (≈94 %)";
    assert_eq!(bands(2.4e6, true, false), format!("{list}: the mean, 2.4ms, describes neither."));
    assert_eq!(
        bands(2.43e6, false, true),
        format!(
            "{list}: the mean, ≈2.4ms, describes neither. The fast ones may come from a cache."
        )
    );
    assert_eq!(bands(7.0e6, true, false), format!("{list}."));
}

/// 4.5 % of all waited up to 5 s behind a stall: the time is theirs, not that of what took 20 ms.
#[test]
fn the_time_of_what_piled_up_is_not_given_to_the_band_below_it() {
    let part = PartOfTime {
        share: 0.99,
        least: 0.99,
        most: 0.99,
        coarse: false,
        mean_ns: (5.7e8, Some(5.8e8)),
    };
    let slow = mode(millis(20), (0.19, 0.99));
    let slow = Mode { edges: (millis(8), Some(millis(5_033))), part, ..slow };
    let modes = vec![mode(millis(2), (0.81, 0.01)), slow];
    let said = said(Remark::Bands { modes, mean_ns: 1.1e8, exact: true, cache: false });
    assert_eq!(
        said,
        "81 % of all events take ≈2ms (≈1 % of all time waited) and 19 % ≈20ms with a tail up to 5.1s \
         (99 %): the mean, 110ms, describes neither."
    );
}

#[test]
fn shares_of_bands_are_as_known_as_buckets_and_total_make_them() {
    let with = |share: f64, (least, most): (f64, f64), coarse| {
        let part = PartOfTime { share, least, most, coarse, mean_ns: (24e9, Some(24.8e9)) };
        Mode { part, ..mode(millis(8), (0.5, share)) }
    };
    let said_of = |first: Mode, second: Mode| {
        said(Remark::Bands {
            modes: vec![first, second],
            mean_ns: 1.3e9,
            exact: true,
            cache: false,
        })
    };
    // Known to within two points; a range; and on average only, where the bucket has no end.
    let open = Mode { near: 0.0, open: true, ..with(0.99, (0.986, 0.995), true) };
    assert_eq!(
        said_of(with(0.3, (0.05, 0.42), true), open),
        "50 % of all events take ≈8ms (5–42 % of all time waited) and 50 % ≈24s on average (99 %): \
         the mean, 1.3s, describes neither."
    );
    let part = PartOfTime { mean_ns: (11e9, Some(30e9)), ..open.part };
    let wide = Mode { part, ..open };
    assert_eq!(
        said_of(with(0.3, (0.25, 0.35), false), wide),
        "50 % of all events take ≈8ms (≈30 % of all time waited) and 50 % 11–30s on average (99 %): \
         the mean, 1.3s, describes neither."
    );
}

#[test]
fn what_is_always_so_is_reported_in_shares_of_everything_and_in_ranges() {
    let tail = TailShare {
        from: Nanos::new(16_384_000),
        events: 0.0104,
        time: 0.43,
        part: estimated(0.43),
    };
    assert_eq!(
        said(Remark::Tail(tail)),
        "The slowest 1 % of all events took 16.4ms or longer: ≈43 % of all time waited."
    );
    let edges = (millis(256), Some(millis(1_024)));
    let band =
        SlowBand { edges, events: 3_247, share: 0.0026, time_share: 0.151, part: estimated(0.151) };
    let of_reads = RankedRemark {
        operation: Operation::Read,
        time_share: Some(0.151),
        exact: false,
        ..ranked(Remark::SlowBand(band))
    };
    assert_eq!(
        sentences_of(&[of_reads]),
        [
            "3,247 reads (0.3 % of all) took 0.25–1.1s, apart from all others: ≈15 % of all time waited."
        ]
    );
    let every = millis(60_000);
    let period = Period { every, first: at(5), cycles: 12, busy: 0.05, time_share: 0.428 };
    assert_eq!(
        said(Remark::Every(period)),
        "Every 1m there is a burst, 12 times in all: 43 % of all time waited in 5 % of the time."
    );
    let gaps = |stretches, resets, missing_s| {
        let longest = (stretches > 0).then_some((at(10), at(14)));
        Remark::Missing(Gaps { stretches, resets, missing_s, longest, exact_to: Nanos::SECOND })
    };
    for (remark, sentence) in [
        (
            gaps(2, 1, 7.0),
            "There are 2 gaps, 7s in all, once because counters were reset; the longest from \
             14:00:10 to 14:00:14 UTC.",
        ),
        (gaps(1, 0, 4.0), "From 14:00:10 to 14:00:14 UTC, there is a gap of 4s."),
        (
            gaps(1, 1, 4.5),
            "From 14:00:10 to 14:00:14 UTC, there is a gap of 4s: counters were reset; 4.5s in \
             all with shorter ones.",
        ),
        (gaps(0, 0, 2.0), "There are gaps shorter than 1s, 2s in all."),
    ] {
        assert_eq!(said(remark), sentence);
    }
    let bucket = Bucket { lo: Nanos::new(524_288), hi: Some(Nanos::new(4_194_304)) };
    let quantile = QuantileInterval { q: 0.99, bucket, counted_in: bucket, estimate: bucket.lo };
    assert_eq!(
        said(Remark::Unstable(quantile)),
        "p99 (0.52–4.2ms) is unstable: it lies on the edge of two bands."
    );
}

#[test]
fn who_owns_the_time_is_reported_with_seconds_and_shares() {
    let owner = |facet, value: &str, of, exact| {
        said(Remark::Owner(Owner {
            facet,
            value: value.to_owned(),
            waited: TimeWaited { seconds: 1_354.2, exact },
            time_share: 0.354,
            event_share: 0.12,
            of,
        }))
    };
    assert_eq!(
        owner(Facet::Name, "library cache: mutex X", 78, true),
        "library cache: mutex X is the largest of 78: 35 % of all time waited (1,354 s), 12 % of all \
         events."
    );
    assert_eq!(
        owner(Facet::Attribute("session".to_owned()), "s11", 50, false),
        "session=s11 is the largest of 50 values of session: ≈35 % of all time waited (≈1,354 s), \
         12 % of all events."
    );
}

#[test]
fn what_happened_to_one_series_is_reported_of_that_series() {
    let of = |kind, end| {
        let remark = change(kind, end);
        let series = Some(Series::with_attributes("wait", [("session", "s3")]));
        sentences_of(&[RankedRemark { series, ..ranked(remark) }]).remove(0)
    };
    for (sentence, right) in [
        (
            of(ChangeKind::Scales(5.0), None),
            "From 14:25:10 UTC on, wait{session=s3} took 5.00 times as long: ≈10ms on average \
             instead of ≈2ms.",
        ),
        (
            of(ChangeKind::Drifts, Some(1_600)),
            "From 14:25:10 to 14:26:40 UTC, latency of wait{session=s3} rose steadily, from ≈2ms to \
             ≈10ms on average.",
        ),
        (
            of(ChangeKind::RateDrifts, None),
            "From 14:25:10 UTC on, load of wait{session=s3} rose steadily, from 200 to 410 events/s.",
        ),
        (
            of(ChangeKind::Silent, Some(1_520)),
            "From 14:25:10 to 14:25:20 UTC, there were no events of wait{session=s3} for 10s, 200 \
             events/s before.",
        ),
        (
            of(ChangeKind::Stops, None),
            "From 14:25:10 UTC on, wait{session=s3} stopped: almost no events, 200 events/s before.",
        ),
    ] {
        assert_eq!(sentence, right);
    }
    // Redis has a command of this name.
    let series = Some(Series::named("time"));
    let stops = RankedRemark { series, ..ranked(change(ChangeKind::Stops, None)) };
    assert_eq!(
        sentences_of(&[stops]),
        ["From 14:25:10 UTC on, 'time' stopped: almost no events, 200 events/s before."]
    );
    let series = Some(Series::named("end"));
    let stops = RankedRemark { series, ..ranked(change(ChangeKind::Stops, None)) };
    assert_eq!(
        sentences_of(&[stops]),
        ["From 14:25:10 UTC on, 'end' stopped: almost no events, 200 events/s before."]
    );
}

/// Sessions that still wait at the end of what is known have no end.
#[test]
fn a_stretch_of_waiting_sessions_has_an_end_unless_it_lasts() {
    let level = |waiting| Level { rate: 0.0, waiting, mean_ns: 0.0, median: None, high: None };
    let sampled = |lasts| {
        let busiest = Incident {
            start: at(1_510),
            end: at(1_520),
            lasts,
            exact_to: Nanos::SECOND,
            time_share: 0.9,
            inside: level(8.0),
            outside: level(0.1),
        };
        said(Remark::Sampled(SampledTime { average: 0.6, busiest: Some(busiest) }))
    };
    assert_eq!(sampled(false), "8.0 sessions from 14:25:10 to 14:25:20 UTC (average 0.60).");
    assert_eq!(sampled(true), "8.0 sessions from 14:25:10 UTC on (average 0.60).");
}

/// Where what waited ends later, those that ended meanwhile were neither more nor slower.
#[test]
fn a_stretch_in_which_more_waits_is_not_reported_with_shorter_latencies() {
    let level = |rate, mean_ns, waiting| Level { rate, waiting, mean_ns, median: None, high: None };
    let incident = Incident {
        start: at(1_510),
        end: at(1_520),
        lasts: false,
        exact_to: Nanos::SECOND,
        time_share: 0.49,
        inside: level(20.0, 5.3e6, 12.1),
        outside: level(20.5, 4.2e7, 0.86),
    };
    assert_eq!(
        said(Remark::Incident(incident)),
        "From 14:25:10 to 14:25:20 UTC, 12.1 events were waiting instead of 0.86 on average."
    );
    assert_eq!(
        said(Remark::Incident(Incident { lasts: true, ..incident })),
        "From 14:25:10 UTC on, 12.1 events were waiting instead of 0.86 on average."
    );
}

#[test]
fn a_stall_says_how_long_the_longest_waited_and_a_ramp_what_came_of_it() {
    let stall = |held_up| {
        let longest = Bucket { lo: millis(1_800), hi: Some(millis(2_050)) };
        let stall = Stall { quiet_to: at(1_512), held_up, longest, time_share: 0.754 };
        said(change(ChangeKind::Stalls(stall), Some(1_513)))
    };
    assert_eq!(
        stall(200),
        "From 14:25:10 to 14:25:13 UTC, everything stalled: ≈200 events waited up to 1.8–2.1s, ≈75 % \
         of all time waited."
    );
    assert_eq!(
        stall(1),
        "From 14:25:10 to 14:25:13 UTC, everything stalled: 1 event waited 1.8–2.1s, ≈75 % of all \
         time waited."
    );
    let Remark::Changed(load) = change(ChangeKind::RateDrifts, None) else { panic!() };
    let (kind, rates, means_ns) = (ResponseKind::Follows(Some(380.0)), (210.0, 400.0), (2e6, 9e6));
    let response = LoadResponse { kind, correlation: 0.9, rates, means_ns, waiting: 2.0 };
    assert_eq!(
        said(Remark::Ramp { load, response }),
        "From 14:25:10 UTC on, load rose steadily, from 200 to 410 events/s, and latency with it: \
         ≈2ms on average at 210 events/s, ≈9ms at 400, steeply from ≈380 events/s on."
    );
}

#[test]
fn load_and_caches_are_reported_plainly() {
    let response = |kind| {
        let (rates, means_ns) = ((200.0, 910.0), (4.1e5, 1.2e6));
        said(Remark::Response(LoadResponse {
            kind,
            correlation: 0.0,
            rates,
            means_ns,
            waiting: 8.2,
        }))
    };
    assert_eq!(
        response(ResponseKind::Follows(Some(702.0))),
        "Latency grows with load: ≈410µs on average at 200 events/s, ≈1.2ms at 910, steeply from \
         ≈702 events/s on."
    );
    assert_eq!(
        response(ResponseKind::Unrelated),
        "Latency does not grow with load, between 200 and 910 events/s."
    );
    assert_eq!(
        response(ResponseKind::VariesWithoutLoad),
        "Latency varies, not with load: ≈410µs on average in the fastest fifth of the time, ≈1.2ms \
         in the slowest."
    );
    let (class, floor) = (DeviceClass::Hdd, millis(1));
    let warning = |warning| said(Remark::CacheWarning(warning));
    assert_eq!(
        warning(CacheWarning::FasterThanDevice { class, floor, share: 0.9, reads: true }),
        "Too good to be true: 90 % of all reads took less than 1ms, faster than a rotating disk can \
         be. This was the cache."
    );
    let measured = DeviceClass::Measured(millis(1));
    assert_eq!(
        warning(CacheWarning::FasterThanDevice { class: measured, floor, share: 0.9, reads: true }),
        "Too good to be true: 90 % of all reads took less than 1ms, faster than the fastest \
         measured on this device. This was the cache."
    );
    assert_eq!(
        warning(CacheWarning::CacheHits { class, floor, share: 0.3, reads: false }),
        "30 % of all events took less than 1ms, faster than a rotating disk can be: if they are \
         reads, a cache answered them."
    );
    assert_eq!(
        warning(CacheWarning::MayBeCache { below: Nanos::new(1_048_576), rate: 41_000.0 }),
        "At least 99.9 % of all reads took less than 1.05ms, at 41.0k reads/s: this may be a cache \
         (declare the device with --device)."
    );
}

#[test]
fn shares_are_no_more_exact_than_they_can_be() {
    let shown: Vec<String> = [0.0, 0.0004, 0.0042, 0.0104, 0.7, 0.997, 1.0].map(percent).to_vec();
    assert_eq!(shown, ["0 %", "<0.1 %", "0.4 %", "1 %", "70 %", ">99 %", "100 %"]);
    let shown = [0, 7, 203, 1_049, 9_960_000].map(|ns| two_digits(Nanos::new(ns)));
    assert_eq!(shown, ["0ns", "7ns", "200ns", "1µs", "10ms"]);
}

/// A second of reads of a disk: so many of so many microseconds each, evenly.
fn second(second: i64, reads: u64, us: u64) -> Frame {
    let mut counts = Histogram::empty(Scheme::log_linear());
    (0..reads).for_each(|_| counts.record(Nanos::from_micros(us)));
    Frame {
        series: Series::with_attributes("disk", [("op", "R")]),
        start: at(second),
        end: at(second + 1),
        counts,
        quality: Quality::Complete,
    }
}

#[test]
fn a_planted_backup_leads_with_its_time_its_rate_and_its_share() {
    // Two minutes of 40 to 60 reads/s of 90 µs; for 32 s 4,000/s of 510 µs instead.
    let frames: Vec<Frame> = (0..152)
        .map(|number| match number {
            46..78 => second(number, 4_000, 510),
            _ => second(number, 40 + 20 * (number.unsigned_abs() % 2), 90),
        })
        .collect();
    let story = Story::of(&frames, None).unwrap();
    let first = &sentences(&story.remarks, &TimeFormat::new(Clock::Epoch, at(0)))[0];
    // By hand: 32 x 4,000 x 510 µs = 65.28 s of those and 120 x 50 x 90 µs = 0.54 s: 99.2 %.
    assert_eq!(
        first,
        "From 14:00:46 to 14:01:18 UTC, there were 4.00k events/s instead of 50.0, and they took \
         ≈510µs instead of ≈90µs on average: 99 % of all time waited."
    );
}

#[test]
fn a_summary_of_a_total_is_reported_without_times() {
    let total = second(0, 100, 90).counts;
    let findings = Findings::of_total(&total, 1.0, &Circumstances::default());
    let sentences_of = sentences_of(&findings.remarks());
    assert_eq!(sentences_of.len(), 1);
    assert!(sentences_of[0].starts_with("99 % of all events took less than"), "{sentences_of:?}");
}
