//! Files of which others that are read with them tell the same operations.

use std::path::Path;

use isotherm_sources::{HEAD, is_averages_of_fio, logs_of_fio_report, repeated_fio_logs};

/// Inputs that are not read, because others time the same operations.
pub struct RepeatedLogs {
    /// Their places, each with that of the one that is read instead.
    places: Vec<(usize, usize)>,
}

impl RepeatedLogs {
    /// The most files that are named.
    const NAMED: usize = 6;

    /// Those among inputs that are read together; none for what is no file.
    pub fn among(paths: &[Option<&Path>]) -> RepeatedLogs {
        if paths.len() < 2 {
            return RepeatedLogs { places: Vec::new() };
        }
        let reports = paths.iter().enumerate();
        let reports = reports.filter_map(|(place, path)| {
            Some((place, logs_of_fio_report(&head_of((*path)?, "json")?)?))
        });
        let reports: Vec<(usize, String)> = reports.collect();
        // For a log that cannot be read itself nothing is left out.
        let is_usable =
            |path: &&Path| !head_of(path, "log").is_some_and(|head| is_averages_of_fio(&head));
        let usable: Vec<Option<&Path>> = paths.iter().map(|path| path.filter(is_usable)).collect();
        RepeatedLogs { places: repeated_fio_logs(&usable, &reports) }
    }

    /// Whether the input at this place is left out.
    pub fn holds(&self, place: usize) -> bool {
        self.places.iter().any(|(repeated, _)| *repeated == place)
    }

    /// The message that says which are left out, and why.
    pub fn message(&self, paths: &[Option<&Path>]) -> Option<String> {
        let path = |place: usize| paths.get(place).copied().flatten();
        let name = |place: usize| Some(path(place)?.file_name()?.display().to_string());
        let named = self.places.iter().take(RepeatedLogs::NAMED).filter_map(|&(repeated, read)| {
            Some(format!("{} ({} is read)", name(repeated)?, name(read)?))
        });
        let named: Vec<String> = named.collect();
        let more = self.places.len().saturating_sub(RepeatedLogs::NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!named.is_empty()).then(|| {
            format!(
                "fio timed the same operations in several files, which would count them twice (lat \
                 is slat and clat together). Left out: {}{more}. Give one alone to read it",
                named.join(", ")
            )
        })
    }
}

/// The beginning of a file with this ending; `None` of any other.
fn head_of(path: &Path, ending: &str) -> Option<Vec<u8>> {
    use std::io::Read as _;
    let fits = path.extension().is_some_and(|one| one == ending) && path.is_file();
    let file = std::fs::File::open(path).ok().filter(|_| fits)?;
    let mut head = Vec::new();
    file.take(u64::try_from(HEAD).ok()?).read_to_end(&mut head).ok()?;
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// fio advises to write histograms where a log holds averages.
    #[test]
    fn nothing_is_left_out_for_a_log_of_averages() {
        let folder = tempfile::tempdir().unwrap();
        let histograms = folder.path().join("m_clat_hist.1.log");
        let log = folder.path().join("m_lat.1.log");
        std::fs::write(&histograms, "1000, 0, 4096, 0, 1, 2\n2000, 0, 4096, 0, 3, 1\n").unwrap();
        let left_out = |rows: &str| {
            std::fs::write(&log, rows).unwrap();
            let paths = [Some(histograms.as_path()), Some(log.as_path())];
            RepeatedLogs::among(&paths).holds(0)
        };
        // With log_avg_msec the block size and the offset are 0.
        assert!(!left_out("1000, 210, 0, 0, 0\n2000, 190, 0, 0, 0\n3000, 195, 0, 0, 0\n"));
        assert!(left_out("1, 210, 0, 4096, 8192\n2, 190, 0, 4096, 0\n3, 195, 0, 4096, 4096\n"));
    }
}
