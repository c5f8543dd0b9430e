//! What each key does: one table, from which keys are looked up and the help is written.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::key_table::{DIGITS, TABLE};

/// What a key can do.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the table below says what each one does")]
pub enum Command {
    Quit,
    QuitLeavingPicture,
    Suspend,
    Redraw,
    Help,
    Close,
    Freeze,
    PanBack,
    PanForward,
    PageBack,
    PageForward,
    Oldest,
    Newest,
    ZoomIn,
    ZoomOut,
    CursorLeft,
    CursorRight,
    CursorFarLeft,
    CursorFarRight,
    RowUp,
    RowDown,
    RowFarUp,
    RowFarDown,
    Select,
    SelectColumns,
    Explain,
    Describe,
    Baseline,
    Compare,
    Save,
    SaveShown,
    Focus,
    Scale,
    Pin,
    Percentiles,
    Palette,
    Theme,
    Utc,
    Switcher,
    Series,
    NextSeries,
    PreviousSeries,
    Merged,
    Mark,
    ListUp,
    ListDown,
    ListChoose,
    ListErase,
    TextAccept,
    TextErase,
}

/// Where a key has its meaning.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// Over the maps.
    Map,
    /// In the list of series, where other keys type into the filter.
    List,
    /// While the text of a mark is written.
    Text,
}

/// A key as the table names it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The key.
    pub code: KeyCode,
    /// Control, or Shift with keys that are no characters.
    pub modifiers: KeyModifiers,
}

/// A row of the table.
#[derive(Copy, Clone, Debug)]
pub struct KeyBinding {
    /// Where.
    pub context: Context,
    /// Any of these keys.
    pub keys: &'static [Key],
    /// What they do.
    pub command: Command,
    /// What that is, for the help.
    pub help: &'static str,
    /// A word for the line of hints, if it is shown there.
    pub hint: Option<&'static str>,
}

/// The whole table.
pub fn bindings() -> &'static [KeyBinding] {
    TABLE
}

impl KeyBinding {
    /// The command of a key, if it has one there.
    pub fn command(context: Context, event: KeyEvent) -> Option<Command> {
        let binding = TABLE
            .iter()
            .find(|row| row.context == context && row.keys.iter().any(|key| key.matches(event)));
        binding.map(|row| row.command)
    }

    /// The keys as the help names them: `? F1`.
    pub fn names(&self) -> String {
        if self.keys.len() == DIGITS.len() {
            return "1-9".to_owned();
        }
        self.keys.iter().map(|key| key.name()).collect::<Vec<_>>().join(" ")
    }
}

impl Key {
    fn matches(self, event: KeyEvent) -> bool {
        let relevant = match self.code {
            // Shift is already in the character.
            KeyCode::Char(_) => KeyModifiers::CONTROL | KeyModifiers::ALT,
            _ => KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT,
        };
        self.code == event.code && self.modifiers == event.modifiers & relevant
    }

    /// The event of this key.
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }

    /// What it is called.
    pub fn name(self) -> String {
        let name = match self.code {
            KeyCode::Char(' ') => "space".to_owned(),
            KeyCode::Char(letter) => letter.to_string(),
            KeyCode::Left => "←".to_owned(),
            KeyCode::Right => "→".to_owned(),
            KeyCode::Up => "↑".to_owned(),
            KeyCode::Down => "↓".to_owned(),
            KeyCode::Enter => "enter".to_owned(),
            KeyCode::F(number) => format!("F{number}"),
            other => other.to_string().to_lowercase(),
        };
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            return format!("ctrl-{name}");
        }
        let shifted = self.modifiers.contains(KeyModifiers::SHIFT);
        if shifted { format!("shift-{name}") } else { name }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_key_has_two_meanings_in_one_place() {
        let mut seen = HashSet::new();
        for row in bindings() {
            for key in row.keys {
                assert!(seen.insert((row.context, key.name())), "{} is bound twice", key.name());
                let found = KeyBinding::command(row.context, key.event());
                assert_eq!(found, Some(row.command), "{}", key.name());
            }
            assert!(!row.help.is_empty());
        }
    }

    #[test]
    fn shift_is_part_of_a_letter_and_a_modifier_of_an_arrow() {
        let event = |code, modifiers| KeyEvent::new(code, modifiers);
        let of = |event| KeyBinding::command(Context::Map, event);
        let shift = KeyModifiers::SHIFT;
        let leave = Some(Command::QuitLeavingPicture);
        assert_eq!(of(event(KeyCode::Char('Q'), shift)), leave);
        assert_eq!(of(event(KeyCode::Left, shift)), Some(Command::CursorFarLeft));
        assert_eq!(of(event(KeyCode::Char('q'), KeyModifiers::ALT)), None);
    }
}
