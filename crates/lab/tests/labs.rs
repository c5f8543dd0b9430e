//! Every lab in its short form: its lesson must hold on this machine.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use isotherm_frame::{Nanos, Random};
use isotherm_lab::{Bench, Events, Finding, LABS, LabError, Length, Run, Verdict, lab_of};
use isotherm_views::section::Table;

#[cfg(test)]
#[path = "labs/lessons.rs"]
mod lessons;
#[cfg(test)]
#[path = "../../views/tests/all/schema.rs"]
mod schema;
#[cfg(test)]
#[path = "../../views/tests/all/schema_pages.rs"]
mod schema_pages;

#[cfg(test)]
fn run(name: &str, seed: u64, events: Option<&Events>) -> Result<Finding, LabError> {
    // Some make a table first, which takes a minute where much else runs.
    let _ends = testing::bounded::watchdog_for("a lab", Duration::from_secs(110));
    let (stop, mut progress) = (AtomicBool::new(false), |_| ());
    let lab = lab_of(name).unwrap();
    (lab.run)(&mut Bench::new((Length::Short, seed), &stop, &mut progress).with_events(events))
}

/// Says why the rest of a test is left out.
#[cfg(test)]
fn skipped(why: &str) {
    writeln!(std::io::stderr(), "SKIPPED: {why}").expect("written");
}

/// One lab with a server at a time: they would measure each other, and share the names of directories. This is for
/// `cargo test`, which runs all tests in one process; cargo-nextest gives each a process of its own, and
/// `.config/nextest.toml` runs these one at a time.
#[cfg(test)]
static SERVER: Mutex<()> = Mutex::new(());

/// A lab on a server of its own, of which nothing is left afterwards; `None` where `PostgreSQL` is not
/// installed.
#[cfg(test)]
fn run_with_server(name: &str) -> Option<Finding> {
    let _alone = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    let found = run(name, 1, None);
    let mine = format!("isotherm-lab-{}-", std::process::id());
    for entry in std::fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
        let name = entry.file_name();
        assert!(!name.to_string_lossy().starts_with(&mine), "{}", name.display());
    }
    match found {
        Err(LabError::NotInstalled { .. }) => {
            let said = "SKIPPED: PostgreSQL is not installed";
            writeln!(std::io::stderr(), "{said}").expect("said");
            None
        }
        found => Some(found.unwrap()),
    }
}

#[test]
fn the_run_queue_counts_the_running_and_the_waiting() {
    let finding = run("run-queue", 1, None).unwrap();
    // What else runs comes and goes between two ways of counting: a short run may not decide. It
    // never decides wrongly.
    assert_ne!(finding.verdict, Verdict::Fails, "{finding:#?}");
    // Whatever else runs: hogs never sleep, so all of them are counted at every level.
    let table = &finding.tables[0];
    for row in &table.rows {
        let number = |cell: &str| cell.split(' ').next().unwrap().parse::<f64>().unwrap();
        let hogs: f64 = row[0].parse().unwrap();
        // sar is not installed everywhere.
        for column in [3, 5, 7, 8].into_iter().filter(|&column| row[column] != "-") {
            let counted = number(&row[column]);
            assert!(counted >= hogs, "{} counted {counted}: {row:?}", table.head[column]);
        }
    }
}

#[test]
fn the_syncs_of_commits_are_counted_by_the_server_too() {
    // Whether most of a commit is its sync is a matter of the disk here.
    let Some(finding) = run_with_server("commit") else { return };
    // Two clocks: the server's time of a sync lies within the time that we waited for its commit.
    let [idle, serial, _, equal] = &finding.charts[0].curves[..] else { panic!("four curves") };
    for point in idle.points.iter().chain(&serial.points) {
        assert!(point.x / 1e3 < point.y, "{point:?}");
    }
    assert_eq!(equal.points.len(), 2);
    // Two counters: each commit of one session is one sync.
    let rows = &finding.tables[0].rows;
    let count = |row: usize, column: usize| rows[row][column].parse::<u64>().unwrap();
    assert_eq!([count(0, 1), count(1, 1)], [count(0, 2), count(1, 2)]);
    assert!(count(0, 1) >= 8 && count(1, 1) >= 4 * 8, "{rows:?}");
}

