//! Which logs of fio time the same operations, by their names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What a log of fio times, the best to read first: the whole of each operation, its part in the
/// device, that part in windows of which the last is missing, and the part before it was submitted.
const ENDINGS: [&str; 4] = ["_lat", "_clat", "_clat_hist", "_slat"];

/// Logs of a lower rank have every operation.
const WHOLE: usize = 2;

/// The log of a job, as its name says: what all logs of this job have in common, and the rank of what
/// it times.
fn log_of(path: &Path) -> Option<(PathBuf, usize)> {
    let name = path.file_name()?.to_str()?;
    let (stem, _) = name.split_once(".log").filter(|(_, rest)| {
        matches!(*rest, "" | ".gz" | ".zst")
    })?;
    // Of several jobs each log has the number of its job.
    let number = stem.rsplit_once('.').filter(|(_, digits)| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let (stem, job) = number.unwrap_or((stem, ""));
    let rank = ENDINGS.iter().position(|ending| stem.ends_with(ending))?;
    let prefix = stem.strip_suffix(ENDINGS[rank])?;
    Some((path.with_file_name(format!("{prefix}.{job}")), rank))
}

/// What a report of fio says that the logs of all its jobs are called, from its beginning; `None` if it
/// is no report, or its jobs have logs of their own or none.
pub fn logs_of_fio_report(head: &[u8]) -> Option<String> {
    const LOG: &[u8] = b"\"write_lat_log\"";
    let jobs = memchr::memmem::find(head, b"\"jobs\"")?;
    let options = head.get(..jobs)?;
    memchr::memmem::find(options, b"\"fio version\"")?;
    let at = memchr::memmem::find(options, LOG)? + LOG.len();
    let named = options[at..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let named = named.strip_prefix(b"\"")?;
    let named = &named[..memchr::memchr(b'"', named)?];
    let name = Path::new(std::str::from_utf8(named).ok()?).file_name()?;
    Some(name.to_str()?.to_owned())
}

/// Of files that are read together: each log of fio whose operations another of them times better
/// (`lat` is `slat` and `clat` together), and each report whose operations are in a log, with that log.
/// All are given by their places, `reports` with what they call their logs.
pub fn repeated_fio_logs(
    paths: &[Option<&Path>],
    reports: &[(usize, String)],
) -> Vec<(usize, usize)> {
    let logs = paths.iter().enumerate().filter_map(|(place, path)| Some((place, log_of((*path)?)?)));
    let logs: Vec<(usize, (PathBuf, usize))> = logs.collect();
    let mut best: HashMap<&Path, (usize, usize)> = HashMap::new();
    for (place, (job, rank)) in &logs {
        let known = best.entry(job).or_insert((*rank, *place));
        *known = (*known).min((*rank, *place));
    }
    let repeated = logs.iter().filter_map(|(place, (job, rank))| {
        let (best_rank, read) = *best.get(job.as_path())?;
        (*rank > best_rank).then_some((*place, read))
    });
    let reported = reports.iter().filter_map(|(place, name)| {
        let beside = paths.get(*place).copied().flatten()?.with_file_name(name);
        let read = best.iter().filter(|(job, (rank, _))| *rank < WHOLE && is_log_of(&beside, job));
        Some((*place, read.map(|(_, (_, place))| *place).min()?))
    });
    repeated.chain(reported).collect()
}

/// Whether a job's logs are called so, with or without the number of the job.
fn is_log_of(name: &Path, job: &Path) -> bool {
    job.extension().is_some_and(|number| number.as_encoded_bytes().iter().all(u8::is_ascii_digit))
        && job.with_extension("") == name
        || job.as_os_str().as_encoded_bytes() == [name.as_os_str().as_encoded_bytes(), b"."].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(names: &[&str]) -> Vec<(usize, usize)> {
        let paths: Vec<_> = names.iter().map(|name| Some(Path::new(*name))).collect();
        repeated_fio_logs(&paths, &[])
    }

    #[test]
    fn of_the_logs_of_a_job_the_whole_latency_is_read() {
        let names = ["a/m_clat.1.log", "a/m_lat.1.log", "a/m_slat.1.log", "a/m_clat_hist.1.log"];
        assert_eq!(left_out(&names), [(0, 1), (2, 1), (3, 1)]);
        assert_eq!(left_out(&["m_clat.log", "m_slat.log"]), [(1, 0)]);
        assert_eq!(left_out(&["m_clat.log.gz", "m_lat.log"]), [(0, 1)]);
    }

    #[test]
    fn logs_of_other_jobs_directories_and_tools_are_read() {
        assert_eq!(left_out(&["m_slat.log"]), []);
        assert_eq!(left_out(&["m_lat.1.log", "m_clat.2.log"]), []);
        assert_eq!(left_out(&["a/m_lat.log", "b/m_clat.log", "m_clat.csv", "lat.log"]), []);
        assert_eq!(repeated_fio_logs(&[None, Some(Path::new("m_lat.log"))], &[]), []);
    }

    #[test]
    fn a_report_is_left_out_where_its_logs_are_read() {
        let head = br#"{ "fio version" : "fio-3.33", "global options" : { "write_lat_log" : "out/mix" }, "jobs" : ["#;
        let name = logs_of_fio_report(head).unwrap();
        assert_eq!(name, "mix");
        assert_eq!(logs_of_fio_report(br#"{ "fio version" : "fio-3.33", "jobs" : [ { "write_lat_log" : "mix""#), None);
        let of = |names: &[&str]| {
            let paths: Vec<_> = names.iter().map(|name| Some(Path::new(*name))).collect();
            repeated_fio_logs(&paths, &[(0, name.clone())])
        };
        assert_eq!(of(&["r/a.json", "r/mix_lat.1.log", "r/mix_lat.2.log"]), [(0, 1)]);
        assert_eq!(of(&["r/a.json", "r/mix_lat.log"]), [(0, 1)]);
        assert_eq!(of(&["r/a.json", "r/mix2_lat.1.log", "s/mix_lat.1.log"]), []);
        // The last window is not in a histogram log.
        assert_eq!(of(&["r/a.json", "r/mix_clat_hist.1.log"]), []);
    }
}
