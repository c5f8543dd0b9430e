//! What latencies are written in: decoders that turn bytes into readings.
//!
//! A decoder is a pure function of bytes: it opens nothing, asks no clock, starts no program and never
//! subtracts. [`recognise`] finds the one that reads an input by how it begins, [`decode_bytes`] takes away
//! what stands around a text (compression, byte order marks, the margin of a ticket) and decodes the rest into a
//! [`Sink`]. Whoever has the bytes already calls [`Source::decode`] itself.
//!
//! A decoder is registered by one word in `sources!` below; the registry tests, the documentation and the
//! recognition of files by content follow from its [`Meta`]. The modules of some formats are open: what asks a
//! server for the same numbers, or fetches the same page, reads them with the same functions.
#![warn(missing_docs)]

mod bars;
mod beyond_most;
mod blocks;
pub mod buffers;
mod byte_range;
mod calendar;
mod context;
mod counter_log;
mod disjoint;
mod documents;
mod drawn;
mod error;
mod exponential;
mod file_part;
mod fingerprint;
mod foreign;
mod grouping;
mod head;
mod in_order;
pub mod input;
mod lines;
mod longest;
mod meta;
mod named_unit;
mod nearest;
mod number;
mod partition;
mod printed;
mod printed_total;
mod prints;
mod reading_option;
mod recognise;
pub mod running_totals;
mod sink;
mod source;
mod stamp;
mod sure_totals;
mod trial;
pub mod unread_options;
mod zone;

use isotherm_frame::wildcard;

pub use awrseries::with_exact_times;
pub use blocktrace::{BlockStage, BlockStep, block_step, is_block_trace};
pub use buffers::{
    BufferCell, BufferContents, BufferHolder, BufferList, BufferListError, LevelKind,
    read_buffer_list,
};
pub use byte_range::ByteRange;
pub use context::{Columns, Context, Only, Temporality};
pub use error::DecodeError;
pub use file_part::{FilePart, Reach};
pub use fingerprint::{Dialect, fingerprint};
pub use fio::{is_averages_of_fio, logs_of_fio_report, repeated_fio_logs};
pub use formats::{
    BrokenFormat, CheckedLine, FormatCheck, LineOutcome, NamedFormat, add_formats, check_format,
    formats_named, named_formats,
};
pub use grouping::Grouping;
pub use head::{HEAD, peek};
pub use input::{Bytes, ReadError, Unrecognised, decode_bytes, decode_part, printable};
pub use iopath::PathCapture;
pub use lines::{Line, LineReader};
pub use meta::{Counting, Meta, Need};
pub use nearest::nearest;
pub use partition::is_partition_of;
pub use printed_total::without_impossible_total;
pub use reading_option::ReadingOption;
pub use recognise::{Recognition, judge, recognise};
pub use sink::{Message, Note, Sink, reject};
pub use source::{Source, Verdict};
pub use stamp::{Stamp, StampReader};
pub use trial::{Judgement, Outcome, Trial, try_sources};

/// Lists the decoders: each word is a module with a `static SOURCE`.
macro_rules! sources {
    ($($visibility:vis $module:ident),* $(,)?) => {
        $($visibility mod $module;)*
        /// Every decoder, in the order in which `isotherm sources` lists them.
        pub static SOURCES: &[&dyn Source] = &[$(&$module::SOURCE),*];
    };
}

sources![
    pub iopath,
    bpftrace,
    bcc,
    pylatencymap,
    dtrace,
    systemtap,
    oracletrace,
    pub oraclepoll,
    awrreport,
    awrseries,
    strace,
    fio,
    postgreslog,
    pub pgstatmonitor,
    pgbench,
    mysqlslow,
    pub mysql,
    ontap,
    zpool,
    solaris,
    ceph,
    mongodb,
    nvme,
    intelnvme,
    pub redis,
    pub prometheus,
    prompb,
    pub promquery,
    pub otlp,
    hdrlog,
    hgrm,
    ioping,
    sysbench,
    blocktrace,
    perftrace,
    perfscript,
    pub diskstats,
    pub dbstats,
    iostat,
    formats,
    columns,
    logs
];
