//! Everything but the statements.

use isotherm_oracle::trace::profile::{
    CallCosts, Distinct, Event, FindingKind, Profile, ReadTally, Reads, SpentOn,
};

use super::between;
use super::sentences::{estimate, inputs, mean, percent, quantile, signed_time, time};
use crate::grid::{Column, Grid, Page, Row};
use crate::numbers::{self, quantity};
use crate::numbers::{count, counted};

/// The answer, and what it is about.
pub(super) fn headline(page: &mut Page, profile: &Profile) {
    page.words(&between::answer(profile), true);
    page.remark(&inputs(profile));
}

/// What limits the truth of all that follows.
pub(super) fn findings(page: &mut Page, profile: &Profile) {
    for finding in profile.findings.iter() {
        page.words(&format!("⚠ {finding}"), false);
        if finding.kind == FindingKind::Damaged {
            for damage in profile.findings.damage() {
                let place = format!("{} line {} (byte {})", damage.file, damage.line, damage.byte);
                page.indented(&format!("{place}: {}", damage.why));
            }
            let shown = profile.findings.damage().len() as u64;
            if finding.count > shown {
                page.indented(&format!("and {} more", count(finding.count - shown)));
            }
        }
    }
}

const fn column(title: &'static str, gives_way: u8) -> Column {
    Column { title, gives_way }
}

/// Response time by what it was spent on, then what it was not spent on.
fn time_rows(profile: &Profile) -> Vec<Row> {
    let plain = |name: &str, ns: i64, share| {
        let mut values = vec![signed_time(ns), percent(share), String::new()];
        values.extend((0..6).map(|_| String::new()));
        Row::new(name, values)
    };
    let response = i64::try_from(profile.spent.response_ns()).unwrap_or(i64::MAX);
    let mut rows: Vec<Row> = profile
        .parts()
        .iter()
        .map(|part| match part.on {
            SpentOn::Cpu | SpentOn::Unaccounted => plain(part.name(), part.ns, part.share),
            SpentOn::Wait(event) => waits(event, percent(part.share)),
        })
        .collect();
    rows.push(plain("response time", response, (response > 0).then_some(1.0)));
    let idle = profile.events.by_time().into_iter().filter(|event| event.idle);
    rows.extend(idle.map(|event| waits(event, "idle".to_owned())));
    if let Some(untraced @ 1..) = profile.untraced_ns() {
        rows.push(plain("neither call nor wait traced", untraced, None));
    }
    rows
}

fn waits(event: &Event, share: String) -> Row {
    let values = vec![
        time(event.total_ns),
        share,
        count(event.count),
        mean(event.mean_ns()),
        time(event.min_ns),
        quantile(event, 0.5),
        quantile(event, 0.9),
        quantile(event, 0.99),
        time(event.max_ns),
    ];
    Row::new(&*event.name, values)
}

/// Waits for the client by the call before, where they are most of the time.
pub(super) fn between_calls(page: &mut Page, profile: &Profile) {
    if profile.dominant_client_share().is_none() {
        return;
    }
    page.title("Between calls", "waits for the client, in percent of all time");
    let columns = between::HEADS.map(|title| column(title, 0));
    let rows = between::rows(profile).into_iter().map(|(name, values)| Row::new(name, values));
    page.grid(&Grid { title: "", columns: columns.into(), rows: rows.collect() });
}

/// Where the time went.
pub(super) fn time_spent(page: &mut Page, profile: &Profile) {
    page.title("Where the time went", "");
    let columns = vec![
        column("time", 0),
        column("%", 0),
        column("waits", 0),
        column("mean", 0),
        column("min", 5),
        column("p50", 3),
        column("p90", 4),
        column("p99", 1),
        column("max", 2),
    ];
    page.grid(&Grid { title: "", columns, rows: time_rows(profile) });
}

/// Calls by kind.
pub(super) fn calls(page: &mut Page, profile: &Profile) {
    let user = profile.user_calls.all();
    let lob = profile.lob_costs();
    let summary = format!(
        "{} of the user, {}, {} with the client",
        counted(user.count + lob.count, "call"),
        counted(profile.recursive_calls.all().count, "recursive call"),
        counted(profile.round_trips(), "round trip"),
    );
    page.title("Calls", &summary);
    let mut rows: Vec<Row> = profile
        .user_calls
        .called()
        .map(|(kind, costs)| Row::new(kind.word(), costs_of(costs)))
        .collect();
    rows.extend(profile.lob_calls.iter().map(|(name, costs)| Row::new(name, costs_of(costs))));
    for (kind, costs) in profile.recursive_calls.called() {
        rows.push(Row::new(format!("recursive {}", kind.word()), costs_of(costs)));
    }
    if rows.is_empty() {
        return;
    }
    let mut columns = vec![column("calls", 0), column("elapsed", 0)];
    columns.extend(COSTS);
    page.grid(&Grid { title: "", columns, rows });
}