#[test]
fn rows_of_larger_commits_need_less_cpu_and_one_observation_is_solved() {
    let Some(finding) = run_with_server("batch") else { return };
    // Every commit is whole: the rows, which count(*) found as well, are a multiple of it.
    let rows = &finding.tables[0].rows;
    for row in rows {
        let number = |column: usize| row[column].replace(',', "").parse::<u64>().unwrap();
        assert_eq!(number(0) * number(2), number(1), "{row:?}");
        // Each of four sessions committed at least once in each of four rounds.
        assert!(number(2) >= 16, "{row:?}");
    }
    // The lesson: rows that share a commit share its CPU. Waiting is a matter of the disk here.
    let [queue, service] = &finding.charts[1].curves[..] else { panic!("two curves") };
    let (one, most) = (service.points[0].y, service.points[service.points.len() - 1].y);
    assert!(most < one, "{one} s of CPU with one row a commit, {most} s with 32");
    // Servers by brute force: the formula with them gives the response time that was measured.
    let servers: f64 = finding.tables[1].rows[0][5].parse().unwrap();
    let measured = finding.charts[0].curves[0].points[0].clone();
    assert!((queue.points[0].y + one - measured.y).abs() < 1e-9);
    let residual = |servers: f64| {
        let busy: f64 = one * measured.x / servers;
        busy.powf(servers) - queue.points[0].y / measured.y
    };
    // Servers are printed with four places: the root lies within the last of them.
    assert!(residual(servers - 1e-4) > 0.0 && residual(servers + 1e-4) < 0.0, "{servers}");
}

#[test]
fn system_calls_and_statistics_count_the_same_blocks() {
    let Some(finding) = run_with_server("io-count") else { return };
    let rows = &table_with(&finding, 1, "calls").unwrap().rows;
    assert_eq!(rows.len(), 6);
    if rows[0][1] == "-" {
        let remark =
            finding.remarks.iter().find(|remark| remark.starts_with("Left out: system calls"));
        writeln!(std::io::stderr(), "SKIPPED: {}", remark.unwrap()).expect("said");
        assert_eq!(finding.verdict, Verdict::Unsure);
        return;
    }
    let number =
        |row: usize, column: usize| rows[row][column].replace(',', "").parse::<u64>().unwrap();
    // Workers read what the session's process does not: its calls are no more than all.
    assert!(number(4, 2) <= number(4, 3), "{:?}", rows[4]);
    // The whole table has more blocks than single rows; only a sort on disk reads temporary files.
    assert!(number(2, 3) > number(0, 3), "{rows:?}");
    assert!((0..5).all(|row| number(row, 5) == 0) && number(5, 5) > 0, "{rows:?}");
    assert!(number(3, 7) > 0 && number(2, 7) == 0, "prefetches: {rows:?}");
    assert_eq!(finding.verdict, Verdict::Holds, "{}", finding.sentence);
    the_counts_are_the_same_in_each_of_six_samples(&finding);
    statements_count_what_workers_and_sorts_read(&finding);
    the_kernel_counts_the_calls_of_the_session_and_of_its_workers(&finding);
    // From PostgreSQL 16 on: of the table, and of catalogs now and then.
    for row in table_with(&finding, 1, "pg_stat_io").into_iter().flat_map(|table| &table.rows) {
        let blocks = |column: usize| row[column].replace(',', "").parse::<u64>().unwrap();
        assert!(blocks(1) >= blocks(2), "{row:?}");
    }
    for row in &finding.tables.last().unwrap().rows {
        let looks = |column: usize| row[column].replace(',', "").parse::<u64>().unwrap();
        assert!(looks(3) <= looks(2), "{row:?}");
    }
}

