//! Caches: how many references miss a cache of each size, from the blocks that were referenced, and a
//! model of a buffer cache.
//!
//! [`ExactCurve`] and [`SampledCurve`] are given the blocks in the order in which they were
//! referenced, and end in a [`MissRatioCurve`]: the share of references that miss a cache which
//! replaces the block that was not used for the longest time (LRU), at every size at once.
//! [`ReferenceFormat`] reads these blocks from traces, [`CurveSummary`] says what a curve means for
//! them. [`CacheModel`] and [`LibraryModel`] show how the parts of a buffer cache and a
//! library cache work together, [`BufferReport`] what a
//! database's cache holds.

mod buffers;
mod counter;
mod curve;
mod device;
mod distance;
mod exact;
mod fenwick;
mod library;
mod model;
mod references;
mod sampled;
mod summary;

pub use buffers::{BufferHistory, BufferReport, BufferSample, BuffersJson, RecordedBuffersError};
pub use counter::{CountedCurve, CurveCounter, CurveMethod};
pub use curve::MissRatioCurve;
pub use device::{Device, DeviceLoad};
pub use distance::StackDistances;
pub use exact::{ExactCurve, TooManyBlocks};
pub use library::{
    LIBRARY_PRESETS, LibraryCounts, LibraryJson, LibraryModel, LibraryPicture, LibrarySettings,
    LibraryVerdict, library_preset,
};
pub use model::{
    AccessPattern, CacheModel, Contention, ModelCounts, ModelJson, ModelPicture, ModelSettings,
    ModelVerdict, PRESETS, Preset, SettingsError, preset,
};
pub use references::{
    OrderedReferences, Reference, ReferenceError, ReferenceFormat, ReferenceOptions,
    ReferenceTotals, TooManyReferences, read_references,
};
pub use sampled::{Sample, SampledCurve, Sampling};
pub use summary::{CurveJson, CurveRow, CurveSummary};
