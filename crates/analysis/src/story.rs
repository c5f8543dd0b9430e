//! What is worth saying of several series together: of all of them, and of the one it happened to.

use std::collections::BTreeMap;

use isotherm_frame::{Detail, Frame, Series, TimeWaited};

use crate::{
    Beginning, Circumstances, DeviceClass, Digest, Findings, RankedRemark, Remark, ShortNames,
    UnseenStart, owner, side_by_side,
};

/// What was found in some frames taken together, and what is worth saying of it: the same on every
/// surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// What was found in all of them together.
    pub findings: Findings,
    /// What is worth saying, most important first: one remark at least, five at most.
    pub remarks: Vec<RankedRemark>,
}

/// So many series, those with the most time waited, are looked at on their own.
const SERIES: usize = 10;
/// What happened to one series is worth a word if it explains this share of all time waited.
const LEAST_SHARE: f64 = 0.01;
/// What happened to all is reported of one series if that explains this part of it.
const MOST: f64 = 0.8;

impl Story {
    /// How many counts are kept of what stories are made of: 8 MB.
    pub const MOST_CELLS: usize = 1 << 20;

    /// The story of everything a digest took; `None` if that is nothing.
    pub fn of_digest(digest: &Digest, device: Option<DeviceClass>) -> Option<Story> {
        Story::of_part(&digest.frames(), digest.unseen_start(), device)
    }

    /// The story of these frames; `None` without any.
    pub fn of(frames: &[Frame], device: Option<DeviceClass>) -> Option<Story> {
        let beginning = Beginning::of(frames);
        Story::of_part(frames, beginning.unseen(), device)
    }

    /// The same of a part of what was measured, at the beginning of which no ends were counted.
    fn of_part(
        frames: &[Frame],
        unseen: Option<UnseenStart>,
        device: Option<DeviceClass>,
    ) -> Option<Story> {
        let order = by_time_waited(frames);
        let circumstances = Circumstances::of(order.iter().copied(), device);
        if order.len() < 2 {
            let findings = Findings::of_part(frames, unseen, &circumstances)?;
            return Some(Story { remarks: findings.remarks(), findings });
        }
        let names = ShortNames::of(order.iter().copied());
        // Nothing happened to what are several together: they begin where there were too many.
        let single = order.into_iter().filter(|series| !series.is_other());
        let parts: Vec<Option<&Series>> =
            std::iter::once(None).chain(single.take(SERIES).map(Some)).collect();
        // To look through one series takes as long as through all together, which is most of the time
        // that a table of numbers takes once its file is read.
        let mut found = side_by_side(&parts, |part| match part {
            None => FoundIn::All(of_all(frames, unseen, &circumstances)),
            Some(series) => FoundIn::Series(series, findings_of(frames, unseen, series)),
        })
        .into_iter();
        let Some(FoundIn::All(Some((findings, mut ranked)))) = found.next() else { return None };
        for part in found {
            let FoundIn::Series(series, Some(own)) = part else { continue };
            let mut happened = of_series(&own, (series, &findings));
            for remark in &mut happened {
                remark.series_name = Some(names.full_name(series));
            }
            take_in(&mut ranked, &findings, happened);
        }
        Some(Story { remarks: findings.foremost(ranked), findings })
    }
}

/// What was looked for, and found.
enum FoundIn<'s> {
    All(Option<(Findings, Vec<RankedRemark>)>),
    Series(&'s Series, Option<Findings>),
}

/// What is found in all frames together. Time without events, as samples see it, has no bucket in
/// common with latencies: where there are both, what is found is of the events, and its shares are of
/// all time.
fn of_all(
    frames: &[Frame],
    unseen: Option<UnseenStart>,
    circumstances: &Circumstances,
) -> Option<(Findings, Vec<RankedRemark>)> {
    let is_sample =
        |frame: &&Frame| frame.series.detail() == Detail::Averages && frame.counts.is_empty();
    let (samples, counted): (Vec<&Frame>, Vec<&Frame>) = frames.iter().partition(is_sample);
    let is_blank = |frames: &[&Frame]| frames.iter().all(|frame| frame.counts.is_blank());
    if is_blank(&samples) {
        let findings = Findings::of_part(frames, unseen, circumstances)?;
        let ranked = findings.ranked();
        return Some((findings, ranked));
    }
    let events = if is_blank(&counted) { samples } else { counted };
    let events: Vec<Frame> = events.into_iter().cloned().collect();
    let of_events = Findings::of_part(&events, unseen, circumstances)?;
    let own = Findings { owner: None, ..of_events.clone() }.ranked();
    let waited = frames.iter().fold(TimeWaited { seconds: 0.0, exact: true }, |sum, frame| {
        let waited = frame.counts.time_waited();
        TimeWaited { seconds: sum.seconds + waited.seconds, exact: sum.exact && waited.exact }
    });
    let part = of_events.waited.seconds / waited.seconds.max(f64::MIN_POSITIVE);
    let mut ranked: Vec<RankedRemark> = own
        .into_iter()
        .map(|one| RankedRemark { time_share: one.time_share.map(|share| share * part), ..one })
        .collect();
    let findings = Findings { waited, owner: owner(frames), ..of_events };
    ranked.extend(findings.of_owner());
    Some((findings, ranked))
}

