//! Tests that look at a clock: on a busy machine they fail without a reason.

use std::path::Path;

use anyhow::Result;

use crate::source_text::SourceText;

/// What looks at the clock or waits for it.
const CALLS: [&str; 4] = ["Instant::now", "SystemTime::now", "thread::sleep", ".elapsed()"];

/// The comment that excuses a line, at its end or above it; the reason follows.
const EXCUSE: &str = "// wall clock: ";

/// Files that wait for something to happen, each with what it waits for. They may not assert how
/// long anything took.
const WAITING: [(&str, &str); 12] = [
    ("crates/cli/tests/e2e/main.rs", "what a program writes"),
    ("crates/cli/tests/e2e/terminal.rs", "what a program shows in its terminal"),
    ("crates/load/tests/drive.rs", "nothing: an engine whose operations take some time"),
    ("crates/load/tests/postgres.rs", "servers, and load that is to be disturbed"),
    ("crates/load/tests/redis/hostile.rs", "nothing: a server that answers bit by bit"),
    ("crates/load/tests/redis/started.rs", "a server that starts"),
    ("crates/recording/tests/two_at_once.rs", "the moments at which a recorder is killed"),
    ("crates/sources/tests/live_disk.rs", "requests of a disk"),
    ("crates/sources/tests/live_feed.rs", "what commands print"),
    ("crates/sources/tests/live_probe.rs", "reads of a disk"),
    ("crates/sources/tests/live_prometheus.rs", "a server that starts, and scrapes"),
    ("crates/sources/tests/live_redis.rs", "a server that starts"),
];

/// Lines of tests that look at the clock without an excuse.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let files = SourceText::all(root)?;
    let is_waiting = |file: &&SourceText| WAITING.iter().any(|(path, _)| *path == file.path);
    let mut found: Vec<String> =
        files.iter().filter(|file| !is_waiting(file)).flat_map(findings).collect();
    let is_gone = |path: &str| !root.join(path).is_file() && root.join("xtask").is_dir();
    found.extend(WAITING.iter().filter(|(path, _)| is_gone(path)).map(|(path, _)| {
        format!("xtask/src/wall_clock.rs: there is no {path}; take it out of the list")
    }));
    Ok(found)
}

fn findings(file: &SourceText) -> Vec<String> {
    let lines: Vec<&str> = file.text.lines().collect();
    let is_excused = |at: usize| {
        let reason = |line: &str| line.split_once(EXCUSE).is_some_and(|(_, why)| !why.is_empty());
        let above = at.checked_sub(1).map_or("", |at| lines[at].trim_start());
        reason(lines[at]) || above.starts_with("//") && reason(above)
    };
    let call = |line: &str| {
        let code = line.split("//").next().unwrap_or(line);
        CALLS.into_iter().find(|call| code.contains(call))
    };
    let finding = |(at, line): (usize, &&str)| {
        let call = call(line).filter(|_| file.is_test(at + 1) && !is_excused(at))?;
        Some(format!(
            "{}:{}: a test looks at the clock ({call}); let it be told the time, or say why after \
             `{EXCUSE}`",
            file.path,
            at + 1
        ))
    };
    lines.iter().enumerate().filter_map(finding).collect()
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
