//! Where the files of a server are, if they are files of this machine.

use std::fs;
use std::path::{Path, PathBuf};

use isotherm_client::postgres::control::Control;

use super::failure::failed;
use crate::LabError;

/// Where its files are, the port that it was given, and when it was started.
const ASKED: &str = "select current_setting('data_directory'), current_setting('port'), \
    floor(extract(epoch from pg_postmaster_start_time()))::bigint";
/// A server notes its start in `postmaster.pid` a little before it takes the time that SQL shows.
const APART_S: u64 = 60;

/// The data directory, where it is on this machine and belongs to this server.
pub fn directory(control: &mut Control<'_>) -> Result<PathBuf, LabError> {
    let rows = control.rows(ASKED).map_err(|error| {
        if error.is("42501") {
            let next = "GRANT pg_read_all_settings TO the user of the address, or use a superuser";
            out_of_reach(format!("the user may not ask where they are ({error})"), next)
        } else {
            failed(error)
        }
    })?;
    let cell = |column: usize| rows.first()?.get(column)?.clone();
    let (path, port, started) = (cell(0), cell(1), cell(2).and_then(|text| text.parse().ok()));
    let (Some(path), Some(port), Some(started)) = (path, port, started) else {
        return Err(out_of_reach(
            "the server does not say where they are".to_owned(),
            ON_ITS_MACHINE,
        ));
    };
    let path = PathBuf::from(path);
    let noted = path.join("postmaster.pid");
    let text = fs::read_to_string(&noted).map_err(|error| {
        let next = if error.kind() == std::io::ErrorKind::PermissionDenied {
            "run the lab as root or as the server's user"
        } else {
            ON_ITS_MACHINE
        };
        out_of_reach(format!("{}: {error}", noted.display()), next)
    })?;
    if is_of(&text, &port, started) && is_postgres(&text) {
        return Ok(path);
    }
    let why = format!("{} on this machine is that of another server", noted.display());
    Err(out_of_reach(why, ON_ITS_MACHINE))
}

fn out_of_reach(why: String, next: &'static str) -> LabError {
    LabError::OutOfReach { what: "the files of the server", why, next }
}

/// Whether a `postmaster.pid` is that of a server with this port, started at this second:
///
/// ```text
/// 4711
/// /var/lib/postgresql/15/main
/// 1732860000
/// 5432
/// ```
fn is_of(text: &str, port: &str, started: u64) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let [_, _, noted, its_port, ..] = lines[..] else { return false };
    let noted = noted.parse::<u64>().ok();
    its_port == port && noted.is_some_and(|noted| noted.abs_diff(started) <= APART_S)
}

/// Whether the process in the first line is one of this machine: it is not, where the server has
/// numbers of its own (in a container that shares the directory).
fn is_postgres(text: &str) -> bool {
    let pid = text.lines().next().unwrap_or_default().trim();
    let name = fs::read_to_string(Path::new("/proc").join(pid).join("comm")).unwrap_or_default();
    name.starts_with("postgres") || name.starts_with("postmaster")
}

const ON_ITS_MACHINE: &str = "run the lab on the server's own machine";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_known_by_its_port_and_its_start() {
        let text = "4711\n/var/lib/postgresql/15/main\n1732860000\n5432\n/run\nlocalhost\n";
        assert!(is_of(text, "5432", 1_732_860_001));
        assert!(!is_of(text, "5433", 1_732_860_001));
        assert!(!is_of(text, "5432", 1_732_870_000));
        assert!(!is_of("4711\n", "5432", 1_732_860_000));
        // This test is no server.
        assert!(!is_postgres(&std::process::id().to_string()) && !is_postgres("x\n"));
    }
}
