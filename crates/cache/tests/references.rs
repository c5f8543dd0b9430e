//! What is read of inputs with block references, and what a summary says of it.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test fails by panicking, and these numbers are exact"
)]

use isotherm_cache::{
    CurveCounter, CurveMethod, CurveSummary, OrderedReferences, Reference, ReferenceError,
    ReferenceFormat, ReferenceOptions, ReferenceTotals, Sampling, read_references,
};

const OPTIONS: ReferenceOptions = ReferenceOptions { block_bytes: 8_192, unit: None };

fn read(text: &str) -> (Vec<Reference>, ReferenceTotals) {
    read_with(text, &OPTIONS)
}

fn read_with(text: &str, options: &ReferenceOptions) -> (Vec<Reference>, ReferenceTotals) {
    let mut references = Vec::new();
    let totals = read_references(text.as_bytes(), options, &mut |one| references.push(one));
    (references, totals.unwrap())
}

fn refused(text: &str) -> String {
    read_references(text.as_bytes(), &OPTIONS, &mut |_| ()).unwrap_err().to_string()
}

const TRACE: &str = "\
WAIT #1: nam='db file sequential read' ela= 400 file#=7 block#=100 blocks=1 obj#=1 tim=1000000
WAIT #1: nam='db file scattered read' ela= 900 file#=7 block#=101 blocks=3 obj#=1 tim=1500000
WAIT #1: nam='direct path read' ela= 900 file number=7 first dba=101 block cnt=3 obj#=1 tim=1600000
WAIT #1: nam='log file sync' ela= 5 buffer#=1 sync scn=2 p3=0 obj#=1 tim=1700000
WAIT #1: nam='db file sequential read' ela= 500 p1=8 p2=100 p3=1 tim=3000000
WAIT #1: nam='db file sequential read' ela= 500 p1=8 tim=3000001
";

#[test]
fn waits_name_their_blocks_by_position() {
    let (references, totals) = read(TRACE);
    let block = |file: u64, block: u64, at_us: u64| Reference {
        block: file << 32 | block,
        at_ns: Some(at_us * 1_000),
    };
    let expected = [
        block(7, 100, 1_000_000),
        block(7, 101, 1_500_000),
        block(7, 102, 1_500_000),
        block(7, 103, 1_500_000),
        block(8, 100, 3_000_000),
    ];
    assert_eq!(references, expected);
    assert_eq!((totals.reads, totals.blocks, totals.timed_blocks), (3, 5, 5));
    assert_eq!(totals.latency_ns, 1_800_000);
    // 5 blocks in 2 s; 1.8 ms for 5 blocks.
    assert_eq!(totals.blocks_per_s(), Some(2.5));
    assert!((totals.latency_s().unwrap() - 360e-6).abs() < 1e-12);
    assert_eq!(totals.left_out.values().sum::<u64>(), 2);
    assert_eq!(totals.rejected, 1);
    assert_eq!(totals.rejections, ["line 6: a read without file, block and number of blocks"]);
}

#[test]
fn the_release_says_what_a_trace_counts() {
    let head = "Oracle8i Enterprise Edition Release 8.1.7.4.0 - Production\n";
    let wait = "WAIT #1: nam='db file sequential read' ela= 2 p1=1 p2=2 p3=1\n";
    let (_, totals) = read(&format!("{head}{wait}"));
    assert_eq!((totals.latency_ns, totals.span_ns), (20_000_000, None));
}

