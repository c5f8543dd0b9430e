//! Small trees of files for the tests of the checks.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// A directory that holds these files: path and text of each.
pub fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("crates")).unwrap();
    for (name, text) in files {
        write(root.path(), name, text);
    }
    root
}

/// Writes one file of such a tree.
pub fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
