//! When latencies change: a band appears, vanishes or moves, or there are more or fewer of them.

use std::ops::Range;

use crate::blocks::Blocks;
use crate::change::{Change, ChangeKind, Level};
use crate::drift::{Drift, lines};
use crate::segment::Segment;
use crate::segments::{LEAST_APART as LEAST_LAST, LEAST_BLOCKS, Track, steps};
use crate::{Period, Timeline};

/// A change is over in a stretch in which less than this part of the difference is left, if that is
/// no more than so many stretches later.
const LEFT: f64 = 0.25;
/// In a stretch of so few blocks one of them may be all of the difference.
const SHORT: usize = 6;
/// Medians so many times each other tell two stretches apart.
const LEAST_APART: f64 = 2.0;
const MOST_EPISODE: usize = 8;

/// The changes, in the order of time; none on steady data. What comes again and again is no
/// change: where there is a period, whole cycles are compared. What goes one way bit by bit is a
/// drift, see `drift::lines`; apart from drifts, steps are looked for, see `segments::steps`. A
/// step of which nobody would speak (see `Segment::differs`) is left out.
pub fn changes(timeline: &Timeline, period: Option<&Period>) -> Vec<Change> {
    let Some(blocks) = Blocks::of(timeline, period) else { return Vec::new() };
    let tracks = blocks.tracks();
    let of_track = |track: usize, is_seen: &dyn Fn(&Drift, &Change) -> bool| {
        let mut found = tracks.get(track).map(lines).unwrap_or_default();
        let drifted = |drift: &Drift| blocks.drifted(drift, ChangeKind::Drifts);
        found.drifts.retain(|drift| is_seen(drift, &drifted(drift)));
        found
    };
    let of_rate = of_track(0, &|drift, change| is_seen(drift, change, |level| level.rate));
    let of_latency = of_track(1, &is_seen_in_latencies);
    let late = [of_rate.late_steps, of_latency.late_steps].concat();
    let (of_rate, of_latency) = (of_rate.drifts, of_latency.drifts);
    let mut found: Vec<Change> = Vec::new();
    for part in between(&of_latency, blocks.count()) {
        let drifting = of_rate.iter().any(|drift| drift.from < part.end && part.start < drift.to);
        let steps = stepped(&blocks, &tracks[usize::from(drifting)..], part, &late);
        found.extend(steps.into_iter().filter(|c| !drifting || c.kind != ChangeKind::Rate));
    }
    found.extend(of_latency.iter().map(|drift| blocks.drifted(drift, ChangeKind::Drifts)));
    found.extend(of_rate.iter().map(|drift| blocks.drifted(drift, ChangeKind::RateDrifts)));
    found.sort_by_key(|change| change.start);
    found
}

/// The numbers at the ends of a drift go this part of its way, in logarithms.
const SEEN: f64 = 0.5;

/// Whether the numbers at the two ends of a drift show it: those of a line through a few wild values do not.
fn is_seen(drift: &Drift, change: &Change, level: fn(&Level) -> f64) -> bool {
    let way = drift.levels.1 - drift.levels.0;
    let number = |of: &Level| level(of).max(f64::MIN_POSITIVE).ln();
    (number(&change.after) - number(&change.before)) / way >= SEEN
}

/// The same of latencies. A share of slow events that varies by chance can rise for a few blocks: there the
/// median rises, too.
fn is_seen_in_latencies(drift: &Drift, change: &Change) -> bool {
    let median = |level: &Level| level.median.map_or(0.0, |m| m.mid_point().as_nanos() as f64);
    let is_long = drift.to - drift.from >= LEAST_BLOCKS;
    is_seen(drift, change, |level| level.mean_ns) && (is_long || is_seen(drift, change, median))
}

/// What lies before, between and after drifts, of so many blocks.
fn between(drifts: &[Drift], blocks: usize) -> Vec<Range<usize>> {
    let mut from = 0;
    let mut parts = Vec::new();
    for drift in drifts {
        parts.push(from..drift.from);
        from = drift.to;
    }
    parts.push(from..blocks);
    parts.retain(|part| part.len() >= LEAST_BLOCKS);
    parts
}

