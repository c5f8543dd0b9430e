//! Every file that a command writes, and the one rule for all of them.
//!
//! A file is written beside its name and renamed when it is whole. It never replaces an input of
//! the same command, and without `--force` never what isotherm did not write in the same form. A
//! symbolic link is followed only to a file that may be replaced.

mod directory;
mod kind;
mod staged;

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use isotherm_views::numbers::bytes;
use isotherm_views::{OutputForm, Sanitizer};

use crate::failure::{Code, Failure};
use crate::screen;

pub use directory::file_ending;
pub use kind::Kind;
use staged::Staged;

/// Where the result of a command goes.
#[derive(Debug)]
pub struct Destination {
    place: Place,
    rule: Rule,
}

/// What must hold for a file that is there already to be replaced.
#[derive(Debug)]
struct Rule {
    kind: Kind,
    /// Whether what isotherm did not write may be replaced too.
    force: bool,
    inputs: Vec<PathBuf>,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// Standard output.
    Screen,
    /// Standard error.
    Errors,
    /// A pipe, a terminal, `/dev/null`, an open file of this process: written to as it is.
    Stream(PathBuf),
    /// A file, or a name that is free.
    File(PathBuf),
}

/// Fails if a file that is about to be replaced is one that the command reads.
pub fn spare_inputs<P: AsRef<Path>>(path: &Path, inputs: &[P]) -> Result<(), Failure> {
    let rule = Rule { kind: Kind::Text, force: true, inputs: inputs_of(inputs) };
    rule.check(path).map(|_| ())
}

/// The files of inputs.
fn inputs_of<P: AsRef<Path>>(inputs: &[P]) -> Vec<PathBuf> {
    let file = |input: &P| {
        let name = input.as_ref().to_str().and_then(|name| name.strip_prefix("file:"));
        name.map_or_else(|| input.as_ref().to_owned(), PathBuf::from)
    };
    inputs.iter().map(file).collect()
}

/// Files that belong to a recording and are named after it.
const COMPANIONS: [&str; 5] = ["", "-wal", "-shm", "-journal", "-lock"];

impl Destination {
    /// This file, or standard output if it is `-`. `inputs` are the addresses and files that the
    /// command reads, or writes besides. Fails when something would be lost.
    pub fn to<P: AsRef<Path>>(
        path: &Path,
        kind: Kind,
        force: bool,
        inputs: &[P],
    ) -> Result<Destination, Failure> {
        let rule = Rule { kind, force, inputs: inputs_of(inputs) };
        let place = place(path, &rule)?;
        Ok(Destination { place, rule })
    }

    /// Writes all of it; gives what to tell the user.
    pub fn write(&self, content: &[u8]) -> Result<Option<String>, Failure> {
        self.write_by(&mut |out| out.write_all(content).map_err(Broken::Output))
    }

    /// Lets `fill` write; gives what to tell the user. When it fails, a file that was there is as
    /// it was, and a new one does not come into being.
    pub fn write_by(
        &self,
        fill: &mut dyn FnMut(&mut dyn Write) -> Result<(), Broken>,
    ) -> Result<Option<String>, Failure> {
        let form = self.rule.kind.form();
        let path = match &self.place {
            Place::Screen => {
                let form = if form == OutputForm::Exact { screen::for_programs() } else { form };
                return streamed(&mut screen::output(form), fill).map(|()| None);
            }
            Place::Errors => {
                let mut out = Sanitizer::new(io::stderr(), form);
                return streamed(&mut out, fill).map(|()| None);
            }
            Place::Stream(path) => {
                let open = OpenOptions::new().append(true).open(path);
                let open = open.map_err(|error| unwritten(path, &error))?;
                let mut out = io::BufWriter::new(Sanitizer::new(open, form));
                return streamed(&mut out, fill).map(|()| None);
            }
            Place::File(path) => path,
        };
        let size = bytes(self.replace(path, fill)?);
        Ok(Some(format!("wrote {} ({size})", path.display())))
    }

    fn replace(
        &self,
        path: &Path,
        fill: &mut dyn FnMut(&mut dyn Write) -> Result<(), Broken>,
    ) -> Result<u64, Failure> {
        let failed = |error: io::Error| unwritten(path, &error);
        // Through a link, the file it leads to is replaced and the link stays.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut staged = Staged::beside(&target).map_err(failed)?;
        let mut out = Sanitizer::new(&mut staged, self.rule.kind.form());
        match fill(&mut out) {
            Err(Broken::Output(error)) => return Err(failed(error)),
            Err(Broken::Other(failure)) => return Err(failure),
            Ok(()) => out.flush().map_err(failed)?,
        }
        // What was there at the beginning may have become something else in the meantime.
        let there = self.rule.check(path)?;
        staged.put(there.as_ref()).map_err(failed)
    }
}

/// Why a result could not be written.
pub enum Broken {
    /// The output takes no more.
    Output(io::Error),
    /// There is nothing to write.
    Other(Failure),
}

