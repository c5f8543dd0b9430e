#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod account;
mod activity;
mod anomaly;
mod assembler;
mod binner;
mod counted_totals;
mod csv;
mod detail;
mod differ;
mod ends;
mod event;
mod histogram;
mod interpolation;
mod io_totals;
pub mod leb128;
mod length_error;
mod log_linear;
mod memory_account;
mod nanos;
pub mod numbers;
mod open_waits;
mod overlaps;
mod path_step;
mod percent;
pub mod plausible;
pub mod protobuf;
mod quantile;
mod random;
mod reading;
mod scheme;
mod series;
mod span;
mod sparse;
mod time_range;
mod time_waited;
mod total;
pub mod typed;
mod unit;
mod variance;
mod visible;
pub mod wildcard;

pub use account::{
    Account, Example, IdleWaits, MissingAttribute, Place, Rejection, UnmetAttribute,
};
pub use activity::{
    ActiveSession, CurrentWait, NOT_KNOWN, NameKind, ON_CPU, PREPARED_TRANSACTION, SessionName,
    SessionSample,
};
pub use anomaly::{Anomaly, AnomalyKind, anomalies_in_words};
pub use assembler::Assembler;
pub use binner::{Binner, BinnerLimits, Recorded};
pub use counted_totals::{Counted, CountedTotals};
pub use csv::csv_text;
pub use detail::Detail;
pub use differ::{Differ, Step};
pub use ends::Ends;
pub use event::{Event, Mark};
pub use histogram::{Histogram, HistogramError};
pub use io_totals::{
    IoAmount, IoAmounts, IoCounters, IoMetric, IoMetrics, IoPart, IoRate, IoTotals, IoWaits,
};
pub use log_linear::LogLinear;
pub use memory_account::{MemoryAccount, SharedMemory};
pub use nanos::{Nanos, Timestamp};
pub use open_waits::{OpenWait, OpenWaits};
pub use overlaps::Overlaps;
pub use path_step::{PathLevel, PathOutcome, PathStep};
pub use percent::{
    narrow_percent, narrow_percent_change, percent, percent_change, percent_more,
    tenths_of_percent, whole_percent, whole_percent_of,
};
pub use quantile::{QuantileError, QuantileInterval, nearest_rank, quantile_of_percent};
pub use random::Random;
pub use reading::{Clock, Frame, Gap, Partial, Quality, Reading};
pub use scheme::{Bucket, Scheme, SchemeError};
pub use series::Series;
pub use span::span;
pub use time_range::TimeRange;
pub use time_waited::TimeWaited;
pub use typed::TypedError;
pub use unit::{ParseUnitError, Unit};
pub use visible::{
    LONGEST_NAME, REPLACEMENT, is_hidden, shortened, shown_name, visible, visible_char,
};
