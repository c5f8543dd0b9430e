//! What is asked of the value of a field, and how it is kept short.

use std::borrow::Cow;

use isotherm_frame::Unit;

use crate::number;

/// A condition on a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// It is this text, in any case.
    Is(Vec<u8>),
    /// It begins with this text.
    Begins(Vec<u8>),
    /// It is not this text.
    IsNot(Vec<u8>),
    /// It does not begin with this text.
    BeginsNot(Vec<u8>),
    /// It is a number of at least this.
    AtLeast(u64),
    /// It is there, and no number of at least this.
    AtLeastNot(u64),
}

impl Test {
    /// Reads `false`, `http.*`, `!-`, `!http.*`, `>=500` or `!>=0`.
    pub(super) fn of(text: &str) -> Test {
        if let Some(least) = text.strip_prefix(">=").and_then(|least| least.trim().parse().ok()) {
            return Test::AtLeast(least);
        }
        if let Some(least) = text.strip_prefix("!>=").and_then(|least| least.trim().parse().ok()) {
            return Test::AtLeastNot(least);
        }
        if let Some(begin) = text.strip_prefix('!').and_then(|text| text.strip_suffix('*')) {
            return Test::BeginsNot(begin.as_bytes().to_vec());
        }
        if let Some(begin) = text.strip_suffix('*') {
            return Test::Begins(begin.as_bytes().to_vec());
        }
        match text.strip_prefix('!') {
            Some(other) => Test::IsNot(other.as_bytes().to_vec()),
            None => Test::Is(text.as_bytes().to_vec()),
        }
    }

    pub(super) fn holds(&self, value: &[u8]) -> bool {
        match self {
            Test::Is(text) => value.eq_ignore_ascii_case(text),
            Test::Begins(text) => value.starts_with(text),
            Test::BeginsNot(text) => !value.starts_with(text),
            Test::IsNot(text) => !value.eq_ignore_ascii_case(text),
            Test::AtLeast(least) => is_at_least(value, *least),
            Test::AtLeastNot(least) => !value.trim_ascii().is_empty() && !is_at_least(value, *least),
        }
    }
}

/// Whether a number is that of the whole seconds of a length of time in nanoseconds, cut or rounded.
pub(super) fn are_seconds_of(text: &[u8], length: u64) -> bool {
    const SECOND: u64 = 1_000_000_000;
    let whole = length / SECOND;
    let rounded = whole + u64::from(length % SECOND >= SECOND / 2);
    number::whole(text).is_ok_and(|seconds| seconds == whole || seconds == rounded)
}

/// Whether a value is a number of at least this.
fn is_at_least(value: &[u8], least: u64) -> bool {
    // Nanoseconds are the unit in which a number stays what it is.
    number::nanos(value, Unit::Nanos).is_ok_and(|value| value >= least)
}

/// A path of a URL without its host and its query, in which `*` stands for each part that is a number or an
/// identifier: `/orders/17/items?page=2` is `/orders/*/items`.
pub(super) fn short_path(text: &[u8]) -> Cow<'_, [u8]> {
    /// Parts that are kept.
    const DEEPEST: usize = 6;
    let text = match memchr::memmem::find(text, b"://") {
        Some(at) if at < 8 => {
            let host = &text[at + 3..];
            memchr::memchr(b'/', host).map_or(&b"/"[..], |path| &host[path..])
        }
        _ => text,
    };
    let end = text.iter().position(|byte| matches!(byte, b'?' | b'#' | b';')).unwrap_or(text.len());
    let path = &text[..end];
    let parts = || path.split(|byte| *byte == b'/');
    if parts().count() <= DEEPEST + 1 && !parts().any(is_identifier) {
        return path.into();
    }
    let mut short = Vec::with_capacity(path.len());
    for (index, part) in parts().enumerate() {
        if index > DEEPEST {
            short.extend_from_slice(b"/...");
            break;
        }
        if index > 0 {
            short.push(b'/');
        }
        short.extend_from_slice(if is_identifier(part) { b"*" } else { part });
    }
    short.into()
}

/// Whether a part of a path is a number, a UUID, a hash or a text that is too long to be a name.
fn is_identifier(part: &[u8]) -> bool {
    const LONGEST: usize = 32;
    let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_hex = || part.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    digits > 0 && (digits == part.len() || part.len() >= 8 && is_hex()) || part.len() > LONGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_as_texts_or_as_numbers() {
        for (test, value, expected) in [
            ("false", "FALSE", true),
            ("false", "true", false),
            ("http.*", "http.log", true),
            ("http.*", "admin", false),
            ("!http.*", "http.log", false),
            ("!http.*", "admin", true),
            ("!-", "-", false),
            ("!-", "UH", true),
            ("!", "", false),
            (">=500", "503", true),
            (">=500", "499", false),
            (">=500", "Non HTTP response code", false),
            ("!>=0", "Non HTTP response code: java.net.ConnectException", true),
            ("!>=0", "200", false),
            ("!>=0", "", false),
        ] {
            assert_eq!(Test::of(test).holds(value.as_bytes()), expected, "{test} of {value}");
        }
    }

    #[test]
    fn whole_seconds_may_be_cut_or_rounded() {
        for (seconds, ms, expected) in [
            ("0", 0, true),
            ("0", 499, true),
            ("1", 499, false),
            ("0", 500, true),
            ("1", 500, true),
            ("2", 1_999, true),
            ("3", 1_999, false),
            ("500", 3, false),
            ("-", 3, false),
        ] {
            assert_eq!(are_seconds_of(seconds.as_bytes(), ms * 1_000_000), expected, "{seconds} of {ms} ms");
        }
    }

    #[test]
    fn paths_are_kept_short() {
        for (path, expected) in [
            ("/a", "/a"),
            ("/orders/17/items?page=2", "/orders/*/items"),
            ("http://shop.example:80/v1/cart?x=1#top", "/v1/cart"),
            ("https://shop.example", "/"),
            ("/u/5c3e0000-0000-4000-8000-00000000000a/x", "/u/*/x"),
            ("/img/logo2x.png", "/img/logo2x.png"),
            ("/a/b/c/d/e/f/g/h", "/a/b/c/d/e/f/..."),
            ("", ""),
        ] {
            let short = short_path(path.as_bytes());
            assert_eq!(String::from_utf8_lossy(&short), expected, "{path}");
        }
    }
}
