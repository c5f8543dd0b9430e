//! Names of directories that commands make.

use std::path::Path;

/// The endings of files that commands write.
const FILES: [&str; 9] = ["heat", "html", "csv", "json", "jsonl", "hlog", "md", "svg", "png"];

/// The ending of a name that is a file's although it is given for a directory; `None` if a directory has the
/// name, or a slash ends it.
pub fn file_ending(directory: &Path) -> Option<&'static str> {
    let is_meant = directory.is_dir() || directory.as_os_str().as_encoded_bytes().ends_with(b"/");
    let ending = directory.extension()?.to_string_lossy().to_ascii_lowercase();
    FILES.into_iter().find(|file| *file == ending).filter(|_| !is_meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_ends_like_a_file_is_one_unless_a_directory_is_meant() {
        let directory = tempfile::tempdir().unwrap();
        let made = directory.path().join("made.heat");
        std::fs::create_dir(&made).unwrap();
        let ending = |name: &str| file_ending(&directory.path().join(name));
        assert_eq!(ending("x.heat"), Some("heat"));
        assert_eq!(ending("x.HTML"), Some("html"));
        for name in ["x", "x.heat/", "made.heat", "db1.example", "disk.sweep", ".heat"] {
            assert_eq!(ending(name), None, "{name}");
        }
    }
}
