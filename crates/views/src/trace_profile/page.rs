//! The profile as sections of a page: what opens by a click leads from a statement to its calls, their
//! waits, and the longest of these in the file.

use std::collections::HashMap;

use isotherm_oracle::trace::profile::{
    BindVariable, Event, Group, Groups, Longest, Plan, Profile, Rank, RowSource, SpentOn,
    Statement, Tally, Values,
};

use super::between;
use super::binds::kind;
use super::distribution::bars;
use super::groups::{outliers, place, share};
use super::sentences::{inputs, mean, percent, quantile, signed_time, time, within_calls};
use crate::numbers::{count, counted};
use crate::section::{Detail, Section, Table};

/// How many statements, and rows of a table, are shown.
const STATEMENTS: usize = 25;
const ROWS: usize = 40;
/// How much of a statement's text stands in its line.
const TEXT: usize = 90;
/// What a page groups by: its sections are made of these groups.
pub const PAGE_GROUPS: [&str; 3] = ["sql", "call", "event"];

/// The sections of a profile whose groups are by [`PAGE_GROUPS`].
pub fn trace_sections(profile: &Profile) -> Vec<Section> {
    let mut sections: Vec<Section> = between_calls(profile).into_iter().collect();
    sections.push(response_time(profile));
    if let Some(groups) = &profile.groups {
        sections.push(statements(profile, groups));
        sections.push(longest(groups));
    }
    sections
}

/// The row sources of every plan, for a page that shows something else of the trace.
pub fn row_sources(profile: &Profile) -> Option<Section> {
    let mut ranked = profile.ranked(false, Rank::Elapsed);
    ranked.extend(profile.ranked(true, Rank::Elapsed));
    let details = ranked.into_iter().take(STATEMENTS).filter_map(|statement| {
        let id = statement.key.id.to_string();
        let plans = profile.plans.of(statement.key).iter();
        let tables: Vec<Table> = plans.map(|one| plan(&id, one)).collect();
        let summary = format!("{id}: {}", text_of(statement));
        (!tables.is_empty()).then(|| Detail { summary, tables, ..Detail::default() })
    });
    let details: Vec<Detail> = details.collect();
    let sentences = vec![
        "From the STAT lines of the trace, averages of what was written: gets, reads and time of a row \
         source hold those of the row sources below it."
            .to_owned(),
    ];
    (!details.is_empty()).then(|| Section {
        title: "Row sources".to_owned(),
        sentences,
        details,
        ..Section::default()
    })
}

/// Waits for the client by the call before, where they are most of the time.
fn between_calls(profile: &Profile) -> Option<Section> {
    let headline = between::headline(profile)?;
    let head: Vec<&str> = ["waits for the client"].into_iter().chain(between::HEADS).collect();
    let rows = between::rows(profile).into_iter().map(|(name, mut values)| {
        values.insert(0, name);
        values
    });
    Some(Section {
        title: "Between calls".to_owned(),
        sentences: vec![headline, "Percentages are of all time.".to_owned()],
        tables: vec![table("By the call before", &head, rows.collect())],
        ..Section::default()
    })
}

fn response_time(profile: &Profile) -> Section {
    let mut sentences = vec![within_calls(profile), inputs(profile)];
    sentences.push(
        "The profile is of the whole trace; --from, --to, --series and --where choose what the \
         maps show."
            .to_owned(),
    );
    sentences.extend(profile.findings.iter().map(|finding| format!("⚠ {finding}")));
    let plain = |name: &str, ns: i64, share| {
        let mut row = vec![name.to_owned(), signed_time(ns), percent(share)];
        row.resize(10, String::new());
        row
    };
    let mut rows: Vec<Vec<String>> = profile
        .parts()
        .iter()
        .map(|part| match part.on {
            SpentOn::Cpu | SpentOn::Unaccounted => plain(part.name(), part.ns, part.share),
            SpentOn::Wait(event) => waits(event, percent(part.share)),
        })
        .collect();
    let idle = profile.events.by_time().into_iter().filter(|event| event.idle);
    rows.extend(idle.map(|event| waits(event, "idle".to_owned())));
    let head = ["spent in", "time", "%", "waits", "mean", "min", "p50", "p90", "p99", "max"];
    Section {
        title: "Where the time went".to_owned(),
        sentences,
        tables: vec![table("Response time", &head, rows)],
        ..Section::default()
    }
}

