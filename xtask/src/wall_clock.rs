//! Tests that look at a clock: on a busy machine they fail without a reason.

use std::path::Path;

use anyhow::Result;

use crate::source_text::SourceText;
use crate::test_calls::Rule;

const RULE: Rule = Rule {
    calls: &["Instant::now", "SystemTime::now", "thread::sleep", ".elapsed()"],
    excuse: "// wall clock: ",
    fault: "a test looks at the clock",
    advice: "let it be told the time",
};

/// Files that wait for something to happen, each with what it waits for. They may not assert how
/// long anything took.
const WAITING: [(&str, &str); 9] = [
    ("crates/cli/tests/e2e/terminal.rs", "what a program shows in its terminal"),
    ("crates/load/tests/drive.rs", "nothing: an engine whose operations take some time"),
    ("crates/load/tests/redis/hostile.rs", "nothing: a server that answers bit by bit"),
    ("crates/recording/tests/two_at_once.rs", "the moments at which a recorder is killed"),
    ("crates/live/tests/live_disk.rs", "requests of a disk"),
    ("crates/live/tests/live_feed.rs", "what commands print"),
    ("crates/live/tests/live_probe.rs", "reads of a disk"),
    ("crates/live/tests/live_prometheus.rs", "a server that starts, and scrapes"),
    ("crates/live/tests/live_redis.rs", "a server that starts"),
];

/// Lines of tests that look at the clock without an excuse.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let files = SourceText::all(root)?;
    let is_waiting = |file: &&SourceText| WAITING.iter().any(|(path, _)| *path == file.path);
    let mut found: Vec<String> = files
        .iter()
        .filter(|file| !is_waiting(file))
        .flat_map(|file| RULE.findings(file))
        .collect();
    let is_gone = |path: &str| !root.join(path).is_file() && root.join("xtask").is_dir();
    found.extend(WAITING.iter().filter(|(path, _)| is_gone(path)).map(|(path, _)| {
        format!("xtask/src/wall_clock.rs: there is no {path}; take it out of the list")
    }));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tree;

    fn found(path: &str, text: &str) -> usize {
        check(tree(&[(path, text)]).path()).unwrap().len()
    }

    #[test]
    fn only_tests_may_not_look_at_the_clock() {
        let code = "fn now() { Instant::now() }\n";
        assert_eq!(found("crates/a/src/lib.rs", code), 0);
        assert_eq!(found("crates/a/tests/all.rs", code), 1);
        assert_eq!(
            found("crates/a/src/lib.rs", &format!("#[cfg(test)]\nmod tests {{\n{code}}}\n")),
            1
        );
        let all = "a(SystemTime::now());\nstd::thread::sleep(x);\nbegun.elapsed();\nelapsed_s();\n";
        assert_eq!(found("crates/a/tests/all.rs", &format!("fn f() {{\n{all}}}\n")), 3);
    }

    #[test]
    fn a_line_with_a_reason_is_excused() {
        let with = |text: &str| found("crates/a/tests/all.rs", &format!("fn f() {{\n{text}}}\n"));
        assert_eq!(with("sleep(Instant::now()); // wall clock: the server starts\n"), 0);
        assert_eq!(with("// wall clock: the server starts\nsleep(Instant::now());\n"), 0);
        assert_eq!(with("// wall clock: \nsleep(Instant::now());\n"), 1);
        assert_eq!(with("// Instant::now\nx();\n"), 0);
        assert_eq!(with("// wall clock: one\na();\nInstant::now();\n"), 1);
    }
}
