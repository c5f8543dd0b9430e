//! How many values of an answer in the protocol of Redis are still to come.

use super::token::is_number;
use crate::Line;

/// Counts the values of an answer. What is printed in another form has none.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    /// The values that are missing in each list, outermost first.
    missing: Vec<u64>,
    /// The length of the text on the next line.
    text: Option<usize>,
}

impl Nesting {
    /// Deeper lists are not an answer.
    const DEEPEST: usize = 16;

    /// Takes the next line.
    pub(super) fn line(&mut self, line: Line<'_>) {
        if let Some(length) = self.text {
            if line.bytes.len() == length {
                self.text = None;
                self.value();
            } else if line.ended {
                // A text of several lines, or no protocol after all.
                *self = Nesting::default();
            }
            return;
        }
        let (kind, number) = match line.bytes.split_first() {
            Some((kind, digits)) if is_number(digits) => (*kind, number(digits)),
            _ => (b' ', None),
        };
        match (kind, number) {
            (b'*', Some(values)) => self.list(values),
            (b'%', Some(pairs)) => self.list(pairs.saturating_mul(2)),
            // The beginning of a value says nothing of its kind.
            _ if self.missing.is_empty() || !line.ended => {}
            (b'$', Some(length)) => self.text = usize::try_from(length).ok(),
            (b':', Some(_)) => self.value(),
            _ => *self = Nesting::default(),
        }
    }

    /// Whether values are missing; the next line begins another answer.
    pub(super) fn take_missing(&mut self) -> bool {
        !std::mem::take(self).missing.is_empty()
    }

    fn list(&mut self, values: u64) {
        match values {
            0 => self.value(),
            _ if self.missing.len() < Nesting::DEEPEST => self.missing.push(values),
            _ => *self = Nesting::default(),
        }
    }

    /// A value is complete, and with the last one of a list the list.
    fn value(&mut self) {
        while let Some(missing) = self.missing.pop() {
            if missing > 1 {
                self.missing.push(missing - 1);
                break;
            }
        }
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Place;

    use super::*;

    fn is_cut(text: &str) -> bool {
        let mut nesting = Nesting::default();
        for line in text.split_inclusive('\n') {
            let bytes = line.trim_end_matches(['\n', '\r']).as_bytes();
            nesting.line(Line { place: Place::default(), bytes, cut: false, ended: line.ends_with('\n') });
        }
        nesting.take_missing()
    }

    #[test]
    fn only_a_whole_answer_has_all_its_values() {
        let answer = "*4\r\n$3\r\nset\r\n*4\r\n$5\r\ncalls\r\n:9\r\n$1\r\nh\r\n*2\r\n:4\r\n:12\r\n$1\r\nx\r\n*0\r\n";
        let whole = answer.trim_end();
        for end in 3..answer.len() {
            assert_eq!(is_cut(&answer[..end]), end < whole.len(), "{:?}", &answer[..end]);
        }
        assert!(!is_cut(answer));
        let map = "%1\r\n$3\r\nset\r\n%1\r\n$5\r\ncalls\r\n:9\r\n";
        assert!(!is_cut(map) && is_cut(&map[..map.len() - 4]));
    }

    #[test]
    fn another_form_has_no_number_of_values() {
        for text in ["1) \"set\"\n2) 1) \"calls\"\n", "set\ncalls\n9\n", "*2\nset\ncalls\n", "*1\n$3\nto\nx\n"] {
            assert!(!is_cut(text), "{text:?}");
        }
    }
}
