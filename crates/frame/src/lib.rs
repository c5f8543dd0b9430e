//! The vocabulary of isotherm: what every source reports and every view is drawn from.
//!
//! A *latency* is a length of time ([`Nanos`]) that one operation took. A [`Histogram`] counts
//! latencies in the buckets of a [`Scheme`]. A [`Frame`] is the histogram of one [`Series`] over
//! one interval of time. Sources speak [`Reading`]s: running totals, finished intervals or single
//! events. Exactly two things turn readings into frames: the [`Differ`] (totals) and the
//! [`Binner`] (events); the [`Assembler`] holds one of each.
//!
//! ```
//! use isotherm_frame::{Histogram, Nanos, Scheme};
//! let mut waits = Histogram::empty(Scheme::log_linear());
//! for micros in [180, 210, 230, 7_900] {
//!     waits.record(Nanos::from_micros(micros));
//! }
//! let median = waits.quantile(0.5).expect("four events were counted");
//! assert!(median.contains(Nanos::from_micros(210)));
//! assert_eq!(waits.sum(), Some(Nanos::from_micros(8_520)));
//! ```

mod account;
mod assembler;
mod binner;
mod differ;
mod event;
mod histogram;
mod interpolation;
pub mod leb128;
mod log_linear;
mod nanos;
mod quantile;
mod random;
mod reading;
mod scheme;
mod series;
mod span;
mod sparse;
mod time_waited;
mod unit;
mod visible;

pub use account::{Account, IdleWaits, MissingAttribute, Place, Rejection};
pub use assembler::Assembler;
pub use binner::{Binner, BinnerLimits, Recorded};
pub use differ::{Anomaly, AnomalyKind, Differ, Step};
pub use event::{Event, Mark};
pub use histogram::{Histogram, HistogramError};
pub use log_linear::LogLinear;
pub use nanos::{Nanos, ParseNanosError, Timestamp};
pub use quantile::{QuantileError, QuantileInterval, nearest_rank, quantile_of_percent};
pub use random::Random;
pub use reading::{Clock, Frame, Gap, Partial, Quality, Reading};
pub use scheme::{Bucket, Scheme, SchemeError};
pub use series::Series;
pub use span::span;
pub use time_waited::TimeWaited;
pub use unit::{ParseUnitError, Unit};
pub use visible::{
    LONGEST_NAME, REPLACEMENT, is_hidden, shortened, shown_name, visible, visible_char,
};
