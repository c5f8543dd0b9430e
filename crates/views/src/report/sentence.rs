//! What is worth saying about an entry, in words.

use isotherm_frame::Nanos;

use super::Entry;
use crate::headline::quantile_name;
use crate::numbers::{quantity, seconds};
use crate::ranges::{Digits, mean, range};
use crate::times::span;

/// One sentence for how much there is, one for how long it takes.
pub(super) fn sentences(entry: &Entry) -> Vec<String> {
    let about = if entry.waited.exact { "" } else { "≈" };
    let covered = Nanos::from_secs_f64(entry.covered_s).unwrap_or_default();
    let per_second = |value: f64| if entry.covered_s > 0.0 { value / entry.covered_s } else { 0.0 };
    let events = entry.events();
    let mut said = vec![format!(
        "{} events in {}: {}/s, waiting {about}{} s in all, {about}{} at any moment.",
        grouped(events),
        span(covered),
        quantity(per_second(events as f64)),
        quantity(entry.waited.seconds),
        seconds(per_second(entry.waited.seconds)),
    )];
    let quantiles: Vec<String> = [0.5, 0.99, 1.0]
        .iter()
        .filter_map(|&q| entry.latencies.quantile(q).ok())
        .map(|found| format!("{} {}", quantile_name(found.q), range(found.bucket, Digits::Three)))
        .collect();
    if !quantiles.is_empty() {
        let mean = mean(entry.latencies.mean_ns(), entry.waited.exact);
        said.push(format!("Mean {mean}, {}.", quantiles.join(", ")));
    }
    said
}

/// A count with its thousands set apart: `12,345`.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
