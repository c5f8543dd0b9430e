//! Names of users in statements that people run: the one place that says how they stand in one.

use std::borrow::Cow;

/// A name as Oracle reads it: as it is where that is a name, else in double quotes, which no name contains.
pub fn identifier(name: &str) -> Cow<'_, str> {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_$#".contains(c));
    if is_plain {
        return Cow::Borrowed(name);
    }
    // As it is written where somebody logs on with a name that is not in capitals.
    let bare = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
    let kept: String = bare.chars().filter(|c| *c != '"' && !c.is_control()).collect();
    Cow::Owned(format!("\"{kept}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_the_statement_it_stands_in() {
        for (name, identifier_of_it) in [
            ("mon", "mon"),
            ("C##MON_1$", "C##MON_1$"),
            ("\"mixed Case\"", "\"mixed Case\""),
            ("with blank", "\"with blank\""),
            ("x; DROP USER y", "\"x; DROP USER y\""),
            ("x\" IDENTIFIED BY y --", "\"x IDENTIFIED BY y --\""),
            ("two\nlines", "\"twolines\""),
            ("1st", "\"1st\""),
            ("", "\"\""),
        ] {
            assert_eq!(identifier(name), identifier_of_it, "{name:?}");
        }
    }
}
