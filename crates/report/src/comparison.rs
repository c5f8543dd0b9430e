//! A comparison as Markdown, for a comment in a pull request, and as test results in `JUnit` form.

use std::fmt::Write as _;

use isotherm_views::Compared;

use crate::markup::{escaped, inline};

/// A condition of `--fail-if` and what it comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedCondition {
    /// As it was written.
    pub condition: String,
    /// `PASS`, `FAIL` or `UNSURE`, and what was found.
    pub line: String,
    /// Whether the command fails.
    pub fails: bool,
}

/// The comparison as Markdown: the verdict, the conditions, sentences, ratios.
pub fn comparison_markdown(compared: &Compared, judged: &[JudgedCondition]) -> String {
    let mut text = format!("<!-- isotherm report -->\n### {}\n\n", inline(&compared.title));
    for one in judged {
        let (word, rest) = one.line.split_once(' ').unwrap_or((&one.line, ""));
        let _ = writeln!(text, "- **{}** {}", inline(word), inline(rest));
    }
    for sentence in &compared.sentences {
        let _ = writeln!(text, "- {}", inline(sentence));
    }
    table(&compared.table, &mut text);
    table(&compared.pairs, &mut text);
    let [a, b] = compared.sides.each_ref().map(|side| inline(side));
    let _ = writeln!(text, "\nA is {a}; B is {b}.");
    text
}

fn table(rows: &[Vec<String>], text: &mut String) {
    for (index, cells) in rows.iter().enumerate() {
        if index == 0 {
            text.push('\n');
        }
        let cells: Vec<String> = cells.iter().map(|cell| inline(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
        if index == 0 {
            // Names and remarks stand left, numbers right.
            let numbers = "--:|".repeat(cells.len().saturating_sub(2));
            let _ = writeln!(text, "|---|{numbers}---|");
        }
    }
}

/// The conditions as test cases in the form that Jenkins, GitLab and others read: one that is let pass
/// although it could not be decided is skipped.
pub fn comparison_junit(sentences: &[String], judged: &[JudgedCondition]) -> String {
    let is_skipped = |one: &&JudgedCondition| !one.fails && one.line.starts_with("UNSURE");
    let failures = judged.iter().filter(|one| one.fails).count();
    let skipped = judged.iter().filter(is_skipped).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"0\"",
        judged.len()
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"isotherm compare\" {counts}>\n\
         <testsuite name=\"isotherm compare\" {counts}>\n"
    );
    for one in judged {
        let (name, line) = (escaped(&one.condition), escaped(&one.line));
        let case = format!("<testcase classname=\"isotherm.compare\" name=\"{name}\" time=\"0\"");
        let _ = match (one.fails, is_skipped(&one)) {
            (true, _) => {
                let word = one.line.split(' ').next().unwrap_or_default();
                writeln!(
                    text,
                    "{case}><failure message=\"{line}\" type=\"{word}\">{line}</failure></testcase>"
                )
            }
            (false, true) => writeln!(text, "{case}><skipped message=\"{line}\"/></testcase>"),
            (false, false) => {
                writeln!(text, "{case}><system-out>{line}</system-out></testcase>")
            }
        };
    }
    let _ = writeln!(text, "<system-out>{}</system-out>", escaped(&sentences.join("\n")));
    text + "</testsuite>\n</testsuites>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(condition: &str, line: &str, fails: bool) -> JudgedCondition {
        JudgedCondition { condition: condition.to_owned(), line: line.to_owned(), fails }
    }

    #[test]
    fn a_condition_is_a_test_case_that_fails_passes_or_is_skipped() {
        let text = comparison_junit(
            &["B is slower: p50 1ms → 5ms.".to_owned()],
            &[
                judged("p50>1.2x", "FAIL p50>1.2x: \"read\" & <write> has ×4–6", true),
                judged("p99>1.2x", "UNSURE p99>1.2x: read: the ratio is unknown", false),
                judged("rate<0.5x", "PASS rate<0.5x: read has ×0.9–1.1", false),
            ],
        );
        let counts = "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\"";
        assert_eq!(text.matches(counts).count(), 2, "{text}");
        let line = "FAIL p50&gt;1.2x: &quot;read&quot; &amp; &lt;write&gt; has ×4–6";
        let failure = format!(
            "name=\"p50&gt;1.2x\" time=\"0\"><failure message=\"{line}\" type=\"FAIL\">{line}</failure>"
        );
        assert!(text.contains(&failure), "{text}");
        assert!(text.contains("<skipped message=\"UNSURE p99&gt;1.2x"), "{text}");
        assert_eq!(text.matches("<testcase ").count(), 3, "{text}");
        assert_eq!(text.matches("<failure ").count(), 1, "{text}");
    }
}
