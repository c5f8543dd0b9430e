//! Files of which others that are read with them tell the same operations.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{BufReader, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use isotherm_formats::{
    ByteRange, Bytes, HEAD, is_averages_of_fio, logs_of_fio_report, repeated_fio_logs,
};

use crate::{Input, PipelineError};

/// Inputs that are not read, because others time the same operations.
pub struct RepeatedLogs {
    /// Their places, each with that of the one that is read instead.
    places: Vec<(usize, usize)>,
    /// The same of files that are named twice, or beside their compressed copies.
    twice: Vec<(usize, usize)>,
    /// Files of the same bytes as one before them, with the place of that one. They are read: rows that two processes
    /// wrote may be the same.
    copies: Vec<(usize, usize)>,
}

impl RepeatedLogs {
    /// The most files that are named.
    const NAMED: usize = 6;

    /// Those among inputs that are read together; none for what is no file.
    /// With `again` a file is read as often as it is named.
    pub fn among<'p>(paths: &[Option<&'p Path>], again: bool) -> RepeatedLogs {
        if paths.len() < 2 {
            return RepeatedLogs { places: Vec::new(), twice: Vec::new(), copies: Vec::new() };
        }
        let whole = |path: Option<&'p Path>| path.map(|path| FilePart { path, range: None });
        let parts: Vec<_> = paths.iter().copied().map(whole).collect();
        let (twice, mut copies) = if again { Default::default() } else { same_files(&parts) };
        let reports = paths.iter().enumerate();
        let reports = reports.filter_map(|(place, path)| {
            Some((place, logs_of_fio_report(&head_of((*path)?, "json")?)?))
        });
        let reports: Vec<(usize, String)> = reports.collect();
        // For a log that cannot be read itself nothing is left out.
        let is_usable =
            |path: &&Path| !head_of(path, "log").is_some_and(|head| is_averages_of_fio(&head));
        let usable: Vec<Option<&Path>> = paths.iter().map(|path| path.filter(is_usable)).collect();
        let places = repeated_fio_logs(&usable, &reports);
        let is_read = |place: usize| !places.iter().any(|(repeated, _)| *repeated == place);
        copies.retain(|(copy, first)| is_read(*copy) && is_read(*first));
        RepeatedLogs { places, twice, copies }
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

    /// The message that says which files are copies of others and count twice.
    pub fn copies_message(&self, paths: &[Option<&Path>]) -> Option<String> {
        let name = |place: usize| Some(paths.get(place).copied().flatten()?.display().to_string());
        let &(copy, first) = self.copies.first()?;
        let more = match self.copies.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more such files)"),
        };
        Some(format!(
            "{} holds the same bytes as {}{more}: what is in them counts twice (give one of them, or --again if that \
             is meant)",
            name(copy)?,
            name(first)?
        ))
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

/// Inputs without files that are named twice, or beside their compressed copies, unless they are to be read
/// `again`; and what to say of those and of other copies. Ranges of a file must not overlap then.
pub fn read_once(
    inputs: Vec<Input>,
    again: bool,
) -> Result<(Vec<Input>, Vec<String>), PipelineError> {
    if again || inputs.len() < 2 {
        return Ok((inputs, Vec::new()));
    }
    let parts: Vec<Option<FilePart<'_>>> = inputs.iter().map(FilePart::of).collect();
    let (twice, copies) = same_files(&parts);
    let repeated = RepeatedLogs { places: Vec::new(), twice, copies };
    let paths: Vec<Option<&Path>> = inputs.iter().map(Input::path).collect();
    let said = repeated.twice_message(&paths).into_iter().chain(repeated.copies_message(&paths));
    let said = said.collect();
    let is_read = |place: &usize| !repeated.holds(*place);
    let ranges: Vec<usize> = (0..inputs.len()).filter(is_read).collect();
    if let Some((one, other)) = overlapping(&parts, &ranges) {
        return Err(PipelineError::Request(format!(
            "{one} and {other} overlap: records that begin in both would count twice. Let one range end where \
             the next begins, or give --again"
        )));
    }
    let inputs = inputs.into_iter().enumerate().filter(|(place, _)| !repeated.holds(*place));
    Ok((inputs.map(|(_, input)| input).collect(), said))
}

/// A file, and the range of it that is read.
#[derive(Copy, Clone)]
struct FilePart<'i> {
    path: &'i Path,
    range: Option<ByteRange>,
}