/// Columns of what calls cost, behind their number and elapsed time.
const COSTS: [Column; 5] = [
    column("cpu", 0),
    column("rows", 2),
    column("reads", 0),
    column("gets", 0),
    column("misses", 1),
];

fn costs_of(costs: &CallCosts) -> Vec<String> {
    vec![
        count(costs.count),
        time(costs.elapsed_ns),
        time(costs.cpu_ns),
        count(costs.rows),
        count(costs.physical_reads),
        count(costs.logical_reads()),
        count(costs.misses),
    ]
}

/// Which blocks were read, by file and by object.
pub(super) fn reads(page: &mut Page, profile: &Profile, top: usize) {
    let reads = &profile.reads;
    if reads.addressed.reads + reads.unaddressed.reads + reads.temporary.reads == 0 {
        return;
    }
    page.title("Blocks read", &working_set(reads));
    for (tally, what) in [
        (reads.unaddressed, "that do not say which blocks"),
        (reads.temporary, "of temporary files, which are no part of that"),
    ] {
        if tally.reads > 0 {
            let reads = counted(tally.reads, "read");
            let blocks = counted(tally.blocks, "block");
            page.indented(&format!("{reads} {what}: {blocks}, {}", time(tally.ns)));
        }
    }
    let files = reads.files.by_time();
    let files = files.into_iter().map(|(file, tally)| (format!("file {file}"), tally));
    tallies(page, "by file", &files.collect::<Vec<_>>(), reads.files.others(), top);
    let objects = reads.objects.by_time();
    let name = |object: Option<u64>| match object {
        Some(0) => "object 0 (undo, headers)".to_owned(),
        Some(object) => format!("object {object}"),
        None => "no object named".to_owned(),
    };
    let objects = objects.into_iter().map(|(object, tally)| (name(object), tally));
    tallies(page, "by object", &objects.collect::<Vec<_>>(), reads.objects.others(), top);
}

fn working_set(reads: &Reads) -> String {
    let Some(factor) = reads.reread_factor() else {
        return "no read says which blocks".to_owned();
    };
    let error = 200.0 * Distinct::STANDARD_ERROR;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float saturates"
    )]
    let working_set = numbers::bytes(reads.distinct_bytes().round() as u64);
    format!(
        "{} in {}, of them ≈{} distinct (within {error:.1} %): {} in blocks of {} (--block-size); each \
         read {} times",
        counted(reads.addressed.blocks, "block"),
        counted(reads.addressed.reads, "read"),
        estimate(reads.distinct_blocks()),
        working_set,
        numbers::bytes(reads.block_bytes),
        quantity(factor),
    )
}

fn tallies(
    page: &mut Page,
    title: &'static str,
    named: &[(String, ReadTally)],
    others: ReadTally,
    top: usize,
) {
    let row = |name: String, tally: ReadTally| {
        let values =
            vec![time(tally.ns), count(tally.reads), count(tally.blocks), mean(tally.mean_ns())];
        Row::new(name, values)
    };
    let (shown, rest) = named.split_at(top.min(named.len()));
    let mut left = others;
    for (_, tally) in rest {
        left.reads += tally.reads;
        left.blocks += tally.blocks;
        left.ns += tally.ns;
    }
    let mut rows: Vec<Row> = shown.iter().map(|(name, tally)| row(name.clone(), *tally)).collect();
    if left.reads > 0 {
        rows.push(row("all others".to_owned(), left));
    }
    if rows.is_empty() {
        return;
    }
    let columns =
        vec![column("time", 0), column("reads", 0), column("blocks", 0), column("mean", 0)];
    page.grid(&Grid { title, columns, rows });
}

/// How transactions ended, and errors.
pub(super) fn ends(page: &mut Page, profile: &Profile) {
    let ends = profile.transactions;
    if ends.commits + ends.rollbacks + ends.read_only > 0 {
        let words = format!(
            "{}, {}, {} without changes",
            counted(ends.commits, "commit"),
            counted(ends.rollbacks, "rollback"),
            counted(ends.read_only, "end"),
        );
        page.title("Transactions", &words);
    }
    if !profile.errors.is_empty() {
        let mut errors: Vec<_> = profile.errors.iter().collect();
        errors.sort_by_key(|&(error, count)| (std::cmp::Reverse(count), error));
        let named = errors.iter().take(12).map(|(error, times)| {
            let times =
                if **times == 1 { String::new() } else { format!(" {} times", count(**times)) };
            format!("ORA-{error:05}{times}")
        });
        page.title("Errors", &named.collect::<Vec<_>>().join(", "));
    }
}
