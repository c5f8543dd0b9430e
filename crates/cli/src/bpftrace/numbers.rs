//! What numbers stand for, and which of them are meant.

use std::fs;
use std::path::Path;

use isotherm_live::event_names;
use isotherm_oracle::uprobes::{NumberedName, names};

use super::arguments::EventArgs;
use crate::failure::{Code, Failure};
use crate::oracle_args::OracleArgs;
use crate::screen;

/// The names in a file, if one is given.
pub(super) fn names_of(file: Option<&Path>) -> Result<Vec<NumberedName>, Failure> {
    let Some(path) = file else { return Ok(Vec::new()) };
    let shown = path.display();
    let text = fs::read(path)
        .map_err(|error| Failure::new(Code::Runtime, format!("cannot read {shown}: {error}")))?;
    let read =
        names(&text).map_err(|error| Failure::new(Code::Runtime, format!("{shown}: {error}")))?;
    let (known, passed_over) = (read.names.len(), read.passed_over);
    if passed_over > 0 {
        screen::warn(&format!("{shown}: {known} names; {passed_over} other lines skipped"));
    }
    Ok(read.names)
}

/// The names of the wait events of the instance at `address`.
pub(super) fn asked_of(address: &str) -> Result<Vec<NumberedName>, Failure> {
    let source = OracleArgs::default().address(address)?;
    let Some(oracle) = source.oracle() else {
        let text = format!("--connect: '{address}' is no database (oracle://..., sqlplus:/)");
        return Err(Failure::usage(text));
    };
    event_names(oracle, &mut |warning: String| screen::warn(&warning)).map_err(Failure::from)
}

/// The numbers of the events that are `wanted` by number or by name.
pub(super) fn chosen(wanted: &[String], names: &[NumberedName]) -> Result<Vec<u32>, Failure> {
    let mut all = Vec::new();
    for text in wanted {
        let text = text.trim();
        match text.parse::<u32>() {
            Ok(number) => all.push(number),
            Err(_) => all.extend(named(text, names)?),
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// The events of that name, in any case of letters.
fn named(wanted: &str, names: &[NumberedName]) -> Result<Vec<u32>, Failure> {
    if names.is_empty() {
        return Err(Failure::usage(format!(
            "'{wanted}' is a name, and event numbers differ from release to release: give the \
             output of `select event#, name from v$event_name` with --names, or the number"
        )));
    }
    let lower = wanted.to_lowercase();
    let is_wanted = |name: &str| match lower.strip_suffix('*') {
        Some(beginning) => name.to_lowercase().starts_with(beginning),
        None => name.to_lowercase() == lower,
    };
    let found: Vec<u32> =
        names.iter().filter(|(_, name)| is_wanted(name)).map(|(number, _)| *number).collect();
    if found.is_empty() {
        return Err(Failure::usage(format!("there is no event '{wanted}'{}", near(&lower, names))));
    }
    Ok(found)
}

/// Some names that share a word with `wanted`.
fn near(wanted: &str, names: &[NumberedName]) -> String {
    let shared = |name: &str| {
        let name = name.to_lowercase();
        wanted
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 2 && name.contains(word))
            .count()
    };
    let mut near: Vec<(usize, &str)> = names
        .iter()
        .map(|(_, name)| (shared(name), name.as_str()))
        .filter(|(n, _)| *n > 0)
        .collect();
    near.sort_by_key(|(words, name)| (std::cmp::Reverse(*words), *name));
    let some: Vec<String> = near.iter().take(4).map(|(_, name)| format!("'{name}'")).collect();
    if some.is_empty() { String::new() } else { format!("; there are {}", some.join(", ")) }
}

/// The names of wait events, asked of the instance or read from a file.
pub fn of(args: &EventArgs) -> Result<Vec<NumberedName>, Failure> {
    match &args.connect {
        Some(address) => asked_of(address),
        None => names_of(args.names.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<NumberedName> {
        let all = ["db file sequential read", "db file scattered read", "log file sync"];
        (150..).zip(all).map(|(number, name)| (number, name.to_owned())).collect()
    }

    fn choose(wanted: &[&str], names: &[NumberedName]) -> Result<Vec<u32>, String> {
        let wanted: Vec<String> = wanted.iter().map(|&text| text.to_owned()).collect();
        chosen(&wanted, names).map_err(|failure| failure.message)
    }

    #[test]
    fn events_are_chosen_by_number_and_name() {
        assert_eq!(choose(&[], &names()), Ok(vec![]));
        assert_eq!(choose(&["9", "Log File Sync", "9"], &names()), Ok(vec![9, 152]));
        assert_eq!(choose(&["db file*"], &names()), Ok(vec![150, 151]));
        assert_eq!(choose(&["7"], &[]), Ok(vec![7]));
    }

    #[test]
    fn a_name_that_is_none_is_refused_with_near_ones() {
        let refusal = choose(&["db file sequental read"], &names()).expect_err("no such event");
        let wanted = "there is no event 'db file sequental read'; there are \
                      'db file scattered read', 'db file sequential read', 'log file sync'";
        assert_eq!(refusal, wanted);
        assert_eq!(choose(&["xyz*"], &names()), Err("there is no event 'xyz*'".to_owned()));
        assert!(choose(&["log file sync"], &[]).expect_err("no names").contains("--names"));
    }
}
