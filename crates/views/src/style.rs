//! How a shade looks: colour depths, themes, ramps and glyphs.

use isotherm_analysis::{Request, Shade};

/// How many colours the terminal shows.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Depth {
    /// 24-bit colours.
    TrueColour,
    /// The 256 indexed colours.
    Indexed,
    /// The 16 basic colours, with shade glyphs.
    Basic,
    /// No colour (`NO_COLOR`): shade glyphs.
    Glyphs,
    /// No colour and no character beyond ASCII.
    Ascii,
}

/// The background that ramps are made for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Theme {
    /// A dark background: brighter is more.
    Dark,
    /// A light background: darker is more.
    Light,
}

/// Which of the two maps.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum MapKind {
    /// Events per second.
    Frequency,
    /// Seconds waited per second.
    Intensity,
}

/// A family of ramps.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Palette {
    /// Ice blue for frequency, heat orange for intensity.
    #[default]
    IceHeat,
    /// The colours of PyLatencyMap and OraLatencyMap: cyan and blue, yellow and red.
    Classic,
    /// Grey for both.
    Grey,
}

/// A colour as a terminal takes it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ink {
    /// Red, green, blue.
    Rgb(u8, u8, u8),
    /// One of the 256 indexed colours; below 16 the basic ones.
    Indexed(u8),
}

/// How maps look in this terminal.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Style {
    /// Colours available.
    pub depth: Depth,
    /// The background.
    pub theme: Theme,
    /// The ramps.
    pub palette: Palette,
}

/// The 24-bit ramps, faintest first; the first entry is the trace.
const DARK_ICE: [u32; 9] =
    [0x1f3a5c, 0x27548f, 0x2a6cb0, 0x2f86ca, 0x3fa2de, 0x60bcec, 0x8dd3f5, 0xbfe8fb, 0xeffaff];
const DARK_HEAT: [u32; 9] =
    [0x4d2a20, 0x85291a, 0xa93a14, 0xca5010, 0xe56c12, 0xf58b22, 0xfcab44, 0xfdcd78, 0xfff1c4];
const LIGHT_ICE: [u32; 9] =
    [0xd6e6f5, 0xa9cdec, 0x86b6e0, 0x649dd2, 0x4583c1, 0x2c69ac, 0x1a5090, 0x0e376f, 0x07214c];
const LIGHT_HEAT: [u32; 9] =
    [0xfde4cb, 0xf7b77c, 0xf29a55, 0xe67d34, 0xd2611c, 0xb5490f, 0x923409, 0x6c2206, 0x471304];
const DARK_GREY: [u32; 9] =
    [0x2c2c2c, 0x474747, 0x5e5e5e, 0x767676, 0x8f8f8f, 0xa8a8a8, 0xc2c2c2, 0xdddddd, 0xf8f8f8];
const LIGHT_GREY: [u32; 9] =
    [0xececec, 0xcfcfcf, 0xb4b4b4, 0x999999, 0x7f7f7f, 0x656565, 0x4b4b4b, 0x323232, 0x1a1a1a];

/// The indexed ramps, picked by hand because nearest colours collapse or reverse steps.
const DARK_ICE_256: [u8; 7] = [236, 24, 31, 38, 45, 123, 195];
const DARK_HEAT_256: [u8; 7] = [236, 130, 166, 208, 214, 221, 230];
const LIGHT_ICE_256: [u8; 7] = [254, 153, 110, 67, 25, 19, 17];
const LIGHT_HEAT_256: [u8; 7] = [254, 223, 215, 208, 166, 124, 52];
const DARK_GREY_256: [u8; 7] = [235, 238, 241, 245, 248, 252, 255];
const LIGHT_GREY_256: [u8; 7] = [255, 252, 248, 245, 241, 237, 233];
/// The classic tools' colours. On a light background as there, cyan to blue and yellow to red; on a
/// dark one the other way round, because there the brightest is the most.
const LIGHT_CLASSIC_BLUE_256: [u8; 7] = [159, 51, 45, 39, 33, 27, 21];
const LIGHT_CLASSIC_RED_256: [u8; 7] = [228, 226, 220, 214, 208, 202, 196];
const DARK_CLASSIC_BLUE_256: [u8; 7] = [18, 21, 27, 33, 39, 45, 51];
const DARK_CLASSIC_RED_256: [u8; 7] = [88, 196, 202, 208, 214, 220, 226];

