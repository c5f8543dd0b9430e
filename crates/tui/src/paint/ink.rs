//! Colours as the terminal library takes them.

use ratatui::style::Color;

use isotherm_views::{Depth, Ink, Style, Theme};

pub(crate) fn colour(ink: Ink) -> Color {
    match ink {
        Ink::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
        Ink::Indexed(index) => Color::Indexed(index),
    }
}

/// Black or white, whichever is seen on this colour; the text's own colour on the background.
pub(crate) fn contrast(style: Style, under: Option<Ink>) -> Color {
    style.contrast(under).map_or(Color::Reset, colour)
}

/// Text that is there but does not call: labels, units.
pub(crate) fn quiet(style: Style) -> Color {
    match (style.depth, style.theme) {
        (Depth::TrueColour, Theme::Dark) => Color::Rgb(0x8a, 0x92, 0x9c),
        (Depth::TrueColour, Theme::Light) => Color::Rgb(0x63, 0x6b, 0x75),
        (Depth::Indexed, Theme::Dark) => Color::Indexed(246),
        (Depth::Indexed, Theme::Light) => Color::Indexed(241),
        (Depth::Basic | Depth::Glyphs | Depth::Ascii, _) => Color::Reset,
    }
}

/// What needs to be seen: warnings, a view that is not live.
pub(crate) fn alarm(style: Style) -> Color {
    match (style.depth, style.theme) {
        (Depth::TrueColour, Theme::Dark) => Color::Rgb(0xff, 0xb4, 0x54),
        (Depth::TrueColour, Theme::Light) => Color::Rgb(0x9a, 0x4a, 0x00),
        (Depth::Indexed, Theme::Dark) => Color::Indexed(215),
        (Depth::Indexed, Theme::Light) => Color::Indexed(130),
        (Depth::Basic, Theme::Dark) => Color::Indexed(3),
        (Depth::Basic, Theme::Light) => Color::Indexed(1),
        (Depth::Glyphs | Depth::Ascii, _) => Color::Reset,
    }
}
