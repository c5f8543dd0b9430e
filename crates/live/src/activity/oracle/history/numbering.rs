//! The numbers of samples: which are new, which had no active session, and which are missing.
//!
//! A sample without an active session has no row, so that a number without rows is an empty sample, unless
//! the oldest sample that the instance still keeps is newer.

use std::collections::BTreeMap;

use isotherm_frame::numbers::counted;
use isotherm_frame::{Nanos, Timestamp};
use jiff::civil::DateTime;

use super::rows::{Kept, Numbered, Reading, SampledSession};

/// Samples are taken this far apart.
const PERIOD: Nanos = Nanos::SECOND;
/// Samples are read only when they are this old: then all of them can be seen.
pub(super) const LAG: Nanos = Nanos::from_millis(2_000);
/// A silence of this length is one of samples without an active session, and not a late sample.
const SILENCE: Nanos = Nanos::from_millis(4_000);
/// So long the samples of other instances are held back for those of one of which nothing is known.
const PATIENCE: Nanos = Nanos::from_millis(15_000);
/// A newest sample that is older says that nothing happened since, or that a clock is wrong.
const OLD_SECONDS: i64 = 60;
/// Numbers may grow this much faster than seconds before they have jumped.
const JUMP: u64 = 10;

/// The times of a poll.
#[derive(Copy, Clone, Debug)]
pub(super) struct PollClock {
    /// When it was asked, by our clock.
    pub(super) asked: Timestamp,
    /// The same moment by the clock of the database.
    pub(super) now: DateTime,
    /// From when on samples were asked for, by our clock.
    pub(super) from: Timestamp,
}

impl PollClock {
    /// A time of the database, by our clock.
    pub(super) fn at(&self, time: DateTime) -> Timestamp {
        let age = self.now.duration_since(time).as_nanos();
        let age = i64::try_from(age).unwrap_or(i64::MAX);
        Timestamp::new(self.asked.as_nanos().saturating_sub(age))
    }

    /// The last moment of which all samples can be seen.
    pub(super) fn horizon(&self) -> Timestamp {
        self.asked.minus(LAG)
    }
}

/// What the sessions of an instance did at one moment.
#[derive(Debug)]
pub(super) struct InstanceSample {
    pub(super) instance: u32,
    pub(super) at: Timestamp,
    pub(super) sessions: Vec<SampledSession>,
}

/// What is new in a poll.
#[derive(Debug, Default)]
pub(super) struct News {
    pub(super) samples: Vec<InstanceSample>,
    /// Samples that are missing.
    pub(super) skipped: u64,
    pub(super) warnings: Vec<String>,
}

impl News {
    fn add_empty(&mut self, instance: u32, at: Timestamp) {
        self.samples.push(InstanceSample { instance, at, sessions: Vec::new() });
    }
}

/// How far the samples of each instance have been read.
#[derive(Debug, Default)]
pub(super) struct Numbering(BTreeMap<u32, Position>);

/// How far the samples of an instance have been read.
#[derive(Copy, Clone, Debug)]
struct Position {
    /// When what is known of it begins.
    begun: Timestamp,
    last: Numbered,
    last_at: Timestamp,
    /// The end of what was read, with empty samples after the last one.
    end: Timestamp,
    /// The number of those.
    inferred: u64,
}

/// What an instance has in a poll, besides the samples themselves.
#[derive(Copy, Clone)]
struct Context<'a> {
    clock: &'a PollClock,
    instance: u32,
    kept: Option<Kept>,
    /// Whether numbers began anew.
    restarted: bool,
}

impl Numbering {
    /// The number of instances that have samples.
    pub(super) fn instances(&self) -> usize {
        self.0.len()
    }

    /// Until when the samples of all instances are known, or those of an instance are waited for no longer.
    pub(super) fn known_until(&self) -> Timestamp {
        let ends = || self.0.values().map(|position| position.end);
        let newest = ends().max().unwrap_or_default();
        ends().min().unwrap_or_default().max(newest.minus(PATIENCE))
    }

    /// From when on the samples of all instances are kept.
    pub(super) fn kept_from(&self) -> Timestamp {
        self.0.values().map(|position| position.begun).max().unwrap_or_default()
    }

