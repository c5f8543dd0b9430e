//! AWR reports as rows: the columns that users of SLOB know, and more.

use isotherm_experiment::{Cell, Csv};
use isotherm_oracle::awr::{Latency, NamedReport, Printed, Rate, Report, WaitsOf};

use super::printed::shown;

/// Events with the names of their columns in SLOB's table.
const LATENCIES: [(&str, &str, WaitsOf); 5] = [
    ("DFSR_LAT", "db file sequential read", WaitsOf::Foreground),
    ("DPR_LAT", "direct path read", WaitsOf::Foreground),
    ("DFPR_LAT", "db file parallel read", WaitsOf::Foreground),
    ("DFPW_LAT", "db file parallel write", WaitsOf::Background),
    ("LFPW_LAT", "log file parallel write", WaitsOf::Background),
];

/// Bytes of a mebibyte.
const MIB: f64 = 1_048_576.0;

/// A row for each report.
pub fn slob_table(reports: &[NamedReport]) -> Csv {
    Csv::of(reports.iter().map(row).collect())
}

fn row(read: &NamedReport) -> Vec<(String, Cell)> {
    let NamedReport { file, report, summary, .. } = read;
    let mut row: Vec<(String, Cell)> = Vec::new();
    let mut add = |name: &str, cell: Cell| row.push((name.to_owned(), cell));
    add("FILE", Cell::text(file.clone()));
    add("SESSIONS", report.begin.sessions.map_or(Cell::Empty, Cell::Count));
    add("ELAPSED", number(summary.elapsed));
    add("DB CPU", number(db_cpu(report)));
    add("DB Tm", number(db_time(report)));
    add("EXECUTES", number(executes(report)));
    add("LIO", number(summary.logical_reads.map(|rate| rate.per_second)));
    add("PREADS", number(requests(report, "physical read total IO requests", "Read IO requests")));
    add("READ_MBS", number(mib(report, "physical read total bytes", "Read IO (MB)")));
    add(
        "PWRITES",
        number(requests(report, "physical write total IO requests", "Write IO requests")),
    );
    add("WRITE_MBS", number(mib(report, "physical write total bytes", "Write IO (MB)")));
    add("REDO_MBS", number(summary.redo_bytes.map(|rate| rate.per_second.times(1.0 / MIB))));
    for (name, event, of) in LATENCIES {
        add(name, number(report.latency(event, of).average_us));
    }
    add("TOP WAIT", Cell::text(top_wait(report)));
    further(read, &mut add);
    row
}

/// What SLOB's table does not have.
fn further(read: &NamedReport, add: &mut dyn FnMut(&str, Cell)) {
    let NamedReport { report, summary, .. } = read;
    let sync = report.latency("log file sync", WaitsOf::Foreground);
    add("log_file_sync_us", number(sync.average_us));
    let all: Vec<(&str, Latency)> = LATENCIES
        .iter()
        .map(|(name, event, of)| (*name, report.latency(event, *of)))
        .chain([("log_file_sync", sync)])
        .collect();
    for (name, latency) in &all {
        let name = name.to_lowercase().replace("_lat", "");
        add(&format!("{name}_waits"), latency.waits.map_or(Cell::Empty, Cell::Count));
        let half = latency.average_us.map(|average| average.half);
        add(&format!("{name}_plus_minus_us"), Cell::number(half));
    }
    add("io_requests_per_s", number(rate(summary.io_requests)));
    add("io_mib_per_s", number(rate(summary.io_mib)));
    add("user_calls_per_s", number(rate(summary.user_calls)));
    add("transactions_per_s", number(rate(summary.transactions)));
    add("end_sessions", report.end.sessions.map_or(Cell::Empty, Cell::Count));
    add("db_name", Cell::text(report.database.name.clone()));
    add("release", Cell::text(report.database.release.clone()));
    add("instance", Cell::text(report.instance.name.clone()));
    add("host", Cell::text(report.instance.host.clone()));
    let cpus = report.instance.cpus.map(u64::from);
    add("cpus", cpus.map_or(Cell::Empty, Cell::Count));
    let slob = read.slob.iter();
    for run in slob {
        add("slob_update_pct", run.update_pct.map_or(Cell::Empty, Cell::Count));
        add("slob_workers", run.workers.map_or(Cell::Empty, Cell::Count));
        for (name, value) in run.settings.iter().filter(|(name, _)| *name != "UPDATE_PCT") {
            add(&format!("slob_{}", name.to_lowercase()), Cell::text(value.clone()));
        }
    }
    for (name, moment) in
        [("begin_local_time", &report.begin.time), ("end_local_time", &report.end.time)]
    {
        add(name, moment.local.map_or(Cell::Empty, |local| Cell::text(local.to_string())));
    }
}

/// A number with no more digits than are known.
fn number(printed: Option<Printed>) -> Cell {
    Cell::number(printed.and_then(|printed| shown(printed).parse().ok()))
}

fn rate(rate: Option<Rate>) -> Option<Printed> {
    rate.map(|rate| rate.per_second)
}

/// Seconds of CPU of sessions per second: as printed, else from the top list.
fn db_cpu(report: &Report) -> Option<Printed> {
    let printed = report.load(&["DB CPU(s)"]).and_then(|load| load.per_second);
    let total = || {
        let line = report.top_events.iter().find(|line| line.event == "DB CPU")?;
        per_second(report, line.total?)
    };
    printed.or_else(total)
}

/// Seconds of database time per second: the closer one of what is printed and the total by the
/// time elapsed.
fn db_time(report: &Report) -> Option<Printed> {
    let printed = report.load(&["DB Time(s)", "DB time(s)"]).and_then(|load| load.per_second);
    let computed = report.db_time.and_then(|total| per_second(report, total));
    let all = printed.into_iter().chain(computed);
    all.min_by(|one, two| one.half.total_cmp(&two.half))
}

fn per_second(report: &Report, total: Printed) -> Option<Printed> {
    let elapsed = report.interval().filter(|elapsed| elapsed.value > 0.0)?;
    Some(total.times(1.0 / elapsed.value))
}

fn executes(report: &Report) -> Option<Printed> {
    let counted = rate(report.by_statistics(&["execute count"]));
    counted.or_else(|| report.load(&["Executes (SQL)", "Executes"])?.per_second)
}

fn requests(report: &Report, statistic: &'static str, load: &str) -> Option<Printed> {
    let counted = rate(report.by_statistics(&[statistic]));
    counted.or_else(|| report.load(&[load])?.per_second)
}

/// Mebibytes per second.
fn mib(report: &Report, statistic: &'static str, load: &str) -> Option<Printed> {
    let counted = rate(report.by_statistics(&[statistic])).map(|rate| rate.times(1.0 / MIB));
    counted.or_else(|| report.load(&[load])?.per_second)
}

/// The event with the most time.
fn top_wait(report: &Report) -> String {
    let waits = report.top_events.iter().find(|line| line.event != "DB CPU");
    waits.map(|line| line.event.clone()).unwrap_or_default()
}
