//! Which key does what: the table, with the keys that somebody chose.

use std::borrow::Cow;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use thiserror::Error;

use crate::key_table::bindings;
use crate::key_words::WORDS;
use crate::keys::{Command, Context, Key, KeyBinding};

/// Which key does what.
#[derive(Clone, Debug)]
pub struct KeyMap(Vec<KeyBinding>);

/// Why keys cannot be given to a command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// There is no command of this name.
    #[error("there is no command '{0}'")]
    Command(String),
    /// There is no key of this name.
    #[error(
        "there is no key '{0}'; write n, N, ctrl-n, space, enter, esc, tab, left, shift-left, home, pgup or f1"
    )]
    Key(String),
    /// A key has one meaning only.
    #[error("{key} is the key of {one} and of {other}; give one of them another key")]
    Taken {
        /// The key.
        key: String,
        /// A command that has it.
        one: &'static str,
        /// Another one.
        other: &'static str,
    },
    /// A key that always ends the view.
    #[error("ctrl-c always quits; choose another key")]
    Reserved,
}

/// The key that always ends the view.
const INTERRUPT: Key = Key { code: KeyCode::Char('c'), modifiers: KeyModifiers::CONTROL };

impl Default for KeyMap {
    fn default() -> KeyMap {
        KeyMap(bindings().to_vec())
    }
}

impl KeyMap {
    /// The rows, in the order in which hints are shown.
    pub fn rows(&self) -> &[KeyBinding] {
        &self.0
    }

    /// The command of a key, if it has one there.
    pub fn command(&self, context: Context, event: KeyEvent) -> Option<Command> {
        let has = |row: &&KeyBinding| {
            row.context == context && row.keys.iter().any(|key| key.matches(event))
        };
        self.0.iter().find(has).map(|row| row.command)
    }

    /// Gives a command these keys over the maps, in place of those it has.
    pub fn rebind(&mut self, word: &str, keys: &[String]) -> Result<(), KeyError> {
        let known = WORDS.iter().find(|(known, _)| *known == word);
        let (_, command) = known.ok_or_else(|| KeyError::Command(word.to_owned()))?;
        let mut chosen = Vec::new();
        for name in keys {
            let key = Key::named(name).ok_or_else(|| KeyError::Key(name.clone()))?;
            if key == INTERRUPT && *command != Command::Quit {
                return Err(KeyError::Reserved);
            }
            chosen.push(key);
        }
        if *command == Command::Quit && !chosen.contains(&INTERRUPT) {
            chosen.push(INTERRUPT);
        }
        let rows = self.0.iter_mut().filter(|row| row.context.is_screen());
        for row in rows.filter(|row| row.command == *command) {
            row.keys = Cow::Owned(chosen.clone());
        }
        Ok(())
    }

    /// Fails if a key has two meanings: to be asked when all commands have their keys.
    pub fn check(&self) -> Result<(), KeyError> {
        let rows: Vec<&KeyBinding> = self.0.iter().filter(|row| row.context.is_screen()).collect();
        for (index, row) in rows.iter().enumerate() {
            for other in rows.iter().skip(index + 1) {
                if let Some(key) = row.keys.iter().find(|key| other.keys.contains(key)) {
                    let (one, other) = (word(row.command), word(other.command));
                    return Err(KeyError::Taken { key: key.name(), one, other });
                }
            }
        }
        Ok(())
    }

    /// What the command of this name does, and the keys it has over the maps.
    pub fn described(&self, word: &str) -> Option<(&'static str, String)> {
        let (_, command) = WORDS.iter().find(|(known, _)| *known == word)?;
        let here = |row: &&KeyBinding| row.context.is_screen() && row.command == *command;
        self.0.iter().find(here).map(|row| (row.help, row.names()))
    }

    /// The first key of a command over the maps.
    pub(crate) fn first(&self, command: Command) -> String {
        let here = |row: &&KeyBinding| row.context.is_screen() && row.command == command;
        let row = self.0.iter().find(here);
        row.and_then(|row| row.keys.first()).map(|key| key.name()).unwrap_or_default()
    }
}

/// What a command is called; digits choose a series and have no word of their own.
fn word(command: Command) -> &'static str {
    let known = WORDS.iter().find(|(_, known)| *known == command);
    known.map_or("the series of that number", |(word, _)| word)
}

