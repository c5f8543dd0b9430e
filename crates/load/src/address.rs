//! What can be put under load.

use std::path::PathBuf;

use isotherm_oracle::client::Logon;
use thiserror::Error;

/// What is put under load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A file or a block device: `file:PATH`, or a path.
    File(PathBuf),
    /// A `PostgreSQL` server: the text after `postgres://` or `postgresql://`, read by the engine.
    Postgres(String),
    /// An Oracle database, resolved from an `oracle://` address by the caller.
    Oracle(Logon),
    /// A Redis server: the text after `redis://`, read by the engine.
    Redis(String),
    /// A system whose queueing is known, simulated in real time: the text after `sim:`.
    Simulated(String),
}

/// Why a text is not something to put under load.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// The scheme is not known.
    #[error(
        "'{0}' cannot be put under load: give file:PATH, postgres://..., oracle://... or redis://..."
    )]
    Unknown(String),
    /// It has the form of an address, and not quite of one that is known.
    #[error("'{text}' {looks}: write {meant}; a file of that name is written file:{text}")]
    NotQuite {
        /// What was written.
        text: String,
        /// What it looks like.
        looks: &'static str,
        /// What was probably meant.
        meant: String,
    },
    /// `oracle://` is resolved by the caller, who knows of wallets and passwords.
    #[error("an oracle:// address is resolved by the caller")]
    Oracle,
}

impl Address {
    /// Reads an address other than `oracle://`.
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        if text.starts_with("oracle://") {
            return Err(AddressError::Oracle);
        }
        for scheme in ["postgres://", "postgresql://"] {
            if let Some(rest) = text.strip_prefix(scheme) {
                return Ok(Address::Postgres(rest.to_owned()));
            }
        }
        if let Some(rest) = text.strip_prefix("redis://") {
            return Ok(Address::Redis(rest.to_owned()));
        }
        if let Some(rest) = text.strip_prefix("sim:") {
            return Ok(Address::Simulated(rest.to_owned()));
        }
        if let Some(path) = text.strip_prefix("file:").filter(|path| !path.is_empty()) {
            return Ok(Address::File(PathBuf::from(path)));
        }
        if text.is_empty() || text.contains("://") {
            return Err(AddressError::Unknown(text.to_owned()));
        }
        match meant(text) {
            Some((looks, meant)) => {
                Err(AddressError::NotQuite { text: text.to_owned(), looks, meant })
            }
            None => Ok(Address::File(PathBuf::from(text))),
        }
    }
}

/// What a text that looks like an address looks like, and which address is probably meant.
fn meant(text: &str) -> Option<(&'static str, String)> {
    if text == "-" {
        let looks = "is standard input, which cannot be loaded";
        return Some((looks, "the name of a file".to_owned()));
    }
    if text.starts_with('(') {
        let looks = "looks like a connect descriptor";
        return Some((looks, "oracle://USER@(DESCRIPTION=...)".to_owned()));
    }
    if let Some(meant) = from_settings(text) {
        return Some(("looks like the connection string of a PostgreSQL client", meant));
    }
    let (scheme, rest) = text.split_once(':')?;
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '+' || c == '-';
    if !scheme.starts_with(|c: char| c.is_ascii_lowercase()) || !scheme.chars().all(letters) {
        return None;
    }
    let path = rest.trim_end_matches('/');
    let rest = rest.trim_start_matches('/');
    Some(match scheme {
        "postgres" | "postgresql" | "pg" | "psql" => {
            let slashes = if rest.contains(['/', '@', ':']) { "//" } else { "///" };
            ("looks like a PostgreSQL database", format!("postgres:{slashes}{rest}"))
        }
        "redis" | "rediss" => ("looks like a Redis server", format!("redis://{rest}")),
        "oracle" | "oracle+tcps" | "sqlplus" | "awr" => {
            ("looks like an Oracle database", "oracle://USER@HOST:PORT/SERVICE".to_owned())
        }
        "disk" if !rest.is_empty() => ("can be watched, not loaded", format!("/dev/{rest}")),
        "probe" if !rest.is_empty() => {
            ("can be watched, not loaded", format!("file:{path}/isotherm.dat"))
        }
        _ => (
            "looks like an address of a kind that cannot be loaded",
            "postgres://..., oracle://..., redis://... or the name of a file".to_owned(),
        ),
    })
}

/// The address that stands for `host=db1 dbname=test`, without the password.
fn from_settings(text: &str) -> Option<String> {
    const KNOWN: [&str; 7] = ["host", "hostaddr", "port", "user", "dbname", "password", "service"];
    let setting = |word: &str| {
        let (name, value) = word.split_once('=')?;
        let known = KNOWN.into_iter().find(|known| *known == name)?;
        Some((known, value.trim_matches('\'').to_owned()))
    };
    let settings: Vec<_> = text.split_whitespace().map_while(setting).collect();
    if settings.is_empty() {
        return None;
    }
    let value = |names: &[&str], otherwise: &str| {
        let found = settings.iter().find(|(name, _)| names.contains(name));
        found.map_or_else(|| otherwise.to_owned(), |(_, value)| value.clone())
    };
    let port = value(&["port"], "");
    let port = if port.is_empty() { port } else { format!(":{port}") };
    let (user, host) = (value(&["user"], "USER"), value(&["host", "hostaddr"], "HOST"));
    Some(format!("postgres://{user}@{host}{port}/{}", value(&["dbname"], "DATABASE")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearly_an_address_is_no_file() {
        for (text, meant) in [
            ("postgres:mydb", "postgres:///mydb"),
            ("postgres:me@db1/x", "postgres://me@db1/x"),
            ("pg:mydb", "postgres:///mydb"),
            ("redis:foo", "redis://foo"),
            ("oracle:x", "oracle://USER@HOST:PORT/SERVICE"),
            ("sqlplus:/", "oracle://USER@HOST:PORT/SERVICE"),
            ("(DESCRIPTION=(ADDRESS=x))", "oracle://USER@(DESCRIPTION=...)"),
            ("host=db1 port=5433 user=me dbname=x", "postgres://me@db1:5433/x"),
            ("dbname=x", "postgres://USER@HOST/x"),
            ("-", "the name of a file"),
            ("disk:vda", "/dev/vda"),
            ("probe:/data", "file:/data/isotherm.dat"),
            ("zebra:x", "postgres://..., oracle://..., redis://... or the name"),
            ("file:", "postgres://..., oracle://..., redis://... or the name"),
        ] {
            let told = Address::parse(text).expect_err(text).to_string();
            assert!(told.contains(&format!("write {meant}")), "{text}: {told}");
        }
    }

    #[test]
    fn a_file_may_have_any_name_where_that_is_said() {
        for (text, path) in [
            ("x.dat", "x.dat"),
            ("./a:b", "./a:b"),
            ("/dev/disk/by-id/nvme-eui.00:1", "/dev/disk/by-id/nvme-eui.00:1"),
            ("2026-11-22T10:00.dat", "2026-11-22T10:00.dat"),
            ("size=4k.dat", "size=4k.dat"),
            ("file:postgres:mydb", "postgres:mydb"),
            ("file:-", "-"),
        ] {
            assert_eq!(Address::parse(text), Ok(Address::File(path.into())), "{text}");
        }
    }
}
