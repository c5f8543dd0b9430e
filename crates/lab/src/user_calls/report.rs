//! User calls in words, tables and charts.

use isotherm_frame::numbers::{counted, grouped};
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::waited;

use super::calls::Calls;
use super::counted::{Counted, Fetched, user_calls};
use super::measure::{FEW_ROWS, Found, MOST_ARRAY};
use super::scenario::ROWS;
use crate::regression::Regression;
use crate::server::Server;
use crate::{Finding, Verdict};

/// What was counted comes to this.
pub fn finding(found: &Found, server: &Server<'_>) -> Finding {
    let mut remarks = vec![full_fetches(found), inside(found)];
    remarks.extend(round_trips(found));
    remarks.extend(pipeline(found));
    remarks.extend(cost(found));
    remarks.push(PROCEDURE.to_owned());
    if !server.is_own() {
        remarks.push(NOTICES.to_owned());
    }
    remarks.extend(server.remarks.iter().cloned());
    Finding {
        verdict: judged(found),
        sentence: sentence(found),
        uncertainty: uncertainty(found),
        remarks,
        tables: vec![scenarios(found), published(found), around(found), counts(found)],
        charts: vec![by_array(found), times(found)],
        figures: Vec::new(),
    }
}

/// Counts have no chance in them: either all are as they should be, or the lesson is wrong here.
fn judged(found: &Found) -> Verdict {
    let is_complete = |fetched: &Fetched| fetched.counted.wire.rows == fetched.rows;
    let is_right = found.all().all(|one| one.agrees() && one.keeps_the_law())
        && fetches(found).all(is_complete);
    if is_right { Verdict::Holds } else { Verdict::Fails }
}

fn fetches(found: &Found) -> impl Iterator<Item = &Fetched> {
    [&found.published, &found.around, &found.sizes].into_iter().flatten()
}

fn sentence(found: &Found) -> String {
    let other = found.all().filter(|one| !one.keeps_the_law()).count();
    let cases = found.all().count();
    let law = match other {
        0 => "a query has 2 + ceil(rows / array) user calls at every array size from 1 to 500, and one more \
              where the last fetch is full"
            .to_owned(),
        _ => format!(
            "of {cases} cases {other} have other numbers of user calls than 2 + ceil(rows / array) and one \
             more where the last fetch is full"
        ),
    };
    let counts: Vec<String> = found
        .published
        .iter()
        .filter(|fetched| !fetched.counted.published.is_empty())
        .map(|fetched| {
            let calls = grouped(fetched.counted.wire.user_calls());
            format!("{calls} calls with arrays of {}", fetched.array)
        })
        .collect();
    format!("{law}: {} rows are {}.", grouped(ROWS), counts.join(" and "))
}

fn total(found: &Found, of: impl Fn(&Counted) -> Calls) -> Calls {
    let mut total = Calls::default();
    found.all().for_each(|one| total += of(one));
    total
}

fn uncertainty(found: &Found) -> String {
    let other = found.all().filter(|one| !one.agrees()).count();
    let messages = grouped(total(found, |one| one.wire.calls).sum());
    match other {
        0 => format!(
            "These are counts, without chance: the proxy, the client and the server's log have the same \
             {messages} messages, in each of {} cases.",
            found.all().count()
        ),
        _ => format!(
            "The proxy saw {messages} messages; in {other} of {} cases the client or the server's log has \
             other numbers.",
            found.all().count()
        ),
    }
}

fn full_fetches(found: &Found) -> String {
    let full = found.sizes.iter().filter(|fetched| fetched.rows.is_multiple_of(fetched.array));
    let (sizes, more) = full.fold((0, 0), |(sizes, more), fetched| {
        let without = fetched.rows.div_ceil(fetched.array);
        (sizes + 1, more + fetched.counted.wire.fetches.saturating_sub(without))
    });
    format!(
        "Of the array sizes from 1 to {MOST_ARRAY}, {sizes} divide {} rows: their last fetch with rows is \
         full, and {more} further fetches found nothing.",
        grouped(FEW_ROWS)
    )
}

