//! The first sentence of the live view, second by second, while something begins, lasts and is over: it is
//! never false, and it is there soon.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use isotherm_frame::{Assembler, BinnerLimits, Nanos, Random, Reading, Series, Timestamp};
use isotherm_tui::{App, AppOptions};
use isotherm_views::{Depth, Palette, Style, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use testing::grid;

/// 2025-11-21 14:30:00 UTC.
const START: i64 = 1_763_735_400;
/// How long a stall lasts.
const STALL_S: f64 = 3.0;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Planted {
    /// Everything takes five times as long.
    Step,
    /// Nothing ends for 3 s, and then all that was due.
    Stall,
    /// One in ten takes 50 ms.
    Band,
}

#[derive(Copy, Clone)]
struct Event {
    end_s: f64,
    took_s: f64,
}

/// What is planted, and when it begins: anywhere in an interval.
#[derive(Copy, Clone)]
struct Story {
    planted: Planted,
    begins_s: f64,
}

/// 100 events/s of about 1 ms.
fn events(Story { planted, begins_s }: Story, random: &mut Random) -> Vec<Event> {
    let (mut events, mut end_s) = (Vec::new(), 0.0);
    while end_s < 70.0 {
        end_s -= (1.0 - random.unit()).ln() / 100.0;
        let mut took_s = 1e-3 * (0.3 * random.normal()).exp();
        let (mut ended_s, after) = (end_s, end_s >= begins_s);
        match planted {
            Planted::Step if after => took_s *= 5.0,
            Planted::Band if after && random.unit() < 0.1 => {
                took_s = 5e-2 * (0.1 * random.normal()).exp();
            }
            Planted::Stall if after && end_s < begins_s + STALL_S => {
                ended_s = begins_s + STALL_S + 1e-3 * random.unit();
                took_s = ended_s - end_s + 1e-3;
            }
            _ => {}
        }
        events.push(Event { end_s: ended_s, took_s });
    }
    events.sort_by(|one, two| one.end_s.total_cmp(&two.end_s));
    events
}

fn at(second: f64) -> Timestamp {
    Timestamp::new(START * 1_000_000_000).plus(Nanos::from_secs_f64(second).unwrap())
}

/// The upper lines of the screen at the end of each second from shortly before it begins on.
fn told(story: Story, events: &[Event]) -> Vec<(u32, String)> {
    let style = Style { depth: Depth::Glyphs, theme: Theme::Dark, palette: Palette::IceHeat };
    let mut options = AppOptions::new("cmd:story", style, Nanos::SECOND);
    options.utc = true;
    let (mut app, mut screen) =
        (App::new(options), Terminal::new(TestBackend::new(300, 24)).unwrap());
    let mut assembler = Assembler::new(Nanos::SECOND, BinnerLimits::default());
    let (series, mut told) = (Series::named("event"), Vec::new());
    let mut left = events.iter().peekable();
    for second in 1..=66_u32 {
        let now_s = f64::from(second);
        let mut frames = Vec::new();
        let mut take = |event: isotherm_frame::Event| frames.extend(event.frame().cloned());
        while let Some(event) = left.next_if(|event| event.end_s < now_s) {
            let latency = Nanos::from_secs_f64(event.took_s).unwrap();
            let reading = Reading::Event { at: at(event.end_s), series: series.clone(), latency };
            assembler.push(reading, &mut take);
        }
        assembler.observe(at(0.0), at(now_s), &mut take);
        assembler.finish_until(at(now_s), &mut take);
        for frame in &frames {
            app.push(frame);
        }
        app.tick(at(now_s));
        if now_s < story.begins_s - 3.0 {
            continue;
        }
        screen.draw(|frame| app.draw(frame)).unwrap();
        let cells = screen.backend().buffer().content();
        let line = |number: usize| -> String {
            cells
                .chunks(300)
                .skip(number)
                .take(1)
                .flatten()
                .map(ratatui::buffer::Cell::symbol)
                .collect()
        };
        told.push((second, (0..4).map(line).collect::<Vec<_>>().join("|")));
    }
    told
}

/// The first sentence in a line of the screen, if it is an alarm.
fn alarm(line: &str) -> Option<String> {
    let (_, sentences) = line.split_once("⚠ ")?;
    let first = sentences.split_once(". ").map_or(sentences, |(first, _)| first);
    let plain = first.replace('≈', "").replace(" UTC", "");
    Some(plain.trim().trim_end_matches('.').to_owned())
}

/// The number before a text, and behind another one.
fn number(sentence: &str, after: &str, before: &str) -> Option<f64> {
    let (_, rest) = sentence.split_once(after)?;
    let (number, _) = rest.split_once(before)?;
    number.trim().replace(',', "").parse().ok()
}

/// The share of all time waited, in percent, of the events that had ended by then and took so long.
fn share(events: &[Event], until_s: f64, least_s: f64) -> f64 {
    let ended = || events.iter().filter(|event| event.end_s < until_s);
    let long: f64 = ended().map(|event| event.took_s).filter(|took| *took >= least_s).sum();
    100.0 * long / ended().map(|event| event.took_s).sum::<f64>()
}

/// What is wrong with what is said at the end of a second.
fn fault(story: Story, events: &[Event], (second, line): (u32, &str)) -> Option<&'static str> {
    let Story { planted, begins_s } = story;
    let (now_s, alarm) = (f64::from(second), alarm(line));
    let Some(said) = alarm.filter(|_| now_s > begins_s) else {
        let is_due = match planted {
            Planted::Step | Planted::Band => now_s >= begins_s + 4.0,
            Planted::Stall => now_s > begins_s + 1.0,
        };
        let is_early = now_s <= begins_s && line.contains('⚠');
        return is_early.then_some("too early").or(is_due.then_some("nothing"));
    };
    let begins = number(&said, "From 14:30:", " ");
    if !begins.is_some_and(|begins| (begins - begins_s).abs() <= 1.0) {
        return Some("another beginning");
    }
    let right = match planted {
        Planted::Step => {
            let times = number(&said, "everything took ", " times as long");
            times.is_some_and(|times| (4.6..5.4).contains(&times))
                || (said.contains(" instead of ") && said.contains("(median)"))
                || (now_s < begins_s + 4.0 && said.contains("almost none before"))
        }
        Planted::Band => {
            let of_all = number(&said, ": ", " % of all time waited")
                .or_else(|| number(&said, "before: ", " % of all time waited"));
            // Of the first seconds it is known only that they were slower.
            let is_slower = now_s < begins_s + 4.0 && said.contains(" instead of ");
            let is_new = said.contains("almost none before");
            is_slower
                || is_new
                    && of_all
                        .is_some_and(|of_all| (of_all - share(events, now_s, 0.03)).abs() <= 4.0)
        }
        Planted::Stall if now_s <= begins_s + STALL_S => said.contains("everything stopped"),
        Planted::Stall => {
            let count = events.iter().filter(|event| event.took_s > 2e-2).count() as f64;
            let told = number(&said, "stalled: ", " events waited");
            told.is_some_and(|told| (told / count - 1.0).abs() < 0.05)
                || (now_s < begins_s + STALL_S + 3.0 && said.contains("stalled"))
        }
    };
    (!right).then_some("not it")
}

#[test]
fn the_first_sentence_is_right_soon_and_never_false() {
    let (mut wrong, mut seconds) = (Vec::new(), 0_usize);
    for planted in [Planted::Step, Planted::Stall, Planted::Band] {
        for seed in 1..=grid::cases(20, 1) {
            let mut random = Random::new(Random::new(!seed).next());
            let story = Story {
                planted,
                begins_s: 40.0 + f64::from(u32::try_from(seed).unwrap()) * 0.35 % 1.0,
            };
            let events = events(story, &mut random);
            for (second, line) in told(story, &events) {
                seconds += 1;
                if let Some(why) = fault(story, &events, (second, &line)) {
                    let said = line.split_once('⚠').map_or("", |(_, said)| said.trim());
                    wrong.push(format!("{planted:?}, seed {seed}, {second} s: {why}: {said}"));
                }
            }
        }
    }
    println!("{} of {seconds} seconds wrong", wrong.len());
    // Of 100 seeds each 8 of 8,715 seconds are wrong: chance looks like a period or like two bands.
    assert!(wrong.len() * 400 <= seconds, "{}", wrong.join("\n"));
}
