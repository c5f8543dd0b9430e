//! What is said of recordings by the resolution of their stamps: whole seconds, as access logs have, tenths
//! and milliseconds.

use isotherm_frame::{Assembler, Reading};

use super::*;

/// The units of stamps, in milliseconds.
const UNITS_MS: [f64; 3] = [1_000.0, 100.0, 1.0];

/// What is said of a file with such stamps, read as a whole: the intervals begin as fine as a screen's do.
fn said_of_stamps(events: &[Event], unit_ms: f64) -> Vec<String> {
    let start = Timestamp::new(START * 1_000_000_000);
    let at = |ms: f64| start.plus(Nanos::from_secs_f64(ms / 1e3).unwrap_or_default());
    let limits = BinnerLimits { max_intervals: 2_048, ..BinnerLimits::cells(1 << 18) };
    let mut assembler = Assembler::new(Nanos::new(1_953_125), limits).fitting_stamps();
    let mut sorted: Vec<&Event> = events.iter().collect();
    sorted.sort_by(|one, two| one.end_s.total_cmp(&two.end_s));
    for event in sorted {
        let at = at((event.end_s * 1e3 / unit_ms).floor() * unit_ms);
        let latency = Nanos::from_secs_f64(event.took_s).unwrap_or_default();
        let reading = Reading::Event { at, series: Series::named(event.series), latency };
        assembler.push(reading, &mut |_| {});
    }
    assembler.fit_stamps(&mut |_| {});
    let mut digest = Digest::new(Story::MOST_CELLS);
    assembler.finish(&mut |event| event.frame().into_iter().for_each(|frame| digest.push(frame)));
    let remarks = Story::of_digest(&digest, None).map(|story| story.remarks).unwrap_or_default();
    let sentences = narration::sentences(&remarks, &TimeFormat::new(Clock::Epoch, start));
    sentences.iter().map(|sentence| sentence.replace(" UTC", "")).collect()
}

fn names_a_moment(sentences: &[String]) -> Option<&String> {
    let first = sentences.first()?;
    (first.starts_with("From") || first.starts_with("Every")).then_some(first)
}

#[test]
fn steady_traffic_has_no_moment_whatever_its_stamps() {
    let seeds = grid::cases(40, 1);
    let (mut wrong, mut tried) = (Vec::new(), 0_u64);
    for length_s in [20.0, 30.0, 45.0, 60.0, 90.0, 300.0] {
        for unit_ms in UNITS_MS {
            let before = wrong.len();
            for seed in 1..=seeds {
                let events = poisson(&mut random(seed), "read", (20.0, length_s), |random, _| {
                    lognormal(random, 1.8e-2, 0.7)
                });
                let sentences = said_of_stamps(&events, unit_ms);
                let told = names_a_moment(&sentences);
                wrong
                    .extend(told.map(|told| format!("{length_s} s, {unit_ms} ms, {seed}: {told}")));
                tried += 1;
            }
            println!("{length_s} s, {unit_ms} ms: {} of {seeds} false", wrong.len() - before);
        }
    }
    assert!(wrong.len() as f64 <= 0.02 * tried as f64, "{}", wrong.join("\n"));
}

/// Every so many seconds one in which ten times as many take ten times as long.
fn periodic(random: &mut Random) -> Incident {
    let period_s = 6.0 + (9.0 * random.unit()).floor();
    let phase_s = (period_s * random.unit()).floor();
    let took = |random: &mut Random, _: f64| lognormal(random, 5e-3, 0.5);
    let mut events = poisson(random, "read", (20.0, 120.0), took);
    let mut from_s = phase_s;
    while from_s + 1.0 < 120.0 {
        let burst = poisson(random, "read", (200.0, 1.0), |random, _| lognormal(random, 5e-2, 0.5));
        events.extend(burst.into_iter().map(|one| Event { end_s: from_s + one.end_s, ..one }));
        from_s += period_s;
    }
    Incident { events, from_s: period_s, to_s: 120.0, own: |_, event| event.took_s > 1.6e-2 }
}

#[test]
fn steps_stalls_and_periods_are_found_whatever_the_stamps() {
    let seeds = grid::cases(40, 3);
    let mut missed = Vec::new();
    let planted: [Planted; 3] = [
        ("step", step, "From <AT~2> on,*"),
        ("stall", stall, "From <AT~2> to *, everything stalled*"),
        ("period", periodic, "Every ATs there is a burst*"),
    ];
    for (name, make, pattern) in planted {
        for unit_ms in UNITS_MS {
            let before = missed.len();
            for seed in 1..=seeds {
                let incident = make(&mut random(seed));
                let at = usize::from(name != "period");
                let wanted = pattern.replace("AT", &format!("{:.at$}", incident.from_s));
                let first = said_of_stamps(&incident.events, unit_ms).swap_remove(0);
                if !matches(&wanted, &first) {
                    missed.push(format!("{name}, {unit_ms} ms, {seed}: {first}\n  not {wanted}"));
                }
            }
            println!("{name}, {unit_ms} ms: {} of {seeds} missed", missed.len() - before);
        }
    }
    assert!(missed.len() as f64 <= 0.05 * 9.0 * seeds as f64, "{}", missed.join("\n"));
}

/// Of access logs: the time of an event lies in the second of its count.
#[test]
fn gaps_and_bursts_of_five_seconds_are_told_to_the_second() {
    let took = |random: &mut Random, _: f64| lognormal(random, 5e-3, 0.5);
    let mut wrong = Vec::new();
    let seeds = grid::cases(20, 5);
    for seed in 1..=seeds {
        let mut random = random(seed);
        let from_s = (20.0 + 60.0 * random.unit()).floor();
        let mut gap = poisson(&mut random, "read", (50.0, 120.0), took);
        gap.retain(|event| !(from_s..from_s + 5.0).contains(&event.end_s));
        let mut burst = poisson(&mut random, "read", (50.0, 120.0), took);
        let more = poisson(&mut random, "read", (450.0, 5.0), took);
        burst.extend(more.into_iter().map(|one| Event { end_s: from_s + one.end_s, ..one }));
        let stretch = format!("From <{from_s}~0.01> to <{}~0.01>, ", from_s + 5.0);
        for (events, words) in [(gap, "there were no events for 5s*"), (burst, "*")] {
            let first = said_of_stamps(&events, 1_000.0).swap_remove(0);
            let wanted = format!("{stretch}{words}");
            if !matches(&wanted, &first) {
                wrong.push(format!("{seed}: {first}\n  not {wanted}"));
            }
        }
    }
    assert!(wrong.len() as f64 <= 0.05 * 2.0 * seeds as f64, "{}", wrong.join("\n"));
}
