//! A curve as a table for spreadsheets.

use std::fmt::Write as _;

use super::CurveSummary;

impl CurveSummary {
    /// A row for each size. Of an exact curve the error is 0; what is not known is empty.
    pub fn csv(&self) -> String {
        let mut text = "cache_bytes,cache_blocks,miss_ratio,miss_ratio_error,\
                        estimated_block_reads_per_s,estimated_waited_s_per_reference,estimated_average_waiting,sweep_response_s,\
                        sweep_average_waiting\n"
            .to_owned();
        let cell = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        for row in self.rows() {
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{}",
                row.blocks.saturating_mul(self.block_bytes),
                row.blocks,
                row.miss_ratio,
                cell(row.error),
                cell(row.block_reads_per_s),
                cell(row.waited_s),
                cell(row.waiting),
                cell(row.device.and_then(|load| load.response_s)),
                cell(row.device.and_then(|load| load.waiting))
            );
        }
        text
    }
}
