//! Tests that could wait for ever: one that hangs holds up everybody.

use std::path::Path;

use anyhow::Result;

use crate::source_text::SourceText;
use crate::test_calls::Rule;

/// What waits without an end, or starts what could be waited for without an end.
const RULE: Rule = Rule {
    calls: &[
        ".spawn()",
        ".output()",
        ".status()",
        ".recv()",
        ".join()",
        ".accept()",
        ".incoming()",
        "TcpStream::connect(",
    ],
    excuse: "// ends: ",
    fault: "a test waits without an end",
    advice: "use `testing::bounded`",
};

/// Lines of tests that wait without an end.
pub fn check(root: &Path) -> Result<Vec<String>> {
    Ok(SourceText::all(root)?.iter().flat_map(|file| RULE.findings(file)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    fn found(path: &str, text: &str) -> usize {
        check(tree(&[(path, text)]).path()).unwrap().len()
    }

    #[test]
    fn only_tests_may_not_wait_without_an_end() {
        let code = "fn f() {\nlet a = command.output();\nthread.join();\npath.join(\"a\");\n}\n";
        assert_eq!(found("crates/a/src/lib.rs", code), 0);
        assert_eq!(found("crates/a/tests/all.rs", code), 2);
    }

    #[test]
    fn a_reason_excuses_a_line() {
        let code = "fn f() {\n// ends: the thread sleeps for a second\nthread.join();\n}\n";
        assert_eq!(found("crates/a/tests/all.rs", code), 0);
    }
}
