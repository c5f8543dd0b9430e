//! Lines that begin with `*** `: the wall clock, labels and what the server says of the trace.

use memchr::memmem;

use super::Notice;

/// What a line that begins with `*** ` is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stars<'a> {
    /// The wall clock, as written.
    Stamp(&'a [u8]),
    /// A label, its value, and the wall clock behind it.
    Label(&'a [u8], &'a [u8], Option<&'a [u8]>),
    Notice(Notice<'a>),
    /// The process that what follows is of, in what trcsess writes.
    Process(&'a [u8]),
}

/// Reads a line that begins with `*** `.
pub(super) fn read(line: &[u8]) -> Option<Stars<'_>> {
    if let Some(notice) = notice(line) {
        return Some(Stars::Notice(notice));
    }
    let text = line.strip_prefix(b"*** ")?;
    if split_time(text).is_some() {
        return Some(Stars::Stamp(text));
    }
    if let Some(process) = text.strip_prefix(b"[ Unix process pid: ") {
        return Some(Stars::Process(process.strip_suffix(b" ]").unwrap_or(process)));
    }
    let (label, rest) = label(text)?;
    // A value may have parentheses in it, and a cut line has none at its end.
    let Some(close) = memchr::memrchr(b')', rest) else {
        return Some(Stars::Label(label, rest, None));
    };
    let stamp = rest.get(close + 1..).unwrap_or_default().trim_ascii();
    let stamp = split_time(stamp).is_some().then_some(stamp);
    Some(Stars::Label(label, rest.get(..close).unwrap_or_default(), stamp))
}

/// The label, and what stands behind `:(`.
pub(super) fn label(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = text.iter().take_while(|&&byte| byte.is_ascii_uppercase() || byte == b' ').count();
    let (label, rest) = text.split_at_checked(length)?;
    let rest = rest.strip_prefix(b":(")?;
    (length > 1).then_some((label, rest))
}

/// `2004-01-31 12:00:00.123`, with `T` and a zone since 12.2: the time and what follows it.
pub(super) fn split_time(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let shape = b"dddd-dd-dd dd:dd:dd";
    let head = text.get(..shape.len())?;
    let fits = head.iter().zip(shape).all(|(&byte, &wanted)| match wanted {
        b'd' => byte.is_ascii_digit(),
        b' ' => byte == b' ' || byte == b'T',
        wanted => byte == wanted,
    });
    let end = text.iter().skip(shape.len()).position(u8::is_ascii_whitespace);
    let end = end.map_or(text.len(), |end| end + shape.len());
    fits.then(|| text.split_at(end))
}

/// What the server says of the trace. Wordings differ between versions: they are recognised by
/// their tell-tale part.
pub(super) fn notice(line: &[u8]) -> Option<Notice<'_>> {
    let text = line.strip_prefix(b"*** ")?;
    let text = text.strip_suffix(b"***").unwrap_or(text).trim_ascii();
    for begin in [&b"TRACE CONTINUED FROM FILE"[..], b"TRACE DUMP CONTINUED FROM FILE"] {
        if let Some(path) = text.strip_prefix(begin) {
            return Some(Notice::ContinuedFrom(path.trim_ascii()));
        }
    }
    if memmem::find(text, b"RECREATED AFTER BEING REMOVED").is_some() {
        return Some(Notice::Recreated);
    }
    memmem::find(text, b"DUMP FILE SIZE IS LIMITED").map(|_| Notice::SizeLimited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_is_known() {
        let stamp = b"*** 2026-11-21 09:08:07.123".as_slice();
        assert_eq!(read(stamp), Some(Stars::Stamp(b"2026-11-21 09:08:07.123")));
        let stamp = b"*** 2026-11-21T09:08:07.123456+01:00 (SALES(4))".as_slice();
        let text = b"2026-11-21T09:08:07.123456+01:00 (SALES(4))";
        assert_eq!(read(stamp), Some(Stars::Stamp(text)));
        let label = b"*** MODULE NAME:(a (b) c) 2026-11-21 09:08:07.123".as_slice();
        let at = Some(b"2026-11-21 09:08:07.123".as_slice());
        assert_eq!(read(label), Some(Stars::Label(b"MODULE NAME", b"a (b) c", at)));
        let cut = b"*** MODULE NAME:(half a na".as_slice();
        assert_eq!(read(cut), Some(Stars::Label(b"MODULE NAME", b"half a na", None)));
        let limited = b"*** DUMP FILE SIZE IS LIMITED TO 5242880 BYTES ***".as_slice();
        assert_eq!(read(limited), Some(Stars::Notice(Notice::SizeLimited)));
        let from = b"*** TRACE CONTINUED FROM FILE /u/x.trc ***".as_slice();
        assert_eq!(read(from), Some(Stars::Notice(Notice::ContinuedFrom(b"/u/x.trc"))));
        let recreated = b"*** TRACE FILE RECREATED AFTER BEING REMOVED ***".as_slice();
        assert_eq!(read(recreated), Some(Stars::Notice(Notice::Recreated)));
        let process = b"*** [ Unix process pid: 815 ]".as_slice();
        assert_eq!(read(process), Some(Stars::Process(b"815")));
        assert_eq!(read(b"*** and so on"), None);
    }
}
