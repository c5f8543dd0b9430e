//! Where latencies come from: decoders that turn bytes into readings, and the few lines beside
//! them that fetch the bytes.
//!
//! A decoder is a pure function of bytes. It is registered by one word in `sources!` below; the
//! registry tests, the documentation and the recognition of files by content follow from its
//! [`Meta`].

mod activity;
mod address;
mod address_error;
mod bars;
mod beyond_most;
mod blocks;
mod buffers;
mod byte_range;
mod calendar;
mod command;
mod context;
mod counter_log;
mod disjoint;
mod disk;
mod documents;
mod drawn;
mod environment;
mod error;
mod exponential;
mod feed;
mod file_part;
mod files;
mod fingerprint;
mod foreign;
mod grouping;
mod http;
mod http_settings;
mod in_order;
mod iototals;
mod lines;
mod live;
mod longest;
mod meta;
mod named_unit;
mod nearest;
mod number;
mod oracle;
mod pace;
mod partition;
mod password;
mod polling;
mod postgres;
mod printed;
mod printed_total;
mod prints;
mod probe;
mod reading_option;
mod recognise;
mod running;
mod running_totals;
mod schemes;
mod scrape;
mod script;
mod sink;
mod source;
mod stamp;
mod sure_totals;
mod traced;
mod tracing_needs;
mod trial;
mod unread_options;
mod wait_event;
mod zone;

use isotherm_frame::wildcard;

pub use activity::{ActivityFeed, ActivityItem};
pub use address::Address;
pub use address_error::AddressError;
pub use blocktrace::{BlockStage, BlockStep, block_step, is_block_trace};
pub use buffers::{
    BufferCell, BufferContents, BufferHolder, BufferList, BufferListError, BufferQuestion,
    BufferReader, LevelKind, read_buffer_list,
};
pub use byte_range::ByteRange;
pub use command::command_in_short;
pub use context::{Columns, Context, Only, Temporality};
pub use environment::without_secrets;
pub use error::DecodeError;
pub use feed::{
    Bytes, END_OF_INPUT, Ending, FeedError, Item, LiveOptions, OpenError, Unrecognised, decode_all,
    decode_bytes, decode_part, guard_programs, read_whole,
};
pub use file_part::{FilePart, Reach};
pub use fio::{is_averages_of_fio, logs_of_fio_report, repeated_fio_logs};
pub use formats::{
    CheckedLine, FormatCheck, LineOutcome, NamedFormat, add_formats, check_format, formats_named,
    named_formats,
};
pub use iopath::{PathCapture, PathDatabase, PathDevice, PathProgram, PathProgramError};
pub use iototals::{IoFeed, IoItem, IoReader};
pub use isotherm_client::used::hide as without_used_passwords;
pub use lines::{Line, LineReader};
pub use live::{Live, LiveAddress, LiveScheme, Target};
pub use meta::{Counting, Meta, Need};
pub use nearest::nearest;
pub use oracle::{
    AwrCollectError, AwrCollection, AwrTables, NoMoment, OracleAddress, OracleAddressError,
    OracleOptions, Route, ScriptAsks, ScriptError, ScriptRepeats, ScriptSleep, SqlPlusScript,
    event_names, wait_events,
};
pub use password::{PasswordError, find_password, password_in_address};
pub use printed_total::without_impossible_total;
pub use probe::{ProbeError, ProbeOptions, direct_io_works};
pub use reading_option::ReadingOption;
pub use recognise::{HEAD, Recognition, peek, recognise};
pub use running::Feed;
pub use schemes::{AddressScheme, address_schemes, watched_only};
pub use scrape::{Fleet, FleetCost, FleetCourse, FleetError, FleetHistogram, FleetQuestion};
pub use sink::{Note, Sink};
pub use source::{Source, Verdict};
pub use trial::{Judgement, Outcome, Trial, try_sources};
pub use wait_event::WaitEvent;

/// Lists the decoders: each word is a module with a `pub(crate) static SOURCE`.
macro_rules! sources {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*
        /// Every decoder, in the order in which `isotherm sources` lists them.
        pub static SOURCES: &[&dyn Source] = &[$(&$module::SOURCE),*];
    };
}

sources![
    iopath,
    bpftrace,
    bcc,
    pylatencymap,
    dtrace,
    systemtap,
    oracletrace,
    oraclepoll,
    awrreport,
    awrseries,
    strace,
    fio,
    postgreslog,
    pgstatmonitor,
    pgbench,
    mysqlslow,
    mysql,
    ontap,
    zpool,
    solaris,
    ceph,
    mongodb,
    nvme,
    intelnvme,
    redis,
    prometheus,
    prompb,
    promquery,
    otlp,
    hdrlog,
    hgrm,
    ioping,
    sysbench,
    blocktrace,
    perftrace,
    perfscript,
    diskstats,
    dbstats,
    iostat,
    formats,
    columns,
    logs
];

/// Lists the live sources: each word is a module with a `pub(crate) static LIVE`.
macro_rules! live {
    ($($module:ident),* $(,)?) => {
        /// Every live source, in the order in which `isotherm sources` lists them.
        pub static LIVE: &[&dyn Live] = &[$(&$module::LIVE),*];
    };
}

live![
    probe, disk, diskstats, traced, script, command, oracle, postgres, mysql, redis, scrape, otlp
];

/// What everything that can be read says about itself: the decoders, the live sources, then files
/// and recordings.
pub fn all_metas() -> impl Iterator<Item = &'static Meta> {
    let live = LIVE.iter().flat_map(|live| live.metas().iter().copied());
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