#[test]
fn reads_that_are_issued_are_references_and_completions_time_them() {
    let text = "\
  7,0    1        1     0.000000000 28250  Q  RS 32 + 16 [fio]
  7,0    1        2     0.000030000 28250  D  RS 32 + 16 [fio]
  7,0    1        3     0.000040000 28250  D  RS 40 + 24 [fio]
  7,0    0        4     0.000130000    14  C  RS 32 + 16 [0]
  7,0    0        5     1.000000000 28253  D  WS 32 + 16 [fio]
  7,1    0        6     1.000030000 28253  D  R 32 + 16 [fio]
  7,0    1        7     1.000130000    22  C  WS 32 + 16 [0]
";
    // 16 sectors from 32 are block 2; 24 from 40 are bytes 20,480 to 32,768: blocks 2 and 3.
    let (references, totals) = read(text);
    let blocks: Vec<u64> = references.iter().map(|one| one.block).collect();
    assert_eq!(blocks, [2, 2, 3, 1 << 48 | 2]);
    assert_eq!((totals.reads, totals.blocks), (3, 4));
    assert_eq!((totals.timed_blocks, totals.latency_ns), (1, 100_000));
    assert_eq!(totals.span_ns, Some((30_000, 1_000_030_000)));
    assert_eq!(totals.left_out.get("requests that are no reads"), Some(&1));
    // In blocks of 4 KiB the same sectors are more blocks.
    let (references, _) = read_with(text, &ReferenceOptions { block_bytes: 4_096, unit: None });
    let blocks: Vec<u64> = references.iter().map(|one| one.block).collect();
    assert_eq!(blocks, [4, 5, 5, 6, 7, 1 << 48 | 4, 1 << 48 | 5]);
}

#[test]
fn csv_has_its_columns_in_any_order() {
    let (references, totals) = read("latency_ns, block\n100,7\n\n300,8\n200,7\n");
    assert_eq!(references.iter().map(|one| one.block).collect::<Vec<_>>(), [7, 8, 7]);
    assert!((totals.latency_s().unwrap() - 200e-9).abs() < 1e-15);
    assert_eq!(totals.blocks_per_s(), None);
    let (references, totals) = read("block,time_ns\n1,0\n2,500000000\nx,6\n3\n4,5,6\n-1,4\n");
    assert_eq!(references[1], Reference { block: 2, at_ns: Some(500_000_000) });
    assert_eq!((totals.blocks, totals.rejected), (2, 4));
    assert_eq!(totals.blocks_per_s(), Some(4.0));
    assert!(totals.rejections[0].starts_with("line 4: block 'x' is no whole number"));
    assert!(totals.rejections[1].contains("fewer cells than the 2"));
    assert!(totals.rejections[2].contains("more cells than the 2"));
}

#[test]
fn what_has_no_references_says_what_is_expected() {
    for text in ["", "a,b\n1,2\n", "block,block\n1,2\n", "latency_ns\n1\n", "block,size\n1,2\n"] {
        assert!(refused(text).contains("blkparse text"), "{text}");
    }
    assert!(refused("block\n").contains("no line follows the heading"));
    assert!(refused("block\nx\n").contains("1 rejected, the first is line 2"));
    let other = "WAIT #1: nam='log file sync' ela= 5 buffer#=1 sync scn=2 p3=0 obj#=1 tim=17\n";
    assert!(refused(other).contains("no wait for db file sequential read"));
    let queued = "  7,0  1  1  0.000000000 28250  Q  RS 32 + 16 [fio]\n";
    assert!(refused(queued).contains("trace the disk below it"));
    let unrecognised = read_references(b"?", &OPTIONS, &mut |_| ());
    assert!(matches!(unrecognised, Err(ReferenceError::Unrecognised)));
}

#[test]
fn references_of_several_inputs_are_put_in_the_order_of_time() {
    let of = |block, at_ns| Reference { block, at_ns };
    let mut ordered = OrderedReferences::default();
    for (block, at) in [(1, 10), (2, 30), (3, 20), (4, 30)] {
        ordered.take(of(block, Some(at)));
    }
    assert!(ordered.is_timed());
    assert_eq!(ordered.blocks().unwrap().collect::<Vec<_>>(), [1, 3, 2, 4]);
    let mut untimed = OrderedReferences::default();
    for one in [of(2, Some(9)), of(1, None)] {
        untimed.take(one);
    }
    assert!(!untimed.is_timed());
    assert_eq!(untimed.blocks().unwrap().collect::<Vec<_>>(), [2, 1]);
}

