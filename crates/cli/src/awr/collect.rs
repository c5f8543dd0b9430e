//! `isotherm awr collect`: the predefined queries of AWR's history, asked over a connection.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use isotherm_formats::{Bytes, with_exact_times};
use isotherm_frame::numbers::counted;
use isotherm_live::{
    Address, AwrCollectError, AwrCollection, AwrTables, OracleAddress, ScriptAsks, SqlPlusScript,
};
use isotherm_pipeline::Input;

use crate::failure::{Code, Failure, REPLACE};
use crate::output::file_ending;
use crate::pack::Pack;
use crate::{exchange, screen};

/// Below the help of `awr collect`.
pub const EXAMPLES: &str = "Examples:
  isotherm awr collect oracle://mon@db1/SALES --since 7d --licensed diagnostics -o history/
  isotherm awr collect 'sqlplus:/ as sysdba' --since 30d --licensed diagnostics -o history/
  isotherm awr collect oracle://mon@db1/SALES --queries wait-classes,sql --show-sql
  isotherm awr collect oracle://mon@db1/SALES --licensed diagnostics -o prod.heat    a recording, too
  isotherm awr report history/ -o prod.html

Each query becomes a file awr-NAME.csv once all of its rows are there. -o prod.heat makes a recording
of the histograms of wait events, with their exact times, beside the directory prod with these files. Until the last is there,
the directory holds awr-incomplete.txt, which lists what is missing: a collection that was
interrupted keeps it. The role SELECT_CATALOG_ROLE is enough. Where nothing but SQL*Plus may run,
isotherm sqlplus-script --awr --queries writes the same files.";

/// `awr collect`
#[derive(Args, Debug)]
pub struct AwrCollectArgs {
    /// The database: `oracle://USER@HOST/SERVICE` or sqlplus:LOGON
    #[arg(value_name = "ADDRESS")]
    pub address: String,
    /// Only these queries; all if not given (a name that does not exist lists them)
    #[arg(long, alias = "series", value_name = "NAME,...", value_delimiter = ',')]
    pub queries: Vec<String>,
    /// Begin the history here: a date and time in UTC, or how long ago (7d)
    #[arg(long, value_name = "WHEN", default_value = "7d")]
    pub since: String,
    /// End the history here
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// The directory for the CSV files; NAME.heat makes a recording beside the directory NAME
    #[arg(short, long, value_name = "DIR", required_unless_present = "show_sql")]
    pub output: Option<PathBuf>,
    /// Print the statements and ask nothing
    #[arg(long)]
    pub show_sql: bool,
    /// The pack that is licensed for this database: reading AWR needs it
    #[arg(long, value_enum, value_name = "PACK")]
    pub licensed: Option<Pack>,
    /// Overwrite an existing file (tables that are in the directory, and the recording)
    #[arg(long)]
    pub force: bool,
}

/// The file that lists what is missing.
pub const INCOMPLETE: &str = "awr-incomplete.txt";

pub fn run(args: &AwrCollectArgs) -> Result<(), Failure> {
    let usage = |error: isotherm_live::ScriptError| Failure::usage(error.to_string());
    let (since, until) = (Some(args.since.as_str()), args.until.as_deref());
    let collection = AwrCollection::new(&args.queries, since, until).map_err(usage)?;
    let address = oracle(&args.address)?;
    AwrCollection::check(&address)?;
    let Some(output) = args.output.as_ref().filter(|_| !args.show_sql) else {
        return show_sql(args);
    };
    let (directory, recording) = places((output, args.force), &collection)?;
    if args.licensed.is_none() {
        return Err(Failure::usage(
            "reading AWR's history needs the Diagnostics Pack licence: add --licensed diagnostics if this \
             database has it",
        ));
    }
    let mut files = Files::new(&directory, &collection, args.force)?;
    let collected = collection.collect(&address, &mut files);
    let written = files.finish(collected)?;
    recording.map_or(Ok(()), |recording| record(&directory, &written, (recording, args.force)))
}

/// The tables that a recording is made of. They count the same waits: the first has their buckets, the second
/// their exact times.
pub const RECORDED: [&str; 2] = ["event-histograms", "system-events"];

/// Where the tables go, and the recording if one is wanted. Fails for the name of another file, with what makes
/// one of the tables.
fn places<'a>(
    (output, force): (&'a Path, bool),
    collection: &AwrCollection,
) -> Result<(PathBuf, Option<&'a Path>), Failure> {
    let Some(ending) = file_ending(output) else { return Ok((output.to_owned(), None)) };
    let (file, directory) = (output.display(), output.with_extension(""));
    if ending == "heat" {
        if output.symlink_metadata().is_ok() && !force {
            let text = format!("{file} is there already: give another name, {REPLACE}");
            return Err(Failure::usage(text));
        }
        if !collection.names().any(|name| RECORDED.contains(&name)) {
            let text = format!(
                "{file}: a recording is made of {}, and --queries has neither",
                RECORDED.join(" or ")
            );
            return Err(Failure::usage(text));
        }
        return Ok((directory, Some(output)));
    }
    let tables = directory.display();
    let then = match ending {
        "html" => format!(", and then isotherm awr report {tables} -o {file} for a page"),
        _ => String::new(),
    };
    let text = format!(
        "{file}: awr collect writes a directory of tables, not one file: use -o {tables}{then}"
    );
    Err(Failure::usage(text))
}

