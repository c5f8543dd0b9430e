//! The counts of the same reads in tables and a chart.

use isotherm_frame::numbers::{grouped, whole};
use isotherm_views::chart::{Chart, ChartAxis, ChartPoint, ChartUnit, Curve, Stroke};
use isotherm_views::section::Table;
use isotherm_views::waited;

use super::found::{Found, SAMPLES, mean};
use super::sample::{Counts, Way};
use crate::Estimate;

/// All tables: the samples first, then the sums of each way.
pub fn all(found: &Found) -> Vec<Table> {
    let of_ways =
        [counts(found), by_statement(found), by_io(found), by_kernel(found), times(found)];
    [samples(found), ways_and_samples(found)]
        .into_iter()
        .chain(of_ways.into_iter().flatten())
        .collect()
}

/// A column of numbers: how it is headed, what it has of a sample, and how that and its mean are written.
struct Column {
    head: &'static str,
    of: fn(&Counts, u64) -> Option<f64>,
    one: fn(f64) -> String,
    mean: fn(f64) -> String,
}

const COLUMNS: [Column; 8] = [
    Column {
        head: "system calls",
        of: |counts, _| Some(counts.calls?.table.calls as f64),
        one: whole,
        mean: whole,
    },
    Column {
        head: "their blocks",
        of: |counts, block| Some((counts.calls?.table.bytes / block) as f64),
        one: whole,
        mean: whole,
    },
    Column {
        head: "statistics",
        of: |counts, _| Some(counts.blocks as f64),
        one: whole,
        mean: whole,
    },
    Column {
        head: "difference",
        of: Counts::difference,
        one: |blocks| format!("{blocks:.0}"),
        mean: |blocks| format!("{blocks:.1}"),
    },
    Column {
        head: "calls/statistics",
        of: Counts::calls_by_statistics,
        one: |share| format!("{share:.3}"),
        mean: |share| format!("{share:.3}"),
    },
    Column {
        head: "waited",
        of: |counts, _| Some(counts.looks.waited_s),
        one: |seconds| format!("≈{}", waited(seconds)),
        mean: |seconds| format!("≈{}", waited(seconds)),
    },
    Column {
        head: "time by statistics",
        of: |counts, _| Some(counts.read_s),
        one: waited,
        mean: waited,
    },
    Column {
        head: "waits/statistics",
        of: |counts, _| Some(counts.waits_by_statistics()),
        one: |share| format!("≈{share:.2}"),
        mean: |share| format!("≈{share:.3}"),
    },
];

/// Each sample, over the ways in which one process reads alone; then their mean and their spread.
fn samples(found: &Found) -> Table {
    let samples = found.samples();
    let cell = |column: &Column, counts: &Counts| {
        let value = (column.of)(counts, found.block).filter(|value| value.is_finite());
        value.map_or_else(none, column.one)
    };
    let summary = |name: &str, of: fn(Estimate) -> f64| {
        let cell = |column: &Column| {
            let values = samples.iter().map(|counts| (column.of)(counts, found.block));
            let estimate = mean(values.map(|value| value.unwrap_or(f64::NAN)));
            estimate.map(of).filter(|value| value.is_finite()).map_or_else(none, column.mean)
        };
        [name.to_owned()].into_iter().chain(COLUMNS.iter().map(cell)).collect()
    };
    let row = |(number, counts): (i32, &Counts)| {
        let cells = COLUMNS.iter().map(|column| cell(column, counts));
        [number.to_string()].into_iter().chain(cells).collect()
    };
    let mut rows: Vec<Vec<String>> = (1..).zip(&samples).map(row).collect();
    rows.push(summary("mean", |estimate| estimate.mean));
    rows.push(summary("standard deviation", |estimate| estimate.deviation));
    Table {
        caption: "Six samples, each of the ways in which one process reads: system calls of the session, their \
                  blocks and those of the server's statistics; time of reads by looks at wait events (an estimate) \
                  and by statistics"
            .to_owned(),
        head: ["sample"].into_iter().chain(COLUMNS.map(|column| column.head)).map(str::to_owned).collect(),
        rows,
    }
}

