//! The help: what keys do, in groups.

use crate::key_map::KeyMap;
use crate::keys::{Command, Context, KeyBinding};

/// Lines of the help that belong together.
pub(super) struct HelpGroup {
    pub(super) title: &'static str,
    context: Context,
    lines: &'static [(&'static [Command], &'static str)],
}

/// The widest list of keys.
pub(super) const KEYS: usize = 13;

/// All of it: every command is in one line.
pub(super) const GROUPS: &[HelpGroup] = {
    use Command as Do;
    &[
        HelpGroup {
            title: "Read",
            context: Context::Map,
            lines: &[
                (&[Do::CursorLeft, Do::CursorRight], "cursor left, right"),
                (&[Do::RowUp, Do::RowDown], "to longer, shorter"),
                (
                    &[Do::CursorFarLeft, Do::CursorFarRight, Do::RowFarUp, Do::RowFarDown],
                    "ten at a time",
                ),
                (&[Do::Select, Do::SelectColumns], "select region, columns"),
                (&[Do::Explain], "explain what is chosen"),
                (&[Do::Describe], "describe in sentences"),
                (&[Do::Compare], "compare with before"),
                (&[Do::Baseline], "baseline for comparing"),
                (&[Do::Mark], "mark this moment"),
                (&[Do::Close], "close; clear the cursor"),
            ],
        },
        HelpGroup {
            title: "Time",
            context: Context::Map,
            lines: &[
                (&[Do::Freeze], "freeze, or go on"),
                (&[Do::ZoomIn, Do::ZoomOut], "shorter, longer columns"),
                (&[Do::FitAll], "show all there is"),
                (&[Do::PanBack, Do::PanForward], "earlier, later"),
                (&[Do::PageBack, Do::PageForward], "a whole window"),
                (&[Do::Oldest, Do::Newest], "oldest, newest"),
                (&[Do::Utc], "UTC or local time"),
            ],
        },
        HelpGroup {
            title: "Who waits",
            context: Context::Map,
            lines: &[
                (&[Do::Switcher], "all series: choose one"),
                (&[Do::Series], "show that series"),
                (&[Do::NextSeries, Do::PreviousSeries], "next, previous series"),
                (&[Do::Merged], "group by name, then all"),
                (&[Do::Pane], "hide or show the pane"),
            ],
        },
        HelpGroup {
            title: "Maps",
            context: Context::Map,
            lines: &[
                (&[Do::Focus], "choose the other map"),
                (&[Do::Scale], "colour scale of the map"),
                (&[Do::Pin], "pin its colour maximum"),
                (&[Do::Percentiles], "percentile lines"),
                (&[Do::Palette, Do::Theme], "palette, background"),
            ],
        },
        HelpGroup {
            title: "Save and leave",
            context: Context::Map,
            lines: &[
                (&[Do::Save, Do::SaveShown], "report of all, of this"),
                (&[Do::Help], "this help"),
                (&[Do::Quit], "quit"),
                (&[Do::QuitLeavingPicture], "quit, leave the picture"),
                (&[Do::Redraw, Do::Suspend], "redraw, suspend"),
            ],
        },
        HelpGroup {
            title: "In the list, or a mark",
            context: Context::List,
            lines: &[
                (&[Do::ListUp, Do::ListDown], "line above, below"),
                (&[Do::ListChoose], "show it; set the mark"),
                (&[Do::ListErase], "erase"),
            ],
        },
    ]
};

impl HelpGroup {
    /// Its lines: the keys, and what they do.
    pub(super) fn lines<'k>(
        &'k self,
        keys: &'k KeyMap,
    ) -> impl Iterator<Item = (String, &'static str)> + 'k {
        let of = move |command: &Command| {
            let here = |row: &&KeyBinding| row.context == self.context && row.command == *command;
            keys.rows().iter().find(here)
        };
        self.lines.iter().map(move |(commands, text)| {
            let rows: Vec<&KeyBinding> = commands.iter().filter_map(of).collect();
            (names(&rows), *text)
        })
    }
}

/// The keys of commands: all, or the first of each where these are too many.
fn names(rows: &[&KeyBinding]) -> String {
    let all = rows.iter().map(|row| row.names()).collect::<Vec<_>>().join(" ");
    if all.chars().count() <= KEYS {
        return all;
    }
    let first: Vec<String> =
        rows.iter().filter_map(|row| row.keys.first()).map(|key| key.name()).collect();
    let shifted: Option<Vec<&str>> = first.iter().map(|key| key.strip_prefix("shift-")).collect();
    shifted.map_or_else(|| first.join(" "), |keys| format!("shift-{}", keys.concat()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::key_table::bindings;

    #[test]
    fn every_command_is_in_one_line_that_fits() {
        let mut seen = HashSet::new();
        for group in GROUPS {
            for (commands, text) in group.lines {
                assert!(text.chars().count() <= 23, "{text}");
                for command in *commands {
                    assert!(seen.insert((group.context, *command)), "{command:?} is there twice");
                }
            }
            for (keys, text) in group.lines(&KeyMap::default()) {
                assert!((1..=KEYS).contains(&keys.chars().count()), "{keys}: {text}");
            }
        }
        // The same keys as elsewhere.
        let same = [Command::Close, Command::Quit, Command::TextAccept, Command::TextErase];
        for row in bindings() {
            let elsewhere = row.context == Context::Top
                || row.context != Context::Map && same.contains(&row.command);
            let is_there = seen.contains(&(row.context, row.command));
            assert!(is_there || elsewhere, "{:?} is not in the help", row.command);
        }
    }
}
