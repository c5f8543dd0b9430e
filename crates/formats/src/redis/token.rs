//! The values that an answer of Redis consists of, however it is printed.

/// The two values of a line that redis-cli prints with RESP3: `1# (integer) 1 => (integer) 300`; a line
/// of one value has no second.
pub(super) fn pair(line: &[u8]) -> (Option<&[u8]>, Option<&[u8]>) {
    // Only numbered lines are redis-cli's: a name may have an arrow in it.
    let is_numbered = without_numbers(line.trim_ascii()).len() < line.trim_ascii().len();
    match memchr::memmem::find(line, b" =>").filter(|_| is_numbered) {
        Some(at) => (token(&line[..at]), token(&line[at + 3..])),
        None => (token(line), None),
    }
}

/// The value of a line: redis-cli's with numbers and quotation marks, its raw output, or the
/// protocol itself; `None` where a line only says how many values follow.
pub(super) fn token(line: &[u8]) -> Option<&[u8]> {
    let text = without_numbers(line.trim_ascii());
    let text = text.strip_prefix(b"(integer) ").unwrap_or(text);
    let quoted = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    let text = quoted.unwrap_or(text);
    match text.split_first() {
        None => None,
        Some((b'*' | b'%' | b'$', digits)) if is_number(digits) => None,
        Some((b':', digits)) if is_number(digits) => Some(digits),
        Some(_) => Some(text),
    }
}

/// `2) 1) "calls"` is the first value of the second.
fn without_numbers(text: &[u8]) -> &[u8] {
    let mut rest = text;
    loop {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mark = rest[digits..].first();
        if digits == 0 || !matches!(mark, Some(b')' | b'#')) {
            return rest;
        }
        rest = rest[digits + 1..].trim_ascii_start();
    }
}

pub(super) fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_print_is_one() {
        let of = |line: &str| token(line.as_bytes()).map(|text| String::from_utf8_lossy(text).into_owned());
        for (line, expected) in [
            ("1) \"set\"", "set"),
            ("2) 1) \"calls\"", "calls"),
            ("   2) (integer) 200000", "200000"),
            ("       2) (integer) 197980", "197980"),
            ("config|get", "config|get"),
            ("8\r", "8"),
            (":14841", "14841"),
            ("1# \"set\" => ", "\"set\" =>"),
        ] {
            assert_eq!(of(line), Some(expected.to_owned()), "{line}");
        }
        let both = |line: &'static str| {
            let text = |found: Option<&'static [u8]>| found.map(|text| std::str::from_utf8(text).unwrap());
            let (key, value) = pair(line.as_bytes());
            (text(key), text(value))
        };
        assert_eq!(both("1# \"get\" =>"), (Some("get"), None));
        assert_eq!(both("   1# \"calls\" => (integer) 400"), (Some("calls"), Some("400")));
        assert_eq!(both("      2# (integer) 2 => (integer) 390"), (Some("2"), Some("390")));
        assert_eq!(both("set => x"), (Some("set => x"), None));
        for line in ["*16", "$10", "%2", "", "1)"] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
