//! The letter and the colour of a wait class. The letter alone says which it is.

use isotherm_views::{Depth, Ink, Style, Theme};
use ratatui::style::Style as Look;

use crate::paint::ink::{colour, contrast};

/// A colour in every depth: for dark and light backgrounds, of 256, and of the basic 16.
struct Hue {
    rgb: [u32; 2],
    indexed: [u8; 2],
    basic: [u8; 2],
}

const fn hue(rgb: [u32; 2], indexed: [u8; 2], basic: [u8; 2]) -> Hue {
    Hue { rgb, indexed, basic }
}

const GREEN: Hue = hue([0x3f_a34d, 0x2e_7d3a], [71, 28], [10, 2]);
const BLUE: Hue = hue([0x3f_8fde, 0x1f_6fc0], [68, 25], [12, 4]);
const CYAN: Hue = hue([0x4c_c0c8, 0x1b_8a94], [80, 30], [14, 6]);
const RED: Hue = hue([0xd9_4f4f, 0xb8_2e2e], [167, 124], [9, 1]);
const PURPLE: Hue = hue([0xa8_6fd0, 0x7a_3fa8], [134, 91], [13, 5]);
const ORANGE: Hue = hue([0xe8_8f2a, 0xb8_6200], [208, 130], [3, 3]);
const YELLOW: Hue = hue([0xd8_c24a, 0x94_7c00], [185, 100], [11, 3]);
const GREY: Hue = hue([0x9a_a0a8, 0x6a_7078], [247, 242], [7, 8]);
const PINK: Hue = hue([0xe0_86b0, 0xb0_4a80], [175, 132], [13, 5]);

/// Classes of `PostgreSQL`, then of Oracle, from the bottom of a stack up.
const KNOWN: [(&str, char, &Hue); 21] = [
    ("CPU", 'C', &GREEN),
    ("IO", 'I', &BLUE),
    ("User I/O", 'U', &BLUE),
    ("System I/O", 'S', &CYAN),
    ("LWLock", 'W', &PURPLE),
    ("Lock", 'L', &RED),
    ("BufferPin", 'B', &CYAN),
    ("IPC", 'P', &ORANGE),
    ("Client", 'N', &GREY),
    ("Timeout", 'T', &YELLOW),
    ("Extension", 'E', &PINK),
    ("Application", 'A', &RED),
    ("Concurrency", 'K', &PURPLE),
    ("Commit", 'M', &ORANGE),
    ("Configuration", 'F', &YELLOW),
    ("Administrative", 'D', &YELLOW),
    ("Network", 'N', &GREY),
    ("Cluster", 'R', &CYAN),
    ("Scheduler", 'H', &GREEN),
    ("Queueing", 'Q', &PINK),
    ("Other", 'O', &PINK),
];

/// The place of a class in a stack; unknown ones are on top.
pub(super) fn rank(class: &str) -> usize {
    KNOWN.iter().position(|(name, _, _)| *name == class).unwrap_or(KNOWN.len())
}

/// The letter of a class.
pub(super) fn letter(class: &str) -> char {
    if let Some((_, letter, _)) = KNOWN.iter().find(|(name, _, _)| *name == class) {
        return *letter;
    }
    let first = class.chars().next().filter(char::is_ascii_alphabetic);
    first.map_or('x', |letter| letter.to_ascii_lowercase())
}

/// How the letter of a class looks: on its colour, in it where there are 16, plain where there is none.
pub(super) fn look(class: &str, style: Style) -> Look {
    let hue = KNOWN.iter().find(|(name, _, _)| *name == class).map_or(&PINK, |(_, _, hue)| hue);
    let theme = usize::from(style.theme == Theme::Light);
    let under = match style.depth {
        Depth::TrueColour => rgb(hue.rgb[theme]),
        Depth::Indexed => Ink::Indexed(hue.indexed[theme]),
        Depth::Basic => return Look::new().fg(colour(Ink::Indexed(hue.basic[theme]))),
        Depth::Glyphs | Depth::Ascii => return Look::new(),
    };
    Look::new().bg(colour(under)).fg(contrast(style, Some(under)))
}

fn rgb(colour: u32) -> Ink {
    let [_, red, green, blue] = colour.to_be_bytes();
    Ink::Rgb(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_one_database_have_letters_of_their_own() {
        let postgres =
            ["CPU", "IO", "LWLock", "Lock", "BufferPin", "IPC", "Client", "Timeout", "Extension"];
        let oracle = [
            "CPU",
            "User I/O",
            "System I/O",
            "Application",
            "Concurrency",
            "Commit",
            "Configuration",
            "Administrative",
            "Network",
            "Cluster",
            "Scheduler",
            "Queueing",
            "Other",
        ];
        for classes in [&postgres[..], &oracle[..]] {
            let mut letters: Vec<char> = classes.iter().map(|class| letter(class)).collect();
            letters.sort_unstable();
            letters.dedup();
            assert_eq!(letters.len(), classes.len());
        }
        assert_eq!((letter("NeonStorage"), letter("")), ('n', 'x'));
    }
}
