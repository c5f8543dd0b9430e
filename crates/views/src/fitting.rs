//! Pages that are to fit one screen: what matters least is left to `--details`.

use crate::grid::Page;

/// How much of a summary is printed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Everything there is to say, however long.
    pub details: bool,
    /// The most lines, where it is not everything.
    pub height: Option<usize>,
}

/// A warning in words.
pub(crate) struct Warning {
    pub serious: bool,
    pub words: String,
}

impl Warning {
    fn line(&self) -> String {
        let sign = if self.serious { "⚠" } else { "·" };
        format!("{sign} {}", self.words)
    }
}

/// Writes warnings in their order, as many as leave `after` lines for what follows; says how many
/// there are besides.
pub(crate) fn warnings(page: &mut Page, all: &[Warning], extent: Extent, after: usize) {
    let height = extent.height.filter(|_| !extent.details);
    let room = height.map_or(usize::MAX, |height| height.saturating_sub(page.lines() + after));
    let shown = shown(page, all, room);
    for warning in all.iter().take(shown) {
        page.words(&warning.line(), warning.serious);
    }
    match all.len() - shown {
        0 => {}
        1 => page.remark("1 more warning: --details shows it"),
        more => page.remark(&format!("{more} more warnings: --details shows them")),
    }
}

/// How many of the first have room, with the line that says how many are left out.
fn shown(page: &Page, all: &[Warning], room: usize) -> usize {
    let mut taken = 0;
    for (index, warning) in all.iter().enumerate() {
        taken += page.lines_of(&warning.line());
        let more = usize::from(index + 1 < all.len());
        if taken.saturating_add(more) > room {
            return index;
        }
    }
    all.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Depth, Palette, Style, Theme};

    fn written(room: usize, details: bool) -> String {
        let style = Style { depth: Depth::Glyphs, theme: Theme::Dark, palette: Palette::IceHeat };
        let mut page = Page::new(style, Some(40));
        page.words("a first line", false);
        let long = "a warning that needs more than one line of this page".to_owned();
        let all = [(true, "the worst".to_owned()), (false, long), (false, "the least".to_owned())];
        let all = all.map(|(serious, words)| Warning { serious, words });
        warnings(&mut page, &all, Extent { details, height: Some(room) }, 1);
        let mut out = Vec::new();
        page.write_to(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_least_is_left_out_first_and_counted() {
        // A line before, one after, four for all warnings.
        assert_eq!(written(6, false).lines().count(), 5);
        assert!(!written(6, false).contains("--details"), "{}", written(6, false));
        assert!(written(5, false).contains("2 more warnings: --details shows them"));
        assert_eq!(written(5, true), written(6, false));
        let none = written(2, false);
        assert!(none.contains("3 more") && !none.contains("worst"), "{none}");
    }
}
