//! What is on the screen, in sentences.

use std::mem::{Discriminant, discriminant};

use isotherm_analysis::{ChangeKind, RankedRemark, Remark, RemarkClass};
use isotherm_frame::{Nanos, Series, Timestamp};

use isotherm_views::{TimeFormat, narration};

use crate::series_choice::SeriesChoice;
use crate::window::End;

/// What is worth saying about the window, most important first.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    pub(super) sentences: Vec<String>,
    /// Whether the first is about something that happened.
    pub(super) alarming: bool,
}

impl Story {
    /// The same of a part of all series: its shares are of what is waited in that part, and what is
    /// everything there is not everything.
    pub(super) fn of_part(self, part: &str) -> Story {
        let whole = format!("of the time waited in {part}");
        let everything = format!(", everything in {part} ");
        let named = |sentence: String| {
            let sentence = sentence.replacen(", everything ", &everything, 1);
            sentence.replace("of all time waited", &whole)
        };
        Story { sentences: self.sentences.into_iter().map(named).collect(), ..self }
    }
}

/// What is said first leads for so long, by the time of the data, as long as it is still found: who reads
/// it must be able to finish. Its figures are those of the moment.
pub(super) const HOLD: Nanos = Nanos::new(10_000_000_000);

/// What kind of thing a sentence says, whatever its numbers.
#[derive(Clone, Debug, PartialEq)]
struct Form {
    series: Option<Series>,
    class: RemarkClass,
    remark: Discriminant<Remark>,
    change: Option<Discriminant<ChangeKind>>,
}

impl Form {
    fn of(ranked: &RankedRemark) -> Form {
        let change = match &ranked.remark {
            Remark::Changed(change) => Some(discriminant(&change.kind)),
            _ => None,
        };
        let series = ranked.series.clone();
        Form { series, class: ranked.class, remark: discriminant(&ranked.remark), change }
    }
}

/// What the user looks at: with anything else, what was said before is over at once.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Looking {
    pub(super) shown: SeriesChoice,
    pub(super) position: End,
    pub(super) column: Nanos,
    pub(super) utc: bool,
}

/// The form of the first sentence, and since when it leads.
#[derive(Clone, Debug)]
pub(super) struct Held {
    since: Timestamp,
    looking: Looking,
    form: Form,
}

/// What explains so many times the waiting leads at once.
const FAR_MORE: f64 = 1.5;

/// What was found in several series, which takes far longer than in one: in many of them it is not
/// looked for again with each interval.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) at: Timestamp,
    pub(super) looking: Looking,
    pub(super) columns: usize,
    pub(super) remarks: Vec<RankedRemark>,
}

/// The sentences, led by the form that is held if it is still found and not held long enough yet; and
/// what is held from now on. What is not found any more is not said any more.
pub(super) fn held_story(
    held: Option<Held>,
    (mut remarks, moments): (Vec<RankedRemark>, &TimeFormat),
    (looking, now): (Looking, Timestamp),
) -> (Story, Option<Held>) {
    let held = held.filter(|held| held.looking == looking && held.since <= now);
    let place = |held: &Held| remarks.iter().position(|one| Form::of(one) == held.form);
    let lasting = held.and_then(|held| place(&held).map(|index| (held, index)));
    let lasting = lasting.filter(|(held, index)| {
        let is_long = now.since(held.since) >= HOLD;
        *index == 0 || !(is_long || leads_at_once(&remarks[0], &remarks[*index]))
    });
    if let Some((_, index)) = &lasting {
        let first = remarks.remove(*index);
        remarks.insert(0, first);
    }
    let sentences = narration::sentences(&remarks, moments);
    let Some(first) = remarks.first() else { return (Story::default(), None) };
    let since = lasting.map_or(now, |(held, _)| held.since);
    let held = Held { since, looking, form: Form::of(first) };
    (Story { sentences, alarming: first.is_alarming() }, Some(held))
}

/// Whether what is most important now need not wait until what leads was read.
fn leads_at_once(first: &RankedRemark, held: &RankedRemark) -> bool {
    let matters_more = first.is_alarming() && first.class < held.class;
    matters_more || (first.is_alarming() && first.seconds >= FAR_MORE * held.seconds)
}

