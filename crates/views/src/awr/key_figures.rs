//! What a report says first of AWR reports: the load of the database, and events that are slower than a limit.

use std::cmp::Reverse;

use isotherm_frame::{Nanos, percent, shown_name};
use isotherm_oracle::awr::{EventHistogram, EventLine, NamedReport, Printed};

use super::table::{name, none, three_digits};
use crate::numbers::{count, counted};
use crate::section::{Section, Table};

/// A printed number that may be off by a larger part is marked.
const CLOSE: f64 = 0.02;
/// How many events are listed.
const LISTED: usize = 15;
/// Events whose waits took less in all, in seconds, are not judged: a single slow one says nothing.
const LEAST_S: f64 = 1.0;

/// The mean of an event up to which nothing is said of it.
struct Limit {
    /// How names of the events begin.
    event: &'static str,
    ms: u64,
}

/// Limits of a mean wait that hold on any system, the more particular names first: a single interval has
/// nothing before it that it could be compared with.
const LIMITS: [Limit; 15] = [
    Limit { event: "enq: TX - row lock contention", ms: 100 },
    Limit { event: "enq: TM - contention", ms: 100 },
    Limit { event: "latch", ms: 10 },
    Limit { event: "library cache", ms: 10 },
    Limit { event: "cursor: ", ms: 10 },
    Limit { event: "buffer busy waits", ms: 10 },
    Limit { event: "db file parallel write", ms: 20 },
    Limit { event: "log file parallel write", ms: 10 },
    Limit { event: "log file sync", ms: 10 },
    Limit { event: "db file sequential read", ms: 10 },
    Limit { event: "db file scattered read", ms: 20 },
    Limit { event: "direct path read", ms: 20 },
    Limit { event: "direct path write", ms: 20 },
    Limit { event: "cell single block physical read", ms: 5 },
    Limit { event: "read by other session", ms: 20 },
];

/// The sections of a report of these AWR reports, in the order of time.
pub fn awr_sections(reports: &[NamedReport]) -> Vec<Section> {
    let figures = Section {
        title: "Key figures".to_owned(),
        sentences: vec![
            "As the reports print them, each of its whole interval. CPU is that of sessions of users, and \
             a part of DB time; average active sessions are DB time by the time elapsed."
                .to_owned(),
        ],
        tables: vec![key_figures(reports)],
        ..Section::default()
    };
    [figures].into_iter().chain(judged(reports)).collect()
}

fn key_figures(reports: &[NamedReport]) -> Table {
    let head = [
        "report",
        "begin",
        "elapsed",
        "DB time",
        "CPU",
        "average active sessions",
        "idle left out",
    ];
    Table {
        caption: "Load of the database".to_owned(),
        head: head.map(str::to_owned).into(),
        rows: reports.iter().map(figures).collect(),
    }
}

fn figures(read: &NamedReport) -> Vec<String> {
    let NamedReport { report, summary, .. } = read;
    let begin = &report.begin.time;
    let begin =
        begin.local.map_or_else(|| begin.text.clone(), |at| at.to_string().replace('T', " "));
    let (db_time, cpu) = (summary.db_time, cpu(read));
    let share = cpu.zip(db_time).filter(|(_, all)| all.value > 0.0);
    let share = share.map(|(cpu, all)| format!(" ({})", percent(cpu.value / all.value)));
    vec![
        name(read),
        shown_name(&begin),
        summary.elapsed.map_or_else(none, seconds),
        db_time.map_or_else(none, seconds),
        format!("{}{}", cpu.map_or_else(none, seconds), share.unwrap_or_default()),
        summary.active_sessions.map_or_else(none, three_digits),
        idle(&report.histograms),
    ]
}

/// Time of users' sessions on a processor: of the time model, which is printed more closely, else of the top
/// list.
fn cpu(read: &NamedReport) -> Option<Printed> {
    let report = &read.report;
    let is_cpu = |line: &&EventLine| matches!(line.event.as_str(), "DB CPU" | "CPU time");
    let listed = || report.top_events.iter().find(is_cpu)?.total;
    report.time_model("DB CPU").or_else(listed)
}

