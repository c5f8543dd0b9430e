//! Keys and what they can do.

use std::borrow::Cow;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key can do.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
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
    FitAll,
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
    Pane,
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
    Io,
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
    /// Over the tables of active sessions, where keys of the maps have their meaning, too.
    Top,
    /// In the list of series, where other keys type into the filter.
    List,
    /// While the text of a mark is written.
    Text,
}

impl Context {
    /// Whether keys have a meaning there by themselves, and do not type: each has one in all of these.
    pub(crate) fn is_screen(self) -> bool {
        matches!(self, Context::Map | Context::Top)
    }
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
#[derive(Clone, Debug)]
pub struct KeyBinding {
    /// Where.
    pub context: Context,
    /// Any of these keys.
    pub keys: Cow<'static, [Key]>,
    /// What they do.
    pub command: Command,
    /// What that is, for whoever gives it another key.
    pub help: &'static str,
    /// A word for the line of hints, if it is shown there.
    pub hint: Option<&'static str>,
}

impl Key {
    pub(super) fn matches(self, event: KeyEvent) -> bool {
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
            KeyCode::BackTab => "tab".to_owned(),
            KeyCode::PageUp => "pgup".to_owned(),
            KeyCode::PageDown => "pgdn".to_owned(),
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
