//! A sheet of coloured dots to paint on.

use super::geometry::{Anchor, Area, Curve, Dash, Words, rounded};
use super::lettering::{Stroke, advance, drawn};

/// Dots, each a colour. All places are given in pixels of the layout and painted in as many dots
/// as there are to a pixel; what lies outside is not painted.
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    width: usize,
    height: usize,
    per_pixel: i32,
    colours: Vec<u32>,
}

/// The steps between no and full cover of a dot: few, so that an image has few colours.
const COVERS: f64 = 8.0;

/// The row of a letter's grid that stands on the line.
const STANDING: f64 = 2.0;

impl Canvas {
    pub fn new((width, height): (i32, i32), per_pixel: u32, ground: u32) -> Canvas {
        let per_pixel = i32::try_from(per_pixel).unwrap_or(1).max(1);
        let dots = |pixels: i32| usize::try_from(pixels.saturating_mul(per_pixel)).unwrap_or(0);
        let (width, height) = (dots(width), dots(height));
        Canvas { width, height, per_pixel, colours: vec![ground; width.saturating_mul(height)] }
    }

    /// Dots in a row, and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// The colours, row by row.
    pub fn colours(&self) -> &[u32] {
        &self.colours
    }

    pub fn per_pixel(&self) -> i32 {
        self.per_pixel
    }

    pub fn set(&mut self, x: i32, y: i32, colour: u32) {
        if let Some(dot) = self.dot(x, y) {
            *dot = colour;
        }
    }