fn inside(found: &Found) -> String {
    let ran = || found.scenarios.iter().filter(|one| one.inside > 0);
    let statements: u64 = ran().map(|one| one.inside).sum();
    let calls: u64 = ran().map(|one| one.wire.user_calls()).sum();
    format!(
        "The server ran {} inserts by itself, in a trigger, a block, procedures and a function: the {} calls of these \
         {} cases are those of the statements around them.",
        grouped(statements),
        grouped(calls),
        ran().count()
    )
}

fn round_trips(found: &Found) -> Option<String> {
    let fetched = found.published.iter().find(|fetched| fetched.array == 15)?;
    let wire = fetched.counted.wire;
    Some(format!(
        "{} user calls with arrays of {} were {} round trips: Parse, Bind and the first Execute travel \
         together.",
        grouped(wire.user_calls()),
        fetched.array,
        grouped(wire.round_trips)
    ))
}

fn pipeline(found: &Found) -> Option<String> {
    let one = found.scenarios.iter().find(|one| one.is_pipeline)?;
    Some(format!(
        "Statements that are sent before the answers to those before them are as many calls in fewer round trips: {} \
         have {} user calls and {}.",
        one.name,
        grouped(one.wire.user_calls()),
        counted(one.wire.round_trips, "round trip")
    ))
}

/// Round trips and seconds, one point for each array size.
fn points(found: &Found) -> Vec<(f64, f64)> {
    let point =
        |fetched: &Fetched| Some((fetched.counted.wire.round_trips as f64, fetched.time_s()?));
    found.published.iter().filter_map(point).collect()
}

fn cost(found: &Found) -> Option<String> {
    let line = Regression::of(&points(found))?;
    Some(format!(
        "Without the proxy each further round trip took {} ± {} (90 % confidence), on loopback, where no \
         network is between.",
        waited(line.slope),
        waited(line.slope_half_width)
    ))
}

const NOTICES: &str = "The server sent what it would have logged about the session to the lab \
    (client_min_messages = log), and logged nothing of it.";

const PROCEDURE: &str = "Published for Oracle are 3 calls for a procedure. Here CALL has 2, and 3 where an OUT \
    parameter comes back as a row; whether Oracle's third call is the same is not known here.";

fn texts(head: &[&str]) -> Vec<String> {
    head.iter().map(|&text| text.to_owned()).collect()
}

fn or_none(text: &str) -> String {
    if text.is_empty() { "-".to_owned() } else { text.to_owned() }
}

fn scenarios(found: &Found) -> Table {
    let row = |one: &Counted| {
        let calls = one.wire.calls;
        let mut row = vec![one.name.to_owned()];
        row.extend([calls.parses, calls.binds, calls.executes, calls.queries].map(grouped));
        row.extend([grouped(one.wire.user_calls()), or_none(one.published)]);
        row.extend([one.wire.round_trips, one.inside].map(grouped));
        row
    };
    let head = [
        "",
        "Parse",
        "Bind",
        "Execute",
        "Query",
        "user calls",
        "published",
        "round trips",
        "by the server",
    ];
    Table {
        caption:
            "Messages of the client, user calls as Oracle counts them and as published for Oracle, \
                  round trips, and inserts that the server ran by itself"
                .to_owned(),
        head: texts(&head),
        rows: found.scenarios.iter().map(row).collect(),
    }
}

fn published(found: &Found) -> Table {
    let row = |fetched: &Fetched| {
        let counted = &fetched.counted;
        vec![
            grouped(fetched.array),
            grouped(counted.wire.fetches),
            grouped(counted.wire.user_calls()),
            or_none(counted.published),
            grouped(counted.wire.round_trips),
            fetched.time_s().map_or_else(|| "-".to_owned(), waited),
        ]
    };
    let repetitions = found.published.first().map_or(0, |fetched| fetched.times_s.len());
    Table {
        caption: format!(
            "A query of {} rows by array size; times without the proxy, the median of {repetitions}",
            grouped(ROWS)
        ),
        head: texts(&["array", "fetches", "user calls", "published", "round trips", "time"]),
        rows: found.published.iter().map(row).collect(),
    }
}

