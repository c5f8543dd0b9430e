//! Why something that was typed is not what is wanted.

use thiserror::Error;

/// Why a text is not what it should be: what was typed, where it breaks, two examples that work.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{typed}' is not {wanted}: {why}; write for example {} or {}", examples[0], examples[1])]
pub struct TypedError {
    typed: String,
    wanted: &'static str,
    why: String,
    examples: [&'static str; 2],
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
        TypedError { typed: typed.to_owned(), wanted, why: why.into(), examples }
    }

    /// Where it breaks and what to write, for who says by itself what was typed.
    pub fn reason(&self) -> String {
        format!("{}; write for example {} or {}", self.why, self.examples[0], self.examples[1])
    }

    /// What is wrong without examples, for who has better ones.
    pub(super) fn fault(&self) -> String {
        format!("'{}' is not {}: {}", self.typed, self.wanted, self.why)
    }
}
