//! What a decoder is.

use std::io::BufRead;

use crate::context::Context;
use crate::error::DecodeError;
use crate::meta::Meta;
use crate::sink::Sink;

/// How sure a source is that an input is its own.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Not mine.
    No,
    /// It could be mine, but also plain text of another kind.
    Unsure,
    /// Mine: it carries a mark no other format has.
    Yes,
}

/// Something that says how long things took.
pub trait Source: Sync {
    /// What the source is, needs and costs.
    fn meta(&self) -> &'static Meta;

    /// Whether an input that begins with `head` (at most 64 KiB) is of this source.
    fn sniff(&self, head: &[u8]) -> Verdict;

    /// Whether it looks at the attributes of each event, so that conditions (`--where`) choose among
    /// its events. Of any other source series are chosen.
    fn looks_at_attributes(&self) -> bool {
        false
    }

    /// Reads the whole input and tells the sink every reading, note and rejection, in order.
    /// Noise is counted, never fatal; an error means that reading could not go on.
    fn decode(
        &self,
        input: &mut dyn BufRead,
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError>;
}

/// Fails where conditions are given that `source` would not look at: all its events would be counted
/// as if they met them.
pub(crate) fn refuse_conditions(source: &dyn Source, context: &Context) -> Result<(), DecodeError> {
    if context.only.is_empty() || source.looks_at_attributes() {
        return Ok(());
    }
    let name = source.meta().name;
    Err(DecodeError::Nothing(no_conditions(name)))
}

/// Why conditions are refused, and what to use.
pub(crate) fn no_conditions(name: &str) -> String {
    format!("--where does not choose among the events of {name}: choose series with --series TEXT")
}
