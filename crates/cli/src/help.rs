//! How the help is arranged: commands in groups, options under headings, and `-h` on one screen.
//!
//! What a command or an option is for stands with it; here is only where it appears.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory, FromArgMatches};

use crate::args::Cli;
use crate::unused;

/// The commands by what people come for.
pub const GROUPS: [(&str, &[&str]); 5] = [
    ("Watch", &["live", "top", "record", "serve", "push", "replay", "mark"]),
    (
        "Look",
        &[
            "show",
            "stats",
            "explain",
            "compare",
            "report",
            "fleet",
            "flame",
            "export",
            "import",
            "merge",
            "frames",
            "sql-buckets",
        ],
    ),
    ("Oracle", &["trace", "awr", "bpftrace", "sqlplus-script"]),
    ("Load", &["stress", "sweep", "analyze", "fit", "calibrate", "lab", "cache"]),
    ("Help", &["demo", "sources", "doctor", "completions", "man"]),
];

/// Headings for options that mean the same in several commands.
const HEADINGS: [(&str, &[&str]); 4] = [
    (
        "Input",
        &[
            "as",
            "columns",
            "unit",
            "time-unit",
            "temporality",
            "interval",
            "by",
            "where",
            "zone",
            "memory",
            "read-threads",
            "jobs",
            "strict",
            "follow",
        ],
    ),
    (
        "Recording",
        &["record", "keep", "durable", "append", "alongside", "no-alongside", "keep-command"],
    ),
    (
        "Output",
        &[
            "output",
            "format",
            "force",
            "max-size",
            "describe",
            "details",
            "width",
            "height",
            "map",
            "ui",
            "table",
            "csv",
            "no-progress",
            "quiet",
        ],
    ),
    ("Checks", &["device", "fail-if", "pass-when-unsure"]),
];

/// The options of commands with many that `-h` shows; `--help` has them all.
const SHORT: [(&str, &[&str]); 25] = [
    ("demo", &["speed", "report", "output"]),
    ("live", &["ui", "record", "keep", "for", "events", "series", "follow", "columns", "unit"]),
    ("top", &["every", "hz", "once", "for", "by", "format"]),
    ("record", &["output", "for", "keep", "append", "interval", "columns", "unit"]),
    ("serve", &["listen", "name", "read-only", "keep", "record", "open", "for", "columns", "unit"]),
    ("push", &["to", "every", "series", "for", "waited", "buckets", "follow", "columns", "unit"]),
    ("replay", &["speed", "from", "to", "series", "ui", "describe"]),
    ("show", &["series", "from", "to", "columns", "unit", "describe", "device", "width", "height"]),
    ("stats", &["series", "from", "to", "by", "format", "fail-if", "describe", "device"]),
    ("compare", &["a", "b", "align", "series", "fail-if", "output", "quiet", "format", "describe"]),
    ("explain", &["from", "to", "above", "below", "top", "series", "by"]),
    ("import", &["output", "from", "to", "columns", "unit", "by", "where", "interval"]),
    ("merge", &["output", "columns", "unit", "by", "where", "interval"]),
    ("frames", &["output", "columns", "unit", "by", "where", "interval", "jobs"]),
    ("fleet", &["metric", "series", "by", "since", "output", "json", "rules", "dashboard"]),
    ("flame", &["from", "to", "heat", "frames", "oracle", "output", "format"]),
    ("report", &["output", "title", "series", "from", "to", "format"]),
    ("trace", &["top", "sort", "from", "to", "fail-if", "format", "record"]),
    ("awr", &["format", "csv", "from", "to", "fail-if"]),
    ("stress", &["in-flight", "rate", "for", "update", "size", "record", "fail-if"]),
    (
        "sweep",
        &[
            "output",
            "vary",
            "repeats",
            "stop-when",
            "for",
            "size",
            "plan",
            "write-plan",
            "resume",
            "dry-run",
        ],
    ),
    ("analyze", &["output", "format", "title"]),
    ("fit", &["columns", "model", "at-load", "loads", "format", "output", "point", "example"]),
    ("calibrate", &["for", "quick", "size", "device", "with-writes", "output", "record"]),
    (
        "lab",
        &["list", "explain", "short", "server", "measured", "columns", "unit", "output", "format"],
    ),
];

/// So many examples are part of `-h`.
const SHORT_EXAMPLES: usize = 4;
/// Headings of which `-h` shows nothing.
const LONG_ONLY: [&str; 3] = ["Screen", "Probe", "Oracle"];

