//! The counts of the same reads in words, a table and a chart.

use isotherm_frame::numbers::{counted, grouped};
use isotherm_frame::percent;
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::waited;

use super::measure::Found;
use super::sample::{Sample, Way};
use crate::finding::capital;
use crate::server::Server;
use crate::{Finding, Verdict};

/// Counts that differ by less are the same: catalogs and maps are read once in a while.
const SAME: f64 = 0.01;

/// What the samples come to.
pub fn finding(found: &Found, server: &Server<'_>) -> Finding {
    let mut remarks: Vec<String> = found.untraced.iter().map(|why| left_out(why)).collect();
    remarks.extend(found.samples.iter().filter_map(|sample| explained(sample, found.block)));
    remarks.extend(by_statement_in_words(found));
    remarks.push(by_io_in_words(found));
    remarks.push(by_kernel_in_words(found));
    remarks.push(WAITS.to_owned());
    if found.samples.iter().any(|sample| sample.from_device.is_none()) {
        remarks.push(
            "Left out: what came from a device, because /proc/PID/io of the session cannot be read."
                .to_owned(),
        );
    }
    remarks.extend(server.remarks.iter().cloned());
    Finding {
        verdict: judged(found),
        sentence: sentence(found),
        uncertainty: uncertainty(found),
        remarks,
        tables: [
            vec![counts(found)],
            by_statement(found).into_iter().collect(),
            by_io(found).into_iter().collect(),
            by_kernel(found).into_iter().collect(),
            vec![times(found)],
        ]
        .concat(),
        charts: vec![chart(found)],
    }
}

/// By the samples that one process read alone: both counts are the same in all of them, or not.
fn judged(found: &Found) -> Verdict {
    let shares = || alone(found).map(|sample| sample.calls_by_statistics(found.block));
    let is_same = |share: f64| (share - 1.0).abs() <= SAME;
    match () {
        () if shares().any(|share| share.is_none_or(f64::is_nan)) => Verdict::Unsure,
        () if shares().flatten().all(is_same) => Verdict::Holds,
        () => Verdict::Fails,
    }
}

fn alone(found: &Found) -> impl Iterator<Item = &Sample> {
    found.samples.iter().filter(|sample| sample.way.is_alone())
}

/// The least and the greatest of some shares.
fn ends(shares: impl Iterator<Item = f64>) -> (f64, f64) {
    shares.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), share| {
        (least.min(share), most.max(share))
    })
}

fn between((least, most): (f64, f64)) -> String {
    if !least.is_finite() {
        return "no".to_owned();
    }
    if percent(least) == percent(most) {
        return percent(least);
    }
    format!("{} to {}", percent(least), percent(most))
}

fn sentence(found: &Found) -> String {
    let waits = ends(found.samples.iter().map(|sample| sample.waits_by_statistics().0));
    let waits = format!(
        "looks at wait events found {} of the time of reads that the statistics have.",
        between(waits)
    );
    let shares = alone(found).filter_map(|sample| sample.calls_by_statistics(found.block));
    let shares = ends(shares);
    if !shares.0.is_finite() {
        return format!("system calls were not counted; {waits}");
    }
    let parallel = found.samples.iter().find(|sample| !sample.way.is_alone());
    let parallel = parallel.and_then(|sample| sample.calls_by_statistics(found.block));
    let parallel = parallel.map_or_else(String::new, |share| {
        format!(", {} of them where parallel workers read too", percent(share))
    });
    format!(
        "where one process reads, its system calls read {} of the blocks that the statistics count{parallel}; \
         {waits}",
        between(shares)
    )
}

fn uncertainty(found: &Found) -> String {
    let widest =
        found.samples.iter().map(|sample| sample.waits_by_statistics().1).fold(0.0, f64::max);
    let looks = ends(found.samples.iter().map(|sample| sample.looks.count as f64));
    format!(
        "System calls and statistics are counts, without chance. Wait events are sampled, {} to {} times a \
         line; with 90 % confidence their shares are right to within ± {}.",
        looks.0,
        looks.1,
        percent(widest)
    )
}