/// The steps of these tracks in some blocks, and the late ones.
fn stepped(blocks: &Blocks, tracks: &[Track], part: Range<usize>, late: &[usize]) -> Vec<Change> {
    let of = |track: &Track| Track {
        values: track.values.get(part.clone()).unwrap_or_default().to_vec(),
        least_variance: track.least_variance,
        among: track.among,
    };
    let tracks: Vec<Track> = tracks.iter().map(of).collect();
    let mut steps: Vec<usize> = steps(&tracks).into_iter().map(|step| part.start + step).collect();
    steps.extend(late.iter().filter(|step| part.contains(step)));
    steps.sort_unstable();
    steps.dedup();
    let changes_at =
        |steps: &[usize]| as_changes(&apart(blocks.stretches(part.clone(), steps), blocks), blocks);
    let mut found = changes_at(&steps);
    let is_last = |change: &&Change| change.end.is_none() && part.end == blocks.count();
    if let Some((at, later)) = found.last().filter(is_last).and_then(|last| later_at(last, blocks))
    {
        let mut moved: Vec<usize> = steps.iter().copied().filter(|step| *step != at).collect();
        moved.push(later);
        let sharper = changes_at(&moved);
        let is_one = sharper.last().is_some_and(|last| is_last(&last) && is_more(last));
        if is_one && sharper.len() == found.len() {
            (found, steps) = (sharper, moved);
        }
    }
    let earlier: Vec<(usize, usize)> =
        found.iter().filter_map(|change| earlier_at(change, blocks)).collect();
    if !earlier.is_empty() {
        let moved = |step: &usize| {
            earlier.iter().find(|(at, _)| at == step).map_or(*step, |(_, earlier)| *earlier)
        };
        let moved: Vec<usize> = steps.iter().map(moved).collect();
        let sharper = changes_at(&moved);
        if sharper.len() == found.len() {
            (found, steps) = (sharper, moved);
        }
    }
    let lasts = found.last().filter(|last| last.end.is_none() && part.end == blocks.count());
    let Some(back) = lasts.and_then(|last| back_at(last, blocks)) else { return found };
    steps.push(back);
    steps.sort_unstable();
    steps.dedup();
    changes_at(&steps)
}

/// Stretches with those taken together between which there is no difference of which anyone would speak.
/// What is in the block in which the next step lies is no difference: it may hold events of both sides.
fn apart(stretches: Vec<Segment>, blocks: &Blocks<'_>) -> Vec<Segment> {
    let mut stretches = one_step_each(stretches);
    let alike = |stretches: &[Segment], index: usize| {
        let (first, second) = (&stretches[index], &stretches[index + 1]);
        let is_short = (2..=SHORT).contains(&second.blocks.len()) && index + 2 < stretches.len();
        let inner = || blocks.segment(second.blocks.start..second.blocks.end - 1);
        let same = |second: &Segment| first.differs(second).is_none();
        same(second) || (is_short && inner().is_some_and(|inner| same(&inner)))
    };
    while let Some(alike) =
        (0..stretches.len().saturating_sub(1)).find(|&index| alike(&stretches, index))
    {
        let second = stretches.remove(alike + 1);
        stretches[alike].add(&second);
    }
    stretches
}

/// Stretches without those of one block that hold events of both sides, as the block does in which a step
/// lies: there is one step, not two.
fn one_step_each(mut stretches: Vec<Segment>) -> Vec<Segment> {
    let is_mixed = |before: &Segment, one: &Segment, after: &Segment| {
        let is_one = one.blocks.len() == 1;
        let kind = is_one.then(|| before.differs(after)).flatten();
        kind.is_some_and(|kind| MIXED.contains(&left(&kind, before, after, one)))
    };
    let mut at = 1;
    while at + 1 < stretches.len() {
        if is_mixed(&stretches[at - 1], &stretches[at], &stretches[at + 1]) {
            let after = stretches.remove(at + 1);
            stretches[at].add(&after);
        }
        at += 1;
    }
    stretches
}

/// The ends of a drift are this share of it.
const ENDS: usize = 10;

impl Blocks<'_> {
    fn drifted(&self, drift: &Drift, kind: ChangeKind) -> Change {
        let end = ((drift.to - drift.from) / ENDS).max(1);
        let columns = |blocks: Range<usize>| self.columns(blocks);
        let (first, last) = (drift.from..drift.from + end, drift.to - end..drift.to);
        let whole = columns(drift.from..drift.to);
        let lasts = drift.to >= self.count();
        Change {
            start: whole.first().map(|column| column.start).unwrap_or_default(),
            exact_to: self.length(),
            end: whole.last().filter(|_| !lasts).map(|column| column.end),
            kind,
            before: Level::of(columns(first)),
            after: Level::of(columns(last)),
        }
    }
}