/// The command line.
pub fn command() -> Command {
    let cli = Cli::command();
    let help = cli.get_after_help().map(ToString::to_string).unwrap_or_default();
    let template = template(&cli);
    let mut cli = cli.help_template(template).after_help(None::<&str>).after_long_help(help);
    for (at, name) in GROUPS.iter().flat_map(|(_, names)| names.iter()).enumerate() {
        cli = cli.mut_subcommand(name, |command| arranged(command).display_order(at));
    }
    cli
}

/// Reads the command line, and which options stand there; what is wrong with it, or what was asked
/// about it, is the error.
pub fn parse(
    words: impl IntoIterator<Item = std::ffi::OsString>,
) -> Result<(Cli, Vec<String>), clap::Error> {
    let mut command = command();
    let words: Vec<std::ffi::OsString> = words.into_iter().collect();
    let read = command.try_get_matches_from_mut(&words);
    let mut matches = read.map_err(|error| with_near_commands(error, &command, &words))?;
    let given = unused::given(&command, &matches);
    let cli =
        Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))?;
    Ok((cli, given))
}

/// Adds the commands that may have been meant by `help WORD`.
fn with_near_commands(
    mut error: clap::Error,
    command: &Command,
    words: &[std::ffi::OsString],
) -> clap::Error {
    let asks_help = words.get(1).is_some_and(|word| word == "help");
    let Some(unknown) = words.get(2).and_then(|word| word.to_str()).filter(|_| asks_help) else {
        return error;
    };
    let names: Vec<&'static str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
    let near = isotherm_formats::nearest(unknown, &names);
    if error.kind() == ErrorKind::InvalidSubcommand && !near.is_empty() {
        let near = near.into_iter().map(str::to_owned).collect();
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(near));
        return error.with_cmd(command);
    }
    error
}

/// A command with its options under their headings, and with a short help that fits a screen.
fn arranged(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let shown = SHORT.iter().find(|(short, _)| *short == name).map(|(_, shown)| *shown);
    let command = command.mut_args(|arg| placed(arg, shown));
    match command.get_after_help().map(ToString::to_string) {
        Some(help) if !help.is_empty() => {
            let examples = examples(help.split("\n\n").next().unwrap_or_default());
            let shown = examples.into_iter().filter(|one| !uses_hidden(one, &command));
            let examples: Vec<String> = shown.take(1 + SHORT_EXAMPLES).collect();
            command.after_help(examples.join("\n")).after_long_help(help)
        }
        _ => command,
    }
}

/// The heading and each example, one of several lines together.
fn examples(help: &str) -> Vec<String> {
    let mut examples: Vec<String> = Vec::new();
    for line in help.lines() {
        match examples.last_mut().filter(|before| before.ends_with('\\')) {
            Some(before) => {
                before.push('\n');
                before.push_str(line);
            }
            None => examples.push(line.to_owned()),
        }
    }
    examples
}

/// Whether an example uses an option that only `--help` explains.
fn uses_hidden(example: &str, command: &Command) -> bool {
    let mut options = example.split_whitespace().filter_map(|word| word.strip_prefix("--"));
    options.any(|option| {
        let mut args = command.get_arguments();
        args.any(|arg| arg.get_long() == Some(option) && arg.is_hide_short_help_set())
    })
}

fn placed(arg: Arg, shown: Option<&[&str]>) -> Arg {
    let Some(long) = arg.get_long().map(str::to_owned) else { return arg };
    let own = arg.get_help_heading().map(str::to_owned);
    let common = HEADINGS.iter().find(|(_, names)| names.contains(&long.as_str()));
    let arg = match common.filter(|_| own.as_deref().is_none_or(|own| !is_particular(own))) {
        Some((heading, _)) => arg.help_heading(*heading),
        None => arg,
    };
    let is_kept = match shown {
        Some(shown) => shown.contains(&long.as_str()),
        None => !arg.get_help_heading().is_some_and(|heading| LONG_ONLY.contains(&heading)),
    };
    if is_kept || ["help", "version"].contains(&long.as_str()) {
        arg
    } else {
        arg.hide_short_help(true)
    }
}

/// Whether a heading is of one kind of source or target, whose options are its own.
fn is_particular(heading: &str) -> bool {
    LONG_ONLY.contains(&heading) || heading.starts_with("Files")
}

