//! The bpftrace programs that ship, and what they are asked.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use isotherm_formats::{Context, DecodeError, Meta, Sink, Source, Verdict};
use isotherm_frame::Series;

use super::{calls, meta, meta_pg, needs, postgres, totals};
use crate::feed::OpenError;

/// A program, and what its keys mean.
#[derive(Debug)]
pub(crate) struct Program {
    scheme: &'static str,
    /// What stands after the colon; empty where that is nothing or a process.
    what: &'static str,
    text: &'static str,
    meta: &'static Meta,
    /// The series of a key without its generation.
    name: fn(&str) -> Option<Series>,
    /// A tracepoint that it cannot do without, as a folder of tracefs.
    tracepoint: &'static str,
}

/// What an address asks for besides.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(super) process: Option<u32>,
    pub(super) binary: Option<PathBuf>,
    /// A file with the names of relations.
    pub(super) names: Option<PathBuf>,
}

/// What stands in a program in place of the server's path.
const BINARY: &str = "BINARY";

pub(super) static PROGRAMS: [Program; 9] = [
    Program {
        scheme: "runq",
        what: "",
        text: include_str!("runq.bt"),
        meta: &meta::RUNQ,
        name: run_queue,
        tracepoint: "sched/sched_switch",
    },
    Program {
        scheme: "syscall",
        what: "",
        text: include_str!("syscall.bt"),
        meta: &meta::SYSCALL,
        name: calls::series,
        tracepoint: "raw_syscalls/sys_enter",
    },
    Program {
        scheme: "fs",
        what: "",
        text: include_str!("fs.bt"),
        meta: &meta::FS,
        name: file_call,
        tracepoint: "syscalls/sys_enter_pread64",
    },
    Program {
        scheme: "tcp",
        what: "",
        text: include_str!("tcp.bt"),
        meta: &meta::TCP,
        name: tcp,
        tracepoint: "tcp/tcp_probe",
    },
    pgprobe("reads", include_str!("pg_reads.bt"), postgres::read, ""),
    pgprobe("buffers", include_str!("pg_buffers.bt"), postgres::buffer, ""),
    pgprobe("lwlocks", include_str!("pg_lwlocks.bt"), postgres::lwlock, ""),
    pgprobe("locks", include_str!("pg_locks.bt"), postgres::lock, ""),
    pgprobe("wal", include_str!("pg_wal.bt"), postgres::sync, "syscalls/sys_enter_fdatasync"),
];

/// A program that probes a server of `PostgreSQL`.
const fn pgprobe(
    what: &'static str,
    text: &'static str,
    name: fn(&str) -> Option<Series>,
    tracepoint: &'static str,
) -> Program {
    Program { scheme: "pgprobe", what, text, meta: &meta_pg::PGPROBE, name, tracepoint }
}

impl Program {
    /// Whether the address `scheme:what` means it.
    pub(super) fn is(&self, scheme: &str, what: &str) -> bool {
        let takes_process = self.scheme == "syscall";
        self.scheme == scheme && (self.what == what || takes_process)
    }

    /// The text to run, once it is certain that it can be.
    pub(super) fn text_for(&self, asked: &Asked, needed_by: &str) -> Result<String, OpenError> {
        if !self.tracepoint.is_empty() {
            needs::tracepoint(self.tracepoint, needed_by)?;
        }
        if let Some(process) = asked.process {
            needs::process(process)?;
        }
        if !self.text.contains(&format!("usdt:{BINARY}:")) {
            return Ok(self.text.to_owned());
        }
        let binary = match &asked.binary {
            Some(binary) => binary.clone(),
            None => postgres::running(self.scheme, "?binary=")?,
        };
        let probes = postgres::check_probes(&binary, &self.probes())?;
        Ok(self.text.replace(BINARY, &probes.display().to_string()))
    }

    /// The probes of the server that it needs.
    fn probes(&self) -> Vec<&'static str> {
        let named =
            self.text.lines().filter_map(|line| line.strip_prefix("usdt:BINARY:postgresql:"));
        named.map(str::trim).collect()
    }
}

impl Source for Program {
    fn meta(&self) -> &'static Meta {
        self.meta
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if totals::is_ours(head) { Verdict::Yes } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        totals::read(input, context, &self.name, sink)
    }
}

impl Asked {
    /// Reads what stands before and after the question mark.
    pub(super) fn read(scheme: &str, what: &str, query: &str) -> Result<Asked, String> {
        let mut asked = Asked::default();
        if scheme == "syscall" {
            let process = what.parse().ok().filter(|process| *process > 0);
            asked.process = Some(process.ok_or_else(|| {
                format!("'{what}' is not the number of a process: syscall:$(pgrep -n {what})")
            })?);
        }
        for option in query.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("binary", path)) if scheme == "pgprobe" => {
                    asked.binary = Some(plain_path(path)?);
                }
                Some(("names", path)) if scheme == "pgprobe" && !path.is_empty() => {
                    if what != "reads" {
                        return Err("names=: only pgprobe:reads tells relations apart".to_owned());
                    }
                    asked.names = Some(path.into());
                }
                _ => {
                    let key = option.split('=').next().unwrap_or_default();
                    return Err(format!("'{key}': {scheme}: has no such option"));
                }
            }
        }
        Ok(asked)
    }
}

/// A path that means the same within a bpftrace program.
fn plain_path(text: &str) -> Result<PathBuf, String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._+-".contains(&byte);
    if !Path::new(text).is_absolute() || !text.bytes().all(is_plain) {
        return Err(format!(
            "binary={text}: a whole path of letters, digits and / . _ + - is needed"
        ));
    }
    Ok(text.into())
}

/// What to say about an address that no program is meant by.
pub(super) fn unknown(scheme: &str, what: &str) -> String {
    let known: Vec<&str> = PROGRAMS
        .iter()
        .filter(|program| program.scheme == scheme && !program.what.is_empty())
        .map(|program| program.what)
        .collect();
    if known.is_empty() {
        return format!("'{scheme}:{what}': {scheme}: measures the whole machine: write {scheme}:");
    }
    format!("'{scheme}:{what}': {scheme}: measures one of {}", known.join(", "))
}

fn run_queue(key: &str) -> Option<Series> {
    let why = match key {
        "1" => "woken",
        "2" => "preempted",
        _ => return None,
    };
    Some(Series::with_attributes("run queue", [("why", why)]))
}

fn file_call(key: &str) -> Option<Series> {
    let op = match key {
        "1" => "read",
        "2" => "write",
        "3" => "fsync",
        "4" => "fdatasync",
        "5" => "open",
        _ => return None,
    };
    Some(Series::with_attributes("file calls", [("op", op)]))
}

fn tcp(key: &str) -> Option<Series> {
    match key {
        "1" => Some(Series::named("TCP connect")),
        "2" => Some(Series::named("TCP smoothed round trip")),
        _ => None,
    }
}