fn left_out(why: &str) -> String {
    format!(
        "Left out: system calls, because {why}. Run the lab as root with strace installed; where \
         kernel.yama.ptrace_scope is 1 or more, only root may trace."
    )
}

/// Why the counts of a sample are what they are.
fn explained(sample: &Sample, block: u64) -> Option<String> {
    let name = capital(sample.way.name());
    let blocks = grouped(sample.blocks);
    let device = sample.from_device.map(|bytes| grouped(bytes / block));
    let calls = sample.calls.as_ref();
    Some(match sample.way {
        Way::Cold | Way::Whole => {
            let device = device?;
            format!("{name}: {blocks} blocks by the server, {device} from the device.")
        }
        Way::Cached => {
            let device = device?;
            format!(
                "{name}: {blocks} blocks by the server, {device} from the device; the page cache had the \
                 others."
            )
        }
        Way::Prefetched => format!(
            "{name}: the server asked for {} blocks before it read them ({blocks}).",
            grouped(calls?.prefetches)
        ),
        Way::Parallel => format!(
            "{name}: of {blocks} blocks the session's process read {}; the others were read by other \
             processes.",
            grouped(calls?.table.bytes / block)
        ),
        Way::Sorted => format!(
            "{name}: besides {blocks} blocks of the table, {} system calls read temporary files.",
            grouped(calls?.temporary.calls)
        ),
    })
}

fn counts(found: &Found) -> Table {
    let block = found.block;
    let or_none = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), grouped);
    let row = |sample: &Sample| {
        let calls = sample.calls.as_ref();
        let share = sample.calls_by_statistics(block).filter(|share| share.is_finite());
        vec![
            sample.way.name().to_owned(),
            or_none(calls.map(|calls| calls.table.calls)),
            or_none(calls.map(|calls| calls.table.bytes / block)),
            grouped(sample.blocks),
            share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}")),
            or_none(calls.map(|calls| calls.temporary.calls)),
            or_none(calls.map(|calls| calls.other.calls)),
            or_none(calls.map(|calls| calls.prefetches)),
            or_none(sample.from_device.map(|bytes| bytes / block)),
        ]
    };
    let head = [
        "",
        "calls",
        "their blocks",
        "statistics",
        "calls/statistics",
        "temporary",
        "other files",
        "prefetches",
        "from device",
    ];
    Table {
        caption: "Reads of one table: system calls of the session and blocks of the server's statistics; \
                  calls on other files; blocks that came from the device"
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: found.samples.iter().map(row).collect(),
    }
}

/// The counts of `pg_stat_statements` beside the others; none where it is not installed.
fn by_statement(found: &Found) -> Option<Table> {
    let row = |sample: &Sample| {
        let blocks = sample.by_statement?;
        let temporary = sample.calls.map(|calls| grouped(calls.temporary.bytes / found.block));
        Some(vec![
            sample.way.name().to_owned(),
            grouped(blocks.shared),
            grouped(sample.blocks),
            grouped(blocks.temporary),
            temporary.unwrap_or_else(|| "-".to_owned()),
        ])
    };
    let rows: Option<Vec<Vec<String>>> = found.samples.iter().map(row).collect();
    let head = ["", "by statement", "by table", "temporary, by statement", "temporary, by calls"];
    Some(Table {
        caption: "Blocks of the same reads by pg_stat_statements (shared_blks_read, temp_blks_read), beside \
                  those by pg_statio and by system calls on temporary files"
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows?,
    })
}

