//! The counts of the same reads in words.

use isotherm_frame::numbers::{counted, grouped};
use isotherm_frame::percent;

use super::found::{Found, SAMPLES};
use super::sample::{Counts, Way};
use super::tables;
use crate::finding::capital;
use crate::server::Server;
use crate::{Estimate, Figure, Finding, Verdict};

/// Counts that differ by less are the same: maps of a table are read once in a while.
const SAME: f64 = 0.01;

/// What the measurements come to.
pub fn finding(found: &Found, server: &Server<'_>) -> Finding {
    let mut remarks: Vec<String> = found.untraced.iter().map(|why| left_out(why)).collect();
    remarks.extend(found.totals().filter_map(|(way, total)| explained(way, &total, found.block)));
    remarks.push(FALLING.to_owned());
    remarks.extend(nothing_read(found));
    remarks.extend(by_statement(found));
    remarks.push(by_io(found));
    remarks.push(by_kernel(found));
    remarks.push(WAITS.to_owned());
    if found.measurements.iter().any(|one| one.counts.from_device.is_none()) {
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
        tables: tables::all(found),
        charts: vec![tables::chart(found)],
        figures: figures(found),
    }
}

/// What the samples come to: the differences of the ways in which one process reads, and the share of waits of all.
fn figures(found: &Found) -> Vec<Figure> {
    let mean_and_spread = |estimate: Option<Estimate>| {
        let of = |value: fn(Estimate) -> f64| estimate.map_or(f64::NAN, value);
        (of(|estimate| estimate.mean), of(|estimate| estimate.deviation))
    };
    let (mean, deviation) = mean_and_spread(found.difference());
    let of_samples = [
        ("samples", SAMPLES as f64),
        ("difference_blocks_mean", mean),
        ("difference_blocks_deviation", deviation),
    ];
    let of_way = |way: Way| {
        let (mean, deviation) = mean_and_spread(found.waits(way));
        let shares = [("waits_share_mean", mean), ("waits_share_deviation", deviation)];
        Figure::all(way.name(), &shares)
    };
    let samples = Figure::all("ways in which one process reads", &of_samples);
    samples.into_iter().chain(Way::ALL.into_iter().flat_map(of_way)).collect()
}

/// By every sample of every way that one process reads alone: both counts are the same in all of
/// them, or not.
fn judged(found: &Found) -> Verdict {
    let shares = || found.alone().map(|one| one.counts.calls_by_statistics(found.block));
    let is_same = |share: f64| (share - 1.0).abs() <= SAME;
    match () {
        () if shares().any(|share| share.is_none_or(f64::is_nan)) => Verdict::Unsure,
        () if shares().flatten().all(is_same) => Verdict::Holds,
        () => Verdict::Fails,
    }
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
    let waits = Way::ALL.into_iter().filter_map(|way| Some(found.waits(way)?.mean));
    let waits = format!(
        "looks at wait events found {} of the time of reads that the statistics have.",
        between(ends(waits))
    );
    let shares = found.alone().filter_map(|one| one.counts.calls_by_statistics(found.block));
    let shares = ends(shares);
    if !shares.0.is_finite() {
        return format!("system calls were not counted; {waits}");
    }
    let same = found.alone().filter(|one| one.counts.is_same(found.block)).count();
    let parallel = found.total(Way::Parallel);
    let parallel = parallel.and_then(|total| total.calls_by_statistics(found.block));
    let parallel = parallel.map_or_else(String::new, |share| {
        format!("; where parallel workers read too, {} of the blocks", percent(share))
    });
    format!(
        "where one process reads, its system calls read {} of the blocks that the statistics count, to the \
         block in {same} of {} measurements ({SAMPLES} samples of {} ways){parallel}; {waits}",
        between(shares),
        found.alone().count(),
        Way::ALL.into_iter().filter(|way| way.is_alone()).count()
    )
}

fn uncertainty(found: &Found) -> String {
    let counts = found.difference().map_or_else(String::new, |difference| {
        format!(
            ": the mean of {} differences is {:.1} blocks, with a standard deviation of {:.1}",
            difference.count, difference.mean, difference.deviation
        )
    });
    let widest = Way::ALL.into_iter().filter_map(|way| Some(found.waits(way)?.reach));
    let looks = || found.measurements.iter().map(|one| one.counts.looks.count);
    format!(
        "System calls and statistics are counts, without chance{counts}. Wait events are sampled, {} to {} times \
         a measurement; with 90 % confidence the mean of a way's {SAMPLES} shares is right to within ± {}.",
        grouped(looks().min().unwrap_or(0)),
        grouped(looks().max().unwrap_or(0)),
        percent(widest.fold(0.0, f64::max))
    )
}

