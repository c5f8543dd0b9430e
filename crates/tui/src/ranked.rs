//! Who waited, as it was last found.

use isotherm_analysis::Waits;
use isotherm_frame::Timestamp;

/// Who waited, and of which time that was found.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    pub(super) span: (Timestamp, Timestamp),
    pub(super) series: usize,
    pub(super) frames_pushed: u64,
    pub(super) waits: Waits,
}