fn waits(event: &Event, share: String) -> Vec<String> {
    vec![
        event.name.to_string(),
        time(event.total_ns),
        share,
        count(event.count),
        mean(event.mean_ns()),
        time(event.min_ns),
        quantile(event, 0.5),
        quantile(event, 0.9),
        quantile(event, 0.99),
        time(event.max_ns),
    ]
}

/// A group by its statement, call and event.
type Row<'a> = (&'a Values, &'a Group);

fn value<'a>(row: &Row<'a>, at: usize) -> &'a str {
    row.0.get(at).and_then(Option::as_deref).unwrap_or("(none)")
}

/// Rows with the same value, and their sum.
struct Part<'a> {
    name: &'a str,
    tally: Tally,
    rows: Vec<Row<'a>>,
}

/// Rows by their value at a place, most time first.
fn split<'a>(rows: &[Row<'a>], at: usize) -> Vec<Part<'a>> {
    let mut parts: Vec<Part<'a>> = Vec::new();
    let mut known = HashMap::new();
    for row in rows {
        let name = value(row, at);
        let place = *known.entry(name).or_insert(parts.len());
        if place == parts.len() {
            parts.push(Part { name, tally: Tally::default(), rows: Vec::new() });
        }
        parts[place].tally.add(&row.1.tally);
        parts[place].rows.push(*row);
    }
    parts.sort_by_key(|part| (std::cmp::Reverse(part.tally.total_ns), part.name));
    parts
}

fn statements(profile: &Profile, groups: &Groups) -> Section {
    let all = split(&groups.by_time(), 0);
    let (shown, rest) = all.split_at(STATEMENTS.min(all.len()));
    let whole = profile.spent.response_ns();
    let mut sentences = vec![
        "Time of its own calls and waits, without deeper calls: the statements add up to the response \
         time. A click opens a statement, a call in it, and the longest waits with their lines in the \
         file."
            .to_owned(),
    ];
    let mut left = groups.others.tally.clone();
    for part in rest {
        left.add(&part.tally);
    }
    if left.count > 0 {
        let statements = counted(rest.len() as u64, "more statement");
        sentences.push(format!(
            "{statements}: {}, {} % of the response time.",
            signed_time(left.total_ns),
            percent(share(left.total_ns, whole))
        ));
    }
    let details = shown.iter().map(|part| statement(profile, part));
    Section {
        title: "Statements".to_owned(),
        sentences,
        details: details.collect(),
        ..Section::default()
    }
}

fn statement(profile: &Profile, part: &Part<'_>) -> Detail {
    let Part { name: id, tally, rows } = part;
    let whole = profile.spent.response_ns();
    let of_id: Vec<&Statement> =
        profile.statements.iter().filter(|one| one.key.id.to_string() == *id).collect();
    let text = of_id.iter().map(|one| text_of(one)).find(|text| !text.is_empty());
    let summary = format!(
        "{} · {} % · {id} {}",
        signed_time(tally.total_ns),
        percent(share(tally.total_ns, whole)),
        text.unwrap_or_default()
    );
    let calls = split(rows, 1);
    let mut details: Vec<Detail> = calls.iter().map(|part| call(part, id, whole)).collect();
    let plans = of_id.iter().flat_map(|one| profile.plans.of(one.key)).map(|one| plan(id, one));
    let plans: Vec<Table> = plans.collect();
    if !plans.is_empty() {
        let summary = counted(plans.len() as u64, "plan");
        details.push(Detail { summary, tables: plans, ..Detail::default() });
    }
    let binds: Vec<Vec<String>> = of_id.iter().flat_map(|one| binds(profile, one)).collect();
    let mut tables = vec![by(&calls, "call", id, whole), by(&split(rows, 2), "event", id, whole)];
    if !binds.is_empty() {
        let head = ["bind variable", "type", "bound", "values", "different"];
        tables.push(table(&format!("Bind variables of {id}, values masked"), &head, binds));
    }
    let full = of_id.iter().map(|one| words(&one.text)).find(|text| text.chars().count() > TEXT);
    Detail { summary, sentences: full.into_iter().collect(), tables, details }
}

