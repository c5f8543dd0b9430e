//! Any text as a table of points: every row is read or rejected, and what is read makes points.
#![no_main]

use isotherm_experiment::{ModelPoints, PointsTable};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(table) = PointsTable::read(text) else { return };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let data =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    assert_eq!(table.rows.len() as u64 + table.rejected, data.count() as u64 - 1);
    if let Ok(given) = ModelPoints::of_table(&table) {
        assert!(given.points.points.len() <= table.rows.len());
        assert!(given.points.points.iter().all(|point| point.load > 0.0 && point.value > 0.0));
    }
});