    fn dot(&mut self, x: i32, y: i32) -> Option<&mut u32> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < self.width).then(|| self.colours.get_mut(y * self.width + x)).flatten()
    }

    /// The area in dots.
    pub fn in_dots(&self, area: Area) -> Area {
        let dots = |pixels: i32| pixels.saturating_mul(self.per_pixel);
        Area {
            x: dots(area.x),
            y: dots(area.y),
            width: dots(area.width),
            height: dots(area.height),
        }
    }

    /// A straight line one pixel wide, level or upright.
    pub fn rule(&mut self, ends: ((i32, i32), (i32, i32)), dash: Dash, colour: u32) {
        let ((x, y), to) = ends;
        for mut piece in self.pieces(&[(x, y), to], dash) {
            // As broad as a pixel, and in the pixel whose corner is given.
            let (x, y) = (x * self.per_pixel, y * self.per_pixel);
            if ends.0.0 == to.0 {
                (piece.x, piece.width) = (x, self.per_pixel);
            } else {
                (piece.y, piece.height) = (y, self.per_pixel);
            }
            self.fill_dots(piece, |_| colour);
        }
    }

    pub fn fill(&mut self, area: Area, colour: u32) {
        self.fill_dots(self.in_dots(area), |_| colour);
    }

    /// Gives every dot of an area, itself in dots, another colour.
    pub fn fill_dots(&mut self, area: Area, change: impl Fn(u32) -> u32) {
        for y in area.y..area.bottom() {
            for x in area.x..area.right() {
                if let Some(dot) = self.dot(x, y) {
                    *dot = change(*dot);
                }
            }
        }
    }

    pub fn write(&mut self, words: &Words, colour: u32) {
        let dots = f64::from(self.per_pixel);
        let unit = words.face.unit() * dots;
        let length = advance(&words.text) * unit;
        let mut x = f64::from(words.x) * dots
            - match words.anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => (length / 2.0).round(),
                Anchor::End => length,
            };
        let half = unit * if words.face.is_bold() { 0.8 } else { 0.5 };
        let line = f64::from(words.y) * dots;
        for letter in words.text.chars() {
            let (columns, strokes) = drawn(letter);
            let place = |(column, row): (f64, f64)| {
                (x + unit * (column + 0.5), line - unit * (row - STANDING + 0.5))
            };
            let strokes: Vec<Stroke> =
                strokes.into_iter().map(|stroke| stroke.into_iter().map(place).collect()).collect();
            self.ink(&strokes, half, colour);
            x += columns * unit;
        }
    }

    /// Draws strokes, in dots, `half` of their breadth to either side.
    fn ink(&mut self, strokes: &[Stroke], half: f64, colour: u32) {
        let points = || strokes.iter().flatten();
        let least = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(f64::NEG_INFINITY, f64::max);
        let (left, right) = (least(|p| p.0) - half, most(|p| p.0) + half);
        let (top, bottom) = (least(|p| p.1) - half, most(|p| p.1) + half);
        if left > right {
            return;
        }
        for y in rounded(top - 1.0)..=rounded(bottom + 1.0) {
            for x in rounded(left - 1.0)..=rounded(right + 1.0) {
                let centre = (f64::from(x) + 0.5, f64::from(y) + 0.5);
                let away = strokes.iter().map(|stroke| distance(stroke, centre));
                let cover = (half + 0.5 - away.fold(f64::INFINITY, f64::min)).clamp(0.0, 1.0);
                let cover = (cover * COVERS).round() / COVERS;
                if let Some(dot) = self.dot(x, y)
                    && cover > 0.0
                {
                    *dot = mixed(*dot, colour, cover);
                }
            }
        }
    }

    /// Draws a straight line between two places in pixels, `width` pixels wide, so much of it covering what is
    /// below.
    pub fn segment(&mut self, ends: [(f64, f64); 2], width: f64, (colour, opacity): (u32, f64)) {
        let dots = f64::from(self.per_pixel);
        let stroke: Stroke = ends.iter().map(|(x, y)| (x * dots, y * dots)).collect();
        let half = width * dots / 2.0;
        let reach = half + 1.0;
        let [(x, y), (x2, y2)] = [stroke[0], stroke[1]];
        let (left, right) = (x.min(x2) - reach, x.max(x2) + reach);
        let (top, bottom) = (y.min(y2) - reach, y.max(y2) + reach);
        let inside = |at| half + 0.5 - distance(&stroke, at);
        // Row by row, because a slanted line covers little of its box.
        let (slope, aside) = ((x2 - x) / (y2 - y), reach * (x2 - x).hypot(y2 - y) / (y2 - y).abs());
        for row in rounded(top)..=rounded(bottom) {
            let row = f64::from(row);
            let middle = x + slope * (row + 0.5 - y);
            let (from, to) = (left.max(middle - aside), right.min(middle + aside));
            // A level line has no slope: then its box is the line.
            let (from, to) = if slope.is_finite() { (from, to) } else { (left, right) };
            self.cover([(from, row), (to, row)], &inside, (colour, opacity));
        }
    }

    /// Fills a circle around a place in pixels.
    pub fn disc(&mut self, (x, y): (f64, f64), radius: f64, colour: u32) {
        let dots = f64::from(self.per_pixel);
        let (x, y, radius) = (x * dots, y * dots, radius * dots);
        let reach = radius + 1.0;
        let inside = |(at_x, at_y): (f64, f64)| radius + 0.5 - (at_x - x).hypot(at_y - y);
        self.cover([(x - reach, y - reach), (x + reach, y + reach)], &inside, (colour, 1.0));
    }

    /// Draws a circle around a place in pixels, `width` pixels wide.
    pub fn ring(&mut self, (x, y): (f64, f64), radius: f64, width: f64, colour: u32) {
        let dots = f64::from(self.per_pixel);
        let (x, y, radius, half) = (x * dots, y * dots, radius * dots, width * dots / 2.0);
        let reach = radius + half + 1.0;
        let inside =
            |(at_x, at_y): (f64, f64)| half + 0.5 - ((at_x - x).hypot(at_y - y) - radius).abs();
        self.cover([(x - reach, y - reach), (x + reach, y + reach)], &inside, (colour, 1.0));
    }

    /// Covers the dots between two corners, in dots, by how much `inside` says.
    fn cover(
        &mut self,
        corners: [(f64, f64); 2],
        inside: &dyn Fn((f64, f64)) -> f64,
        (colour, opacity): (u32, f64),
    ) {
        let [(left, top), (right, bottom)] = corners;
        for y in rounded(top)..=rounded(bottom) {
            for x in rounded(left)..=rounded(right) {
                let cover = inside((f64::from(x) + 0.5, f64::from(y) + 0.5)).clamp(0.0, 1.0);
                let cover = (cover * COVERS).round() / COVERS * opacity;
                if let Some(dot) = self.dot(x, y)
                    && cover > 0.0
                {
                    *dot = mixed(*dot, colour, cover);
                }
            }
        }
    }

    /// Draws a line in steps, with the ground's colour beside it so that it is seen on any cell.
    pub fn trace(&mut self, curve: &Curve, ink: u32, ground: u32) {
        let pieces: Vec<Area> =
            curve.runs.iter().flat_map(|run| self.pieces(run, curve.dash)).collect();
        for piece in &pieces {
            let beside = self.per_pixel;
            let around = Area {
                x: piece.x - beside,
                y: piece.y - beside,
                width: piece.width + 2 * beside,
                height: piece.height + 2 * beside,
            };
            self.fill_dots(around, |dot| if dot == ink { ink } else { mixed(dot, ground, 0.5) });
        }
        for piece in &pieces {
            self.fill_dots(*piece, |_| ink);
        }
    }

    /// The dashes of a line in steps, in dots.
    fn pieces(&self, run: &[(i32, i32)], dash: Dash) -> Vec<Area> {
        let broad = (self.per_pixel * 3 / 2).max(1);
        let whole = i32::MAX / 4;
        let (on, off) = dash.pattern().unwrap_or((whole, 1));
        let (on, off) = (on.saturating_mul(self.per_pixel), off.saturating_mul(self.per_pixel));
        let mut walked = 0;
        let mut pieces = Vec::new();
        for pair in run.windows(2) {
            let [from, to] =
                [pair[0], pair[1]].map(|(x, y)| (x * self.per_pixel, y * self.per_pixel));
            let length = (to.0 - from.0).abs() + (to.1 - from.1).abs();
            let step = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
            let mut at = 0;
            while at < length {
                let phase = (walked + at) % (on + off);
                let left = if phase < on { on - phase } else { on + off - phase };
                let end = (at + left).min(length);
                if phase < on {
                    let place = |along: i32| (from.0 + step.0 * along, from.1 + step.1 * along);
                    pieces.push(strip(place(at), place(end), broad));
                }
                at = end;
            }
            walked = (walked + length) % (on + off);
        }
        pieces
    }
}

