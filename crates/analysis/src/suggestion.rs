//! Which stretch of time is worth an explanation where none is given.

use isotherm_frame::{Frame, Histogram, Timestamp};

use crate::busiest::{effective_events, most_waited};
use crate::explain::squares_s2;
use crate::longer::longer_stretch;
use crate::resample::grid;
use crate::story::by_time_waited;
use crate::{
    Bursts, ChangeKind, Column, Digest, Findings, RankedRemark, Remark, RemarkClass, ResponseKind,
    Story, Timeline,
};

/// A stretch of time that is worth an explanation.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// Its first moment.
    pub from: Timestamp,
    /// The first moment after it.
    pub to: Timestamp,
    /// Why it was chosen.
    pub basis: SuggestionBasis,
}

/// Why a stretch of time was chosen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SuggestionBasis {
    /// Something was found in it, and is said of it wherever findings are said.
    Found,
    /// Its events took longer than all others, by more than chance accounts for.
    Longer,
    /// It owns the most time waited, by more than chance accounts for.
    MostTime,
    /// It owns the most time waited, and events that end at random moments leave as much time in some
    /// stretch.
    MayBeChance,
}

/// The stretch of time that is to be explained: that of the foremost remark about one, so that an
/// explanation is of what every surface says first; else one in which events took longer than all others;
/// else the one with the most time beyond the average. `None` if no stretch owns half as much again as its
/// length accounts for, or too little of all time.
pub fn stretch_to_explain(digest: &Digest) -> Option<Suggestion> {
    let story = Story::of_digest(digest, None)?;
    let frames = digest.frames();
    let timeline = Timeline::place(&frames, grid(&frames)?);
    let whole = Whole::of(&timeline)?;
    let suggested = |basis| move |(from, to)| Suggestion { from, to, basis };
    let found = whole.of_findings(&story.findings);
    let remarked = story.remarks.iter().find_map(|remark| whole.of_remark(remark));
    // Where both are about the same time, the one that owns more of it has the truer ends.
    let same = found.filter(|found| remarked.is_none_or(|remarked| is_same(*found, remarked)));
    same.or(remarked).map(suggested(SuggestionBasis::Found)).or_else(|| {
        let longer = longer(&frames, &timeline, &story.findings);
        longer.map(suggested(SuggestionBasis::Longer)).or_else(|| {
            let drifts = story.findings.changes.iter().any(|one| one.kind == ChangeKind::Drifts);
            whole.with_most_time(drifts)
        })
    })
}

/// Whether two stretches of time have most of both together in common.
fn is_same(one: (Timestamp, Timestamp), two: (Timestamp, Timestamp)) -> bool {
    const SAME: f64 = 0.6;
    let common = one.1.min(two.1).since(one.0.max(two.0)).as_secs_f64();
    common > 0.0 && common >= SAME * one.1.max(two.1).since(one.0.min(two.0)).as_secs_f64()
}

/// Where events took longer than all others: all of them, or those of one series. What load, a rhythm or a
/// drift explains is no such stretch.
fn longer(
    frames: &[Frame],
    timeline: &Timeline,
    findings: &Findings,
) -> Option<(Timestamp, Timestamp)> {
    /// So many series, those with the most time waited, are looked at on their own.
    const SERIES: usize = 10;
    let load = findings.response.is_some_and(|one| matches!(one.kind, ResponseKind::Follows(_)));
    let drifts = findings.changes.iter().any(|change| change.kind == ChangeKind::Drifts);
    if load || drifts || findings.period.is_some() {
        return None;
    }
    let of_all = longer_stretch(timeline);
    let series = by_time_waited(frames);
    let single = series.into_iter().filter(|series| !series.is_other()).take(SERIES);
    let of_series = single.filter_map(|series| {
        let own: Vec<Frame> =
            frames.iter().filter(|frame| frame.series == *series).cloned().collect();
        longer_stretch(&Timeline::place(&own, grid(&own)?))
    });
    let foremost = of_all.into_iter().chain(of_series);
    foremost.max_by(|one, two| one.score.total_cmp(&two.score)).map(|one| (one.from, one.to))
}

/// Everything that was measured, and where it begins and ends.
struct Whole<'a> {
    timeline: &'a Timeline,
    begin: Timestamp,
    end: Timestamp,
}

/// How many times the time waited that its length accounts for a stretch must own.
const MORE: f64 = 1.5;
/// The same of the stretch with the most time beyond the average where latency rises or falls bit by bit.
const OF_DRIFT: f64 = 1.2;
/// The least share of all time waited of such a stretch where nothing was found.
const LEAST_SHARE: f64 = 0.3;