fn call(part: &Part<'_>, id: &str, whole: u64) -> Detail {
    let Part { name, tally, rows } = part;
    let items = if tally.count == 1 { "wait or call" } else { "waits and calls" };
    let summary =
        format!("{name}: {}, {} {items}", signed_time(tally.total_ns), count(tally.count));
    let mut all: Vec<&Longest> = rows.iter().flat_map(|(_, group)| &group.longest).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.ns));
    all.truncate(ROWS);
    let outlying = rows.iter().filter_map(|row| {
        let words = outliers(row.1);
        (!words.is_empty()).then(|| format!("{}: {words}", value(row, 2)))
    });
    Detail {
        summary,
        sentences: outlying.collect(),
        tables: vec![
            by(&split(rows, 2), "event", &format!("{name} of {id}"), whole),
            longest_table(&format!("The longest in {name} of {id}"), &all),
        ],
        details: Vec::new(),
    }
}

fn by(parts: &[Part<'_>], what: &str, of: &str, whole: u64) -> Table {
    let head = [what, "time", "%", "count", "mean", "min", "max", "<1 µs · 1 µs to 1000 s"];
    let row = |Part { name, tally, .. }: &Part<'_>| {
        vec![
            (*name).to_owned(),
            signed_time(tally.total_ns),
            percent(share(tally.total_ns, whole)),
            count(tally.count),
            mean(tally.mean_ns()),
            signed_time(tally.min_ns),
            signed_time(tally.max_ns),
            bars(&tally.latencies()),
        ]
    };
    table(&format!("By {what}, {of}"), &head, parts.iter().take(ROWS).map(row).collect())
}

fn longest(groups: &Groups) -> Section {
    let all: Vec<&Longest> = groups.longest.iter().collect();
    Section {
        title: "Longest waits".to_owned(),
        tables: vec![longest_table("The longest of all", &all)],
        ..Section::default()
    }
}

fn longest_table(caption: &str, longest: &[&Longest]) -> Table {
    let row = |one: &&Longest| {
        vec![
            place(one),
            signed_time(one.ns),
            one.event.to_string(),
            one.sql.to_string(),
            one.call.to_owned(),
        ]
    };
    let head = ["file:line", "time", "event", "sql", "call"];
    table(caption, &head, longest.iter().map(row).collect())
}

fn plan(id: &str, plan: &Plan) -> Table {
    let hash = plan.hash.map_or_else(|| "hash unknown".to_owned(), |hash| format!("hash {hash}"));
    let caption = format!("Plan of {id}, {hash}, written {}", counted(plan.written, "time"));
    let head = [
        "row source",
        "rows 1st",
        "avg",
        "max",
        "starts",
        "gets",
        "reads",
        "writes",
        "time",
        "object",
    ];
    let rows = plan.row_sources.iter().map(|line| row_source(line, plan.written));
    table(&caption, &head, rows.collect())
}

fn row_source(line: &RowSource, written: u64) -> Vec<String> {
    let average = |sum: u64| sum.checked_div(written).unwrap_or(0);
    let known = |sum: Option<u64>| sum.map_or_else(|| "-".to_owned(), |sum| count(average(sum)));
    let costs = &line.costs;
    vec![
        format!("{}{}", "\u{a0}\u{a0}".repeat(line.depth.min(40)), line.operation),
        count(line.first_rows),
        count(average(line.rows)),
        count(line.most_rows),
        known(costs.starts),
        known(costs.consistent_gets),
        known(costs.physical_reads),
        known(costs.physical_writes),
        costs.time_ns.map_or_else(|| "-".to_owned(), |ns| time(average(ns))),
        if line.object > 0 { line.object.to_string() } else { "-".to_owned() },
    ]
}

fn binds(profile: &Profile, statement: &Statement) -> Vec<Vec<String>> {
    let row = |(position, variable): (u32, &BindVariable)| {
        let (different, more) = variable.different();
        vec![
            position.to_string(),
            kind(variable),
            count(variable.count),
            count(variable.values),
            format!("{}{}", if more { ">" } else { "" }, count(different)),
        ]
    };
    profile.binds.of(statement.key).map(row).collect()
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn text_of(statement: &Statement) -> String {
    let all = words(&statement.text);
    if all.chars().count() <= TEXT {
        return all;
    }
    all.chars().take(TEXT - 1).chain(['…']).collect()
}

fn table(caption: &str, head: &[&str], rows: Vec<Vec<String>>) -> Table {
    let head = head.iter().map(|name| (*name).to_owned()).collect();
    Table { caption: caption.to_owned(), head, rows }
}