fn left_out(why: &str) -> String {
    format!(
        "Left out: system calls, because {why}. Run the lab as root with strace installed; where \
         kernel.yama.ptrace_scope is 1 or more, only root may trace."
    )
}

/// Measurements that have nothing to compare.
fn nothing_read(found: &Found) -> Option<String> {
    let none = found.measurements.iter().filter(|one| one.counts.blocks == 0).count() as u64;
    (none > 0).then(|| {
        format!(
            "In {} the server read nothing, because its own cache (shared_buffers) had the rows: use a server \
             with a smaller one.",
            counted(none, "measurement")
        )
    })
}

/// Why the counts of a way are what they are, all samples together.
fn explained(way: Way, total: &Counts, block: u64) -> Option<String> {
    let name = capital(way.name());
    let blocks = grouped(total.blocks);
    let device = total.from_device.map(|bytes| grouped(bytes / block));
    let calls = total.calls.as_ref();
    Some(match way {
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

fn by_statement(found: &Found) -> Option<String> {
    if !found.has_statements {
        return Some(
            "Left out: counts by statement, because the extension pg_stat_statements is not installed \
             (postgresql-contrib), or not in that database and loaded by its server."
                .to_owned(),
        );
    }
    let both = || {
        let counts = found.measurements.iter().map(|one| one.counts);
        counts.filter_map(|counts| Some((counts.blocks, counts.by_statement?)))
    };
    let same = both().filter(|(blocks, by_statement)| *blocks == by_statement.shared).count();
    let all = both().map(|(_, by_statement)| by_statement).reduce(|sum, more| sum + more)?;
    Some(format!(
        "pg_stat_statements has the same blocks of the table as pg_statio in {same} of {} measurements, with \
         those that parallel workers read, and {} temporary blocks of the sorts.",
        both().count(),
        grouped(all.temporary)
    ))
}

fn by_io(found: &Found) -> String {
    let both = || {
        let counts = found.measurements.iter().map(|one| one.counts);
        counts.filter_map(|counts| Some((counts.blocks, counts.by_io?)))
    };
    let Some(most) = both().map(|(blocks, by_io)| blocks.abs_diff(by_io)).max() else {
        return NO_STAT_IO.to_owned();
    };
    let same = both().filter(|(blocks, by_io)| blocks == by_io).count();
    format!(
        "pg_stat_io has the same blocks as pg_statio in {same} of {} measurements, and differs by at most {}: it \
         counts all relations, and whatever other sessions read.",
        both().count(),
        counted(most, "block")
    )
}

fn by_kernel(found: &Found) -> String {
    if let Some(why) = &found.unseen {
        return format!(
            "Left out: counts in the kernel, because {why}. Run the lab as root with bpftrace installed."
        );
    }
    let both = |counts: &Counts| Some((counts.calls?, counts.kernel?));
    let each = || found.measurements.iter().filter_map(|one| both(&one.counts));
    let same = each().filter(|(calls, kernel)| calls.all() == kernel.session).count();
    let parallel = found.total(Way::Parallel);
    let parallel = parallel.and_then(|total| Some((total.blocks, both(&total)?)));
    let workers = parallel.map_or_else(String::new, |(blocks, (calls, kernel))| {
        let others = kernel.all.bytes.saturating_sub(kernel.session.bytes) / found.block;
        format!(
            " With parallel workers, which strace of the session does not see, it has {} blocks more: {} with the \
             session's own, where the statistics have {}.",
            grouped(others),
            grouped(others + calls.table.bytes / found.block),
            grouped(blocks)
        )
    });
    format!(
        "bpftrace counted the same calls and bytes as strace in {same} of {} measurements.{workers}",
        each().count()
    )
}

const NO_STAT_IO: &str = "Statistics are those of pg_statio_user_tables (blocks) and pg_stat_database (time): \
    pg_stat_io, which counts by kind of process, is there from PostgreSQL 16 on.";

const FALLING: &str = "Samples differ in their blocks: each reads other rows, and what the earlier ones left in the \
    server's own cache is not read again.";

const WAITS: &str = "Wait events are not counted by PostgreSQL: looks of another session sampled them. Looks \
    come more easily while the session waits, and those with parallel workers see one process of several. \
    strace slows every call, so that these times are not those of the reads alone.";

#[cfg(test)]
mod tests {
    use isotherm_views::section::Table;

    use super::super::calls::{Calls, Reads};
    use super::super::kernel::KernelReads;
    use super::super::looks::Looks;
    use super::super::sample::{Measurement, StatementBlocks};
    use super::*;

    /// A measurement in which the session read these blocks where the server counted 1,000.
    fn counts(blocks: Option<u64>) -> Counts {
        let reads = |blocks: u64| Reads { calls: blocks, bytes: blocks * 8_192 };
        Counts {
            calls: blocks.map(|blocks| Calls { table: reads(blocks), ..Calls::default() }),
            blocks: 1_000,
            kernel: blocks.map(|blocks| KernelReads { session: reads(blocks), all: reads(1_000) }),
            by_io: None,
            by_statement: Some(StatementBlocks { shared: 1_000, temporary: 7 }),
            read_s: 1.0,
            looks: Looks::new((25, 100), 2.0),
            from_device: Some(8_192),
        }
    }

    /// Samples that are all alike, with these blocks of each way.
    fn found(blocks: [Option<u64>; 6]) -> Found {
        let one = |sample| {
            let ways = Way::ALL.into_iter().zip(blocks);
            ways.map(move |(way, blocks)| Measurement { sample, way, counts: counts(blocks) })
        };
        Found {
            measurements: (1..=SAMPLES).flat_map(one).collect(),
            block: 8_192,
            untraced: None,
            unseen: None,
            has_statements: true,
        }
    }

    /// All ways alike but that with parallel workers.
    fn with_workers() -> Found {
        let mut blocks = [Some(1_000); 6];
        blocks[4] = Some(300);
        found(blocks)
    }

    fn table(found: &Found, head: &str) -> Option<Table> {
        tables::all(found).into_iter().find(|table| table.head[1] == head)
    }

    #[test]
    fn counts_are_the_same_only_if_they_are_in_each_sample_wherever_one_process_reads() {
        assert_eq!(judged(&found([Some(1_000); 6])), Verdict::Holds);
        assert_eq!(judged(&found([Some(980); 6])), Verdict::Fails);
        assert_eq!(judged(&with_workers()), Verdict::Holds);
        // One measurement of the fourth sample, of which the sum over the samples would not tell.
        let mut one_off = with_workers();
        one_off.measurements[3 * 6].counts = counts(Some(980));
        one_off.measurements[4 * 6].counts = counts(Some(1_020));
        assert_eq!(one_off.total(Way::Cold).unwrap().calls_by_statistics(8_192), Some(1.0));
        assert_eq!(judged(&one_off), Verdict::Fails);
        for nothing in [counts(None), Counts { blocks: 0, ..counts(Some(0)) }] {
            let mut one_left_out = with_workers();
            one_left_out.measurements[2 * 6 + 5].counts = nothing;
            assert_eq!(judged(&one_left_out), Verdict::Unsure);
        }
    }

    #[test]
    fn words_say_in_how_many_measurements_the_counts_are_the_same() {
        let said = sentence(&found([None; 6]));
        assert!(said.starts_with("system calls were not counted; looks"), "{said}");
        let mut found = with_workers();
        assert_eq!(
            sentence(&found),
            "where one process reads, its system calls read 100 % of the blocks that the statistics count, to the \
             block in 30 of 30 measurements (6 samples of 5 ways); where parallel workers read too, 30 % of the \
             blocks; looks at wait events found 50 % of the time of reads that the statistics have."
        );
        // A sample has 5,000 blocks; 6 too many in one of six: the mean is 1, the squares add up to 30.
        found.measurements[0].counts = counts(Some(1_006));
        assert!(sentence(&found).contains("in 29 of 30"), "{}", sentence(&found));
        for (figure, expected) in figures(&found).iter().zip([6.0, 1.0, 6.0_f64.sqrt()]) {
            assert!((figure.value - expected).abs() < 1e-12, "{figure:?}");
        }
        let said = uncertainty(&found);
        let expected = "the mean of 6 differences is 1.0 blocks, with a standard deviation of 2.4.";
        assert!(said.contains(expected), "{said}");
        assert_eq!(nothing_read(&found), None);
        found.measurements[7].counts.blocks = 0;
        let said = nothing_read(&found).unwrap();
        assert!(said.starts_with("In 1 measurement the server read nothing"), "{said}");
    }

    #[test]
    fn the_samples_come_first_with_their_mean_and_spread() {
        let mut found = with_workers();
        found.measurements[0].counts = counts(Some(1_006));
        // Half of the time of the statistics, but for one of five ways of the last sample: all of it.
        found.measurements[5 * 6].counts.looks = Looks::new((50, 100), 2.0);
        let tables = tables::all(&found);
        let rows = &tables[0].rows;
        let first = ["1", "5,006", "5,006", "5,000", "6", "1.001", "≈2.50 s", "5.00 s", "≈0.50"];
        assert_eq!(rows[0], first);
        assert_eq!(rows[5][8], "≈0.60");
        let mean =
            ["mean", "5,001", "5,001", "5,000", "1.0", "1.000", "≈2.58 s", "5.00 s", "≈0.517"];
        assert_eq!(rows[6], mean);
        assert_eq!((rows[7][0].as_str(), rows[7][4].as_str()), ("standard deviation", "2.4"));
        let ways = &tables[1].rows;
        assert_eq!(
            ways[0][1..6],
            ["1,006 / 1,000", "1,000 / 1,000", "1,000 / 1,000", "1,000 / 1,000", "300 / 1,000"]
        );
        assert_eq!((rows.len(), ways.len()), (8, 6));
    }

    #[test]
    fn the_kernel_sees_what_workers_read_and_says_why_if_it_was_not_asked() {
        let found = with_workers();
        let table = table(&found, "strace").unwrap();
        assert_eq!(table.rows[4][1..], ["1,800", "1,800", "6,000", "6,000", "0", "6,000"]);
        assert_eq!(
            by_kernel(&found),
            "bpftrace counted the same calls and bytes as strace in 36 of 36 measurements. With parallel workers, \
             which strace of the session does not see, it has 4,200 blocks more: 6,000 with the session's own, where \
             the statistics have 6,000."
        );
        let unseen = Some("bpftrace is not installed".to_owned());
        let without = Found { unseen, ..self::found([None; 6]) };
        assert!(self::table(&without, "strace").is_none());
        assert!(by_kernel(&without).contains("because bpftrace is not installed."));
    }

    #[test]
    fn the_count_of_all_relations_needs_neither_strace_nor_bpftrace() {
        let mut found = found([None; 6]);
        assert!(table(&found, "pg_stat_io").is_none());
        assert_eq!(by_io(&found), NO_STAT_IO);
        let blocks = [1_000, 1_003, 1_000, 999, 1_000, 1_000];
        for (one, blocks) in found.measurements.iter_mut().zip(blocks.into_iter().cycle()) {
            one.counts.by_io = Some(blocks);
        }
        let table = table(&found, "pg_stat_io").unwrap();
        assert_eq!(table.rows[1][1..], ["6,018", "6,000", "18"]);
        assert_eq!(table.rows[3][1..], ["5,994", "6,000", "-6"]);
        let said = by_io(&found);
        assert!(
            said.contains("in 24 of 36 measurements, and differs by at most 3 blocks:"),
            "{said}"
        );
    }

    #[test]
    fn what_was_left_out_says_so() {
        let found = found([None; 6]);
        let ways = table(&found, "calls").unwrap();
        assert_eq!(ways.rows[0][1..5], ["-", "-", "6,000", "-"]);
        let samples = table(&found, "system calls").unwrap();
        assert_eq!(samples.rows[0][1..6], ["-", "-", "5,000", "-", "-"]);
        assert_eq!(samples.rows[6][1..6], ["-", "-", "5,000", "-", "-"]);
        assert!(
            uncertainty(&found)
                .starts_with("System calls and statistics are counts, without chance. Wait")
        );
        let statements = table(&found, "by statement").unwrap();
        assert_eq!(statements.rows[0][1..], ["6,000", "6,000", "42", "-"]);
        let without = Found { has_statements: false, ..found };
        assert!(by_statement(&without).unwrap().contains("postgresql-contrib"));
        assert!(left_out("strace is not installed").contains("because strace is not installed."));
    }
}
