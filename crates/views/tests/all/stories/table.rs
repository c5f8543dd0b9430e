//! What must be said of each story, by what was planted in it, and what else is true of it.

use isotherm_analysis::{Digest, Story as AnalysedStory};
use isotherm_frame::Clock;
use isotherm_views::{TimeFormat, narration};

use super::pattern::matches;
use super::planted::{Chance, Story};

/// What is said of a story, as every surface says it.
pub fn sentences_of(story: &Story, seed: u64) -> Vec<String> {
    let frames = (story.frames)(&mut Chance::new(seed));
    let zero = frames.iter().map(|frame| frame.start).min().unwrap_or_default();
    let mut digest = Digest::new(AnalysedStory::MOST_CELLS);
    for frame in &frames {
        digest.push(frame);
    }
    let remarks = AnalysedStory::of_digest(&digest, None)
        .map(|sentences_of| sentences_of.remarks)
        .unwrap_or_default();
    narration::sentences(&remarks, &TimeFormat::new(Clock::Epoch, zero))
}

/// What is wrong with what is said.
pub enum Fault {
    /// The first sentence is not what was planted.
    First(String),
    /// Something else is not true, or not known to be.
    False(String),
}

/// The first fault of what is said of a story; `None` if all of it is as it must be.
pub fn fault(story: &Story, seed: u64) -> Option<Fault> {
    let truths = TRUTHS.iter().find(|truths| truths.story == story.name);
    let truths = truths.unwrap_or_else(|| panic!("no truths of {}", story.name));
    let plain = |sentence: &String| sentence.replace(" UTC", "");
    let sentences: Vec<String> = sentences_of(story, seed).iter().map(plain).collect();
    let is_one_of =
        |sentence: &String, of: &[&str]| of.iter().any(|pattern| matches(pattern, sentence));
    let Some((first, others)) = sentences.split_first() else {
        return Some(Fault::First("nothing".to_owned()));
    };
    if !is_one_of(first, truths.first) {
        return Some(Fault::First(first.clone()));
    }
    let wrong = others.iter().find(|sentence| !is_one_of(sentence, truths.others));
    wrong.cloned().map(Fault::False)
}

/// What may be said of a story.
pub struct Truths {
    pub story: &'static str,
    /// What was planted: the first sentence is one of these.
    pub first: &'static [&'static str],
    /// What else is true.
    pub others: &'static [&'static str],
}

