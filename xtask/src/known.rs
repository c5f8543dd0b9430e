//! Lists of what was found when a check was made and is not mended yet: files in `xtask/known`, one
//! finding a line, that may only get shorter.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

fn path(root: &Path, name: &str) -> PathBuf {
    root.join("xtask").join("known").join(name)
}

fn text(root: &Path, name: &str) -> Result<String> {
    let path = path(root, name);
    if !path.exists() {
        return Ok(String::new());
    }
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}

fn is_comment(line: &str) -> bool {
    line.starts_with('#') || line.is_empty()
}

/// The lines of a list, without comments; none if there is no such list.
pub fn lines(root: &Path, name: &str) -> Result<Vec<String>> {
    let text = text(root, name)?;
    Ok(text.lines().filter(|line| !is_comment(line)).map(ToOwned::to_owned).collect())
}

/// Replaces each line by what `keep` makes of it, or takes it out.
pub fn keep(root: &Path, name: &str, keep: impl Fn(&str) -> Option<String>) -> Result<()> {
    let before = text(root, name)?;
    let kept = |line: &str| if is_comment(line) { Some(line.to_owned()) } else { keep(line) };
    let after: String = before.lines().filter_map(kept).map(|line| line + "\n").collect();
    if before == after {
        return Ok(());
    }
    let path = path(root, name);
    fs::write(&path, after).with_context(|| path.display().to_string())
}
