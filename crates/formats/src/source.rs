//! What a decoder is.

use std::io::BufRead;

use crate::context::Context;
use crate::error::DecodeError;
use crate::file_part::{FilePart, Reach, refusal};
use crate::meta::{Counting, Meta};
use crate::reading_option::ReadingOption;
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

    /// Whether the user chooses the attributes that tell its series apart (`--by`).
    fn tells_apart(&self) -> bool {
        self.looks_at_attributes()
    }

    /// Whether it gives rates and rounded means, of which counts and times are estimates.
    fn gives_rounded_means(&self) -> bool {
        false
    }

    /// Options that change nothing, whatever the input holds.
    fn ignores(&self) -> &'static [ReadingOption] {
        &[]
    }

    /// Reads the whole input and tells the sink every reading, note and rejection, in order.
    /// Noise is counted, never fatal; an error means that reading could not go on.
    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError>;

    /// Reads the records that begin in a part of a file, as reading the whole file would: their times,
    /// their series and what could not be read are the same. The next event after the part is told as
    /// [`Reading::Unselected`](isotherm_frame::Reading::Unselected), so that the time up to it is known.
    /// Says which ends of the file the part holds. An error if what a record says depends on more than
    /// can be found.
    fn decode_part(
        &self,
        _part: &FilePart<'_>,
        _context: &Context,
        _sink: &mut dyn Sink,
    ) -> Result<Reach, DecodeError> {
        let Meta { name, counting, .. } = self.meta();
        let why = match counting {
            Counting::Totals(_) => "each total is subtracted from the one before it",
            Counting::Events | Counting::Intervals(_) | Counting::Varies(_) => {
                "what a line means may depend on those before it"
            }
        };
        Err(refusal(&format!("it is of {name}, where {why}. Read the whole file")))
    }
}
