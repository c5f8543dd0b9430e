//! Curves are told apart by the shape of their dots.

/// The shape of the dots of a curve.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Filled and hollow, for terminals.
    pub glyphs: (char, char),
    /// Filled and hollow, where there is only ASCII.
    pub letters: (char, char),
}

/// The shapes there are; a seventh curve looks like the first.
pub(super) const SHAPES: [Shape; 6] = [
    Shape { glyphs: ('●', '○'), letters: ('A', 'a') },
    Shape { glyphs: ('■', '□'), letters: ('B', 'b') },
    Shape { glyphs: ('▲', '△'), letters: ('C', 'c') },
    Shape { glyphs: ('◆', '◇'), letters: ('D', 'd') },
    Shape { glyphs: ('▼', '▽'), letters: ('E', 'e') },
    Shape { glyphs: ('✚', '✛'), letters: ('F', 'f') },
];

/// The place of a curve's shape.
pub(super) fn place(curve: usize) -> usize {
    curve % SHAPES.len()
}
