//! Percent-encoded parts of addresses.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// The text that is meant: `%40` is `@`. `None` where a `%` is not followed by two hexadecimal
/// digits, or what they say is not UTF-8.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let is_code = |after: &str| {
        after.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    // The library takes a lone % for itself, and a password would be another one.
    if !text.split('%').skip(1).all(is_code) {
        return None;
    }
    percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_decoded_and_anything_else_after_a_percent_sign_is_refused() {
        for (text, expected) in [
            ("", Some("")),
            ("a+b", Some("a+b")),
            ("p%40ss%2Fw%6frd", Some("p@ss/word")),
            ("%c3%bc%25", Some("ü%")),
            ("100%", None),
            ("%4", None),
            ("%4g", None),
            ("%+5", None),
            ("%%41", None),
            ("%ü", None),
            ("%ff", None),
        ] {
            assert_eq!(decoded(text).as_deref(), expected, "{text}");
        }
    }
}
