//! What an image is made of: places in whole pixels, and the things drawn there. Neither knows of
//! a file format.

use isotherm_views::MapKind;

use super::tones::Tone;

/// A rectangle; `x` and `y` are its upper left corner.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

impl Area {
    pub fn right(self) -> i32 {
        self.x + self.width
    }

    pub fn bottom(self) -> i32 {
        self.y + self.height
    }
}

/// Which point of a text its place is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The size and weight of letters.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Face {
    /// What the image shows.
    Title,
    /// What a part of it shows.
    Heading,
    /// A number to be seen first.
    Figure,
    /// Sentences and labels.
    Plain,
}

/// Words on one line; `y` is the line the letters stand on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub x: i32,
    pub y: i32,
    pub anchor: Anchor,
    pub face: Face,
    pub tone: Tone,
    pub text: String,
}

/// How a line is broken.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Dash {
    Solid,
    Dashed,
    Dotted,
    Sparse,
}

impl Dash {
    /// Pixels drawn and pixels left out; `None` for an unbroken line.
    pub fn pattern(self) -> Option<(i32, i32)> {
        match self {
            Dash::Solid => None,
            Dash::Dashed => Some((6, 3)),
            Dash::Dotted => Some((2, 2)),
            Dash::Sparse => Some((2, 6)),
        }
    }
}

/// The cells of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heat {
    /// The index of the panel whose picture is drawn.
    pub panel: usize,
    pub kind: MapKind,
    /// All columns, side by side.
    pub area: Area,
    /// The lower edge of the first row, and the upper edge of every row; from bottom to top.
    pub edges: Vec<i32>,
}

/// A line in steps that follows the columns: for each run of columns without a break the points
/// between which it goes, level and upright in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Curve {
    pub dash: Dash,
    pub runs: Vec<Vec<(i32, i32)>>,
}

/// One thing drawn. Later ones lie over earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Words(Words),
    Box {
        area: Area,
        tone: Tone,
    },
    /// A straight line one pixel wide, level or upright.
    Rule {
        from: (i32, i32),
        to: (i32, i32),
        tone: Tone,
        dash: Dash,
    },
    Heat(Heat),
    /// Columns of which nothing is known.
    Hatch(Area),
    /// Columns lost to a reset of the counters.
    Reset(Area),
    Curve(Curve),
}

/// A number of things as pixels.
pub(super) fn pixels(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// A length or place in pixels, to the nearest whole one.
pub(super) fn rounded(value: f64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "saturates; places are small")]
    let whole = value.round() as i32;
    whole
}