/// The glyphs of the ramp without colour: zero, trace, then the steps.
const GLYPHS: [char; 6] = [' ', '·', '░', '▒', '▓', '█'];
const ASCII: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];

/// The number of steps all ramps are drawn in.
pub const STEPS: u8 = Request::STEPS;

/// The 24-bit ramp of a map: the trace, then [`STEPS`] steps.
pub fn ramp(palette: Palette, theme: Theme, map: MapKind) -> [u32; 9] {
    match (palette, theme, map) {
        (Palette::Grey, Theme::Dark, _) => DARK_GREY,
        (Palette::Grey, Theme::Light, _) => LIGHT_GREY,
        (_, Theme::Dark, MapKind::Frequency) => DARK_ICE,
        (_, Theme::Dark, MapKind::Intensity) => DARK_HEAT,
        (_, Theme::Light, MapKind::Frequency) => LIGHT_ICE,
        (_, Theme::Light, MapKind::Intensity) => LIGHT_HEAT,
    }
}

fn indexed_ramp(palette: Palette, theme: Theme, map: MapKind) -> [u8; 7] {
    match (palette, theme, map) {
        (Palette::Classic, Theme::Dark, MapKind::Frequency) => DARK_CLASSIC_BLUE_256,
        (Palette::Classic, Theme::Dark, MapKind::Intensity) => DARK_CLASSIC_RED_256,
        (Palette::Classic, Theme::Light, MapKind::Frequency) => LIGHT_CLASSIC_BLUE_256,
        (Palette::Classic, Theme::Light, MapKind::Intensity) => LIGHT_CLASSIC_RED_256,
        (Palette::Grey, Theme::Dark, _) => DARK_GREY_256,
        (Palette::Grey, Theme::Light, _) => LIGHT_GREY_256,
        (_, Theme::Dark, MapKind::Frequency) => DARK_ICE_256,
        (_, Theme::Dark, MapKind::Intensity) => DARK_HEAT_256,
        (_, Theme::Light, MapKind::Frequency) => LIGHT_ICE_256,
        (_, Theme::Light, MapKind::Intensity) => LIGHT_HEAT_256,
    }
}

/// The place of a shade in a ramp of `len` entries whose first is the trace; `None` for zero.
fn place(shade: Shade, len: usize) -> Option<usize> {
    let steps = len - 1;
    match shade {
        Shade::Zero => None,
        Shade::Trace => Some(0),
        Shade::Step(step) => {
            let step = usize::from(step.clamp(1, STEPS));
            Some((step * steps).div_ceil(usize::from(STEPS)))
        }
    }
}

impl Style {
    /// Whether cells are painted as coloured half-blocks rather than as glyphs.
    pub fn has_half_blocks(self) -> bool {
        matches!(self.depth, Depth::TrueColour | Depth::Indexed)
    }

    /// The colour of a shade; `None` for zero, which is never painted, and where there is none.
    pub fn ink(self, map: MapKind, shade: Shade) -> Option<Ink> {
        match self.depth {
            Depth::TrueColour if self.palette != Palette::Classic => {
                let colour = ramp(self.palette, self.theme, map)[place(shade, 9)?];
                let [_, red, green, blue] = colour.to_be_bytes();
                Some(Ink::Rgb(red, green, blue))
            }
            Depth::TrueColour | Depth::Indexed => {
                let ramp = indexed_ramp(self.palette, self.theme, map);
                Some(Ink::Indexed(ramp[place(shade, ramp.len())?]))
            }
            Depth::Basic => {
                place(shade, 9)?;
                Some(Ink::Indexed(match (map, self.theme) {
                    (MapKind::Frequency, Theme::Dark) => 6,
                    (MapKind::Frequency, Theme::Light) => 4,
                    (MapKind::Intensity, Theme::Dark) => 3,
                    (MapKind::Intensity, Theme::Light) => 1,
                }))
            }
            Depth::Glyphs | Depth::Ascii => None,
        }
    }

    /// The character of a shade where cells are not half-blocks.
    pub fn glyph(self, shade: Shade) -> char {
        let glyphs: &[char] = if self.depth == Depth::Ascii { &ASCII } else { &GLYPHS };
        place(shade, glyphs.len() - 1).map_or(' ', |place| glyphs[place + 1])
    }

