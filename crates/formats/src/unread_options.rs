//! Options that a decoder does not look at.

use isotherm_frame::Unit;

use crate::{Context, DecodeError, Note, Sink, Source};

/// Looks at what is asked of `source` that it does not look at. What would be counted or named as if it
/// had been done is refused: conditions, and attributes that tell series apart. Of what changes nothing,
/// because the format leaves it no choice, it is said that it has no effect.
pub fn check(
    source: &dyn Source,
    context: &Context,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let name = source.meta().name;
    if !context.only.is_empty() && !source.looks_at_attributes() {
        return Err(DecodeError::Request(no_conditions(name)));
    }
    if !context.by.is_empty() && !context.keeps_attributes && !source.tells_apart() {
        return Err(DecodeError::Request(format!(
            "--by cannot separate the events of {name}: the input names its series itself; leave \
             --by out, and choose series with --series TEXT"
        )));
    }
    for option in source.ignores().iter().filter(|option| option.is_given(context)) {
        let (option, why) = option.words();
        let said = format!("{option} has no effect: the input is of {name}, and {why}");
        sink.note(Note::Said(said.into()));
    }
    Ok(())
}

/// Why conditions are refused, and what to use.
pub fn no_conditions(name: &str) -> String {
    format!("--where cannot choose among the events of {name}: choose series with --series TEXT")
}

/// Says that the unit that an input names goes before another one that is given.
pub(crate) fn say_named_unit(given: Option<Unit>, named: Option<Unit>, sink: &mut dyn Sink) {
    if let Some((given, named)) = given.zip(named).filter(|(given, named)| given != named) {
        let said = format!("--unit {given} has no effect where the input names its unit, {named}");
        sink.note(Note::Said(said.into()));
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Account;

    use super::*;
    use crate::{SOURCES, Temporality};

    fn checked(name: &str, context: &Context) -> (bool, Vec<String>) {
        let source = SOURCES.iter().find(|source| source.meta().name == name).unwrap();
        let mut account = Account::default();
        let passes = check(*source, context, &mut account).is_ok();
        (passes, account.notices.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn attributes_are_asked_only_of_what_has_them() {
        let by = Context { by: vec!["size".to_owned()], ..Context::default() };
        for (name, passes) in
            [("strace", true), ("oracletrace", true), ("bcc", false), ("prometheus", false)]
        {
            assert_eq!(checked(name, &by).0, passes, "{name}");
        }
        // Who looks at all attributes by itself.
        assert!(checked("bcc", &Context { keeps_attributes: true, ..by }).0);
    }

    #[test]
    fn what_changes_nothing_is_said() {
        let unit = Context { unit: Some(Unit::Millis), ..Context::default() };
        let (passes, said) = checked("strace", &unit);
        assert!(
            passes && said[0].starts_with("--unit has no effect: the input is of strace"),
            "{said:?}"
        );
        assert_eq!(checked("columns", &unit), (true, Vec::new()));
        let delta = Context { temporality: Temporality::Delta, ..Context::default() };
        assert_eq!(checked("pgbench", &delta).1.len(), 1);
        assert_eq!(checked("bcc", &delta), (true, Vec::new()));
    }
}