/// Where one process reads, its calls and the server's statistics are the same number in each sample; their sums
/// are the rows of the samples and of the ways.
#[cfg(test)]
fn the_counts_are_the_same_in_each_of_six_samples(finding: &Finding) {
    let number = |cell: &str| cell.replace(',', "").parse::<u64>().unwrap();
    let (samples, each) = (&finding.tables[0], &finding.tables[1]);
    let names: Vec<&str> = samples.rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(names, ["1", "2", "3", "4", "5", "6", "mean", "standard deviation"]);
    assert_eq!(each.rows.len(), 6);
    let mut of_ways = [0; 6];
    for (row, sample) in each.rows.iter().zip(&samples.rows) {
        let mut of_sample = 0;
        for (way, cell) in row[1..].iter().enumerate() {
            let (calls, statistics) = cell.split_once(" / ").unwrap();
            let (calls, statistics) = (number(calls), number(statistics));
            assert!(statistics > 0, "{row:?}");
            if each.head[way + 1] != "parallel workers" {
                assert_eq!(calls, statistics, "{row:?}");
                of_sample += statistics;
            }
            of_ways[way] += statistics;
        }
        assert_eq!([number(&sample[2]), number(&sample[3])], [of_sample; 2], "{sample:?}");
        assert_eq!((sample[4].as_str(), sample[5].as_str()), ("0", "1.000"));
    }
    let ways = table_with(finding, 1, "calls").unwrap();
    assert_eq!(ways.rows.iter().map(|row| number(&row[3])).collect::<Vec<_>>(), of_ways);
    let (mean, spread) = (&samples.rows[6], &samples.rows[7]);
    assert_eq!([&mean[4], &spread[4], &mean[5], &spread[5]], ["0.0", "0.0", "1.000", "0.000"]);
    // Waits are sampled: their mean is that of the rows, to the last digit that these have.
    let share = |row: &[String]| row[8].trim_start_matches('≈').parse::<f64>().unwrap();
    let shares = samples.rows[..6].iter().map(|row| share(row)).sum::<f64>() / 6.0;
    assert!((share(mean) - shares).abs() < 0.006, "{mean:?} {shares}");
}

/// The table whose column has this name.
#[cfg(test)]
fn table_with<'a>(finding: &'a Finding, column: usize, name: &str) -> Option<&'a Table> {
    finding.tables.iter().find(|table| table.head.get(column).is_some_and(|head| head == name))
}

/// bpftrace has the calls of strace, and with the workers all blocks that the statistics have.
#[cfg(test)]
fn the_kernel_counts_the_calls_of_the_session_and_of_its_workers(finding: &Finding) {
    let Some(kernel) = table_with(finding, 2, "bpftrace") else {
        let why = finding.remarks.iter().find(|remark| remark.contains("counts in the kernel"));
        return writeln!(std::io::stderr(), "SKIPPED: {}", why.unwrap()).expect("written");
    };
    for (at, row) in kernel.rows.iter().enumerate() {
        let number = |column: usize| row[column].replace(',', "").parse::<u64>().unwrap();
        assert_eq!(row[1], row[2], "{row:?}");
        // What others read: workers only where there are some.
        assert!((number(3) > number(2)) == (at == 4), "{row:?}");
        // Workers may read a catalog or two besides, in each sample.
        let of_table = number(4) - number(5);
        let more = if at == 4 { 6 * 64 } else { 0 };
        assert!((number(6)..=number(6) + more).contains(&of_table), "{row:?}");
    }
}

/// Counts by statement are those by table, workers or not, and their temporary blocks are those of the
/// system calls on temporary files.
#[cfg(test)]
fn statements_count_what_workers_and_sorts_read(finding: &Finding) {
    let Some(statements) = table_with(finding, 1, "by statement") else {
        let said = finding.remarks.iter().find(|remark| remark.contains("pg_stat_statements"));
        return writeln!(std::io::stderr(), "SKIPPED: {}", said.unwrap()).expect("said");
    };
    assert_eq!(statements.rows.len(), 6);
    for (at, row) in statements.rows.iter().enumerate() {
        let number = |column: usize| row[column].replace(',', "").parse::<u64>().unwrap();
        // Planning may still read a block or two of the index, in each sample.
        assert!(number(1) <= number(2) && number(2) <= number(1) + 6 * 2, "{row:?}");
        assert_eq!(row[3], row[4], "{row:?}");
        assert_eq!(row[3] != "0", at == 5, "{row:?}");
    }
}

