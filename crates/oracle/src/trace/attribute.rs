//! What tells waits apart.

use std::io::Write as _;

use super::session::{CONTAINER, Session};
use super::{Cursor, Wait};

/// An attribute of a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// As the user calls it.
    pub name: String,
    /// Whether waits may have it whatever their event: it is no parameter of a name of its own.
    pub common: bool,
    kind: Kind,
}

/// The attributes that waits may have whatever their event.
pub const COMMON_ATTRIBUTES: [&str; 18] = [
    "event",
    "sql",
    "depth",
    "cursor",
    "module",
    "action",
    "client",
    "driver",
    "service",
    "session",
    "container",
    "process",
    "p1",
    "p2",
    "p3",
    "file",
    "block",
    "object",
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Event,
    SqlId,
    Depth,
    Cursor,
    /// What a label said last.
    Label(&'static [u8]),
    Container,
    Process,
    /// The first, second or third parameter, whatever its name.
    Position(usize),
    /// A parameter of one of these names.
    Parameter(Vec<Vec<u8>>),
}

impl Attribute {
    /// The attribute that a user calls so.
    pub fn named(name: &str) -> Attribute {
        let parameter = |names: &[&str]| {
            Kind::Parameter(names.iter().map(|name| name.as_bytes().to_vec()).collect())
        };
        let kind = match name.to_lowercase().as_str() {
            "event" | "wait" | "nam" => Kind::Event,
            "sql" | "sql_id" | "sqlid" | "hv" => Kind::SqlId,
            "depth" | "dep" => Kind::Depth,
            "cursor" => Kind::Cursor,
            "module" => Kind::Label(b"MODULE NAME"),
            "action" => Kind::Label(b"ACTION NAME"),
            "client" | "client_id" => Kind::Label(b"CLIENT ID"),
            "driver" => Kind::Label(b"CLIENT DRIVER"),
            "service" => Kind::Label(b"SERVICE NAME"),
            "session" | "sid" => Kind::Label(b"SESSION ID"),
            "container" | "pdb" | "con" => Kind::Container,
            "con_id" => Kind::Label(CONTAINER),
            "process" | "pid" => Kind::Process,
            "p1" => Kind::Position(1),
            "p2" => Kind::Position(2),
            "p3" => Kind::Position(3),
            "file" | "file#" => parameter(&["file#", "file number"]),
            "block" | "block#" => parameter(&["block#", "first dba"]),
            "class" | "class#" => parameter(&["class#"]),
            "blocks" => parameter(&["blocks", "block cnt"]),
            "object" | "obj" | "obj#" => parameter(&["obj#"]),
            _ => {
                return Attribute {
                    name: name.to_owned(),
                    common: false,
                    kind: parameter(&[name]),
                };
            }
        };
        Attribute { name: name.to_owned(), common: true, kind }
    }

    /// Whether the attribute is the event itself.
    pub fn is_event(&self) -> bool {
        self.kind == Kind::Event
    }

    /// Whether it is the statement.
    pub fn is_sql(&self) -> bool {
        self.kind == Kind::SqlId
    }

    /// Whether a wait has it by itself. What a label, a statement or a header says stands before the wait.
    pub fn is_of_wait(&self) -> bool {
        match self.kind {
            Kind::Event | Kind::Cursor | Kind::Position(_) | Kind::Parameter(_) => true,
            Kind::SqlId | Kind::Depth | Kind::Label(_) | Kind::Container | Kind::Process => false,
        }
    }

    /// Whether it is the depth of recursion.
    pub fn is_depth(&self) -> bool {
        self.kind == Kind::Depth
    }

    /// Appends the attribute's value for a wait; `false` if the wait has none.
    pub fn append(&self, wait: &Wait<'_>, session: &Session, value: &mut Vec<u8>) -> bool {
        let statement = || session.statement(wait.cursor);
        let found = match &self.kind {
            Kind::Event => Some(wait.event),
            Kind::SqlId => statement().map(|statement| &*statement.id),
            Kind::Depth => {
                return statement().is_some_and(|at| write!(value, "{}", at.depth).is_ok());
            }
            Kind::Cursor => return write!(value, "{}", wait.cursor).is_ok(),
            Kind::Label(label) => session.label(label),
            Kind::Container => session.container(),
            Kind::Process => Some(session.process()),
            Kind::Position(number) => wait.position(*number),
            Kind::Parameter(names) => names.iter().find_map(|name| wait.parameter(name)),
        };
        appended(found, value)
    }

    /// Appends the attribute's value for a database call; `false` if calls have none.
    pub fn append_of_call(&self, cursor: Cursor, session: &Session, value: &mut Vec<u8>) -> bool {
        let found = match &self.kind {
            Kind::Cursor => return write!(value, "{cursor}").is_ok(),
            Kind::Label(label) => session.label(label),
            Kind::Container => session.container(),
            Kind::Process => Some(session.process()),
            _ => None,
        };
        appended(found, value)
    }
}

/// Appends a value that is not empty.
fn appended(found: Option<&[u8]>, value: &mut Vec<u8>) -> bool {
    let Some(found) = found.filter(|found| !found.is_empty()) else { return false };
    value.extend_from_slice(found);
    true
}
