//! What a command line names as its inputs: files, directories, standard input, recordings.

use std::path::{Path, PathBuf};

use isotherm_frame::Clock;
use isotherm_sources::{Address, NoAttribute, Tally};

use crate::failure::{Code, Failure};
use crate::oracle_args::OracleArgs;

/// One input to be read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where it is.
    pub address: Address,
    /// The directory it was found in; what nobody knows there is passed over, not an error.
    pub found_in: Option<PathBuf>,
}

/// The inputs that `names` stand for, in the order given; the files of a directory by name.
pub fn expand(names: &[String], oracle: &OracleArgs) -> Result<Vec<Input>, Failure> {
    let mut inputs = Vec::new();
    for name in names {
        let address = oracle.address(name)?;
        match &address {
            Address::File(path) if path.is_dir() => inputs.extend(files_in(path)?),
            _ => inputs.push(Input { address, found_in: None }),
        }
    }
    Ok(inputs)
}

/// The files in a directory, hidden ones and subdirectories left out.
fn files_in(directory: &Path) -> Result<Vec<Input>, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(Code::Runtime, format!("cannot read '{}': {error}", directory.display()))
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_file() && !hidden {
            files.push(path);
        }
    }
    if files.is_empty() {
        let message = format!("'{}': there is no file in this directory", directory.display());
        return Err(Failure::new(Code::Runtime, message));
    }
    files.sort_unstable();
    let found_in = Some(directory.to_owned());
    let input = |path| Input { address: Address::File(path), found_in: found_in.clone() };
    Ok(files.into_iter().map(input).collect())
}

/// How several inputs are called together.
pub fn title(names: &[String]) -> String {
    match names {
        [one] => crate::redact::redacted(one),
        [first, rest @ ..] => {
            format!("{} and {} more", crate::redact::redacted(first), rest.len())
        }
        [] => "-".to_owned(),
    }
}

/// The account of several inputs.
#[derive(Debug, Default)]
pub struct Together {
    /// The account of all.
    pub tally: Tally,
    /// How many have been read.
    read: usize,
    /// Files that nobody knows, or with nothing in them, and why the first of them is unknown.
    passed_over: usize,
    first_reason: Option<String>,
    clocks: Vec<Clock>,
}

/// What to say of an attribute that no wait has.
fn no_attribute(missing: &NoAttribute) -> String {
    let NoAttribute { name, known } = missing;
    format!("no wait has the attribute '{name}'; there are {}", known.join(", "))
}

impl Together {
    /// Adds the account of one input.
    pub fn add(&mut self, tally: Tally) {
        if !self.clocks.contains(&tally.clock) {
            self.clocks.push(tally.clock);
        }
        self.read += 1;
        self.tally.add(tally);
    }

    /// A file of a directory was passed over.
    pub fn pass_over(&mut self, reason: String) {
        self.passed_over += 1;
        self.first_reason.get_or_insert(reason);
    }

    /// What to tell the user at the end; an error if there was nothing to read at all.
    pub fn told(&self) -> Result<Vec<String>, Failure> {
        let mut told = Vec::new();
        if let Some(reason) = &self.first_reason {
            let (passed, all) = (self.passed_over, self.passed_over + self.read);
            let text = format!("{passed} of {all} files passed over: {reason}");
            if self.read == 0 {
                return Err(Failure::new(Code::Runtime, text));
            }
            told.push(text);
        }
        for missing in &self.tally.no_attribute {
            let same = self.tally.no_attribute.iter().filter(|other| other.name == missing.name);
            if same.count() >= self.read {
                return Err(Failure::usage(no_attribute(missing)));
            }
            let text = format!("no wait of some inputs has the attribute '{}'", missing.name);
            if !told.contains(&text) {
                told.push(text);
            }
        }
        if self.clocks.len() > 1 {
            let clocks: Vec<String> = self.clocks.iter().map(Clock::to_string).collect();
            told.push(format!(
                "the inputs do not share a clock ({}): their times cannot be compared",
                clocks.join(", ")
            ));
        }
        Ok(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_stands_for_its_files_by_name() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["b.trc", "a.trc", ".hidden"] {
            std::fs::write(directory.path().join(name), "x").unwrap();
        }
        std::fs::create_dir(directory.path().join("deeper")).unwrap();
        let name = directory.path().to_str().unwrap().to_owned();
        let inputs =
            expand(&["-".to_owned(), name, "other.trc".to_owned()], &OracleArgs::default())
                .unwrap();
        let shown: Vec<String> = inputs.iter().map(|input| input.address.to_string()).collect();
        assert_eq!(shown.len(), 4);
        assert_eq!(shown[0], "-");
        assert!(shown[1].ends_with("/a.trc") && shown[2].ends_with("/b.trc"), "{shown:?}");
        assert_eq!(shown[3], "other.trc");
        assert!(inputs[3].found_in.is_none());
        assert!(inputs[1].found_in.is_some());
    }

    #[test]
    fn an_empty_directory_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let name = directory.path().to_str().unwrap().to_owned();
        assert!(
            expand(&[name], &OracleArgs::default())
                .unwrap_err()
                .message
                .contains("no file in this directory")
        );
    }

    #[test]
    fn clocks_that_differ_and_files_passed_over_are_told() {
        let mut together = Together::default();
        together.add(Tally { records: 3, clock: Clock::Epoch, ..Tally::default() });
        together.add(Tally { records: 4, clock: Clock::Arbitrary, ..Tally::default() });
        together.pass_over("x is binary".to_owned());
        let told = together.told().unwrap();
        assert_eq!(told[0], "1 of 3 files passed over: x is binary");
        assert!(told[1].contains("(epoch, arbitrary)"), "{}", told[1]);
        assert_eq!(together.tally.records, 7);
        let mut none = Together::default();
        none.pass_over("x is binary".to_owned());
        assert!(none.told().is_err());
    }
}
