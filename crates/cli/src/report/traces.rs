//! What a report shows of SQL traces beside its maps: where their time went, and a flame graph of it.

use isotherm_flame::Stacks;
use isotherm_oracle::trace::profile::{GroupBy, Limits, Profile, Profiler};
use isotherm_oracle::trace::{Account, begins_trace, scan};
use isotherm_report::FlameGraph;
use isotherm_sources::{Address, Bytes};
use isotherm_views::PAGE_GROUPS;

use crate::failure::{Code, Failure};
use crate::flame::trace::{BLOCK_BYTES, described, remarks};
use crate::input;

/// How much of a file shows that it is a trace.
const HEAD: usize = 64 << 10;

/// SQL traces, read once more for what is not a matter of time.
pub struct Traces {
    /// Their profile, with groups for a page.
    pub profile: Profile,
    stacks: Stacks,
    account: Account,
    remarks: Vec<String>,
}

impl Traces {
    /// The traces that these inputs are; `None` if any is something else or cannot be read twice.
    pub fn read(names: &[String]) -> Result<Option<Traces>, Failure> {
        if names.iter().any(|name| name == "-") {
            return Ok(None);
        }
        let mut whole: Option<Traces> = None;
        for file in input::traces(names)? {
            if !matches!(file, Address::File(_)) {
                return Ok(None);
            }
            let Some(one) = Traces::of_file(&file)? else { return Ok(None) };
            match &mut whole {
                None => whole = Some(one),
                Some(whole) => whole.merge(&one),
            }
        }
        Ok(whole)
    }

    fn of_file(file: &Address) -> Result<Option<Traces>, Failure> {
        let name = file.to_string();
        let Ok(mut bytes) = Bytes::open(file) else { return Ok(None) };
        if !begins_trace(&bytes.head(HEAD)?) {
            return Ok(None);
        }
        let by = PAGE_GROUPS.map(str::to_owned).to_vec();
        let mut profiler = Profiler::new(&name, Limits::default(), BLOCK_BYTES)
            .with_stacks()
            .with_groups(GroupBy { by, ..GroupBy::default() });
        let account = scan(&mut bytes, &mut profiler)
            .map_err(|error| Failure::new(Code::Runtime, format!("{name}: {error}")))?;
        let (profile, times) = profiler.finish_with_stacks();
        let mut stacks = Stacks::default();
        for (frames, ns) in &times.stacks {
            stacks.add_named(frames, *ns);
        }
        let remarks = remarks(&profile, &times);
        Ok(Some(Traces { profile, stacks, account, remarks }))
    }

    fn merge(&mut self, other: &Traces) {
        self.profile.merge(&other.profile);
        for (_, frames, count) in other.stacks.iter() {
            let names: Vec<&str> = frames.iter().map(|&frame| other.stacks.name(frame)).collect();
            self.stacks.add_named(&names, count);
        }
        self.account.add(&other.account);
        self.remarks = Vec::new();
    }

    /// Their response time as a flame graph, if there is any.
    pub fn flame(&self, name: &str, command: String) -> Option<FlameGraph<'_>> {
        (self.stacks.total() > 0).then(|| FlameGraph {
            title: "Response time as a flame graph".to_owned(),
            inputs: vec![described(name, &self.account, self.stacks.total())],
            remarks: self.remarks.clone(),
            stacks: &self.stacks,
            before: None,
            heat: None,
            sections: Vec::new(),
            command,
        })
    }
}