    /// Says which instances keep no samples from before a moment.
    pub(super) fn begun_after(&self, moment: Timestamp, now: Timestamp) -> Vec<String> {
        let begun = self.0.iter().filter(|(_, position)| position.begun > moment);
        begun
            .map(|(instance, position)| {
                let seconds = now.since(position.begun).as_nanos() / PERIOD.as_nanos();
                let length = Nanos::new(seconds.saturating_mul(PERIOD.as_nanos()));
                format!("instance {instance} keeps samples of the last {length} only")
            })
            .collect()
    }

    /// Takes what is new in a poll. Samples that are too new are left to the next one.
    pub(super) fn advance(&mut self, reading: Reading, clock: &PollClock) -> News {
        let mut news = News::default();
        let mut newest: BTreeMap<u32, Numbered> = BTreeMap::new();
        for ((instance, number), sample) in &reading.samples {
            newest.insert(*instance, Numbered { number: *number, time: sample.time });
        }
        let context = |instance: u32, position: Option<&Position>| {
            let newest = newest.get(&instance);
            let restarted = position.zip(newest).is_some_and(|(position, newest)| {
                newest.number < position.last.number && newest.time > position.last.time
            });
            Context { clock, instance, kept: reading.kept.get(&instance).copied(), restarted }
        };
        let contexts: BTreeMap<u32, Context<'_>> = reading
            .kept
            .keys()
            .chain(newest.keys())
            .chain(self.0.keys())
            .map(|instance| (*instance, context(*instance, self.0.get(instance))))
            .collect();
        for ((instance, number), sample) in reading.samples {
            let (row, at) = (Numbered { number, time: sample.time }, clock.at(sample.time));
            let Some(context) = contexts.get(&instance).filter(|_| at <= clock.horizon()) else {
                continue;
            };
            if self.take(row, at, context, &mut news) {
                news.samples.push(InstanceSample { instance, at, sessions: sample.sessions });
            }
        }
        for (instance, context) in &contexts {
            let newest = newest.get(instance).map(|newest| clock.at(newest.time));
            self.fill(context, newest, &mut news);
        }
        news
    }

    /// Moves on to a sample with rows, and adds what is missing or empty before it. False if it was read before.
    fn take(&mut self, row: Numbered, at: Timestamp, of: &Context<'_>, news: &mut News) -> bool {
        let after = Position { begun: at, last: row, last_at: at, end: at, inferred: 0 };
        match self.0.get_mut(&of.instance) {
            None => {
                let start = begin(row, at, of);
                let seconds = at.since(start).as_nanos() / PERIOD.as_nanos();
                for second in (1..=seconds).rev() {
                    let before = Nanos::new(second.saturating_mul(PERIOD.as_nanos()));
                    news.add_empty(of.instance, at.minus(before));
                }
                self.0.insert(of.instance, Position { begun: start, ..after });
            }
            Some(position) if row.number > position.last.number => {
                position.bridge(row, at, of, news);
                *position = Position { begun: position.begun, ..after };
            }
            Some(position) if of.restarted && row.time > position.last.time => {
                let (instance, missing) = (of.instance, position.room(at));
                news.skipped += missing;
                news.warnings.push(format!(
                    "instance {instance} was restarted: SAMPLE_ID fell from {} to {}, {} missing",
                    position.last.number,
                    row.number,
                    counted(missing, "sample")
                ));
                let (begun, end) = (position.begun, at.max(position.end));
                *position = Position { begun, end, ..after };
            }
            Some(_) => return false,
        }
        true
    }

    /// Adds empty samples for a silence that lasts.
    fn fill(&mut self, of: &Context<'_>, newest: Option<Timestamp>, news: &mut News) {
        if !self.0.contains_key(&of.instance) {
            self.begin_empty(of);
        }
        let Some(position) = self.0.get_mut(&of.instance) else { return };
        let is_overwritten =
            of.kept.is_some_and(|kept| kept.oldest.number > position.last.number + 1);
        let is_pending = newest.is_some_and(|newest| newest > of.clock.horizon());
        if is_overwritten || is_pending || of.restarted {
            // The next sample with rows says more.
            return;
        }
        let until = of.clock.horizon().minus(SILENCE);
        while position.end.plus(PERIOD) <= until {
            position.end = position.end.plus(PERIOD);
            position.inferred += u64::from(position.end > position.last_at);
            news.add_empty(of.instance, position.end);
        }
    }

