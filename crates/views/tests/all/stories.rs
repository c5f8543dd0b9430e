//! What is said of seeded recordings in which one thing was planted.

pub mod pattern;
mod table;

#[allow(
    dead_code,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the stories of the analysis, not all of them needed here"
)]
#[path = "../../../analysis/tests/stories/mod.rs"]
mod planted;

use table::{Fault, TRUTHS, fault};
use testing::grid;

#[test]
fn the_first_sentence_is_what_was_planted_and_no_other_is_false() {
    let stories = || planted::planted().into_iter().chain(planted::steady());
    assert_eq!(stories().count(), TRUTHS.len());
    let mut wrong = Vec::new();
    for story in stories() {
        // A sample has every story once.
        for seed in 1..=grid::cases(3, 1) {
            match fault(&story, seed) {
                Some(Fault::First(said)) => {
                    wrong.push(format!("{} ({seed}): first {said}", story.name));
                }
                Some(Fault::False(said)) => {
                    wrong.push(format!("{} ({seed}): also {said}", story.name));
                }
                None => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