/// The blocks of each way in each sample, by system calls and by statistics.
fn ways_and_samples(found: &Found) -> Table {
    let cell = |counts: &Counts| {
        let calls = counts.calls.map(|calls| calls.table.bytes / found.block);
        format!("{} / {}", or_none(calls), grouped(counts.blocks))
    };
    let row = |sample: usize| {
        let of_sample = found.measurements.iter().filter(move |one| one.sample == sample);
        let cells = of_sample.map(|one| cell(&one.counts));
        [sample.to_string()].into_iter().chain(cells).collect()
    };
    Table {
        caption: "Blocks of each way in each sample: by system calls of the session / by the server's statistics"
            .to_owned(),
        head: ["sample"].into_iter().chain(Way::ALL.map(Way::name)).map(str::to_owned).collect(),
        rows: (1..=SAMPLES).map(row).collect(),
    }
}

fn none() -> String {
    "-".to_owned()
}

fn or_none(number: Option<u64>) -> String {
    number.map_or_else(none, grouped)
}

/// A table with a row for each way, of its sums; none where a way has no row.
fn by_way(
    found: &Found,
    (caption, head): (&str, &[&str]),
    row: impl Fn(Way, &Counts) -> Option<Vec<String>>,
) -> Option<Table> {
    let row = |(way, total): (Way, Counts)| {
        Some([way.name().to_owned()].into_iter().chain(row(way, &total)?).collect())
    };
    let head = [""].iter().chain(head);
    Some(Table {
        caption: caption.to_owned(),
        head: head.map(|&name| name.to_owned()).collect(),
        rows: found.totals().map(row).collect::<Option<_>>()?,
    })
}

fn counts(found: &Found) -> Option<Table> {
    let block = found.block;
    let caption = "Reads of one table, sums of the samples: system calls of the session and blocks of the server's \
                   statistics; calls on other files; blocks that came from the device";
    let head = [
        "calls",
        "their blocks",
        "statistics",
        "calls/statistics",
        "temporary",
        "other files",
        "prefetches",
        "from device",
    ];
    by_way(found, (caption, &head[..]), |_, total| {
        let calls = total.calls.as_ref();
        let share = total.calls_by_statistics(block).filter(|share| share.is_finite());
        Some(vec![
            or_none(calls.map(|calls| calls.table.calls)),
            or_none(calls.map(|calls| calls.table.bytes / block)),
            grouped(total.blocks),
            share.map_or_else(none, |share| format!("{share:.3}")),
            or_none(calls.map(|calls| calls.temporary.calls)),
            or_none(calls.map(|calls| calls.other.calls)),
            or_none(calls.map(|calls| calls.prefetches)),
            or_none(total.from_device.map(|bytes| bytes / block)),
        ])
    })
}

/// The counts of `pg_stat_statements` beside the others; none where it is not installed.
fn by_statement(found: &Found) -> Option<Table> {
    let caption = "Blocks of the same reads, sums of the samples: by pg_stat_statements (shared_blks_read, \
                   temp_blks_read), beside those by pg_statio and by system calls on temporary files";
    let head = ["by statement", "by table", "temporary, by statement", "temporary, by calls"];
    by_way(found, (caption, &head[..]), |_, total| {
        let blocks = total.by_statement?;
        Some(vec![
            grouped(blocks.shared),
            grouped(total.blocks),
            grouped(blocks.temporary),
            or_none(total.calls.map(|calls| calls.temporary.bytes / found.block)),
        ])
    })
}

