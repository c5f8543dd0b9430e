//! Statements, costliest first.

use isotherm_oracle::trace::profile::{Profile, Rank, Statement, StatementId};

use super::sentences::{percent, time};
use crate::grid::{Column, Grid, Page, Row};
use crate::numbers::{count, counted};

/// How many of a statement's events are named.
const EVENTS: usize = 3;

/// The statements that the user called, or those called within others; at most `top` one by one.
pub(super) fn list(
    page: &mut Page,
    profile: &Profile,
    (rank, top): (Rank, usize),
    recursive: bool,
) {
    let ranked = profile.ranked(recursive, rank);
    if ranked.is_empty() {
        return;
    }
    let title = if recursive { "Recursive SQL" } else { "SQL" };
    page.title(title, &remark(profile, ranked.len(), rank, recursive));
    let columns = [
        ("elapsed", 0),
        ("%", 0),
        ("own", 1),
        ("cpu", 0),
        ("waits", 2),
        ("calls", 0),
        ("rows", 5),
        ("reads", 4),
        ("gets", 3),
        ("misses", 6),
    ];
    let columns = columns.map(|(title, gives_way)| Column { title, gives_way }).to_vec();
    let (shown, rest) = ranked.split_at(top.min(ranked.len()));
    let mut rows: Vec<Row> = shown.iter().map(|statement| row(profile, statement)).collect();
    if !rest.is_empty() {
        rows.push(Row::new(format!("{} more", count(rest.len() as u64)), values(profile, rest)));
    }
    page.grid(&Grid { title: "", columns, rows });
}

/// The statements that both lists show.
pub(super) fn shown(profile: &Profile, (rank, top): (Rank, usize)) -> Vec<&Statement> {
    let lists = [false, true].map(|recursive| profile.ranked(recursive, rank));
    lists.into_iter().flat_map(|list| list.into_iter().take(top)).collect()
}

fn remark(profile: &Profile, statements: usize, rank: Rank, recursive: bool) -> String {
    let by = match rank {
        Rank::Elapsed if recursive => "own time",
        Rank::Elapsed => "elapsed time",
        Rank::Own => "own time",
        Rank::Cpu => "CPU",
        Rank::Waits => "own waits",
        Rank::Calls => "calls",
        Rank::Rows => "rows",
        Rank::Reads => "blocks read from disk",
        Rank::Gets => "gets",
    };
    let within = if recursive { where_its_time_is(profile) } else { String::new() };
    format!("{} by {by}{within}", counted(statements as u64, "statement"))
}

/// Whether the time of recursive SQL is in the SQL that the user called.
fn where_its_time_is(profile: &Profile) -> String {
    let (only, response) = (profile.recursive_only_ns(), profile.spent.response_ns());
    let share = (response > 0).then(|| only as f64 / response as f64);
    match percent(share).as_str() {
        "-" | "0.0" => "; its time is in the SQL above".to_owned(),
        share => format!(
            "; {share} % of the response time is only here: the calls it was part of are not in \
             the trace"
        ),
    }
}

fn row(profile: &Profile, statement: &Statement) -> Row {
    let text = statement.text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let details = details(profile, statement);
    let name = match statement.key.id {
        StatementId::Others => format!("{} not kept apart", count(statement.folded)),
        id => id.to_string(),
    };
    Row { name, values: values(profile, &[statement]), text, details }
}

/// The values of statements together.
fn values(profile: &Profile, statements: &[&Statement]) -> Vec<String> {
    let sum = |value: fn(&Statement) -> u64| -> u64 {
        statements.iter().fold(0, |sum, statement| sum.saturating_add(value(statement)))
    };
    let response = profile.spent.response_ns();
    let elapsed = sum(Statement::response_ns);
    let share = (response > 0).then(|| elapsed as f64 / response as f64);
    vec![
        time(elapsed),
        percent(share),
        time(sum(Statement::own_response_ns)),
        time(sum(|one| one.calls.all().cpu_ns)),
        time(sum(|one| one.own.waits_ns.saturating_add(one.own.between_ns))),
        count(sum(|one| one.calls.all().count)),
        count(sum(|one| one.calls.all().rows)),
        count(sum(|one| one.calls.all().physical_reads)),
        count(sum(|one| one.calls.all().logical_reads())),
        count(sum(|one| one.calls.all().misses)),
    ]
}

/// Calls by kind, module, parent and the largest waits, in one line.
fn details(profile: &Profile, statement: &Statement) -> String {
    let mut parts: Vec<String> = statement
        .calls
        .called()
        .map(|(kind, costs)| format!("{} {}", kind.word(), count(costs.count)))
        .collect();
    let waits = profile.waits_of(statement);
    let busy = waits.iter().filter(|(event, share)| !event.idle && share.ns > 0);
    parts.extend(busy.take(EVENTS).map(|(event, share)| {
        format!("{} {} ({})", event.name, time(share.ns), count(share.count))
    }));
    if statement.key.recursive {
        let mut parents = statement.parents.clone();
        parents.sort_by_key(|&(key, ns)| (std::cmp::Reverse(ns), key));
        let named = parents.first().map(|(key, _)| {
            let more = if parents.len() > 1 { " and others" } else { "" };
            format!("depth {}, from {}{more}", statement.depth, key.id)
        });
        parts.extend(named);
    }
    parts.extend(statement.module.as_ref().map(|module| format!("module {module}")));
    parts.join(" · ")
}
