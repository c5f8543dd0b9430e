//! The profile for programs: one JSON object, described by `docs/schema/trace.schema.json`.

use std::io::{self, Write};

use isotherm_oracle::trace::profile::{
    CallCosts, CostsByKind, Distinct, Event, Profile, Rank, ReadTallies, ReadTally, Reads,
    Statement,
};
use serde_json::{Map, Value, json};

/// The version of the object's schema.
pub const TRACE_SCHEMA_VERSION: u64 = 1;

/// The profile as one JSON object.
#[derive(Copy, Clone, Debug)]
pub struct TraceProfileJson {
    /// How many statements, files and objects are listed; `None` for all that are known.
    pub top: Option<usize>,
    /// What statements are put in order by.
    pub rank: Rank,
}

impl TraceProfileJson {
    /// Writes the object on one line. Fails only when `out` does.
    pub fn render(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let top = self.top.unwrap_or(usize::MAX);
        let events = profile.events.by_time();
        let errors = profile.errors.iter();
        let object = json!({
            "schema_version": TRACE_SCHEMA_VERSION,
            "input": input(profile),
            "findings": findings(profile),
            "response_time": response_time(profile),
            "calls": calls(profile),
            "events": events.into_iter().map(event).collect::<Vec<Value>>(),
            "statements": self.statements(profile, false, top),
            "recursive_statements": self.statements(profile, true, top),
            "reads": reads(&profile.reads, top),
            "transactions": {
                "commits": profile.transactions.commits,
                "rollbacks": profile.transactions.rollbacks,
                "read_only": profile.transactions.read_only,
            },
            "errors": errors
                .map(|(error, count)| json!({ "ora": error, "count": count }))
                .collect::<Vec<Value>>(),
        });
        serde_json::to_writer(&mut *out, &object)?;
        out.write_all(b"\n")
    }

    fn statements(&self, profile: &Profile, recursive: bool, top: usize) -> Vec<Value> {
        let ranked = profile.ranked(recursive, self.rank).into_iter().take(top);
        ranked.map(|one| statement(profile, one)).collect()
    }
}

fn input(profile: &Profile) -> Value {
    let inputs = &profile.inputs;
    let (distinct, exact) = profile.statements.distinct();
    json!({
        "files": inputs.files,
        "first_file": inputs.first.as_deref(),
        "releases": inputs.releases,
        "instances": inputs.instances,
        "sessions": inputs.sessions,
        "calls": inputs.calls,
        "waits": inputs.waits,
        "statements": distinct,
        "statements_exact": exact,
        "traced_s": seconds(inputs.traced_ns),
    })
}

fn findings(profile: &Profile) -> Vec<Value> {
    let places: Vec<Value> = profile
        .findings
        .damage()
        .iter()
        .map(|damage| {
            json!({
                "file": &*damage.file,
                "line": damage.line,
                "byte": damage.byte,
                "why": damage.why,
            })
        })
        .collect();
    let found = profile.findings.iter().map(|finding| {
        let mut value = json!({
            "kind": finding.kind.word(),
            "count": finding.count,
            "files": finding.files,
            "first_file": &*finding.first,
            "text": finding.to_string(),
        });
        if finding.kind.word() == "damaged" {
            value["places"] = Value::from(places.clone());
        }
        value
    });
    found.collect()
}

fn response_time(profile: &Profile) -> Value {
    let spent = &profile.spent;
    json!({
        "response_s": seconds(spent.response_ns()),
        "cpu_s": seconds(spent.cpu_ns),
        "waits_s": seconds(spent.waits_ns()),
        "unaccounted_s": signed_seconds(spent.unaccounted_ns()),
        "waits_within_calls_s": seconds(spent.waits_within_ns),
        "waits_between_calls_s": seconds(spent.waits_between_ns),
        "idle_s": seconds(spent.idle_ns()),
        "idle_within_calls_s": seconds(spent.idle_within_ns),
        "recursive_only_s": seconds(profile.recursive_only_ns()),
        "untraced_s": profile.untraced_ns().map(signed_seconds),
    })
}

fn calls(profile: &Profile) -> Value {
    let lobs: Map<String, Value> =
        profile.lob_calls.iter().map(|(name, costs)| (name.clone(), self::costs(costs))).collect();
    json!({
        "user": by_kind(&profile.user_calls),
        "recursive": by_kind(&profile.recursive_calls),
        "lob": lobs,
        "round_trips": profile.round_trips(),
    })
}

