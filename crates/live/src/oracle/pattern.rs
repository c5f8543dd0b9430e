//! Names with `*` or `%` in them: which wait events are asked for.

use isotherm_client::postgres::control::quoted;

use crate::wildcard;

/// The name of a wait event, in any case, in which `*` stands for any text; `%` is read as `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(String);

impl Pattern {
    /// Characters of a pattern at most: more than a name has.
    const LONGEST: usize = 100;

    /// Reads a pattern; an error says what is wrong with it.
    pub(crate) fn new(text: &str) -> Result<Pattern, String> {
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 || length > Pattern::LONGEST || text.chars().any(char::is_control) {
            return Err(format!(
                "'{}' is not the name of a wait event: 1 to {} characters, * or % for any text",
                text.escape_debug(),
                Pattern::LONGEST
            ));
        }
        Ok(Pattern(text.to_lowercase().replace('%', "*")))
    }

    /// Whether a name is meant.
    pub(crate) fn matches(&self, name: &str) -> bool {
        wildcard::matches(self.0.as_bytes(), name.to_lowercase().as_bytes())
    }

    /// Reads patterns; an error is that of the first that is none.
    pub(crate) fn all(texts: &[String]) -> Result<Vec<Pattern>, String> {
        texts.iter().map(|text| Pattern::new(text)).collect()
    }

    /// The condition of SQL that `column` matches. The text is data: nothing in it can end the
    /// quotes it stands in.
    pub(crate) fn condition(&self, column: &str) -> String {
        if !self.0.contains('*') {
            return format!("LOWER({column}) = {}", quoted(&self.0));
        }
        let mut like = String::new();
        for letter in self.0.chars() {
            match letter {
                '*' => like.push('%'),
                '%' | '_' | '\\' => like.extend(['\\', letter]),
                other => like.push(other),
            }
        }
        format!("LOWER({column}) LIKE {} ESCAPE '\\'", quoted(&like))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::new(text).expect("a pattern")
    }

    #[test]
    fn names_match_in_any_case_and_stars_stand_for_any_text() {
        for (text, name, matches) in [
            ("db file sequential read", "db file sequential read", true),
            ("DB File Sequential Read", "db file sequential read", true),
            ("db file", "db file sequential read", false),
            ("db file*", "db file sequential read", true),
            ("*read", "db file sequential read", true),
            ("*file*read", "db file sequential read", true),
            ("*read*", "direct path read temp", true),
            ("a*a", "a", false),
            ("*", "anything", true),
            ("*sync*sync", "log file sync", false),
        ] {
            assert_eq!(pattern(text).matches(name), matches, "{text} {name}");
        }
    }

    #[test]
    fn the_condition_quotes_whatever_is_in_the_name() {
        for (text, condition) in [
            ("log file sync", "LOWER(e) = 'log file sync'"),
            ("x' OR 'a'='a", "LOWER(e) = 'x'' or ''a''=''a'"),
            ("100%_a", "LOWER(e) LIKE '100%\\_a' ESCAPE '\\'"),
            ("db*", "LOWER(e) LIKE 'db%' ESCAPE '\\'"),
            ("a_b%c\\d'*", "LOWER(e) LIKE 'a\\_b%c\\\\d''%' ESCAPE '\\'"),
        ] {
            assert_eq!(pattern(text).condition("e"), condition);
        }
    }

    #[test]
    fn what_cannot_be_a_name_is_refused() {
        for text in ["", "  ", "a\nb", &"x".repeat(101)] {
            assert!(Pattern::new(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn quotes_stay_closed(text in "[a-z'*%_\\\\ ]{1,40}") {
            let Ok(pattern) = Pattern::new(&text) else { return Ok(()) };
            // Two quotes are one within the text; what is left opens and closes it, and the escape.
            let condition = pattern.condition("e").replace("''", "");
            let outside = if condition.contains(" LIKE ") { 4 } else { 2 };
            let quotes = condition.matches('\'').count();
            prop_assert!(quotes == outside || quotes + 2 == outside, "{condition}");
        }
    }
}
