//! A field of characters with fine dots in them: two across and four down in each with braille,
//! one where there is only ASCII.

/// Bits of the dots of a braille character, by row and column.
const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// A field of characters.
pub(super) struct Field {
    columns: usize,
    rows: usize,
    ascii: bool,
    dots: Vec<u8>,
    /// What stands over the dots.
    letters: Vec<Option<char>>,
}

impl Field {
    pub fn new(columns: usize, rows: usize, ascii: bool) -> Field {
        let cells = columns * rows;
        Field { columns, rows, ascii, dots: vec![0; cells], letters: vec![None; cells] }
    }

    /// Dots across and down a character.
    fn fine(&self) -> (usize, usize) {
        if self.ascii { (1, 1) } else { (2, 4) }
    }

    /// The character in which a place lies; both parts are from 0 at the left and the bottom to 1.
    pub fn cell(&self, (x, y): (f64, f64)) -> (usize, usize) {
        (nearest(x, self.columns), nearest(1.0 - y, self.rows))
    }

    /// Sets the dots along a straight line between two places.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let (across, down) = self.fine();
        let (width, height) = (self.columns * across, self.rows * down);
        let steps =
            u32::try_from(width.max(height).saturating_sub(1)).unwrap_or(u32::MAX).clamp(1, 16_384);
        for step in 0..=steps {
            let part = f64::from(step) / f64::from(steps);
            let x = (to.0 - from.0).mul_add(part, from.0);
            let y = (to.1 - from.1).mul_add(part, from.1);
            self.dot(nearest(x, width), nearest(1.0 - y, height));
        }
    }

    fn dot(&mut self, x: usize, y: usize) {
        let (across, down) = self.fine();
        let at = y / down * self.columns + x / across;
        if let Some(dots) = self.dots.get_mut(at) {
            *dots |= BITS[y % down][x % across];
        }
    }

    /// Puts a character over the dots.
    pub fn put(&mut self, (column, row): (usize, usize), letter: char) {
        if column < self.columns
            && let Some(place) = self.letters.get_mut(row * self.columns + column)
        {
            *place = Some(letter);
        }
    }

    /// Puts a character where no other stands.
    pub fn put_behind(&mut self, (column, row): (usize, usize), letter: char) {
        if self.is_free(column, row) {
            self.put((column, row), letter);
        }
    }

    fn is_free(&self, column: usize, row: usize) -> bool {
        column < self.columns
            && self.letters.get(row * self.columns + column).is_some_and(Option::is_none)
    }

    /// Puts words at a place if nothing stands there; says whether they found room.
    pub fn write(&mut self, (column, row): (usize, usize), words: &str) -> bool {
        let count = words.chars().count();
        let free = (column..column + count).all(|column| self.is_free(column, row));
        if free {
            for (index, letter) in words.chars().enumerate() {
                self.put((column + index, row), letter);
            }
        }
        free
    }

    /// The rows of characters, from the top.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        (0..self.rows).map(|row| {
            (0..self.columns).map(|column| self.letter(row * self.columns + column)).collect()
        })
    }

    fn letter(&self, at: usize) -> char {
        let dots = self.dots.get(at).copied().unwrap_or(0);
        match self.letters.get(at).copied().flatten() {
            Some(letter) => letter,
            None if dots == 0 => ' ',
            None if self.ascii => '.',
            None => char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' '),
        }
    }
}

/// Which of `count` equal parts a place from 0 to 1 lies in.
fn nearest(place: f64, count: usize) -> usize {
    let last = count.saturating_sub(1);
    let at = (place.clamp(0.0, 1.0) * last as f64).round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from zero to a count"
    )]
    let at = at as usize;
    at.min(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_sets_the_dots_along_it() {
        let mut field = Field::new(2, 1, false);
        field.line((0.0, 0.0), (1.0, 1.0));
        // From the left bottom to the right top: one dot in each column of dots, rising.
        assert_eq!(field.lines().collect::<Vec<_>>(), ["⡠⠊"]);
        let mut plain = Field::new(3, 3, true);
        plain.line((0.0, 0.0), (1.0, 1.0));
        assert_eq!(plain.lines().collect::<Vec<_>>(), ["  .", " . ", ".  "]);
    }

    #[test]
    fn words_stand_only_where_nothing_does() {
        let mut field = Field::new(4, 1, true);
        field.put((1, 0), '*');
        assert!(!field.write((0, 0), "ab"));
        assert!(!field.write((3, 0), "ab"), "beyond the edge");
        assert!(field.write((2, 0), "ab"));
        assert_eq!(field.lines().collect::<Vec<_>>(), [" *ab"]);
    }
}
