//! The profile for programs.

mod between;
mod binds;
mod events;
mod groups;
mod plans;
mod reads;
mod seconds;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use isotherm_oracle::trace::profile::{
    CallCosts, CostsByKind, Finding, Profile, Rank, Transactions,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::json::SchemaVersion;
use between::BetweenCallsJson;
use events::EventJson;
use groups::GroupsJson;
use reads::ReadsJson;
use seconds::{seconds, signed_seconds};
use statements::StatementJson;

/// Where the time of traced Oracle sessions went. Times are in seconds (`_s`) or nanoseconds (`_ns`).
/// Keys may be added while `schema_version` stays 1; none changes its meaning or goes away.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "isotherm trace --format json")]
pub struct TraceProfileJson<'a> {
    schema_version: SchemaVersion<1>,
    /// What was read.
    input: InputJson<'a>,
    /// What limits the truth of all this, worst first.
    findings: Vec<FindingJson<'a>>,
    /// Where the time went: `response_s` = `cpu_s` + `waits_s` + `unaccounted_s`.
    response_time: ResponseTimeJson,
    /// Waits for the client, by the call before; null if there are none.
    between_calls: Option<BetweenCallsJson>,
    /// Calls by kind.
    calls: CallsJson<'a>,
    /// Wait events, most time first, idle ones last.
    events: Vec<EventJson<'a>>,
    /// What the user called.
    statements: Vec<StatementJson<'a>>,
    /// What the database called on its own, within the calls of the user.
    recursive_statements: Vec<StatementJson<'a>>,
    /// How often plans were written that are not kept: more of a statement than 16, or of the cheaper ones of
    /// many statements.
    plans_left_out: u64,
    /// Blocks of data files read.
    reads: ReadsJson,
    /// Ends of transactions.
    transactions: Transactions,
    /// Errors by their numbers.
    errors: Vec<ErrorJson>,
    /// With --by waits and calls in groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<GroupsJson<'a>>,
}

/// What was read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Input")]
struct InputJson<'a> {
    /// Files.
    files: u64,
    /// The first of them.
    first_file: Option<&'a str>,
    /// Releases of the database.
    releases: &'a BTreeSet<String>,
    /// Instances.
    instances: &'a BTreeSet<String>,
    /// Sessions.
    sessions: &'a BTreeSet<String>,
    /// Calls of all depths and LOB calls.
    calls: u64,
    /// Waits.
    waits: u64,
    /// Different statements.
    statements: u64,
    /// Whether that is exact or an estimate (`HyperLogLog`).
    statements_exact: bool,
    /// From the first moment of each file to its last, added up.
    traced_s: f64,
}

/// What limits the truth of a profile.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Finding")]
struct FindingJson<'a> {
    /// Its kind.
    #[schemars(extend("enum" = [
        "size_limited", "no_waits", "damaged", "begins_in_the_middle", "statements_missing",
        "unknown_unit", "centiseconds", "clock_goes_back", "no_clock", "continued", "recreated",
        "several_instances",
    ]))]
    kind: &'static str,
    /// How often.
    count: u64,
    /// In how many files.
    files: u64,
    /// The first of them.
    first_file: &'a str,
    /// It in words.
    text: String,
    /// The first damaged records, where some are.
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<Vec<PlaceJson<'a>>>,
}

/// A damaged record.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Place")]
struct PlaceJson<'a> {
    /// The file.
    file: &'a str,
    /// The line, from 1.
    line: u64,
    /// The byte, from 0.
    byte: u64,
    /// What is wrong.
    why: String,
}

/// Where the time went.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ResponseTime")]
#[expect(clippy::struct_field_names, reason = "the unit of each")]
struct ResponseTimeJson {
    /// Elapsed time of outermost calls, less idle waits in them, and waits between calls.
    response_s: f64,
    /// Processor time.
    cpu_s: f64,
    /// All waits that are not idle.
    waits_s: f64,
    /// Neither; negative where processor time was counted during waits.
    unaccounted_s: f64,
    /// Waits within calls.
    waits_within_calls_s: f64,
    /// Waits between calls.
    waits_between_calls_s: f64,
    /// Idle waits.
    idle_s: f64,
    /// Idle waits within calls.
    idle_within_calls_s: f64,
    /// Response time of recursive calls whose outer call is not in the trace, and of waits between
    /// them: in no statement of the user.
    recursive_only_s: f64,
    /// Time traced with neither call nor wait; null where the clock goes back.
    untraced_s: Option<f64>,
}

