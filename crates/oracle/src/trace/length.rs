//! Lengths that a trace gives of texts, in a file whose lines may end otherwise than the server's.

use memchr::memchr_iter;

/// Where in `text` its first `length` bytes may end: right there, or, where lines end as on
/// Windows, so much later as they are longer.
pub(super) fn ends(text: &[u8], length: usize) -> impl Iterator<Item = usize> + '_ {
    let returned = std::iter::once_with(move || with_returns(text, length));
    std::iter::once(length).chain(returned.flatten())
}

/// How much of `text` must be there before it is known where its first `length` bytes may end: what
/// [`ends`] gives does not change with what comes behind that.
pub(super) fn reach(text: &[u8], length: usize) -> usize {
    with_returns(text, length).unwrap_or(length)
}

fn with_returns(text: &[u8], length: usize) -> Option<usize> {
    let mut returns = 0;
    for end in memchr_iter(b'\n', text) {
        let before = end.checked_sub(1)?;
        let returned = text.get(before) == Some(&b'\r');
        if before + usize::from(!returned) >= length + returns {
            break;
        }
        returns += usize::from(returned);
    }
    (returns > 0).then_some(length + returns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_within_the_length_makes_it_longer() {
        let text = b"ab\r\ncd\r\nef\r\ngh";
        // "ab\ncd" is five bytes long, "ab\ncd\nef" eight.
        for (length, expected) in [(2, vec![2]), (3, vec![3, 4]), (5, vec![5, 6]), (8, vec![8, 10])]
        {
            assert_eq!(ends(text, length).collect::<Vec<_>>(), expected, "{length}");
        }
        assert_eq!(ends(b"ab\ncd\nef", 5).collect::<Vec<_>>(), [5]);
        assert_eq!(ends(b"\n", 1).collect::<Vec<_>>(), [1]);
    }
}
