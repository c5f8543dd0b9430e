//! Colours as the terminal library takes them.

use ratatui::style::Color;

use crate::{Depth, Ink, Style, Theme};

pub(super) fn colour(ink: Ink) -> Color {
    match ink {
        Ink::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
        Ink::Indexed(index) => Color::Indexed(index),
    }
}

/// Black or white, whichever is seen on this colour; the text's own colour on the background.
pub(super) fn contrast(style: Style, under: Option<Ink>) -> Color {
    let bright = match under {
        None => return Color::Reset,
        Some(Ink::Rgb(red, green, blue)) => luminance(red, green, blue) > 0.36,
        Some(Ink::Indexed(index)) => {
            let (red, green, blue) = components(index);
            luminance(red, green, blue) > 0.36
        }
    };
    let (black, white) = if style.depth == Depth::TrueColour {
        (Color::Rgb(0, 0, 0), Color::Rgb(255, 255, 255))
    } else {
        (Color::Indexed(16), Color::Indexed(231))
    };
    if bright { black } else { white }
}

/// Text that is there but does not call: labels, units.
pub(super) fn quiet(style: Style) -> Color {
    match (style.depth, style.theme) {
        (Depth::TrueColour, Theme::Dark) => Color::Rgb(0x8a, 0x92, 0x9c),
        (Depth::TrueColour, Theme::Light) => Color::Rgb(0x63, 0x6b, 0x75),
        (Depth::Indexed, Theme::Dark) => Color::Indexed(246),
        (Depth::Indexed, Theme::Light) => Color::Indexed(241),
        (Depth::Basic | Depth::Glyphs | Depth::Ascii, _) => Color::Reset,
    }
}

/// What needs to be seen: warnings, a view that is not live.
pub(super) fn alarm(style: Style) -> Color {
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

/// Brightness as seen, 0 to 1.
fn luminance(red: u8, green: u8, blue: u8) -> f64 {
    let linear = |part: u8| (f64::from(part) / 255.0).powf(2.2);
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// Red, green and blue of an indexed colour above the basic ones.
fn components(index: u8) -> (u8, u8, u8) {
    if index >= 232 {
        let grey = 8 + (index - 232) * 10;
        return (grey, grey, grey);
    }
    let level = |part: u8| if part == 0 { 0 } else { 55 + part * 40 };
    let cube = index.saturating_sub(16);
    (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
}