#[test]
fn user_calls_are_as_many_as_the_law_says_by_three_counts() {
    let Some(finding) = run_with_server("user-calls") else { return };
    assert_eq!(finding.verdict, Verdict::Holds, "{}", finding.sentence);
    let number = |cell: &str| cell.replace(',', "").parse::<u64>().unwrap();
    let [scenarios, published, around, counts] = &finding.tables[..] else { panic!("four tables") };
    // DDL, insert, trigger, block, procedure, OUT, function, prepared once, a pipeline, one fetch, the simple
    // protocol.
    let calls: Vec<u64> = scenarios.rows.iter().map(|row| number(&row[5])).collect();
    assert_eq!(calls, [2, 2, 2, 2, 2, 3, 3, 1_001, 40, 3, 1]);
    // 20 statements that are sent together are answered together.
    let trips: Vec<u64> = scenarios.rows.iter().map(|row| number(&row[7])).collect();
    assert_eq!(trips, [1, 1, 1, 1, 1, 1, 1, 1_000, 1, 1, 1]);
    // Five of them ran 1,000 inserts inside the server, counted by the rows that are there.
    let inside: Vec<u64> = scenarios.rows.iter().map(|row| number(&row[8])).collect();
    assert_eq!(inside, [0, 0, 1_000, 1_000, 1_000, 1_000, 1_000, 0, 0, 0, 0]);
    // As published for Oracle.
    let calls: Vec<u64> = published.rows.iter().map(|row| number(&row[2])).collect();
    assert_eq!(calls, [4_759, 359]);
    // Rows are taken away by hand, until an array is not full.
    let fetches = |mut rows: u64, array: u64| {
        let mut fetches = 1;
        while rows >= array {
            (rows, fetches) = (rows - array, fetches + 1);
        }
        fetches
    };
    for row in &around.rows {
        assert_eq!(number(&row[2]), fetches(number(&row[0]), 15), "{row:?}");
    }
    let sizes = &finding.charts[0].curves[1].points;
    assert_eq!(sizes.len(), 500);
    let mut executes = 0;
    for (array, point) in (1..).zip(sizes) {
        assert!((point.y - 2.0 - fetches(1_000, array) as f64).abs() < 1e-9, "{array}: {point:?}");
        executes += fetches(1_000, array);
    }
    // The proxy, the client and the server's log have the same counts of each message, and no fewer
    // than these.
    assert_eq!(counts.rows.len(), 3);
    assert_eq!(counts.rows[0][1..], counts.rows[1][1..]);
    assert_eq!(counts.rows[0][1..], counts.rows[2][1..]);
    assert!(number(&counts.rows[0][3]) > executes + 4_757 + 357, "{:?}", counts.rows);
}

#[test]
fn a_backup_takes_pages_of_the_table_out_of_the_cache() {
    let Some(finding) = run_with_server("backup") else { return };
    let rows = &finding.tables[0].rows;
    let number = |row: usize, column: usize| rows[row][column].replace(',', "").parse::<u64>();
    let in_memory = finding.remarks.iter().any(|remark| remark.contains("tmpfs"));
    let (Ok(before), Ok(after)) = (number(0, 6), number(1, 6)) else {
        let said = "SKIPPED: fincore is not installed, so that nothing is known of the cache";
        writeln!(std::io::stderr(), "{said}").expect("said");
        return;
    };
    if in_memory {
        writeln!(std::io::stderr(), "SKIPPED: files in memory are never evicted").expect("said");
        return;
    }
    // The lesson: pages, not latencies, which depend on the device. Right after the last piece of the
    // backup only what its steps read again can be there: at most 2 x 200 statements of a few pages.
    assert!(after < before / 2, "{after} pages of {before} are left");
    // Every statement is one of three kinds: 13 steps of 200.
    let said = finding.remarks.iter().find(|remark| remark.starts_with("Of 2,600 statements"));
    assert!(said.is_some(), "{:?}", finding.remarks);
    // Each phase's bars hold all of its reads.
    for curve in &finding.charts[1].curves {
        let all: f64 = curve.points.iter().map(|point| point.y).sum();
        assert!((all - 1.0).abs() < 1e-9, "{}: {all}", curve.name);
    }
}

