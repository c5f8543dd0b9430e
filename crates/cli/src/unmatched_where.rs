//! What to say where nothing is what `--where` asks for.

use std::collections::BTreeSet;

use isotherm_analysis::FrameTotals;
use isotherm_formats::Only;
use isotherm_pipeline::{Collector, Input, suggestion};

use crate::describe;
use crate::failure::Failure;
use crate::input;
use crate::input_args::InputArgs;

/// That no event is what the conditions ask for, with the values that come nearest.
pub fn no_events(names: &[String], args: &InputArgs) -> Failure {
    let title = input::title(names);
    let near = args.only.iter().enumerate().find_map(|(at, one)| values(names, args, (at, one)));
    let near = near.map(|near| format!(" {near}")).unwrap_or_default();
    Failure::unmatched(format!("{title}: no events{near}"))
}

/// The values of the attribute of a condition among the events that the others allow; `None` if the condition
/// excludes values, or there are no such events.
fn values(names: &[String], args: &InputArgs, (at, only): (usize, &Only)) -> Option<String> {
    let inputs = input::expand(names, &args.oracle).ok()?;
    if only.other || !inputs.iter().all(Input::can_be_read_again) {
        return None;
    }
    let mut others = args.clone();
    others.only.remove(at);
    others.by = vec![only.attribute.clone()];
    others.oracle.idle = true;
    let mut collector = Collector::new(None, FrameTotals::default());
    let mut take = |event| drop(collector.take(event));
    let account = input::read_inputs(&inputs, &others, describe::BINNING, &mut take).ok()?;
    if account.lacks(&only.attribute) {
        return None;
    }
    let mut found = BTreeSet::new();
    for summary in collector.kept.by_time_waited() {
        let mut attributes = summary.series.attributes();
        let own = attributes.find(|(key, _)| *key == only.attribute);
        found.insert(own.map_or(summary.series.name(), |(_, value)| value).to_owned());
    }
    let found: Vec<String> = found.into_iter().collect();
    let Only { attribute, pattern, .. } = only;
    (!found.is_empty())
        .then(|| format!("with {attribute}={pattern}. {}", suggestion(pattern, &found)))
}