/// A lognormal around 1 ms with a deviation of 0.45 octaves has a mean of 1.05 ms, and its p99 is
/// 2.07 ms; around 3 ms three times that. What is said of a drift's ends is of a tenth of it. Ends of
/// drifts are known to one of the 80 columns of a screen, 8 s; all else to the second.
pub const TRUTHS: [Truths; 29] = [
    // 400/s of 0.5 s (mean 0.51 s) for 4 s, 818 s; all else 126 s. The first of them began before it.
    Truths {
        story: "a burst of 4 s",
        first: &[
            "From <155> to <159>, reads took ≈{300ms..350ms} instead of ≈{1ms..1.1ms} on average, \
                  at {480..620} events/s instead of {195..205}: {84..89} % of all time waited.",
        ],
        others: &[
            "The slowest {0.8..1.4} % of all reads took {400ms..500ms} or longer: ≈{60..89} % of all \
             time waited.",
            "{98.5..99.5} % of all events take ≈{0.95ms..1.1ms} ({11..16} % of all time waited) and \
             {1.1..1.5} % ≈{450ms..560ms} ({84..89} %): the mean, {7ms..8.7ms}, describes neither.",
        ],
    },
    Truths {
        story: "three times as long",
        first: &[
            "From <300> on, everything took {2.9..3.1} times as long: ≈{3ms..3.3ms} on average \
                  instead of ≈{1ms..1.1ms}.",
        ],
        others: &[HALVES_OF_ONE_AND_THREE, BETWEEN_HALVES],
    },
    Truths {
        story: "a third as long",
        // Less waiting is good news, and comes last.
        first: &[HALVES_OF_ONE_AND_THREE],
        others: &[
            "From <300> on, everything took {66..68} % less time: ≈{1ms..1.1ms} on average instead of \
             ≈{3ms..3.3ms}.",
            BETWEEN_HALVES,
        ],
    },
    Truths {
        story: "everything 20 % longer",
        first: &["From <340> on, everything took {18..22} % longer: ≈{1.23ms..1.29ms} on average \
                  instead of ≈{1.03ms..1.07ms}."],
        others: &[],
    },
    // 3 to the power of 0.05 and of 0.95, times 1.05 ms.
    Truths {
        story: "a drift to three times",
        first: &[
            "From <0~8> on, latency rose steadily, from ≈{1.05ms..1.15ms} to ≈{2.9ms..3.1ms} on \
                  average.",
        ],
        others: &[],
    },
    // 4 to the power of 0.05 and of 0.95, times 1.05 ms. A third of the time at 1 ms, a third at 4 ms.
    Truths {
        story: "a drift between levels",
        first: &["From <200~8> to <400~8>, latency rose steadily, from ≈{1.05ms..1.2ms} to \
                  ≈{3.7ms..4.1ms} on average."],
        others: &[
            "{40..60} % of all events take ≈{0.95ms..1.3ms} ({15..30} % of all time waited) and \
             {40..60} % ≈{3.2ms..4.2ms} ({70..85} %).",
            BETWEEN_HALVES,
        ],
    },
    Truths {
        story: "load that doubles bit by bit",
        first: &["From <0~8> on, load rose steadily, from {100..110} to {190..200} events/s."],
        others: &["Latency does not grow with load, between {100..120} and {180..200} events/s."],
    },
    Truths {
        story: "twice the load",
        first: &[
            "From <300> on, the rate rose from {98..102} to {196..204} events/s; latency did \
                  not change.",
        ],
        others: &["Latency does not grow with load, between {97..103} and {195..205} events/s."],
    },
    // In a minute 3 s of 30/s and 57 s of 0.3/s of 20 ms (mean 21 ms), 2.3 s, beside 12.6 s.
    Truths {
        story: "slow waits each minute",
        first: &[
            "Every 1m there is a burst, 10 times in all: {16..21} % of all time waited in {4..9} % \
                  of the time.",
        ],
        others: &[
            "{98.5..99.5} % of all events take ≈{0.95ms..1.1ms} ({82..88} % of all time waited) and \
             {0.7..1.1} % ≈{18ms..23ms} ({12..18} %).",
        ],
    },
    // 400 events of up to 2 s, 400 s in all; all else 126 s.
    Truths {
        story: "a stall with catch-up",
        first: &[
            "From <300> to <303>, everything stalled: ≈{370..430} events waited up to [1.99s], \
                  ≈{72..80} % of all time waited.",
        ],
        others: &[
            "≈{45..62} % of all time waited is of events longer than 1s: a part of it was waited \
             before the interval that shows it.",
            "The slowest {0.2..1.5} % of all reads took {2ms..1.5s} or longer: ≈{60..80} % of all time \
             waited.",
            "{99..100} % of all events take ≈{0.95ms..1.1ms} ({20..28} % of all time waited) and \
             {0.2..0.4} % {10ms..40ms}–{2s..2.2s} ({72..80} %): the mean, {4ms..5ms}, describes \
             neither.",
        ],
    },
    // 150 s of 20/s of 30 ms, 92 s, and the first half of the series, 3.1 s; the others 56.5 s.
    Truths {
        story: "a new band in one of ten series",
        first: &["From <150> on, wait s3 took {28..32} times as long: ≈{29ms..32ms} on average \
                  instead of ≈{1ms..1.1ms}."],
        others: &[
            "session=s3 is the largest of 10 values of session: {59..65} % of all time waited \
             ({88..100} s), {9.5..10.5} % of all events.",
            "The slowest {1..2.5} % of all events took {32ms..33ms} or longer: ≈{20..40} % of all time \
             waited.",
            "{94..96} % of all events take ≈{0.9ms..1.1ms} ([39] % of all time waited) and \
             {4.5..5.5} % ≈{20ms..33ms} ([61] %): the mean, {2.4ms..2.7ms}, describes neither.",
        ],
    },
    // 50 to 185 events/s, or 57 and 178 in the first and the last tenth, at a server of 200: 7 ms, 45 ms.
    Truths {
        story: "saturation",
        first: &[
            "From <0~8> on, load rose steadily, from {52..62} to {165..185} events/s, and latency \
                  with it: ≈{6ms..9ms} on average at {55..75} events/s, ≈{30ms..60ms} at \
                  {155..185}, steeply from ≈{120..175} events/s on.",
        ],
        others: &[
            "The mean, {15ms..30ms}, is at least {2..3} times the median; at most {15..30} % of \
                   all events are near it.",
        ],
    },
    Truths {
        story: "a cache that is lost",
        // No more is waited than before: what is no more there is no headline.
        first: &[
            "{32..35} % of all events take ≈{90µs..110µs} ({0.6..1} % of all time waited) and \
                   {65..68} % ≈{5.5ms..6.5ms} ({99..100} %). The fast ones may come from a cache.",
        ],
        others: &["From <300> on, almost none of the reads took [100µs], {48..52} % before."],
    },
    // 60 s of 20/s of 50 ms, 61.3 s, and 4/s of 1 ms in all of its 240 s; the others 49.4 s.
    Truths {
        story: "one culprit of 50 sessions",
        first: &["From <100> to <160>, wait s11 took ≈{41ms..45ms} instead of ≈{0.9ms..1.2ms} \
                  on average, at {22..26} events/s instead of {3.5..4.5}: {52..59} % of all time waited."],
        others: &[
            "session=s11 is the largest of 50 values of session: {52..60} % of all time waited \
             ({57..68} s), {4..5} % of all events.",
            "The slowest {2..3} % of all events took {32ms..33ms} or longer: ≈{48..58} % of all time \
             waited.",
            "{97..98} % of all events take ≈{0.9ms..1.1ms} ([45] % of all time waited) and \
             {2.2..2.7} % ≈{40ms..55ms} ([55] %): the mean, {2.1ms..2.4ms}, describes neither.",
        ],
    },
    Truths { story: "a gap", first: &["From <200> to <240>, there is a gap of 40s."], others: &[] },
    Truths {
        story: "a reset",
        first: &["From <200> to <240>, there is a gap of 40s: counters were reset."],
        others: &[],
    },
    Truths {
        story: "silence",
        first: &["From <200> to <240>, there were no events for 40s, {195..205} events/s before."],
        others: &[],
    },
    Truths {
        story: "an end",
        first: &["From <300> on, everything stopped: no events, {195..205} events/s before."],
        others: &[],
    },
    Truths {
        story: "exponential",
        first: &[
            "Half of all events took less than {690µs..800µs}, 99 % less than {4.5ms..5.3ms}; \
                  nothing stands out.",
        ],
        others: &[],
    },
    Truths { story: "lognormal", first: &[AROUND_A_MILLISECOND], others: &[] },
    // 140/s of 0.2 ms and 60/s of 8 ms, with means of 0.208 and 8.3 ms.
    Truths {
        story: "bimodal",
        first: &[
            "{69..71} % of all events take ≈{190µs..210µs} ({5..6} % of all time waited) and \
                  {29..31} % ≈{7.6ms..8.4ms} ({94..95} %): the mean, {2.5ms..2.8ms}, describes neither. \
                  The fast ones may come from a cache.",
        ],
        others: &[],
    },
    // The slowest hundredth owns a cube root of 0.01 of the time and more, as chance will have it; the
    // longest of 60,000 takes 0.8 s and more.
    Truths {
        story: "Pareto",
        first: &[
            "Half of all events took less than {790µs..900µs}, 99 % less than {10.4ms..12.2ms}; \
             nothing stands out.",
            PARETO_TAIL,
            PARETO_OUTLIERS[0],
            PARETO_OUTLIERS[1],
        ],
        others: &[
            PARETO_TAIL,
            PARETO_OUTLIERS[0],
            PARETO_OUTLIERS[1],
            PARETO_OUTLIERS[2],
            // The events beyond 1 s own a tenth of the time at most, but for a giant.
            "≈{1..70} % of all time waited is of events longer than 1s: a part of it was waited \
             before the interval that shows it.",
        ],
    },
    Truths {
        story: "each second like the one before",
        first: &[
            "Half of all events took less than {0.98ms..1.2ms}, 99 % less than {2ms..2.4ms}; \
                  nothing stands out.",
        ],
        others: &[],
    },
    Truths {
        story: "Poisson arrivals, 20 a second",
        first: &[
            "Half of all events took less than {1ms..1.2ms}, 99 % less than {2.6ms..3ms}; nothing \
                  stands out.",
        ],
        others: &[],
    },
    Truths { story: "a fixed rate", first: &[AROUND_A_MILLISECOND], others: &[] },
    // 300 events: their p99 is the third longest.
    Truths {
        story: "few events",
        first: &[
            "Half of all events took less than {0.9ms..1.2ms}, 99 % less than {2.2ms..4ms}; nothing \
                  stands out.",
        ],
        others: &[],
    },
    Truths { story: "many events", first: &[AROUND_A_MILLISECOND], others: &[] },
    // 60/s of 0.3 ms and 60/s of 5 ms, 94.5 s.
    Truths {
        story: "two devices",
        first: &[
            "session=s1 is the largest of 2 values of session: {94..95} % of all time waited \
             ({91..98} s), {49..51} % of all events.",
        ],
        others: &[
            "{49..51} % of all events take ≈{256µs..512µs} ([5.6] % of all time waited) and \
             {49..51} % ≈{4.1ms..8.2ms} ([94.4] %): the mean, {2.7ms..2.9ms}, describes neither.",
            BETWEEN_HALVES,
        ],
    },
    Truths {
        story: "one session that always waits 5 s",
        first: &["99 % of all events took less than {5s..5.7s}; nothing stands out."],
        others: &["≈{99..100} % of all time waited is of events longer than 1s: a part of it was \
                   waited before the interval that shows it."],
    },
];

const AROUND_A_MILLISECOND: &str = "Half of all events took less than {1ms..1.2ms}, 99 % less than \
                                    {2ms..2.4ms}; nothing stands out.";

const HALVES_OF_ONE_AND_THREE: &str = "{48..52} % of all events take ≈{0.95ms..1.1ms} ({23..27} % of all \
                                       time waited) and {48..52} % ≈{2.8ms..3.2ms} ({73..77} %).";

/// Half of the events are of the one band, half of the other.
const BETWEEN_HALVES: &str = "p50 (*s) is unstable: it lies on the edge of two bands.";

const PARETO_TAIL: &str = "The slowest {0.8..1.2} % of all reads took {9ms..12ms} or longer: \
                           ≈{21..70} % of all time waited.";

const PARETO_OUTLIERS: [&str; 3] = [
    "One event took *–{0.4s..100s} at *, at least {8..1000} times as long as the others.",
    "{2..30} events took far longer than the others: the longest *–{0.4s..100s} at *, at least \
     {8..1000} times as long.",
    "The mean, {1.5ms..3ms}, is at least {2..4} times the median; at most {10..30} % of all events are \
     near it.",
];
