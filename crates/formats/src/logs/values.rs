//! The values of names in a text.

use super::duration::printed;

/// The value of `key=value`, `key="value"` or `key='value'` in a text.
pub(super) fn value_of<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    if name.is_empty() {
        return None;
    }
    let is_start = |at: usize| {
        at.checked_sub(1).is_none_or(|before| {
            let before = line.as_bytes()[before];
            !before.is_ascii_alphanumeric() && !matches!(before, b'_' | b'.' | b'-')
        })
    };
    let (at, _) = line
        .match_indices(name)
        .find(|(at, _)| is_start(*at) && line[at + name.len()..].starts_with('='))?;
    let value = &line[at + name.len() + 1..];
    Some(quoted(value, '"').or_else(|| quoted(value, '\'')).unwrap_or_else(|| unquoted(value)))
}

/// A value in quotes. A quote behind a backslash is a part of it, unless no other ends it.
fn quoted(value: &str, quote: char) -> Option<&str> {
    let inner = value.strip_prefix(quote)?;
    let ends = || inner.match_indices(quote).map(|(at, _)| at);
    let is_end = |at: &usize| {
        let rest = &inner[at + quote.len_utf8()..];
        // What stands between single quotes may be an apostrophe, as it is or twice.
        let is_apart = rest.chars().next().is_none_or(|next| !next.is_alphanumeric() && next != quote);
        !inner[..*at].ends_with('\\') && (quote == '"' || is_apart)
    };
    match ends().find(is_end).or_else(|| ends().next()) {
        Some(end) => Some(&inner[..end]),
        None => (quote == '"').then_some(inner),
    }
}

/// A value without quotes: a word, or several up to the next name or the end of the line, such as
/// `db file sequential read`. What begins with a number, or with a number among its words, is not one value
/// but a value and other text.
fn unquoted(value: &str) -> &str {
    const END: [char; 4] = [' ', '\t', ',', ';'];
    let word_end = value.find(END).unwrap_or(value.len());
    let word = &value[..word_end];
    let end = text_end(value);
    let is_text = value[word_end..].starts_with(' ') && word.starts_with(char::is_alphabetic);
    match end.and_then(|end| value.get(word_end..end)) {
        Some(rest) if is_text && rest.split(' ').all(|word| !is_number(word)) => {
            value[..word_end + rest.len()].trim_end()
        }
        _ => word,
    }
}

/// Where a text ends that may hold blanks: before the next name, or where the line ends; nowhere if a comma
/// or the like is followed by anything else.
fn text_end(value: &str) -> Option<usize> {
    const SIGNS: [char; 7] = [',', ';', '\t', '|', ')', ']', '}'];
    let sign = value.find(SIGNS);
    let text = &value[..sign.unwrap_or(value.len())];
    let name = text.match_indices(' ').map(|(at, _)| at).find(|at| is_named(&text[at + 1..]));
    name.or_else(|| {
        let rest = value[text.len()..].trim_start_matches(SIGNS).trim_start();
        (rest.is_empty() || is_named(rest)).then_some(text.len())
    })
}

/// Whether a text begins with a name and an equals sign.
fn is_named(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let name = &text[..text.find(|c: char| !is_part(c)).unwrap_or(text.len())];
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text[name.len()..].starts_with('=')
}

/// Whether a word is nothing but a number, with a unit or without one.
fn is_number(word: &str) -> bool {
    printed(word.as_bytes()).is_some_and(|number| number.length == word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_blanks_are_read_whole() {
        for (line, expected) in [
            ("event=db file sequential read dur=5ms", "db file sequential read"),
            ("dur=5ms event=db file sequential read", "db file sequential read"),
            ("a=1 event=SQL*Net message from client  p1=7", "SQL*Net message from client"),
            ("event=enq: TX - row lock contention dur=5ms", "enq: TX - row lock contention"),
            ("event=gc cr block 2-way dur=5ms", "gc cr block 2-way"),
            ("event=log file sync, dur=5ms", "log file sync"),
            ("event=log file sync; dur=5ms", "log file sync"),
            ("event=log file sync | dur=5ms", "log file sync"),
            ("[event=log file sync] dur=5ms", "log file sync"),
            ("event=\"log file sync\" dur=5ms", "log file sync"),
            ("event='log file sync' dur=5ms", "log file sync"),
            ("event='it''s a wait' dur=5ms", "it''s a wait"),
            ("event='it's a wait' dur=5ms", "it's a wait"),
            (r#"event="wait for \"x y\" lock" dur=5ms"#, r#"wait for \"x y\" lock"#),
            (r#"event="C:\data files\" dur=5ms"#, r"C:\data files\"),
        ] {
            assert_eq!(value_of(line, "event"), Some(expected), "{line}");
        }
    }

    #[test]
    fn values_without_blanks_and_the_text_behind_them_stay_apart() {
        for (line, expected) in [
            ("op=read took 5ms", "read"),
            ("op=read took 5 ms size=4096", "read"),
            ("op=read from cache in 5.2ms path=/a", "read"),
            ("op=200 was the answer dur=5ms", "200"),
            ("op=/orders/17 took dur=5ms", "/orders/17"),
            ("op=read,size=5 dur=5ms", "read"),
            ("op=read, which took long", "read"),
            ("op=read\tsize=5", "read"),
            ("op= dur=5ms", ""),
            ("op=read", "read"),
            ("(op=read) dur=5ms", "read)"),
            ("op=\"read", "read"),
            ("shop=a op=b c.op=d dur=5ms", "b"),
        ] {
            assert_eq!(value_of(line, "op"), Some(expected), "{line}");
        }
        assert_eq!(value_of("drop=a", "op"), None);
    }
}