/// The stretches as changes: each compared with what was before it, until that is over.
fn as_changes(stretches: &[Segment], blocks: &Blocks<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut index = 1;
    while let Some(first) = stretches.get(index) {
        let before = &stretches[index - 1];
        let kind = before.differs(first);
        let over = |later: &usize| {
            let later = &stretches[*later];
            let like_before = before.differs(later).is_none();
            like_before || kind.as_ref().is_some_and(|kind| left(kind, before, first, later) < LEFT)
        };
        let back = (index + 1..stretches.len().min(index + 1 + MOST_EPISODE)).find(over);
        let mut inside = first.clone();
        stretches[index + 1..back.unwrap_or(index + 1)].iter().for_each(|more| inside.add(more));
        if let Some(kind) = before.differs(&inside) {
            let end = back.map(|back| stretches[back].start);
            let (start, exact_to, waiting) =
                (inside.start, blocks.length(), inside.level().waiting);
            let Sides { kind, before, mut after } = blocks.without_mixed(kind, before, &inside);
            // What was waited in it is all of it.
            after.waiting = waiting;
            // What lasts goes on beyond the next change: all that is waited from its start on is in it.
            if back.is_none() {
                stretches[index + 1..].iter().for_each(|more| inside.add(more));
                after.waiting = inside.level().waiting;
            }
            changes.push(Change { start, exact_to, end, kind, before, after });
        }
        index = back.unwrap_or(index) + 1;
    }
    changes
}

/// A kind of change with what was before and what is in it.
struct Sides {
    kind: ChangeKind,
    before: Level,
    after: Level,
}

/// A block that has so much of the difference in it holds events of both sides.
const MIXED: Range<f64> = 0.05..0.95;
/// Of fewer blocks none is left out.
const LEAST_PURE: usize = 3;

impl Blocks<'_> {
    /// A change without the block in which it happened, if that holds events of both sides: it belongs to
    /// neither. A factor and the means are of the same events; the share of the time waited stays that of all.
    fn without_mixed(&self, kind: ChangeKind, before: &Segment, inside: &Segment) -> Sides {
        let all = Sides { kind, before: before.level(), after: inside.level() };
        let amount = |stretch: &Segment| match &all.kind {
            ChangeKind::Appears(band) | ChangeKind::Grows(band) => stretch.share_in(band.edges),
            ChangeKind::Rate => stretch.level().rate,
            _ => stretch.level().mean_ns,
        };
        if !all.kind.has_two_sides() {
            return all;
        }
        let (from, to) = (amount(before), amount(inside));
        let part = |block: usize| {
            let one = self.segment(block..block + 1);
            one.map_or(f64::NAN, |one| (amount(&one) - from) / (to - from))
        };
        let (mut old, mut new) = (before.blocks.clone(), inside.blocks.clone());
        if old.len() > LEAST_PURE && part(old.end - 1) > MIXED.start {
            old.end -= 1;
        }
        if new.len() > LEAST_PURE && part(new.start) < MIXED.end {
            new.start += 1;
        }
        let pure = self.segment(old).zip(self.segment(new)).and_then(|(old, new)| {
            let mut kind = old.differs(&new)?;
            let alike = std::mem::discriminant(&kind) == std::mem::discriminant(&all.kind);
            if let (Some(band), Some(of_all)) = (kind.band_mut(), all.kind.clone().band_mut()) {
                band.time_share = of_all.time_share;
            }
            alike.then(|| Sides { kind, before: old.level(), after: new.level() })
        });
        pure.unwrap_or(all)
    }
}

/// Whether something is there that was not, or all latencies are others: in a block or two anything else
/// may be chance.
fn is_more(change: &Change) -> bool {
    matches!(change.kind, ChangeKind::Appears(_) | ChangeKind::Moves | ChangeKind::Scales(_))
}

/// Where a change in the last blocks really begins, with where it was placed: a step is looked for no
/// nearer to the end than some blocks, and what begins later would have a part of the time before it.
fn later_at(change: &Change, blocks: &Blocks<'_>) -> Option<(usize, usize)> {
    if !is_more(change) {
        return None;
    }
    let (before, _) = blocks.around(change)?;
    let (at, end) = (before.blocks.end, blocks.count());
    // A step in so many tracks is placed some blocks too early by chance.
    if end - at > 2 * LEAST_LAST {
        return None;
    }
    let is_before = |block: &usize| {
        let rest = blocks.segment(block + 1..end);
        let parts = blocks.segment(*block..block + 1).zip(rest);
        parts.is_some_and(|(one, rest)| left(&change.kind, &before, &rest, &one) < LEFT)
    };
    let later = (at..end - 1).take_while(is_before).count();
    (later > 0).then_some((at, at + later))
}

