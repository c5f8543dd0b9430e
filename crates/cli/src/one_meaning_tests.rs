//! One long flag means one thing: it has one name for its value, and its help begins with one clause, on
//! every command that takes it.

use std::collections::BTreeMap;

use clap::{Arg, Command};

use crate::help;

/// Flags whose help differs on purpose, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("by", "It groups everywhere; where there is a fixed list of attributes, by one of them."),
    ("columns", "It names columns everywhere; those of a table of points have headings."),
    ("from", "Stacks have no clock: their times are lengths of time after the first sample."),
    ("to", "Stacks have no clock: their times are lengths of time after the first sample."),
    ("output", "The name of its value says what is written: one file, several, a directory."),
    ("record", "Its help says what is recorded: what is shown, latencies, waits."),
    ("every", "A screen is redrawn, and totals are exported: neither says what the other does."),
    ("since", "A history begins at a moment; a fleet is looked at for so long up to now."),
    ("list", "Its help says what is listed: labs, presets."),
    ("pid", "perf samples one process, a program for bpftrace counts several."),
];

/// What a flag is on one command: the name of its value and the first clause of its help.
fn meaning(arg: &Arg) -> (String, String) {
    let names = arg.get_value_names().unwrap_or_default();
    let takes_value = arg.get_action().takes_values();
    let value = if takes_value { names.join(" ") } else { String::new() };
    (value, first_clause(&arg.get_help().map(ToString::to_string).unwrap_or_default()))
}

/// The first clause, without the kinds of sources or files before it (`svg, png: the width`) and
/// without what follows a comma, a colon, a semicolon or a bracket.
fn first_clause(help: &str) -> String {
    let is_kind = |text: &str| !text.is_empty() && text.starts_with(char::is_lowercase);
    let text = match help.split_once(": ") {
        Some((kind, rest)) if is_kind(kind) => rest,
        _ => help,
    };
    let end = [". ", ", ", "; ", ": ", " (", " ["].iter().filter_map(|sign| text.find(sign)).min();
    let clause = &text[..end.unwrap_or(text.len())];
    let mut letters = clause.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The meanings of each flag, each with the commands where it has this one.
type Meanings = BTreeMap<String, BTreeMap<(String, String), Vec<String>>>;

fn gather(path: &str, command: &Command, found: &mut Meanings) {
    for arg in command.get_arguments() {
        let Some(long) = arg.get_long().filter(|long| !["help", "version"].contains(long)) else {
            continue;
        };
        let aliases = arg.get_visible_aliases().unwrap_or_default();
        for long in aliases.into_iter().chain([long]) {
            let meanings = found.entry(long.to_owned()).or_default();
            meanings.entry(meaning(arg)).or_default().push(path.trim().to_owned());
        }
    }
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        gather(&format!("{path} {}", sub.get_name()), sub, found);
    }
}

#[test]
fn a_flag_means_the_same_on_every_command() {
    let mut program = help::command();
    program.build();
    let mut found = Meanings::new();
    gather("", &program, &mut found);
    assert!(found.len() > 100, "{}", found.len());
    let mut wrong: Vec<String> = Vec::new();
    for (flag, meanings) in &found {
        let is_exception = EXCEPTIONS.iter().any(|(name, _)| name == flag);
        match (meanings.len(), is_exception) {
            (1, true) => wrong.push(format!("--{flag} is no exception any more")),
            (1, false) | (_, true) => {}
            _ => {
                wrong.push(format!("--{flag}:"));
                for ((value, clause), commands) in meanings {
                    wrong.push(format!("  {value:?} {clause:?}: {}", commands.join(", ")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(EXCEPTIONS.iter().all(|(_, why)| why.ends_with('.')), "each has a reason");
}

#[test]
fn the_first_clause_ends_where_details_begin() {
    for (help, clause) in [
        ("svg, png: the width in pixels", "The width in pixels"),
        ("Begin here: a time of day", "Begin here"),
        ("Width in characters; the terminal's", "Width in characters"),
        ("Keep only the last TIME, such as 30m", "Keep only the last TIME"),
        ("Short for --for 45s", "Short for --for 45s"),
    ] {
        assert_eq!(first_clause(help), clause);
    }
}
