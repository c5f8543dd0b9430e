//! How often the first sentence about a seeded recording is what was planted in it, and how often
//! something false is said.
//!
//! `cargo run --release -p isotherm-views --example stories -- 100`
//!
//! With `faults` as a second argument the sentences at fault are printed, too, with `told` all of
//! them. The rates measured are in `benches/README.md`.

#![allow(
    dead_code,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a program for developers"
)]

#[path = "../tests/all/stories/pattern.rs"]
mod pattern;
#[path = "../../analysis/tests/stories/mod.rs"]
mod planted;
#[path = "../tests/all/stories/table.rs"]
mod table;

use planted::{faults, found, planted, steady};
use table::{Fault, fault, sentences_of};

fn main() {
    let seeds = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(100_u64);
    let print = std::env::args().nth(2).unwrap_or_default();
    println!(
        "| story | all right of {seeds} | first sentence not it | a false one after it | findings at fault |"
    );
    println!("|---|--:|--:|--:|--:|");
    for story in planted().into_iter().chain(steady()) {
        let all: Vec<Fault> = (1..=seeds).filter_map(|seed| fault(&story, seed)).collect();
        let first = all.iter().filter(|fault| matches!(fault, Fault::First(_))).count();
        let missing = |seed: &u64| faults(story.truth, &found(&story, *seed).1).is_some();
        let findings = (1..=seeds).filter(missing).count();
        let (right, after) = (seeds - all.len() as u64, all.len() - first);
        println!("| {} | {right} | {first} | {after} | {findings} |", story.name);
        if print == "faults" {
            for Fault::First(said) | Fault::False(said) in all.iter().take(5) {
                println!("    {said}");
            }
        }
        if print == "told" {
            (1..=seeds)
                .flat_map(|seed| sentences_of(&story, seed))
                .for_each(|said| println!("    {said}"));
        }
    }
}
