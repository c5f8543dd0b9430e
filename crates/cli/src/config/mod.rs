//! The configuration file: how things look and which keys do what, unless the command line or the
//! environment says otherwise.

mod apply;
mod file;
mod place;
mod settings;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use isotherm_tui::KeyMap;

use crate::args::Command;
use crate::failure::{Code, Failure};
use place::Place;
use settings::Settings;

/// Which configuration file is read.
#[derive(Args, Debug)]
pub struct ConfigArgs {
    /// Read the configuration from this file, not from ~/.config/isotherm/config.toml
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        hide_short_help = true,
        help_heading = "Screen"
    )]
    pub config: Option<PathBuf>,
}

/// What was configured, for whoever shows or uses it.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The file that was read; none where there is none.
    pub path: Option<PathBuf>,
    /// Where a file would be read.
    pub usual: Option<PathBuf>,
    /// What the file and the environment set, in words.
    pub sets: Vec<String>,
    /// What is wrong with the file, where it is only looked at.
    pub problem: Option<String>,
    /// Which key does what.
    pub keys: Arc<KeyMap>,
}

/// Reads the configuration and gives it to a command that looks at it; `named` is `--config`.
pub fn apply(command: &mut Command, named: Option<&Path>) -> Result<(), Failure> {
    let is_doctor = matches!(command, Command::Doctor(_));
    let Some(screen) = apply::screen(command) else { return Ok(()) };
    let place = Place::of(named);
    let (settings, config) = match read(&place) {
        Ok(read) => read,
        Err(problem) if is_doctor => {
            screen.config =
                Config { usual: place.path, problem: Some(problem), ..Config::default() };
            return Ok(());
        }
        Err(problem) => return Err(Failure::new(Code::Usage, problem)),
    };
    settings.look(screen);
    screen.config = config;
    if let Some(geometry) = apply::geometry(command) {
        settings.shape(geometry);
    }
    Ok(())
}

fn read(place: &Place) -> Result<(Settings, Config), String> {
    let mut config = Config { usual: place.path.clone(), ..Config::default() };
    let mut settings = Settings::default();
    if let Some((path, text)) = place.text()? {
        settings = file::parse(&text)
            .map_err(|error| format!("{}:{}: {}", path.display(), error.line, error.words))?;
        config.path = Some(path);
    }
    settings.take_environment(&|name| std::env::var(name).ok())?;
    config.sets.clone_from(&settings.sets);
    config.keys = Arc::new(std::mem::take(&mut settings.keys));
    Ok((settings, config))
}
