//! Which stretch of time `explain` chooses where none is given.

use isotherm_analysis::{Digest, Story, Suggestion, SuggestionBasis, stretch_to_explain};

use super::*;

/// The stretch of all events together, in seconds of the story, unless that may be chance.
fn stretch(events: &[Event]) -> Option<(f64, f64)> {
    let start = Timestamp::new(START * 1_000_000_000);
    let mut sorted: Vec<&Event> = events.iter().collect();
    sorted.sort_by(|one, two| one.end_s.total_cmp(&two.end_s));
    let mut binner = Binner::new(Nanos::from_millis(125), BinnerLimits::default());
    for event in sorted {
        let at = start.plus(Nanos::from_secs_f64(event.end_s).unwrap_or_default());
        let took = Nanos::from_secs_f64(event.took_s).unwrap_or_default();
        binner.record(at, &Series::named("all"), took);
    }
    let mut digest = Digest::new(Story::MOST_CELLS);
    binner.finish(&mut |frame| digest.push(&frame));
    let Suggestion { from, to, .. } =
        stretch_to_explain(&digest).filter(|found| found.basis != SuggestionBasis::MayBeChance)?;
    Some((from.since(start).as_secs_f64(), to.since(start).as_secs_f64()))
}

/// Also where few events own the time, and where it rises bit by bit; and none where nothing happened.
#[test]
fn what_was_planted_is_the_stretch_to_explain() {
    let seeds = grid::cases(12, 1);
    let (mut wrong, mut tried) = (Vec::new(), 0_u64);
    for (name, make, _) in PLANTED {
        if seeds == 1 && !["lock", "drift"].contains(&name) {
            continue;
        }
        for seed in 1..=seeds {
            let incident = make(&mut random(seed));
            let is_right = |(from_s, to_s): (f64, f64)| {
                name == "drift"
                    || ((from_s - incident.from_s).abs() < 2.0
                        && (to_s - incident.to_s).abs() < 3.0)
            };
            let found = stretch(&incident.events);
            if !found.is_some_and(is_right) {
                wrong.push(format!("{name} {seed}: {found:?}"));
            }
            tried += 1;
        }
    }
    for kind in 0..6 {
        for seed in 1..=seeds {
            let found = stretch(&uneventful(kind, seed));
            wrong.extend(found.map(|found| format!("nothing, {kind} {seed}: {found:?}")));
            tried += 1;
        }
    }
    println!("{} of {tried} wrong", wrong.len());
    assert!(wrong.len() as f64 <= 0.03 * tried as f64, "{}", wrong.join("\n"));
}
