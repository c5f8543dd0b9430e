//! What was found as plain lines of text: for screen readers, chats and logs.

use std::io::{self, Write};

/// Sentences under the name of what they are about.
#[derive(Clone, Debug)]
pub struct Description {
    /// What the sentences are about, and the sentences.
    pub parts: Vec<(String, Vec<String>)>,
    /// The number of characters in a line; `None` for a line to each sentence.
    pub width: Option<usize>,
}

impl Description {
    /// Writes the text. Fails only when `out` does.
    pub fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.parts.is_empty() {
            return writeln!(out, "no events");
        }
        for (name, sentences) in &self.parts {
            writeln!(out, "{name}")?;
            for sentence in sentences {
                for (index, line) in wrapped(sentence, self.width).iter().enumerate() {
                    let indent = if index == 0 { "  " } else { "    " };
                    writeln!(out, "{indent}{line}")?;
                }
            }
        }
        Ok(())
    }
}

/// Characters of the widest indent.
const INDENT: usize = 4;

/// The words on as many lines as they need.
fn wrapped(sentence: &str, width: Option<usize>) -> Vec<String> {
    let width = width.map_or(usize::MAX, |width| width.saturating_sub(INDENT).max(20));
    let mut lines = vec![String::new()];
    for word in sentence.split(' ') {
        let used = lines.last().map_or(0, |line| line.chars().count());
        if used > 0 && used + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_wrapped_between_words_under_their_name() {
        let sentence = "From 14:25:10 to 14:33:05 a band appears.".to_owned();
        let text = |width| {
            let parts = vec![("read".to_owned(), vec![sentence.clone()])];
            let mut out = Vec::new();
            Description { parts, width }.render(&mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(None), format!("read\n  {sentence}\n"));
        assert_eq!(text(Some(30)), "read\n  From 14:25:10 to 14:33:05\n    a band appears.\n");
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        let mut out = Vec::new();
        Description { parts: Vec::new(), width: None }.render(&mut out).unwrap();
        assert_eq!(out, b"no events\n");
    }
}
