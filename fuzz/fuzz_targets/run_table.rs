//! Any bytes as a run table: every line is a run or is rejected, and what is read can be summed up.
#![no_main]

use isotherm_experiment::RunTable;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(table) = RunTable::read_from(&mut &bytes[..]) else { return };
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    assert_eq!(table.runs.len() as u64 + table.rejected, lines.count() as u64);
    assert!(table.whole_bytes <= bytes.len() as u64);
    assert!(table.usable().len() <= table.latest().len());
    for point in table.points() {
        let spreads = [point.throughput, point.mean_s, point.p50_s, point.p99_s, point.waited];
        for spread in spreads.into_iter().flatten() {
            assert!(spread.low <= spread.median && spread.median <= spread.high);
        }
    }
});
