//! Formats of other tools that are recognised and not decoded: which format it is, and how its
//! latencies can be read as columns, if they can.

mod marks;
mod tables;

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
    /// Another program makes columns of it.
    Filter {
        /// The command, in which `FILE` stands for the input.
        command: String,
        /// The names of the columns it prints.
        names: &'static str,
        /// What else to know; may be empty.
        remark: &'static str,
    },
    /// It cannot be read: why, and what to use instead.
    NotYet(&'static str),
}

impl Foreign {
    /// Bytes looked at: what tells a format is near its beginning.
    const LOOKED_AT: usize = 16 << 10;

    /// The format of a text that begins with `head`, if it is a known one. A line that is cut off
    /// at the end of `head` is not looked at.
    pub(crate) fn recognise(head: &[u8]) -> Option<Foreign> {
        if head.contains(&0) {
            return None;
        }
        let head = &head[..head.len().min(Foreign::LOOKED_AT)];
        let whole = memchr::memrchr(b'\n', head).map_or(head, |end| &head[..end]);
        let text = String::from_utf8_lossy(whole);
        marks::recognise(&text).or_else(|| tables::recognise(&text))
    }

    /// The same for the input called `name`: fio tells only there what its values are.
    pub(crate) fn of(name: &str, head: &[u8]) -> Option<Foreign> {
        let known = Foreign::recognise(head)?;
        let fio = known.name == tables::FIO_LOG;
        let others = [("_bw.", "a bandwidth log of fio"), ("_iops.", "an IOPS log of fio")];
        let other = others.into_iter().find(|(part, _)| fio && name.contains(part));
        let way = Way::NotYet("it holds no latencies: the logs named lat, clat and slat do");
        Some(other.map_or(known, |(_, name)| Foreign { name, way }))
    }

    /// The names for `--columns`, if its lines are columns as they are.
    pub(crate) fn columns(&self) -> Option<&str> {
        match &self.way {
            Way::Columns { names, .. } => Some(names),
            Way::Filter { .. } | Way::NotYet(_) => None,
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
            Way::Filter { command, names, remark } => format!(
                "read it with: {command} | isotherm stats - --columns {names}{}",
                with(remark)
            ),
            Way::NotYet(why) => format!("it cannot be read yet; {why}"),
        }
    }
}

#[cfg(test)]
mod tests;