impl<'i> FilePart<'i> {
    /// What is read of an input, if that is a file.
    fn of(input: &'i Input) -> Option<FilePart<'i>> {
        Some(FilePart { path: input.path()?, range: input.range })
    }

    /// This, if it is no range of a file.
    fn if_whole(self) -> Option<FilePart<'i>> {
        self.range.is_none().then_some(self)
    }

    /// The first byte, and the one behind the last.
    fn bytes(self) -> (u64, u64) {
        let range = self.range.map(|range| (range.from, range.to.unwrap_or(u64::MAX)));
        range.unwrap_or((0, u64::MAX))
    }

    /// Which file it is, under whatever name.
    fn identity(self) -> Option<(u64, u64)> {
        let found = std::fs::metadata(self.path).ok().filter(std::fs::Metadata::is_file)?;
        Some((found.dev(), found.ino()))
    }

    fn shown(self) -> String {
        match self.range {
            Some(range) => format!("{}@{range}", self.path.display()),
            None => self.path.display().to_string(),
        }
    }
}

/// The first two parts of one file that overlap, if one of them is a range.
fn overlapping(parts: &[Option<FilePart<'_>>], read: &[usize]) -> Option<(String, String)> {
    let parts = read.iter().filter_map(|place| parts.get(*place).copied().flatten());
    let mut of_file: BTreeMap<(u64, u64), Vec<FilePart<'_>>> = BTreeMap::new();
    for part in parts {
        if let Some(file) = part.identity() {
            of_file.entry(file).or_default().push(part);
        }
    }
    of_file.into_values().find_map(|mut parts| {
        parts.sort_by_key(|part| part.bytes());
        let pairs = parts.iter().zip(parts.iter().skip(1));
        let mut pairs = pairs.filter(|(one, other)| other.bytes().0 < one.bytes().1);
        pairs.next().map(|(one, other)| (one.shown(), other.shown()))
    })
}

/// Files that are others of them, each with the place of that one.
type SameFiles = Vec<(usize, usize)>;

/// Files that are named twice or beside their compressed copies, and copies of the same bytes of those that are read.
fn same_files(parts: &[Option<FilePart<'_>>]) -> (SameFiles, SameFiles) {
    let twice = named_twice(parts);
    let mut read = parts.to_vec();
    for (place, _) in &twice {
        read[*place] = None;
    }
    let copies = copies(&read);
    (twice, copies)
}

/// Files that are others of them under the same or another name, or their compressed copies, as a
/// rotation of logs leaves them for a moment: each with the place of the one that is read.
fn named_twice(parts: &[Option<FilePart<'_>>]) -> SameFiles {
    let by_name: HashMap<PathBuf, usize> = (parts.iter().enumerate().rev())
        .filter_map(|(place, part)| {
            Some((part.and_then(FilePart::if_whole)?.path.to_owned(), place))
        })
        .collect();
    let original = |copy: FilePart<'_>| {
        let copy = copy.if_whole()?.path;
        let is_packed = copy.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
        let plain = is_packed.then(|| copy.with_extension(""))?;
        let place = *by_name.get(&plain)?;
        hold_the_same(copy, &plain).then_some(place)
    };
    let range = |part: FilePart<'_>| part.range.map(|range| (range.from, range.to));
    let mut first = HashMap::new();
    let mut twice = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        let Some(part) = *part else { continue };
        let identity = part.identity().map(|file| (file, range(part)));
        let before = identity.map(|identity| *first.entry(identity).or_insert(place));
        let read = before.filter(|before| *before < place).or_else(|| original(part));
        twice.extend(read.map(|read| (place, read)));
    }
    twice
}

/// Files of the same bytes as one before them, each with the place of that one. Files of which no other has the
/// same length are not read for this, and of the others all only where they begin alike.
fn copies(parts: &[Option<FilePart<'_>>]) -> SameFiles {
    /// Files of one length, such as traces of fixed records, most often differ within so many bytes.
    const BEGINNING: u64 = 64 << 10;
    let mut of_length: BTreeMap<u64, Vec<(usize, &Path)>> = BTreeMap::new();
    for (place, part) in parts.iter().enumerate() {
        let Some(path) = part.and_then(FilePart::if_whole).map(|part| part.path) else { continue };
        // Others than regular files can be read only once.
        let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
        if let Some(length) = found.map(|found| found.len()).filter(|length| *length > 0) {
            of_length.entry(length).or_default().push((place, path));
        }
    }
    let keys = RandomState::new();
    let mut copies = Vec::new();
    for (length, files) in of_length {
        for group in alike(files, &keys, BEGINNING) {
            let same = if length > BEGINNING { alike(group, &keys, u64::MAX) } else { vec![group] };
            for files in same {
                let Some(((first, _), others)) = files.split_first() else { continue };
                copies.extend(others.iter().map(|(place, _)| (*place, *first)));
            }
        }
    }
    copies.sort_unstable();
    copies
}

/// Groups of at least two files whose first `most` bytes are the same, in the order in which they are named.
fn alike<'p>(
    files: Vec<(usize, &'p Path)>,
    keys: &RandomState,
    most: u64,
) -> Vec<Vec<(usize, &'p Path)>> {
    let mut groups: BTreeMap<u64, Vec<(usize, &Path)>> = BTreeMap::new();
    if files.len() > 1 {
        for (place, path) in files {
            if let Some(hash) = hash_of(path, keys, most) {
                groups.entry(hash).or_default().push((place, path));
            }
        }
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// A hash of the first `most` bytes of a file, with keys that nobody knows; `None` of a file that cannot be read.
fn hash_of(path: &Path, keys: &RandomState, most: u64) -> Option<u64> {
    let mut reader = File::open(path).ok()?.take(most);
    let (mut hasher, mut buffer) = (keys.build_hasher(), vec![0; 64 << 10]);
    loop {
        match reader.read(&mut buffer).ok()? {
            0 => return Some(hasher.finish()),
            read => hasher.write(buffer.get(..read)?),
        }
    }
}

/// Whether two files hold the same bytes, apart from their compression.
fn hold_the_same(one: &Path, other: &Path) -> bool {
    let open = |path: &Path| Bytes::file(path).ok().map(BufReader::new);
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
    let fits = path.extension().is_some_and(|one| one == ending) && path.is_file();
    let file = File::open(path).ok().filter(|_| fits)?;
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
    fn copies_of_the_same_bytes_are_reported_whatever_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let long = "1795253272.365783 182\n".repeat(5_000);
        let other = format!("{}3\n", &long[..long.len() - 2]);
        let files = [
            path("empty.a", ""),
            path("empty.b", ""),
            path("monday.log", &long),
            path("tuesday.log", &other),
            path("copy of monday.log", &long),
            path("short.a", "1 2\n"),
            path("short.b", "1 3\n"),
            path("short.c", "1 2\n"),
            path("another copy", &long),
        ];
        let paths: Vec<Option<&Path>> = files.iter().map(|path| Some(path.as_path())).collect();
        let once = RepeatedLogs::among(&paths, false);
        assert_eq!(once.copies, [(4, 2), (7, 5), (8, 2)]);
        assert!((0..paths.len()).all(|place| !once.holds(place)));
        let said = once.copies_message(&paths).unwrap();
        assert!(said.contains("copy of monday.log holds the same bytes as"), "{said}");
        assert!(said.contains("/monday.log (and 2 more such files): what is in them"), "{said}");
        assert_eq!(RepeatedLogs::among(&paths, true).copies_message(&paths), None);
        // A file that is named twice is read once, and is no copy.
        let twice = RepeatedLogs::among(&[paths[2], paths[2]], false);
        assert_eq!((twice.copies, twice.twice), (vec![], vec![(1, 0)]));
        // A range of a copy is another part, of which nothing is known.
        let range = ByteRange { from: 0, to: Some(2) };
        let inputs = vec![Input::of_range(&files[5], range), Input::of_range(&files[7], range)];
        assert_eq!(read_once(inputs.clone(), false).unwrap(), (inputs, vec![]));
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
        let range = |from: u64, to: u64| Input::of_range(&log, ByteRange { from, to: Some(to) });
        let halves = vec![range(0, 2), range(2, 3)];
        assert_eq!(read_once(halves.clone(), false).unwrap(), (halves.clone(), vec![]));
        let (read, said) = read_once(vec![range(0, 2), range(2, 3), range(0, 2)], false).unwrap();
        assert!(read == halves && said.concat().contains("read once"));
        let overlapping = vec![range(0, 2), range(1, 3)];
        let refused = read_once(overlapping.clone(), false).unwrap_err().to_string();
        assert!(refused.contains("x.1@0..2 and") && refused.contains("overlap"), "{refused}");
        assert_eq!(read_once(overlapping.clone(), true).unwrap(), (overlapping, vec![]));
        let pipes = [None, None];
        assert_eq!(RepeatedLogs::among(&pipes, false).twice_message(&pipes), None);
    }
}