impl Key {
    /// The key of this name, as people write it.
    fn named(name: &str) -> Option<Key> {
        if let Some(rest) = name.strip_prefix("ctrl-") {
            // A terminal sends ctrl-i and ctrl-m as tab and enter.
            let letter = Some(one_letter(rest)?.to_ascii_lowercase());
            let code = letter.filter(|letter| !matches!(letter, 'i' | 'm')).map(KeyCode::Char)?;
            return Some(Key { code, modifiers: KeyModifiers::CONTROL });
        }
        if let Some(rest) = name.strip_prefix("shift-") {
            let code = match code_named(rest)? {
                KeyCode::Tab => KeyCode::BackTab,
                // A terminal sends shift-space as space.
                KeyCode::Char(_) => return None,
                code => code,
            };
            return Some(Key { code, modifiers: KeyModifiers::SHIFT });
        }
        let letter = one_letter(name).filter(|letter| !letter.is_control() && *letter != ' ');
        let code = letter.map(KeyCode::Char).or_else(|| code_named(name))?;
        Some(Key { code, modifiers: KeyModifiers::NONE })
    }
}

fn one_letter(text: &str) -> Option<char> {
    let mut letters = text.chars();
    letters.next().filter(|_| letters.next().is_none())
}

/// Keys that are no characters.
fn code_named(name: &str) -> Option<KeyCode> {
    const NAMED: [(&str, KeyCode); 14] = [
        ("space", KeyCode::Char(' ')),
        ("enter", KeyCode::Enter),
        ("esc", KeyCode::Esc),
        ("tab", KeyCode::Tab),
        ("backspace", KeyCode::Backspace),
        ("delete", KeyCode::Delete),
        ("left", KeyCode::Left),
        ("right", KeyCode::Right),
        ("up", KeyCode::Up),
        ("down", KeyCode::Down),
        ("home", KeyCode::Home),
        ("end", KeyCode::End),
        ("pgup", KeyCode::PageUp),
        ("pgdn", KeyCode::PageDown),
    ];
    let lower = name.to_lowercase();
    let number = lower.strip_prefix('f').and_then(|number| number.parse().ok());
    let function = number.filter(|number| (1..=12).contains(number)).map(KeyCode::F);
    let named = NAMED.iter().find(|(known, _)| *known == lower).map(|(_, code)| *code);
    function.or(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rebound(pairs: &[(&str, &str)]) -> Result<KeyMap, KeyError> {
        let mut keys = KeyMap::default();
        for (word, key) in pairs {
            keys.rebind(word, &[(*key).to_owned()])?;
        }
        keys.check().map(|()| keys)
    }

    fn letter(letter: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)
    }

    #[test]
    fn every_command_over_the_maps_has_a_word_of_its_own() {
        let map = bindings().iter().filter(|row| row.context == Context::Map);
        for row in map.filter(|row| row.command != Command::Series) {
            let words = WORDS.iter().filter(|(_, command)| *command == row.command);
            assert_eq!(words.count(), 1, "{:?}", row.command);
        }
        assert!(WORDS.iter().all(|(word, _)| KeyMap::default().described(word).is_some()));
    }

    #[test]
    fn another_key_takes_the_place_of_those_there_are() {
        let keys = rebound(&[("next", "w"), ("compare", "f12")]).unwrap();
        let of = |event| keys.command(Context::Map, event);
        assert_eq!(of(letter('w')), Some(Command::NextSeries));
        assert_eq!((of(letter('n')), of(letter('c'))), (None, None));
        assert_eq!(keys.first(Command::Compare), "F12");
        assert_eq!(of(letter('q')), Some(Command::Quit), "others are as they were");
        assert_eq!(keys.described("next"), Some(("show the next series", "w".to_owned())));
    }

    #[test]
    fn keys_that_no_terminal_sends_are_refused() {
        let keys = rebound(&[("mark", "shift-tab")]).unwrap();
        let back_tab = KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT);
        assert_eq!(keys.command(Context::Map, back_tab), Some(Command::Mark));
        assert_eq!(keys.first(Command::Mark), "shift-tab");
        for key in ["ctrl-i", "ctrl-m", "shift-space"] {
            assert!(rebound(&[("mark", key)]).is_err(), "{key}");
        }
    }

    #[test]
    fn control_c_quits_whatever_is_chosen() {
        let keys = rebound(&[("quit", "x"), ("save", "w")]).unwrap();
        assert_eq!(keys.command(Context::Map, INTERRUPT.event()), Some(Command::Quit));
        assert_eq!(rebound(&[("mark", "ctrl-c")]).unwrap_err(), KeyError::Reserved);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let error = |pairs: &[(&str, &str)]| rebound(pairs).unwrap_err().to_string();
        let taken = "m is the key of next and of mark; give one of them another key";
        assert_eq!(error(&[("next", "m")]), taken);
        assert!(rebound(&[("next", "m"), ("mark", "n")]).is_ok(), "keys may change places");
        assert_eq!(error(&[("nxt", "m")]), "there is no command 'nxt'");
        assert!(error(&[("next", "hyper-x")]).starts_with("there is no key 'hyper-x'"));
        assert!(error(&[("next", "5")]).contains("the series of that number"));
    }
}
