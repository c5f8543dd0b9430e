//! What is said around a flame graph.

use isotherm_frame::percent;
use std::fmt::Write as _;

use isotherm_flame::{Counts, Tree};
use isotherm_views::numbers::{grouped, quantity};

use super::graph::FlameGraph;
use super::input::FlameInput;

/// What the maps of `isotherm flame record --off-cpu` are called.
const OFF_CPU: &str = "@off_cpu_ns";

/// How much, how often and how long: `493 samples at 99 Hz in 5.00 s, cpu-clock`.
pub(super) fn facts(graph: &FlameGraph<'_>) -> String {
    match graph.inputs.as_slice() {
        [a, b, ..] => format!("A: {} · B: {}", fact(a), fact(b)),
        [one] => fact(one),
        [] => String::new(),
    }
}

fn fact(input: &FlameInput) -> String {
    let mut text = input.counts.amount(input.total);
    if let Some(hz) = input.rate_hz {
        let _ = write!(text, " at {} Hz", rate(hz));
    }
    if let Some(span_s) = input.span_s.filter(|span_s| *span_s > 0.0) {
        let _ = write!(text, " in {} s", quantity(span_s));
        if input.rate_hz.is_none() {
            let per_second = input.total as f64 / span_s;
            let _ = write!(text, ", {} {}/s", quantity(per_second), input.counts.word());
        }
    }
    if let Some(event) = &input.event {
        text.push_str(", ");
        text.push_str(event);
    }
    text
}

/// A rate in hertz: whole where it is within a thousandth of it.
fn rate(hz: f64) -> String {
    if (hz - hz.round()).abs() < hz / 1e3 { format!("{hz:.0}") } else { quantity(hz) }
}

/// What has to be known to read the picture: the most important first.
pub(super) fn notes(graph: &FlameGraph<'_>) -> Vec<String> {
    let mut notes = vec![
        "Left to right is alphabetical, not chronological; width is the share of all.".to_owned(),
    ];
    if graph.before.is_some() {
        notes.push(comparison(graph));
        notes.extend(gone(graph));
    }
    let mut of_counts: Vec<String> = graph.inputs.iter().map(what_counts_are).collect();
    of_counts.dedup();
    notes.append(&mut of_counts);
    notes.extend(graph.remarks.iter().cloned());
    let is_pair = graph.inputs.len() > 1;
    for (input, name) in graph.inputs.iter().zip(["A", "B"]) {
        let head = if is_pair { format!("{name}: ") } else { String::new() };
        notes.extend(left_out(input).into_iter().map(|note| format!("{head}{note}")));
    }
    notes
}

/// The same, with what a picture of so many frames adds up.
pub(super) fn notes_with(graph: &FlameGraph<'_>, tree: &Tree) -> Vec<String> {
    let mut notes = notes(graph);
    if tree.narrow > 0 {
        let narrow = tree.nodes.iter().enumerate().filter(|(at, _)| tree.is_narrow(*at));
        let count = narrow.fold(0_u64, |sum, (_, node)| sum.saturating_add(node.own));
        let counts = graph.inputs.last().map_or(Counts::Unknown, |input| input.counts);
        notes.push(format!(
            "The narrowest {} frames are added up as {}: {}, {} of all. JSON and folded stacks have each of them.",
            grouped(tree.narrow as u64),
            Tree::NARROW,
            counts.amount(count),
            percent(count as f64 / graph.total().max(1) as f64),
        ));
    }
    notes
}

fn comparison(graph: &FlameGraph<'_>) -> String {
    let (before, after) = (graph.total_before(), graph.total());
    let scale = if before == 0 { 0.0 } else { after as f64 / before as f64 };
    format!(
        "Widths are those of B. Colours compare shares of everything: orange grew from A to B, blue shrank. \
         Counts are normalised: those of A times {}.",
        quantity(scale)
    )
}

/// How much of A the picture, which has the widths of B, does not show.
pub(super) fn gone(graph: &FlameGraph<'_>) -> Option<String> {
    let (gone, before) = (graph.gone(), graph.total_before());
    let counts = graph.inputs.first().map_or(Counts::Unknown, |input| input.counts);
    (gone > 0).then(|| {
        format!(
            "{} of A, {} of it, are in stacks that B does not have: they have no width here.",
            counts.amount(gone),
            percent(gone as f64 / before.max(1) as f64)
        )
    })
}

/// What the counts of an input are, and what they leave out.
fn what_counts_are(input: &FlameInput) -> String {
    let event = input.event.as_deref().unwrap_or_default();
    match input.counts {
        Counts::OnCpuSamples => {
            "On CPU only: time spent waiting, such as for I/O, locks or a processor, is not in this picture."
                .to_owned()
        }
        Counts::Events => {
            format!("Each stack is where one {event} happened: widths are numbers of events, not time. A \
                     sample counts for its period, with --heat once.")
        }
        Counts::Nanoseconds if event == OFF_CPU => {
            "Off CPU only: width is the time that threads did not run, whether they waited or were kept \
             from running. Time on a processor is not in this picture."
                .to_owned()
        }
        Counts::Nanoseconds => "Width is time waited or worked.".to_owned(),
        Counts::Unknown => {
            "The input does not say what is counted. If these are samples of a profiler: on CPU only, \
             time spent waiting is not in this picture."
                .to_owned()
        }
    }
}

/// What was not read, or is not shown.
fn left_out(input: &FlameInput) -> Vec<String> {
    let mut notes = Vec::new();
    if input.rejected > 0 {
        let first = input.rejections.first().map(|first| format!("; {first}")).unwrap_or_default();
        notes.push(format!("{} could not be read{first}.", places(input.rejected)));
    }
    for other in &input.other_events {
        notes.push(format!(
            "Left out: {} of {}. Choose another with --counter.",
            other.counts.amount(other.samples),
            other.event
        ));
    }
    if input.repeated > 0 {
        notes.push(format!(
            "The map was printed more than once, {} for the second time or later: their counts are added \
             up, which is right only if the program clears the map after each print.",
            entries(input.repeated)
        ));
    }
    if input.lost > 0 {
        let lost = Counts::Events.amount(input.lost);
        notes.push(format!("The tool that recorded says that it lost {lost}."));
    }
    if input.outside > 0 {
        let outside = Counts::OnCpuSamples.amount(input.outside);
        notes.push(format!("Left out: {outside} outside of --from and --to."));
    }
    if input.beyond_memory > 0 {
        notes.push(format!(
            "There are more different stacks than fit into memory: {} of the later ones are added up as (other), by \
             program.",
            input.counts.amount(input.beyond_memory)
        ));
    }
    if input.without_frames > 0 {
        notes.push(format!(
            "{} without a stack: shown as the program alone.",
            input.counts.amount(input.without_frames)
        ));
    }
    notes
}

fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{} entries", grouped(count)) }
}

fn places(count: u64) -> String {
    if count == 1 {
        "1 place of the input".to_owned()
    } else {
        format!("{} places of the input", grouped(count))
    }
}
