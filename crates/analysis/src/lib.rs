//! Pure functions from frames to findings: the raster of a heat map, quantiles over time,
//! summaries, thresholds. No I/O, no colour, no clock.

mod columns;
mod differs;
mod history;
mod modes;
mod picture;
mod region;
mod rows;
mod shade;
mod summary;
mod threshold;
mod timeline;

pub use differs::{Difference, Facet, Part, shares, what_differs};
pub use history::{History, SeriesTotal};
pub use modes::{Mode, modes, tail_share};
pub use picture::{Column, ColumnState, Headline, Map, Picture, PlacedMark, Request, WantedMark};
pub use region::Region;
pub use rows::{Row, RowKind, choose_rows};
pub use shade::{ColourMax, Legend, Scale, Shade};
pub use summary::{Account, Summary, summarise};
pub use threshold::{Threshold, ThresholdError, Verdict};
pub use timeline::{Grid, Timeline};
