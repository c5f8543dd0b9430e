//! How prints become intervals.

use isotherm_frame::{
    Account, Anomaly, Assembler, BinnerLimits, Event, Frame, Gap, Partial, Quality, Scheme, Unit,
};

use super::*;
use crate::Message;

const SECOND: i64 = 1_000_000_000;
const WHOLE: Quality = Quality::Complete;
const UNSURE: Quality = Quality::Partial(Partial::UnknownWindow);

/// What prints become.
struct Decoded {
    frames: Vec<Frame>,
    anomalies: Vec<Anomaly>,
    tally: Account,
    assembler: Assembler,
}

impl Sink for Decoded {
    fn take(&mut self, message: Message) {
        let Some(reading) = message.into_reading(&mut self.tally) else { return };
        let (frames, anomalies) = (&mut self.frames, &mut self.anomalies);
        self.assembler.push(reading, &mut |output| match output {
            Event::Frame(frame) => frames.push(frame),
            Event::Anomaly(anomaly) => anomalies.push(anomaly),
            other => panic!("an assembler gives no {other:?}"),
        });
    }
}

impl Decoded {
    fn by(context: &Context, play: impl FnOnce(&mut Prints<'_>, &mut Decoded)) -> Decoded {
        Decoded::of_prints(Prints::new(context, Temporality::Auto), play)
    }

    fn of_prints<'c>(
        mut prints: Prints<'c>,
        play: impl FnOnce(&mut Prints<'c>, &mut Decoded),
    ) -> Decoded {
        let assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
        let (frames, anomalies, tally) = (Vec::new(), Vec::new(), Account::default());
        let mut decoded = Decoded { frames, anomalies, tally, assembler };
        play(&mut prints, &mut decoded);
        prints.finish(&mut decoded);
        decoded
    }

    /// Start and end in seconds, events and quality of each frame of a series.
    fn of(&self, name: &str) -> Vec<(i64, i64, u64, Quality)> {
        let mine = self.frames.iter().filter(|frame| frame.series.name() == name);
        let seconds = |at: Timestamp| at.as_nanos() / SECOND;
        mine.map(|f| (seconds(f.start), seconds(f.end), f.counts.events(), f.quality)).collect()
    }

    fn says(&self, words: &str) -> bool {
        self.tally.notices.iter().any(|said| said.contains(words))
    }
}

fn counts(events: u64) -> Histogram {
    let scheme = Scheme::powers_of_two(Unit::Micros);
    let mut counts = vec![0; scheme.buckets()];
    counts[5] = events;
    Histogram::new(scheme, counts, None).unwrap()
}

fn epoch(second: i64) -> Stamp {
    Stamp::Running(Timestamp::new((2_000_000_000 + second) * SECOND), Clock::Epoch)
}

fn clock(seconds: u64) -> Stamp {
    Stamp::TimeOfDay(Nanos::new(seconds * 1_000_000_000))
}

fn print(prints: &mut Prints<'_>, decoded: &mut Decoded, name: &str, events: u64) {
    prints.histogram(&Series::named(name), counts(events), decoded);
}

/// Prints of one series, each with its second of the day and its count.
fn plays(of_a: &[(u64, u64)]) -> impl FnOnce(&mut Prints<'_>, &mut Decoded) {
    move |prints, decoded| {
        for &(second, events) in of_a {
            prints.begin(clock(second), decoded);
            print(prints, decoded, "a", events);
        }
    }
}

/// Seventy thousand series in each of two prints, the second in another order.
#[test]
fn of_too_many_series_the_first_ones_are_told_apart_and_all_events_are_counted() {
    let most = 1 << 16;
    let series: Vec<Series> =
        (0..70_000).map(|number| Series::named(format!("s{number}"))).collect();
    let context = Context { temporality: Temporality::Delta, ..Context::default() };
    let decoded = Decoded::by(&context, |prints, decoded| {
        prints.begin(clock(10), decoded);
        for one in &series {
            prints.histogram(one, counts(2), decoded);
        }
        prints.begin(clock(11), decoded);
        for one in series.iter().rev() {
            prints.histogram(one, counts(3), decoded);
        }
    });
    assert_eq!(decoded.tally.records, 2 * most);
    assert_eq!(decoded.tally.rejected_events, (70_000 - most) * 5);
    let names: BTreeSet<&str> = decoded.frames.iter().map(|frame| frame.series.name()).collect();
    assert!(!names.contains("s69999"), "it is one of those that are left out");
}

#[test]
fn counts_that_never_fall_are_totals() {
    let decoded = Decoded::by(&Context::default(), plays(&[(10, 5), (11, 7), (12, 7)]));
    assert_eq!(decoded.of("a"), [(10, 11, 2, WHOLE), (11, 12, 0, WHOLE)]);
    assert_eq!(decoded.tally.records, 3);
    assert!(decoded.says("read as totals"));
}

#[test]
fn a_count_that_falls_proves_intervals_from_the_first_print_on() {
    let decoded = Decoded::by(&Context::default(), plays(&[(10, 5), (12, 7), (14, 6)]));
    // The first interval is as long as the second.
    assert_eq!(decoded.of("a"), [(8, 10, 5, WHOLE), (10, 12, 7, WHOLE), (12, 14, 6, WHOLE)]);
}

#[test]
fn after_one_print_of_totals_only_the_second_print_proves_intervals() {
    let of = |counts: &[(u64, u64)]| {
        let context = Context::default();
        Decoded::of_prints(Prints::after_totals(&context), plays(counts)).of("a")
    };
    let reset = Quality::Gap(Gap::Reset);
    let began_anew = [(10, 11, 2, WHOLE), (11, 12, 0, reset), (12, 13, 4, WHOLE)];
    assert_eq!(of(&[(10, 5), (11, 7), (12, 3), (13, 7)]), began_anew);
    let intervals = [(9, 10, 500, WHOLE), (10, 11, 7, WHOLE), (11, 12, 9, WHOLE)];
    assert_eq!(of(&[(10, 500), (11, 7), (12, 9)]), intervals);
}

#[test]
fn after_one_print_of_totals_a_series_that_is_gone_proves_nothing() {
    let context = Context::default();
    let decoded = Decoded::of_prints(Prints::after_totals(&context), |prints, decoded| {
        for second in 10..13 {
            prints.begin(clock(second), decoded);
            print(prints, decoded, "a", second);
            if second == 10 {
                print(prints, decoded, "b", 8);
            }
        }
    });
    assert_eq!(decoded.of("a"), [(10, 11, 1, WHOLE), (11, 12, 1, WHOLE)]);
    assert_eq!(decoded.of("b"), []);
}

#[test]
fn totals_that_were_zero_at_first_count_from_there() {
    let context = Context::default();
    let decoded = Decoded::of_prints(Prints::totals(&context), |prints, decoded| {
        prints.begin(clock(5), decoded);
        prints.nothing_counted(decoded);
        plays(&[(10, 6), (12, 9)])(prints, decoded);
    });
    assert_eq!(decoded.of("a"), [(5, 10, 6, WHOLE), (10, 12, 3, WHOLE)]);
    // Without times.
    let decoded = Decoded::of_prints(Prints::totals(&context), |prints, decoded| {
        prints.nothing_counted(decoded);
        prints.nothing_counted(decoded);
        print(prints, decoded, "a", 6);
    });
    let counts: Vec<_> = decoded.of("a").iter().map(|frame| frame.2).collect();
    assert_eq!(counts, [6]);
    assert!(!decoded.says("read once"));
}

#[test]
fn one_print_of_totals_has_no_difference() {
    let context = Context { temporality: Temporality::Cumulative, ..Context::default() };
    let decoded = Decoded::by(&context, plays(&[(10, 5)]));
    assert_eq!(decoded.of("a"), []);
    assert!(decoded.says("one print of totals has no difference"));
    let decoded = Decoded::by(&context, plays(&[(10, 5), (11, 6)]));
    assert!(!decoded.says("no difference"));
}

#[test]
fn the_user_decides_before_the_counts_do() {
    let context = Context { temporality: Temporality::Delta, ..Context::default() };
    let decoded = Decoded::by(&context, plays(&[(10, 5), (11, 7)]));
    assert_eq!(decoded.of("a"), [(9, 10, 5, WHOLE), (10, 11, 7, WHOLE)]);
}

#[test]
fn a_time_with_nothing_behind_it_is_an_interval_without_events() {
    let decoded = Decoded::by(&Context::default(), |prints, decoded| {
        prints.begin(clock(9), decoded);
        plays(&[(10, 5)])(prints, decoded);
        prints.begin(clock(11), decoded);
        plays(&[(12, 4)])(prints, decoded);
    });
    assert_eq!(decoded.of("a"), [(9, 10, 5, WHOLE), (10, 11, 0, WHOLE), (11, 12, 4, WHOLE)]);
}

#[test]
fn a_moment_given_twice_is_one_moment_and_the_better_clock_counts() {
    let decoded = Decoded::by(&Context::default(), |prints, decoded| {
        for (second, events) in [(1, 5), (2, 7)] {
            prints.begin(clock(10), decoded);
            prints.begin(epoch(second), decoded);
            print(prints, decoded, "a", events);
        }
    });
    assert_eq!(decoded.of("a"), [(2_000_000_001, 2_000_000_002, 2, WHOLE)]);
    assert_eq!(decoded.tally.clock, Clock::Epoch);
}

#[test]
fn a_last_print_without_time_or_with_series_missing_disproves_nothing() {
    let decoded = Decoded::by(&Context::default(), |prints, decoded| {
        for (second, events) in [(10, 5), (11, 7)] {
            prints.begin(clock(second), decoded);
            print(prints, decoded, "a", events);
            print(prints, decoded, "b", events);
        }
        print(prints, decoded, "a", 9);
    });
    assert_eq!(decoded.of("a"), [(10, 11, 2, WHOLE), (11, 12, 2, WHOLE)]);
    assert_eq!(decoded.of("b"), [(10, 11, 2, WHOLE)]);
    assert!(decoded.says("without a time"));
}

#[test]
fn a_series_that_is_gone_from_a_print_with_a_time_proves_intervals() {
    // 49 + 420 is more than 39 + 320, but what was counted of "b" is no longer printed.
    let decoded = Decoded::by(&Context::default(), |prints, decoded| {
        prints.begin(epoch(10), decoded);
        print(prints, decoded, "a", 359);
        print(prints, decoded, "b", 176);
        prints.begin(epoch(20), decoded);
        print(prints, decoded, "a", 469);
    });
    let second = |second: i64| 2_000_000_000 + second;
    let a = [(second(0), second(10), 359, WHOLE), (second(10), second(20), 469, WHOLE)];
    assert_eq!(decoded.of("a"), a);
    // Of the last print it is not known whether it is whole.
    assert_eq!(decoded.of("b"), [(second(0), second(10), 176, WHOLE)]);
    let assumed = decoded.tally.assumptions.first().unwrap();
    assert!(assumed.contains("the last print lacks b, so each print is read as one interval"));
    assert!(!decoded.says("read as totals"));
}

#[test]
fn a_series_missing_at_the_end_of_many_growing_prints_was_cut_off() {
    let decoded = Decoded::by(&Context::default(), |prints, decoded| {
        for second in 10..14 {
            prints.begin(clock(second), decoded);
            print(prints, decoded, "a", second);
            if second < 13 {
                print(prints, decoded, "b", second);
            }
        }
    });
    assert_eq!(decoded.of("a"), [(10, 11, 1, WHOLE), (11, 12, 1, WHOLE), (12, 13, 1, WHOLE)]);
    assert_eq!(decoded.of("b"), [(10, 11, 1, WHOLE), (11, 12, 1, WHOLE)]);
    assert!(decoded.says("the last print lacks b, which all prints before it have"));
}

#[test]
fn what_the_last_print_lacks_is_not_said_to_be_nothing() {
    let decoded = Decoded::by(&Context::default(), |prints, decoded| {
        plays(&[(10, 5), (11, 4)])(prints, decoded);
        prints.begin(clock(12), decoded);
    });
    assert_eq!(decoded.of("a"), [(9, 10, 5, WHOLE), (10, 11, 4, WHOLE)]);
}

#[test]
fn a_last_interval_without_time_is_marked() {
    let decoded = Decoded::by(&Context::default(), |prints, decoded| {
        plays(&[(10, 5), (11, 4)])(prints, decoded);
        print(prints, decoded, "a", 1);
    });
    assert_eq!(decoded.of("a"), [(9, 10, 5, WHOLE), (10, 11, 4, WHOLE), (11, 12, 1, UNSURE)]);
}

#[test]
fn one_print_without_time_has_an_unknown_window() {
    let decoded =
        Decoded::by(&Context::default(), |prints, decoded| print(prints, decoded, "a", 5));
    assert_eq!(decoded.of("a"), [(0, 1, 5, UNSURE)]);
    assert_eq!(decoded.tally.clock, Clock::Assumed);
}

#[test]
fn times_printed_behind_the_counts_do_not_tear_the_axis() {
    let context = Context { temporality: Temporality::Delta, ..Context::default() };
    let decoded = Decoded::by(&context, |prints, decoded| {
        print(prints, decoded, "a", 5);
        plays(&[(50_000, 4)])(prints, decoded);
    });
    assert_eq!(decoded.of("a"), [(49_998, 49_999, 5, UNSURE), (49_999, 50_000, 4, WHOLE)]);
}

#[test]
fn midnight_is_the_next_day() {
    let prints = [(86_398, 5), (86_399, 6), (0, 8), (1, 9)];
    let decoded = Decoded::by(&Context::default(), plays(&prints));
    let ends: Vec<_> = decoded.of("a").iter().map(|frame| (frame.1, frame.2)).collect();
    assert_eq!(ends, [(86_399, 1), (86_400, 2), (86_401, 1)]);
    assert_eq!(decoded.anomalies, []);
}

#[test]
fn intervals_with_the_same_time_keep_their_order_and_are_marked() {
    let prints = [(10, 5), (11, 4), (11, 3), (13, 2)];
    let decoded = Decoded::by(&Context::default(), plays(&prints));
    assert_eq!(decoded.of("a")[2..], [(11, 12, 3, UNSURE), (12, 13, 2, WHOLE)]);
    assert!(decoded.says("same time"));
}

#[test]
fn a_new_key_of_totals_counts_from_zero_and_disturbs_no_other() {
    let decoded = Decoded::by(&Context::default(), |prints, decoded| {
        for second in 10..13 {
            prints.begin(clock(second), decoded);
            print(prints, decoded, "a", second);
            if second > 10 {
                print(prints, decoded, "b", 3);
            }
            print(prints, decoded, "c", second);
        }
    });
    assert_eq!(decoded.of("b"), [(10, 11, 3, WHOLE), (11, 12, 0, WHOLE)]);
    assert_eq!(decoded.of("c").len(), 2);
    let others: Vec<_> = decoded.anomalies.iter().filter(|m| m.series.name() != "b").collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn a_damaged_interval_is_a_gap_and_a_damaged_total_is_bridged() {
    let play = |events: [u64; 4]| {
        move |prints: &mut Prints<'_>, decoded: &mut Decoded| {
            for (second, events) in (10..).zip(events) {
                prints.begin(clock(second), decoded);
                match second {
                    12 => prints.damaged(&Series::named("a"), decoded),
                    _ => print(prints, decoded, "a", events),
                }
                print(prints, decoded, "b", events);
            }
        }
    };
    let decoded = Decoded::by(&Context::default(), play([9, 8, 7, 6]));
    let gap = Quality::Gap(Gap::SourceAway);
    assert_eq!(decoded.of("a")[1..], [(10, 11, 8, WHOLE), (11, 12, 0, gap), (12, 13, 6, WHOLE)]);
    let decoded = Decoded::by(&Context::default(), play([6, 7, 8, 9]));
    let late = Quality::Partial(Partial::LatePoll);
    assert_eq!(decoded.of("a"), [(10, 11, 1, WHOLE), (11, 13, 2, late)]);
}

#[test]
fn a_total_first_seen_behind_a_damaged_print_is_a_baseline() {
    let decoded = Decoded::by(&Context::default(), |prints, decoded| {
        for second in 10..13 {
            prints.begin(clock(second), decoded);
            match second {
                10 => prints.damaged(&Series::named("a"), decoded),
                _ => print(prints, decoded, "a", 1_000 + second),
            }
            print(prints, decoded, "b", second);
        }
    });
    assert_eq!(decoded.of("a"), [(11, 12, 1, WHOLE)]);
}

#[test]
fn counts_that_keep_falling_after_all_are_intervals_from_then_on() {
    let counts = (1..=20).chain([19, 18, 17]);
    let prints: Vec<_> = (100..).zip(counts).collect();
    let decoded = Decoded::by(&Context::default(), plays(&prints));
    let frames = decoded.of("a");
    assert_eq!(frames[18], (118, 119, 1, WHOLE));
    assert_eq!(frames[19], (119, 120, 0, Quality::Gap(Gap::Reset)));
    assert_eq!(frames[20..], [(120, 121, 18, WHOLE), (121, 122, 17, WHOLE)]);
    assert!(decoded.says("keep falling"));
}

#[test]
fn a_live_print_is_stamped_when_it_arrives() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};
    let now = Arc::new(AtomicI64::new(100));
    let arrival = {
        let now = Arc::clone(&now);
        Arc::new(move || Timestamp::new(now.load(Ordering::Relaxed) * SECOND))
    };
    let temporality = Temporality::Delta;
    let context = Context { temporality, arrival: Some(arrival), ..Context::default() };
    let decoded = Decoded::by(&context, |prints, decoded| {
        for (second, events) in [(103, 5), (104, 6)] {
            now.store(second, Ordering::Relaxed);
            print(prints, decoded, "a", events);
        }
    });
    assert_eq!(decoded.of("a"), [(100, 103, 5, WHOLE), (103, 104, 6, WHOLE)]);
    assert_eq!(decoded.tally.clock, Clock::Epoch);
}