fn streamed(
    out: &mut dyn Write,
    fill: &mut dyn FnMut(&mut dyn Write) -> Result<(), Broken>,
) -> Result<(), Failure> {
    match fill(out) {
        Ok(()) => screen::written(out.flush()),
        Err(Broken::Output(error)) => screen::written(Err(error)),
        Err(Broken::Other(failure)) => Err(failure),
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Code::Runtime, format!("{}: cannot write: {error}", path.display()))
}

/// What a path stands for, checked.
fn place(path: &Path, rule: &Rule) -> Result<Place, Failure> {
    let place = match path.to_str().unwrap_or_default() {
        "-" | "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => Place::Screen,
        "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => Place::Errors,
        open if open.starts_with("/dev/fd/") || open.starts_with("/proc/self/fd/") => {
            Place::Stream(path.to_owned())
        }
        _ if is_stream(path)? => Place::Stream(path.to_owned()),
        _ => {
            rule.check(path)?;
            Place::File(path.to_owned())
        }
    };
    let open = match place {
        Place::Screen => rustix::fs::fstat(rustix::stdio::stdout()).ok(),
        Place::Errors => rustix::fs::fstat(rustix::stdio::stderr()).ok(),
        _ => None,
    };
    let is_file = |stat: &rustix::fs::Stat| {
        rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::RegularFile
    };
    if open.filter(is_file).is_some_and(|stat| rule.reads((stat.st_dev, stat.st_ino))) {
        return Err(Failure::usage(
            "the output goes to a file that this command reads: send it to another file",
        ));
    }
    Ok(place)
}

/// Whether a path leads to something that takes bytes without being replaced. A disk is not one:
/// what is on it would be lost.
fn is_stream(path: &Path) -> Result<bool, Failure> {
    let Ok(found) = fs::metadata(path) else { return Ok(false) };
    let kind = found.file_type();
    if kind.is_block_device() || kind.is_dir() {
        let what = if kind.is_dir() { "a directory" } else { "a block device" };
        let words = format!("{}: this is {what}; name a file", path.display());
        return Err(Failure::usage(words));
    }
    Ok(!kind.is_file())
}

impl Rule {
    /// What stands at a path, if it may be replaced; none if the name is free.
    fn check(&self, path: &Path) -> Result<Option<Metadata>, Failure> {
        let shown = path.display();
        let is_new =
            |input: &Path| COMPANIONS.iter().any(|end| same_name(&with_end(input, end), path));
        if self.inputs.iter().any(|input| is_new(input)) {
            return Err(input(path));
        }
        let named = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            named => named.map_err(|error| unwritten(path, &error))?,
        };
        let is_link = named.file_type().is_symlink();
        let Ok(found) = fs::metadata(path) else {
            return Err(Failure::usage(format!(
                "{shown}: this symbolic link leads to a file that does not exist: remove \
                 the link, or name the file itself"
            )));
        };
        if !found.is_file() {
            return Err(Failure::usage(format!("{shown}: this is no file; name another one")));
        }
        if self.reads((found.dev(), found.ino())) {
            return Err(input(path));
        }
        if found.len() == 0 || self.kind.made(path) {
            return Ok(Some(found));
        }
        if is_link {
            let target = fs::canonicalize(path).unwrap_or_default();
            return Err(Failure::usage(format!(
                "{shown}: this is a symbolic link to {}, which is {}; it is not overwritten: name \
                 another file",
                target.display(),
                self.kind.foreign()
            )));
        }
        if !self.force {
            let force = if self.kind.has_force() { ", or add --force" } else { "" };
            return Err(Failure::usage(format!(
                "{shown}: this is {} and is not overwritten; choose another name{force}",
                self.kind.foreign()
            )));
        }
        Ok(Some(found))
    }

    /// Whether a file is one of those that the command reads, by whatever name.
    fn reads(&self, file: (u64, u64)) -> bool {
        let is = |path: &Path| identity(path) == Some(file);
        self.inputs.iter().any(|input| {
            let files = fs::read_dir(input).into_iter().flatten().flatten();
            // A report may go beside the files it is made of, and replace the one before.
            let mut read = files.map(|entry| entry.path()).filter(|path| is(path));
            read.any(|path| !self.kind.made(&path))
                || COMPANIONS.iter().any(|end| is(&with_end(input, end)))
        })
    }
}

fn input(path: &Path) -> Failure {
    let words = format!(
        "{}: this command reads that file, and would destroy it by writing there; name another \
         file",
        path.display()
    );
    Failure::usage(words)
}

/// The device and inode of a file; none of what is no file.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let found = fs::metadata(path).ok().filter(Metadata::is_file)?;
    Some((found.dev(), found.ino()))
}

/// Whether two paths are the same word for word, for files that are still to be made.
fn same_name(one: &Path, other: &Path) -> bool {
    let absolute = |path: &Path| std::path::absolute(path).ok();
    !one.is_dir() && absolute(one).is_some() && absolute(one) == absolute(other)
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests;
