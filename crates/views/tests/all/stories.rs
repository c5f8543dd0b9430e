//! What is said of seeded recordings in which one thing was planted.

use isotherm_frame::Clock;
use isotherm_views::{Moments, narration};

#[allow(
    dead_code,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the stories of the analysis, not all of them needed here"
)]
#[path = "../../../analysis/tests/stories/mod.rs"]
mod planted;

use planted::{Story, found, planted, steady};

/// What is said of a story.
fn told(story: &Story) -> Vec<String> {
    let (frames, findings) = found(story, 1);
    let zero = frames.iter().map(|frame| frame.start).min().unwrap();
    narration::sentences(&findings.remarks(), &Moments::new(Clock::Epoch, zero))
}

fn story(name: &str) -> Vec<String> {
    let all = planted();
    told(all.iter().find(|story| story.name == name).unwrap())
}

/// The words that one sentence must have: its moment to the second, and what it is. Recordings
/// begin at 14:30:00. Waits of half a second that end in the burst's first second began before it.
const WORDS: [(&str, &[&str]); 10] = [
    ("a burst of 4 s", &["14:32:3", "14:32:39"]),
    ("three times as long", &["14:35:00", "everything took 3", "times as long"]),
    ("a third as long", &["14:35:00", "everything took 67 % less time"]),
    ("everything 20 % longer", &["14:35:40", "everything took 20 % longer"]),
    ("a drift to three times", &["14:30:00", "latency rose steadily"]),
    ("slow waits each minute", &["1m", "10 times"]),
    ("a stall with catch-up", &["14:35:00 to 14:35:02", "nothing ended", "stall"]),
    ("a cache that is lost", &["14:35:00"]),
    ("silence", &["14:33:20 to 14:34:00", "no events"]),
    ("an end", &["14:35:00", "everything stopped"]),
];

#[test]
fn what_was_planted_is_said_with_its_time() {
    for (name, words) in WORDS {
        let told = story(name);
        let right = |sentence: &&String| words.iter().all(|word| sentence.contains(word));
        assert!(told.iter().any(|sentence| right(&sentence)), "{name}: {told:#?}");
    }
}

#[test]
fn where_waiting_dominates_it_comes_first() {
    for name in ["a burst of 4 s", "a stall with catch-up"] {
        let told = story(name);
        let (_, words) = WORDS.iter().find(|(of, _)| *of == name).unwrap();
        assert!(words.iter().all(|word| told[0].contains(word)), "{name}: {told:#?}");
    }
}

#[test]
fn of_what_is_steady_no_moment_and_no_load_is_told() {
    for story in steady() {
        for sentence in told(&story) {
            let alarm = ["From ", "falls into", "Every ", "load"];
            let false_alarm = alarm.iter().find(|word| sentence.contains(**word));
            assert_eq!(false_alarm, None, "{}: {sentence}", story.name);
        }
    }
}
