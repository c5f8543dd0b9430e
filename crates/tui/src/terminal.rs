//! What this terminal can show: colours, background. Pure functions of the environment and of
//! what the user asked for.

use std::io::IsTerminal;
use std::time::Duration;

use isotherm_views::{Depth, Palette, Style, Theme};

/// When to use colour, as asked for on the command line.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum ColorChoice {
    /// As the terminal and the environment say.
    #[default]
    Auto,
    /// Colour even where the output is no terminal or `NO_COLOR` is set.
    Always,
    /// No colour: glyphs.
    Never,
    /// 24-bit colour.
    TrueColour,
    /// The 256 indexed colours.
    Indexed,
    /// The 16 basic colours.
    Basic,
}

/// What the user asked for.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// `--color`.
    pub color: Option<ColorChoice>,
    /// `--ascii`: nothing beyond ASCII, no colour.
    pub ascii: bool,
    /// `--theme`.
    pub theme: Option<Theme>,
    /// `--palette`.
    pub palette: Palette,
}

/// The part of the environment that says what a terminal can show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// `NO_COLOR`.
    pub no_color: Option<String>,
    /// `CLICOLOR_FORCE`.
    pub clicolor_force: Option<String>,
    /// `FORCE_COLOR`.
    pub force_color: Option<String>,
    /// `TERM`.
    pub term: Option<String>,
    /// `COLORTERM`.
    pub colorterm: Option<String>,
    /// `COLORFGBG`.
    pub colorfgbg: Option<String>,
    /// Whether the output is a terminal.
    pub is_tty: bool,
}

impl Environment {
    /// The environment of this process, with standard output as the terminal.
    pub fn read() -> Environment {
        let variable = |name: &str| std::env::var(name).ok();
        Environment {
            no_color: variable("NO_COLOR"),
            clicolor_force: variable("CLICOLOR_FORCE"),
            force_color: variable("FORCE_COLOR"),
            term: variable("TERM"),
            colorterm: variable("COLORTERM"),
            colorfgbg: variable("COLORFGBG"),
            is_tty: std::io::stdout().is_terminal(),
        }
    }

    /// The colours that `COLORTERM` and `TERM` promise. Multiplexers need no rule of their own:
    /// they pass 24-bit colour on only where `COLORTERM` says so.
    fn promised(&self) -> Depth {
        let is = |value: &Option<String>, wanted: &[&str]| {
            value.as_deref().is_some_and(|value| wanted.contains(&value))
        };
        let term = self.term.as_deref().unwrap_or_default();
        if is(&self.colorterm, &["truecolor", "24bit"]) || term.ends_with("-direct") {
            Depth::TrueColour
        } else if term.ends_with("-256color") {
            Depth::Indexed
        } else {
            Depth::Basic
        }
    }

    fn is_dumb(&self) -> bool {
        !self.is_tty || self.term.as_deref() == Some("dumb")
    }

    /// What `CLICOLOR_FORCE` and `FORCE_COLOR` ask for, if they ask.
    fn forced(&self) -> Option<Depth> {
        let set = |value: &Option<String>| value.clone().filter(|text| !text.is_empty());
        match set(&self.force_color).as_deref() {
            Some("0" | "false") => return Some(Depth::Glyphs),
            Some("3") => return Some(Depth::TrueColour),
            Some("2") => return Some(Depth::Indexed),
            Some(_) => return Some(self.promised()),
            None => {}
        }
        set(&self.clicolor_force).filter(|text| text != "0").map(|_| self.promised())
    }
}

/// How many colours to use. In this order: `--ascii`, `--color`, `NO_COLOR`, `FORCE_COLOR` and
/// `CLICOLOR_FORCE`, `TERM=dumb` or no terminal, `COLORTERM`, `TERM`, and then 16.
pub fn depth(preferences: &Preferences, environment: &Environment) -> Depth {
    if preferences.ascii {
        return Depth::Ascii;
    }
    match preferences.color.unwrap_or_default() {
        ColorChoice::Always => return environment.promised(),
        ColorChoice::Never => return Depth::Glyphs,
        ColorChoice::TrueColour => return Depth::TrueColour,
        ColorChoice::Indexed => return Depth::Indexed,
        ColorChoice::Basic => return Depth::Basic,
        ColorChoice::Auto => {}
    }
    if environment.no_color.as_deref().is_some_and(|value| !value.is_empty()) {
        return Depth::Glyphs;
    }
    environment.forced().unwrap_or_else(|| {
        if environment.is_dumb() { Depth::Glyphs } else { environment.promised() }
    })
}

