//! Bind variables for programs.

use isotherm_oracle::trace::profile::{BindVariable, Profile, StatementKey};
use schemars::JsonSchema;
use serde::Serialize;

/// A bind variable of a statement.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BindVariable")]
pub(super) struct BindJson<'a> {
    /// Its position, from 0.
    position: u32,
    /// The number of its type.
    type_number: Option<u32>,
    /// The name of its type.
    type_name: Option<&'static str>,
    /// How often it was bound.
    count: u64,
    /// How often a value was written; else it is null, or not known yet.
    values: u64,
    /// How many different values it had.
    different: u64,
    /// Whether it had more than that.
    more: bool,
    /// With --binds the first 20 different values, most frequent first.
    #[serde(skip_serializing_if = "Option::is_none")]
    known_values: Option<Vec<ValueJson<'a>>>,
}

/// A value of a bind variable.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "BindValue")]
struct ValueJson<'a> {
    /// At most 100 characters of it.
    value: &'a str,
    /// How often it was bound.
    count: u64,
}

/// The bind variables of a statement.
pub(super) fn of(profile: &Profile, key: StatementKey) -> Vec<BindJson<'_>> {
    let keeps = profile.binds.keeps_values();
    profile.binds.of(key).map(|(position, variable)| made(position, variable, keeps)).collect()
}

fn made(position: u32, variable: &BindVariable, keeps_values: bool) -> BindJson<'_> {
    let (different, more) = variable.different();
    let known = variable.known_values().into_iter();
    BindJson {
        position,
        type_number: variable.kind,
        type_name: variable.type_name(),
        count: variable.count,
        values: variable.values,
        different,
        more,
        known_values: keeps_values
            .then(|| known.map(|(value, count)| ValueJson { value, count }).collect()),
    }
}
