//! Finding the decoder of an input by its content.

use crate::{HEAD, SOURCES, Source, Verdict};

/// Whose an input is.
pub enum Recognition {
    /// Exactly one decoder claims it.
    Known(&'static dyn Source),
    /// The input is empty.
    Empty,
    /// No decoder claims it.
    Unknown,
}

/// Asks every decoder whether `head` is its own. A `Yes` beats an `Unsure`; among equals the
/// first one listed wins.
pub fn recognise(head: &[u8]) -> Recognition {
    if head.iter().all(u8::is_ascii_whitespace) {
        return Recognition::Empty;
    }
    match judge(SOURCES, head) {
        Some((_, source)) => Recognition::Known(source),
        None => Recognition::Unknown,
    }
}

/// The most certain claim to `head`, if any of `sources` makes one.
pub fn judge(
    sources: &[&'static dyn Source],
    head: &[u8],
) -> Option<(Verdict, &'static dyn Source)> {
    let head = &head[..head.len().min(HEAD)];
    let mut best = None;
    for source in sources {
        match source.sniff(head) {
            Verdict::Yes => return Some((Verdict::Yes, *source)),
            Verdict::Unsure if best.is_none() => best = Some((Verdict::Unsure, *source)),
            Verdict::Unsure | Verdict::No => {}
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufRead;

    use crate::{Context, DecodeError, Meta, Sink};

    /// A decoder that claims every input, and is otherwise like another one.
    struct Claims(&'static dyn Source, Verdict);

    impl Source for Claims {
        fn meta(&self) -> &'static Meta {
            self.0.meta()
        }

        fn sniff(&self, _: &[u8]) -> Verdict {
            self.1
        }

        fn decode(
            &self,
            input: &mut (dyn BufRead + Send),
            context: &Context,
            sink: &mut dyn Sink,
        ) -> Result<(), DecodeError> {
            self.0.decode(input, context, sink)
        }
    }

    #[test]
    fn of_equal_claims_the_first_one_listed_wins_and_certainty_beats_both() {
        let claims = |at: usize, verdict| -> &'static dyn Source {
            Box::leak(Box::new(Claims(SOURCES[at], verdict)))
        };
        let chosen = |sources: &[&'static dyn Source]| {
            judge(sources, b"x").map(|(_, source)| source.meta().name)
        };
        let name = |at: usize| Some(SOURCES[at].meta().name);
        let (one, other) = (claims(0, Verdict::Unsure), claims(1, Verdict::Unsure));
        assert_eq!((chosen(&[one, other]), chosen(&[other, one])), (name(0), name(1)));
        let sure = claims(2, Verdict::Yes);
        assert_eq!((chosen(&[one, sure, other]), chosen(&[sure, one])), (name(2), name(2)));
        assert_eq!(chosen(&[claims(0, Verdict::No)]), None);
    }
}
