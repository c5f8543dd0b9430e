//! SQL as SQL*Plus takes it from its standard input.

/// Characters in a line at most. SQL*Plus before 12.2 refuses lines longer than 2,499 (SP2-0027);
/// what an error repeats of the statement is easier to read when lines are shorter.
const LINE: usize = 1_000;

/// A statement without comments as lines that SQL*Plus neither refuses nor understands as
/// something else, ended by a semicolon.
///
/// A line must not end with `-` (continued on the next), begin with `#` (run as a command), be
/// empty, or be only `/` or `.` (run, ended).
pub(crate) fn statement(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len() + 16);
    let mut used = 0;
    let sql = sql.trim_end().trim_end_matches(';').trim_end();
    for word in words(sql) {
        let length = word.text.chars().count();
        if used > 0 {
            let full = used + 1 + length > LINE;
            let safe = !text.ends_with('-') && !is_command(word.text);
            let broken = safe && (full || word.begins_line);
            text.push(if broken { '\n' } else { ' ' });
            used = if broken { 0 } else { used + 1 };
        }
        text.push_str(word.text);
        used += length;
    }
    text.push_str(";\n");
    text
}

/// Whether a line that begins with this word would not be taken as part of a statement.
fn is_command(word: &str) -> bool {
    word.starts_with('#') || matches!(word, "/" | "." | ";")
}

struct Word<'a> {
    text: &'a str,
    /// Whether it was the first of its line.
    begins_line: bool,
}

/// The words of a statement: what stands between white space outside quotes.
fn words(sql: &str) -> Vec<Word<'_>> {
    let (mut found, mut rest, mut begins_line) = (Vec::new(), sql, false);
    loop {
        let trimmed = rest.trim_start();
        begins_line |= rest.get(..rest.len() - trimmed.len()).is_some_and(|gap| gap.contains('\n'));
        if trimmed.is_empty() {
            return found;
        }
        let (text, after) = trimmed.split_at(word_length(trimmed));
        found.push(Word { text, begins_line });
        (rest, begins_line) = (after, false);
    }
}

/// Where the first word of a text ends, in bytes.
fn word_length(text: &str) -> usize {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match quote {
            None if letter.is_whitespace() => return at,
            None if letter == '\'' || letter == '"' => quote = Some(letter),
            Some(open) if open == letter => quote = None,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_statements_keep_their_lines() {
        assert_eq!(statement("select 'a  b'\n\n  from dual ;\n"), "select 'a  b'\nfrom dual;\n");
    }

    #[test]
    fn no_line_is_taken_for_a_command() {
        assert_eq!(statement("select a -\nb,\n#c from x"), "select a - b, #c from x;\n");
        assert_eq!(statement("select a\n/\nb from x"), "select a /\nb from x;\n");
    }

    proptest! {
        #[test]
        fn long_statements_are_broken_between_words(
            names in prop::collection::vec("'[a-z ;#-]{1,60}'|[a-z]{1,9}|-|/|#[a-z]", 1..400),
        ) {
            let text = statement(&names.join(" "));
            let lines: Vec<&str> = text.trim_end().split('\n').collect();
            let unbroken = text.trim_end().trim_end_matches(';').replace('\n', " ");
            let selected = names.join(" ");
            prop_assert_eq!(unbroken.split_whitespace().collect::<Vec<_>>(),
                selected.trim_end_matches(';').split_whitespace().collect::<Vec<_>>());
            for line in &lines {
                // One run of words that may not be broken can be longer.
                let unbreakable = line.contains("- ") || line.contains(" #") || line.contains(" /");
                prop_assert!(line.len() <= LINE + 70 || unbreakable, "{}", line.len());
                prop_assert!(!line.ends_with('-') && !line.starts_with(['#', '/']) ||
                    line == &lines[0] , "{line}");
            }
        }
    }
}
