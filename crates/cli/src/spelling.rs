//! Options that were spelled otherwise until this release: they are accepted once more, with a hint.

use crate::analyze_args::AnalyzeFormat;
use crate::args::Command;
use crate::screen;

/// An option of a command that has another name now.
struct Renamed {
    of: fn(&Command) -> bool,
    old: &'static str,
    new: &'static str,
}

const RENAMED: &[Renamed] = &[
    Renamed {
        of: |command| matches!(command, Command::Export(args) if args.old_form().is_some()),
        old: "--to",
        new: "--format",
    },
    Renamed {
        of: |command| matches!(command, Command::Calibrate(_)),
        old: "--keep",
        new: "--keep-file",
    },
    Renamed {
        of: |command| matches!(command, Command::Analyze(_) | Command::Fit(_)),
        old: "--limit",
        new: "--latency-limit",
    },
    Renamed {
        of: |command| matches!(command, Command::Stress(_) | Command::Sweep(_)),
        old: "--write",
        new: "--update",
    },
    Renamed {
        of: |command| matches!(command, Command::Calibrate(_)),
        old: "--write",
        new: "--with-writes",
    },
    Renamed {
        of: |command| !matches!(command, Command::Stress(_) | Command::Sweep(_)),
        old: "--threads",
        new: "--read-threads",
    },
    Renamed { of: |command| matches!(command, Command::Fit(_)), old: "--only", new: "--series" },
    Renamed {
        of: |command| matches!(command, Command::Fit(_)),
        old: "--in-flight",
        new: "--arrival",
    },
    Renamed { of: |command| matches!(command, Command::Fit(_)), old: "--at", new: "--at-load" },
    Renamed { of: |command| matches!(command, Command::Flame(_)), old: "--only", new: "--frames" },
    Renamed {
        of: |command| matches!(command, Command::Flame(_)),
        old: "--event",
        new: "--counter",
    },
    Renamed {
        of: |command| matches!(command, Command::Bpftrace(_)),
        old: "--only",
        new: "--numbers",
    },
    Renamed {
        of: |command| matches!(command, Command::Bpftrace(_)),
        old: "--events",
        new: "--event",
    },
    Renamed {
        of: |command| matches!(command, Command::SqlplusScript(_) | Command::Awr(_)),
        old: "--series",
        new: "--queries",
    },
    Renamed {
        of: |command| match command {
            Command::Report(_) => true,
            Command::Analyze(args) => args.form().is_ok_and(|form| form == AnalyzeFormat::Svg),
            _ => false,
        },
        old: "--width",
        new: "--image-width",
    },
];

/// Says on standard error how options are spelled that still have their old names here.
pub fn hint(command: &Command) {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    for text in hints(command, &words) {
        screen::warn(&text);
    }
}

/// A hint for each option that is spelled as it was.
fn hints(command: &Command, words: &[String]) -> Vec<String> {
    let spelled = |old: &str| {
        let words = words.iter().take_while(|word| *word != "--");
        words.into_iter().any(|word| word.split('=').next() == Some(old))
    };
    let renamed = RENAMED.iter().filter(|renamed| (renamed.of)(command) && spelled(renamed.old));
    renamed.map(|Renamed { old, new, .. }| old_spelling(old, new)).collect()
}

/// What is said of an old spelling.
pub fn old_spelling(old: &str, new: &str) -> String {
    format!("{old} is now {new}; the old spelling goes away with the next release")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Cli;

    fn hinted(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let cli = Cli::try_parse_from(&words).unwrap_or_else(|error| panic!("{line}: {error}"));
        hints(&cli.command.unwrap(), &words[1..])
    }

    #[test]
    fn old_spellings_are_accepted_with_a_hint() {
        for (old, new) in [
            ("isotherm export x.heat --to csv", "isotherm export x.heat --format csv"),
            ("isotherm calibrate /data --keep", "isotherm calibrate /data --keep-file"),
            ("isotherm fit x --limit p99<5ms", "isotherm fit x --latency-limit p99<5ms"),
            ("isotherm analyze x --limit=p99<5ms", "isotherm analyze x --latency-limit=p99<5ms"),
            ("isotherm stress x --write 20", "isotherm stress x --update 20"),
            ("isotherm sweep x --write=20 -o y", "isotherm sweep x --update=20 -o y"),
            ("isotherm calibrate /data --write", "isotherm calibrate /data --with-writes"),
            ("isotherm stats x --threads 2", "isotherm stats x --read-threads 2"),
            ("isotherm fit x --only read", "isotherm fit x --series read"),
            ("isotherm fit x --in-flight x2", "isotherm fit x --arrival x2"),
            ("isotherm fit x --at 9 --servers 2", "isotherm fit x --at-load 9 --servers 2"),
            ("isotherm flame x --only rowsource", "isotherm flame x --frames rowsource"),
            ("isotherm flame diff x y --event @ns", "isotherm flame diff x y --counter @ns"),
            (
                "isotherm bpftrace oracle-lio --pid 1 --only 7",
                "isotherm bpftrace oracle-lio --pid 1 --numbers 7",
            ),
            (
                "isotherm bpftrace oracle-io --pid 1 --events 7,8",
                "isotherm bpftrace oracle-io --pid 1 --event 7,8",
            ),
            (
                "isotherm sqlplus-script --awr --series sql",
                "isotherm sqlplus-script --awr --queries sql",
            ),
            (
                "isotherm awr collect sqlplus:/ --series sql --show-sql",
                "isotherm awr collect sqlplus:/ --queries sql --show-sql",
            ),
            (
                "isotherm report x -o x.png --width 900",
                "isotherm report x -o x.png --image-width 900",
            ),
            (
                "isotherm analyze x -o x.svg --width 900",
                "isotherm analyze x -o x.svg --image-width 900",
            ),
        ] {
            assert_eq!(hinted(old).len(), 1, "{old}");
            assert!(hinted(old)[0].contains("is now --"), "{old}");
            assert_eq!(hinted(new), Vec::<String>::new(), "{new}");
        }
    }

    #[test]
    fn the_same_words_elsewhere_are_no_old_spellings() {
        for line in [
            "isotherm replay x.heat --from 1m --to 2m",
            "isotherm export x.heat --format csv --from 1m --to 2m",
            "isotherm stress x --threads 2",
            "isotherm mark x.heat t --at 5m",
            "isotherm export x.heat --series read",
            "isotherm sqlplus-script --event x",
            "isotherm analyze x --width 90",
            "isotherm record disk: -o x.heat --keep 30m",
            "isotherm live probe:. --write",
            "isotherm sweep x --write-plan y.toml",
        ] {
            assert_eq!(hinted(line), Vec::<String>::new(), "{line}");
        }
    }
}
