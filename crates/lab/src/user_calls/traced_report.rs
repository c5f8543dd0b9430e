//! The user calls of SQL traces in words, tables and a chart.

use std::fmt::Write as _;

use isotherm_frame::numbers::grouped;
use isotherm_frame::visible;
use isotherm_oracle::trace::{CallCounts, UserStatement};
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, Curve, Stroke};
use isotherm_views::section::Table;

use super::traced::{Fullness, Kind, Traced, with_arrays_of};
use crate::{Finding, LabError, Verdict};

/// Array sizes that are compared.
const ARRAYS: [u64; 6] = [1, 15, 100, 200, 500, 1_000];
/// The array size of the first sentence.
const LARGE: u64 = 500;
/// The most statements of the table.
const TOP: usize = 10;
/// Letters of a statement's text.
const TEXT: usize = 40;

/// What the traces come to.
pub fn finding(traced: &Traced) -> Result<Finding, LabError> {
    let calls = traced.calls.calls();
    if calls.sum() == 0 {
        return Err(LabError::Unreadable {
            what: traced.name.clone(),
            why: "it has no PARSE, EXEC or FETCH of a user (dep=0)".to_owned(),
            next: "trace the session of an application",
        });
    }
    let fullness = traced.fullness();
    Ok(Finding {
        verdict: match fullness {
            Fullness { executions: 0, .. } => Verdict::Unsure,
            Fullness { others: 0, .. } => Verdict::Holds,
            _ => Verdict::Fails,
        },
        sentence: sentence(traced, fullness),
        uncertainty: uncertainty(traced),
        remarks: remarks(traced),
        tables: [
            vec![by_kind(traced)],
            (fullness.executions > 0).then(|| by_array(traced)).into_iter().collect(),
            vec![by_statement(traced)],
        ]
        .concat(),
        charts: chart(traced).into_iter().collect(),
        figures: Vec::new(),
    })
}

fn sentence(traced: &Traced, fullness: Fullness) -> String {
    let CallCounts { parses, execs, fetches } = traced.calls.calls();
    let kinds = format!(
        "{}: {} PARSE, {} EXEC, {} FETCH",
        numbered(traced.calls.calls().sum(), "user call"),
        grouped(parses),
        grouped(execs),
        grouped(fetches)
    );
    let Fullness { executions, others } = fullness;
    if executions == 0 {
        return format!("no execution with its fetches is in the trace, which has {kinds}.");
    }
    let rows =
        traced.calls.statements().iter().fold(0_u64, |sum, one| sum.saturating_add(one.rows));
    let law = format!(
        "fetches are ceil(rows / array), up to two more, in {} of {}{}",
        grouped(executions - others),
        numbered(executions, "execution"),
        if others > 0 { "; the arrays of the others were not full" } else { "" }
    );
    let then = traced.with_arrays_of(LARGE);
    format!(
        "{law}; {kinds}, for {}. With arrays of {LARGE} rows {} calls do.",
        numbered(rows, "row"),
        grouped(then)
    )
}