#[cfg(test)]
mod tests {
    use isotherm_analysis::{Circumstances, Findings, Grid, Timeline};
    use isotherm_frame::{Clock, Frame, Histogram, Quality, Random, Scheme};

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::new((1_772_375_440 + second) * 1_000_000_000)
    }

    #[test]
    fn a_share_of_a_part_names_the_part() {
        let sentences = [
            "From 10:00 to 10:01, nothing ended: ≈24 % of all time waited.",
            "From 10:00 to 10:01, everything stalled: 8 events waited up to 2s.",
        ];
        let sentences = sentences.map(str::to_owned).to_vec();
        let of_part = Story { sentences, alarming: true }.of_part("sdb");
        assert_eq!(
            of_part.sentences,
            [
                "From 10:00 to 10:01, nothing ended: ≈24 % of the time waited in sdb.",
                "From 10:00 to 10:01, everything in sdb stalled: 8 events waited up to 2s."
            ]
        );
    }

    /// A second of an idle disk: a handful of fast reads, and now and then slow ones.
    fn second(second: i64, random: &mut Random) -> Frame {
        let mut counts = Histogram::empty(Scheme::log_linear());
        for read in 0..11 {
            if read >= 3 && random.unit() < 0.5 {
                continue;
            }
            let slow = random.unit() < 0.12;
            let us = if slow { 4_000.0 } else { 90.0 } * (0.4 * random.normal()).exp2();
            counts.record(Nanos::from_secs_f64(us / 1e6).unwrap());
        }
        let (start, end, quality) = (at(second), at(second + 1), Quality::Complete);
        Frame { series: Series::named("read"), start, end, counts, quality }
    }

    fn looking() -> Looking {
        let (shown, position) = (SeriesChoice::Merged, End::Follows);
        Looking { shown, position, column: Nanos::SECOND, utc: true }
    }

    fn remarks(frames: &[Frame]) -> Vec<RankedRemark> {
        let grid = Grid::covering(frames, 60).unwrap();
        Findings::of(&Timeline::place(frames, grid), &Circumstances::default()).remarks()
    }

    /// While time goes on, second by second: how often the form of the first sentence changes, and how
    /// often it would without being held.
    fn changes(seed: u64) -> (usize, usize) {
        let mut random = Random::new(seed);
        let moments = TimeFormat::new(Clock::Epoch, at(0));
        let (mut frames, mut held): (Vec<Frame>, Option<Held>) = (Vec::new(), None);
        let (mut changed, mut wild, mut before) = (0, 0, None);
        for now in 0..120 {
            frames.push(second(now, &mut random));
            let window = &frames[frames.len().saturating_sub(20)..];
            let remarks = remarks(window);
            let free = Form::of(&remarks[0]);
            wild += usize::from(before.replace(free.clone()).is_some_and(|before| before != free));
            let was = held.clone();
            let said = narration::sentences(&remarks, &moments);
            let found: Vec<Form> = remarks.iter().map(Form::of).collect();
            let (story, next) = held_story(held, (remarks, &moments), (looking(), at(now + 1)));
            let next = next.unwrap();
            // Nothing is said that is not found now, with the figures of now. (Where the zone is
            // printed depends on the order.)
            let plain = |text: &String| text.replace(" UTC", "");
            assert!(
                said.iter().map(plain).any(|one| one == plain(&story.sentences[0])),
                "{story:?}"
            );
            if let Some(was) = was.filter(|was| was.form != next.form) {
                changed += 1;
                let gone = !found.contains(&was.form);
                assert!(
                    gone || story.alarming || at(now + 1).since(was.since) >= HOLD,
                    "{story:?}"
                );
            }
            held = Some(next);
        }
        (changed, wild)
    }

    #[test]
    fn the_first_sentence_is_one_of_now_and_leads_for_ten_seconds_where_it_is_still_true() {
        let (mut changed, mut freed) = (0, 0);
        for seed in 1..=testing::grid::cases(12, 3) {
            let (held, free) = changes(seed);
            (changed, freed) = (changed + held, freed + free);
        }
        assert!(freed > 0, "an idle disk must try it");
        assert!(changed <= freed, "{changed} of {freed}");
    }

    #[test]
    fn another_look_begins_anew_at_once() {
        let mut random = Random::new(3);
        let frames: Vec<Frame> = (0..40).map(|now| second(now, &mut random)).collect();
        let moments = TimeFormat::new(Clock::Epoch, at(0));
        let first = remarks(&frames);
        let (_, held) = held_story(None, (first.clone(), &moments), (looking(), at(40)));
        let mut other = first;
        other.insert(0, RankedRemark { remark: Remark::Nothing, ..other[0].clone() });
        let lead = |looking, now| {
            let (story, _) =
                held_story(held.clone(), (other.clone(), &moments), (looking, at(now)));
            story.sentences[0].clone()
        };
        assert_ne!(lead(looking(), 45), "There are no events.");
        assert_eq!(lead(looking(), 50), "There are no events.");
        let zoomed = Looking { column: Nanos::new(2_000_000_000), ..looking() };
        assert_eq!(lead(zoomed, 45), "There are no events.");
        // Back in time: what was said of later is over.
        assert_eq!(lead(looking(), 30), "There are no events.");
    }
}
