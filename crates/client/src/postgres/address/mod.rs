//! Where a server is and how to log on: what is written after `postgres://`, and where that says
//! nothing, what libpq takes instead: the environment, the password file, the usual places.

mod error;
mod passfile;
mod required;
mod surroundings;
mod tls_mode;
mod uri;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use error::AddressError;
pub use required::{AuthMethod, RequiredAuth};
pub use surroundings::Surroundings;
pub use tls_mode::TlsMode;

use uri::Written;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A unix socket.
    Socket(PathBuf),
    /// A name or number, and a port.
    Host(String, u16),
}

/// Everything needed to log on.
#[derive(Clone, PartialEq, Eq)]
pub struct Logon {
    /// Where.
    pub place: Place,
    /// As whom.
    pub user: String,
    /// With what, if anything is known.
    pub password: Option<String>,
    /// Which database.
    pub database: String,
    /// Whether TLS is used.
    pub tls: TlsMode,
    /// Which ways of logging on are accepted.
    pub auth: RequiredAuth,
    /// A file of certificates to trust instead of the public authorities.
    pub authorities: Option<PathBuf>,
    /// What the server calls us.
    pub application: String,
    /// Settings as on a server's command line.
    pub options: Option<String>,
    /// The longest a connection may take to come about.
    pub timeout: Duration,
}

impl fmt::Debug for Logon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Logon({self})")
    }
}

/// Without the password.
impl fmt::Display for Logon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} as {} at {}", self.database, self.user, self.place)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Socket(path) => write!(f, "{}", path.display()),
            Place::Host(host, port) if host.contains(':') => write!(f, "[{host}]:{port}"),
            Place::Host(host, port) => write!(f, "{host}:{port}"),
        }
    }
}

/// Where servers put their sockets by default.
const SOCKET_DIRECTORIES: [&str; 2] = ["/var/run/postgresql", "/tmp"];
const TIMEOUT: Duration = Duration::from_secs(10);

impl Logon {
    /// Reads what is written after `postgres://` and asks `around` for the rest.
    pub fn read(text: &str, around: &dyn Surroundings) -> Result<Logon, AddressError> {
        let mut written = Written::read(text)?;
        written.fill(around);
        let port = written.port()?.unwrap_or(5432);
        let place = place(written.host.take(), port, around);
        let user = written.user.take().or_else(|| around.user());
        let user = user.unwrap_or_else(|| "postgres".to_owned());
        let database = written.database.take().unwrap_or_else(|| user.clone());
        let mut logon = Logon {
            place,
            user,
            password: written.password.take(),
            database,
            tls: written.tls()?,
            auth: written.auth()?,
            authorities: written.authorities.take().map(PathBuf::from),
            timeout: written.timeout()?.unwrap_or(TIMEOUT),
            application: written.application.take().unwrap_or_else(|| "isotherm".to_owned()),
            options: written.options.take(),
        };
        if logon.password.is_none() {
            logon.password = kept(&logon, port, written.passfile.as_deref(), around);
        }
        Ok(logon)
    }
}

/// A directory is one of sockets; nothing is the first usual one with a socket, else this machine.
fn place(host: Option<String>, port: u16, around: &dyn Surroundings) -> Place {
    let socket = |folder: &str| Path::new(folder).join(format!(".s.PGSQL.{port}"));
    match host {
        Some(host) if host.starts_with('/') => Place::Socket(socket(&host)),
        Some(host) => Place::Host(host, port),
        None => {
            let mut usual = SOCKET_DIRECTORIES.into_iter().map(socket);
            let there = usual.find(|path| around.socket(path));
            there.map_or_else(|| Place::Host("localhost".to_owned(), port), Place::Socket)
        }
    }
}

/// The password kept in the password file.
fn kept(logon: &Logon, port: u16, file: Option<&str>, around: &dyn Surroundings) -> Option<String> {
    let path = match file {
        Some(path) => PathBuf::from(path),
        None => Path::new(&around.variable("HOME")?).join(".pgpass"),
    };
    let text = around.passfile(&path)?;
    let hosts = match &logon.place {
        Place::Socket(path) => {
            vec!["localhost".to_owned(), path.parent().unwrap_or(path).display().to_string()]
        }
        Place::Host(host, _) => vec![host.clone()],
    };
    let port = port.to_string();
    hosts
        .iter()
        .find_map(|host| passfile::password(&text, &[host, &port, &logon.database, &logon.user]))
}

/// The machine this runs on.
#[derive(Copy, Clone, Debug)]
pub struct Machine;

impl Surroundings for Machine {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    fn user(&self) -> Option<String> {
        let id = rustix::process::geteuid().as_raw().to_string();
        let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let account = accounts.lines().find_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?;
            (fields.nth(1)? == id).then(|| name.to_owned())
        });
        account.or_else(|| self.variable("USER"))
    }

    fn passfile(&self, path: &Path) -> Option<String> {
        use std::os::unix::fs::MetadataExt;
        let about = std::fs::metadata(path).ok()?;
        // Nothing for the group and others.
        let private = about.is_file() && about.mode().trailing_zeros() >= 6;
        private.then(|| std::fs::read_to_string(path).ok())?
    }

    fn socket(&self, path: &Path) -> bool {
        path.exists()
    }
}

/// No machine at all: nothing is known but what is written.
#[derive(Copy, Clone, Debug)]
pub struct Nowhere;

impl Surroundings for Nowhere {
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn user(&self) -> Option<String> {
        None
    }

    fn passfile(&self, _path: &Path) -> Option<String> {
        None
    }

    fn socket(&self, _path: &Path) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
