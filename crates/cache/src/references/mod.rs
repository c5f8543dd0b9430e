//! Which blocks an input says were read, in which order.

mod block_trace;
mod csv;
mod format;
mod oracle;
mod order;
mod reference;
mod totals;

pub use format::{ReferenceFormat, read_references};
pub use order::{OrderedReferences, TooManyReferences};
pub use reference::{Reference, ReferenceError, ReferenceOptions};
pub use totals::ReferenceTotals;
