//! A directory in which the program writes what is compared or kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The program and an empty directory to run it in: names of files are short in what it writes.
pub struct Scratch {
    program: PathBuf,
    directory: PathBuf,
}

impl Scratch {
    /// Empties the directory.
    pub fn new(program: PathBuf, directory: PathBuf) -> Result<Scratch> {
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir_all(&directory)?;
        Ok(Scratch { program, directory })
    }

    /// Where a file of this name is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Copies a file into the directory: a recording is opened for writing, too.
    pub fn copy(&self, file: &Path) -> Result<()> {
        let name = file.file_name().context("a file has a name")?;
        fs::copy(file, self.directory.join(name)).with_context(|| file.display().to_string())?;
        Ok(())
    }

    /// Runs the program with these arguments; gives what it prints.
    pub fn isotherm(&self, arguments: &[&str]) -> Result<String> {
        self.output(&self.program, arguments)
    }

    /// Runs any program in the directory; gives what it prints. Nothing of the user's settings shows in it.
    pub fn output(&self, program: &Path, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(program);
        command.current_dir(&self.directory).args(arguments);
        command.env_remove("NO_COLOR").env("TZ", "UTC").env("LC_ALL", "C.UTF-8");
        command.env("XDG_CONFIG_HOME", &self.directory);
        let names = std::env::vars_os().map(|(name, _)| name);
        for name in names.filter(|name| name.to_string_lossy().starts_with("ISOTHERM_")) {
            command.env_remove(name);
        }
        let output = command.output().with_context(|| program.display().to_string())?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            bail!("{} {}: {}", program.display(), arguments.join(" "), message.trim());
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}
