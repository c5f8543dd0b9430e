//! `isotherm trace`: where the time of traced Oracle sessions went.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use isotherm_oracle::trace::profile::{FindingKind, Limits, Profile, Profiler};
use isotherm_oracle::trace::scan;
use isotherm_views::{TraceProfileJson, TraceProfileText};

use crate::args::StatsFormat;
use crate::failure::{Code, Failure};
use crate::screen;
use crate::trace_args::TraceArgs;

/// How many files are read before their profiles are added up.
const AT_ONCE: usize = 32;
/// How many statements are listed for people.
const TOP: usize = 10;

/// A trace and what it says; `None` if it has no record of a SQL trace.
type Outcome = Result<Option<Profile>, Failure>;

pub fn run(args: &TraceArgs) -> Result<(), Failure> {
    let files = files(&args.files)?;
    let profile = profile_of(&files, args.block_size)?;
    let mut out = screen::output();
    let rank = args.sort.into();
    let written = match args.format {
        StatsFormat::Json => TraceProfileJson { top: args.top, rank }.render(&profile, &mut out),
        StatsFormat::Table => {
            let terminal = screen::is_terminal().then(|| screen::width(None));
            let text = TraceProfileText {
                width: args.width.or(terminal),
                top: args.top.unwrap_or(TOP),
                rank,
            };
            text.render(&profile, screen::style(&args.screen, false), &mut out)
        }
    };
    screen::written(written.and_then(|()| out.flush()))?;
    strict(args, &profile)
}

/// Fails when a record is damaged and the user wants that to be fatal.
fn strict(args: &TraceArgs, profile: &Profile) -> Result<(), Failure> {
    let damaged = profile.findings.get(FindingKind::Damaged).filter(|_| args.strict);
    damaged.map_or(Ok(()), |finding| Err(Failure::new(Code::BadData, finding.to_string())))
}

/// The traces named: directories stand for the traces in them.
fn files(named: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for name in named {
        let path = PathBuf::from(name);
        if name != "-" && path.is_dir() {
            files.extend(traces_in(&path)?);
        } else {
            files.push(path);
        }
    }
    if files.iter().filter(|path| *path == Path::new("-")).count() > 1 {
        return Err(Failure::usage("standard input, -, can be read only once"));
    }
    Ok(files)
}

/// The `*.trc` files of a directory by name, compressed ones too.
fn traces_in(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(directory).map_err(|error| unreadable(directory, &error))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(directory, &error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let trace = [".trc", ".trc.gz", ".trc.zst"].iter().any(|end| name.ends_with(end));
        if trace && path.is_file() {
            found.push(path);
        }
    }
    if found.is_empty() {
        let path = directory.display();
        return Err(Failure::new(Code::Runtime, format!("{path}: no *.trc file in the directory")));
    }
    found.sort();
    Ok(found)
}

/// The profile of all files together.
fn profile_of(files: &[PathBuf], block_bytes: u64) -> Result<Profile, Failure> {
    let mut whole: Option<Profile> = None;
    let mut without = Vec::new();
    for some in files.chunks(AT_ONCE) {
        for (path, outcome) in some.iter().zip(profiles(some, block_bytes)) {
            match (outcome?, &mut whole) {
                (None, _) => without.push(path.display().to_string()),
                (Some(profile), Some(whole)) => whole.merge(&profile),
                (Some(profile), whole @ None) => *whole = Some(profile),
            }
        }
    }
    match (whole, without.as_slice()) {
        (Some(whole), []) => Ok(whole),
        (Some(whole), [first, more @ ..]) => {
            let more =
                if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            screen::warn(&format!("{first}{more}: no record of a SQL trace in it; left out"));
            Ok(whole)
        }
        (None, names) => Err(Failure::new(
            Code::Runtime,
            format!(
                "{}: no record of a SQL trace. Expected are lines such as WAIT #, PARSE # or \
                 FETCH # of event 10046.",
                names.join(", ")
            ),
        )),
    }
}

/// What each file says, in their order; as many are read at a time as there are processors.
fn profiles(files: &[PathBuf], block_bytes: u64) -> Vec<Outcome> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = files.get(number) else { return done };
            done.push((number, profile_of_one(path, block_bytes)));
        }
    };
    let mut done: Vec<(usize, Outcome)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..processors.min(files.len())).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(joined).collect()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// What a worker did. One that panicked panics on here.
fn joined<T>(worker: thread::ScopedJoinHandle<'_, T>) -> T {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn profile_of_one(path: &Path, block_bytes: u64) -> Outcome {
    let name = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let mut input = open(path).map_err(|error| unreadable(path, &error))?;
    let mut profiler = Profiler::new(&name, Limits::default(), block_bytes);
    let account = scan(&mut input, &mut profiler).map_err(|error| unreadable(path, &error))?;
    let records = account.waits + account.calls + account.lobs + account.statements;
    Ok((records + account.damaged > 0).then(|| profiler.finish()))
}

/// Opens a trace.
fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(File::open(path)?))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let code = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Code::Unreachable,
        _ => Code::Runtime,
    };
    Failure::new(code, format!("{}: {error}", path.display()))
}
