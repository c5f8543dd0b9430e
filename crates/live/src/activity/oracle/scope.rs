//! Which instances are looked at.

/// Which instances are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The one connected to: no view of all instances may be read.
    Own,
    /// All there are.
    All,
    /// These.
    Some(Vec<u32>),
}

impl Scope {
    /// All instances where none are named.
    pub(super) fn of(instances: &[u32]) -> Scope {
        if instances.is_empty() { Scope::All } else { Scope::Some(instances.to_vec()) }
    }

    /// The view of this name, and the number of the instance in its rows.
    pub(super) fn view(&self, name: &str) -> String {
        if *self == Scope::Own { format!("v${name}") } else { format!("gv${name}") }
    }

    pub(super) fn instance(&self) -> &'static str {
        if *self == Scope::Own { "SYS_CONTEXT('USERENV', 'INSTANCE')" } else { "inst_id" }
    }

    /// Which rows, beside a condition. The processes that read a view of all instances have names like
    /// `PZ99`: they are of the question itself.
    pub(super) fn only(&self) -> String {
        let readers = "\nAND (program IS NULL OR program NOT LIKE '%(PZ__)')";
        match self {
            Scope::Own => String::new(),
            Scope::All => readers.to_owned(),
            Scope::Some(_) => format!("{readers}{}", self.only_instances("AND")),
        }
    }

    /// The condition that chooses instances, behind `WHERE` or `AND`; nothing where all are chosen.
    pub(super) fn only_instances(&self, word: &str) -> String {
        let Scope::Some(instances) = self else { return String::new() };
        let numbers: Vec<String> = instances.iter().map(u32::to_string).collect();
        format!("\n{word} inst_id IN ({})", numbers.join(", "))
    }
}
