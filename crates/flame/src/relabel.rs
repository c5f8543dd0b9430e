//! Frames with other names.

use crate::names::NameId;
use crate::oracle_names::explain;
use crate::sed::Script;
use crate::stacks::{StackId, Stacks};

/// How frames are renamed.
#[derive(Clone, Debug, Default)]
pub struct Relabel {
    /// Whether functions of Oracle's kernel are explained.
    pub oracle: bool,
    /// The user's own substitutions, which come first.
    pub script: Option<Script>,
}

impl Relabel {
    /// Whether nothing is renamed.
    pub fn is_nothing(&self) -> bool {
        !self.oracle && self.script.is_none()
    }

    /// The name that a frame gets; `None` if it is left out.
    fn renamed(&self, name: &str) -> Option<String> {
        let own = self.script.as_ref().map(|script| script.apply(name));
        match own {
            Some(None) => None,
            Some(Some(changed)) if changed != name => Some(changed),
            _ if self.oracle => Some(explain(name).unwrap_or_else(|| name.to_owned())),
            _ => Some(name.to_owned()),
        }
    }

    /// The stacks with renamed frames, with the new number of each old one. Every count stays: the
    /// outermost frame is never left out.
    pub fn apply(&self, stacks: &Stacks) -> (Stacks, Vec<StackId>) {
        let names: Vec<Option<String>> = stacks.names().map(|name| self.renamed(name)).collect();
        stacks.mapped(|frames, made| {
            let renamed = |(at, &frame): (usize, &NameId)| {
                let old = stacks.name(frame);
                let new = names.get(frame as usize).and_then(Option::as_deref);
                new.or((at == 0).then_some(old))
            };
            let names = frames.iter().enumerate().filter_map(renamed);
            names.map(|name| made.name_id(name.as_bytes())).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_and_counts_stay() {
        let mut stacks = Stacks::default();
        stacks.add_named(&["oracle", "qerixFetch", "kcbgtcr"], 3);
        stacks.add_named(&["oracle", "main"], 4);
        let script = Some(Script::parse("s/main/the beginning/\n/kcb/d\n"));
        let (made, _) = Relabel { oracle: true, script }.apply(&stacks);
        let names: Vec<&str> = made.names().collect();
        assert_eq!(names, ["oracle", "INDEX: Fetch [qerixFetch]", "the beginning"]);
        assert_eq!(made.total(), 7);
    }
}
