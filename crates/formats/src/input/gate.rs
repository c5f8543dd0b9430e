//! What is said of an input that a decoder takes and finds nothing in.

use super::plausible_sink::PlausibleSink;
use super::unrecognised::printable;
use crate::recognise::judge;
use crate::{DecodeError, SOURCES, Source};

/// Looks at what came of an input once it is read. Nothing, and nothing said about why, is an error:
/// the user must not take silence for an idle system.
pub(crate) struct Gate {
    source: &'static dyn Source,
    /// Whether the user named the decoder.
    named: bool,
    /// The decoder that would be chosen by content, if it is another one.
    other: Option<&'static str>,
    /// The first line of the input.
    first: String,
}

impl Gate {
    /// `head` is how the input begins.
    pub(crate) fn new(source: &'static dyn Source, head: &[u8], named: bool) -> Gate {
        let name = source.meta().name;
        let best = named.then(|| judge(SOURCES, head)).flatten();
        let other = best.map(|(_, source)| source.meta().name).filter(|best| *best != name);
        let mut lines = head.split(|byte| *byte == b'\n');
        let first = lines.find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
        Gate { source, named, other, first: printable(first.trim_ascii(), 60) }
    }

    /// An error where nothing came of the input.
    pub(crate) fn check(&self, outcome: &PlausibleSink<'_>) -> Result<(), DecodeError> {
        if let Some(first) = outcome.only_impossible() {
            return Err(DecodeError::Nothing(format!("nothing in it can be used: {first}")));
        }
        if outcome.has_given() {
            return Ok(());
        }
        let meta = self.source.meta();
        let next = match (self.named, self.other) {
            (true, Some(other)) => format!("it looks like {other}: leave out --as {}", meta.name),
            (true, None) => format!("without --as {}, the format is recognised", meta.name),
            (false, _) => format!("isotherm sources {} shows an example", meta.name),
        };
        Err(DecodeError::Nothing(format!(
            "nothing of {} is in it, which begins '{}'; {next}. {} reads: {}",
            meta.name, self.first, meta.name, meta.about
        )))
    }
}
