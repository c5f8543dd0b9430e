//! Syncs of the WAL in what strace prints.

use crate::strace::{Strace, Untraced};
use crate::{Bench, LabError};

/// What strace of sessions counts: a session that commits syncs the WAL itself.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Syncs {
    pub count: u64,
    /// Time of these calls, seconds.
    pub time_s: f64,
}

impl Syncs {
    /// Traces these processes; `done` of the lab is done.
    pub fn trace(
        pids: &[u64],
        done: f64,
        bench: &mut Bench<'_>,
    ) -> Result<Result<Strace, Untraced>, LabError> {
        // A file for each process: no line is interrupted by one of another.
        let options = ["-ff", "-y", "-T", "-s", "0", "-e", "trace=fdatasync,fsync"];
        Strace::attach((pids, &options), done, bench)
    }

    /// Counts the syncs of files of the WAL.
    pub fn read(text: &str) -> Syncs {
        text.lines().filter_map(sync_s).fold(Syncs::default(), |syncs, time_s| Syncs {
            count: syncs.count + 1,
            time_s: syncs.time_s + time_s,
        })
    }
}

/// The seconds of a sync: `fdatasync(5</data/pg_wal/000000010000000000000001>) = 0 <0.001234>`, with more blanks before
/// the equals sign.
fn sync_s(line: &str) -> Option<f64> {
    let (call, rest) = line.split_once('(')?;
    if !matches!(call, "fdatasync" | "fsync") {
        return None;
    }
    let (file, result) = rest.rsplit_once(" = ")?;
    let (returned, seconds) = result.trim_end().strip_suffix('>')?.split_once(" <")?;
    let is_of_wal = file.contains("/pg_wal/") && returned.trim() == "0";
    seconds.parse().ok().filter(|seconds: &f64| is_of_wal && seconds.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syncs_are_those_of_files_of_the_wal() {
        let text = "\
fdatasync(5</data/pg_wal/000000010000000000000001>) = 0 <0.001234>
fsync(5</data/pg_wal/000000010000000000000002>)     = 0 <0.000766>
fdatasync(7</data/base/5/16384>) = 0 <0.5>
fdatasync(5</data/pg_wal/000000010000000000000001>) = -1 EIO (Input/output error) <0.5>
fdatasync(5</data/pg_wal/000000010000000000000001>
--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_USER, si_pid=7, si_uid=1} ---
fdatasync(5</data/pg_wal/000000010000000000000001>) = 0 <inf>
";
        let syncs = Syncs::read(text);
        assert_eq!(syncs.count, 2, "{syncs:?}");
        assert!((syncs.time_s - 0.002).abs() < 1e-12, "{syncs:?}");
    }
}