/// The background. In this order: `--theme`, what the terminal answers to `ask` (only asked where
/// there is a terminal), `COLORFGBG`, and then dark.
pub fn theme(
    preferences: &Preferences,
    environment: &Environment,
    ask: impl FnOnce() -> Option<Theme>,
) -> Theme {
    let answered = || if environment.is_dumb() { None } else { ask() };
    let colours = || environment.colorfgbg.as_deref().and_then(background);
    preferences.theme.or_else(answered).or_else(colours).unwrap_or(Theme::Dark)
}

/// The theme for the background that `COLORFGBG` names last: `15;0`, `0;default;15`.
fn background(colours: &str) -> Option<Theme> {
    let (_, last) = colours.rsplit_once(';')?;
    match last.trim().parse::<u8>().ok()? {
        7 | 9..=15 => Some(Theme::Light),
        _ => Some(Theme::Dark),
    }
}

/// Asks the terminal for its background (OSC 11), waiting at most 100 ms for the answer.
pub fn ask_terminal() -> Option<Theme> {
    use terminal_colorsaurus::{QueryOptions, ThemeMode, theme_mode};
    let mut options = QueryOptions::default();
    options.timeout = Duration::from_millis(100);
    match theme_mode(options).ok()? {
        ThemeMode::Dark => Some(Theme::Dark),
        ThemeMode::Light => Some(Theme::Light),
    }
}

/// The whole style for this terminal; asks it for its background where nothing else says.
pub fn detect(preferences: &Preferences, environment: &Environment) -> Style {
    Style {
        depth: depth(preferences, environment),
        theme: theme(preferences, environment, ask_terminal),
        palette: preferences.palette,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal(term: &str, colorterm: Option<&str>) -> Environment {
        Environment {
            term: Some(term.to_owned()),
            colorterm: colorterm.map(str::to_owned),
            is_tty: true,
            ..Environment::default()
        }
    }

    #[test]
    fn the_terminal_says_how_many_colours_it_has() {
        let found = |term, colorterm| depth(&Preferences::default(), &terminal(term, colorterm));
        assert_eq!(found("xterm-256color", Some("truecolor")), Depth::TrueColour);
        assert_eq!(found("tmux-256color", Some("24bit")), Depth::TrueColour);
        assert_eq!(found("tmux-256color", None), Depth::Indexed);
        assert_eq!(found("linux", None), Depth::Basic);
        assert_eq!(found("dumb", Some("truecolor")), Depth::Glyphs);
    }

    #[test]
    fn each_rule_beats_those_after_it() {
        let mut environment = terminal("xterm-256color", None);
        environment.is_tty = false;
        let found =
            |preferences: &Preferences, environment: &Environment| depth(preferences, environment);
        let plain = Preferences::default();
        assert_eq!(found(&plain, &environment), Depth::Glyphs);
        environment.clicolor_force = Some("1".into());
        assert_eq!(found(&plain, &environment), Depth::Indexed);
        environment.force_color = Some("3".into());
        assert_eq!(found(&plain, &environment), Depth::TrueColour);
        environment.force_color = Some("0".into());
        assert_eq!(found(&plain, &environment), Depth::Glyphs);
        environment.no_color = Some("1".into());
        environment.force_color = Some("3".into());
        assert_eq!(found(&plain, &environment), Depth::Glyphs);
        let always = Preferences { color: Some(ColorChoice::Always), ..plain };
        assert_eq!(found(&always, &environment), Depth::Indexed);
        let ascii = Preferences { ascii: true, ..always };
        assert_eq!(found(&ascii, &environment), Depth::Ascii);
    }

    #[test]
    fn an_empty_no_color_says_nothing() {
        let mut environment = terminal("xterm-256color", None);
        environment.no_color = Some(String::new());
        assert_eq!(depth(&Preferences::default(), &environment), Depth::Indexed);
    }

    #[test]
    fn the_background_is_asked_for_only_where_somebody_can_answer() {
        let plain = Preferences::default();
        let mut environment = terminal("xterm", None);
        assert_eq!(theme(&plain, &environment, || Some(Theme::Light)), Theme::Light);
        environment.colorfgbg = Some("0;default;15".into());
        assert_eq!(theme(&plain, &environment, || None), Theme::Light);
        environment.colorfgbg = Some("15;0".into());
        assert_eq!(theme(&plain, &environment, || None), Theme::Dark);
        assert_eq!(theme(&plain, &environment, || Some(Theme::Light)), Theme::Light);
        environment.is_tty = false;
        let ask = || unreachable!("nobody is there to ask");
        assert_eq!(theme(&plain, &environment, ask), Theme::Dark);
        let light = Preferences { theme: Some(Theme::Light), ..plain };
        assert_eq!(theme(&light, &environment, ask), Theme::Light);
    }
}