fn by_statement_in_words(found: &Found) -> Option<String> {
    if !found.has_statements {
        return Some(
            "Left out: counts by statement, because the extension pg_stat_statements is not installed \
             (postgresql-contrib), or not in that database and loaded by its server."
                .to_owned(),
        );
    }
    let both = || found.samples.iter().filter_map(|sample| Some((sample, sample.by_statement?)));
    let same = both().filter(|(sample, blocks)| sample.blocks == blocks.shared).count();
    let temporary = both().map(|(_, blocks)| blocks.temporary).max()?;
    Some(format!(
        "pg_stat_statements has the same blocks of the table as pg_statio in {same} of {} ways, with those \
         that parallel workers read, and {} temporary blocks of the sort.",
        both().count(),
        grouped(temporary)
    ))
}

/// The counts of `pg_stat_io` beside those of the table; none where the server has no such view.
fn by_io(found: &Found) -> Option<Table> {
    let row = |sample: &Sample| {
        let blocks = sample.by_io?;
        let of_others = i128::from(blocks) - i128::from(sample.blocks);
        Some(vec![
            sample.way.name().to_owned(),
            grouped(blocks),
            grouped(sample.blocks),
            of_others.to_string(),
        ])
    };
    let rows: Option<Vec<Vec<String>>> = found.samples.iter().map(row).collect();
    let head = ["", "pg_stat_io", "by table", "of other relations"];
    Some(Table {
        caption: "Blocks of the same reads by pg_stat_io, of all relations and all processes but autovacuum, beside \
                  those by pg_statio of the table"
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows?,
    })
}

fn by_io_in_words(found: &Found) -> String {
    let both = || found.samples.iter().filter_map(|sample| Some((sample.blocks, sample.by_io?)));
    let Some(most) = both().map(|(blocks, by_io)| blocks.abs_diff(by_io)).max() else {
        return NO_STAT_IO.to_owned();
    };
    let same = both().filter(|(blocks, by_io)| blocks == by_io).count();
    format!(
        "pg_stat_io has the same blocks as pg_statio in {same} of {} ways, and differs by at most {}: it counts all \
         relations, and whatever other sessions read.",
        both().count(),
        counted(most, "block")
    )
}

/// The reads that bpftrace counted beside the others; none where it was not attached.
fn by_kernel(found: &Found) -> Option<Table> {
    let or_none = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), grouped);
    let row = |sample: &Sample| {
        let kernel = sample.kernel?;
        let calls = sample.calls.as_ref();
        Some(vec![
            sample.way.name().to_owned(),
            or_none(calls.map(|calls| calls.all().calls)),
            grouped(kernel.session.calls),
            grouped(kernel.all.calls),
            grouped(kernel.all.bytes / found.block),
            or_none(calls.map(|calls| (calls.temporary.bytes + calls.other.bytes) / found.block)),
            grouped(sample.blocks),
        ])
    };
    let rows: Option<Vec<Vec<String>>> = found.samples.iter().map(row).collect();
    let head =
        ["", "strace", "bpftrace", "with workers", "their blocks", "of other files", "statistics"];
    Some(Table {
        caption: "Reads of all files: calls of the session by strace and by bpftrace, those of all processes of \
                  the server, and their blocks; blocks of the session on other files than the table's"
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows?,
    })
}

fn by_kernel_in_words(found: &Found) -> String {
    if let Some(why) = &found.unseen {
        return format!(
            "Left out: counts in the kernel, because {why}. Run the lab as root with bpftrace installed."
        );
    }
    let both =
        || found.samples.iter().filter_map(|sample| Some((sample, sample.calls?, sample.kernel?)));
    let same = both().filter(|(_, calls, kernel)| calls.all() == kernel.session).count();
    let workers = both().find(|(sample, ..)| !sample.way.is_alone());
    let workers = workers.map_or_else(String::new, |(sample, calls, kernel)| {
        let others = kernel.all.bytes.saturating_sub(kernel.session.bytes) / found.block;
        format!(
            " With parallel workers, which strace of the session does not see, it has {} blocks more: {} with the \
             session's own, where the statistics have {}.",
            grouped(others),
            grouped(others + calls.table.bytes / found.block),
            grouped(sample.blocks)
        )
    });
    format!(
        "bpftrace counted the same calls and bytes as strace in {same} of {} ways.{workers}",
        both().count()
    )
}

