//! Pure functions from frames to findings: the raster of a heat map, quantiles over time,
//! summaries, thresholds. No I/O, no colour, no clock.

mod activity;
mod amend;
mod amount;
mod average;
mod average_line;
mod bandwidth;
mod blocks;
mod burst_remarks;
mod bursts;
mod busiest;
mod cache_warning;
mod change;
mod change_remarks;
mod changes;
#[cfg(test)]
mod changes_tests;
mod circumstances;
mod column;
mod columns;
mod compact;
mod compare;
mod contrast;
mod coverage;
mod cube;
mod density;
mod digest;
mod dispersion;
mod distinguishing;
mod drift;
mod excerpt;
mod explain;
mod findings;
mod fleet;
mod gaps;
mod geometry;
mod grid;
mod history;
mod io_change;
mod io_path;
mod levels;
mod load_remarks;
mod marginals;
mod metrics;
mod modes;
mod outliers;
mod owner;
mod packed_frames;
mod part_of_time;
mod percentile_line;
mod period;
#[cfg(test)]
mod period_tests;
mod persistence;
mod picture;
mod plateaus;
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
mod same_range;
mod sampled_time;
mod scale;
mod segment;
mod segments;
mod shade;
mod short_names;
mod side_by_side;
mod silence;
#[cfg(test)]
mod simulated;
mod slow_band;
mod slowdowns;
mod space_saving;
mod spread;
mod stability;
mod story;
pub mod student;
mod summary;
mod tail;
mod threshold;
mod time_remarks;
mod timeline;
mod unplaced;
mod waited_bounds;
mod waits;
mod windows;

pub use activity::{
    Activity, ActivityFilter, ActivityRow, ActivityRows, ActivityStrip, ActivityTotals, Dimension,
    Estimate, StripColumn, sample_period,
};
pub use amend::amend;
pub use amount::Amount;
pub use average::{Average, average};
pub use average_line::at_mean;
pub use bursts::{Burst, Bursts, bursts};
pub use busiest::{Incident, busiest};
pub use cache_warning::{CacheWarning, cache_warnings};
pub use change::{Band, Change, ChangeKind, Level, Stall};
pub use changes::changes;
pub use circumstances::{Circumstances, DeviceClass, Operation, UnknownDeviceClass};
pub use column::{Column, ColumnState};
pub use compare::{
    Anchored, Axes, CONFIDENCE, ComparedSide, Comparison, Difference, Direction, Distance,
    LEAST_COLUMNS, LEAST_EFFECT, MOST_JUDGED, Maps, Measure, NOISE, OneSided, Pair, PairComparison,
    Pairing, RelativeThreshold, ShareShift, Shift, SideNumbers, Value, compare, compare_pairs,
};
pub use contrast::{Contrast, Count, Facet, FacetValue, SlowContrast, TimeContrast};
pub use coverage::Coverage;
pub use cube::Cube;
pub use digest::Digest;
pub use distinguishing::{Part, distinguishing, most_telling, shares};
pub use excerpt::Excerpt;
pub use explain::{Explainer, Explanation, Selection, Side, stretch_to_explain};
pub use findings::Findings;
pub use fleet::{FleetComparison, FleetDistance, fleet_distances, fleet_ranking};
pub use gaps::{Gaps, gaps};
pub use geometry::Geometry;
pub use grid::{Grid, Span};
pub use history::{History, SeriesTotal};
pub use io_change::{IoChange, bytes as io_bytes};
pub use io_path::{IoPath, PathInput, PathTotal, PlacedStep, UnplacedRequests};
pub use marginals::Marginals;
pub use metrics::{MetricKind, Metrics};
pub use modes::{Mode, NEAR, modes};
pub use outliers::{Outlier, outlier_bounds, outliers};
pub use owner::{Owner, owner};
pub use percentile_line::{LineStep, columns_of_step, percentile_line};
pub use period::{Period, period};
pub use picture::{Headline, Map, Picture, PlacedMark, Request};
pub use region::Region;
pub use remark::{RankedRemark, Remark, RemarkClass};
pub use resample::counted_s;
pub use response::{LoadResponse, ResponseKind, response};
pub use rows::{Row, RowKind, choose_rows, main_range, rows_within};
pub use sampled_time::SampledTime;
pub use shade::{ColourMax, Legend, Scale, Shade};
pub use short_names::ShortNames;
pub use side_by_side::{side_by_side, side_by_side_on};
pub use slow_band::{SlowBand, slow_band};
pub use stability::is_unstable;
pub use story::Story;
pub use summary::{FrameTotals, Summary, summarise};
pub use tail::{TailShare, slowest, tail_share};
pub use threshold::{Measured, Observed, Threshold, Verdict};
pub use timeline::Timeline;
pub use unplaced::{Unplaced, unplaced_s};
pub use waited_bounds::WaitedBounds;
pub use waits::{SeriesWaits, Waits};
pub use windows::{Window, Windows};