/// As programs print everything once more when they end.
#[test]
fn totals_that_are_printed_again_without_a_time_add_neither_counts_nor_time() {
    let context = Context::default();
    let play = |last: u64| {
        Decoded::by(&context, |prints, sink| {
            for (second, total) in [(10, 3), (11, 5), (12, 9)] {
                prints.begin(Stamp::Running(Timestamp::new(second * SECOND), Clock::Epoch), sink);
                prints.histogram(&Series::named("a"), counts(total), sink);
            }
            prints.histogram(&Series::named("a"), counts(last), sink);
        })
    };
    let repeated = play(9);
    assert_eq!(repeated.of("a"), [(10, 11, 2, WHOLE), (11, 12, 4, WHOLE)]);
    assert!(repeated.says("adds nothing") && !repeated.says("one interval after"));
    let damaged = Decoded::by(&context, |prints, sink| {
        prints.begin(Stamp::Running(Timestamp::new(10 * SECOND), Clock::Epoch), sink);
        prints.histogram(&Series::named("a"), counts(3), sink);
        prints.histogram(&Series::named("a"), counts(3), sink);
        prints.damaged(&Series::named("b"), sink);
    });
    assert!(!damaged.says("adds nothing"), "what could not be read may have more");
    let more = play(12);
    assert_eq!(more.of("a").last().map(|frame| frame.2), Some(3));
    assert!(more.says("one interval after") && !more.says("adds nothing"));
}
