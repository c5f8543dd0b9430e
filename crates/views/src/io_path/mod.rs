//! The path of each I/O on a time axis: as text, as JSON, and as parts of a page.

mod json;
mod page;
mod text;
mod words;

use isotherm_analysis::{IoPath, PlacedStep};
use isotherm_frame::{Clock, Timestamp};

use crate::view::ViewMeta;

pub use json::TimelineJson;
pub use page::{TimelineBar, TimelineLine, timeline_lines, timeline_sections};
pub use text::TimelineText;

/// What the view says about itself.
pub const META: ViewMeta = ViewMeta {
    name: "timeline",
    about: "The path of each I/O: a line for each statement, call, wait, system call and block request, on \
            a time axis.",
    when: "Right for one slow moment: which layer took the time of this statement?",
    reading: &[
        "A line stands below the one it belongs to, further to the right. What belongs together follows \
         from time and thread: a step belongs to the innermost step of its thread that was in progress \
         when it began. A block request belongs to the step during which its thread asked for it, also \
         where another thread handed it to the device.",
        "`start` counts from the first step of the inputs, as `--timeline +1s..` does. `took` is the whole duration; of a block \
         request the time in the device, and `queued` the time before. `own` is the part in which no step \
         below was in progress.",
        "Each outermost line has a time axis of its own, from its beginning to the end of the last step in it, \
         or as far as `--timeline` goes. \
         A dotted bar is time in the queue.",
        "`ends ... later` marks a request that went on after its call had returned: the kernel read ahead, \
         and nobody waited for it. `rest of a split` marks a part of a request that was larger than the device \
         takes at once.",
        "Block requests that no traced thread asked for are counted by program below the table: writing by \
         the kernel's threads, and whatever else the machine did.",
        "Files of several inputs stand on one axis, in the order of their beginnings, and none is put into \
         another: their clocks agree to a millisecond at best.",
    ],
    example: "isotherm trace --timeline +0s..+5ms path.json",
};

/// What is shown: the steps, and what is known of the inputs they come from.
#[derive(Clone, Debug)]
pub struct PathTimeline {
    /// The steps in their trees.
    pub path: IoPath,
    /// What moments are counted from: the beginning of the inputs.
    pub zero: Timestamp,
    /// What the clock of the inputs counts from.
    pub clock: Clock,
    /// The inputs, in the order of their numbers.
    pub inputs: Vec<TimelineInput>,
}

/// An input of a timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineInput {
    /// What it is called, without secrets.
    pub name: String,
    /// Steps read.
    pub steps: u64,
    /// Steps that were not kept, because there are too many.
    pub left_out: u64,
    /// What could not be read.
    pub rejected: u64,
    /// The first of it in words.
    pub rejections: Vec<String>,
    /// Lines that the tracer lost.
    pub lost: u64,
    /// What else is to be known.
    pub remarks: Vec<String>,
}

impl PathTimeline {
    /// The axis of the tree that begins at a place of the steps: from when to when.
    fn axis(&self, root: usize) -> (Timestamp, Timestamp) {
        let tree = self.path.steps.get(root..).unwrap_or_default();
        let inner = tree.iter().skip(1).take_while(|placed| placed.parent.is_some());
        let ends = inner.chain(tree.first()).map(|placed: &PlacedStep| placed.step.end());
        let start = tree.first().map(|placed| placed.step.start).unwrap_or_default();
        let end = ends.max().unwrap_or_default();
        let from = self.path.range.from.map_or(start, |from| from.max(start));
        let to = self.path.range.to.map_or(end, |to| to.min(end));
        (from, to.max(from))
    }
}