/// A band begins at most so many blocks before the one where its step shows most.
const EARLIER: usize = 2;
/// So many events of a band may have been there before, where none was seen.
const UNSEEN: f64 = 0.5;

/// Where a band that appears really begins, with where it was placed. Its first blocks may hold few of its
/// events, by chance or because it begins within one; where hardly any were before, so few are still far
/// more likely in it than before it.
fn earlier_at(change: &Change, blocks: &Blocks<'_>) -> Option<(usize, usize)> {
    let ChangeKind::Appears(band) = &change.kind else { return None };
    let (before, inside) = blocks.around(change)?;
    let (first, at) = (before.blocks.start, before.blocks.end);
    let of_band = |stretch: &Segment| {
        let events = stretch.events() as f64;
        (events, stretch.share_in(band.edges) * events)
    };
    let share = inside.share_in(band.edges);
    // How much likelier it is, as a logarithm, that the band is there from this block on.
    let likelier = |block: usize| {
        let (all, known) = of_band(&blocks.segment(first..block)?);
        let (events, slow) = of_band(&blocks.segment(block..at)?);
        let was = known.max(UNSEEN) / all.max(1.0);
        let others = (1.0 - share).max(f64::MIN_POSITIVE) / (1.0 - was).max(f64::MIN_POSITIVE);
        Some(slow * (share / was).ln() + (events - slow) * others.ln())
    };
    let nearest = at.saturating_sub(EARLIER).max(first + 1);
    let places = (nearest..at).filter_map(|block| Some((block, likelier(block)?)));
    let (earlier, gain) = places.max_by(|one, two| one.1.total_cmp(&two.1))?;
    (gain > 0.0).then_some((at, earlier))
}

/// The last so many intervals, at least, are as before where a change is over; at most so many are looked
/// at, after which a step back is seen.
const LAST: (usize, usize) = (3, 16);
/// A band is gone if so many of its events are missing.
const MISSING: f64 = 7.0;

/// Where what changed is as it was before again, if it is so to the end: the first of the last intervals
/// in which hardly anything of it is left. What has changed "from then on" is there in the last ones.
fn back_at(change: &Change, blocks: &Blocks<'_>) -> Option<usize> {
    let (before, inside) = blocks.around(change)?;
    let is_back = |last: usize| {
        let from = blocks.count().checked_sub(last)?;
        let later =
            blocks.segment(from..blocks.count()).filter(|later| later.start > change.start)?;
        let first = blocks.segment(from..from + 1)?;
        let over = |segment: &Segment| left(&change.kind, &before, &inside, segment) < LEFT;
        let missing = match &change.kind {
            ChangeKind::Appears(band) | ChangeKind::Grows(band) => {
                (band.share - band.other_share) * later.events() as f64
            }
            _ => f64::INFINITY,
        };
        (over(&later) && over(&first) && missing >= MISSING).then_some(from)
    };
    (LAST.0..=LAST.1).filter_map(is_back).next_back()
}

/// How much of what became different from `before` to `first` is there `later`: 1 is all of it. Of
/// a band, by its share or by its rate, whichever has less left; of latencies, by their mean or by their
/// median.
fn left(kind: &ChangeKind, before: &Segment, first: &Segment, later: &Segment) -> f64 {
    let of = |amount: &dyn Fn(&Segment) -> f64| {
        let left = (amount(later) - amount(before)) / (amount(first) - amount(before));
        if left.is_finite() { left } else { 1.0 }
    };
    match kind {
        ChangeKind::Appears(band) | ChangeKind::Vanishes(band) | ChangeKind::Grows(band) => {
            let share = |stretch: &Segment| stretch.share_in(band.edges);
            of(&share).min(of(&|stretch| share(stretch) * stretch.level().rate))
        }
        ChangeKind::Rate
        | ChangeKind::RateDrifts
        | ChangeKind::Stalls(_)
        | ChangeKind::Silent
        | ChangeKind::Stops => of(&|stretch| stretch.level().rate.max(f64::MIN_POSITIVE).ln()),
        ChangeKind::Moves | ChangeKind::Scales(_) | ChangeKind::Drifts => {
            let median = |stretch: &Segment| stretch.median_ns().max(1.0).ln();
            let mean = of(&|stretch| stretch.level().mean_ns.max(1.0).ln());
            // Where the medians tell them apart; a few slow events more do not undo a return.
            let apart = (median(first) - median(before)).abs() >= LEAST_APART.ln();
            if apart { mean.min(of(&median)) } else { mean }
        }
    }
}