    /// Begins with an instance that keeps samples, none of them of the time that was asked for.
    fn begin_empty(&mut self, of: &Context<'_>) {
        let Some(kept) = of.kept else { return };
        let last_at = of.clock.at(kept.newest.time);
        if last_at <= of.clock.horizon() {
            let begun = of.clock.from.max(of.clock.at(kept.oldest.time));
            let (last, end) = (kept.newest, begun);
            self.0.insert(of.instance, Position { begun, last, last_at, end, inferred: 0 });
        }
    }
}

/// What contradicts the clock of the database in the samples that it keeps.
pub(super) fn clock_warnings(reading: &Reading) -> Vec<String> {
    let mut warnings = Vec::new();
    for (instance, Kept { oldest, newest }) in &reading.kept {
        let seconds = |from: DateTime, to: DateTime| to.duration_since(from).as_secs();
        let age = seconds(newest.time, reading.now);
        if age > OLD_SECONDS {
            warnings.push(format!(
                "the newest sample of instance {instance} is {age}s old: no session has been active since, or \
                 the listener was started with another time zone (TZ) than the instance"
            ));
        }
        let (length, taken) =
            (seconds(oldest.time, newest.time), newest.number - oldest.number.min(newest.number));
        if u64::try_from(length).is_ok_and(|length| length > taken + taken / 4 + 60) {
            warnings.push(format!(
                "instance {instance} numbered {taken} samples in {length}s: its clock was set forward, or it took no \
                 samples for a time, which is shown as if no session had been active"
            ));
        }
    }
    warnings
}

/// When what is known of an instance begins, of which this is the first sample with rows.
fn begin(row: Numbered, at: Timestamp, of: &Context<'_>) -> Timestamp {
    let older = of.kept.filter(|kept| kept.oldest.number < row.number);
    older.map_or(at, |kept| of.clock.from.max(of.clock.at(kept.oldest.time)).min(at))
}

impl Position {
    /// The number of samples that fit between the end and a sample at this moment.
    fn room(&self, at: Timestamp) -> u64 {
        let half = PERIOD.as_nanos() / 2;
        ((at.since(self.end).as_nanos() + half) / PERIOD.as_nanos()).saturating_sub(1)
    }

    /// Adds what is between the last sample and this one.
    fn bridge(&self, row: Numbered, at: Timestamp, of: &Context<'_>, news: &mut News) {
        let (room, next, instance) = (self.room(at), self.last.number + 1, of.instance);
        let between = (row.number - next).saturating_sub(self.inferred);
        // The view is no picture of one moment: a row can be older than the oldest sample.
        let is_missing = |kept: &Kept| (next + 1..=row.number).contains(&kept.oldest.number);
        if let Some(kept) = of.kept.filter(is_missing) {
            let missing = (kept.oldest.number - next).min(room);
            news.skipped += missing;
            if missing > 0 {
                news.warnings.push(format!(
                    "instance {instance} overwrote {} before they could be read",
                    counted(missing, "sample")
                ));
            }
            let start = of.clock.at(kept.oldest.time).min(at);
            let empty = row.number.saturating_sub(kept.oldest.number + 1).min(room - missing);
            spread(news, instance, (start, at), empty);
        } else if between > room.saturating_mul(2).saturating_add(JUMP) {
            news.skipped += room;
            news.warnings.push(format!(
                "SAMPLE_ID of instance {instance} jumped from {} to {}, {} missing",
                self.last.number,
                row.number,
                counted(room, "sample")
            ));
        } else {
            spread(news, instance, (self.end, at), between.min(room));
        }
    }
}

