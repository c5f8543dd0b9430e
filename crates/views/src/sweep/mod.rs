//! What came of a sweep: its points, each over its repeats.

mod json;
mod table;

pub use json::SweepJson;
pub use table::SweepTable;
