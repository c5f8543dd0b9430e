//! What a report shows of SQL traces beside its maps: where their time went, and a flame graph of it.

use std::path::Path;

use isotherm_analysis::side_by_side;
use isotherm_live::{Address, open_bytes};
use isotherm_oracle::trace::profile::{GroupBy, Limits, Profile, Profiler};
use isotherm_oracle::trace::{TraceUnit, begins_trace};
use isotherm_report::FlameGraph;
use isotherm_views::PAGE_GROUPS;

use crate::failure::Failure;
use crate::flame::trace::{BLOCK_BYTES, TimedTraces};
use crate::input;
use crate::input_args::InputArgs;

/// How much of a file shows that it is a trace.
const HEAD: usize = 64 << 10;

/// SQL traces, read once more for what is not a matter of time.
pub struct Traces(TimedTraces);

impl Traces {
    /// The traces that these inputs are; `None` if any is something else or cannot be read twice.
    pub fn read(names: &[String], args: &InputArgs) -> Result<Option<Traces>, Failure> {
        if names.iter().any(|name| name == "-") {
            return Ok(None);
        }
        let unit = args.unit.map(TraceUnit::given);
        // What is read of them over time says which are read once.
        let (files, _) = input::traces(names, args.again)?;
        let read = side_by_side(&files, |file| of_file(file, unit));
        let mut whole: Option<TimedTraces> = None;
        for one in read {
            let Some(one) = one? else { return Ok(None) };
            match &mut whole {
                None => whole = Some(one),
                Some(whole) => whole.merge(&one),
            }
        }
        Ok(whole.map(Traces))
    }

    /// Whether all of these are files, so that they can be read at the same time for something else.
    pub fn are_files(names: &[String]) -> bool {
        let is_file = |name: &String| Path::new(name).metadata().is_ok_and(|known| known.is_file());
        names.iter().all(is_file)
    }

    /// Their profile, with groups for a page.
    pub fn profile(&self) -> &Profile {
        &self.0.profile
    }

    /// Their response time as a flame graph, if there is any.
    pub fn flame(&self, name: &str, command: String) -> Option<FlameGraph<'_>> {
        (self.0.stacks.total() > 0).then(|| FlameGraph {
            title: "Response time as a flame graph".to_owned(),
            inputs: vec![self.0.described(name)],
            remarks: self.0.remarks(),
            stacks: &self.0.stacks,
            before: None,
            heat: None,
            sections: Vec::new(),
            command,
        })
    }
}

fn of_file(file: &Address, unit: Option<TraceUnit>) -> Result<Option<TimedTraces>, Failure> {
    if !matches!(file, Address::File(_)) {
        return Ok(None);
    }
    let name = file.to_string();
    let Ok(mut input) = open_bytes(file) else { return Ok(None) };
    if !begins_trace(&input.head(HEAD)?) {
        return Ok(None);
    }
    let by = PAGE_GROUPS.map(str::to_owned).to_vec();
    let profiler = Profiler::new(&name, Limits::default(), BLOCK_BYTES)
        .with_unit(unit)
        .with_groups(GroupBy { by, ..GroupBy::default() });
    TimedTraces::read(&name, &mut input, profiler).map(Some)
}
