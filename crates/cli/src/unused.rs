//! Options that have no effect in the way a command is used: they are refused, so that nobody believes
//! in what was not done.

mod fleet_rules;
mod load_rules;
mod rule;
mod rules;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command as Described};

use crate::args::Command;
use crate::failure::Failure;
use fleet_rules::FLEET_RULES;
use load_rules::LOAD_RULES;
use rules::RULES;

/// The options that stand on the command line, by their long names.
pub fn given(program: &Described, matches: &ArgMatches) -> Vec<String> {
    let Some((name, matches)) = matches.subcommand() else { return Vec::new() };
    let Some(command) = program.find_subcommand(name) else { return Vec::new() };
    let is_typed = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let typed = command.get_arguments().filter(|arg| is_typed(arg.get_id().as_str()));
    let mut found: Vec<String> =
        typed.filter_map(|arg| arg.get_long().map(str::to_owned)).collect();
    // `stress setup` has options of its own.
    found.extend(given(command, matches));
    found
}

/// Every rule.
fn rules() -> impl Iterator<Item = &'static rule::Unused> {
    RULES.iter().chain(LOAD_RULES).chain(FLEET_RULES)
}

/// Refuses the first of these options that has no effect.
pub fn refuse(command: &Command, given: &[String]) -> Result<(), Failure> {
    for rule in rules() {
        let found = rule.options.iter().find(|option| given.iter().any(|given| given == **option));
        if let Some(option) = found
            && (rule.applies)(command)
        {
            return Err(Failure::usage(format!("--{option} has no effect: {}", rule.why)));
        }
    }
    Ok(())
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

    fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
        rules::EXAMPLES
            .iter()
            .chain(load_rules::LOAD_EXAMPLES)
            .chain(fleet_rules::FLEET_EXAMPLES)
            .copied()
    }

    #[test]
    fn what_has_no_effect_is_refused_and_what_has_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.heat");
        let about = isotherm_recording::About::default();
        let durability = isotherm_recording::Durability::Normal;
        isotherm_recording::Writer::create(&path, &about, durability).unwrap().finish().unwrap();
        let heat = path.display().to_string();
        for (line, option) in examples() {
            let (unused, good) = line.split_once(" | ").unwrap();
            let [unused, good] = [unused, good].map(|line| line.replace("x.heat", &heat));
            let text = said(&unused).unwrap_or_else(|| panic!("{unused} is not refused"));
            assert!(text.starts_with(&format!("--{option} has no effect: ")), "{text}");
            assert_eq!(said(&good), None, "{good}");
        }
    }

    #[test]
    fn every_rule_has_an_example() {
        for rule in rules() {
            let has = |(_, option): &(&str, &str)| rule.options.contains(option);
            assert!(examples().any(|one| has(&one)), "{:?}", rule.options);
            assert!(rule.why.contains([';', ':']), "{:?} says what to do instead", rule.options);
        }
    }
}
