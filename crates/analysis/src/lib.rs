//! Pure functions from frames to findings: the raster of a heat map, quantiles over time,
//! summaries, thresholds. No I/O, no colour, no clock.

mod average;
mod columns;
mod density;
mod history;
mod modes;
mod outliers;
mod persistence;
mod picture;
mod region;
mod resolution;
mod rows;
mod shade;
mod stability;
mod summary;
mod tail;
mod threshold;
mod timeline;

pub use average::{Average, average};
pub use history::{History, SeriesTotal};
pub use modes::{Mode, modes};
pub use outliers::{Outlier, outliers};
pub use picture::{Column, ColumnState, Headline, Map, Picture, PlacedMark, Request, WantedMark};
pub use region::Region;
pub use rows::{Row, RowKind, choose_rows};
pub use shade::{ColourMax, Legend, Scale, Shade};
pub use stability::is_unstable;
pub use summary::{Account, Summary, summarise};
pub use tail::{TailShare, slowest, tail_share};
pub use threshold::{Threshold, ThresholdError, Verdict};
pub use timeline::{Grid, Timeline};