/// A count of things with its thousands apart.
fn numbered(count: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn uncertainty(traced: &Traced) -> String {
    let mut said =
        "These are counts of the trace's own records, without chance; the array of a statement is \
                    taken to be its largest fetch."
            .to_owned();
    let calls = &traced.calls;
    for (count, what) in [
        (calls.damaged, "damaged record"),
        (calls.left_out, "execution beyond the memory of this lab"),
    ] {
        if count > 0 {
            let _ = write!(said, " Left out: {}.", numbered(count, what));
        }
    }
    said
}

fn remarks(traced: &Traced) -> Vec<String> {
    let calls = &traced.calls;
    let sum = calls.calls().sum();
    let mut said = vec![match calls.round_trips {
        0 => "The trace has no waits for SQL*Net message from client: round trips are not known. Trace with \
              waits (level 8)."
            .to_owned(),
        trips => format!(
            "{} had {} (waits for SQL*Net message from client). Calls that are sent together are answered \
             together.",
            numbered(sum, "user call"),
            numbered(trips, "round trip")
        ),
    }];
    said.push(format!(
        "The database made {} on its own within these (dep above 0): no user waits for a network in them.",
        numbered(calls.recursive.sum(), "call")
    ));
    let missing = traced.of_kind(Kind::Missing).calls.sum();
    if missing > 0 {
        said.push(format!(
            "{} of statements that are not in the file: they were parsed before the trace began.",
            numbered(missing, "call")
        ));
    }
    if calls.lobs > 0 {
        said.push(format!(
            "{} read or wrote LOBs. Each is a call of the client, too, and not among these.",
            numbered(calls.lobs, "call")
        ));
    }
    said
}

fn texts(head: &[&str]) -> Vec<String> {
    head.iter().map(|&text| text.to_owned()).collect()
}

fn by_kind(traced: &Traced) -> Table {
    let mut rows: Vec<Vec<String>> = Kind::ALL
        .into_iter()
        .map(|kind| (kind, traced.of_kind(kind)))
        .filter(|(_, found)| found.calls.sum() > 0)
        .map(|(kind, found)| {
            let CallCounts { parses, execs, fetches } = found.calls;
            let each = found.calls.sum() as f64 / execs as f64;
            let mut row = vec![kind.name().to_owned(), grouped(found.statements)];
            row.extend([parses, execs, fetches, found.calls.sum(), found.rows].map(grouped));
            row.push(if each.is_finite() { format!("{each:.2}") } else { "-".to_owned() });
            row.push(kind.published().to_owned());
            row
        })
        .collect();
    let CallCounts { parses, execs, fetches } = traced.calls.recursive;
    let mut row = vec!["recursive SQL".to_owned(), "-".to_owned()];
    row.extend([parses, execs, fetches].map(grouped));
    row.extend(["0", "-", "-", "0"].map(str::to_owned));
    rows.push(row);
    Table {
        caption: "Calls of the trace by the kind of statement, and user calls as published for one execution"
            .to_owned(),
        head: texts(&[
            "",
            "statements",
            "PARSE",
            "EXEC",
            "FETCH",
            "user calls",
            "rows",
            "calls/EXEC",
            "published",
        ]),
        rows,
    }
}

fn by_array(traced: &Traced) -> Table {
    let now = traced.calls.calls().sum();
    let row = |array: u64| {
        let then = traced.with_arrays_of(array);
        vec![grouped(array), grouped(then), format!("{:.2}", then as f64 / now as f64)]
    };
    Table {
        caption: "User calls if every fetch took as many rows: PARSE and EXEC as they are, and ceil(rows / \
                  array) fetches of each execution"
            .to_owned(),
        head: texts(&["array", "user calls", "to those of the trace"]),
        rows: ARRAYS.into_iter().map(row).collect(),
    }
}

fn by_statement(traced: &Traced) -> Table {
    let row = |one: &UserStatement| {
        let CallCounts { parses, execs, fetches } = one.calls;
        let each = one.rows as f64 / fetches as f64;
        let mut row = vec![format!("{} {}", one.name, short(&one.text)).trim_end().to_owned()];
        row.extend([parses, execs, fetches, one.calls.sum(), one.rows].map(grouped));
        row.push(if fetches == 0 { "-".to_owned() } else { format!("{each:.1}") });
        row.push(if fetches == 0 { "-".to_owned() } else { grouped(one.largest) });
        row.push(grouped(with_arrays_of(one, LARGE)));
        row
    };
    let all = traced.largest();
    Table {
        caption: match all.len() {
            ..=TOP => "User calls by statement".to_owned(),
            more => format!(
                "User calls by statement: the {TOP} with the most of {}",
                grouped(more as u64)
            ),
        },
        head: texts(&[
            "statement",
            "PARSE",
            "EXEC",
            "FETCH",
            "user calls",
            "rows",
            "rows/FETCH",
            "largest",
            "with 500",
        ]),
        rows: all.into_iter().take(TOP).map(row).collect(),
    }
}

/// The beginning of a text on one line.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let line = visible(&line);
    if line.chars().count() <= TEXT {
        return line.into_owned();
    }
    line.chars().take(TEXT - 1).chain(['…']).collect()
}

