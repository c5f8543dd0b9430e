//! The user calls of SQL traces: what the lab counts on the wire, counted in what Oracle wrote.

use isotherm_oracle::trace::{CallCounts, UserCalls, UserStatement};

/// SQL traces and the calls in them.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    /// What the input is called.
    pub name: String,
    /// Its calls.
    pub calls: UserCalls,
}

/// Further fetches that an execution may have beside ceil(rows / array): one of the first rows alone, as
/// SQL*Plus and JDBC fetch them, and one that finds that there are no more.
const MORE: u64 = 2;

/// What a statement is, by the number of its command.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Query,
    Change,
    Ddl,
    Block,
    Procedure,
    Other,
    Missing,
}

/// The statements of one kind together.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct KindCalls {
    pub statements: u64,
    pub calls: CallCounts,
    pub rows: u64,
}

/// How far executions keep to ceil(rows / array), where the array is the largest fetch of the statement.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Fullness {
    /// Executions that were fetched from.
    pub executions: u64,
    /// Those of them with more fetches.
    pub others: u64,
}

impl Kind {
    pub const ALL: [Kind; 7] = [
        Kind::Ddl,
        Kind::Change,
        Kind::Block,
        Kind::Procedure,
        Kind::Query,
        Kind::Other,
        Kind::Missing,
    ];

    /// The kind of a statement; the numbers are those of `V$SQLCOMMAND`.
    pub fn of(statement: &UserStatement) -> Kind {
        match statement.command {
            None => Kind::Missing,
            Some(3) => Kind::Query,
            Some(2 | 6 | 7 | 189) => Kind::Change,
            Some(1 | 4 | 5 | 8..=25 | 28 | 29 | 85) => Kind::Ddl,
            Some(47) => Kind::Block,
            Some(170) => Kind::Procedure,
            Some(_) => Kind::Other,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Query => "queries",
            Kind::Change => "insert, update, delete, merge",
            Kind::Ddl => "DDL",
            Kind::Block => "anonymous blocks",
            Kind::Procedure => "CALL of a procedure",
            Kind::Other => "other statements",
            Kind::Missing => "not in the file",
        }
    }

    /// What was published for Oracle, of one execution.
    pub fn published(self) -> &'static str {
        match self {
            Kind::Query => "2 + ceil(rows/array)",
            Kind::Ddl | Kind::Block => "2",
            Kind::Procedure => "3",
            Kind::Change | Kind::Other | Kind::Missing => "-",
        }
    }
}

impl Traced {
    /// All statements of a kind.
    pub fn of_kind(&self, kind: Kind) -> KindCalls {
        let all = self.calls.statements().iter().filter(|one| Kind::of(one) == kind);
        all.fold(KindCalls::default(), |sum, one| KindCalls {
            statements: sum.statements + 1,
            calls: sum.calls.plus(one.calls),
            rows: sum.rows.saturating_add(one.rows),
        })
    }

    /// The statements with the most user calls, most first.
    pub fn largest(&self) -> Vec<&UserStatement> {
        let called = |one: &&UserStatement| one.calls.sum() > 0;
        let mut all: Vec<&UserStatement> = self.calls.statements().iter().filter(called).collect();
        all.sort_by(|one, other| {
            other.calls.sum().cmp(&one.calls.sum()).then_with(|| one.name.cmp(&other.name))
        });
        all
    }

    /// Whether arrays were full.
    pub fn fullness(&self) -> Fullness {
        let mut found = Fullness::default();
        for statement in self.calls.statements() {
            for (&(rows, fetches), &count) in &statement.executions {
                found.executions += count;
                let least = fetches_of(rows, statement.largest.max(1));
                found.others += if fetches > least + MORE { count } else { 0 };
            }
        }
        found
    }

    /// The user calls that were left if every fetch took this many rows.
    pub fn with_arrays_of(&self, array: u64) -> u64 {
        self.calls.statements().iter().map(|one| with_arrays_of(one, array)).sum()
    }
}

/// The user calls of a statement if every fetch took this many rows. Fetches of executions that began
/// before the trace stay as they were.
pub fn with_arrays_of(statement: &UserStatement, array: u64) -> u64 {
    let CallCounts { parses, execs, fetches } = statement.calls;
    let known: u64 = statement.executions.iter().map(|(&(_, seen), &count)| seen * count).sum();
    let then =
        statement.executions.iter().map(|(&(rows, _), &count)| fetches_of(rows, array) * count);
    parses + execs + fetches.saturating_sub(known) + then.sum::<u64>()
}

/// The fetches that hold these rows; one where there are none.
fn fetches_of(rows: u64, array: u64) -> u64 {
    rows.div_ceil(array).max(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn arrays_that_take_more_rows_leave_fewer_fetches() {
        // The published query, fetched by 15 rows, and an execution that began before the trace.
        let statement = UserStatement {
            calls: CallCounts { parses: 1, execs: 1, fetches: 4_757 + 3 },
            rows: 71_353,
            largest: 15,
            executions: BTreeMap::from([((71_353, 4_757), 1)]),
            ..UserStatement::default()
        };
        assert_eq!([15, 200].map(|array| with_arrays_of(&statement, array) - 3), [4_759, 359]);
        assert_eq!(fetches_of(0, 10), 1);
    }

    #[test]
    fn commands_have_the_kinds_that_were_published() {
        let of = |command| Kind::of(&UserStatement { command, ..UserStatement::default() });
        let kinds = [Some(1), Some(2), Some(47), Some(170), Some(3), Some(42), None].map(of);
        assert_eq!(kinds, Kind::ALL);
    }
}