#[test]
fn averages_are_of_all_events_that_were_measured() {
    // The lesson is in `lessons`.
    let Some(finding) = run_with_server("averages") else { return };
    let names = &finding.tables[0].head[1..];
    assert_eq!([&names[0], &names[names.len() - 1]], ["one statement", "reads through the cache"]);
    assert!(finding.tables[0].rows[0][1..].iter().all(|events| events == "2,000"));
    // The bars of the logarithmic histograms hold every event, each drawn by both of its edges.
    for chart in finding.charts.iter().skip(1).step_by(2) {
        let drawn: f64 = chart.curves[0].points.iter().map(|point| point.y).sum();
        assert!((drawn - 2.0 * 2_000.0).abs() < 0.5, "{drawn}: {}", chart.title);
    }
}

#[test]
fn events_around_a_mean_have_it_in_the_middle() {
    // A planted story: 1 ms 900 times, 100 ms 100 times: the mean is 10.9 ms, the median 1 ms.
    let latencies = (0..1_000).map(|at| Nanos::from_millis(if at % 10 == 0 { 100 } else { 1 }));
    let events = Events { name: "two.csv".to_owned(), latencies: latencies.collect() };
    let finding = run("averages", 1, Some(&events)).unwrap();
    assert_eq!(finding.verdict, Verdict::Holds);
    assert_eq!(finding.sentence, "the share of events within 10 % of their mean is 0 % (two.csv).");
    assert!(
        finding.remarks[0].contains("10.9 ms, 10.90 times the median"),
        "{:?}",
        finding.remarks
    );
    let rows = &finding.tables[0].rows;
    let cell = |name: &str| rows.iter().find(|row| row[0] == name).map(|row| row[1].as_str());
    assert_eq!(cell("p80"), Some("1.00 ms"));
    assert_eq!(cell("p99"), Some("100 ms"));
    assert_eq!(cell("faster than the mean"), Some("90 %"));
    // n = 1,000, p = 0.1: 99 ms x sqrt(p (1 - p) n / (n - 1)) = 29.715 ms; (1 - 2p) / sqrt(p (1 - p)) = 2.67.
    assert_eq!(cell("standard deviation"), Some("29.7 ms"));
    assert_eq!(cell("skewness"), Some("2.67"));
    // The normal share below 1 ms, -0.33317 deviations from the mean, is 0.3695; 0.9 of the events are there.
    assert_eq!(cell("distance from normal"), Some("53 %"));
    // 1.035 / (sqrt(1,000) - 0.01 + 0.85 / sqrt(1,000))
    assert_eq!(cell("distance by chance (1 %)"), Some("3.3 %"));
}

#[test]
fn fine_buckets_know_more_than_powers_of_two() {
    for seed in 1..=3 {
        let finding = run("buckets", seed, Some(&simulated_reads(seed))).unwrap();
        assert_eq!(finding.verdict, Verdict::Holds, "{finding:#?}");
    }
    // Of reads that are timed here: the device decides how far off they are.
    let finding = run("buckets", 1, None).unwrap();
    assert_eq!(finding.verdict, Verdict::Holds, "{finding:#?}");
    let expected =
        "2,000 events of reads through the cache are counted one by one, and 2997 of 2997";
    assert!(finding.uncertainty.contains(expected), "{}", finding.uncertainty);
}

/// Reads as a database sees them: most from a cache, some from a disk, a few that queue behind them.
#[cfg(test)]
fn simulated_reads(seed: u64) -> Events {
    let mut random = Random::new(seed);
    let latencies = (0..50_000).filter_map(|_| {
        let (median_s, spread): (f64, f64) = match random.unit() {
            ..0.70 => (120e-6, 0.35),
            ..0.97 => (6e-3, 0.5),
            _ => (60e-3, 0.6),
        };
        Nanos::from_secs_f64(median_s * (spread * random.normal()).exp())
    });
    Events { name: "simulated reads".to_owned(), latencies: latencies.collect() }
}