    /// Black or white, whichever is seen on this colour; `None` on the background, where the text's
    /// own colour is.
    pub fn contrast(self, under: Option<Ink>) -> Option<Ink> {
        let bright = match under? {
            Ink::Rgb(red, green, blue) => luminance(red, green, blue) > 0.36,
            Ink::Indexed(index) => {
                let (red, green, blue) = components(index);
                luminance(red, green, blue) > 0.36
            }
        };
        Some(match (self.depth, bright) {
            (Depth::TrueColour, true) => Ink::Rgb(0, 0, 0),
            (Depth::TrueColour, false) => Ink::Rgb(255, 255, 255),
            (_, true) => Ink::Indexed(16),
            (_, false) => Ink::Indexed(231),
        })
    }

    /// The character over a cell, or below its column, a part of which was waited before its column.
    pub fn unplaced(self) -> char {
        match self.depth {
            Depth::TrueColour | Depth::Indexed => '·',
            Depth::Basic | Depth::Glyphs => '˙',
            Depth::Ascii => '\'',
        }
    }

    /// The character of a cell of which nothing is known.
    pub fn no_data(self) -> char {
        if self.depth == Depth::Ascii { '/' } else { '╱' }
    }

    /// The character of a cell lost to a counter reset.
    pub fn reset(self) -> char {
        if self.depth == Depth::Ascii { '|' } else { '┆' }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn style(depth: Depth, theme: Theme) -> Style {
        Style { depth, theme, palette: Palette::IceHeat }
    }

    #[test]
    fn zero_is_never_painted_and_a_trace_always_is() {
        for depth in [Depth::TrueColour, Depth::Indexed, Depth::Basic, Depth::Glyphs, Depth::Ascii]
        {
            for theme in [Theme::Dark, Theme::Light] {
                let style = style(depth, theme);
                assert_eq!(style.ink(MapKind::Frequency, Shade::Zero), None);
                assert_eq!(style.glyph(Shade::Zero), ' ');
                assert_ne!(style.glyph(Shade::Trace), ' ');
                assert_ne!(style.glyph(Shade::Trace), style.glyph(Shade::Step(1)));
            }
        }
    }

    #[test]
    fn the_last_step_is_the_end_of_every_ramp() {
        let ink = |depth, theme, map| style(depth, theme).ink(map, Shade::Step(STEPS));
        let heat = ink(Depth::TrueColour, Theme::Dark, MapKind::Intensity);
        assert_eq!(heat, Some(Ink::Rgb(0xff, 0xf1, 0xc4)));
        let ice = ink(Depth::Indexed, Theme::Light, MapKind::Frequency);
        assert_eq!(ice, Some(Ink::Indexed(17)));
        assert_eq!(style(Depth::Glyphs, Theme::Dark).glyph(Shade::Step(STEPS)), '█');
        assert_eq!(style(Depth::Ascii, Theme::Dark).glyph(Shade::Step(STEPS)), '@');
    }

    /// The relative luminance of ITU-R BT.709, without its gamma: enough to rank by.
    fn linear_luminance([red, green, blue]: [u8; 3]) -> f64 {
        0.2126 * f64::from(red) + 0.7152 * f64::from(green) + 0.0722 * f64::from(blue)
    }

    /// What xterm's 256 colours are: a cube of 6 x 6 x 6, then 24 greys.
    fn xterm(index: u8) -> [u8; 3] {
        let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
        match index {
            232.. => [8 + 10 * (index - 232); 3],
            16.. => [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6].map(level),
            _ => panic!("{index} is what the terminal makes of it"),
        }
    }

    #[test]
    fn more_is_further_from_the_background_in_every_ramp() {
        let maps = [MapKind::Frequency, MapKind::Intensity];
        let rises = |ramp: &[f64]| ramp.is_sorted_by(|less, more| less < more);
        for (palette, map) in [Palette::IceHeat, Palette::Classic, Palette::Grey]
            .into_iter()
            .flat_map(|palette| maps.map(|map| (palette, map)))
        {
            for theme in [Theme::Dark, Theme::Light] {
                let full = ramp(palette, theme, map).map(|colour| {
                    let [_, red, green, blue] = colour.to_be_bytes();
                    linear_luminance([red, green, blue])
                });
                let indexed =
                    indexed_ramp(palette, theme, map).map(|at| linear_luminance(xterm(at)));
                for mut ramp in [full.to_vec(), indexed.to_vec()] {
                    if theme == Theme::Light {
                        ramp.reverse();
                    }
                    assert!(rises(&ramp), "{palette:?} {theme:?} {map:?} {ramp:?}");
                }
            }
        }
    }
}
