//! What was bound to the variables of statements.

use isotherm_oracle::trace::profile::{BindVariable, Profile, Statement};

use crate::grid::{Column, Grid, Page, Row};
use crate::numbers::count;

/// How many values of a variable are shown.
const SHOWN: usize = 8;

/// The bind variables of these statements, in their order; values only where they are kept.
pub(super) fn list(page: &mut Page, profile: &Profile, statements: &[&Statement]) {
    let mut rows = Vec::new();
    for statement in statements {
        for (position, variable) in profile.binds.of(statement.key) {
            rows.push(row(format!("{} bind {position}", statement.key.id), variable));
        }
    }
    if rows.is_empty() {
        return;
    }
    let remark =
        if profile.binds.keeps_values() { "" } else { "values are masked; --binds shows them" };
    page.title("Bind variables", remark);
    let columns = [("type", 0), ("bound", 0), ("values", 1), ("different", 0)];
    let columns = columns.map(|(title, gives_way)| Column { title, gives_way }).to_vec();
    page.grid(&Grid { title: "", columns, rows });
}

fn row(name: String, variable: &BindVariable) -> Row {
    let (different, more) = variable.different();
    let more = if more { ">" } else { "" };
    let values = vec![
        kind(variable),
        count(variable.count),
        count(variable.values),
        format!("{more}{}", count(different)),
    ];
    let known = variable.known_values();
    let mut shown: Vec<String> = known
        .iter()
        .take(SHOWN)
        .map(|(text, times)| format!("{text} ({})", count(*times)))
        .collect();
    if known.len() > SHOWN || (!known.is_empty() && different > known.len() as u64) {
        shown.push("…".to_owned());
    }
    Row { details: shown.join(" · "), ..Row::new(name, values) }
}

/// The type: its name, or its number.
pub(super) fn kind(variable: &BindVariable) -> String {
    match (variable.type_name(), variable.kind) {
        (Some(name), _) => name.to_owned(),
        (None, Some(number)) => format!("type {number}"),
        (None, None) => "-".to_owned(),
    }
}