/// The help of the program, with the commands beside the names of their groups: one screen.
fn template(cli: &Command) -> StyledStr {
    let widest = cli.get_subcommands().map(|command| command.get_name().len()).max().unwrap_or(0);
    let margin = GROUPS.iter().map(|(heading, _)| heading.len()).max().unwrap_or(0) + 1;
    let mut groups = String::new();
    for (heading, names) in GROUPS {
        let mut heading = format!("{heading}:");
        for name in names {
            let Some(command) = cli.find_subcommand(name) else { continue };
            let aliases: Vec<&str> = command.get_visible_aliases().collect();
            let mut about = command.get_about().map(ToString::to_string).unwrap_or_default();
            if !aliases.is_empty() {
                let _ = write!(about, " [{}]", aliases.join(", "));
            }
            let heading = std::mem::take(&mut heading);
            let _ = writeln!(
                groups,
                "\x1b[1m{heading:<margin$}\x1b[0m  \x1b[1m{name:<widest$}\x1b[0m  {about}"
            );
        }
    }
    StyledStr::from(format!(
        "{{about-with-newline}}{{before-help}}{groups}\
         {{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built() -> Command {
        let mut command = command();
        command.build();
        command
    }

    #[test]
    fn every_command_stands_in_one_group() {
        let built = built();
        let is_shown = |one: &&Command| !one.is_hide_set() && one.get_name() != "help";
        let shown = built.get_subcommands().filter(is_shown);
        let mut names: Vec<&str> = shown.map(Command::get_name).collect();
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(names, grouped);
    }

    #[test]
    fn short_help_fits_a_screen_and_names_what_there_is() {
        let built = built();
        for (name, shown) in SHORT {
            let command = built.find_subcommand(name).expect(name);
            let longs: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
            for option in shown {
                assert!(longs.contains(option), "{name} has no --{option}");
            }
        }
        for command in built.get_subcommands().filter(|command| command.get_name() != "help") {
            let help = command.clone().term_width(100).render_help().to_string();
            let lines = help.lines().count();
            assert!(lines <= 40, "{}, {lines} lines:\n{help}", command.get_name());
        }
        let help = built.clone().render_help().to_string();
        assert!(help.lines().count() <= 40, "{} lines:\n{help}", help.lines().count());
    }

    #[test]
    fn every_way_to_begin_an_address_stands_in_the_help_and_the_guide() {
        let built = built();
        let help = |name: &str, argument: &str| {
            let command = built.find_subcommand(name).expect(name);
            let argument = command.get_arguments().find(|arg| arg.get_id() == argument);
            argument.and_then(Arg::get_help).expect(name).to_string()
        };
        let guide = include_str!("../../../docs/guide/grammar.md");
        // What is another spelling is named by the first one.
        let spellings = ["postgresql", "oracle+tcps", "mariadb", "prom+https"];
        let all = isotherm_live::address_schemes().into_iter();
        for scheme in all.filter(|scheme| !spellings.contains(&scheme.name)) {
            let begin = format!("{}:", scheme.name);
            assert!(guide.contains(&format!("| `{}` |", scheme.example)), "{}", scheme.example);
            if scheme.is_watched && scheme.name != "file" {
                assert!(help("live", "source").contains(&begin), "live: {begin}");
            }
            if scheme.is_loaded {
                assert!(help("stress", "target").contains(&begin), "stress: {begin}");
                assert!(help("sweep", "target").contains(&begin), "sweep: {begin}");
            }
        }
    }

    #[test]
    fn the_examples_of_short_help_use_options_that_stand_there() {
        for command in built().get_subcommands() {
            let help = command.clone().term_width(100).render_help().to_string();
            let Some((options, examples)) = help.split_once("\nExamples:") else { continue };
            assert!(examples.contains("isotherm "), "{} -h has an example", command.get_name());
            let longs: Vec<String> = command
                .get_arguments()
                .filter_map(Arg::get_long)
                .map(|l| format!("--{l}"))
                .collect();
            for word in examples.split_whitespace().filter(|word| longs.iter().any(|l| l == word)) {
                let is_listed = options.split_whitespace().any(|listed| listed == word);
                assert!(is_listed, "{} -h has no {word}:\n{help}", command.get_name());
            }
        }
    }

    #[test]
    fn no_option_stands_under_the_heading_of_another_kind() {
        let built = built();
        let stress = built.find_subcommand("stress").expect("stress");
        let heading = |option: &str| {
            let arg = stress.get_arguments().find(|arg| arg.get_long() == Some(option));
            arg.expect(option).get_help_heading().map(str::to_owned)
        };
        assert_eq!(heading("record").as_deref(), Some("Recording"));
        assert_eq!(heading("size").as_deref(), Some("Files and devices"));
        assert_eq!(heading("format").as_deref(), Some("Output"));
    }
}
