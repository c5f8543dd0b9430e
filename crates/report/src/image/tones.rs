//! The colours of everything, by what they are for.

use isotherm_views::style::ramp;
use isotherm_views::{MapKind, Palette, Theme};

/// What a colour is for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Tone {
    /// The background.
    Ground,
    /// Words to be read first, and lines over maps.
    Ink,
    /// Words to be read when wanted.
    Faint,
    /// Lines of axes.
    Rule,
    /// The hatching of columns of which nothing is known.
    Hatch,
    /// A place of a map's ramp; 0 is the trace.
    Shade(MapKind, u8),
}

impl Tone {
    /// Every tone there is.
    pub fn all() -> impl Iterator<Item = Tone> {
        let plain = [Tone::Ground, Tone::Ink, Tone::Faint, Tone::Rule, Tone::Hatch];
        let shades = |kind| (0..=8).map(move |place| Tone::Shade(kind, place));
        plain.into_iter().chain(shades(MapKind::Frequency)).chain(shades(MapKind::Intensity))
    }

    /// Red, green and blue as one number.
    pub fn colour(self, palette: Palette, theme: Theme) -> u32 {
        let pick = |light, dark| if theme == Theme::Light { light } else { dark };
        match self {
            Tone::Ground => pick(0xff_ffff, 0x0f_1318),
            Tone::Ink => pick(0x16_1b22, 0xeb_eff4),
            Tone::Faint => pick(0x57_606a, 0x9a_a4b0),
            Tone::Rule => pick(0xb8_c0ca, 0x48_525e),
            Tone::Hatch => pick(0xb4_bcc6, 0x4a_5460),
            Tone::Shade(kind, place) => ramp(palette, theme, kind)[usize::from(place.min(8))],
        }
    }
}
