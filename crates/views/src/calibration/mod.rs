//! What a calibration found: rates with their latencies, curves, the cache, the doubts.

mod charts;
mod figures;
mod json;
mod sections;
mod sentences;
mod text;

pub use json::CalibrationJson;
pub use sections::sections;
pub use sentences::sentences;
pub use text::CalibrationText;
