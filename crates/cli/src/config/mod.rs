//! The configuration file: how things look and which keys do what, unless the command line or the
//! environment says otherwise.

mod apply;
mod file;
mod formats;
mod place;
mod settings;
mod words;

use std::path::Path;
use std::sync::Arc;

pub use self::formats::{add_formats, check_format_named};
use crate::args::Command;
use crate::config_args::Config;
use crate::failure::{Code, Failure};
use place::Place;
use settings::Settings;

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
