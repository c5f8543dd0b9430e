//! Statements of a profile for programs.

use isotherm_oracle::trace::profile::{CostsByKind, Profile, Statement};
use schemars::JsonSchema;
use serde::Serialize;

use super::binds::{self, BindJson};
use super::plans::PlanJson;
use super::seconds::{seconds, signed_seconds};

/// A statement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Statement")]
pub(super) struct StatementJson<'a> {
    /// sqlid, or hv=N, or text=HASH; in parentheses what is no statement.
    id: String,
    /// How the text begins.
    text: &'a str,
    /// The least recursion depth it was called at.
    depth: u32,
    /// The module that called it.
    module: Option<&'a str>,
    /// How many statements were put together here: 1 but for (all others).
    statements: u64,
    /// Its calls, less idle waits in them, and its waits between calls.
    response_s: f64,
    /// The same without deeper calls.
    own_s: f64,
    /// Processor time without deeper calls; rounding may leave it below zero.
    own_cpu_s: f64,
    /// Waits for the database within its calls and no deeper ones.
    own_waits_s: f64,
    /// Idle waits within its calls and no deeper ones.
    own_idle_s: f64,
    /// Own elapsed time that is neither; negative where the two overlap.
    own_unaccounted_s: f64,
    /// Waits for the database outside of calls.
    waits_between_calls_s: f64,
    /// By kind of call.
    calls: &'a CostsByKind,
    /// Its waits, most time first, idle ones last.
    waits: Vec<WaitsJson<'a>>,
    /// Statements it was called from, the first four.
    parents: Vec<ParentJson>,
    /// The plans it was executed with.
    plans: Vec<PlanJson<'a>>,
    /// Its bind variables.
    binds: Vec<BindJson<'a>>,
}

/// What a statement waited for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Waits")]
pub(super) struct WaitsJson<'a> {
    /// The wait event.
    event: &'a str,
    /// Waits.
    count: u64,
    /// Time waited.
    total_s: f64,
}

/// A statement that called another.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Parent")]
pub(super) struct ParentJson {
    /// Which.
    id: String,
    /// Whether it was called by the database itself.
    recursive: bool,
    /// Elapsed time of what it called.
    elapsed_s: f64,
}

impl<'a> StatementJson<'a> {
    pub(super) fn new(profile: &'a Profile, statement: &'a Statement) -> StatementJson<'a> {
        let waits = profile.waits_of(statement).into_iter().map(|(event, share)| WaitsJson {
            event: &event.name,
            count: share.count,
            total_s: seconds(share.ns),
        });
        let parents = statement.parents.iter().map(|(key, ns)| ParentJson {
            id: key.id.to_string(),
            recursive: key.recursive,
            elapsed_s: seconds(*ns),
        });
        let own = &statement.own;
        StatementJson {
            id: statement.key.id.to_string(),
            text: &statement.text,
            depth: statement.depth,
            module: statement.module.as_deref(),
            statements: statement.folded,
            response_s: seconds(statement.response_ns()),
            own_s: seconds(statement.own_response_ns()),
            own_cpu_s: signed_seconds(own.cpu_ns),
            own_waits_s: seconds(own.waits_ns),
            own_idle_s: seconds(own.idle_ns),
            own_unaccounted_s: signed_seconds(statement.own_unaccounted_ns()),
            waits_between_calls_s: seconds(own.between_ns),
            calls: &statement.calls,
            waits: waits.collect(),
            parents: parents.collect(),
            plans: profile.plans.of(statement.key).iter().map(PlanJson::new).collect(),
            binds: binds::of(profile, statement.key),
        }
    }
}
