//! Dependencies that nothing uses.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::rooms::sources;

/// Dependencies of the workspace's crates, and of the fuzz targets, that no source file of the crate
/// names, one line each.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for directory in crates(root)? {
        let manifest = directory.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?;
        let mut code = Vec::new();
        for file in sources(&directory)? {
            let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            for elsewhere in modules_elsewhere(&file, &text) {
                let read = fs::read_to_string(&elsewhere);
                code.push(read.with_context(|| elsewhere.display().to_string())?);
            }
            code.push(text);
        }
        let name = manifest.strip_prefix(root).unwrap_or(&manifest).display().to_string();
        let unused =
            dependencies(&text).into_iter().filter(|dependency| !is_used(dependency, &code));
        found.extend(unused.map(|dependency| {
            format!("{name}: nothing uses the dependency {dependency}; remove it")
        }));
    }
    Ok(found)
}

/// The files that `#[path = "..."]` makes modules of this one: another crate's, as a rule.
fn modules_elsewhere(file: &Path, text: &str) -> Vec<PathBuf> {
    let named = |line: &str| {
        let path = line.trim().strip_prefix("#[path = \"")?.strip_suffix("\"]")?;
        Some(file.parent()?.join(path))
    };
    text.lines().filter_map(named).collect()
}

fn crates(root: &Path) -> Result<Vec<PathBuf>> {
    let rooms = root.join("crates");
    let mut found = vec![root.join("fuzz"), root.join("xtask")];
    for entry in fs::read_dir(&rooms).with_context(|| rooms.display().to_string())? {
        found.push(entry?.path());
    }
    found.retain(|directory| directory.join("Cargo.toml").is_file());
    found.sort();
    Ok(found)
}

/// The names of what a manifest depends on, in whichever of its tables: a key of
/// `[...dependencies]`, or the end of `[...dependencies.NAME]`.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut listed = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            listed = table.ends_with("dependencies");
            if let Some((_, name)) = table.split_once("dependencies.") {
                found.push(name.to_owned());
            }
        } else if listed && let Some((key, _)) = line.split_once(['=', '.', ' ']) {
            let key = key.trim_matches('"');
            if !key.is_empty() && !key.starts_with('#') {
                found.push(key.to_owned());
            }
        }
    }
    found
}

/// Whether code names a crate: as the beginning of a path, or as all of a `use`.
fn is_used(dependency: &str, code: &[String]) -> bool {
    let name = dependency.replace('-', "_");
    let path = format!("{name}::");
    let alone =
        [format!("use {name};"), format!("use {name} as "), format!("extern crate {name};")];
    code.iter().flat_map(|text| text.lines()).map(str::trim_start).any(|line| {
        !line.starts_with("//")
            && (begins_path(line, &path) || alone.iter().any(|one| line.contains(one)))
    })
}

/// Whether `path` stands in a line, and not as the end of a longer name.
fn begins_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]
name = \"room\"

[dependencies]
# A reason.
anyhow.workspace = true
\"serde\" = { version = \"1\" }
some-crate = \"1\"

[target.'cfg(unix)'.dependencies]
libc = \"0.2\"

[dev-dependencies.insta]
version = \"1\"

[features]
default = [\"serde\"]
";

    #[test]
    fn every_table_of_dependencies_is_read_and_no_other() {
        assert_eq!(dependencies(MANIFEST), ["anyhow", "serde", "some-crate", "libc", "insta"]);
    }

    #[test]
    fn only_code_that_names_a_crate_uses_it() {
        let used = |line: &str| is_used("some-crate", &[format!("fn main() {{}}\n{line}\n")]);
        for line in [
            "use some_crate::Thing;",
            "    let thing = some_crate::thing();",
            "#[derive(some_crate::Thing)]",
            "use {other::A, some_crate::B};",
            "pub use some_crate as thing;",
            "use some_crate;",
        ] {
            assert!(used(line), "{line}");
        }
        for line in [
            "",
            "// some_crate::Thing would be nicer",
            "/// See [`some_crate::Thing`].",
            "use awesome_crate::Thing;",
            "let x = tiresome_crate::y();",
            "let some_crate = 1;",
        ] {
            assert!(!used(line), "{line}");
        }
    }

    #[test]
    fn modules_that_lie_elsewhere_are_found() {
        let text =
            "#[cfg(test)]\n#[path = \"../../other/tests/schema.rs\"]\nmod schema;\nmod own;\n";
        let found = modules_elsewhere(Path::new("room/tests/main.rs"), text);
        assert_eq!(found, [Path::new("room/tests/../../other/tests/schema.rs")]);
    }

    #[test]
    fn every_crate_uses_what_it_depends_on() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert_eq!(check(root).unwrap(), Vec::<String>::new());
    }
}
