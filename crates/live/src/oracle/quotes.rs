//! Names between double quotes.

/// Where the first of some characters stands that is not between double quotes.
pub(crate) fn find_outside_quotes(text: &str, characters: &[char]) -> Option<usize> {
    let mut quoted = false;
    text.char_indices().find_map(|(at, character)| {
        quoted ^= character == '"';
        (!quoted && characters.contains(&character)).then_some(at)
    })
}
