//! Texts from elsewhere in programs for bpftrace: the one place that says how they stand in one.

/// A text as it can stand in a string that is printed as it is.
pub fn literal(text: &str) -> String {
    let mut literal = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            // Versions differ in how they print %% in a text without arguments.
            '%' => literal.push_str("pct"),
            c if c.is_control() => literal.push(' '),
            c => literal.push(c),
        }
    }
    literal
}

/// A text that cannot end the comment it stands in.
pub fn comment(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.replace("*/", "* /")
}

/// Whether a path can stand in a probe: bpftrace reads some characters as patterns, and nothing keeps them from it.
pub fn is_path(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() || "\"\\*?[]{}".contains(c))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::Command;

    use testing::bounded;

    use super::*;

    /// What somebody may have called an event, a file or a process.
    const HOSTILE: [&str; 9] = [
        "a \"quoted\" name",
        "back\\slash at the end\\",
        "\"); system(\"touch /tmp/x\"); printf(\"",
        "*/ BEGIN { exit(); } /*",
        "100% of %s and %d, %%",
        "two\nlines\r\nand a \t tab",
        "{{binary}} @map[pid] $1 `x` $(x)",
        "// no comment # at all",
        "\u{1b}[31mred\u{0} é \u{202e}x",
    ];

    #[test]
    fn bpftrace_prints_hostile_texts_and_runs_nothing_in_them() {
        let lines = HOSTILE.map(|text| {
            format!("\t/* {} */\n\tprintf(\"{}\\n\");\n", comment(text), literal(text))
        });
        let program =
            format!("/* {} */\nBEGIN\n{{\n{}\texit();\n}}\n", comment(HOSTILE[3]), lines.concat());
        let Ok(output) = bounded::try_output(Command::new("bpftrace").args(["-q", "-e", &program]))
        else {
            writeln!(std::io::stderr(), "SKIPPED: bpftrace is not installed").expect("said");
            return;
        };
        let (printed, said) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let may_not = ["root", "permitted", "Permission", "BPF", "tracefs", "debugfs"];
        if !output.status.success() && may_not.iter().any(|word| said.contains(word)) {
            writeln!(std::io::stderr(), "SKIPPED: bpftrace may not run here: {said}")
                .expect("said");
            return;
        }
        assert!(output.status.success(), "{said}\n{program}");
        let wanted = HOSTILE.map(|text| {
            let plain = text.replace('%', "pct");
            plain.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>()
        });
        let printed: Vec<&str> = printed.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(printed, wanted, "{said}");
    }

    #[test]
    fn paths_that_are_patterns_are_none() {
        assert!(is_path("/u01/app with blanks/é/oracle"));
        for path in ["/o/*", "/o/a\"b", "/o/a\\b", "/o/[ab]", "/o/a?", "/o/{{binary}}", "/o/a\nb"] {
            assert!(!is_path(path), "{path}");
        }
    }
}
