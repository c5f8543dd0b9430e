//! A format that is recognised and not decoded.

/// What a text was recognised as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// The format, as in `a latency log of fio`.
    pub(crate) name: &'static str,
    /// How it can be read.
    pub(crate) way: Way,
}

/// How a format that is not decoded can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Its lines are columns: the names for `--columns`, which tell the units too.
    Columns {
        /// The names.
        names: String,
        /// What else to know; may be empty.
        remark: &'static str,
    },
    /// It cannot be read: why, and what to use instead.
    NotYet(&'static str),
    /// None of its numbers is that of a single event, so that no names of columns make it right: what to
    /// use instead.
    NoEvents(&'static str),
    /// It holds no latencies, and another command reads it: which one.
    Elsewhere(&'static str),
}

impl Foreign {
    /// The names for `--columns`, if its lines are columns as they are.
    pub(crate) fn columns(&self) -> Option<&str> {
        match &self.way {
            Way::Columns { names, .. } => Some(names),
            Way::NotYet(_) | Way::NoEvents(_) | Way::Elsewhere(_) => None,
        }
    }

    /// What to do with it.
    pub(crate) fn advice(&self) -> String {
        let with = |remark: &str| {
            if remark.is_empty() { String::new() } else { format!(" ({remark})") }
        };
        match &self.way {
            Way::Columns { names, remark } => {
                format!("read it with --columns {names}{}", with(remark))
            }
            Way::NotYet(why) => format!("it cannot be read yet; {why}"),
            Way::NoEvents(why) => (*why).to_owned(),
            Way::Elsewhere(command) => (*command).to_owned(),
        }
    }
}