fn by_kind(calls: &CostsByKind) -> Map<String, Value> {
    calls.called().map(|(kind, costs)| (kind.word().to_owned(), self::costs(costs))).collect()
}

fn costs(costs: &CallCosts) -> Value {
    json!({
        "count": costs.count,
        "elapsed_s": seconds(costs.elapsed_ns),
        "cpu_s": seconds(costs.cpu_ns),
        "rows": costs.rows,
        "physical_reads": costs.physical_reads,
        "consistent_gets": costs.consistent_gets,
        "current_gets": costs.current_gets,
        "misses": costs.misses,
    })
}

fn event(event: &Event) -> Value {
    let buckets = event.latencies();
    let buckets = buckets.non_zero().map(|(bucket, count)| {
        json!({
            "lo_ns": bucket.lo.as_nanos(),
            "hi_ns": bucket.hi.map(isotherm_frame::Nanos::as_nanos),
            "count": count,
        })
    });
    let quantiles = [0.5, 0.9, 0.99].into_iter().filter_map(|q| {
        let (lo, hi) = event.quantile(q)?;
        Some(json!({ "q": q, "lo_ns": lo, "hi_ns": hi }))
    });
    json!({
        "name": &*event.name,
        "idle": event.idle,
        "count": event.count,
        "total_s": seconds(event.total_ns),
        "mean_ns": event.mean_ns(),
        "min_ns": event.min_ns,
        "max_ns": event.max_ns,
        "quantiles": quantiles.collect::<Vec<Value>>(),
        "buckets": buckets.collect::<Vec<Value>>(),
    })
}

fn statement(profile: &Profile, statement: &Statement) -> Value {
    let waits = profile.waits_of(statement).into_iter().map(|(event, share)| {
        json!({ "event": &*event.name, "count": share.count, "total_s": seconds(share.ns) })
    });
    let parents = statement.parents.iter().map(|(key, ns)| {
        json!({ "id": key.id.to_string(), "recursive": key.recursive, "elapsed_s": seconds(*ns) })
    });
    json!({
        "id": statement.key.id.to_string(),
        "text": &*statement.text,
        "depth": statement.depth,
        "module": statement.module.as_deref(),
        "statements": statement.folded,
        "response_s": seconds(statement.response_ns()),
        "own_s": seconds(statement.own_response_ns()),
        "own_cpu_s": signed_seconds(statement.own.cpu_ns),
        "own_waits_s": seconds(statement.own.waits_ns),
        "own_idle_s": seconds(statement.own.idle_ns),
        "own_unaccounted_s": signed_seconds(statement.own_unaccounted_ns()),
        "waits_between_calls_s": seconds(statement.own.between_ns),
        "calls": by_kind(&statement.calls),
        "waits": waits.collect::<Vec<Value>>(),
        "parents": parents.collect::<Vec<Value>>(),
    })
}

fn reads(reads: &Reads, top: usize) -> Value {
    let known = !reads.distinct.is_empty();
    json!({
        "block_bytes": reads.block_bytes,
        "addressed": tally(reads.addressed),
        "unaddressed": tally(reads.unaddressed),
        "temporary": tally(reads.temporary),
        "distinct_blocks": known.then(|| reads.distinct_blocks()),
        "distinct_standard_error": Distinct::STANDARD_ERROR,
        "working_set_bytes": known.then(|| reads.distinct_bytes()),
        "reread_factor": reads.reread_factor(),
        "files": tallies(&reads.files, "file", top),
        "objects": tallies(&reads.objects, "object", top),
    })
}

fn tallies<K: Copy + Eq + Ord + std::hash::Hash + Into<Value>>(
    tallies: &ReadTallies<K>,
    key: &str,
    top: usize,
) -> Vec<Value> {
    let listed = tallies.by_time().into_iter().take(top).map(|(number, tally)| {
        let mut value = self::tally(tally);
        value[key] = number.into();
        value
    });
    listed.collect()
}

fn tally(tally: ReadTally) -> Value {
    json!({ "reads": tally.reads, "blocks": tally.blocks, "total_s": seconds(tally.ns) })
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

fn signed_seconds(ns: i64) -> f64 {
    ns as f64 / 1e9
}
