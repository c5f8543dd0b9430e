//! What each key does: one table, from which keys are looked up and the help is written.

use std::borrow::Cow;

use crossterm::event::{KeyCode, KeyModifiers};

use crate::keys::{Command, Context, Key, KeyBinding};

const fn key(code: KeyCode) -> Key {
    Key { code, modifiers: KeyModifiers::NONE }
}

const fn char(letter: char) -> Key {
    key(KeyCode::Char(letter))
}

const fn control(letter: char) -> Key {
    Key { code: KeyCode::Char(letter), modifiers: KeyModifiers::CONTROL }
}

const fn shift(code: KeyCode) -> Key {
    Key { code, modifiers: KeyModifiers::SHIFT }
}

const fn row(
    context: Context,
    keys: &'static [Key],
    command: Command,
    help: &'static str,
    hint: Option<&'static str>,
) -> KeyBinding {
    KeyBinding { context, keys: Cow::Borrowed(keys), command, help, hint }
}

const DIGITS: [Key; 9] = [
    char('1'),
    char('2'),
    char('3'),
    char('4'),
    char('5'),
    char('6'),
    char('7'),
    char('8'),
    char('9'),
];

/// The table. Hints are shown in this order, as many as fit.
const TABLE: &[KeyBinding] = {
    use Command as Do;
    use Context::{List, Map, Text, Top};
    use KeyCode as K;
    &[
        row(Map, &[char('?'), key(K::F(1))], Do::Help, "this help", Some("help")),
        row(Map, &[char('q'), control('c')], Do::Quit, "quit", Some("quit")),
        row(
            Map,
            &[char('Q')],
            Do::QuitLeavingPicture,
            "quit and leave the picture on the screen",
            None,
        ),
        row(
            Map,
            &[char(' '), char('f')],
            Do::Freeze,
            "freeze the picture, or go on; collecting never stops",
            Some("freeze"),
        ),
        row(Map, &[key(K::Left), char('h')], Do::CursorLeft, "cursor one column left", Some("")),
        row(
            Map,
            &[key(K::Right), char('l')],
            Do::CursorRight,
            "cursor one column right",
            Some("cursor"),
        ),
        row(Map, &[shift(K::Left), char('H')], Do::CursorFarLeft, "cursor ten columns left", None),
        row(
            Map,
            &[shift(K::Right), char('L')],
            Do::CursorFarRight,
            "cursor ten columns right",
            None,
        ),
        row(Map, &[key(K::Up), char('k')], Do::RowUp, "cursor to longer latencies", None),
        row(Map, &[key(K::Down), char('j')], Do::RowDown, "cursor to shorter latencies", None),
        row(Map, &[shift(K::Up), char('K')], Do::RowFarUp, "cursor ten rows up", None),
        row(Map, &[shift(K::Down), char('J')], Do::RowFarDown, "cursor ten rows down", None),
        row(
            Map,
            &[char('v')],
            Do::Select,
            "select from here to the cursor: statistics of that region",
            Some("select"),
        ),
        row(Map, &[char('V')], Do::SelectColumns, "the same with all latencies", None),
        row(
            Map,
            &[key(K::Enter)],
            Do::Explain,
            "explain the selection, or the window: what it holds and what differs in it",
            Some("explain"),
        ),
        row(Map, &[char('\\')], Do::Pane, "hide or show the side pane of wide screens", None),
        row(Map, &[char('d')], Do::Describe, "describe the picture in sentences", Some("describe")),
        row(
            Map,
            &[char('c')],
            Do::Compare,
            "compare selection or window with the time before or baseline",
            Some("compare"),
        ),
        row(
            Map,
            &[char('b')],
            Do::Baseline,
            "selection or window becomes the baseline of comparisons",
            None,
        ),
        row(
            Map,
            &[char('x')],
            Do::Save,
            "save a report of everything kept, the past included",
            Some("save"),
        ),
        row(
            Map,
            &[char('X')],
            Do::SaveShown,
            "save a report of the series and the window on the screen",
            None,
        ),
        row(Map, &[char('+'), char('=')], Do::ZoomIn, "shorter columns", Some("")),
        row(Map, &[char('-'), char('_')], Do::ZoomOut, "longer columns", Some("zoom")),
        row(Map, &[char('0')], Do::FitAll, "show all there is", Some("all time")),
        row(Map, &[char(',')], Do::PanBack, "scroll a quarter of the window earlier", Some("")),
        row(Map, &[char('.')], Do::PanForward, "scroll a quarter of the window later", Some("pan")),
        row(Map, &[key(K::PageUp)], Do::PageBack, "scroll a whole window earlier", None),
        row(Map, &[key(K::PageDown)], Do::PageForward, "scroll a whole window later", None),
        row(Map, &[key(K::Home), char('g')], Do::Oldest, "scroll to the oldest data kept", None),
        row(
            Map,
            &[char('e')],
            Do::Switcher,
            "who waits: all series, most time waited first; letters filter",
            Some("who waits"),
        ),
        row(Map, &DIGITS, Do::Series, "show that series", None),
        row(Map, &[char('n')], Do::NextSeries, "show the next series", None),
        row(Map, &[char('N')], Do::PreviousSeries, "show the series before", None),
        row(
            Map,
            &[char('a')],
            Do::Merged,
            "group series by name, then all as one",
            Some("together"),
        ),
        row(Map, &[char('s')], Do::Scale, "next colour scale of the chosen map", Some("scale")),
        row(Map, &[char('S')], Do::Pin, "pin the colour maximum of the chosen map", None),
        row(Map, &[key(K::Tab)], Do::Focus, "choose the other map", None),
        row(Map, &[char('p')], Do::Percentiles, "percentile lines: p50 p99 p99.9", None),
        row(Map, &[char('m')], Do::Mark, "mark this moment with a text", Some("mark")),
        row(Map, &[key(K::End), char('G')], Do::Newest, "follow the newest", Some("newest")),
        row(Map, &[char('P')], Do::Palette, "next palette", None),
        row(Map, &[char('t')], Do::Theme, "dark or light background", None),
        row(Map, &[char('u')], Do::Utc, "times in UTC or local", None),
        row(Map, &[key(K::Esc)], Do::Close, "close what is open; clear cursor and selection", None),
        row(Map, &[control('l')], Do::Redraw, "redraw the screen", None),
        row(Map, &[control('z')], Do::Suspend, "suspend; fg resumes", None),
        row(Top, &[char('i')], Do::Io, "isotherm top: reads and writes, or sessions again", None),
        row(List, &[key(K::Up), control('p')], Do::ListUp, "the line above", Some("")),
        row(List, &[key(K::Down), control('n')], Do::ListDown, "the line below", Some("choose")),
        row(List, &[key(K::Enter)], Do::ListChoose, "show that series", Some("show")),
        row(List, &[key(K::Backspace)], Do::ListErase, "erase from the filter", None),
        row(List, &[key(K::Esc)], Do::Close, "close the list", Some("close")),
        row(List, &[control('c')], Do::Quit, "quit", None),
        row(Text, &[key(K::Enter)], Do::TextAccept, "set the mark", Some("set")),
        row(Text, &[key(K::Backspace)], Do::TextErase, "erase", None),
        row(Text, &[key(K::Esc)], Do::Close, "no mark", Some("no mark")),
        row(Text, &[control('c')], Do::Quit, "quit", None),
    ]
};

