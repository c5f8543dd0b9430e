//! How an address begins.

/// Splits at the first colon if what stands before it has the form of a scheme.
pub fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '+' || c == '-';
    let formed =
        scheme.starts_with(|c: char| c.is_ascii_lowercase()) && scheme.chars().all(letters);
    formed.then_some((scheme, rest))
}
