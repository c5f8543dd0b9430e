//! The password file: `host:port:database:user:password`, a line each.

/// The password of the first line whose four fields are those wanted; `*` is any, `\` takes the
/// character after it as it is.
pub fn password(text: &str, wanted: &[&str; 4]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| matching(line, wanted))
}

fn matching(line: &str, wanted: &[&str; 4]) -> Option<String> {
    let mut rest = line;
    for wanted in wanted {
        let (field, after) = field(rest)?;
        if field != "*" && unescaped(field) != **wanted {
            return None;
        }
        rest = after;
    }
    Some(unescaped(rest))
}

/// Up to the next colon that is not escaped, and what follows it.
fn field(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            ':' if !escaped => return text.get(..at).zip(text.get(at + 1..)),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out
}
