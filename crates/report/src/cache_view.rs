//! Which part of a model's graph is shown, in which direction, and when.

use serde::Serialize;

/// A part of the graph.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GraphFocus {
    /// Everything.
    #[default]
    All,
    /// Hash chains, or hash buckets.
    Chains,
    /// The LRU list.
    Lru,
    /// The write list, or invalid cursors.
    Write,
    /// Buffer headers, or objects, one after the other.
    Headers,
}

/// Where chains and lists grow to.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GraphOrientation {
    #[default]
    Down,
    Up,
    Right,
    Left,
    /// From the middle outwards.
    Circle,
}

/// What an image shows, and a page at first.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphView {
    /// The part.
    pub focus: GraphFocus,
    /// The direction.
    pub orientation: GraphOrientation,
    /// The number of the moment, from 0; the last if none.
    pub moment: Option<usize>,
}
