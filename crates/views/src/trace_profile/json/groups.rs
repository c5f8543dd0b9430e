//! Groups of waits and calls for programs.

use std::collections::HashMap;

use isotherm_oracle::trace;
use isotherm_oracle::trace::profile::{Group, Groups, Longest, Profile};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::groups::{Outliers, share, whole_ns};
use super::seconds::signed_seconds;
use crate::json::BucketJson;

/// Waits and calls by the attributes of --by. A wait counts with its time; a call with its time
/// outside of waits and deeper calls, its event is `(CPU and not accounted for)`. Without --where the
/// groups add up to the response time, with --idle to that and the idle waits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Groups")]
pub(super) struct GroupsJson<'a> {
    /// The attributes, in the order of the values of groups.
    by: &'a [String],
    /// Whether idle waits take part.
    idle: bool,
    /// Waits and calls in all groups.
    count: u64,
    /// Their time.
    total_s: f64,
    /// Waits and calls that do not match --where.
    unwanted: u64,
    /// Groups, most time first.
    groups: Vec<GroupJson<'a>>,
    /// What there was no room to tell apart.
    others: Option<GroupJson<'a>>,
    /// The longest waits, the longest first.
    longest_waits: Vec<LongestJson<'a>>,
    /// Attributes asked for that no wait and no call has.
    never_met: Vec<&'a str>,
}

/// Waits and calls with the same values of the attributes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Group")]
struct GroupJson<'a> {
    /// The values of the attributes; null where there is none.
    values: Vec<Option<&'a str>>,
    /// Of groups by sql how the statement's text begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    /// Waits and calls.
    count: u64,
    /// Their time.
    total_s: f64,
    /// Its share of the response time, with --idle of that and the idle waits; null without any.
    share: Option<f64>,
    /// The mean.
    mean_ns: Option<f64>,
    /// The exact shortest; rounding may leave it below zero for a call.
    min_ns: i64,
    /// The exact longest.
    max_ns: i64,
    /// Buckets with waits and calls, `hi_ns` exclusive.
    buckets: Vec<BucketJson>,
    /// What lies far beyond the rest, as in maps; null if nothing does.
    outliers: Option<OutliersJson>,
    /// The longest, the longest first.
    longest: Vec<LongestJson<'a>>,
}

/// What lies far beyond the rest.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "GroupOutliers")]
struct OutliersJson {
    /// From where on.
    from_ns: u64,
    /// Where the others end.
    others_end_ns: u64,
    /// How many.
    count: u64,
}

/// A wait or call, and where it is.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Longest")]
struct LongestJson<'a> {
    /// How long.
    ns: i64,
    /// What was waited for.
    event: &'a str,
    /// The statement.
    sql: &'a str,
    /// The call it is part of, or between calls.
    call: &'static str,
    /// The file.
    file: &'a str,
    /// The line, from 1.
    line: u64,
}

impl<'a> GroupsJson<'a> {
    pub(super) fn new(profile: &'a Profile, groups: &'a Groups, top: usize) -> GroupsJson<'a> {
        let all = groups.all();
        let whole = whole_ns(profile, groups);
        let sql = groups.by.iter().position(|name| trace::Attribute::named(name.trim()).is_sql());
        let texts = sql.map(|_| texts(profile)).unwrap_or_default();
        let group = |(values, group): (&'a [Option<Box<str>>], &'a Group)| {
            let values: Vec<Option<&str>> = values.iter().map(Option::as_deref).collect();
            let id = sql.and_then(|at| values.get(at).copied().flatten());
            let text = id.and_then(|id| texts.get(id).copied());
            GroupJson { text, ..GroupJson::new(values, group, whole) }
        };
        let others = (groups.others.tally.count > 0)
            .then(|| GroupJson::new(Vec::new(), &groups.others, whole));
        let sorted = groups.by_time().into_iter().take(top);
        GroupsJson {
            by: &groups.by,
            idle: groups.idle,
            count: all.count,
            total_s: signed_seconds(all.total_ns),
            unwanted: groups.unwanted,
            groups: sorted.map(|(values, one)| group((values.as_slice(), one))).collect(),
            others,
            longest_waits: groups.longest.iter().map(LongestJson::new).collect(),
            never_met: groups.never_met().0,
        }
    }
}

/// How the texts of statements begin, by what the statements are called; of several the first.
fn texts(profile: &Profile) -> HashMap<String, &str> {
    let mut texts = HashMap::new();
    for statement in profile.statements.iter().filter(|statement| !statement.text.is_empty()) {
        texts.entry(statement.key.id.to_string()).or_insert(&*statement.text);
    }
    texts
}

impl<'a> GroupJson<'a> {
    fn new(values: Vec<Option<&'a str>>, group: &'a Group, whole: u64) -> GroupJson<'a> {
        let tally = &group.tally;
        let buckets = tally.latencies();
        let buckets = buckets.non_zero();
        let outliers = Outliers::of(tally).map(|found| OutliersJson {
            from_ns: found.from_ns,
            others_end_ns: found.others_end_ns,
            count: found.count,
        });
        GroupJson {
            values,
            text: None,
            count: tally.count,
            total_s: signed_seconds(tally.total_ns),
            share: share(tally.total_ns, whole),
            mean_ns: tally.mean_ns(),
            min_ns: tally.min_ns,
            max_ns: tally.max_ns,
            buckets: buckets
                .map(|(bucket, count)| BucketJson { range: bucket.into(), count })
                .collect(),
            outliers,
            longest: group.longest.iter().map(LongestJson::new).collect(),
        }
    }
}

impl<'a> LongestJson<'a> {
    fn new(one: &'a Longest) -> LongestJson<'a> {
        LongestJson {
            ns: one.ns,
            event: &one.event,
            sql: &one.sql,
            call: one.call,
            file: &one.file,
            line: one.line,
        }
    }
}
