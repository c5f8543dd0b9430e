//! Where latencies come from while they happen: addresses, and what stands behind them.
//!
//! A live source measures itself, asks a server, listens, or runs a program whose output a decoder of
//! `isotherm-formats` reads; it has a thread and puts what it reads into a bounded channel. It is registered
//! by one word in `live!` below. Arrows go one way: nothing of `isotherm-formats` knows this crate.

mod activity;
mod address;
mod address_error;
mod buffers;
mod command;
mod disk;
mod diskstats;
mod environment;
mod feed;
mod files;
mod held;
mod http;
mod http_settings;
mod iopath;
mod iototals;
mod live;
mod mysql;
mod oracle;
mod otlp;
mod pace;
mod password;
mod polling;
mod postgres;
mod probe;
mod redis;
mod running;
mod schemes;
mod scrape;
mod script;
mod traced;
mod tracing_needs;
mod wait_event;

use isotherm_formats::{Meta, SOURCES, Sink};
use isotherm_frame::wildcard;

pub use activity::{ActivityFeed, ActivityItem, KeptActivity, Sampling};
pub use address::Address;
pub use address_error::AddressError;
pub use buffers::{BufferQuestion, BufferReader};
pub use command::command_in_short;
pub use environment::without_secrets;
pub use feed::{
    END_OF_INPUT, Ending, FeedError, LiveOptions, MessageBatch, OpenError, decode_all,
    guard_programs, open_bytes, read_whole,
};
pub use iopath::{PathDatabase, PathDevice, PathProgram, PathProgramError};
pub use iototals::{IoFeed, IoItem, IoReader};
pub use isotherm_client::used::hide as without_used_passwords;
pub use live::{Live, LiveAddress, LiveScheme, Target};
pub use oracle::{
    AwrCollectError, AwrCollection, AwrTables, NoMoment, OracleAddress, OracleAddressError,
    OracleOptions, Route, ScriptAsks, ScriptError, ScriptRepeats, ScriptSleep, SqlPlusScript,
    event_names, wait_events,
};
pub use password::{PasswordError, find_password, password_in_address};
pub use probe::{ProbeError, ProbeOptions, direct_io_works};
pub use running::Feed;
pub use schemes::{AddressScheme, address_schemes, watched_only};
pub use scrape::{Fleet, FleetCost, FleetCourse, FleetError, FleetHistogram, FleetQuestion};
pub use wait_event::WaitEvent;

/// Lists the live sources: each word is a module with a `pub(crate) static LIVE`.
macro_rules! live {
    ($($module:ident),* $(,)?) => {
        /// Every live source, in the order in which `isotherm sources` lists them.
        pub static LIVE: &[&Live] = &[$(&$module::LIVE),*];
    };
}

live![
    probe, disk, diskstats, traced, script, command, oracle, postgres, mysql, redis, scrape, otlp
];

/// What everything that can be read says about itself: the decoders, the live sources, then files
/// and recordings.
pub fn all_metas() -> impl Iterator<Item = &'static Meta> {
    let live = LIVE.iter().flat_map(|live| live.metas.iter().copied());
    SOURCES.iter().map(|source| source.meta()).chain(live).chain(files::FILES.iter().copied())
}

/// Reads bytes as the answers to a poll of Redis: `INFO server`, and the transaction after it. For
/// tests that feed anything at all.
#[doc(hidden)]
pub fn redis_poll(server: &[u8], both: &[u8]) -> bool {
    redis::read_any(server, both)
}

/// Reads bytes as what each of our tracing programs prints. For tests that feed anything at all.
#[doc(hidden)]
pub fn traced_output(bytes: &[u8], sink: &mut dyn Sink) -> bool {
    traced::read_any(bytes, sink)
}

/// Reads bytes as the messages that `MySQL` answers a poll with, each with its length in two bytes before
/// it. For tests that feed anything at all.
#[doc(hidden)]
pub fn mysql_poll(bytes: &[u8]) -> bool {
    mysql::read_any(bytes)
}

/// Reads a text as samples of sessions, with a line for each row and `|` between its columns; gives
/// how many waits were seen to end. For tests that feed anything at all.
#[doc(hidden)]
pub fn postgres_samples(text: &str, sink: &mut dyn Sink) -> u64 {
    postgres::read_any(text, sink)
}
