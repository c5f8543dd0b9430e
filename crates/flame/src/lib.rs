//! Stacks that were sampled: read, folded, named, filtered, laid out.
//!
//! [`read`] takes the text of `perf script`, the maps of stacks that bpftrace prints, or folded
//! stacks, and gives a [`Capture`]: every stack once with its count, and an account of what was
//! read. What is drawn of them is a [`Tree`].

mod account;
mod bpftrace;
mod capture;
mod counts;
mod diff;
mod error;
mod folded;
mod format;
mod frame_name;
mod lines;
mod names;
mod offsets;
mod only;
mod options;
mod oracle_names;
mod perf;
mod perf_event;
mod perf_header;
mod perf_time;
mod read;
mod recognise;
mod relabel;
mod sed;
mod stacks;
mod tree;

pub use account::{Account, OtherEvent, Rejection};
pub use capture::{Capture, Times};
pub use counts::Counts;
pub use diff::{Difference, FunctionChange, changes_of_functions, difference};
pub use error::ReadError;
pub use folded::{write_folded, write_folded_difference};
pub use format::Format;
pub use frame_name::{KERNEL, plain};
pub use names::NameId;
pub use offsets::{HeatMap, ROWS, heat_map};
pub use only::Only;
pub use options::{Part, ReadOptions};
pub use oracle_names::explain;
pub use read::read;
pub use recognise::recognise;
pub use relabel::Relabel;
pub use sed::{Script, SkippedLine};
pub use stacks::{BeyondMemory, StackId, Stacks};
pub use tree::{FunctionTotal, Node, Tree};