/// The counts of `pg_stat_io` beside those of the table; none where the server has no such view.
fn by_io(found: &Found) -> Option<Table> {
    let caption = "Blocks of the same reads, sums of the samples: by pg_stat_io, of all relations and all processes but \
                   autovacuum, beside those by pg_statio of the table";
    let head = ["pg_stat_io", "by table", "of other relations"];
    by_way(found, (caption, &head[..]), |_, total| {
        let blocks = total.by_io?;
        let of_others = i128::from(blocks) - i128::from(total.blocks);
        Some(vec![grouped(blocks), grouped(total.blocks), of_others.to_string()])
    })
}

/// The reads that bpftrace counted beside the others; none where it was not attached.
fn by_kernel(found: &Found) -> Option<Table> {
    let caption = "Reads of all files, sums of the samples: calls of the session by strace and by bpftrace, those of all \
                   processes of the server, and their blocks; blocks of the session on other files than the table's";
    let head =
        ["strace", "bpftrace", "with workers", "their blocks", "of other files", "statistics"];
    by_way(found, (caption, &head[..]), |_, total| {
        let (kernel, calls) = (total.kernel?, total.calls.as_ref());
        Some(vec![
            or_none(calls.map(|calls| calls.all().calls)),
            grouped(kernel.session.calls),
            grouped(kernel.all.calls),
            grouped(kernel.all.bytes / found.block),
            or_none(calls.map(|calls| (calls.temporary.bytes + calls.other.bytes) / found.block)),
            grouped(total.blocks),
        ])
    })
}

fn times(found: &Found) -> Option<Table> {
    let caption = "Time of reads, sums of the samples: by looks that found the session in DataFileRead (an estimate), \
                   and by the server's statistics (blk_read_time); the last column is the mean of the samples' shares, \
                   ± its 90 % interval";
    let head = ["elapsed", "looks", "waiting", "waited", "statistics", "waits/statistics"];
    by_way(found, (caption, &head[..]), |way, total| {
        let looks = total.looks;
        let waited_s = Some(looks.waited_s).filter(|seconds| seconds.is_finite());
        let share = found.waits(way);
        Some(vec![
            waited(looks.elapsed_s),
            grouped(looks.count),
            grouped(looks.waiting),
            waited_s.map_or_else(none, |seconds| format!("≈{}", waited(seconds))),
            waited(total.read_s),
            share.map_or_else(none, |share| format!("≈{:.2} ± {:.2}", share.mean, share.reach)),
        ])
    })
}

/// Blocks by system calls of each measurement, and the mean share of waits of each way, by its line in the
/// tables.
pub fn chart(found: &Found) -> Chart {
    let point = |(x, y): (i32, f64)| ChartPoint { x: f64::from(x), y, ..ChartPoint::default() };
    let numbered = || (1..).zip(Way::ALL);
    let calls = numbered()
        .flat_map(|(x, way)| found.of_way(way).map(move |counts| (x, counts)))
        .filter_map(|(x, counts)| Some(point((x, counts.calls_by_statistics(found.block)?))));
    let waits = numbered().filter_map(|(x, way)| {
        let share = found.waits(way)?;
        Some(ChartPoint { y_range: Some(share.interval()), ..point((x, share.mean)) })
    });
    let equal = [1, 6].map(|x| point((x, 1.0)));
    Chart {
        title: "Blocks of system calls, and time of wait events, as a share of the statistics"
            .to_owned(),
        x: ChartAxis {
            label: "way of reading (line of the tables)".to_owned(),
            ..ChartAxis::default()
        },
        y: ChartAxis { label: "share".to_owned(), unit: ChartUnit::Share, log: false },
        curves: vec![
            Curve {
                name: "system calls, each sample".to_owned(),
                stroke: Stroke::Dots,
                points: calls.collect(),
            },
            Curve {
                name: "wait events, mean of the samples".to_owned(),
                stroke: Stroke::Dots,
                points: waits.collect(),
            },
            Curve { name: "the same".to_owned(), stroke: Stroke::Dashed, points: equal.to_vec() },
        ],
        ..Chart::default()
    }
}
