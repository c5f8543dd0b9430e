#![doc = include_str!("../README.md")]

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
mod repeated_logs;
mod replay;
mod series_filter;
mod several;
mod side_source;
mod stray_dates;

pub use clock::{now, timestamp};
pub use collector::{Collector, Keep};
pub use error::PipelineError;
pub use event_stream::{Batch, EventStream, RecordedIn};
pub use flight_recorder::open as open_flight_recorder;
pub use frame_sums::FrameSums;
pub use input::{
    Binning, Input, ReadOptions, expand, is_recording, read_all, read_events, read_opened,
};
pub use intake::{Intake, TakeEvent};
pub use live::{Closed, Live};
pub use load_run::{LoadEnded, LoadRun, Work};
pub use memory_budget::MemoryBudget;
pub use recorder::{Recorder, Recording};
pub use replay::{OpenRecording, Replay, ReplayRange, Speed, WholeInputs};
pub use series_filter::{SeriesFilter, contains};
pub use side_source::SideSource;