/// Makes a recording of the histograms of wait events with their exact times, or of one of both where the other
/// is not among the tables that were written.
fn record(
    directory: &Path,
    written: &[String],
    (recording, force): (&Path, bool),
) -> Result<(), Failure> {
    let [histograms, events] = RECORDED.map(|name| {
        let table = written.iter().any(|one| one == name).then(|| directory.join(file_name(name)));
        table.filter(|table| has_rows(table))
    });
    let names: Vec<String> =
        histograms.iter().chain(&events).map(|table| table.display().to_string()).collect();
    let (bytes, path) = match (histograms, events) {
        (Some(histograms), Some(events)) => {
            // Rows of two files: what is wrong with one of them is said of their directory.
            let (histograms, events) = (Bytes::file(&histograms)?, Bytes::file(&events)?);
            (with_exact_times(histograms, events, directory), directory.to_owned())
        }
        (Some(table), None) | (None, Some(table)) => (Bytes::file(&table)?, table),
        (None, None) => {
            let text = format!("{}: not written, none of its tables has rows", recording.display());
            return Err(Failure::new(Code::Runtime, text));
        }
    };
    let input = Input { address: Address::File(path), found_in: None, range: None };
    exchange::import_opened((recording, force), (&input, bytes), &names)?;
    screen::warn(&format!("wrote {}", recording.display()));
    Ok(())
}

/// Whether there is a line below the heads of a table.
fn has_rows(table: &Path) -> bool {
    std::fs::File::open(table).is_ok_and(|file| BufReader::new(file).lines().nth(1).is_some())
}

fn oracle(text: &str) -> Result<OracleAddress, Failure> {
    let address: Address = text.parse().map_err(|error| Failure::usage(format!("{error}")))?;
    address.oracle().cloned().ok_or_else(|| {
        let text = crate::redact::redacted(text);
        Failure::usage(format!(
            "'{text}' is no Oracle database: write oracle://USER@HOST/SERVICE or sqlplus:LOGON"
        ))
    })
}

fn show_sql(args: &AwrCollectArgs) -> Result<(), Failure> {
    let asks = ScriptAsks::Series {
        names: args.queries.clone(),
        since: Some(args.since.clone()),
        until: args.until.clone(),
        bare: true,
    };
    let script = SqlPlusScript { events: Vec::new(), asks };
    let text = script.text().map_err(|error| Failure::usage(error.to_string()))?;
    screen::print(screen::for_programs(), &text)
}

/// The files of a collection.
struct Files {
    directory: PathBuf,
    missing: Vec<&'static str>,
    written: Vec<String>,
    refused: usize,
}

impl Files {
    fn new(directory: &Path, collection: &AwrCollection, force: bool) -> Result<Files, Failure> {
        let missing: Vec<&'static str> = collection.names().collect();
        let there =
            missing.iter().map(|name| directory.join(file_name(name))).find(|path| path.exists());
        if let Some(there) = there.filter(|_| !force) {
            let text =
                format!("{} is there already: give another directory, or --force", there.display());
            return Err(Failure::usage(text));
        }
        let files =
            Files { directory: directory.to_owned(), missing, written: Vec::new(), refused: 0 };
        std::fs::create_dir_all(directory)
            .and_then(|()| files.list_missing())
            .map_err(|error| files.unwritable(&error))?;
        Ok(files)
    }

    fn list_missing(&self) -> io::Result<()> {
        let path = self.directory.join(INCOMPLETE);
        if self.missing.is_empty() {
            return std::fs::remove_file(path);
        }
        let names = self.missing.join("\n");
        let text = format!("The collection has not ended. These tables are missing:\n{names}\n");
        std::fs::write(path, text)
    }

    fn unwritable(&self, error: &io::Error) -> Failure {
        let text = format!("cannot write to {}: {error}", self.directory.display());
        Failure::new(Code::Runtime, text)
    }

    fn no_longer_missing(&mut self, name: &str) -> io::Result<()> {
        self.missing.retain(|missing| *missing != name);
        self.list_missing()
    }

    /// How the collection ended; the names of the tables that were written.
    fn finish(self, collected: Result<(), AwrCollectError>) -> Result<Vec<String>, Failure> {
        match collected {
            Ok(()) => {}
            Err(AwrCollectError::Write(error)) => return Err(self.unwritable(&error)),
            Err(AwrCollectError::Open(error)) => return Err(error.into()),
            Err(error) => {
                let (written, missing) = (self.written.len(), self.missing.join(", "));
                let text = format!(
                    "{error}; written: {}, missing: {missing}",
                    counted(written as u64, "table")
                );
                return Err(Failure::new(Code::Unreachable, text));
            }
        }
        if self.written.is_empty() {
            let text = format!("none of the {} queries was answered", self.refused);
            return Err(Failure::new(Code::Runtime, text));
        }
        let (written, directory) = (self.written.len(), self.directory.display());
        screen::warn(&format!("wrote {} to {directory}", counted(written as u64, "table")));
        Ok(self.written)
    }
}

impl AwrTables for Files {
    fn say(&mut self, words: String) {
        screen::warn(&words);
    }

    fn table(&mut self, name: &str, heads: &str, rows: &[String]) -> io::Result<()> {
        let mut text = format!("{heads}\n");
        for row in rows {
            text.push_str(row);
            text.push('\n');
        }
        // A file has all rows or is not there.
        let path = self.directory.join(file_name(name));
        let partial = path.with_extension("csv.part");
        std::fs::write(&partial, text)?;
        std::fs::rename(&partial, &path)?;
        self.written.push(name.to_owned());
        self.no_longer_missing(name)
    }

    fn refused(&mut self, name: &str, reason: &str) {
        screen::warn(&format!("{name} is left out: {reason}"));
        self.refused += 1;
        // That the table is not there is not for lack of time.
        if let Err(error) = self.no_longer_missing(name) {
            screen::warn(&format!("{INCOMPLETE} cannot be written: {error}"));
        }
    }
}

pub fn file_name(name: &str) -> String {
    format!("awr-{name}.csv")
}
