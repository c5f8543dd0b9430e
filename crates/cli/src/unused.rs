//! Options that have no effect in the way a command is used: they are refused, so that nobody believes
//! in what was not done.

mod rules;

use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command as Described};
use isotherm_pipeline::is_recording;

use crate::args::Command;
use crate::failure::Failure;
use rules::RULES;

/// Options that have no effect in some uses of a command.
struct Unused {
    /// By their long names.
    options: &'static [&'static str],
    /// Whether they have none here.
    in_vain: fn(&Command) -> bool,
    /// Why, and what to do instead.
    why: &'static str,
}

/// The options that stand on the command line, by their long names.
pub fn given(program: &Described, matches: &ArgMatches) -> Vec<String> {
    let Some((name, matches)) = matches.subcommand() else { return Vec::new() };
    let Some(command) = program.find_subcommand(name) else { return Vec::new() };
    let is_typed = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let typed = command.get_arguments().filter(|arg| is_typed(arg.get_id().as_str()));
    typed.filter_map(|arg| arg.get_long().map(str::to_owned)).collect()
}

/// Refuses the first of these options that has no effect.
pub fn refuse(command: &Command, given: &[String]) -> Result<(), Failure> {
    for rule in RULES {
        let found = rule.options.iter().find(|option| given.iter().any(|given| given == **option));
        if let Some(option) = found
            && (rule.in_vain)(command)
        {
            return Err(Failure::usage(format!("--{option} has no effect: {}", rule.why)));
        }
    }
    Ok(())
}

/// What a command reads; nothing where that is a live source, or no input of this kind.
fn inputs(command: &Command) -> Vec<&str> {
    let names = match command {
        Command::Replay(args) => &args.inputs,
        Command::Show(args) => &args.inputs,
        Command::Stats(args) => &args.inputs,
        Command::Explain(args) => &args.inputs,
        Command::Report(args) => &args.inputs,
        Command::Import(args) => &args.inputs,
        Command::Compare(args) => {
            return std::iter::once(args.before.as_str()).chain(args.after.as_deref()).collect();
        }
        _ => return Vec::new(),
    };
    names.iter().map(String::as_str).collect()
}

/// Whether all that a command reads are recordings.
fn reads_recordings(command: &Command) -> bool {
    let inputs = inputs(command);
    !inputs.is_empty() && inputs.iter().all(|name| is_recording(Path::new(name)))
}

/// Whether the source of a live command has one of these schemes.
fn has_scheme(command: &Command, schemes: &[&str]) -> bool {
    let source = match command {
        Command::Live(args) => &args.source,
        Command::Record(args) => &args.source,
        _ => return false,
    };
    schemes.iter().any(|scheme| source.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a command line, read as the program reads it.
    fn said(line: &str) -> Option<String> {
        let words = std::iter::once("isotherm").chain(line.split_whitespace());
        let (cli, given) = crate::help::parse(words.map(Into::into))
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        refuse(&cli.command.unwrap(), &given).err().map(|failure| failure.message)
    }

    #[test]
    fn what_has_no_effect_is_refused_and_what_has_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.heat");
        let about = isotherm_recording::About::default();
        let durability = isotherm_recording::Durability::Normal;
        isotherm_recording::Writer::create(&path, &about, durability).unwrap().finish().unwrap();
        let heat = path.display().to_string();
        for (line, option) in rules::EXAMPLES {
            let (vain, good) = line.split_once(" | ").unwrap();
            let [vain, good] = [vain, good].map(|line| line.replace("x.heat", &heat));
            let text = said(&vain).unwrap_or_else(|| panic!("{vain} is not refused"));
            assert!(text.starts_with(&format!("--{option} has no effect: ")), "{text}");
            assert_eq!(said(&good), None, "{good}");
        }
    }

    #[test]
    fn every_rule_has_an_example() {
        for rule in RULES {
            let has = |(_, option): &(&str, &str)| rule.options.contains(option);
            assert!(rules::EXAMPLES.iter().any(has), "{:?}", rule.options);
            assert!(rule.why.contains([';', ':']), "{:?} says what to do instead", rule.options);
        }
    }
}
