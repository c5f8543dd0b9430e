//! The plans of statements, as trees of row sources.

use isotherm_oracle::trace::profile::{Plan, Profile, RowSource, Statement};

use super::sentences::time;
use crate::grid::{Column, Grid, Page, Row};
use crate::numbers::{count, counted};

/// The plans of these statements, in their order.
pub(super) fn list(page: &mut Page, profile: &Profile, statements: &[&Statement]) {
    let plans = |statement: &&Statement| !profile.plans.of(statement.key).is_empty();
    let planned: Vec<&Statement> = statements.iter().copied().filter(plans).collect();
    if planned.is_empty() {
        return;
    }
    page.title("Plans", &remark(profile));
    for statement in planned {
        for plan in profile.plans.of(statement.key) {
            page.words(&heading(statement, plan), false);
            page.grid(&tree(plan));
        }
    }
}

fn remark(profile: &Profile) -> String {
    let below = "starts, gets, reads, writes and time are averages per time the plan was written; all but \
                 starts include the lines below";
    match profile.plans.left_out {
        0 => below.to_owned(),
        1 => format!("{below}; a plan that was written once is left out"),
        times => format!("{below}; plans written {} times are left out", count(times)),
    }
}

fn heading(statement: &Statement, plan: &Plan) -> String {
    let hash = plan.hash.map_or_else(|| "hash unknown".to_owned(), |hash| format!("hash {hash}"));
    format!("{}, {hash}, written {}", statement.key.id, counted(plan.written, "time"))
}

fn tree(plan: &Plan) -> Grid {
    let columns = [
        ("rows 1st", 3),
        ("avg", 0),
        ("max", 4),
        ("starts", 5),
        ("gets", 1),
        ("reads", 2),
        ("writes", 6),
        ("time", 0),
        ("object", 7),
    ];
    let columns = columns.map(|(title, gives_way)| Column { title, gives_way }).to_vec();
    let rows = plan.row_sources.iter().map(|line| row(line, plan.written)).collect();
    Grid { title: "row source", columns, rows }
}

fn row(line: &RowSource, written: u64) -> Row {
    let known = |sum: Option<u64>| sum.map_or_else(|| "-".to_owned(), |sum| average(sum, written));
    let costs = &line.costs;
    let values = vec![
        count(line.first_rows),
        average(line.rows, written),
        count(line.most_rows),
        known(costs.starts),
        known(costs.consistent_gets),
        known(costs.physical_reads),
        known(costs.physical_writes),
        costs.time_ns.map_or_else(|| "-".to_owned(), |ns| time(ns / written.max(1))),
        if line.object > 0 { line.object.to_string() } else { "-".to_owned() },
    ];
    Row::new(format!("{}{}", " ".repeat(line.depth.min(40)), line.operation), values)
}

/// An average; below ten with a decimal where it is no whole number.
fn average(sum: u64, of: u64) -> String {
    let of = of.max(1);
    if sum.is_multiple_of(of) || sum / of >= 10 {
        return count(sum.saturating_add(of / 2) / of);
    }
    format!("{:.1}", sum as f64 / of as f64)
}