fn estimate(value: f64, write: impl Fn(f64) -> String) -> String {
    if value.is_finite() { format!("≈{}", write(value)) } else { "-".to_owned() }
}

fn times(found: &Found) -> Table {
    let row = |sample: &Sample| {
        let (share, half_width) = sample.waits_by_statistics();
        vec![
            sample.way.name().to_owned(),
            waited(sample.looks.elapsed_s),
            grouped(sample.looks.count),
            grouped(sample.looks.waiting),
            estimate(sample.looks.waited_s(), waited),
            waited(sample.read_s),
            estimate(share, |share| format!("{share:.2} ± {half_width:.2}")),
        ]
    };
    let head = ["", "elapsed", "looks", "waiting", "waited", "statistics", "waits/statistics"];
    Table {
        caption: "Time of reads: by looks that found the session in DataFileRead (an estimate), and by the \
                  server's statistics (blk_read_time)"
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: found.samples.iter().map(row).collect(),
    }
}

fn chart(found: &Found) -> Chart {
    let numbered = || found.samples.iter().zip(1..);
    let point = |(x, y): (i32, f64)| ChartPoint { x: f64::from(x), y, ..ChartPoint::default() };
    let calls = numbered()
        .filter_map(|(sample, x)| Some((x, sample.calls_by_statistics(found.block)?)))
        .map(point);
    let waits = numbered().map(|(sample, x)| {
        let (share, half_width) = sample.waits_by_statistics();
        ChartPoint { y_range: Some((share - half_width, share + half_width)), ..point((x, share)) }
    });
    let equal = [1, 6].map(|x| point((x, 1.0)));
    Chart {
        title: "Blocks of system calls, and time of wait events, as a share of the statistics"
            .to_owned(),
        x: ChartAxis { label: "line of the table".to_owned(), ..ChartAxis::default() },
        y: ChartAxis { label: "share".to_owned(), unit: ChartUnit::Share, log: false },
        curves: vec![
            Curve {
                name: "system calls".to_owned(),
                stroke: Stroke::Dots,
                points: calls.collect(),
            },
            Curve { name: "wait events".to_owned(), stroke: Stroke::Dots, points: waits.collect() },
            Curve { name: "the same".to_owned(), stroke: Stroke::Dashed, points: equal.to_vec() },
        ],
        ..Chart::default()
    }
}

const NO_STAT_IO: &str = "Statistics are those of pg_statio_user_tables (blocks) and pg_stat_database (time): \
    pg_stat_io, which counts by kind of process, is there from PostgreSQL 16 on.";

const WAITS: &str = "Wait events are not counted by PostgreSQL: looks of another session sampled them. Looks \
    come more easily while the session waits, and those with parallel workers see one process of several. \
    strace slows every call, so that these times are not those of the reads alone.";

#[cfg(test)]
mod tests {
    use super::super::calls::{Calls, Reads};
    use super::super::kernel::KernelReads;
    use super::super::looks::Looks;
    use super::super::sample::StatementBlocks;
    use super::*;

    /// Samples in which the session read these blocks where the server counted 1,000.
    fn found(blocks: [Option<u64>; 6]) -> Found {
        let sample = |(way, blocks): (Way, Option<u64>)| Sample {
            way,
            calls: blocks.map(|blocks| Calls {
                table: Reads { calls: blocks, bytes: blocks * 8_192 },
                ..Calls::default()
            }),
            blocks: 1_000,
            kernel: blocks.map(|blocks| KernelReads {
                session: Reads { calls: blocks, bytes: blocks * 8_192 },
                all: Reads { calls: 1_000, bytes: 1_000 * 8_192 },
            }),
            by_io: None,
            by_statement: Some(StatementBlocks { shared: 1_000, temporary: 7 }),
            read_s: 1.0,
            looks: Looks { count: 100, waiting: 25, elapsed_s: 2.0 },
            from_device: Some(8_192),
        };
        let samples = Way::ALL.into_iter().zip(blocks).map(sample).collect();
        Found { samples, block: 8_192, untraced: None, unseen: None, has_statements: true }
    }