/// The series, most time waited first.
pub(crate) fn by_time_waited(frames: &[Frame]) -> Vec<&Series> {
    let mut waited: BTreeMap<&Series, f64> = BTreeMap::new();
    for frame in frames {
        *waited.entry(&frame.series).or_default() += frame.counts.time_waited().seconds;
    }
    let mut order: Vec<(&Series, f64)> = waited.into_iter().collect();
    order.sort_by(|one, two| two.1.total_cmp(&one.1));
    order.into_iter().map(|(series, _)| series).collect()
}

/// What is found in one series.
fn findings_of(frames: &[Frame], unseen: Option<UnseenStart>, series: &Series) -> Option<Findings> {
    let own: Vec<Frame> = frames.iter().filter(|frame| frame.series == *series).cloned().collect();
    Findings::of_part(&own, unseen, &Circumstances::of([series], None))
}

/// What happened to one series, with shares of all time waited in the window, and averages of all of
/// its time: samples know of a series only since somebody waited.
fn of_series(findings: &Findings, (series, whole): (&Series, &Findings)) -> Vec<RankedRemark> {
    let (all_s, covered_s) = (whole.waited.seconds, whole.covered_s);
    let part = findings.waited.seconds / all_s;
    let of_all = |remark: RankedRemark| RankedRemark {
        time_share: remark.time_share.map(|share| share * part),
        series: Some(series.clone()),
        ..remark
    };
    let mut happened: Vec<RankedRemark> = findings.happened().into_iter().map(of_all).collect();
    for one in &mut happened {
        if let Remark::Sampled(time) = &mut one.remark {
            time.average = findings.waited.seconds / covered_s.max(f64::MIN_POSITIVE);
        }
    }
    happened.retain(|remark| remark.seconds >= LEAST_SHARE * all_s);
    happened
}