/// Seconds as printed, as a length of time.
fn seconds(printed: Printed) -> String {
    let about = if printed.relative() > CLOSE { "≈" } else { "" };
    format!("{about}{}", crate::waited(printed.value))
}

/// Waits that nobody waited for the database in.
fn idle(histograms: &[EventHistogram]) -> String {
    let idle: Vec<&EventHistogram> = histograms.iter().filter(|one| one.idle).collect();
    if idle.is_empty() {
        return none();
    }
    let waits = idle.iter().fold(0_u64, |sum, one| sum.saturating_add(one.waits));
    let known = idle.iter().filter_map(|one| one.total.or(one.printed_total));
    let time = known.clone().fold(Printed::exact(0.0), Printed::plus);
    let least = if known.count() < idle.len() { "at least " } else { "" };
    format!("{least}{} in {}", seconds(time), counted(waits, "wait"))
}

/// An event that is judged.
struct Judged<'a> {
    read: &'a NamedReport,
    event: &'a EventHistogram,
    seconds: Printed,
    mean_s: f64,
    limit_ms: u64,
}

impl Judged<'_> {
    fn is_slow(&self) -> bool {
        self.mean_s * 1e3 > self.limit_ms as f64
    }
}

fn judge<'a>(read: &'a NamedReport, event: &'a EventHistogram) -> Option<Judged<'a>> {
    let limit = LIMITS.iter().find(|limit| event.event.starts_with(limit.event))?;
    let seconds = event.total.or(event.printed_total)?;
    let judged = event.waits > 0 && !event.idle && seconds.value >= LEAST_S;
    let mean_s = seconds.value / event.waits as f64;
    judged.then_some(Judged { read, event, seconds, mean_s, limit_ms: limit.ms })
}

/// Events whose mean wait is longer than its limit.
fn judged(reports: &[NamedReport]) -> Option<Section> {
    let mut all: Vec<Judged<'_>> = Vec::new();
    for read in reports {
        all.extend(read.report.histograms.iter().filter_map(|event| judge(read, event)));
    }
    let mut slow: Vec<&Judged<'_>> = all.iter().filter(|judged| judged.is_slow()).collect();
    if all.is_empty() {
        return None;
    }
    slow.sort_by_key(|judged| Reverse(Nanos::from_secs_f64(judged.seconds.value)));
    let several = reports.len() > 1;
    let row = |judged: &&Judged<'_>| {
        let Judged { read, event, seconds: time, mean_s, limit_ms } = judged;
        let mean = Nanos::from_secs_f64(*mean_s).map_or_else(none, |mean| mean.to_string());
        // As the maps beside it: only a total of these very waits is exact.
        let about = if event.total.is_some() { "" } else { "≈" };
        let report = several.then(|| name(read));
        let cells = vec![
            shown_name(&event.event),
            count(event.waits),
            format!("{about}{}", crate::waited(time.value)),
            format!("{about}{mean}"),
            Nanos::from_millis(*limit_ms).to_string(),
        ];
        report.into_iter().chain(cells).collect::<Vec<String>>()
    };
    let head = ["event", "waits", "time waited", "mean", "limit"];
    let head = several.then_some("report").into_iter().chain(head).map(str::to_owned);
    let judgement = format!(
        "{} of {} judged had a mean wait above its limit. Limits are of isotherm, and the same for every \
         system; events without one, or with less than {LEAST_S} s in all, are not judged.",
        if slow.is_empty() { "None".to_owned() } else { count(slow.len() as u64) },
        counted(all.len() as u64, "event")
    );
    let rows: Vec<Vec<String>> = slow.iter().take(LISTED).map(row).collect();
    let caption = match slow.len().checked_sub(LISTED).filter(|more| *more > 0) {
        Some(more) => {
            format!("Means above their limits, most time first; {more} more are not listed")
        }
        None => "Means above their limits, most time first".to_owned(),
    };
    let table = Table { caption, head: head.collect(), rows };
    Some(Section {
        title: "Slow waits".to_owned(),
        sentences: vec![judgement],
        tables: if slow.is_empty() { Vec::new() } else { vec![table] },
        ..Section::default()
    })
}
