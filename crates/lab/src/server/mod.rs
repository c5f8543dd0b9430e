//! The `PostgreSQL` that a lab works with: the one at the address the user gave, or one of its own.

mod account;
mod binaries;
mod cached;
mod failure;
mod files;
mod leftovers;
mod log;
mod own;
mod page_cache;
mod process;
mod scratch;

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use isotherm_client::postgres::address::Logon;
use isotherm_client::postgres::control::{Control, quoted};
use isotherm_client::postgres::error::PgError;

use crate::{Bench, LabError};
pub use cached::cached_pages;
pub use failure::failed;
pub use log::Log;
use own::OwnServer;
pub use page_cache::RelationFiles;
pub use process::Process;
pub use scratch::Scratch;

/// A server that accepts connections, with a schema of the lab's own.
#[derive(Debug)]
pub struct Server<'a> {
    logon: Logon,
    own: Option<OwnServer>,
    schema: String,
    /// Whether the schema is this lab's: one that was there before is never dropped.
    has_schema: bool,
    /// Whether its files are known to be on a filesystem in memory.
    in_memory: bool,
    stop: &'a AtomicBool,
    /// The server's version: 150018 is 15.18.
    pub version: u64,
    /// What the user should know about it.
    pub remarks: Vec<String>,
}

impl<'a> Server<'a> {
    /// The server of the bench's address, or one that is started for this run.
    pub fn ready(bench: &mut Bench<'a>) -> Result<Server<'a>, LabError> {
        bench.step(0.0, "connecting")?;
        let (logon, own) = if let Some(logon) = bench.address {
            (logon.clone(), None)
        } else {
            let own = OwnServer::start(bench)?;
            (own.logon.clone(), Some(own))
        };
        let mut remarks = leftovers::remarks();
        let in_memory = own.as_ref().is_some_and(OwnServer::is_in_memory);
        if in_memory {
            remarks.push(IN_MEMORY.to_owned());
        }
        // Labs on other machines may have the number of this process.
        let random = RandomState::new().hash_one(std::process::id()) & 0xffff_ffff;
        let schema = format!("{}{random:08x}", schema_head());
        let (has_schema, stop) = (false, bench.stop());
        let version = 0;
        let mut server =
            Server { logon, own, schema, has_schema, in_memory, stop, version, remarks };
        server.make_schema()?;
        let mut control = server.control()?;
        let version = control.number("show server_version_num").map_err(failed)?;
        let others = control.rows(&other_schemas(&server.schema)).map_err(failed)?;
        let directory = if server.is_own() { None } else { files::directory(&mut control).ok() };
        drop(control);
        server.version = version;
        if directory.is_some_and(|directory| scratch::is_in_memory(&directory)) {
            server.in_memory = true;
            server.remarks.push(IN_MEMORY_THERE.to_owned());
        }
        server.remarks.extend(others.into_iter().flatten().flatten().map(|schema| {
            format!(
                "The schema {schema} is that of another lab. If none runs now, it was killed: drop \
                 schema {schema} cascade."
            )
        }));
        server.remarks.insert(0, server.about());
        Ok(server)
    }

    fn make_schema(&mut self) -> Result<(), LabError> {
        let mut control = self.connection(Some(self.stop))?;
        let made = control.rows(&format!("create schema {}", self.schema));
        drop(control);
        self.has_schema = made.is_ok();
        made.map(drop).map_err(|error| match error {
            error if error.is("42501") => LabError::OutOfReach {
                what: "a schema of the lab's own",
                why: error.to_string(),
                next: "GRANT CREATE ON DATABASE the one of the address TO its user, or name another user",
            },
            error => failed(error),
        })
    }

    fn connection<'b>(&'b self, stop: Option<&'b AtomicBool>) -> Result<Control<'b>, LabError> {
        Control::open(&self.logon, stop).map_err(|error| match error {
            PgError::Stopped => LabError::Interrupted,
            error => {
                let logon = self.logon.to_string();
                LabError::Unreachable { logon, next: error.next_step(), error }
            }
        })
    }

    /// A new connection; names without a schema are those of the lab's schema. What runs is cancelled
    /// when the user asks the lab to stop.
    pub fn control(&self) -> Result<Control<'_>, LabError> {
        let mut control = self.connection(Some(self.stop))?;
        control.rows(&format!("set search_path to {}", self.schema)).map_err(failed)?;
        Ok(control)
    }

    /// Ends a server of the lab's own and starts it again with one more setting, such as
    /// `shared_buffers=1000`.
    pub fn restart(&mut self, bench: &mut Bench<'_>, setting: &str) -> Result<(), LabError> {
        let own = self.own.as_mut().ok_or_else(|| LabError::Unusable {
            why: "a server that is not the lab's own cannot be started again".to_owned(),
            next: "leave out --server",
        })?;
        own.restart(setting, bench)
    }

    /// How to log on to it with names of the lab's schema and these settings, as on a server's command
    /// line.
    pub fn logon(&self, settings: &str) -> Logon {
        let options = format!("-c search_path={} {settings}", self.schema);
        Logon { options: Some(options), ..self.logon.clone() }
    }

    /// What it prints; none of a server that was not started for this run.
    pub fn log(&self) -> Option<&Log> {
        self.own.as_ref().map(|own| &own.log)
    }

    /// Whether what is written to this server is kept in memory only.
    pub fn is_in_memory(&self) -> bool {
        self.in_memory
    }

    /// Whether it was started for this run.
    pub fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// Where its files are; fails where that is not on this machine, or may not be read.
    pub fn data_directory(&self) -> Result<PathBuf, LabError> {
        files::directory(&mut self.control()?)
    }

    fn about(&self) -> String {
        // Before 10 there were three parts.
        let version = match self.version {
            ..100_000 => {
                let (major, minor, patch) =
                    (self.version / 10_000, self.version / 100 % 100, self.version % 100);
                format!("{major}.{minor}.{patch}")
            }
            _ => format!("{}.{}", self.version / 10_000, self.version % 10_000),
        };
        let origin = if self.own.is_some() {
            "started for this run and removed after it"
        } else {
            "the one at that address"
        };
        format!("The server was PostgreSQL {version}, {origin}.")
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        // A server of our own goes away with all that is in it.
        if self.own.is_none()
            && self.has_schema
            && let Ok(mut control) = self.connection(None)
        {
            // Nobody is left to be told: `docs/lab` says what the schema is called.
            let _ = control.rows(&format!("drop schema if exists {} cascade", self.schema));
        }
    }
}

/// How the schema of a lab of this process begins.
pub fn schema_head() -> String {
    format!("isotherm_lab_{}_", std::process::id())
}

/// Asks for schemas of labs that run at the same time, or were killed.
fn other_schemas(own: &str) -> String {
    format!(
        "select nspname from pg_namespace where nspname like 'isotherm\\_lab\\_%' and nspname <> {} \
         order by nspname",
        quoted(own)
    )
}

const IN_MEMORY: &str = "The server's files were kept in memory (tmpfs), where a sync costs nothing: \
    set TMPDIR to a directory on a disk.";
const IN_MEMORY_THERE: &str = "The files of that server are kept in memory (tmpfs), where a sync costs nothing \
    and nothing is read from a disk.";
