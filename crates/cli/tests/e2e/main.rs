//! The program as a user runs it.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test fails by panicking"
)]

mod analyze;
#[cfg(feature = "oracle")]
mod ash;
mod awr;
mod behind_a_lock;
mod behind_nginx;
mod bounds;
mod cache;
#[cfg(feature = "oracle")]
mod cache_show;
mod calibrate;
mod certificates;
mod compare;
mod completion;
mod condition_commands;
mod conditions;
mod config;
mod counters;
mod cuts;
mod demo;
mod exit_codes;
mod explain;
mod file_ranges;
mod fit;
mod flame;
mod fleet;
mod fleet_layouts;
mod fleet_recordings;
mod fleet_servers;
mod formats;
mod grammar;
mod hostile_texts;
mod https_metrics;
mod image;
mod injection;
mod inputs;
mod io_path;
mod lab;
mod lab_server;
mod left_servers;
mod live;
mod loop_disk;
mod many_files;
mod many_series;
mod memory;
mod notebooks;
mod oracle;
#[cfg(feature = "oracle")]
mod oracle_grammar;
#[cfg(feature = "oracle")]
mod oracle_thin;
mod outputs;
mod path_capture;
mod psql;
mod push;
mod ranges;
mod readers;
mod readme;
mod recorder;
mod recordings;
mod report;
mod same_numbers;
mod schemas;
mod scraped;
mod secrets;
mod serve;
mod stats;
mod stress;
mod surfaces;
mod sweep;
mod tables_of_rows;
mod terminal;
mod top;
mod trace;
mod uprobes;
mod zones;

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use testing::bounded;

/// A directory of its own for each test; removed at the end.
struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Room {
        Room(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }
}

fn isotherm(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_isotherm"));
    command.args(args).stdin(Stdio::null());
    for variable in ["NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLORTERM", "COLUMNS"] {
        command.env_remove(variable);
    }
    command
}

fn run(args: &[&str]) -> Output {
    bounded::output(&mut isotherm(args))
}

/// Runs a command that must succeed; gives its standard output.
fn succeed(args: &[&str]) -> String {
    let output = run(args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "isotherm {args:?} failed: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn start(args: &[&str]) -> bounded::Child {
    bounded::spawn(isotherm(args).stdout(Stdio::piped()).stderr(Stdio::piped()))
}

fn signal(child: &bounded::Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, signal).unwrap();
}

/// A port of this machine where nobody listens, and where nobody can begin to as long as this lives: it is the
/// client's end of a connection.
struct ClosedPort {
    client: TcpStream,
    _listener: TcpListener,
}

impl ClosedPort {
    fn new() -> ClosedPort {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = bounded::connect(listener.local_addr().unwrap()).unwrap();
        ClosedPort { client, _listener: listener }
    }

    fn number(&self) -> u16 {
        self.client.local_addr().unwrap().port()
    }
}

/// Two polls of an Oracle wait histogram, one second apart, in PyLatencyMap's record format.
const RECORDS: &str = "\
<begin record>
timestamp, microsec, 1700000000000000, 14-NOV-23
label, log file sync
datasource, oracle
latencyunit, millisec
1, 100
2, 50
4, 10
<end record>
31 rows selected.
<begin record>
timestamp, microsec, 1700000001000000, 14-NOV-23
label, log file sync
datasource, oracle
latencyunit, millisec
1, 130
2, 60
4, 10
8, 5
<end record>
";