/// The whole table: what each key does unless it was given another meaning.
pub fn bindings() -> &'static [KeyBinding] {
    TABLE
}

impl KeyBinding {
    /// The keys as the help names them: `? F1`.
    pub fn names(&self) -> String {
        if self.keys.len() == DIGITS.len() {
            return "1-9".to_owned();
        }
        self.keys.iter().map(|key| key.name()).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crossterm::event::KeyEvent;

    use super::*;
    use crate::key_map::KeyMap;

    #[test]
    fn no_key_has_two_meanings_in_one_place() {
        let mut seen = HashSet::new();
        for row in bindings() {
            for key in row.keys.iter() {
                assert!(seen.insert((row.context, key.name())), "{} is bound twice", key.name());
                let found = KeyMap::default().command(row.context, key.event());
                assert_eq!(found, Some(row.command), "{}", key.name());
            }
            assert!(!row.help.is_empty());
        }
    }

    #[test]
    fn shift_is_part_of_a_letter_and_a_modifier_of_an_arrow() {
        let event = |code, modifiers| KeyEvent::new(code, modifiers);
        let keys = KeyMap::default();
        let of = |event| keys.command(Context::Map, event);
        let shift = KeyModifiers::SHIFT;
        let leave = Some(Command::QuitLeavingPicture);
        assert_eq!(of(event(KeyCode::Char('Q'), shift)), leave);
        assert_eq!(of(event(KeyCode::Left, shift)), Some(Command::CursorFarLeft));
        assert_eq!(of(event(KeyCode::Char('q'), KeyModifiers::ALT)), None);
    }
}
