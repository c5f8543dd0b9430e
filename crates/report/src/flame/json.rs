//! A flame graph for programs.

use std::io::Write;

use isotherm_flame::{FunctionTotal, Stacks};
use isotherm_views::{SchemaVersion, generator, write_json};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::graph::FlameGraph;
use super::input::FlameInput;
use super::words;
use crate::error::ReportError;

/// Stacks with their counts, and what is known of them. Keys may be added while `schema_version`
/// stays 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm flame --format json")]
pub struct FlameJson<'a> {
    schema_version: SchemaVersion<1>,
    /// What wrote this, with its version.
    generator: String,
    /// What it is called.
    title: &'a str,
    /// The command that makes it again, without secrets.
    command: &'a str,
    /// What was read: one input, or A and B.
    inputs: &'a [FlameInput],
    /// What is to be known to read the numbers.
    notes: Vec<String>,
    /// The sum of all counts; of a comparison those of B.
    total: u64,
    /// Of a comparison the sum of A's counts.
    total_before: Option<u64>,
    /// What each function costs wherever it stands, most of its own first; of a comparison those of A or
    /// B, the most changed share of its own first.
    functions: Vec<FunctionJson<'a>>,
    /// Every stack.
    #[schemars(with = "Vec<StackJson<'a>>")]
    stacks: EachStack<'a>,
}

/// What a function costs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct FunctionJson<'a> {
    /// The name, with `_[k]` behind it if it is the operating system's kernel's.
    name: &'a str,
    /// The count of stacks that end in it.
    own: u64,
    /// The count of stacks that it is in.
    total: u64,
    /// Of a comparison the count of A's stacks that end in it.
    own_before: Option<u64>,
    /// Of a comparison the count of A's stacks that it is in.
    total_before: Option<u64>,
}

/// A stack.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct StackJson<'a> {
    /// Its frames, the outermost first.
    frames: Vec<&'a str>,
    /// How often, or for how many nanoseconds; of a comparison in B.
    count: u64,
    /// Of a comparison the same in A.
    before: Option<u64>,
}

/// The stacks, each made when it is written: all of them with their names take many times the room.
#[derive(Clone, Debug)]
struct EachStack<'a> {
    stacks: &'a Stacks,
    before: Option<&'a [u64]>,
}

impl Serialize for EachStack<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.stacks.iter().map(|(id, frames, count)| StackJson {
            frames: frames.iter().map(|&frame| self.stacks.name(frame)).collect(),
            count,
            before: self.before.map(|counts| counts.get(id as usize).copied().unwrap_or(0)),
        }))
    }
}

fn functions<'a>(graph: &FlameGraph<'a>) -> Vec<FunctionJson<'a>> {
    let stacks = graph.stacks;
    let function = |function: &FunctionTotal, before: Option<&FunctionTotal>| FunctionJson {
        name: stacks.name(function.name),
        own: function.own,
        total: function.total,
        own_before: before.map(|before| before.own),
        total_before: before.map(|before| before.total),
    };
    match graph.changes() {
        Some(changes) => {
            changes.iter().map(|change| function(&change.b, Some(&change.a))).collect()
        }
        None => stacks.functions().iter().map(|total| function(total, None)).collect(),
    }
}

/// Writes the stacks as one JSON object.
pub fn flame_json(graph: &FlameGraph<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let json = FlameJson {
        schema_version: SchemaVersion,
        generator: generator(),
        title: &graph.title,
        command: &graph.command,
        inputs: &graph.inputs,
        notes: words::notes(graph),
        total: graph.total(),
        total_before: graph.before.map(|_| graph.total_before()),
        functions: functions(graph),
        stacks: EachStack { stacks: graph.stacks, before: graph.before },
    };
    write_json(&json, out)?;
    Ok(())
}
