//! Where the configuration file is.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The variable that names the file.
const VARIABLE: &str = "ISOTHERM_CONFIG";

/// Where the configuration file is, or would be.
pub struct Place {
    pub path: Option<PathBuf>,
    /// Whether somebody named it: then it must be there.
    is_named: bool,
}

impl Place {
    /// The file of `--config`, else of the environment, else the usual one.
    pub fn of(named: Option<&Path>) -> Place {
        Place::within(named, &|name| std::env::var_os(name).filter(|value| !value.is_empty()))
    }

    fn within(named: Option<&Path>, variable: &dyn Fn(&str) -> Option<OsString>) -> Place {
        let named = named.map(Path::to_owned).or_else(|| variable(VARIABLE).map(PathBuf::from));
        if named.is_some() {
            return Place { path: named, is_named: true };
        }
        let absolute = |path: &PathBuf| path.is_absolute();
        let directory = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(absolute);
        let home = || variable("HOME").map(|home| PathBuf::from(home).join(".config"));
        let path = directory.or_else(home).map(|home| home.join("isotherm").join("config.toml"));
        Place { path, is_named: false }
    }

    /// The file and its text; nothing where no file was named and there is none.
    pub fn text(&self) -> Result<Option<(PathBuf, String)>, String> {
        let Some(path) = &self.path else { return Ok(None) };
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Some((path.clone(), text))),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.is_named => Ok(None),
            Err(error) => {
                Err(format!("{}: the configuration cannot be read: {error}", path.display()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_comes_before_the_environment_and_that_before_the_usual_place() {
        let of = |named: Option<&str>, set: &[(&str, &str)]| {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
            };
            let place = Place::within(named.map(Path::new), &variable);
            (place.path.map(|path| path.display().to_string()).unwrap_or_default(), place.is_named)
        };
        let all = [("ISOTHERM_CONFIG", "/b"), ("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(of(Some("/a"), &all), ("/a".to_owned(), true));
        assert_eq!(of(None, &all), ("/b".to_owned(), true));
        assert_eq!(of(None, &all[1..]), ("/x/isotherm/config.toml".to_owned(), false));
        assert_eq!(of(None, &all[2..]), ("/h/.config/isotherm/config.toml".to_owned(), false));
        let relative = [("XDG_CONFIG_HOME", "x"), ("HOME", "/h")];
        assert_eq!(of(None, &relative).0, "/h/.config/isotherm/config.toml");
        assert_eq!(of(None, &[]), (String::new(), false));
    }
}
