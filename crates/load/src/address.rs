//! What can be put under load.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use isotherm_frame::typed::split_scheme;
use isotherm_oracle::client::Logon;
use thiserror::Error;

use crate::engines::{EngineKind, Target};
use crate::registry::{ENGINES, engine_of};
use crate::{file, oracle};

/// What is put under load: an address of one of the [`ENGINES`].
#[derive(Clone)]
pub struct Address {
    pub(crate) engine: &'static dyn EngineKind,
    /// What stands after the scheme.
    pub(crate) rest: String,
    target: Arc<dyn Target>,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({} {})", self.engine.name(), self.target())
    }
}

impl PartialEq for Address {
    fn eq(&self, other: &Address) -> bool {
        self.engine.name() == other.engine.name() && self.rest == other.rest
    }
}

impl Eq for Address {}

/// Why a text is not something to put under load.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// The scheme is not known.
    #[error("'{0}' cannot be put under load: give {examples}", examples = examples())]
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
    /// It has the form of an address, of a kind that is not loaded.
    #[error(
        "'{0}' looks like an address of a kind that cannot be loaded: write {examples} or the name of a \
         file; a file of that name is written file:{0}",
        examples = examples()
    )]
    NotLoaded(String),
    /// `oracle://` is resolved by the caller, who knows of wallets and passwords.
    #[error("an oracle:// address is resolved by the caller")]
    Oracle,
}

impl Address {
    /// Reads an address other than `oracle://`.
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        let engine = engine_of(text);
        let begun = engine.schemes().iter().find_map(|scheme| text.strip_prefix(scheme));
        if let Some(rest) = begun.filter(|rest| !(rest.is_empty() && engine.needs_rest())) {
            return Address::of(engine, rest).ok_or(AddressError::Oracle);
        }
        if text.is_empty() || text.contains("://") {
            return Err(AddressError::Unknown(text.to_owned()));
        }
        match meant(text) {
            Some((looks, meant)) => {
                Err(AddressError::NotQuite { text: text.to_owned(), looks, meant })
            }
            None if split_scheme(text).is_some() => Err(AddressError::NotLoaded(text.to_owned())),
            None => Ok(Address::file(text)),
        }
    }

    /// A file or a block device.
    pub fn file(path: impl AsRef<Path>) -> Address {
        let path = path.as_ref();
        let (rest, target) = (path.display().to_string(), file::target(path));
        Address { engine: &file::ENGINE, rest, target }
    }

    /// An Oracle database, resolved from its address by the caller.
    pub fn oracle(logon: Logon) -> Address {
        let rest = logon.target();
        Address { engine: &oracle::ENGINE, rest, target: oracle::target(logon) }
    }

    /// The address of a kind whose scheme is followed by `rest`.
    pub(crate) fn of(engine: &'static dyn EngineKind, rest: &str) -> Option<Address> {
        let target = engine.target(rest)?;
        Some(Address { engine, rest: rest.to_owned(), target })
    }

    /// The kind of system it leads to.
    pub fn engine(&self) -> &'static dyn EngineKind {
        self.engine
    }

    /// The file or device, if it is one.
    pub fn path(&self) -> Option<&Path> {
        self.target.path()
    }

    pub(crate) fn leads_to(&self) -> &dyn Target {
        self.target.as_ref()
    }
}

/// Examples of all that can be loaded.
pub fn examples() -> String {
    let examples: Vec<&str> = ENGINES.iter().map(|engine| engine.example()).collect();
    match examples.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => examples.concat(),
    }
}

/// What a text that looks like an address looks like, and which address is probably meant.
fn meant(text: &str) -> Option<(&'static str, String)> {
    if text == "-" {
        let looks = "is standard input, which cannot be loaded";
        return Some((looks, "the name of a file".to_owned()));
    }
    let (scheme, rest) = split_scheme(text).unwrap_or(("", text));
    ENGINES.iter().find_map(|engine| engine.mistyped(scheme, rest))
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
            (
                "zebra:x",
                "file:PATH, postgres://..., oracle://..., redis://... or sim:... or the name",
            ),
            (
                "file:",
                "file:PATH, postgres://..., oracle://..., redis://... or sim:... or the name",
            ),
        ] {
            let message = Address::parse(text).expect_err(text).to_string();
            assert!(message.contains(&format!("write {meant}")), "{text}: {message}");
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
            assert_eq!(Address::parse(text), Ok(Address::file(path)), "{text}");
        }
    }
}