#[test]
fn percentiles_and_time_waited_of_a_users_events_are_exact() {
    // 2 to 2,000 µs: percentiles and the total follow from arithmetic.
    let mut latencies: Vec<Nanos> = (1..=1_000).map(|at| Nanos::from_micros(2 * at)).collect();
    let mut random = Random::new(1);
    (1..latencies.len()).rev().for_each(|at| latencies.swap(at, random.index(at + 1)));
    let events = Events { name: "a.csv".to_owned(), latencies };
    let finding = run("buckets", 1, Some(&events)).unwrap();
    let cell = |table: usize, row: usize, column: usize| &finding.tables[table].rows[row][column];
    assert_eq!([cell(0, 0, 1), cell(0, 3, 1)], ["1.00 ms", "1.98 ms"]);
    assert!(cell(0, 0, 2).starts_with("0.512–1.03ms"), "{}", cell(0, 0, 2));
    assert_eq!(cell(1, 0, 2), "1.00 s", "1.001 s in all");
    assert_eq!(finding.verdict, Verdict::Holds);
    assert!(finding.uncertainty.contains("1,000 events of a.csv"), "{}", finding.uncertainty);
}

#[test]
fn too_few_events_are_an_error_that_says_how_many_are_needed() {
    let events = Events { name: "b.csv".to_owned(), latencies: vec![Nanos::from_micros(1); 99] };
    let error = run("buckets", 1, Some(&events)).unwrap_err().to_string();
    assert_eq!(error, "b.csv has 99 events, and this lab needs at least 100; give it more of them");
    // Events of no time at all have percentiles, and no relative errors.
    let events = Events { name: "c.csv".to_owned(), latencies: vec![Nanos::ZERO; 100] };
    assert!(run("buckets", 1, Some(&events)).is_ok());
}

#[test]
fn a_working_set_is_counted_as_well_as_stated() {
    let Some(finding) = run_with_server("working-set") else { return };
    assert_eq!(finding.verdict, Verdict::Holds, "{finding:#?}");
    // The whole cache follows the formula within five standard deviations of 625 references.
    let ramp = &finding.charts[1];
    for (counted, formula) in ramp.curves[0].points.iter().zip(&ramp.curves[1].points) {
        assert!((counted.y - formula.y).abs() < 5.0 * 0.5 / 25.0, "{counted:?} {formula:?}");
    }
    let half = ramp.curves[2].points.last().unwrap();
    assert!((half.y - 0.5).abs() < 0.1, "{half:?}");
    if !is_without_a_server(&finding) {
        a_server_reads_each_distinct_block_once(&finding);
    }
}

#[cfg(test)]
fn a_server_reads_each_distinct_block_once(finding: &Finding) {
    let number = |cell: &str| cell.replace(',', "").parse::<u64>().unwrap();
    // 1 to 5 references to each of 2,000 blocks.
    let rows = &finding.tables[1].rows;
    assert_eq!(rows.len(), 5);
    for (times, row) in (1..).zip(rows) {
        let [references, distinct, read, hit] = [0, 1, 2, 3].map(|column| number(&row[column]));
        assert_eq!(references, times * 2_000, "{row:?}");
        // The server's count is that of our own list, to the last block.
        assert_eq!(read, distinct, "{row:?}");
        assert_eq!(read + hit, references, "{row:?}");
        // The formula by repetition instead of powers: a block stays out with 1 - 1/2,000 each time.
        let (mut one, mut two) = (1.0, 1.0);
        for _ in 0..references {
            (one, two) = (one * (1.0 - 1.0 / 2e3), two * (1.0 - 2.0 / 2e3));
        }
        let variance: f64 = 2e3 * one + 2e3 * 1_999.0 * two - (2e3 * one) * (2e3 * one);
        let off = (distinct as f64 - 2e3 * (1.0 - one)) / variance.sqrt();
        assert!(off.abs() < 4.0, "{off} standard deviations: {row:?}");
        assert_eq!(row[4], format!("{:.1} ± {:.1}", 2e3 * (1.0 - one), variance.sqrt()));
    }
    // A cache with room for half cannot answer more than half in the long run: 250 references a step,
    // of the last 2,000 half are 1,000, with a standard deviation of 22.
    let half = &finding.charts[2].curves[2].points;
    let last: f64 = half[half.len() - 8..].iter().map(|point| point.y).sum::<f64>() / 8.0;
    assert!(last < 0.5 + 5.0 * 0.5 / 2e3_f64.sqrt(), "{last}");
    // What is left of it after catalogs still answers some.
    assert!(last > 0.1, "{last}");
}

