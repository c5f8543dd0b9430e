//! Pure functions from frames to findings: the raster of a heat map, quantiles over time,
//! summaries, thresholds. No I/O, no colour, no clock.

mod average;
mod bandwidth;
mod blocks;
mod bursts;
mod changes;
#[cfg(test)]
mod changes_tests;
mod circumstances;
mod columns;
mod compare;
mod cube;
mod density;
mod differs;
mod digest;
mod dispersion;
mod doubt;
mod drift;
mod findings;
mod gaps;
mod history;
mod modes;
mod outliers;
mod period;
#[cfg(test)]
mod period_tests;
mod persistence;
mod picture;
pub mod queueing;
mod ranks;
mod region;
mod remark;
mod resample;
mod resolution;
mod response;
#[cfg(test)]
mod response_tests;
mod rhythm;
mod rows;
mod scale;
mod segments;
mod shade;
mod silence;
#[cfg(test)]
mod simulated;
mod spread;
mod stability;
mod stretch;
mod student;
mod summary;
mod tail;
mod threshold;
mod timeline;

pub use average::{Average, average};
pub use bursts::{Burst, bursts};
pub use changes::{Band, Change, ChangeKind, Level, changes};
pub use circumstances::{Circumstances, DeviceClass, Operation, UnknownDeviceClass};
pub use compare::{
    Anchored, Axes, CONFIDENCE, Comparison, Difference, Direction, Distance, LEAST_COLUMNS,
    LEAST_EFFECT, Maps, Measure, NOISE, Pair, Pairing, RelativeThreshold, RelativeThresholdError,
    ShareShift, Shift, SideNumbers, Value, compare,
};
pub use cube::Cube;
pub use differs::{Contrast, Facet, Part, shares, what_differs};
pub use digest::Digest;
pub use doubt::{Doubt, doubts};
pub use findings::Findings;
pub use gaps::{Gaps, gaps};
pub use history::{History, SeriesTotal};
pub use modes::{Mode, modes};
pub use outliers::{Outlier, outliers};
pub use period::{Period, period};
pub use picture::{Column, ColumnState, Headline, Map, Picture, PlacedMark, Request, WantedMark};
pub use region::Region;
pub use remark::Remark;
pub use response::{LoadResponse, ResponseKind, response};
pub use rows::{Row, RowKind, choose_rows};
pub use shade::{ColourMax, Legend, Scale, Shade};
pub use silence::Stall;
pub use stability::is_unstable;
pub use summary::{Account, Summary, summarise};
pub use tail::{TailShare, slowest, tail_share};
pub use threshold::{Threshold, ThresholdError, Verdict};
pub use timeline::{Grid, Timeline};
