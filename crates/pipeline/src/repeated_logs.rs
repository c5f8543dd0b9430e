//! Files of which others that are read with them tell the same operations.

use std::path::Path;

use isotherm_sources::{HEAD, logs_of_fio_report, repeated_fio_logs};

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
        let reports = paths.iter().enumerate().filter(|_| paths.len() > 1);
        let reports = reports.filter_map(|(place, path)| Some((place, logs_of((*path)?)?)));
        RepeatedLogs { places: repeated_fio_logs(paths, &reports.collect::<Vec<_>>()) }
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

/// What a report calls its logs; `None` of any other file.
fn logs_of(path: &Path) -> Option<String> {
    use std::io::Read as _;
    let is_report = path.extension().is_some_and(|ending| ending == "json") && path.is_file();
    let file = std::fs::File::open(path).ok().filter(|_| is_report)?;
    let mut head = Vec::new();
    file.take(u64::try_from(HEAD).ok()?).read_to_end(&mut head).ok()?;
    logs_of_fio_report(&head)
}