    #[test]
    fn counts_are_the_same_only_if_they_are_wherever_one_process_reads() {
        let all = |blocks: u64| [Some(blocks); 6];
        assert_eq!(judged(&found(all(1_000))), Verdict::Holds);
        assert_eq!(judged(&found(all(980))), Verdict::Fails);
        let mut with_workers = all(1_000);
        with_workers[4] = Some(300);
        assert_eq!(judged(&found(with_workers)), Verdict::Holds);
        with_workers[0] = None;
        assert_eq!(judged(&found(with_workers)), Verdict::Unsure);
        let said = sentence(&found([None; 6]));
        assert!(said.starts_with("system calls were not counted; looks"), "{said}");
        let mut mixed = all(1_000);
        mixed[4] = Some(300);
        let said = sentence(&found(mixed));
        assert!(
            said.contains("read 100 % of the blocks") && said.contains("30 % of them"),
            "{said}"
        );
        assert!(
            said.ends_with("found 50 % of the time of reads that the statistics have."),
            "{said}"
        );
    }

    #[test]
    fn the_kernel_sees_what_workers_read_and_says_why_if_it_was_not_asked() {
        let mut with_workers = [Some(1_000); 6];
        with_workers[4] = Some(300);
        let found = found(with_workers);
        let table = by_kernel(&found).unwrap();
        assert_eq!(table.rows[4][1..], ["300", "300", "1,000", "1,000", "0", "1,000"]);
        let sentence = by_kernel_in_words(&found);
        assert_eq!(
            sentence,
            "bpftrace counted the same calls and bytes as strace in 6 of 6 ways. With parallel workers, which \
             strace of the session does not see, it has 700 blocks more: 1,000 with the session's own, where the \
             statistics have 1,000."
        );
        let unseen = Some("bpftrace is not installed".to_owned());
        let without = Found { unseen, ..self::found([None; 6]) };
        assert!(by_kernel(&without).is_none());
        assert!(by_kernel_in_words(&without).contains("because bpftrace is not installed."));
    }

    #[test]
    fn the_count_of_all_relations_needs_neither_strace_nor_bpftrace() {
        let mut found = found([None; 6]);
        assert!(by_io(&found).is_none());
        assert_eq!(by_io_in_words(&found), NO_STAT_IO);
        for (sample, blocks) in
            found.samples.iter_mut().zip([1_000, 1_003, 1_000, 999, 1_000, 1_000])
        {
            sample.by_io = Some(blocks);
        }
        let table = by_io(&found).unwrap();
        assert_eq!(table.rows[1][1..], ["1,003", "1,000", "3"]);
        assert_eq!(table.rows[3][1..], ["999", "1,000", "-1"]);
        let said = by_io_in_words(&found);
        assert!(said.contains("in 4 of 6 ways, and differs by at most 3 blocks:"), "{said}");
    }

    #[test]
    fn a_way_that_was_left_out_says_so() {
        let table = counts(&found([None; 6]));
        assert_eq!(table.rows[0][1..5], ["-", "-", "1,000", "-"]);
        let statements = by_statement(&found([None; 6])).unwrap();
        assert_eq!(statements.rows[0][1..], ["1,000", "1,000", "7", "-"]);
        let without = Found { has_statements: false, ..found([None; 6]) };
        assert!(by_statement_in_words(&without).unwrap().contains("postgresql-contrib"));
        assert!(left_out("strace is not installed").contains("because strace is not installed."));
    }
}
