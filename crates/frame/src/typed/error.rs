//! Why something that was typed is not what is wanted.

use std::error::Error;
use std::fmt;

/// Why a text is not what it should be: what was typed, where it breaks, two examples that work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedError {
    typed: String,
    fault: Fault,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fault {
    /// It is not what is wanted.
    Unlike { wanted: &'static str, why: String, examples: [&'static str; 2] },
    /// It ends with a number that needs one of these units.
    NoUnit { units: [&'static str; 2] },
}

/// What is wanted of a text: its name and two examples.
#[derive(Copy, Clone, Debug)]
pub(super) struct Expected {
    pub(super) name: &'static str,
    pub(super) examples: [&'static str; 2],
}

impl Expected {
    /// The error for this text.
    pub(super) fn refuse(self, typed: &str, why: impl Into<String>) -> TypedError {
        TypedError::new(typed, self.name, why, self.examples)
    }
}

impl TypedError {
    /// `typed` is not `wanted` (with its article: `a length of time`), because of `why`.
    pub fn new(
        typed: &str,
        wanted: &'static str,
        why: impl Into<String>,
        examples: [&'static str; 2],
    ) -> TypedError {
        let fault = Fault::Unlike { wanted, why: why.into(), examples };
        TypedError { typed: typed.to_owned(), fault }
    }

    /// `typed` ends with a number that has no unit.
    pub(super) fn without_unit(typed: &str) -> TypedError {
        let fault = Fault::NoUnit { units: ["ms", "s"] };
        TypedError { typed: typed.trim().to_owned(), fault }
    }

    /// The same with these units as examples, if a unit is all that it lacks.
    #[must_use]
    pub fn with_units(self, units: [&'static str; 2]) -> TypedError {
        match self.fault {
            Fault::NoUnit { .. } => TypedError { fault: Fault::NoUnit { units }, ..self },
            Fault::Unlike { .. } => self,
        }
    }

    /// Where it breaks and what to write, for who says by itself what was typed.
    pub fn reason(&self) -> String {
        match &self.fault {
            Fault::Unlike { why, examples: [one, other], .. } => {
                format!("{why}; write for example {one} or {other}")
            }
            Fault::NoUnit { units: [one, other] } => {
                let typed = &self.typed;
                format!("add a unit, such as {typed}{one} or {typed}{other}")
            }
        }
    }

    /// The error that a longer text is not `wanted` because this part of it is wrong.
    pub(super) fn within(self, typed: &str, wanted: Expected) -> TypedError {
        let part = self.typed.trim();
        match self.fault {
            Fault::Unlike { .. } if part.is_empty() => {
                wanted.refuse(typed, "a part of it is missing")
            }
            Fault::Unlike { why, .. } => match why.strip_prefix("it ") {
                Some(why) => wanted.refuse(typed, format!("'{part}' {why}")),
                None => wanted.refuse(typed, why),
            },
            Fault::NoUnit { .. } if typed.ends_with(part) => TypedError::without_unit(typed),
            Fault::NoUnit { .. } => wanted.refuse(typed, format!("'{part}' has no unit")),
        }
    }
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (typed, reason) = (&self.typed, self.reason());
        match self.fault {
            Fault::Unlike { wanted, .. } => write!(f, "'{typed}' is not {wanted}: {reason}"),
            Fault::NoUnit { .. } => write!(f, "{typed}: {reason}"),
        }
    }
}

impl Error for TypedError {}