impl Whole<'_> {
    fn of(timeline: &Timeline) -> Option<Whole<'_>> {
        let (first, last) = (timeline.columns.first()?, timeline.columns.last()?);
        Some(Whole { timeline, begin: first.start, end: last.end })
    }

    /// The time waited in a stretch, in seconds.
    fn waited_s(&self, (from, to): (Timestamp, Timestamp)) -> f64 {
        let inside = self.timeline.columns.iter().filter(|one| from <= one.start && one.end <= to);
        inside.map(|column| column.waited.seconds).sum()
    }

    /// The part of the window that a stretch is, and its share of all time waited.
    fn parts(&self, stretch: (Timestamp, Timestamp)) -> (f64, f64) {
        let length_s = stretch.1.since(stretch.0).as_secs_f64();
        let length = length_s / self.end.since(self.begin).as_secs_f64();
        (length, self.waited_s(stretch) / self.timeline.waited().seconds)
    }

    /// The stretch in which more was waited that a remark is about; of several alike the one with the most
    /// time. There are events in it, and outside of it.
    fn of_remark(&self, remark: &RankedRemark) -> Option<(Timestamp, Timestamp)> {
        if !matches!(remark.class, RemarkClass::Episode | RemarkClass::Level) {
            return None;
        }
        let stretch = match &remark.remark {
            Remark::Incident(one) => {
                (one.inside.waiting > one.outside.waiting).then_some((one.start, one.end))
            }
            Remark::Changed(change) => (change.after.waiting > change.before.waiting)
                .then_some((change.start, change.end.unwrap_or(self.end))),
            Remark::Bursts(Bursts { stretches, .. }) => stretches
                .iter()
                .copied()
                .max_by(|one, two| self.waited_s(*one).total_cmp(&self.waited_s(*two))),
            Remark::Sampled(time) => time.busiest.map(|busiest| (busiest.start, busiest.end)),
            _ => None,
        };
        stretch.filter(|stretch| self.divides_events(*stretch))
    }

    /// Whether there is something in a stretch and something outside of it.
    fn divides_events(&self, (from, to): (Timestamp, Timestamp)) -> bool {
        let columns = self.timeline.columns.iter();
        let something = columns.filter(|one| one.events > 0 || one.waited.seconds > 0.0);
        let inside = |one: &Column| one.start < to && from < one.end;
        let (within, without): (Vec<_>, Vec<_>) = something.partition(|one| inside(one));
        from < to && !within.is_empty() && !without.is_empty()
    }

    /// The stretch that owns the most time beyond what its length accounts for: a burst, what lies on one
    /// side of a change, or an incident.
    fn of_findings(&self, findings: &Findings) -> Option<(Timestamp, Timestamp)> {
        let bursts = findings.bursts.iter().map(|burst| (burst.start, burst.end));
        let changes = findings.changes.iter().map(|change| {
            if change.after.waiting > change.before.waiting {
                (change.start, change.end.unwrap_or(self.end))
            } else {
                (self.begin, change.start)
            }
        });
        let incident = findings.busiest.map(|incident| (incident.start, incident.end));
        let excess = |&stretch: &(Timestamp, Timestamp)| {
            let (length, share) = self.parts(stretch);
            (share >= MORE * length).then_some(share - length)
        };
        let stretches = bursts.chain(changes).chain(incident).filter(|(from, to)| from < to);
        let ranked = stretches.filter_map(|stretch| Some((stretch, excess(&stretch)?)));
        ranked.max_by(|one, two| one.1.total_cmp(&two.1)).map(|(stretch, _)| stretch)
    }

    /// The stretch with the most time beyond the average, if that is much.
    fn with_most_time(&self, drifts: bool) -> Option<Suggestion> {
        let (from, to) = most_waited(self.timeline)?;
        let (length, share) = self.parts((from, to));
        let least = if drifts { OF_DRIFT * length } else { (MORE * length).max(LEAST_SHARE) };
        let may_be_chance = may_be_chance(self.timeline, (from, to), length, share);
        let basis =
            if may_be_chance { SuggestionBasis::MayBeChance } else { SuggestionBasis::MostTime };
        (share >= least).then_some(Suggestion { from, to, basis })
    }
}

/// Whether a stretch of so much of the time can own such a share of all time waited although nothing
/// happened in it: the times of events that end at random add up to a compound Poisson sum. The stretch is
/// the one of all with the most, so that it must lie further out than one that was given; and where a few
/// events own its time, they are all that there is to say.
fn may_be_chance(
    timeline: &Timeline,
    (from, to): (Timestamp, Timestamp),
    length: f64,
    share: f64,
) -> bool {
    const LEAST_Z: f64 = 4.0;
    const LEAST_EVENTS: f64 = 5.0;
    if timeline.total.is_averages() || timeline.total.is_empty() {
        return false;
    }
    let squares_s2 = squares_s2(&timeline.total);
    let error = (length * (1.0 - length) * squares_s2).sqrt() / timeline.waited().seconds;
    let inside = timeline.columns.iter().filter(|one| from <= one.start && one.end <= to);
    let ended = Histogram::merged(inside.filter_map(|column| column.latencies.as_ref()));
    let few =
        ended.is_some_and(|ended| ended.events() > 0 && effective_events(&ended) < LEAST_EVENTS);
    few || share - length < LEAST_Z * error
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Nanos, Quality, Scheme, Series};

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::new(second * 1_000_000_000)
    }

    /// Two hundred seconds of 40 events of so many microseconds each.
    fn digest(us: impl Fn(i64) -> u64) -> Digest {
        let mut digest = Digest::new(Story::MOST_CELLS);
        for second in 0..200 {
            let mut counts = Histogram::empty(Scheme::log_linear());
            (0..40).for_each(|_| counts.record(Nanos::from_micros(us(second))));
            let (start, end, quality) = (at(second), at(second + 1), Quality::Complete);
            digest.push(&Frame { series: Series::named("read"), start, end, counts, quality });
        }
        digest
    }

    #[test]
    fn the_stretch_that_owns_the_most_time_is_explained_and_none_of_a_calm_run() {
        let slow = |second: i64| if (100..110).contains(&second) { 30_000 } else { 500 };
        let found = stretch_to_explain(&digest(slow)).unwrap();
        assert_eq!(found.basis, SuggestionBasis::Found);
        assert!(found.from >= at(98) && found.from <= at(100), "{found:?}");
        assert!(found.to >= at(110) && found.to <= at(112), "{found:?}");
        assert_eq!(stretch_to_explain(&digest(|_| 500)), None);
    }
}