fn summary(blocks: &[u64], method: CurveMethod, format: ReferenceFormat) -> CurveSummary {
    let mut counter = CurveCounter::new(method);
    for &block in blocks {
        counter.reference(block).unwrap();
    }
    let count = blocks.len() as u64;
    CurveSummary {
        inputs: vec!["x".to_owned()],
        formats: vec![format],
        totals: ReferenceTotals {
            reads: count,
            blocks: count,
            timed_blocks: count,
            latency_ns: u128::from(count) * 500_000,
            span_ns: Some((0, 2_000_000_000)),
            ..ReferenceTotals::default()
        },
        is_concatenated: false,
        block_bytes: 8_192,
        counted: counter.finish(),
        seed: 1,
        sizes: Vec::new(),
        device: None,
    }
}

const EXACT: CurveMethod = CurveMethod::Exact { most_blocks: 1_000_000 };

#[test]
fn a_row_says_what_is_still_read_and_waited() {
    // Four rounds of 100 blocks.
    let blocks: Vec<u64> = (0..4).flat_map(|_| 0..100).collect();
    let summary = summary(&blocks, EXACT, ReferenceFormat::OracleTrace);
    let rows = summary.rows();
    let sizes: Vec<u64> = rows.iter().map(|row| row.blocks).collect();
    assert_eq!(sizes, [0, 1, 2, 4, 8, 16, 32, 64, 128]);
    // Without a cache everything is as it was: 400 blocks in 2 s, 500 µs each.
    let (none, all) = (rows[0], rows[8]);
    assert_eq!((none.miss_ratio, none.block_reads_per_s), (1.0, Some(200.0)));
    assert!((none.waited_s.unwrap() - 500e-6).abs() < 1e-12);
    assert_eq!((all.miss_ratio, all.block_reads_per_s, all.error), (0.25, Some(50.0), Some(0.0)));
    assert!((all.waited_s.unwrap() - 125e-6).abs() < 1e-12);
    // 400 reads of 500 µs in 2 s, and a quarter of that.
    assert!((none.waiting.unwrap() - 0.1).abs() < 1e-12);
    assert!((all.waiting.unwrap() - 0.025).abs() < 1e-12);
    let sentences = summary.sentences();
    assert_eq!(
        sentences[0],
        "A cache of 800 KiB answers 75 % of the 400 references; none answers more than 75 %."
    );
    assert!(sentences[1].contains("a cache added behind it (a second tier"), "{sentences:?}");
    let csv = summary.csv();
    assert_eq!(csv.lines().count(), 10);
    assert_eq!(csv.lines().last(), Some("1048576,128,0.25,0,50,0.000125,0.025,,"));
}

#[test]
fn asked_sizes_are_shown_and_csv_may_be_of_the_cache_itself() {
    let blocks: Vec<u64> = (0..2).flat_map(|_| 0..100).collect();
    let mut summary = summary(&blocks, EXACT, ReferenceFormat::Csv);
    summary.sizes = vec![1 << 20, 80 * 8_192];
    let rows: Vec<(u64, f64)> = summary.rows().iter().map(|r| (r.blocks, r.miss_ratio)).collect();
    assert_eq!(rows, [(0, 1.0), (80, 1.0), (128, 0.5)]);
    assert!(summary.sentences()[1].contains("logical references"));
}

#[test]
fn blocks_that_never_come_again_need_no_cache() {
    let blocks: Vec<u64> = (0..50).collect();
    let summary = summary(&blocks, EXACT, ReferenceFormat::BlockTrace);
    let first = &summary.sentences()[0];
    assert!(first.starts_with("No cache of any size would answer any of the 50 references"));
}

#[test]
fn a_sample_shows_only_what_it_knows() {
    let blocks: Vec<u64> = (0..40_000_u64).map(|at| at * at % 9_973).collect();
    let sampling = Sampling::Rate(0.1);
    let method = CurveMethod::Sampled { sampling, seed: 1 };
    let summary = summary(&blocks, method, ReferenceFormat::BlockTrace);
    let rows = summary.rows();
    assert!(rows.len() > 2 && rows[1..].iter().all(|row| row.blocks >= 640), "{rows:?}");
    assert!(rows[1..].iter().all(|row| row.error.is_some()));
    let section = summary.section();
    assert!(section.tables[0].head.contains(&"±".to_owned()));
    assert_eq!(section.charts[0].curves.len(), 2);
    assert!(summary.sentences().iter().any(|one| one.starts_with("Sampled (SHARDS, seed 1)")));
}
