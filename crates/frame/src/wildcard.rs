//! Patterns in which `*` and `%` stand for any text.

/// What a value must match: any of some patterns, and none of others.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    /// It matches one of these, if there are any.
    pub any: Vec<Vec<u8>>,
    /// It matches none of these.
    pub none: Vec<Vec<u8>>,
}

impl Patterns {
    /// Whether this value, or none, is asked for.
    pub fn allow(&self, value: Option<&[u8]>) -> bool {
        let matched = |pattern: &Vec<u8>| value.is_some_and(|value| matches(pattern, value));
        (self.any.is_empty() || self.any.iter().any(matched)) && !self.none.iter().any(matched)
    }
}

/// Whether `text` is what `pattern` describes, byte for byte.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let mut parts = pattern.split(|&byte| byte == b'*' || byte == b'%');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = memchr::memmem::find(rest, part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_what_they_describe() {
        for (pattern, text, expected) in [
            ("log file sync", "log file sync", true),
            ("log file sync", "log file sync ", false),
            ("db file*", "db file scattered read", true),
            ("*read", "db file scattered read", true),
            ("d*file*read", "db file scattered read", true),
            ("d*file*read", "db file scattered write", false),
            ("db%sequential*", "db file sequential read", true),
            ("100%", "100 %", true),
            ("*", "", true),
            ("ab*ba", "aba", false),
            ("", "", true),
            ("", "x", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
        }
    }
}
