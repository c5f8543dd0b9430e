//! What was planted in seeded recordings is found with its time, and nothing else is.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "small numbers"
)]

#[path = "stories/mod.rs"]
mod stories;

use stories::{faults, found, planted, steady};
use testing::grid;

#[test]
fn what_was_planted_is_found_and_nothing_else() {
    let mut wrong = Vec::new();
    for story in planted().into_iter().chain(steady()) {
        // A sample has every story once.
        for seed in 1..=grid::cases(3, 1) {
            let fault = faults(story.truth, &found(&story, seed).1);
            wrong.extend(fault.map(|fault| format!("{} (seed {seed}): {fault}", story.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