/// Adds what happened to one series. What is reported of all already is reported of the series instead, if
/// that explains most of it; what is reported of another series, if that explains less.
fn take_in(ranked: &mut Vec<RankedRemark>, whole: &Findings, happened: Vec<RankedRemark>) {
    for remark in happened {
        let same = |one: &RankedRemark| one.is_about_when(&remark, whole.known_until);
        let Some(index) = ranked.iter().position(same) else {
            ranked.push(remark);
            continue;
        };
        let known = &ranked[index];
        let explains_more = match &known.series {
            None => remark.seconds >= MOST * known.seconds,
            Some(other) => remark.series.as_ref() != Some(other) && remark.seconds > known.seconds,
        };
        if explains_more {
            ranked[index] = remark;
        }
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Histogram, Nanos, Quality, Scheme};

    use super::*;
    use crate::RemarkClass;
    use crate::simulated::{Chance, at};

    /// A second of one of ten series: 40 waits of about 1 ms, and 20 of 12 ms if it is `slow`.
    fn second(chance: &mut Chance, second: usize, name: &str, slow: bool) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        let mut record = |middle_us: f64| {
            let us = middle_us * (0.3 * chance.normal()).exp2();
            counts.record(Nanos::from_secs_f64(us / 1e6).unwrap());
        };
        (0..40).for_each(|_| record(1_000.0));
        (0..if slow { 20 } else { 0 }).for_each(|_| record(12_000.0));
        Frame {
            series: Series::named(name),
            start: at(second),
            end: at(second + 1),
            counts,
            quality: Quality::Complete,
        }
    }

    fn ten(slow: impl Fn(usize, usize) -> bool) -> Vec<Frame> {
        let mut chance = Chance::new(11);
        let pairs = (0..300).flat_map(|at| (0..10).map(move |number| (at, number)));
        pairs
            .map(|(at, number)| second(&mut chance, at, &format!("e{number}"), slow(at, number)))
            .collect()
    }

    #[test]
    fn a_new_band_in_one_of_ten_series_is_reported_of_that_series_first() {
        let frames = ten(|second, number| number == 7 && (100..140).contains(&second));
        let story = Story::of(&frames, None).unwrap();
        let first = &story.remarks[0];
        assert_eq!(first.class, RemarkClass::Episode, "{:?}", story.remarks);
        assert_eq!(first.series, Some(Series::named("e7")), "{:?}", story.remarks);
        let Remark::Changed(change) = &first.remark else { panic!("{first:?}") };
        let off = |one: isotherm_frame::Timestamp, second| {
            one.since(at(second)).max(at(second).since(one))
        };
        assert!(off(change.start, 100) <= Nanos::from_millis(2_000), "{change:?}");
        // By hand: 40 s of 20 waits of 12 ms of all: 300 s of 400 waits of 1 ms, and these.
        let (band, rest) = (40.0 * 20.0 * 0.012, 300.0 * 400.0 * 0.001);
        assert!((first.time_share.unwrap() - band / (band + rest)).abs() < 0.02, "{first:?}");
    }

    /// 300 seconds of three series: waits of `waits` milliseconds, ten a second, and in the stretch
    /// 100 to 140 s of `then`.
    fn three(series: [(&str, u64, u64); 3]) -> Vec<Frame> {
        let mut chance = Chance::new(5);
        let of = |(at_second, (name, waits, then)): (usize, (&str, u64, u64))| {
            let slow = (100..140).contains(&at_second);
            let mut counts = Histogram::empty(Scheme::log_linear());
            for _ in 0..10 {
                let ms = if slow { then } else { waits } as f64 * (0.1 * chance.normal()).exp2();
                counts.record(Nanos::from_secs_f64(ms / 1e3).unwrap());
            }
            Frame {
                series: Series::named(name),
                start: at(at_second),
                end: at(at_second + 1),
                counts,
                quality: Quality::Complete,
            }
        };
        (0..300).flat_map(|second| series.map(|one| (second, one))).map(of).collect()
    }

    #[test]
    fn of_two_series_that_rise_at_once_the_one_that_waits_more_is_named() {
        // By hand, over 40 s of 10 waits a second: first 30 ms more, second 40 ms more, and a third
        // 40 ms less, so that of all together 30 ms more are reported, as much as of the first.
        let rises = [("first", 100, 130), ("second", 10, 50), ("falls", 50, 10)];
        let frames = three(rises);
        let order: Vec<String> = by_time_waited(&frames).iter().map(ToString::to_string).collect();
        assert_eq!(order[0], "first");
        let story = Story::of(&frames, None).unwrap();
        let about = |one: &&RankedRemark| -> bool {
            one.span(None).is_some_and(|(from, to)| from < at(140) && at(100) < to)
        };
        let found: Vec<&RankedRemark> = story.remarks.iter().filter(about).collect();
        assert_eq!(found[0].series, Some(Series::named("second")), "{:#?}", story.remarks);
        // 40 s x 10 waits x 40 ms; the first explains enough to be named in its place.
        assert!((found[0].seconds - 16.0).abs() < 1.0, "{:#?}", found[0]);
        let findings = Findings::of_frames(&frames, &Circumstances::default()).unwrap();
        let all = findings.happened();
        let all_s = all.iter().filter(about).map(|one| one.seconds).fold(0.0, f64::max);
        let first = Series::named("first");
        let own = findings_of(&frames, None, &first).unwrap();
        let first = of_series(&own, (&first, &findings));
        assert!(first[0].seconds >= MOST * all_s, "{first:#?} {all:#?}");
    }

    #[test]
    fn what_happens_to_all_is_reported_of_all_and_steady_series_tell_nothing() {
        let story = Story::of(&ten(|second, _| (100..140).contains(&second)), None).unwrap();
        assert_eq!(story.remarks[0].class, RemarkClass::Episode, "{:?}", story.remarks);
        assert_eq!(story.remarks[0].series, None, "{:?}", story.remarks);
        let steady = Story::of(&ten(|_, _| false), None).unwrap();
        assert!(matches!(steady.remarks[0].remark, Remark::Plain { .. }), "{:?}", steady.remarks);
        assert_eq!(Story::of(&[], None), None);
    }
}
