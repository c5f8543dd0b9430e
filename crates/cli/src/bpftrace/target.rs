//! Which binary to probe: found by process or by installation, and looked at.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use isotherm_oracle::uprobes::{
    Boundary, Filter, Kind, OracleVersion, Symbol, Target, boundary, find_symbols,
};

use super::arguments::TargetArgs;
use crate::failure::{Code, Failure};
use crate::screen;

const NO_TARGET: &str = "nothing to probe: name the processes (--pid $(pgrep -f ora_lgwr)) or the \
                         installation (--oracle-home /u01/app/oracle/product/19.0.0/dbhome_1)";

const NO_PIDS: &str = "--pid names no process: did pgrep find none? `pgrep -fa ora_` \
                       lists the processes of an instance";

/// The binary that is meant, with what is known of the functions in it.
pub(super) fn find(kind: Kind, args: &TargetArgs) -> Result<Target, Failure> {
    let mut pids = args.pids.clone().unwrap_or_default();
    if args.pids.is_some() && pids.is_empty() {
        return Err(Failure::usage(NO_PIDS));
    }
    pids.sort_unstable();
    pids.dedup();
    let binary = match &args.oracle_home {
        Some(home) => installed(home, args.unchecked)?,
        None => running(&pids)?,
    };
    let offset = args.offset.or_else(|| args.version.map(OracleVersion::offset)).unwrap_or(0);
    let symbols = if args.unchecked { Vec::new() } else { functions(kind, &binary, offset)? };
    let binary = text(&binary)?;
    Ok(Target { binary, pids, version: args.version, offset, symbols })
}

fn unreachable(message: impl Into<String>) -> Failure {
    Failure::new(Code::Unreachable, message)
}

fn text(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::usage(format!("the path {} is not UTF-8", path.display())))
}

/// The binary of an installation.
fn installed(home: &Path, unchecked: bool) -> Result<PathBuf, Failure> {
    let binary = home.join("bin/oracle");
    if unchecked {
        return Ok(binary);
    }
    // Probes belong to the file itself, whatever links lead to it.
    fs::canonicalize(&binary).map_err(|error| {
        let shown = binary.display();
        unreachable(match error.kind() {
            io::ErrorKind::NotFound => format!(
                "there is no {shown}: --oracle-home is the directory that ORACLE_HOME names; \
                 if it is on another machine, add --unchecked"
            ),
            _ => format!("{shown}: {error}"),
        })
    })
}

/// The one binary that all these processes run.
fn running(pids: &[u32]) -> Result<PathBuf, Failure> {
    let mut found: Option<(u32, PathBuf)> = None;
    for &pid in pids {
        let binary = binary_of(pid)?;
        match &found {
            Some((first, other)) if *other != binary => {
                let (other, binary) = (other.display(), binary.display());
                return Err(Failure::usage(format!(
                    "process {first} runs {other} and {pid} runs {binary}: one program probes one \
                     binary, write one for each"
                )));
            }
            _ => found = Some((pid, binary)),
        }
    }
    found.map(|(_, binary)| binary).ok_or_else(|| Failure::usage(NO_TARGET))
}

/// The file a process runs, by a path that leads to it from here.
fn binary_of(pid: u32) -> Result<PathBuf, Failure> {
    let exe = PathBuf::from(format!("/proc/{pid}/exe"));
    let path = fs::read_link(&exe).map_err(|error| {
        unreachable(match error.kind() {
            io::ErrorKind::NotFound => format!("there is no process {pid}"),
            io::ErrorKind::PermissionDenied => format!(
                "which binary process {pid} runs is for root and its owner to see: use sudo, or \
                 name the installation with --oracle-home"
            ),
            _ => format!("{}: {error}", exe.display()),
        })
    })?;
    let Ok(runs) = fs::metadata(&exe) else { return Ok(path) };
    let is_that = |path: &Path| {
        fs::metadata(path).is_ok_and(|file| (file.dev(), file.ino()) == (runs.dev(), runs.ino()))
    };
    // In a container the path means something else out here.
    let seen_from_here = PathBuf::from(format!("/proc/{pid}/root{}", path.display()));
    [path.clone(), seen_from_here].into_iter().find(|path| is_that(path)).ok_or_else(|| {
        let shown = path.display();
        unreachable(format!(
            "process {pid} runs {shown}, which is not there any more (patched or relinked since it \
             was started?): probes would be set in another file; restart it first"
        ))
    })
}

/// The functions to probe, all of which must be there and may be probed at this offset.
fn functions(kind: Kind, binary: &Path, offset: u8) -> Result<Vec<Symbol>, Failure> {
    let shown = binary.display();
    let wanted = kind.functions();
    let mut file = File::open(binary).map_err(|error| unreachable(format!("{shown}: {error}")))?;
    let found = find_symbols(&mut file, wanted)
        .map_err(|error| unreachable(format!("{shown} cannot be probed: {error}")))?;
    let missing: Vec<&str> = wanted
        .iter()
        .copied()
        .filter(|name| found.iter().all(|symbol| symbol.name != *name))
        .collect();
    if !missing.is_empty() {
        return Err(unreachable(format!(
            "{shown} has no function {}: it is not the oracle binary of a release this is known \
             for (see `nm {shown} | grep {}`)",
            missing.join(" and no "),
            missing.first().copied().unwrap_or_default(),
        )));
    }
    for symbol in &found {
        check(symbol, offset)?;
    }
    Ok(found)
}

/// Refuses a probe inside an instruction.
fn check(symbol: &Symbol, offset: u8) -> Result<(), Failure> {
    let name = &symbol.name;
    let bytes: Vec<String> = symbol.code.iter().map(|byte| format!("{byte:02x}")).collect();
    match boundary(&symbol.code, offset) {
        Boundary::Yes => {}
        Boundary::No => {
            return Err(Failure::usage(format!(
                "a probe {offset} bytes behind the beginning of {name} would be inside an \
                 instruction and damage the process (it begins with {}): choose another --offset",
                bytes.join(" ")
            )));
        }
        Boundary::Unknown => screen::warn(&format!(
            "whether an instruction begins at {name}+{offset} is not known: check it as the head \
             of the program says"
        )),
    }
    Ok(())
}

/// What the user should know before the program is used.
pub fn warn_of(target: &Target, filter: &Filter) {
    if let Some(version) = target.version.filter(|version| !version.is_tried()) {
        screen::warn(&format!(
            "it is not known that these probes work with Oracle {version}: first \
                 check their places on a test system, as the head of the program says"
        ));
    }
    if filter.names.is_empty() {
        screen::warn(
            "without --names numbers stay numbers (event#152): spool the output of \
             `select event#, name from v$event_name` of that instance, or let --connect ask it",
        );
    }
}
