//! The pipeline between what measures and what shows: inputs are read to their end, live sources
//! watched, recordings replayed, loads run, and everything that happens is recorded, all as one
//! stream of [`Event`](isotherm_frame::Event)s.
//!
//! Reading a file and drawing it takes a few lines:
//!
//! ```
//! use isotherm_pipeline::{Binning, Collector, ReadOptions, expand, read_all};
//!
//! let directory = std::env::temp_dir().join(format!("isotherm-doc-{}", std::process::id()));
//! std::fs::create_dir_all(&directory)?;
//! let path = directory.join("waits.txt");
//! std::fs::write(&path, "time,latency_us\n1,100\n1.5,120\n2,95\n3,110\n4,4100\n")?;
//!
//! let inputs = expand(vec![path.to_str().expect("a name in UTF-8").parse()?])?;
//! let mut collector = Collector::default();
//! let account = read_all(&inputs, &ReadOptions::default(), Binning::SECONDS, &mut |event| {
//!     if let Some(message) = collector.take(event) {
//!         eprintln!("{message}");
//!     }
//! })?;
//! assert_eq!((account.records, account.rejected), (5, 0));
//! assert_eq!(collector.totals.events, 5);
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clock;
mod collector;
mod combined_account;
mod error;
mod event_stream;
mod flight_recorder;
mod frame_sums;
mod idle;
mod input;
mod intake;
mod live;
mod load_run;
mod memory_budget;
mod overflow;
mod read_ahead;
mod recorder;
mod replay;
mod series_filter;
mod side_source;
mod stray_dates;

pub use clock::{now, timestamp};
pub use collector::Collector;
pub use error::PipelineError;
pub use event_stream::{Batch, EventStream, RecordedIn};
pub use flight_recorder::open as open_flight_recorder;
pub use frame_sums::FrameSums;
pub use input::{Binning, Input, ReadOptions, expand, is_recording, read_all, read_events};
pub use intake::{Intake, TakeEvent};
pub use live::{Closed, Live};
pub use load_run::{LoadEnded, LoadRun, Work};
pub use memory_budget::MemoryBudget;
pub use recorder::{Recorder, Recording};
pub use replay::{OpenRecording, Replay, Speed, TimeRange, WholeInputs};
pub use series_filter::{SeriesFilter, contains};
pub use side_source::SideSource;
