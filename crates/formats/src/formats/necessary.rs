//! What every text has that a pattern matches. To look for it takes a hundredth of the time that making the pattern
//! takes, and most patterns match no line of an input.

use memchr::memmem;

/// What a text must have to be matched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Necessary {
    /// What stands at its beginning.
    first: Option<First>,
    /// Its longest part without alternatives; empty if there is none.
    part: String,
}

/// The first character.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum First {
    Digit,
    Is(char),
}

/// One step of a pattern, as far as it matters.
enum Element {
    Literal(char),
    /// One character of several, or one at least.
    Digit,
    /// Anything else.
    Other,
}

impl Necessary {
    /// Of a pattern, of which nothing is certain where it has alternatives or flags.
    pub(super) fn of(pattern: &str) -> Necessary {
        Necessary::read(pattern).unwrap_or_default()
    }

    /// Whether lines that are matched may be in a text.
    pub(super) fn may_be_in(&self, text: &[u8]) -> bool {
        memmem::find(text, self.part.as_bytes()).is_some()
    }

    /// Whether a line may be matched.
    pub(super) fn may_match(&self, line: &[u8]) -> bool {
        self.may_begin(line) && self.may_be_in(line)
    }

    /// Whether a line begins as one that is matched.
    pub(super) fn may_begin(&self, line: &[u8]) -> bool {
        match self.first {
            Some(First::Digit) => line.first().is_some_and(u8::is_ascii_digit),
            Some(First::Is(first)) => line.starts_with(first.encode_utf8(&mut [0; 4]).as_bytes()),
            None => true,
        }
    }

    fn read(pattern: &str) -> Option<Necessary> {
        let (anchored, mut rest) = match pattern.strip_prefix('^') {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let mut necessary = Necessary::default();
        let (mut run, mut is_first) = (String::new(), anchored);
        while !rest.is_empty() {
            let element;
            (element, rest) = next(rest)?;
            let behind;
            (behind, rest) = repeated(rest);
            if is_first && behind.is_there {
                necessary.first = match element {
                    Element::Literal(one) => Some(First::Is(one)),
                    Element::Digit => Some(First::Digit),
                    Element::Other => None,
                };
            }
            is_first = false;
            if let (Element::Literal(one), true) = (&element, behind.is_there) {
                run.push(*one);
                if !behind.is_once {
                    longest(&mut necessary.part, &mut run);
                }
            } else {
                longest(&mut necessary.part, &mut run);
            }
        }
        longest(&mut necessary.part, &mut run);
        Some(necessary)
    }
}

/// Keeps the longer of the two, and begins anew.
fn longest(part: &mut String, run: &mut String) {
    if run.len() > part.len() {
        std::mem::swap(part, run);
    }
    run.clear();
}

/// The first element, and what follows it; none of what is not understood.
fn next(pattern: &str) -> Option<(Element, &str)> {
    let mut chars = pattern.chars();
    let first = chars.next()?;
    let rest = chars.as_str();
    match first {
        '|' => None,
        '.' | '^' | '$' => Some((Element::Other, rest)),
        '[' => Some((Element::Other, behind_class(rest)?)),
        '(' => Some((Element::Other, behind_group(rest)?)),
        '\\' => {
            let element = match chars.next()? {
                'd' => Element::Digit,
                // The last two are the beginning and the end of a word, not signs.
                'D' | 'w' | 'W' | 's' | 'S' | 'b' | 'B' | '<' | '>' => Element::Other,
                't' => Element::Literal('\t'),
                sign if sign.is_ascii_punctuation() => Element::Literal(sign),
                _ => return None,
            };
            Some((element, chars.as_str()))
        }
        other => Some((Element::Literal(other), rest)),
    }
}

/// What follows a class of characters whose bracket is open.
fn behind_class(mut rest: &str) -> Option<&str> {
    // A bracket that comes first is one of the characters.
    rest = rest.strip_prefix('^').unwrap_or(rest);
    rest = rest.strip_prefix(']').unwrap_or(rest);
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '\\' => drop(chars.next()?),
            '[' => return None,
            ']' => return Some(chars.as_str()),
            _ => {}
        }
    }
}