/// Adds empty samples at equal distances between two moments.
fn spread(news: &mut News, instance: u32, (start, end): (Timestamp, Timestamp), number: u64) {
    let step = end.since(start).as_nanos() / (number + 1);
    for count in 1..=number {
        news.add_empty(instance, start.plus(Nanos::new(step.saturating_mul(count))));
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{ActiveSession, CurrentWait};

    use super::super::rows::Sample;
    use super::*;

    /// This many milliseconds after noon by the clock of the database.
    fn clock(millis: i64) -> DateTime {
        let noon: DateTime = "2026-03-01T12:00:00".parse().unwrap();
        noon.checked_add(jiff::SignedDuration::from_millis(millis)).unwrap()
    }

    /// The same moment by our clock.
    fn at(millis: i64) -> Timestamp {
        Timestamp::new((1_000_000 + millis) * 1_000_000)
    }

    fn numbered(number: u64, millis: i64) -> Numbered {
        Numbered { number, time: clock(millis) }
    }

    /// A poll at a moment that finds a session in each of these samples of instance 1: number and time.
    fn poll(now: i64, kept: Option<[(u64, i64); 2]>, rows: &[(u64, i64)]) -> (Reading, PollClock) {
        let session = SampledSession {
            id: "1:70".into(),
            session: ActiveSession::default(),
            wait: CurrentWait::default(),
            user: None,
        };
        let sample = |millis: i64| Sample { time: clock(millis), sessions: vec![session.clone()] };
        let kept = kept.map(|[oldest, newest]| {
            (1, Kept { oldest: numbered(oldest.0, oldest.1), newest: numbered(newest.0, newest.1) })
        });
        let reading = Reading {
            now: clock(now),
            own: "1:1".into(),
            kept: kept.into_iter().collect(),
            samples: rows.iter().map(|(number, time)| ((1, *number), sample(*time))).collect(),
        };
        let from = at(now - 30_000);
        (reading, PollClock { asked: at(now), now: clock(now), from })
    }

    /// What is new in a poll: milliseconds and number of sessions of each sample.
    fn news(
        numbering: &mut Numbering,
        (reading, clock): (Reading, PollClock),
    ) -> (Vec<(i64, usize)>, u64, String) {
        let News { samples, skipped, warnings } = numbering.advance(reading, &clock);
        let samples = samples
            .iter()
            .map(|one| (one.at.as_nanos() / 1_000_000 - 1_000_000, one.sessions.len()))
            .collect();
        (samples, skipped, warnings.join("; "))
    }

    #[test]
    fn a_sample_is_taken_once_and_not_before_all_of_it_can_be_seen() {
        let mut numbering = Numbering::default();
        let rows = [(100, 0), (101, 1_000), (102, 2_000), (103, 3_000)];
        let (first, ..) = news(&mut numbering, poll(3_500, None, &rows));
        assert_eq!(first, [(0, 1), (1_000, 1)], "the horizon is at 1.5 s");
        let (second, skipped, said) = news(&mut numbering, poll(4_500, None, &rows));
        assert_eq!((second, skipped, said.as_str()), (vec![(2_000, 1)], 0, ""));
        let (third, ..) = news(&mut numbering, poll(5_500, None, &rows));
        assert_eq!(third, [(3_000, 1)]);
    }

    #[test]
    fn numbers_without_rows_are_samples_without_an_active_session() {
        let mut numbering = Numbering::default();
        let rows = [(100, 0), (104, 4_000)];
        let (taken, skipped, _) = news(&mut numbering, poll(6_500, None, &rows));
        assert_eq!(taken, [(0, 1), (1_000, 0), (2_000, 0), (3_000, 0), (4_000, 1)]);
        assert_eq!(skipped, 0);
        // The sampler was late: no sample was taken in between.
        let (taken, skipped, _) = news(&mut numbering, poll(11_500, None, &[(105, 9_000)]));
        assert_eq!((taken, skipped), (vec![(9_000, 1)], 0));
    }

    #[test]
    fn a_long_silence_is_one_of_empty_samples_which_count_once() {
        let mut numbering = Numbering::default();
        news(&mut numbering, poll(2_500, None, &[(100, 0)]));
        let (silence, ..) = news(&mut numbering, poll(6_500, None, &[]));
        assert_eq!(silence, [], "it may be a late sample");
        let (silence, ..) = news(&mut numbering, poll(9_500, None, &[]));
        assert_eq!(silence, [(1_000, 0), (2_000, 0), (3_000, 0)]);
        let (end, ..) = news(&mut numbering, poll(10_500, None, &[(106, 6_000)]));
        assert_eq!(end, [(4_000, 0), (5_000, 0), (6_000, 1)]);
    }

    #[test]
    fn the_time_before_the_first_row_is_empty_as_far_as_samples_are_kept() {
        let kept = Some([(90, -10_500), (103, 3_000)]);
        let (taken, ..) =
            news(&mut Numbering::default(), poll(6_000, kept, &[(93, -7_500), (103, 3_000)]));
        assert_eq!(taken.len(), 14);
        assert_eq!(taken[..4], [(-10_500, 0), (-9_500, 0), (-8_500, 0), (-7_500, 1)]);
        // Older ones are kept: from the beginning of the time that was asked for.
        let kept = Some([(1, -99_000), (103, 3_000)]);
        let (taken, ..) = news(&mut Numbering::default(), poll(6_000, kept, &[(103, 3_000)]));
        assert_eq!((taken.len(), taken[0]), (28, (-24_000, 0)));
        // Nothing at all in this time: it is empty, but for its end.
        let kept = Some([(1, -99_000), (2, -98_000)]);
        let (taken, ..) = news(&mut Numbering::default(), poll(6_000, kept, &[]));
        assert_eq!((taken.len(), taken[23]), (24, (0, 0)));
        // It is not known what was before the oldest sample.
        let kept = Some([(103, 3_000), (103, 3_000)]);
        let mut numbering = Numbering::default();
        let (taken, ..) = news(&mut numbering, poll(6_000, kept, &[(103, 3_000)]));
        assert_eq!(taken, [(3_000, 1)]);
        let said = numbering.begun_after(at(-24_000), at(4_000));
        assert_eq!(said, ["instance 1 keeps samples of the last 1s only"]);
    }

    #[test]
    fn a_restart_is_reported_with_the_samples_that_are_missing() {
        let mut numbering = Numbering::default();
        news(&mut numbering, poll(2_500, None, &[(5_000, 0)]));
        let (taken, skipped, said) =
            news(&mut numbering, poll(12_500, None, &[(1, 9_000), (2, 10_000)]));
        assert_eq!((taken, skipped), (vec![(9_000, 1), (10_000, 1)], 8));
        assert_eq!(
            said,
            "instance 1 was restarted: SAMPLE_ID fell from 5000 to 1, 8 samples missing"
        );
        // Only once.
        let (taken, skipped, said) =
            news(&mut numbering, poll(13_500, None, &[(2, 10_000), (3, 11_000)]));
        assert_eq!((taken, skipped, said.as_str()), (vec![(11_000, 1)], 0, ""));
    }

    #[test]
    fn samples_that_were_overwritten_before_they_were_read_are_missing() {
        let mut numbering = Numbering::default();
        news(&mut numbering, poll(2_500, None, &[(100, 0)]));
        let kept = Some([(106, 6_000), (110, 10_000)]);
        let (taken, skipped, said) =
            news(&mut numbering, poll(12_500, kept, &[(106, 6_000), (110, 10_000)]));
        assert_eq!(taken, [(6_000, 1), (7_000, 0), (8_000, 0), (9_000, 0), (10_000, 1)]);
        assert_eq!(
            (skipped, said.as_str()),
            (5, "instance 1 overwrote 5 samples before they could be read")
        );
        // Sample 112 was overwritten between one part of the answer and the other.
        let kept = Some([(113, 13_000), (114, 14_000)]);
        let poll = poll(16_500, kept, &[(112, 12_000), (113, 13_000), (114, 14_000)]);
        let (taken, skipped, said) = news(&mut numbering, poll);
        assert_eq!(taken, [(11_000, 0), (12_000, 1), (13_000, 1), (14_000, 1)]);
        assert_eq!((skipped, said.as_str()), (0, ""));
    }

    #[test]
    fn numbers_that_jump_are_no_empty_samples() {
        let mut numbering = Numbering::default();
        news(&mut numbering, poll(2_500, None, &[(100, 0)]));
        let (taken, skipped, said) = news(&mut numbering, poll(8_500, None, &[(9_100, 6_000)]));
        assert_eq!((taken, skipped), (vec![(6_000, 1)], 5));
        assert!(said.contains("jumped from 100 to 9100, 5 samples missing"), "{said}");
    }
}
