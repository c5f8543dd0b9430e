//! Where the programs of `PostgreSQL` are.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::LabError;

/// Where packages put one directory for each major release.
const RELEASES: [&str; 2] = ["/usr/lib/postgresql", "/usr/local/lib/postgresql"];

/// The directory with `initdb` and `postgres`: that of `pg_config`, the newest release of the usual
/// places, or one of PATH.
pub fn directory() -> Result<PathBuf, LabError> {
    let mut places: Vec<PathBuf> = by_pg_config().into_iter().collect();
    places.extend(RELEASES.iter().flat_map(|parent| releases(Path::new(parent))));
    let path = std::env::var_os("PATH").unwrap_or_default();
    places.extend(std::env::split_paths(&path));
    places.into_iter().find(|place| is_complete(place)).ok_or_else(|| LabError::NotInstalled {
        what: "PostgreSQL".to_owned(),
        why:
            "initdb and postgres are not where pg_config says, not in /usr/lib/postgresql and not \
              in PATH"
                .to_owned(),
        next: "install a PostgreSQL server, or name one with --server",
    })
}

fn by_pg_config() -> Option<PathBuf> {
    let asked = Command::new("pg_config").arg("--bindir").stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(asked.stdout).ok()?;
    asked.status.success().then(|| PathBuf::from(text.trim_end()))
}

/// The directories of releases, newest first.
fn releases(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let release = entry.file_name().to_str()?.parse().ok()?;
            Some((release, entry.path().join("bin")))
        })
        .collect();
    found.sort_by_key(|(release, _)| std::cmp::Reverse(*release));
    found.into_iter().map(|(_, place)| place).collect()
}

fn is_complete(place: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|name| place.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_release_comes_first() {
        let parent = tempfile::tempdir().unwrap();
        for name in ["9", "15", "17", "common"] {
            std::fs::create_dir_all(parent.path().join(name).join("bin")).unwrap();
        }
        let found = releases(parent.path());
        let names: Vec<String> = found
            .iter()
            .map(|place| place.strip_prefix(parent.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["17/bin", "15/bin", "9/bin"]);
        assert!(!is_complete(&found[0]));
    }
}