/// What follows a group whose parenthesis is open.
fn behind_group(rest: &str) -> Option<&str> {
    let is_plain = !rest.starts_with('?') || rest.starts_with("?:") || rest.starts_with("?<");
    let mut rest = if is_plain { rest } else { return None };
    let mut open = 1_u32;
    while open > 0 {
        let mut chars = rest.chars();
        match chars.next()? {
            '\\' => {
                chars.next()?;
                rest = chars.as_str();
            }
            '[' => rest = behind_class(chars.as_str())?,
            '(' => (open, rest) = (open + 1, chars.as_str()),
            ')' => (open, rest) = (open - 1, chars.as_str()),
            _ => rest = chars.as_str(),
        }
    }
    Some(rest)
}

/// How often an element stands in what is matched.
struct Times {
    is_there: bool,
    is_once: bool,
}

/// How often the element before is repeated, and what follows that.
fn repeated(pattern: &str) -> (Times, &str) {
    let (times, rest) = match pattern.chars().next() {
        Some('?' | '*') => (Times { is_there: false, is_once: false }, &pattern[1..]),
        Some('+') => (Times { is_there: true, is_once: false }, &pattern[1..]),
        Some('{') => {
            let (number, rest) = pattern[1..].split_once('}').unwrap_or((&pattern[1..], ""));
            let is_there = number.starts_with(|digit: char| digit.is_ascii_digit() && digit != '0');
            (Times { is_there, is_once: false }, rest)
        }
        _ => return (Times { is_there: true, is_once: true }, pattern),
    };
    (times, rest.strip_prefix('?').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_longest_part_without_alternatives_is_there() {
        for (pattern, first, part) in [
            (r"^1\d{12},\d+,", Some(First::Is('1')), "1"),
            (r"^\d{4}-\d\d-\d\d\t[A-Z]{3}\d+", Some(First::Digit), "-"),
            (r"\d sec: \d+ operations; [\d.,]+ current ops/sec", None, " current ops/sec"),
            (r"^PING6?[ (].* bytes\b", Some(First::Is('P')), " bytes"),
            (r"^(?<host>\S+)\s+: \[(?<seq>\d+)\], \d+ bytes", None, " bytes"),
            (r"^\[[^\]]*\] (?:a|b)took=", Some(First::Is('[')), "took="),
            (r"colou?r=+x", None, "colo"),
            (r"^é?abc{0,2}d", None, "ab"),
            (r"\<took\>=\.", None, "took"),
            (r"a{0}bc|d", None, ""),
            (r"(?i)abc", None, ""),
            (r"\x41bc", None, ""),
            ("", None, ""),
        ] {
            let expected = Necessary { first, part: part.to_owned() };
            assert_eq!(Necessary::of(pattern), expected, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn what_is_matched_has_it(
            pattern in r"\^?([abc1]|\\d|\.|[abc]\?|a\*|b\+|1\{0,2\}|c\{2\}|\[ab\]|\[\^\]a\]\*|\(\?:a\|bc\)|\(c1\)\?|\\\.|\(\?<n>b\)|\\<|\\>|\\b|\$){0,7}",
            lines in prop::collection::vec("[abc1.\\]]{0,9}", 0..20),
        ) {
            let made = regex::bytes::RegexBuilder::new(&pattern).unicode(false).build();
            prop_assume!(made.is_ok());
            let (made, necessary) = (made.expect("assumed"), Necessary::of(&pattern));
            for line in lines.iter().filter(|line| made.is_match(line.as_bytes())) {
                prop_assert!(necessary.may_match(line.as_bytes()), "{} {} {:?}", pattern, line, necessary);
            }
        }
    }
}