/// Calls.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Calls")]
struct CallsJson<'a> {
    /// dep=0, by kind.
    user: &'a CostsByKind,
    /// dep>0, by kind: their costs are in those of the user.
    recursive: &'a CostsByKind,
    /// LOB calls by name.
    lob: &'a BTreeMap<String, CallCosts>,
    /// Waits for a message from the client.
    round_trips: u64,
}

/// An error.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
struct ErrorJson {
    /// The number.
    ora: u32,
    /// How often.
    count: u64,
}

impl<'a> TraceProfileJson<'a> {
    /// The object with at most `top` statements, files and objects, all if there is none;
    /// statements are put in order by `rank`.
    pub fn new(profile: &'a Profile, top: Option<usize>, rank: Rank) -> TraceProfileJson<'a> {
        let top = top.unwrap_or(usize::MAX);
        let statements = |recursive: bool| {
            let ranked = profile.ranked(recursive, rank).into_iter().take(top);
            ranked.map(|one| StatementJson::new(profile, one)).collect()
        };
        let errors = profile.errors.iter();
        TraceProfileJson {
            schema_version: SchemaVersion,
            input: InputJson::new(profile),
            findings: profile.findings.iter().map(|one| FindingJson::new(profile, one)).collect(),
            response_time: ResponseTimeJson::new(profile),
            between_calls: BetweenCallsJson::new(profile, top),
            calls: CallsJson::new(profile),
            events: profile.events.by_time().into_iter().map(EventJson::new).collect(),
            statements: statements(false),
            recursive_statements: statements(true),
            plans_left_out: profile.plans.left_out,
            reads: ReadsJson::new(&profile.reads, top),
            transactions: profile.transactions,
            errors: errors.map(|(&ora, &count)| ErrorJson { ora, count }).collect(),
            groups: profile.groups.as_ref().map(|groups| GroupsJson::new(profile, groups, top)),
        }
    }
}

impl<'a> InputJson<'a> {
    fn new(profile: &'a Profile) -> InputJson<'a> {
        let inputs = &profile.inputs;
        let (statements, statements_exact) = profile.statements.distinct();
        InputJson {
            files: inputs.files,
            first_file: inputs.first.as_deref(),
            releases: &inputs.releases,
            instances: &inputs.instances,
            sessions: &inputs.sessions,
            calls: inputs.calls,
            waits: inputs.waits,
            statements,
            statements_exact,
            traced_s: seconds(inputs.traced_ns),
        }
    }
}

impl<'a> FindingJson<'a> {
    fn new(profile: &'a Profile, finding: &'a Finding) -> FindingJson<'a> {
        let places = profile.findings.damage().iter().map(|damage| PlaceJson {
            file: &damage.file,
            line: damage.line,
            byte: damage.byte,
            why: damage.why.to_string(),
        });
        FindingJson {
            kind: finding.kind.word(),
            count: finding.count,
            files: finding.files,
            first_file: &finding.first,
            text: finding.to_string(),
            places: (finding.kind.word() == "damaged").then(|| places.collect()),
        }
    }
}

impl ResponseTimeJson {
    fn new(profile: &Profile) -> ResponseTimeJson {
        let spent = &profile.spent;
        ResponseTimeJson {
            response_s: seconds(spent.response_ns()),
            cpu_s: seconds(spent.cpu_ns),
            waits_s: seconds(spent.waits_ns()),
            unaccounted_s: signed_seconds(spent.unaccounted_ns()),
            waits_within_calls_s: seconds(spent.waits_within_ns),
            waits_between_calls_s: seconds(spent.waits_between_ns),
            idle_s: seconds(spent.idle_ns()),
            idle_within_calls_s: seconds(spent.idle_within_ns),
            recursive_only_s: seconds(profile.recursive_only_ns()),
            untraced_s: profile.untraced_ns().map(signed_seconds),
        }
    }
}

impl<'a> CallsJson<'a> {
    fn new(profile: &'a Profile) -> CallsJson<'a> {
        CallsJson {
            user: &profile.user_calls,
            recursive: &profile.recursive_calls,
            lob: &profile.lob_calls,
            round_trips: profile.round_trips(),
        }
    }
}
