//! What reports print of an event wins over what its buckets suggest, and reports that were saved, cut or
//! printed in other ways say the same. The reports are made here.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its report must fail")]

use isotherm_oracle::awr::{EventHistogram, Report, looks_like_one, parse};

const MILLI: [&str; 8] =
    ["&lt;1ms", "&lt;2ms", "&lt;4ms", "&lt;8ms", "&lt;16ms", "&lt;32ms", "&lt;=1s", "&gt;1s"];

/// A row of a table of events: name, waits, total in seconds, average in milliseconds.
type EventRow<'a> = [&'a str; 4];
/// A row of a histogram: name, waits, percentages.
type HistogramRow<'a> = (&'a str, &'a str, [&'a str; 8]);

fn row(tag: &str, cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let cells = cells.into_iter().map(|cell| format!("<{tag}>{}</{tag}>", cell.as_ref()));
    format!("<tr>{}</tr>\n", cells.collect::<String>())
}

fn table(title: &str, heads: &[&str], rows: impl Iterator<Item = String>) -> String {
    let rows: String = rows.collect();
    format!("<h3>{title}</h3><table summary=\"{title}\">{}{rows}</table>\n", row("th", heads))
}

/// A report of an hour with these events in the foreground and the background.
fn page(fore: &[EventRow<'_>], back: &[EventRow<'_>], histograms: &[HistogramRow<'_>]) -> String {
    let events =
        ["Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait (ms)", "% DB time"];
    let event = |[name, waits, total, average]: &EventRow<'_>| {
        row("td", [name, waits, "&nbsp;", total, average, "1.0"])
    };
    let heads: Vec<&str> = ["Event", "Total Waits"].into_iter().chain(MILLI).collect();
    let histogram = |(name, waits, shares): &HistogramRow<'_>| {
        row("td", [name, waits].into_iter().chain(shares))
    };
    let snapshots = ["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"];
    let times = [
        ["Begin Snap:", "1", "01-Mar-26 10:00:00", "50", "1.3"],
        ["End Snap:", "2", "01-Mar-26 11:00:00", "51", "1.2"],
        ["Elapsed:", "", "60.00 (mins)", "", ""],
        ["DB Time:", "", "200.00 (mins)", "", ""],
    ];
    format!(
        "<html><head><title>AWR Report for DB: T, Inst: t1, Snaps: 1-2</title></head><body>\n\
         <h1>WORKLOAD REPOSITORY report for</h1>\n{}{}{}{}{}{}<p>End of Report</p></body></html>\n",
        table(
            "",
            &["DB Name", "DB Id", "Release"],
            [row("td", ["T", "1", "11.2.0.4.0"])].into_iter()
        ),
        table("", &["Instance", "Inst Num"], [row("td", ["t1", "1"])].into_iter()),
        table("", &snapshots, times.iter().map(|cells| row("td", cells))),
        table("Foreground Wait Events", &events, fore.iter().map(event)),
        table("Background Wait Events", &events, back.iter().map(event)),
        table("Wait Event Histogram", &heads, histograms.iter().map(histogram)),
    )
}

fn read(page: &str) -> Report {
    parse(page.as_bytes()).unwrap()
}

fn only<'a>(report: &'a Report, event: &str) -> &'a EventHistogram {
    let mut found = report.histograms.iter().filter(|histogram| histogram.event == event);
    let first = found.next().unwrap_or_else(|| panic!("{event}: {:?}", report.faults));
    assert!(found.next().is_none());
    first
}

const LOCK: &str = "enq: TX - row lock contention";
const LONGER: [&str; 8] = ["", "", "", "", "", "", "", "100.0"];
const QUICK: [&str; 8] = ["100.0", "", "", "", "", "", "", ""];

#[test]
fn a_printed_total_is_used_however_the_counts_differ() {
    // Waits in the histogram, waits and seconds in the table: the seconds that come of it.
    for (counted, waits, total, average, expected) in [
        ("10", "11", "6,600", "600000", 6_000.0),
        ("10", "10", "6,600", "660000", 6_600.0),
        ("11", "10", "5,000", "500000", 5_500.0),
        ("40", "11", "6,600", "600000", 24_000.0),
        ("1000", "1,001", "6,600", "6593", 6_600.0),
        ("2.5K", "2,561", "6,600", "2577", 6_442.8),
    ] {
        let report = read(&page(&[[LOCK, waits, total, average]], &[], &[(LOCK, counted, LONGER)]));
        let found = only(&report, LOCK);
        let printed = found.printed_total.unwrap();
        assert!((printed.value / expected - 1.0).abs() < 1e-3, "{counted} {waits}: {printed:?}");
        assert_eq!(found.total.is_some(), counted == "10" && waits == "10", "{counted} {waits}");
        // The printed total is never outside of what is said to be possible.
        let (low, high) = printed.range();
        let seconds: f64 = total.replace(',', "").parse().unwrap();
        assert!(low <= seconds && seconds <= high, "{counted} {waits}: {printed:?}");
    }
}

#[test]
fn whole_seconds_are_used_with_their_rounding() {
    // 3.7 million waits that the buckets would take half a millisecond each for: 1,860 s.
    let event = "SQL*Net message to client";
    let fore = [[event, "3,719,163", "11", "0"]];
    let back = [[event, "33,487", "0", "0"]];
    let report = read(&page(&fore, &back, &[(event, "3752.7K", QUICK)]));
    let found = only(&report, event);
    assert_eq!((found.waits, found.total), (3_752_650, None));
    let printed = found.printed_total.unwrap();
    assert!((printed.value - 11.0).abs() < 1e-9 && printed.half <= 1.0, "{printed:?}");
}

