//! How often what was planted in seeded recordings is found, and how often something else is.
//!
//! `cargo run --release -p isotherm-analysis --example stories -- 100`
//!
//! The rates measured are in `benches/README.md`.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a program for developers"
)]

#[path = "../tests/stories/mod.rs"]
mod stories;

use stories::{faults, found, planted, steady};

fn main() {
    let seeds = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(100_u64);
    println!(
        "| story | right of {seeds} | planted thing missing | something else said |\n|---|--:|--:|--:|"
    );
    for story in planted().into_iter().chain(steady()) {
        let faults: Vec<String> =
            (0..seeds).filter_map(|seed| faults(story.truth, &found(&story, seed).1)).collect();
        let missing = faults.iter().filter(|fault| fault.starts_with("missing")).count();
        let others = faults.len() - missing;
        let right = seeds - faults.len() as u64;
        println!("| {} | {right} | {missing} | {others} |", story.name);
        if std::env::var_os("STORIES_FAULTS").is_some() {
            faults.iter().take(3).for_each(|fault| println!("    {fault}"));
        }
    }
}
