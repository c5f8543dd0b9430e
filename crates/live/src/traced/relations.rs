//! Names of relations, which the probes of `PostgreSQL` know by the number of their file.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use isotherm_formats::{Bytes, Context, DecodeError, Meta, Sink, Source, Verdict, printable};
use isotherm_frame::Series;

use super::program::Program;
use super::{postgres, totals};
use crate::feed::OpenError;

/// The names of relations, by the numbers of their database and their file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RelationNames(HashMap<(u32, u32), String>);

/// A program that tells relations apart, with their names.
#[derive(Debug)]
pub(super) struct NamedProgram {
    program: &'static Program,
    names: RelationNames,
}

impl RelationNames {
    /// A million names: nothing without an end is read.
    const MOST_BYTES: u64 = 64 << 20;

    /// Reads a file of lines `DATABASE|FILE|NAME`, as psql prints them; lines of another form are left out.
    pub(super) fn read(path: &Path) -> Result<RelationNames, OpenError> {
        let (text, damage) = Bytes::file(path)?.whole(RelationNames::MOST_BYTES)?;
        if let Some(damage) = damage {
            return Err(OpenError::Option(format!("names={}: {damage}", path.display())));
        }
        let names = RelationNames::of(&text);
        if names.0.is_empty() {
            return Err(OpenError::Option(format!(
                "names={}: no line is a database, a file and a name, such as 5|16396|public.orders",
                path.display()
            )));
        }
        Ok(names)
    }

    fn of(text: &[u8]) -> RelationNames {
        let lines = text.split(|byte| *byte == b'\n').filter_map(|line| {
            let line = printable(line, 400);
            let (database, rest) = line.split_once('|')?;
            let (file, name) = rest.split_once('|')?;
            let key = (database.trim().parse().ok()?, file.trim().parse().ok()?);
            Some((key, name.trim().to_owned())).filter(|(_, name)| !name.is_empty())
        });
        RelationNames(lines.collect())
    }

    /// The series of a key, with the name of its relation where that is known.
    fn series(&self, key: &str) -> Option<Series> {
        let (database, file) = key.split_once(',')?;
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let name = number(database).zip(number(file)).and_then(|key| self.0.get(&key));
        match name {
            Some(name) => postgres::read(&format!("{database},{name}")),
            None => postgres::read(key),
        }
    }
}

impl NamedProgram {
    /// A program that lives as long as the process: an address is opened once.
    pub(super) fn kept(program: &'static Program, names: RelationNames) -> &'static NamedProgram {
        Box::leak(Box::new(NamedProgram { program, names }))
    }
}

impl Source for NamedProgram {
    fn meta(&self) -> &'static Meta {
        self.program.meta()
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        self.program.sniff(head)
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        totals::read(input, context, &|key: &str| self.names.series(key), sink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_have_the_names_of_the_file_and_others_their_numbers() {
        let names =
            RelationNames::of(b"5|16396|public.orders\nnot a line\n5|16404|\"a|b\"\n5|x|y\n5|7|\n");
        let series = |key: &str| names.series(key).unwrap().to_string();
        assert_eq!(series("5,16396"), "block read{database=5,relation=public.orders}");
        assert!(series("5, 16404").contains("a|b"), "{}", series("5, 16404"));
        // Another database, and a file that a table got since.
        assert_eq!(series("6,16396"), "block read{database=6,relation=16396}");
        assert_eq!(series("5,16397"), "block read{database=5,relation=16397}");
        assert_eq!((names.series("5"), names.0.len()), (None, 2));
    }
}
