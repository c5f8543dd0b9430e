//! The statements of a load, as the bytes that prepare and execute them.

use super::super::model;
use crate::{DatabaseOptions, Operation};
use isotherm_client::postgres::wire::{Answer, write};

/// The kind that reads; the other one writes.
const SELECT: u8 = 0;

/// Every statement of a load: two for each schema.
#[derive(Debug)]
pub struct Statements {
    all: Vec<Statement>,
    schemas: usize,
    /// Rows of each schema that are used.
    rows: u64,
    /// Rows an operation touches.
    unit: u64,
}

#[derive(Debug)]
struct Statement {
    /// The message that prepares it.
    prepare: Vec<u8>,
    /// The messages that execute it, with keys to be filled in.
    execute: Vec<u8>,
    /// Where the first key goes.
    first: usize,
}

impl Statements {
    /// The statements for `schemas` schemas.
    pub fn new(options: &DatabaseOptions) -> Statements {
        let unit = options.work_unit;
        let select = |number| model::select(number, unit);
        let update = |number| model::update(number, unit, options.redo);
        let numbers = 1..=options.schemas;
        let sql = numbers.clone().map(select).chain(numbers.map(update));
        let all =
            sql.enumerate().map(|(at, sql)| Statement::new(&format!("isotherm_{at}"), &sql, unit));
        Statements {
            all: all.collect(),
            schemas: usize::try_from(options.schemas).unwrap_or(1),
            rows: options.scale,
            unit: unit.into(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Which statement does an operation; below [`Statements::len`].
    #[inline]
    pub fn which(&self, operation: Operation) -> usize {
        let schema = usize::try_from(operation.place / self.rows).unwrap_or(0);
        let schema = schema.min(self.schemas - 1);
        if operation.kind == SELECT { schema } else { self.schemas + schema }
    }

    /// Puts the bytes that do an operation into `out`, preparing its statement first if need be.
    #[inline]
    pub fn fill(&self, out: &mut Vec<u8>, operation: Operation, prepared: bool) {
        out.clear();
        let Some(statement) = self.all.get(self.which(operation)) else { return };
        if !prepared {
            out.extend_from_slice(&statement.prepare);
        }
        let first = out.len() + statement.first;
        out.extend_from_slice(&statement.execute);
        let key = self.first_key(operation.place % self.rows);
        put(out, first, key);
        if self.unit > 1 {
            put(out, first + write::NEXT_PARAMETER, key + self.unit - 1);
        }
    }

    /// The first row of an operation: all its rows have to be there, so that one that would begin
    /// too near the end begins a work unit earlier.
    fn first_key(&self, row: u64) -> u64 {
        if row + self.unit > self.rows { row.saturating_sub(self.unit - 1) } else { row }
    }

    /// Whether an answer is what it has to be: all rows read, or changed.
    #[inline]
    pub fn right(&self, kind: u8, answer: &Answer) -> bool {
        if kind == SELECT && self.unit > 1 {
            answer.value.and_then(|value| u64::try_from(value).ok()) == Some(self.unit)
        } else {
            answer.rows == Some(self.unit)
        }
    }
}

impl Statement {
    fn new(name: &str, sql: &str, unit: u32) -> Statement {
        let (mut prepare, mut execute) = (Vec::new(), Vec::new());
        write::parse(&mut prepare, name, sql);
        let first = write::execute(&mut execute, name, if unit > 1 { 2 } else { 1 });
        Statement { prepare, execute, first }
    }
}

#[inline]
fn put(out: &mut [u8], at: usize, key: u64) {
    if let Some(place) = out.get_mut(at..at + 8) {
        place.copy_from_slice(&key.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPDATE: u8 = 1;

    fn keys(statements: &Statements, place: u64) -> (usize, Vec<u64>) {
        let operation = Operation { kind: UPDATE, place };
        let which = statements.which(operation);
        let mut out = Vec::new();
        statements.fill(&mut out, operation, true);
        let first = statements.all[which].first;
        let key = |at: usize| u64::from_be_bytes(out[at..at + 8].try_into().unwrap());
        let unit = usize::try_from(statements.unit).unwrap();
        (which, (0..unit.min(2)).map(|n| key(first + n * write::NEXT_PARAMETER)).collect())
    }

    #[test]
    fn a_place_is_a_row_of_a_schema_and_all_its_rows_are_there() {
        let options =
            DatabaseOptions { schemas: 3, scale: 100, work_unit: 10, ..Default::default() };
        let statements = Statements::new(&options);
        assert_eq!(statements.len(), 6);
        assert_eq!(keys(&statements, 0), (3, vec![0, 9]));
        assert_eq!(keys(&statements, 90), (3, vec![90, 99]));
        assert_eq!(keys(&statements, 91), (3, vec![82, 91]));
        assert_eq!(keys(&statements, 299), (5, vec![90, 99]));
        assert_eq!(statements.which(Operation { kind: SELECT, place: 150 }), 1);
        let single = DatabaseOptions { work_unit: 1, scale: 100, ..options };
        assert_eq!(keys(&Statements::new(&single), 199), (4, vec![99]));
    }

    #[test]
    fn too_few_rows_are_not_right() {
        let statements = Statements::new(&DatabaseOptions { work_unit: 10, ..Default::default() });
        let answer = |value, rows| {
            let mut answer = Answer::default();
            (answer.value, answer.rows) = (value, rows);
            answer
        };
        let counted = |value| answer(value, Some(1));
        assert!(statements.right(SELECT, &counted(Some(10))));
        assert!(!statements.right(SELECT, &counted(Some(9))));
        assert!(!statements.right(SELECT, &counted(None)));
        let changed = |rows| answer(None, rows);
        assert!(statements.right(UPDATE, &changed(Some(10))));
        assert!(!statements.right(UPDATE, &changed(Some(0))));
    }
}
