//! A `PostgreSQL` on loopback in a scratch directory, ended and removed with its owner.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use isotherm_client::postgres::address::{Logon, Nowhere};
use isotherm_client::postgres::control::Control;

use super::account::Account;
use super::binaries;
use super::log::Log;
use super::process::Process;
use super::scratch::Scratch;
use crate::{Bench, LabError};

/// The longest that making the files and starting may take, each.
const PATIENCE: Duration = Duration::from_mins(2);
const GLANCE: Duration = Duration::from_millis(20);
/// Settings that differ from a fresh installation. The WAL writer would write WAL ahead of the
/// sessions that are measured.
const SETTINGS: [&str; 8] = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=40",
    "shared_buffers=32MB",
    "min_wal_size=80MB",
    "max_wal_size=512MB",
    "wal_writer_delay=10s",
    "autovacuum=off",
];

/// The directory of its files, within that of the lab.
const DATA: &str = "data";

/// A running server.
#[derive(Debug)]
pub struct OwnServer {
    pub logon: Logon,
    // Before the directory: the server has ended when its files are removed.
    process: Process,
    scratch: Scratch,
    binaries: PathBuf,
    account: Option<Account>,
    port: u16,
    pub log: Log,
}

impl OwnServer {
    /// Makes a database cluster and starts a server on it; stops when the user asks to.
    pub fn start(bench: &mut Bench<'_>) -> Result<OwnServer, LabError> {
        let (binaries, account) = (binaries::directory()?, Account::of_server()?);
        let scratch = Scratch::new()?;
        let log = Log::new(scratch.path())?;
        let password = password()?;
        let secret = scratch.path().join("password");
        written(&secret, &password, account)?;
        if let Some(account) = account {
            scratch.give_to(account)?;
        }
        let data = scratch.path().join(DATA);
        let mut initdb = Command::new(binaries.join("initdb"));
        initdb.args(["-U", "postgres", "-A", "scram-sha-256", "-E", "UTF8", "--no-locale", "-N"]);
        initdb.arg("--pwfile").arg(&secret).arg("-D").arg(&data);
        let mut initdb = launched(initdb, account, &log, scratch.path())?;
        let begun = Instant::now();
        loop {
            bench.step(0.0, "making a database cluster")?;
            match initdb.status()? {
                Some(true) => break,
                None if begun.elapsed() < PATIENCE => sleep(GLANCE),
                _ => return Err(unstarted("initdb", &log)),
            }
        }
        let port = free_port()?;
        let server = postgres(&binaries, &data, port);
        let process = launched(server, account, &log, scratch.path())?;
        let address = format!("postgres:{password}@127.0.0.1:{port}/postgres?sslmode=disable");
        let logon = Logon::read(&address, &Nowhere).map_err(|error| LabError::Unreadable {
            what: "the address of the lab's server".to_owned(),
            why: error.to_string(),
            next: "report this as a bug",
        })?;
        let mut own = OwnServer { logon, process, scratch, binaries, account, port, log };
        own.wait(bench)?;
        Ok(own)
    }

    /// Ends it and starts it again with one more setting: nothing is left in its caches.
    pub fn restart(&mut self, setting: &str, bench: &mut Bench<'_>) -> Result<(), LabError> {
        self.process.end();
        let mut server = postgres(&self.binaries, &self.scratch.path().join(DATA), self.port);
        server.arg("-c").arg(setting);
        self.process = launched(server, self.account, &self.log, self.scratch.path())?;
        self.wait(bench)
    }

    fn wait(&mut self, bench: &mut Bench<'_>) -> Result<(), LabError> {
        let begun = Instant::now();
        loop {
            bench.step(0.0, "starting PostgreSQL")?;
            if Control::open(&self.logon, None).is_ok() {
                return Ok(());
            }
            if self.process.status()?.is_some() || begun.elapsed() > PATIENCE {
                return Err(unstarted("postgres", &self.log));
            }
            sleep(GLANCE);
        }
    }

    /// Whether its files are on a filesystem in memory.
    pub fn is_in_memory(&self) -> bool {
        self.scratch.is_in_memory()
    }
}

/// The server's command line.
fn postgres(binaries: &Path, data: &Path, port: u16) -> Command {
    let mut server = Command::new(binaries.join("postgres"));
    server.arg("-D").arg(data).arg("-p").arg(port.to_string());
    for setting in SETTINGS {
        server.arg("-c").arg(setting);
    }
    server
}

fn launched(
    mut command: Command,
    account: Option<Account>,
    log: &Log,
    directory: &Path,
) -> Result<Process, LabError> {
    let failed = |source| LabError::Start { what: "PostgreSQL", source };
    let log = || log.writer().map_err(failed);
    command.stdin(Stdio::null()).stdout(log()?).stderr(log()?);
    command.current_dir(directory).env("LC_ALL", "C");
    if let Some(Account { user, group }) = account {
        command.uid(user).gid(group);
    }
    Process::start("PostgreSQL", command).map_err(failed)
}

fn written(path: &PathBuf, text: &str, account: Option<Account>) -> Result<(), LabError> {
    let failed = |source| LabError::Start { what: "PostgreSQL", source };
    let mut file = File::options().write(true).create_new(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    let (user, group) = account.map(|account| (account.user, account.group)).unzip();
    std::os::unix::fs::fchown(&file, user, group).map_err(failed)
}

/// A password that nobody else knows: other users of this machine can reach the port.
fn password() -> Result<String, LabError> {
    let mut bytes = [0_u8; 16];
    File::open("/dev/urandom")
        .and_then(|mut random| random.read_exact(&mut bytes))
        .map_err(|source| LabError::Start { what: "PostgreSQL", source })?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

/// A port of loopback that nobody listens on.
fn free_port() -> Result<u16, LabError> {
    TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|source| LabError::Start { what: "PostgreSQL", source })
}

/// The last lines that a program printed, as an error.
fn unstarted(program: &str, log: &Log) -> LabError {
    let text = log.end();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(3)..).unwrap_or_default().join(" / ");
    LabError::Unreadable {
        what: program.to_owned(),
        why: format!("it did not start: {last}"),
        next: "name a server that runs with --server postgres://USER@HOST/DATABASE",
    }
}
