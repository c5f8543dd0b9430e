//! What can be configured.

use clap::ValueEnum;
use isotherm_tui::KeyMap;

use super::words::hint;
use crate::choices::{PaletteArg, ThemeArg};
use crate::geometry_args::GeometryArgs;
use crate::screen_args::ScreenArgs;

/// What is configured.
#[derive(Debug, Default)]
pub struct Settings {
    theme: Option<ThemeArg>,
    palette: Option<PaletteArg>,
    ascii: Option<bool>,
    utc: Option<bool>,
    maps: GeometryArgs,
    pub keys: KeyMap,
    /// What is set, in words.
    pub sets: Vec<String>,
}

/// The words of the file that are no tables.
pub const LOOKS: [&str; 4] = ["theme", "palette", "ascii", "utc"];
/// Those of `[maps]`.
pub const MAPS: [&str; 5] = ["rows", "columns", "latency", "max-rate", "max-waiting"];

impl Settings {
    /// Sets how something looks; what is wrong with it is the error.
    pub fn set_look(&mut self, word: &str, value: &str) -> Result<(), String> {
        match word {
            "theme" => self.theme = Some(choice(value)?),
            "palette" => self.palette = Some(choice(value)?),
            "ascii" => self.ascii = Some(switch(value)?),
            "utc" => self.utc = Some(switch(value)?),
            _ => return Err(format!("unknown word '{word}'{}", hint(word, &LOOKS))),
        }
        self.sets.push(format!("{word} = {value}"));
        Ok(())
    }

    /// Sets a part of the geometry of maps.
    pub fn set_map(&mut self, word: &str, value: &str) -> Result<(), String> {
        self.maps.set(word, value)?;
        self.sets.push(format!("maps.{word} = {value}"));
        Ok(())
    }

    /// Gives a command these keys.
    pub fn set_keys(&mut self, word: &str, keys: &[String]) -> Result<(), String> {
        self.keys.rebind(word, keys).map_err(|error| error.to_string())?;
        let (help, _) = self.keys.described(word).unwrap_or_default();
        self.sets.push(format!("keys.{word} = {} ({help})", keys.join(" ")));
        Ok(())
    }

    /// Takes what the environment says, which comes before the file.
    pub fn take_environment(
        &mut self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), String> {
        for word in LOOKS {
            let name = format!("ISOTHERM_{}", word.to_uppercase());
            let Some(value) = variable(&name).filter(|value| !value.is_empty()) else { continue };
            self.sets.retain(|set| !set.starts_with(&format!("{word} = ")));
            self.set_look(word, &value).map_err(|error| format!("{name}: {error}"))?;
            if let Some(last) = self.sets.last_mut() {
                last.extend([" (", &name, ")"]);
            }
        }
        Ok(())
    }

    /// Fills in what the command line does not say of how things look.
    pub fn look(&self, screen: &mut ScreenArgs) {
        screen.theme = screen.theme.or(self.theme);
        screen.palette = screen.palette.or(self.palette);
        screen.ascii |= self.ascii.unwrap_or(false);
        screen.utc |= self.utc.unwrap_or(false);
    }

    /// Fills in what the command line does not say of axes and colours.
    pub fn shape(&self, geometry: &mut GeometryArgs) {
        let maps = &self.maps;
        geometry.rows = geometry.rows.or(maps.rows);
        geometry.columns_of_time = geometry.columns_of_time.or(maps.columns_of_time);
        geometry.latency = geometry.latency.or(maps.latency);
        geometry.max_rate = geometry.max_rate.or(maps.max_rate);
        geometry.max_waiting = geometry.max_waiting.or(maps.max_waiting);
    }
}

fn choice<T: ValueEnum>(value: &str) -> Result<T, String> {
    T::from_str(value, false).map_err(|_| {
        let known = T::value_variants().iter().filter_map(T::to_possible_value);
        let known: Vec<String> = known.map(|value| value.get_name().to_owned()).collect();
        format!("'{value}' is none of {}", known.join(", "))
    })
}

fn switch(value: &str) -> Result<bool, String> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(format!("'{value}' is neither true nor false")),
    }
}
