//! What is said of incidents that touch the end of what is known, which rarely is that of an interval.

use super::*;

/// A moment after the beginning at which the end of an interval is nowhere near.
fn until(random: &mut Random, incident: &Incident, after_s: f64) -> f64 {
    incident.from_s + after_s + 0.9 * random.unit()
}

/// The share of an incident that goes on, of all events that had ended by then.
fn share_until(incident: Incident, until_s: f64) -> f64 {
    let events = incident.events.into_iter().filter(|event| event.end_s < until_s).collect();
    Incident { events, ..incident }.share()
}

fn endless(mut incident: Incident) -> Incident {
    incident.to_s = f64::INFINITY;
    incident
}

/// The last interval counts by what is known of it.
#[test]
fn a_band_that_goes_on_has_its_own_share() {
    let seeds = grid::cases(60, 8);
    let mut wrong = Vec::new();
    for seed in 1..=seeds {
        let incident = band(&mut random(seed));
        let until_s = until(&mut random(seed + 1_000), &incident, 8.0 + (seed % 8) as f64);
        let first = said(&incident.events, until_s).swap_remove(0).replace('≈', "");
        let from_s = incident.from_s;
        let share = share_until(incident, until_s);
        let wanted = format!(
            "From <{from_s:.1}~1.6> on, {{6..14}} % of the reads took [40ms], almost none before: \
             {{{:.1}..{:.1}}} % of all time waited.",
            share - 2.0,
            share + 2.0
        );
        if !matches(&wanted, &first) {
            wrong.push(format!("{seed}, {until_s:.2}: {first}\n  not {wanted}"));
        }
    }
    println!("{} of {seeds} wrong", wrong.len());
    assert!(wrong.len() as f64 <= 0.05 * seeds as f64, "{}", wrong.join("\n"));
}

/// A step within the last intervals is no slow rise; what is said of it later is of the events before it
/// and after it, not of those of the interval in which it came.
#[test]
fn a_step_is_a_step_however_soon_after_it() {
    let seeds = grid::cases(60, 8);
    let (mut wrong, mut told) = (Vec::new(), 0);
    for seed in 1..=seeds {
        let incident = endless(step(&mut random(seed)));
        for after_s in 0..10 {
            let until_s = until(&mut random(seed + 1_000), &incident, f64::from(after_s));
            let first = said(&incident.events, until_s).swap_remove(0).replace('≈', "");
            let begins = format!("From <{:.1}~1.6>*", incident.from_s);
            let is_step = matches(&begins, &first) && !first.contains("steadily");
            if (after_s >= 4 && !is_step) || first.contains("steadily") {
                wrong.push(format!("{seed}, {:.1} after: {first}", until_s - incident.from_s));
            }
            told += usize::from(is_step && after_s == 3);
        }
        let until_s = until(&mut random(seed + 2_000), &incident, 15.0);
        let mean = |is_in: &dyn Fn(f64) -> bool| {
            let events = incident.events.iter().filter(|e| e.end_s < until_s && is_in(e.end_s));
            let took: Vec<f64> = events.map(|event| event.took_s * 1e3).collect();
            took.iter().sum::<f64>() / took.len() as f64
        };
        let (after, before) =
            (mean(&|end_s| end_s >= incident.from_s), mean(&|end_s| end_s < incident.from_s));
        let first = said(&incident.events, until_s).swap_remove(0).replace('≈', "");
        let wanted = format!(
            "From <{:.1}~1.6> on, everything took {{7.6..8.4}} times as long: {{{:.3}ms..{:.3}ms}} on \
             average instead of {{{:.3}ms..{:.3}ms}}.",
            incident.from_s,
            0.97 * after,
            1.03 * after,
            0.97 * before,
            1.03 * before
        );
        // By the medians where quantiles do not differ by one factor.
        let medians = format!(
            "From <{:.1}~1.6> on, reads took *ms instead of *ms (median):*",
            incident.from_s
        );
        if !matches(&wanted, &first) && !matches(&medians, &first) {
            wrong.push(format!("{seed}: {first}\n  not {wanted}"));
        }
    }
    println!("{} of {} wrong; {told} told after 3 s", wrong.len(), 11 * seeds);
    assert!(wrong.len() as f64 <= 0.02 * 11.0 * seeds as f64, "{}", wrong.join("\n"));
}

/// A stall has the share of all that waited in it, from the moment at which it began.
#[test]
fn a_stall_that_begins_within_an_interval_has_all_of_its_share() {
    let seeds = grid::cases(60, 8);
    let mut wrong = Vec::new();
    for seed in 1..=seeds {
        let incident = stall(&mut random(seed));
        let first = said(&incident.events, f64::INFINITY).swap_remove(0).replace('≈', "");
        let share = incident.share();
        let wanted =
            format!("From *{{{:.1}..{:.1}}} % of all time waited.", share - 2.0, share + 2.0);
        if !matches(&wanted, &first) {
            wrong.push(format!("{seed}: {first}\n  not {wanted}"));
        }
    }
    println!("{} of {seeds} wrong", wrong.len());
    assert!(wrong.len() as f64 <= 0.05 * seeds as f64, "{}", wrong.join("\n"));
}
