//! Rows of the parts of an operation, which stands above them as a whole: the redirects and embedded files of a request.

use ahash::AHashMap;
use isotherm_frame::Timestamp;
use isotherm_frame::numbers::counted;

use crate::{Note, Sink};

/// The operation that was read last in a group.
struct Whole {
    name: Vec<u8>,
    begin: Timestamp,
    end: Timestamp,
}

/// Which rows are of parts.
#[derive(Default)]
pub(super) struct Parts {
    wholes: AHashMap<Vec<u8>, Whole>,
    left_out: u64,
    /// Rows that may be of parts, in inputs without groups.
    unsure: u64,
}

impl Parts {
    /// Groups that are remembered: threads of a load generator.
    const MOST: usize = 100_000;

    /// Whether a row is of a part of the operation before it in its group: it has its name with a number behind
    /// (`Home-0`, and `Home-0-1` of a part of a part), and lies within its time.
    pub(super) fn is_part(&mut self, name: &[u8], group: &[u8], (begin, end): (Timestamp, Timestamp)) -> bool {
        let is_part = self.is_within(name, group, (begin, end));
        self.left_out += u64::from(is_part);
        is_part
    }

    /// The same of a row whose group is not known: others may have run beside it, and it counts.
    pub(super) fn may_be_part(&mut self, name: &[u8], time: (Timestamp, Timestamp)) {
        self.unsure += u64::from(self.is_within(name, b"", time));
    }

    fn is_within(&mut self, name: &[u8], group: &[u8], (begin, end): (Timestamp, Timestamp)) -> bool {
        if let Some(whole) = self.wholes.get_mut(group) {
            let is_within = whole.begin <= begin && end <= whole.end;
            if is_within && is_numbered(name, &whole.name) {
                return true;
            }
            (whole.begin, whole.end) = (begin, end);
            whole.name.clear();
            whole.name.extend_from_slice(name);
        } else if self.wholes.len() < Parts::MOST {
            self.wholes.insert(group.to_vec(), Whole { name: name.to_vec(), begin, end });
        }
        false
    }

    /// Says how many there were.
    pub(super) fn finish(&self, sink: &mut dyn Sink) {
        if self.left_out > 0 {
            let rows = if self.left_out == 1 { "row is" } else { "rows are" };
            let said = format!(
                "{} {rows} of parts of the request above (its name with a number behind): the request is counted, its parts \
                 are not",
                self.left_out
            );
            sink.note(Note::Said(said.into()));
        }
        if self.unsure > 0 {
            let rows = counted(self.unsure, "row");
            let said = format!(
                "{rows} may be of parts of the request above (its name with a number behind) and are counted, as no column \
                 names the threads"
            );
            sink.note(Note::Said(said.into()));
        }
    }
}

/// Whether a name is another one with hyphens and numbers behind.
fn is_numbered(name: &[u8], whole: &[u8]) -> bool {
    let Some(rest) = name.strip_prefix(whole) else { return false };
    let mut numbers = rest.split(|byte| *byte == b'-');
    let begins = numbers.next().is_some_and(<[u8]>::is_empty);
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    begins && !rest.is_empty() && numbers.all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_numbers_behind_the_name() {
        for (name, expected) in [
            ("Home-0", true),
            ("Home-10", true),
            ("Home-0-1", true),
            ("Home", false),
            ("Home-", false),
            ("Home-a", false),
            ("Homepage-0", false),
            ("Cart-0", false),
        ] {
            assert_eq!(is_numbered(name.as_bytes(), b"Home"), expected, "{name}");
        }
    }
}