fn around(found: &Found) -> Table {
    let row = |fetched: &Fetched| {
        let last = fetched.rows % fetched.array;
        vec![
            grouped(fetched.rows),
            grouped(fetched.rows.div_ceil(fetched.array)),
            grouped(fetched.counted.wire.fetches),
            grouped(last),
            grouped(fetched.counted.wire.user_calls()),
        ]
    };
    Table {
        caption: "Where the last fetch is full: few rows with arrays of 15".to_owned(),
        head: texts(&["rows", "ceil(rows/15)", "fetches", "rows of the last", "user calls"]),
        rows: found.around.iter().map(row).collect(),
    }
}

fn counts(found: &Found) -> Table {
    let row = |name: &str, calls: Calls| {
        let mut row = vec![name.to_owned()];
        row.extend(
            [calls.parses, calls.binds, calls.executes, calls.queries, calls.sum()].map(grouped),
        );
        row
    };
    Table {
        caption: "The same messages, counted three times".to_owned(),
        head: texts(&["", "Parse", "Bind", "Execute", "Query", "all"]),
        rows: vec![
            row("proxy", total(found, |one| one.wire.calls)),
            row("client", total(found, |one| one.client)),
            row("server's log", total(found, |one| one.server)),
        ],
    }
}

fn curve(name: String, stroke: Stroke, points: impl Iterator<Item = (f64, f64)>) -> Curve {
    let point = |(x, y)| ChartPoint { x, y, ..ChartPoint::default() };
    Curve { name, stroke, points: points.map(point).collect() }
}

fn by_array(found: &Found) -> Chart {
    let measured =
        |fetched: &Fetched| (fetched.array as f64, fetched.counted.wire.user_calls() as f64);
    let law = |rows: u64| {
        (1..=MOST_ARRAY).map(move |array| (array as f64, user_calls(rows, array) as f64))
    };
    Chart {
        title: "User calls of a query by array size".to_owned(),
        x: ChartAxis { label: "rows a fetch".to_owned(), log: true, ..ChartAxis::default() },
        y: ChartAxis { label: "user calls".to_owned(), log: true, ..ChartAxis::default() },
        curves: vec![
            curve(
                format!("{} rows", grouped(ROWS)),
                Stroke::Dots,
                found.published.iter().map(measured),
            ),
            curve(
                format!("{} rows", grouped(FEW_ROWS)),
                Stroke::Dots,
                found.sizes.iter().map(measured),
            ),
            curve("2 + ceil(rows / array), and 1 if full".to_owned(), Stroke::Line, law(ROWS)),
            curve(String::new(), Stroke::Line, law(FEW_ROWS)),
        ],
        ..Chart::default()
    }
}

fn times(found: &Found) -> Chart {
    let points = points(found);
    let line = Regression::of(&points);
    let most = points.iter().map(|(x, _)| *x).fold(0.0, f64::max);
    let mut curves = vec![curve("measured".to_owned(), Stroke::Dots, points.into_iter())];
    curves.extend(line.map(|line| {
        let ends = [0.0, most].map(|x| (x, line.at(x)));
        curve("least squares".to_owned(), Stroke::Dashed, ends.into_iter())
    }));
    Chart {
        title: format!("Time of {} rows by round trips", grouped(ROWS)),
        x: ChartAxis { label: "round trips".to_owned(), ..ChartAxis::default() },
        y: ChartAxis { label: "time".to_owned(), unit: ChartUnit::Seconds, log: false },
        curves,
        ..Chart::default()
    }
}
