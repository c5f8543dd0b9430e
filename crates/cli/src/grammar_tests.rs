//! Every option of every command takes every spelling of its kind.

use clap::{Arg, Command, CommandFactory, Parser};

use crate::args::Cli;

/// What options of a kind are called in the help, and spellings of one value.
const KINDS: [(&str, &[&str]); 7] = [
    ("BYTES", &["8k", "8K", "8kb", "8kB", "8KiB", "8 KiB", "8192", "8,192"]),
    ("SIZE", &["64M", "64m", "64mb", "64MiB", "64 MiB", "0.0625G", "67108864"]),
    ("TIME", &["3m40s", "220s", "3m 40s", "220,000ms", "220000 ms", "3 min 40 s"]),
    ("TIME|auto", &["3m40s", "220s", "1.5h"]),
    ("RATE", &["5k", "5000", "5000/s", "5,000/s", "300k/min", "5k IOPS"]),
    ("PCT", &["5", "5%", "5 %", "5.0%"]),
    ("CONDITION", &["p99<5ms", "p99 < 5ms", "p99<0.005s", "p99<=5000us"]),
];

/// The words that a command needs before its options make sense.
fn words(path: &[String], command: &Command) -> Vec<String> {
    let mut words = path.to_vec();
    for argument in command.get_arguments().filter(|argument| argument.is_required_set()) {
        if let Some(long) = argument.get_long() {
            words.push(format!("--{long}"));
        }
        let possible = argument.get_possible_values();
        words.push(possible.first().map_or("x".to_owned(), |value| value.get_name().to_owned()));
    }
    words
}

fn value_name(argument: &Arg) -> Option<&str> {
    argument.get_value_names()?.first().map(clap::builder::Str::as_str)
}

/// Every option of a kind, as the line before its value.
fn options(path: &[String], command: &Command, kind: &str, found: &mut Vec<Vec<String>>) {
    for argument in command.get_arguments() {
        if value_name(argument) == Some(kind)
            && let Some(long) = argument.get_long()
        {
            let option = std::iter::once(format!("--{long}"));
            found.push(words(path, command).into_iter().chain(option).collect());
        }
    }
    for sub in command.get_subcommands() {
        let path: Vec<String> = path.iter().cloned().chain([sub.get_name().to_owned()]).collect();
        options(&path, sub, kind, found);
    }
}

#[test]
fn every_option_takes_every_spelling_of_its_kind() {
    let mut all = 0;
    for (kind, spellings) in KINDS {
        let mut lines = Vec::new();
        options(&["isotherm".to_owned()], &Cli::command(), kind, &mut lines);
        assert!(!lines.is_empty(), "no option is called {kind}");
        for line in lines {
            // Everything but a sweep of a plan needs something to load, and a page something to show.
            let needs = match (line[1].as_str(), line[2].as_str()) {
                ("stress" | "sweep" | "fit" | "serve", _) if line.len() == 3 => Some("x"),
                ("flame", "record") => Some("--all"),
                ("fleet", _) => Some("x"),
                ("lab", _) => Some("commit"),
                _ => None,
            };
            let (option, before) = line.split_last().unwrap();
            for spelling in spellings {
                let needs = needs.map(str::to_owned);
                let value = format!("{option}={spelling}");
                let words = before.iter().cloned().chain(needs).chain([value]);
                let read = Cli::try_parse_from(words.clone());
                let line: Vec<String> = words.collect();
                assert!(read.is_ok(), "{}: {}", line.join(" "), read.unwrap_err());
                all += 1;
            }
        }
    }
    assert!(all > 200, "{all}");
}

#[test]
fn every_condition_that_fails_a_command_is_read_alike() {
    for command in [
        "stats",
        "show",
        "report",
        "replay",
        "live",
        "stress",
        "sweep",
        "compare",
        "explain",
        "trace",
        "awr",
        "analyze",
        "fit",
        "calibrate",
    ] {
        for condition in ["p99>20ms", "mean>=1.5ms", "max>3m40s", "rate<10", "rate<600/min"] {
            let words = ["isotherm", command, "x", "--fail-if", condition];
            assert!(Cli::try_parse_from(words).is_ok(), "{command} {condition}");
        }
        for wrong in ["p99", "p99>fast", "p99>5%", "gain<5%", "rate<5ms", "median>1ms"] {
            let words = ["isotherm", command, "x", "--fail-if", wrong];
            let said = Cli::try_parse_from(words).unwrap_err().to_string();
            assert!(said.contains(&format!("'{wrong}'")), "{said}");
            assert!(said.contains("write for example"), "{said}");
        }
    }
}
