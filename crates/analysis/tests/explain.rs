//! What `explain` names, with a known truth: who waited in a stretch of time, however few events that
//! are, and nobody where nobody differs.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

use isotherm_analysis::{Contrast, Explainer, Explanation, Selection};
use isotherm_frame::{Nanos, Random, Series, Timestamp};

const SECONDS: usize = 300;
/// The selected stretch.
const FROM: i64 = 200;
const TO: i64 = 260;

/// A world of events: so many values, how uneven the latencies, and how much longer those of value 3
/// take in the stretch.
struct World {
    values: u64,
    wide: f64,
    times: f64,
    per_second: u64,
}

impl World {
    fn explained(&self, seed: u64, selection: (i64, i64)) -> Explanation {
        let at = |second: f64| Timestamp::new((second * 1e9) as i64);
        let (from, to) = (at(selection.0 as f64), at(selection.1 as f64));
        let selection = Selection { from, to, ..Selection::ALL };
        let mut explainer = Explainer::new(selection, 1_024).slow_from(Some(Nanos::from_millis(3)));
        let mut random = Random::new(seed);
        let series: Vec<Series> = (0..self.values)
            .map(|value| format!("s{value}"))
            .map(|name| Series::with_attributes("wait", [("session", name.as_str())]))
            .collect();
        // What all sessions wait for is now slower, now faster.
        let mut level = 0.0;
        for second in 0..SECONDS {
            level = 0.9 * level + 0.1 * random.normal();
            for _ in 0..self.per_second {
                let value = random.index(series.len());
                let mut ms = (level + self.wide * random.normal()).exp();
                let moment = second as f64 + random.unit();
                if value == 3 && (FROM as f64..TO as f64).contains(&moment) {
                    ms *= self.times;
                }
                explainer.event(
                    &series[value],
                    at(moment),
                    Nanos::from_secs_f64(ms / 1e3).unwrap(),
                );
            }
        }
        explainer.explanation()
    }
}

fn named(explanation: &Explanation) -> Vec<String> {
    let more = explanation.contrasts.iter().filter(|one| one.differs() && one.is_more());
    more.map(|one| one.value.to_string()).collect()
}

#[test]
fn nobody_is_named_where_nobody_differs() {
    let mut wrong = Vec::new();
    let mut all = 0;
    for (values, wide) in [(2, 0.5), (2, 1.5), (2, 2.0), (5, 0.5), (5, 1.5), (5, 2.0), (40, 1.5)] {
        for seed in 0..60 {
            all += 1;
            let world = World { values, wide, times: 1.0, per_second: 20 };
            // A stretch somewhere, and, as `explain` chooses, the one with the most time waited.
            let starts = (0..4).map(|minute| 60 * minute);
            let worst = starts.map(|start| world.explained(seed, (start, start + 60)));
            let chosen = worst.max_by(|one, two| one.time_share().total_cmp(&two.time_share()));
            let named = named(&chosen.unwrap());
            if !named.is_empty() {
                wrong.push(format!("{values} values, {wide}, seed {seed}: {named:?}"));
            }
        }
    }
    assert!(wrong.len() * 20 <= all, "{} of {all}: {wrong:#?}", wrong.len());
}

#[test]
fn who_waits_most_is_named_though_the_events_are_divided_as_ever() {
    let mut right = 0;
    for seed in 0..40 {
        let world = World { values: 5, wide: 0.5, times: 25.0, per_second: 20 };
        let found = world.explained(seed, (FROM, TO));
        if named(&found) == ["s3"] {
            right += 1;
        }
        let most = |one: &&Contrast| one.value.to_string() == "s3";
        let s3 = found.contrasts.iter().find(most).unwrap();
        // A fifth of the events, 25 of 29 parts of the time, one of five elsewhere.
        assert!(
            (s3.inside - 0.2).abs() < 0.05 && (s3.time.inside - 25.0 / 29.0).abs() < 0.06,
            "{s3:?}"
        );
        assert!((s3.time.outside - 0.2).abs() < 0.06, "{s3:?}");
        let slow = s3.slow.unwrap();
        assert!(slow.inside > 0.7 && slow.outside.unwrap() < 0.5, "{s3:?}");
    }
    assert!(right >= 38, "{right} of 40");
}
