//! What Statspack's text reports (spreport.sql, 9i to 19c) print differently from AWR's: the header has
//! its heads underlined with tildes and leaves the database's name out, titles of 9i end in its name,
//! 10g puts the host on one line, and large counts are cut to whole thousands.

use super::number::Printed;

/// How a report shortens a count that is too long for its column.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Shortening {
    /// To the nearest number of that many digits: AWR.
    #[default]
    Rounded,
    /// To the number of whole thousands: `74K` is anything from 74,000 to 74,999. Statspack.
    Cut,
}

impl Shortening {
    /// The count that a printed one stands for, with how far it may be off.
    pub fn meant(self, printed: Printed) -> Printed {
        match self {
            Shortening::Rounded => printed,
            Shortening::Cut => Printed { value: printed.value + printed.half, ..printed },
        }
    }
}

/// Heads of the table that the line of the host in 10g stands for.
pub(super) const HOST_HEADS: [&str; 3] = ["Host Name", "CPUs", "Memory (MB)"];

/// What the line of the host in 10g says: `Host  Name:   cellar   Num CPUs:    8  Phys Memory (MB):  15,999`.
pub(super) fn host(line: &str) -> Option<Vec<String>> {
    let (_, rest) = line.strip_prefix("Host ")?.split_once("Name:")?;
    let (name, rest) = rest.split_once("Num CPUs:")?;
    let (cpus, memory) = rest.split_once("Phys Memory (MB):")?;
    Some([name, cpus, memory].iter().map(|cell| cell.trim().to_owned()).collect())
}

/// A title without the name of the database that 9i prints behind it.
pub(super) fn without_database(title: &str) -> &str {
    title.split_once(" for DB: ").map_or(title, |(title, _)| title)
}

/// Whether a line underlines heads of Statspack's header: four or eight tildes, a blank, dashes.
pub(super) fn underlines_header(line: &[char]) -> bool {
    let tildes = line.iter().take_while(|c| **c == '~').count();
    matches!(tildes, 4 | 8) && matches!(line.get(tildes..tildes + 2), Some([' ', '-']))
}

/// A line of heads without what names a group of columns: `----- % of Waits -----`.
pub(super) fn without_groups(line: &[char]) -> Vec<char> {
    let mut plain = line.to_vec();
    let mut begun = None;
    let mut at = 0;
    for run in line.chunk_by(|one, two| (*one == '-') == (*two == '-')) {
        let end = at + run.len();
        match begun {
            _ if run.len() < 2 || run.first() != Some(&'-') => {}
            None => begun = Some(at),
            Some(start) => {
                plain[start..end].fill(' ');
                begun = None;
            }
        }
        at = end;
    }
    plain
}

/// The name of the database as titles of tables have it: `DB/Inst: HEAT/heat1  Snaps: 1-2`.
pub(super) fn database_name(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("DB/Inst: ")?;
    let (name, _) = rest.split_once('/')?;
    let plain = !name.is_empty() && name.len() <= 30 && !name.contains(char::is_whitespace);
    plain.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_names_and_hosts_are_found() {
        let title = "Wait Events for DB: HEAT  Instance: heat1";
        assert_eq!(without_database(title), "Wait Events");
        assert_eq!(without_database("Wait Event Histogram"), "Wait Event Histogram");
        assert_eq!(database_name("x\nWait Events  DB/Inst: HEAT/heat1  Snaps: 1-2"), Some("HEAT"));
        assert_eq!(database_name("DB/Inst: /heat1"), None);
        let line =
            "Host  Name:   cellar           Num CPUs:   16        Phys Memory (MB):   64,000";
        assert_eq!(host(line).unwrap(), ["cellar", "16", "64,000"]);
        assert_eq!(host("Host Name             Platform"), None);
    }

    #[test]
    fn names_of_groups_of_columns_are_no_heads() {
        let without = |line: &str| -> String {
            without_groups(&line.chars().collect::<Vec<_>>()).into_iter().collect()
        };
        let line = "  Total ------ % of Waits -------";
        assert_eq!(without(line).trim(), "Total");
        let line = "   ---- Read --- ---- Write -- --- Wait ----";
        assert_eq!(without(line), " ".repeat(line.len()));
        assert_eq!(without("%Time -outs  SQL*Net -----"), "%Time -outs  SQL*Net -----");
    }

    #[test]
    fn only_the_header_is_underlined_with_tildes_and_one_blank() {
        let is = |line: &str| underlines_header(&line.chars().collect::<Vec<_>>());
        assert!(is("~~~~~~~~ ----------- ------------") && is("~~~~ ---------------- -----"));
        assert!(!is("~~~~~~~~    ---------- -----") && !is("~~~~~~~~~~~~      -----"));
        assert!(!is("~~~~~~~~") && !is("-------- -----"));
    }

    #[test]
    fn whole_thousands_stand_in_the_middle_of_what_they_were_cut_from() {
        let printed = Printed { value: 74_000.0, half: 500.0 };
        assert_eq!(Shortening::Cut.meant(printed).range(), (74_000.0, 75_000.0));
        assert_eq!(Shortening::Rounded.meant(printed).range(), (73_500.0, 74_500.0));
        assert_eq!(Shortening::Cut.meant(Printed::exact(9_999.0)), Printed::exact(9_999.0));
    }
}
