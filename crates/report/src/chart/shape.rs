//! Curves are distinguished by colour and by the shape of their dots; a seventh curve looks like the
//! first.

/// The outline of a dot around 0, 0, for each curve: the shapes that a chart in text has.
pub(super) const OUTLINES: [&str; 6] = [
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.6-3.6h7.2v7.2h-7.2z",
    "M0-4.8L4.6 3.6H-4.6z",
    "M0-5L5 0L0 5L-5 0z",
    "M0 4.8L4.6-3.6H-4.6z",
    "M-4.4-1.4h3v-3h2.8v3h3v2.8h-3v3h-2.8v-3h-3z",
];

/// The colour of each curve: on a light ground and on a dark one.
pub(super) const COLOURS: [(u32, u32); 6] = [
    (0x0b57a8, 0x8dd3f5),
    (0xb5490f, 0xf58b22),
    (0x1a7a50, 0x63d6a4),
    (0x7b3fa0, 0xcda4f4),
    (0x7a6400, 0xe4d26a),
    (0xa8275f, 0xf48fb8),
];

/// The place of a curve's shape and colour.
pub(super) fn place(curve: usize) -> usize {
    curve % OUTLINES.len()
}