/// The statement with the most rows: its calls by array size, and where it is.
fn chart(traced: &Traced) -> Option<Chart> {
    let most = traced.calls.statements().iter().max_by_key(|one| one.rows)?;
    if most.executions.is_empty() || most.rows == 0 {
        return None;
    }
    let point =
        |(x, y): (u64, u64)| ChartPoint { x: x as f64, y: y as f64, ..ChartPoint::default() };
    let steps = (0..=60).map(|step| {
        let array = 10_f64.powf(f64::from(step) / 20.0).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 1,000")]
        let array = array as u64;
        point((array, with_arrays_of(most, array)))
    });
    let mut steps: Vec<ChartPoint> = steps.collect();
    steps.dedup_by(|one, other| one.x.total_cmp(&other.x).is_eq());
    let curve = |name: &str, stroke, points| Curve { name: name.to_owned(), stroke, points };
    Some(Chart {
        title: format!("User calls of {} by array size", most.name),
        x: ChartAxis { label: "rows a fetch".to_owned(), log: true, ..ChartAxis::default() },
        y: ChartAxis { label: "user calls".to_owned(), log: true, ..ChartAxis::default() },
        curves: vec![
            curve("in the trace", Stroke::Dots, vec![point((most.largest, most.calls.sum()))]),
            curve("PARSE + EXEC + ceil(rows / array)", Stroke::Line, steps),
        ],
        ..Chart::default()
    })
}

#[cfg(test)]
mod tests {
    use isotherm_oracle::trace::scan_slice;

    use super::*;
    use crate::Verdict;

    /// A query of 71,353 rows that is fetched by arrays of this many.
    fn query(array: u64) -> String {
        let mut text = "\
PARSING IN CURSOR #1 len=15 dep=0 uid=5 oct=3 lid=5 tim=1 hv=7 ad='1' sqlid='aaa'
select * from t
END OF STMT
PARSE #1:c=0,e=1,p=0,cr=0,cu=0,mis=1,r=0,dep=0,og=1,plh=1,tim=2
EXEC #1:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=1,tim=7
"
        .to_owned();
        let mut left = 71_353;
        while left > 0 {
            let rows = array.min(left);
            let numbers = format!("c=0,e=1,p=0,cr=0,cu=0,mis=0,r={rows},dep=0,og=1,plh=1,tim=8");
            let _ = writeln!(text, "FETCH #1:{numbers}");
            left -= rows;
        }
        text
    }

    fn of(trace: &str) -> Result<Finding, LabError> {
        let mut traced = Traced { name: "a.trc".to_owned(), ..Traced::default() };
        scan_slice(trace.as_bytes(), &mut traced.calls);
        traced.calls.end_file();
        finding(&traced)
    }

    #[test]
    fn the_published_query_has_the_published_calls() {
        for (array, calls) in [(15, "4,759"), (200, "359")] {
            let found = of(&query(array)).unwrap();
            assert_eq!(found.verdict, Verdict::Holds, "{}", found.sentence);
            let queries = found.tables[0].rows.iter().find(|row| row[0] == "queries").unwrap();
            assert_eq!((queries[5].as_str(), queries[6].as_str()), (calls, "71,353"));
            // The other array size is what the table of array sizes says.
            let sizes = &found.tables[1].rows;
            assert_eq!([&sizes[1][1], &sizes[3][1]], ["4,759", "359"], "{sizes:?}");
        }
    }

    #[test]
    fn arrays_that_are_not_full_fail_and_what_has_no_calls_is_refused() {
        // 10,000 rows at a time, then 1.
        let rest = "FETCH #1:c=0,e=1,p=0,cr=0,cu=0,mis=0,r=1,dep=0,og=1,plh=1,tim=9\n".repeat(50);
        let found = of(&(query(10_000) + &rest)).unwrap();
        assert_eq!(found.verdict, Verdict::Fails);
        assert!(found.sentence.contains("in 0 of 1 execution; the arrays"), "{}", found.sentence);
        let nothing = of(&query(15).replace("FETCH", "LOST").replace("r=0,dep=0", "r=0,dep=1"));
        assert!(nothing.unwrap_err().to_string().contains("no PARSE, EXEC or FETCH of a user"));
        let unfetched = query(15).lines().take(5).collect::<Vec<&str>>().join("\n");
        assert_eq!(of(&unfetched).unwrap().verdict, Verdict::Unsure);
    }
}
