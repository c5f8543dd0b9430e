//! Files of which others that are read with them tell the same operations.

use std::collections::HashMap;
use std::io::{BufReader, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use isotherm_sources::{
    Address, Bytes, HEAD, is_averages_of_fio, logs_of_fio_report, repeated_fio_logs,
};

/// Inputs that are not read, because others time the same operations.
pub struct RepeatedLogs {
    /// Their places, each with that of the one that is read instead.
    places: Vec<(usize, usize)>,
    /// The same of files that are named twice, or beside their compressed copies.
    twice: Vec<(usize, usize)>,
}

impl RepeatedLogs {
    /// The most files that are named.
    const NAMED: usize = 6;

    /// Those among inputs that are read together; none for what is no file.
    /// With `again` a file is read as often as it is named.
    pub fn among(paths: &[Option<&Path>], again: bool) -> RepeatedLogs {
        if paths.len() < 2 {
            return RepeatedLogs { places: Vec::new(), twice: Vec::new() };
        }
        let twice = if again { Vec::new() } else { named_twice(paths) };
        let reports = paths.iter().enumerate();
        let reports = reports.filter_map(|(place, path)| {
            Some((place, logs_of_fio_report(&head_of((*path)?, "json")?)?))
        });
        let reports: Vec<(usize, String)> = reports.collect();
        // For a log that cannot be read itself nothing is left out.
        let is_usable =
            |path: &&Path| !head_of(path, "log").is_some_and(|head| is_averages_of_fio(&head));
        let usable: Vec<Option<&Path>> = paths.iter().map(|path| path.filter(is_usable)).collect();
        RepeatedLogs { places: repeated_fio_logs(&usable, &reports), twice }
    }

    /// Whether the input at this place is left out.
    pub fn holds(&self, place: usize) -> bool {
        self.places.iter().chain(&self.twice).any(|(repeated, _)| *repeated == place)
    }

    /// The message that says which files are read once only.
    pub fn twice_message(&self, paths: &[Option<&Path>]) -> Option<String> {
        let name = |place: usize| Some(paths.get(place).copied().flatten()?.display().to_string());
        let &(repeated, read) = self.twice.first()?;
        let (repeated, read) = (name(repeated)?, name(read)?);
        let more = match self.twice.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more such files)"),
        };
        Some(if repeated == read {
            format!(
                "{read} is named twice and read once{more}: --again reads it as often as it is named"
            )
        } else {
            format!("{repeated} holds the same as {read} and is not read{more}: --again reads both")
        })
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

/// Files that are others of them under the same or another name, or their compressed copies, as a
/// rotation of logs leaves them for a moment: each with the place of the one that is read.
fn named_twice(paths: &[Option<&Path>]) -> Vec<(usize, usize)> {
    let identity = |path: &Path| {
        let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
        Some((found.dev(), found.ino()))
    };
    let by_name: HashMap<&Path, usize> = paths
        .iter()
        .enumerate()
        .rev()
        .filter_map(|(place, path)| Some(((*path)?, place)))
        .collect();
    let original = |copy: &Path| {
        let is_packed = copy.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
        let place = *by_name.get(copy.with_extension("").as_path()).filter(|_| is_packed)?;
        hold_the_same(copy, paths[place]?).then_some(place)
    };
    let mut first: HashMap<(u64, u64), usize> = HashMap::new();
    let mut twice = Vec::new();
    for (place, path) in paths.iter().enumerate() {
        let Some(path) = path else { continue };
        let before = identity(path).map(|identity| *first.entry(identity).or_insert(place));
        let read = before.filter(|before| *before < place).or_else(|| original(path));
        twice.extend(read.map(|read| (place, read)));
    }
    twice
}

/// Whether two files hold the same bytes, apart from their compression.
fn hold_the_same(one: &Path, other: &Path) -> bool {
    let open = |path: &Path| Bytes::open(&Address::File(path.to_owned())).ok().map(BufReader::new);
    let (Some(one), Some(other)) = (open(one), open(other)) else { return false };
    let (mut one, mut other) = (one.bytes(), other.bytes());
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(Ok(a)), Some(Ok(b))) if a == b => {}
            _ => return false,
        }
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
            RepeatedLogs::among(&paths, false).holds(0)
        };
        // With log_avg_msec the block size and the offset are 0.
        assert!(!left_out("1000, 210, 0, 0, 0\n2000, 190, 0, 0, 0\n3000, 195, 0, 0, 0\n"));
        assert!(left_out("1, 210, 0, 4096, 8192\n2, 190, 0, 4096, 0\n3, 195, 0, 4096, 4096\n"));
    }

    #[test]
    fn a_file_is_read_once_and_its_copy_only_if_it_differs() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let (log, copy, other) = (path("x.1", "one"), path("x.1.gz", "one"), path("y.1", "one"));
        let differs = path("y.1.gz", "two");
        let linked = folder.path().join("link");
        std::os::unix::fs::symlink(&log, &linked).unwrap();
        let paths = [&log, &copy, &other, &differs, &log, &linked].map(|path| Some(path.as_path()));
        let once = RepeatedLogs::among(&paths, false);
        let left_out: Vec<usize> = (0..paths.len()).filter(|place| once.holds(*place)).collect();
        assert_eq!(left_out, [1, 4, 5]);
        assert!(once.twice_message(&paths).unwrap().contains("x.1.gz holds the same as"));
        let again = RepeatedLogs::among(&paths, true);
        assert!((0..paths.len()).all(|place| !again.holds(place)));
        assert_eq!(again.twice_message(&paths), None);
        let pipes = [None, None];
        assert_eq!(RepeatedLogs::among(&pipes, false).twice_message(&pipes), None);
    }
}