#[test]
fn the_order_of_a_queue_changes_percentiles_and_not_the_mean() {
    let Some(finding) = run_with_server("locks") else { return };
    assert_eq!(finding.verdict, Verdict::Holds, "{finding:#?}");
    assert!(finding.sentence.contains("the same mean to the nanosecond"), "{}", finding.sentence);
    // The simulation in order agrees with the formula of M/M/1, within twice its interval.
    let [fifo, _, formula] = &finding.charts[0].curves[..] else { panic!("three curves") };
    for (found, expected) in fifo.points.iter().zip(&formula.points) {
        let (lo, hi) = found.y_range.unwrap();
        let reach = hi - lo;
        assert!((found.y - expected.y).abs() < reach, "{found:?} {expected:?}");
    }
    keeps_to_the_schema("locks", finding.clone());
    if is_without_a_server(&finding) {
        return;
    }
    locks_are_granted_in_the_order_of_asking(&finding);
}

/// Whether a lab left out what it needs `PostgreSQL` for, because that is not installed.
#[cfg(test)]
fn is_without_a_server(finding: &Finding) -> bool {
    let left_out =
        finding.remarks.iter().find(|remark| remark.contains("PostgreSQL is not at hand"));
    if let Some(remark) = left_out {
        writeln!(std::io::stderr(), "SKIPPED: {remark}").expect("said");
    }
    left_out.is_some()
}

#[cfg(test)]
fn locks_are_granted_in_the_order_of_asking(finding: &Finding) {
    let table = &finding.tables[1];
    // Eight sessions in each of ten rounds: counted, not timed, so that other work cannot change it.
    for row in &table.rows {
        assert_eq!(row[2], "80", "{row:?}");
        let overtaking: u64 = row[3].parse().unwrap();
        assert!(row[1] != "one queue" || overtaking == 0, "{row:?}");
    }
    assert_eq!(table.rows.iter().filter(|row| row[1] == "one queue").count(), 3);
    // The n-th to ask is the n-th to have it.
    for curve in finding.charts[1].curves.iter().take(3) {
        assert_eq!(curve.points.len(), 8);
        for point in &curve.points {
            assert!((point.x - point.y).abs() < 1e-12, "{}: {point:?}", curve.name);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_finding() {
    // Its intervals come from samples that are drawn at random.
    let events = simulated_reads(1);
    let of = |seed| run("averages", seed, Some(&events)).unwrap();
    assert_eq!(of(7), of(7));
    assert_ne!(of(7), of(8));
}

#[test]
fn a_lab_that_is_stopped_gives_no_finding() {
    let _ends = testing::bounded::watchdog("labs that are stopped");
    for lab in LABS {
        let (stop, mut progress) = (AtomicBool::new(true), |_| ());
        let stopped = (lab.run)(&mut Bench::new((Length::Full, 1), &stop, &mut progress));
        assert!(matches!(stopped, Err(LabError::Interrupted)), "{}", lab.name);
    }
}

#[test]
fn the_json_keeps_to_its_schema() {
    keeps_to_the_schema("buckets", run("buckets", 1, None).unwrap());
}

#[cfg(test)]
fn keeps_to_the_schema(name: &str, finding: Finding) {
    let schema = schema_pages::schema_of::<Run>("lab.schema.json");
    let run = Run::new(lab_of(name).unwrap(), (Length::Short, 1), None, finding);
    let object = serde_json::to_value(run).unwrap();
    assert_eq!(schema::faults(&object, &schema), Vec::<String>::new(), "{name}");
}
