//! Calls that tests may not make, unless a comment says why.

use crate::source_text::SourceText;

/// A rule about calls in tests.
pub struct Rule {
    /// The calls, as they are written.
    pub calls: &'static [&'static str],
    /// The comment that excuses a line, at its end or above it; the reason follows.
    pub excuse: &'static str,
    /// What is wrong with such a call.
    pub fault: &'static str,
    /// What to do instead.
    pub advice: &'static str,
}

impl Rule {
    /// The lines of a file's tests that break the rule.
    pub fn findings(&self, file: &SourceText) -> Vec<String> {
        let lines: Vec<&str> = file.text.lines().collect();
        let has_reason =
            |line: &str| line.split_once(self.excuse).is_some_and(|(_, why)| !why.is_empty());
        let is_excused = |at: usize| {
            let above = at.checked_sub(1).map_or("", |at| lines[at].trim_start());
            has_reason(lines[at]) || above.starts_with("//") && has_reason(above)
        };
        let call = |line: &str| {
            let code = line.split("//").next().unwrap_or(line);
            self.calls.iter().find(|call| code.contains(*call))
        };
        let finding = |(at, line): (usize, &&str)| {
            let call = call(line).filter(|_| file.is_test(at + 1) && !is_excused(at))?;
            let (path, line) = (&file.path, at + 1);
            let Rule { excuse, fault, advice, .. } = self;
            Some(format!("{path}:{line}: {fault} ({call}); {advice}, or say why after `{excuse}`"))
        };
        lines.iter().enumerate().filter_map(finding).collect()
    }
}
