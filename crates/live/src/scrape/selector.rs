//! Texts in Prometheus' query language.

/// A text of the query language.
pub(super) fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{text}\"")
}

/// The name at the beginning of a selector, without its labels.
pub(super) fn name_in(selector: &str) -> &str {
    selector.split('{').next().unwrap_or_default().trim()
}

/// A regular expression that is one of the texts exactly.
pub(super) fn any_of(texts: &[&str]) -> String {
    let plain = |letter: char| {
        letter.is_alphanumeric() || matches!(letter, '_' | ' ') || !letter.is_ascii()
    };
    let escaped = |text: &&str| -> String {
        let one =
            |letter: char| if plain(letter) { letter.to_string() } else { format!("\\{letter}") };
        text.chars().map(one).collect()
    };
    quoted(&texts.iter().map(escaped).collect::<Vec<_>>().join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_chosen_by_their_exact_names() {
        assert_eq!(any_of(&["web-1:9090", "a|b", "q\"\\"]), r#""web\\-1\\:9090|a\\|b|q\\\"\\\\""#);
        assert_eq!(quoted("a\"b\\"), r#""a\"b\\""#);
    }

    #[test]
    fn a_label_is_no_part_of_the_name() {
        assert_eq!(name_in("rpc_seconds{s3_bucket=\"a\"}"), "rpc_seconds");
        assert_eq!(name_in(" a_bucket "), "a_bucket");
    }
}