#[test]
fn a_total_that_the_buckets_rule_out_is_said() {
    // Ten waits beyond a second take more than ten seconds.
    let report = read(&page(&[[LOCK, "10", "3", "300"]], &[], &[(LOCK, "10", LONGER)]));
    let found = only(&report, LOCK);
    assert_eq!(found.total, None);
    assert!((found.printed_total.unwrap().value - 3.0).abs() < 1e-9);
    assert!(report.remarks.iter().any(|remark| remark.contains("rule each other out")));
}

#[test]
fn names_that_are_cut_alike_keep_their_time() {
    let cut = "latch: cache buffers lru c";
    let shares = ["50.0", "", "", "", "", "", "50.0", ""];
    let rows = [(cut, "100", QUICK), (cut, "40", shares)];
    for fore in [
        [
            ["latch: cache buffers lru chain", "100", "2", "20"],
            ["latch: cache buffers lru chunk", "40", "9", "225"],
        ],
        [[cut, "100", "2", "20"], [cut, "40", "9", "225"]],
    ] {
        let report = read(&page(&fore, &[], &rows));
        let found = only(&report, cut);
        assert_eq!(found.waits, 140);
        assert!((found.printed_total.unwrap().value - 11.0).abs() < 1e-9, "{found:?}");
        assert!(report.remarks.iter().any(|remark| remark.contains("more than one event")));
    }
}

fn sample() -> String {
    let fore =
        [["db file sequential read", "20,000", "100", "5"], ["log file sync", "1,000", "2", "2"]];
    let shares = ["10.0", "20.0", "20.0", "50.0", "", "", "", ""];
    let rows = [("db file sequential read", "20,000", shares), ("log file sync", "1000", QUICK)];
    page(&fore, &[], &rows).replace("<td></td>", "<td>&#160;</td>")
}

#[test]
fn pages_that_were_rewritten_say_the_same() {
    let whole = sample();
    let expected = read(&whole);
    assert_eq!(expected.histograms.len(), 2);
    let marked = |mark: &str, end: &str| {
        MILLI.iter().fold(whole.clone(), |page, head| {
            let plain = head.replace("&lt;", "<").replace("&gt;", ">");
            page.replace(
                &format!("<th>{head}</th>"),
                &format!("<th {mark}{plain}{end}>{head}</th>"),
            )
        })
    };
    assert!(marked("id=\"", "\"").contains("<th id=\">1s\">"));
    let without =
        |parts: &[&str]| parts.iter().fold(whole.clone(), |page, part| page.replace(part, ""));
    let ends = ["</td>", "</th>", "</tr>", "</p>", "</body>", "</html>", "\n"];
    let spool = "SQL> @?/rdbms/admin/awrrpt.sql\n\nPressing <return> without specifying a number lists all\n\
                 Instances in this Workload Repository schema\n~~~~\n\n   DB Id    Inst Num DB Name\n\
                 ----------- -------- -------\n* 1           1 T\n\nEnter value for begin_snap: 1\n";
    for (what, page) in [
        ("a sign in double quotes", marked("id=\"", "\"")),
        ("a sign in single quotes", marked("title='x \" ", "'")),
        ("no optional ends", without(&ends)),
        ("no ends of cells", without(&ends[..2])),
        (
            "capitals and bare attributes",
            whole.replace("<td>", "<TD CLASS=awrnc ALIGN=right>").replace("</td>", "</TD>"),
        ),
        ("bodies of tables", whole.replace("<tr><td>", "<tbody><tr><td>")),
        ("signs as they are", whole.replace("&lt;", "<").replace("&gt;", ">")),
        ("a dialogue before it", format!("{spool}{whole}")),
        (
            "a dialogue around it",
            format!("{spool}{whole}Report written to awrrpt_1_1_2.html\nSQL> exit\n"),
        ),
        ("a mark of bytes", format!("\u{feff}{whole}")),
    ] {
        let found = read(&page);
        let faults = found.faults.iter().map(|fault| &fault.text).collect::<Vec<_>>();
        assert!(faults.is_empty(), "{what}: {faults:?}");
        assert_eq!(found.histograms, expected.histograms, "{what}");
        assert_eq!(found.events, expected.events, "{what}");
        assert_eq!((found.elapsed, found.db_time), (expected.elapsed, expected.db_time), "{what}");
    }
    // A list of snapshots may be longer than the head by which inputs are recognised.
    assert!(looks_like_one(spool.as_bytes()));
}

#[test]
fn counts_with_an_exponent_are_counts() {
    let event = "db file sequential read";
    for (count, total, average) in [("7.0E+08", "5000", "0"), ("7.0e+08", "5.0E+03", "7.1E-03")] {
        let fore = [[event, count, total, average], ["log file sync", "1,000", "2", "2"]];
        let rows = [(event, "7.0E+08", QUICK), ("log file sync", "1000", QUICK)];
        let report = read(&page(&fore, &[], &rows));
        assert!(report.faults.is_empty(), "{:?}", report.faults);
        assert_eq!(report.events.foreground[0].waits, Some(700_000_000));
        let found = only(&report, event);
        assert_eq!(found.waits, 700_000_000);
        assert!((found.printed_total.unwrap().value - 5_000.0).abs() < 51.0, "{found:?}");
    }
}
