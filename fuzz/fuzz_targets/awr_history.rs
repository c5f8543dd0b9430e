//! Any bytes as tables of AWR's history, a file after each zero byte: every interval runs forward, every
//! row has its interval, its member and its values, and all of it can be drawn.
#![no_main]

use isotherm_frame::MemoryAccount;
use isotherm_oracle::awr::history::{HistoryReader, is_history};
use isotherm_views::AwrHistoryDocument;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut reader = HistoryReader::within(MemoryAccount::of_bytes(64 << 20));
    for (number, file) in bytes.split(|byte| *byte == 0).take(4).enumerate() {
        let _ = is_history(file);
        reader.read(&format!("{number}.csv"), file).expect("bytes in memory");
    }
    let Ok(history) = reader.finish() else { return };
    assert!(history.intervals.iter().all(|interval| interval.start_us < interval.end_us));
    assert!(history.intervals.iter().all(|interval| interval.instance < history.instances.len()));
    for table in &history.tables {
        for (at, row) in table.rows.iter().enumerate() {
            assert!((row.member as usize) < table.members.len());
            assert!((row.interval as usize) < history.intervals.len());
            assert_eq!(table.values_of(at).len(), table.kind.values().len());
        }
    }
    let _ = AwrHistoryDocument::of(&history);
});