/// The dots of a level or upright line.
fn strip(from: (i32, i32), to: (i32, i32), broad: i32) -> Area {
    Area {
        x: from.0.min(to.0) - broad / 2,
        y: from.1.min(to.1) - broad / 2,
        width: (to.0 - from.0).abs() + if from.0 == to.0 { broad } else { 0 },
        height: (to.1 - from.1).abs() + if from.1 == to.1 { broad } else { 0 },
    }
}

/// How far a point is from a stroke.
fn distance(stroke: &Stroke, (x, y): (f64, f64)) -> f64 {
    let to_point = |(px, py): (f64, f64)| (x - px).hypot(y - py);
    let mut least = stroke.first().copied().map_or(f64::INFINITY, to_point);
    for pair in stroke.windows(2) {
        let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
        let (dx, dy) = (bx - ax, by - ay);
        let square = dx * dx + dy * dy;
        let along = if square > 0.0 { ((x - ax) * dx + (y - ay) * dy) / square } else { 0.0 };
        let along = along.clamp(0.0, 1.0);
        least = least.min(to_point((ax + along * dx, ay + along * dy)));
    }
    least
}

/// `over` laid on `under`, covering so much of it.
pub(super) fn mixed(under: u32, over: u32, cover: f64) -> u32 {
    let [one, two] = [under, over].map(u32::to_be_bytes);
    let blend = |index: usize| {
        let (low, high) = (f64::from(one[index]), f64::from(two[index]));
        let value = rounded(low + (high - low) * cover).clamp(0, 255);
        u8::try_from(value).unwrap_or(u8::MAX)
    };
    u32::from_be_bytes([0, blend(1), blend(2), blend(3)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::geometry::Face;

    fn words(text: &str) -> Words {
        let tone = crate::image::tones::Tone::Ink;
        Words { x: 2, y: 12, anchor: Anchor::Start, face: Face::Plain, tone, text: text.into() }
    }

    /// The dots of a canvas as text: `#` black, `+` in between.
    fn shown(canvas: &Canvas) -> String {
        let glyph = |colour: &u32| match colour {
            0 => '#',
            0xff_ffff => '.',
            _ => '+',
        };
        let rows = canvas.colours.chunks(canvas.width);
        rows.map(|row| row.iter().map(glyph).collect::<String>() + "\n").collect()
    }

    #[test]
    fn upright_and_level_strokes_are_sharp_at_every_number_of_dots() {
        for dots in 1..=4 {
            let mut canvas = Canvas::new((12, 14), dots, 0xff_ffff);
            canvas.write(&words("H"), 0);
            // Only the round ends of the uprights are between black and white.
            let soft = shown(&canvas).matches('+').count();
            assert!(soft <= 8 * dots as usize, "{}", shown(&canvas));
            // Two uprights of nine pixels and a bar of four between them.
            let black = canvas.colours.iter().filter(|&&dot| dot == 0).count();
            assert!(black.abs_diff(22 * (dots * dots) as usize) <= 8 * dots as usize, "{black}");
        }
    }

    #[test]
    fn nothing_outside_the_canvas_is_painted_and_nothing_breaks() {
        let mut canvas = Canvas::new((5, 5), 2, 0xff_ffff);
        canvas.write(&Words { x: -40, y: -3, ..words("Wide and away") }, 0);
        canvas.fill(Area { x: -10, y: 4, width: 100, height: 1 }, 0x12_3456);
        let run = vec![(-5, 2), (90, 2), (90, -50)];
        canvas.trace(&Curve { dash: Dash::Dashed, runs: vec![run] }, 0, 0xff_ffff);
        assert_eq!(canvas.colours.iter().filter(|&&dot| dot == 0x12_3456).count(), 20);
    }

    #[test]
    fn circles_and_slanted_lines_cover_their_area() {
        let black = |canvas: &Canvas| -> f64 {
            canvas.colours.iter().map(|dot| 1.0 - f64::from(dot & 0xff) / 255.0).sum()
        };
        let mut canvas = Canvas::new((60, 60), 2, 0xff_ffff);
        canvas.disc((30.0, 30.0), 10.0, 0);
        // 4 dots to a pixel of area.
        let disc = std::f64::consts::PI * 100.0 * 4.0;
        assert!((black(&canvas) / disc - 1.0).abs() < 0.02, "{}", black(&canvas));
        let mut canvas = Canvas::new((60, 60), 2, 0xff_ffff);
        canvas.ring((30.0, 30.0), 10.0, 2.0, 0);
        let ring = std::f64::consts::TAU * 10.0 * 2.0 * 4.0;
        assert!((black(&canvas) / ring - 1.0).abs() < 0.02, "{}", black(&canvas));
        let mut canvas = Canvas::new((60, 60), 2, 0xff_ffff);
        canvas.segment([(10.0, 10.0), (40.0, 50.0)], 2.0, (0, 0.5));
        // 50 pixels long, with round ends, half covering.
        let line = (50.0 * 2.0 + std::f64::consts::PI) * 4.0 * 0.5;
        assert!((black(&canvas) / line - 1.0).abs() < 0.03, "{}", black(&canvas));
    }

    #[test]
    fn colours_mix_in_proportion() {
        assert_eq!(mixed(0x00_0000, 0xff_ff00, 0.5), 0x80_8000);
        assert_eq!(mixed(0x12_3456, 0xff_ffff, 0.0), 0x12_3456);
        assert_eq!(mixed(0x12_3456, 0xab_cdef, 1.0), 0xab_cdef);
    }
}
