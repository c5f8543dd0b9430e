//! The mark of what isotherm made in a database: a comment on a table or schema.

use std::fmt;

/// How the comment begins. Nothing without it is ever changed or dropped.
pub const MARK: &str = "isotherm load data";

/// What the comment on what we made says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Rows there are when it is ready.
    pub rows: u64,
    /// Whether all of them are there, indexed and verified.
    pub ready: bool,
}

impl Mark {
    /// Reads a comment; `None` if it is not one of ours.
    pub fn read(comment: &str) -> Option<Mark> {
        let rest = comment.strip_prefix(MARK)?.strip_prefix(": ")?;
        let (rows, state) = rest.split_once(" rows, ")?;
        let ready = match state {
            "ready" => true,
            "loading" => false,
            _ => return None,
        };
        Some(Mark { rows: rows.parse().ok()?, ready })
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.ready { "ready" } else { "loading" };
        write!(f, "{MARK}: {} rows, {state}", self.rows)
    }
}
