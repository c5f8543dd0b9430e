//! Makes I/O at a stated concurrency or rate and measures every operation: a *job* is an engine,
//! an arrival of operations and a limit.
//!
//! Two clocks matter. The *response time* of an operation counts from the moment it was meant to
//! begin: when its place became free (closed loop) or when the schedule said so (open loop). The
//! *service time* counts from the moment it was handed to the system. Nothing is omitted when the
//! system under test stalls (coordinated omission), and by Little's law throughput times mean
//! response time is the number in flight: every run checks that.

mod address;
pub mod clock;
mod credentials;
mod distribution;
mod drive;
mod engine;
mod engines;
mod fault;
pub mod file;
mod hooks;
mod job;
mod known;
mod log_on;
mod mark;
mod open;
mod oracle;
mod outcome;
pub mod postgres;
mod random;
pub mod redis;
mod registry;
pub mod simulated;
pub mod span;
mod status;
mod steadiness;
mod sys;

pub use address::{Address, AddressError, examples};
pub use credentials::wants_password;
pub use distribution::Distribution;
pub use drive::{check, interval, run};
pub use engine::{Count, Done, Engine, KindMeta, Operation, Role, Slot, System, Unit, Wait};
pub use engines::{EngineKind, Medium, Target};
pub use fault::{Broken, LoadError};
pub use hooks::{Hooks, Progress};
pub use job::{
    Arrival, DatabaseOptions, FileMethod, FileOptions, HotSpot, Job, Limit, Mix, Pattern, Redo,
    Spacing, Think, Warmup, Work,
};
pub use known::{KnownCounter, KnownFact};
pub use open::{check_target, open, setup, teardown};
pub use outcome::{
    Cpu, Ended, IntervalOutcome, KindOutcome, Little, Observed, Offered, Outcome, Touched,
};
pub use registry::{ENGINES, engine_of, not_for, others_that_take};
pub use status::{LatestInterval, Observer, RunStatus};
pub use steadiness::Steadiness;
