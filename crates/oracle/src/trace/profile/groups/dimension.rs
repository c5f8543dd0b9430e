//! What tells waits and calls apart.

use isotherm_frame::wildcard::Patterns;

use super::Condition;
use crate::trace::Attribute;

/// An attribute that groups have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    /// What was waited for.
    Event,
    /// The statement.
    Sql,
    /// The call that the wait is part of.
    Call,
    /// How deep that call is.
    Depth,
    /// What the record or the lines before it say.
    Of(Attribute),
}

impl Dimension {
    /// The attribute that a user calls so.
    pub fn named(name: &str) -> Dimension {
        let attribute = Attribute::named(name);
        match name.to_lowercase().as_str() {
            _ if attribute.is_event() => Dimension::Event,
            _ if attribute.is_sql() => Dimension::Sql,
            _ if attribute.is_depth() => Dimension::Depth,
            "call" => Dimension::Call,
            _ => Dimension::Of(attribute),
        }
    }

    /// Whether it is a parameter that only waits for some events have.
    pub fn is_rare(&self) -> bool {
        matches!(self, Dimension::Of(attribute) if !attribute.common)
    }

    /// Whether it is known only when the call ends.
    pub fn is_late(&self) -> bool {
        matches!(self, Dimension::Sql | Dimension::Call | Dimension::Depth)
    }
}

/// Attributes with what they must and must not match.
pub(super) fn conditions(only: &[Condition]) -> Vec<(Dimension, Patterns)> {
    let mut made: Vec<(Dimension, Patterns)> = Vec::new();
    for condition in only {
        let dimension = Dimension::named(condition.attribute.trim());
        let at = made.iter().position(|(known, _)| *known == dimension).unwrap_or_else(|| {
            made.push((dimension, Patterns::default()));
            made.len() - 1
        });
        let patterns = &mut made[at].1;
        let into = if condition.other { &mut patterns.none } else { &mut patterns.any };
        into.push(condition.pattern.as_bytes().to_vec());
    }
    made
}
